"""Traces of an event log: their attributes, and their events with times."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.errors import DataError, Option
from ibgn.io.parsing.time import as_seconds
from ibgn.text import quote

__all__ = [
    "INSTANCE",
    "NAME",
    "RESOURCE",
    "START",
    "TIME",
    "TRANSITION",
    "USED",
    "Event",
    "Trace",
    "bare_tag",
    "read_times",
]

NAME, TIME, TRANSITION = "concept:name", "time:timestamp", "lifecycle:transition"
INSTANCE, RESOURCE = "concept:instance", "org:resource"
START = "start_timestamp"  # where tools put the start of an event that has its end as time
USED = (NAME, TIME, START, TRANSITION, INSTANCE, RESOURCE)


class Trace(NamedTuple):
    """A trace: what is known of it, the attributes of its events that are used, and its file."""

    known: Mapping[str, str]
    events: Sequence[Mapping[str, str]]
    source: str

    @classmethod
    def of(cls, trace: Element, attributes: Mapping[str, str], number: int, source: str) -> "Trace":
        """Trace of an element; `attributes` has the keys of instance, label and group."""
        known = {"instance": f"trace {number}"}
        where = f"{source}trace {number}"
        values = _values(trace, tuple(attributes.values()), where)
        for ours, theirs in attributes.items():
            if theirs in values:
                known[ours] = values[theirs]
            elif theirs != NAME:
                keys = [child.attrib["key"] for child in trace if "key" in child.attrib]
                listed = ", ".join(map(quote, keys[:20])) or "none"
                raise DataError(
                    f"{where} has no attribute {quote(theirs)}, which should be its {ours}; there "
                    f"are {listed}"
                )
        events = [
            _values(event, USED, f"{where}, event {n}")
            for n, event in enumerate((child for child in trace if bare_tag(child) == "event"), 1)
        ]
        return cls(known, events, source)

    def where(self, number: int) -> str:
        """Name an event, counted from 1, for a message."""
        return f"{self.source}trace {quote(self.known['instance'])}, event {number}"

    def needed(self, number: int, key: str) -> str:
        """Attribute that an event must have."""
        value = self.events[number - 1].get(key, "")
        if not value.strip():
            raise DataError(
                f"{self.where(number)} has no {key}; give it one, or use ",
                Option("unknown", "drop"),
            )
        return value

    def without_unknown(self) -> "Trace":
        """The trace with the events that have a name and a time."""
        known = [
            event
            for event in self.events
            if all(event.get(key, "").strip() for key in (NAME, TIME))
        ]
        return self._replace(events=known)


class Event(NamedTuple):
    """An event: its number in the trace, its attributes, and its times in seconds.

    `start` is None where the event does not say when it started, `before` is the time of the event
    before it in the log with the same resource, and None where there is none.
    """

    number: int
    attributes: Mapping[str, str]
    start: float | None
    time: float
    before: float | None

    @property
    def transition(self) -> str:
        """Transition in lower case, empty where there is none."""
        return self.attributes.get(TRANSITION, "").strip().lower()

    def since(self, origin: float) -> "Event":
        """The event with times since another one."""
        # logs have microseconds at most; differences of large numbers lose the digits after them
        start, before = (
            None if moment is None else round(moment - origin, 6)
            for moment in (self.start, self.before)
        )
        return self._replace(start=start, time=round(self.time - origin, 6), before=before)


def read_times(traces: Sequence[Trace], of_trace: bool) -> Iterator[list[Event]]:
    """Events of each trace; times since the first of the trace, or else of all traces."""
    places = [(trace, n) for trace in traces for n in range(1, len(trace.events) + 1)]
    attributes = [trace.events[n - 1] for trace, n in places]
    started = [at for at, each in enumerate(attributes) if each.get(START, "").strip()]
    keys = [(at, TIME) for at in range(len(places))] + [(at, START) for at in started]
    if places and not any(each.get(TIME, "").strip() for each in attributes):
        raise DataError(
            f"{traces[0].source}no event has a {TIME}, so that the log has an order and no times"
        )

    def where(place: int) -> str:
        trace, number = places[keys[place][0]]
        return trace.where(number)

    moments = as_seconds([Trace.needed(*places[at], key) for at, key in keys], where).tolist()
    times, starts = moments[: len(places)], dict(zip(started, moments[len(places) :], strict=True))
    before = _times_before([each.get(RESOURCE) for each in attributes], times)
    events = iter(
        Event(n, attributes[at], starts.get(at), times[at], before[at])
        for at, (_, n) in enumerate(places)
    )
    first = min(moments, default=0.0)
    for trace in traces:
        own = list(islice(events, len(trace.events)))
        origin = min(
            (min(e.time, e.time if e.start is None else e.start) for e in own), default=0.0
        )
        yield [event.since(origin if of_trace else first) for event in own]


def _times_before(resources: Sequence[str | None], times: Sequence[float]) -> list[float | None]:
    """Time of the event before each that has the same resource."""
    before: list[float | None] = [None] * len(times)
    last: dict[str, float] = {}
    for at in sorted(range(len(times)), key=times.__getitem__):
        resource = resources[at]
        if resource is not None:
            before[at] = last.get(resource)
            last[resource] = times[at]
    return before


def bare_tag(element: Element) -> str:
    """Tag without the prefix of its namespace."""
    return element.tag.rsplit(":", 1)[-1]


def _values(element: Element, keys: Sequence[str], where: str) -> dict[str, str]:
    """Attributes of a trace or event of these keys; refuses two that contradict each other."""
    values: dict[str, str] = {}
    for child in element:
        key = child.attrib.get("key", "")
        if key in keys and "value" in child.attrib:
            if values.get(key, child.attrib["value"]) != child.attrib["value"]:
                raise DataError(f"{where} has two attributes {quote(key)}; remove one")
            values[key] = child.attrib["value"]
    return values
