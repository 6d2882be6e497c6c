"""Probes: simulations that show what a method can express, and what it cannot.

A probe simulates activities that differ in only one thing, and measures whether a method tells
them apart. Instances of different activities are twins: drawn with the same random numbers, they
differ only in that one thing. A method that cannot see it gives both twins the same answer, and is
right half of the time.

Relations and durations go together: an interval that contains another lasts longer. To test
relations alone, the pace of instances varies far more than the durations within one. This
matters for DBN, which sees durations. At a steady pace (60 seeds) it
tells five to eight relations apart instead of two, .60 to .91 of the pairs of combinations instead
of none, and recognises .81 to .91 of the row on overlaps instead of a half: with some seeds a yes,
not a no.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ibgn._arrays import Bools, Ints
from ibgn.classifiers.recogniser import unquestioned
from ibgn.evaluation.methods import Method, make_estimators
from ibgn.intervals import Instance, IntervalSequences

__all__ = [
    "RIGHT",
    "Activity",
    "count_relations",
    "describe_combinations",
    "learn_structure",
    "overlap",
    "recognise",
    "recognise_sizes",
    "repeat",
    "see_intervals",
    "touch",
]

Pattern = Sequence[tuple[str, int, int]]  # actions, and the points in time at which they begin, end
Activity = Callable[[int, np.random.Generator], Instance]  # from the number of the instance
Links = frozenset[frozenset[int]]
Data = tuple[IntervalSequences, Ints]

QUICK = {"draws": 100, "budget": 200}  # enough for tables of a handful of actions
LEARNED, TESTED = 100, 200  # instances of each activity
RIGHT = 0.9  # share of instances that must be recognised; chance is one half
SCALE = 10.0  # the logarithm of an instance's pace is drawn from -SCALE to SCALE
SAME = 1e-9  # probabilities this close are the same
WARPS = 5


# How activities are simulated


def _perform(pattern: Pattern, rng: np.random.Generator) -> Instance:
    """Intervals between random points in time, in order."""
    points = 1 + max(end for _, _, end in pattern)
    times = np.exp(rng.uniform(-SCALE, SCALE)) * np.cumsum(rng.uniform(0.5, 1.5, points))
    return [(action, times[start], times[end]) for action, start, end in pattern]


def _always(pattern: Pattern) -> Activity:
    return lambda number, rng: _perform(pattern, rng)


def _twins(activities: Sequence[Activity], n: int, rng: np.random.Generator) -> Data:
    """Draw n instances of each activity, twins next to each other; labels are 0, 1, ..."""
    instances = [
        activity(number, np.random.default_rng(seed))
        for number, seed in enumerate(rng.integers(2**63, size=n).tolist())
        for activity in activities
    ]
    return IntervalSequences.from_lists(instances), np.tile(np.arange(len(activities)), n)


def _arrangements(actions: str, candidates: Iterable[tuple[tuple[int, int], ...]]) -> list[Pattern]:
    """Each arrangement once: the one that leaves no point in time out."""
    patterns: list[Pattern] = []
    for intervals in candidates:
        points = {point for interval in intervals for point in interval}
        if points == set(range(len(points))):
            pairs = zip(actions, intervals, strict=True)
            patterns.append([(action, *interval) for action, interval in pairs])
    return patterns


RELATED: list[Pattern] = _arrangements("AB", product(combinations(range(4), 2), repeat=2))
"""The thirteen relations of A to B."""

ARRANGED: list[Pattern] = _arrangements(
    "ABC", combinations_with_replacement(combinations(range(6), 2), 3)
)
"""The 75 arrangements of three intervals in which A comes first and C last."""


# How a method is asked


def _learn(method: Method, seed: int, data: Data) -> Any:
    model = make_estimators({"probed": method}, seed)["probed"]
    known = model.get_params()
    model.set_params(**{name: value for name, value in QUICK.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few draws are intended
        return model.fit(*data)


def _accuracy(model: Any, data: Data) -> float:
    X, y = data
    with unquestioned():  # instances of other lengths and times are the point of it
        return float((model.predict(X) == y).mean())


def recognise(activities: Sequence[Activity], method: Method, seed: int) -> float:
    """Share of new instances that are recognised."""
    rng = np.random.default_rng(seed)
    model = _learn(method, seed, _twins(activities, LEARNED, rng))
    return _accuracy(model, _twins(activities, TESTED, rng))


def _tell_apart(patterns: Sequence[Pattern], n: int, method: Method, seed: int) -> Bools:
    """(patterns, patterns) which are told apart: each is found likelier where it is true."""
    activities, rng = [_always(pattern) for pattern in patterns], np.random.default_rng(seed)
    model = _learn(method, seed, _twins(activities, n, rng))
    X, y = _twins(activities, n, rng)
    probs = model.predict_proba(X)
    right = np.array(
        [(probs[y == a][:, [a]] > probs[y == a]).mean(axis=0) for a in range(len(patterns))]
    )
    apart: Bools = np.minimum(right, right.T) >= RIGHT
    return apart


# The probes


def see_intervals(method: Method, seed: int) -> float:
    """Share of instances judged by the relations of intervals, not by points in time."""
    apart, together = [("A", 0, 2), ("B", 3, 5)], [("A", 0, 2), ("B", 1, 3)]
    activities, rng = [_always(apart), _always(together)], np.random.default_rng(seed)
    model = _learn(method, seed, _twins(activities, LEARNED, rng))
    X, _ = _twins(activities, TESTED, rng)
    probs = model.predict_proba(X)
    stays = np.ones(len(X), bool)
    for _ in range(WARPS):
        warped = IntervalSequences.from_lists([_warp(rows, rng) for rows in X.to_lists()])
        with unquestioned():  # other durations are the point of it
            stays &= (np.abs(model.predict_proba(warped) - probs) <= SAME).all(axis=1)
    differs = (np.abs(probs[0::2] - probs[1::2]) > SAME).any(axis=1)  # of the twins
    return float((stays & np.repeat(differs, 2)).mean())


def _warp(instance: Instance, rng: np.random.Generator) -> Instance:
    """Stretch time unevenly: new times in the same order; equal times stay equal."""
    times = sorted({time for _, start, end in instance for time in (start, end)})
    new = dict(zip(times, np.cumsum(np.exp(2 * rng.normal(size=len(times)))), strict=True))
    return [(action, new[start], new[end]) for action, start, end in instance]


def count_relations(method: Method, seed: int) -> float:
    """Size of the largest set of relations that are all told apart."""
    apart = _tell_apart(RELATED, 60, method, seed)
    return float(_most_apart(apart, list(range(len(RELATED)))))


def _most_apart(apart: Bools, among: list[int]) -> int:
    """Size of the largest set whose members are all told apart."""
    sizes = (
        1 + _most_apart(apart, [other for other in among[position:] if apart[first, other]])
        for position, first in enumerate(among, 1)
    )
    return max(sizes, default=0)


# In each style A and C are apart, or moved by one point and touch. In seven of ten instances A
# overlaps B, in seven B contains C, and in six C comes before A: what is most frequent cannot hold
# together, and the relation of A and C, the least certain, is what a consistent model must drop.
STYLES: tuple[tuple[int, Pattern, Pattern], ...] = (
    (
        4,
        [("A", 0, 3), ("B", 1, 7), ("C", 4, 6)],
        [("A", 0, 3), ("B", 1, 7), ("C", 3, 5)],
    ),
    (
        3,
        [("A", 3, 5), ("B", 4, 6), ("C", 0, 2)],
        [("A", 3, 5), ("B", 4, 6), ("C", 1, 3)],
    ),
    (
        3,
        [("A", 4, 6), ("B", 0, 7), ("C", 1, 3)],
        [("A", 4, 6), ("B", 0, 7), ("C", 2, 4)],
    ),
)


def touch(touching: bool) -> Activity:
    """A, B and C in three styles, in which A and C touch or not."""
    ten = [pair[touching] for often, *pair in STYLES for _ in range(often)]
    return lambda number, rng: _perform(ten[number % len(ten)], rng)


def describe_combinations(method: Method, seed: int) -> float:
    """Share of pairs of arrangements of three intervals that are told apart."""
    apart = _tell_apart(ARRANGED, 20, method, seed)
    return float(apart[np.triu_indices(len(apart), 1)].mean())


def repeat(actions: str) -> Activity:
    """Actions one after the other, in any order."""

    def activity(number: int, rng: np.random.Generator) -> Instance:
        order = rng.permutation(len(actions)).tolist()
        return _perform([(actions[a], 2 * n, 2 * n + 1) for n, a in enumerate(order)], rng)

    return activity


def overlap(nested: bool, most: int = 6) -> Activity:
    """Two or more actions that all run for most of the time; the first ends last, or first."""

    def activity(number: int, rng: np.random.Generator) -> Instance:
        actions = rng.permutation(list("ABCDEF"))[: rng.integers(2, most + 1)].tolist()
        starts, ends = np.sort(rng.uniform(0, 0.5, (2, len(actions))))
        pace = np.exp(rng.uniform(-SCALE, SCALE))
        ends = pace * (10 + (ends[::-1] if nested else ends))
        return list(zip(actions, (pace * starts).tolist(), ends.tolist(), strict=True))

    return activity


def recognise_sizes(method: Method, seed: int) -> float:
    """Share recognised of instances shorter and longer than any in training."""
    rng = np.random.default_rng(seed)
    model = _learn(method, seed, _twins(_runs(4, 5, 6), LEARNED, rng))
    shorter, longer = _runs(2, 3), _runs(8, 9, 10)
    return min(_accuracy(model, _twins(sizes, TESTED, rng)) for sizes in (shorter, longer))


def _runs(*sizes: int) -> list[Activity]:
    """Some of ten actions one after the other, none twice, in any order; two are in both tens."""

    def activity(ten: str, number: int, rng: np.random.Generator) -> Instance:
        chosen = rng.permutation(10)[: rng.choice(sizes)].tolist()
        return _perform([(ten[a], 2 * n, 2 * n + 1) for n, a in enumerate(chosen)], rng)

    return [partial(activity, ten) for ten in ("ABCDEFGHIJ", "IJKLMNOPQR")]


def learn_structure(method: Method, seed: int) -> float:
    """Links that differ where dependences differ, less those that differ by chance."""
    rng, activities = np.random.default_rng(seed), [_depend(True), _depend(False)]
    early, late = zip(
        *(_links(_learn(method, seed, _twins(activities, LEARNED, rng))) for _ in range(2)),
        strict=True,
    )
    differ = len(early[0] ^ late[0]) + len(early[1] ^ late[1])
    differ_by_chance = len(early[0] ^ early[1]) + len(late[0] ^ late[1])
    return (differ - differ_by_chance) / 2


def _depend(early: bool) -> Activity:
    """Two pairs of actions; in one, the first action decides the relation, in the other nothing.

    The second action of a pair is always the same: a link must show what the first one says.
    """

    def activity(number: int, rng: np.random.Generator) -> Instance:
        first, other = rng.integers(2, size=2).tolist()
        decided: Pattern = [[("A", 0, 2), ("C", 1, 3)], [("B", 0, 1), ("C", 1, 2)]][first]
        in_order = [pattern for pattern in RELATED if pattern[0][1:] < pattern[1][1:]]
        (_, *one), (_, *two) = in_order[rng.integers(len(in_order))]
        free: Pattern = [("AB"[other], one[0], one[1]), ("C", two[0], two[1])]
        sooner, later = (decided, free) if early else (free, decided)
        renamed = [({"A": "D", "B": "E", "C": "F"}[a], s + 5, e + 5) for a, s, e in later]
        return _perform([*sooner, *renamed], rng)

    return activity


def _links(model: Any) -> list[Links]:
    """Links of both activities; none if a model does not choose links."""
    activities = list(getattr(model, "activities_", {}).values()) or [None, None]
    linked = []
    for activity in activities:
        terms = {} if activity is None else activity.terms
        pairs = terms["network"].links.tolist() if "network" in terms else []
        if "relations" in terms:
            pairs = terms["relations"].structure.pairs(4)
        linked.append(frozenset(frozenset(pair) for pair in pairs))
    return linked
