"""Which action has followed which, and after how long."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_order
from ibgn._kernels.live_order import Gaps, Order, OrderNotes
from ibgn.live.terms.base import LiveTerm, stack_fields, stack_shapes
from ibgn.terms.order import FittedOrder
from ibgn.terms.timing import FittedGaps


class _LivePositions(LiveTerm):
    """What depends on neighbours in the order."""

    def _note(self, settled: Floats, said: Floats) -> OrderNotes:
        return OrderNotes(settled, said, np.zeros(2, np.int64), np.zeros(0, np.int64))

    def make_room(self) -> None:
        """Have a place for each slot."""
        if len(self.notes.counted) < self.timeline.room:
            counted = np.zeros(self.timeline.room, np.int64)
            counted[: len(self.notes.counted)] = self.notes.counted
            self.notes = self.notes._replace(counted=counted)


class LiveOrder(_LivePositions):
    """Which action has followed which."""

    of = FittedOrder

    def _take(self, fitted: Sequence[FittedOrder]) -> Order:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        actions = max(len(fitted[0].actions), 1)
        rows = np.stack([one.log_prob(*np.divmod(keys, actions)) for one in fitted], axis=-1)
        return Order(keys, rows, stack_fields(fitted, "usual"), stack_fields(fitted, "left"))

    def _follow(self) -> None:
        """Log probability of all steps so far."""
        live_order.say_order(self.timeline.line, self.learned, self.notes)


class LiveGaps(_LivePositions):
    """How long after the start before each action has started."""

    of = FittedGaps

    def _take(self, fitted: Sequence[FittedGaps]) -> Gaps:
        return Gaps(stack_fields(fitted, "together"), stack_shapes(fitted))

    def _follow(self) -> None:
        """Log density of all gaps so far."""
        live_order.say_gaps(self.timeline.line, self.learned, self.notes)
