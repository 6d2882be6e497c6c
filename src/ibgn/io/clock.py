"""Times as logs write them, numbers or ISO date-times, to seconds."""

from collections.abc import Callable, Sequence
from datetime import datetime

import numpy as np

from ibgn._arrays import Floats
from ibgn.checks import as_number
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["as_seconds"]

Where = Callable[[int], str]

ADVICE = "write times as numbers or as date-times, 12.5 or 2010-11-04 00:03:50.2"


def as_seconds(texts: Sequence[str], where: Where, unit: float = 1.0) -> Floats:
    """Times in seconds: numbers times the unit, or date-times since the earliest of them.

    The first time decides; `where` names one for a message by its place.

    Examples
    --------
    >>> as_seconds(["2010-11-04 23:59:58", "2010-11-05T00:00:01.5"], "event {}".format)
    array([0. , 3.5])
    >>> as_seconds(["40", "1500"], "event {}".format, unit=0.001)
    array([0.04, 1.5 ])
    """
    if not texts:
        return np.zeros(0)
    if as_number(texts[0]) is not None:
        return _numbers(texts, where) * unit
    moments = [_moment(text, place, where) for place, text in enumerate(texts)]
    _refuse_mixed_zones(moments, where)
    origin = min(moments)
    return np.array([(moment - origin).total_seconds() for moment in moments])


def _numbers(texts: Sequence[str], where: Where) -> Floats:
    numbers = np.array([_or_nan(as_number(text)) for text in texts])
    wrong = ~(np.abs(numbers) <= LARGEST_TIME)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise DataError(
            f"{where(place)}: the time is {quote(texts[place])}, not a number up to 2^53, as "
            "the first one is; write all times one way"
        )
    return numbers


def _or_nan(number: float | None) -> float:
    return np.nan if number is None else number


def _moment(text: str, place: int, where: Where) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise DataError(
            f"{where(place)}: the time {quote(text)} is not understood; {ADVICE}"
        ) from error


def _refuse_mixed_zones(moments: Sequence[datetime], where: Where) -> None:
    zoned = moments[0].tzinfo is not None
    other = next((i for i, time in enumerate(moments) if (time.tzinfo is not None) != zoned), None)
    if other is not None:
        has, first = ("no time zone", "has one") if zoned else ("a time zone", "has none")
        raise DataError(
            f"{where(other)}: the time has {has}, while the first {first}; write all one way"
        )
