"""Rows of recorded intervals: checked, cleaned and put in order.

Every reader ends here. Records come in as columns, one row per interval; they leave as the flat
arrays of `IntervalSequences`. Nothing is dropped without a warning that counts it, and an error
names the row, the instance, what was found and what to do.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Bools, Codes, Floats, Ints
from ibgn._kernels.instants import merge_instants, order_intervals
from ibgn.checks import as_number, check_choice, check_number, is_date, span_advice
from ibgn.errors import DataError, DataWarning, Option, Part
from ibgn.flat import Flat
from ibgn.names import factorize, name_by_text, order_by_name
from ibgn.text import count, half_character, quote
from ibgn.uncertainty import Uncertainty

__all__ = ["Cleaning", "CleaningOptions", "Flat", "Records"]


Closed = Literal["left", "right", "both", "neither"]
ZeroLength = Literal["error", "drop"]
Duplicates = Literal["keep", "drop"]

LARGEST_TIME = 2.0**53  # from it on, neighbouring whole numbers are the same float
WHOLE_TICK = 1e-6  # how far from a whole number of ticks rounding may carry a time
SEVERAL = 3
INCLUSIVE = 0.3  # share of whole intervals without length that makes their ends look inclusive

LISTS = "give a list of instances, each a list of (action, start, end)"


class CleaningOptions(TypedDict, total=False):
    """Keyword arguments that every reader passes on to `Cleaning`."""

    closed: Closed
    tick: float
    tolerance: float
    zero_length: ZeroLength
    min_duration: float
    duplicates: Duplicates


@dataclass(frozen=True)
class Cleaning:
    """How recorded intervals become half-open ones with start < end.

    Parameters
    ----------
    closed : which ends belong to an interval, in pandas' words. "left" is half-open and changes
        nothing. In whole ticks "both" means that [3, 7] covers the ticks 3 to 7, so the end
        becomes 8; "right" and "neither" move the start in the same manner.
    tick : length of one tick, for `closed` other than "left"
    tolerance : end points of an instance that are closer than this are the same instant, see
        `snap`
    zero_length : "error", or "drop" with a warning that counts them
    min_duration : intervals shorter than this are lengthened to it, at their end
    duplicates : "keep" rows that repeat another exactly, or "drop" them with a count

    Examples
    --------
    >>> from ibgn.intervals import IntervalSequences
    >>> X = IntervalSequences.from_lists([[("boil", 3, 7), ("pour", 8, 9)]], closed="both")
    >>> X.to_lists()
    [[('boil', 3.0, 8.0), ('pour', 8.0, 10.0)]]
    >>> Cleaning(closed="both").tick
    1.0
    """

    closed: Closed = "left"
    tick: float = 1.0
    tolerance: float = 0.0
    zero_length: ZeroLength = "error"
    min_duration: float = 0.0
    duplicates: Duplicates = "keep"

    def __post_init__(self) -> None:
        check_choice("closed", self.closed, get_args(Closed))
        check_choice("zero_length", self.zero_length, get_args(ZeroLength))
        check_choice("duplicates", self.duplicates, get_args(Duplicates))
        for name in ("tolerance", "min_duration"):
            required = "0 or more, and below 2^53"
            check_number(name, getattr(self, name), required, lambda v: 0 <= v < LARGEST_TIME)
        required = "positive, and below 2^53"
        check_number("tick", self.tick, required, lambda value: 0 < value < LARGEST_TIME)


@dataclass(frozen=True)
class Records:
    """Columns of recorded intervals, one row each, in any order.

    Parameters
    ----------
    instance, action : (rows,) codes into ids and actions
    start, end : (rows,) times as recorded
    ids, actions : names; actions in the order of their names
    where : names row r for a message, with its instance
    uncertainty : what is not certain about them, None where all is
    track : (rows,) names of what they were recorded on, "" where not known; None where none is
    """

    instance: Ints
    action: Codes
    start: Floats
    end: Floats
    ids: tuple[str, ...]
    actions: tuple[str, ...]
    where: Callable[[int], str]
    uncertainty: Uncertainty | None = None
    track: npt.NDArray[np.object_] | None = None

    def flat(self, cleaning: Cleaning) -> Flat:
        """Check, clean and sort by (instance, start, end, action)."""
        self._check_times()
        if self.uncertainty is not None:
            self.uncertainty.check(len(self.start), len(self.actions), self.where)
        records = self
        if cleaning.duplicates == "drop":
            records = records._without_duplicates()
        records = records._half_open(cleaning)
        if cleaning.min_duration > 0:
            end = np.maximum(records.end, records.start + float(cleaning.min_duration))
            records = replace(records, end=end)
            records._refuse_late(Option("min_duration", cleaning.min_duration))
        snapped = records
        if cleaning.tolerance > 0:
            start, end = snap(records.instance, records.start, records.end, cleaning.tolerance)
            snapped = replace(records, start=start, end=end)
        records = snapped._without_empty(records, cleaning)
        lengths = np.bincount(records.instance, minlength=len(records.ids))
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        keys = records.instance, records.start, records.end, records.action
        order = order_intervals(offsets, *keys)
        columns = records.action, records.start, records.end
        return Flat(offsets, *columns, records.uncertainty, records.track).take(order, offsets)

    def _check_times(self) -> None:
        for name, times in (("start", self.start), ("end", self.end)):
            self._refuse(
                np.isnan(times), f"the {name} is missing (NaN); fill it in or drop the row"
            )
            self._refuse(
                np.isinf(times), f"the {name} is infinite; give it a finite time or drop the row"
            )
            self._refuse(
                np.abs(times) >= LARGEST_TIME,
                f"the {name} is beyond 2^53, where floats no longer distinguish times; "
                "subtract a common origin or use a larger unit",
            )
        self._refuse(
            self.end < self.start, "the interval ends before it starts; swap them or drop the row"
        )

    def _refuse_late(self, *option: Part) -> None:
        """Refuse times that an option moved to where floats no longer distinguish them."""
        late = np.maximum(np.abs(self.start), np.abs(self.end)) >= LARGEST_TIME
        self._refuse(late, *option, " moves a time beyond 2^53, where floats cannot tell it")

    def _refuse(self, bad: Bools, *why: Part) -> None:
        """Raise for the first bad row, with its times and the number of further bad rows."""
        if not bad.any():
            return
        row = int(np.argmax(bad))
        more = int(bad.sum()) - 1
        also = f" ({count(more, 'more row')} likewise)" if more else ""
        times = f" (start={self.start[row]:.15g}, end={self.end[row]:.15g})"
        raise DataError(f"{self.where(row)}: ", *why, f"{times}{also}")

    def _keep(self, kept: Bools) -> "Records":
        rows = np.flatnonzero(kept)
        return replace(
            self,
            instance=self.instance[rows],
            action=self.action[rows],
            start=self.start[rows],
            end=self.end[rows],
            uncertainty=None if self.uncertainty is None else self.uncertainty.take(rows),
            track=None if self.track is None else self.track[rows],
            where=lambda row: self.where(int(rows[row])),
        )

    def _without_duplicates(self) -> "Records":
        columns = {"i": self.instance, "a": self.action, "s": self.start, "e": self.end}
        if self.uncertainty is not None:
            columns |= {str(number): each for number, each in enumerate(self.uncertainty[:3])}
            columns["3"] = np.array(list(map(str, self.uncertainty.alternatives(self.actions))))
        repeated = pd.DataFrame(columns).duplicated().to_numpy()
        if not repeated.any():
            return self
        first = self.where(int(np.argmax(repeated)))
        rows = count(int(repeated.sum()), "row")
        _warn(f"dropped {rows} that repeat another exactly (first: {first})")
        return self._keep(~repeated)

    def _half_open(self, cleaning: Cleaning) -> "Records":
        if cleaning.closed == "left":
            return self
        with np.errstate(over="ignore"):
            ticks = np.stack([self.start, self.end]) / float(cleaning.tick)
        self._refuse(
            np.abs(ticks).max(axis=0, initial=0.0) >= LARGEST_TIME - 1,
            Option("closed", cleaning.closed),
            f" counts ticks of {cleaning.tick:g}, of which a time has 2^53 or more, where the next "
            "one is the same float; subtract a common origin, or give a longer ",
            Option("tick"),
        )
        self._refuse(
            np.abs(ticks - np.rint(ticks)).max(axis=0, initial=0.0) > WHOLE_TICK,
            Option("closed", cleaning.closed),
            f" needs times in whole ticks of {cleaning.tick:g}; give the length of a tick with ",
            Option("tick"),
            " or use ",
            Option("closed", "left"),
        )
        # all times are made from whole ticks, so that equal ticks are equal numbers
        start, end = np.rint(ticks)
        start += cleaning.closed in ("right", "neither")
        end += cleaning.closed in ("both", "right")
        tick = float(cleaning.tick)
        moved = replace(self, start=start * tick, end=end * tick)
        moved._refuse_late(
            Option("closed", cleaning.closed), " with ", Option("tick", cleaning.tick)
        )
        return moved

    def _without_empty(self, before: "Records", cleaning: Cleaning) -> "Records":
        """Refuse or drop intervals of zero length; before are the same rows before snapping."""
        empty = self.end <= self.start
        if not empty.any():
            return self
        emptied = empty & (before.start < before.end)
        if cleaning.zero_length == "drop":
            dropped: list[Part] = [f"dropped {count(int(empty.sum()), 'interval')} of zero length"]
            if emptied.any():
                by = Option("tolerance", cleaning.tolerance)
                dropped += [f", {emptied.sum()} of them emptied by ", by]
            _warn(*dropped, f" (first: {self.where(int(np.argmax(empty)))})")
            return self._keep(~empty)
        drop = Option("zero_length", "drop")
        advice: list[Part] = ["the interval has zero length; use ", drop, " or "]
        advice += ["a ", Option("min_duration")]
        if emptied[np.argmax(empty)]:
            merging = Option("tolerance", cleaning.tolerance)
            advice = ["merging end points closer than ", merging, " leaves the interval empty; "]
            advice += ["use a smaller one, or ", drop]
        elif cleaning.closed == "left" and _look_like_ticks(before):
            inclusive: list[Part] = [Option("closed", "both"), " if ends are inclusive"]
            if empty.sum() >= SEVERAL and INCLUSIVE < empty.mean() < 1:  # hardly points
                advice = ["the interval has zero length; use ", *inclusive, ", or "]
                advice += [drop, ", or a ", Option("min_duration")]
            else:
                advice += [", or ", *inclusive]
        self._refuse(empty, *advice)
        return self


def snap(instance: Ints, start: Floats, end: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Merge end points of an instance that are closer than tolerance into one instant.

    From the earliest on, an end point and all that are closer to it than tolerance form a group,
    and the next one starts another. A group becomes its lower median, or an earlier one of its
    points if the median is too close to the next group. So

    - instants are end points that were recorded, in the same order, and none are closer to each
      other than tolerance: snapping twice is snapping once;
    - an end point moves by less than tolerance, and an interval as long as that is never emptied;
    - end points that are tolerance apart, but for rounding, stay apart;
    - each instance is on its own, and a common shift or another unit of time changes nothing.

    Examples
    --------
    >>> instance, start = np.zeros(3, np.int64), np.array([0.0, 1.0, 3.0])
    >>> snap(instance, start, start + 1.9, 0.5)
    (array([0. , 1. , 2.9]), array([1.9, 2.9, 4.9]))
    """
    owner = np.concatenate([instance, instance])
    time = np.concatenate([start, end])
    order = np.lexsort((time, owner))
    merged = np.empty_like(time)
    merged[order] = merge_instants(owner[order], time[order], float(tolerance))
    return merged[: len(start)], merged[len(start) :]


