"""Event logs: what starts and what stops at a time, as sensors in homes write them."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack, cast, get_args

from ibgn._files import Recording, Source, reading
from ibgn.checks import as_number, check_choice, check_number
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.annotations import (
    Annotation,
    ChoiceOptions,
    Choices,
    ReadingOptions,
    Take,
    split_options,
    to_table,
)
from ibgn.io.cells import Column, check_column, check_header
from ibgn.io.clock import as_seconds
from ibgn.io.entries import Entry, read_log, read_rows
from ibgn.io.folders import find_files
from ibgn.io.pairing import Event, Pair, Pairing, Repeated, Unpaired
from ibgn.io.table import Labels, LongTable
from ibgn.text import count, quote

__all__ = ["load_events", "read_events"]

Layout = Literal["log", "table"]
Unknown = Literal["error", "drop"]
Where = Callable[[int], str]

START = ("on", "open", "start", "begin")
STOP = ("off", "close", "stop", "end", "complete")
SUFFIXES = (".csv", ".tsv", ".txt", ".log")
TABLES = (".csv", ".tsv")
REQUIRED = ("time", "action", "state")
KNOWN = ("instance", "label", "group")
READINGS = "with a number for a state left out, as readings neither start nor stop an action"
UNKNOWN = "with an unknown state left out (unknown='drop')"


def read_events(
    path: Source,
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
    **options: Unpack[ReadingOptions],
) -> tuple[IntervalSequences, Labels]:
    r"""Read logs in which an action starts and stops with an event each.

    A "log" has a time, an action and a state on each line, between white space, as CASAS writes
    them: "2010-11-04 00:03:50.209589 M003 ON". What follows, "Sleeping begin", goes to the track
    "activity"; activity="activity" then makes an instance of each activity. A "table" has columns.

    Times are seconds: numbers as they are, date-times since the earliest event of the file. Events
    need not be in the order of time; those at the same time happen in the order of lines. States
    that are numbers, as temperatures, are left out with a warning that counts them.

    Parameters
    ----------
    path : file, or folder of *.csv, *.tsv, *.txt and *.log files, also in folders within it
    layout : "log" or "table"; by default .csv and .tsv files are tables, others logs
    columns : where the columns of a table are not named time, action and state: their names, or
        numbers from 1 on, as {"action": "sensor", "state": 4}. So are instance, label and group,
        which are looked for only where they are named here. Without instance a file is one.
    header, delimiter : of a table, as for `ibgn.io.tracks.read_tracks`
    unit : seconds that a time of 1 stands for, where times are numbers
    start_values, stop_values : states that start and stop an action; upper and lower case are
        the same
    unknown : what to do with other states: "error", or "drop" with a count
    unpaired : what to do with a start without a stop, or a stop without a start: "error", "drop"
        it, or "close" it: what never stops ends with the last event, and what never started begins
        with the first. A second stop in a row cannot be closed, and is left out.
    repeated : what to do with a start of what is already going on: "merge" passes it over,
        "restart" ends what is going on and starts anew, "overlap" lets both go on and gives the
        first start the first stop, "error" refuses it
    **options : how recordings become instances, and how intervals are cleaned: tracks, action,
        activity, crossing, label and group of `ibgn.io.annotations.Choices`, and those of
        `ibgn.cleaning.Cleaning`. A track holds one action and has its name. A label comes from a
        column, from activity= or from label=, a group from a column or from group=; two sources
        are refused.

    Returns
    -------
    X : the instances, with times in seconds
    y : (n,) one label an instance, or None where there are none

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
    >>> X, y = read_events(path, activity="activity")
    >>> X
    IntervalSequences: 1 instance, 2 intervals, 2 actions
      home.txt#1: M003 [0, 2), M004 [1.5, 4)
    >>> y
    array(['Sleeping'], dtype=object)
    """
    choices, cleaning = split_options(options)
    table = load_events(
        path,
        layout=layout,
        columns=columns,
        header=header,
        delimiter=delimiter,
        unit=unit,
        start_values=start_values,
        stop_values=stop_values,
        unknown=unknown,
        unpaired=unpaired,
        repeated=repeated,
        **vars(choices),
    )
    return table.read(cleaning)


def load_events(
    path: Source,
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
    **choices: Unpack[ChoiceOptions],
) -> LongTable:
    """Load the paired events of all files as they are; options as for `read_events`."""
    chosen = Choices(**choices)
    check_number("unit", unit, "above 0", lambda value: value > 0)
    check_header(header)
    form = _check_layout(layout, columns)
    named = _check_columns(columns, header, chosen)
    states = _States(*_check_values(start_values, stop_values), unknown)
    pairing = Pairing(unpaired, repeated)
    takes: list[Take] = []
    with reading(path) as folder:
        files = find_files(path, SUFFIXES)
        for name, file in files:
            with reading(file) as recording:
                if _is_table(recording, form):
                    rows = read_rows(recording, named, header, delimiter)
                    log = _Log(name, list(rows), f"{recording.prefix}row", len(files) > 1)
                else:
                    lines = list(read_log(recording))
                    log = _Log(name, lines, f"{recording.prefix}line", len(files) > 1)
                takes += log.takes(unit, states, pairing)
    states.warn(folder.prefix)
    pairing.warn(folder.prefix)
    return to_table(takes, chosen, folder.prefix)


@dataclass(frozen=True)
class _States:
    """Which states start and stop an action; others are counted until `warn` tells of them."""

    starts: frozenset[str]
    stops: frozenset[str]
    unknown: Unknown
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        check_choice("unknown", self.unknown, get_args(Unknown))

    def starting(self, entry: Entry, where: Where) -> bool | None:
        """Tell whether an entry starts or stops its action, or None where it does neither."""
        state = _fold(entry.state)
        if state in self.starts or state in self.stops:
            return state in self.starts
        if as_number(state) is not None and state:
            self.counts[READINGS] += 1
        elif self.unknown == "drop":
            self.counts[UNKNOWN] += 1
        else:
            raise DataError(
                f"{where(entry.place)}: the state {quote(entry.state)} is neither among "
                "start_values nor among stop_values; add it there, or leave such events out with "
                "unknown='drop'"
            )
        return None

    def warn(self, source: str) -> None:
        """Tell what was left out."""
        for why, number in self.counts.items():
            warnings.warn(f"{source}{count(number, 'event')} {why}", DataWarning, stacklevel=2)


@dataclass(frozen=True)
class _Log:
    """Entries of a file; its instances carry its name where there are several files."""

    name: str
    entries: Sequence[Entry]
    prefix: str
    one_of_many: bool

    def where(self, place: int) -> str:
        """Name an entry for a message by its place."""
        return f"{self.prefix} {place}"

    def takes(self, unit: float, states: _States, pairing: Pairing) -> Iterator[Take]:
        """Give a take for each instance of the file."""
        if not self.entries:
            raise DataError(f"{self.where(1)}: an event is wanted, but the file has none")
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
            yield self._take(pairing.pairs(mine, self.where), first[instance].known)

    def _refuse_other(self, entry: Entry, first: Entry) -> None:
        """Refuse an entry that knows something else of its instance than the first one."""
        if entry.known == first.known:
            return
        what = next(name for name in first.known if entry.known[name] != first.known[name])
        raise DataError(
            f"{self.where(entry.place)}: the {what} is {quote(entry.known[what])}, but "
            f"{quote(first.known[what])} at {self.where(first.place)} of the same instance; give "
            f"an instance one {what}, or name columns={{'instance': ...}}"
        )

    def _take(self, pairs: Iterable[Pair], known: Mapping[str, str]) -> Take:
        noun = self.prefix.rsplit(maxsplit=1)[-1]
        notes = [
            Annotation(track, action, start, end, f"{noun} {place}")
            for (track, action), start, end, place in pairs
        ]
        if self.one_of_many and "instance" in known:
            known = {**known, "instance": f"{self.name}#{known['instance']}"}
        return Take(self.name, notes, known)


def _fold(state: Any) -> str:
    return str(state).strip().casefold()


def _is_table(recording: Recording, layout: Layout | None) -> bool:
    suffixes = [suffix.lower() for suffix in recording.path.suffixes]
    return layout == "table" or (layout is None and any(s in TABLES for s in suffixes))


def _check_layout(layout: Any, columns: Any) -> Layout | None:
    """Give the layout asked for; columns are those of a table."""
    if layout is not None:
        check_choice("layout", layout, get_args(Layout))
    if columns is None:
        return cast("Layout | None", layout)
    if layout == "log":
        raise OptionError("columns= is for tables, and layout='log' has none; leave one out")
    return "table"


def _check_columns(columns: Any, header: bool, choices: Choices) -> dict[str, Column]:
    given = {} if columns is None else columns
    if not isinstance(given, Mapping):
        raise OptionError(f"columns is a mapping, as {{'action': 'sensor'}}; got {quote(columns)}")
    unknown = [ours for ours in given if ours not in REQUIRED + KNOWN]
    if unknown:
        listed = ", ".join(map(repr, REQUIRED + KNOWN))
        raise OptionError(f"columns names {quote(unknown[0])}, which is not one of {listed}")
    _refuse_two_sources(given, choices)
    named = {ours: ours for ours in REQUIRED} | dict(given)
    if columns is not None or not header:
        for ours, column in named.items():
            check_column(f"columns[{ours!r}]", column, header)
    return named


def _refuse_two_sources(given: Mapping[str, Any], choices: Choices) -> None:
    for ours, other in (("label", "label"), ("group", "group"), ("label", "activity")):
        if ours in given and getattr(choices, other) is not None:
            raise OptionError(
                f"the {ours} comes from columns={{{ours!r}: ...}} or from {other}=; give one"
            )
    if "instance" in given and choices.activity is not None:
        raise OptionError(
            "instances come from columns={'instance': ...} or from the track activity=; give one"
        )


def _check_values(start: Any, stop: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Fold the case of states; begin and end, as logs say of activities, are always known."""
    for name, values in (("start_values", start), ("stop_values", stop)):
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise OptionError(f"{name} is a list of states, got {quote(values)}; write [...]")
    starts = frozenset(map(_fold, start)) | {"begin"}
    stops = frozenset(map(_fold, stop)) | {"end"}
    if starts & stops:
        raise OptionError(
            f"the state {quote(min(starts & stops))} is to start and to stop actions; choose"
        )
    return starts, stops
