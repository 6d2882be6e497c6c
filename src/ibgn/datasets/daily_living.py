"""Mornings, coffee, sandwiches: loose scripts of chores that share their actions, simulated."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from ibgn._arrays import Floats, Objects
from ibgn.checks import check_number, check_whole
from ibgn.datasets import _chores as chores
from ibgn.datasets._body import FRAMES_PER_SECOND, Body, Habits, untangle
from ibgn.datasets._sensors import Disturbance, draw_mounting, record
from ibgn.datasets._timeline import (
    Interval,
    check_chances,
    check_seconds,
    deal,
    gather,
    in_seconds,
    jitter_spans,
)
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording

__all__ = ["DailyLivingTruth", "make_daily_living"]


LENGTHS = {  # fewest and most intervals; instances are spread evenly between them
    "relaxing": (1, 30),
    "coffee time": (8, 60),
    "early morning": (12, 78),
    "cleanup": (8, 70),
    "sandwich time": (12, 78),
}
TEMPI = (0.6, 1.7)
RIGHT = (0.45, 0.7)  # chance that the right arm leads, from subject to subject
LARGEST_DISTURBANCE = 1e6


@dataclass(frozen=True, eq=False)
class DailyLivingTruth:
    """What `make_daily_living` decided for each of its n instances.

    Parameters
    ----------
    chores : n tuples of the chores that were begun, such as "fetch milk"
    foreign : n tuples, whether each chore came from the script of another activity
    together : n tuples of (action, action of the other arm, "overlaps", "contains" or, if clumsy,
        "before"), for all actions in the data that were meant for the same time
    tempo : (n,) of the subject: seconds for what takes others one second
    right : (n,) probability with which the right arm of the subject leads
    scripts : chores of each activity in their order; those in brackets are optional. An instance
        begins anywhere in its script

    Examples
    --------
    >>> options = {"random_state": 0, "return_truth": True}
    >>> X, y, groups, truth = make_daily_living(**options)[:4]
    >>> y[0], truth.chores[0]
    ('relaxing', ('drink coffee', 'sit down', 'switch light'))
    """

    chores: tuple[tuple[str, ...], ...]
    foreign: tuple[tuple[bool, ...], ...]
    together: tuple[tuple[tuple[str, str, str], ...], ...]
    tempo: Floats
    right: Floats
    scripts: Mapping[str, str]


class _Options(TypedDict, total=False):
    instances: int
    n_subjects: int
    sharing: float
    reorder: float
    skip: float
    repeat: float
    parallel: float
    clumsiness: float
    jitter: float
    sensor_noise: float
    sensor_drift: float
    sensor_dropout: float
    random_state: int | np.random.Generator | None


class _Role(NamedTuple):
    """Who performs which activity, for how many intervals."""

    name: str
    activity: str
    subject: int
    length: int


class _Style(NamedTuple):
    sharing: float
    reorder: float
    skip: float
    repeat: float
    parallel: float
    clumsiness: float
    jitter: float


class _Performance(NamedTuple):
    intervals: list[Interval]
    chores: tuple[str, ...]
    foreign: tuple[bool, ...]
    together: tuple[tuple[str, str, str], ...]


_Data = tuple[IntervalSequences, Objects, Objects]
_Recorded = tuple[IntervalSequences, Objects, Objects, list[SensorRecording]]


@overload
def make_daily_living(
    *,
    sensors: Literal[False] = ...,
    return_truth: Literal[False] = ...,
    **options: Unpack[_Options],
) -> _Data: ...


@overload
def make_daily_living(
    *, sensors: Literal[False] = ..., return_truth: Literal[True], **options: Unpack[_Options]
) -> tuple[*_Data, DailyLivingTruth]: ...


@overload
def make_daily_living(
    *, sensors: Literal[True], return_truth: Literal[False] = ..., **options: Unpack[_Options]
) -> _Recorded: ...


@overload
def make_daily_living(
    *, sensors: Literal[True], return_truth: Literal[True], **options: Unpack[_Options]
) -> tuple[*_Recorded, DailyLivingTruth]: ...


def make_daily_living(
    *,
    instances: int = 125,
    n_subjects: int = 4,
    sharing: float = 0.02,
    reorder: float = 0.3,
    skip: float = 0.35,
    repeat: float = 0.3,
    parallel: float = 0.2,
    clumsiness: float = 0.2,
    jitter: float = 0.1,
    sensors: bool = False,
    sensor_noise: float = 0.3,
    sensor_drift: float = 0.1,
    sensor_dropout: float = 0.02,
    random_state: int | np.random.Generator | None = None,
    return_truth: bool = False,
) -> _Data | tuple[*_Data, DailyLivingTruth] | _Recorded | tuple[*_Recorded, DailyLivingTruth]:
    """Simulate five activities of daily living, with 1 to 78 intervals of 211 actions.

    Four tracks run in parallel, named as in the Opportunity set: 4 postures ("sit"), 95 moves of
    each arm ("left open fridge"), and 17 gestures of the whole body, which contain a move of an arm
    ("both open fridge"). On each track, one action at a time goes on.

    Activities are loose scripts of chores, repeated until the recording ends, and they share their
    actions. Coffee time and sandwich time fetch things, cleanup puts the same things away, and
    early morning checks whether they are in place, all with the same moves of the same containers
    and things. What tells activities apart is

    - the mixture: which things are handled, and how often. Few actions (cutting, stirring) belong
      to a single activity;
    - order: a container is opened before a thing is fetched, and after it is taken to put it away;
    - relations: the other arm closes while the first still moves (overlaps), or the first holds a
      container open while the other moves something (contains);
    - durations: checking takes time, putting away is quick.

    Chores and steps may be left out, repeated and done in another order, two chores may be done at
    the same time, and an instance begins anywhere in its script. How difficult this is was set by
    looking at results (the overlap of scripts, the spread of lengths, `sharing`): so that the six
    methods that the paper compares recognise about as many instances on average as they do of
    Opportunity (.88 here, .90 there). Which of them recognises more than another was left as it
    came out.

    The number of intervals is spread evenly over the range of its activity, including the shortest
    and the longest: with 10 or more instances, one has 1 and one has 78 intervals. The vocabulary
    of X always has all 211 actions; with the defaults, nearly all of them occur.

    Parameters
    ----------
    instances : number of instances, about equally many of each activity
    n_subjects : subjects, each with their own tempo and handedness, and about equally many
        instances
    sharing : probability that a chore is taken from the script of another activity
    reorder : probability that a chore changes place with the next of the script
    skip : probability that an optional chore or step is left out
    repeat : probability of each of three repetitions of a step that can be repeated
    parallel : probability that free arms do the next chore at the same time
    clumsiness : probability that two arms act one after the other instead of at the same time
    jitter : standard deviation in seconds of every start and end, if limbs are free; 0 to 60
    sensors : whether to return sensor recordings too, about 25 MB with the defaults
    sensor_noise : standard deviation of each sample; actions differ by about 1
    sensor_drift : standard deviation by which the level of a channel has moved after a minute
    sensor_dropout : share of samples that are missing (NaN), half a second or more at a time
    random_state : seed, generator, or None for other data at each call
    return_truth : whether to return the truth too

    Returns
    -------
    X : IntervalSequences, in seconds and whole frames of 1/30 s
    y : (n,) activities
    groups : (n,) subjects, as in X.groups
    recordings : list of n SensorRecording, if sensors: 30 samples per second of x, y and z at the
        hip, at both wrists and at the shoulders, labelled with the actions of the four tracks
        ("locomotion", "left arm", "right arm", "both arms")
    truth : DailyLivingTruth, if return_truth

    Examples
    --------
    >>> X, y, groups, truth = make_daily_living(random_state=0, return_truth=True)
    >>> len(X), len(X.actions), sorted(X.lengths)[::124] == [1, 78], sorted(set(groups))[0]
    (125, 211, True, 'subject 1')
    >>> X.ids[0], truth.scripts["relaxing"].split(", ")[:2]
    ('relaxing-000', ['rest', '(drink coffee)'])
    >>> _, _, _, recordings = make_daily_living(instances=5, sensors=True, random_state=0)
    >>> recordings[0].names[:3], sorted(recordings[0].labels)[:2]
    (('hip x', 'hip y', 'hip z'), ['both arms', 'left arm'])
    """
    style = _Style(sharing, reorder, skip, repeat, parallel, clumsiness, jitter)
    disturbance = Disturbance(sensor_noise, sensor_drift, sensor_dropout)
    check_whole("instances", instances, 1)
    check_whole("n_subjects", n_subjects, 1)
    _check(style, disturbance)
    rng = np.random.default_rng(random_state)
    habits = _draw_habits(min(n_subjects, instances), style, rng)
    roles = _cast(instances, len(habits), rng)
    performances = [_perform(role, habits[role.subject], style, rng) for role in roles]
    y = np.array([role.activity for role in roles], object)
    groups = np.array([f"subject {role.subject + 1}" for role in roles], object)
    X = gather(
        [p.intervals for p in performances], chores.ACTIONS, [r.name for r in roles], list(groups)
    )
    truth = _tell_truth(roles, performances, habits)
    if not sensors:
        return (X, y, groups, truth) if return_truth else (X, y, groups)
    mounting = draw_mounting(max(role.subject for role in roles) + 1, rng)
    recordings = [
        record(x, mounting[role.subject], disturbance, rng)
        for x, role in zip(X, roles, strict=True)
    ]
    return (X, y, groups, recordings, truth) if return_truth else (X, y, groups, recordings)


def _check(style: _Style, disturbance: Disturbance) -> None:
    chances = style._asdict()
    check_seconds("jitter", chances.pop("jitter"))
    check_chances(chances | {"sensor_dropout": disturbance.dropout})
    for name, size in (("sensor_noise", disturbance.noise), ("sensor_drift", disturbance.drift)):
        required = f"from 0 to {LARGEST_DISTURBANCE:g}"
        check_number(name, size, required, lambda value: 0 <= value <= LARGEST_DISTURBANCE)


def _draw_habits(n_subjects: int, style: _Style, rng: np.random.Generator) -> list[Habits]:
    tempo = np.clip(rng.lognormal(sigma=0.2, size=n_subjects), *TEMPI).tolist()
    right = rng.uniform(*RIGHT, size=n_subjects).tolist()
    return [
        Habits(*own, style.skip, style.repeat, style.clumsiness)
        for own in zip(tempo, right, strict=True)
    ]


def _cast(instances: int, n_subjects: int, rng: np.random.Generator) -> list[_Role]:
    subject = deal(instances, n_subjects, rng)
    roles: list[_Role] = []
    for place, (activity, (fewest, most)) in enumerate(LENGTHS.items()):
        number = (instances + len(LENGTHS) - 1 - place) // len(LENGTHS)
        lengths = rng.permutation(np.rint(np.linspace(fewest, most, number)).astype(int)).tolist()
        for n, length in enumerate(lengths):
            roles.append(_Role(f"{activity}-{n:03d}", activity, subject[len(roles)], length))
    return roles


def _perform(role: _Role, habits: Habits, style: _Style, rng: np.random.Generator) -> _Performance:
    body = Body(habits, rng)
    done: list[tuple[str, bool]] = []
    plan = _plan(role.activity, style, rng)
    while len(body.spans) < role.length:
        begun = [next(plan) for _ in range(1 + bool(rng.random() < style.parallel))]
        body.do(*(chores.CHORES[chore] for chore, _ in begun))
        done += begun
    spans = jitter_spans(body.spans, style.jitter * FRAMES_PER_SECOND, rng)
    untangle(spans)
    # the first to start: the recording ends with the next
    kept = set(sorted(range(len(spans)), key=lambda place: spans[place].start)[: role.length])
    names, foreigners = zip(*done, strict=True)
    together = tuple(
        (spans[first].action, spans[second].action, relation)
        for first, second, relation in body.together
        if {first, second} <= kept
    )
    intervals = in_seconds([spans[place] for place in sorted(kept)], FRAMES_PER_SECOND)
    return _Performance(intervals, names, foreigners, together)


def _plan(activity: str, style: _Style, rng: np.random.Generator) -> Iterator[tuple[str, bool]]:
    """Chores without end, and whether each belongs to another activity."""
    others = {
        other: [chore for chore, _ in chores.read_script(other)]
        for other in chores.SCRIPTS
        if other != activity
    }
    first = int(rng.integers(len(chores.read_script(activity))))
    while True:
        script = chores.read_script(activity)
        for place in range(len(script) - 1):
            if rng.random() < style.reorder:  # swap it with the next
                script[place : place + 2] = script[place + 1], script[place]
        for chore, optional in script[first:]:
            if rng.random() < style.sharing:
                script_of = others[list(others)[rng.integers(len(others))]]
                yield script_of[rng.integers(len(script_of))], True
            elif not (optional and rng.random() < style.skip):
                yield chore, False
        first = 0


def _tell_truth(
    roles: list[_Role], performances: list[_Performance], habits: list[Habits]
) -> DailyLivingTruth:
    return DailyLivingTruth(
        chores=tuple(performance.chores for performance in performances),
        foreign=tuple(performance.foreign for performance in performances),
        together=tuple(performance.together for performance in performances),
        tempo=np.array([habits[role.subject].tempo for role in roles]),
        right=np.array([habits[role.subject].right for role in roles]),
        scripts=dict(chores.SCRIPTS),
    )
