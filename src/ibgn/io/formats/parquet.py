"""Parquet: the long frame of `read_table`, with its types; needs pyarrow."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import IO, Any
from urllib.parse import unquote

import narwhals as nw
import numpy.typing as npt

from ibgn._files import COMPRESSIONS, InputFile, Source, as_path, replacing
from ibgn.budgets import Allowance, PieceBudget
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.io.dataframes import column_values
from ibgn.io.export import IN_PARQUET, check_writable
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.longframe import LongFrame, join
from ibgn.io.parsing.columns import Columns, find_columns, unused
from ibgn.io.registry import reader, streamer, writer
from ibgn.text import printable, quote

__all__ = ["RowGroups", "divide_parquet", "read_parquet", "write_parquet"]

LAST = 8  # bytes of the end of a file: the length of what describes its columns, and a mark
COLUMNS = 20  # bytes in memory for each of those
ROW = 200  # bytes of a row with its codes and times
NULL = "__HIVE_DEFAULT_PARTITION__"  # stands for no value in the name of a folder


def _sniff(head: Head) -> float:
    """Tell a Parquet file by its first bytes."""
    return CERTAIN if head.data.startswith(b"PAR1") else 0.0


@reader("parquet", (".parquet", ".pq"), about="one row per interval, with types", sniff=_sniff)
def read_parquet(files: Files, *, columns: Columns = None) -> LongFrame:
    """Read a Parquet file, or a folder of them, with one row per interval.

    Its columns are instance, action, start, end and, if known, label and group; where intervals
    are uncertain, also confidence, alternatives, start_error and end_error, see
    `ibgn.uncertainty.Uncertainty`. The files of a folder are parts of one, in the order of their
    names. Names of folders such as "group=ann" are columns too, with a value for all rows.

    Parameters
    ----------
    path : file or folder
    columns : other names for them, for example {"action": "behaviour"}

    Returns
    -------
    X : the instances, in the order in which the file first names them
    y : (n,) one label per instance, or None where there are none

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]], ids=["take 1"])
    >>> write_parquet(X, folder / "takes.parquet", ["tea"])
    >>> X, y = read_parquet(folder / "takes.parquet")
    >>> y.tolist()
    ['tea']
    """
    parquet = _pyarrow_parquet()
    frames: list[LongFrame] = []
    rows = size = 0
    for file in files:
        _refuse_compression(file.path)
        with _naming_errors(file), file.open() as stream:
            stored, names, used = _open(parquet, stream, columns, file)
            chosen = [names[place] for place in used.values()]
            rows += stored.metadata.num_rows
            size += _stored_size(stored.metadata, chosen)
            files.allowance.need(6 * size + ROW * rows, f"{rows} rows of its values")
            table = stored.read(columns=chosen)
        frames.append(
            LongFrame(_columns(table, names, used, file), unused(names, used), file.prefix)
        )
        del table
    _release_memory()
    return frames[0] if len(frames) == 1 else join(frames, files.prefix)


def _release_memory() -> None:
    """Give back what decoding took, which PyArrow would keep for the next file."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()


@streamer("parquet")
def stream_parquet(files: Files, rows: int, *, columns: Columns = None) -> Iterator[LongFrame]:
    """Rows of a file, or of all those in a folder, so many at a time; see `read_parquet`."""
    parquet = _pyarrow_parquet()
    import pyarrow

    for file in files:
        _refuse_compression(file.path)
        first = 0
        with _naming_errors(file), file.open() as stream:
            stored, names, used = _open(parquet, stream, columns, file)
            chosen = [names[place] for place in used.values()]
            for number in range(stored.metadata.num_row_groups):
                size = _stored_size(stored.metadata, chosen, [number])
                file.allowance.need(2 * size, f"its row group {number + 1}")
            for groups in _few_groups(stored.metadata, rows):
                for batch in stored.iter_batches(rows, row_groups=groups, columns=chosen):
                    table = pyarrow.Table.from_batches([batch])
                    series = _columns(table, names, used, file)
                    yield LongFrame(series, (), file.prefix).numbered_from(first)
                    first += len(table)


