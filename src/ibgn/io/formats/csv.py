"""Comma-separated values: instance,label,action,start,end[,group], one row per interval."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import InputFile, Source, writing
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences
from ibgn.io.export import IN_TEXT, check_writable
from ibgn.io.files import Files
from ibgn.io.head import LIKELY, Head
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.tabular import (
    Columns,
    check_columns,
    check_delimiter,
    check_encoding,
    decoding,
    find_columns,
    parse_csv,
    parse_head,
    parsing,
)
from ibgn.io.registry import reader, writer
from ibgn.text import quote

__all__ = ["read_csv", "write_csv"]

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
NEEDS = "a header and one row per interval"


def _sniff(head: Head) -> float:
    """Tell a table by the columns that are always needed."""
    return LIKELY if {"instance", "action", "start", "end"} <= set(head.rows[0]) else 0.0


@reader("csv", (".csv",), also=(".tsv",), about="one row per interval", sniff=_sniff)
def read_csv(
    files: Files, *, columns: Columns = None, delimiter: str = ",", encoding: str = "utf-8"
) -> LongFrame:
    r"""Read a CSV file with one row per interval and a header.

    Its columns are instance, action, start, end and, if known, label and group; where intervals
    are uncertain, also confidence, alternatives, start_error and end_error, see
    `ibgn.uncertainty.Uncertainty`.

    Parameters
    ----------
    path : file; compressed ones too (.gz, .bz2, .xz)
    columns : other names for them, for example {"action": "behaviour"}
    delimiter : what separates the columns, one character of ASCII
    encoding : of the text; a byte order mark is ignored

    Returns
    -------
    X : the instances, in the order in which the file first names them; names are text as written
    y : (n,) one label per instance, or None where there is no label column or it is empty

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.csv"
    >>> _ = path.write_text("instance,label,action,start,end\n7,tea,boil,0,3\n7,tea,pour,4,5\n")
    >>> X, y = read_csv(path, closed="both")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      7: boil [0, 4), pour [4, 6)
    """
    check_columns(columns)
    check_delimiter(delimiter)
    check_encoding(encoding)
    file = files.only()
    with decoding(file.prefix, encoding), parsing(file.prefix, NEEDS):
        header = parse_head(file, delimiter, encoding)
        others = [mark for mark in DELIMITERS if mark != delimiter and mark in header[0]]
        if len(header) == 1 and others:
            raise DataError(
                f"{file.prefix}the header {quote(header[0])} is one column; "
                f"{DELIMITERS[others[0]]} seems to separate them: use ",
                Option("delimiter", others[0]),
            )
        used = find_columns(header, columns, f"{file.prefix}the header has")
        frame = _read_rows(file, header, used, delimiter, encoding)
    series = {ours: frame[place].array for ours, place in used.items()}
    left_out = [
        name
        for place, name in enumerate(header)
        # spreadsheets leave empty columns without a name behind
        if place not in used.values() and (name.strip() or (frame[place].str.strip() != "").any())
    ]
    return LongFrame(series, left_out, file.prefix)


@writer("csv")
def write_csv(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    delimiter: str = ",",
) -> None:
    """Write one row per interval; times are written so that reading gives them back exactly.

    The file is compressed where its suffix says so (.gz, .bz2, .xz).
    """
    check_delimiter(delimiter)
    check_writable(X, y, IN_TEXT)
    frame = X.to_frame(y)
    for name in ("start", "end"):
        if (frame[name] == frame[name].round()).all():  # 12, not 12.0; never with empty cells
            frame[name] = frame[name].astype(np.int64)
    # a carriage return ends a row for some readers, but only a line feed makes the writer quote
    columns = [values for values in (X.actions, X.ids, X.groups, X.track, y) if values is not None]
    returns = any("\r" in str(name) for values in columns for name in values)
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    with writing(path) as file:
        frame.to_csv(file, index=False, sep=delimiter, lineterminator="\n", quoting=quoting)


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
