"""How a recogniser takes the events of a stream."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ibgn.errors import DataError
from ibgn.live.events import Event
from ibgn.live.history import correct
from ibgn.text import quote

if TYPE_CHECKING:
    from ibgn.live.recogniser import LiveRecogniser

__all__ = ["Unmet", "end_all", "take"]

Unmet = set[tuple[float, str, Hashable]]  # ends of one time that found no interval
MOST_UNMET = 1000


def take(live: "LiveRecogniser", event: Event, unmet: Unmet) -> dict[Any, float] | None:
    """Take an event of any kind; returns the last posterior if it finishes the instance."""
    kind, time, action, key = event.kind, event.time, event.action, event.key
    if kind == "start":
        if not unmet.isdisjoint({(time, action, key), (time, action, None)}):
            raise DataError(f"{quote(action)} starts at {time:g}, where it ended; it is left out")
        live.start(action, time, key)
    elif kind == "end":
        _take_end(live, event, unmet)
    elif kind == "cancel":
        live.cancel(action, time, key)
    elif kind == "rename":
        live.rename(action, event.to, time, key)
    elif kind == "finish":
        live.tick(time)
        return live.finish()
    elif kind == "tick":
        live.tick(time)
    else:
        raise DataError(f"events of the kind {quote(kind)} are not known")
    return None


def _take_end(live: "LiveRecogniser", event: Event, unmet: Unmet) -> None:
    """End an interval; one that starts at the same time is no interval, and nor is its start.

    At one time ends come first, so the start of such an interval may still come.
    """
    time, action, key = event.time, event.action, event.key
    slot = live.timeline.find(action, key)
    if slot is None:
        before = next(iter(unmet), (time,))[0]
        if before != time or len(unmet) >= MOST_UNMET:
            unmet.clear()
        unmet.add((time, action, key))
    elif live.timeline.beginning[slot] == time:
        correct(live, time, {slot: None})
        raise DataError(f"{quote(action)} ends at {time:g}, where it starts; it is left out")
    live.end(action, time, key)


def end_all(live: "LiveRecogniser") -> None:
    """End all that goes on, and leave out what started just now."""
    now, start = live.timeline.now, live.timeline.beginning
    slots = [slot for slots in live.timeline.open.values() for slot in slots]
    empty: dict[int, str | None] = {slot: None for slot in slots if start[slot] == now}
    if empty:
        correct(live, now, empty)
    for slots in list(live.timeline.open.values()):
        for slot in list(slots):
            live.timeline.close(slot, now)
