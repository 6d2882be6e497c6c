"""Which action has followed which, and after how long."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_order
from ibgn.live.terms.base import LiveTerm, stack_fields, stack_shapes
from ibgn.terms.order import FittedOrder
from ibgn.terms.timing import FittedGaps


class LiveOrder(LiveTerm):
    """Which action has followed which."""

    of = FittedOrder

    def _take(self, fitted: Sequence[FittedOrder]) -> None:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        actions = max(len(fitted[0].actions), 1)
        rows = np.stack([one.log_prob(*np.divmod(keys, actions)) for one in fitted], axis=-1)
        self.learned = (keys, rows, stack_fields(fitted, "usual"), stack_fields(fitted, "left"))

    def _begin(self) -> None:
        self.cursor = np.array([0, len(self.learned[2])])

    def scores(self) -> Floats:
        """Log probability of all steps so far."""
        live_order.follow_live(
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
        self.learned = (stack_fields(fitted, "together"), stack_shapes(fitted))

    def _begin(self) -> None:
        self.cursor = np.zeros(1, np.int64)

    def scores(self) -> Floats:
        """Log density of all gaps so far."""
        live_order.wait_live(
            *self.timeline.columns,
            self.cursor,
            *self.learned,
            self.settled,
            self.said,
        )
        return self.said
