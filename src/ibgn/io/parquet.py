"""Parquet: the long table of `read_table`, with its types; needs pyarrow."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Unpack

import numpy.typing as npt

from ibgn.intervals import IntervalSequences
from ibgn.io.files import Source, reading, replacing
from ibgn.io.table import Columns, Labels, find_columns, read_columns
from ibgn.messages import DataError
from ibgn.records import Cleaning, CleaningOptions

__all__ = ["read_parquet", "write_parquet"]


def read_parquet(
    path: Source, *, columns: Columns = None, **cleaning: Unpack[CleaningOptions]
) -> tuple[IntervalSequences, Labels]:
    """Read a Parquet file with one row an interval; see `read_table` for columns and options."""
    options = Cleaning(**cleaning)
    parquet = _pyarrow_parquet()
    with reading(path) as source:
        try:
            with parquet.ParquetFile(path) as file:
                names = find_columns(file.schema_arrow.names, columns, f"{source}the file")
                table = file.read(columns=list(names.values()))
        except _arrow_error() as error:
            raise DataError(f"{source}not readable as Parquet: {error}") from error
        series = {ours: table[theirs].to_pandas() for ours, theirs in names.items()}
        return read_columns(series, source, options)


def write_parquet(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
) -> None:
    """Write one row an interval."""
    parquet = _pyarrow_parquet()
    table = X.to_table(y, backend="pyarrow")
    with replacing(path) as temporary:
        parquet.write_table(table, temporary)


def _pyarrow_parquet() -> ModuleType:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Parquet needs pyarrow; install it with: pip install 'ibgn[parquet]'"
        ) from error
    module: ModuleType = pyarrow.parquet
    return module


def _arrow_error() -> type[Exception]:
    import pyarrow

    error: type[Exception] = pyarrow.ArrowException
    return error
