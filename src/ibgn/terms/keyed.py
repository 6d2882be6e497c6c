"""Counts by key: they take room for what occurs, however many actions there are.

Of the pairs of 10,000 actions, few ever follow each other. What depends on both has a key, one
number for each pair, and the keys that occur are stored in order, each with its counts.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from ibgn._arrays import Array, Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, Term
from ibgn.terms.codes import CodeCounts
from ibgn.terms.tally import GrowingTally, Recoding, Sample

__all__ = ["KeyedCounts", "KeyedTally", "KeyedTerm"]


@dataclass(frozen=True)
class KeyedCounts(Counts):
    """Counts of what has a key.

    Parameters
    ----------
    keys : (rows,) sorted
    counts : (rows, ...) of each; whole numbers unless they were multiplied by a weight

    Examples
    --------
    >>> counts = KeyedCounts(np.array([3, 7]), np.array([1, 2]))
    >>> both = counts + KeyedCounts(np.array([5, 7]), np.array([4, 1]))
    >>> both.keys.tolist(), both.counts.tolist(), (both - counts).keys.tolist()
    ([3, 5, 7], [1, 4, 3], [5, 7])
    """

    keys: Ints
    counts: Array

    def __add__(self, other: Self) -> Self:
        return self._with(other, 1)

    def __sub__(self, other: Self) -> Self:
        return self._with(other, -1)

    def __mul__(self, weight: float) -> Self:
        return type(self)(self.keys, self.counts * weight)

    def _with(self, other: Self, sign: int) -> Self:
        """Counts of both by key; keys without counts are removed."""
        keys, row = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        both = np.concatenate([self.counts, sign * other.counts])
        counts = np.zeros((len(keys), *both.shape[1:]), both.dtype)
        np.add.at(counts, row, both)
        occurring = counts.any(axis=tuple(range(1, counts.ndim)))
        return type(self)(keys[occurring], counts[occurring])


@dataclass(frozen=True)
class KeyedTerm(Term):
    """A term of outcomes that have keys, of which few occur."""

    @abstractmethod
    def outcomes(self, X: IntervalSequences) -> tuple[Ints, Ints]:
        """Instance, ascending, and key of each outcome."""

    @abstractmethod
    def recode(self, keys: Ints, change: Recoding) -> Ints:
        """Keys of the same outcomes, where actions have other codes."""

    def count(self, X: IntervalSequences) -> KeyedCounts:
        """Count instances of one activity."""
        return KeyedCounts(*np.unique(self.outcomes(X)[1], return_counts=True))

    def tally(self, sample: Sample) -> "KeyedTally":
        """Count a sample at once."""
        return KeyedTally(self, sample)


class KeyedTally(GrowingTally):
    """Counts of a sample by a code: key, fold and activity as one number.

    Parameters
    ----------
    term : what counts and fits
    sample : what is counted
    """

    def __init__(self, term: KeyedTerm, sample: Sample) -> None:
        self.term, self.sample = term, sample
        self.counts = self.counter(sample)

    @property
    def counter(self) -> Callable[[Sample], CodeCounts]:
        """Codes of the outcomes of instances, and how much each counts."""
        return partial(_count_outcomes, self.term)

    def add(self, counts: CodeCounts) -> None:
        """Add counts of more instances."""
        self.counts = self.counts + counts

    def recoded(self, change: Recoding) -> CodeCounts:
        """All that was counted, none of it held out, in other codes."""
        key, cell = np.divmod(self.counts.code, self.sample.cells)
        cells = change.cells(cell % self.sample.activities)
        code = self.term.recode(key, change) * (change.folds + 1) * change.number + cells
        return CodeCounts.of(code, self.counts.number)

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds."""
        return self._fit(-1, contexts)

    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """Learn from all folds but one, for each, and score that one."""
        chosen = np.arange(len(self.sample.X)) if rows is None else rows
        scores = np.empty((len(chosen), self.sample.activities))
        for f in range(self.sample.folds):
            inside = np.flatnonzero(self.sample.fold[chosen] == f)
            learned: Any = list(self._fit(f, contexts))
            scores[inside] = learned[0].log_likelihoods(learned, self.sample.X[chosen[inside]])
        return scores

    def _fit(self, left_out: int, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Fit each activity to the counts of all folds but one."""
        number = self.counts.number
        key, cell = np.divmod(self.counts.code, self.sample.cells)
        fold, activity = np.divmod(cell, self.sample.activities)
        kept = fold != left_out
        number, activity = number[kept], activity[kept]
        keys, row = np.unique(key[kept], return_inverse=True)
        pooled = KeyedCounts(keys, _sum_by(row, number, len(keys)))
        for c, context in enumerate(contexts):
            own = activity == c
            counts = KeyedCounts(keys, _sum_by(row[own], number[own], len(keys)))
            yield self.term.fit(counts, pooled if self.term.pools else None, context)


def _count_outcomes(term: KeyedTerm, piece: Sample) -> CodeCounts:
    """Key, fold and activity of outcomes as one number, and how much each counts."""
    owner, key = term.outcomes(piece.X)
    return CodeCounts.of(key * piece.cells + piece.cell[owner], piece.weight[owner])


def _sum_by(place: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(place, values, size).astype(np.float64, copy=False)
