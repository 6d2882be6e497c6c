"""Scores of predicted labels and probabilities."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import accuracy_score, f1_score, recall_score

from ibgn._arrays import Floats

__all__ = [
    "SCORES",
    "balanced_accuracy",
    "calibration_error",
    "log_loss",
    "macro_f1",
    "score_predictions",
]

Labels = npt.NDArray[Any]

SCORES = ("accuracy", "balanced_accuracy", "macro_f1", "log_loss", "calibration_error")
LEAST = 1e-15  # smaller probabilities count as this
BINS = 10


def score_predictions(
    y: Labels, predicted: Labels, probabilities: Floats, classes: Labels
) -> dict[str, float]:
    """All scores of some test instances.

    Parameters
    ----------
    y, predicted : (n,) true and predicted labels
    probabilities : (n, classes) of the labels known in training, in the order of classes

    Examples
    --------
    >>> y, p = np.array(["a", "b"]), np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> scores = score_predictions(y, y, p, np.array(["a", "b"]))
    >>> scores["accuracy"], round(scores["log_loss"], 3), round(scores["calibration_error"], 3)
    (1.0, 0.164, 0.15)
    """
    predictions = pd.DataFrame({"label": y, "predicted": predicted})
    return {
        "accuracy": float(accuracy_score(y, predicted)),
        "balanced_accuracy": balanced_accuracy(predictions),
        "macro_f1": macro_f1(predictions),
        "log_loss": log_loss(y, probabilities, classes),
        "calibration_error": calibration_error(y == predicted, probabilities.max(axis=1)),
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


def log_loss(y: Labels, probabilities: Floats, classes: Labels) -> float:
    """Mean of -log P(true label); a label unknown in training has probability 0."""
    column = {label: c for c, label in enumerate(classes.tolist())}
    of_true = [
        row[column[label]] if label in column else 0.0
        for label, row in zip(y.tolist(), probabilities, strict=True)
    ]
    return float(-np.log(np.maximum(of_true, LEAST)).mean())


def calibration_error(right: npt.NDArray[np.bool_], confidence: Floats) -> float:
    """How far confidence is from accuracy on average, in ten bins of confidence (ECE)."""
    bin_of = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gap = np.bincount(bin_of, confidence - right, BINS)
    return float(np.abs(gap).sum() / len(right))
