"""JSON Lines: one instance a line, or one interval a line as pandas writes them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ibgn.intervals import IntervalSequences
from ibgn.io.files import Source, reading, replacing
from ibgn.io.table import Columns, Labels, find_columns, read_columns
from ibgn.messages import DataError, quote
from ibgn.records import Cleaning, CleaningOptions

__all__ = ["read_jsonl", "write_jsonl"]


def read_jsonl(
    path: Source, *, columns: Columns = None, **cleaning: Unpack[CleaningOptions]
) -> tuple[IntervalSequences, Labels]:
    """Read a JSON Lines file.

    A line is an instance, {"instance": "a", "label": "tea", "intervals": [["boil", 0, 4], ...]},
    or an interval, {"instance": "a", "label": "tea", "action": "boil", "start": 0, "end": 4}; the
    first line decides. label and group may be missing. Options as for `read_table`.
    """
    options = Cleaning(**cleaning)
    with reading(path) as source:
        lines = list(_parse(path, source))
        if not lines:
            raise DataError(f"{source}the file is empty; it needs one line an instance")
        if "intervals" in lines[0]:
            lines = [
                row for number, line in enumerate(lines, 1) for row in _rows(line, number, source)
            ]
        found = list(dict.fromkeys(name for line in lines for name in line))
        names = find_columns(found, columns, f"{source}the first line")
        series = {
            ours: np.array([_scalar(line.get(theirs)) for line in lines] + [None], object)[:-1]
            for ours, theirs in names.items()
        }
        return read_columns(series, source, options)


def write_jsonl(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write one line an instance."""
    labels = None if y is None else np.asarray(y).tolist()
    if labels is not None and len(labels) != len(X):
        raise DataError(f"y has one value an instance, got {len(labels)} for {len(X)} instances")
    groups = None if X.groups is None else X.groups.tolist()
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for d, intervals in enumerate(X.to_lists()):
            line: dict[str, Any] = {"instance": str(d) if X.ids is None else X.ids[d]}
            if labels is not None:
                line["label"] = labels[d]
            if groups is not None:
                line["group"] = groups[d]
            line["intervals"] = intervals
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def _parse(path: Source, source: str) -> Iterator[dict[str, Any]]:
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    yield _parse_line(text, number, source)
    except UnicodeDecodeError as error:
        raise DataError(f"{source}the text is not UTF-8: {error}; save it as UTF-8") from error


def _parse_line(text: str, number: int, source: str) -> dict[str, Any]:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{source}line {number} is not JSON: {error}") from error
    if not isinstance(line, dict):
        raise DataError(f"{source}line {number} is {quote(line)}; an object {{...}} is wanted")
    return line


def _rows(line: dict[str, Any], number: int, source: str) -> list[dict[str, Any]]:
    """Rows of the long table that a line for one instance stands for."""
    intervals = line.get("intervals")
    if not isinstance(intervals, list):
        raise DataError(f"{source}line {number} has no list of intervals, as the first line has")
    kept = {name: value for name, value in line.items() if name != "intervals"}
    rows = []
    for interval in intervals:
        if isinstance(interval, dict):
            interval = [interval.get(name) for name in ("action", "start", "end")]
        if not isinstance(interval, list) or len(interval) != 3:
            raise DataError(
                f"{source}line {number}: an interval is [action, start, end], got {quote(interval)}"
            )
        rows.append(kept | dict(zip(("action", "start", "end"), interval, strict=True)))
    return rows or [kept | {"action": None, "start": None, "end": None}]


def _scalar(value: Any) -> Any:
    """Keep nested values as text, so that a column holds nothing that cannot be compared."""
    return json.dumps(value) if isinstance(value, list | dict) else value
