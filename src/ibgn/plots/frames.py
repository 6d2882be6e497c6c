"""Data frames for plots: checks of the columns that they need."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["ANY", "COUNT", "SHARE", "Range", "numbers_of", "read_frame", "refuse_missing"]

Range = tuple[float, float]

LARGEST = 1e15  # sums of larger numbers would overflow or lose precision
SHARE: Range = (0.0, 1.0)
COUNT: Range = (0.0, LARGEST)
ANY: Range = (-LARGEST, LARGEST)


def read_frame(
    frame: pd.DataFrame,
    names: Sequence[str],
    numbers: Mapping[str, Range],
    optional: Mapping[str, Range] = MappingProxyType({}),
) -> pd.DataFrame:
    """Read the columns that a plot needs: names as text, numbers in their range or missing.

    Optional numbers are read if they are there.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"a plot needs a pandas DataFrame, got {type(frame).__name__}")
    columns = list(frame.columns)
    numbers = {**numbers, **{name: optional[name] for name in optional if name in columns}}
    for name in (*names, *numbers):
        if columns.count(name) != 1:
            problem = "more than one" if name in columns else "no"
            there = ", ".join(map(quote, columns[:20])) or "none"
            raise DataError(
                f"the frame has {problem} column {quote(name)}; its columns are {there}"
            )
    read: dict[str, Any] = {name: [str(value) for value in frame[name]] for name in names}
    read |= {name: numbers_of(frame[name], name, limits) for name, limits in numbers.items()}
    return pd.DataFrame(read, columns=[*names, *numbers])


def numbers_of(column: "pd.Series[Any]", name: object, limits: Range) -> list[float]:
    """Numbers of a column, NaN for missing ones."""
    low, high = limits
    values = []
    for row, value in enumerate(column):
        number = as_number(value)
        if number is None or number < low or number > high:
            advice = f"a number from {low:g} to {high:g}"
            if limits == SHARE:
                advice = "a share from 0 to 1, and per cents divided by 100"
            raise DataError(
                f"row {row} of the frame: {quote(name)} is {quote(value)}; write {advice}"
            )
        values.append(number)
    return values


def refuse_missing(rows: pd.DataFrame, name: str) -> None:
    """Refuse rows whose position in a plot is unknown."""
    missing = rows.index[rows[name].isna()]
    if len(missing):
        raise DataError(f"row {missing[0]} of the frame has no {name}; fill it in or drop the row")
