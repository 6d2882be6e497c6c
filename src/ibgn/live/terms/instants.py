"""What happens at relative times of the instance so far."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_instants
from ibgn._kernels.live_instants import InstantNotes, Instants, StartNotes, Starts
from ibgn.live.terms.base import LiveTerm, stack_fields
from ibgn.terms.occupancy import FittedOccupancy
from ibgn.terms.switches import FittedSwitches
from ibgn.terms.timing import FittedStarts


class LiveStarts(LiveTerm):
    """Where in the instance so far actions start."""

    of = FittedStarts

    def _take(self, fitted: Sequence[FittedStarts]) -> Starts:
        return Starts(stack_fields(fitted, "log_probs"))

    def _note(self, settled: Floats, said: Floats) -> StartNotes:
        return StartNotes(settled, said, np.zeros(self.learned.logs.shape[1], np.int64))

    def _follow(self) -> None:
        """Log probability of all starts, relative to the span so far."""
        live_instants.say_starts(self.timeline.line, self.learned, self.notes)


class _LiveInstants(LiveTerm):
    """What goes on at relative times of the instance so far."""

    def _note(self, settled: Floats, said: Floats) -> InstantNotes:
        actions, instants = self.learned.alone.shape[:2]
        going_on = np.zeros((actions, instants), np.int64)
        return InstantNotes(settled, said, np.zeros(instants, np.int64), going_on)

    def _follow(self) -> None:
        """Log probability of what goes on, relative to the span so far."""
        live_instants.say_instants(self.timeline.line, self.learned, self.notes)


class LiveOccupancy(_LiveInstants):
    """Which actions go on when."""

    of = FittedOccupancy

    def _take(self, fitted: Sequence[FittedOccupancy]) -> Instants:
        probs = stack_fields(fitted, "probs")
        absent = np.log1p(-probs)
        self.constant += absent.sum(axis=(0, 1))
        return Instants(np.log(probs) - absent, np.zeros_like(probs))


class LiveSwitches(_LiveInstants):
    """When actions begin to go on, and when they end."""

    of = FittedSwitches

    def _take(self, fitted: Sequence[FittedSwitches]) -> Instants:
        parts = [one._parts() for one in fitted]
        constant, alone, both = (
            np.ascontiguousarray(np.stack(part, axis=-1)) for part in zip(*parts, strict=True)
        )
        self.constant += constant.sum(axis=0)
        return Instants(alone, both)
