"""Training data that are read piece by piece: a sample of them in memory, and all to be counted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.checks import Training, check_labels
from ibgn.classifiers.gathered import Gathered, with_actions
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.pieces import Part, recut
from ibgn.sources import GrowingSample, InstanceSource
from ibgn.terms.base import Term
from ibgn.terms.tally import Sample
from ibgn.worlds import occurring_actions

__all__ = ["AnyTraining", "Streamed", "refuse_uncountable", "survey_source"]

Change = Callable[[IntervalSequences], IntervalSequences]


@dataclass(frozen=True)
class Streamed:
    """What an estimator learns from, where memory does not hold it; see `Training`.

    Parameters
    ----------
    source : all instances
    labels : (activities,) sorted
    sampled : the instances of the sample
    sample : (sampled,) their places among all, ascending
    numbers : (activities,) how many instances each has
    changes : what is done to instances, in this order
    """

    source: InstanceSource
    labels: npt.NDArray[Any]
    sampled: Training
    sample: Ints
    numbers: Floats
    changes: tuple[Change, ...] = ()

    @property
    def instances(self) -> int:
        """How many there are."""
        return int(self.numbers.sum())

    @property
    def intervals(self) -> int:
        """How many all instances have."""
        return self._look[0]

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions that occur, or may occur, sorted."""
        return self._look[1]

    @cached_property
    def _look(self) -> tuple[int, tuple[str, ...]]:
        """Number of intervals, and names of actions, of all instances."""
        intervals, names = 0, set[str]()
        for X, _ in self._parts():
            intervals += len(X.action)
            names.update(X.actions[code] for code in occurring_actions(X))
        return intervals, tuple(sorted(names))

    @property
    def stands_for(self) -> Floats:
        """(activities,) how many instances one of the sample stands for."""
        return self.numbers / self.sampled.numbers

    def transform(self, change: Change) -> "Streamed":
        """The same with changed instances; each changes by itself."""
        return replace(
            self, sampled=self.sampled.transform(change), changes=(*self.changes, change)
        )

    @property
    def counted(self) -> None:
        """All instances are counted as they are learned from."""

    def others(self, horizon: int | None = None) -> Iterator[tuple[IntervalSequences, Ints, None]]:
        """Instances that are not in the sample, piece by piece, as `Training.others`."""
        first = 0
        for X, codes in recut(self._parts(), horizon):
            inside = np.searchsorted(self.sample, [first, first + len(X)])
            rest = np.ones(len(X), bool)
            rest[self.sample[slice(*inside)] - first] = False
            first += len(X)
            yield X[rest], np.asarray(codes)[rest], None

    def _parts(self) -> Iterator[Part]:
        """Instances, changed, and the number of the activity of each."""
        for X, y in self.source.parts():
            for change in self.changes:
                X = change(X)
            place, labels = pd.factorize(np.asarray(y))
            yield X, np.searchsorted(self.labels, labels)[place]


AnyTraining = Training | Streamed | Gathered
"""What an estimator learns from, in memory or not."""


def survey_source(source: InstanceSource) -> tuple[npt.NDArray[Any], AnyTraining]:
    """Read a source once: its labels, sorted, and what is learned from.

    If the sample has all instances, they stay in memory.
    """
    sample, names = GrowingSample(), set[str]()
    code: dict[Any, int] = {}
    labels: list[npt.NDArray[Any]] = []
    intervals, occurring = 0, set[str]()
    number = np.zeros(0)
    for X, y in source.parts():
        if y is None:
            raise DataError("the source has no labels to learn from")
        place, unique = pd.factorize(np.asarray(y))
        if (place < 0).any():
            raise DataError(
                "a label of the source is missing; leave such instances out with ",
                Option("unlabelled", "drop"),
                " where it is scanned",
            )
        labels.append(unique)
        own = np.array([code.setdefault(label, len(code)) for label in unique.tolist()])
        number = np.append(number, np.zeros(len(code) - len(number)))
        number += np.bincount(own[place], minlength=len(code))
        sample.add(X, own[place])
        names.update(X.actions)
        intervals += len(X.action)
        occurring.update(X.actions[a] for a in occurring_actions(X))
    if not sample.instances:
        raise DataError("there are no instances to learn from")
    known = check_labels(np.concatenate(labels))
    classes = np.unique(known)
    order = np.array([code[label] for label in classes.tolist()])
    rank = np.argsort(order)
    sampled = Training(with_actions(sample.X, names), rank[sample.codes])
    if len(sampled.X) == sample.instances:
        return classes, sampled
    data = Streamed(source, classes, sampled, sample.place, number[order])
    data.__dict__["_look"] = (intervals, tuple(sorted(occurring)))  # so that it is read once less
    return classes, data


def refuse_uncountable(terms: Sequence[Term], styles: Any, unlabelled: str) -> None:
    """Refuse options of an estimator under which pieces cannot be learned from one by one."""
    reason = (
        "needs all instances at once, but a source gives them piece by piece; "
        "X, y = source.read() takes all into memory, if it holds them"
    )
    if styles != 1:
        raise OptionError("styles", styles, reason)
    if unlabelled == "self-training":
        raise OptionError("unlabelled", unlabelled, reason)
    for term in terms:
        if not _counts_pieces(term):
            names = [term.name for term in terms]
            raise OptionError("terms", names, f"has {term.name!r}, which {reason}")


def _counts_pieces(term: Term) -> bool:
    """Whether counts of a term take the same room, however many instances it counts."""
    nothing = IntervalSequences.from_lists([])
    none = np.zeros(0, np.int64)
    [special] = term.specialise([nothing])
    return special.tally(Sample(nothing, none, none, none.astype(bool), 1, 1)) is not None
