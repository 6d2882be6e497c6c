"""Tables that others wrote: columns are told apart by names and cells, which is announced."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._files import InputFile
from ibgn.errors import DataError, Option, Part
from ibgn.io.formats.csv.advice import guess_by_cells
from ibgn.io.formats.csv.times import ends_before, read_times, with_unreadable
from ibgn.io.formats.csv.unfold import unfold
from ibgn.io.longframe import LongFrame
from ibgn.io.parsing.guess import Guess
from ibgn.io.parsing.lasting import LONG, SHORT, Lasting
from ibgn.io.parsing.moments import as_plain_number, kind_of
from ibgn.io.parsing.roles import Roles, find_roles
from ibgn.io.parsing.sheets import cut
from ibgn.text import quote
from ibgn.uncertainty import COLUMNS as UNCERTAIN

__all__ = ["Foreign", "Given"]

NEGATIVE = "-1"
SHOWN = 20  # columns that a message lists
CODE = re.compile(r"\s*+\[?\s*+([0-9]++)\s*+[]:=]\s*+['\"]?([^'\"]*[^'\"\s])['\"]?\s*+")
FOLD = re.compile(r"_(val|valid|validation|test|train|training)$")
ORDER = ("instance", "action", "start", "end", "length", "label", "group", "track", *UNCERTAIN)


@dataclass(frozen=True)
class Given:
    """What the caller says of a table.

    Parameters
    ----------
    columns : names or numbers of columns, several joined by "+", by ours
    header, delimiter, day_first : None where they are to be found
    rate : frames per second, where times count frames
    """

    columns: Mapping[str, Any]
    header: bool | None
    delimiter: str | None
    day_first: bool | None
    rate: float | None = None


class Foreign:
    """A table of a file, and which of its columns is what.

    Parameters
    ----------
    file : the file
    text : its text
    given : what is known
    """

    def __init__(self, file: InputFile, text: str, given: Given) -> None:
        self.file, self.given = file, given
        self.sheet = cut(text, file.prefix, given.delimiter, given.header)
        self.silent = 0
        self.unfolded: list[str] = []  # columns that each had the actions of a tier, or were one
        if "action" not in given.columns:
            rows = self.sheet.lines
            self.sheet, self.unfolded = unfold(self.sheet)
            self.silent = len(set(rows) - set(self.sheet.lines))  # rows none of them speaks of
        self.known = {ours: self._places(ours, theirs) for ours, theirs in given.columns.items()}
        self.roles = self._with_uncertainty(find_roles(self.sheet, self.known))
        self.negative = 0  # rows that are left out, as they say that something is not there
        if self.roles.flag is not None:
            self._leave_out_negative(self.roles.flag)
        self.unlabelled = 0  # rows that are left out, as their list of labels is empty
        if self.roles.several:
            self._unfold(self.roles.places["action"][0])
        self.without_partner = 0  # rows that are left out, as none came before or after them
        self.at_once = 0  # of these, rows that end together with the one before
        self.step: float | None = None  # between rows that are samples of a signal

    def _places(self, ours: str, theirs: Any) -> tuple[int, ...]:
        """Places of a column that is given by its name or number, or of several with "+"."""
        if isinstance(theirs, list | tuple):
            return tuple(self._place(ours, each) for each in theirs)
        names = [name.strip() for name in self.sheet.names]
        if isinstance(theirs, str) and "+" in theirs and theirs.strip() not in names:
            return tuple(self._place(ours, each) for each in theirs.split("+"))
        return (self._place(ours, theirs),)

    def _place(self, ours: str, theirs: Any) -> int:
        name = str(theirs).strip()
        matches = [p for p, each in enumerate(self.sheet.names) if each.strip() == name]
        if len(matches) > 1:
            raise DataError(
                f"{self.file.prefix}the header has the column {quote(name)} {len(matches)} times; "
                "rename or drop all but one"
            )
        if matches:
            return matches[0]
        if name.isdecimal() and 1 <= int(name) <= len(self.sheet.names):
            return int(name) - 1
        names = [each.strip() for each in self.sheet.names if each.strip()]
        near = get_close_matches(ours, names, 1) or get_close_matches(name, names, 1) or ["..."]
        raise DataError(
            f"{self.file.prefix}the header has no column {quote(name)} ({self._listed()}); name it "
            "with ",
            Option("columns", {ours: near[0]}),
        )

    def _listed(self) -> str:
        if not self.sheet.has_header:
            first = [quote(cell) for row in self.sheet.rows[:1] for cell in row[:SHOWN]]
            return f"no names; the first row is {', '.join(first) or 'empty'}"
        names = self.sheet.names
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        return f"found: {', '.join(map(quote, names[:SHOWN]))}{more}"

    def _with_uncertainty(self, roles: Roles) -> Roles:
        """Columns of uncertain intervals count by their exact names; a confidence has numbers."""
        free = {name.strip(): p for p, name in enumerate(self.sheet.names) if p not in roles.used}
        levels = self.sheet.column(free["confidence"]) if "confidence" in free else []
        if any(levels) and not any(kind_of(level) == "number" for level in levels):
            free.pop("confidence")  # but words, such as "high"
        sure = {name: (free[name],) for name in UNCERTAIN if name in free}
        return replace(roles, places={**sure, **roles.places})

    def _leave_out_negative(self, flag: int) -> None:
        """Leave out the rows that a column of 1 and -1 says to be no examples of their action."""
        kept = [place for place, row in enumerate(self.sheet.rows) if row[flag] != NEGATIVE]
        self.negative = len(self.sheet.rows) - len(kept)
        rows = [self.sheet.rows[place] for place in kept]
        self.sheet = replace(self.sheet, rows=rows, lines=[self.sheet.lines[p] for p in kept])

    def _unfold(self, place: int) -> None:
        """Make one row of each label of a list such as "75,79"."""
        rows, lines = [], []
        for line, row in zip(self.sheet.lines, self.sheet.rows, strict=True):
            labels = row[place].split(",") if row[place] else []
            self.unlabelled += not labels
            rows += [[*row[:place], label, *row[place + 1 :]] for label in labels]
            lines += [line] * len(labels)
        self.sheet = replace(self.sheet, rows=rows, lines=lines)

    def frame(self) -> LongFrame:
        """Rows of the table, with what is missing in them left empty."""
        self._refuse_unclear()
        series, lines = self._packed() if self.roles.packed is not None else self._rows()
        if self.roles.shares:
            series, lines = self._spread(series, lines)
        left_out = [
            name if self.sheet.has_header else str(place + 1)
            for place, name in enumerate(self.sheet.names)
            if place not in self.roles.used and (name or not self.sheet.has_header)
        ]
        return LongFrame(series, left_out, self.file.prefix, lambda row: f"line {lines[row]}")

    def _refuse_unclear(self) -> None:
        places = self.roles.places
        if self.roles.packed is not None:
            return
        lacking = []
        if "start" not in places and not self.roles.since_before:
            lacking.append("start")
        if not places.keys() & {"end", "length"} and not self.roles.until_next:
            lacking.append("end")
        actions = [] if "action" in places or lacking else self._could_be_action()
        if actions:
            lacking.append("action")
        by_cells = guess_by_cells(self.sheet, self.known) if lacking else {}
        if by_cells:
            raise DataError(
                f"{self.file.prefix}no column is named as the {' or the '.join(lacking)} "
                f"({self._listed()}); by what is in them, they may be read with ",
                Option("columns", {ours: self.named_as(by_cells[ours]) for ours in by_cells}),
            )
        if lacking:
            hint = {ours: self.named_as(places[ours]) for ours in ORDER if ours in places}
            hint |= dict.fromkeys(lacking, "...")
            lasting: tuple[Part, ...] = ()
            if "end" in lacking:
                labels = [self.named_as((place,)) for place in self._label_columns()]
                columns = Option("columns", labels or ["..."])
                lasting = ("; rows that last until the next one need ", Option("format", "tracks"))
                if "start" in places:
                    lasting += (", ", Option("time", self.named_as(places["start"])))
                lasting += (" and ", columns)
            if actions:
                lasting = (", such as ", Option("columns", {"action": self.named_as(actions[:1])}))
            raise DataError(
                f"{self.file.prefix}no column could be recognised as the "
                f"{' or the '.join(lacking)} ({self._listed()}); "
                f"name {'it' if len(lacking) == 1 else 'them'} with ",
                Option("columns", hint),
                *lasting,
            )

    def _could_be_action(self) -> list[int]:
        """Columns that are left and may name the actions, which change, and come again."""
        guess = Guess(self.sheet, {})
        instance = self.roles.places.get("instance", ())
        changing = [p for p in self._label_columns() if guess.changes_within(p, instance)]
        rows = len(self.sheet.rows)
        return [p for p in changing if guess.distinct(p) < rows or guess.distinct(p) < 3]

    def named(self, ours: str) -> str | int | None:
        """Name or number of a column by what it is here, None where there is none."""
        places = self.roles.places.get(ours)
        return None if places is None else self.named_as(places)

    def _label_columns(self) -> list[int]:
        """Columns of text that are left."""
        free = [p for p in range(len(self.sheet.names)) if p not in self.roles.used]
        return [p for p in free if any(kind_of(c) == "text" for c in self.sheet.column(p)[:100])]

    def named_as(self, places: Sequence[int]) -> str | int:
        """Columns as the option `columns` names them: by name, or by number."""
        names = [self.sheet.names[place].strip() for place in places]
        numbers = [place + 1 for place in places]
        if len(places) == 1:
            return names[0] or numbers[0]
        return "+".join(name or str(number) for name, number in zip(names, numbers, strict=True))

    def _rows(self) -> tuple[dict[str, npt.NDArray[Any]], list[int]]:
        places = self.roles.places
        series = {
            ours: _objects([" ".join(row[p] for p in places[ours]) for row in self.sheet.rows])
            for ours in places
            if ours not in ("start", "end", "length")
        }
        series.setdefault("instance", _objects([self.file.name] * len(self.sheet.rows)))
        if "action" in series:
            series["action"] = self._name_codes(series["action"])
        else:
            series["action"] = _objects([self.file_action] * len(self.sheet.rows))
        roles = self.roles
        only = next((ours for ours in ("start", "end") if ours in places), "start")
        if roles.since_before or roles.until_next:
            roles = replace(roles, places={**places, "start": places[only], "end": places[only]})
        series["start"], series["end"] = read_times(
            self.sheet,
            roles,
            series["instance"],
            self._where,
            self.given.day_first,
            self.given.rate,
        )
        if roles.since_before:
            series["start"] = ends_before(series["instance"], series["end"])
            kept = np.flatnonzero(~(series["start"] == series["end"]))
            self.at_once = len(self.sheet.rows) - len(kept) - len(set(series["instance"]))
        elif roles.until_next:
            series["end"], kept = self._until_next(series)
        else:
            self._refuse_no_times(series["start"], series["end"])
            kept = np.arange(len(self.sheet.rows))
        times = series["start"], series["end"]
        series["start"], series["end"] = with_unreadable(self.sheet, roles, *times)
        self.without_partner = len(self.sheet.rows) - len(kept)
        return {o: v[kept] for o, v in series.items()}, [self.sheet.lines[row] for row in kept]

    def _refuse_no_times(self, start: npt.NDArray[Any], end: npt.NDArray[Any]) -> None:
        """Refuse rows that all have the same number as their start and end, where times lack."""
        if len(start) and np.all(start == end) and np.all(start == start[0]) and start[0] < 0:
            raise DataError(
                f"{self.file.prefix}all rows start and end at {start[0]:g}, so that there are no "
                "times in them"
            )

    def _until_next(
        self, series: Mapping[str, npt.NDArray[Any]]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
        """Ends of rows that have only a start, and the rows that are left."""
        tracks = series.get("track", series["instance"])
        keys = list(zip(series["instance"], tracks, strict=True))
        gap = LONG if self.roles.readings else SHORT
        actions = series["action"].tolist()
        lasting = Lasting(keys, actions, series["start"], self.roles.sampled, gap)
        self.step = lasting.step
        end = series["start"].copy()
        end[lasting.rows] = lasting.end
        return end, np.union1d(lasting.rows, np.flatnonzero(np.isnan(end)))

    def _packed(self) -> tuple[dict[str, npt.NDArray[Any]], list[int]]:
        """One row per action of a cell such as "c092 11.9 21.2;c147 0 12.6"."""
        place = self.roles.packed or 0
        others = self.roles.places
        columns: dict[str, list[Any]] = {ours: [] for ours in (*others, "action", "start", "end")}
        columns.setdefault("instance", [])
        lines = []
        for line, row in zip(self.sheet.lines, self.sheet.rows, strict=True):
            for part in filter(None, row[place].split(";")) if row[place] else [" "]:
                action, start, end = part.split() if part.strip() else ("", "nan", "nan")
                here: dict[str, Any] = {"instance": self.file.name}
                here |= {ours: " ".join(row[p] for p in places) for ours, places in others.items()}
                here |= {"action": action, "start": float(start), "end": float(end)}
                for ours, value in here.items():
                    columns[ours].append(value)
                lines.append(line)
        series = {ours: _objects(values) for ours, values in columns.items()}
        for name in ("start", "end"):
            series[name] = series[name].astype(np.float64)
        return series, lines

    def _spread(
        self, series: Mapping[str, npt.NDArray[Any]], lines: Sequence[int]
    ) -> tuple[dict[str, npt.NDArray[Any]], list[int]]:
        """One row per action that a row has a share of above 0; shares below 1 are confidences."""
        cells = [
            [as_plain_number(row[p]) or 0.0 for p in self.roles.shares] for row in self.sheet.rows
        ]
        shares = np.array(cells, np.float64)
        rows, columns = np.nonzero(shares)
        spread = {ours: values[rows] for ours, values in series.items()}
        names = _objects([self.sheet.names[place].strip() for place in self.roles.shares])
        spread["action"] = names[columns]
        if ((shares > 0) & (shares < 1)).any():
            spread["confidence"] = _objects(shares[rows, columns].tolist())
        return spread, [lines[row] for row in rows]

    @property
    def file_action(self) -> str:
        """Action of a file without a column for it, as THUMOS has one file per action."""
        return FOLD.sub("", PurePath(self.file.path.name).stem) or "interval"

    def _name_codes(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Names of actions that are codes, where all of them are listed before the table."""
        listed = (CODE.fullmatch(line) for line in self.sheet.before)
        names = {match[1]: match[2] for match in listed if match}
        if not names or not set(actions) <= names.keys():
            return actions
        return _objects([names[action] for action in actions])

    def _where(self, row: int) -> str:
        return f"{self.file.prefix}line {self.sheet.lines[row]}"


def _objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    return np.array([*values, None], object)[:-1]
