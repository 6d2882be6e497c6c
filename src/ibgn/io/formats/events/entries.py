"""Entries of event logs as they are written: lines of words, or rows of a table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.errors import DataError, Option
from ibgn.io.parsing.tabular import Column, find_delimiter, find_places, read_columns, read_head
from ibgn.text import quote

__all__ = ["ACTIVITY", "DATE", "Entry", "read_log", "read_rows"]

ACTIVITY = "activity"  # the track of what a log says of whole activities
EDGES = ("begin", "end")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Entry(NamedTuple):
    """An event; `place` is its line or row, `known` has instance, label and group."""

    time: str
    track: str
    action: str
    state: str
    place: int
    known: Mapping[str, str]


def read_log(file: InputFile) -> Iterator[Entry]:
    """Entries of a log: a time, an action and a state on each line, and what begins or ends."""
    nothing: dict[str, str] = {}
    for number, line in enumerate(file.lines(), 1):
        words = line.split()
        if not words:
            continue
        dated = DATE.fullmatch(words[0]) is not None
        time, words = " ".join(words[: 1 + dated]), words[1 + dated :]
        if len(words) < 2:
            raise DataError(
                f"{file.prefix}line {number} is {quote(line)}; it must have a time, an action and "
                "a state, as in '2010-11-04 00:03:50.2 M003 ON'; for tables give ",
                Option("layout", "table"),
            )
        yield Entry(time, words[0], words[0], words[1], number, nothing)
        for activity, edge in _activities(words[2:], f"{file.prefix}line {number}"):
            yield Entry(time, ACTIVITY, activity, edge, number, nothing)


def _activities(words: Sequence[str], where: str) -> Iterator[tuple[str, str]]:
    """What begins and ends with an event: names, of one word or more, each with begin or end."""
    name: list[str] = []
    for word in words:
        if word.lower() in EDGES and name:
            yield " ".join(name), word
            name = []
        else:
            name.append(word)
    if name:
        raise DataError(
            f"{where}: after the state comes {quote(' '.join(name))}; it must be an "
            "activity and begin or end, as in 'Sleeping begin'"
        )


def read_rows(
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