def records_of_lists(instances: Any, ids: Sequence[str] | None) -> Records:
    """Records of lists of (action, start, end), one list per instance."""
    listed = _as_lists(instances)
    names = tuple(map(str, range(len(listed)) if ids is None else ids))
    if len(names) != len(listed):
        raise DataError(f"ids has one name per instance, got {len(names)} for {len(listed)}")
    for name in filter(half_character, names):
        raise DataError(f"the id of an instance {half_character(name)}")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"two instances have the id {quote(twice[0])}; make ids distinct")
    owner = np.repeat(np.arange(len(listed)), [len(instance) for instance in listed])
    where = where_in_lists(owner, names)
    rows = [row for instance in listed for row in instance]
    checked = [_check_row(row, where, place) for place, row in enumerate(rows)]
    named = factorize(np.array([row[0] for row in checked], dtype=object))
    codes, actions = order_by_name(*name_by_text(*named))
    start, end = (np.array([row[i] for row in checked], np.float64) for i in (1, 2))
    return Records(owner.astype(np.int64), codes, start, end, names, actions, where)


def _as_lists(instances: Any) -> list[list[Any]]:
    if hasattr(instances, "columns") or hasattr(instances, "column_names"):
        kind = type(instances).__name__
        raise DataError(f"got a table ({kind}); read it first, X, y = ibgn.read(table), or {LISTS}")
    listed = []
    try:
        for instance in instances:
            if isinstance(instance, str | bytes):
                raise TypeError
            listed.append(list(instance))
    except TypeError as error:
        raise DataError(f"{LISTS}; got {quote(instances)}") from error
    return listed


