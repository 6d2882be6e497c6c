"""What happened in an instance so far, which can be corrected and read again."""

import itertools
from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ibgn.live.timeline import Timeline

if TYPE_CHECKING:
    from ibgn.live.recogniser import LiveRecogniser

__all__ = ["Change", "Ended", "Started", "correct", "history_of", "replay"]


class Started(NamedTuple):
    """An interval began, in the next slot."""

    action: str
    time: float
    key: Hashable


class Ended(NamedTuple):
    """The interval of a slot ended."""

    slot: int
    time: float


Change = Started | Ended


def history_of(timeline: Timeline) -> list[Change]:
    """All starts and ends in the order in which they were taken.

    Examples
    --------
    >>> timeline = Timeline(("boil", "pour"))
    >>> slot = timeline.start("boil", 0.0), timeline.end("boil", 4.0)
    >>> history_of(timeline)
    [Started(action='boil', time=0.0, key=None), Ended(slot=0, time=4.0)]
    """
    start, end = timeline.beginning.tolist(), timeline.ending.tolist()
    changes: list[Change] = []
    for slot in timeline.changes[: timeline.changed].tolist():
        if slot >= 0:
            changes.append(Started(timeline.names[slot], start[slot], timeline.keys[slot]))
        else:
            changes.append(Ended(~slot, end[~slot]))
    return changes


def replay(live: "LiveRecogniser", changes: Iterable[Change]) -> None:
    """Give a recogniser what happened, from the begin of an instance."""
    for change in changes:
        if isinstance(change, Started):
            live.start(*change)
        else:
            live.timeline.close(*change)


def correct(live: "LiveRecogniser", time: float, actions: Mapping[int, str | None]) -> None:
    """Read the instance again with other actions of some slots, and without those of None."""
    timeline = live.timeline
    timeline.tick(time)
    changes: list[Change] = []
    kept: dict[int, int] = {}  # slots before and after
    slots = itertools.count()
    for change in history_of(timeline):
        if isinstance(change, Ended):
            if change.slot in kept:
                changes.append(Ended(kept[change.slot], change.time))
        else:
            slot = next(slots)
            action = actions.get(slot, change.action)
            if action is not None:
                kept[slot] = len(kept)
                changes.append(change._replace(action=action))
    live._begin()
    replay(live, changes)
    live.tick(time)
