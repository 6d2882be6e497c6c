"""Errors and warnings: sentences whose options are data.

A message is made of parts: text, and each `Option` that it names. Python shows an option as a
keyword argument, `closed='both'`; the command line shows the same part as a flag,
`--closed both`. No code has to parse sentences for that.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

from ibgn.text import printable

__all__ = [
    "MISSING",
    "BudgetError",
    "DataError",
    "DataWarning",
    "Option",
    "OptionError",
    "Part",
    "message_of",
]

LONGEST = 200  # characters of a value in a message


class _Missing:
    """The value of an option that has none; its only instance is `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Option(NamedTuple):
    """An option that a message names, with the value that it proposes or refuses.

    Examples
    --------
    >>> str(Option("closed", "both")), str(Option("closed"))
    ("closed='both'", 'closed=')
    """

    name: str
    value: Any = MISSING

    def __str__(self) -> str:
        shown = "" if self.value is MISSING else printable(repr(self.value), LONGEST)
        return f"{self.name}={shown}"


Part = str | Option


def _join(parts: tuple[Part, ...]) -> str:
    return "".join(map(str, parts))


class DataError(ValueError):
    """The data cannot be read as intervals; the message says where, why and what to do.

    Examples
    --------
    >>> str(DataError("interval 3 is empty; ", Option("zero_length", "drop"), " drops it"))
    "interval 3 is empty; zero_length='drop' drops it"
    """

    def __init__(self, *parts: Part) -> None:
        super().__init__(_join(parts))
        self.parts = parts

    def within(self, prefix: str) -> Self:
        """Return the same error with a prefix that says where it is, such as "file.csv: "."""
        return type(self)(prefix, *self.parts)

    def reword(self, show: "Callable[[Option], str]") -> None:
        """Replace each option in the message by the text that `show` gives for it."""
        self.parts = (message_of(self, show),)
        self.args = self.parts


class OptionError(DataError):
    """An option has an invalid value: wrong use, whatever the data are.

    Parameters
    ----------
    option : name of the keyword argument
    value : the invalid value, or `MISSING` if there was none
    reason : what is wrong and what to do, as a predicate: "must be positive"

    Examples
    --------
    >>> error = OptionError("smoothing", -1, "must be positive")
    >>> str(error)
    'smoothing=-1 must be positive'
    >>> error.option, error.value
    ('smoothing', -1)
    """

    def __init__(self, option: str, value: Any, *reason: Part, prefix: str = "") -> None:
        self.option, self.value, self.reason, self.prefix = option, value, reason, prefix
        named = Option(option, value) if value is not MISSING else Option(option)
        super().__init__(*([prefix] if prefix else []), named, " ", *reason)

    def within(self, prefix: str) -> Self:
        """Return the same error with a prefix that says where it is."""
        return type(self)(self.option, self.value, *self.reason, prefix=prefix + self.prefix)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), prefix=self.prefix), (self.option, self.value, *self.reason)


class BudgetError(DataError):
    """More memory or time is needed than is allowed; see `ibgn.budgets.Budget`."""


class DataWarning(UserWarning):
    """The data were read, but some were left out, or look like a mistake.

    Examples
    --------
    >>> str(DataWarning("dropped 3 rows; ", Option("points", "keep"), " keeps them"))
    "dropped 3 rows; points='keep' keeps them"
    """

    def __init__(self, *parts: Part) -> None:
        super().__init__(_join(parts))
        self.parts = parts


def message_of(error: BaseException, show: Callable[[Option], str] = str) -> str:
    """Text of an error or a warning, with each option as `show` writes it.

    Examples
    --------
    >>> error = DataError("two ends coincide; set ", Option("tolerance", 0.5))
    >>> message_of(error, lambda option: f"--{option.name} {option.value}")
    'two ends coincide; set --tolerance 0.5'
    """
    parts = getattr(error, "parts", (str(error),))
    return "".join(part if isinstance(part, str) else show(part) for part in parts)
