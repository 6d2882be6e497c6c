"""XES: event logs of processes; a trace is an instance (.xes, .xes.gz).

MXML came before it; in OCEL, events are of several objects.
"""

import codecs
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from xml.etree.ElementTree import Element

from ibgn._files import InputFile
from ibgn.checks import check_choice
from ibgn.errors import DataError, Option, OptionError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.formats.xes.mxml import ROOT, as_xes
from ibgn.io.formats.xes.ocel import from_json, from_xml, is_json_log, is_xml_log
from ibgn.io.formats.xes.traces import (
    INSTANCE,
    NAME,
    RESOURCE,
    TIME,
    TRANSITION,
    Event,
    Trace,
    bare_tag,
    read_times,
)
from ibgn.io.head import CERTAIN, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing import pairing
from ibgn.io.parsing.json import parse_json
from ibgn.io.parsing.pairing import Pairing, Repeated, Unpaired
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import number_repeats, printable, quote

__all__ = ["read_xes"]

Points = Literal["error", "drop", "keep"]
Origin = Literal["trace", "log"]
CompleteOnly = Literal["case", "resource", "points"]
Unknown = Literal["error", "drop"]

STARTS = ("start", "started", "begin")
COMPLETES = ("", "complete", "completed", "end")
# transitions of the standard that neither start nor complete; others are words of a log's own
BETWEEN = frozenset(
    {"schedule", "assign", "reassign", "withdraw", "suspend", "resume", "autoskip", "manualskip"}
    | {"pi_abort", "ate_abort"}
)
ABORTS = frozenset({"pi_abort", "ate_abort"})  # they end what was started
NO_RESOURCE = "events"  # the track of events that name no resource


def _sniff(head: Head) -> float:
    """Tell a log by its root and its traces or events."""
    if head.json is not None:
        return CERTAIN if is_json_log(head.json) else 0.0
    if head.xml is None or head.xml.tag not in ("log", ROOT):
        return 0.0
    if head.xml.tag == ROOT:
        return CERTAIN
    known = {"trace", "event", "classifier", "event-types", "object-types"}
    return CERTAIN if head.xml.tags & known else 0.0


def _outline(files: Files, objects: str | None = None) -> Iterator[Entry]:
    """Attributes of traces, which can be their activity or group."""
    values: dict[str, list[str]] = {}
    for file in files:
        log = _parse(file, objects, files)
        for trace in (child for child in log if bare_tag(child) == "trace"):
            for child in trace:
                if "key" in child.attrib and "value" in child.attrib:
                    values.setdefault(child.attrib["key"], []).append(child.attrib["value"])
    for key, each in values.items():
        if key != NAME:
            yield Entry.of("attribute", key, each, Option("activity", f"attribute:{key}"))


def _parse(file: InputFile, objects: str | None, files: Files) -> Element:
    """Log of a file, as XES whatever it is written in."""
    with file.open() as stream:
        beginning = stream.read(100).removeprefix(codecs.BOM_UTF8).lstrip()
    if beginning.startswith(b"{"):
        return from_json(parse_json(file)).flatten(objects, files)
    root = parse_xml(file)
    if is_xml_log(root):
        return from_xml(root, file.prefix).flatten(objects, files)
    if objects is not None:
        raise OptionError("objects", objects, "chooses instances of OCEL; a log of XES has traces")
    return as_xes(root)


