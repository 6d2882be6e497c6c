"""Counts of a whole sample by fold and activity, from which one term learns.

Counts of parts add up. So every cell, the instances of one activity in one fold, is counted once:
activities are learned from all folds, and held-out scores from all folds but one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import add
from typing import Any, NamedTuple

import joblib
import numpy as np

from ibgn._arrays import Bools, Floats, Ints
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, FittedTerm, Term

__all__ = [
    "GrowingTally",
    "PlainTally",
    "Recoding",
    "Sample",
    "Tally",
    "count_weighted",
    "make_tally",
]


@dataclass(frozen=True)
class Sample:
    """Instances to learn from, with copies that count less.

    Parameters
    ----------
    X : all instances, copies among them
    activity : (n,) of each instance
    fold : (n,) of each instance, -1 for those that are never held out
    copied : (n,) which of them are copies
    activities, folds : how many there are
    copy_weight : how much a copy counts
    given : (n,) how many instances each counts as; None if each counts as one
    stands_for : (n,) how many instances a copy stands for, if not all are copied; None if all are
    """

    X: IntervalSequences
    activity: Ints
    fold: Ints
    copied: Bools
    activities: int
    folds: int
    copy_weight: float = 0.0
    given: Floats | None = None
    stands_for: Floats | None = None

    @property
    def cells(self) -> int:
        """Number of cells: those of the folds, and of what is never held out."""
        return (self.folds + 1) * self.activities

    @property
    def cell(self) -> Ints:
        """(n,) fold and activity as one number."""
        return self.fold % (self.folds + 1) * self.activities + self.activity

    @property
    def value(self) -> Floats:
        """(n,) how much each instance matters where it is held out."""
        own = np.where(self.copied, self.copy_weight, 1.0)
        return own if self.given is None else own * self.given

    @property
    def number(self) -> Floats:
        """(n,) how many instances each stands for, before copies are made to count less."""
        given = np.ones(len(self.X)) if self.given is None else self.given
        return given if self.stands_for is None else given * self.stands_for

    @property
    def weight(self) -> Floats:
        """(n,) how much each instance counts."""
        return np.where(self.copied, self.copy_weight, 1.0) * self.number


class Recoding(NamedTuple):
    """Other numbers for actions and activities, as there are more of them.

    Parameters
    ----------
    actions : (actions,) code that each had, that of an action which never occurred if it is new
    renamed : (actions before,) code that each has now; the order of names is that of codes
    activities : (activities before,) number that each has now
    number : of activities now
    folds : how many there are; what was counted is in none of them
    """

    actions: Ints
    renamed: Ints
    activities: Ints
    number: int
    folds: int

    def cells(self, activity: Ints) -> Ints:
        """Cell of each activity before, among those of what is never held out."""
        return self.folds * self.number + self.activities[activity]


class Tally(ABC):
    """Counts of a sample by fold and activity, to which more instances can be added."""

    @property
    @abstractmethod
    def counter(self) -> Callable[[Sample], Any]:
        """Counts more instances, without copies, in the folds and activities of the sample.

        What it returns adds, and is added by `add`. Pieces may be counted at the same time, also by
        other machines, so the function has nothing of the sample.
        """

    @abstractmethod
    def add(self, counts: Any) -> None:
        """Add counts of more instances."""

    @abstractmethod
    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds; contexts are those of the activities."""

    @abstractmethod
    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """(rows, activities) log probability of instances, learned from the other folds.

        rows : their numbers, ascending; None for all
        """


class GrowingTally(Tally):
    """A tally whose counts need no instances to find room among more actions and activities."""

    @abstractmethod
    def recoded(self, change: Recoding) -> Any:
        """All that was counted, none of it held out, in other codes: as `add` takes it."""


