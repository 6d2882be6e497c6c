"""What models remember of the instances of each activity: numbers of intervals, and times."""

from typing import NamedTuple

import numpy as np

from ibgn._arrays import Codes, Ints
from ibgn._kernels.summaries import add_summary
from ibgn.intervals import IntervalSequences
from ibgn.terms.tally import Recoding

__all__ = ["APART", "Remembered", "Summary"]

APART = (1, 3, 127)  # the sets {before}, {before, meets} and all relations


class Remembered(NamedTuple):
    """What a model remembers of the instances of one activity, see `ActivityModel`."""

    lengths: Ints
    pace: float
    apart: Ints
    whole: bool


class Summary:
    """Sums over instances, which are added piece by piece.

    Parameters
    ----------
    activities, actions : how many there are

    Examples
    --------
    >>> summary = Summary(activities=1, actions=2)
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5), ("stir", 5, 8)]])
    >>> summary.add(X, np.array([0]))
    >>> summary.of(0).pace, summary.of(0).apart.tolist(), summary.of(0).whole
    (2.6666666666666665, [1, 3], True)
    """

    def __init__(self, activities: int, actions: int) -> None:
        self._lengths: list[Codes] = []
        self._codes: list[Codes] = []
        self._steps = np.zeros((activities, 2))
        self._closeness = np.zeros((activities, actions), np.int64)
        self._broken = np.zeros(activities, bool)

    def add(self, X: IntervalSequences, codes: Ints) -> None:
        """Add instances and the number of the activity of each."""
        self._lengths.append(X.lengths.astype(np.int32))  # small, as there may be very many
        self._codes.append(codes.astype(np.int32))
        sums = self._steps, self._closeness, self._broken
        add_summary(X.offsets, X.action, X.start, X.end, codes, *sums)

    def add_recoded(self, other: "Summary", change: Recoding) -> None:
        """Add what another one has, whose actions and activities have other codes."""
        self._lengths += other._lengths
        self._codes += [change.activities[codes].astype(np.int32) for codes in other._codes]
        self._steps[change.activities] += other._steps
        self._broken[change.activities] |= other._broken
        closeness = self._closeness[change.activities]
        np.maximum(closeness, other._closeness[:, change.actions], out=closeness)
        self._closeness[change.activities] = closeness

    def of(self, activity: int) -> Remembered:
        """What is remembered of one activity."""
        own = np.concatenate(self._codes) == activity
        lengths = np.concatenate(self._lengths)[own].astype(np.int64)
        number, total = self._steps[activity].tolist()
        return Remembered(
            lengths,
            total / number if number else 1.0,
            np.array(APART)[self._closeness[activity]],
            bool(lengths.any() and not self._broken[activity]),
        )
