"""JSON Lines: one instance per line, or one interval per line as pandas writes them."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._files import LINE, InputFile, Source, writing
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.io.export import IN_JSON, check_writable
from ibgn.io.files import Files
from ibgn.io.head import LIKELY, Head
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.columns import Columns, check_columns, find_columns, unused
from ibgn.io.parsing.json import VALUES, parse_value
from ibgn.io.registry import reader, writer
from ibgn.io.uncertain import CERTAIN
from ibgn.text import quote
from ibgn.uncertainty import COLUMNS

__all__ = ["read_jsonl", "write_jsonl"]

INTERVAL = ("action", "start", "end")
FIELDS = (*INTERVAL, "track", *COLUMNS)


class Line(NamedTuple):
    """An object of the file, its line number, and the position of an interval on the line."""

    number: int
    values: dict[str, Any]
    interval: int | None = None

    @classmethod
    def of(cls, text: str, number: int, source: str) -> "Line":
        """Parse a line, which must be an object."""
        try:
            values = parse_value(text, f"{source}line {number}: ")
        except (ValueError, RecursionError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{source}line {number} is not JSON: {error}; write one object {{...}} per line"
            ) from error
        if not isinstance(values, dict):
            raise DataError(
                f"{source}line {number} is {quote(values)}; an object {{...}} is needed"
            )
        return cls(number, values)

    def __str__(self) -> str:
        place = "" if self.interval is None else f", interval {self.interval}"
        return f"line {self.number}{place}"


def _sniff(head: Head) -> float:
    """Tell the file by its first line, which is an object on its own."""
    first = json.loads(head.lines[0])
    return LIKELY if "intervals" in first or {"action", "start", "end"} <= first.keys() else 0.0


@reader(
    "jsonl",
    (".jsonl", ".ndjson"),
    also=(".json",),
    about="one instance, or one interval, per line",
    sniff=_sniff,
)
def read_jsonl(files: Files, *, columns: Columns = None) -> LongFrame:
    """Read a JSON Lines file.

    A line is an instance, {"instance": "a", "label": "tea", "intervals": [["boil", 0, 4], ...]},
    or an interval, {"instance": "a", "label": "tea", "action": "boil", "start": 0, "end": 4}; the
    first line decides. label and group may be missing. An interval of which more is known is an
    object in both, {"action": "boil", "start": 0, "end": 4, "track": "hand", "confidence": 0.8},
    with any of track, confidence, alternatives, start_error and end_error; see
    `ibgn.uncertainty.Uncertainty`.

    Parameters
    ----------
    path : file; compressed ones too (.gz, .bz2, .xz)
    columns : other names for these fields, as {"action": "behaviour"}

    Returns
    -------
    X : the instances, in the order in which the file first names them
    y : (n,) one label per instance, or None where there are none

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> path = folder / "takes.jsonl"
    >>> _ = path.write_text('{"instance": "take 1", "intervals": [["boil", 0, 4], ["pour", 4, 6]]}')
    >>> X, y = read_jsonl(path)
    >>> X.to_lists(), y
    ([[('boil', 0.0, 4.0), ('pour', 4.0, 6.0)]], None)
    """
    renamed = check_columns(columns)
    file = files.only()
    file.expect({**VALUES, "\n": LINE}, "what its lines become")
    lines, source = list(_parse(file)), file.prefix
    if not lines:
        raise DataError(f"{source}the file is empty; it needs one line per instance")
    left_out: list[str] = []
    whole = "intervals" in lines[0].values
    if whole:
        theirs = [renamed.get(name, name) for name in FIELDS]
        rows = [row for line in lines for row in _intervals(line, theirs, left_out, source)]
    else:
        rows = lines
        other = next((line for line in lines if "intervals" in line.values), None)
        if other is not None:
            raise DataError(
                f"{source}{other} is an instance with its intervals, while the first line is one "
                "interval; write all lines in the same form"
            )
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    used = find_columns(names, columns, f"{source}the lines have")
    if whole:
        _refuse_repeated(lines, names[used["instance"]], source)
    series = {ours: _column(ours, rows, names[place]) for ours, place in used.items()}
    left_out = [*unused(names, used), *dict.fromkeys(left_out)]
    return LongFrame(series, left_out, source, lambda row: str(rows[row]))


@writer("jsonl")
def write_jsonl(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write one line per instance; compressed where the suffix says so (.gz, .bz2, .xz).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]], ids=["take 1"])
    >>> write_jsonl(X, folder / "takes.jsonl", ["tea"])
    >>> print((folder / "takes.jsonl").read_text(), end="")
    {"instance": "take 1", "label": "tea", "intervals": [["boil", 0.0, 4.0], ["pour", 4.0, 6.0]]}
    """
    columns = {"instance": X._names()} | check_writable(X, y, IN_JSON)
    with writing(path) as file:
        for d, intervals in enumerate(X.to_lists()):
            line = {name: values[d] for name, values in columns.items()}
            plain = X.uncertainty is None and X.track is None
            line["intervals"] = intervals if plain else _as_objects(X[d])
            try:
                text = json.dumps(line, ensure_ascii=False, allow_nan=False)
            except ValueError as error:
                raise DataError(
                    f"instance {d} has an infinite number for a label or group, which JSON cannot "
                    "hold; make it text"
                ) from error
            file.write(f"{text}\n")