class PlainTally(Tally):
    """Counts, fits and scores one by one: what every other tally comes to.

    Parameters
    ----------
    terms : (activities,) what counts and fits each
    sample : what is counted
    """

    def __init__(self, terms: Sequence[Term], sample: Sample) -> None:
        self.terms, self.sample = terms, sample
        self.counts: list[list[list[Any]]] = [[[] for _ in terms] for _ in range(sample.folds + 1)]
        self.add(self.counter(sample))

    @property
    def counter(self) -> Callable[[Sample], list[tuple[int, int, Any]]]:
        """Fold, activity and counts of each cell that has instances."""
        return partial(_count_cells, self.terms)

    def add(self, counts: list[tuple[int, int, Any]]) -> None:
        """Keep counts, to be summed once."""
        for f, c, of_cell in counts:
            self.counts[f][c].append(of_cell)

    def total(self, counts: Sequence[Any]) -> Any:
        """Sum of counts, of which there is at least one."""
        return reduce(add, counts)

    def learn(self, contexts: Sequence[Context]) -> Iterator[FittedTerm]:
        """Learn each activity from all folds, activities at the same time."""
        learned: Iterator[FittedTerm] = joblib.Parallel(prefer="threads", return_as="generator")(
            joblib.delayed(fit)(*given) for fit, given in self._lessons(self.counts, contexts)
        )
        return learned

    def hold_out(self, contexts: Sequence[Context], rows: Ints | None = None) -> Floats:
        """Learn from all folds but one and score that one, folds at the same time."""
        chosen = np.arange(len(self.sample.X)) if rows is None else rows
        scores = np.empty((len(chosen), len(self.terms)))

        def score(f: int, contexts: Sequence[Context]) -> None:
            inside = np.flatnonzero(self.sample.fold[chosen] == f)
            tested = self.sample.X[chosen[inside]]
            others = [counts for g, counts in enumerate(self.counts) if g != f]
            for c, (fit, given) in enumerate(self._lessons(others, contexts)):
                scores[inside, c] = fit(*given).log_likelihood(tested)

        # each fold has its own random numbers, so that it does not matter which comes first
        spawned = [
            [c._replace(rng=rng) for rng in c.rng.spawn(self.sample.folds)] for c in contexts
        ]
        joblib.Parallel(require="sharedmem")(
            joblib.delayed(score)(f, of_fold)
            for f, of_fold in enumerate(zip(*spawned, strict=True))
        )
        return scores

    def _lessons(
        self, folds: Sequence[Sequence[list[Any]]], contexts: Sequence[Context]
    ) -> list[Any]:
        """`fit` and its arguments, for each activity, from the counts of these folds."""
        own = [
            self.total(list(chain(*cells)) or [term.count(self.sample.X[:0])])
            for term, cells in zip(self.terms, zip(*folds, strict=True), strict=True)
        ]
        pooled = self.total(own) if self.terms[0].pools else None
        return [
            (term.fit, (counts, pooled, context))
            for term, counts, context in zip(self.terms, own, contexts, strict=True)
        ]


def _count_cells(terms: Sequence[Term], piece: Sample) -> list[tuple[int, int, Any]]:
    """Fold, activity and counts of each cell that has instances."""
    found = [(*divmod(cell, piece.activities), cell) for cell in np.unique(piece.cell).tolist()]
    return [(f, c, _count_cell(terms[c], piece, piece.cell == cell)) for f, c, cell in found]


def _count_cell(term: Term, piece: Sample, inside: Bools) -> Any:
    if term.scales:
        return count_weighted(term, piece.X[inside], piece.weight[inside])
    if piece.given is not None:
        raise DataError(
            f"the term {term.name!r} looks at whole instances, which cannot have a "
            "sample_weight; choose other terms, or leave it out"
        )
    return term.count(piece.X[inside & ~piece.copied])


def count_weighted(term: Term, X: IntervalSequences, weight: Floats) -> Any:
    """Counts of instances that each count as much as their weight says."""
    counts = term.count(X[weight == 1])
    for value in np.unique(weight[weight != 1]).tolist():
        counts = counts + term.count(X[weight == value]) * value
    return counts


def make_tally(terms: Sequence[Term], sample: Sample) -> Tally:
    """Count a sample by the terms of its activities, at once if they are one term that can."""
    together = terms[0].tally(sample) if all(term is terms[0] for term in terms) else None
    return together or PlainTally(terms, sample)
