"""Days in one recording each, in which activities come one after the other, simulated."""

from itertools import pairwise

import numpy as np

from ibgn.checks import check_whole
from ibgn.datasets._timeline import Interval, check_chances
from ibgn.datasets.composable import make_composable
from ibgn.intervals import IntervalSequences

__all__ = ["make_untrimmed_days"]

PAUSE = 4.0  # seconds, of the median; the spread is that of their logarithm
PAUSE_SPREAD = 1.0
LONGEST_IDLE = 8  # actions that belong to no activity
LASTING = ("lamp", "radio")  # what goes on while activities come and go
LASTS = (2, 6)  # activities


def make_untrimmed_days(
    *,
    days: int = 10,
    activities_per_day: int = 20,
    habit: float = 0.5,
    idle: float = 0.5,
    overlap: float = 0.3,
    lasting: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[IntervalSequences, IntervalSequences]:
    """Simulate days in which the activities of `make_composable` follow each other.

    A day is one instance. Between its activities are pauses, whose length says little, and
    stretches of actions that belong to none, although all of them occur in activities too. Some
    activities begin while the last action of the one before goes on, and a lamp and a radio are
    switched on and off at any time.

    Parameters
    ----------
    days : number of streams
    activities_per_day : in each of them
    habit : probability that an activity follows the one that it follows usually
    idle : probability of a stretch of 1 to 8 actions of no activity after an activity
    overlap : probability that an activity begins before the last action of the one before ends
    lasting : probability that the lamp, and likewise the radio, is switched on in an activity; for
        2 to 6 of them
    random_state : seed, generator, or None for other data at each call

    Returns
    -------
    X : one stream per day
    activities : for each day, its activities as intervals; where two overlap, the first ends when
        the next begins

    Examples
    --------
    >>> X, activities = make_untrimmed_days(days=2, activities_per_day=5, random_state=0)
    >>> len(X), activities.lengths.tolist(), "radio" in X.actions
    (2, [5, 5], True)
    """
    check_whole("days", days, 1)
    check_whole("activities_per_day", activities_per_day, 1)
    check_chances({"habit": habit, "idle": idle, "overlap": overlap, "lasting": lasting})
    rng = np.random.default_rng(random_state)
    number = days * activities_per_day
    instances, y, _ = make_composable(instances=number, n_subjects=1, random_state=rng)
    rows = instances.to_lists()
    order = _put_in_order(y.tolist(), habit, rng)
    singles = [(action, end - start) for own in rows for action, start, end in own]
    composed = []
    for first in range(0, number, activities_per_day):
        own = order[first : first + activities_per_day]
        day = _Day(singles, rng)
        for n in own:
            day.perform(y[n], rows[n], overlap)
            if rng.random() < idle:
                day.idle()
        day.switch(lasting)
        composed.append(day)
    ids = [f"day {n}" for n in range(1, days + 1)]
    vocabulary = sorted({*instances.actions, *LASTING})
    return tuple(  # type: ignore[return-value]
        _with_names(IntervalSequences.from_lists(lists, ids=ids), names)
        for lists, names in (
            ([day.intervals for day in composed], vocabulary),
            ([day.activities for day in composed], sorted(set(y))),
        )
    )


class _Day:
    """A day that goes on: its intervals and activities so far."""

    def __init__(self, singles: list[tuple[str, float]], rng: np.random.Generator) -> None:
        self.singles, self.rng, self.now = singles, rng, 0.0
        self.intervals: list[Interval] = []
        self.activities: list[Interval] = []

    def pause(self) -> None:
        """Let time pass without an action."""
        self.now += float(self.rng.lognormal(np.log(PAUSE), PAUSE_SPREAD))

    def perform(self, name: str, instance: list[Interval], overlap: float) -> None:
        """Do an activity, perhaps before the last action of the one before ends."""
        self.pause()
        if self.activities and self.rng.random() < overlap:
            _, begun, until = self.activities[-1]
            latest = max(s for _, s, e in self.intervals if s < until)
            if latest > begun:
                self.now = latest + float(self.rng.uniform(0.3, 1.0)) * (until - latest)
                self.activities[-1] = (*self.activities[-1][:2], self.now)
        self.intervals += [(a, self.now + s, self.now + e) for a, s, e in instance]
        until = self.now + max(end for _, _, end in instance)
        self.activities.append((name, self.now, until))
        self.now = until

    def idle(self) -> None:
        """Do this and that."""
        for _ in range(int(self.rng.integers(1, LONGEST_IDLE + 1))):
            self.pause()
            action, lasts = self.singles[self.rng.integers(len(self.singles))]
            self.intervals.append((action, self.now, self.now + lasts))
            self.now += lasts

    def switch(self, lasting: float) -> None:
        """Switch on what lasts, for some activities."""
        begins = [start for _, start, _ in self.activities]
        for action in LASTING:
            free = 0
            for n in range(len(begins)):
                if n >= free and self.rng.random() < lasting:
                    free = n + int(self.rng.integers(LASTS[0], LASTS[1] + 1))
                    late = float(self.rng.uniform(0, 2))
                    until = begins[free] if free < len(begins) else self.now
                    self.intervals.append((action, begins[n] + late, until + late + 1))


def _put_in_order(labels: list[str], habit: float, rng: np.random.Generator) -> list[int]:
    """Numbers of all instances, so that activities follow their habitual order at times."""
    left: dict[str, list[int]] = {}
    for n in rng.permutation(len(labels)).tolist():
        left.setdefault(labels[n], []).append(n)
    names = sorted(left)
    following = dict(pairwise([*names, names[0]]))
    order: list[int] = []
    while any(left.values()):
        usual = following[labels[order[-1]]] if order else names[0]
        if not (left[usual] and rng.random() < habit):
            numbers = np.array([len(left[name]) for name in names])
            usual = names[rng.choice(len(names), p=numbers / numbers.sum())]
        order.append(left[usual].pop())
    return order


def _with_names(X: IntervalSequences, names: list[str]) -> IntervalSequences:
    """The same with the whole vocabulary, even if not all of it occurs."""
    renumber = np.array([names.index(name) for name in X.actions], np.int32)
    flat = X.flat._replace(action=renumber[X.action])
    return IntervalSequences.from_flat(flat, tuple(names), X.ids)
