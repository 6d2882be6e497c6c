"""Events that come late, twice or in the wrong order, put in the order of time."""

import heapq
import math
from collections import Counter
from typing import Any

from ibgn.checks import check_number, check_whole
from ibgn.errors import DataError
from ibgn.live.events import Event, Refusal
from ibgn.text import printable, quote

__all__ = ["Inbox"]

ROOM = 10_000  # events that wait


class Inbox:
    """Keeps events until no earlier one can come, and then hands them on in the order of time.

    The clock shows the latest time of all events so far. An event waits until the clock has passed
    its time by more than the lateness: no event may be later than that. At one time ends go before
    starts, as in an instance, so the order in which events come makes no difference. With a
    lateness of 0 events go on as they come.

    Parameters
    ----------
    lateness : how much later than others an event may come, in the unit of its time
    room : how many events may wait; beyond that, the earliest go on early

    Attributes
    ----------
    clock : the latest time so far
    horizon : events before this time come too late
    counts : how many events were "taken", and how many refused by cause: "late", "duplicate", and
        others that `refuse` was called with

    Examples
    --------
    >>> inbox = Inbox(lateness=2)
    >>> inbox.put(Event("start", 1.0, "pour"))
    ([], None)
    >>> inbox.put(Event("start", 0.5, "boil"))
    ([], None)
    >>> due, refusal = inbox.put(Event("tick", 4.0))
    >>> [event.action for event in due]
    ['boil', 'pour']
    >>> inbox.put(Event("end", 1.5, "boil"))[1].reason
    "the end of 'boil' at 1.5 is too late: all until 2 has gone on"
    """

    def __init__(self, lateness: float = 0.0, room: int = ROOM) -> None:
        check_number("lateness", lateness, "0 or more", lambda number: number >= 0)
        self.lateness, self.room = float(lateness), check_whole("room", room, 1)
        self.clock = self.horizon = -math.inf
        self.counts = Counter[str]()
        self._waiting: list[tuple[tuple[Any, ...], Event]] = []  # a heap
        # What comes again is either known or, once the horizon has passed it, late
        self._known: set[tuple[Any, ...]] = set()
        self._passed: list[tuple[Any, ...]] = []  # of the known ones, those that have gone on

    @property
    def waiting(self) -> list[Event]:
        """Events that have not gone on, in the order in which they will."""
        return [event for _, event in sorted(self._waiting)]

    def put(self, event: Event) -> tuple[list[Event], Refusal | None]:
        """Take an event. Returns events whose turn it is, and why this one was refused, if so.

        Ticks that come late or again say nothing, and are not refused either.
        """
        identity = event.identity
        refusal = self._reason_against(event, identity)
        if refusal is not None:
            return [], None if event.kind == "tick" else self.refuse(*refusal)
        self.counts["taken"] += 1
        self._known.add(identity)
        heapq.heappush(self._waiting, (event.place, event))
        if event.time > self.clock:
            self.clock = event.time
            self._move_horizon(event.time - self.lateness)
        due = []
        while self._waiting and self._is_due(self._waiting[0][1]):
            due.append(self._pass_on())
        return due, None

    def flush(self) -> list[Event]:
        """All events that wait, because the stream is over."""
        return [self._pass_on() for _ in range(len(self._waiting))]

    def refuse(self, cause: str, reason: str) -> Refusal:
        """Count an event that was not taken, also one that its recogniser refused."""
        self.counts[cause] += 1
        return Refusal(cause, reason)

    def state(self) -> dict[str, Any]:
        """What it knows of its stream, as plain JSON."""
        return {
            "clock": None if math.isinf(self.clock) else self.clock,
            "horizon": None if math.isinf(self.horizon) else self.horizon,
            "counts": dict(self.counts),
            "waiting": [event.as_json() for event in self.waiting],
            "passed": [list(identity) for identity in self._passed],
        }

    def restore(self, state: Any) -> None:
        """Go on where another inbox was, whose state this is."""
        try:
            clock, horizon = (
                -math.inf if state[name] is None else float(state[name])
                for name in ("clock", "horizon")
            )
            counts = Counter({str(cause): int(times) for cause, times in state["counts"].items()})
            waiting = [Event.of(values) for values in state["waiting"]]
            passed = [tuple(identity) for identity in state["passed"]]
            known = {*passed, *(event.identity for event in waiting)}
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise DataError(
                f"this is no state of an inbox ({printable(error)}); begin without it"
            ) from error
        self.clock, self.horizon, self.counts = clock, horizon, counts
        self._waiting = sorted((event.place, event) for event in waiting)  # also a heap
        self._passed, self._known = passed, known

    def _reason_against(self, event: Event, identity: tuple[Any, ...]) -> Refusal | None:
        if not math.isfinite(event.time):
            return Refusal("malformed", f"{_name(event)} has no time")
        if identity in self._known:
            advice = (
                "" if event.id is not None else "; if it is another one, give it an id or a key"
            )
            return Refusal("duplicate", f"{_name(event)} has come before{advice}")
        if event.time < self.horizon:
            passed = f"all until {self.horizon:g} has gone on"
            return Refusal("late", f"{_name(event)} is too late: {passed}")
        return None

    def _is_due(self, event: Event) -> bool:
        return event.time < self.horizon or not self.lateness or len(self._waiting) > self.room

    def _pass_on(self) -> Event:
        """Take out the event that is next; from now on, earlier ones are late."""
        event = heapq.heappop(self._waiting)[1]
        self._move_horizon(event.time)
        if event.time < self.horizon:
            self._known.discard(event.identity)
        else:
            self._passed.append(event.identity)
            self._known.difference_update(self._passed[: -self.room])
            del self._passed[: -self.room]
        return event

    def _move_horizon(self, time: float) -> None:
        if time > self.horizon:
            self.horizon = time
            self._known.difference_update(self._passed)
            self._passed.clear()


def _name(event: Event) -> str:
    action = f" of {quote(event.action)}" if event.action else ""
    return f"the {event.kind}{action} at {event.time:g}"
