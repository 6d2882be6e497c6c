"""Tables of events that BORIS exports: one row per state, or one per start, stop or point."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ibgn._files import InputFile
from ibgn.checks import as_number, not_a_number
from ibgn.errors import DataError
from ibgn.io.formats.boris.observations import Coded, Observation, split_modifiers
from ibgn.text import printable, quote

__all__ = ["is_export", "read_export"]

DELIMITERS = ("\t", ",", ";")
LONGEST_HEAD = 1000  # rows that may stand before the header
# what versions of BORIS call the columns, in small letters; the first that is there counts
COLUMNS = {
    "observation": ("observation id", "observation"),
    "subject": ("subject",),
    "behavior": ("behavior", "behaviour", "behavior code"),
    "start": ("start (s)", "start (seconds)", "start"),
    "stop": ("stop (s)", "stop (seconds)", "stop"),
    "time": ("time", "time (s)", "time (seconds)"),
    "status": ("status", "behavior type", "behaviour type"),
    "length": ("observation duration", "total length", "media duration (s)"),
}
MODIFIERS = re.compile(r"modifiers?( ?#? ?[0-9]+)?")
AGGREGATED = {"behavior", "start", "stop"}
TABULAR = {"behavior", "time", "status"}
EXPECTED = (
    "Behavior, Start (s) and Stop (s) of aggregated events, or Behavior, Time and Status (or "
    "Behavior type) of tabular events"
)


def is_export(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether one of the rows is a header of BORIS: of an observation and a behaviour."""
    return any({"observation id", "behavior"} <= {cell.lower() for cell in row} for row in rows)


def read_export(text: str, file: InputFile) -> Iterator[Observation]:
    """Observations of a table; those without an id go by the name of the file."""
    export = _Export.of(text, file.prefix)
    for name, rows in export.observations(file.path.name).items():
        events = [export.coded(row) for row in rows]
        place = f"{file.prefix}row {rows[0] + 1}"
        yield Observation(name, events, export.variables(rows), export.length(rows), place)


@dataclass(frozen=True)
class _Export:
    """Rows of exported events and of what comes before, and the places of our columns."""

    rows: list[list[str]]
    header: int
    columns: Mapping[str, int]
    modifiers: Sequence[int]
    source: str

    @classmethod
    def of(cls, text: str, source: str) -> "_Export":
        trouble = ""
        for delimiter in DELIMITERS:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            try:
                rows = list(islice(reader, LONGEST_HEAD))
                for number, names in enumerate(rows):
                    columns = _find_columns(names, source)
                    if columns.keys() >= AGGREGATED or columns.keys() >= TABULAR:
                        shapes = enumerate(map(_shape, names))
                        modifiers = [place for place, n in shapes if MODIFIERS.fullmatch(n)]
                        return cls([*rows, *reader], number, columns, modifiers, source)
            except csv.Error as error:
                trouble = f" ({printable(error)})"
        raise DataError(
            f"{source}neither a project of BORIS nor a table of its events{trouble}; a table "
            f"needs the columns {EXPECTED}"
        )

    def cell(self, column: str, row: int) -> str:
        """Text in one of our columns; empty where there is no such column."""
        return self._at(self.columns.get(column), row)

    def _at(self, place: int | None, row: int) -> str:
        cells = self.rows[row]
        return "" if place is None or place >= len(cells) else cells[place].strip()

    def number(self, column: str, row: int) -> float | None:
        """Finite number, or None where BORIS says that there is none."""
        text = self.cell(column, row)
        if text.upper() in ("", "NA", "NAN"):
            return None
        number = as_number(text)
        if number is None or not math.isfinite(number):
            raise self._error(row, not_a_number(column, text))
        return number

    def coded(self, row: int) -> Coded:
        """What a row says."""
        if any(cell.strip() for cell in self.rows[row][len(self.rows[self.header]) :]):
            raise self._error(row, "there are more cells than the header has; export it again")
        ranged = self.columns.keys() >= AGGREGATED
        time = self.number("start" if ranged else "time", row)
        if time is None:
            raise self._error(row, "there is no time; observations of images have none")
        end = self.number("stop", row) if ranged else None
        status = self.cell("status", row).upper()
        if ranged:
            known = {"STATE": "RANGE", "POINT": "POINT", "": "POINT" if time == end else "RANGE"}
        else:
            known = {name: name for name in ("START", "STOP", "POINT")}
        kind = known.get(status, quote(status))
        modifiers = split_modifiers("|".join(self._at(place, row) for place in self.modifiers))
        subject, behavior = self.cell("subject", row), self.cell("behavior", row)
        return Coded(time, subject, behavior, modifiers, kind, f"row {row + 1}", end)

    def _error(self, row: int, why: str) -> DataError:
        return DataError(f"{self.source}row {row + 1}: {why}")

    def observations(self, file: str) -> dict[str, list[int]]:
        """Rows of each observation, by its id."""
        head = {_shape(name): value.strip() for name, value in self.head().items()}
        observations: dict[str, list[int]] = {}
        for row in range(self.header + 1, len(self.rows)):
            if any(cell.strip() for cell in self.rows[row]):
                name = self.cell("observation", row)
                name = name or head.get("observation id") or file
                observations.setdefault(name, []).append(row)
        return observations

    def head(self) -> dict[str, str]:
        """Names and values before the header, where older versions put them."""
        return {row[0]: row[1] for row in self.rows[: self.header] if len(row) > 1 and row[0]}

    def variables(self, rows: Sequence[int]) -> dict[str, str | None]:
        """Values of the columns that do not change in these rows, and those before the header."""
        variables: dict[str, str | None] = {**self.head()}
        for place, name in enumerate(self.rows[self.header]):
            values = {self._at(place, row) for row in rows}
            variables[name] = values.pop() if len(values) == 1 else None
        return variables

    def length(self, rows: Sequence[int]) -> float:
        """Length of an observation where a column has it."""
        numbers = [as_number(self.cell("length", row)) for row in rows]
        return max((n for n in numbers if n is not None and math.isfinite(n)), default=-math.inf)


def _find_columns(names: Sequence[str], source: str) -> dict[str, int]:
    """Places of our columns among these names, whatever their case."""
    shapes = [_shape(name) for name in names]
    times = Counter(shapes)
    known = {ours: [name for name in theirs if times[name]] for ours, theirs in COLUMNS.items()}
    columns = {ours: theirs[0] for ours, theirs in known.items() if theirs}
    twice = [name for name in columns.values() if times[name] > 1]
    if twice and len(columns) > 2:  # a header, and not some other row
        raise DataError(
            f"{source}the column {quote(twice[0])} appears twice; rename the variable of that name"
        )
    return {ours: shapes.index(name) for ours, name in columns.items()}


def _shape(name: str) -> str:
    return " ".join(name.casefold().split())
