"""Comma-separated values: instance,label,action,start,end[,group], one row an interval."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd
from packaging.version import Version

from ibgn.intervals import IntervalSequences
from ibgn.io.files import Source, reading, replacing
from ibgn.io.table import Columns, Labels, find_columns, read_columns
from ibgn.records import Cleaning, CleaningOptions, DataError, quote

__all__ = ["read_csv", "write_csv"]

# from version 3.1 on pandas reads floats exactly by itself and warns when told to
EXACT_FLOATS = (
    {} if Version(pd.__version__) >= Version("3.1") else {"float_precision": "round_trip"}
)
DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}


def read_csv(
    path: Source,
    *,
    columns: Columns = None,
    delimiter: str = ",",
    encoding: str = "utf-8",
    **cleaning: Unpack[CleaningOptions],
) -> tuple[IntervalSequences, Labels]:
    """Read a CSV file with one row an interval and a header.

    Parameters
    ----------
    path : file with the columns instance, action, start, end and, if known, label and group;
        compressed files are read by their suffix (.gz, .bz2, .xz, .zst)
    columns : other names for them, as {"action": "behaviour"}
    delimiter : what separates the columns, one character
    encoding : of the text; a byte order mark is passed over
    **cleaning : closed, tick, tolerance, zero_length, min_duration, duplicates; see
        `ibgn.records.Cleaning`

    Returns
    -------
    X : the instances, in the order in which the file first names them; names are text as written
    y : (n,) one label an instance, or None where there is no label column or it is empty

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.csv"
    >>> _ = path.write_text("instance,label,action,start,end\\n7,tea,boil,0,3\\n7,tea,pour,4,5\\n")
    >>> X, y = read_csv(path, closed="both")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      7: boil [0, 4), pour [4, 6)
    """
    options = Cleaning(**cleaning)
    if len(delimiter) != 1:
        raise DataError(f"delimiter is one character, got {delimiter!r}; for a tab give '\\t'")
    with reading(path) as source, _decoding(source, encoding):
        header = _read_header(path, delimiter, encoding, source)
        names = _find_columns(header, columns, delimiter, source)
        table = _read_rows(path, names, delimiter, encoding, source)
        return read_columns(table, source, options)


def write_csv(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    delimiter: str = ",",
) -> None:
    """Write one row an interval; times are written so that reading gives them back exactly."""
    table = X.to_table(y)
    for name in ("start", "end"):
        if (table[name] == table[name].round()).all():  # 12, not 12.0; never with empty cells
            table[name] = table[name].astype(np.int64)
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False, sep=delimiter, lineterminator="\n", compression="infer")


class _decoding:
    """Turns a decoding error into one that says what to do."""

    def __init__(self, source: str, encoding: str) -> None:
        self.source, self.encoding = source, encoding

    def __enter__(self) -> None:
        try:
            "".encode(self.encoding)
        except LookupError as error:
            raise DataError(
                f"there is no encoding {self.encoding!r}; try 'utf-8', 'latin-1' or 'utf-16'"
            ) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnicodeError):
            raise DataError(
                f"{self.source}the text is not {self.encoding}: {error}; give the encoding it was "
                "saved in, often encoding='latin-1' or 'utf-16', or save it as UTF-8"
            ) from error


def _open(encoding: str, delimiter: str) -> dict[str, Any]:
    """How pandas is told to read text as it is: no guessing of types, indices or missing values."""
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    return {
        "sep": delimiter,
        "encoding": "utf-8-sig" if plain else encoding,
        "keep_default_na": False,
        "index_col": False,
        "skipinitialspace": False,
        "quoting": csv.QUOTE_MINIMAL,
    }


def _read_header(path: Source, delimiter: str, encoding: str, source: str) -> list[str]:
    try:
        head = pd.read_csv(
            Path(path), header=None, nrows=1, dtype=str, **_open(encoding, delimiter)
        )
    except pd.errors.EmptyDataError as error:
        raise DataError(
            f"{source}the file is empty; it needs a header and one row an interval"
        ) from error
    except (pd.errors.ParserError, EOFError) as error:
        raise DataError(f"{source}not readable as CSV: {error}") from error
    return [str(name) for name in head.iloc[0]]


def _find_columns(header: list[str], columns: Columns, delimiter: str, source: str) -> dict[str, str]:
    if len(header) == 1:
        other = [mark for mark in DELIMITERS if mark != delimiter and mark in header[0]]
        if other:
            raise DataError(
                f"{source}the header {quote(header[0])} is one column; "
                f"{DELIMITERS[other[0]]} seems to separate them: use delimiter={other[0]!r}"
            )
    return find_columns(header, columns, f"{source}the header")


def _read_rows(
    path: Source, names: dict[str, str], delimiter: str, encoding: str, source: str
) -> dict[str, Any]:
    """Columns by our names: text as categories, times as numbers where all are, else as text."""
    text = {theirs: "category" for ours, theirs in names.items() if ours not in ("start", "end")}
    times = {names["start"]: np.float64, names["end"]: np.float64}
    options: dict[str, Any] = {
        "usecols": list(names.values()),
        **EXACT_FLOATS,
        **_open(encoding, delimiter),
    }
    try:
        try:
            table = pd.read_csv(Path(path), dtype={**text, **times}, **options)
        except ValueError as error:  # a time is not a number: read it as text, to say where
            if isinstance(error, pd.errors.ParserError | UnicodeError):
                raise
            table = pd.read_csv(Path(path), dtype={**text, **dict.fromkeys(times, str)}, **options)
    except (pd.errors.ParserError, EOFError) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise DataError(
            f"{source}not readable as CSV: {reason}; check quotes and the number of columns"
        ) from error
    return {ours: table[theirs].array for ours, theirs in names.items()}
