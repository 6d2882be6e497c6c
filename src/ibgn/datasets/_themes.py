"""Themes of the composable activities, how they are composed, and the resulting stages.

This is what a subject plans to do; what happens instead is in `composable`. Everything here is
invented and fixed.
"""

from typing import Literal, NamedTuple

import numpy as np

from ibgn.datasets._timeline import Span

FRAMES_PER_SECOND = 30
MOST_ROUNDS = 3

STAGE_SECONDS = 1.6
PAUSE_SECONDS = 0.4
SPREAD = 0.2  # of the logarithm of durations
SHORTEST = 6  # frames of a stage or pause


class Theme(NamedTuple):
    """What an activity is composed of: a posture throughout, two actions, an opening, a closing."""

    posture: str
    first: str
    second: str
    opening: str
    closing: str


class Stage(NamedTuple):
    """An action alone, or one that overlaps another or contains others."""

    action: str
    how: Literal["alone", "overlaps", "contains"] = "alone"
    others: tuple[str, ...] = ()


WAYS = ("together", "in turn", "during")

THEMES = {
    "phone and wave": Theme("walk", "talk phone", "wave", "check watch", "stand"),
    "talk and drink": Theme("sit", "talk", "drink", "sit down", "stand up"),
    "clap and gesticulate": Theme("walk", "clap", "gesticulate", "look around", "turn"),
    "read and write": Theme("sit", "read", "write", "scratch head", "stand up"),
    "throw and jump": Theme("stand", "throw", "jump", "bend", "pick up"),
    "eat and type": Theme("lean", "eat", "type", "point", "cross arms"),
}

# every theme in every composition, but the last in only one: 16 activities
ACTIVITIES: dict[str, tuple[Theme, str]] = {
    f"{name}, {way}": (theme, way)
    for name, theme in THEMES.items()
    for way in (WAYS if name != "eat and type" else WAYS[:1])
}

ACTIONS = tuple(sorted({action for theme in THEMES.values() for action in theme}))


def compose(
    theme: Theme, way: str, rounds: int, swapped: bool, around: list[bool]
) -> tuple[Stage, ...]:
    """Stages of an activity; `around`: whether it is opened and closed, empty if it is brief."""
    one, other = (theme.second, theme.first) if swapped else (theme.first, theme.second)
    opening, closing, alone = Stage(theme.opening), Stage(theme.closing), [Stage(one), Stage(other)]
    if way == "together":
        composed = [Stage(one, "overlaps", (other,))] * rounds
    elif way == "during":
        composed = [Stage(one, "contains", (other,) * rounds)]
    else:
        composed = [stage for n in range(rounds) for stage in (opening, alone[n % 2])]
    if not around:
        return (*(alone if way == "in turn" else ()), *composed)
    opens, closes = around
    return (*[opening] * opens, *alone, *composed, *[closing] * closes)


def place_stages(stages: tuple[Stage, ...], tempo: float, rng: np.random.Generator) -> list[Span]:
    """Put stages one after the other, with pauses between."""
    spans: list[Span] = []
    now = 0
    for stage in stages:
        parts = 1 + len(stage.others) if stage.how == "overlaps" else max(1, len(stage.others))
        lasts = parts * _frames(tempo * STAGE_SECONDS * np.exp(SPREAD * rng.normal()))
        spans += [
            Span(action, now + round(start * lasts), now + round(end * lasts))
            for action, start, end in _shape(stage)
        ]
        now += lasts + _frames(tempo * PAUSE_SECONDS)
    return spans


def _shape(stage: Stage) -> list[tuple[str, float, float]]:
    """Where in a stage, from 0 to 1, its actions start and end."""
    if stage.how == "overlaps":
        return [(stage.action, 0.0, 0.65), (stage.others[0], 0.35, 1.0)]
    number = len(stage.others)
    inside = [
        (action, (place + 0.2) / number, (place + 0.8) / number)
        for place, action in enumerate(stage.others)
    ]
    return [(stage.action, 0.0, 1.0), *inside]


def _frames(seconds: float) -> int:
    return max(SHORTEST, round(seconds * FRAMES_PER_SECOND))
