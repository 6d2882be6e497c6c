"""The current instance: its intervals so far, some of which have no end yet."""

from collections.abc import Hashable
from numbers import Real
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.live_line import Line
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["FIRST_ROOM", "LIMIT", "MOST_OPEN", "Snapshot", "Timeline"]

FIRST_ROOM = 32
LIMIT = 100_000  # intervals of one instance
MOST_OPEN = 1_000  # of them without an end, as all of their pairs are open


class Snapshot(NamedTuple):
    """Intervals as arrays; those that are open last until now."""

    names: list[str]
    start: Floats
    end: Floats


class Timeline:
    """Intervals of one instance, in slots in the order of their starts.

    Parameters
    ----------
    actions : names of the known actions; others share the code after the last
    limit : maximum number of intervals in an instance
    most_open : maximum number of intervals without an end

    Examples
    --------
    >>> timeline = Timeline(("boil", "pour"))
    >>> slot = timeline.start("boil", 0.0)
    >>> timeline.start("pour", 3.0), timeline.end("boil", 4.0), timeline.span
    (1, 0, 4.0)
    """

    def __init__(
        self, actions: tuple[str, ...], limit: int = LIMIT, most_open: int = MOST_OPEN
    ) -> None:
        self.code = {name: number for number, name in enumerate(actions)}
        self.limit, self.most_open = limit, most_open
        self.action: Codes = np.zeros(FIRST_ROOM, np.int32)
        self.beginning: Floats = np.zeros(FIRST_ROOM)
        self.ending: Floats = np.full(FIRST_ROOM, np.inf)
        self.order: Ints = np.zeros(FIRST_ROOM, np.int64)
        self.changes: Ints = np.zeros(2 * FIRST_ROOM, np.int64)  # slots of starts, ~slots of ends
        self._line = self._make_line()
        self.clear()

    def clear(self) -> None:
        """Start another instance in the same arrays."""
        self.number = self.changed = 0  # intervals, and changes of them
        self.now = self.begin = self.last_end = -np.inf
        self.names: list[str] = []
        self.keys: list[Hashable] = []
        self.open: dict[str, list[int]] = {}  # slots of intervals without an end, by action

    @property
    def room(self) -> int:
        """Slots that there are."""
        return len(self.order)

    @property
    def going(self) -> int:
        """How many intervals are open."""
        return 2 * self.number - self.changed

    @property
    def span(self) -> float:
        """How long the instance has lasted: until its last end, or until now if some are open."""
        last = self.now if self.open else self.last_end
        return float(last - self.begin) if self.number else 0.0

    @property
    def line(self) -> Line:
        """What kernels see; the same arrays until there is more room."""
        line = self._line
        line.time[0], line.time[1], line.time[2] = self.now, self.begin, self.last_end
        line.size[0], line.size[1], line.size[2] = self.number, self.going, self.changed
        line.open[: self.going] = [slot for slots in self.open.values() for slot in slots]
        return line

    def _make_line(self) -> Line:
        arrays = (self.order, self.action, self.beginning, self.ending)
        opened = np.zeros(self.room, np.int64)
        return Line(np.zeros(3), np.zeros(3, np.int64), *arrays, opened, self.changes)

    def tick(self, time: float) -> None:
        """Let time pass."""
        check_time(time)
        if not (self.now <= time and abs(time) < LARGEST_TIME):
            wrong = f"is before {self.now:g}, which has passed" if time < self.now else "is no time"
            raise DataError(f"time {time:g} {wrong}; give events in the order of time")
        self.now = time

    def start(self, name: str, time: float, key: Hashable = None) -> int:
        """Start an interval; returns its slot. A key identifies it later."""
        if not isinstance(name, str):
            raise DataError(f"the action is {quote(name)}, not a name; give text")
        if self.number >= self.limit:
            raise DataError(
                f"an instance has at most {self.limit} intervals; finish it, or raise the limit"
            )
        if self.going >= self.most_open:
            raise DataError(
                f"{quote(name)} starts while {self.going} others go on; end them, or learn a model "
                "with a shorter horizon"
            )
        self.tick(time)
        slot = self.number
        if slot == len(self.action):
            self._grow()
        if not slot:
            self.begin = time
        self.action[slot] = self.code.get(name, len(self.code))
        self.beginning[slot], self.ending[slot], self.order[slot] = time, np.inf, slot
        self.names.append(name)
        self.keys.append(key)
        self.open.setdefault(name, []).append(slot)
        self.number += 1
        self._note(slot, slot)
        return slot

    def end(self, name: str, time: float, key: Hashable = None) -> int:
        """End the open interval of an action, or of a key; of several, the one that began first."""
        check_time(time)
        slot = self.find(name, key)
        if slot is None:
            raise DataError(f"{quote(name)} ends at {time:g}, but has not started")
        self.close(slot, time)
        return slot

    def find(self, name: str, key: Hashable = None) -> int | None:
        """Slot of the open interval of an action, or of a key, that began first, if any."""
        for slot in self.open.get(name, ()):
            if key is None or self.keys[slot] == key:
                return slot
        return None

    def close(self, slot: int, time: float) -> None:
        """End the interval of a slot, which is open."""
        name = self.names[slot]
        if time == self.beginning[slot]:
            raise DataError(f"{quote(name)} ends at {time:g}, where it starts")
        self.tick(time)
        self.open[name].remove(slot)
        if not self.open[name]:
            del self.open[name]
        self.ending[slot] = self.last_end = time
        self._note(slot, ~slot)

    def last(self, name: str, key: Hashable = None) -> int:
        """Slot of the interval of an action, or of a key, that began last; it may have ended."""
        for slot in reversed(range(self.number)):
            if self.names[slot] == name and (key is None or self.keys[slot] == key):
                return slot
        raise DataError(f"{quote(name)} is corrected, but has not started")

    def snapshot(self) -> Snapshot:
        """Intervals so far, without those that began just now."""
        ending = np.minimum(self.ending[: self.number], self.now)
        kept = np.flatnonzero(ending > self.beginning[: self.number])
        return Snapshot([self.names[n] for n in kept], self.beginning[kept], ending[kept])

    def _note(self, slot: int, change: int) -> None:
        """Note a change, and sort the intervals that began together with one that changed."""
        self.changes[self.changed] = change
        self.changed += 1
        times, time = self.beginning, self.beginning[slot]
        first, last = slot, slot + 1
        while first and times[first - 1] == time:
            first -= 1
        while last < self.number and times[last] == time:
            last += 1
        if last - first > 1:
            # slots are in the order of starts, so the same places of the order hold them
            group = self.order[first:last]
            group[:] = sorted(group.tolist(), key=lambda n: (self.ending[n], self.names[n]))

    def _grow(self) -> None:
        room = 2 * self.room
        for name in ("action", "beginning", "ending", "order", "changes"):
            old = getattr(self, name)
            new = np.full(room, np.inf) if name == "ending" else np.zeros(2 * len(old), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)
        self._line = self._make_line()


def check_time(time: float) -> None:
    """Refuse what is not a number, before it is compared with others."""
    if not isinstance(time, Real) or isinstance(time, bool):
        said = f"time {quote(time)} is not a number"
        raise DataError(f"{said}; give it in the unit of the training data")
