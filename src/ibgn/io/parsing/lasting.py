"""Rows that say only when they start: which tables have them, and how long they last."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn.io.parsing.guess import Guess, Places
from ibgn.io.parsing.moments import read_moments, since_first
from ibgn.io.parsing.words import END, LENGTH

__all__ = [
    "LONG",
    "PERSISTENT",
    "SHORT",
    "Lasting",
    "are_boxes",
    "are_codes_of_samples",
    "ends_with_mark",
    "find_boxes",
    "is_sampled",
    "last_until_next",
]

FORWARD = 0.9  # share of rows that do not start before the row above
EVEN = 0.8  # share of steps that are about as long as the median one, in rows of a sampled signal
JITTER = 0.1  # of these steps, as a share of the median
MARKS = ("eof", "end")  # labels that only end the row before
SIDES = 4  # numbers of a box
CORNERS = frozenset({"x1", "y1", "x2", "y2"})
SHORT, LONG = 1.5, 3.0  # steps that end a run of samples, and of readings that come unevenly
PERSISTENT = 3.0  # rows that labels of a signal last on average, where only that tells of it
SAMPLES = 10  # rows of a signal that has only codes
STEPS = 2  # the least that tell of sampling
ROUNDED = 3.0  # the least step of whole numbers that may be 1 off, as of 120 rows in 1000 ms


def last_until_next(guess: Guess, places: Mapping[str, Places]) -> bool:
    """Whether rows with a start and no end can be taken to last until the next row."""
    if not {"start", "action"} <= places.keys() or places.keys() & {"end", "length"}:
        return False
    if "start" in guess.known:
        return True
    if guess.counts_rows(places["start"][0]) and guess.is_unique(places["action"][0]):
        return False  # a list of names with their numbers
    used = {place for each in places.values() for place in each}
    others = [p for p in range(len(guess.words)) if p not in used]
    times = [p for p in others if guess.kinds[p] not in ("text", "empty")]
    ends = [p for p in times if {*guess.words[p]} & (END | LENGTH)]
    if ends and not _are_of_samples(guess, places, ends):
        return False  # it may end them, in a way that is not understood
    if guess.kinds[places["start"][0]] not in ("number", "clock"):
        return True
    return _goes_forward(guess, places)


def _are_of_samples(guess: Guess, places: Mapping[str, Places], ends: Sequence[int]) -> bool:
    """Whether columns say again in each sample how long an event lasts, as eye trackers do."""
    rows = len(guess.sheet.rows)
    again = all(PERSISTENT * guess.distinct(place) <= rows for place in ends)
    return again and len(places["start"]) == 1 and is_sampled(guess, places["start"][0])


def _goes_forward(guess: Guess, places: Mapping[str, Places]) -> bool:
    """Whether the times of each instance do not go back, and are not all the same."""
    times: dict[tuple[str, ...], list[float]] = {}
    instance = (*places.get("instance", ()), *places.get("track", ()))
    for row, time in zip(guess.sheet.rows, guess.numbers(places["start"][-1]), strict=True):
        if time is not None:
            times.setdefault(tuple(row[place] for place in instance), []).append(time)
    steps = [b - a for each in times.values() for a, b in pairwise(each)]
    return any(steps) and sum(step >= 0 for step in steps) >= FORWARD * len(steps)


def ends_with_mark(guess: Guess) -> bool:
    """Whether the last row only ends the one before, as in JWatcher."""
    return guess.sheet.column(-1)[-1].casefold() in MARKS


def is_sampled(guess: Guess, place: int) -> bool:
    """Whether the times of a column are about equally far apart."""
    if guess.kinds[place] == "moment":
        moments, _ = read_moments(guess.sheet.column(place), str)
        times = since_first(moments, str)
    else:
        numbers = guess.numbers(place)
        times = np.array([np.nan if number is None else number for number in numbers], float)
    return Lasting.sampled_step(np.diff(times)) is not None


def are_codes_of_samples(guess: Guess) -> bool:
    """Whether all columns are numbers: times that go up evenly, then codes that go on for rows."""
    rows = len(guess.sheet.rows)
    if rows < SAMPLES or any(kind != "number" for kind in guess.kinds) or not is_sampled(guess, 0):
        return False
    times = [time or 0.0 for time in guess.numbers(0)]
    for place in range(1, len(guess.kinds)):
        numbers = guess.numbers(place)
        if {*numbers} == {times[1] - times[0]}:
            return False  # how long each row lasts
        runs = 1 + sum(one != two for one, two in pairwise(numbers))
        if not guess.are_whole(place) or PERSISTENT * runs > rows:
            return False
    return len(guess.kinds) > 1


def find_boxes(guess: Guess) -> dict[str, Places]:
    """Columns of a table without names, whose rows are boxes in pictures, as AVA has them.

    A box has four sides between 0 and 1. The recording and the time come before it, what it shows
    after it, and then who that is.
    """
    if any(guess.words):
        return {}
    for first in range(1, len(guess.words) - SIDES):
        sides = [guess.numbers(place) for place in range(first, first + SIDES)]
        if guess.kinds[first - 1] != "number" or not _are_boxes(sides):
            continue
        after = first + SIDES
        found: dict[str, Places] = {"start": (first - 1,), "action": (after,)}
        if first > 1 and guess.kinds[first - 2] == "text":
            found["instance"] = (first - 2,)
        whole = after + 1 < len(guess.words) and all(
            number is not None and number.is_integer() for number in guess.numbers(after + 1)
        )
        return found | ({"track": (after + 1,)} if whole else {})
    return {}


def are_boxes(guess: Guess) -> bool:
    """Whether the names of columns say that rows are boxes in pictures."""
    corners = [word for words in guess.words for word in words[-1:] if word in CORNERS]
    return len(corners) == SIDES


def _are_boxes(sides: Sequence[Sequence[float | None]]) -> bool:
    rows = [row for row in zip(*sides, strict=True) if None not in row]
    boxes = np.array(rows, float).reshape(-1, SIDES)
    if len(boxes) == 0 or boxes.min() < 0 or boxes.max() > 1 or not (boxes % 1).any():
        return False
    return bool((boxes[:, :2] < boxes[:, 2:]).all())


class Lasting:
    """How long rows last that only start.

    Rows of a signal that is sampled evenly last for a step, and equal labels that follow each other
    are one interval. Other rows last until the next one of their instance and track.

    Parameters
    ----------
    keys : of each row, its instance and track
    actions : of each row
    start : of each row
    sampled : whether rows are known to be samples, also where their steps are not even
    gap : steps that end a run of samples

    Examples
    --------
    >>> lasting = Lasting(["a"] * 4, ["walk", "walk", "sit", "sit"], np.array([0.0, 1, 2, 3]))
    >>> lasting.rows.tolist(), lasting.end.tolist(), lasting.step
    ([0, 2], [2.0, 4.0], 1.0)
    >>> lasting = Lasting(["a"] * 3, ["walk", "sit", "walk"], np.array([0.5, 2.5, 9]))
    >>> lasting.rows.tolist(), lasting.end.tolist(), lasting.step
    ([0, 1], [2.5, 9.0], None)
    """

    def __init__(
        self,
        keys: Sequence[object],
        actions: Sequence[str],
        start: Floats,
        sampled: bool = False,
        gap: float = SHORT,
    ) -> None:
        self.start = start
        marks = np.array([action.strip().casefold() in MARKS for action in actions], bool)
        self.next = self._starts_after(keys, start[marks])
        known = np.isfinite(self.next) & np.isfinite(start)
        steps = self.next[known] - start[known]
        self.step = self.sampled_step(steps)
        self.gap = gap
        if self.step is None and sampled:
            self.step = float(np.median(steps)) if len(steps) else 1.0
        lasts = ~marks
        if self.step is None:
            rows = np.flatnonzero(lasts & np.isfinite(self.next))
            self.rows, self.end = rows, self.next[rows]
        else:
            self.rows, self.end = self._runs(keys, actions, lasts, self.step)

    def _starts_after(self, keys: Sequence[object], marks: Floats) -> Floats:
        """When a later row of the same key starts; infinite where there is none.

        A mark of the end ends all tracks of an instance, whichever it is on itself.
        """
        following = np.full(len(self.start), np.inf)
        seen: dict[object, tuple[float, float]] = {}  # the last time, and the one after it
        for row in np.argsort(-self.start, kind="stable").tolist():
            time = float(self.start[row])
            if time != time:
                continue
            last, after = seen.get(keys[row], (np.inf, np.inf))
            if time < last:
                last, after = time, last
            seen[keys[row]] = (last, after)
            following[row] = after
        instances = {key[0] if isinstance(key, tuple) else key for key in keys}
        if len(marks) == len(instances) == 1:
            following[np.isinf(following) & (self.start < marks[0])] = marks[0]
        return following

    @staticmethod
    def sampled_step(steps: Floats) -> float | None:
        """Step of times that are about equally far apart; None where they are not."""
        if len(steps) < STEPS:
            return None
        step = float(np.median(steps))
        rounded = step >= ROUNDED and bool(np.all(steps == np.round(steps)))
        even = np.abs(steps - step) <= max(JITTER * step, 1.0 if rounded else 0.0)
        return step if even.mean() >= EVEN else None

    def _runs(
        self,
        keys: Sequence[object],
        actions: Sequence[str],
        lasts: npt.NDArray[np.bool_],
        step: float,
    ) -> tuple[npt.NDArray[np.intp], Floats]:
        """First row of each run of a label, and when it ends."""
        ends = np.where(self.next < self.start + self.gap * step, self.next, self.start + step)
        going: dict[tuple[object, str], int] = {}
        end: dict[int, float] = {}
        for row in np.argsort(self.start, kind="stable").tolist():
            if not lasts[row] or self.start[row] != self.start[row]:
                continue
            key = keys[row], actions[row]
            first = going.get(key)
            if first is None or end[first] < self.start[row]:
                first = going[key] = row
            end[first] = max(float(ends[row]), end.get(first, 0.0))
        rows = np.array(sorted(end), np.intp)
        return rows, np.array([end[row] for row in rows.tolist()], float)
