"""BORIS: coded behaviour, from project files and from tables of exported events."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, Unpack, get_args

from ibgn._files import Source, as_path, reading
from ibgn.checks import as_number, check_choice, not_a_number
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    Overlaps,
    ReadingOptions,
    Take,
    check_names,
    settle_overlaps,
    split_options,
    to_table,
    warn_counts,
)
from ibgn.io.folders import find_files
from ibgn.io.json import Node, parse_text, read_text
from ibgn.io.table import Labels, LongTable
from ibgn.text import printable, quote

__all__ = ["load_boris", "read_boris"]

Points = Literal["drop", "keep", "error"]
Unpaired = Literal["error", "drop", "close"]
Unknown = Literal["error", "drop"]

SUFFIXES = (".boris", ".csv", ".tsv")
NO_SUBJECT = "No focal subject"  # what BORIS calls it
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


def read_boris(
    path: Source,
    *,
    modifiers: bool = False,
    points: Points = "drop",
    unpaired: Unpaired = "error",
    unknown: Unknown = "error",
    overlaps: Overlaps = "keep",
    label_variable: str | None = None,
    group_variable: str | None = None,
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    r"""Read observations coded with BORIS; an observation is an instance, a subject a track.

    Three kinds of files are understood: projects (.boris), as "File > Save project" writes them;
    and as .csv or .tsv what "Observations > Export events" writes, "Aggregated events", one row a
    state with start and stop, and "Tabular events", one row a START, STOP or POINT. Times are
    those of the medium; the time offset of an observation is not added.

    Parameters
    ----------
    path : file, also compressed (.gz, .bz2, .xz), or a folder of files
    modifiers : whether modifiers are part of the name of the action, as "eat (fruit, ripe)"
    points : what to do with point events, which have no duration: "drop" them with a count, "keep"
        them, for which a min_duration is needed, or "error"
    unpaired : what to do with a state that is started and not stopped, or stopped and not
        started: "error", "drop" it with a count, or "close" it, with a count, where the same state
        is started again or else at the end of the observation; a stop alone is dropped even so
    unknown : what to do with behaviours that the project does not define, and with rows that are
        neither states nor points: "error", or "drop" them with a count
    overlaps : what to do with a state that overlaps the same one of a subject: "keep" it, "merge"
        the two, both with a count, or "error"
    label_variable, group_variable : independent variable that is the label, or the group
    **options : tracks, action, activity, crossing, label, group of `ibgn.io.annotations.Choices`,
        and closed, tick, tolerance, zero_length, min_duration, duplicates of
        `ibgn.cleaning.Cleaning`

    Returns
    -------
    X : the observations; in a project those without events too
    y : (n,) one label an observation, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "events.tsv"
    >>> _ = path.write_text(
    ...     "Observation id\tmeal\tSubject\tBehavior\tBehavior type\tStart (s)\tStop (s)\n"
    ...     "morning\ttea\tAnn\tboil\tSTATE\t0\t2.5\n"
    ...     "morning\ttea\tAnn\tpour\tSTATE\t2.5\t4\n")
    >>> X, y = read_boris(path, label_variable="meal")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      morning: boil [0, 2.5), pour [2.5, 4)
    >>> y
    array(['tea'], dtype=object)
    """
    choices, cleaning = split_options(options)
    table = load_boris(
        path,
        modifiers=modifiers,
        points=points,
        unpaired=unpaired,
        unknown=unknown,
        overlaps=overlaps,
        label_variable=label_variable,
        group_variable=group_variable,
        **vars(choices),
    )
    return table.read(cleaning)


def load_boris(
    path: Source,
    *,
    modifiers: bool = False,
    points: Points = "drop",
    unpaired: Unpaired = "error",
    unknown: Unknown = "error",
    overlaps: Overlaps = "keep",
    label_variable: str | None = None,
    group_variable: str | None = None,
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the events of all observations as intervals; options as for `read_boris`."""
    chosen = Choices(**choices)
    check_choice("overlaps", overlaps, get_args(Overlaps))
    check_names(label_variable=label_variable, group_variable=group_variable)
    if label_variable is not None and (chosen.label or chosen.activity):
        raise OptionError("the label comes from label_variable=, label= or activity=; give one")
    if group_variable is not None and chosen.group:
        raise OptionError("the group comes from group_variable= or group=; give one")
    variables = {"label": label_variable, "group": group_variable}
    wanted = {known: name for known, name in variables.items() if name is not None}
    reader = _Reader(modifiers, points, unpaired, unknown, wanted)
    source = f"{printable(as_path(path).name)}: "
    takes: dict[str, Take] = {}
    for name, file in find_files(path, SUFFIXES):
        with reading(file) as recording:
            text = read_text(recording)
        for take in reader.takes(text, name, recording.prefix):
            if takes.setdefault(take.name, take) is not take:
                raise DataError(
                    f"{source}the observation {quote(take.name)} is in two files; rename one, "
                    "or put the files into folders"
                )
    warn_counts(reader.counts, source)
    settled = settle_overlaps(takes.values(), overlaps, source, chosen.tracks)
    return to_table(settled, chosen, source)


