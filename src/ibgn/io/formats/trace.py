"""Traces of programs in the Trace Event Format, which Chrome and Perfetto write and show."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.registry import reader

__all__ = ["read_trace"]

EVENTS = "traceEvents"
MICROSECONDS = 1e6  # of a second
COMPLETE = "X"
NESTED = {"B": True, "E": False}  # begin and end on a thread, where the last begun ends first
BY_ID = {"b": True, "e": False, "S": True, "F": False}  # begin and end, by name and id
POINTS = {"i", "I", "n", "R"}
# with whom an event is paired: with others of its thread, or of its category, id and name
Key = tuple[str, ...]


def _sniff(head: Head) -> float:
    """Tell a trace by its events, which have a phase and a time."""
    document = head.json
    events = document.get(EVENTS) if isinstance(document, dict) else document
    if not isinstance(events, list) or not events:
        return 0.0
    return CERTAIN if all(_is_event(event) for event in events[:20]) else 0.0


def _is_event(event: Any) -> bool:
    return isinstance(event, dict) and {"ph", "pid"} <= event.keys()


@reader("trace", also=(".json",), about="traces of Chrome and Perfetto", unit="s", sniff=_sniff)
def read_trace(files: Files) -> Iterator[Recording]:
    r"""Read traces of programs, or a folder of them; a file is an instance.

    Tracks are the threads, by process and thread ("1/7"), or the categories of what is paired by
    its id. Events with a length, and those that begin and end, are intervals. Those without an end
    or a start, and points, are left out with a count.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "page.json"
    >>> load = '{"name": "load", "ph": "X", "ts": 0, "dur": 500000, "pid": 1, "tid": 7}'
    >>> _ = path.write_text(f'{{"traceEvents": [{load}]}}')
    >>> read_trace(path)[0].to_lists()
    [[('load', 0.0, 0.5)]]
    """
    for file in files:
        root = parse_json(file)
        events = root.child(EVENTS) if isinstance(root.value, dict) else root
        yield Recording(file.name, list(_spans(events.items(), files)))


class _Begun(NamedTuple):
    """What began, and has not ended yet."""

    name: str
    time: float
    place: str


def _spans(events: Sequence[Node], files: Files) -> Iterator[Annotation]:
    """Intervals of the events, in the order in which they end."""
    going: dict[Key, list[_Begun]] = {}
    timed = [(_time(event), event) for event in events if event.has("ts")]
    # those at the same time are in the order of the file
    for time, event in sorted(timed, key=lambda pair: pair[0]):
        phase, name = (str(event.value.get(key, "")) for key in ("ph", "name"))
        thread = f"{event.value.get('pid')}/{event.value.get('tid')}"
        if phase == COMPLETE and event.has("dur"):
            end = (event.child("ts").number() + event.child("dur").number()) / MICROSECONDS
            yield Annotation(thread, name, time, end, event.path)
        elif phase in NESTED or phase in BY_ID:
            track = thread if phase in NESTED else str(event.value.get("cat", thread))
            key = (thread,) if phase in NESTED else _key(event.value, name)
            waiting = going.setdefault(key, [])
            if NESTED.get(phase, BY_ID.get(phase)):
                waiting.append(_Begun(name, time, event.path))
            elif waiting:
                begun = waiting.pop()
                yield Annotation(track, begun.name, begun.time, time, begun.place)
            else:
                files.leave_out(" that ends what has not begun: left out")
        elif phase in POINTS:
            files.leave_out(": left out", noun="point in time")
    unended = sum(map(len, going.values()))
    files.leave_out(" that begins what does not end: left out", number=unended)


def _key(event: Mapping[str, Any], name: str) -> Key:
    return (str(event.get("cat")), str(event.get("id", event.get("id2"))), name)


def _time(event: Node) -> float:
    return event.child("ts").number() / MICROSECONDS
