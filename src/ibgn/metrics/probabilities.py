"""How good predicted probabilities are."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Floats, Ints
from ibgn.checks import check_whole

__all__ = [
    "bin_confidence",
    "brier_score",
    "calibration_by_chance",
    "calibration_error",
    "log_loss",
]

LEAST = 1e-15  # smaller probabilities count as this
BINS = 10


def log_loss(y: npt.NDArray[Any], probabilities: Floats, classes: npt.NDArray[Any]) -> float:
    """Mean of -log P(true label); a label unknown in training has probability 0.

    Parameters
    ----------
    y : (n,) true labels
    probabilities : (n, classes) of the labels known in training
    classes : these labels

    Examples
    --------
    >>> classes = np.array(["soup", "tea"])
    >>> round(log_loss(np.array(["tea"]), np.array([[0.5, 0.5]]), classes), 3)
    0.693
    """
    of_true = (probabilities * _is_true(y, classes)).sum(axis=1)
    return float(-np.log(np.maximum(of_true, LEAST)).mean())


def brier_score(y: npt.NDArray[Any], probabilities: Floats, classes: npt.NDArray[Any]) -> float:
    """Mean squared distance of the probabilities of all labels from 1 if true, else 0.

    It is between 0, for sure and right, and 2, for sure and wrong. A label unknown in training
    counts as one more label, with probability 0.

    Parameters
    ----------
    y, probabilities, classes : see `log_loss`

    Examples
    --------
    >>> classes = np.array(["soup", "tea"])
    >>> brier_score(np.array(["tea", "tea"]), np.array([[0.5, 0.5], [1.0, 0.0]]), classes)
    1.25
    """
    is_true = _is_true(y, classes)
    unknown = ~is_true.any(axis=1)
    return float((((probabilities - is_true) ** 2).sum(axis=1) + unknown).mean())


def calibration_error(right: Bools, confidence: Floats) -> float:
    """How far confidence is from accuracy on average, in ten bins of equal width (ECE).

    Give it all held-out predictions at once: in few predictions, accuracy is far from confidence
    by chance alone.

    Parameters
    ----------
    right : (n,) whether each predicted label is the true one
    confidence : (n,) probability of each predicted label

    Examples
    --------
    >>> calibration_error(np.array([True, False]), np.array([0.75, 0.75]))
    0.25
    """
    gap = np.bincount(bin_confidence(confidence), confidence - right, BINS)
    return float(np.abs(gap).sum() / len(right))


def calibration_by_chance(
    probabilities: Floats,
    n: int = 1000,
    quantiles: tuple[float, ...] = (0.5, 0.95),
    random_state: Any = 0,
) -> Floats:
    """Calibration errors that a perfectly calibrated predictor shows by chance.

    True labels are simulated from the predicted probabilities themselves.

    Parameters
    ----------
    probabilities : (n, classes) predicted, or (n,) those of the predicted labels
    n : number of simulations
    quantiles : of the calibration errors of simulations
    random_state : seed, or a NumPy generator

    Returns
    -------
    Floats
        One error for each quantile. With an error above the last, a predictor that is as sure as
        it should be is unlikely.

    Examples
    --------
    >>> calibration_by_chance(np.full(20, 0.75)).round(2).tolist()
    [0.05, 0.2]
    >>> calibration_by_chance(np.full(2000, 0.75)).round(2).tolist()
    [0.01, 0.02]
    """
    check_whole("n", n, 1)
    rng = np.random.default_rng(random_state)
    confidence = probabilities if probabilities.ndim == 1 else probabilities.max(axis=1)
    drawn = (rng.random(len(confidence)) < confidence for _ in range(n))
    errors = [calibration_error(right, confidence) for right in drawn]
    return np.asarray(np.quantile(errors, quantiles), np.float64)


def bin_confidence(confidence: Floats) -> Ints:
    """(n,) number of the bin of each, from 0 to 9."""
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def _is_true(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Bools:
    """(n, classes) whether each class is the true label."""
    is_true: Bools = np.asarray(y, object)[:, None] == np.asarray(classes, object)
    return is_true
