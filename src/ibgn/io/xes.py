"""XES: event logs of processes; a trace is an instance (.xes, .xes.gz)."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple, Unpack, get_args
from xml.etree.ElementTree import Element

from ibgn._files import Source, reading
from ibgn.checks import check_choice
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    ReadingOptions,
    Take,
    split_options,
    to_table,
)
from ibgn.io.clock import as_seconds
from ibgn.io.folders import find_files
from ibgn.io.pairing import Event, Pairing, Repeated, Unpaired
from ibgn.io.table import Labels, LongTable
from ibgn.io.xml import parse_xml
from ibgn.text import count, printable, quote

__all__ = ["load_xes", "read_xes"]

Points = Literal["error", "drop", "keep"]
Origin = Literal["trace", "log"]

SUFFIX = ".xes"
NAME, TIME, TRANSITION = "concept:name", "time:timestamp", "lifecycle:transition"
INSTANCE, RESOURCE = "concept:instance", "org:resource"
USED = (NAME, TIME, TRANSITION, INSTANCE, RESOURCE)
NO_RESOURCE = "events"  # the track of events that name no resource
KNOWN = ("instance", "label", "group")
DROPPED_POINTS = "without a lifecycle:transition left out (points='drop')"
OUTSIDE = "outside of every trace left out"
OTHER = "with another lifecycle:transition ({}) left out, as it neither starts nor completes"


def read_xes(
    path: Source,
    *,
    attributes: Mapping[str, str] | None = None,
    origin: Origin = "trace",
    points: Points = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "overlap",
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    """Read event logs of processes, in which a trace is an instance.

    An event with the lifecycle:transition "start" and the next one with "complete", of the same
    concept:name and, where it is given, concept:instance, are an interval. Other transitions, as
    "suspend" and "resume", are left out with a warning that counts them. Times are seconds.

    Parameters
    ----------
    path : file, or folder of *.xes files, also in folders within it; compressed ones too
        (.gz, .bz2, .xz)
    attributes : of traces, that give the instance, label and group, as {"label": "diagnosis"}; by
        default {"instance": "concept:name"}. Traces without a name go by their number.
    origin : times are since the first event of the "trace", or of the whole "log"
    points : what to do with events without a lifecycle:transition, which are points in time:
        "error", "drop" them with a count, or "keep" them as intervals of zero length, which
        min_duration= makes longer
    unpaired : what to do with a start without a completion, or the other way round: "error", "drop"
        it, or "close" it: what never completes ends with the last event of the trace, and what
        never started begins with the first. A second completion in a row is left out.
    repeated : what to do with a start of what is already going on: "overlap" lets both go on and
        gives the first start the first completion, with a count; "merge" passes it over, "restart"
        ends what is going on and starts anew, "error" refuses it
    **options : how recordings become instances, and how intervals are cleaned: tracks, action,
        label and group of `ibgn.io.annotations.Choices`, and those of
        `ibgn.cleaning.Cleaning`. The track of an event is its org:resource, or "events". A label
        comes from attributes= or from label=, a group from attributes= or from
        group=; two sources are refused.

    Returns
    -------
    X : the instances, in the order of traces
    y : (n,) one label an instance, or None where there are none

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
    choices, cleaning = split_options(options)
    table = load_xes(
        path,
        attributes=attributes,
        origin=origin,
        points=points,
        unpaired=unpaired,
        repeated=repeated,
        **vars(choices),
    )
    return table.read(cleaning)


