"""Words of American Sign Language as intervals of straight and bent fingers, simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Objects
from ibgn.checks import check_number
from ibgn.datasets import _words as signs
from ibgn.datasets._angles import measure
from ibgn.datasets._timeline import Interval, check_chances, check_seconds
from ibgn.intervals import IntervalSequences
from ibgn.recordings import SensorRecording

__all__ = ["HandSignsTruth", "make_hand_signs"]


HOLD = 0.48  # seconds for which a signer of tempo 1 holds a pose
PAUSE = (3.0, 6.0)  # how many times longer a hesitating signer holds it
# Shortest to longest tempo: at the shortest, fingers that roll still change two frames apart, so
# that rounding to frames does not change any relation.
TEMPI = (0.6, 1.7)
MOST_INTERVALS = 17


@dataclass(frozen=True, eq=False)
class HandSignsTruth:
    """What `make_hand_signs` decided for each of its n instances.

    Parameters
    ----------
    style : (n,) position of the performed style in words[word]
    tempo : (n,) tempo of the signer: seconds for what takes others one second
    poses : n tuples of the poses shown, such as "fist" or, right and left, "el+fist"
    transitions : n tuples, for each change of pose the planned time in seconds of every finger
        that changes, {"right index": 0.48, ...}: before jitter
    hesitated, skipped, repeated : (n,) whether a pose was held for much longer, an inner pose
        left out, a change of pose repeated
    words : styles of each word, as poses and the movements between them: "=" all fingers at
        once, ">" rolling from index to pinky, "<" from pinky to index, "R" the right hand and
        then the left, "L" the left hand first

    Examples
    --------
    >>> options = {"instances_per_style": 1, "random_state": 0}
    >>> X, y, groups, truth = make_hand_signs(**options, return_truth=True)
    >>> len(truth.words), truth.poses[0]
    (19, ('fist', 'flat'))
    """

    style: npt.NDArray[np.int64]
    tempo: npt.NDArray[np.float64]
    poses: tuple[tuple[str, ...], ...]
    transitions: tuple[tuple[dict[str, float], ...], ...]
    hesitated: npt.NDArray[np.bool_]
    skipped: npt.NDArray[np.bool_]
    repeated: npt.NDArray[np.bool_]
    words: Mapping[str, tuple[str, ...]]


class _Signers(NamedTuple):
    tempo: npt.NDArray[np.float64]  # (signers,)
    sloppiness: npt.NDArray[np.float64]  # (signers,) factor of the jitter
    leaning: npt.NDArray[np.float64]  # (signers, words) towards the second style


class _Role(NamedTuple):
    """Who performs which style of which word."""

    name: str
    word: str
    style: int
    signer: int


class _Noise(NamedTuple):
    jitter: float
    hesitation: float
    skip: float
    repeat: float
    angle_noise: float
    dropout: float


class _Options(TypedDict, total=False):
    """Keyword arguments that do not change what is returned."""

    instances_per_style: int
    n_signers: int
    jitter: float
    hesitation: float
    skip: float
    repeat: float
    random_state: int | np.random.Generator | None
    angle_noise: float
    dropout: float


class _Performance(NamedTuple):
    intervals: list[Interval]
    poses: tuple[str, ...]
    transitions: list[signs.Transition]
    hesitated: bool
    skipped: bool
    repeated: bool


@overload
def make_hand_signs(
    *,
    return_truth: Literal[False] = ...,
    joint_angles: Literal[False] = ...,
    **options: Unpack[_Options],
) -> tuple[IntervalSequences, Objects, Objects]: ...


@overload
def make_hand_signs(
    *,
    return_truth: Literal[True],
    joint_angles: Literal[False] = ...,
    **options: Unpack[_Options],
) -> tuple[IntervalSequences, Objects, Objects, HandSignsTruth]: ...


@overload
def make_hand_signs(
    *,
    return_truth: Literal[False] = ...,
    joint_angles: Literal[True],
    **options: Unpack[_Options],
) -> tuple[IntervalSequences, Objects, Objects, list[SensorRecording]]: ...


@overload
def make_hand_signs(
    *,
    return_truth: Literal[True],
    joint_angles: Literal[True],
    **options: Unpack[_Options],
) -> tuple[IntervalSequences, Objects, Objects, HandSignsTruth, list[SensorRecording]]: ...


def make_hand_signs(
    *,
    instances_per_style: int = 145,
    n_signers: int = 16,
    jitter: float = 0.05,
    hesitation: float = 0.1,
    skip: float = 0.05,
    repeat: float = 0.1,
    random_state: int | np.random.Generator | None = None,
    return_truth: bool = False,
    joint_angles: bool = False,
    angle_noise: float = 4.0,
    dropout: float = 0.02,
) -> tuple[Any, ...]:
    """Simulate signers who perform 19 words with the fingers of one hand or both.

    Every finger of a hand in use is straight or bent at any time, so it gives one interval and
    one more for each change: 5 to 17 intervals per instance, whatever the noise. Words move from
    pose to pose in 1 to 4 transitions; many have the same finger states and differ in the order
    of poses, or in how the changes of fingers overlap. Five words have two styles. Poses and
    movements are invented; the numbers follow published recordings of 16 signers.

    Signers have a tempo, a sloppiness that scales their jitter (half of them above 1), and a
    preferred style for each word.

    Parameters
    ----------
    instances_per_style : instances of each of the 24 styles
    n_signers : signers, each with about equally many instances
    jitter : standard deviation in seconds of the time at which a finger changes; 0 to 60
    hesitation : probability that a pose of the instance is held for much longer
    skip : probability that an inner pose is left out, if there is one. If the poses around it
        are the same, no transition between them is left.
    repeat : probability that a change of pose goes back and forth once more, if that leaves at
        most 17 intervals
    random_state : seed, generator, or None for other data at each call
    return_truth : whether to return the truth too
    joint_angles : whether to return what a hand tracker would have measured, too. The intervals
        are the same with and without.
    angle_noise : standard deviation of measured angles in degrees, 0 to 90
    dropout : probability that an angle is lost in a frame, 0 to 1

    Returns
    -------
    X : IntervalSequences, in seconds and whole frames of 1/25 s
    y : (n,) words
    groups : (n,) signers, as in X.groups
    truth : HandSignsTruth, if return_truth
    recordings : if joint_angles, one for each instance: 30 frames per second, one channel for each
        finger of the hands in use, 10 degrees when straight and 80 when bent. The change takes
        0.15 s, and is halfway when an interval ends. `ibgn.detection.fingers.FingerDetector`
        finds the intervals again.

    Examples
    --------
    >>> X, y, groups, truth = make_hand_signs(
    ...     instances_per_style=2, n_signers=4, skip=0, repeat=0, random_state=0, return_truth=True
    ... )
    >>> len(X), len(X.actions), X.ids[4], y[4], sorted(set(groups))[0]
    (48, 20, 'how much-000', 'how much', 'signer 01')
    >>> truth.words["how much"], truth.poses[4]
    (('fist < flat',), ('fist', 'flat'))
    """
    noise = _Noise(jitter, hesitation, skip, repeat, angle_noise, dropout)
    _check(instances_per_style, n_signers, noise)
    rng = np.random.default_rng(random_state)
    signers = _Signers(
        tempo=np.clip(rng.lognormal(sigma=0.2, size=int(n_signers)), *TEMPI),
        sloppiness=rng.lognormal(sigma=0.3, size=int(n_signers)),
        leaning=rng.normal(scale=2.0, size=(int(n_signers), len(signs.WORDS))),
    )
    roles = _cast(int(instances_per_style), signers, rng)
    performances = [_perform(role, signers, noise, rng) for role in roles]
    y = np.array([role.word for role in roles], object)
    groups = np.array([f"signer {role.signer + 1:02d}" for role in roles], object)
    X = IntervalSequences.from_lists(
        [performance.intervals for performance in performances],
        ids=[role.name for role in roles],
        groups=list(groups),
    )
    more: list[Any] = [_tell_truth(roles, performances, signers)] if return_truth else []
    if joint_angles:  # drawn last, so that it changes nothing else
        more.append(
            [
                measure(role.name, group, p.intervals, signs.FINGERS, angle_noise, dropout, rng)
                for role, group, p in zip(roles, groups, performances, strict=True)
            ]
        )
    return X, y, groups, *more


def _check(instances_per_style: Any, n_signers: Any, noise: _Noise) -> None:
    for name, number in (("instances_per_style", instances_per_style), ("n_signers", n_signers)):
        check_number(name, number, "whole and at least 1", lambda n: n >= 1 and n.is_integer())
    chances = noise._asdict()
    check_seconds("jitter", chances.pop("jitter"))
    sd = chances.pop("angle_noise")
    check_number("angle_noise", sd, "0 to 90 degrees", lambda degrees: 0 <= degrees <= 90)
    check_chances(chances)


def _cast(instances_per_style: int, signers: _Signers, rng: np.random.Generator) -> list[_Role]:
    roles: list[_Role] = []
    for place, (word, styles) in enumerate(signs.WORDS.items()):
        # Signers take turns through all words, so that all have equally many instances.
        turns = len(roles) + np.arange(instances_per_style * len(styles))
        signer = rng.permutation(turns % len(signers.tempo))
        keenness = signers.leaning[signer, place] + rng.logistic(size=len(signer))
        # The keenest half gets the second style: preferences show, and styles are equally frequent.
        style = np.argsort(np.argsort(keenness)) // instances_per_style
        for number, (which, who) in enumerate(zip(style.tolist(), signer.tolist(), strict=True)):
            roles.append(_Role(f"{word}-{number:03d}", word, which, who))
    return roles


def _perform(
    role: _Role, signers: _Signers, noise: _Noise, rng: np.random.Generator
) -> _Performance:
    meant = signs.read_style(signs.WORDS[role.word][role.style])
    kept = meant
    if rng.random() < noise.skip and len(meant) > 2:
        kept = signs.skip_pose(int(rng.integers(1, len(meant) - 1)), meant)
    shown = _repeat_one(kept, rng) if rng.random() < noise.repeat else kept
    hold = np.full(len(shown), HOLD)
    hesitated = bool(rng.random() < noise.hesitation)
    if hesitated:
        hold[rng.integers(len(shown))] *= rng.uniform(*PAUSE)
    transitions, end = signs.plan(shown, hold.tolist(), float(signers.tempo[role.signer]))
    spread = noise.jitter * float(signers.sloppiness[role.signer])
    changes: dict[int, list[int]] = {}  # frames in which each finger changes
    for finger, frame in (change for moved in transitions for change in moved.items()):
        changes.setdefault(finger, []).append(frame + signs.frame_of(rng.normal(scale=spread)))
    intervals = _tile(signs.states(shown[0].pose), changes, end)
    poses = tuple(step.pose for step in shown)
    return _Performance(intervals, poses, transitions, hesitated, kept != meant, shown != kept)


def _repeat_one(steps: signs.Steps, rng: np.random.Generator) -> signs.Steps:
    """Repeat a change, if one leaves few enough intervals."""
    longer = [signs.repeat_change(k, steps) for k in range(1, len(steps))]
    possible = [
        repeated for repeated in longer if signs.count_intervals(repeated) <= MOST_INTERVALS
    ]
    return possible[rng.integers(len(possible))] if possible else steps


def _tile(first: str, changes: dict[int, list[int]], end: int) -> list[Interval]:
    """Intervals of each finger from 0 to the end, or later, so that each has at least one frame."""
    # from 0 on, each change moved to at least one frame after the last
    starts = [
        list(accumulate(changes.get(finger, []), lambda a, b: max(a + 1, b), initial=0))
        for finger in range(len(first))
    ]
    end = max(end, 1 + max(frames[-1] for frames in starts))
    intervals = []
    for name, state, frames in zip(signs.FINGERS, first, starts, strict=False):
        straight = state == signs.STRAIGHT
        for begin, stop in pairwise([*frames, end]):
            action = f"{name} {'straight' if straight else 'bent'}"
            intervals.append(
                (action, begin / signs.FRAMES_PER_SECOND, stop / signs.FRAMES_PER_SECOND)
            )
            straight = not straight
    return intervals


def _tell_truth(
    roles: list[_Role], performances: list[_Performance], signers: _Signers
) -> HandSignsTruth:
    return HandSignsTruth(
        style=np.array([role.style for role in roles]),
        tempo=signers.tempo[[role.signer for role in roles]],
        poses=tuple(performance.poses for performance in performances),
        transitions=tuple(
            tuple(
                {signs.FINGERS[f]: frame / signs.FRAMES_PER_SECOND for f, frame in moved.items()}
                for moved in performance.transitions
            )
            for performance in performances
        ),
        hesitated=np.array([performance.hesitated for performance in performances]),
        skipped=np.array([performance.skipped for performance in performances]),
        repeated=np.array([performance.repeated for performance in performances]),
        words=dict(signs.WORDS),
    )
