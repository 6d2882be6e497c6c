"""Logs of CASAS and the like: a time, a sensor and a state on each line.

Some have the places of the sensor before the state and its type after it, and what is done as
"Sleeping begin", as Sleeping="begin", Sleeping_start or 2-end, or as a label on every event.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError, Option
from ibgn.io.files import Files
from ibgn.io.formats.events.entries import ACTIVITY, Entry
from ibgn.io.parsing.moments import kind_of
from ibgn.text import quote

__all__ = ["Line", "is_log", "read_annotations", "read_log", "split_line"]

EDGES = {"begin": "begin", "start": "begin", "end": "end", "stop": "end"}
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
WORD = re.compile(r'"([^"]*)"|(\S+)')
EDGE = re.compile(r'(\S+?)(?:=?"|[=_-])(begin|start|end|stop)"?', re.IGNORECASE)
TYPE = re.compile(
    r"control4\S*|\S*(motion|door|sensor|switch|battery|temperature)\S*", re.IGNORECASE
)
LOOKED_AT = 2000  # lines that tell how a log is written
MOST = 0.8  # share of these lines
TIMES = ("moment", "number", "clock")

IsState = Callable[[str], bool]


class Line(NamedTuple):
    """Words of a line of a log: its time, and what follows."""

    time: str
    words: list[str]
    number: int


def split_line(line: str, number: int = 1) -> Line:
    """Words of a line; a date and a clock are one time, and what is quoted is one word."""
    if line.count(",") > 2 and len(line.split()) <= line.count(","):
        words = [word.strip('" ') for word in line.rstrip(", \n").split(",")]
    elif '"' in line and 'begin"' not in line.lower() and 'end"' not in line.lower():
        words = [quoted or word for quoted, word in WORD.findall(line)]
    else:
        words = line.split()
    dated = len(words) > 1 and (DATE.fullmatch(words[0]) or kind_of(words[0]) == "date")
    return Line(" ".join(words[: 1 + bool(dated)]), words[1 + bool(dated) :], number)


class _Form(NamedTuple):
    """How the lines of a log are written.

    Parameters
    ----------
    state : place of the state among the words after the time
    rest : place of the first word about the activity
    labelled : whether events are labelled with what goes on, rather than where it begins and ends
    by_resident : whether such a label is the number of a resident and that of a task, or several
    """

    state: int
    rest: int
    labelled: bool
    by_resident: bool


def _find_form(lines: Sequence[Line], is_state: IsState) -> _Form:
    """Find out how a log is written, from its first lines."""
    lines = lines[:LOOKED_AT]
    widest = max((len(line.words) for line in lines), default=0)
    fitting = Counter(
        place
        for line in lines
        for place in range(1, widest)
        if place < len(line.words) and is_state(line.words[place])
    )
    enough = MOST * len(lines)
    likely = [place for place in sorted(fitting) if fitting[place] >= enough]
    # what always stays the same is a kind of sensor, as "motion"
    state = next((p for p in likely if _changes(lines, p)), likely[0] if likely else 1)
    rest = state + 1 + _names_type(lines, state + 1)
    labelled = _are_labels(lines, rest)
    about = [line.words[rest:] for line in lines if len(line.words) > rest]
    return _Form(state, rest, labelled, labelled and _are_of_residents(about))


def _changes(lines: Sequence[Line], place: int) -> bool:
    """Whether the words at a place differ."""
    return len({line.words[place] for line in lines if len(line.words) > place}) > 1


def _are_labels(lines: Sequence[Line], rest: int) -> bool:
    """Whether most events are labelled with what goes on, not only where it begins and ends."""
    last = [line.words[-1] for line in lines if len(line.words) > rest]
    edges = sum(word.lower() in EDGES or bool(EDGE.fullmatch(word)) for word in last)
    return len(last) - edges > max(edges, len(lines) / 2)


def _are_of_residents(labels: Sequence[Sequence[str]]) -> bool:
    """Whether labels are pairs of a resident and a task, both of them numbers."""
    paired = all(len(each) % 2 == 0 and all(map(str.isdecimal, each)) for each in labels)
    return paired and len({resident for each in labels for resident in each[::2]}) > 1


def _names_type(lines: Sequence[Line], place: int) -> bool:
    """Whether the words at a place are types of sensors: each sensor has one."""
    types: dict[str, str] = {}
    told = 0
    for line in lines:
        if len(line.words) > place:
            told += 1
            if types.setdefault(line.words[0], line.words[place]) != line.words[place]:
                return False
    known = sum(bool(TYPE.fullmatch(word)) for word in types.values())
    return told >= MOST * len(lines) and known > len(types) / 2


def read_log(file: InputFile, is_state: IsState, files: Files, drop: bool) -> Iterator[Entry]:
    """Entries of a log: a time, an action and a state on each line, and what begins or ends."""
    texts = enumerate(file.lines(), 1)
    lines = [split_line(text, number) for number, text in texts if text.strip()]
    form = _find_form(lines, is_state)
    events = []
    for line in lines:
        if len(line.words) <= form.state:
            _refuse_short(file, line, drop, files)
            continue
        events.append(line)
        sensor, state = line.words[0], line.words[form.state]
        yield Entry(line.time, sensor, sensor, state, line.number, {})
    yield from _of_activities(events, form, file.prefix, files, drop)


def read_annotations(
    events: Sequence[Line], prefix: str, files: Files, drop: bool
) -> Iterator[Entry]:
    """What goes on by a column of a table, the only word of each event or none."""
    form = _Form(-1, 0, _are_labels(events, 0), False)
    yield from _of_activities(events, form, prefix, files, drop)


def _of_activities(
    events: Sequence[Line], form: _Form, prefix: str, files: Files, drop: bool
) -> Iterator[Entry]:
    """Entries about what goes on while events happen: labels, or where activities begin and end."""
    if form.labelled:
        yield from _labels(events, form, files)
        return
    for line in events:
        where = f"{prefix}line {line.number}"
        for activity, edge in _activities(line.words[form.rest :], where, drop, files):
            yield Entry(line.time, ACTIVITY, activity, edge, line.number, {})


def _labels(events: Sequence[Line], form: _Form, files: Files) -> Iterator[Entry]:
    """What goes on by the labels of events, each of which lasts until the next one of its track."""
    nothing: dict[str, str] = {}
    going: dict[str, str] = {}
    for line in events:
        for track, label in _labels_of(line.words[form.rest :], form):
            before = going.get(track, "")
            if label == before:
                continue
            if before:
                yield Entry(line.time, track, before, "end", line.number, nothing)
            going[track] = "" if line is events[-1] else label
            if going[track]:
                yield Entry(line.time, track, label, "begin", line.number, nothing)
            elif label:
                files.leave_out(
                    " that is the last and the only one of its activity: the activity left out"
                )
    for track, label in going.items():
        if label:
            yield Entry(events[-1].time, track, label, "end", events[-1].number, nothing)


def _labels_of(words: Sequence[str], form: _Form) -> list[tuple[str, str]]:
    """Tracks and labels of an event: one, or one for each resident."""
    if not form.by_resident:
        return [(ACTIVITY, " ".join(words))]
    pairs = zip(words[::2], words[1::2], strict=False)
    return [(f"{ACTIVITY} {resident}", task) for resident, task in pairs]


def _refuse_short(file: InputFile, line: Line, drop: bool, files: Files) -> None:
    if not drop:
        shown = " ".join([line.time, *line.words])
        raise DataError(
            f"{file.prefix}line {line.number} is {quote(shown)}; it must have a time, an action "
            "and a state, as in '2010-11-04 00:03:50.2 M003 ON'; leave such lines out with ",
            Option("unknown", "drop"),
            ", or for tables give ",
            Option("layout", "table"),
        )
    files.leave_out(" without a state left out (", Option("unknown", "drop"), ")", noun="line")


def _activities(
    words: Sequence[str], where: str, drop: bool, files: Files
) -> Iterator[tuple[str, str]]:
    """What begins and ends with an event: names, of one word or more, each with begin or end."""
    name: list[str] = []
    for word in words:
        edge = EDGE.fullmatch(word)
        if edge is not None:
            yield " ".join([*name, edge[1]]), EDGES[edge[2].lower()]
            name = []
        elif word.lower() in EDGES and name:
            yield " ".join(name), EDGES[word.lower()]
            name = []
        else:
            name.append(word)
    if name and not drop:
        raise DataError(
            f"{where}: after the state comes {quote(' '.join(name))}; it must be an "
            "activity and begin or end, as in 'Sleeping begin'; leave such words out with ",
            Option("unknown", "drop"),
        )
    if name:
        files.leave_out(
            " with words after the state that neither begin nor end an activity: without them (",
            Option("unknown", "drop"),
            ")",
        )


def is_log(lines: Sequence[str], is_state: IsState) -> bool:
    """Whether lines are those of a log: each with a time, and most with a state at one place."""
    split = [split_line(line) for line in lines if line.strip()]
    timed = [line for line in split if kind_of(line.time) in TIMES]
    if not split or kind_of(split[0].time) not in TIMES or len(timed) < MOST * len(split):
        return False  # a first line without a time is the header of a table
    place = _find_form(split, is_state).state
    words = [line.words[place] for line in split if len(line.words) > place]
    stated = [word for word in words if is_state(word)]
    switches = [word for word in stated if as_number(word) is None]
    moments = all(kind_of(line.time) == "moment" for line in timed)
    zero_or_one = moments and set(stated) == {"0", "1"}
    return len(stated) >= MOST * len(split) and (zero_or_one or len(switches) > len(split) / 10)
