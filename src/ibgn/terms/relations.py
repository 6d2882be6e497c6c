"""The term for relations: of linked pairs given both actions, of others given the second."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, Self, get_args

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Bytes, Floats, Ints
from ibgn._kernels import generation as drawing
from ibgn._kernels import links as kernels
from ibgn._kernels.pairs import ALL
from ibgn.allen import COMPOSITION, Relation, symbols
from ibgn.checks import LARGEST_WHOLE, check_choice
from ibgn.declarations import FLOAT, INT, are_log_probs, is_finite, stored
from ibgn.errors import Option, OptionError
from ibgn.horizon import check_horizon
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND
from ibgn.structure import Structure
from ibgn.terms.base import Context, FittedTerm, LogTerms, Term
from ibgn.terms.cells import PairChoices, PairRule, RelationCounts, Ties, Unlinked
from ibgn.terms.pair_tally import PairTally
from ibgn.terms.parts import Part, probability
from ibgn.terms.selection import (
    Criterion,
    LinkScores,
    check_penalty,
    score_links,
    score_shared_links,
)
from ibgn.terms.smoothing import (
    MEMBERS,
    Smoothing,
    back_off_by_constraint,
    check_smoothing,
    prior_by_constraint,
)
from ibgn.terms.tally import Sample

__all__ = [
    "FittedRelations",
    "RelationCounts",
    "Relations",
    "StructureChoice",
    "Ties",
    "Unlinked",
]

StructureChoice = (
    Literal["learned", "shared", "chain", "full"] | Structure | Iterable[tuple[int, int]]
)


@dataclass(frozen=True)
class FittedRelations(FittedTerm):
    """Probabilities of relations under a structure.

    Parameters
    ----------
    structure : which pairs are linked
    keys, log_probs : (rows,), (rows, 7) of pairs, by key: (action, action, constraint) of linked
        pairs, (second action, constraint) of others
    unknown : (2, 128, 7) of pairs whose key never occurred, linked and unlinked, by constraint
    unlinked, ties : how pairs are scored, see `Relations`
    link_scores : score of every candidate link, if the structure was learned
    horizon : how many intervals after each it has pairs with; None for all
    """

    structure: Structure = stored(Structure)
    keys: Ints = stored(INT, "rows")
    log_probs: Floats = stored(FLOAT, "rows", 7, holds=are_log_probs)
    unknown: Floats = stored(FLOAT, 2, 128, 7, holds=lambda rows: (rows <= 0).all())
    unlinked: Unlinked = stored(
        str, holds=lambda choice: choice in get_args(Unlinked), default="constrained"
    )
    ties: Ties = stored(str, holds=lambda choice: choice in get_args(Ties), default="sorted")
    link_scores: LinkScores | None = stored(LinkScores, optional=True, default=None)
    horizon: int | None = stored(
        int, holds=lambda reach: 1 <= reach <= LARGEST_WHOLE, optional=True, default=None
    )

    def agrees(self) -> bool:
        """Whether keys are sorted and of known actions, and respect their constraints.

        What is possible has a probability, and learned links are those of their scores.
        """
        keys, possible = self.keys, MEMBERS[self.keys % 128]
        in_range = ((keys >= 0) & (keys < self._first_unlinked + len(self.actions) * 128)).all()
        excluded = np.append(self.log_probs[~possible], self.unknown[:, ~MEMBERS])
        left_open = np.append(self.log_probs[possible], self.unknown[:, MEMBERS])
        ordered = (keys[1:] > keys[:-1]).all()
        sums = np.exp(self.unknown).sum(axis=2)
        whole = np.allclose(sums, MEMBERS.any(axis=1), atol=1e-6)
        scored = np.isneginf(excluded).all() and is_finite(left_open)
        learned = self.link_scores is None or self.structure == self.link_scores.structure
        return bool(in_range and ordered and scored and whole and learned)

    @property
    def rule(self) -> PairRule:
        """Which relations a pair leaves open."""
        return PairRule(self.structure, self.unlinked, self.ties, self.horizon)

    @property
    def _first_unlinked(self) -> int:
        """Where the keys of unlinked pairs begin."""
        return len(self.actions) ** 2 * 128

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of the relation of each pair, 0 where it has no choice."""
        pairs = self.rule.choices(X, len(self.actions))
        return LogTerms(pair=self.pair_terms(pairs), horizon=self.horizon)

    def pair_terms(self, pairs: PairChoices) -> Floats:
        """(pairs,) log probabilities of pairs that were read by `rule`."""
        rows = self.keys, self.log_probs, self.unknown.reshape(-1, 7)
        return kernels.link_terms(*pairs, *rows, len(self.actions))

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n,) log probability of each instance."""
        return self.log_likelihoods([self], X)[:, 0]

    @classmethod
    def log_likelihoods(cls, fitted: Sequence[Self], X: IntervalSequences) -> Floats:
        """(n, fitted) log probability of each instance by each.

        Where a rule says which pairs are linked, they are counted once for all activities.
        """
        rule, actions = fitted[0].rule, len(fitted[0].actions)
        if rule.structure.links or any(one.rule != rule for one in fitted):
            return np.column_stack([one.log_terms(X).by_instance(X) for one in fitted])
        cells = rule.cells(X, actions)
        logs = np.stack([one.pair_terms(cells.pairs) for one in fitted])
        return cells.outcomes.score(logs[None], np.zeros(len(X), np.int64))

    def probs(self, first: int, second: int, constraint: int, linked: bool = True) -> Floats:
        """(7,) distribution over the relations of a constraint, given the actions of a pair."""
        key = kernels.pair_key(first, second, constraint, linked, len(self.actions))
        row = kernels.find(self.keys, key)
        unknown = self.unknown[0 if linked else 1, constraint]
        chances: Floats = np.exp(self.log_probs[row] if row >= 0 else unknown)
        return chances

    def draw(
        self,
        action: npt.ArrayLike,
        rng: np.random.Generator,
        apart: Bytes | None = None,
        sharpness: float = 1.0,
    ) -> Bytes:
        """Draw the relations of all pairs of an instance given its actions.

        Returns (k, k), the relation of i < j at [i, j], and 255 elsewhere. Pairs are drawn one by
        one, each among the relations that the intervals between leave open, so they always hold
        together. It is the distribution that is scored; a pair that is not scored has each of the
        relations left with the same probability. Beyond a horizon pairs are drawn like those
        within, as nothing else is known of them.

        `apart`, (actions,), has the set of relations that intervals of an action may have to each
        other: all, before and meets, or before. Probabilities are raised to the power `sharpness`.
        """
        self._check_distribution()
        apart = np.full(len(self.actions), ALL, np.uint8) if apart is None else apart
        return drawing.draw_relations(
            np.asarray(action, np.int32),
            self.structure.mask_within(len(np.asarray(action))),
            BEYOND[self.structure.beyond],
            len(self.actions),
            self.ties == "published",
            self.keys,
            *self._chances,
            COMPOSITION,
            apart,
            float(sharpness),
            rng,
        )

    def _check_distribution(self) -> None:
        """Refuse to draw where scores are not probabilities of networks.

        They are if every pair is scored within what all pairs before it leave open, or if links
        join neighbours only, which are free of each other, and nothing else is scored.
        """
        alone = self.unlinked == "ignore" and self.structure.links_neighbours
        if self.unlinked == "constrained" or self.structure.links_all or alone:
            return
        raise OptionError(
            "unlinked",
            self.unlinked,
            "gives probability to relations that cannot hold together, so there is nothing to "
            "draw from under these links; learn with ",
            Option("unlinked", "constrained"),
        )

    @cached_property
    def _chances(self) -> tuple[Floats, Floats]:
        """Probabilities as the kernel takes them, not their logarithms."""
        return np.exp(self.log_probs), np.exp(self.unknown).reshape(-1, 7)

    def describe(self, least: float = 0.0) -> pd.DataFrame:
        """Relations of pairs given actions and constraint, the most telling first.

        Rows without a `first` action are about unlinked pairs, whatever it is. `surprise` is how
        far the distribution is from uniform, in nats: the log of the number of possible relations,
        minus the entropy.
        """
        rows = []
        names = (*self.actions, "")
        for key, logs in zip(self.keys.tolist(), self.log_probs, strict=True):
            pair, constraint = divmod(key, 128)
            first, second = (names[code] for code in divmod(pair, len(self.actions)))
            chances = np.exp(logs)
            best = Relation(int(chances.argmax()))
            possible = chances > 0
            surprise = np.log(possible.sum()) + (chances[possible] * logs[possible]).sum()
            held = (first, best.label, second, symbols(constraint))
            rows.append((*held, chances[best], surprise))
        columns = ["first", "relation", "second", "constraint", "probability", "surprise"]
        frame = pd.DataFrame(rows, columns=columns)
        frame = frame[frame["probability"] >= least]
        return frame.sort_values("surprise", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of links, or the rule that makes them."""
        return f"links: {len(self.structure.links) or self.structure.beyond}"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of the relation, given what others leave open."""
        return probability(self.log_terms(X).pair, part)


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
    unlinked : how pairs without a link are scored: by their second action within their constraint
        ("constrained"), by their second action alone ("marginal"), or not at all ("ignore")
    ties : equal intervals are sorted by action, so "sorted" excludes `equals` where actions
        descend; "published" leaves it open
    horizon : how many intervals after each it is related with, in the order of their starts; None
        for all

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("relations",), random_state=0).fit(X, y)
    >>> model.activities_["apart, apart"]["relations"].describe().head(2).round(2)
       first relation second constraint  probability  surprise
    0   hold   before   pour    bmoscfe         0.55      0.45
    1  press   before   stir    bmoscfe         0.55      0.44
    """

    name = "relations"
    fitted = FittedRelations

    structure: StructureChoice = "full"
    criterion: Criterion = "bic"
    penalty: float = 1.0
    smoothing: Smoothing = 1.0
    unlinked: Unlinked = "constrained"
    ties: Ties = "sorted"
    horizon: int | None = None
    _link_scores: LinkScores | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, ("learned", "shared", "chain", "full"))
        elif isinstance(self.structure, Iterator):
            raise OptionError("structure", self.structure, "must be a list: it is read repeatedly")
        else:
            Structure.of(self.structure)  # refuses invalid pairs of positions
        check_choice("criterion", self.criterion, get_args(Criterion))
        check_penalty(self.penalty)
        check_smoothing(self.smoothing)
        check_choice("unlinked", self.unlinked, get_args(Unlinked))
        check_choice("ties", self.ties, get_args(Ties))
        check_horizon(self.horizon)

    def specialise(
        self, parts: Sequence[IntervalSequences], weights: Sequence[Floats] | None = None
    ) -> Sequence["Relations"]:
        """Choose the structure of each activity, if it is to be learned."""
        choice = self.structure if isinstance(self.structure, str) else None
        if weights is not None and choice in ("learned", "shared"):
            reason = "counts whole instances, which cannot have a sample_weight; choose 'full'"
            raise OptionError("structure", self.structure, reason)
        if choice == "learned":
            scores = joblib.Parallel()(
                joblib.delayed(score_links)(
                    part, self.criterion, self.penalty, self.ties, self.horizon
                )
                for part in parts
            )
        elif choice == "shared":
            shared = score_shared_links(parts, self.penalty, self.ties, self.horizon)
            scores = [shared] * len(parts)
        else:
            return [self._linked(Structure.of(self.structure), None)] * len(parts)
        return [self._linked(score.structure, score) for score in scores]

    def _linked(self, structure: Structure, scores: LinkScores | None) -> "Relations":
        special = replace(self, structure=structure)
        object.__setattr__(special, "_link_scores", scores)
        return special

    @property
    def _rule(self) -> PairRule:
        """Which relations a pair leaves open; the structure must be chosen already."""
        return PairRule(Structure.of(self.structure), self.unlinked, self.ties, self.horizon)

    def tally(self, sample: Sample) -> PairTally | None:
        """Count a sample at once, where all pairs are linked and `smoothing` is a number."""
        if self.smoothing == "learned" or self.structure != Structure.full():
            return None
        return PairTally(self, self._rule, float(self.smoothing), sample)

    def count(self, X: IntervalSequences) -> RelationCounts:
        """Count the relations of all pairs under the structure, which must be chosen already."""
        pairs = self._rule.choices(X, len(X.actions))
        chosen = pairs.open
        keys, row = np.unique(pairs.key[chosen], return_inverse=True)
        counts = np.bincount(row * 7 + pairs.relation[chosen], minlength=7 * len(keys))
        return RelationCounts(keys, counts.reshape(-1, 7).astype(np.int64))

    def fit(self, counts: RelationCounts, pooled: None, context: Context) -> FittedRelations:
        """Turn counts into probabilities.

        Linked pairs share what `smoothing` adds: a number for every relation that the constraint
        leaves open, or a Dirichlet prior for each constraint, fitted over the pairs of actions.
        Unlinked ones with rare actions resemble those with others.
        """
        constraint = counts.keys % 128
        unlinked = counts.keys >= len(context.actions) ** 2 * 128
        of_linked, of_unlinked = (
            (counts.counts[chosen], constraint[chosen]) for chosen in (~unlinked, unlinked)
        )
        prior = np.stack(
            [
                prior_by_constraint(*of_linked, self.smoothing),
                back_off_by_constraint(*of_unlinked),
            ]
        )
        smoothed = counts.counts + prior[unlinked.astype(np.int64), constraint]
        with np.errstate(divide="ignore"):
            known = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
            unknown = np.log(prior / np.maximum(prior.sum(axis=2, keepdims=True), 1e-300))
        return FittedRelations(
            actions=context.actions,
            structure=Structure.of(self.structure),
            keys=counts.keys,
            log_probs=known,
            unknown=unknown,
            unlinked=self.unlinked,
            ties=self.ties,
            link_scores=self._link_scores,
            horizon=self.horizon,
        )
