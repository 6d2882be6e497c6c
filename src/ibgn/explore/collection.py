"""Instances and labels that can be changed: what was read, and every change since."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.text import half_character, quote

__all__ = ["Change", "Collection", "ConflictError", "Interval", "Look", "parse_interval"]

MOST_INTERVALS = 100_000
LONGEST_NAME = 1_000  # characters of an action or a label


class Interval(NamedTuple):
    """An action from start to end; its tier, where the file has tiers."""

    action: str
    start: float
    end: float
    track: str | None = None


@dataclass(frozen=True)
class Look:
    """An instance as it looks now.

    Parameters
    ----------
    intervals : in the order of their starts
    label : its activity, or None
    version : how often it was changed, including changes that were undone
    """

    intervals: tuple[Interval, ...]
    label: Any
    version: int = 0


@dataclass(frozen=True)
class Change:
    """One step: how an instance looked before and after it, and which page made it.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)]])
    >>> change = Collection(X, ["tea"]).change(0, seen=0, label="coffee")
    >>> change.before.label, change.after.label, change.after.version
    ('tea', 'coffee', 1)
    """

    number: int
    before: Look
    after: Look
    page: str = ""
    undoes: bool = False  # takes back the last one of its page that was not taken back


class ConflictError(DataError):
    """An instance was changed elsewhere since a page saw it.

    Examples
    --------
    >>> collection = Collection(IntervalSequences.from_lists([[("boil", 0, 4)]]), ["tea"])
    >>> _ = collection.change(0, seen=0, label="coffee")
    >>> try:
    ...     collection.change(0, seen=0, label="soup")
    ... except ConflictError:
    ...     print(collection.labels.tolist())
    ['coffee']
    """


class Collection:
    """Instances with labels, which pages change one step at a time.

    A change names the version that its page saw. If the instance has another version by now,
    somebody else changed it, and the change is refused: nobody overwrites a change unseen.

    Parameters
    ----------
    X, y : instances as they were read, and their labels, None where there are none
    note : called with every change, before it takes effect

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)], [("grind", 0, 2)]])
    >>> collection = Collection(X, ["tea", None])
    >>> collection.change(1, seen=0, label="coffee").after.label
    'coffee'
    >>> collection.labels.tolist(), sorted(collection.changed)
    (['tea', 'coffee'], [1])
    >>> collection.undo().after.label is None, collection.redo().after.label
    (True, 'coffee')
    """

    def __init__(
        self,
        X: IntervalSequences,
        y: Iterable[Any] | None = None,
        note: Callable[[Change], None] | None = None,
    ) -> None:
        self.original = X
        self.first_labels = _as_labels(y, len(X))
        self.note = note
        self.changed: dict[int, Look] = {}
        self._done: dict[str, list[Change]] = {}  # of each page, without those taken back
        self._undone: dict[str, list[Change]] = {}  # of each page, since it changed something else

    def __len__(self) -> int:
        return len(self.original)

    def __getitem__(self, number: int) -> Look:
        """An instance as it looks now."""
        if not 0 <= number < len(self):
            raise DataError(f"there is no instance {number}; there are {len(self)}")
        return self.changed.get(number) or self.first(number)

    def first(self, number: int) -> Look:
        """An instance as it was read."""
        one = self.original[number]
        names = [one.actions[code] for code in one.action]
        tracks = [None] * len(names) if one.track is None else one.track.tolist()
        rows = zip(names, one.start.tolist(), one.end.tolist(), tracks, strict=True)
        return Look(tuple(Interval(*row) for row in rows), self.first_labels[number])

    @property
    def labels(self) -> npt.NDArray[np.object_]:
        """(instances,) labels as they are now."""
        labels = self.first_labels.copy()
        for number, look in self.changed.items():
            labels[number] = look.label
        return labels

    @property
    def sequences(self) -> IntervalSequences:
        """Instances as they are now."""
        return self.take(range(len(self))) if self.changed else self.original

    def take(self, numbers: Sequence[int]) -> IntervalSequences:
        """Some instances as they are now."""
        rows = self.original[list(numbers)]
        moved = [place for place, number in enumerate(numbers) if number in self.changed]
        if not moved:
            return rows
        parts, last = [], 0
        for place in moved:
            parts += [rows[last:place], self._rebuilt(numbers[place])]
            last = place + 1
        return IntervalSequences.concatenate([*parts, rows[last:]])

    def _rebuilt(self, number: int) -> IntervalSequences:
        """An instance from its intervals, with the name and the group it has."""
        old = self.original[[number]]
        new = as_sequences_of(self.changed[number].intervals, old.ids, old.groups)
        if old.track is None:
            return new
        tracks: dict[tuple[str, float, float], list[str | None]] = {}
        for interval in self.changed[number].intervals:
            tracks.setdefault(interval[:3], []).append(interval.track)
        found = np.array([tracks[row].pop(0) for row in new.to_lists()[0]], object)
        flat = new.flat._replace(track=found)
        return IntervalSequences.from_flat(flat, new.actions, new.ids, new.groups)

    def change(
        self,
        number: int,
        seen: int,
        page: str = "",
        *,
        intervals: Iterable[Interval] | None = None,
        **label: Any,
    ) -> Change:
        """Change the intervals, the `label`, or both.

        Parameters
        ----------
        number : which instance
        seen : the version that the page saw
        page : who changes
        intervals : all intervals, as they are to be
        label : the activity, or None for no label
        """
        before = self[number]
        if seen != before.version:
            raise ConflictError(
                f"this instance was changed elsewhere (version {before.version}; the page saw "
                f"{seen}); look at it again before changing it"
            )
        after = replace(before, version=before.version + 1, **label)
        if intervals is not None:
            after = replace(after, intervals=tuple(sorted(intervals, key=_order)))
        return self._apply(Change(number, before, after, page))

    def undo(self, page: str = "") -> Change:
        """Take back the last change of a page."""
        done = self._done.get(page)
        if not done:
            raise DataError("there is nothing to take back")
        number, before, after = done[-1].number, done[-1].before, done[-1].after
        return self._go(number, after, before, page, undoes=True)

    def redo(self, page: str = "") -> Change:
        """Do again what a page took back last."""
        undone = self._undone.get(page)
        if not undone:
            raise DataError("there is nothing to do again")
        number, before, after = undone[-1].number, undone[-1].before, undone[-1].after
        return self._go(number, before, after, page, undoes=False)

    def _go(self, number: int, seen: Look, to: Look, page: str, *, undoes: bool) -> Change:
        """Make an instance look as it did, if nobody else changed it."""
        now = self[number]
        if not _is_same(now, seen):
            raise ConflictError("this instance was changed elsewhere since; look at it first")
        after = replace(to, version=now.version + 1)
        return self._apply(Change(number, now, after, page, undoes))

    def _apply(self, change: Change) -> Change:
        if self.note is not None:
            self.note(change)
        self.repeat(change)
        return change

    def repeat(self, change: Change) -> None:
        """Take over a change that is noted already."""
        self.changed[change.number] = change.after
        done = self._done.setdefault(change.page, [])
        undone = self._undone.setdefault(change.page, [])
        if change.undoes and done:
            undone.append(done.pop())
            return
        done.append(change)
        last = undone.pop() if undone else None
        if last is None or last.number != change.number or not _is_same(last.after, change.after):
            undone.clear()  # it is something else than what was taken back

    def changed_since(self, seen: Mapping[int, Look]) -> list[int]:
        """Numbers of instances that changed since `seen`, a copy of `changed`."""
        return [number for number, look in self.changed.items() if seen.get(number) is not look]

    @property
    def differing(self) -> list[int]:
        """Numbers of instances that differ from what was read."""
        return [
            number
            for number, look in sorted(self.changed.items())
            if not _is_same(look, self.first(number))
        ]


def as_sequences_of(
    intervals: Iterable[Interval], ids: Any = None, groups: Any = None
) -> IntervalSequences:
    """One instance of these intervals."""
    rows = [interval[:3] for interval in intervals]
    return IntervalSequences.from_lists([rows], ids, groups)


def parse_interval(given: object) -> Interval:
    """An interval as a page sends it; refuses what is none."""
    if not isinstance(given, Mapping):
        raise DataError(f"an interval must have action, start and end, got {str(given)[:80]}")
    name, track = given.get("action"), given.get("track")
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise DataError("an interval must have an action: some text of at most 1,000 characters")
    if half_character(name) is not None:
        raise DataError(f"action {quote(name)} contains half a character")
    if track is not None and not isinstance(track, str):
        raise DataError("the track of an interval must be text")
    start, end = (_as_time(given.get(side), side) for side in ("start", "end"))
    if not start < end:
        raise DataError(f"{quote(name)} must end after it starts, got {start:g} to {end:g}")
    return Interval(name, start, end, track)


def _as_time(value: object, side: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{side} must be a number, got {str(value)[:80]}")
    if not abs(value) < 1e15:
        raise DataError(f"{side} must be finite and below 1e15, got {str(value)[:80]}")
    return float(value)


def _is_same(one: Look, other: Look) -> bool:
    return replace(one, version=0) == replace(other, version=0)


def _order(interval: Interval) -> tuple[float, float, str]:
    return interval.start, interval.end, interval.action


def _as_labels(y: Iterable[Any] | None, n: int) -> npt.NDArray[np.object_]:
    """(n,) labels; None where there is none."""
    labels = np.full(n, None, dtype=object)
    if y is not None:
        given = y.tolist() if isinstance(y, np.ndarray) else list(y)
        labels[:] = [None if label != label else label for label in given]  # NaN is no label
    return labels
