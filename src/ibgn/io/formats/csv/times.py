"""Times of the rows of a foreign table: numbers, clocks or date-times; an end or a length."""

import warnings
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn.checks import Unreadable
from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError, DataWarning, Option
from ibgn.io.parsing.moments import (
    Kind,
    as_clock,
    as_plain_number,
    find_frames,
    kind_of,
    kind_of_column,
    read_moments,
    since_first,
)
from ibgn.io.parsing.roles import Roles
from ibgn.io.parsing.sheets import Sheet
from ibgn.text import count, quote

__all__ = ["USUAL", "ends_before", "read_times", "with_unreadable"]

Where = Callable[[int], str]

DAY = 86400.0
USUAL = 0.5  # share of the cells of a column that must be of one kind, where others are mistakes
RATES = (25, 30, 60)  # frames per second that are usual; the first that fits is proposed
MIDNIGHT = " 00:00:00"


def read_times(
    sheet: Sheet,
    roles: Roles,
    instances: npt.NDArray[Any],
    where: Where,
    day_first: bool | None,
    rate: float | None = None,
) -> tuple[Floats, Floats]:
    """Start and end of each row, NaN where there is none.

    Date-times become seconds since the earliest of them, clocks seconds since midnight; numbers
    stay as they are. `rate` is the number of frames per second, where clocks count frames.
    Cells of another kind than most of their column are no times, see `with_unreadable`.
    """
    starts, ends = _cells_of_times(sheet, roles)
    kind = kind_of_column(starts, USUAL)
    if kind in ("date", "moment"):
        are_lengths = "length" in roles.places
        start, end = _from_moments(starts, ends, are_lengths, roles.scale, where, day_first)
        if not are_lengths and set(roles.places["start"]) & set(roles.places["end"]):
            end = np.where(end < start, end + DAY, end)  # on the day after the date of both
        return start, end
    read = _READERS.get(kind)
    if read is None:
        row = next((row for row, cell in enumerate(starts) if kind_of(cell) == "text"), 0)
        raise DataError(
            f"{where(row)}: the start is {quote(starts[row])}, which is no time; name another "
            "column with ",
            Option("columns", {"start": "..."}),
        )
    if kind == "number" and "end" in roles.places:
        starts, ends = _since_earliest(starts, ends, where)
    counted = _parts_of_seconds([*starts, *ends], rate, where)
    begin = _numbers(starts, kind, "start", where, counted)
    end_kind = kind_of_column(ends, USUAL)
    end = _numbers(ends, end_kind if end_kind in _READERS else kind, "end", where, counted)
    if "length" in roles.places:
        end = begin + end * roles.scale
    if kind == "clock":
        return _past_midnight(begin, end, instances, where(0).partition(": ")[0])
    return begin, end


