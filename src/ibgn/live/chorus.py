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
    weights : (terms,)
    log_prior : (activities,)
    """

    def __init__(self, terms: Sequence[LiveTerm], weights: Floats, log_prior: Floats) -> None:
        kinds = [type(term) for term in terms]
        places = [kinds.index(voice) for voice in VOICES]
        self._voices = [terms[place] for place in places]
        self._relations: Any = self._voices[VOICES.index(LiveRelations)]
        self._timeline = terms[0].timeline
        self._weights, self._log_prior = np.asarray(weights, float)[places], log_prior
        self._joint, self._said = np.zeros(len(log_prior)), np.zeros((len(VOICES), len(log_prior)))
        self._bind()

    @classmethod
    def of(
        cls, terms: Sequence[LiveTerm | None], weights: Floats, log_prior: Floats
    ) -> Self | None:
        """A chorus of terms, if they are the default ones."""
        voices = [term for term in terms if term is not None]
        whole = sorted(map(id, map(type, voices))) == sorted(map(id, VOICES))
        return cls(voices, weights, log_prior) if whole and len(terms) == len(voices) else None

    def joint(self) -> Floats:
        """(activities,) weighted sum of what all terms say; the next call overwrites it."""
        if self._timeline.line is not self._line or self._relations.notes is not self._rows:
            self._bind()
        while not live.say_all(self._bundle):
            self._relations.widen()
            self._bind()
        return self._joint

    def _bind(self) -> None:
        self._line = self._timeline.line
        for voice, said in zip(self._voices, self._said, strict=True):
            voice.make_room()
            voice.notes = voice.notes._replace(said=said)
        pairs = [(voice.learned, voice.notes) for voice in self._voices]
        sums = (self._weights, self._log_prior, self._joint, self._said)
        parts = Parts(self._line, *sums, *pairs)
        self._bundle, self._rows = live.bind(parts), self._relations.notes
