"""Checks of the data that estimators learn from, and of options that several share."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets

from ibgn._arrays import Floats, Ints
from ibgn.columns import as_column
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.pieces import cut, map_in_order
from ibgn.sums import TreeSum
from ibgn.text import half_character, quote
from ibgn.worlds import occurring_actions

__all__ = ["Training", "are_text", "check_data", "check_labels", "check_length", "check_weights"]


R = TypeVar("R")


class Training(NamedTuple):
    """What an estimator learns from.

    Parameters
    ----------
    X : instances
    codes : (n,) activity of each, as its place among the labels
    weight : (n,) how many instances each counts as; None if each counts as one
    sample : instances that stand for all where these are many, ascending; None for all
    """

    X: IntervalSequences
    codes: Ints
    weight: Floats | None = None
    sample: Ints | None = None

    @property
    def sampled(self) -> "Training":
        """The instances of the sample alone."""
        if self.sample is None:
            return self
        weight = None if self.weight is None else self.weight[self.sample]
        return Training(self.X[self.sample], self.codes[self.sample], weight)

    @property
    def instances(self) -> int:
        """How many there are."""
        return len(self.X)

    @property
    def intervals(self) -> int:
        """How many all instances have."""
        return len(self.X.action)

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions that occur, or may occur, sorted."""
        return tuple(sorted(self.X.actions[code] for code in occurring_actions(self.X)))

    def transform(
        self, change: Callable[[IntervalSequences], IntervalSequences], same: bool = False
    ) -> "Training":
        """The same with changed instances; each changes by itself.

        same : whether they have the same intervals as before, which says how much is to be counted
        """
        return self._replace(X=change(self.X))

    @property
    def numbers(self) -> Floats:
        """(activities,) how many instances each has."""
        return np.bincount(self.codes, self.weight).astype(np.float64)

    @property
    def stands_for(self) -> Floats | None:
        """(activities,) how many instances one of the sample stands for; None where it has all."""
        return None if self.sample is None else self.numbers / self.sampled.numbers

    @property
    def counted(self) -> None:
        """All instances are counted as they are learned from."""

    def sum_others(
        self,
        count: Callable[[IntervalSequences, Ints, Floats | None], R],
        horizon: int | None = None,
    ) -> R | None:
        """The sum over what `count` makes of the instances that are not in the sample.

        It takes pieces of them, their codes and weights. None where the sample has all. Pieces are
        cut by the number of intervals and pairs, all or those within a horizon.
        """
        if self.sample is None:
            return None
        rest = np.ones(len(self.X), bool)
        rest[self.sample] = False

        def count_rest(run: slice) -> R:
            chosen = run.start + np.flatnonzero(rest[run])
            weight = None if self.weight is None else self.weight[chosen]
            return count(self.X[chosen], self.codes[chosen], weight)

        runs = cut(self.X, horizon)
        total: TreeSum[R] = TreeSum()
        for run, value in zip(runs, map_in_order(count_rest, runs), strict=True):
            total.add(run.start, value)
        return total.total()


def check_data(X: Sequences, y: npt.ArrayLike) -> tuple[IntervalSequences, npt.NDArray[Any]]:
    """Instances and their labels, one each; refuses data that cannot be learned from."""
    X, labels = as_sequences(X), check_labels(y)
    if len(X) == 0:
        raise DataError("there are no instances to learn from")
    check_length(X, labels)
    return X, labels


def check_weights(X: IntervalSequences, sample_weight: npt.ArrayLike | None) -> Floats | None:
    """(n,) weights of instances, None where all count as one; refuses what cannot be a weight."""
    if sample_weight is None:
        return None
    try:
        weight = as_column("sample_weight", sample_weight, len(X), np.float64)
    except TypeError as error:
        raise DataError(f"sample_weight has values that are not numbers: {error}") from error
    wrong = ~((weight >= 0) & (weight < np.inf))
    if wrong.any():
        d = int(np.argmax(wrong))
        raise DataError(f"weight {d} is {weight[d]:g}, but must be 0 or more, and finite")
    if not weight.any():
        raise DataError("all weights are 0, so there is nothing to learn from; give some instances")
    return None if (weight == 1).all() else weight


def check_length(X: IntervalSequences, labels: npt.NDArray[Any]) -> None:
    """Refuse labels unless there is one per instance."""
    if labels.shape != (len(X),):
        raise DataError(
            f"y must have one label per instance, got shape {labels.shape} for {len(X)} instances"
        )


def check_labels(y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Labels that can be compared and sorted; NumPy would turn numbers among text into text."""
    numbers = isinstance(y, np.ndarray) and y.dtype.kind in "iub"
    values = np.zeros(0, object) if numbers else np.asarray(y, object).ravel()
    if pd.isna(values).any():
        d = int(np.argmax(pd.isna(values)))
        raise DataError(f"label {d} is missing; leave the instance out, or name its activity")
    for d, label in enumerate(values):
        wrong = half_character(label) if isinstance(label, str) else None
        if wrong is not None:
            raise DataError(f"label {d} {wrong}")
    is_text = are_text(values)
    try:
        cut = is_text and any(label.endswith("\0") for label in values)
        labels = values if cut else np.asarray(y)  # NumPy would cut text at NUL
        check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        raise DataError(f"y has invalid labels of activities: {error}") from error
    return labels


def are_text(values: npt.NDArray[Any]) -> bool:
    """Whether labels are text; refuses text among others."""
    is_text = np.array([isinstance(label, str) for label in values], bool)
    if is_text.any() and not is_text.all():
        d = int(np.argmin(is_text))
        raise DataError(
            f"label {d} is {quote(values[d])} ({type(values[d]).__name__}), and others are text; "
            "name all activities by text, or all by numbers"
        )
    return bool(is_text.any())
