"""Tables with columns of our names, or those that are given: read at once, by pandas."""

import codecs
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import InputFile
from ibgn.errors import DataError, Option
from ibgn.io.formats.csv.foreign import Given
from ibgn.io.formats.csv.times import USUAL, read_times, with_unreadable
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.columns import REQUIRED, find_columns
from ibgn.io.parsing.moments import kind_of_column
from ibgn.io.parsing.roles import Roles
from ibgn.io.parsing.sheets import WHITE_SPACE, Sheet
from ibgn.io.parsing.tabular import decoding, parse_csv, parse_head, parsing, stream_csv
from ibgn.text import quote

__all__ = ["load_own", "stream_own"]

NEEDS = "a header and one row per interval"
DELIMITERS = (",", "\t", ";", "|")
PIECE = 1 << 20  # bytes that are looked through at once


def load_own(file: InputFile, given: Given, encoding: str) -> LongFrame | None:
    """Rows of a file with our columns, or those that are given; None where it has others."""
    own = _find_own(file, given, encoding)
    return None if own is None else _load(file, *own, encoding, given.day_first)


def stream_own(file: InputFile, given: Given, encoding: str, rows: int) -> Iterator[LongFrame]:
    """The same rows, so many at a time; refuses files whose columns `load_own` does not know."""
    own = _find_own(file, given, encoding)
    if own is None:
        raise DataError(
            f"{file.prefix}the file is not read piece by piece, as it has no columns "
            f"{', '.join(REQUIRED)}; give their names with ",
            Option("columns"),
            ", or convert the file to Parquet",
        )
    with decoding(file.prefix, encoding):
        _refuse_nul(file, encoding)
    delimiter, header, used = own
    first = 0
    for frame in _stream_rows(file, header, used, delimiter, encoding, rows):
        series: dict[str, Any] = {ours: frame[place].array for ours, place in used.items()}
        _refuse_moments(series, file.prefix)
        series |= _as_seconds(series, file.prefix, given.day_first, delimiter != ",")
        yield LongFrame(series, (), file.prefix).numbered_from(first)
        first += len(frame)


def _refuse_moments(series: Mapping[str, Any], source: str) -> None:
    """Refuse clocks and date-times, which are seconds since the earliest of a whole file."""
    for name in ("start", "end"):
        if series[name].dtype.kind != "f":
            kind = kind_of_column([str(cell) for cell in series[name]])
            if kind in ("clock", "moment", "date"):
                raise DataError(
                    f"{source}the {name} of rows is a {kind}, such as {quote(series[name][0])}; "
                    "files that are read piece by piece have times as numbers: convert it"
                )


def _find_own(
    file: InputFile, given: Given, encoding: str
) -> tuple[str, list[str], dict[str, int]] | None:
    """Delimiter, header and places of columns that have our names, or those that are given."""
    names = given.columns.values()
    plain = all(isinstance(name, str) for name in names) and "length" not in given.columns
    if not plain or given.header is False or given.delimiter == WHITE_SPACE:
        return None
    required = {given.columns.get(ours, ours) for ours in REQUIRED}
    with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
        for mark in DELIMITERS if given.delimiter is None else (given.delimiter,):
            header = parse_head(file, mark, encoding)
            if required <= set(header):
                used = find_columns(header, dict(given.columns), f"{file.prefix}the header has")
                return mark, header, used
    return None


def _load(
    file: InputFile,
    delimiter: str,
    header: list[str],
    used: dict[str, int],
    encoding: str,
    day_first: bool | None,
) -> LongFrame:
    with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
        _refuse_nul(file, encoding)
        frame = _read_rows(file, header, used, delimiter, encoding)
    series: dict[str, Any] = {ours: frame[place].array for ours, place in used.items()}
    series |= _as_seconds(series, file.prefix, day_first, delimiter != ",")
    left_out = [
        name
        for place, name in enumerate(header)
        # spreadsheets leave empty columns without a name behind
        if place not in used.values() and (name.strip() or (frame[place].str.strip() != "").any())
    ]
    return LongFrame(series, left_out, file.prefix)


