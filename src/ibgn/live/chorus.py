"""The default terms of an instance that goes on, which speak all at once."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live
from ibgn._kernels.live import Parts
from ibgn.live.terms import LiveTerm
from ibgn.live.terms.counts import LiveLength, LiveOccurrences
from ibgn.live.terms.durations import LiveDurations, LiveTotals
from ibgn.live.terms.instants import LiveOccupancy, LiveStarts, LiveSwitches
from ibgn.live.terms.order import LiveGaps, LiveOrder
from ibgn.live.terms.relations import LiveRelations

__all__ = ["Chorus"]

VOICES: tuple[type[LiveTerm], ...] = (
    *(LiveLength, LiveOccurrences, LiveOrder, LiveGaps, LiveRelations),
    *(LiveDurations, LiveTotals, LiveStarts, LiveOccupancy, LiveSwitches),
)


class Chorus:
    """One of each default term, which follow a timeline in one kernel.

    Parameters
    ----------
    terms : of one timeline
    """

    def __init__(self, terms: Sequence[LiveTerm]) -> None:
        kinds = [type(term) for term in terms]
        self._terms = terms
        self._voices = [terms[kinds.index(voice)] for voice in VOICES]
        self._relations: Any = self._voices[VOICES.index(LiveRelations)]
        self._timeline = terms[0].timeline
        self._scores = np.zeros((len(terms), len(terms[0].constant)))
        self._bind()

    @classmethod
    def of(cls, terms: Sequence[LiveTerm | None]) -> Self | None:
        """A chorus of terms, if they are the default ones."""
        voices = [term for term in terms if term is not None]
        whole = sorted(map(id, map(type, voices))) == sorted(map(id, VOICES))
        return cls(voices) if whole and len(terms) == len(voices) else None

    def scores(self) -> Floats:
        """(terms, activities) what all terms say, in their order; the next call overwrites it."""
        if self._timeline.line is not self._line or self._relations.notes is not self._rows:
            self._bind()
        while not live.say_all(self._bundle):
            self._relations.widen()
            self._bind()
        return self._scores

    def _bind(self) -> None:
        self._line = self._timeline.line
        for term, said in zip(self._terms, self._scores, strict=True):
            term.make_room()
            term.notes = term.notes._replace(said=said)
        pairs = [(voice.learned, voice.notes) for voice in self._voices]
        self._bundle, self._rows = live.bind(Parts(self._line, *pairs)), self._relations.notes
