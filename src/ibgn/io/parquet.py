"""Parquet: the long table of `read_table`, with its types; needs pyarrow."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Unpack

import narwhals as nw
import numpy.typing as npt

from ibgn._files import COMPRESSIONS, Recording, Source, as_path, reading, replacing
from ibgn.cleaning import Cleaning, CleaningOptions
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.io.checks import IN_PARQUET, check_writable
from ibgn.io.columns import Columns, find_columns, unused
from ibgn.io.table import Labels, LongTable, column_values
from ibgn.text import printable

__all__ = ["read_parquet", "write_parquet"]


def read_parquet(
    path: Source, *, columns: Columns = None, **cleaning: Unpack[CleaningOptions]
) -> tuple[IntervalSequences, Labels]:
    """Read a Parquet file with one row an interval; see `read_table` for columns and options."""
    options = Cleaning(**cleaning)
    return load_parquet(path, columns=columns).read(options)


def load_parquet(path: Source, *, columns: Columns = None) -> LongTable:
    """Load the columns of a Parquet file as they are."""
    parquet = _pyarrow_parquet()
    _refuse_compression(path)
    with reading(path) as recording:
        try:
            found, used, table = _load(parquet, recording, columns)
        except DataError:
            raise
        except _arrow_errors() as error:
            reason = printable(error, longest=200)
            raise DataError(f"{recording.prefix}not readable as Parquet: {reason}") from error
    series = {}
    for ours, place in used.items():
        column = nw.from_native(table[found[place]], series_only=True)
        series[ours] = column_values(column, found[place], recording.prefix)
    return LongTable(series, unused(found, used), recording.prefix)


def _load(
    parquet: ModuleType, recording: Recording, columns: Columns
) -> tuple[list[str], dict[str, int], Any]:
    """Names of all columns, places of ours, and a table of ours."""
    with recording.open() as stream, parquet.ParquetFile(stream) as file:
        found = file.schema_arrow.names
        used = find_columns(found, columns, f"{recording.prefix}the file has")
        return found, used, file.read(columns=[found[place] for place in used.values()])


def write_parquet(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write one row an interval."""
    parquet = _pyarrow_parquet()
    _refuse_compression(path)
    check_writable(X, y, IN_PARQUET)
    try:
        table = X.to_frame(y, backend="pyarrow")
    except DataError:
        raise
    except _arrow_errors() as error:
        reason = printable(error, longest=200)
        raise DataError(
            f"labels and groups do not make columns of one type: {reason}; make them text"
        ) from error
    with replacing(path) as temporary, temporary.open("wb") as file:
        parquet.write_table(table, file)


def _refuse_compression(path: Source) -> None:
    suffix = as_path(path).suffix.lower()
    if suffix in COMPRESSIONS:
        raise DataError(
            f"{printable(as_path(path).name)}: a Parquet file is compressed within itself, and "
            f"not by {suffix}; decompress it, or leave that suffix away"
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
    """What pyarrow raises for bad data; of its own, and for text and numbers beyond all bounds."""
    import pyarrow

    return pyarrow.ArrowException, ValueError, TypeError, OverflowError
