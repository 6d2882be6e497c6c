"""Times: parsed from text, and of the runs of equal labels of frames."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn import _arrays
from ibgn._arrays import Bools, Floats
from ibgn.checks import as_number, check_number
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError, DataWarning, Option
from ibgn.io.parsing.moments import as_clock, check_moment, read_moments, since_first
from ibgn.names import factorize
from ibgn.text import quote

__all__ = ["Runs", "as_seconds", "check_steps", "count_gaps", "find_runs"]

Where = Callable[[int], str]

GAP = 3.0  # steps: a frame or two may be lost before a run is taken to end


def as_seconds(texts: Sequence[str], where: Where, unit: float = 1.0) -> Floats:
    """Times in seconds: numbers times the unit, clocks, or date-times since the earliest of them.

    The first time decides; `where` names one for a message by its place.

    Examples
    --------
    >>> as_seconds(["2010-11-04 23:59:58", "2010-11-05T00:00:01.5"], "event {}".format)
    array([0. , 3.5])
    >>> as_seconds(["25-Feb-2008 00:22:46", "25-Feb-2008 09:34:12"], "event {}".format)
    array([    0., 33086.])
    >>> as_seconds(["40", "1500"], "event {}".format, unit=0.001)
    array([0.04, 1.5 ])
    """
    if not texts:
        return np.zeros(0)
    if as_number(texts[0]) is not None:
        return _numbers(texts, where) * unit
    if as_clock(texts[0]) is not None:
        return _clocks(texts, where)
    return since_first(_moments(texts, where), where)


def _clocks(texts: Sequence[str], where: Where) -> Floats:
    times = [as_clock(text) for text in texts]
    for place, time in enumerate(times):
        if time is None:
            raise DataError(
                f"{where(place)}: the time is {quote(texts[place])}, no time of day as the first "
                "one is; write all times alike"
            )
    return np.array(times, np.float64)


def _moments(texts: Sequence[str], where: Where) -> list[datetime]:
    moments = []
    for text in texts:
        try:
            moments.append(datetime.fromisoformat(text.strip()))
        except ValueError:
            break
    if len(moments) == len(texts):
        return moments
    check_moment(texts[len(moments)], where(len(moments)))
    moments, guessed = read_moments(texts, where)
    if guessed:
        warnings.warn(
            DataWarning(
                f"{where(0)}: dates such as {quote(texts[0])} do not tell the day from the month; "
                "the month was taken to come first; write them as 2008-02-25"
            ),
            stacklevel=2,
        )
    return moments


def _numbers(texts: Sequence[str], where: Where) -> Floats:
    parsed = (as_number(text) for text in texts)
    numbers = np.array([np.nan if number is None else number for number in parsed])
    wrong = ~(np.abs(numbers) <= LARGEST_TIME)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise DataError(
            f"{where(place)}: the time is {quote(texts[place])}, not a number up to 2^53, as "
            "the first one is; write all times alike"
        )
    return numbers


class Runs(NamedTuple):
    """Stretches [start, end) of one label each, in the order of time; `first` is their frame."""

    start: Floats
    end: Floats
    value: npt.NDArray[Any]
    first: npt.NDArray[np.intp]


class _Frames(NamedTuple):
    """When frames begin and end, and after which of them there is a gap."""

    begin: Floats
    end: Floats
    gap: Bools


def find_runs(
    labels: Any,
    times: Any = None,
    *,
    rate: float | None = None,
    ignore: Iterable[Any] = (),
    gap: float | None = GAP,
) -> Runs:
    """Find the runs of equal labels.

    A frame lasts until the next one; the last, and one before a gap, lasts for a step.

    Parameters
    ----------
    labels : (n,) one per frame: numbers, text or other values that can be compared; None and NaN
        are not labels
    times : (n,) when each frame begins, increasing; by default frames follow each other evenly
    rate : frames per unit of time. With times it gives the step, which otherwise is their median
        distance; without either, times are frame numbers.
    ignore : more values that are not labels, such as "" or 0
    gap : frames more than this many steps apart do not belong together, and a run ends between
        them; None joins them however far apart they are

    Returns
    -------
    runs : start, end, value and first frame of each

    Examples
    --------
    >>> runs = find_runs(["reach", "reach", "", "grasp"], rate=2, ignore=[""])
    >>> runs.value.tolist(), runs.start.tolist(), runs.end.tolist()
    (['reach', 'grasp'], [0.0, 1.5], [1.0, 2.0])

    A gap ends a run:

    >>> find_runs([1, 1, 1, 1], times=[0, 1, 2, 9]).end.tolist()
    [3.0, 10.0]
    """
    check_steps(rate, gap)
    if isinstance(labels, list | tuple):  # NumPy would make text of numbers and None among texts
        values = np.fromiter(labels, object, len(labels))
    else:
        values = np.asarray(labels)
    if values.ndim != 1:
        raise DataError(f"labels are one value per frame, got {values.ndim} dimensions")
    frames = _frames(times, len(values), rate, gap)
    codes = values
    if values.dtype.kind == "O":  # missing labels equal each other
        try:
            codes = factorize(values)[0]
        except TypeError as error:
            raise DataError(f"a label is text or a number: {error}") from error
    # a gap ends a run as another label does
    edges = np.union1d(_arrays.find_runs(codes), np.flatnonzero(frames.gap[:-1]) + 1)
    first, last = edges[:-1], edges[1:] - 1
    numbers, distinct = factorize(values[first])
    ignored = list(ignore)
    # number -1, a missing label, takes the last place
    kept = np.array([*(value not in ignored for value in distinct.tolist()), False])[numbers]
    first, last = first[kept], last[kept]
    return Runs(frames.begin[first], frames.end[last], values[first], first)


def count_gaps(times: Any, *, rate: float | None = None, gap: float | None = GAP) -> int:
    """Count the places at which `find_runs` ends runs because frames are too far apart."""
    check_steps(rate, gap)
    return int(_frames(times, len(times), rate, gap).gap.sum())


def check_steps(rate: Any, gap: Any) -> None:
    """Refuse a rate or a gap that `find_runs` cannot use."""
    if rate is not None:
        check_number("rate", rate, "from 1e-9 to 1e9", lambda value: 1e-9 <= value <= 1e9)
    if gap is not None:
        check_number("gap", gap, "1 or more", lambda value: value >= 1)


def _frames(times: Any, number: int, rate: float | None, gap: float | None) -> _Frames:
    if times is None:
        ticks = np.arange(number + 1) / (1.0 if rate is None else rate)
        return _Frames(ticks[:-1], ticks[1:], np.zeros(number, np.bool_))
    begin = _as_times(times, number)
    # how long a frame lasts that no other follows
    if rate is not None:
        step = 1.0 / rate
    elif len(begin) == 1:
        raise DataError("one frame alone does not tell how long it lasts; give ", Option("rate"))
    else:
        step = float(np.median(np.diff(begin))) if len(begin) else 1.0
    following = np.append(begin[1:], begin[-1:] + step)
    apart = np.zeros(number, np.bool_) if gap is None else following - begin > gap * step
    return _Frames(begin, np.where(apart, begin + step, following), apart)


def _as_times(times: Any, number: int) -> Floats:
    try:
        begin = np.asarray(times, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"times are numbers, one per frame; got {quote(times)}") from error
    if begin.shape != (number,):
        raise DataError(f"times are one per frame: {number} are needed, got {begin.shape}")
    wrong = ~(np.abs(begin) <= LARGEST_TIME)
    wrong[1:] |= ~(begin[1:] > begin[:-1])
    if wrong.any():
        frame = int(np.argmax(wrong))
        before = f" after {begin[frame - 1]:.15g}" if frame else ""
        raise DataError(
            f"times are numbers up to 2^53 that increase from frame to frame, but frame {frame} is "
            f"at {begin[frame]:.15g}{before}; sort the frames, and drop those without a time or "
            "with that of another"
        )
    return begin