def _few_groups(metadata: Any, rows: int) -> Iterator[list[int]]:
    """Row groups one after the other, small ones together, as many as have so many rows.

    Arrow frees none of the groups that it is asked for at once before it has read all of them.
    """
    groups: list[int] = []
    together = 0
    for number in range(metadata.num_row_groups):
        size = metadata.row_group(number).num_rows
        if groups and together + size > rows:
            yield groups
            groups, together = [], 0
        groups.append(number)
        together += size
    if groups:
        yield groups


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a file that follow each other, to be read by whoever sees the file.

    Parameters
    ----------
    path : absolute
    name : of the file, in messages
    groups : numbers of the row groups
    first : number of their first row
    columns : other names for ours
    budget : how much memory they may take
    """

    path: Path
    name: str
    groups: range
    first: int
    columns: Columns
    budget: PieceBudget

    def load(self, names_only: bool = False) -> LongFrame:
        """All rows, or of all rows the names of the instances."""
        file = InputFile(self.path, self.name, self.budget)
        with _naming_errors(file), file.open() as stream:
            stored, names, used = _open(_pyarrow_parquet(), stream, self.columns, file)
            if names_only:
                used = {"instance": used["instance"]}
            chosen = [names[place] for place in used.values()]
            size = _stored_size(stored.metadata, chosen, self.groups)
            file.allowance.need(2 * size, f"its row groups {self.groups[0] + 1} and following")
            table = stored.read_row_groups(list(self.groups), columns=chosen)
            return LongFrame(_columns(table, names, used, file), (), file.prefix).numbered_from(
                self.first
            )


def divide_parquet(
    files: Files, rows: int, budget: PieceBudget, columns: Columns = None
) -> list[RowGroups]:
    """Row groups of all files in order, as many at a time as have at least so many rows."""
    parquet, divided = _pyarrow_parquet(), []
    for file in files:
        _refuse_compression(file.path)
        with _naming_errors(file), file.open() as stream:
            metadata = _open(parquet, stream, columns, file)[0].metadata
            begin = first = row = 0
            for number in range(metadata.num_row_groups):
                row += metadata.row_group(number).num_rows
                if row - first >= rows or number + 1 == metadata.num_row_groups:
                    groups = range(begin, number + 1)
                    where = (file.path.resolve(), file.name)
                    divided.append(RowGroups(*where, groups, first, columns, budget))
                    begin, first = number + 1, row
    return divided


def _open(
    parquet: Any, stream: IO[bytes], columns: Columns, file: InputFile
) -> tuple[Any, list[str], dict[str, int]]:
    """A stored table, the names of its columns, and the places of those that are used."""
    _expect_footer(stream, file.allowance)
    metadata = parquet.read_metadata(stream)
    schema = metadata.schema.to_arrow_schema()
    names = [*schema.names, *(name for name in _folder_values(file) if name not in schema.names)]
    used = find_columns(names, columns, f"{file.prefix}the file has")
    # text as codes: a long name that repeats in each row takes its room once
    chosen = {names[place] for place in used.values()}
    texts = [name for name in chosen.intersection(schema.names) if _is_text(schema, name)]
    stored = parquet.ParquetFile(stream, metadata=metadata, read_dictionary=texts)
    return stored, names, used


def _folder_values(file: InputFile) -> dict[str, str | None]:
    """Values that the names of folders give all rows of a file, as in group=ann/0.parquet."""
    pairs = (folder.partition("=") for folder in PurePosixPath(file.name).parts[:-1])
    return {
        unquote(name): None if value == NULL else unquote(value)
        for name, sign, value in pairs
        if name and sign
    }


def _columns(
    table: Any, names: list[str], used: Mapping[str, int], file: InputFile
) -> dict[str, Any]:
    """Values of the columns that are used, by our names."""
    import pyarrow

    missing = {names[place] for place in used.values()}.difference(table.column_names)
    for name, value in _folder_values(file).items():
        if name in missing:
            constant = pyarrow.repeat(pyarrow.scalar(value, pyarrow.string()), table.num_rows)
            table = table.append_column(name, constant.dictionary_encode())
    return {
        ours: column_values(
            nw.from_native(table[names[place]], series_only=True), names[place], file.prefix
        )
        for ours, place in used.items()
    }


@contextmanager
def _naming_errors(file: InputFile) -> Iterator[None]:
    """Turn errors of pyarrow into errors that name the file."""
    try:
        yield
    except DataError:
        raise
    except _arrow_errors() as error:
        reason = printable(error, longest=200)
        raise DataError(f"{file.prefix}not readable as Parquet: {reason}") from error


@writer("parquet")
def write_parquet(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write one row per interval.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn import read_parquet
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]], ids=["take 1"])
    >>> write_parquet(X, folder / "takes.parquet", ["tea"])
    >>> read_parquet(folder / "takes.parquet")[0] == X
    True
    """
    parquet = _pyarrow_parquet()
    _refuse_compression(path)
    cells = check_writable(X, y, IN_PARQUET)
    try:
        table = X.to_frame(y, backend="pyarrow")
    except DataError:
        raise
    except _arrow_errors() as error:
        reason = printable(error, longest=200)
        raise DataError(
            f"labels and groups do not make columns of one type: {reason}; make them text"
        ) from error
    for name, values in cells.items():
        _refuse_changed(name, values, {*table.column(name).unique().to_pylist()})
    with replacing(path) as temporary, temporary.open("wb") as file:
        parquet.write_table(table, file)


