"""Simulated attacks in basketball, which differ in how a few actions follow or overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Objects
from ibgn.checks import check_whole
from ibgn.datasets._timeline import (
    Interval,
    Span,
    check_chances,
    check_seconds,
    deal,
    gather,
    in_seconds,
    jitter_spans,
)
from ibgn.intervals import IntervalSequences

__all__ = ["BasketballTruth", "make_basketball"]

FRAMES_PER_SECOND = 25
FEWEST_INTERVALS = 2

SECONDS = {"catch": 0.8, "dribble": 2.4, "hold": 1.6, "jump": 0.9, "pass": 1.0, "shoot": 0.8}
SPREAD = 0.2  # of the logarithm of durations
SHORTEST = 10  # frames; so overlaps of at least 2 frames fit into any action
GAP = (0.3, 1.2)  # seconds between actions that follow each other with a pause
SHARE = (0.25, 0.75)  # of the shorter of two actions that overlap
TEMPI = (0.7, 1.5)

ATTACKS = ("fast break", "set play")

# Both attacks go through the same plays: which actions occur, and in which order, says little.
PLAYS = (
    "jump shoot",
    "pass catch",
    "dribble jump shoot",
    "hold jump shoot",
    "catch dribble jump shoot",
    "pass catch pass catch",
    "pass catch hold jump",
    "pass catch dribble jump shoot",
    "pass catch hold jump shoot",
)

TYPICAL = ("dribble", "hold")  # each attack prefers plays with its typical action
LEANING = 2.0  # how many times as likely they are

# before, meets or overlaps: the relation of an action to the next one, in the two attacks
WAYS = {
    ("pass", "catch"): "ob",
    ("catch", "pass"): "mb",
    ("catch", "dribble"): "bo",
    ("catch", "hold"): "om",
    ("dribble", "jump"): "ob",
    ("hold", "jump"): "bo",
    ("jump", "shoot"): "bo",
}


@dataclass(frozen=True, eq=False)
class BasketballTruth:
    """What `make_basketball` decided for each of its n instances.

    Parameters
    ----------
    play : n tuples of the actions performed, in their order
    relations : n strings, planned relation of each action but the last to the next: "b" before,
        "m" meets, "o" overlaps; before jitter
    confused : n tuples, whether each of these was taken from the other attack
    missed : (n,) position in the play of the action that is left out of the data, or -1
    tempo : (n,) of the team: seconds for what takes others one second
    ways : relations of neighbouring actions in each attack, {attack: {(first, second): "b"}}

    Examples
    --------
    >>> X, y, groups, truth = make_basketball(instances=2, random_state=0, return_truth=True)
    >>> y[0], truth.play[0], truth.relations[0]
    ('fast break', ('jump', 'shoot'), 'b')
    """

    play: tuple[tuple[str, ...], ...]
    relations: tuple[str, ...]
    confused: tuple[tuple[bool, ...], ...]
    missed: npt.NDArray[np.int64]
    tempo: npt.NDArray[np.float64]
    ways: dict[str, dict[tuple[str, str], str]]


class _Options(TypedDict, total=False):
    instances: int
    n_teams: int
    jitter: float
    confusion: float
    miss: float
    random_state: int | np.random.Generator | None


class _Role(NamedTuple):
    """Which team performs which play in which attack."""

    name: str
    attack: int
    play: tuple[str, ...]
    team: int


class _Noise(NamedTuple):
    jitter: float
    confusion: float
    miss: float


class _Performance(NamedTuple):
    intervals: list[Interval]
    relations: str
    confused: tuple[bool, ...]
    missed: int


@overload
def make_basketball(
    *, return_truth: Literal[False] = ..., **options: Unpack[_Options]
) -> tuple[IntervalSequences, Objects, Objects]: ...


@overload
def make_basketball(
    *, return_truth: Literal[True], **options: Unpack[_Options]
) -> tuple[IntervalSequences, Objects, Objects, BasketballTruth]: ...


def make_basketball(
    *,
    instances: int = 72,
    n_teams: int = 6,
    jitter: float = 0.04,
    confusion: float = 0.22,
    miss: float = 0.1,
    random_state: int | np.random.Generator | None = None,
    return_truth: bool = False,
) -> (
    tuple[IntervalSequences, Objects, Objects]
    | tuple[IntervalSequences, Objects, Objects, BasketballTruth]
):
    """Simulate two attacks of basketball teams, with 2 to 5 intervals of 6 actions.

    A small and hard set. Both attacks go through the same plays, such as catch, dribble, jump and
    shoot, with the same durations; a fast break slightly prefers plays with dribbling, a set play
    plays with holding the ball. Mostly they differ in whether an action overlaps the next, meets
    it, or ends before it. The attacks are invented; the numbers follow a published set.

    Parameters
    ----------
    instances : number of instances, half of them of each attack
    n_teams : teams, each with its own tempo and about equally many instances
    jitter : standard deviation in seconds of every start and end; 0 to 60
    confusion : probability that two neighbouring actions have the relation of the other attack; at
        0.5 the attacks are the same
    miss : probability that one of the actions is left out, if there are more than two
    random_state : seed, generator, or None for other data at each call
    return_truth : whether to return the truth too

    Returns
    -------
    X : IntervalSequences, in seconds and whole frames of 1/25 s
    y : (n,) attacks
    groups : (n,) teams, as in X.groups
    truth : BasketballTruth, if return_truth

    Examples
    --------
    >>> X, y, groups, truth = make_basketball(random_state=0, return_truth=True)
    >>> len(X), len(X.actions), X.ids[0], sorted(set(y))
    (72, 6, 'fast break-000', ['fast break', 'set play'])
    >>> truth.ways["fast break"]["dribble", "jump"], truth.ways["set play"]["dribble", "jump"]
    ('o', 'b')
    """
    check_whole("instances", instances, 1)
    check_whole("n_teams", n_teams, 1)
    check_seconds("jitter", jitter)
    check_chances({"confusion": confusion, "miss": miss})
    rng = np.random.default_rng(random_state)
    present = min(n_teams, instances)
    tempo = np.clip(rng.lognormal(sigma=0.2, size=present), *TEMPI)
    roles = _cast(instances, present, rng)
    noise = _Noise(jitter, confusion, miss)
    performances = [_perform(role, tempo[role.team], noise, rng) for role in roles]
    y = np.array([ATTACKS[role.attack] for role in roles], object)
    groups = np.array([f"team {role.team + 1}" for role in roles], object)
    X = gather([p.intervals for p in performances], SECONDS, [r.name for r in roles], list(groups))
    if return_truth:
        return X, y, groups, _tell_truth(roles, performances, tempo)
    return X, y, groups


def _cast(instances: int, n_teams: int, rng: np.random.Generator) -> list[_Role]:
    roles: list[_Role] = []
    team = deal(instances, n_teams, rng)
    for attack, name in enumerate(ATTACKS):
        number = (instances + 1 - attack) // 2
        weight = np.array([LEANING if TYPICAL[attack] in play else 1.0 for play in PLAYS])
        for place, play in enumerate(rng.choice(PLAYS, number, p=weight / weight.sum()).tolist()):
            actions = tuple(play.split())
            roles.append(_Role(f"{name}-{place:03d}", attack, actions, team[len(roles)]))
    return roles


def _perform(role: _Role, tempo: float, noise: _Noise, rng: np.random.Generator) -> _Performance:
    pairs = list(pairwise(role.play))
    confused = rng.random(len(pairs)) < noise.confusion
    relations = "".join(
        WAYS[pair][role.attack ^ int(wrong)] for pair, wrong in zip(pairs, confused, strict=True)
    )
    spans = jitter_spans(
        _place(role.play, relations, tempo, rng), noise.jitter * FRAMES_PER_SECOND, rng
    )
    misses = rng.random() < noise.miss and len(spans) > FEWEST_INTERVALS
    missed = int(rng.integers(len(spans))) if misses else -1
    seen = [span for place, span in enumerate(spans) if place != missed]
    return _Performance(
        in_seconds(seen, FRAMES_PER_SECOND), relations, tuple(confused.tolist()), missed
    )


def _place(
    play: Sequence[str], relations: str, tempo: float, rng: np.random.Generator
) -> list[Span]:
    """Actions as planned. Durations are drawn first, so they do not depend on the attack."""
    seconds = [tempo * SECONDS[action] * np.exp(SPREAD * rng.normal()) for action in play]
    lasts = [max(SHORTEST, round(lasting * FRAMES_PER_SECOND)) for lasting in seconds]
    spans = [Span(play[0], 0, lasts[0])]
    for action, last, relation in zip(play[1:], lasts[1:], relations, strict=True):
        before = spans[-1]
        pause, share = tempo * rng.uniform(*GAP), rng.uniform(*SHARE)
        lag = {
            "b": round(pause * FRAMES_PER_SECOND),
            "m": 0,
            "o": -round(share * min(last, before.end - before.start)),
        }[relation]
        spans.append(Span(action, before.end + lag, before.end + lag + last))
    return spans


def _tell_truth(
    roles: list[_Role], performances: list[_Performance], tempo: npt.NDArray[np.float64]
) -> BasketballTruth:
    return BasketballTruth(
        play=tuple(role.play for role in roles),
        relations=tuple(performance.relations for performance in performances),
        confused=tuple(performance.confused for performance in performances),
        missed=np.array([performance.missed for performance in performances]),
        tempo=tempo[[role.team for role in roles]],
        ways={
            name: {pair: way[attack] for pair, way in WAYS.items()}
            for attack, name in enumerate(ATTACKS)
        },
    )
