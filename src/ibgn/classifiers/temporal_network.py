"""The term of ITBN: a Bayesian network of which actions occur, and how linked ones relate."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Self, get_args

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import xlogy

from ibgn._arrays import Bools, Floats, Ints
from ibgn.allen import COMPOSITION_OF_ALL, Converse, Relation
from ibgn.checks import check_choice, check_prior_count
from ibgn.classifiers.climbing import climb
from ibgn.classifiers.occurrences import (
    RELATIONS,
    Occurrence,
    Occurrences,
    count_relations,
    find_occurrences,
)
from ibgn.declarations import (
    ANY,
    FLOAT,
    INT,
    are_smoothed_log_probs,
    is_finite,
    is_increasing,
    is_natural,
    stored,
)
from ibgn.horizon import PAIR, expect_pairs, pair_offsets
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.text import count

__all__ = ["Comparison", "Consistency", "Network", "NetworkCounts", "TemporalNetwork"]

Comparison = Literal["all-pairs", "links", "per-link"]
Consistency = Literal["frequent", "strict"]

MOST_PARENTS = 30  # of an action; with more, one row per combination would not fit into a file
KNOWING_NOTHING = -np.log(RELATIONS)


@dataclass(frozen=True)
class TemporalNetwork(FittedTerm):
    """What was learned about one activity.

    Parameters
    ----------
    links : (links, 2) numbers of the actions, parent and child, sorted by child
    presence : (rows, 2) log probability that an action is absent, and that it occurs: for each
        action in turn a row for each combination of its parents, the first parent the highest bit
    relations : (links, 13) log probability of each relation of parent to child, where both occur
    score : BIC of the structure
    repeated : training intervals that were left out because another stands for their action
    inconsistent : (pairs, 2) actions whose link would raise the score, but whose relation
        contradicts those of other links
    cyclic : (pairs, 2) actions whose link would raise the score, but close a cycle
    occurrence, comparison : see `ITBNClassifier`
    """

    links: Ints = stored(INT, "links", 2)
    presence: Floats = stored(FLOAT, "rows", 2, holds=are_smoothed_log_probs)
    relations: Floats = stored(FLOAT, "links", 13, holds=are_smoothed_log_probs)
    score: float = stored(float, holds=is_finite)
    repeated: int = stored(int, holds=is_natural)
    inconsistent: Ints = stored(INT, ANY, 2)
    cyclic: Ints = stored(INT, ANY, 2)
    occurrence: Occurrence = stored(
        str, holds=lambda choice: choice in get_args(Occurrence), default="longest"
    )
    comparison: Comparison = stored(
        str, holds=lambda choice: choice in get_args(Comparison), default="all-pairs"
    )

    def agrees(self) -> bool:
        """Whether links are among known actions, sorted and acyclic, with rows for all parents."""
        size, pairs = len(self.actions), np.vstack([self.links, self.inconsistent, self.cyclic])
        if not ((pairs >= 0) & (pairs < size)).all():
            return False
        parent, child = self.links.T
        if not (is_increasing(child * size + parent) and _is_acyclic(self.links, size)):
            return False
        parents = np.bincount(child, minlength=size)
        few = parents.max(initial=0) <= MOST_PARENTS
        return bool(few and (1 << parents).sum() == len(self.presence))

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n,) log probability of each instance, without visiting every pair of intervals."""
        occurring = find_occurrences(X, len(self.actions), self.occurrence)
        relations = self.relation_terms(occurring).sum(axis=1)
        if self.comparison == "all-pairs":
            many = occurring.present.sum(axis=1)
            parent, child = self.links.T
            linked = (occurring.present[:, parent] & occurring.present[:, child]).sum(axis=1)
            relations += (many * (many - 1) / 2 - linked) * KNOWING_NOTHING
        whole: Floats = (self.presence_terms(occurring).sum(axis=1) + relations) / self._scale
        return whole

    @property
    def _scale(self) -> int:
        return max(len(self.links), 1) if self.comparison == "per-link" else 1

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Presence at the interval that stands for an action, relations, and absent actions."""
        expect_pairs(X, PAIR)
        occurring = find_occurrences(X, len(self.actions), self.occurrence)
        presence = self.presence_terms(occurring) / self._scale
        interval, pair = np.zeros(len(X.action)), np.zeros(pair_offsets(X)[-1])
        present = occurring.present
        interval[occurring.interval[present]] = presence[present]
        if self.comparison == "all-pairs":
            for i, j in combinations(range(len(self.actions)), 2):
                pair[self._pairs(X, occurring, i, j)] = KNOWING_NOTHING
        for (i, j), terms in zip(
            self.links.tolist(), self.relation_terms(occurring).T, strict=True
        ):
            both = present[:, i] & present[:, j]
            pair[self._pairs(X, occurring, i, j)] = terms[both] / self._scale
        return LogTerms(interval=interval, pair=pair, action=np.where(present, 0.0, presence))

    @staticmethod
    def _pairs(X: IntervalSequences, occurring: Occurrences, i: int, j: int) -> Ints:
        """Index of the pair of two actions among all pairs, for instances that have both."""
        both = occurring.present[:, i] & occurring.present[:, j]
        ends = occurring.interval[both][:, [i, j]] - X.offsets[:-1][both, None]
        first, second = ends.min(axis=1), ends.max(axis=1)
        before = first * (2 * X.lengths[both] - first - 1) // 2
        index: Ints = pair_offsets(X)[:-1][both] + before + second - first - 1
        return index

    def parents(self, child: int) -> list[int]:
        """Numbers of the actions that this one depends on."""
        parents: list[int] = self.links[self.links[:, 1] == child, 0].tolist()
        return parents

    def presence_terms(self, occurring: Occurrences) -> Floats:
        """(n, actions) log probability of the presence or absence of each action."""
        terms, begin = np.zeros(occurring.present.shape), 0
        for child in range(len(self.actions)):
            parents = self.parents(child)
            row = begin + _row(occurring.present, parents)
            terms[:, child] = self.presence[row, occurring.present[:, child].astype(int)]
            begin += 2 ** len(parents)
        return terms

    def relation_terms(self, occurring: Occurrences) -> Floats:
        """(n, links) log probability of the relation of each link, 0 if an action is absent."""
        terms = np.zeros((len(occurring.present), len(self.links)))
        for link, (i, j) in enumerate(self.links.tolist()):
            both = occurring.present[:, i] & occurring.present[:, j]
            terms[both, link] = self.relations[link, occurring.relations(i, j)[both, 0]]
        return terms

    def describe(self) -> pd.DataFrame:
        """One row per link, with its likeliest relation; the most certain first."""
        best = self.relations.argmax(axis=1)
        rows = [
            (self.actions[i], _either(int(r)).label, self.actions[j], float(np.exp(logs[r])))
            for (i, j), r, logs in zip(self.links.tolist(), best, self.relations, strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["parent", "relation", "child", "probability"])
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of links, and what had to be left out."""
        return (
            f"{count(len(self.links), 'link')}; left out: "
            f"{count(self.repeated, 'repeated interval')}, {len(self.inconsistent)} inconsistent "
            f"and {count(len(self.cyclic), 'cyclic link')}"
        )


