"""How likely each relation is: of linked pairs given their actions, of others by their position."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

from ibgn._arrays import Floats, Ints
from ibgn._kernels import links as kernels
from ibgn.allen import members
from ibgn.checks import check_choice, check_number
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, Networks
from ibgn.structure import Structure

__all__ = [
    "LinkCounts",
    "Links",
    "Smoothing",
    "Unlinked",
    "constraining",
    "count_links",
    "fit_links",
]

Smoothing = float | Literal["learned"]
Unlinked = Literal["constrained", "marginal", "ignore"]

MOST_POSITIONS = 300  # unlinked pairs of later positions count together
BACK_OFF = 3.0  # what is known of pairs elsewhere counts as so many at each position
STRENGTHS = (1e-3, 1e3)  # each entry of a learned prior stays between these
POLYA_STEPS = 2000

# members (128, 7): which relations are in each set, by mask
MEMBERS = np.array([[mask >> r & 1 for r in range(7)] for mask in range(128)], bool)


@dataclass(frozen=True)
class LinkCounts:
    """Relations counted over instances; counts of parts can be added.

    Parameters
    ----------
    keys : (rows,) sorted keys (action, action, constraint) of linked pairs that leave a choice
    counts : (rows, 7) relations of each
    positions : (size, size, 7) relations of unlinked pairs by position, those beyond at [0, 0]
    """

    keys: Ints
    counts: Ints
    positions: Ints

    def __add__(self, other: "LinkCounts") -> "LinkCounts":
        keys, row = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.zeros((len(keys), 7), np.int64)
        np.add.at(counts, row, np.concatenate([self.counts, other.counts]))
        return LinkCounts(keys, counts, _add_corners(self.positions, other.positions))


@dataclass(frozen=True)
class Links:
    """Probabilities of relations under a structure.

    Parameters
    ----------
    structure : which pairs are linked
    actions : number of known actions
    keys, log_probs : (rows,), (rows, 7) of linked pairs, by (action, action, constraint)
    unknown : (128, 7) of linked pairs whose actions never met, by constraint
    positions, elsewhere : (size, size, 7), (7,) of unlinked pairs
    """

    structure: Structure
    actions: int
    keys: Ints
    log_probs: Floats
    unknown: Floats
    positions: Floats
    elsewhere: Floats

    def log_terms(self, X: IntervalSequences, networks: Networks, unlinked: Unlinked) -> Floats:
        """Log probability of the relation of each pair, (pairs,), row by row.

        Unlinked pairs are scored by the distribution of relations at their positions, within
        their constraint ("constrained") or as it is ("marginal"), or not at all ("ignore").
        networks were read under `constraining(structure, unlinked)`.
        """
        check_choice("unlinked", unlinked, get_args(Unlinked))
        links, beyond = self.structure.mask(self.structure.size), BEYOND[self.structure.beyond]
        keys = kernels.pair_keys(
            X.offsets, X.action, networks.constraint, links, beyond, self.actions
        )
        silent = unlinked == "ignore"
        return kernels.link_terms(
            X.offsets,
            networks.relation,
            networks.constraint,
            keys,
            links,
            beyond,
            self.keys,
            self.log_probs,
            self.unknown,
            np.zeros_like(self.positions) if silent else self.positions,
            np.zeros(7) if silent else self.elsewhere,
            unlinked == "constrained",
        )

    def probs(self, first: int, second: int, constraint: int) -> Floats:
        """(7,) distribution over relations of a linked pair, given actions and constraint."""
        key = kernels.key_of(first, second, constraint, self.actions)
        row = kernels.find(self.keys, key) if max(first, second) < self.actions else -1
        probs: Floats = np.exp(self.log_probs[row] if row >= 0 else self.unknown[constraint])
        return probs


def constraining(structure: Structure, unlinked: Unlinked) -> Structure:
    """Pairs whose relations constrain others: all of them where all are scored one by one.

    Where unlinked pairs are scored within their constraints too, the relations of an instance are
    drawn pair by pair, so each constrains those that follow, linked or not. Activities with
    different links then give probabilities to the same networks. Else only linked pairs constrain.
    """
    return Structure.full() if unlinked == "constrained" else structure


def count_links(X: IntervalSequences, structure: Structure, networks: Networks) -> LinkCounts:
    """Count the relations of all pairs; every action of X's vocabulary is a known one."""
    links, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    keys = kernels.pair_keys(
        X.offsets, X.action, networks.constraint, links, beyond, len(X.actions)
    )
    choice = (keys >= 0) & (networks.constraint & (networks.constraint - 1) > 0)
    found, row = np.unique(keys[choice], return_inverse=True)
    counts = np.bincount(row * 7 + networks.relation[choice], minlength=7 * len(found))
    size = min(int(X.lengths.max(initial=0)), MOST_POSITIONS)
    positions = kernels.count_positions(X.offsets, networks.relation, links, beyond, False, size)
    return LinkCounts(found, counts.reshape(-1, 7).astype(np.int64), positions)