def _check_row(row: Any, where: Callable[[int], str], place: int) -> tuple[str, float, float]:
    if isinstance(row, str | bytes) or not hasattr(row, "__iter__"):
        raise DataError(f"{where(place)} is {quote(row)}; {LISTS}")
    values = tuple(row)
    action, start, end = values if len(values) == 3 else (None,) * 3
    times = as_number(start), as_number(end)
    if len(values) != 3 or times[0] is None or times[1] is None:
        dates = [value for value in values[1:] if is_date(value)]
        advice = f"; {span_advice('time', dates[0])}" if dates else f", got {quote(row)}"
        raise DataError(
            f"{where(place)}: an interval is (action, start, end) with numbers for times{advice}"
        )
    name = "" if action is None or action is pd.NA or action != action else str(action)
    if not name.strip():
        raise DataError(f"{where(place)}: the action has no name; give it one")
    wrong = half_character(name)
    if wrong:
        raise DataError(f"{where(place)}: the action {wrong}")
    return name, times[0], times[1]


def where_in_lists(owner: Ints, names: tuple[str, ...] | None) -> Callable[[int], str]:
    """Name a row by its place in its instance."""

    def where(row: int) -> str:
        instance = int(owner[row])
        place = row - int(np.searchsorted(owner, instance))
        name = instance if names is None else quote(names[instance])
        return f"interval {place} of instance {name}"

    return where


def _warn(*parts: Part) -> None:
    warnings.warn(DataWarning(*parts), stacklevel=2)


def _look_like_ticks(records: Records) -> bool:
    times = np.concatenate([records.start, records.end])
    return bool((times == np.rint(times)).all())
