"""Scores of predicted labels and probabilities."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import accuracy_score, f1_score, recall_score

from ibgn._arrays import Floats
from ibgn.metrics import brier_score, calibration_error, log_loss

__all__ = ["LESS_IS_BETTER", "POOLED", "SCORES", "score_predictions"]

Labels = npt.NDArray[Any]

LESS_IS_BETTER = ("log_loss", "brier_score")
SCORES = ("accuracy", "balanced_accuracy", "macro_f1", *LESS_IS_BETTER)
"""Scores that each fold has."""


def score_predictions(
    y: Labels, predicted: Labels, probabilities: Floats, classes: Labels
) -> dict[str, float]:
    """Scores of some test instances.

    Parameters
    ----------
    y, predicted : (n,) true and predicted labels
    probabilities : (n, classes) of the labels known in training, in the order of classes

    Examples
    --------
    >>> y, p = np.array(["a", "b"]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> scores = score_predictions(y, y, p, np.array(["a", "b"]))
    >>> scores["accuracy"], round(scores["log_loss"], 3), round(scores["brier_score"], 3)
    (1.0, 0.164, 0.05)
    """
    predictions = pd.DataFrame({"label": y, "predicted": predicted})
    return {
        "accuracy": float(accuracy_score(y, predicted)),
        "balanced_accuracy": balanced_accuracy(predictions),
        "macro_f1": macro_f1(predictions),
        "log_loss": log_loss(y, probabilities, classes),
        "brier_score": brier_score(y, probabilities, classes),
    }


def balanced_accuracy(predictions: pd.DataFrame) -> float:
    """Mean recall of the labels that occur; columns label and predicted."""
    y, predicted = predictions["label"], predictions["predicted"]
    options: Any = {"labels": np.unique(y), "average": "macro", "zero_division": 0}
    return float(recall_score(y, predicted, **options))


def macro_f1(predictions: pd.DataFrame) -> float:
    """Mean F1 of the labels that occur; columns label and predicted."""
    y, predicted = predictions["label"], predictions["predicted"]
    options: Any = {"labels": np.unique(y), "average": "macro", "zero_division": 0}
    return float(f1_score(y, predicted, **options))


def pooled_calibration_error(predictions: pd.DataFrame) -> float:
    """Calibration error of all predictions; columns label, predicted and confidence."""
    right = (predictions["label"] == predictions["predicted"]).to_numpy(bool)
    return calibration_error(right, predictions["confidence"].to_numpy(float))


POOLED = {
    "balanced_accuracy": balanced_accuracy,
    "macro_f1": macro_f1,
    "calibration_error": pooled_calibration_error,
}
"""Scores of all predictions together, by name."""
