"""Training data that are read piece by piece: a sample of them in memory, and all to be counted."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.checks import Training, check_labels
from ibgn.classifiers.gathered import Gathered, with_actions
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.sources import GrowingSample, InstanceSource
from ibgn.terms.base import Term
from ibgn.terms.tally import Sample
from ibgn.worlds import occurring_actions

__all__ = ["AnyTraining", "Streamed", "refuse_uncountable", "survey_source"]

R = TypeVar("R")


class Look(NamedTuple):
    """What instances have.

    Parameters
    ----------
    intervals : how many
    actions : that occur, or may occur
    """

    intervals: int
    actions: set[str]

    @classmethod
    def at(cls, X: IntervalSequences, y: npt.NDArray[Any] | None = None) -> "Look":
        """A look at one part."""
        occurring = {X.actions[code] for code in occurring_actions(X)}
        return cls(len(X.action), occurring)

    def __add__(self, other: "Look") -> "Look":  # type: ignore[override]
        return Look(self.intervals + other.intervals, self.actions | other.actions)


@dataclass(frozen=True)
class Streamed:
    """What an estimator learns from, where memory does not hold it; see `Training`.

    Parameters
    ----------
    source : all instances, each with its label
    labels : (activities,) sorted
    sampled : the instances of the sample
    sample : (sampled,) their places among all, ascending
    numbers : (activities,) how many instances each has
    """

    source: InstanceSource
    labels: npt.NDArray[Any]
    sampled: Training
    sample: Ints
    numbers: Floats

    @property
    def instances(self) -> int:
        """How many there are."""
        return int(self.numbers.sum())

    @property
    def intervals(self) -> int:
        """How many all instances have."""
        return self._look.intervals

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions that occur, or may occur, sorted."""
        return tuple(sorted(self._look.actions))

    @cached_property
    def _look(self) -> Look:
        """A look at all instances."""
        look = self.source.reduce(Look.at)
        if look is None:
            raise DataError("the source had instances when it was read first, and has none now")
        return look

    @property
    def stands_for(self) -> Floats:
        """(activities,) how many instances one of the sample stands for."""
        return self.numbers / self.sampled.numbers

    def transform(
        self, change: Callable[[IntervalSequences], IntervalSequences], same: bool = False
    ) -> "Streamed":
        """The same with changed instances; each changes by itself.

        same : whether they have the same intervals as before
        """
        changed = replace(
            self,
            source=self.source.changed(lambda X, y: (change(X), y), same),
            sampled=self.sampled.transform(change),
        )
        if same:
            changed.__dict__["_look"] = self._look  # so that the source is read once less
        return changed

    @property
    def counted(self) -> None:
        """All instances are counted as they are learned from."""

    def sum_others(
        self,
        count: Callable[[IntervalSequences, Ints, Floats | None], R],
        horizon: int | None = None,
    ) -> R | None:
        """The sum over the instances that are not in the sample, as `Training.sum_others`."""
        return self.source.sum_pieces(_Rest(self.labels, self.sample, count), horizon)


@dataclass(frozen=True)
class _Rest:
    """Counts the instances of a piece that are not in the sample; it may go to other machines."""

    labels: npt.NDArray[Any]
    sample: Ints
    count: Callable[[IntervalSequences, Ints, Floats | None], Any]

    def __call__(self, first: int, X: IntervalSequences, y: npt.NDArray[Any] | None) -> Any:
        inside = np.searchsorted(self.sample, [first, first + len(X)])
        rest = np.ones(len(X), bool)
        rest[self.sample[slice(*inside)] - first] = False
        place, labels = pd.factorize(np.asarray(y)[rest])
        codes: Ints = np.searchsorted(self.labels, np.asarray(labels))
        return self.count(X[rest], codes[place], None)


AnyTraining = Training | Streamed | Gathered
"""What an estimator learns from, in memory or not."""


class Survey:
    """What is learned of instances when they are read first: all labels, and a sample.

    Numbers of activities are their places in `labels`.
    """

    def __init__(self, X: IntervalSequences, y: npt.NDArray[Any] | None) -> None:
        place, labels = pd.factorize(np.full(len(X), None) if y is None else np.asarray(y))
        if (place < 0).any():
            raise DataError(
                "instances of the source have no label to learn from; give them one, or leave them "
                "out with ",
                Option("unlabelled", "drop"),
                " where it is scanned",
            )
        self.look = Look.at(X)
        self.names = {*X.actions}
        self.labels: list[npt.NDArray[Any]] = [labels]  # of each part
        self.number = {
            label: int(n) for label, n in zip(labels.tolist(), np.bincount(place), strict=True)
        }
        self.sample = GrowingSample()
        self.sample.add(X, place)

    def __add__(self, other: "Survey") -> "Survey":
        both = copy(self)
        both.look = self.look + other.look
        both.names = self.names | other.names
        both.labels = self.labels + other.labels
        both.number = self.number | {
            label: self.number.get(label, 0) + n for label, n in other.number.items()
        }
        code = {label: c for c, label in enumerate(both.number)}
        renumber = np.array([code[label] for label in other.number], np.int64)
        both.sample = copy(self.sample)
        both.sample.join(other.sample, renumber[other.sample.codes])
        return both


def survey_source(source: InstanceSource) -> tuple[npt.NDArray[Any], AnyTraining]:
    """Read a source once: its labels, sorted, and what is learned from.

    If the sample has all instances, they stay in memory.
    """
    survey = source.reduce(Survey)
    if survey is None or not survey.sample.instances:
        raise DataError("there are no instances to learn from")
    classes = np.unique(check_labels(np.concatenate(survey.labels)))
    code = {label: c for c, label in enumerate(survey.number)}
    order = np.array([code[label] for label in classes.tolist()])
    X = with_actions(survey.sample.X, survey.names)
    sampled = Training(X, np.argsort(order)[survey.sample.codes])
    if len(X) == survey.sample.instances:
        return classes, sampled
    numbers = np.array(list(survey.number.values()), np.float64)[order]
    data = Streamed(source, classes, sampled, survey.sample.place, numbers)
    data.__dict__["_look"] = survey.look
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
