"""Pairs of intervals by what decides the probability of their relation."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from ibgn._arrays import Bytes, Ints
from ibgn._kernels import links as kernels
from ibgn.horizon import SHORTER, expect_pairs, pair_places, reach_of
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, shared_networks
from ibgn.structure import Structure
from ibgn.terms.keyed import KeyedCounts
from ibgn.terms.shares import Outcomes

__all__ = ["PairCells", "PairChoices", "PairRule", "RelationCounts", "Ties", "Unlinked"]

Unlinked = Literal["constrained", "marginal", "ignore"]
Ties = Literal["sorted", "published"]

CHOICE, OPEN = 30, 50  # bytes of a pair with its key; of one that is sorted by it too
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
        return np.flatnonzero((self.allowed & (self.allowed - 1)) != 0)


class PairCells(NamedTuple):
    """Pairs that leave a choice, by key and relation.

    Parameters
    ----------
    pairs : one pair of each kind, in the order of keys and relations
    outcomes : the kind of each pair of each instance
    """

    pairs: PairChoices
    outcomes: Outcomes


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
    horizon : how many intervals after each it has pairs with; None for all
    """

    structure: Structure
    unlinked: Unlinked = "constrained"
    ties: Ties = "sorted"
    horizon: int | None = None

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
        expect_pairs(X, CHOICE, horizon=self.horizon, advice=SHORTER)
        networks = shared_networks(X, self.constraining, self.horizon)
        links = self.structure.mask_within(int(X.lengths.max(initial=0)))
        allowed, key = kernels.pair_choices(
            X.offsets,
            X.action,
            networks.constraint,
            links,
            BEYOND[self.structure.beyond],
            actions,
            UNLINKED[self.unlinked],
            self.ties == "published",
            reach_of(self.horizon),
        )
        return PairChoices(networks.relation, allowed, key)

    def cells(self, X: IntervalSequences, actions: int) -> PairCells:
        """Find the cells of all pairs; it is done once for each X."""

        def look() -> PairCells:
            owner, key, relation = self.open_pairs(X, actions)
            cell, code = pd.factorize(key * 8 + relation, sort=True)
            outcomes = Outcomes(owner, cell, len(code))
            key, relation = code // 8, (code % 8).astype(np.uint8)
            return PairCells(PairChoices(relation, (key % 128).astype(np.uint8), key), outcomes)

        return X.derived(("pair cells", self, actions), look)

    def open_pairs(self, X: IntervalSequences, actions: int) -> tuple[Ints, Ints, Bytes]:
        """Instance, key and relation of all pairs that leave a choice."""
        if self.structure == Structure.full():
            expect_pairs(X, OPEN, touching=True, horizon=self.horizon, advice=SHORTER)
            return kernels.open_pairs(
                X.offsets,
                X.action,
                X.start,
                X.end,
                actions,
                self.ties == "published",
                reach_of(self.horizon),
            )
        pairs = self.choices(X, actions)
        owner = X.owner[pair_places(X, self.horizon)[0]]
        return owner[pairs.open], pairs.key[pairs.open], pairs.relation[pairs.open]


@dataclass(frozen=True)
class RelationCounts(KeyedCounts):
    """Relations of pairs with a choice, counted over instances.

    Parameters
    ----------
    keys : (rows,) sorted keys of pairs, see `ibgn._kernels.links`: (action, action, constraint) of
        linked pairs, (second action, constraint) of others
    counts : (rows, 7) relations of each
    """
