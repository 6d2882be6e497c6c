"""JSON of other tools: all objects that have a start and an end, wherever they stand."""

import json
from collections.abc import Iterator, Sequence
from statistics import median

from ibgn._files import InputFile
from ibgn.budgets import Allowance
from ibgn.checks import check_number
from ibgn.errors import BudgetError, DataError, Option
from ibgn.io.annotations import Annotation, Overlaps, Recording, settle_overlaps
from ibgn.io.files import ANNOTATION, Files
from ibgn.io.formats.json.frames import find_frames
from ibgn.io.formats.json.names import (
    Legend,
    actions_of,
    around,
    instance_of,
    is_number_of_row,
    track_of,
)
from ibgn.io.formats.json.places import find_places, find_setting
from ibgn.io.formats.json.rows import find_rows
from ibgn.io.formats.json.times import (
    Times,
    counts_chunks,
    find_records,
    frame_rate,
    has_one_time,
    has_score,
    in_seconds,
    walk,
)
from ibgn.io.formats.json.units import find_unit
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.json import Node, parse_json, parse_value
from ibgn.io.parsing.words import words_of
from ibgn.io.registry import reader
from ibgn.text import count, quote

__all__ = ["read_json"]

DAY = 86400
AGAIN = frozenset({"timestamps", "times", "offsets", "frames", "samples"})
Records = Sequence[tuple[Node, Times]]
Span = tuple[float, float]
Named = tuple[str | None, Annotation]  # an annotation, and the instance that it is of, if known

SOME_JSON = 0.01  # so that the reader can say what is missing in JSON that no format knows


def _sniff(head: Head) -> float:
    """Tell the file by an object with a start and an end."""
    document = head.json
    if document is None and head.text.lstrip().startswith("{"):  # perhaps one for each line
        document = [json.loads(line) for line in head.lines[:20]]
    if not isinstance(document, dict | list):
        return 0.0
    root = Node(document, "")
    found = next(find_records(root), None) or next(find_rows(root), None)
    return SOME_JSON if found is None else POSSIBLE


