"""Columns that say what is not certain about intervals, from the cells of any format."""

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.checks import as_number
from ibgn.errors import DataError, DataWarning
from ibgn.io.parsing.json import parse_value
from ibgn.text import quote
from ibgn.uncertainty import COLUMNS, Uncertainty

__all__ = ["Rows", "UncertainCells"]

Where = Callable[[int], str]
Rows = npt.NDArray[np.intp] | range
"""Numbers of rows: of some, or a range of all."""

CERTAIN = {"confidence": 1.0, "start_error": 0.0, "end_error": 0.0}  # what an empty cell means


class UncertainCells(NamedTuple):
    """Parsed cells, one per interval; empty ones say that an interval is certain."""

    numbers: Mapping[str, Floats]
    alternatives: list[dict[str, float] | None]

    @classmethod
    def parse(cls, series: Mapping[str, Any], rows: Rows, where: Where) -> "UncertainCells | None":
        """Parse these rows; None where no cell says anything."""
        cells = {name: np.asarray(series[name], object)[rows] for name in COLUMNS if name in series}
        if _is_on_another_scale(cells.get("confidence", np.zeros(0)), where):
            del cells["confidence"]
        if all(_is_empty(value) for values in cells.values() for value in values):
            return None
        nothing = np.full(len(rows), None, object)
        numbers = {
            name: _as_numbers(name, cells.get(name, nothing), certain, where)
            for name, certain in CERTAIN.items()
        }
        named = cells.get("alternatives", nothing)
        return cls(numbers, [_as_alternatives(cell, where, row) for row, cell in enumerate(named)])

    def name_actions(self, action: Ints, actions: tuple[str, ...]) -> tuple[Ints, tuple[str, ...]]:
        """Actions with all alternatives among them; a missing one is the likeliest alternative."""
        code = {name: number for number, name in enumerate(actions)}
        for each in self.alternatives:
            for name in each or ():
                code.setdefault(name, len(code))
        likeliest = [
            -1 if each is None else code[max(each, key=each.__getitem__)]
            for each in self.alternatives
        ]
        return np.where(action < 0, likeliest, action), tuple(code)

    def fill_unknown(self, instance: Ints, start: Floats, end: Floats) -> Floats:
        """Ends with the missing ones of unknown ends filled in, as late as they can be.

        That is the latest time of the instance, or where nothing else comes later, as long after
        the start as the longest interval in the file lasts, or 1.
        """
        lost = np.isinf(self.numbers["end_error"]) & np.isnan(end)
        if not lost.any():
            return end
        latest = np.full(int(instance.max()) + 1, -np.inf)
        np.maximum.at(latest, instance, np.fmax(start, end))
        longest = np.nanmax(end - start) if (~np.isnan(end)).any() else 1.0
        last = latest[instance]
        return np.where(lost, np.where(last > start, last, start + (longest or 1.0)), end)

    def coded(self, codes: Mapping[str, int]) -> Uncertainty:
        """The columns with codes of actions."""
        return Uncertainty.of(
            len(self.alternatives), codes, alternatives=self.alternatives, **self.numbers
        )


def _is_empty(value: Any) -> bool:
    is_missing = value is None or value is pd.NA or (isinstance(value, float) and value != value)
    return is_missing or (isinstance(value, str) and not value.strip())


def _as_numbers(name: str, cells: npt.NDArray[Any], certain: float, where: Where) -> Floats:
    numbers = [certain if _is_empty(cell) else as_number(cell) for cell in cells]
    for row, number in enumerate(numbers):
        if number is None:
            raise DataError(
                f"{where(row)}: the {name} is {quote(cells[row])}, not a number; correct it, or "
                "give the column another name if it means something else"
            )
    return np.array(numbers, np.float64)


def _is_on_another_scale(confidence: npt.NDArray[Any], where: Where) -> bool:
    """Whether a confidence is above 1, so that the column holds no probabilities; that is said."""
    numbers = [math.nan if _is_empty(cell) else as_number(cell) for cell in confidence]
    above = [row for row, number in enumerate(numbers) if number is not None and number > 1]
    if above:
        message = (
            f"{where(above[0])}: the confidence is {quote(confidence[above[0]])}, so the column is "
            "no probability from 0 to 1, and was left out; divide it by its largest possible value "
            "to make use of it"
        )
        warnings.warn(DataWarning(message), stacklevel=2)
    return bool(above)


def _as_alternatives(cell: Any, where: Where, row: int) -> dict[str, float] | None:
    if _is_empty(cell):
        return None
    try:
        named = parse_value(cell, f"{where(row)}: ") if isinstance(cell, str) else cell
    except DataError:
        raise
    except (ValueError, RecursionError):
        named = None
    good = isinstance(named, dict) and all(
        name.strip() and isinstance(value, int | float) and not isinstance(value, bool)
        for name, value in named.items()
    )
    if not named or not good:
        raise DataError(
            f"{where(row)}: the alternatives are {quote(cell)}; write actions and their "
            'probabilities as JSON, like {"pour": 0.7, "stir": 0.3}'
        )
    return {str(name): float(value) for name, value in named.items()}
