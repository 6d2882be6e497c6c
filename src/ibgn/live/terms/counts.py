"""How many intervals there are so far, in all and of each action."""

import math
from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import densities
from ibgn.live.terms.base import LiveTerm, stack_fields, stack_shapes
from ibgn.terms.length import FittedLength
from ibgn.terms.occurrences import FittedOccurrences


class LiveLength(LiveTerm):
    """How many intervals there are so far."""

    of = FittedLength

    def _take(self, fitted: Sequence[FittedLength]) -> None:
        self.shape = stack_shapes(fitted)[0]

    def scores(self) -> Floats:
        """Log density of the number so far."""
        self.said[:] = 0.0
        densities.log_density(math.log1p(self.timeline.number), self.shape, self.said)
        return self.said


class LiveOccurrences(LiveTerm):
    """How often each action has occurred."""

    of = FittedOccurrences

    def _take(self, fitted: Sequence[FittedOccurrences]) -> None:
        self.logs = stack_fields(fitted, "log_probs")
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
