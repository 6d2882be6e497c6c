"""Relations of intervals, of which some have no end yet."""

from collections.abc import Sequence

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels import live_relations
from ibgn._kernels.live_relations import Relations, Rows
from ibgn.allen import COMPOSITION
from ibgn.horizon import reach_of
from ibgn.live.terms.base import LiveTerm
from ibgn.structure import Structure
from ibgn.terms.relations import FittedRelations

FIRST_ROWS = 8


class LiveRelations(LiveTerm):
    """Relations of intervals; those of one that is open are sets of what is still possible."""

    of = FittedRelations

    @classmethod
    def can_follow(cls, fitted: Sequence[FittedRelations]) -> bool:
        """Whether all pairs are linked, in all activities."""
        rules = {one.rule for one in fitted}
        return len(rules) == 1 and fitted[0].structure == Structure.full()

    def _take(self, fitted: Sequence[FittedRelations]) -> Relations:
        keys = np.unique(np.concatenate([one.keys for one in fitted]))
        known = np.zeros((len(keys), 7, len(fitted)))
        for c, one in enumerate(fitted):
            known[:, :, c] = one.unknown[0, keys % 128]
            known[np.searchsorted(keys, one.keys), :, c] = one.log_probs
        unknown = np.stack([one.unknown.reshape(-1, 7) for one in fitted], axis=-1)
        return Relations(
            COMPOSITION,
            keys,
            known,
            np.ascontiguousarray(unknown),
            horizon=reach_of(fitted[0].horizon),
            actions=len(fitted[0].actions),
            ties=fitted[0].ties == "published",
        )

    def _note(self, settled: Floats, said: Floats) -> Rows:
        return _make_rows(settled, said, np.zeros(3, np.int64), FIRST_ROWS, FIRST_ROWS)

    def widen(self) -> None:
        """Have room for twice as many rows, if all are in use, and for marks of what is open."""
        old = self.notes
        rows, marks = old.marked.shape
        rows *= 2 if old.done[2] == rows else 1
        marks = max(marks, min(2 * self.timeline.going, self.learned.horizon + 1))
        self.notes = _make_rows(old.settled, old.said, old.done, rows, marks)
        for before, now in zip(old[3:], self.notes[3:], strict=True):
            now[tuple(slice(length) for length in before.shape)] = before

    def _follow(self) -> None:
        """Log probability of the relations, or sets of them, of all pairs."""
        while not live_relations.say_relations(self.timeline.line, self.learned, self.notes):
            self.widen()


def _make_rows(settled: Floats, said: Floats, done: np.ndarray, rows: int, marks: int) -> Rows:
    return Rows(
        settled,
        said,
        done,
        position=np.zeros(rows, np.int64),
        stop=np.zeros(rows, np.int64),
        closed=np.zeros(rows, np.bool_),
        between=np.zeros((rows, 3)),
        partial=np.zeros((rows, len(settled))),
        marks=np.zeros(rows, np.int64),
        marked=np.zeros((rows, marks), np.int64),
        between_then=np.zeros((rows, marks, 3)),
        partial_then=np.zeros((rows, marks, len(settled))),
    )
