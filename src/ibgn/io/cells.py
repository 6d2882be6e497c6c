"""Some columns of a text file, by name or by number, with or without a header."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pandas as pd
from packaging.version import Version

from ibgn._files import Recording
from ibgn.errors import DataError, OptionError
from ibgn.text import count, printable, quote

__all__ = [
    "Column",
    "check_column",
    "check_header",
    "find_delimiter",
    "find_places",
    "read_columns",
    "read_head",
]

Column = str | int

WHITE_SPACE = r"\s+"  # what pandas calls columns separated by any white space
DELIMITERS = {".csv": ",", ".tsv": "\t"}
SHOWN = 20  # columns that a message lists
# from version 3.1 on pandas reads floats exactly by itself and warns when told to
EXACT_FLOATS: dict[str, Any] = (
    {} if Version(pd.__version__) >= Version("3.1") else {"float_precision": "round_trip"}
)


def check_header(header: Any) -> None:
    """Refuse what does not say whether there is a header."""
    if not isinstance(header, bool):
        raise OptionError(f"header is True or False, whether there is one; got {quote(header)}")


def check_column(option: str, column: Any, header: bool) -> None:
    """Refuse what is neither the name nor the number of a column."""
    number = isinstance(column, int) and not isinstance(column, bool)
    if not (number and column >= 1) and not isinstance(column, str):
        raise OptionError(
            f"{option} names a column, or gives its number from 1 on; got {quote(column)}"
        )
    if isinstance(column, str) and not header:
        raise OptionError(
            f"{option}={column!r} is a name, but header=False says that columns have none; give "
            "its number from 1 on"
        )


def find_delimiter(recording: Recording, delimiter: Any) -> str:
    """Find what separates columns: as asked for, or by the suffix of the file."""
    if delimiter is None:
        suffixes = [suffix.lower() for suffix in recording.path.suffixes]
        return next((DELIMITERS[s] for s in suffixes if s in DELIMITERS), WHITE_SPACE)
    if delimiter == " ":
        return WHITE_SPACE
    fits = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not fits or delimiter in '\n\r"':
        raise OptionError(
            "delimiter is one character of ASCII, no quote and no line break, and ' ' for any "
            f"white space; got {quote(delimiter)}"
        )
    return str(delimiter)


def read_head(recording: Recording, delimiter: str) -> list[str]:
    """Cells of the first line."""
    head = _parse(recording, delimiter, header=None, nrows=1, dtype=str)
    return [str(cell) for cell in head.iloc[0]]


def find_places(
    wanted: Mapping[str, Column], head: Sequence[str], header: bool, source: str
) -> dict[str, int]:
    """Find the place of each column, counted from 0; `wanted` gives its name or number by ours."""
    return {ours: _place(column, head, header, source) for ours, column in wanted.items()}


def _place(column: Column, head: Sequence[str], header: bool, source: str) -> int:
    if isinstance(column, int):
        if column > len(head):
            raise DataError(
                f"{source}there is no column {column}: the first line has {len(head)}; check the "
                "number and delimiter="
            )
        return column - 1
    places = [place for place, name in enumerate(head) if name.strip() == column.strip()]
    if len(places) == 1:
        return places[0]
    listed = ", ".join(quote(name) for name in head[:SHOWN])
    more = f" and {len(head) - SHOWN} more" if len(head) > SHOWN else ""
    found = f"{len(places)} columns" if places else "no column"
    raise DataError(
        f"{source}there is {found} {quote(column)} (found: {listed}{more}); check the name and "
        "delimiter=, or give the number of the column"
    )


def read_columns(
    recording: Recording, delimiter: str, header: bool, types: Mapping[int, str], width: int
) -> pd.DataFrame:
    """Read columns by their places, each as the type wanted; "category" is one of text.

    `width` is the number of columns of the first line. Rows with more are refused; so are rows
    with fewer where white space separates columns, as cells cannot be empty there.
    """
    _refuse_ragged(recording, delimiter, width)
    try:
        table = _parse(
            recording,
            delimiter,
            header=0 if header else None,
            names=range(width),
            usecols=list(types),
            dtype=dict(types),
        )
    except IndexError:  # what pandas makes of some columns of a header alone
        table = pd.DataFrame()
    if len(table) == 0:
        raise DataError(f"{recording.prefix}there are no rows below the header")
    return table


def _refuse_ragged(recording: Recording, delimiter: str, width: int) -> None:
    """Refuse rows of the wrong length, which pandas cuts or fills when it reads some columns."""
    empty = 0
    with recording.open() as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                empty = empty or number
                continue
            if empty and width == 1:  # a row like others, but pandas passes it over
                raise DataError(
                    f"{recording.prefix}line {empty} is empty, the only cell of its row; fill it in"
                )
            found = _count_cells(line.rstrip(b"\r\n"), delimiter)
            if found > width or (0 < found < width and delimiter == WHITE_SPACE):
                raise DataError(
                    f"{recording.prefix}line {number} has {count(found, 'column')}, while the "
                    f"first has {width}; check quotes, delimiter= and the number of columns"
                )


def _count_cells(line: bytes, delimiter: str) -> int:
    """Count the cells of a line; 0 where it has none, or quotes that only pandas understands."""
    if b'"' in line or b"\r" in line or not line:
        return 0
    if delimiter == WHITE_SPACE:
        return len(line.split())
    mark = delimiter.encode()
    return line.count(mark) + (not line.endswith(mark))  # a mark at the end adds no cell


def _parse(recording: Recording, delimiter: str, **options: Any) -> pd.DataFrame:
    """Let pandas read text as it is: no guessing of types, indices or missing values."""
    with _parsing(recording.prefix), recording.open() as stream:
        table = pd.read_csv(
            stream,
            sep=delimiter,
            encoding="utf-8-sig",
            engine="c",
            keep_default_na=False,
            index_col=False,
            **EXACT_FLOATS,
            **options,
        )
    return cast("pd.DataFrame", table)


@contextmanager
def _parsing(source: str) -> Iterator[None]:
    """Turn what pandas says of a file into an error that says what to do."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.EmptyDataError as error:
        raise DataError(f"{source}the file is empty; it needs rows of columns") from error
    except UnicodeError as error:
        raise DataError(
            f"{source}the text is not UTF-8: {printable(error, 200)}; save it as UTF-8"
        ) from error
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise DataError(
            f"{source}not readable as a table: {printable(reason, 200)}; check quotes, delimiter= "
            "and the number of columns"
        ) from error