def with_unreadable(
    sheet: Sheet, roles: Roles, start: Floats, end: Floats
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The same times; in the place of those that could not be read, what stands there instead.

    Such rows are no intervals, and are refused or left out like others that are none.
    """
    starts, ends = _cells_of_times(sheet, roles)
    return _mark(start, starts), _mark(end, ends)


def _mark(times: Floats, cells: Sequence[str]) -> npt.NDArray[Any]:
    fitting = _ALIKE.get(kind_of_column(cells, USUAL), ())
    odd = [row for row, cell in enumerate(cells) if kind_of(cell) not in (*fitting, "empty")]
    if not fitting or not odd:
        return times
    marked = times.astype(object)
    for row in odd:
        marked[row] = Unreadable(cells[row], f"not {_WORDS[fitting[0]]} as others are; correct it")
    return marked


def ends_before(instances: npt.NDArray[Any], end: Floats) -> Floats:
    """End of the row before in time of the same instance; of the row itself where there is none.

    Rows that end at the same time are in the order of the table.
    """
    before = end.copy()
    last: dict[Any, float] = {}
    for row in np.argsort(end, kind="stable").tolist():
        before[row] = last.get(instances[row], end[row])
        last[instances[row]] = end[row]
    return before


def _since_earliest(
    starts: list[str], ends: list[str], where: Where
) -> tuple[list[str], list[str]]:
    """Whole numbers that floats cannot tell apart, as of nanoseconds since 1970, from the first."""
    cells = [cell for cell in (*starts, *ends) if cell.isascii() and cell.isdecimal()]
    whole = [int(cell) for cell in cells if kind_of(cell) == "number"]  # none is too long to be one
    if not whole or max(whole) < LARGEST_TIME or len(whole) < len(starts) + len(ends):
        return starts, ends
    origin = min(whole)
    if max(whole) - origin >= LARGEST_TIME:
        return starts, ends
    source = where(0).partition(": ")[0]
    warnings.warn(
        DataWarning(f"{source}: times count from the earliest of them, {origin}"), stacklevel=2
    )
    since = [str(number - origin) for number in whole]
    return since[: len(starts)], since[len(starts) :]


def _cells(sheet: Sheet, places: tuple[int, ...]) -> list[str]:
    return [" ".join(row[place] for place in places).strip() for row in sheet.rows]


def _cells_of_times(sheet: Sheet, roles: Roles) -> tuple[list[str], list[str]]:
    ends = roles.places["end" if "end" in roles.places else "length"]
    return _cells(sheet, roles.places["start"]), _cells(sheet, ends)


_ALIKE: dict[Kind, tuple[Kind, ...]] = {
    "number": ("number",),
    "clock": ("clock",),
    "date": ("date", "moment"),
    "moment": ("date", "moment"),
}
_WORDS: dict[Kind, str] = {
    "number": "a number",
    "clock": "a time of day",
    "date": "a date and time",
}
_READERS: dict[Kind, Callable[[str, float | None], float | None]] = {
    "number": lambda cell, _: as_plain_number(cell),
    "clock": as_clock,
    "empty": lambda *_: np.nan,
}


def _parts_of_seconds(cells: Sequence[str], rate: float | None, where: Where) -> float | None:
    """What the fourth number of clocks such as 00:00:01:12 counts; None where there is none."""
    found = find_frames(cells)
    if found is None:
        return None
    last, are_thousandths = found
    if are_thousandths:
        return 1000.0
    if rate is None or last >= rate:
        fitting = next((usual for usual in RATES if last < usual), 100)
        first = next(row for row, cell in enumerate(cells) if find_frames([cell]) is not None)
        given = "" if rate is None else f", up to {last}, which is too many for the rate given"
        raise DataError(
            f"{where(first % (len(cells) // 2))}: the time {quote(cells[first])} counts frames "
            f"after the seconds{given}; say how many a second has with ",
            Option("rate", fitting),
        )
    return rate


def _numbers(
    cells: Sequence[str], kind: Kind, name: str, where: Where, rate: float | None = None
) -> Floats:
    """Times of one kind, NaN for cells of another; refuses columns of another."""
    read = _READERS[kind]
    times = np.full(len(cells), np.nan)
    is_usual = kind_of_column(cells, USUAL) == kind
    for row, cell in enumerate(cells):
        if kind_of(cell) == "empty" or (is_usual and kind_of(cell) != kind):
            continue
        time = read(cell, rate)
        if time is None:
            raise DataError(
                f"{where(row)}: the {name} is {quote(cell)}, not {_WORDS[kind]} as others are; "
                "correct it, or name another column with ",
                Option("columns", {name: "..."}),
            )
        times[row] = time
    return times


def _from_moments(
    starts: Sequence[str],
    ends: Sequence[str],
    are_lengths: bool,
    scale: float,
    where: Where,
    day_first: bool | None,
) -> tuple[Floats, Floats]:
    """Seconds since the earliest date-time of both columns."""
    rows = _rows_of_moments(starts)
    texts = [_whole(starts[row]) for row in rows]
    places = list(rows)
    end_kind = kind_of_column(ends, USUAL)
    if not are_lengths and end_kind in ("date", "moment"):
        filled = _rows_of_moments(ends)
        texts += [_whole(ends[row]) for row in filled]
        places += filled
    moments, guessed = read_moments(texts, lambda place: where(places[place]), day_first)
    if guessed:
        warnings.warn(
            DataWarning(
                f"{where(0)}: dates such as {quote(starts[0])} do not tell the day from the month; "
                "the month was taken to come first; if that is wrong, use ",
                Option("day_first", True),
            ),
            stacklevel=2,
        )
    seconds = since_first(moments, lambda place: where(places[place]))
    start, end = np.full(len(starts), np.nan), np.full(len(starts), np.nan)
    start[rows] = seconds[: len(rows)]
    if len(places) > len(rows):
        end[places[len(rows) :]] = seconds[len(rows) :]
        return start, end
    lengths = _numbers(ends, end_kind if end_kind in _READERS else "number", "end", where)
    if are_lengths:
        return start, start + lengths * scale
    # an end that is a clock lies on the day of its start, or after the next midnight
    since_midnight = np.full(len(starts), np.nan)
    for row, moment in zip(rows, moments, strict=False):
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        since_midnight[row] = (moment - midnight) / timedelta(seconds=1)
    end = start - since_midnight + lengths
    return start, np.where(end < start, end + DAY, end)


def _rows_of_moments(cells: Sequence[str]) -> list[int]:
    return [row for row, cell in enumerate(cells) if kind_of(cell) in ("date", "moment")]


def _whole(text: str) -> str:
    return text + MIDNIGHT if kind_of(text) == "date" else text


def _past_midnight(
    start: Floats, end: Floats, instances: npt.NDArray[Any], source: str
) -> tuple[Floats, Floats]:
    """Clocks that go back by more than half a day went past midnight."""
    days = np.zeros(len(start))
    last: dict[Any, tuple[float, float]] = {}
    for row, (instance, time) in enumerate(zip(instances, start.tolist(), strict=True)):
        before, day = last.get(instance, (time, 0.0))
        if time < before - DAY / 2:
            day += DAY
        days[row] = day
        if time == time:
            last[instance] = (time, day)
    begin = start + days
    finish = end + days
    late = finish < begin - DAY / 2
    finish = np.where(late, finish + DAY, finish)
    changed = int(((days > 0) | late).sum())
    if changed:
        warnings.warn(
            DataWarning(
                f"{source}: {count(changed, 'row')} past midnight, as the time of day goes back by "
                "more than half a day"
            ),
            stacklevel=2,
        )
    return begin, finish
