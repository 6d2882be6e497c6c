"""Tables as text, read by pandas: what separates columns, encodings, and rows that do not fit."""

import codecs
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pandas as pd
from packaging.version import Version

from ibgn._files import CHUNK, InputFile, encoding_of
from ibgn.errors import DataError, Option, OptionError
from ibgn.text import count, printable

__all__ = [
    "check_delimiter",
    "check_encoding",
    "decoding",
    "find_delimiter",
    "find_encoding",
    "parse_csv",
    "parse_head",
    "parsing",
    "read_columns",
    "read_head",
    "stream_csv",
]


WHITE_SPACE = r"\s+"  # what pandas calls columns separated by any white space
DELIMITERS = {".csv": ",", ".tsv": "\t"}
COLUMN = 1 << 15  # bytes that a column takes in pandas, however short
FIRST = 6  # bytes that a byte of the first row takes, as text and while it is cut
CELL = 40  # bytes of a cell beside its text
IN_QUOTES = re.compile(rb'(?:[^"]+|"")*')
# since version 3.1 pandas reads floats exactly by itself and warns when asked to
EXACT_FLOATS: dict[str, Any] = (
    {} if Version(pd.__version__) >= Version("3.1") else {"float_precision": "round_trip"}
)


def find_delimiter(file: InputFile, delimiter: Any) -> str:
    """Find what separates columns: the given delimiter, or the usual one for the suffix."""
    if delimiter is None:
        suffixes = [suffix.lower() for suffix in file.path.suffixes]
        return next((DELIMITERS[s] for s in suffixes if s in DELIMITERS), WHITE_SPACE)
    if delimiter == " ":
        return WHITE_SPACE
    check_delimiter(delimiter, "and ' ' stands for any white space")
    return str(delimiter)


def check_delimiter(delimiter: Any, advice: str = "a tab is '\\t'") -> None:
    """Refuse what cannot separate columns."""
    fits = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not fits or delimiter in '\n\r"':
        raise OptionError(
            "delimiter",
            delimiter,
            f"must be one character of ASCII, no quote and no line break; {advice}",
        )


def check_encoding(encoding: Any) -> None:
    """Refuse an encoding that does not exist."""
    try:
        is_text = codecs.lookup(encoding)._is_text_encoding
    except (LookupError, TypeError, ValueError):
        is_text = False
    if not is_text:
        raise OptionError(
            "encoding",
            encoding,
            "is not known; try 'utf-8', 'utf-16', 'latin-1' or 'mac-roman'",
        )


def find_encoding(file: InputFile, encoding: str) -> str:
    """The encoding that is given, or UTF-16 where that is UTF-8 and the file has another mark."""
    if codecs.lookup(encoding).name != "utf-8":
        return encoding
    with file.open() as stream:
        marked = encoding_of(stream.read(2))
    return encoding if marked == "utf-8-sig" else marked


def read_head(file: InputFile, delimiter: str) -> list[str]:
    """Cells of the first line."""
    with decoding(file.prefix), parsing(file.prefix, "rows of columns"):
        return parse_head(file, delimiter)


def read_columns(
    file: InputFile,
    delimiter: str,
    header: bool,
    types: Mapping[int, str],
    width: int,
    missing: Sequence[str] = (),
) -> pd.DataFrame:
    """Read columns by their places, each as its type; "category" is one of text.

    Cells that are `missing` are NaN.

    `width` is the number of columns of the first line. Rows with more are refused; so are rows
    with fewer where white space separates columns, as cells cannot be empty there.
    """
    _refuse_ragged(file, delimiter, width)
    options: dict[str, Any] = {"header": 0 if header else None, "names": range(width)}
    if missing:
        options["na_values"] = list(missing)
    try:
        with decoding(file.prefix), parsing(file.prefix, "rows of columns"):
            frame = parse_csv(file, delimiter, usecols=list(types), dtype=dict(types), **options)
    except IndexError:  # what pandas makes of some columns of a header alone
        frame = pd.DataFrame()
    if len(frame) == 0:
        raise DataError(f"{file.prefix}there are no rows below the header")
    return frame


def _refuse_ragged(file: InputFile, delimiter: str, width: int) -> None:
    """Refuse rows of the wrong length, which pandas cuts or fills when it reads some columns."""
    empty = 0
    with file.open() as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                empty = empty or number
                continue
            if empty and width == 1:  # a row like others, but pandas passes it over
                raise DataError(
                    f"{file.prefix}line {empty} is empty, the only cell of its row; fill it in"
                )
            cells = _count_cells(line.rstrip(b"\r\n"), delimiter)
            if cells > width or (0 < cells < width and delimiter == WHITE_SPACE):
                raise DataError(
                    f"{file.prefix}line {number} has {count(cells, 'column')}, while the "
                    f"first has {width}; check quotes, ",
                    Option("delimiter"),
                    " and the number of columns",
                )


