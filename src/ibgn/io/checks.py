"""What must hold of instances before they are written, so that reading gives them back."""

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_column
from ibgn.text import quote

# what a cell of each format can hold; bool is an int, a date with a time is a date
IN_JSON = (str, int, float)
IN_TEXT = (*IN_JSON, Decimal, datetime.date, datetime.time, datetime.timedelta)
IN_PARQUET = (*IN_TEXT, bytes)
MAYBE_NAN = (float, Decimal, datetime.datetime)


def check_writable(
    X: IntervalSequences, y: Sequence[Any] | npt.NDArray[Any] | None, held: tuple[type, ...]
) -> dict[str, list[Any]]:
    """Refuse what a reader would refuse, merge or lose.

    Parameters
    ----------
    X, y : what is to be written
    held : types that a cell of the format can have

    Returns
    -------
    labels and groups, where there are, as plain objects by the name of their column
    """
    if not isinstance(X, IntervalSequences):
        raise DataError(f"IntervalSequences are written, got {type(X).__name__}")
    if len(X) == 0:
        raise DataError("there are no instances, and a file without any cannot be read")
    if X.ids is not None:
        _check_cells("id", list(X.ids), (object,))
        _check_distinct(X.ids)
    for code in np.unique(X.action):
        _check_text(f"action {code}", X.actions[code])
    cells = {"label": _plain("y", y, len(X)), "group": _plain("groups", X.groups, len(X))}
    for name, values in cells.items():
        _check_cells(name, values or [], held)
    return {name: values for name, values in cells.items() if values is not None}


def _plain(name: str, values: Any, instances: int) -> list[Any] | None:
    if values is None:
        return None
    return as_objects(as_column(name, values, instances))


def as_objects(column: npt.NDArray[Any]) -> list[Any]:
    """Values as objects of Python, or of pandas where they are dates, which are longer there."""
    if column.dtype.kind in "mM":
        return list(pd.Series(column).astype(object))
    return [value.item() if isinstance(value, np.generic) else value for value in column.tolist()]


def _check_distinct(ids: Iterable[Any]) -> None:
    names = Counter(map(str, ids))
    name, times = names.most_common(1)[0]
    if times > 1:
        raise DataError(
            f"{times} instances have the id {quote(name)} and would be read as one; "
            "make ids distinct, as in IntervalSequences.from_lists(X.to_lists(), ids=...)"
        )


def _check_cells(name: str, values: list[Any], held: tuple[type, ...]) -> None:
    """Refuse missing, blank and unspeakable values of one column, with their instance."""
    for d, value in enumerate(values):
        what = f"the {name} of instance {d}"
        if value is None or value is pd.NA or (isinstance(value, MAYBE_NAN) and value != value):
            raise DataError(f"{what} is missing; fill it in, or leave all of them out")
        if not isinstance(value, held):
            raise DataError(
                f"{what} is {quote(value)}, of type {type(value).__name__}, which the format "
                "cannot hold; make it text"
            )
        if isinstance(value, str):
            _check_text(what, value)


def _check_text(what: str, text: str) -> None:
    if not text.strip():
        raise DataError(f"{what} is blank; give it a name")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{what} is {quote(text)}, which holds half a character (a lone surrogate) that "
            "no file can; replace it"
        ) from error
