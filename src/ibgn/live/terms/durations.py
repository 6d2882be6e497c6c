"""How long intervals and actions last, or have lasted so far."""

import math
from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import densities
from ibgn.live.terms.base import LiveTerm, stack_shapes
from ibgn.terms.durations import FittedDurations, FittedTotals


class LiveDurations(LiveTerm):
    """How long intervals last, or have lasted so far."""

    of = FittedDurations

    def _take(self, fitted: Sequence[FittedDurations]) -> None:
        self.shape = stack_shapes(fitted)

    def end(self, slot: int) -> None:
        """Add the duration."""
        line = self.timeline
        code = line.action[slot]
        if code < len(self.shape):
            lasted = math.log(line.ending[slot] - line.beginning[slot])
            densities.log_density(lasted, self.shape[code], self.settled)

    def scores(self) -> Floats:
        """Log density of durations, and log survival of what goes on."""
        line = self.timeline
        self.said[:] = self.settled
        for slots in line.open.values():
            for slot in slots:
                code, lasted = line.action[slot], line.now - line.beginning[slot]
                if code < len(self.shape) and lasted > 0:
                    densities.log_survival(math.log(lasted), self.shape[code], self.said)
        return self.said


class LiveTotals(LiveTerm):
    """How long each action lasts in all, or has lasted so far."""

    of = FittedTotals

    def _take(self, fitted: Sequence[FittedTotals]) -> None:
        self.shape = stack_shapes(fitted)

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
                densities.log_density(
                    math.log(self.ended[code]), self.shape[code], self.share[code]
                )
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
                    densities.log_survival(math.log(total), self.shape[code], self.said)
        return self.said
