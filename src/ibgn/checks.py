"""Checks of options, and numbers as people write them."""

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ibgn.errors import OptionError
from ibgn.text import quote

__all__ = [
    "Unreadable",
    "as_number",
    "check_choice",
    "check_flag",
    "check_jobs",
    "check_number",
    "check_prior_count",
    "check_seed",
    "check_whole",
    "is_date",
    "not_a_number",
    "span_advice",
]

# numbers as text: plain or scientific, in ASCII digits; blank text is a missing number
# possessive, so that no number of digits takes more than one pass
NUMBER = re.compile(
    r"\s*+([+-]?(\d++(\.\d*+)?|\.\d++)(e[+-]?\d++)?|[+-]?inf(inity)?|nan)?\s*+",
    re.ASCII | re.IGNORECASE,
)
LARGEST_WHOLE = 2**31
MOST_JOBS = 1024
PRIOR_COUNTS = (1e-9, 1e9)  # less rounds to certainty, more outweighs every count
NO_NUMBERS = (bool, np.bool_, complex, np.complexfloating, np.datetime64, np.timedelta64)
DATE = re.compile(r"\s*(\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-](\d{4}|\d\d))([T\s].*)?", re.DOTALL)
DATES = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    np.datetime64,
    np.timedelta64,
    pd.Period,
)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse an option value that is not one of the choices, and list them."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise OptionError(name, value, f"is not a choice; choose among {listed}")


def check_number(name: str, value: Any, required: str, holds: Callable[[float], bool]) -> None:
    """Refuse an option value that is not a finite number with the required property."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    number = as_number(value) if is_number else None  # infinite if an integer is too large
    if number is None or not np.isfinite(number):
        raise OptionError(name, value, f"must be a finite number, {required}")
    if not holds(number):
        raise OptionError(name, value, f"must be {required}")


def check_whole(
    name: str, value: Any, least: int, most: int = LARGEST_WHOLE, other: str = ""
) -> int:
    """Refuse an option value that is not a whole number from least to most.

    `other` names what the option may be instead of a number.

    Returns it as a plain number: those of small NumPy types overflow in arithmetic.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and least <= value <= most):
        end = "on" if most == LARGEST_WHOLE else f"to {most:,}"
        end += f", or {other!r}" if other else ""
        raise OptionError(name, value, f"must be a whole number from {least} {end}")
    return int(value)


def check_jobs(name: str, value: Any) -> None:
    """Refuse a number of jobs that joblib cannot use; None is one job."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if value is not None and not (whole and 1 <= abs(int(value)) <= MOST_JOBS):
        reason = f"must be a whole number other than 0, where -1 takes all cores, up to {MOST_JOBS}"
        raise OptionError(name, value, reason)


def check_seed(name: str, value: Any) -> None:
    """Refuse a `random_state` from which no numbers can be drawn; None draws other ones each time.

    Whole numbers are seeds as scikit-learn takes them, below 2^32.
    """
    if not (value is None or isinstance(value, np.random.Generator | np.random.RandomState)):
        check_whole(name, value, 0, 2**32 - 1)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither true nor false: the text "False" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(name, value, "must be true or false")


def check_prior_count(name: str, value: Any, other: str = "") -> None:
    """Refuse what is added to counts if it would round to certainty, or outweigh every count.

    `other` names what the option may be instead of a number.
    """
    least, most = PRIOR_COUNTS
    required = "positive" + (f", or {other!r};" if other else ",") + " from 1e-9 to 1e9"
    check_number(name, value, required, lambda number: least <= number <= most)


def as_number(value: Any) -> float | None:
    """Number in a cell, NaN if the cell is empty, None if it holds something else."""
    if type(value) is float:  # by far the most common type
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return np.nan
    if isinstance(value, str):
        if not NUMBER.fullmatch(value):
            return None
        return float(value) if value.strip() else np.nan
    if (
        isinstance(value, NO_NUMBERS)
        or not hasattr(value, "__float__")
        or getattr(value, "ndim", 0) != 0
    ):
        return None
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except (TypeError, ValueError):
        return None


def is_date(value: Any) -> bool:
    """Whether a value is a date, a time of day or a time span, also as text."""
    return isinstance(value, DATES) or (isinstance(value, str) and bool(DATE.fullmatch(value)))


@dataclass(frozen=True)
class Unreadable:
    """A cell in the place of a time that it does not hold; `reason` ends the message about it."""

    cell: str
    reason: str


def not_a_number(name: str, value: Any) -> str:
    """Say what was found instead of a time, and what to do."""
    if isinstance(value, Unreadable):
        return f"the {name} is {quote(value.cell)}, {value.reason}"
    if is_date(value):
        return span_advice(name, value)
    return (
        f"the {name} is {quote(value)}, not a number; "
        "write times as numbers, 12.5 and not 12,5 or 0:12"
    )


def span_advice(name: str, value: Any) -> str:
    """Say how dates and time spans become numbers."""
    return (
        f"the {name} is a date or time span ({quote(value)[1:-1]}); make it a number first, "
        "for pandas: (times - origin).dt.total_seconds(), with the same origin for starts and ends"
    )
