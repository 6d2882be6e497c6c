"""JSON of other tools: all objects that have a start and an end, wherever they stand."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ibgn._files import InputFile
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.files import Files
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.json import Node, parse_json, parse_value
from ibgn.io.parsing.time import as_seconds
from ibgn.io.parsing.words import (
    ACTION,
    BESIDES,
    END,
    FRAMES,
    INSTANCE,
    LENGTH,
    NUMBERING,
    START,
    UNITS,
    words_of,
)
from ibgn.io.registry import reader

__all__ = ["read_json"]

TRACK = "intervals"  # of objects in a list without a name
SOME_JSON = 0.01  # so that the reader can say what is missing in JSON that no format knows
BOTH = frozenset({"segment", "interval", "timestamp", "timestamps", "span", "range", "window"})
SEVERAL = frozenset({*BOTH, "segments", "intervals", "spans", "ranges", "windows", "moments"})
# names of lists in a document, which do not name a recording
LISTS = frozenset(
    re.findall(
        r"\w+",
        "annotation annotations segment segments event events label labels result results data "
        "item items interval intervals action actions utterance utterances word words entry "
        "entries record records track tracks clip clips region regions sentence sentences chapter "
        "chapters marker markers database video videos file files caption captions value values",
    )
)


class Times(NamedTuple):
    """Where an object has its times, and how many seconds a number there stands for.

    `end` is a length where `is_length`; both are in one list where `end` is None, or in that of a
    list of such lists which `place` says.
    """

    start: str
    end: str | None
    is_length: bool = False
    unit: float = 1.0
    place: int | None = None


def _sniff(head: Head) -> float:
    """Tell the file by an object with a start and an end."""
    document = head.json
    if document is None and head.text.lstrip().startswith("{"):  # perhaps one for each line
        document = [json.loads(line) for line in head.lines[:20]]
    if not isinstance(document, dict | list):
        return 0.0
    found = next(_records(Node(document, "")), None)
    return SOME_JSON if found is None else POSSIBLE


@reader(
    "json",
    also=(".json", ".jsonl", ".ndjson"),
    about="any JSON with objects that have a start and an end",
    sniff=_sniff,
)
def read_json(files: Files, *, overlaps: Overlaps = "keep") -> Iterator[Recording]:
    r"""Read JSON of tools that have no format of their own here.

    All objects with a start and an end are intervals, wherever they stand, also where each line is
    a document of its own. Fields are known by the words of their names: a start is "start",
    "begin_time", "startMs" and so on, and so are an end, a duration, a pair "segment": [0, 2.5] or
    a list of pairs; the action is a "label", "action", "text" or the like. The instance is the
    "video", "file" or the like of the object or of those around it, the name under which they
    stand, or else the file. The name of the list that holds an object is its track.

    Parameters
    ----------
    overlaps : what to do with an object that overlaps one of the same track and action: "keep" it,
        "merge" the two, both with a warning, or "error"

    Returns
    -------
    X : the instances, in the order in which they appear, with times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('''[{"video": "tea_01", "events": [
    ...     {"name": "boil", "start_ms": 0, "end_ms": 2500},
    ...     {"name": "pour", "start_ms": 2500, "end_ms": 4000}]}]''')
    >>> X, y = read_json(path, activity="([a-z]+)_")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      tea_01: boil [0, 2.5), pour [2.5, 4)
    """
    recordings = (recording for file in files for recording in _recordings(file, files))
    yield from settle_overlaps(recordings, overlaps, files)


def _recordings(file: InputFile, files: Files) -> Iterator[Recording]:
    records = list(_records(_document(file)))
    if not records:
        raise DataError(
            f"{file.prefix}no object in the document has a start and an end, so that it holds no "
            "intervals that could be read"
        )
    notes: dict[str, list[Annotation]] = {}
    for (record, times), (start, end) in zip(records, _seconds(records), strict=True):
        name = _instance(record) or file.name
        own = f"{file.name}#{name}" if len(files) > 1 and name != file.name else name
        for action in _actions(record, times):
            note = Annotation(_track(record), action, start, end, record.path)
            notes.setdefault(own, []).append(note)
    if files.choices.action == "value" and not any(
        n.value for each in notes.values() for n in each
    ):
        raise DataError(
            f"{file.prefix}no object with a start and an end says what went on; ",
            Option("action", "track"),
            " names the intervals by the lists that hold them",
        )
    yield from (Recording(name, each) for name, each in notes.items())


def _document(file: InputFile) -> Node:
    """Root of a document, which may be one for each line."""
    try:
        return parse_json(file)
    except DataError as error:
        lines = [(number, line) for number, line in enumerate(file.lines(), 1) if line.strip()]
        if len(lines) < 2:
            raise
        try:
            values = [parse_value(line, f"{file.prefix}line {number}: ") for number, line in lines]
        except DataError:  # each line is JSON, and one is refused
            raise
        except (ValueError, RecursionError):
            raise error from None
        return Node(values, file.prefix)


def _records(root: Node) -> Iterator[tuple[Node, Times]]:
    """Objects with a start and an end, in the order in which they stand."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, dict):
            yield from ((node, times) for times in _find_times(node.value))
            within = [child for _, child in node.members()]
        else:
            within = node.items() if isinstance(node.value, list) else []
        waiting += [each for each in reversed(within) if isinstance(each.value, dict | list)]


