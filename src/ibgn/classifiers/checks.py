"""Checks of the data that estimators learn from, and of options that several share."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets

from ibgn.checks import check_number
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.text import quote

__all__ = ["check_data", "check_length", "check_smoothing"]


def check_data(X: Sequences, y: npt.ArrayLike) -> tuple[IntervalSequences, npt.NDArray[Any]]:
    """Instances and their labels, one each; refuses data that cannot be learned from."""
    X, labels = as_sequences(X), _check_labels(y)
    if len(X) == 0:
        raise DataError("there are no instances to learn from")
    check_length(X, labels)
    return X, labels


def check_length(X: IntervalSequences, labels: npt.NDArray[Any]) -> None:
    """Refuse labels unless there is one per instance."""
    if labels.shape != (len(X),):
        raise DataError(
            f"y must have one label per instance, got shape {labels.shape} for {len(X)} instances"
        )


def _check_labels(y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Labels that can be compared and sorted; NumPy would turn numbers among text into text."""
    values = np.asarray(y, object).ravel()
    if pd.isna(values).any():
        d = int(np.argmax(pd.isna(values)))
        raise DataError(f"label {d} is missing; leave the instance out, or name its activity")
    is_text = np.array([isinstance(label, str) for label in values], bool)
    if is_text.any() and not is_text.all():
        d = int(np.argmin(is_text))
        raise DataError(
            f"label {d} is {quote(values[d])} ({type(values[d]).__name__}), and others are text; "
            "name all activities by text, or all by numbers"
        )
    try:
        labels = np.asarray(y)
        check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        raise DataError(f"y has invalid labels of activities: {error}") from error
    return labels


def check_smoothing(smoothing: float) -> None:
    """Refuse values that would round to certainty, or outweigh every count."""
    check_number("smoothing", smoothing, "from 1e-9 to 1e9", lambda value: 1e-9 <= value <= 1e9)
