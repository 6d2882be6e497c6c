"""Puts events in order that arrive late, twice or in the wrong order."""

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
    """Holds events back until no earlier one can arrive, and releases them in order.

    The clock is the latest time of all events so far. An event waits until the clock has passed
    its time by more than the lateness: no event may be later than that. At the same time, ends go
    before starts, as in an instance, so the order of arrival makes no difference. With a lateness
    of 0, events pass straight through.

    Parameters
    ----------
    lateness : how much later than others an event may arrive, in the unit of its time
    leap : how far an event may set the clock forward. An event further ahead is set aside, because
        a wrong time would make all others late: the next event confirms it if it is near, and
        otherwise the event set aside is refused. By default all times are trusted.
    room : maximum number of waiting events; beyond that, the earliest are released early

    Attributes
    ----------
    clock : the latest time so far
    horizon : events before this time are too late
    counts : how many events were "taken", and how many refused by cause: "late", "duplicate",
        "ahead", and any other cause passed to `refuse`

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
    "the end of 'boil' at 1.5 is too late: everything up to 2 has been passed on"
    """

    def __init__(self, lateness: float = 0.0, leap: float | None = None, room: int = ROOM) -> None:
        check_number("lateness", lateness, "0 or more", lambda number: number >= 0)
        if leap is not None:
            check_number("leap", leap, "positive", lambda number: number > 0)
        self.lateness, self.room = float(lateness), check_whole("room", room, 1)
        self.leap = math.inf if leap is None else float(leap)
        self.clock = self.horizon = -math.inf
        self.counts = Counter[str]()
        self._waiting: list[tuple[tuple[Any, ...], Event]] = []  # a heap
        self._doubted: Event | None = None  # the one that is too far ahead
        # What comes again is either known or, once the horizon has passed it, late
        self._known: set[tuple[Any, ...]] = set()
        self._passed: list[tuple[Any, ...]] = []  # of the known ones, those that have gone on

    @property
    def waiting(self) -> list[Event]:
        """Events that have not been released, in the order in which they will be."""
        return [event for _, event in sorted(self._waiting)]

    def put(self, event: Event) -> tuple[list[Event], Refusal | None]:
        """Take an event. Returns the events that are due, and why this one was refused, if it was.

        Late or repeated ticks have no effect, but are not refused.
        """
        if self._is_far(event):
            return self._doubt(event)
        due, refusal = self._take(event)
        if self._doubted is not None and not self._is_far(self._doubted):
            due += self._believe(self._doubted)
        return due, refusal

    def flush(self) -> list[Event]:
        """All waiting events, because the stream is over."""
        due = [] if self._doubted is None else self._believe(self._doubted)
        return due + [self._pass_on() for _ in range(len(self._waiting))]

    def refuse(self, cause: str, reason: str) -> Refusal:
        """Count an event that was not taken, for example one that the recogniser refused."""
        self.counts[cause] += 1
        return Refusal(cause, reason)

    def state(self) -> dict[str, Any]:
        """The state of its stream, as plain JSON."""
        return {
            "clock": None if math.isinf(self.clock) else self.clock,
            "horizon": None if math.isinf(self.horizon) else self.horizon,
            "counts": dict(self.counts),
            "waiting": [event.as_json() for event in self.waiting],
            "passed": [list(identity) for identity in self._passed],
            "doubted": None if self._doubted is None else self._doubted.as_json(),
        }

    def restore(self, state: Any) -> None:
        """Resume from the state of another inbox."""
        try:
            clock, horizon = (
                -math.inf if state[name] is None else float(state[name])
                for name in ("clock", "horizon")
            )
            counts = Counter({str(cause): int(times) for cause, times in state["counts"].items()})
            waiting = [Event.of(values) for values in state["waiting"]]
            passed = [tuple(identity) for identity in state["passed"]]
            doubted = None if state["doubted"] is None else Event.of(state["doubted"])
            known = {*passed, *(event.identity for event in waiting)}
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise DataError(
                f"this is not the state of an inbox ({printable(error)}); begin without it"
            ) from error
        self.clock, self.horizon, self.counts = clock, horizon, counts
        self._waiting = sorted((event.place, event) for event in waiting)  # also a heap
        self._passed, self._known, self._doubted = passed, known, doubted

    def _is_far(self, event: Event) -> bool:
        return self.leap < event.time - self.clock < math.inf

    def _doubt(self, event: Event) -> tuple[list[Event], Refusal | None]:
        """Keep an event aside, or believe both it and one that was kept aside."""
        before, self._doubted = self._doubted, event
        if before is None:
            return [], None
        if abs(before.time - event.time) > self.leap or before.identity == event.identity:
            ahead = f"{before.time - self.clock:g} ahead of all others"
            return [], self.refuse("ahead", f"{_name(before)} is {ahead}; is its clock right?")
        return self._believe(*sorted((before, event), key=lambda each: each.place)), None

    def _believe(self, *events: Event) -> list[Event]:
        self._doubted = None
        return [due for event in events for due in self._take(event)[0]]

    def _take(self, event: Event) -> tuple[list[Event], Refusal | None]:
        identity = event.identity
        refusal = self._reason_against(event, identity)
        if refusal is not None:
            return [], None if event.kind == "tick" else self.refuse(*refusal)
        self.counts["taken"] += 1
        self._known.add(identity)
        if event.time > self.clock:
            self.clock = event.time
            self._move_horizon(event.time - self.lateness)
        if not self.lateness:
            self._remember(identity)
            return [event], None
        heapq.heappush(self._waiting, (event.place, event))
        due = []
        while self._waiting and self._is_due(self._waiting[0][1]):
            due.append(self._pass_on())
        return due, None

    def _reason_against(self, event: Event, identity: tuple[Any, ...]) -> Refusal | None:
        if not math.isfinite(event.time):
            return Refusal("malformed", f"{_name(event)} has no time")
        if identity in self._known:
            advice = (
                "" if event.id is not None else "; if it is another one, give it an id or a key"
            )
            return Refusal("duplicate", f"{_name(event)} has come before{advice}")
        if event.time < self.horizon:
            passed = f"everything up to {self.horizon:g} has been passed on"
            return Refusal("late", f"{_name(event)} is too late: {passed}")
        return None

    def _is_due(self, event: Event) -> bool:
        return event.time < self.horizon or len(self._waiting) > self.room

    def _pass_on(self) -> Event:
        """Take out the event that is next; from now on, earlier ones are late."""
        event = heapq.heappop(self._waiting)[1]
        self._move_horizon(event.time)
        if event.time < self.horizon:
            self._known.discard(event.identity)
        else:
            self._remember(event.identity)
        return event

    def _remember(self, identity: tuple[Any, ...]) -> None:
        """Know an event that has gone on, of the time of the horizon, if it comes again."""
        self._passed.append(identity)
        if len(self._passed) > self.room:
            self._known.discard(self._passed.pop(0))

    def _move_horizon(self, time: float) -> None:
        if time > self.horizon:
            self.horizon = time
            self._known.difference_update(self._passed)
            self._passed.clear()


def _name(event: Event) -> str:
    action = f" of {quote(event.action)}" if event.action else ""
    return f"the {event.kind}{action} at {event.time:g}"
