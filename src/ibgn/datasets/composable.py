"""Activities composed of the same actions in sequence and in parallel, simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Objects
from ibgn.checks import check_whole
from ibgn.datasets import _themes as themes
from ibgn.datasets._themes import Stage, Theme
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

__all__ = ["ComposableTruth", "make_composable"]

FEWEST_INTERVALS = 3
MOST_INTERVALS = 11

MARGIN = 12  # frames by which a posture starts before the first action and ends after the last
SLACK = 0.4  # share of an action by which it starts or ends early or late if it is loose
REST = 0.2  # share of the whole for which an interrupted posture rests
TEMPI = (0.6, 1.7)


@dataclass(frozen=True, eq=False)
class ComposableTruth:
    """What `make_composable` decided for each of its n instances.

    Parameters
    ----------
    stages : n tuples of stages, one after the other: an action alone, or in parallel with
        others, as planned, before anything is loose. The posture lasts throughout and is not
        included.
    rounds : (n,) how often the two actions were composed, 1 to 3
    swapped : (n,) whether the two actions changed roles
    loose : n tuples, whether each action of the stages, in their order, started or ended
        early or late
    interrupted : (n,) whether the posture was interrupted, and so has two intervals
    missed : n tuples with the actions of the intervals that are left out of the data
    tempo : (n,) of the subject: seconds for what takes others one second
    activities : theme and composition of each activity

    Examples
    --------
    >>> X, y, groups, truth = make_composable(random_state=0, return_truth=True)
    >>> y[0], truth.rounds[0], bool(truth.swapped[0])
    ('phone and wave, together', np.int64(3), True)
    """

    stages: tuple[tuple[Stage, ...], ...]
    rounds: npt.NDArray[np.int64]
    swapped: npt.NDArray[np.bool_]
    loose: tuple[tuple[bool, ...], ...]
    interrupted: npt.NDArray[np.bool_]
    missed: tuple[tuple[str, ...], ...]
    tempo: npt.NDArray[np.float64]
    activities: Mapping[str, tuple[Theme, str]]


class _Options(TypedDict, total=False):
    instances: int
    n_subjects: int
    repeat: float
    swap: float
    skip: float
    brief: float
    looseness: float
    interruption: float
    jitter: float
    miss: float
    random_state: int | np.random.Generator | None


class _Role(NamedTuple):
    """Who performs which activity."""

    name: str
    activity: str
    subject: int


class _Style(NamedTuple):
    """How freely activities are composed, and what goes wrong."""

    repeat: float
    swap: float
    skip: float
    brief: float
    looseness: float
    interruption: float
    jitter: float
    miss: float


class _Performance(NamedTuple):
    intervals: list[Interval]
    stages: tuple[Stage, ...]
    rounds: int
    swapped: bool
    loose: tuple[bool, ...]
    interrupted: bool
    missed: tuple[str, ...]


@overload
def make_composable(
    *, return_truth: Literal[False] = ..., **options: Unpack[_Options]
) -> tuple[IntervalSequences, Objects, Objects]: ...


@overload
def make_composable(
    *, return_truth: Literal[True], **options: Unpack[_Options]
) -> tuple[IntervalSequences, Objects, Objects, ComposableTruth]: ...


def make_composable(
    *,
    instances: int = 693,
    n_subjects: int = 14,
    repeat: float = 0.85,
    swap: float = 0.5,
    skip: float = 0.2,
    brief: float = 0.03,
    looseness: float = 0.2,
    interruption: float = 0.2,
    jitter: float = 0.05,
    miss: float = 0.01,
    random_state: int | np.random.Generator | None = None,
    return_truth: bool = False,
) -> (
    tuple[IntervalSequences, Objects, Objects]
    | tuple[IntervalSequences, Objects, Objects, ComposableTruth]
):
    """Simulate 16 activities composed of 26 actions, with 3 to 11 intervals.

    An activity has a theme and a composition. The theme has two actions, such as talking on the
    phone and waving, a posture that lasts throughout, such as walking, an opening and a closing.
    Each of the two actions is shown alone, one after the other. Then they are composed, in one to
    three rounds: "together", one overlaps the other; "in turn", one by one with the opening
    action between; or "during", one continues while the other comes and goes. Themes differ in
    their actions; the compositions of a theme have the same actions, many of them repeated, so that
    the first time an action occurs says little. The leading action changes from instance to
    instance, and with it their relations. The activities are invented; the numbers follow a
    published set.

    Parameters
    ----------
    instances : number of instances, about equally many of each activity
    n_subjects : subjects, each with their own tempo and about equally many instances
    repeat : probability of each of two more rounds
    swap : probability that the two actions change roles
    skip : probability that the opening is left out, and likewise the closing
    brief : probability of a brief performance: one round without opening and closing, and without
        showing the two actions alone, unless they are composed in turn
    looseness : probability that an action starts, and likewise that it ends, early or late, by
        up to 40 % of its duration
    interruption : probability that the posture is interrupted, if that leaves at most 11 intervals
    jitter : standard deviation in seconds of every start and end; 0 to 60
    miss : probability that an interval is left out, as long as 3 remain
    random_state : seed, generator, or None for other data at each call
    return_truth : whether to return the truth too

    Returns
    -------
    X : IntervalSequences, in seconds and whole frames of 1/30 s
    y : (n,) activities, such as "phone and wave, in turn"
    groups : (n,) subjects, as in X.groups
    truth : ComposableTruth, if return_truth

    Examples
    --------
    >>> X, y, groups, truth = make_composable(
    ...     repeat=0, swap=0, skip=0, random_state=0, return_truth=True
    ... )
    >>> len(X), len(X.actions), len(set(y)), y[0]
    (693, 26, 16, 'phone and wave, together')
    >>> [stage.action for stage in truth.stages[0]]
    ['check watch', 'talk phone', 'wave', 'talk phone', 'stand']
    >>> truth.stages[0][3]
    Stage(action='talk phone', how='overlaps', others=('wave',))
    """
    check_whole("instances", instances, 1)
    check_whole("n_subjects", n_subjects, 1)
    style = _Style(repeat, swap, skip, brief, looseness, interruption, jitter, miss)
    chances = style._asdict()
    check_seconds("jitter", chances.pop("jitter"))
    check_chances(chances)
    rng = np.random.default_rng(random_state)
    present = min(n_subjects, instances)
    tempo = np.clip(rng.lognormal(sigma=0.2, size=present), *TEMPI)
    roles = _cast(instances, present, rng)
    performances = [_perform(role, tempo[role.subject], style, rng) for role in roles]
    y = np.array([role.activity for role in roles], object)
    groups = np.array([f"subject {role.subject + 1:02d}" for role in roles], object)
    X = gather(
        [p.intervals for p in performances], themes.ACTIONS, [r.name for r in roles], list(groups)
    )
    if return_truth:
        return X, y, groups, _tell_truth(roles, performances, tempo)
    return X, y, groups


def _cast(instances: int, n_subjects: int, rng: np.random.Generator) -> list[_Role]:
    subject = deal(instances, n_subjects, rng)
    roles: list[_Role] = []
    for place, activity in enumerate(themes.ACTIVITIES):
        number = (instances + len(themes.ACTIVITIES) - 1 - place) // len(themes.ACTIVITIES)
        for n in range(number):
            roles.append(_Role(f"{activity}-{n:03d}", activity, subject[len(roles)]))
    return roles


def _perform(role: _Role, tempo: float, style: _Style, rng: np.random.Generator) -> _Performance:
    theme, way = themes.ACTIVITIES[role.activity]
    brief, swapped = (rng.random(2) < (style.brief, style.swap)).tolist()
    rounds = 1 if brief else 1 + int(rng.binomial(themes.MOST_ROUNDS - 1, style.repeat))
    around = [] if brief else (rng.random(2) >= style.skip).tolist()
    stages = themes.compose(theme, way, rounds, swapped, around)
    spans, loose = _loosen(themes.place_stages(stages, tempo, rng), style.looseness, rng)
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    start, end = start - MARGIN, end + MARGIN
    posture = [Span(theme.posture, start, end)]  # lasts throughout
    interrupted = bool(rng.random() < style.interruption and len(spans) + 2 <= MOST_INTERVALS)
    if interrupted:
        stop = start + round((end - start) * rng.uniform(0.2, 0.6))
        resume = stop + round((end - start) * REST)
        posture = [Span(theme.posture, start, stop), Span(theme.posture, resume, end)]
    jittered = jitter_spans(posture + spans, style.jitter * themes.FRAMES_PER_SECOND, rng)
    lost = np.flatnonzero(rng.random(len(jittered)) < style.miss)
    left_out = set(rng.permutation(lost)[: len(jittered) - FEWEST_INTERVALS].tolist())
    missed = tuple(jittered[place].action for place in sorted(left_out))
    kept = [span for place, span in enumerate(jittered) if place not in left_out]
    intervals = in_seconds(kept, themes.FRAMES_PER_SECOND)
    return _Performance(intervals, stages, rounds, swapped, loose, interrupted, missed)


def _loosen(
    spans: list[Span], looseness: float, rng: np.random.Generator
) -> tuple[list[Span], tuple[bool, ...]]:
    """Let actions start and end early or late; return which do."""
    off = rng.random((len(spans), 2)) < looseness
    lag = off * rng.uniform(-SLACK, SLACK, size=off.shape)
    loosened = []
    for span, (early, late) in zip(spans, lag.tolist(), strict=True):
        lasts = span.end - span.start
        start, end = span.start + round(early * lasts), span.end + round(late * lasts)
        loosened.append(Span(span.action, start, max(start + 1, end)))
    return loosened, tuple(bool(early or late) for early, late in off.tolist())


def _tell_truth(
    roles: list[_Role], performances: list[_Performance], tempo: npt.NDArray[np.float64]
) -> ComposableTruth:
    return ComposableTruth(
        stages=tuple(performance.stages for performance in performances),
        rounds=np.array([performance.rounds for performance in performances]),
        swapped=np.array([performance.swapped for performance in performances]),
        loose=tuple(performance.loose for performance in performances),
        interrupted=np.array([performance.interrupted for performance in performances]),
        missed=tuple(performance.missed for performance in performances),
        tempo=tempo[[role.subject for role in roles]],
        activities=dict(themes.ACTIVITIES),
    )