@reader(
    "json",
    also=(".json", ".jsonl", ".ndjson"),
    about="any JSON with objects that have a start and an end",
    sniff=_sniff,
)
def read_json(
    files: Files, *, unit: float | None = None, overlaps: Overlaps = "keep"
) -> Iterator[Recording]:
    r"""Read JSON of tools that have no format of their own here.

    All objects with a start and an end are intervals, wherever they stand, also where each line is
    a document of its own. Fields are known by the words of their names: a start is "start",
    "begin_time", "startMs" and so on, and so are an end, a duration, a pair "segment": [0, 2.5] or
    a list of pairs; the action is a "label", "action", "text" or the like. The instance is the
    "video", "file" or the like of the object or of those around it, the name under which they
    stand, or else the file. The name of the list that holds an object is its track.

    Names of times may have other words where start and end have the same: "leak_start" and
    "leak_end". A pair may be text, "1.2-17.1", and in a list of pairs a score may follow, which is
    not used. Where no object has times, lists are intervals, ["boil", 0, 2.5] or ["tea_01", 33.4,
    [0, 6.9], "boil"], or else lists and objects have a label for each frame: ["boil", "boil"] or
    {"0": "boil", "1": "boil"}.

    Parameters
    ----------
    unit : seconds that a number stands for where its name tells no unit, for example 0.001; by
        default what the numbers tell: 1, or less where they are far too large for the length that
        the document says it has, or as large as those since 1970 are
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
    if unit is not None:
        check_number("unit", unit, "positive", lambda value: value > 0)
    recordings = (recording for file in files for recording in _recordings(file, files, unit))
    yield from settle_overlaps(recordings, overlaps, files)


def _recordings(file: InputFile, files: Files, unit: float | None) -> Iterator[Recording]:
    root = _document(file)
    legend = Legend(root)
    records = _timed(root, file.prefix, files)
    if records:
        spans = _spans(records, files, unit)
        found = _intervals(records, spans, legend, file.allowance)
        scored = sum(has_score(record, times) for record, times in records)
        every = ": found by a detector and read, whatever the score"
        files.leave_out(every, noun="span", number=scored)
        counted = sum(counts_chunks(record, times) for record, times in records)
        chunks = ": times are numbers of the chunks that a recording is cut into, and no seconds"
        files.leave_out(chunks, noun="span", number=counted)
        frames = sum(times.in_frames and not frame_rate(record, times) for record, times in records)
        numbers = ": of frames, and nothing says how many a second has, so that times are frames"
        files.leave_out(numbers, noun="span", number=frames)
    else:
        found = list(_listed(root, legend)) or list(_runs(root, legend, files))
    if not found:
        raise DataError(
            f"{file.prefix}no object in the document has a start and an end, so that it holds no "
            f"intervals that could be read{_about_points(root, legend)}"
        )
    notes: dict[str, list[Annotation]] = {}
    for said, note in found:
        name = said or file.name
        own = f"{file.name}#{name}" if len(files) > 1 and name != file.name else name
        notes.setdefault(own, []).append(note)
    if files.choices.action == "value" and not any(note.value for _, note in found):
        raise DataError(
            f"{file.prefix}no object with a start and an end says what went on; ",
            Option("action", "track"),
            " names the intervals by the lists that hold them",
        )
    yield from (Recording(name, each) for name, each in notes.items())


def _timed(root: Node, prefix: str, files: Files) -> list[tuple[Node, Times]]:
    """Objects with a start and an end that are times; refuses a document that has only others."""
    records = list(_said_once(find_records(root)))
    records = [each for each in records if each[0] is not root] or records
    places = find_places(records)
    if places and len(places) == len(records):
        record, times = records[0]
        ends = [key for key in (times.start, times.end) if key is not None]
        raise DataError(
            f"{prefix}{record.path}: {' and '.join(map(quote, ends))} count the characters of a "
            "text, as those of entities do, so that the document holds no times"
        )
    files.leave_out(": places in a text and no times, left out", noun="span", number=len(places))
    setting = find_setting(records)
    if setting is not None:
        ends = [key for key in (setting.start, setting.end) if key is not None]
        raise DataError(
            f"{prefix}the only times are {' and '.join(map(quote, ends))}, and nothing beside them "
            "says what went on, as in a file of settings; intervals are objects such as "
            '{"action": "boil", "start": 0, "end": 2.5}'
        )
    return [record for number, record in enumerate(records) if number not in places]


def _said_once(records: Iterator[tuple[Node, Times]]) -> Iterator[tuple[Node, Times]]:
    """Records without those that say again when the object around them was.

    {"timestamps": {"from": "0:00", "to": "0:02"}, "offsets": {"from": 0, "to": 2000}}
    """
    said: dict[int, str] = {}
    for record, times in records:
        around = record.parent
        own = isinstance(record.key, str) and {*words_of(record.key)} <= AGAIN
        if around is not None and own:
            first = said.setdefault(id(around.value), str(record.key))
            if first != record.key:
                continue
        yield record, times


def _about_points(root: Node, legend: Legend) -> str:
    """What is said of objects that have one time and say what went on."""
    listed = [node for node in walk(root) if isinstance(node.value, dict)]
    named = [(has_one_time(node.value), actions_of(node, None, legend)[1]) for node in listed]
    times = [time for time, actions in named if time is not None and actions]
    if not times:
        return ""
    have = "have one time each" if len(times) > 1 else "has one time"
    return f"; {count(len(times), 'object')} {have}, {quote(times[0])}, and would be points"


def _intervals(
    records: Records, spans: Sequence[Span], legend: Legend, allowance: Allowance
) -> list[Named]:
    """Annotations of objects with a start and an end."""
    said, number = [], 0
    for record, times in records:
        said.append(actions_of(record, times, legend))
        number += len(said[-1][1])
        allowance.need(ANNOTATION * number, f"{number} or more actions of its objects")
    if all(not actions or is_number_of_row(field) for field, actions in said):
        said = [_said_around(record, legend) for record, _ in records]  # what is around says it
    fields = {field for field, actions in said if all(each.isdecimal() for each in actions)}
    codes = fields - {""} if len(fields - {""}) > 1 else set()
    holding = {id(node.value) for record, _ in records for node in list(around(record))[1:]}
    found = []
    for (record, _), (field, actions), (start, end) in zip(records, said, spans, strict=True):
        if not actions and id(record.value) in holding:
            continue  # a clip or a chapter that only holds what went on
        for action in actions or [""]:
            name = f"{field} {action}" if field in codes else action  # codes of different things
            note = Annotation(track_of(record), name, start, end, record.path)
            found.append((instance_of(record, legend), note))
    return found


def _spans(records: Records, files: Files, given: float | None) -> list[Span]:
    """Start and end of each object in seconds."""
    spans = list(in_seconds(records))
    unit = find_unit(records, spans, given)
    if given is None and unit.seconds != 1:
        files.leave_out(f": times are {unit.name}, made seconds", noun="span", number=len(unit.of))
    spans = [
        (start * unit.seconds, end * unit.seconds) if number in unit.of else (start, end)
        for number, (start, end) in enumerate(spans)
    ]
    if given is None and unit.of and median(end - start for start, end in spans) > DAY:
        less = (Option("unit", 1e-6), " makes them seconds if they are microseconds")
        days = ": most last longer than a day, as times are read as seconds; "
        files.leave_out(days, *less, noun="span", number=len(unit.of))
    return spans


def _said_around(record: Node, legend: Legend) -> tuple[str, list[str]]:
    """What went on as said by what holds an object, without the document itself."""
    for node in list(around(record))[1:-1]:
        if isinstance(node.value, dict):
            field, actions = actions_of(node, None, legend)
            if len(actions) == 1 and not is_number_of_row(field):
                return field, actions
    return "", []


def _listed(root: Node, legend: Legend) -> Iterator[Named]:
    """Annotations of documents whose intervals are lists."""
    for node, said, action, start, end in find_rows(root):
        name = instance_of(node, legend) if said is None else said
        yield name, Annotation(track_of(node), action, start, end, node.path)


def _runs(root: Node, legend: Legend, files: Files) -> Iterator[Named]:
    """Annotations of documents with a label for each frame."""
    for node, runs in find_frames(root, legend):
        files.leave_out(": labels of frames, so that times are frames", noun="list")
        name = instance_of(node, legend)
        for start, end, value, row in zip(*(part.tolist() for part in runs), strict=True):
            where = f"{node.path}[{row}]"
            yield name, Annotation(track_of(node), str(value), start, end, where)


def _document(file: InputFile) -> Node:
    """Root of a document, which may be one for each line."""
    try:
        return parse_json(file)
    except BudgetError:
        raise
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
