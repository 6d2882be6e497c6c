"""How good predicted probabilities are."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.signal import fftconvolve

from ibgn._arrays import Bools, Floats, Ints
from ibgn.checks import check_whole
from ibgn.errors import DataError

__all__ = [
    "brier_score",
    "calibration_by_chance",
    "calibration_error",
    "log_loss",
    "reliability",
]

LEAST = 1e-15  # smaller probabilities count as this
BINS = 10
LEVEL = 0.95  # of the range that chance explains
ROUNDING = 1e-6  # how far a probability may be above 1
SHORT = 256  # up to this length a convolution is faster without a Fourier transform


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
    gap = np.bincount(_bin(confidence), confidence - right, BINS)
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


def reliability(right: Bools, confidence: Floats, repeats: int = 1) -> pd.DataFrame:
    """How often predictions are right, by how sure they are, beside what chance explains.

    A perfectly calibrated predictor is right with the probability that it states. How many of the
    predictions of a bin are right is then a sum of independent draws, whose distribution follows
    from their confidences; `chance_low` and `chance_high` are its central 95%, as shares. In one
    of twenty bins, or fewer, such a predictor is outside.

    Parameters
    ----------
    right : (n,) whether each predicted label is the true one
    confidence : (n,) probability of each predicted label
    repeats : how often each instance was predicted, as by repeated cross-validation. Repetitions
        share all instances, so chance is that of one repetition.

    Returns
    -------
    DataFrame
        One row for each of ten bins of equal width that has predictions: its ends `low` and
        `high`, the number of predictions (instances), their mean confidence, their accuracy,
        chance_low and chance_high.

    Examples
    --------
    >>> right = np.array([True, False, True, True])
    >>> frame = reliability(right, np.array([0.55, 0.55, 0.95, 0.95]))
    >>> frame[["instances", "confidence", "accuracy"]].to_numpy().tolist()
    [[2.0, 0.55, 0.5], [2.0, 0.95, 1.0]]
    >>> frame[["chance_low", "chance_high"]].to_numpy().tolist()
    [[0.0, 1.0], [0.5, 1.0]]
    """
    right, confidence = np.asarray(right, bool), np.asarray(confidence, np.float64)
    check_whole("repeats", repeats, 1)
    if right.shape != confidence.shape or right.ndim != 1:
        raise DataError(
            f"there are {right.size} outcomes and {confidence.size} confidences; give one of each "
            "for every prediction"
        )
    if not ((confidence >= 0) & (confidence <= 1 + ROUNDING)).all():
        raise DataError("a confidence is not between 0 and 1; give probabilities")
    confidence = np.minimum(confidence, 1)
    bins = _bin(confidence)
    rows = []
    for number in np.unique(bins).tolist():
        sure, hits = confidence[bins == number], right[bins == number]
        once = -(-len(sure) // repeats)
        typical = np.quantile(sure, (np.arange(once) + 0.5) / once, method="inverted_cdf")
        low, high = _count_range(typical)
        span = (number / BINS, (number + 1) / BINS)
        rows.append((*span, len(sure), sure.mean(), hits.mean(), low / once, high / once))
    names = ["low", "high", "instances", "confidence", "accuracy", "chance_low", "chance_high"]
    return pd.DataFrame(rows, columns=names).astype({"instances": np.int64})


def _count_range(probabilities: Floats) -> tuple[int, int]:
    """Central range of how many of independent events happen."""
    parts = [np.array([1 - p, p]) for p in probabilities.tolist()]
    while len(parts) > 1:  # in pairs, so that few convolutions are long
        odd = parts[len(parts) // 2 * 2 :]
        join: Any = np.convolve if len(parts[0]) <= SHORT else fftconvolve
        parts = [join(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + odd
    below = np.cumsum(parts[0])
    outside = (1 - LEVEL) / 2
    low, high = np.searchsorted(below, [outside, 1 - outside]).tolist()
    return low, high


def _bin(confidence: Floats) -> Ints:
    """(n,) number of the bin of each, from 0 to 9."""
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)


def _is_true(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Bools:
    """(n, classes) whether each class is the true label."""
    is_true: Bools = np.asarray(y, object)[:, None] == np.asarray(classes, object)
    return is_true