def _refuse_nul(file: InputFile, encoding: str) -> None:
    """Refuse text with NUL characters, at which pandas cuts cells without a word."""
    line = 1
    with file.open() as stream:
        for piece in codecs.iterdecode(iter(partial(stream.read, PIECE), b""), encoding):
            before, nul, _ = piece.partition("\0")
            line += before.count("\n")
            if nul:
                raise DataError(
                    f"{file.prefix}line {line}: there is a NUL character, at which a name would be "
                    "cut; remove it, or export the file again"
                )


def _as_seconds(
    series: Mapping[str, Any], source: str, day_first: bool | None, with_commas: bool
) -> dict[str, npt.NDArray[Any]]:
    """Starts and ends that are clocks or date-times, as seconds, or numbers with commas."""
    if any(series[name].dtype.kind == "f" for name in ("start", "end")):
        return {}
    cells = [[str(cell) for cell in series[name]] for name in ("start", "end")]
    known = ("clock", "moment", "date", "empty", *(["number"] if with_commas else []))
    if any(kind_of_column(each, USUAL) not in known for each in cells):
        return {}
    rows = [list(pair) for pair in zip(*cells, strict=True)]
    sheet = Sheet(["start", "end"], True, rows, list(range(1, len(rows) + 1)), [], [], ",")
    roles = Roles({"start": (0,), "end": (1,)})
    start, end = read_times(
        sheet,
        roles,
        np.asarray(series["instance"], object),
        lambda row: f"{source}row {row + 1}",
        day_first,
    )
    start, end = with_unreadable(sheet, roles, start, end)
    return {"start": start, "end": end}


def _read_rows(
    file: InputFile, header: list[str], used: dict[str, int], delimiter: str, encoding: str
) -> pd.DataFrame:
    """Columns by their places: times as numbers where all are, everything else as text."""
    options: dict[str, Any] = {"header": 0, "names": range(len(header))}
    try:
        frame = parse_csv(file, delimiter, encoding, dtype=_types(used), **options)
        are_numbers = _are_numbers(frame, used)
    except ValueError as error:  # a time is not a number: read it as text, to say where
        if isinstance(error, pd.errors.ParserError | UnicodeError | DataError):
            raise
        are_numbers = False
    return frame if are_numbers else parse_csv(file, delimiter, encoding, dtype=str, **options)


def _stream_rows(
    file: InputFile,
    header: list[str],
    used: dict[str, int],
    delimiter: str,
    encoding: str,
    rows: int,
) -> Iterator[pd.DataFrame]:
    """The same, so many rows at a time; from where a time is not a number, all times as text."""
    options: dict[str, Any] = {"header": 0, "names": range(len(header))}
    types: Any = _types(used)
    given = skipped = 0  # frames
    frames = stream_csv(file, delimiter, encoding, rows, dtype=types, **options)
    while True:
        with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
            try:
                frame = next(frames, None)
                as_text = types is not str and frame is not None and not _are_numbers(frame, used)
            except ValueError as error:
                known = pd.errors.ParserError | UnicodeError | DataError
                if types is str or isinstance(error, known):
                    raise
                as_text = True
        if as_text:
            types, skipped = str, 0
            frames = stream_csv(file, delimiter, encoding, rows, dtype=str, **options)
            continue
        if frame is None:
            return
        skipped += 1
        if types is not str or skipped > given:
            given += 1
            yield frame


def _types(used: Mapping[str, int]) -> dict[int, type]:
    """Times are numbers, and everything else is text."""
    types: dict[int, type] = defaultdict(lambda: str)
    return types | dict.fromkeys((used["start"], used["end"]), float)


def _are_numbers(frame: pd.DataFrame, used: Mapping[str, int]) -> bool:
    """Whether times are; to pandas a column of True and False only is one of 1.0 and 0.0."""
    columns = (frame[used[name]].to_numpy() for name in ("start", "end"))
    return not any(((times == 0) | (times == 1)).all() for times in columns)
