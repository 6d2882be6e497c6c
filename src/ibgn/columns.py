"""Columns of interval sequences: one value per interval, or one per instance."""

import json
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals as nw
import numpy as np
import numpy.typing as npt

from ibgn.checks import check_choice
from ibgn.cleaning import Records, where_in_lists
from ibgn.errors import DataError
from ibgn.flat import Flat
from ibgn.text import count, half_character

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

__all__ = ["Backend", "as_column", "as_columns", "as_frame", "check_intervals", "join_if_all"]

Backend = Literal["pandas", "polars", "pyarrow"]


def check_intervals(flat: Flat, actions: tuple[str, ...]) -> None:
    """Refuse columns that do not fit together, are not ordered, or hold invalid intervals."""
    offsets, action, start, end, uncertainty, _ = flat
    if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise DataError(
            "offsets start at 0 and never decrease; there is one more than there are instances"
        )
    if not (action.shape == start.shape == end.shape == (offsets[-1],)):
        raise DataError(
            f"action, start and end have one value for each of the {offsets[-1]} intervals, "
            f"got shapes {action.shape}, {start.shape}, {end.shape}"
        )
    if len(set(actions)) != len(actions):
        raise DataError("the vocabulary names an action twice; make the names of actions distinct")
    for name in filter(half_character, actions):
        raise DataError(f"an action of the vocabulary {half_character(name)}")
    if list(actions) != sorted(actions):  # names decide the order of equal intervals
        raise DataError("the vocabulary is not in the order of its names; from_lists() sorts it")
    if len(action) and not (action.min() >= 0 and action.max() < len(actions)):
        raise DataError(f"action codes go from 0 to {len(actions) - 1}, one per name")
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    records = Records(
        owner, action.astype(np.int32), start, end, (), actions, where_in_lists(owner, None)
    )
    records._check_times()
    records._refuse(end <= start, "the interval has zero length; from_lists() can clean it")
    if uncertainty is not None:
        uncertainty.check(len(action), len(actions), records.where)
    order = np.lexsort((action, end, start, owner))
    if (order != np.arange(len(order))).any():
        where = where_in_lists(owner, None)(int(np.argmax(order != np.arange(len(order)))))
        raise DataError(
            f"{where}: intervals must be ordered by (start, end, action); from_lists() sorts them"
        )


def as_column(name: str, values: Any, instances: int, dtype: Any = None) -> npt.NDArray[Any]:
    """Convert one value per instance to an array; `name` begins the message if that fails.

    Values of several types, and text, stay as they are: NumPy would write numbers as text, take
    True for 1, and cut text at NUL.
    """
    try:
        column = np.asarray(values, dtype=dtype)
        kinds = (
            set() if isinstance(values, np.ndarray) or column.ndim != 1 else {*map(type, values)}
        )
        if dtype is None and (kinds & {str, bytes} or (bool in kinds and len(kinds) > 1)):
            column = np.asarray(values, object)
    except ValueError as error:  # lists of different lengths
        raise DataError(f"{name} has one value per instance, got lists: {error}") from error
    if column.shape != (instances,):
        raise DataError(
            f"{name} has one value per instance, got shape {column.shape} for "
            f"{count(instances, 'instance')}"
        )
    return column


def as_columns(X: "IntervalSequences", y: Any) -> dict[str, npt.NDArray[Any]]:
    """Columns of a frame with one row per interval; an instance without any has one row too."""
    rows = np.maximum(X.lengths, 1)
    owner = np.repeat(np.arange(len(X)), rows)
    filled = np.repeat(X.lengths > 0, rows)

    def spread(values: npt.NDArray[Any], empty: Any) -> npt.NDArray[Any]:
        column = np.full(len(owner), empty, values.dtype)
        column[filled] = values
        return column

    columns = {"instance": np.array(X._names(), object)[owner]}
    if y is not None:
        columns["label"] = as_column("y", y, len(X))[owner]
    columns["action"] = spread(np.array(X.actions, object)[X.action], None)
    columns["start"] = spread(X.start, np.nan)
    columns["end"] = spread(X.end, np.nan)
    if X.groups is not None:
        columns["group"] = X.groups[owner]
    if X.track is not None:
        columns["track"] = spread(X.track, None)
    unsure = X.uncertainty
    if unsure is not None:
        columns["confidence"] = spread(unsure.confidence, np.nan)
        named = unsure.alternatives(X.actions)
        texts = [None if each is None else json.dumps(each, ensure_ascii=False) for each in named]
        columns["alternatives"] = spread(np.array([*texts, None], object)[:-1], None)
        columns["start_error"] = spread(unsure.start_error, np.nan)
        columns["end_error"] = spread(unsure.end_error, np.nan)
    return columns


def as_frame(X: "IntervalSequences", y: Any, backend: Backend) -> Any:
    """Those columns as a frame of a library that is installed."""
    check_choice("backend", backend, get_args(Backend))
    try:
        return nw.from_dict(as_columns(X, y), backend=backend).to_native()
    except ModuleNotFoundError as error:
        extra = "parquet" if backend == "pyarrow" else backend
        raise ModuleNotFoundError(
            f"backend={backend!r} needs {backend}; install it with: pip install 'ibgn[{extra}]'"
        ) from error


def join_if_all(parts: list[npt.NDArray[Any] | None]) -> npt.NDArray[Any] | None:
    """One column from optional ones, None where one is missing."""
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if known and len(known) == len(parts) else None
