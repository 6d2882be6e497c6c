"""Comma-separated values: instance,label,action,start,end[,group], one row an interval."""

import codecs
import csv
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Unpack, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from packaging.version import Version

from ibgn._files import Recording, Source, reading, writing
from ibgn.cleaning import Cleaning, CleaningOptions
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.checks import IN_TEXT, check_writable
from ibgn.io.columns import Columns, check_columns, find_columns
from ibgn.io.table import Labels, LongTable
from ibgn.text import printable, quote

__all__ = ["read_csv", "write_csv"]

# from version 3.1 on pandas reads floats exactly by itself and warns when told to
EXACT_FLOATS: dict[str, Any] = (
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
    r"""Read a CSV file with one row an interval and a header.

    Parameters
    ----------
    path : file with the columns instance, action, start, end and, if known, label and group;
        compressed files are read by their suffix (.gz, .bz2, .xz)
    columns : other names for them, as {"action": "behaviour"}
    delimiter : what separates the columns, one character of ASCII
    encoding : of the text; a byte order mark is passed over
    **cleaning : closed, tick, tolerance, zero_length, min_duration, duplicates; see
        `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the instances, in the order in which the file first names them; names are text as written
    y : (n,) one label an instance, or None where there is no label column or it is empty

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
    options = Cleaning(**cleaning)
    table = load_csv(path, columns=columns, delimiter=delimiter, encoding=encoding)
    return table.read(options)


def load_csv(
    path: Source, *, columns: Columns = None, delimiter: str = ",", encoding: str = "utf-8"
) -> LongTable:
    """Load the columns of a CSV file: times as numbers where all are, all else as text."""
    check_columns(columns)
    _check_delimiter(delimiter)
    _check_encoding(encoding)
    with reading(path) as recording, _decoding(recording.prefix, encoding):
        header = _read_header(recording, delimiter, encoding)
        used = _find_columns(header, columns, delimiter, recording.prefix)
        table = _read_rows(recording, header, used, delimiter, encoding)
    series = {ours: table[place].array for ours, place in used.items()}
    left_out = [
        name
        for place, name in enumerate(header)
        # spreadsheets leave empty columns without a name behind
        if place not in used.values() and (name.strip() or (table[place].str.strip() != "").any())
    ]
    return LongTable(series, left_out, recording.prefix)


def write_csv(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    delimiter: str = ",",
) -> None:
    """Write one row an interval; times are written so that reading gives them back exactly.

    The file is compressed where its suffix says so (.gz, .bz2, .xz).
    """
    _check_delimiter(delimiter)
    check_writable(X, y, IN_TEXT)
    table = X.to_frame(y)
    for name in ("start", "end"):
        if (table[name] == table[name].round()).all():  # 12, not 12.0; never with empty cells
            table[name] = table[name].astype(np.int64)
    # a carriage return ends a row for some readers, but only a line feed makes the writer quote
    returns = any("\r" in name for name in _texts(X, y))
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    with writing(path) as file:
        table.to_csv(file, index=False, sep=delimiter, lineterminator="\n", quoting=quoting)


def _texts(X: IntervalSequences, y: Sequence[Any] | npt.NDArray[Any] | None) -> Iterator[str]:
    for values in (X.actions, X.ids, X.groups, y):
        yield from map(str, () if values is None else values)


def _check_delimiter(delimiter: Any) -> None:
    fits = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not fits or delimiter in '\n\r"':
        raise OptionError(
            f"delimiter is one character of ASCII, no quote and no line break; got "
            f"{quote(delimiter)}; for a tab give '\\t'"
        )


def _check_encoding(encoding: Any) -> None:
    try:
        is_text = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, TypeError, ValueError):
        is_text = False
    if not is_text:
        raise OptionError(
            f"there is no encoding {quote(encoding)}; try 'utf-8', 'latin-1' or 'utf-16'"
        )


@contextmanager
def _decoding(source: str, encoding: str) -> Iterator[None]:
    """Turn what goes wrong with an encoding into an error that says what to do."""
    try:
        yield
    except UnicodeError as error:
        raise DataError(
            f"{source}the text is not {encoding}: {printable(error, longest=200)}; give the "
            "encoding it was saved in, often encoding='latin-1' or 'utf-16', or save it as UTF-8"
        ) from error


def _parse(recording: Recording, delimiter: str, encoding: str, **options: Any) -> pd.DataFrame:
    """Let pandas read text as it is: no guessing of types, indices or missing values."""
    plain = codecs.lookup(encoding).name == "utf-8"
    with recording.open() as stream:
        table = pd.read_csv(
            stream,
            sep=delimiter,
            encoding="utf-8-sig" if plain else encoding,
            keep_default_na=False,
            index_col=False,
            **EXACT_FLOATS,
            **options,
        )
    return cast("pd.DataFrame", table)


def _read_header(recording: Recording, delimiter: str, encoding: str) -> list[str]:
    try:
        head = _parse(recording, delimiter, encoding, header=None, nrows=1, dtype=str)
    except pd.errors.EmptyDataError as error:
        raise DataError(
            f"{recording.prefix}the file is empty; it needs a header and one row an interval"
        ) from error
    except pd.errors.ParserError as error:
        raise DataError(f"{recording.prefix}not readable as CSV: {error}") from error
    return [str(name) for name in head.iloc[0]]


def _find_columns(
    header: list[str], columns: Columns, delimiter: str, source: str
) -> dict[str, int]:
    if len(header) == 1:
        other = [mark for mark in DELIMITERS if mark != delimiter and mark in header[0]]
        if other:
            raise DataError(
                f"{source}the header {quote(header[0])} is one column; "
                f"{DELIMITERS[other[0]]} seems to separate them: use delimiter={other[0]!r}"
            )
    return find_columns(header, columns, f"{source}the header has")


def _read_rows(
    recording: Recording, header: list[str], used: dict[str, int], delimiter: str, encoding: str
) -> pd.DataFrame:
    """Columns by their places: times as numbers where all are, everything else as text."""
    options = {"header": 0, "names": range(len(header))}
    types: dict[int, type] = defaultdict(lambda: str)
    types |= dict.fromkeys((used["start"], used["end"]), float)
    with _parsing(recording.prefix):
        try:
            table = _parse(recording, delimiter, encoding, dtype=types, **options)
            # a column of True and False only is one of numbers to pandas, 1.0 and 0.0
            are_numbers = not any(table[used[name]].isin([0, 1]).all() for name in ("start", "end"))
        except ValueError as error:  # a time is not a number: read it as text, to say where
            if isinstance(error, pd.errors.ParserError | UnicodeError | DataError):
                raise
            are_numbers = False
        return (
            table if are_numbers else _parse(recording, delimiter, encoding, dtype=str, **options)
        )


@contextmanager
def _parsing(source: str) -> Iterator[None]:
    """Turn what pandas says of a file that is not CSV into an error that says what to do."""
    try:
        with warnings.catch_warnings():
            # pandas warns, and drops cells, where all rows are longer than the header
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.ParserWarning as warning:
        raise DataError(
            f"{source}not readable as CSV: rows have more columns than the header; "
            "name the columns or drop the surplus"
        ) from warning
    except pd.errors.ParserError as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise DataError(
            f"{source}not readable as CSV: {reason}; check quotes and the number of columns"
        ) from error
