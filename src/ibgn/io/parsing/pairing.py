"""Events that start and stop actions, paired into intervals."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from ibgn.checks import check_choice
from ibgn.errors import DataError, Option, Part
from ibgn.io.files import Files
from ibgn.text import quote

__all__ = ["Event", "Pair", "Pairing", "Repeated", "Unpaired"]

Unpaired = Literal["error", "drop", "close"]
Repeated = Literal["merge", "restart", "overlap", "unpaired", "error"]
Where = Callable[[Any], str]

REPEATED = {
    "merge": "passed over",
    "restart": "it ended there",
    "overlap": "first start to first stop",
}


class Event(NamedTuple):
    """An action starts or stops; where `starts` is None, it does whichever it did not do last.

    Events with the same `what` belong together, its last part is the action; `place` names the
    event in messages.
    """

    what: tuple[str, ...]
    starts: bool | None
    time: float
    place: Any


class Pair(NamedTuple):
    """What went on from start to end; `place` is that of the event that started it."""

    what: tuple[str, ...]
    start: float
    end: float
    place: Any


@dataclass(frozen=True)
class Pairing:
    """How starts and stops are paired; what was left out is counted by the files.

    Parameters
    ----------
    unpaired : what to do with a start without a stop, or a stop without a start: "error", "drop"
        it, or "close" it at the edge of the recording. A second stop in a row cannot be closed,
        and is left out.
    repeated : what to do with a start of something that is already going on: "merge" ignores it,
        "restart" ends what is going on and starts again, "overlap" lets both go on and gives the
        first start the first stop, "unpaired" treats the earlier start as one without a stop,
        "error" refuses it
    files : they count what was left out
    """

    unpaired: Unpaired
    repeated: Repeated
    files: Files

    def __post_init__(self) -> None:
        check_choice("unpaired", self.unpaired, get_args(Unpaired))
        check_choice("repeated", self.repeated, get_args(Repeated))

    def pairs(
        self,
        events: Sequence[Event],
        where: Where,
        begin: float | None = None,
        end: float | None = None,
    ) -> Iterator[Pair]:
        """Pair the events of one recording; events at the same time keep their order.

        `where` names an event for a message by its place; `begin` and `end` are the edges of the
        recording, by default the first and the last event.
        """
        ordered = sorted(events, key=lambda event: event.time)
        going: dict[tuple[str, ...], deque[Event]] = {}
        for event in ordered:
            known = event.what in going
            waiting = going.setdefault(event.what, deque())
            if event.starts or (event.starts is None and not waiting):
                yield from self._start(event, waiting, where)
            elif waiting:
                yield _pair(waiting.popleft(), event.time)
            else:
                first = ordered[0].time if begin is None else begin
                start = event.time if known else first
                yield from self._close(event, start, event.time, where)
        for waiting in going.values():
            for event in waiting:
                last = ordered[-1].time if end is None else end
                yield from self._close(event, event.time, last, where, starts=True)

    def _start(self, event: Event, waiting: deque[Event], where: Where) -> Iterator[Pair]:
        if waiting:
            if self.repeated == "error":
                raise DataError(
                    f"{where(event.place)}: {quote(event.what[-1])} starts, but goes on since "
                    f"{where(waiting[0].place)}; ",
                    Option("repeated", "merge"),
                    " ignores such events, ",
                    Option("repeated", "restart"),
                    " starts again, ",
                    Option("repeated", "overlap"),
                    " lets both go on",
                )
            if self.repeated == "unpaired":
                before = waiting.popleft()
                yield from self._close(before, before.time, event.time, where, starts=True)
            else:
                done = REPEATED[self.repeated]
                what = f" starting what is already going on: {done} ("
                self.files.leave_out(what, Option("repeated", self.repeated), ")")
            if self.repeated == "merge":
                return
            if self.repeated == "restart":
                yield _pair(waiting.popleft(), event.time)
        waiting.append(event)

    def _close(
        self, event: Event, start: float, end: float, where: Where, starts: bool = False
    ) -> Iterator[Pair]:
        """Deal with an event without a partner."""
        if self.unpaired == "error":
            verb, other = ("starts", "stop") if starts else ("stops", "start")
            raise DataError(
                f"{where(event.place)}: {quote(event.what[-1])} {verb}, but there is no {other} "
                "to go with it; ",
                Option("unpaired", "drop"),
                " leaves such events out, ",
                Option("unpaired", "close"),
                " closes them at the edge of the recording",
            )
        done: tuple[Part, ...] = (" without a partner left out (",)
        if self.unpaired == "close" and start < end:
            done = (" without a partner closed at the edge, or where it starts again (",)
            yield Pair(event.what, start, end, event.place)
        elif self.unpaired == "close":
            done = (" without a partner left out, as closing would make no interval (",)
        self.files.leave_out(*done, Option("unpaired", self.unpaired), ")")


def _pair(start: Event, end: float) -> Pair:
    return Pair(start.what, start.time, end, start.place)
