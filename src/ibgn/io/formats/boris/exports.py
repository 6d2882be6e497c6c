"""Tables of events that BORIS exports: one row per state, or one per start, stop or point.

Other programs pass them on: R puts dots for brackets into names and numbers before the rows, and
some tables have lost their header.
"""

import csv
import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ibgn._files import InputFile
from ibgn.checks import as_number, not_a_number
from ibgn.errors import DataError, DataWarning
from ibgn.io.formats.boris.headerless import find_without_header
from ibgn.io.formats.boris.observations import Coded, Observation, split_modifiers
from ibgn.io.parsing.moments import as_clock, kind_of_column
from ibgn.io.parsing.words import words_of
from ibgn.text import printable, quote

__all__ = ["is_export", "is_standard", "read_export"]

DELIMITERS = ("\t", ",", ";")
LONGEST_HEAD = 1000  # rows that may stand before the header
# words of what versions of BORIS call the columns; the first that is there counts
COLUMNS = {
    "observation": ("observation id", "observation"),
    "subject": ("subject",),
    "behavior": ("behavior", "behaviour", "behavior code"),
    "start": ("start s", "start sec", "start seconds", "start"),
    "stop": ("stop s", "stop sec", "stop seconds", "stop"),
    "time": ("time", "time s", "time sec", "time seconds"),
    "status": ("status", "behavior type", "behaviour type"),
    "length": ("observation duration", "total length", "media duration s"),
}
MODIFIERS = re.compile(r"modifiers?( ?[0-9]+)?")
STANDARD = re.compile(
    r"[0-9]+$|observation |behavio(u?)ral |modifiers?\b|media |player |fps|total |time |coding |"
    r"description|source|comment|image |duration|independent variables|variable|subject"
)
AGGREGATED = {"behavior", "start", "stop"}
TABULAR = {"behavior", "time", "status"}
EXPECTED = (
    "Behavior, Start (s) and Stop (s) of aggregated events, or Behavior, Time and Status (or "
    "Behavior type) of tabular events"
)


def is_standard(name: str) -> bool:
    """Whether BORIS itself writes a column or line of this name, so that it is no variable."""
    shape = _shape(name)
    ours = {each for theirs in COLUMNS.values() for each in theirs}
    return shape in ours or not shape or bool(STANDARD.match(shape))


def is_export(lines: Sequence[str]) -> bool:
    """Whether lines are those of an export, and of no other table; the header may be lost."""
    for delimiter in DELIMITERS:
        rows = list(csv.reader(lines, delimiter=delimiter))
        columns = [_find_columns(row, "") for row in rows]
        tells = ({"observation", "status"} & each.keys() for each in columns if _tells_events(each))
        if any(tells) or find_without_header(rows):
            return True
    return False


def read_export(text: str, file: InputFile, by_subject: bool) -> Iterator[Observation]:
    """Observations of a table, or those of each subject; without an id they go by the file."""
    export = _Export.of(text, file.prefix)
    for name, rows in export.observations(file.path.name).items():
        subjects: dict[str, list[int]] = {}
        for row in rows:
            subjects.setdefault(export.cell("subject", row) if by_subject else "", []).append(row)
        for subject, own in subjects.items():
            events = [export.coded(row) for row in own]
            place = f"{file.prefix}row {own[0] + 1}"
            full = f"{name}#{subject}" if by_subject else name
            yield Observation(full, events, export.variables(own), export.length(own), place)


