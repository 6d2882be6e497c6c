"""Labels of frames to runs: stretches of time over which a label stays the same."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Bools, Floats
from ibgn.checks import check_number
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.text import quote

__all__ = ["Runs", "check_steps", "count_gaps", "find_runs"]

Ints = npt.NDArray[np.intp]

GAP = 3.0  # steps: a frame or two may be lost before a run is taken to end


class Runs(NamedTuple):
    """Stretches [start, end) of one label each, in the order of time; `first` is their frame."""

    start: Floats
    end: Floats
    value: npt.NDArray[Any]
    first: Ints


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
    labels : (n,) one a frame: numbers, text or other values that can be compared; None and NaN
        are no labels
    times : (n,) when each frame begins, increasing; by default frames follow each other evenly
    rate : frames per unit of time. With times it gives the step, which otherwise is their median
        distance; without either, times are frame numbers.
    ignore : more values that are no labels, as "" or 0
    gap : frames more than so many steps apart do not belong together, and a run ends between them;
        None joins them however far apart they are

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
    values = _as_values(labels)
    frames = _frames(times, len(values), rate, gap)
    changes = _differ(values) | frames.gap[:-1]
    first = np.flatnonzero(np.concatenate([[True], changes]))[: len(values)]
    last = np.append(first[1:], len(values))[: len(first)] - 1
    kept = _are_labels(values[first], ignore)
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


def _as_values(labels: Any) -> npt.NDArray[Any]:
    if isinstance(labels, list | tuple):  # NumPy would make text of numbers and None among texts
        return pd.Series(list(labels), dtype=object).to_numpy()
    values = np.asarray(labels)
    if values.ndim != 1:
        raise DataError(f"labels are one value a frame, got {values.ndim} dimensions")
    return values


def _differ(values: npt.NDArray[Any]) -> Bools:
    """Tell of each frame but the first whether its label is another than that before."""
    if values.dtype.kind == "O":
        try:
            values = pd.factorize(values, use_na_sentinel=True)[0]
        except TypeError as error:
            raise DataError(f"a label is text or a number: {error}") from error
    changed: Bools = values[1:] != values[:-1]
    return changed


def _are_labels(values: npt.NDArray[Any], ignore: Iterable[Any]) -> Bools:
    codes, distinct = pd.factorize(values, use_na_sentinel=True)
    unwanted = list(ignore)
    # code -1, a missing label, takes the last place
    wanted = np.array([value not in unwanted for value in distinct.tolist()] + [False])
    return wanted[codes]


def _frames(times: Any, number: int, rate: float | None, gap: float | None) -> _Frames:
    if times is None:
        ticks = np.arange(number + 1) / (1.0 if rate is None else rate)
        return _Frames(ticks[:-1], ticks[1:], np.zeros(number, np.bool_))
    begin = _as_times(times, number)
    step = _step(begin, rate)
    following = np.append(begin[1:], begin[-1:] + step)
    apart = np.zeros(number, np.bool_) if gap is None else following - begin > gap * step
    return _Frames(begin, np.where(apart, begin + step, following), apart)


def _as_times(times: Any, number: int) -> Floats:
    try:
        begin = np.asarray(times, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"times are numbers, one a frame; got {quote(times)}") from error
    if begin.shape != (number,):
        raise DataError(f"times are one a frame: {number} are wanted, got {begin.shape}")
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


def _step(begin: Floats, rate: float | None) -> float:
    """How long a frame lasts that no other follows."""
    if rate is not None:
        return 1.0 / rate
    if len(begin) == 1:
        raise DataError("one frame alone does not tell how long it lasts; give rate=")
    return float(np.median(np.diff(begin))) if len(begin) else 1.0
