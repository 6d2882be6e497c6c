"""What users are told: errors, warnings, and text from the data made safe to show."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["DataError", "DataWarning", "check_choice", "check_number", "printable", "quote"]


class DataError(ValueError):
    """The data cannot be read as intervals; the message says where, why and what to do."""


class DataWarning(UserWarning):
    """The data were read, but something in them was left out or looks like a mistake."""


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse an option value that is not among the choices, and list them."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise DataError(f"{name}={value!r} is not a choice; choose among {listed}")


def check_number(name: str, value: Any, wanted: str, holds: Callable[[float], bool]) -> None:
    """Refuse an option value that is not a finite number with the property wanted."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (is_number and np.isfinite(value) and holds(float(value))):
        raise DataError(f"{name} is a finite number, {wanted}; got {value!r}")


def printable(text: object, longest: int = 60) -> str:
    """Text from the data without control characters, cut to a length that can be shown."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def quote(text: object, longest: int = 60) -> str:
    """Text from the data, made safe and short for a message."""
    shown = repr(text if isinstance(text, str) else str(text))
    return shown if len(shown) <= longest else f"{shown[: longest - 4]}...{shown[0]}"