def fit_links(
    counts: LinkCounts, structure: Structure, actions: int, smoothing: Smoothing
) -> Links:
    """Turn counts into probabilities.

    smoothing is a number added to every relation that the constraint leaves open, or "learned": a
    Dirichlet prior for each constraint, fitted over the pairs of actions, so that pairs seldom
    met take after the others.
    """
    constraint = counts.keys % 128
    prior = _prior_by_constraint(counts, constraint, smoothing)
    smoothed = counts.counts + prior[constraint]
    with np.errstate(divide="ignore"):
        known = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        unknown = np.log(prior / np.maximum(prior.sum(axis=1, keepdims=True), 1e-300))
    elsewhere, positions = _position_probs(counts.positions)
    return Links(
        structure, actions, counts.keys, known, unknown, np.log(positions), np.log(elsewhere)
    )


def _prior_by_constraint(counts: LinkCounts, constraint: Ints, smoothing: Smoothing) -> Floats:
    """(128, 7) what is added to the counts of each constraint."""
    if smoothing != "learned":
        check_number("smoothing", smoothing, "positive, or 'learned'", lambda value: value > 0)
        return float(smoothing) * MEMBERS
    prior = MEMBERS.astype(float)
    for mask in np.unique(constraint):
        open_to = [int(member) for member in members(int(mask))]
        rows = counts.counts[constraint == mask][:, open_to]
        prior[mask, open_to] = fit_polya(rows)
    return prior


def fit_polya(counts: npt.NDArray[np.integer]) -> Floats:
    """Dirichlet prior of which rows of counts are the draws, by Minka's fixed point."""
    prior = np.ones(counts.shape[1])
    totals = counts.sum(axis=1)
    for _ in range(POLYA_STEPS):
        gained = (digamma(counts + prior) - digamma(prior)).sum(axis=0)
        spread = (digamma(totals + prior.sum()) - digamma(prior.sum())).sum()
        after: Floats = np.clip(prior * gained / spread, *STRENGTHS)
        if np.allclose(after, prior, rtol=1e-6):
            return after
        prior = after
    return prior


def _position_probs(counts: Ints) -> tuple[Floats, Floats]:
    """Distribution over relations elsewhere (7,), and at each position (size, size, 7)."""
    pooled = counts.sum(axis=(0, 1))
    elsewhere = (pooled + 1) / (pooled.sum() + 7)
    own = counts.astype(float)
    own[0, 0] = 0  # pairs beyond the last position
    smoothed = own + BACK_OFF * elsewhere
    return elsewhere, smoothed / smoothed.sum(axis=2, keepdims=True)


def _add_corners(first: Ints, second: Ints) -> Ints:
    size = max(len(first), len(second))
    total = np.zeros((size, size, 7), np.int64)
    for part in (first, second):
        total[: len(part), : len(part)] += part
    return total
