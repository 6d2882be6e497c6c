"""Tables with columns of our names, or those that are given: read at once, by pandas."""

import codecs
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.formats.csv.foreign import Given
from ibgn.io.formats.csv.times import read_times
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.moments import kind_of_column
from ibgn.io.parsing.roles import Roles
from ibgn.io.parsing.sheets import WHITE_SPACE, Sheet
from ibgn.io.parsing.tabular import (
    REQUIRED,
    decoding,
    find_columns,
    parse_csv,
    parse_head,
    parsing,
)

__all__ = ["load_own"]

NEEDS = "a header and one row per interval"
DELIMITERS = (",", "\t", ";", "|")
PIECE = 1 << 20  # bytes that are looked through at once


def load_own(file: InputFile, given: Given, encoding: str) -> LongFrame | None:
    """Rows of a file with our columns, or those that are given; None where it has others."""
    own = _find_own(file, given, encoding)
    return None if own is None else _load(file, *own, encoding, given.day_first)


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
    if any(kind_of_column(each) not in known for each in cells):
        return {}
    rows = [list(pair) for pair in zip(*cells, strict=True)]
    sheet = Sheet(["start", "end"], True, rows, list(range(1, len(rows) + 1)), [], [], ",")
    start, end = read_times(
        sheet,
        Roles({"start": (0,), "end": (1,)}),
        np.asarray(series["instance"], object),
        lambda row: f"{source}row {row + 1}",
        day_first,
    )
    return {"start": start, "end": end}


def _read_rows(
    file: InputFile, header: list[str], used: dict[str, int], delimiter: str, encoding: str
) -> pd.DataFrame:
    """Columns by their places: times as numbers where all are, everything else as text."""
    options: dict[str, Any] = {"header": 0, "names": range(len(header))}
    types: dict[int, type] = defaultdict(lambda: str)
    types |= dict.fromkeys((used["start"], used["end"]), float)
    try:
        frame = parse_csv(file, delimiter, encoding, dtype=types, **options)
        # a column of True and False only is one of numbers to pandas, 1.0 and 0.0
        are_numbers = not any(frame[used[name]].isin([0, 1]).all() for name in ("start", "end"))
    except ValueError as error:  # a time is not a number: read it as text, to say where
        if isinstance(error, pd.errors.ParserError | UnicodeError | DataError):
            raise
        are_numbers = False
    return frame if are_numbers else parse_csv(file, delimiter, encoding, dtype=str, **options)
