"""Relations of intervals, of which some have no end yet."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels import live_relations
from ibgn._kernels.pairs import NOTHING
from ibgn.allen import COMPOSITION
from ibgn.horizon import reach_of
from ibgn.live.terms.base import LiveTerm
from ibgn.structure import Structure
from ibgn.terms.relations import FittedRelations


class LiveRelations(LiveTerm):
    """Relations of intervals; those of one that is open are sets of what is still possible."""

    of = FittedRelations

    @classmethod
    def can_follow(cls, fitted: Sequence[FittedRelations]) -> bool:
        """Whether all pairs are linked, in all activities."""
        rules = {one.rule for one in fitted}
        return len(rules) == 1 and fitted[0].structure == Structure.full()

    def _take(self, fitted: Sequence[FittedRelations]) -> None:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        self.actions, self.ties = len(fitted[0].actions), fitted[0].ties == "published"
        known = np.zeros((len(keys), 7, len(fitted)))
        for c, one in enumerate(fitted):
            known[:, :, c] = one.unknown[0, keys % 128]
            known[np.searchsorted(keys, one.keys), :, c] = one.log_probs
        unknown = np.stack([one.unknown.reshape(-1, 7) for one in fitted], axis=-1)
        self.learned = (COMPOSITION, keys, known, np.ascontiguousarray(unknown))
        self.horizon = reach_of(fitted[0].horizon)

    def _begin(self) -> None:
        self.count = 0
        self.rows, self.seen, self.limits = _make_rows(0, len(self.timeline.order))

    def start(self, slot: int) -> None:
        """Have a row for one more position."""
        if slot >= len(self.rows):
            mine = self.rows, self.seen, self.limits
            more = _make_rows(slot, len(self.timeline.order))
            self.rows, self.seen, self.limits = (
                np.concatenate(parts) for parts in zip(mine, more, strict=True)
            )
        self.rows[self.count] = slot  # of the last position
        self.count += 1

    def scores(self) -> Floats:
        """Log probability of the relations, or sets of them, of all pairs."""
        self.count = live_relations.relate_live(
            *self.timeline.columns,
            self.rows,
            self.count,
            self.seen,
            self.limits,
            self.horizon,
            self.actions,
            self.ties,
            *self.learned,
            self.settled,
            self.said,
        )
        return self.said


def _make_rows(first: int, stop: int) -> tuple[Ints, Ints, Floats]:
    """Room for rows, what each position has seen, and what is between, from a position on."""
    number = stop - first
    return np.zeros(number, np.int64), np.arange(first + 1, stop + 1), np.tile(NOTHING, (number, 1))