@dataclass(frozen=True)
class NetworkCounts(Counts):
    """Which actions occur together, and how they relate, instance by instance.

    Parameters
    ----------
    present : (n, actions) whether the action occurs
    relations : (actions, actions, 13) relations of each two actions that occur together
    repeated : (1,) intervals that were left out because another stands for their action
    """

    present: Bools
    relations: Ints
    repeated: Ints

    def __add__(self, other: Self) -> Self:
        present = np.concatenate([self.present, other.present])
        rest = self.relations + other.relations, self.repeated + other.repeated
        return type(self)(present, *rest)

    def __sub__(self, other: Self) -> Self:
        """Remove one equal row for each of the other's, starting from the end."""
        surplus, kept = Counter(map(bytes, other.present)), np.ones(len(self.present), bool)
        for d in range(len(self.present) - 1, -1, -1):
            row = bytes(self.present[d])
            if surplus[row]:
                surplus[row] -= 1
                kept[d] = False
        rest = self.relations - other.relations, self.repeated - other.repeated
        return type(self)(self.present[kept], *rest)


@dataclass(frozen=True)
class Network(Term):
    """Which actions occur and how linked ones relate, see `ITBNClassifier`."""

    name = "network"
    fitted = TemporalNetwork
    scales = False  # links are found by looking at each instance

    occurrence: Occurrence = "longest"
    comparison: Comparison = "all-pairs"
    consistency: Consistency = "frequent"
    smoothing: float = 0.3

    def __post_init__(self) -> None:
        check_choice("occurrence", self.occurrence, get_args(Occurrence))
        check_choice("comparison", self.comparison, get_args(Comparison))
        check_choice("consistency", self.consistency, get_args(Consistency))
        check_prior_count("smoothing", self.smoothing)

    def count(self, X: IntervalSequences) -> NetworkCounts:
        """Find the interval that stands for each action, and count relations."""
        occurring = find_occurrences(X, len(X.actions), self.occurrence)
        repeated = np.array([occurring.repeated])
        return NetworkCounts(occurring.present, count_relations(occurring), repeated)

    def fit(self, counts: NetworkCounts, pooled: None, context: Context) -> TemporalNetwork:
        """Find links greedily, then count along them."""
        gain = relation_score(counts.relations) - counts.relations.sum(axis=-1) * KNOWING_NOTHING
        sets = _relations_to_agree(counts.relations, self.consistency)
        climbed = climb(
            counts.present, gain, lambda i, j, k: _agree(sets[i, j], sets[j, k], sets[i, k])
        )
        links = np.array(climbed.links, np.int64).reshape(-1, 2)
        related = counts.relations[links[:, 0], links[:, 1]] + self.smoothing
        return TemporalNetwork(
            actions=context.actions,
            links=links,
            presence=_fit_presence(counts.present, links, self.smoothing),
            relations=np.log(related / related.sum(axis=1, keepdims=True)),
            score=climbed.score,
            repeated=int(counts.repeated[0]),
            inconsistent=np.array(climbed.inconsistent, np.int64).reshape(-1, 2),
            cyclic=np.array(climbed.cyclic, np.int64).reshape(-1, 2),
            occurrence=self.occurrence,
            comparison=self.comparison,
        )