@dataclass(frozen=True)
class _Export:
    """Rows of exported events and of what comes before, and the places of our columns.

    Decimals may follow a comma where that does not separate columns.
    """

    rows: list[list[str]]
    first: int
    names: Sequence[str]
    columns: Mapping[str, int]
    source: str
    has_commas: bool

    @classmethod
    def of(cls, text: str, source: str) -> "_Export":
        trouble = ""
        for delimiter in DELIMITERS:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            try:
                rows = list(islice(reader, LONGEST_HEAD))
                for number, names in enumerate(rows):
                    if _tells_events(_find_columns(names, source)):
                        whole = [*rows, *reader]
                        full = _with_row_numbers(names, whole[number + 1 :])
                        found = _find_columns(full, source)
                        commas = delimiter != ","
                        export = cls(whole, number + 1, full, found, source, commas)
                        return export._with_true_time()
                columns = find_without_header(rows)
                if columns:
                    _announce(columns, source)
                    unnamed = [""] * len(rows[0])
                    return cls([*rows, *reader], 0, unnamed, columns, source, delimiter != ",")
            except csv.Error as error:
                trouble = f" ({printable(error)})"
        raise DataError(
            f"{source}neither a project of BORIS nor a table of its events{trouble}; a table "
            f"needs the columns {EXPECTED}"
        )

    def _with_true_time(self) -> "_Export":
        """Find the time after the status, where a variable that is called Time has taken its name.

        The name of the column is then missing, and all that follow it belong one further right.
        """
        if self.is_aggregated:
            return self
        rows = [row for row in self.rows[self.first :] if any(row)]
        time, after = self.columns["time"], self.columns["status"] + 1
        kinds = [
            kind_of_column([row[place] for row in rows if len(row) > place])
            for place in (time, after)
        ]
        if kinds[0] in ("number", "clock") or kinds[1] != "number":
            return self
        names = [*self.names[:after], "Time", *self.names[after:]]
        return replace(self, names=names, columns={**self.columns, "time": after})

    @property
    def is_aggregated(self) -> bool:
        """Whether a row is a state with its start and stop."""
        return self.columns.keys() >= AGGREGATED

    def cell(self, column: str, row: int) -> str:
        """Text in one of our columns; empty where there is no such column."""
        return self._at(self.columns.get(column), row)

    def _at(self, place: int | None, row: int) -> str:
        cells = self.rows[row]
        return "" if place is None or place >= len(cells) else cells[place].strip()

    def number(self, column: str, row: int) -> float | None:
        """Finite number or seconds of a clock, or None where BORIS says that there is none."""
        text = self.cell(column, row)
        if text.upper() in ("", "NA", "NAN"):
            return None
        clock = as_clock(text)
        number = self._as_number(text) if clock is None else clock
        if number is None or not math.isfinite(number):
            raise self._error(row, not_a_number(column, text))
        return number

    def _as_number(self, text: str) -> float | None:
        return as_number(text.replace(",", ".") if self.has_commas else text)

    def coded(self, row: int) -> Coded:
        """What a row says."""
        if any(cell.strip() for cell in self.rows[row][len(self.names) :]):
            raise self._error(row, "there are more cells than the header has; export it again")
        ranged = self.is_aggregated
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
        named = (place for place, n in enumerate(self.names) if MODIFIERS.fullmatch(_shape(n)))
        modifiers = split_modifiers("|".join(self._at(place, row) for place in named))
        subject, behavior = self.cell("subject", row), self.cell("behavior", row)
        return Coded(time, subject, behavior, modifiers, kind, f"row {row + 1}", end)

    def _error(self, row: int, why: str) -> DataError:
        return DataError(f"{self.source}row {row + 1}: {why}")

    def observations(self, file: str) -> dict[str, list[int]]:
        """Rows of each observation, by its id."""
        head = {_shape(name): value.strip() for name, value in self.head().items()}
        observations: dict[str, list[int]] = {}
        for row in range(self.first, len(self.rows)):
            if any(cell.strip() for cell in self.rows[row]):
                name = self.cell("observation", row)
                name = name or head.get("observation id") or file
                observations.setdefault(name, []).append(row)
        return observations

    def head(self) -> dict[str, str]:
        """Names and values before the header, where older versions put them."""
        before = self.rows[: max(0, self.first - 1)]
        return {row[0]: row[1] for row in before if len(row) > 1 and row[0]}

    def variables(self, rows: Sequence[int]) -> dict[str, str | None]:
        """Values of the columns that do not change in these rows, and those before the header."""
        variables: dict[str, str | None] = {**self.head()}
        for place, name in enumerate(self.names):
            values = {self._at(place, row) for row in rows}
            variables[name or str(place + 1)] = values.pop() if len(values) == 1 else None
        return variables

    def length(self, rows: Sequence[int]) -> float:
        """Length of an observation where a column has it."""
        numbers = [self._as_number(self.cell("length", row)) for row in rows]
        return max((n for n in numbers if n is not None and math.isfinite(n)), default=-math.inf)


def _tells_events(columns: Mapping[str, int]) -> bool:
    return columns.keys() >= AGGREGATED or columns.keys() >= TABULAR


def _with_row_numbers(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Names with one for the row numbers, which R writes without a name."""
    filled = [row for row in rows if any(row)]
    numbered = (len(row) == len(names) + 1 and row[0].strip().isdecimal() for row in filled)
    return ["", *names] if filled and all(numbered) else names


def _announce(columns: Mapping[str, int], source: str) -> None:
    told = ", ".join(f"{ours} = column {place + 1}" for ours, place in columns.items())
    warnings.warn(
        DataWarning(
            f"{source}columns were recognised by what is in them: {told}; if that is wrong, put "
            "the header of BORIS back"
        ),
        stacklevel=2,
    )


def _find_columns(names: Sequence[str], source: str) -> dict[str, int]:
    """Places of our columns among these names, whatever their case and punctuation."""
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
    return " ".join(words_of(name))
