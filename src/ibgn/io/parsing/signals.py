"""Tables of a signal, a row for each moment: which columns hold labels, and which readings.

Labels go on for some rows, as what is done does. Codes of them are small whole numbers; what has
decimals was measured.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Floats
from ibgn.io.parsing.flags import find_flags, find_time
from ibgn.io.parsing.guess import Guess
from ibgn.io.parsing.lasting import PERSISTENT, are_codes_of_samples, is_sampled
from ibgn.io.parsing.moments import kind_of
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.words import ACTION, INSTANCE, LABEL, SUBJECT

__all__ = ["Signal", "find_codes", "find_signal", "holds_readings"]

WIDE = 7  # columns of numbers without names that are a signal; fewer may be rows of intervals
FEWEST = 5  # rows
MOST_CODES = 40  # different ones of a column
LOWEST = 10  # that the first code may be, among readings
SMOOTH = 0.75  # share of the variation of independent rows below which rows are moments
COUNTED = 5  # numbers that only count up, in a column that numbers something
ABOUT = frozenset({*INSTANCE, *SUBJECT, "comment", "comments", "notes", "note"})
NAMED = frozenset(ACTION[: ACTION.index("state")]) | {*LABEL}


class Signal(NamedTuple):
    """Places of the time, None where rows follow each other evenly, of flags and of labels."""

    time: int | None
    flags: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()


def find_signal(sheet: Sheet) -> Signal | None:
    r"""Find columns of 0 and 1 that are an action each, or columns of labels; None without either.

    Examples
    --------
    >>> from ibgn.io.parsing.sheets import cut
    >>> rows = "0,walk,\n1,walk,wave\n2,walk,wave\n3,walk,wave\n4,sit,wave\n5,sit,wave\n"
    >>> find_signal(cut("Time,Legs,Hand\n" + rows, ""))
    Signal(time=0, flags=(), labels=(1, 2))
    """
    flags = find_flags(sheet)
    if flags is not None:
        return Signal(flags.time, flags.actions)
    if not sheet.has_header or len(sheet.rows) < FEWEST:
        return None
    guess = Guess(sheet, {})
    time = find_time(guess)
    labels = [place for place in range(len(sheet.names)) if _holds_labels(guess, place)]
    others = [p for p, kind in enumerate(guess.kinds) if kind != "empty" and p not in labels]
    others = [p for p in others if p != time and not guess.counts_rows(p)]
    if time is None:  # what was measured beside labels tells that rows are of a signal
        measured = [p for p in others if guess.kinds[p] == "number" and not guess.are_whole(p)]
        fits = len(measured) == len(others) > 1 and len(labels) == 1
        return Signal(None, (), tuple(labels)) if fits else None
    readings = all(guess.kinds[place] == "number" for place in others)
    if len(labels) < 2 or not readings or not is_sampled(guess, time):
        return None
    return Signal(time, (), tuple(labels)) if _differ(guess, labels) else None


def _holds_labels(guess: Guess, place: int) -> bool:
    """Whether the cells of a column are names that go on for some rows, or codes named as such."""
    words, cells = {*guess.words[place]}, guess.sheet.column(place)
    if not words or words & ABOUT:
        return False
    named = bool(words & NAMED) and guess.kinds[place] == "number" and guess.are_whole(place)
    if guess.kinds[place] != "text" and not named:
        return False
    distinct = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
    codes = np.array([distinct[cell] for cell in cells])[:, None]
    # that nothing is done goes on as well, between what is done for a moment
    return len(distinct) > 1 and _persist(codes, np.full(codes.shape, True))[0]


def _differ(guess: Guess, labels: Sequence[int]) -> bool:
    """Whether columns of labels say different things, and not the same in words and in codes."""
    columns = [guess.sheet.column(place) for place in labels]
    for one in columns:
        for two in columns:
            pairs = len(set(zip(one, two, strict=True)))
            if one is not two and pairs == len(set(one)) == len(set(two)):
                return False
    return True


def holds_readings(sheet: Sheet) -> bool:
    """Whether a table without names has only numbers, of readings or states at each moment.

    It has many columns, or first a time that goes up evenly and then codes that go on.
    """
    if sheet.has_header or len(sheet.rows) < FEWEST:
        return False
    if not all(kind_of(cell) in ("number", "empty") for row in sheet.rows for cell in row):
        return False
    return len(sheet.names) >= WIDE or are_codes_of_samples(Guess(sheet, {}))


def find_codes(table: Floats) -> Signal | None:
    """Find the time, the columns of 0 and 1 and those of codes in columns that have no names.

    Columns of 0 and 1 are flags where no column has readings, and codes otherwise. None where no
    column holds labels, or where rows seem to be something else than moments.

    Parameters
    ----------
    table : (rows, columns), NaN where a cell is empty

    Examples
    --------
    >>> code = np.repeat([0.0, 3.0, 0.0, 4.0], 5)
    >>> find_codes(np.column_stack([np.arange(20) / 50, code, np.sin(np.arange(20))]))
    Signal(time=0, flags=(), labels=(1,))
    """
    time = next((p for p in range(table.shape[1]) if np.all(np.diff(table[:, p]) > 0)), None)
    distinct = [np.unique(column[np.isfinite(column)]) for column in table.T]
    filled = [place for place, values in enumerate(distinct) if place != time and values.any()]
    codes = [place for place in filled if _are_codes(distinct[place])]
    measured = [place for place in filled if place not in codes]
    if measured and any(_counts_up(table[:, place]) for place in filled):
        return None
    if measured:  # the first code is low, unlike a pulse, and there is more than one
        codes = [p for p in codes if distinct[p][0] <= LOWEST and len(distinct[p]) > 1]
    columns = table[:, codes]
    goes_on = _persist(columns, np.isfinite(columns) & (columns != 0))
    labels = [place for place, persists in zip(codes, goes_on, strict=True) if persists]
    if measured:
        moments = time is not None or _is_smooth(table[:, measured], table[:, labels])
        return Signal(time, (), tuple(labels)) if labels and moments else None
    flags = [place for place in codes if distinct[place].max() == 1]
    if time is not None and labels == codes and len(flags) < 2:
        return Signal(time, (), tuple(labels))
    if len(flags) < 2 or len({*flags, *labels}) < len(codes) or 2 * len(labels) < len(codes):
        return None
    return Signal(time, tuple(flags), tuple(p for p in labels if p not in flags))


def _are_codes(distinct: Floats) -> bool:
    """Whether the numbers of a column are whole and few, as those of classes are."""
    whole = bool(np.all(distinct == np.round(distinct)))
    return whole and len(distinct) <= MOST_CODES and bool(distinct[0] >= 0)


def _is_smooth(readings: Floats, labels: Floats) -> bool:
    """Whether readings change less from row to row than within all rows of a label.

    They do where rows follow each other in time, and not where rows are examples of a class.
    """
    same = np.all(labels[1:] == labels[:-1], axis=1)
    run = np.concatenate([[0], np.cumsum(~same)])
    smooth = []
    for column in readings.T:
        means = np.bincount(run, column) / np.bincount(run)
        varies = np.mean((column - means[run]) ** 2)
        steps = np.mean(np.diff(column)[same] ** 2) if same.any() else np.inf
        smooth.append(steps < SMOOTH * 2 * varies)  # twice the variance, were rows independent
    return bool(np.mean(smooth) > 0.5)


def _counts_up(column: Floats) -> bool:
    """Whether numbers go up one by one, as those of frames, tracks and people do in lists."""
    known = column[np.isfinite(column)]
    steps = np.diff(known)
    changes = steps[steps != 0]
    counted = len(changes) >= COUNTED and bool(np.mean(changes == 1) > 0.5)
    return counted and bool(known.min() <= 1)


def _persist(columns: npt.NDArray[np.generic], counts: Bools) -> list[bool]:
    """Whether the cells of each column that count stay the same for some rows, on average."""
    begins = counts.copy()
    begins[1:] &= (columns[1:] != columns[:-1]) | ~counts[:-1]
    runs = begins.sum(axis=0)
    persists = (runs > 0) & (counts.sum(axis=0) >= PERSISTENT * runs)
    return [bool(each) for each in persists]
