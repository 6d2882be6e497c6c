"""The unit of time that axes name."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ibgn.text import printable

__all__ = ["time_label", "timed_in"]

_UNIT: ContextVar[str] = ContextVar("unit of time", default="")


@contextmanager
def timed_in(unit: str) -> Iterator[None]:
    """Name the unit of time on the axes of everything that is drawn inside.

    Examples
    --------
    >>> with timed_in("s"):
    ...     time_label("duration")
    'duration (s)'
    >>> time_label("duration")
    'duration'
    """
    token = _UNIT.set(unit)
    try:
        yield
    finally:
        _UNIT.reset(token)


def time_label(words: str) -> str:
    """Label of an axis of times, with their unit if it is known."""
    unit = _UNIT.get()
    return f"{words} ({printable(unit, 16)})" if unit else words
