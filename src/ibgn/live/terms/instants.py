"""What happens at relative times of the instance so far."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_instants
from ibgn.live.terms.base import LiveTerm, stack_fields
from ibgn.terms.occupancy import FittedOccupancy
from ibgn.terms.switches import FittedSwitches
from ibgn.terms.timing import FittedStarts


class LiveStarts(LiveTerm):
    """Where in the instance so far actions start."""

    of = FittedStarts

    def _take(self, fitted: Sequence[FittedStarts]) -> None:
        self.logs = stack_fields(fitted, "log_probs")

    def _begin(self) -> None:
        self.passed = np.zeros(self.logs.shape[1], np.int64)

    def scores(self) -> Floats:
        """Log probability of all starts, relative to the span so far."""
        line = self.timeline
        live_instants.place_live(
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
        live_instants.cover_live(
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
        probs = stack_fields(fitted, "probs")
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