def load_xes(
    path: Source,
    *,
    attributes: Mapping[str, str] | None = None,
    origin: Origin = "trace",
    points: Points = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "overlap",
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the paired events of all traces as they are; options as for `read_xes`."""
    chosen = Choices(**choices)
    parser = _Parser(
        _check_attributes(attributes, chosen), origin, points, Pairing(unpaired, repeated)
    )
    takes: list[Take] = []
    with reading(path) as folder:
        files = find_files(path, (SUFFIX,))
        for name, file in files:
            with reading(file) as recording:
                traces = parser.traces(parse_xml(recording), recording.prefix)
                _refuse_repeated(traces, recording.prefix)
                many = f"{name}#" if len(files) > 1 else ""
                takes += parser.takes(traces, name, many)
    parser.warn(folder.prefix)
    return to_table(takes, chosen, folder.prefix)


class _Trace(NamedTuple):
    """A trace: what is known of it, the used attributes of its events, and what names it."""

    known: Mapping[str, str]
    events: Sequence[Mapping[str, str]]
    source: str

    def where(self, number: int) -> str:
        """Name an event, counted from 1, for a message."""
        return f"{self.source}trace {quote(self.known['instance'])}, event {number}"


@dataclass(frozen=True)
class _Parser:
    """Checked options of `read_xes`, and counts of what was left out."""

    attributes: Mapping[str, str]
    origin: Origin
    points: Points
    pairing: Pairing
    counts: Counter[str] = field(default_factory=Counter)
    transitions: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("origin", self.origin, get_args(Origin))
        check_choice("points", self.points, get_args(Points))

    def traces(self, log: Element, source: str) -> list[_Trace]:
        """Find the traces of a log."""
        if _bare(log) != "log":
            raise DataError(
                f"{source}the file begins with <{printable(log.tag)}>, not with <log>; is it an "
                "XES file?"
            )
        self.counts[OUTSIDE] += sum(_bare(child) == "event" for child in log)
        found = [child for child in log if _bare(child) == "trace"]
        if not found:
            raise DataError(f"{source}the log has no <trace>, which would be an instance")
        return [self._trace(trace, n, source) for n, trace in enumerate(found, 1)]

    def _trace(self, trace: Element, number: int, source: str) -> _Trace:
        known = {"instance": f"trace {number}"}
        where = f"{source}trace {number}"
        values = _values(trace, tuple(self.attributes.values()), where)
        for ours, theirs in self.attributes.items():
            if theirs in values:
                known[ours] = values[theirs]
            elif theirs != NAME:
                listed = ", ".join(quote(key) for key in list(_keys(trace))[:20]) or "none"
                raise DataError(
                    f"{where} has no attribute {quote(theirs)}, which is to be its {ours}; there "
                    f"are {listed}"
                )
        events = [
            _values(event, USED, f"{where}, event {n}")
            for n, event in enumerate((child for child in trace if _bare(child) == "event"), 1)
        ]
        return _Trace(known, events, source)

    def takes(self, traces: Sequence[_Trace], name: str, prefix: str) -> Iterator[Take]:
        """Give a take for each trace; `prefix` goes before the names of instances."""
        for trace, times in zip(traces, self._times(traces), strict=True):
            known = {**trace.known, "instance": f"{prefix}{trace.known['instance']}"}
            yield Take(name, list(self._annotations(trace, times)), known)

    def _times(self, traces: Sequence[_Trace]) -> Iterator[list[float]]:
        """Times of the events of each trace, in seconds."""
        parts = [[trace] for trace in traces] if self.origin == "trace" else [list(traces)]
        for part in parts:
            seconds = iter(_seconds(part))
            for trace in part:
                yield list(islice(seconds, len(trace.events)))

    def _annotations(self, trace: _Trace, times: Sequence[float]) -> Iterator[Annotation]:
        starts_and_stops = []
        for number, time in enumerate(times, 1):
            event = trace.events[number - 1]
            name = _wanted(trace, number, NAME)
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
                f"{trace.where(number)} has no {TRANSITION}, so it is a point in time; "
                "points='drop' leaves such events out, points='keep' with a min_duration= makes "
                "intervals of them"
            )
        self.counts[DROPPED_POINTS] += self.points == "drop"
        return self.points == "keep"

    def warn(self, source: str) -> None:
        """Tell what was left out."""
        if self.transitions:
            listed = ", ".join(quote(name) for name, _ in self.transitions.most_common(5))
            self.counts[OTHER.format(listed)] += self.transitions.total()
        for why, number in self.counts.items():
            if number:
                warnings.warn(f"{source}{count(number, 'event')} {why}", DataWarning, stacklevel=2)
        self.pairing.warn(source)


def _seconds(traces: Sequence[_Trace]) -> list[float]:
    """Times of the events of all these traces, since the earliest."""
    events = [(trace, n) for trace in traces for n in range(1, len(trace.events) + 1)]
    texts = [_wanted(trace, n, TIME) for trace, n in events]
    times = as_seconds(texts, lambda place: events[place][0].where(events[place][1]))
    earliest = min(times.tolist(), default=0.0)
    return [time - earliest for time in times.tolist()]


def _annotation(trace: _Trace, name: str, start: float, end: float, number: int) -> Annotation:
    track = trace.events[number - 1].get(RESOURCE, NO_RESOURCE)
    place = f"trace {quote(trace.known['instance'])}, event {number}"
    return Annotation(track, name, start, end, place)


def _bare(element: Element) -> str:
    """Tag without the prefix of its namespace."""
    return element.tag.rsplit(":", 1)[-1]


def _keys(element: Element) -> Iterator[str]:
    return (child.attrib["key"] for child in element if "key" in child.attrib)


def _values(element: Element, wanted: Sequence[str], where: str) -> dict[str, str]:
    """Attributes of a trace or event that are wanted; refuses two of the same key."""
    values: dict[str, str] = {}
    for child in element:
        key = child.attrib.get("key", "")
        if key in wanted and "value" in child.attrib:
            if key in values:
                raise DataError(f"{where} has two attributes {quote(key)}; leave one")
            values[key] = child.attrib["value"]
    return values


def _wanted(trace: _Trace, number: int, key: str) -> str:
    value = trace.events[number - 1].get(key, "")
    if not value.strip():
        raise DataError(f"{trace.where(number)} has no {key}; give it one, or leave it out")
    return value


def _refuse_repeated(traces: Sequence[_Trace], source: str) -> None:
    times = Counter(trace.known["instance"] for trace in traces)
    name, most = times.most_common(1)[0]
    if most > 1:
        raise DataError(
            f"{source}{most} traces are named {quote(name)}; give them different names, or another "
            "attribute with attributes={'instance': ...}"
        )


def _check_attributes(attributes: Any, choices: Choices) -> dict[str, str]:
    given = {} if attributes is None else attributes
    pairs = given.items() if isinstance(given, Mapping) else [(given, None)]
    if not all(ours in KNOWN and isinstance(theirs, str) for ours, theirs in pairs):
        raise OptionError(
            "attributes gives the names of attributes for instance, label and group, as "
            f"{{'label': 'diagnosis'}}; got {quote(attributes)}"
        )
    if choices.activity is not None:
        raise OptionError("the traces of a log are its instances; activity= does not divide them")
    for ours in ("label", "group"):
        if ours in given and getattr(choices, ours) is not None:
            raise OptionError(
                f"the {ours} comes from attributes={{{ours!r}: ...}} or from {ours}=; give one"
            )
    return {"instance": NAME} | dict(given)
