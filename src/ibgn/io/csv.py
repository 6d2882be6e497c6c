"""Comma-separated values: instance,label,action,start,end[,group], one row an interval."""

import csv
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from packaging.version import Version

from ibgn.intervals import IntervalSequences
from ibgn.io.files import Source, reading, replacing
from ibgn.io.table import Columns, Labels, find_columns, read_columns
from ibgn.messages import DataError, quote
from ibgn.records import Cleaning, CleaningOptions

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
    >>> _ = path.write_text("instance,label,action,start,end\n7,tea,boil,0,3\n7,tea,pour,4,5\n")
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
    # a carriage return ends a row for some readers, but only a line feed makes the writer quote
    returns = any("\r" in name for name in _texts(X, y))
    quoting = csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False, sep=delimiter, lineterminator="\n", quoting=quoting)


def _texts(X: IntervalSequences, y: Sequence[Any] | npt.NDArray[Any] | None) -> Iterator[str]:
    for values in (X.actions, X.ids, X.groups, y):
        yield from map(str, () if values is None else values)


@contextmanager
def _decoding(source: str, encoding: str) -> Iterator[None]:
    """Turn what goes wrong with an encoding into an error that says what to do."""
    try:
        yield
    except LookupError as error:
        raise DataError(
            f"there is no encoding {encoding!r}; try 'utf-8', 'latin-1' or 'utf-16'"
        ) from error
    except UnicodeError as error:
        raise DataError(
            f"{source}the text is not {encoding}: {error}; give the encoding it was saved in, "
            "often encoding='latin-1' or 'utf-16', or save it as UTF-8"
        ) from error


def _parse(path: Source, delimiter: str, encoding: str, **options: Any) -> pd.DataFrame:
    """Let pandas read text as it is: no guessing of types, indices or missing values."""
    plain = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    table = pd.read_csv(
        Path(path),
        sep=delimiter,
        encoding="utf-8-sig" if plain else encoding,
        keep_default_na=False,
        index_col=False,
        **EXACT_FLOATS,
        **options,
    )
    return cast("pd.DataFrame", table)


def _read_header(path: Source, delimiter: str, encoding: str, source: str) -> list[str]:
    try:
        head = _parse(path, delimiter, encoding, header=None, nrows=1, dtype=str)
    except pd.errors.EmptyDataError as error:
        raise DataError(
            f"{source}the file is empty; it needs a header and one row an interval"
        ) from error
    except pd.errors.ParserError as error:
        raise DataError(f"{source}not readable as CSV: {error}") from error
    return [str(name) for name in head.iloc[0]]


def _find_columns(
    header: list[str], columns: Columns, delimiter: str, source: str
) -> dict[str, str]:
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
    """Columns by our names: times as numbers where all are, everything else as text."""
    types: dict[str, type] = defaultdict(lambda: str)
    types |= dict.fromkeys((names["start"], names["end"]), float)
    try:
        with warnings.catch_warnings():
            # pandas warns, and drops cells, where all rows are longer than the header
            warnings.simplefilter("error", pd.errors.ParserWarning)
            try:
                table = _parse(path, delimiter, encoding, dtype=types)
            except ValueError as error:  # a time is not a number: read it as text, to say where
                if isinstance(error, pd.errors.ParserError | UnicodeError):
                    raise
                table = _parse(path, delimiter, encoding, dtype=str)
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
    return {ours: table[theirs].array for ours, theirs in names.items()}
