"""How often two actions have each of Allen's relations in an instance."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ibgn._arrays import Ints
from ibgn._kernels import features as kernels
from ibgn.allen import Relation
from ibgn.features.presence import Presence
from ibgn.horizon import reach_of

__all__ = ["PairCounts", "count_pairs"]

RELATIONS = len(Relation)


class PairCounts(NamedTuple):
    """Number of pairs of intervals by their actions and relation, in each instance.

    Parameters
    ----------
    actions : number of known actions
    begins : (n+1,) where the numbers of each instance begin
    keys : (numbers,) what each counts, as one number
    numbers : (numbers,) the counts
    """

    actions: int
    begins: Ints
    keys: Ints
    numbers: Ints

    def seen(self) -> Ints:
        """(pairs, 3) first action, second action and relation of all that occur, in order."""
        pair, relation = np.divmod(np.unique(self.keys), RELATIONS)
        return np.column_stack([*np.divmod(pair, max(self.actions, 1)), relation])

    def columns(self, pairs: Ints) -> csr_array:
        """(n, pairs) numbers of these pairs, each as in `seen`."""
        known = (pairs[:, 0] * self.actions + pairs[:, 1]) * RELATIONS + pairs[:, 2]
        column = np.searchsorted(known, self.keys)
        kept = np.append(known, -1)[column] == self.keys
        begins = np.concatenate([[0], np.cumsum(kept)])[self.begins]
        numbers = self.numbers[kept].astype(np.float64)
        return csr_array((numbers, column[kept], begins), (len(begins) - 1, len(pairs)))


def count_pairs(found: Presence, horizon: int | None = None) -> PairCounts:
    """Count all pairs of intervals of known actions, or those within a horizon."""
    f = found
    numbers = kernels.count_relations(
        f.offsets, f.rows, f.cell, f.start, f.end, f.action, f.actions, reach_of(horizon)
    )
    return PairCounts(f.actions, *numbers)