def _as_objects(instance: IntervalSequences) -> list[dict[str, Any]]:
    """Intervals as objects, each with its track and what is not certain about it."""
    objects = [dict(zip(INTERVAL, interval, strict=True)) for interval in instance.to_lists()[0]]
    for each, track in zip(objects, () if instance.track is None else instance.track, strict=False):
        each |= {"track": track} if track else {}
    if instance.uncertainty is None:
        return objects
    confidence, start_error, end_error = (part.tolist() for part in instance.uncertainty[:3])
    alternatives = instance.uncertainty.alternatives(instance.actions)
    columns = zip(confidence, alternatives, start_error, end_error, strict=True)
    for each, values in zip(objects, columns, strict=True):
        unsure = dict(zip(COLUMNS, values, strict=True))
        said = {name: value for name, value in unsure.items() if value != CERTAIN.get(name)}
        if "end_error" in said and said["end_error"] == np.inf:
            said["end_error"] = "inf"  # JSON has no infinity
        each |= said
    return objects


def _parse(file: InputFile) -> Iterator[Line]:
    try:
        with file.open() as stream, io.TextIOWrapper(stream, encoding="utf-8-sig") as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield Line.of(text.strip(), number, file.prefix)
    except UnicodeDecodeError as error:
        raise DataError(f"{file.prefix}the text is not UTF-8: {error}; save it as UTF-8") from error


def _intervals(line: Line, theirs: list[str], left_out: list[str], source: str) -> list[Line]:
    """Rows of the long frame for a line with one instance."""
    intervals = line.values.get("intervals")
    if not isinstance(intervals, list):
        raise DataError(f"{source}{line} has no list of intervals, as the first line has")
    kept = {name: value for name, value in line.values.items() if name != "intervals"}
    rows = []
    for place, interval in enumerate(intervals, 1):
        if isinstance(interval, dict):
            left_out += [name for name in interval if name not in theirs]
            known = {name: interval[name] for name in theirs if name in interval}
        elif isinstance(interval, list) and len(interval) == len(INTERVAL):
            known = dict(zip(theirs, interval, strict=False))
        else:
            raise DataError(
                f"{source}{line}: an interval is [action, start, end], got {quote(interval)}"
            )
        values = kept | dict.fromkeys(theirs[:3]) | known
        rows.append(Line(line.number, values, place))
    return rows or [Line(line.number, kept | dict.fromkeys(theirs[:3]))]


def _refuse_repeated(lines: list[Line], name: str, source: str) -> None:
    first: dict[str, Line] = {}
    for line in lines:
        instance = _as_name(line.values.get(name))
        before = None if instance is None else first.setdefault(instance, line)
        if before is not None and before is not line:
            raise DataError(
                f"{source}{before} and {line} are the same instance, {quote(instance)}; "
                "put its intervals on one line, or give different instances different names"
            )


def _column(ours: str, rows: list[Line], theirs: str) -> npt.NDArray[np.object_]:
    """Values of a column; names as text, so that true and 1 stay different."""
    convert = _as_name if ours in ("instance", "action") else _as_scalar
    values = [convert(row.values.get(theirs)) for row in rows]
    return np.array([*values, None], object)[:-1]


def _as_name(value: Any) -> str | None:
    value = _as_scalar(value)
    return None if value is None or value != value else str(value)


def _as_scalar(value: Any) -> Any:
    """Keep nested values as text, so that a column holds nothing that cannot be compared."""
    return json.dumps(value) if isinstance(value, list | dict) else value
