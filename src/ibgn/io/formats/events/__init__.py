"""Event logs: actions that start and stop, as sensors in homes record them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from ibgn._files import InputFile
from ibgn.checks import check_choice, check_number
from ibgn.errors import DataError, Option, OptionError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import Choices, check_flag
from ibgn.io.files import Files
from ibgn.io.formats.events.entries import ACTIVITY, Entry
from ibgn.io.formats.events.history import is_history, read_history
from ibgn.io.formats.events.logs import is_log, read_log, split_line
from ibgn.io.formats.events.records import are_records, read_records
from ibgn.io.formats.events.states import START, STOP, States, Unknown
from ibgn.io.formats.events.tables import (
    REQUIRED,
    find_event_columns,
    read_sheet_annotations,
    read_table,
)
from ibgn.io.head import CERTAIN, LIKELY, Head
from ibgn.io.outline import Entry as OutlineEntry
from ibgn.io.parsing.columns import Column, check_column
from ibgn.io.parsing.moments import kind_of
from ibgn.io.parsing.pairing import Event, Pairing, Repeated, Unpaired
from ibgn.io.parsing.roles import find_roles
from ibgn.io.parsing.sheets import CELLS, Sheet, cut
from ibgn.io.parsing.signals import find_signal
from ibgn.io.parsing.tabular import find_delimiter
from ibgn.io.parsing.time import as_seconds
from ibgn.io.parsing.words import END, words_of
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_events"]

Layout = Literal["log", "table", "records", "history"]
Where = Callable[[int], str]

TABLES = (".csv", ".tsv")
SURE = 0.9  # surer than of any table
RECORDS = 50  # lines that tell records


def _sniff(head: Head) -> float:
    """Tell a log by lines of a time, an action and a state, and a table by columns of these."""
    states = States.of(START, STOP, "drop", Files(head.path, ()))
    if head.json is not None:
        return CERTAIN if is_history(head.json) else 0.0
    if are_records(head.lines[:RECORDS]):
        return CERTAIN
    if is_log(head.lines[:100], states.is_state):
        return SURE if kind_of(split_line(head.lines[0]).time) == "moment" else LIKELY
    sheet = cut("\n".join(head.lines), "")
    if not find_event_columns(sheet, states.is_switch):
        return 0.0
    # a table with starts and ends has intervals, whatever states it has beside them, and one of
    # samples has labels that are repeated
    signal = find_signal(sheet)
    return 0.0 if _has_ends(sheet) or (signal and signal.labels) else SURE


def _has_ends(sheet: Sheet) -> bool:
    """Whether rows have a start and an end; where columns have names, one must speak of an end."""
    places = find_roles(sheet, {}).places
    if not {"start", "end"} <= places.keys():
        return False
    words = {word for place in places["end"] for word in words_of(sheet.names[place])}
    return bool(words & END) or not any(sheet.names)


def _outline(files: Files, *, delimiter: str | None = None) -> Iterator[OutlineEntry]:
    """Activities of logs, and columns of tables of events that may give the activity."""
    states = States.of(START, STOP, "drop", files)
    activities: dict[str, list[str]] = {}
    for file in files:
        layout = _find_layout(file, states)
        if layout in ("records", "history"):
            continue
        if layout == "log":
            log = read_log(file, states.is_state, files, drop=True)
            for entry in log:
                if entry.track.partition(" ")[0] == ACTIVITY and entry.state == "begin":
                    activities.setdefault(entry.track, []).append(entry.action)
            continue
        mark = None if delimiter is None else find_delimiter(file, delimiter)
        file.expect(CELLS, "its rows and cells")
        sheet = cut(file.text(), "", mark)
        places = find_event_columns(sheet, states.is_switch)
        used = {p for each in places.values() for p in each}
        for place, name in enumerate(sheet.names):
            if name and place not in used:
                option = Option("activity", f"column:{name}")
                yield OutlineEntry.of("column", name, sheet.column(place), option)
        told = [e for e in read_sheet_annotations(sheet, places, "", states) if e.state == "begin"]
        activities = {ACTIVITY: [entry.action for entry in told]} if told else {}
        break  # the files of a folder have the same columns
    for track, begun in activities.items():
        yield OutlineEntry.of("annotation", track, begun, Option("activity", f"track:{track}"))


@reader(
    "events",
    also=(".csv", ".tsv", ".txt", ".log", ".json"),
    about="events that start and stop: smart homes",
    unit="s",
    activity=("track", "column"),
    group=("column",),
    sniff=_sniff,
    outline=_outline,
)
def read_events(
    files: Files,
    *,
    layout: Layout | None = None,
    columns: Mapping[str, Column] | None = None,
    header: bool = True,
    delimiter: str | None = None,
    unit: float = 1.0,
    start_values: Sequence[Any] = START,
    stop_values: Sequence[Any] = STOP,
    unknown: Unknown = "error",
    unpaired: Unpaired = "error",
    repeated: Repeated = "merge",
) -> Iterator[Recording]:
    r"""Read logs in which one event starts an action and another stops it.

    A "log" has a time, an action and a state on each line, separated by white space, as in
    CASAS: "2010-11-04 00:03:50.209589 M003 ON". Places of the sensor may stand before the state,
    and its type after it. What follows goes to the track "activity": "Sleeping begin", as
    Sleeping="begin", Sleeping_start or 2-end, or a label on every event, which lasts until the
    next one;
    activity="track:activity" then makes an instance of each activity. Labels that are a resident
    and a task, "2 5", go to a track for each resident, "activity 2". Other tracks hold one action
    and have its name.

    A "history" is JSON of Home Assistant: a list of the states of each device, with their times.

    "records" have five lines each, as in the data of the MIT PlaceLab: an activity with its date,
    start and end, and the numbers, names, starts and ends of the sensors during it, with commas
    between them. Each is an instance, with its activity for a label.

    A "table" has columns. activity="column:task" takes the activity from the column "task", and
    group="column:who" the group; a column can also be named by its number from 1 on. Columns with
    other names are recognised by words in their names and by what is in them, and a warning says
    how.

    Times are seconds: numbers as they are, date-times since the earliest event of the file. Events
    need not be in the order of time; those at the same time happen in the order of lines. States
    that are numbers, such as temperatures, are left out with a warning that counts them; where all
    of an action are 0 and 1, 1 starts and 0 stops.

    Parameters
    ----------
    layout : "log", "records", "history" or "table"; by default .csv and .tsv files are tables,
        others logs, unless what is in them says otherwise
    columns : names of the columns of a table, or numbers from 1 on, where these are not
        time, action and state, for example {"action": "sensor", "state": 4}. A column for the
        instance is read only if it is named here; without it a file is one instance.
    header, delimiter : of a table, as for `read_tracks`
    unit : seconds that a time of 1 stands for, where times are numbers
    start_values, stop_values : states that start and stop an action; upper and lower case are
        the same
    unknown : what to do with other states, and with lines and words that are not understood:
        "error", or "drop" with a count
    unpaired : what to do with a start without a stop, or a stop without a start: "error", "drop"
        it, or "close" it: what never stops ends with the last event, and what never started begins
        with the first. A second stop in a row cannot be closed, and is left out.
    repeated : what to do with a start of something that is already going on: "merge" ignores it,
        "restart" ends what is going on and starts again, "overlap" lets both go on and gives the
        first start the first stop, "unpaired" treats the earlier start as one without a stop,
        "error" refuses it

    Returns
    -------
    X : the instances, with times in seconds
    y : (n,) one activity per instance, or None where there are none

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "home.txt"
    >>> _ = path.write_text(
    ...     "2010-11-04 08:00:00.0 M003 ON Sleeping begin\n"
    ...     "2010-11-04 08:00:01.5 M004 ON\n"
    ...     "2010-11-04 08:00:02.0 M003 OFF\n"
    ...     "2010-11-04 08:00:04.0 M004 OFF Sleeping end\n"
    ... )
    >>> X, y = read_events(path, activity="track:activity")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      home.txt#1: M003 [0, 2), M004 [1.5, 4)
    >>> y
    array(['Sleeping'], dtype=object)
    """
    check_number("unit", unit, "above 0", lambda value: value > 0)
    check_flag("header", header)
    named = _check_columns(columns, header, files.choices)
    form = _check_layout(layout, columns, files.choices)
    states = States.of(start_values, stop_values, unknown, files)
    pairing = Pairing(unpaired, repeated, files)
    for file in files:
        own_form = form or _find_layout(file, states)
        if own_form == "records":
            yield from read_records(file)
            continue
        if own_form == "history":
            log, noun = read_history(file), "state"
        elif own_form == "log":
            log, noun = read_log(file, states.is_state, files, unknown == "drop"), "line"
        else:
            given = columns is not None or not header
            log, noun = read_table(file, named, given, states, header, delimiter)
        yield from _Log(file, list(log), noun, len(files) > 1).recordings(unit, states, pairing)


def _find_layout(file: InputFile, states: States) -> Layout:
    """Layout by the suffix; lines that begin with a date are no table, whatever their name."""
    if file.text()[:1000].lstrip().startswith("["):
        return "history"
    if are_records(file.lines()[:RECORDS]):
        return "records"
    if any(suffix.lower() in TABLES for suffix in file.path.suffixes):
        return "log" if is_log(file.lines()[:100], states.is_state) else "table"
    lines = file.lines()[:100]
    if is_log(lines, states.is_state) or not lines:
        return "log"
    try:
        sheet = cut("\n".join(lines), "")
    except DataError:
        return "log"
    return "table" if sheet.has_header else "log"


@dataclass(frozen=True)
class _Log:
    """Entries of a file; its instances carry its name where there are several files."""

    file: InputFile
    entries: Sequence[Entry]
    noun: str
    one_of_many: bool

    def where(self, place: int) -> str:
        """Name an entry for a message by its place."""
        return f"{self.file.prefix}{self.noun} {place}"

    def recordings(self, unit: float, states: States, pairing: Pairing) -> Iterator[Recording]:
        """Give a recording for each instance of the file."""
        if not self.entries:
            raise DataError(f"{self.where(1)}: an event is needed, but the file has none")
        times = as_seconds(
            [entry.time for entry in self.entries],
            lambda number: self.where(self.entries[number].place),
            unit,
        )
        states = states.for_entries(self.entries)
        events: dict[str | None, list[Event]] = {}
        first: dict[str | None, Entry] = {}
        for entry, time in zip(self.entries, times.tolist(), strict=True):
            instance = entry.known.get("instance")
            self._refuse_other(entry, first.setdefault(instance, entry))
            mine = events.setdefault(instance, [])
            starts = states.starting(entry, self.where)
            if starts is not None:
                mine.append(Event((entry.track, entry.action), starts, time, entry.place))
        for instance, mine in events.items():
            notes = [
                Annotation(track, action, start, end, f"{self.noun} {place}")
                for (track, action), start, end, place in pairing.pairs(mine, self.where)
            ]
            known = first[instance].known
            if self.one_of_many and instance is not None:
                known = {**known, "instance": f"{self.file.name}#{instance}"}
            yield Recording(self.file.name, notes, known)

    def _refuse_other(self, entry: Entry, first: Entry) -> None:
        """Refuse an entry that contradicts the first one of its instance."""
        if entry.known == first.known:
            return
        what = next(name for name in first.known if entry.known[name] != first.known[name])
        raise DataError(
            f"{self.where(entry.place)}: the {what} is {quote(entry.known[what])}, but "
            f"{quote(first.known[what])} at {self.where(first.place)} of the same instance; give "
            f"an instance one {what}, or name its column with ",
            Option("columns", {"instance": "..."}),
        )


def _check_layout(layout: Any, columns: Any, choices: Choices) -> Layout | None:
    """Layout of the files, "table" if an option names columns."""
    if layout is not None:
        check_choice("layout", layout, get_args(Layout))
    by_column = [option for option in ("activity", "group") if choices.name_of(option, "column")]
    if columns is None and not by_column:
        return cast("Layout | None", layout)
    if layout in ("log", "records", "history"):
        raise OptionError(
            "layout",
            layout,
            "has no columns, and ",
            Option("columns") if columns is not None else Option(by_column[0]),
            " is for tables; leave one out",
        )
    return "table"


def _check_columns(columns: Any, header: bool, choices: Choices) -> dict[str, Column]:
    """Columns by our names, also those of the label and the group."""
    renamed = {} if columns is None else columns
    if not isinstance(renamed, Mapping):
        raise OptionError("columns", columns, "must be a mapping, as {'action': 'sensor'}")
    unknown = [ours for ours in renamed if ours not in (*REQUIRED, "instance")]
    if unknown:
        listed = ", ".join(map(repr, (*REQUIRED, "instance")))
        raise OptionError(
            "columns", columns, f"names {quote(unknown[0])}, which is not one of {listed}"
        )
    if "instance" in renamed and choices.activity_track is not None:
        raise OptionError(
            "activity",
            choices.activity,
            "makes instances, and so does ",
            Option("columns", {"instance": renamed["instance"]}),
            "; give one",
        )
    named = {ours: ours for ours in REQUIRED} | dict(renamed)
    if columns is not None or not header:
        for column in named.values():
            check_column("columns", column, header)
    for ours, option in (("label", "activity"), ("group", "group")):
        name = choices.name_of(option, "column")
        if name is not None:
            named[ours] = int(name) if name.isdecimal() else name
            check_column(option, named[ours], header)
    return named
