"""Tables of a signal with a column of 0 and 1 for each action, as of classifiers of behaviour."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from ibgn.io.parsing.guess import Guess
from ibgn.io.parsing.lasting import PERSISTENT
from ibgn.io.parsing.moments import kind_of
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.words import FRAMES, NUMBERING, UNITS

__all__ = ["Flags", "find_flags", "find_time", "is_on"]

ON = frozenset({"1", "1.0", "true"})
OFF = frozenset({"0", "0.0", "false"})
TIMES = frozenset({"time", "timestamp", "datetime", "t", "date", "clock", "recording", "trial"})
# names that say nothing of what is done: 0 and 1 are codes below them
GENERAL = NUMBERING | {
    *("action", "activity", "annotation", "behavior", "behaviour", "category", "class", "correct"),
    *("event", "flag", "label", "labels", "response", "state", "status", "target", "type", "valid"),
    *("value", "y"),
}
MOST_COLUMNS = 500


class Flags(NamedTuple):
    """Places of the time, None where rows follow each other evenly, and of the actions."""

    time: int | None
    actions: tuple[int, ...]


def is_on(cell: str) -> bool:
    """Whether a cell says that an action goes on."""
    return cell.strip().casefold() in ON


def find_flags(sheet: Sheet) -> Flags | None:
    r"""Find columns of 0 and 1 that are an action each; None where the table is none of a signal.

    Examples
    --------
    >>> from ibgn.io.parsing.sheets import cut
    >>> find_flags(cut("frame,walk,eat\n0,1,0\n1,1,1\n2,0,1\n", ""))
    Flags(time=0, actions=(1, 2))
    """
    if not sheet.has_header or not 1 < len(sheet.names) <= MOST_COLUMNS:
        return None
    guess = Guess(sheet, {})
    filled = [place for place, kind in enumerate(guess.kinds) if kind != "empty"]
    time = find_time(guess)
    rows = next((p for p in filled if guess.counts_rows(p) and not guess.words[p]), None)
    others = [place for place in filled if place not in (time, rows)]
    flags = [p for p in others if _is_flag(guess, p) and not {*guess.words[p]} <= GENERAL]
    measured = [place for place in others if place not in flags]
    if len(flags) < min(2, len(others)) or any(guess.kinds[p] == "text" for p in measured):
        return None
    if time is None and measured and rows is None:
        return None
    if time is None and not _persist([sheet.column(place) for place in flags]):
        return None
    if not any(is_on(cell) for place in flags for cell in sheet.column(place)):
        return None
    return Flags(time, tuple(flags)) if flags else None


def find_time(guess: Guess) -> int | None:
    """Place of the first column that is named as a time or a frame, and increases."""
    places = (place for place, kind in enumerate(guess.kinds) if kind != "empty")
    return next((place for place in places if _is_time(guess, place)), None)


def _is_time(guess: Guess, place: int) -> bool:
    """Whether a column is named as a time or a frame, and increases."""
    words = {*guess.words[place]} - UNITS.keys()
    if guess.kinds[place] == "moment":
        return not guess.words[place] or bool(words & TIMES)
    if not words or not words <= TIMES | FRAMES | NUMBERING or not words & (TIMES | FRAMES):
        return False
    numbers = [number for number in guess.numbers(place) if number is not None]
    return len(numbers) == len(guess.sheet.rows) and _increase(numbers)


def _increase(numbers: Sequence[float]) -> bool:
    return numbers == sorted(set(numbers))


def _is_flag(guess: Guess, place: int) -> bool:
    cells = {cell.strip().casefold() for cell in guess.sheet.column(place)}
    filled = {cell for cell in cells if kind_of(cell) != "empty"}
    return bool(filled) and filled <= ON | OFF and bool(guess.words[place])


def _persist(columns: Sequence[Sequence[str]]) -> bool:
    """Whether actions go on for some rows, as those of a signal do and answers of people do not."""
    lengths = [sum(1 for _ in run) for cells in columns for on, run in groupby(cells, is_on) if on]
    return bool(lengths) and sum(lengths) >= PERSISTENT * len(lengths)
