"""What a class learned, declared on the class itself: the type of each field, and its condition.

Model files are written and read by these declarations alone, so a new term or estimator needs no
code anywhere else. The reader trusts nothing: every array in a file must have the type, the
lengths and the property that its field declares.
"""

from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, NamedTuple

import numpy as np

from ibgn._arrays import Array
from ibgn.errors import OptionError

__all__ = [
    "ANY",
    "FITTED",
    "FLOAT",
    "INT",
    "LARGEST_LOG",
    "LEAST_LOG",
    "MEMBERS",
    "NAMES",
    "STORABLE",
    "Stored",
    "anything",
    "are_log_probs",
    "are_logs",
    "are_probs",
    "are_smoothed_log_probs",
    "are_smoothed_probs",
    "are_weights",
    "is_finite",
    "is_increasing",
    "is_natural",
    "is_positive",
    "register",
    "stored",
    "stored_fields",
]

INT, FLOAT = ("<i8",), ("<f8",)
NAMES, FITTED, MEMBERS = "names", "fitted", "members"
ANY = -1  # an array of any length


def anything(value: Any) -> bool:
    """Accept every value of the right type."""
    return True


class Stored(NamedTuple):
    """How a value is stored in a file.

    Parameters
    ----------
    kind : `INT` or `FLOAT` for an array; int, float, bool or str; a class with stored fields;
        of an estimator also `NAMES`, sorted names; `FITTED`, another estimator that declares what
        it learned; `MEMBERS`, several of them by name
    lengths : of an array: numbers, `ANY`, or names like "actions" and "bins+1"; a name means the
        same length throughout a term, and "actions" is the number of known actions
    holds : condition that the value must meet
    optional : whether None is allowed instead
    """

    kind: Any
    lengths: tuple[int | str, ...] = ()
    holds: Callable[[Any], Any] = anything
    optional: bool = False


def stored(
    kind: Any,
    *lengths: int | str,
    holds: Callable[[Any], Any] = anything,
    optional: bool = False,
    **options: Any,
) -> Any:
    """Declare a field of a dataclass that is stored in model files; see `Stored`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Habit:
    ...     shares: Array = stored(FLOAT, "actions", holds=are_probs)
    >>> list(stored_fields(Habit))
    ['shares']
    """
    declared = Stored(kind, lengths, holds, optional)
    return field(metadata={"stored": declared}, **options)


def stored_fields(kind: type) -> dict[str, Stored]:
    """Fields of a dataclass that are stored in model files, in order."""
    return {f.name: f.metadata["stored"] for f in fields(kind) if "stored" in f.metadata}


STORABLE: dict[str, type] = {}
"""Classes that model files may name; nothing else in a file is ever looked up."""


def register(registry: dict[str, Any], name: str, kind: type) -> None:
    """Register a class by name; one that is defined again, as in a notebook, is replaced."""
    known = registry.get(name)
    if known is not None and (known.__module__, known.__qualname__) != (
        kind.__module__,
        kind.__qualname__,
    ):
        raise OptionError("name", name, f"is taken by {known.__module__}.{known.__qualname__}")
    registry[name] = kind


def is_natural(value: int) -> bool:
    """Whether a number is not negative."""
    return value >= 0


LARGEST = 1e60
"""Size of a number that scores are made of, and of its inverse where it is positive.

Products of five such numbers are still finite, so no score is NaN because of them.
"""
LEAST_LOG, LARGEST_LOG = -745.0, 709.0  # of numbers that floats can hold

MOST_WEIGHT = 1e9  # of a term, a member or a style


def is_positive(value: Any) -> bool:
    """Whether all numbers are positive, and neither they nor their inverses too large to use.

    Examples
    --------
    >>> is_positive(np.array([0.5, 2])), is_positive(0.0)
    (True, False)
    """
    return bool(np.all((value >= 1 / LARGEST) & (value <= LARGEST)))


def is_finite(value: Any) -> bool:
    """Whether there is neither NaN nor infinity, nor a number too large to calculate with."""
    return bool(np.all(np.abs(value) <= LARGEST))


def are_logs(value: Array) -> bool:
    """Whether these are logarithms of numbers that floats can hold."""
    return bool(((value >= LEAST_LOG) & (value <= LARGEST_LOG)).all())


def are_weights(value: Array) -> bool:
    """Whether these are weights: none negative, none so large that sums overflow."""
    return bool(((value >= 0) & (value <= MOST_WEIGHT)).all())


def is_increasing(value: Array) -> bool:
    """Whether numbers are finite, and each is larger than the one before."""
    return is_finite(value) and bool((value[1:] > value[:-1]).all())


def are_probs(value: Array) -> bool:
    """Whether rows add up to 1; rows without entries are allowed."""
    possible = len(value) and ((value >= 0) & (value < 2)).all()
    return bool(possible and (not value.size or np.allclose(value.sum(axis=-1), 1, atol=1e-6)))


def are_log_probs(value: Array) -> bool:
    """Whether these are logarithms of probabilities that add up to 1 in each row."""
    return bool((value <= 0).all()) and (not len(value) or are_probs(np.exp(value)))


def are_smoothed_probs(value: Array) -> bool:
    """Whether rows add up to 1, and nothing in them is impossible."""
    return are_probs(value) and bool((value > 0).all())


def are_smoothed_log_probs(value: Array) -> bool:
    """The same, and all logarithms are finite, so that kernels may subtract them."""
    return is_finite(value) and are_log_probs(value)