def _find_times(fields: Mapping[str, Any]) -> list[Times]:
    """Where an object has its times; frames only where it has no others."""
    scalars = {key: words_of(key) for key, value in fields.items() if _is_time(value)}
    for besides in (BESIDES, BESIDES | FRAMES):
        start, end, length = (
            next((key for key, words in scalars.items() if _says(words, telling, besides)), None)
            for telling in (START, END, LENGTH)
        )
        if start is None and length is not None:  # music has a time and a duration
            start = next((key for key, words in scalars.items() if words == ["time"]), None)
        if start is not None and (end is not None or length is not None):
            unit = next((UNITS[word] for word in scalars[start] if word in UNITS), 1.0)
            return [Times(start, end or length, end is None, unit)]
    for key, value in fields.items():
        words = set(words_of(key))
        if BOTH & words and _is_pair(value):
            return [Times(key, None)]
        if SEVERAL & words and isinstance(value, list) and value and all(map(_is_pair, value)):
            return [Times(key, None, place=place) for place in range(len(value))]
    return []


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_time, value))


def _is_time(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number or (isinstance(value, str) and bool(re.match(r"\s*[-+.]?\d", value)))


def _says(words: Sequence[str], telling: frozenset[str], besides: frozenset[str]) -> bool:
    """Whether a name is made of a telling word, units, and words that times have besides."""
    others = set(words) - telling
    return len(others) < len(set(words)) and all(w in besides or w in UNITS for w in others)


def _seconds(records: Sequence[tuple[Node, Times]]) -> Iterator[tuple[float, float]]:
    """Start and end of each object."""
    pairs = []
    for record, times in records:
        node = record.child(times.start)
        node = node if times.place is None else node.items()[times.place]
        pairs.append(node.items() if times.end is None else [node, record.child(times.end)])
    both = [end for pair in pairs for end in pair]
    texts = [str(end.value) for end in both]
    moments = iter(as_seconds(texts, lambda at: f"{both[at].prefix}{both[at].path}").tolist())
    for (_, times), start, end in zip(records, moments, moments, strict=False):
        last = start + end if times.is_length else end
        yield start * times.unit, last * times.unit


def _actions(record: Node, times: Times) -> list[str]:
    """What went on: the field whose name is most like that of an action; empty without one."""
    free = {key: words_of(key) for key in record.value if key not in (times.start, times.end)}
    named = [key for word in ACTION for key, words in free.items() if {word, f"{word}s"} & {*words}]
    for key in sorted(named, key=lambda key: bool(NUMBERING & set(free[key]))):
        value = record.value[key]
        values = value if isinstance(value, list) else [value]
        if values and all(isinstance(each, str | int) for each in values):
            beside = times.place is not None and len(values) == len(record.value[times.start])
            if isinstance(value, list) and beside:  # one text for each of a list of times
                values = values[times.place :][:1]
            return [str(each).strip() for each in values]
    return [""]


def _instance(record: Node) -> str | None:
    """Name of the recording that an object is of, said by it or by what is around it."""
    around = [record]
    while around[-1].parent is not None:
        around.append(around[-1].parent)
    for node in around:
        fields = node.value if isinstance(node.value, dict) else {}
        named = (key for word in INSTANCE for key in fields if word in words_of(key))
        found = next((key for key in named if isinstance(fields[key], str | int)), None)
        if found is not None:
            return str(fields[found])
        within = node.parent.value if node.parent is not None else None
        if isinstance(node.key, str) and not node.key.isdigit() and isinstance(within, dict):
            alike = all(isinstance(value, dict | list) for value in within.values())
            if alike and not set(words_of(node.key)) <= LISTS:
                return node.key
    for node in around[1:]:
        is_object = isinstance(node.value, dict) and not _find_times(node.value)
        if is_object and isinstance(node.key, int) and node.has("id"):
            return node.child("id").name()
    return None


def _track(record: Node) -> str:
    """Name of the list that holds an object, or of what is around that."""
    holder = record.parent
    named = holder is not None and isinstance(holder.key, str) and holder.key
    return str(holder.key) if holder is not None and named else TRACK
