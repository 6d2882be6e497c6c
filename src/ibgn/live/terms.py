"""What each term of a model says about an instance that goes on."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels import live as kernels
from ibgn._kernels.pairs import NOTHING
from ibgn.allen import COMPOSITION
from ibgn.horizon import reach_of
from ibgn.live.timeline import Timeline
from ibgn.structure import Structure
from ibgn.terms.base import FittedTerm
from ibgn.terms.durations import FittedDurations, FittedTotals
from ibgn.terms.length import FittedLength
from ibgn.terms.occupancy import FittedOccupancy
from ibgn.terms.occurrences import FittedOccurrences
from ibgn.terms.order import FittedOrder
from ibgn.terms.relations import FittedRelations
from ibgn.terms.switches import FittedSwitches
from ibgn.terms.timing import FittedGaps, FittedStarts

__all__ = ["LiveTerm", "go_live"]

LIVE: dict[type[FittedTerm], type["LiveTerm"]] = {}


class LiveTerm(ABC):
    """One term of all activities, which follows the intervals of a timeline.

    A subclass declares `of`, the kind of fitted term that it follows.

    Parameters
    ----------
    fitted : the term of each activity

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("length",), random_state=0).fit(X, y)
    >>> line = Timeline(model.actions_)
    >>> length = go_live([a["length"] for a in model.activities_.values()]).begin(line)
    >>> slot = line.start("hold", 0.0)
    >>> length.scores().shape == model.classes_.shape
    True
    """

    of: ClassVar[type[FittedTerm]]

    timeline: Timeline
    settled: Floats  # (activities,) what will not change
    said: Floats  # (activities,) what is said now

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "of" in cls.__dict__:
            LIVE[cls.of] = cls

    def __init__(self, fitted: Sequence[Any]) -> None:
        self.constant = np.zeros(len(fitted))  # of an instance without intervals
        self._take(fitted)

    @abstractmethod
    def _take(self, fitted: Sequence[Any]) -> None:
        """Keep what was learned, in arrays whose last axis is the activities."""

    def begin(self, timeline: Timeline) -> Self:
        """The same term at the begin of another instance."""
        term = copy(self)
        term.timeline = timeline
        term.settled, term.said = self.constant.copy(), np.zeros_like(self.constant)
        term._begin()
        return term

    def _begin(self) -> None:  # noqa: B027, nothing to note by default
        """Have nothing noted."""

    @classmethod
    def can_follow(cls, fitted: Sequence[Any]) -> bool:
        """Whether these terms are of the kind that is followed."""
        return True

    def start(self, slot: int) -> None:  # noqa: B027, nothing to note by default
        """Note that an interval began."""

    def end(self, slot: int) -> None:  # noqa: B027, nothing to note by default
        """Note that an interval ended."""

    @abstractmethod
    def scores(self) -> Floats:
        """(activities,) log probability of what is known now."""


def go_live(fitted: Sequence[FittedTerm]) -> LiveTerm | None:
    """Follow a term of all activities; None if that is not known for such terms."""
    kind = LIVE.get(type(fitted[0]))
    alike = all(type(one) is type(fitted[0]) for one in fitted)
    return kind(fitted) if kind and alike and kind.can_follow(fitted) else None


def _stack(fitted: Sequence[Any], name: str) -> Floats:
    """A field of all activities, which are the last axis."""
    return np.ascontiguousarray(np.stack([getattr(one, name) for one in fitted], axis=-1))


def _shapes(fitted: Sequence[Any]) -> Floats:
    """(groups, 4, activities) of the predictions of all activities."""
    shapes = [np.moveaxis(one.prediction.shape(), 0, -1) for one in fitted]
    return np.ascontiguousarray(np.stack(shapes, axis=-1))


class LiveLength(LiveTerm):
    """How many intervals there are so far."""

    of = FittedLength

    def _take(self, fitted: Sequence[FittedLength]) -> None:
        self.shape = _shapes(fitted)[0]

    def scores(self) -> Floats:
        """Log density of the number so far."""
        self.said[:] = 0.0
        kernels.log_density(math.log1p(self.timeline.number), self.shape, self.said)
        return self.said


class LiveOccurrences(LiveTerm):
    """How often each action has occurred."""

    of = FittedOccurrences

    def _take(self, fitted: Sequence[FittedOccurrences]) -> None:
        self.logs = _stack(fitted, "log_probs")
        self.constant += self.logs[:, 0].sum(axis=0)

    def _begin(self) -> None:
        self.number = np.zeros(len(self.logs), np.int64)

    def start(self, slot: int) -> None:
        """Count one more."""
        code = self.timeline.action[slot]
        if code < len(self.logs):
            number, most = self.number[code], self.logs.shape[1] - 1
            if number < most:
                self.settled += self.logs[code, number + 1] - self.logs[code, number]
                self.number[code] = number + 1

    def scores(self) -> Floats:
        """Log probability of all numbers so far."""
        return self.settled


class LiveOrder(LiveTerm):
    """Which action has followed which."""

    of = FittedOrder

    def _take(self, fitted: Sequence[FittedOrder]) -> None:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        actions = max(len(fitted[0].actions), 1)
        rows = np.stack([one.log_prob(*np.divmod(keys, actions)) for one in fitted], axis=-1)
        self.learned = (keys, rows, _stack(fitted, "usual"), _stack(fitted, "left"))

    def _begin(self) -> None:
        self.cursor = np.array([0, len(self.learned[2])])

    def scores(self) -> Floats:
        """Log probability of all steps so far."""
        kernels.follow_live(
            *self.timeline.columns,
            self.cursor,
            *self.learned,
            self.settled,
            self.said,
        )
        return self.said


class LiveGaps(LiveTerm):
    """How long after the start before each action has started."""

    of = FittedGaps

    def _take(self, fitted: Sequence[FittedGaps]) -> None:
        self.learned = (_stack(fitted, "together"), _shapes(fitted))

    def _begin(self) -> None:
        self.cursor = np.zeros(1, np.int64)

    def scores(self) -> Floats:
        """Log density of all gaps so far."""
        kernels.wait_live(
            *self.timeline.columns,
            self.cursor,
            *self.learned,
            self.settled,
            self.said,
        )
        return self.said


class LiveRelations(LiveTerm):
    """Relations of intervals; those of one that is open are sets of what is still possible."""

    of = FittedRelations

    @classmethod
    def can_follow(cls, fitted: Sequence[FittedRelations]) -> bool:
        """Whether all pairs are linked, in all activities."""
        rules = {one.rule for one in fitted}
        return len(rules) == 1 and fitted[0].structure == Structure.full()

    def _take(self, fitted: Sequence[FittedRelations]) -> None:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        self.actions, self.ties = len(fitted[0].actions), fitted[0].ties == "published"
        known = np.zeros((len(keys), 7, len(fitted)))
        for c, one in enumerate(fitted):
            known[:, :, c] = one.unknown[0, keys % 128]
            known[np.searchsorted(keys, one.keys), :, c] = one.log_probs
        unknown = np.stack([one.unknown.reshape(-1, 7) for one in fitted], axis=-1)
        self.learned = (COMPOSITION, keys, known, np.ascontiguousarray(unknown))
        self.horizon = reach_of(fitted[0].horizon)

    def _begin(self) -> None:
        self.count = 0
        self.rows, self.seen, self.limits = _make_rows(0, len(self.timeline.order))

    def start(self, slot: int) -> None:
        """Have a row for one more position."""
        if slot >= len(self.rows):
            mine = self.rows, self.seen, self.limits
            more = _make_rows(slot, len(self.timeline.order))
            self.rows, self.seen, self.limits = (
                np.concatenate(parts) for parts in zip(mine, more, strict=True)
            )
        self.rows[self.count] = slot  # of the last position
        self.count += 1

    def scores(self) -> Floats:
        """Log probability of the relations, or sets of them, of all pairs."""
        self.count = kernels.relate_live(
            *self.timeline.columns,
            self.rows,
            self.count,
            self.seen,
            self.limits,
            self.horizon,
            self.actions,
            self.ties,
            *self.learned,
            self.settled,
            self.said,
        )
        return self.said


def _make_rows(first: int, stop: int) -> tuple[Ints, Ints, Floats]:
    """Room for rows, what each position has seen, and what is between, from a position on."""
    number = stop - first
    return np.zeros(number, np.int64), np.arange(first + 1, stop + 1), np.tile(NOTHING, (number, 1))


class LiveDurations(LiveTerm):
    """How long intervals last, or have lasted so far."""

    of = FittedDurations

    def _take(self, fitted: Sequence[FittedDurations]) -> None:
        self.shape = _shapes(fitted)

    def end(self, slot: int) -> None:
        """Add the duration."""
        line = self.timeline
        code = line.action[slot]
        if code < len(self.shape):
            lasted = math.log(line.ending[slot] - line.beginning[slot])
            kernels.log_density(lasted, self.shape[code], self.settled)

    def scores(self) -> Floats:
        """Log density of durations, and log survival of what goes on."""
        line = self.timeline
        self.said[:] = self.settled
        for slots in line.open.values():
            for slot in slots:
                code, lasted = line.action[slot], line.now - line.beginning[slot]
                if code < len(self.shape) and lasted > 0:
                    kernels.log_survival(math.log(lasted), self.shape[code], self.said)
        return self.said


class LiveTotals(LiveTerm):
    """How long each action lasts in all, or has lasted so far."""

    of = FittedTotals

    def _take(self, fitted: Sequence[FittedTotals]) -> None:
        self.shape = _shapes(fitted)

    def _begin(self) -> None:
        self.ended = np.zeros(len(self.shape))  # total time of what has ended, by action
        self.share = np.zeros((len(self.shape), len(self.settled)))  # in the settled sum, by action

    def start(self, slot: int) -> None:
        """Take what was said about its action back: its total goes on."""
        code = self.timeline.action[slot]
        if code < len(self.shape):
            self.settled -= self.share[code]
            self.share[code] = 0.0

    def end(self, slot: int) -> None:
        """Add the total of its action, if none of it goes on."""
        line = self.timeline
        code = line.action[slot]
        if code < len(self.shape):
            self.ended[code] += line.ending[slot] - line.beginning[slot]
            if line.names[slot] not in line.open:
                kernels.log_density(math.log(self.ended[code]), self.shape[code], self.share[code])
                self.settled += self.share[code]

    def scores(self) -> Floats:
        """Log density of totals, and log survival of those that go on."""
        line = self.timeline
        self.said[:] = self.settled
        for name, slots in line.open.items():
            code = line.code.get(name)
            if code is not None:
                total = self.ended[code] + sum(line.now - line.beginning[slot] for slot in slots)
                if total > 0:
                    kernels.log_survival(math.log(total), self.shape[code], self.said)
        return self.said


class LiveStarts(LiveTerm):
    """Where in the instance so far actions start."""

    of = FittedStarts

    def _take(self, fitted: Sequence[FittedStarts]) -> None:
        self.logs = _stack(fitted, "log_probs")

    def _begin(self) -> None:
        self.passed = np.zeros(self.logs.shape[1], np.int64)

    def scores(self) -> Floats:
        """Log probability of all starts, relative to the span so far."""
        line = self.timeline
        kernels.place_live(
            line.number,
            line.action,
            line.beginning,
            line.begin,
            line.span or 1.0,  # what begins now is there from the beginning
            self.passed,
            self.logs,
            self.settled,
        )
        return self.settled


class _LiveInstants(LiveTerm):
    """What goes on at relative times of the instance so far."""

    alone: Floats  # (actions, instants, activities), see the kernel
    both: Floats

    def _begin(self) -> None:
        actions, instants = self.alone.shape[:2]
        self.passed = np.zeros(instants, np.int64)
        self.going_on = np.zeros((actions, instants), np.int64)
        self.changes, room = 0, 2 * len(self.timeline.order)
        self.time = np.zeros(room)
        self.action, self.step = np.zeros(room, np.int32), np.zeros(room, np.int64)

    def start(self, slot: int) -> None:
        """Note a change."""
        self._add(slot, 1)

    def end(self, slot: int) -> None:
        """Note a change."""
        self._add(slot, -1)

    def _add(self, slot: int, step: int) -> None:
        line = self.timeline
        code = line.action[slot]
        if code < len(self.going_on):
            n = self.changes
            if n == len(self.time):
                both = (np.append(part, part) for part in (self.time, self.action, self.step))
                self.time, self.action, self.step = both
            self.time[n], self.action[n], self.step[n] = line.now, code, step
            self.changes += 1

    def scores(self) -> Floats:
        """Log probability of what goes on, relative to the span so far."""
        line = self.timeline
        kernels.cover_live(
            self.changes,
            self.time,
            self.action,
            self.step,
            line.begin,
            line.span or 1.0,  # what begins now goes on all the time so far
            self.passed,
            self.going_on,
            self.alone,
            self.both,
            self.settled,
        )
        return self.settled


class LiveOccupancy(_LiveInstants):
    """Which actions go on when."""

    of = FittedOccupancy

    def _take(self, fitted: Sequence[FittedOccupancy]) -> None:
        probs = _stack(fitted, "probs")
        absent = np.log1p(-probs)
        self.constant += absent.sum(axis=(0, 1))
        self.alone = np.log(probs) - absent
        self.both = np.zeros_like(self.alone)


class LiveSwitches(_LiveInstants):
    """When actions begin to go on, and when they end."""

    of = FittedSwitches

    def _take(self, fitted: Sequence[FittedSwitches]) -> None:
        parts = [one._parts() for one in fitted]
        constant, self.alone, self.both = (
            np.ascontiguousarray(np.stack(part, axis=-1)) for part in zip(*parts, strict=True)
        )
        self.constant += constant.sum(axis=0)
