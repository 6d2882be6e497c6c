"""Many streams at a time: events in, and a record for every decision or change out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ibgn.checks import check_number, check_whole
from ibgn.errors import DataError
from ibgn.live.complaints import Complaints
from ibgn.live.events import Event
from ibgn.live.feeds.base import LONGEST, Message
from ibgn.live.inbox import Inbox
from ibgn.live.recogniser import LiveRecogniser
from ibgn.live.streams import Report, Stream
from ibgn.text import quote

__all__ = ["Service"]

MOST_STREAMS = 10_000

Record = dict[str, Any]


class Service:
    """Recognises the instances of many streams, each of which has a name.

    Parameters
    ----------
    live : recogniser; every stream gets its own, which shares the model
    complaints : counts refused events, and reports what is wrong with them
    lateness : how much later than others of its stream an event may arrive
    leap : how much an event may set the clock forward, unless another agrees; None for any time
    pause : end an instance when nothing has happened for this long; None if only events end it
    report : whether to report every "change" of the likeliest activity, every "event", or only
        the "end" of each instance
    error : report a decision as soon as at most this share of decisions is wrong, see
        `LiveRecogniser.decide`; None for no decisions
    most_streams : maximum number of streams

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]] * 2
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "coffee"] * 2)
    >>> service = Service(LiveRecogniser(model), Complaints(print))
    >>> def take(text):
    ...     return [record["activity"] for record in service.take(Message(text, "line 1"))]
    >>> take(b'{"kind": "start", "time": 0, "action": "grind"}')
    ['coffee']
    >>> take(b'{"kind": "end", "time": 2, "action": "grind"}'), take(b"damaged")
    malformed: line 1: the line is not valid JSON: 'damaged'
    ([], [])
    """

    def __init__(
        self,
        live: LiveRecogniser,
        complaints: Complaints,
        lateness: float = 0.0,
        leap: float | None = None,
        pause: float | None = None,
        report: Report = "change",
        error: float | None = None,
        most_streams: int = MOST_STREAMS,
    ) -> None:
        if pause is not None:
            check_number("pause", pause, "positive", lambda number: number > 0)
        Inbox(lateness, leap)  # refuses what is none
        if error is not None:
            live.decide(error)  # refuses a model that cannot
        self.live, self.complaints = live, complaints
        self.lateness, self.leap, self.pause = lateness, leap, pause
        self.report, self.error = report, error
        self.most_streams = check_whole("most_streams", most_streams, 1)
        self.streams: dict[str, Stream] = {}
        self._kept: dict[str, str] = {}  # states of streams, as JSON, until they change

    def take(self, message: Message) -> list[Record]:
        """Records about a message; a problem with it only leads to a complaint."""
        if len(message.text) > LONGEST:
            self._refuse("malformed", message, f"the line is longer than {LONGEST} bytes")
            return []
        if not message.text.strip():
            return []
        try:
            event = Event.parse(message.text)
        except DataError as error:
            self._refuse("malformed", message, str(error))
            return []
        if event.kind == "tick" and not event.stream:  # concerns all
            return [each for name in self.streams for each in self._put(name, event, message)]
        return list(self._put(event.stream or message.stream, event, message))

    def flush(self) -> list[Record]:
        """Records about all waiting events, because no more will arrive."""
        self._kept.clear()
        records: list[Record] = []
        for name, stream in self.streams.items():
            for event in stream.inbox.flush():
                records += self._follow(name, event)
        return records

    def states(self) -> Iterator[str]:
        """Name and state of every stream, as JSON."""
        for name, stream in self.streams.items():
            if name not in self._kept:
                self._kept[name] = json.dumps([name, stream.state()])
            yield self._kept[name]

    def restore(self, states: Mapping[str, Any]) -> None:
        """Resume from saved states."""
        self._kept.clear()
        self.streams = {name: self._begin(name) for name in states}
        for name, stream in self.streams.items():
            stream.restore(states[name])

    def _begin(self, name: str) -> Stream:
        inbox = Inbox(self.lateness, self.leap)
        return Stream(name, self.live.another(), inbox, self.pause, self.report, self.error)

    def _put(self, name: str, event: Event, message: Message) -> Iterator[Record]:
        if name not in self.streams:
            if len(self.streams) >= self.most_streams:
                reason = f"stream {quote(name)} is beyond the {self.most_streams} that there may be"
                self._refuse("beyond limits", message, reason)
                return
            self.streams[name] = self._begin(name)
        self._kept.pop(name, None)
        due, refusal = self.streams[name].inbox.put(event)
        if refusal is not None:
            self._refuse(refusal.cause, message, refusal.reason)
        for each in due:
            yield from self._follow(name, each)

    def _follow(self, name: str, event: Event) -> Iterator[Record]:
        stream = self.streams[name]
        try:
            yield from stream.follow(event)
        except DataError as error:
            where = f"stream {quote(name)}: " if name else ""
            self.complaints.add("impossible", f"{where}{error}")

    def _refuse(self, cause: str, message: Message, reason: str) -> None:
        self.complaints.add(cause, f"{message.place}: {reason}")