@reader(
    "xes",
    (".xes", ".mxml", ".jsonocel", ".xmlocel"),
    also=(".xml",),
    about="process logs, also MXML and OCEL",
    unit="s",
    unnamed=NO_RESOURCE,
    activity=("attribute",),
    group=("attribute",),
    sniff=_sniff,
    outline=_outline,
)
def read_xes(
    files: Files,
    *,
    instance: str = NAME,
    objects: str | None = None,
    origin: Origin = "trace",
    complete_only: CompleteOnly = "case",
    points: Points = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "overlap",
    unknown: Unknown = "error",
) -> Iterator[Recording]:
    """Read event logs of processes, in which a trace is an instance.

    An event with the lifecycle:transition "start" and the next one with "complete", of the same
    concept:name and, where it is given, concept:instance, are an interval, and so is an event with
    a start_timestamp. What was started also ends where it is aborted ("ate_abort"). Other
    transitions of the standard, such as "suspend" and "resume", are left out with a warning that
    counts them. Logs in MXML, which came before XES, and in OCEL (JSON and XML), are read alike.
    Times are seconds. The track of an event is its org:resource, or "events".

    In most logs events only say when something was completed. Such an event is taken to have
    lasted since the event before it in its trace, which is the longest that it can have lasted if
    things are done one after the other. A warning counts these events, and those left out because
    nothing came before them.

    activity="attribute:diagnosis" uses the attribute "diagnosis" of a trace as its activity;
    group="attribute:ward" works alike.

    Parameters
    ----------
    instance : attribute of traces that names them; traces without it are named by their number
    objects : type of objects that are the instances, for logs in OCEL: an object is an instance,
        with all events that are of it. By default the only type that there is.
    origin : times are since the first event of the "trace", or of the whole "log"
    complete_only : how long an event lasted whose concept:name is never started in the file: since
        the event before it in its "case"; since the later one of that and the event before of the
        same "resource", who did something else until then; or no time at all, as "points"
    points : what to do with events that last no time: "error", "drop" them with a count, or "keep"
        them as intervals of zero length, which min_duration= makes longer. Events that last no
        time because nothing came before them are dropped too, unless they are kept.
    unpaired : what to do with a start without a completion, or the other way round: "error", "drop"
        it, or "close" it: what never completes ends with the last event of the trace, and what
        never started begins with the first. A second completion in a row is left out.
    repeated : what to do with a start of something that is already going on: "overlap" lets both go
        on and gives the first start the first completion, with a count; "merge" ignores it,
        "restart" ends what is going on and starts again, "unpaired" treats the earlier start as
        never completed, and "error" refuses the log
    unknown : what to do with events that have no concept:name or no time:timestamp: "error", or
        "drop" them with a count

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
    check_names(instance=instance, objects=objects)
    chosen = {
        "instance": instance,
        "label": files.choices.name_of("activity", "attribute"),
        "group": files.choices.name_of("group", "attribute"),
    }
    attributes = {ours: theirs for ours, theirs in chosen.items() if theirs is not None}
    rules = Pairing(unpaired, repeated, files)
    log = _Log(files, attributes, objects, origin, complete_only, points, rules, unknown)
    for file in files:
        yield from log.recordings(file)
    log.count_transitions()


@dataclass(frozen=True)
class _Log:
    """Checked options of `read_xes`, and transitions that were left out."""

    files: Files
    attributes: Mapping[str, str]
    objects: str | None
    origin: Origin
    complete_only: CompleteOnly
    points: Points
    pairing: Pairing
    unknown: Unknown
    transitions: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("origin", self.origin, get_args(Origin))
        check_choice("complete_only", self.complete_only, get_args(CompleteOnly))
        check_choice("points", self.points, get_args(Points))
        check_choice("unknown", self.unknown, get_args(Unknown))

    def recordings(self, file: InputFile) -> Iterator[Recording]:
        """Yield one recording per trace; with several files, names begin with that of the file."""
        traces = self._traces(_parse(file, self.objects, self.files), file.prefix)
        names = [trace.known["instance"] for trace in traces]
        different = number_repeats(names)
        traces = [
            trace._replace(known={**trace.known, "instance": name})
            for trace, name in zip(traces, different, strict=True)
        ]
        self.files.leave_out(
            ": of a name that another has; numbered, ",
            Option("instance"),
            " names another attribute",
            noun="trace",
            number=len(names) - len(set(names)),
        )
        prefix = f"{file.name}#" if len(self.files) > 1 else ""
        of_events = list(read_times(traces, self.origin == "trace"))
        started = {
            trace.needed(event.number, NAME)
            for trace, events in zip(traces, of_events, strict=True)
            for event in events
            if event.transition in STARTS
        }
        for trace, events in zip(traces, of_events, strict=True):
            known = {**trace.known, "instance": f"{prefix}{trace.known['instance']}"}
            yield Recording(file.name, list(self._annotations(trace, events, started)), known)

    def _traces(self, log: Element, source: str) -> list[Trace]:
        """Find the traces of a log."""
        if bare_tag(log) != "log":
            raise DataError(
                f"{source}the file begins with <{printable(log.tag)}>, not with <log>; is it an "
                "XES file?"
            )
        outside = sum(bare_tag(child) == "event" for child in log)
        self.files.leave_out(" outside of every trace left out", number=outside)
        traces = [child for child in log if bare_tag(child) == "trace"]
        if not traces:
            raise DataError(f"{source}the log has no <trace>, which would be an instance")
        every = [Trace.of(trace, self.attributes, n, source) for n, trace in enumerate(traces, 1)]
        if self.unknown == "error":
            return every
        known = [trace.without_unknown() for trace in every]
        self.files.leave_out(
            f" without {NAME} or {TIME} left out (",
            Option("unknown", "drop"),
            ")",
            number=sum(len(a.events) - len(b.events) for a, b in zip(every, known, strict=True)),
        )
        return known

    def _annotations(
        self, trace: Trace, events: Sequence[Event], started: set[str]
    ) -> Iterator[Annotation]:
        switches = []
        completed = []
        going: Counter[tuple[str, str]] = Counter()
        for event in events:
            name = trace.needed(event.number, NAME)
            starts = event.transition in STARTS
            what = (event.attributes.get(INSTANCE, ""), name)
            aborted = event.transition in ABORTS and going[what] > 0
            if event.start is not None and not starts:
                yield _annotation(trace, event, event.start, event.time)
            elif starts or aborted or (event.transition in COMPLETES and name in started):
                switches.append(pairing.Event(what, starts, event.time, event.number))
                going[what] = max(going[what] + (1 if starts else -1), 0)
            elif event.transition in BETWEEN:
                self.transitions[event.transition] += 1
            else:
                completed.append(event)
        for _, start, end, number in self.pairing.pairs(switches, trace.where):
            yield _annotation(trace, events[number - 1], start, end)
        yield from self._completed(trace, events, completed)

    def _completed(
        self, trace: Trace, events: Sequence[Event], completed: Sequence[Event]
    ) -> Iterator[Annotation]:
        """Intervals of events that only say when something was completed."""
        if self.complete_only == "points":
            kept = [event for event in completed if self._keeps_point(trace, event)]
            yield from (_annotation(trace, event, event.time, event.time) for event in kept)
            return
        before: dict[int, float] = {}
        last: float | None = None
        for event in sorted(events, key=lambda event: event.time):
            starts = [last, event.before if self.complete_only == "resource" else None]
            before[event.number] = max((t for t in starts if t is not None), default=event.time)
            last = event.time
        lasting = [event for event in completed if before[event.number] < event.time]
        chosen = Option("complete_only", self.complete_only)
        since = (
            " without a start: each is taken to start when the event before it ends, in the same "
        )
        whose = "trace" if self.complete_only == "case" else "trace or resource"
        self.files.leave_out(f"{since}{whose} (", chosen, ")", number=len(lasting))
        if self.points == "keep":
            lasting = list(completed)
        else:
            self.files.leave_out(
                " without a start and without an earlier event to start from: left out; ",
                Option("points", "keep"),
                " with a ",
                Option("min_duration"),
                " keeps them",
                number=len(completed) - len(lasting),
            )
        for event in lasting:
            yield _annotation(trace, event, before[event.number], event.time)

    def _keeps_point(self, trace: Trace, event: Event) -> bool:
        if self.points == "error":
            raise DataError(
                f"{trace.where(event.number)} has no start, so it is a point in time; ",
                Option("points", "drop"),
                " leaves such events out, ",
                Option("points", "keep"),
                " with a ",
                Option("min_duration"),
                " makes intervals of them",
            )
        if self.points == "drop":
            self.files.leave_out(" without a start left out (", Option("points", "drop"), ")")
        return self.points == "keep"

    def count_transitions(self) -> None:
        """Count the events that neither start nor complete."""
        listed = ", ".join(quote(name) for name, _ in self.transitions.most_common(5))
        self.files.leave_out(
            f" with another {TRANSITION} ({listed}) left out, as it neither starts nor completes",
            number=self.transitions.total(),
        )


def _annotation(trace: Trace, event: Event, start: float, end: float) -> Annotation:
    track = event.attributes.get(RESOURCE, NO_RESOURCE)
    place = f"trace {quote(trace.known['instance'])}, event {event.number}"
    return Annotation(track, event.attributes[NAME], start, end, place)