def relation_score(counts: Ints) -> Floats:
    """BIC of the relation of two actions, from the instances in which both occur."""
    total = counts.sum(axis=-1)
    fit = xlogy(counts, counts).sum(axis=-1) - xlogy(total, total)
    score: Floats = fit - 0.5 * np.log(np.maximum(total, 1)) * (RELATIONS - 1)
    return score


def _relations_to_agree(counts: Ints, consistency: Consistency) -> Bools:
    """(actions, actions, 13) relations of each pair that must not contradict others."""
    if consistency == "strict":
        return counts > 0
    most = counts.argmax(axis=-1)[..., None] == np.arange(RELATIONS)
    lower = np.tril(np.ones(counts.shape[:2], bool))[..., None]
    # if two are equally frequent, both sides choose the same one
    return np.where(lower, most.transpose(1, 0, 2)[..., _CONVERSE], most) & counts.any(
        axis=-1, keepdims=True
    )


def _agree(first: Bools, second: Bools, whole: Bools) -> bool:
    """Whether any relations of i to j, j to k and i to k can hold together."""
    possible = COMPOSITION_OF_ALL[np.ix_(first, second)]
    needed = int((1 << np.flatnonzero(whole)).sum())
    return bool(((possible & needed) == needed).all())


def _fit_presence(present: Bools, links: Ints, smoothing: float) -> Floats:
    blocks = [np.zeros((0, 2))]
    for child in range(present.shape[1]):
        parents = links[links[:, 1] == child, 0].tolist()
        counts = np.full((2 ** len(parents), 2), smoothing)
        np.add.at(counts, (_row(present, parents), present[:, child].astype(int)), 1)
        blocks.append(np.log(counts / counts.sum(axis=1, keepdims=True)))
    return np.concatenate(blocks)


def _is_acyclic(links: Ints, size: int) -> bool:
    """Whether no action depends on itself, directly or through others."""
    if not len(links):
        return True
    graph = coo_array((np.ones(len(links)), links.T), shape=(size, size))
    tied, _ = connected_components(graph, connection="strong")
    return bool(tied == size and (links[:, 0] != links[:, 1]).all())


def _row(present: Bools, parents: list[int]) -> Ints:
    """Which combination of the parents' presence each instance has."""
    row = np.zeros(len(present), np.int64)
    for parent in parents:
        row = 2 * row + present[:, parent]
    return row


def _either(code: int) -> Relation | Converse:
    return Relation(code) if code < len(Relation) else Converse(code)


_CONVERSE = np.array([int(_either(code).converse) for code in range(RELATIONS)])
