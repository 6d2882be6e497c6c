"""Terms whose counts and probabilities are arrays: those of many activities are one larger array.

Arrays of the shapes that a term declares are stacked along two leading axes, (rows, columns): say
folds and activities. Its `fit` works along the last axes alone, so it fits all of them at once.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, Term
from ibgn.terms.tally import GrowingTally, Recoding, Sample

__all__ = ["Cells", "StackedFit", "StackedTally", "StackedTerm"]


class Cells(NamedTuple):
    """Where each instance counts, and how much.

    Parameters
    ----------
    cell : (n,) of each instance
    number : how many cells there are
    weight : (n,) of each instance
    """

    cell: Ints
    number: int
    weight: Floats

    @property
    def instances(self) -> Floats:
        """(cells,) sum of the weights of the instances of each."""
        return np.bincount(self.cell, self.weight, self.number).astype(np.float64, copy=False)


@dataclass(frozen=True)
class StackedFit(FittedTerm):
    """A fitted term that may know many activities: its arrays have the shape (rows, columns, ...).

    All fields apart from the actions are arrays.
    """

    @abstractmethod
    def scores(self, X: IntervalSequences, row: Ints) -> Floats:
        """(n, columns) log probability of each instance by the activities of one row.

        `row` (n,) chooses the row of each instance. Equal to what `log_terms` of each adds up to.
        """

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n,) log probability of each instance; takes no room for actions that it has not."""
        return self.log_likelihoods([self], X)[:, 0]

    @classmethod
    def log_likelihoods(cls, fitted: Sequence[Self], X: IntervalSequences) -> Floats:
        """(n, fitted) log probability of each instance by each, at once."""
        arrays = (
            np.stack([getattr(one, field.name) for one in fitted])[None]
            for field in fields(cls)[1:]
        )
        return cls(fitted[0].actions, *arrays).scores(X, np.zeros(len(X), np.int64))

    def split(self) -> Iterator[Self]:
        """Fitted terms of single activities, those of the first row."""
        arrays = (getattr(self, field.name)[0] for field in fields(self)[1:])
        return (type(self)(self.actions, *own) for own in zip(*arrays, strict=True))


@dataclass(frozen=True)
class StackedTerm(Term):
    """A term that counts all cells of a sample at once, and whose `fit` takes stacked counts."""

    @abstractmethod
    def count_cells(self, X: IntervalSequences, cells: Cells) -> Counts:
        """Count instances by cell.

        As arrays with a leading axis of cells, and then one of actions, or of 1 for all of them.
        """

    def count(self, X: IntervalSequences) -> Any:
        """Count instances of one activity."""
        cells = Cells(np.zeros(len(X), np.int64), 1, np.ones(len(X)))
        return self.count_cells(X, cells).map(lambda array: array[0])

    def tally(self, sample: Sample) -> "StackedTally":
        """Count a sample at once."""
        return StackedTally(self, sample)


class StackedTally(GrowingTally):
    """Counts of a sample as arrays, (folds + 1, activities, ...); the last is never held out."""

    def __init__(self, term: StackedTerm, sample: Sample) -> None:
        self.term, self.sample = term, sample
        self.counts = self.counter(sample)

    @property
    def counter(self) -> Callable[[Sample], Counts]:
        """Counts instances by fold and activity."""
        return partial(_count_folds, self.term)

    def add(self, counts: Counts) -> None:
        """Add counts of more instances."""
        self.counts = self.counts + counts

    def recoded(self, change: Recoding) -> Counts:
        """All that was counted, none of it held out, in other codes."""

        def recode(array: Floats) -> Floats:
            counts = array.sum(axis=0)
            if counts.shape[1] != 1:
                counts = counts.take(change.actions, axis=1)
            wider = np.zeros((change.folds + 1, change.number, *counts.shape[1:]))
            wider[-1, change.activities] = counts
            return wider

        return self.counts.map(recode)

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds."""
        every = np.ones((1, self.sample.folds + 1))
        learned: Iterator[FittedTerm] = self._fit(every, contexts[0]).split()
        return learned

    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """Learn from all folds but one, for each, and score that one."""
        folds = self.sample.folds
        others = self._fit(1 - np.eye(folds, folds + 1), contexts[0])
        X, fold = self.sample.X, self.sample.fold
        if rows is not None and 2 * len(rows) < len(X):
            few: Floats = others.scores(X[rows], fold[rows])
            return few
        scores: Floats = others.scores(X, fold)  # what they look at is known from counting
        return scores if rows is None else scores[rows]

    def _fit(self, chosen: Floats, context: Context) -> Any:
        """Fit rows of activities, each from the sum over some of the folds, (rows, folds + 1)."""
        own = self.counts.map(lambda array: np.tensordot(chosen, array, 1))
        pooled = own.map(lambda array: array.sum(axis=1, keepdims=True))
        return self.term.fit(own, pooled if self.term.pools else None, context)


def _count_folds(term: StackedTerm, piece: Sample) -> Counts:
    """Counts as arrays (folds + 1, activities, ...)."""
    shape = piece.folds + 1, piece.activities
    counts = term.count_cells(piece.X, Cells(piece.cell, piece.cells, piece.weight))
    return counts.map(lambda array: array.reshape(*shape, *array.shape[1:]))
