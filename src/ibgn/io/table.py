"""A long table, one row an interval, to interval sequences and labels."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Unpack

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn.intervals import IntervalSequences
from ibgn.messages import DataError, quote
from ibgn.records import Cleaning, CleaningOptions, Records, encode, order_by_name

__all__ = ["read_table"]

REQUIRED = ("instance", "action", "start", "end")
OPTIONAL = ("label", "group")

Columns = Mapping[str, str] | None
Labels = npt.NDArray[Any] | None
Where = Callable[[int], str]


def read_table(
    table: Any, *, columns: Columns = None, **cleaning: Unpack[CleaningOptions]
) -> tuple[IntervalSequences, Labels]:
    """Read a pandas, Polars or PyArrow table with one row an interval.

    Parameters
    ----------
    table : has the columns instance, action, start, end and, if known, label and group; other
        columns are not looked at
    columns : other names for them, as {"action": "behaviour"}
    **cleaning : closed, tick, tolerance, zero_length, min_duration, duplicates; see
        `ibgn.records.Cleaning`

    Returns
    -------
    X : the instances, in the order in which the table first names them
    y : (n,) one label an instance, or None where the table has none

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
    frame = _as_frame(table)
    names = find_columns(list(frame.columns), columns, "the table")
    series = {ours: frame[theirs].to_numpy() for ours, theirs in names.items()}
    return read_columns(series, "", options)


def read_columns(
    series: Mapping[str, Any], source: str, cleaning: Cleaning
) -> tuple[IntervalSequences, Labels]:
    """Read columns by our names; source begins every message."""
    if len(series["instance"]) == 0:
        raise DataError(f"{source}there are no rows; a row is one interval")
    instance, ids = encode(series["instance"])
    instance = _blank_is_missing(instance, ids)
    where = _where_in_table(instance, ids, source)
    _refuse_missing(instance < 0, "instance", where)
    labels = _label_instances("label", series.get("label"), instance, where)
    groups = _label_instances("group", series.get("group"), instance, where)
    action, actions = encode(series["action"])
    empty = _rows_without_interval(action, actions, series, instance)
    rows = np.flatnonzero(~empty)
    records = _records(rows, instance, ids, action, actions, series, where)
    return IntervalSequences.from_records(records, cleaning, groups), labels


def find_columns(found: list[str], columns: Columns, source: str) -> dict[str, str]:
    """Our column names to those of the table; refuses missing and duplicate ones."""
    found = [str(name) for name in found]
    twice = sorted({name for name in found if found.count(name) > 1})
    if twice:
        raise DataError(
            f"{source} has the column {quote(twice[0])} {found.count(twice[0])} times; "
            "rename or drop all but one"
        )
    given = dict(columns or {})
    unknown = sorted(set(given) - {*REQUIRED, *OPTIONAL})
    if unknown:
        choices = ", ".join(map(repr, REQUIRED + OPTIONAL))
        raise DataError(f"columns names {quote(unknown[0])}, which is not one of {choices}")
    names = {}
    for ours in REQUIRED + OPTIONAL:
        theirs = given.get(ours, ours)
        if theirs in found:
            names[ours] = theirs
        elif ours in REQUIRED or ours in given:
            raise DataError(_missing_column(ours, theirs, found, source))
    return names


def _missing_column(ours: str, theirs: str, found: Sequence[str], source: str) -> str:
    near = get_close_matches(theirs.lower(), [name.lower() for name in found], n=1)
    guess = next((name for name in found if near and name.lower() == near[0]), "...")
    listed = ", ".join(quote(name) for name in found[:20]) or "none"
    return (
        f"{source} has no column {quote(theirs)} (found: {listed}); "
        f"name it with columns={{{ours!r}: {quote(guess)}}}"
    )


def _as_frame(table: Any) -> Any:
    if isinstance(table, pd.DataFrame) and not table.columns.is_unique:
        find_columns([str(name) for name in table.columns], None, "the table")
    if isinstance(table, Mapping):
        table = pd.DataFrame(table)
    try:
        return nw.from_native(table, eager_only=True)
    except TypeError as error:
        raise DataError(
            f"a table of pandas, Polars or PyArrow is wanted, got {type(table).__name__}; "
            "lists of (action, start, end) go to IntervalSequences.from_lists"
        ) from error


def _where_in_table(instance: npt.NDArray[np.int64], ids: Sequence[str], source: str) -> Where:
    def where(row: int) -> str:
        named = f" (instance {quote(ids[instance[row]])})" if instance[row] >= 0 else ""
        return f"{source}row {row + 1}{named}"

    return where