class _Event(NamedTuple):
    """What was coded: START, STOP, POINT, STATE for either of the first two, or RANGE for both."""

    time: float
    subject: str
    behavior: str
    modifiers: tuple[str, ...]
    status: str
    place: str
    end: float | None = None


class _Observation(NamedTuple):
    """Events of an observation, its variables, None for one of several values, and its length."""

    name: str
    events: Sequence[_Event]
    variables: Mapping[str, str | None]
    length: float
    place: str


@dataclass(frozen=True)
class _Reader:
    """Options, and what was met on the way."""

    modifiers: bool
    points: Points
    unpaired: Unpaired
    unknown: Unknown
    wanted: Mapping[str, str]
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not isinstance(self.modifiers, bool):
            raise OptionError(f"modifiers is True or False, got {quote(self.modifiers)}")
        check_choice("points", self.points, get_args(Points))
        check_choice("unpaired", self.unpaired, get_args(Unpaired))
        check_choice("unknown", self.unknown, get_args(Unknown))

    def takes(self, text: str, name: str, source: str) -> Iterator[Take]:
        """One for each observation of a file, which is a project or a table."""
        path = PurePath(name)
        if text.lstrip().startswith("{"):
            observations = _of_project(parse_text(text, source))
        else:
            observations = _of_table(_Table.of(text, source), path.name)
        for one in observations:
            known = {key: _variable(one, wanted) for key, wanted in self.wanted.items()}
            within = one.name if path.name == name else f"{path.parent.as_posix()}/{one.name}"
            yield Take(within, list(self._pair(one, source)), known)

    def _pair(self, observation: _Observation, source: str) -> Iterator[Annotation]:
        """Intervals from starts to stops of the same behaviour, subject and modifiers."""
        running: dict[tuple[Any, ...], _Event] = {}
        times = [time for event in observation.events for time in (event.time, event.end)]
        last = max([observation.length, *(time for time in times if time is not None)])
        for event in sorted(observation.events, key=lambda one: one.time):
            if event.status == "POINT":
                yield from self._point(event, source)
            elif event.status == "RANGE":
                yield from self._range(event, last, source)
            elif event.status in ("START", "STOP", "STATE"):
                yield from self._switch(event, running, source)
            else:
                self._leave_out(event, source)
        for event in running.values():
            yield from self._unfinished(event, last, source)

    def _switch(
        self, event: _Event, running: dict[tuple[Any, ...], _Event], source: str
    ) -> Iterator[Annotation]:
        """Start or stop a state."""
        key = (event.subject, event.behavior, event.modifiers)
        before = running.pop(key, None)
        if before is not None and event.status != "START":
            yield self._annotation(before, event.time)
        elif event.status == "STOP":
            self._count_unpaired(event, "stopped and not started", "dropped", source)
        else:
            running[key] = event
            if before is not None:
                yield from self._unfinished(before, event.time, source)

    def _range(self, event: _Event, last: float, source: str) -> Iterator[Annotation]:
        if event.end is None:
            yield from self._unfinished(event, last, source)
        else:
            yield self._annotation(event, event.end)

    def _point(self, event: _Event, source: str) -> Iterator[Annotation]:
        if self.points == "error":
            raise DataError(
                f"{source}{event.place}: {quote(event.behavior)} is a point event, without "
                "duration; use points='drop', or points='keep' with a min_duration"
            )
        if self.points == "keep":
            yield self._annotation(event, event.time)
        else:
            advice = "dropped; points='keep' with a min_duration keeps them"
            self.counts["point event", advice] += 1

    def _unfinished(self, event: _Event, end: float, source: str) -> Iterator[Annotation]:
        closed = "closed where it starts again or the observation ends"
        what = closed if self.unpaired == "close" else "dropped"
        self._count_unpaired(event, "started and not stopped", what, source)
        if self.unpaired == "close":
            yield self._annotation(event, end)

    def _count_unpaired(self, event: _Event, how: str, what: str, source: str) -> None:
        if self.unpaired == "error":
            raise DataError(
                f"{source}{event.place}: the state {quote(event.behavior)} of "
                f"{quote(event.subject or NO_SUBJECT)} is {how} (at {event.time:g}); mend it in "
                "BORIS, or use unpaired='drop' or 'close'"
            )
        self.counts["state event", f"{how}; {what}"] += 1

    def _leave_out(self, event: _Event, source: str) -> None:
        if self.unknown == "error":
            raise DataError(
                f"{source}{event.place}: {quote(event.behavior)} is neither state nor point, but "
                f"{event.status}; mend it in BORIS, or use unknown='drop'"
            )
        self.counts["event", "neither state nor point; dropped"] += 1

    def _annotation(self, event: _Event, end: float) -> Annotation:
        name = event.behavior
        if self.modifiers and event.modifiers:
            name = f"{name} ({', '.join(event.modifiers)})"
        return Annotation(event.subject or NO_SUBJECT, name, event.time, end, event.place)


