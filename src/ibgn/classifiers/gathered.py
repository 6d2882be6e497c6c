"""Training data that come part by part: a sample of them in memory, the others as counts."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.checks import Training, are_text
from ibgn.intervals import IntervalSequences
from ibgn.model.counted import Counted
from ibgn.pieces import choose_sample
from ibgn.recoding import recode
from ibgn.sources import GrowingSample
from ibgn.terms.base import Term
from ibgn.worlds import occurring_actions

__all__ = ["CountedParts", "Gathered", "KeptParts", "with_actions"]

Labels = npt.NDArray[Any]


@dataclass(frozen=True)
class Gathered:
    """What an estimator learns from, where most of it is counted already; see `Training`.

    Parameters
    ----------
    sampled : the instances of the sample
    sample : (sampled,) their places among all, ascending
    counted : counts of all others, by the actions and activities of the sample
    numbers : (activities,) how many instances each has
    intervals : how many all instances have
    """

    sampled: Training
    sample: Ints
    counted: Counted
    numbers: Floats
    intervals: int

    @property
    def instances(self) -> int:
        """How many there are."""
        return int(self.numbers.sum())

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions that occur, or may occur, sorted."""
        return self.counted.actions

    @property
    def stands_for(self) -> Floats:
        """(activities,) how many instances one of the sample stands for."""
        return self.numbers / self.sampled.numbers

    def transform(
        self, change: Callable[[IntervalSequences], IntervalSequences], same: bool = True
    ) -> "Gathered":
        """The same with other codes of actions in the sample, those that are counted."""
        return replace(self, sampled=self.sampled.transform(change))

    def sum_others(self, count: Callable[..., Any], horizon: int | None = None) -> None:
        """No instances are still to be counted."""


class CountedParts:
    """Parts of which only a sample stays in memory.

    Parameters
    ----------
    terms : what counts all that leave the sample
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.labels: Labels = np.zeros(0, object)
        self.sample = GrowingSample()
        self.counted = Counted(terms, (), 1)
        self.numbers = np.zeros(0)
        self.vocabulary: frozenset[str] = frozenset()
        self.intervals = 0

    def more(self, X: IntervalSequences, labels: Labels) -> "CountedParts":
        """These parts and one more, of which only what leaves the sample is counted."""
        wider = copy(self)
        wider.labels, number, codes = _join_labels(self.labels, labels)
        size = len(wider.labels)
        wider.numbers = np.bincount(codes, minlength=size).astype(np.float64)
        wider.numbers[number] += self.numbers
        wider.vocabulary = self.vocabulary.union(X.actions)
        wider.intervals += len(X.action)
        names = {*self.counted.actions, *(X.actions[code] for code in occurring_actions(X))}
        first = np.zeros(1, np.int64) if not len(number) else number  # nothing was counted before
        wider.counted = self.counted.grown(tuple(sorted(names)), first, size)

        wider.sample = copy(self.sample)
        wider.sample.codes = number[self.sample.codes]
        every = np.concatenate([wider.sample.codes, codes])
        left = wider.sample.add(X, codes)
        if len(left):
            before = [self.sample.X] if len(self.sample.X) else []
            wider.counted.add(IntervalSequences.concatenate([*before, X])[left], every[left])
        return wider

    def training(self) -> tuple[Labels, Training | Gathered]:
        """Labels, sorted, and what is learned from."""
        X = with_actions(self.sample.X, self.vocabulary)
        sampled = Training(X, self.sample.codes)
        if len(X) == self.sample.instances:
            return self.labels, sampled
        return self.labels, Gathered(
            sampled, self.sample.place, self.counted, self.numbers, self.intervals
        )


class KeptParts(NamedTuple):
    """Parts that all stay in memory, where all are needed at once."""

    instances: tuple[IntervalSequences, ...] = ()
    labels: Labels = np.zeros(0, object)

    def more(self, X: IntervalSequences, labels: Labels) -> "KeptParts":
        """These parts and one more."""
        known, place, codes = _join_labels(self.labels, labels)
        return KeptParts((*self.instances, X), known[np.concatenate([place, codes])])

    def training(self) -> tuple[Labels, Training]:
        """Labels, sorted, and what is learned from."""
        X = IntervalSequences.concatenate(self.instances)
        known, codes = np.unique(self.labels, return_inverse=True)
        return known, Training(X, codes, None, choose_sample(X, codes))


def _join_labels(known: Labels, more: Labels) -> tuple[Labels, Ints, Ints]:
    """All labels, sorted, and the places among them of those known and of more."""
    both = [known, more] if len(known) else [more]
    if len({own.dtype.kind for own in both}) > 1:  # NumPy would write numbers as text
        both = [own.astype(object) for own in both]
        are_text(np.concatenate(both))  # or else none of them is
    labels, place = np.unique(np.concatenate(both), return_inverse=True)
    return labels, place[: len(known)], place[len(known) :]


def with_actions(X: IntervalSequences, names: Iterable[str]) -> IntervalSequences:
    """The same instances with this vocabulary, which has all their actions."""
    coded = recode(X, tuple(sorted(names)))
    return IntervalSequences.from_flat(
        coded.flat, coded.actions[:-1], X.ids, X.groups, X.provenance
    )
