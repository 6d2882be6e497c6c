"""Pairs of intervals by what decides the probability of their relation."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ibgn._arrays import Bytes, Ints
from ibgn._kernels import links as kernels
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, shared_networks
from ibgn.structure import Structure

__all__ = ["PairCells", "PairChoices", "PairRule", "Ties", "Unlinked"]

Unlinked = Literal["constrained", "marginal", "ignore"]
Ties = Literal["sorted", "published"]

UNLINKED: dict[Unlinked, int] = {
    "constrained": kernels.CONSTRAINED,
    "marginal": kernels.MARGINAL,
    "ignore": kernels.IGNORE,
}


class PairChoices(NamedTuple):
    """What each pair leaves open, and what decides its probability; pairs row by row.

    Parameters
    ----------
    relation : (pairs,) the relation that holds
    allowed : (pairs,) set of relations that are open, a mask; nothing is said about a pair with
        fewer than two
    key : (pairs,) what its distribution depends on, as one number, see `ibgn._kernels.links`
    """

    relation: Bytes
    allowed: Bytes
    key: Ints

    @property
    def open(self) -> Ints:
        """Pairs that leave a choice."""
        return np.flatnonzero(self.allowed & (self.allowed - 1))


class PairCells(NamedTuple):
    """Pairs that leave a choice, counted where key and relation are the same.

    Parameters
    ----------
    pairs : one pair of each kind
    counts : (n, pairs) sparse, how many of them each instance has
    """

    pairs: PairChoices
    counts: csr_array


@dataclass(frozen=True)
class PairRule:
    """Which relations a pair leaves open.

    Parameters
    ----------
    structure : which pairs are linked
    unlinked : what others leave open: their constraint ("constrained"), all relations
        ("marginal"), or nothing ("ignore")
    ties : "sorted" leaves out `equals` where the actions descend, as equal intervals are sorted by
        action; "published" keeps it
    """

    structure: Structure
    unlinked: Unlinked = "constrained"
    ties: Ties = "sorted"

    @property
    def constraining(self) -> Structure:
        """Pairs whose relations constrain others: all of them if unlinked="constrained".

        If unlinked pairs are scored within their constraints too, the relations of an instance are
        drawn pair by pair, so each constrains those that follow, linked or not. Activities with
        different links then give probabilities to the same networks. Otherwise only linked pairs
        constrain.
        """
        return Structure.full() if self.unlinked == "constrained" else self.structure

    def choices(self, X: IntervalSequences, actions: int) -> PairChoices:
        """Read all pairs; known actions have codes below `actions`."""
        networks = shared_networks(X, self.constraining)
        links, beyond = self.structure.mask(self.structure.size), BEYOND[self.structure.beyond]
        allowed, key = kernels.pair_choices(
            X.offsets,
            X.action,
            networks.constraint,
            links,
            beyond,
            actions,
            UNLINKED[self.unlinked],
            self.ties == "published",
        )
        return PairChoices(networks.relation, allowed, key)

    def cells(self, X: IntervalSequences, actions: int) -> PairCells:
        """Count the pairs of each instance; it is done once for each X."""

        def count() -> PairCells:
            pairs = self.choices(X, actions)
            chosen = pairs.open
            code, cell = np.unique(
                pairs.key[chosen] * 8 + pairs.relation[chosen], return_inverse=True
            )
            owner = np.repeat(np.arange(len(X)), X.lengths * (X.lengths - 1) // 2)[chosen]
            counts = csr_array((np.ones(len(cell)), (owner, cell)), (len(X), len(code)))
            key, relation = code // 8, (code % 8).astype(np.uint8)
            return PairCells(PairChoices(relation, (key % 128).astype(np.uint8), key), counts)

        return X.derived(("pair cells", self, actions), count)
