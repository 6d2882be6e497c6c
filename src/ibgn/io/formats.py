"""Formats by name and by suffix."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from ibgn.intervals import IntervalSequences
from ibgn.io.csv import read_csv, write_csv
from ibgn.io.files import Source
from ibgn.io.jsonl import read_jsonl, write_jsonl
from ibgn.io.parquet import read_parquet, write_parquet
from ibgn.io.table import Labels
from ibgn.messages import DataError, check_choice

__all__ = ["FORMATS", "Format", "find_format", "read", "write"]


class Format(NamedTuple):
    """How a format is read and written, and the suffixes it is known by."""

    read: Callable[..., tuple[IntervalSequences, Labels]]
    write: Callable[..., None]
    suffixes: tuple[str, ...]


FORMATS = {
    "csv": Format(read_csv, write_csv, (".csv",)),
    "parquet": Format(read_parquet, write_parquet, (".parquet", ".pq")),
    "jsonl": Format(read_jsonl, write_jsonl, (".jsonl", ".ndjson")),
}

COMPRESSIONS = (".gz", ".bz2", ".xz")


def read(
    path: Source, *, format: str | None = None, **options: Any
) -> tuple[IntervalSequences, Labels]:
    """Read any format, known by `format` or by the suffix of the file; options go to its reader."""
    return FORMATS[find_format(path, format)].read(path, **options)


def write(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None = None,
    *,
    format: str | None = None,
    **options: Any,
) -> None:
    """Write any format, known by `format` or by the suffix of the file.

    The file appears whole or not at all; one that was there stays as it was until then.
    """
    FORMATS[find_format(path, format)].write(X, path, y, **options)


def find_format(path: Source, format: str | None) -> str:
    """Name of the format asked for, or that of the suffix."""
    if format is not None:
        check_choice("format", format, tuple(FORMATS))
        return format
    suffixes = [
        suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in COMPRESSIONS
    ]
    for name, known in FORMATS.items():
        if suffixes and suffixes[-1] in known.suffixes:
            return name
    known_suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
    raise DataError(
        f"the format of {Path(path).name!r} is not known by its suffix ({known_suffixes}); "
        f"name it with format=, one of {', '.join(map(repr, FORMATS))}"
    )
