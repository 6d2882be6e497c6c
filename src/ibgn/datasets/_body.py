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
BEYOND = 5  # frames by which the other arm continues at least, if both act at once
MOST_REPEATS = 3
TWO_HANDS = 0.3  # chance that both arms do what can be done so

LIMBS = {
    "locomotion": ("legs",),
    "left arm": ("left",),
    "right arm": ("right",),
    "both arms": ("left", "right"),
}


class Habits(NamedTuple):
    """How a subject does chores; see `make_daily_living`."""

    tempo: float
    right: float  # chance that the right arm leads
    skip: float
    repeat: float
    clumsiness: float


class Together(NamedTuple):
    """Positions of two spans of two arms, and whether they overlap as planned."""

    first: int
    second: int
    overlap: bool


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

    def do(self, chore: chores.Chore) -> None:
        """Go there, take the posture and do the steps."""
        if self._place not in ("", chore.place):
            self._take("walk")
            self._now += self._frames(WALK)
            self._posture.end = self._now
        if self._posture.action != chore.posture:
            self._take(chore.posture)
        self._place = chore.place
        self._now += self._frames(LEAD)
        arms = ("right", "left") if self._chance(self.habits.right) else ("left", "right")
        for step in chore.steps:
            if not (step.optional and self._chance(self.habits.skip)):
                again = (
                    self._rng.binomial(MOST_REPEATS, self.habits.repeat) if step.repeatable else 0
                )
                for _ in range(1 + again):
                    self._step(step, arms)
        self._now += self._frames(BREATH)
        self._posture.end = self._now

    def _take(self, posture: str) -> None:
        self._posture = Span(posture, self._now, self._now)
        self.spans.append(self._posture)

    def _step(self, step: chores.Step, arms: tuple[str, str]) -> None:
        if step.other is None:
            two = step.move in chores.TWO_HANDED and self._chance(TWO_HANDS)
            self._move("both" if two else arms[0], step.move, self._now)
        else:  # both arms at the same time; or, clumsily, one after the other
            first = self._move(arms[0], step.move, self._now)
            overlap = not self._chance(self.habits.clumsiness)
            begin = (first.start + first.end) // 2 if overlap else first.end + self._frames(GAP)
            second = self._move(arms[1], step.other, begin)
            second.end = max(second.end, first.end + BEYOND)
            self.together.append(Together(len(self.spans) - 2, len(self.spans) - 1, overlap))
        self._now = self.spans[-1].end + self._frames(GAP)

    def _move(self, arm: str, move: str, start: int) -> Span:
        words = move.split()
        verb = " ".join(words[:2]) if words[0] == "turn" else words[0]
        seconds = chores.SECONDS[verb]
        span = Span(f"{arm} {move}", start, start + self._frames(seconds))
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
    >>> spans = [Span("left sip cup", 0, 5), Span("both open fridge", 3, 6)]
    >>> untangle(spans)
    >>> spans
    [left sip cup [0, 5), both open fridge [5, 6)]
    """
    free = dict.fromkeys(("legs", "left", "right"), -(2**31))
    for span in sorted(spans, key=lambda span: span.start):
        limbs = LIMBS[chores.track_of(span.action)]
        span.start = max([span.start, *(free[limb] for limb in limbs)])
        span.end = max(span.end, span.start + 1)
        free.update(dict.fromkeys(limbs, span.end))