def _refuse_changed(name: str, values: Sequence[Any], kept: set[Any]) -> None:
    """Refuse values that became others in a column of one type, as a time does among days."""
    lost = next((value for value in values if value not in kept), None)
    if lost is not None:
        raise DataError(
            f"the {name} {quote(lost)}, of type {type(lost).__name__}, would become another value "
            f"in one column with other {name}s; make them text"
        )


def _expect_footer(stream: IO[bytes], allowance: Allowance) -> None:
    """Refuse a file whose columns and groups of rows alone take too much, before they are read."""
    if allowance.size < LAST:
        return
    stream.seek(allowance.size - LAST)
    described = min(int.from_bytes(stream.read(LAST)[:4], "little"), allowance.size)
    allowance.need(COLUMNS * described, "its list of columns")
    stream.seek(0)


def _stored_size(metadata: Any, chosen: Sequence[str], groups: Iterable[int] | None = None) -> int:
    """Bytes of the columns that are read, as they are stored, in some row groups or in all."""
    numbers = range(metadata.num_row_groups) if groups is None else groups
    columns = (
        group.column(place)
        for group in map(metadata.row_group, numbers)
        for place in range(group.num_columns)
    )
    return sum(
        column.total_uncompressed_size
        for column in columns
        if column.path_in_schema.split(".")[0] in chosen
    )


def _is_text(schema: Any, name: str) -> bool:
    from pyarrow.types import is_large_string, is_string

    kind = schema.field(schema.get_field_index(name)).type
    return bool(is_string(kind) or is_large_string(kind))


def _refuse_compression(path: Source) -> None:
    suffix = as_path(path).suffix.lower()
    if suffix in COMPRESSIONS:
        raise DataError(
            f"{printable(as_path(path).name)}: a Parquet file is compressed within itself, and "
            f"not by {suffix}; decompress it, or leave that suffix out"
        )


def _pyarrow_parquet() -> ModuleType:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Parquet needs pyarrow; install it with: pip install 'ibgn[parquet]'"
        ) from error
    module: ModuleType = pyarrow.parquet
    return module


def _arrow_errors() -> tuple[type[Exception], ...]:
    """Errors that pyarrow raises for bad data: its own, and those for text and huge numbers."""
    import pyarrow

    return pyarrow.ArrowException, ValueError, TypeError, OverflowError
