"""XES: event logs of processes; a trace is an instance (.xes, .xes.gz)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, get_args
from xml.etree.ElementTree import Element

from ibgn._files import InputFile
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.pairing import Event, Pairing, Repeated, Unpaired
from ibgn.io.parsing.time import as_seconds
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_xes"]

Points = Literal["error", "drop", "keep"]
Origin = Literal["trace", "log"]

NAME, TIME, TRANSITION = "concept:name", "time:timestamp", "lifecycle:transition"
INSTANCE, RESOURCE = "concept:instance", "org:resource"
USED = (NAME, TIME, TRANSITION, INSTANCE, RESOURCE)
NO_RESOURCE = "events"  # the track of events that name no resource


def _sniff(head: Head) -> float:
    """Tell a log by its root and its traces or events."""
    if head.xml is None or head.xml.tag != "log":
        return 0.0
    return CERTAIN if head.xml.tags & {"trace", "event", "classifier"} else 0.0


@reader(
    "xes",
    (".xes",),
    also=(".xml",),
    about="process logs",
    activity=("attribute",),
    group=("attribute",),
    sniff=_sniff,
)
def read_xes(
    files: Files,
    *,
    instance: str = NAME,
    origin: Origin = "trace",
    points: Points = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "overlap",
) -> Iterator[Recording]:
    """Read event logs of processes, in which a trace is an instance.

    An event with the lifecycle:transition "start" and the next one with "complete", of the same
    concept:name and, where it is given, concept:instance, are an interval. Other transitions, such
    as "suspend" and "resume", are left out with a warning that counts them. Times are seconds. The
    track of an event is its org:resource, or "events".

    activity="attribute:diagnosis" uses the attribute "diagnosis" of a trace as its activity;
    group="attribute:ward" works alike.

    Parameters
    ----------
    instance : attribute of traces that names them; traces without it are named by their number
    origin : times are since the first event of the "trace", or of the whole "log"
    points : what to do with events without a lifecycle:transition, which are points in time:
        "error", "drop" them with a count, or "keep" them as intervals of zero length, which
        min_duration= makes longer
    unpaired : what to do with a start without a completion, or the other way round: "error", "drop"
        it, or "close" it: what never completes ends with the last event of the trace, and what
        never started begins with the first. A second completion in a row is left out.
    repeated : what to do with a start of something that is already going on: "overlap" lets both go
        on and gives the first start the first completion, with a count; "merge" ignores it,
        "restart" ends what is going on and starts again, "unpaired" treats the earlier start as
        one without a completion, "error" refuses it

    Returns
    -------
    X : the instances, in the order of traces
    y : (n,) one activity per instance, or None where there are none

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "repairs.xes"
    >>> event = '''<event>
    ...   <string key="concept:name" value="test"/>
    ...   <string key="lifecycle:transition" value="{}"/>
    ...   <date key="time:timestamp" value="2020-01-01T10:00:{}+01:00"/>
    ... </event>'''
    >>> events = event.format("start", "00") + event.format("complete", "02.5")
    >>> _ = path.write_text(
    ...     '<log><trace><string key="concept:name" value="case 1"/>' + events + "</trace></log>"
    ... )
    >>> read_xes(path)[0]
    IntervalSequences: 1 instance, 1 interval, 1 action
      case 1: test [0, 2.5)
    """
    check_names(instance=instance)
    chosen = {
        "instance": instance,
        "label": files.choices.name_of("activity", "attribute"),
        "group": files.choices.name_of("group", "attribute"),
    }
    attributes = {ours: theirs for ours, theirs in chosen.items() if theirs is not None}
    log = _Log(files, attributes, origin, points, Pairing(unpaired, repeated, files))
    for file in files:
        yield from log.recordings(file)
    log.count_transitions()


class _Trace(NamedTuple):
    """A trace: what is known of it, the attributes of its events that are used, and its file."""

    known: Mapping[str, str]
    events: Sequence[Mapping[str, str]]
    source: str

    @classmethod
    def of(
        cls, trace: Element, attributes: Mapping[str, str], number: int, source: str
    ) -> "_Trace":
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
            for n, event in enumerate((child for child in trace if _bare(child) == "event"), 1)
        ]
        return cls(known, events, source)

    def where(self, number: int) -> str:
        """Name an event, counted from 1, for a message."""
        return f"{self.source}trace {quote(self.known['instance'])}, event {number}"


@dataclass(frozen=True)
class _Log:
    """Checked options of `read_xes`, and transitions that were left out."""

    files: Files
    attributes: Mapping[str, str]
    origin: Origin
    points: Points
    pairing: Pairing
    transitions: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("origin", self.origin, get_args(Origin))
        check_choice("points", self.points, get_args(Points))

    def recordings(self, file: InputFile) -> Iterator[Recording]:
        """Yield one recording per trace; with several files, names begin with that of the file."""
        traces = self._traces(parse_xml(file), file.prefix)
        name, number = Counter(trace.known["instance"] for trace in traces).most_common(1)[0]
        if number > 1:
            raise DataError(
                f"{file.prefix}{number} traces are named {quote(name)}; give them different names, "
                "or another attribute with ",
                Option("instance"),
            )
        prefix = f"{file.name}#" if len(self.files) > 1 else ""
        parts = [[trace] for trace in traces] if self.origin == "trace" else [traces]
        seconds = (times for part in parts for times in _seconds(part))
        for trace, times in zip(traces, seconds, strict=True):
            known = {**trace.known, "instance": f"{prefix}{trace.known['instance']}"}
            yield Recording(file.name, list(self._annotations(trace, times)), known)

    def _traces(self, log: Element, source: str) -> list[_Trace]:
        """Find the traces of a log."""
        if _bare(log) != "log":
            raise DataError(
                f"{source}the file begins with <{printable(log.tag)}>, not with <log>; is it an "
                "XES file?"
            )
        outside = sum(_bare(child) == "event" for child in log)
        self.files.leave_out(" outside of every trace left out", number=outside)
        traces = [child for child in log if _bare(child) == "trace"]
        if not traces:
            raise DataError(f"{source}the log has no <trace>, which would be an instance")
        return [_Trace.of(trace, self.attributes, n, source) for n, trace in enumerate(traces, 1)]

    def _annotations(self, trace: _Trace, times: Sequence[float]) -> Iterator[Annotation]:
        starts_and_stops = []
        for number, time in enumerate(times, 1):
            event = trace.events[number - 1]
            name = _needed(trace, number, NAME)
            transition = event.get(TRANSITION, "").strip().lower()
            if transition in ("start", "complete"):
                what = (event.get(INSTANCE, ""), name)
                starts_and_stops.append(Event(what, transition == "start", time, number))
            elif transition:
                self.transitions[transition] += 1
            elif self._keeps_point(trace, number):
                yield _annotation(trace, name, time, time, number)
        for (_, name), start, end, number in self.pairing.pairs(starts_and_stops, trace.where):
            yield _annotation(trace, name, start, end, number)

    def _keeps_point(self, trace: _Trace, number: int) -> bool:
        if self.points == "error":
            raise DataError(
                f"{trace.where(number)} has no {TRANSITION}, so it is a point in time; ",
                Option("points", "drop"),
                " leaves such events out, ",
                Option("points", "keep"),
                " with a ",
                Option("min_duration"),
                " makes intervals of them",
            )
        if self.points == "drop":
            drop = Option("points", "drop")
            self.files.leave_out(f" without a {TRANSITION} left out (", drop, ")")
        return self.points == "keep"

    def count_transitions(self) -> None:
        """Count the events that neither start nor complete."""
        listed = ", ".join(quote(name) for name, _ in self.transitions.most_common(5))
        self.files.leave_out(
            f" with another {TRANSITION} ({listed}) left out, as it neither starts nor completes",
            number=self.transitions.total(),
        )


def _seconds(traces: Sequence[_Trace]) -> Iterator[list[float]]:
    """Times of the events of each trace, since the earliest event of all these traces."""
    events = [(trace, n) for trace in traces for n in range(1, len(trace.events) + 1)]
    texts = [_needed(trace, n, TIME) for trace, n in events]
    times = as_seconds(texts, lambda place: events[place][0].where(events[place][1]))
    earliest = min(times.tolist(), default=0.0)
    seconds = iter([time - earliest for time in times.tolist()])
    for trace in traces:
        yield list(islice(seconds, len(trace.events)))


def _annotation(trace: _Trace, name: str, start: float, end: float, number: int) -> Annotation:
    track = trace.events[number - 1].get(RESOURCE, NO_RESOURCE)
    place = f"trace {quote(trace.known['instance'])}, event {number}"
    return Annotation(track, name, start, end, place)


def _bare(element: Element) -> str:
    """Tag without the prefix of its namespace."""
    return element.tag.rsplit(":", 1)[-1]


def _values(element: Element, keys: Sequence[str], where: str) -> dict[str, str]:
    """Attributes of a trace or event of these keys; refuses two of the same key."""
    values: dict[str, str] = {}
    for child in element:
        key = child.attrib.get("key", "")
        if key in keys and "value" in child.attrib:
            if key in values:
                raise DataError(f"{where} has two attributes {quote(key)}; remove one")
            values[key] = child.attrib["value"]
    return values


def _needed(trace: _Trace, number: int, key: str) -> str:
    value = trace.events[number - 1].get(key, "")
    if not value.strip():
        raise DataError(f"{trace.where(number)} has no {key}; give it one, or leave it out")
    return value