def _refuse_missing(missing: npt.NDArray[np.bool_], name: str, where: Where) -> None:
    if missing.any():
        row = int(np.argmax(missing))
        raise DataError(f"{where(row)}: the {name} is missing; fill it in or drop the row")


def _label_instances(
    name: str, values: Any, instance: npt.NDArray[np.int64], where: Where
) -> Labels:
    """One value an instance, or None where no row has one; refuses two values, or some missing."""
    if values is None:
        return None
    codes, uniques = pd.factorize(values, use_na_sentinel=True)
    codes = _blank_is_missing(codes, uniques)
    if (codes < 0).all():
        return None
    _, first = np.unique(instance, return_index=True)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise DataError(
            f"{where(row)}: no {name}, while other rows have one; "
            f"fill it in, or leave the whole column empty"
        )
    other = codes != codes[first][instance]
    if other.any():
        row = int(np.argmax(other))
        before, here = uniques[codes[first[instance[row]]]], uniques[codes[row]]
        raise DataError(
            f"{where(row)}: the {name} is {quote(here)}, but {quote(before)} in row "
            f"{first[instance[row]] + 1} of the same instance; "
            f"give an instance one {name}, or different instances different names"
        )
    return np.asarray(uniques, dtype=_plain_type(uniques))[codes[first]]


def _plain_type(uniques: Any) -> Any:
    kept = np.asarray(uniques)
    return kept.dtype if kept.dtype.kind in "iufb" else object


def _blank_is_missing(codes: npt.NDArray[np.int64], names: Any) -> npt.NDArray[np.int64]:
    blank = [code for code, name in enumerate(names) if isinstance(name, str) and not name.strip()]
    return np.where(np.isin(codes, blank), -1, codes)


def _rows_without_interval(
    action: npt.NDArray[np.int64],
    actions: Sequence[str],
    series: Mapping[str, Any],
    instance: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """Rows that say that an instance has no intervals: nothing but its name, and its only row."""
    blank = _blank_is_missing(action, actions) < 0
    if not blank.any():
        return blank
    for name in ("start", "end"):
        values = pd.Series(series[name]).astype(object)
        blank &= (values.isna() | (values.astype(str).str.strip() == "")).to_numpy()
    alone: npt.NDArray[np.bool_] = np.bincount(instance)[instance] == 1
    return blank & alone


def _records(
    rows: npt.NDArray[np.intp],
    instance: npt.NDArray[np.int64],
    ids: tuple[str, ...],
    action: npt.NDArray[np.int64],
    actions: tuple[str, ...],
    series: Mapping[str, Any],
    where: Where,
) -> Records:
    def where_kept(row: int) -> str:
        return where(int(rows[row]))

    _refuse_missing(_blank_is_missing(action, actions)[rows] < 0, "action", where_kept)
    codes, vocabulary = order_by_name(*encode(np.array(actions, dtype=object)[action[rows]]))
    start, end = (_as_times(name, series[name], rows, where_kept) for name in ("start", "end"))
    return Records(instance[rows], codes, start, end, ids, vocabulary, where_kept)


def _as_times(
    name: str, values: Any, rows: npt.NDArray[np.intp], where: Where
) -> npt.NDArray[np.float64]:
    """Times as floats; refuses text and dates, with the row where it stands."""
    kept = np.asarray(values)[rows]
    if kept.dtype.kind in "mM":
        raise DataError(
            f"{where(0)}: the {name} is a date or time span ({kept[0]}); make it a number first, "
            "for pandas: (times - times.min()).dt.total_seconds()"
        )
    if kept.dtype.kind in "iuf":
        return kept.astype(np.float64)
    times = np.array([_as_number(value) for value in kept], np.float64)
    wrong = np.isnan(times) & np.array([not _is_missing(value) for value in kept], bool)
    if wrong.any():
        row = int(np.argmax(wrong))
        more = f" ({wrong.sum() - 1} more rows likewise)" if wrong.sum() > 1 else ""
        raise DataError(
            f"{where(row)}: the {name} is {quote(kept[row])}, not a number; "
            f"write times as numbers, 12.5 and not 12,5 or 0:12{more}"
        )
    return times


def _as_number(value: Any) -> float:
    """Number that a cell holds, NaN where it holds none."""
    if isinstance(value, bool | np.bool_) or value is pd.NA:
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf
    except (TypeError, ValueError):
        return np.nan


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("", "nan")
    return value is None or value is pd.NA or isinstance(value, float)
