"""How long intervals and actions last, or have lasted so far."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_durations
from ibgn._kernels.live_durations import DurationNotes, Durations, TotalNotes
from ibgn.live.terms.base import LiveTerm, stack_shapes
from ibgn.terms.durations import FittedDurations, FittedTotals


class LiveDurations(LiveTerm):
    """How long intervals last, or have lasted so far."""

    of = FittedDurations

    def _take(self, fitted: Sequence[FittedDurations]) -> Durations:
        return Durations(stack_shapes(fitted))

    def _note(self, settled: Floats, said: Floats) -> DurationNotes:
        return DurationNotes(settled, said, np.zeros(1, np.int64))

    def _follow(self) -> None:
        """Log density of durations, and log survival of what goes on."""
        live_durations.say_durations(self.timeline.line, self.learned, self.notes)


class LiveTotals(LiveTerm):
    """How long each action lasts in all, or has lasted so far."""

    of = FittedTotals

    def _take(self, fitted: Sequence[FittedTotals]) -> Durations:
        return Durations(stack_shapes(fitted))

    def _note(self, settled: Floats, said: Floats) -> TotalNotes:
        actions = len(self.learned.shape)
        return TotalNotes(
            settled,
            said,
            done=np.zeros(1, np.int64),
            open=np.zeros(actions, np.int64),
            ended=np.zeros(actions),
            share=np.zeros((actions, len(settled))),
            lasting=np.zeros(actions),
        )

    def _follow(self) -> None:
        """Log density of totals, and log survival of those that go on."""
        live_durations.say_totals(self.timeline.line, self.learned, self.notes)
