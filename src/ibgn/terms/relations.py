"""The term for relations: of linked pairs given their actions, of others by their position."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self, get_args

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Array, Bools, Bytes, Floats, Ints
from ibgn._kernels import generation as drawing
from ibgn._kernels import links as kernels
from ibgn.allen import COMPOSITION, Relation, symbols
from ibgn.checks import check_choice, check_number
from ibgn.declarations import FLOAT, INT, are_log_probs, stored
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, Networks, shared_networks
from ibgn.structure import Structure
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.cells import pair_cells
from ibgn.terms.selection import Criterion, LinkScores, score_links, score_shared_links
from ibgn.terms.smoothing import (
    MEMBERS,
    Smoothing,
    check_smoothing,
    prior_by_constraint,
    smooth_positions,
)

__all__ = [
    "FittedRelations",
    "RelationCounts",
    "Relations",
    "StructureChoice",
    "Unlinked",
    "constraining",
    "count_relations",
    "fit_relations",
]

Unlinked = Literal["constrained", "marginal", "ignore"]
StructureChoice = (
    Literal["learned", "shared", "chain", "full"] | Structure | Iterable[tuple[int, int]]
)

MOST_POSITIONS = 300  # unlinked pairs of later positions count together


@dataclass(frozen=True)
class RelationCounts(Counts):
    """Relations counted over instances.

    Parameters
    ----------
    keys : (rows,) sorted keys (action, action, constraint) of linked pairs with a choice
    counts : (rows, 7) relations of each
    positions : (size, size, 7) relations of unlinked pairs by position, those beyond at [0, 0]

    Counts are whole numbers unless they were multiplied by a weight.
    """

    keys: Ints
    counts: Array
    positions: Array

    def __add__(self, other: Self) -> Self:
        return self._with(other, 1)

    def __sub__(self, other: Self) -> Self:
        return self._with(other, -1)

    def __mul__(self, weight: float) -> Self:
        return type(self)(self.keys, self.counts * weight, self.positions * weight)

    def _with(self, other: Self, sign: int) -> Self:
        """Counts of both by key and by position; keys without counts are removed."""
        keys, row = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        both = np.concatenate([self.counts, sign * other.counts])
        counts = np.zeros((len(keys), 7), both.dtype)
        np.add.at(counts, row, both)
        size = max(len(self.positions), len(other.positions))
        positions = np.zeros((size, size, 7), np.result_type(self.positions, other.positions))
        for part, times in ((self.positions, 1), (other.positions, sign)):
            positions[: len(part), : len(part)] += times * part
        occurring = counts.any(axis=1)
        return type(self)(keys[occurring], counts[occurring], positions)


@dataclass(frozen=True)
class FittedRelations(FittedTerm):
    """Probabilities of relations under a structure.

    Parameters
    ----------
    structure : which pairs are linked
    keys, log_probs : (rows,), (rows, 7) of linked pairs, by (action, action, constraint)
    unknown : (128, 7) of linked pairs whose actions never occurred together, by constraint
    positions, elsewhere : (size, size, 7), (7,) of unlinked pairs
    unlinked : how pairs without a link are scored, see `Relations`
    link_scores : score of every candidate link, if the structure was learned
    """

    structure: Structure = stored(Structure)
    keys: Ints = stored(INT, "rows")
    log_probs: Floats = stored(FLOAT, "rows", 7, holds=are_log_probs)
    unknown: Floats = stored(FLOAT, 128, 7, holds=lambda rows: (rows <= 0).all())
    positions: Floats = stored(
        FLOAT, "size", "size", 7, holds=lambda rows: len(rows) and are_log_probs(rows)
    )
    elsewhere: Floats = stored(FLOAT, 7, holds=are_log_probs)
    unlinked: Unlinked = stored(
        str, holds=lambda choice: choice in get_args(Unlinked), default="constrained"
    )
    link_scores: LinkScores | None = stored(LinkScores, optional=True, default=None)

    def agrees(self) -> bool:
        """Whether keys are sorted and of known actions, and respect their constraints."""
        keys, impossible = self.keys, ~MEMBERS[self.keys % 128]
        in_range = ((keys >= 0) & (keys < len(self.actions) ** 2 * 128)).all()
        excluded = np.append(self.log_probs[impossible], self.unknown[~MEMBERS])
        ordered = (keys[1:] > keys[:-1]).all()
        return bool(in_range and ordered and np.isneginf(excluded).all())

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of the relation of each pair."""
        networks = shared_networks(X, constraining(self.structure, self.unlinked))
        return LogTerms(pair=self.pair_terms(X, networks))

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n,) log probability of each instance; where all pairs are linked, without each pair."""
        if self.structure != Structure.full():
            return super().log_likelihood(X)
        cells = pair_cells(X, len(self.actions))
        row = np.minimum(np.searchsorted(self.keys, cells.key), max(len(self.keys) - 1, 0))
        logs = self.unknown[cells.key % 128, cells.relation]
        if len(self.keys):
            met = self.keys[row] == cells.key
            logs[met] = self.log_probs[row[met], cells.relation[met]]
        total: Floats = cells.counts @ logs
        return total

    def pair_terms(self, X: IntervalSequences, networks: Networks) -> Floats:
        """(pairs,) log probabilities; networks were read under `constraining(structure, unlinked)`.

        Unlinked pairs are scored by the distribution of relations at their positions, within
        their constraint ("constrained") or as it is ("marginal"), or not at all ("ignore").
        """
        links, beyond = self.structure.mask(self.structure.size), BEYOND[self.structure.beyond]
        keys = kernels.pair_keys(
            X.offsets, X.action, networks.constraint, links, beyond, len(self.actions)
        )
        silent = self.unlinked == "ignore"
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
            self.unlinked == "constrained",
        )

    def probs(self, first: int, second: int, constraint: int) -> Floats:
        """(7,) distribution over relations of a linked pair, given actions and constraint."""
        key = kernels.key_of(first, second, constraint, len(self.actions))
        known = max(first, second) < len(self.actions)
        row = kernels.find(self.keys, key) if known else -1
        chances: Floats = np.exp(self.log_probs[row] if row >= 0 else self.unknown[constraint])
        return chances

    def draw(
        self,
        action: npt.ArrayLike,
        rng: np.random.Generator,
        alone: Bools | None = None,
        sharpness: float = 1.0,
    ) -> Bytes:
        """Draw the relations of all pairs of an instance given its actions.

        Returns (k, k), the relation of i < j at [i, j], and 255 elsewhere. Pairs are drawn one by
        one, each among the relations that the intervals between leave open, so they always hold
        together; it is the distribution that unlinked="constrained" scores.

        Intervals of actions that are `alone`, (actions,), never overlap each other. Probabilities
        are raised to the power `sharpness`.
        """
        alone = np.zeros(len(self.actions), bool) if alone is None else alone
        return drawing.draw_relations(
            np.asarray(action, np.int32),
            self.structure.mask(self.structure.size),
            BEYOND[self.structure.beyond],
            len(self.actions),
            self.keys,
            *self._chances,
            COMPOSITION,
            alone,
            float(sharpness),
            rng,
        )

    @cached_property
    def _chances(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Probabilities as the kernel takes them, not their logarithms."""
        linked = np.exp(self.log_probs), np.exp(self.unknown)
        return *linked, np.exp(self.positions), np.exp(self.elsewhere)

    def describe(self, least: float = 0.0) -> pd.DataFrame:
        """Relations of linked pairs given actions and constraint, the most telling first.

        `surprise` is how far the distribution is from uniform, in nats: the log of the number of
        possible relations, minus the entropy.
        """
        rows = []
        for key, logs in zip(self.keys.tolist(), self.log_probs, strict=True):
            pair, constraint = divmod(key, 128)
            first, second = (self.actions[code] for code in divmod(pair, len(self.actions)))
            chances = np.exp(logs)
            best = Relation(int(chances.argmax()))
            possible = chances > 0
            surprise = np.log(possible.sum()) + (chances[possible] * logs[possible]).sum()
            held = (first, best.label, second, symbols(constraint))
            rows.append((*held, chances[best], surprise))
        names = ["first", "relation", "second", "constraint", "probability", "surprise"]
        frame = pd.DataFrame(rows, columns=names)
        frame = frame[frame["probability"] >= least]
        return frame.sort_values("surprise", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of links, or the rule that makes them."""
        return f"links: {len(self.structure.links) or self.structure.beyond}"


@dataclass(frozen=True)
class Relations(Term):
    """Allen relations of pairs of intervals.

    Parameters
    ----------
    structure : which pairs of positions have a relation given the two actions: "full" all of
        them, "chain" neighbours, "learned" those whose relation depends on the actions, activity
        by activity, "shared" those whose relation differs between activities; or pairs of positions
    criterion, penalty : how links are learned, see `ibgn.terms.selection.score_links`
    smoothing : added to the count of each relation; "learned" fits a prior for each constraint
    unlinked : how pairs without a link are scored: by the relations at their positions within
        their constraint ("constrained"), as they are ("marginal"), or not at all ("ignore")
    """

    name = "relations"
    fitted = FittedRelations

    structure: StructureChoice = "full"
    criterion: Criterion = "bdeu"
    penalty: float = 1.0
    smoothing: Smoothing = 1.0
    unlinked: Unlinked = "constrained"
    _link_scores: LinkScores | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, ("learned", "shared", "chain", "full"))
        elif isinstance(self.structure, Iterator):
            raise OptionError("structure", self.structure, "must be a list: it is read repeatedly")
        else:
            Structure.of(self.structure)  # refuses invalid pairs of positions
        check_choice("criterion", self.criterion, get_args(Criterion))
        check_number("penalty", self.penalty, "positive", lambda value: value > 0)
        check_smoothing(self.smoothing)
        check_choice("unlinked", self.unlinked, get_args(Unlinked))

    def specialise(self, parts: Sequence[IntervalSequences]) -> Sequence["Relations"]:
        """Choose the structure of each activity, if it is to be learned."""
        choice = self.structure if isinstance(self.structure, str) else None
        if choice == "learned":
            scores = joblib.Parallel()(
                joblib.delayed(score_links)(part, self.criterion, self.penalty) for part in parts
            )
        elif choice == "shared":
            scores = [score_shared_links(parts, self.penalty)] * len(parts)
        else:
            return [self._linked(Structure.of(self.structure), None)] * len(parts)
        return [self._linked(score.structure, score) for score in scores]

    def _linked(self, structure: Structure, scores: LinkScores | None) -> "Relations":
        special = replace(self, structure=structure)
        object.__setattr__(special, "_link_scores", scores)
        return special

    def count(self, X: IntervalSequences) -> RelationCounts:
        """Count the relations of all pairs under the structure, which must be chosen already."""
        structure = Structure.of(self.structure)
        networks = shared_networks(X, constraining(structure, self.unlinked))
        return count_relations(X, structure, networks)

    def fit(self, counts: RelationCounts, pooled: None, context: Context) -> FittedRelations:
        """Turn counts into probabilities."""
        structure = Structure.of(self.structure)
        learned = fit_relations(counts, structure, context.actions, self.smoothing)
        return replace(learned, unlinked=self.unlinked, link_scores=self._link_scores)


def constraining(structure: Structure, unlinked: Unlinked) -> Structure:
    """Pairs whose relations constrain others: all of them if unlinked="constrained".

    If unlinked pairs are scored within their constraints too, the relations of an instance are
    drawn pair by pair, so each constrains those that follow, linked or not. Activities with
    different links then give probabilities to the same networks. Otherwise only linked pairs
    constrain.
    """
    return Structure.full() if unlinked == "constrained" else structure


def count_relations(
    X: IntervalSequences, structure: Structure, networks: Networks
) -> RelationCounts:
    """Count the relations of all pairs; every action of X's vocabulary is known."""
    links, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    keys = kernels.pair_keys(
        X.offsets, X.action, networks.constraint, links, beyond, len(X.actions)
    )
    choice = (keys >= 0) & (networks.constraint & (networks.constraint - 1) > 0)
    occurring, row = np.unique(keys[choice], return_inverse=True)
    counts = np.bincount(row * 7 + networks.relation[choice], minlength=7 * len(occurring))
    size = min(int(X.lengths.max(initial=0)), MOST_POSITIONS)
    positions = kernels.count_positions(X.offsets, networks.relation, links, beyond, False, size)
    return RelationCounts(occurring, counts.reshape(-1, 7).astype(np.int64), positions)


def fit_relations(
    counts: RelationCounts, structure: Structure, actions: tuple[str, ...], smoothing: Smoothing
) -> FittedRelations:
    """Turn counts into probabilities.

    smoothing is a number added to every relation that the constraint leaves open, or "learned": a
    Dirichlet prior for each constraint, fitted over the pairs of actions, so that rare pairs
    resemble the others.
    """
    constraint = counts.keys % 128
    prior = prior_by_constraint(counts.counts, constraint, smoothing)
    smoothed = counts.counts + prior[constraint]
    with np.errstate(divide="ignore"):
        known = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
        unknown = np.log(prior / np.maximum(prior.sum(axis=1, keepdims=True), 1e-300))
    elsewhere, positions = smooth_positions(counts.positions)
    return FittedRelations(
        actions, structure, counts.keys, known, unknown, np.log(positions), np.log(elsewhere)
    )
