"""The words of the simulated hand signs: shapes of a hand, movements, and the list of words.

This is what a signer plans to do; what happens instead is in `hand_signs`. Everything here is
invented and fixed. A style of a word is written as its poses with the movement between them,
"fist > flat". A pose is the shape of the right hand, or of the right and the left hand, "el+fist".
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

FINGERS = tuple(
    f"{hand} {finger}"
    for hand in ("right", "left")
    for finger in ("thumb", "index", "middle", "ring", "pinky")
)

STRAIGHT = "|"

FRAMES_PER_SECOND = 25

SHAPES = {  # thumb, index, middle, ring, pinky: straight | or bent .
    "fist": ".....",
    "thumb": "|....",
    "point": ".|...",
    "pinky": "....|",
    "el": "||...",
    "why": "|...|",
    "three": "|||..",
    "okay": "..|||",
    "four": ".||||",
    "flat": "|||||",
}

_ROLL = 0.14  # seconds from one finger to the next in a rolling movement
_TURN = 0.4  # seconds from one hand to the other if they move in turn

WAYS = {  # how long each of FINGERS waits in a transition; a thumb goes with its index
    "=": (0.0,) * 10,  # all fingers at once
    ">": (0.0, 0.0, _ROLL, 2 * _ROLL, 3 * _ROLL) * 2,  # rolling from index to pinky
    "<": (3 * _ROLL, 3 * _ROLL, 2 * _ROLL, _ROLL, 0.0) * 2,  # rolling from pinky to index
    "R": (0.0,) * 5 + (_TURN,) * 5,  # the right hand, then the left
    "L": (_TURN,) * 5 + (0.0,) * 5,  # the left hand, then the right
}

# Nineteen words, five of them in two styles. Words under one heading cannot be told apart by which
# finger states occur, or how often: only by their order and overlap.
WORDS: dict[str, tuple[str, ...]] = {
    # Every finger straightens once.
    # Same poses in the same order, at once or rolling from either side:
    "throw": ("fist = flat",),
    "several": ("fist > flat",),
    "how much": ("fist < flat",),
    # another order of poses: thumb and index first, or last
    "leg": ("fist = el = flat",),
    "lab": ("fist = okay = flat",),
    # Every finger bends and straightens again; order of poses, and at once or rolling.
    # The second styles of ketchup and teaspoon bend only, and count like the five words above.
    "air": ("flat = fist = flat", "flat > fist < flat"),
    "ketchup": ("flat = el = fist = flat", "flat = el = fist"),
    "teaspoon": ("flat = okay = fist = flat", "flat < fist"),
    # Index and pinky straighten in turn: order of poses.
    "quiz": ("fist = point = fist = pinky = fist",),
    "xray": ("fist = pinky = fist = point = fist",),
    # Both hands, each bends its thumb: order of poses.
    "bank": ("flat+flat = four+flat = four+four",),
    "alphabets": ("flat+flat = flat+four = four+four",),
    # Both hands, the same poses: at once, or in turn.
    "bus": ("el+el = fist+fist",),
    "high school": ("el+el R fist+fist",),
    # Alone: which fingers change is enough.
    "gallon": ("why = fist = why", "why = fist > why"),
    "lady": ("thumb = flat = thumb", "thumb > flat = thumb"),
    "sink": ("four = flat = four",),
    "stepmother": ("fist+point > flat+point",),
    "refrigerator": ("flat+flat L fist+three",),
}


class Step(NamedTuple):
    """A pose, and the movement into it."""

    way: str
    pose: str


Steps = tuple[Step, ...]
Transition = dict[int, int]
"""Frame in which each moving finger changes, by its position in FINGERS."""


def read_style(style: str) -> Steps:
    """Read the steps of a style; the movement into the first pose has no meaning.

    Examples
    --------
    >>> read_style("fist > flat")
    (Step(way='=', pose='fist'), Step(way='>', pose='flat'))
    """
    poses_and_ways = ["=", *style.split()]
    return tuple(map(Step, poses_and_ways[0::2], poses_and_ways[1::2]))


def states(pose: str) -> str:
    """State of each finger of the hands in use, in the order of FINGERS.

    Examples
    --------
    >>> states("el"), states("el+fist")
    ('||...', '||........')
    """
    return "".join(SHAPES[shape] for shape in pose.split("+"))


def movers(before: Step, after: Step) -> list[int]:
    """Fingers that change from step to step."""
    both = zip(states(before.pose), states(after.pose), strict=True)
    return [finger for finger, (old, new) in enumerate(both) if old != new]


def count_intervals(steps: Steps) -> int:
    """One interval for each finger, and one for each change."""
    changes = sum(len(movers(before, after)) for before, after in pairwise(steps))
    return len(states(steps[0].pose)) + changes


def skip_pose(k: int, steps: Steps) -> Steps:
    """Leave out pose k; equal poses that become neighbours become one."""
    returns = steps[k - 1].pose == steps[k + 1].pose
    return steps[:k] + steps[k + 1 + returns :]


def repeat_change(k: int, steps: Steps) -> Steps:
    """Go from pose k back to the one before, and forth again."""
    back = Step(steps[k].way, steps[k - 1].pose)
    return (*steps[: k + 1], back, *steps[k:])


def plan(steps: Steps, hold: Sequence[float], tempo: float) -> tuple[list[Transition], int]:
    """Frames of every transition and of the end, for poses held for `hold` seconds."""
    transitions: list[Transition] = []
    time = hold[0]
    for (before, after), held in zip(pairwise(steps), hold[1:], strict=True):
        wait = {finger: WAYS[after.way][finger] for finger in movers(before, after)}
        transitions.append({finger: frame_of(tempo * (time + wait[finger])) for finger in wait})
        time += max(wait.values()) + held
    return transitions, frame_of(tempo * time)


def frame_of(seconds: float) -> int:
    """Frame nearest to a time."""
    return round(seconds * FRAMES_PER_SECOND)
