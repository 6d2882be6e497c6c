"""Formats by name and by suffix."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from ibgn.intervals import IntervalSequences
from ibgn.io.csv import load_csv, read_csv, write_csv
from ibgn.io.files import COMPRESSIONS, Source, as_path
from ibgn.io.jsonl import load_jsonl, read_jsonl, write_jsonl
from ibgn.io.parquet import load_parquet, read_parquet, write_parquet
from ibgn.io.table import Labels, LongTable
from ibgn.messages import DataError, OptionError, check_choice, printable

__all__ = ["FORMATS", "Format", "find_format", "load", "read", "write"]


class Format(NamedTuple):
    """How a format is loaded, read and written, and the suffixes it is known by."""

    load: Callable[..., LongTable]
    read: Callable[..., tuple[IntervalSequences, Labels]]
    write: Callable[..., None]
    suffixes: tuple[str, ...]


FORMATS = {
    "csv": Format(load_csv, read_csv, write_csv, (".csv",)),
    "parquet": Format(load_parquet, read_parquet, write_parquet, (".parquet", ".pq")),
    "jsonl": Format(load_jsonl, read_jsonl, write_jsonl, (".jsonl", ".ndjson")),
}

CSV_ONLY = ("delimiter", "encoding")


def read(
    path: Source, *, format: str | None = None, **options: Any
) -> tuple[IntervalSequences, Labels]:
    """Read any format, known by `format` or by the suffix of the file; options go to its reader."""
    return _find(path, format, options).read(path, **options)


def load(path: Source, *, format: str | None = None, **options: Any) -> LongTable:
    """Load any format as it is, before cleaning; tells also which columns were left out."""
    return _find(path, format, options).load(path, **options)


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
    _find(path, format, options).write(X, path, y, **options)


def _find(path: Source, format: str | None, options: Mapping[str, Any]) -> Format:
    name = find_format(path, format)
    alien = [option for option in CSV_ONLY if option in options and name != "csv"]
    if alien:
        raise OptionError(f"{alien[0]} is for CSV files only, and the format is {name}")
    return FORMATS[name]


def find_format(path: Source, format: str | None, option: str = "format") -> str:
    """Name of the format asked for, or that of the suffix; messages name the option."""
    if format is not None:
        check_choice(option, format, tuple(FORMATS))
        return format
    name = as_path(path).name
    suffixes = [
        suffix.lower() for suffix in Path(name).suffixes if suffix.lower() not in COMPRESSIONS
    ]
    for format, known in FORMATS.items():
        if suffixes and suffixes[-1] in known.suffixes:
            return format
    known_suffixes = ", ".join(suffix for known in FORMATS.values() for suffix in known.suffixes)
    raise DataError(
        f"the format of '{printable(name)}' is not known by its suffix ({known_suffixes}); "
        f"name it with {option}=, one of {', '.join(map(repr, FORMATS))}"
    )
