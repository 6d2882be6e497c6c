"""Events that start and stop actions, paired to intervals."""

import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from ibgn.checks import check_choice
from ibgn.errors import DataError, DataWarning
from ibgn.text import count, quote

__all__ = ["Event", "Pair", "Pairing", "Repeated", "Unpaired"]

Unpaired = Literal["error", "drop", "close"]
Repeated = Literal["merge", "restart", "overlap", "error"]
Where = Callable[[int], str]

REPEATED = {
    "merge": "starting what is already going on: passed over (repeated='merge')",
    "restart": "starting what is already going on: it ended there (repeated='restart')",
    "overlap": "starting what is already going on: first start to first stop (repeated='overlap')",
}
DROPPED = "without a partner left out (unpaired='drop')"
CLOSED = "without a partner closed at the edge of the recording (unpaired='close')"
NO_ROOM = "without a partner left out, as closing would make no interval (unpaired='close')"


class Event(NamedTuple):
    """An action starts or stops; `what` tells what goes together, its last part is the action."""

    what: tuple[str, ...]
    starts: bool
    time: float
    place: int


class Pair(NamedTuple):
    """What went on from start to end; `place` is that of the event that started it."""

    what: tuple[str, ...]
    start: float
    end: float
    place: int


@dataclass(frozen=True)
class Pairing:
    """How starts and stops are paired; what was left out is counted until `warn` tells it.

    Parameters
    ----------
    unpaired : what to do with a start without a stop, or a stop without a start: "error", "drop"
        it, or "close" it: what never stops ends with the last event, and what never started begins
        with the first. A second stop in a row cannot be closed, and is left out.
    repeated : what to do with a start of what is already going on: "merge" passes it over,
        "restart" ends what is going on and starts anew, "overlap" lets both go on and gives the
        first start the first stop, "error" refuses it
    """

    unpaired: Unpaired = "error"
    repeated: Repeated = "merge"
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("unpaired", self.unpaired, get_args(Unpaired))
        check_choice("repeated", self.repeated, get_args(Repeated))

    def pairs(self, events: Sequence[Event], where: Where) -> Iterator[Pair]:
        """Pair the events of one recording; those at the same time are in their given order.

        `where` names an event for a message by its place.
        """
        going: dict[tuple[str, ...], deque[Event]] = {}
        ordered = sorted(events, key=lambda event: event.time)
        for event in ordered:
            known = event.what in going
            waiting = going.setdefault(event.what, deque())
            if event.starts:
                yield from self._start(event, waiting, where)
            elif waiting:
                yield _pair(waiting.popleft(), event.time)
            else:
                begin = event.time if known else ordered[0].time
                yield from self._close(event, begin, event.time, where)
        for waiting in going.values():
            for event in waiting:
                yield from self._close(event, event.time, ordered[-1].time, where)

    def warn(self, source: str) -> None:
        """Tell what was counted."""
        for why, number in self.counts.items():
            warnings.warn(f"{source}{count(number, 'event')} {why}", DataWarning, stacklevel=2)
        self.counts.clear()

    def _start(self, event: Event, waiting: deque[Event], where: Where) -> Iterator[Pair]:
        if waiting:
            if self.repeated == "error":
                raise DataError(
                    f"{where(event.place)}: {quote(event.what[-1])} starts, but goes on since "
                    f"{where(waiting[0].place)}; repeated='merge' passes such events over, "
                    "'restart' starts anew, 'overlap' lets both go on"
                )
            self.counts[REPEATED[self.repeated]] += 1
            if self.repeated == "merge":
                return
            if self.repeated == "restart":
                yield _pair(waiting.popleft(), event.time)
        waiting.append(event)

    def _close(self, event: Event, start: float, end: float, where: Where) -> Iterator[Pair]:
        """Deal with an event without a partner."""
        if self.unpaired == "error":
            verb, other = ("starts", "stop") if event.starts else ("stops", "start")
            raise DataError(
                f"{where(event.place)}: {quote(event.what[-1])} {verb}, but there is no {other} "
                "to go with it; unpaired='drop' leaves such events out, 'close' closes them at "
                "the edge of the recording"
            )
        if self.unpaired == "drop" or start >= end:
            self.counts[DROPPED if self.unpaired == "drop" else NO_ROOM] += 1
        else:
            self.counts[CLOSED] += 1
            yield Pair(event.what, start, end, event.place)


def _pair(start: Event, end: float) -> Pair:
    return Pair(start.what, start.time, end, start.place)
