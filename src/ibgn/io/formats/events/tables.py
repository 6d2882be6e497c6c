"""Tables of events, one per row: with columns of our names, or others that are told apart."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from ibgn._files import InputFile
from ibgn.errors import DataWarning, Option
from ibgn.io.formats.events.entries import ACTIVITY, Entry
from ibgn.io.formats.events.logs import Line, read_annotations
from ibgn.io.formats.events.states import States
from ibgn.io.parsing.columns import Column, find_places
from ibgn.io.parsing.moments import kind_of, kind_of_column
from ibgn.io.parsing.sheets import CELLS, Sheet, cut
from ibgn.io.parsing.tabular import find_delimiter, read_columns, read_head
from ibgn.io.parsing.words import NUMBERING, SUBJECT, words_of

__all__ = ["REQUIRED", "find_event_columns", "read_sheet_annotations", "read_table"]

IsSwitch = Callable[[str], bool]

REQUIRED = ("time", "action", "state")
# words that name columns, the surest first
STATE = ("state", "status", "type", "value", "val", "event", "message")
SOURCE = ("sensor", "device", "entity", "item")  # these may have numbers for names
ACTION = (
    *("sensor", "device", "entity", "action", "behavior", "behaviour", "activity", "object"),
    *("item", "appliance", "event", "name", "id", "what"),
)
INSTANCE = ("observation", "case", "instance", "session", "recording", "trial")
WHAT_GOES_ON = ("activity", "label", "annotation", "task")  # while sensors have their states
POINTS = ("point", "point event", "state point")  # as The Observer has them among states
# of logs of processes, where they neither start nor stop what is done
LIFECYCLE = ("schedule", "assign", "reassign", "enable", "suspend", "resume", "withdraw", "abort")
BINARY = frozenset({"0", "1"})
EDGE = re.compile(r"(start|begin|stop|end)\s*:\s*(\S.*)", re.IGNORECASE)  # START:Cooking
MOST = 0.9  # share of the cells that are states


def read_table(
    file: InputFile,
    columns: Mapping[str, Column],
    given: bool,
    states: States,
    header: bool,
    delimiter: str | None,
) -> tuple[Iterator[Entry], str]:
    """Entries of a table, and whether their places are a "row" or a "line".

    `columns` has time, action, state, and what else is named; they are `given`, or ours.
    """
    if not given:
        head = [name.strip() for name in read_head(file, find_delimiter(file, delimiter))]
        if not all(name in head for name in columns.values()):
            return _read_foreign(file, columns, states, header, delimiter), "line"
    return _read_rows(file, columns, header, delimiter), "row"


def _read_rows(
    file: InputFile, columns: Mapping[str, Column], header: bool, delimiter: str | None
) -> Iterator[Entry]:
    """Entries of a table, one per row; `columns` has time, action, state, and what is known."""
    mark = find_delimiter(file, delimiter)
    head = read_head(file, mark)
    places = find_places(columns, head, header, file.prefix)
    # few different texts stand in all columns but that of the times
    types = dict.fromkeys(places.values(), "category") | {places["time"]: "str"}
    frame = read_columns(file, mark, header, types, len(head))
    cells = {ours: frame[place].tolist() for ours, place in places.items()}
    known = [ours for ours in cells if ours not in ("time", "action", "state")]
    for row, (time, action, state) in enumerate(
        zip(cells["time"], cells["action"], cells["state"], strict=True)
    ):
        about = {ours: str(cells[ours][row]) for ours in known}
        yield Entry(str(time), str(action), str(action), str(state), row + 1, about)


def _read_sheet(sheet: Sheet, places: Mapping[str, tuple[int, ...]]) -> Iterator[Entry]:
    """Entries of a table whose columns were told apart, one per row."""
    known = [ours for ours in places if ours not in (*REQUIRED, "subject", ACTIVITY)]
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        cells = {ours: " ".join(row[p] for p in columns) for ours, columns in places.items()}
        about = {ours: cells[ours] for ours in known}
        action, time = cells["action"], cells["time"]
        # what one starts, another does not stop
        track = f"{cells['subject']} {action}".strip() if "subject" in cells else action
        if kind_of(time) == "number":
            time = time.replace(",", ".")
        edge = EDGE.fullmatch(cells["state"])
        if edge is not None:  # of an activity, among the states of sensors
            state = "begin" if edge[1].lower() in ("start", "begin") else "end"
            yield Entry(time, ACTIVITY, edge[2], state, line, about)
        else:
            yield Entry(time, track, action, cells["state"], line, about)


def read_sheet_annotations(
    sheet: Sheet, places: Mapping[str, tuple[int, ...]], prefix: str, states: States
) -> Iterator[Entry]:
    """Entries about what goes on, by a column beside those of the sensors, for each instance."""
    if ACTIVITY not in places:
        return
    known = [ours for ours in places if ours not in (*REQUIRED, "subject", ACTIVITY)]
    events: dict[tuple[str, ...], list[Line]] = {}
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        time = " ".join(row[p] for p in places["time"])
        own = tuple(row[places[ours][0]] for ours in known)
        events.setdefault(own, []).append(Line(time, row[places[ACTIVITY][0]].split(), line))
    for own, mine in events.items():
        about = dict(zip(known, own, strict=True))
        for entry in read_annotations(mine, prefix, states.files, states.unknown == "drop"):
            yield entry._replace(known=about)


def _read_foreign(
    file: InputFile,
    named: Mapping[str, Column],
    states: States,
    header: bool,
    delimiter: str | None,
) -> Iterator[Entry]:
    """Entries of a table whose columns have to be told apart; says how they were."""
    mark = None if delimiter is None else find_delimiter(file, delimiter)
    file.expect(CELLS, "its rows and cells")
    sheet = cut(file.text(), file.prefix, mark, None if header else False)
    places = find_event_columns(sheet, states.is_switch)
    others = {ours: name for ours, name in named.items() if ours not in REQUIRED}
    if not places:  # say which columns there are
        find_places(named, sheet.names, header, file.prefix)
    for ours, place in find_places(others, sheet.names, header, file.prefix).items():
        places[ours] = (place,)
        if places.get(ACTIVITY) == (place,):
            del places[ACTIVITY]
    told = {
        ours: "+".join(sheet.names[p].strip() or str(p + 1) for p in places[ours])
        for ours in (*REQUIRED, "instance")
        if ours in places
    }
    warnings.warn(
        DataWarning(
            f"{file.prefix}columns were recognised by their names and what is in them, as with ",
            Option("columns", told),
        ),
        stacklevel=2,
    )
    annotations = read_sheet_annotations(sheet, places, file.prefix, states)
    return chain(_read_sheet(sheet, places), annotations)


def find_event_columns(sheet: Sheet, is_switch: IsSwitch) -> dict[str, tuple[int, ...]]:
    """Places of time, action and state, and of the instance if one is named; a date may be apart.

    Beside sensors, a column may tell the activity. `is_switch` tells whether a state starts or
    stops something.
    """
    words = [set(words_of(name)) for name in sheet.names]
    kinds = [kind_of_column(sheet.column(place)) for place in range(len(words))]
    time = _find_time(words, kinds)
    if not time:
        return {}
    free = [place for place in range(len(words)) if place not in time]
    edged = [place for place in free if all(map(EDGE.fullmatch, sheet.column(place)))]
    if edged:
        return {"time": time, "action": (edged[0],), "state": (edged[0],)}
    sources = [p for p in free if words[p] & {*SOURCE} and kinds[p] == "text"]
    switching = [p for p in free if _switches(sheet.column(p), is_switch, words[p], bool(sources))]
    state = next(_named(words, switching, STATE), None)
    if state is None and len(switching) == 1:
        state = switching[0]
    if state is None:
        return {}
    texts = [place for place in free if place != state and kinds[place] == "text"]
    instance = _find_instance(sheet, words, [p for p in free if p != state])
    texts = [place for place in texts if place != instance]
    numbers = [place for place in free if place != state and kinds[place] == "number"]
    action = next(_named(words, texts, ACTION), next(_named(words, numbers, SOURCE), None))
    # a kind of sensor, and then the number of one of the kind
    numbered = [p for p in numbers if words[p] and words[p] <= NUMBERING and p - 1 in texts]
    if action is None and numbered:
        return {"time": time, "action": (numbered[0] - 1, numbered[0]), "state": (state,)}
    if action is None:
        if not texts or (any(words) and len(texts) > 1):
            return {}
        action = texts[0]
    found = {"time": time, "action": (action,), "state": (state,)}
    told = next(_named(words, [p for p in texts if p != action], WHAT_GOES_ON), None)
    if action in sources and told is not None:
        found[ACTIVITY] = (told,)
    if instance is None:
        return found
    people = [p for p in _people(sheet, words, free) if p not in (state, action, instance)]
    subject = {"subject": (people[0],)} if people else {}
    return {**found, "instance": (instance,), **subject}


def _find_instance(sheet: Sheet, words: Sequence[set[str]], free: Sequence[int]) -> int | None:
    """Column of the recordings, or of people; an instance of an activity is none of these."""
    said = [p for p in free if not words[p] & {*ACTION[3:8]}]
    several = _people(sheet, words, free)
    return next(_named(words, said, INSTANCE), next(_named(words, several, SUBJECT), None))


def _people(sheet: Sheet, words: Sequence[set[str]], free: Sequence[int]) -> list[int]:
    """Columns that name who acts, where there are several."""
    named = [p for p in free if words[p] and words[p] <= {*SUBJECT, *NUMBERING, "name"}]
    named = [p for p in named if words[p] & {*SUBJECT}]
    return [p for p in named if len({*sheet.column(p)} - {""}) > 1]


def _find_time(words: Sequence[set[str]], kinds: Sequence[str]) -> tuple[int, ...]:
    """Column of the times: relative ones first, then date-times, a date and a clock, numbers."""
    timed = [place for place, own in enumerate(words) if own & {"time", "timestamp", "datetime"}]
    relative = [p for p in timed if "relative" in words[p] and kinds[p] in ("number", "clock")]
    relative = [p for p in relative if "f" not in words[p]]  # a part of a second, or a frame of it
    numbers = [place for place in relative if kinds[place] == "number"]
    if relative:
        return ((numbers or relative)[0],)
    moments = [place for place, kind in enumerate(kinds) if kind == "moment"]
    if moments:
        return (moments[0],)
    dates = [place for place, kind in enumerate(kinds) if kind == "date"]
    clocks = [place for place, kind in enumerate(kinds) if kind == "clock"]
    if clocks:
        return (*dates[:1], clocks[0])
    numbered = [place for place in timed if kinds[place] == "number"]
    return (numbered[0],) if numbered else ()


def _switches(cells: Sequence[str], is_switch: IsSwitch, words: set[str], of_sensors: bool) -> bool:
    """Whether cells are states; those of sensors may have readings and other states among them."""
    filled = [cell for cell in cells if kind_of(cell) != "empty"]
    kinds = {cell.strip().casefold() for cell in filled}
    if words == {"class"}:  # of behaviours that exclude each other
        return False
    if kinds == BINARY:
        return True
    if kinds > BINARY and words & {*STATE[:5]} and not words & NUMBERING:
        return True  # readings may be among them
    if of_sensors and words & {*STATE[:2], "value"} and sum(map(is_switch, kinds)) > 1:
        return True
    known = {kind for kind in kinds if is_switch(kind) or kind in (*POINTS, *LIFECYCLE)}
    share = sum(cell.strip().casefold() in known for cell in filled)
    return len(kinds) > 1 and share >= MOST * len(filled) and any(map(is_switch, kinds))


def _named(
    words: Sequence[set[str]], places: Sequence[int], telling: Sequence[str]
) -> Iterator[int]:
    return (place for word in telling for place in places if word in words[place])
