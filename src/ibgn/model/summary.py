"""What models remember of the instances of each activity: numbers of intervals, and times."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bools, Floats, Ints
from ibgn._kernels.summaries import add_summary
from ibgn.intervals import IntervalSequences
from ibgn.terms.codes import CodeCounts
from ibgn.terms.tally import Recoding

__all__ = ["APART", "Remembered", "Summary"]

APART = (1, 3, 127)  # the sets {before}, {before, meets} and all relations


class Remembered(NamedTuple):
    """What a model remembers of the instances of one activity, see `ActivityModel`."""

    lengths: Ints
    pace: float
    apart: Ints
    whole: bool


@dataclass(frozen=True)
class Summary:
    """Sums over instances; those of parts add up.

    Parameters
    ----------
    lengths : how many instances of each activity have so many intervals, both as one code
    steps : (activities, 2) number and sum of times, see `add_summary`
    closeness : (activities, actions) how close intervals of an action came
    broken : (activities,) whether a time is not a whole number

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5), ("stir", 5, 8)]])
    >>> summary = Summary.of(X, np.array([0]), activities=1)
    >>> of_both = (summary + summary).activity(0)
    >>> of_both.lengths.tolist(), of_both.pace, of_both.apart.tolist(), of_both.whole
    ([3, 3], 2.6666666666666665, [1, 3], True)
    """

    lengths: CodeCounts
    steps: Floats
    closeness: Ints
    broken: Bools

    @classmethod
    def of(cls, X: IntervalSequences, codes: Ints, activities: int) -> "Summary":
        """Of instances, and the number of the activity of each."""
        steps, broken = np.zeros((activities, 2)), np.zeros(activities, bool)
        closeness = np.zeros((activities, len(X.actions)), np.int64)
        add_summary(X.offsets, X.action, X.start, X.end, codes, steps, closeness, broken)
        lengths = CodeCounts.of(X.lengths * activities + codes, np.ones(len(X)))
        return cls(lengths, steps, closeness, broken)

    def __add__(self, other: "Summary") -> "Summary":
        return Summary(
            self.lengths + other.lengths,
            self.steps + other.steps,
            np.maximum(self.closeness, other.closeness),
            self.broken | other.broken,
        )

    def recoded(self, change: Recoding) -> "Summary":
        """The same in other codes of actions and activities."""
        length, activity = np.divmod(self.lengths.code, len(self.broken))
        code = length * change.number + change.activities[activity]
        steps, broken = np.zeros((change.number, 2)), np.zeros(change.number, bool)
        closeness = np.zeros((change.number, len(change.actions)), np.int64)
        steps[change.activities], broken[change.activities] = self.steps, self.broken
        closeness[change.activities] = self.closeness[:, change.actions]
        return Summary(CodeCounts.of(code, self.lengths.number), steps, closeness, broken)

    def activity(self, number: int) -> Remembered:
        """What is remembered of one activity."""
        length, activity = np.divmod(self.lengths.code, len(self.broken))
        own = activity == number
        lengths = np.repeat(length[own], self.lengths.number[own].astype(np.int64))
        times, total = self.steps[number].tolist()
        return Remembered(
            lengths,
            total / times if times else 1.0,
            np.array(APART)[self.closeness[number]],
            bool(lengths.any() and not self.broken[number]),
        )
