"""One interval for each action of an instance: what a network of actions sees."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Floats, Ints
from ibgn.allen import relations_between
from ibgn.intervals import IntervalSequences

__all__ = ["RELATIONS", "Occurrence", "Occurrences", "count_relations", "find_occurrences"]

Occurrence = Literal["first", "longest"]

RELATIONS = 13


class Occurrences(NamedTuple):
    """One interval of each action in each instance, where it occurs.

    Parameters
    ----------
    present : (n, actions) whether the action occurs
    start, end : (n, actions) of the interval that stands for the action, 0 if there is none
    interval : (n, actions) which interval that is, -1 if there is none
    repeated : how many intervals were left out because another stands for their action
    """

    present: Bools
    start: Floats
    end: Floats
    interval: Ints
    repeated: int

    def relations(self, i: int, others: int | slice = slice(None)) -> npt.NDArray[np.uint8]:
        """(n, others) relation of one action to others; meaningless if either is absent."""
        start, end = (np.atleast_2d(times[:, others].T).T for times in (self.start, self.end))
        return relations_between((self.start[:, [i]], self.end[:, [i]]), (start, end))


def find_occurrences(X: IntervalSequences, actions: int, which: Occurrence) -> Occurrences:
    """One interval for each known action of each instance."""
    known = np.flatnonzero(X.action < actions)
    if which == "longest":
        length = (X.end - X.start)[known]
        known = known[np.lexsort((known, -length))]
    cell, first = np.unique(X.owner[known] * actions + X.action[known], return_index=True)
    interval = np.full(len(X) * actions, -1)
    interval[cell] = known[first]
    start, end = np.zeros((2, len(X) * actions))
    start[cell], end[cell] = X.start[known[first]], X.end[known[first]]
    shape = (len(X), actions)
    return Occurrences(
        present=(interval >= 0).reshape(shape),
        start=start.reshape(shape),
        end=end.reshape(shape),
        interval=interval.reshape(shape),
        repeated=len(known) - len(cell),
    )


def count_relations(occurring: Occurrences) -> Ints:
    """(actions, actions, 13) relations of each two actions that occur together."""
    size = occurring.present.shape[1]
    counts = np.zeros((size, size, RELATIONS), np.int64)
    for i in range(size):
        both = occurring.present[:, [i]] & occurring.present
        both[:, i] = False
        cell = np.arange(size) * RELATIONS + occurring.relations(i)
        counts[i] = np.bincount(cell[both], minlength=size * RELATIONS).reshape(size, RELATIONS)
    return counts
