"""Event logs: actions that start and stop, as sensors in homes record them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from ibgn._files import InputFile
from ibgn.checks import as_number, check_choice, check_number
from ibgn.errors import DataError, Option, OptionError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import Choices, check_flag
from ibgn.io.files import Files
from ibgn.io.formats.events.entries import DATE, Entry, read_log, read_rows
from ibgn.io.head import LIKELY, Head
from ibgn.io.parsing.pairing import Event, Pairing, Repeated, Unpaired
from ibgn.io.parsing.tabular import Column, check_column
from ibgn.io.parsing.time import as_seconds
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_events"]

Layout = Literal["log", "table"]
Unknown = Literal["error", "drop"]
Where = Callable[[int], str]

START = ("on", "open", "start", "begin")
STOP = ("off", "close", "stop", "end", "complete")
TABLES = (".csv", ".tsv")
REQUIRED = ("time", "action", "state")


def _sniff(head: Head) -> float:
    """Tell a log by lines of a time, an action and a state."""
    words = [line.split() for line in head.lines[:50]]
    dated = all(DATE.fullmatch(line[0]) and len(line) >= 4 for line in words)
    return LIKELY if dated and any(line[3].lower() in START for line in words) else 0.0


@reader(
    "events",
    also=(".csv", ".tsv", ".txt", ".log"),
    about="events that start and stop: smart homes",
    activity=("track", "column"),
    group=("column",),
    sniff=_sniff,
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
    CASAS: "2010-11-04 00:03:50.209589 M003 ON". What follows, "Sleeping begin", goes to the track
    "activity"; activity="track:activity" then makes an instance of each activity. A track holds
    one action and has its name.

    A "table" has columns. activity="column:task" takes the activity from the column "task", and
    group="column:who" the group; a column can also be named by its number from 1 on.

    Times are seconds: numbers as they are, date-times since the earliest event of the file. Events
    need not be in the order of time; those at the same time happen in the order of lines. States
    that are numbers, such as temperatures, are left out with a warning that counts them.

    Parameters
    ----------
    layout : "log" or "table"; by default .csv and .tsv files are tables, others logs
    columns : names of the columns of a table, or numbers from 1 on, where these are not
        time, action and state, for example {"action": "sensor", "state": 4}. A column for the
        instance is read only if it is named here; without it a file is one instance.
    header, delimiter : of a table, as for `read_tracks`
    unit : seconds that a time of 1 stands for, where times are numbers
    start_values, stop_values : states that start and stop an action; upper and lower case are
        the same
    unknown : what to do with other states: "error", or "drop" with a count
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
    states = _States.of(start_values, stop_values, unknown, files)
    pairing = Pairing(unpaired, repeated, files)
    for file in files:
        suffixes = [suffix.lower() for suffix in file.path.suffixes]
        if form == "table" or (form is None and any(suffix in TABLES for suffix in suffixes)):
            rows = read_rows(file, named, header, delimiter)
            log = _Log(file, list(rows), "row", len(files) > 1)
        else:
            log = _Log(file, list(read_log(file)), "line", len(files) > 1)
        yield from log.recordings(unit, states, pairing)


@dataclass(frozen=True)
class _States:
    """Which states start and stop an action; others are counted."""

    starts: frozenset[str]
    stops: frozenset[str]
    unknown: Unknown
    files: Files

    def __post_init__(self) -> None:
        check_choice("unknown", self.unknown, get_args(Unknown))

    @classmethod
    def of(cls, start: Any, stop: Any, unknown: Unknown, files: Files) -> "_States":
        """Fold the case of states; begin and end, as logs have for activities, are always known."""
        for name, values in (("start_values", start), ("stop_values", stop)):
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise OptionError(name, values, "must be a list of states")
        starts = frozenset(map(_fold, start)) | {"begin"}
        stops = frozenset(map(_fold, stop)) | {"end"}
        if starts & stops:
            raise OptionError(
                "start_values",
                list(start),
                f"has the state {quote(min(starts & stops))}, and so has ",
                Option("stop_values"),
                "; keep one",
            )
        return cls(starts, stops, unknown, files)

    def starting(self, entry: Entry, where: Where) -> bool | None:
        """Tell whether an entry starts or stops its action, or None where it does neither."""
        state = _fold(entry.state)
        if state in self.starts or state in self.stops:
            return state in self.starts
        drop = Option("unknown", "drop")
        if as_number(state) is not None and state:
            self.files.leave_out(
                " with a number for a state left out, as readings neither start nor stop an action"
            )
        elif self.unknown == "drop":
            self.files.leave_out(" with an unknown state left out (", drop, ")")
        else:
            raise DataError(
                f"{where(entry.place)}: the state {quote(entry.state)} is neither among ",
                Option("start_values"),
                " nor among ",
                Option("stop_values"),
                "; add it there, or leave such events out with ",
                drop,
            )
        return None


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

    def recordings(self, unit: float, states: _States, pairing: Pairing) -> Iterator[Recording]:
        """Give a recording for each instance of the file."""
        if not self.entries:
            raise DataError(f"{self.where(1)}: an event is needed, but the file has none")
        times = as_seconds(
            [entry.time for entry in self.entries],
            lambda number: self.where(self.entries[number].place),
            unit,
        )
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


def _fold(state: Any) -> str:
    return str(state).strip().casefold()


def _check_layout(layout: Any, columns: Any, choices: Choices) -> Layout | None:
    """Layout of the files, "table" if an option names columns."""
    if layout is not None:
        check_choice("layout", layout, get_args(Layout))
    by_column = [option for option in ("activity", "group") if choices.name_of(option, "column")]
    if columns is None and not by_column:
        return cast("Layout | None", layout)
    if layout == "log":
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
