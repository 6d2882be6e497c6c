"""A subject of the simulated daily living, who does chores with two arms."""

from typing import NamedTuple

import numpy as np

from ibgn.datasets import _chores as chores
from ibgn.datasets._timeline import Span

FRAMES_PER_SECOND = 30
SPREAD = 0.2  # of the logarithm of durations
GAP = 0.25  # seconds between steps
LEAD = 0.4  # seconds for which a posture is taken before the first step
WALK = 2.5  # seconds from place to place
BREATH = 1.0  # seconds after the last step of a chore
BEYOND = 5  # frames by which one arm continues after the other at least, if both act at once
MOST_REPEATS = 3
SWITCH = 0.2  # chance that the arms change roles after a step
MARGIN = 0.1  # seconds by which a gesture is longer on each side than the move that it contains


class Habits(NamedTuple):
    """How a subject does chores; see `make_daily_living`."""

    tempo: float
    right: float  # chance that the right arm leads
    skip: float
    repeat: float
    clumsiness: float


class Together(NamedTuple):
    """Positions of two spans of two arms, and the relation in which they are planned."""

    first: int
    second: int
    relation: str


class Body:
    """Does one chore after another, and collects the spans."""

    def __init__(self, habits: Habits, rng: np.random.Generator) -> None:
        self.habits = habits
        self.spans: list[Span] = []
        self.together: list[Together] = []
        self._rng = rng
        self._now = 0
        self._place = ""
        self._posture = Span("", 0, 0)
        self._pace = 1.0

    def do(self, chore: chores.Chore, meanwhile: chores.Chore | None = None) -> None:
        """Go there, take the posture and do the steps; free arms do another chore meanwhile."""
        if self._place not in ("", chore.place):
            self._take("walk")
            self._now += self._frames(WALK)
            self._posture.end = self._now
        if self._posture.action != chore.posture:
            self._take(chore.posture)
        self._place = chore.place
        self._now += self._frames(LEAD)
        self._pace = chore.pace
        arms = ["right", "left"] if self._chance(self.habits.right) else ["left", "right"]
        for step in self._steps(chore, meanwhile):
            self._step(step, *arms)
            if self._chance(SWITCH):
                arms.reverse()
        self._pace = 1.0
        self._now += self._frames(BREATH)
        self._posture.end = self._now

    def _steps(self, chore: chores.Chore, meanwhile: chores.Chore | None) -> list[chores.Step]:
        """Steps without those left out, with those repeated, and with a second chore woven in."""
        steps = self._chosen(chore)
        second = [] if meanwhile is None else self._chosen(meanwhile)
        for place, step in enumerate(steps):
            if second and step.other is None and second[0].other is None:
                steps[place] = step._replace(other=second.pop(0).move)
        return steps + second

    def _chosen(self, chore: chores.Chore) -> list[chores.Step]:
        steps = []
        for step in chore.steps:
            if not (step.optional and self._chance(self.habits.skip)):
                again = self._rng.binomial(MOST_REPEATS, self.habits.repeat)
                steps += [step] * (1 + again * step.repeatable)
        return steps

    def _take(self, posture: str) -> None:
        self._posture = Span(posture, self._now, self._now)
        self.spans.append(self._posture)

    def _step(self, step: chores.Step, arm: str, other_arm: str) -> None:
        first = self._move(arm, step.move, self._now)
        moved = [(step.move, first)]
        if step.other is not None:
            moved.append((step.other, self._accompany(first, step, other_arm)))
        for move, span in moved:
            if move in chores.GESTURES:  # one of the whole body, from before the move to after it
                start, end = span.start - self._frames(MARGIN), span.end + self._frames(MARGIN)
                self.spans.append(Span(f"both {chores.GESTURES[move]}", start, end))
        self._now = max(span.end for _, span in moved) + self._frames(GAP)

    def _accompany(self, first: Span, step: chores.Step, arm: str) -> Span:
        """What the other arm does at the same time; or, clumsily, after it."""
        clumsy = self._chance(self.habits.clumsiness)
        begin = first.end + self._frames(GAP) if clumsy else (first.start + first.end) // 2
        second = self._move(arm, str(step.other), begin)
        if clumsy:
            relation = "before"
        elif step.within:
            relation, first.end = "contains", second.end + BEYOND
        else:
            relation, second.end = "overlaps", max(second.end, first.end + BEYOND)
        self.together.append(Together(len(self.spans) - 2, len(self.spans) - 1, relation))
        return second

    def _move(self, arm: str, move: str, start: int) -> Span:
        seconds = chores.SECONDS[move.split()[0]]
        span = Span(f"{arm} {move}", start, start + self._frames(seconds * self._pace))
        self.spans.append(span)
        return span

    def _chance(self, probability: float) -> bool:
        return bool(self._rng.random() < probability)

    def _frames(self, seconds: float) -> int:
        """About this many seconds in frames, at the tempo of the subject."""
        lasts = seconds * self.habits.tempo * float(np.exp(SPREAD * self._rng.normal()))
        return max(2, round(lasts * FRAMES_PER_SECOND))


def untangle(spans: list[Span]) -> None:
    """Let each limb do one thing at a time, by delaying spans that overlap.

    Examples
    --------
    >>> spans = [Span("left sip cup", 0, 5), Span("left open fridge", 3, 6)]
    >>> untangle(spans)
    >>> spans
    [left sip cup [0, 5), left open fridge [5, 6)]
    """
    free = dict.fromkeys(chores.TRACKS, -(2**31))
    for span in sorted(spans, key=lambda span: span.start):
        track = chores.track_of(span.action)
        span.start = max(span.start, free[track])
        span.end = max(span.end, span.start + 1)
        free[track] = span.end
