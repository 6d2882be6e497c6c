"""Pairs of intervals counted by what decides their probability, once for all activities."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ibgn._arrays import Bytes, Ints
from ibgn._kernels import links as kernels
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, shared_networks
from ibgn.structure import Structure

__all__ = ["PairCells", "pair_cells"]


class PairCells(NamedTuple):
    """Pairs of instances that leave a choice, by what decides their probability.

    Parameters
    ----------
    key : (cells,) key (action, action, constraint), or constraint - 128 where an action is unknown
    relation : (cells,) the relation that holds
    counts : (n, cells) sparse, how many pairs of each instance
    """

    key: Ints
    relation: Bytes
    counts: csr_array


def pair_cells(X: IntervalSequences, actions: int) -> PairCells:
    """Count the pairs of fully linked instances; it is done once for each X."""

    def count() -> PairCells:
        networks = shared_networks(X, Structure.full())
        full = np.zeros((0, 0), bool), BEYOND["full"]
        keys = kernels.pair_keys(X.offsets, X.action, networks.constraint, *full, actions)
        choice = np.flatnonzero(networks.constraint & (networks.constraint - 1))
        keys, constraint = keys[choice], networks.constraint[choice].astype(np.int64)
        keys = np.where(keys < 0, constraint - 128, keys)
        code, cell = np.unique(keys * 8 + networks.relation[choice], return_inverse=True)
        owner = np.repeat(np.arange(len(X)), np.diff(networks.offsets))[choice]
        counts = csr_array((np.ones(len(cell)), (owner, cell)), (len(X), len(code)))
        return PairCells(code // 8, (code % 8).astype(np.uint8), counts)

    return X.derived(("pair cells", actions), count)