def _variable(observation: _Observation, wanted: str) -> str:
    if wanted not in observation.variables:
        listed = ", ".join(quote(name) for name in list(observation.variables)[:30]) or "none"
        raise DataError(
            f"{observation.place}: there is no variable {quote(wanted)}; there are {listed}"
        )
    value = observation.variables[wanted]
    if value is None:
        raise DataError(
            f"{observation.place}: {quote(wanted)} changes within the observation; choose a "
            "variable that stays the same"
        )
    return value


def _of_project(root: Node) -> Iterator[_Observation]:
    kinds = _kinds(root.child("behaviors_conf"))
    for name, node in root.child("observations").members():
        events = [_event(row, kinds) for row in node.child("events").items()]
        variables = {}
        if node.has("independent_variables"):
            members = node.child("independent_variables").members()
            variables = {key: _text(value) for key, value in members}
        place = f"{root.prefix}{node.path}"
        yield _Observation(name, events, variables, _media_length(node), place)


def _kinds(ethogram: Node) -> dict[str, str]:
    """STATE or POINT for each behaviour; BORIS also knows both "with coding map"."""
    kinds: dict[str, str] = {}
    for _, node in ethogram.members():
        kind = node.child("type").name().strip().upper()[:5]
        if kind not in ("STATE", "POINT"):
            raise node.child("type").error("'State event' or 'Point event' is wanted")
        code = node.child("code").name()
        if kinds.setdefault(code, kind) != kind:
            raise node.error(f"the behaviour {quote(code)} is a state and a point; rename one")
    return kinds


def _event(row: Node, kinds: Mapping[str, str]) -> _Event:
    time, subject, behavior, *others = row.items(least=3)
    code = behavior.name()
    noted = _split(_text(others[0])) if others else ()
    kind = kinds.get(code, "not defined in the project")
    return _Event(time.number(), _text(subject).strip(), code, noted, kind, row.path)


def _text(node: Node) -> str:
    return "" if node.value is None else node.name()


def _split(modifiers: str) -> tuple[str, ...]:
    """Modifiers that were chosen; BORIS writes None where none was."""
    parts = (part.strip() for part in modifiers.split("|"))
    return tuple(part for part in parts if part and part != "None")


