"""How many intervals there are so far, in all and of each action."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_counts
from ibgn._kernels.live_counts import Length, LengthNotes, OccurrenceNotes, Occurrences
from ibgn.live.terms.base import LiveTerm, stack_fields, stack_shapes
from ibgn.terms.length import FittedLength
from ibgn.terms.occurrences import FittedOccurrences


class LiveLength(LiveTerm):
    """How many intervals there are so far."""

    of = FittedLength

    def _take(self, fitted: Sequence[FittedLength]) -> Length:
        return Length(stack_shapes(fitted)[0])

    def _note(self, settled: Floats, said: Floats) -> LengthNotes:
        return LengthNotes(settled, said)

    def _follow(self) -> None:
        """Log density of the number so far."""
        live_counts.say_length(self.timeline.line, self.learned, self.notes)


class LiveOccurrences(LiveTerm):
    """How often each action has occurred."""

    of = FittedOccurrences

    def _take(self, fitted: Sequence[FittedOccurrences]) -> Occurrences:
        logs = stack_fields(fitted, "log_probs")
        self.constant += logs[:, 0].sum(axis=0)
        return Occurrences(logs)

    def _note(self, settled: Floats, said: Floats) -> OccurrenceNotes:
        number = np.zeros(len(self.learned.logs), np.int64)
        return OccurrenceNotes(settled, said, np.zeros(1, np.int64), number)

    def _follow(self) -> None:
        """Log probability of all numbers so far."""
        live_counts.say_occurrences(self.timeline.line, self.learned, self.notes)
