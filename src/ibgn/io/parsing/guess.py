"""Columns of a sheet that are to be told apart: their words, their kinds, and what they hold."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ibgn.io.parsing.moments import Kind, as_clock, as_plain_number, kind_of_column
from ibgn.io.parsing.sheets import Sheet
from ibgn.io.parsing.words import NUMBERING, words_of

__all__ = ["Guess", "Places"]

CODES = re.compile(r"\d{1,9}(,\d{1,9})*+", re.ASCII)
FINEST = 1000.0  # parts of a second that clocks may count; their order does not depend on it
Places = tuple[int, ...]  # of one column, or of several that are joined


class Guess:
    """A sheet whose columns are to be told apart.

    Parameters
    ----------
    sheet : the cells
    known : places that are given
    """

    def __init__(self, sheet: Sheet, known: Mapping[str, Places]) -> None:
        self.sheet = sheet
        self.known = dict(known)
        self.words = [words_of(name) for name in sheet.names]
        self.kinds: list[Kind] = [kind_of_column(sheet.column(p)) for p in range(len(self.words))]

    def distinct(self, place: int) -> int:
        """Number of different cells of a column."""
        return len(set(self.sheet.column(place)))

    def is_unique(self, place: int) -> bool:
        """Whether a column may number the rows."""
        return len(self.sheet.rows) > 2 and self.distinct(place) == len(self.sheet.rows)

    def numbers(self, place: int) -> list[float | None]:
        """Numbers or seconds in a column."""
        if self.kinds[place] == "clock":
            return [as_clock(cell, FINEST) for cell in self.sheet.column(place)]
        return [as_plain_number(cell) for cell in self.sheet.column(place)]

    def are_whole(self, place: int) -> bool:
        """Whether a column has no number with a fraction."""
        return all(number is None or number.is_integer() for number in self.numbers(place))

    def named(self, free: Sequence[int], telling: Sequence[str]) -> Iterator[int]:
        """Columns named by one of these words, the surest first."""
        for word in telling:
            plain = [p for p in free if word in self.words[p]]
            keys = {p: (bool(NUMBERING & {*self.words[p]}), self.words[p] != [word]) for p in plain}
            yield from sorted(plain, key=keys.__getitem__)

    def instances(self, places: Places) -> set[tuple[str, ...]]:
        """Names of the instances, whose columns these are."""
        return {tuple(row[place] for place in places) for row in self.sheet.rows}

    def changes_within(self, place: int, instance: Places) -> bool:
        """Whether a column has several values in an instance; without `instance`, in all rows."""
        values: dict[tuple[str, ...], str] = {}
        for row in self.sheet.rows:
            if values.setdefault(tuple(row[p] for p in instance), row[place]) != row[place]:
                return True
        return False

    def holds_lists(self, place: int) -> bool:
        """Whether the cells of a column are lists of codes, as several labels of a frame."""
        plural = {word for word in self.words[place] if word.endswith("s")}
        cells = [cell for cell in self.sheet.column(place) if cell]
        listed = plural and any("," in cell for cell in cells)
        return bool(listed) and all(map(CODES.fullmatch, cells))

    def counts_rows(self, place: int) -> bool:
        """Whether a column numbers the rows."""
        if place > 0 or len(self.sheet.rows) < 3:
            return False
        first = self.numbers(place)
        begin = first[0]
        return begin in (0, 1) and all(n == begin + row for row, n in enumerate(first))
