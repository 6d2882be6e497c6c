"""What each method can express, measured: a probe for each row of the paper's comparison table.

A probe simulates activities that differ in one thing only, and sees whether a method tells them
apart. Instances of different activities are twins: drawn by the same random numbers, the same but
for that one thing. A method that cannot see it gives both twins the same answer, and is right half
of the time.

Relations and durations go together: what contains another lasts longer. So that relations are what
is asked for, the pace of instances varies far more than the durations within one. This decides
what is measured of DBN, which sees durations. At a steady pace (60 seeds) it tells five to eight
relations apart instead of two, .60 to .91 of the pairs of combinations instead of none, and
recognises .81 to .91 of the row on overlaps instead of a half: with some seeds a yes, not a no.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ibgn.checks import check_number, check_whole
from ibgn.evaluation.methods import METHODS, PAPER, Method
from ibgn.intervals import Instance, IntervalSequences

__all__ = ["ABILITIES", "Ability", "measure_abilities"]

Labels = npt.NDArray[np.int64]
Pattern = Sequence[tuple[str, int, int]]  # actions, and which points in time they start and end at
Activity = Callable[[int, np.random.Generator], Instance]  # from the number of the instance
Links = frozenset[frozenset[int]]

QUICK = {"draws": 100, "budget": 200}  # tables of a handful of actions need no more
LEARNED, TESTED = 100, 200  # instances of each activity
RIGHT = 0.9  # part of the instances that must be recognised, where even chance is a half
SCALE = 10.0  # the logarithm of an instance's pace is drawn from so far below 0 to so far above
SAME = 1e-9  # probabilities that are no further apart are the same
WARPS = 5


@dataclass(frozen=True)
class Ability:
    """A question to a model, and how it is put to the test.

    Parameters
    ----------
    key : short name
    question : in plain words
    how : what is simulated, and what is measured
    probe : from a method and a seed to the number measured
    enough : from which number on the answer is the better one
    paper : what the paper says, by method; nothing on IBGN-C and IBGN-F
    answers : the worse and the better answer; None where the number itself answers
    notes : why a method is found otherwise than the paper says, in a sentence
    """

    key: str
    question: str
    how: str
    probe: Callable[[Method, int], float]
    enough: float
    paper: Mapping[str, str]
    answers: tuple[str, str] | None = ("no", "yes")
    notes: Mapping[str, str] = field(default_factory=dict)

    def answer(self, measured: float) -> str:
        """What a number means.

        Examples
        --------
        >>> ABILITIES[0].answer(1.0), ABILITIES[1].answer(13.0), ABILITIES[2].answer(0.5)
        ('intervals', '13', 'no')
        """
        if self.answers is None:
            return f"{measured:g}"
        return self.answers[measured >= self.enough]


def measure_abilities(
    methods: Mapping[str, Method] | None = None, seed: int = 0, n_jobs: int | None = None
) -> pd.DataFrame:
    """Put every question of `ABILITIES` to every method.

    Parameters
    ----------
    methods : from names to functions that make an estimator from a seed; by default the six of
        the paper. What the paper says is looked up by name
    seed : of the simulations and the methods
    n_jobs : probes at the same time, by joblib

    Returns
    -------
    table : one row a question and method: key, question, method, measured, answer, paper (what it
        says, or nothing), agrees (None where it says nothing), note (why not, where it does not)

    Examples
    --------
    >>> table = measure_abilities({"ITBN": METHODS["ITBN"]})
    >>> table.set_index("key").loc["sizes", ["measured", "answer", "paper", "agrees"]].to_dict()
    {'measured': 1.0, 'answer': 'yes', 'paper': 'no', 'agrees': False}
    """
    if methods is None:
        methods = {name: METHODS[name] for name in PAPER}
    check_whole("seed", seed, 0)
    if n_jobs is not None:
        wanted = "whole and not 0, where -1 takes all cores"
        check_number("n_jobs", n_jobs, wanted, lambda jobs: jobs == int(jobs) != 0)
    cells = list(product(ABILITIES, methods.items()))
    measured = joblib.Parallel(n_jobs)(
        joblib.delayed(ability.probe)(make, seed) for ability, (_, make) in cells
    )
    rows = [
        _row(ability, name, number)
        for (ability, (name, _)), number in zip(cells, measured, strict=True)
    ]
    columns = ["key", "question", "method", "measured", "answer", "paper", "agrees", "note"]
    return pd.DataFrame(rows, columns=columns).astype({"agrees": object})


def _row(ability: Ability, method: str, measured: float) -> tuple[Any, ...]:
    answer, paper = ability.answer(measured), ability.paper.get(method, "")
    agrees = answer == paper if paper else None
    note = ability.notes.get(method, "") if agrees is False else ""
    return ability.key, ability.question, method, measured, answer, paper, agrees, note


# How activities are simulated


def _perform(pattern: Pattern, rng: np.random.Generator) -> Instance:
    """Intervals between points in time that are drawn at random, in order."""
    points = 1 + max(end for _, _, end in pattern)
    times = np.exp(rng.uniform(-SCALE, SCALE)) * np.cumsum(rng.uniform(0.5, 1.5, points))
    return [(action, times[start], times[end]) for action, start, end in pattern]


def _always(pattern: Pattern) -> Activity:
    return lambda number, rng: _perform(pattern, rng)


def _twins(
    activities: Sequence[Activity], n: int, rng: np.random.Generator
) -> tuple[IntervalSequences, Labels]:
    """Draw n instances of each activity, twins next to each other; labels are 0, 1, ..."""
    instances = [
        activity(number, np.random.default_rng(seed))
        for number, seed in enumerate(rng.integers(2**63, size=n).tolist())
        for activity in activities
    ]
    return IntervalSequences.from_lists(instances), np.tile(np.arange(len(activities)), n)


def _arrangements(actions: str, ways: Iterable[tuple[tuple[int, int], ...]]) -> list[Pattern]:
    """Each way once: that in which no point in time is left out."""
    patterns: list[Pattern] = []
    for way in ways:
        points = {point for interval in way for point in interval}
        if points == set(range(len(points))):
            pairs = zip(actions, way, strict=True)
            patterns.append([(action, *interval) for action, interval in pairs])
    return patterns


RELATED: list[Pattern] = _arrangements("AB", product(combinations(range(4), 2), repeat=2))
"""The thirteen relations of A to B."""

ARRANGED: list[Pattern] = _arrangements(
    "ABC", combinations_with_replacement(combinations(range(6), 2), 3)
)
"""The 75 ways in which three intervals can lie, if A is the first of them and C the last."""


# How a method is asked


def _learn(make: Method, seed: int, data: tuple[IntervalSequences, Labels]) -> Any:
    model = make(seed)
    known = model.get_params()
    model.set_params(**{name: value for name, value in QUICK.items() if name in known})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few draws are meant
        return model.fit(*data)


def _accuracy(model: Any, data: tuple[IntervalSequences, Labels]) -> float:
    X, y = data
    return float((model.predict(X) == y).mean())


def _recognised(activities: Sequence[Activity], make: Method, seed: int) -> float:
    """Part of new instances that are recognised."""
    rng = np.random.default_rng(seed)
    model = _learn(make, seed, _twins(activities, LEARNED, rng))
    return _accuracy(model, _twins(activities, TESTED, rng))


def _told_apart(
    patterns: Sequence[Pattern], n: int, make: Method, seed: int
) -> npt.NDArray[np.bool_]:
    """(patterns, patterns) which are told from which: each is found likelier where it is true."""
    activities, rng = [_always(pattern) for pattern in patterns], np.random.default_rng(seed)
    model = _learn(make, seed, _twins(activities, n, rng))
    X, y = _twins(activities, n, rng)
    probs = model.predict_proba(X)
    right = np.array(
        [(probs[y == a][:, [a]] > probs[y == a]).mean(axis=0) for a in range(len(patterns))]
    )
    told: npt.NDArray[np.bool_] = np.minimum(right, right.T) >= RIGHT
    return told


# The probes


def _sees_intervals(make: Method, seed: int) -> float:
    apart, together = [("A", 0, 2), ("B", 3, 5)], [("A", 0, 2), ("B", 1, 3)]
    activities, rng = [_always(apart), _always(together)], np.random.default_rng(seed)
    model = _learn(make, seed, _twins(activities, LEARNED, rng))
    X, _ = _twins(activities, TESTED, rng)
    probs = model.predict_proba(X)
    stays = np.ones(len(X), bool)
    for _ in range(WARPS):
        warped = IntervalSequences.from_lists([_warp(rows, rng) for rows in X.to_lists()])
        stays &= (np.abs(model.predict_proba(warped) - probs) <= SAME).all(axis=1)
    differs = (np.abs(probs[0::2] - probs[1::2]) > SAME).any(axis=1)  # of the twins
    return float((stays & np.repeat(differs, 2)).mean())


def _warp(instance: Instance, rng: np.random.Generator) -> Instance:
    """Stretch time unevenly: other times in the same order, the same where they were the same."""
    times = sorted({time for _, start, end in instance for time in (start, end)})
    new = dict(zip(times, np.cumsum(np.exp(2 * rng.normal(size=len(times)))), strict=True))
    return [(action, new[start], new[end]) for action, start, end in instance]


def _count_relations(make: Method, seed: int) -> float:
    told = _told_apart(RELATED, 60, make, seed)
    return float(_most_apart(told, list(range(len(RELATED)))))


def _most_apart(told: npt.NDArray[np.bool_], among: list[int]) -> int:
    """Size of the largest set of which each is told from each other."""
    sizes = (
        1 + _most_apart(told, [other for other in among[place:] if told[first, other]])
        for place, first in enumerate(among, 1)
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


def _touch(touching: bool) -> Activity:
    ten = [pair[touching] for often, *pair in STYLES for _ in range(often)]
    return lambda number, rng: _perform(ten[number % len(ten)], rng)


def _describe_combinations(make: Method, seed: int) -> float:
    told = _told_apart(ARRANGED, 20, make, seed)
    return float(told[np.triu_indices(len(told), 1)].mean())


def _repeat(actions: str) -> Activity:
    def activity(number: int, rng: np.random.Generator) -> Instance:
        order = rng.permutation(len(actions)).tolist()
        return _perform([(actions[a], 2 * n, 2 * n + 1) for n, a in enumerate(order)], rng)

    return activity


def _overlap(nested: bool, most: int = 6) -> Activity:
    """Two or more actions that all run for most of the time; the first ends last, or first."""

    def activity(number: int, rng: np.random.Generator) -> Instance:
        actions = rng.permutation(list("ABCDEF"))[: rng.integers(2, most + 1)].tolist()
        starts, ends = np.sort(rng.uniform(0, 0.5, (2, len(actions))))
        pace = np.exp(rng.uniform(-SCALE, SCALE))
        ends = pace * (10 + (ends[::-1] if nested else ends))
        return list(zip(actions, (pace * starts).tolist(), ends.tolist(), strict=True))

    return activity


def _recognise_sizes(make: Method, seed: int) -> float:
    rng = np.random.default_rng(seed)
    model = _learn(make, seed, _twins(_runs(4, 5, 6), LEARNED, rng))
    shorter, longer = _runs(2, 3), _runs(8, 9, 10)
    return min(_accuracy(model, _twins(sizes, TESTED, rng)) for sizes in (shorter, longer))


def _runs(*sizes: int) -> list[Activity]:
    """Actions one after the other, none twice: a run of the alphabet, forwards or backwards."""

    def activity(step: int, number: int, rng: np.random.Generator) -> Instance:
        size = int(rng.choice(sizes))
        first = int(rng.integers(11 - size))
        run = "ABCDEFGHIJ"[first : first + size][::step]
        return _perform([(action, 2 * n, 2 * n + 1) for n, action in enumerate(run)], rng)

    return [partial(activity, step) for step in (1, -1)]


def _learn_structure(make: Method, seed: int) -> float:
    rng, activities = np.random.default_rng(seed), [_depend(True), _depend(False)]
    early, late = zip(
        *(_links(_learn(make, seed, _twins(activities, LEARNED, rng))) for _ in range(2)),
        strict=True,
    )
    differ = len(early[0] ^ late[0]) + len(early[1] ^ late[1])
    differ_by_chance = len(early[0] ^ early[1]) + len(late[0] ^ late[1])
    return (differ - differ_by_chance) / 2


def _depend(early: bool) -> Activity:
    """First A and B, then C and D; in one of the two, which comes first decides the relation."""

    def activity(number: int, rng: np.random.Generator) -> Instance:
        ordered = [[("A", 0, 2), ("B", 1, 3)], [("B", 0, 1), ("A", 1, 2)]][rng.integers(2)]
        unequal = [pattern for pattern in RELATED if pattern[0][1:] != pattern[1][1:]]
        free = unequal[rng.integers(len(unequal))]
        first, then = (ordered, free) if early else (free, ordered)
        later = [({"A": "C", "B": "D"}[a], start + 5, end + 5) for a, start, end in then]
        return _perform([*first, *later], rng)

    return activity


def _links(model: Any) -> list[Links]:
    """What is linked in both activities; nothing where a model has no links to choose."""
    activities = list(getattr(model, "activities_", {}).values()) or [None, None]
    return [_links_of(activity) for activity in activities]


def _links_of(activity: Any) -> Links:
    terms = {} if activity is None else activity.terms
    if "relations" in terms:
        return frozenset(frozenset(pair) for pair in terms["relations"].structure.pairs(4))
    pairs = terms["network"].links.tolist() if "network" in terms else []
    return frozenset(frozenset(pair) for pair in pairs)


# The rows


def _says(chains: str, itbn: str, ibgn: str) -> dict[str, str]:
    """What the paper says; its "HMMs & BNs" are IHMM and DBN here."""
    return {"IHMM": chains, "DBN": chains, "ITBN": itbn, "IBGN": ibgn}


_NO_THIRD = (
    "The paper counts the three relations of points; here only which starts first is seen, as "
    "intervals that start together stand in the order of their ends."
)
_NOTHING_KEPT = "Nothing is dropped in training, but there was no relation of intervals to keep."

ABILITIES: tuple[Ability, ...] = (
    Ability(
        "intervals",
        "Does it see points in time, or how intervals lie to each other?",
        "Part of the instances whose probabilities stay as they are when time is stretched "
        "unevenly, and change when B is moved from after A into A, still starting later. IHMM "
        "stands the first test too, but only since it sees no more than the order of starts.",
        _sees_intervals,
        0.9,
        _says("points", "intervals", "intervals"),
        ("points", "intervals"),
    ),
    Ability(
        "relations",
        "How many of the thirteen relations of two intervals does it tell from each other?",
        "Thirteen activities, in each A and B in one relation; the largest set of relations of "
        "which each is told from each other.",
        _count_relations,
        13,
        _says("3", "13", "13"),
        None,
        {"IHMM": _NO_THIRD, "DBN": _NO_THIRD},
    ),
    Ability(
        "retention",
        "Are all relations of intervals still there after training?",
        "Part recognised of two activities that differ in whether A and C touch, where the most "
        "frequent relations of A, B and C cannot hold together.",
        partial(_recognised, [_touch(False), _touch(True)]),
        RIGHT,
        _says("yes", "no", "yes"),
        notes={"IHMM": _NOTHING_KEPT, "DBN": _NOTHING_KEPT},
    ),
    Ability(
        "combinations",
        "Can it describe every combination of relations?",
        "All 75 ways in which three intervals can lie that start in the same order; part of the "
        "pairs of ways that are told apart.",
        _describe_combinations,
        0.99,
        _says("no", "yes", "yes"),
    ),
    Ability(
        "repetition",
        "Does it see that an action occurs several times?",
        "Part recognised of two activities in which A occurs three times and B once, or the other "
        "way round, one after the other in any order.",
        partial(_recognised, [_repeat("AAAB"), _repeat("ABBB")]),
        RIGHT,
        _says("yes", "no", "yes"),
    ),
    Ability(
        "overlap",
        "Does it cope with any number of actions at the same time?",
        "Part recognised of two activities with two to six actions at the same time, in any "
        "order, of which the first ends first, or ends last. IHMM and DBN fail with two already: "
        "they do not see how actions overlap, however many they are. Where only the order of "
        "such actions differs, DBN recognises all.",
        partial(_recognised, [_overlap(False), _overlap(True)]),
        RIGHT,
        _says("no", "yes", "yes"),
    ),
    Ability(
        "sizes",
        "Does it recognise instances shorter and longer than any it learned from?",
        "Part recognised of two activities with some of ten actions one after the other, in the "
        "order of the alphabet or against it: learned from four to six, tested on two and three, "
        "and on eight to ten; the smaller part counts. No action occurs twice, since that is "
        "another question.",
        _recognise_sizes,
        RIGHT,
        _says("yes", "no", "yes"),
        notes={
            "ITBN": "An action may be absent, so sizes vary up to the number of actions; what is "
            "longer repeats some, and it is repetition that is not seen."
        },
    ),
    Ability(
        "structure",
        "Does it learn from the data what depends on what?",
        "Links that differ between an activity in which the first two actions depend on each "
        "other and one in which the last two do, less those that differ by chance.",
        _learn_structure,
        1,
        _says("no", "yes", "yes"),
    ),
)
"""The rows of the paper's table, in its order."""