def _count_cells(line: bytes, delimiter: str) -> int:
    """Count the cells of a line; 0 where it has none, or quotes that only pandas understands."""
    if b'"' in line or b"\r" in line or not line:
        return 0
    if delimiter == WHITE_SPACE:
        return len(line.split())
    mark = delimiter.encode()
    return line.count(mark) + (not line.endswith(mark))  # a mark at the end adds no cell


def parse_csv(
    file: InputFile, delimiter: str, encoding: str = "utf-8", **options: Any
) -> pd.DataFrame:
    """Let pandas read text as it is: no guessing of types, indices or missing values."""
    encoding = find_encoding(file, encoding)
    _expect_columns(file, delimiter)
    if "nrows" not in options:
        marks = " \t" if delimiter == WHITE_SPACE else delimiter
        file.expect({"\n": CELL, **dict.fromkeys(marks, CELL)}, "its cells")
    with file.open() as stream:
        frame = pd.read_csv(stream, **_as_it_is(delimiter, encoding), **options)
    return cast("pd.DataFrame", frame)


def stream_csv(
    file: InputFile, delimiter: str, encoding: str, rows: int, **options: Any
) -> Iterator[pd.DataFrame]:
    """What `parse_csv` reads, so many rows at a time."""
    with file.open() as stream:
        settings = _as_it_is(delimiter, encoding) | options
        with pd.read_csv(stream, chunksize=rows, **settings) as frames:
            yield from frames


def _as_it_is(delimiter: str, encoding: str) -> dict[str, Any]:
    plain = codecs.lookup(encoding).name == "utf-8"
    return {
        "sep": delimiter,
        "encoding": "utf-8-sig" if plain else encoding,
        "engine": "c",
        "keep_default_na": False,
        "index_col": False,
        **EXACT_FLOATS,
    }


def _expect_columns(file: InputFile, delimiter: str) -> None:
    """Refuse a first row of very many columns, or of a few very long ones, which pandas pays for.

    A row continues after a line feed within quotes.
    """
    marks = b" \t" if delimiter == WHITE_SPACE else delimiter.encode()
    quote_or_end = re.compile(rb'[\r\n]|(?:\A|[%b])"' % re.escape(marks))
    empty = re.compile(rb"[%b]*+" % b" \t\r\n\v\f".translate(None, marks))  # before the first row
    columns, length, is_quoted, is_filled = 1, 0, False, False
    with file.open() as stream:
        while piece := stream.read(CHUNK):
            place = 0 if is_filled or is_quoted else empty.match(piece).end()  # type: ignore[union-attr]
            while place < len(piece):
                file.allowance.need(FIRST * length, "its first row")
                if is_quoted:
                    end = IN_QUOTES.match(piece, place).end() + 1  # type: ignore[union-attr]
                    is_quoted, is_filled = end > len(piece), True
                    length, place = length + end - place, end
                    continue
                found = quote_or_end.search(piece, place)
                end = len(piece) if found is None else found.end()
                columns += sum(piece.count(mark, place, end) for mark in marks)
                file.allowance.need(COLUMN * columns, f"a row of {columns} columns or more")
                is_filled = is_filled or not piece[place:end].isspace()
                is_quoted = found is not None and found[0].endswith(b'"')
                if is_filled and found is not None and not is_quoted:
                    return
                length, place = length + end - place, end


def parse_head(file: InputFile, delimiter: str, encoding: str = "utf-8") -> list[str]:
    """Cells of the first line, as pandas reads them."""
    head = parse_csv(file, delimiter, encoding, header=None, nrows=1, dtype=str)
    return [str(cell) for cell in head.iloc[0]]


@contextmanager
def decoding(source: str, encoding: str | None = None) -> Iterator[None]:
    """Turn errors of decoding into errors that say what to do.

    `encoding` is the one that was chosen, None where only UTF-8 is read.
    """
    try:
        yield
    except UnicodeError as error:
        reason = printable(error, longest=200)
        if encoding is None:
            raise DataError(f"{source}the text is not UTF-8: {reason}; save it as UTF-8") from error
        raise DataError(
            f"{source}the text is not {encoding}: {reason}; give the encoding it was saved in, "
            "often ",
            Option("encoding", "latin-1"),
            " or ",
            Option("encoding", "utf-16"),
            ", or save it as UTF-8",
        ) from error


@contextmanager
def parsing(source: str, needs: str) -> Iterator[None]:
    """Turn the errors of pandas about a file into errors that say what to do."""
    try:
        with warnings.catch_warnings():
            # pandas warns, and drops cells, where all rows are longer than the header
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield
    except pd.errors.EmptyDataError as error:
        raise DataError(f"{source}the file is empty; it needs {needs}") from error
    except pd.errors.ParserWarning as warning:
        raise DataError(
            f"{source}not readable as CSV: rows have more columns than the header; "
            "name the columns or drop the surplus"
        ) from warning
    except pd.errors.ParserError as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
        raise DataError(
            f"{source}not readable as CSV: {printable(reason, 200)}; check quotes, ",
            Option("delimiter"),
            " and the number of columns",
        ) from error