def _media_length(observation: Node) -> float:
    """Length of the media of the first player one after the other, where it is known."""
    for holder, key in (("file", "1"), ("media_info", "length")):
        if not (observation.has(holder) and observation.child(holder).has(key)):
            return -math.inf
    lengths = observation.child("media_info").child("length")
    files = [file.name() for file in observation.child("file").child("1").items()]
    if not files or not all(lengths.has(file) for file in files):
        return -math.inf
    return sum(lengths.child(file).number("length") for file in files)


@dataclass(frozen=True)
class _Table:
    """Rows of exported events, with what stands before their header, and which columns are ours."""

    rows: list[list[str]]
    header: int
    columns: Mapping[str, int]
    modifiers: Sequence[int]
    source: str

    @classmethod
    def of(cls, text: str, source: str) -> "_Table":
        trouble = ""
        for delimiter in DELIMITERS:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            try:
                rows = list(islice(reader, LONGEST_HEAD))
                for number, names in enumerate(rows):
                    columns = _find_columns(names, source)
                    if columns.keys() >= AGGREGATED or columns.keys() >= TABULAR:
                        return cls([*rows, *reader], number, columns, _modifiers(names), source)
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

    def event(self, row: int) -> _Event:
        """What a row says."""
        if any(cell.strip() for cell in self.rows[row][len(self.rows[self.header]) :]):
            raise self._error(row, "there are more cells than the header has; export it anew")
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
        noted = _split("|".join(self._at(place, row) for place in self.modifiers))
        subject, behavior = self.cell("subject", row), self.cell("behavior", row)
        return _Event(time, subject, behavior, noted, kind, f"row {row + 1}", end)

    def _error(self, row: int, why: str) -> DataError:
        return DataError(f"{self.source}row {row + 1}: {why}")

    def observations(self, file: str) -> dict[str, list[int]]:
        """Rows of each observation, by its id."""
        head = {_shape(name): value.strip() for name, value in self.head().items()}
        found: dict[str, list[int]] = {}
        for row in range(self.header + 1, len(self.rows)):
            if any(cell.strip() for cell in self.rows[row]):
                name = self.cell("observation", row)
                found.setdefault(name or head.get("observation id") or file, []).append(row)
        return found

    def head(self) -> dict[str, str]:
        """Names and values before the header, where older versions put them."""
        return {row[0]: row[1] for row in self.rows[: self.header] if len(row) > 1 and row[0]}

    def variables(self, rows: Sequence[int]) -> dict[str, str | None]:
        """Value of each column that keeps it in these rows, and of what stands before them."""
        found: dict[str, str | None] = {**self.head()}
        for place, name in enumerate(self.rows[self.header]):
            values = {self._at(place, row) for row in rows}
            found[name] = values.pop() if len(values) == 1 else None
        return found

    def length(self, rows: Sequence[int]) -> float:
        """Length of an observation where a column tells it."""
        numbers = [as_number(self.cell("length", row)) for row in rows]
        return max((n for n in numbers if n is not None and math.isfinite(n)), default=-math.inf)


def _of_table(table: _Table, file: str) -> Iterator[_Observation]:
    for name, rows in table.observations(file).items():
        events = [table.event(row) for row in rows]
        place = f"{table.source}row {rows[0] + 1}"
        yield _Observation(name, events, table.variables(rows), table.length(rows), place)


def _find_columns(names: Sequence[str], source: str) -> dict[str, int]:
    """Places of our columns among these names, whatever their case."""
    shapes = [_shape(name) for name in names]
    times = Counter(shapes)
    known = {ours: [name for name in theirs if times[name]] for ours, theirs in COLUMNS.items()}
    found = {ours: theirs[0] for ours, theirs in known.items() if theirs}
    twice = [name for name in found.values() if times[name] > 1]
    if twice and len(found) > 2:  # a header, and not some other row
        raise DataError(
            f"{source}the column {quote(twice[0])} is there twice; rename the variable of that name"
        )
    return {ours: shapes.index(name) for ours, name in found.items()}


def _modifiers(names: Sequence[str]) -> list[int]:
    return [place for place, name in enumerate(names) if MODIFIERS.fullmatch(_shape(name))]


def _shape(name: str) -> str:
    return " ".join(name.casefold().split())
