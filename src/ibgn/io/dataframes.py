"""Frames of pandas, Polars, PyArrow and others, read as long frames; and frames as CSV."""

import csv
from collections.abc import Mapping
from os import PathLike
from typing import Any, Unpack

import narwhals as nw
import pandas as pd

from ibgn.cleaning import Cleaning, CleaningOptions
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.io.formulas import escape_formulas as harmless
from ibgn.io.leniency import Bad, Leniency, Ungrouped, Unlabelled
from ibgn.io.longframe import Labels, LongFrame
from ibgn.io.parsing.columns import Columns, find_columns, unused
from ibgn.names import as_categorical
from ibgn.provenance import Provenance
from ibgn.text import printable, quote

__all__ = ["as_csv", "column_values", "is_frame", "read_table"]


def read_table(
    table: Any,
    *,
    columns: Columns = None,
    bad_rows: Bad = "error",
    unlabelled: Unlabelled = "error",
    ungrouped: Ungrouped = "error",
    **cleaning: Unpack[CleaningOptions],
) -> tuple[IntervalSequences, Labels]:
    """Read a frame of pandas, Polars or PyArrow with one row per interval; `ibgn.read` does too.

    So does one of any library that shares its columns as Arrow does, where pyarrow is installed.

    Parameters
    ----------
    table : has the columns instance, action, start, end and, if known, label and group, and where
        intervals are uncertain confidence, alternatives, start_error and end_error; other columns
        are ignored
    columns : other names for them, for example {"action": "behaviour"}
    bad_rows, unlabelled, ungrouped : what to do with rows that are not intervals, and with
        instances without a label or a group; see `ibgn.io.leniency.Leniency`
    **cleaning : closed, tick, tolerance, zero_length, min_duration, duplicates; see
        `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the instances, in the order in which the frame first names them
    y : (n,) one label per instance, or None where the frame has none

    Notes
    -----
    An instance whose only row has no action, start and end is an instance without intervals.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = read_table(pd.DataFrame({
    ...     "take": [1, 1, 2],
    ...     "label": ["tea", "tea", "coffee"],
    ...     "action": ["pour", "boil", "grind"],
    ...     "start": [4.0, 0.0, 0.0],
    ...     "end": [6.0, 4.0, 3.5],
    ... }), columns={"instance": "take"})
    >>> X
    IntervalSequences: 2 instances, 3 intervals (1 to 2 each), 3 actions
      1: boil [0, 4), pour [4, 6)
      2: grind [0, 3.5)
    >>> y
    array(['tea', 'coffee'], dtype=object)
    """
    options = Cleaning(**cleaning)
    leniency = Leniency(bad_rows=bad_rows, unlabelled=unlabelled, ungrouped=ungrouped)
    names, frame = _as_frame(table)
    used = find_columns(names, columns, "the table has")
    series = {
        ours: column_values(frame[:, place], str(names[place]), "") for ours, place in used.items()
    }
    read = Provenance("frame", options={} if columns is None else {"columns": columns})
    frame = LongFrame(series, unused(names, used), leniency=leniency, provenance=read)
    return frame.read(options)


def is_frame(source: Any) -> bool:
    """Whether a source is a frame, of any library, and not a path or several."""
    if isinstance(source, str | bytes | PathLike | list | tuple):
        return False
    names = ("columns", "column_names", "__arrow_c_stream__")
    return isinstance(source, Mapping) or any(hasattr(type(source), n) for n in names)


def column_values(series: Any, name: str, source: str) -> Any:
    """Values of a column of any kind of table, as an array."""
    if series.dtype.is_nested():
        raise DataError(
            f"{source}the column {quote(name)} holds {series.dtype}; make it text or numbers"
        )
    try:
        native = series.to_native()
        if nw.dependencies.is_pyarrow_chunked_array(native):
            if series.dtype == nw.String:  # an object for each cell would take the most room
                return _as_categorical(native.dictionary_encode())
            if series.dtype == nw.Categorical and _are_texts(native):
                return _as_categorical(native)
            if series.dtype == nw.Categorical:
                # narwhals takes the last value of a dictionary for a missing one
                values = native.cast(native.type.value_type)
                series = nw.from_native(values, series_only=True)
        return series.to_numpy()
    except Exception as error:  # every library of tables fails in its own way
        reason = printable(error, longest=200)
        raise DataError(f"{source}the column {quote(name)} cannot be read: {reason}") from error


def _as_categorical(native: Any) -> pd.Categorical:
    """Codes and names of a column of Arrow that has a dictionary."""
    whole = native.unify_dictionaries().combine_chunks()
    codes = whole.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False)
    return as_categorical(codes, whole.dictionary.to_numpy(zero_copy_only=False))


def _are_texts(native: Any) -> bool:
    """Whether the values of a dictionary are texts, none of them missing."""
    kind = str(native.type.value_type)
    return kind in ("string", "large_string") and not any(
        chunk.dictionary.null_count for chunk in native.chunks
    )


def _as_frame(table: Any) -> tuple[list[Any], Any]:
    """Names of the columns, which may repeat, and a frame of these columns by their places."""
    if isinstance(table, Mapping):
        try:
            table = pd.DataFrame(table)
        except (ValueError, TypeError) as error:
            raise DataError(
                f"the columns do not make a table: {printable(error)}; give lists of the same "
                "length"
            ) from error
    if isinstance(table, pd.DataFrame):
        places = range(table.shape[1])
        return list(table.columns), nw.from_native(table.set_axis(places, axis=1), eager_only=True)
    if nw.dependencies.is_pyarrow_table(table):
        names = [str(place) for place in range(table.num_columns)]
        return table.column_names, nw.from_native(table.rename_columns(names), eager_only=True)
    try:
        frame = nw.from_native(_with_arrow(table))
    except TypeError as error:
        raise DataError(
            f"a table of pandas, Polars or PyArrow is needed, got {type(table).__name__}; "
            "lists of (action, start, end) go to IntervalSequences.from_lists"
        ) from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame.columns, frame


def _with_arrow(table: Any) -> Any:
    """A frame of a library that is not known, but shares its columns as Arrow does."""
    known = nw.from_native(table, pass_through=True) is not table
    if known or not hasattr(table, "__arrow_c_stream__"):
        return table
    import pyarrow

    return pyarrow.table(table)


def as_csv(frame: pd.DataFrame, escape_formulas: bool = False, header: bool = True) -> str:
    r"""CSV of a frame, without its index; names can be made harmless for spreadsheets.

    Text is in quotes where some is a carriage return, which ends a row for most readers.

    Examples
    --------
    >>> as_csv(pd.DataFrame({"instance": ["a\rb"], "start": [1]}))
    '"instance","start"\n"a\rb",1\n'
    """
    options: dict[str, Any] = {"index": False, "lineterminator": "\n", "header": header}
    if escape_formulas:
        frame = harmless(frame)
    text: str = frame.to_csv(**options)
    if "\r" in text:
        text = frame.to_csv(**options, quoting=csv.QUOTE_NONNUMERIC)
    return text
