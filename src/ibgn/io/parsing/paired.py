"""Cells that hold a start and an end, "0:05-0:10", and times that are in several columns."""

import re
from collections.abc import Mapping, Sequence

from ibgn.checks import as_number
from ibgn.io.parsing.words import END, START, words_of

__all__ = ["is_pair", "join_parts", "split_pairs"]

TIME = r"\d{1,9}(?::\d{2}){1,2}(?:[.,]\d{1,9})?|\d{1,9}\.\d{1,9}"
NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
TO = r"\s{0,2}(?:-{1,2}>|[-–—~]|to)\s{0,2}"
OPEN = re.compile(rf"(?=.*[:.])({TIME}|{NUMBER}){TO}({TIME}|{NUMBER})", re.ASCII)
CLOSED = re.compile(
    rf"[\[(]\s{{0,2}}({TIME}|{NUMBER})\s{{0,2}}[,;]\s{{0,2}}({TIME}|{NUMBER})\s{{0,2}}[\])]"
)
LONGEST = 60  # characters of such a cell
PARTS = {
    **dict.fromkeys(("h", "hour", "hours", "hr"), 3600),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
}
MOST = 0.9  # share of the cells of a column that are pairs


def is_pair(cell: str) -> bool:
    """Whether a cell is a start and an end.

    Examples
    --------
    >>> [is_pair(cell) for cell in ("0:05 - 0:10", "[0.5, 2.5]", "12.5-14", "2-1", "0:05")]
    [True, True, True, False, False]
    """
    return _pair(cell) is not None


def _pair(cell: str) -> re.Match[str] | None:
    text = cell.strip()
    if len(text) > LONGEST:
        return None
    return OPEN.fullmatch(text) or CLOSED.fullmatch(text)


def split_pairs(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]] | None:
    """Names and rows with the start and the end in columns of their own.

    None where no column has both, or several have.

    Examples
    --------
    >>> split_pairs(["span", "what"], [["0:05-0:10", "tea"], ["0:12-0:20", "pour"]])
    (['start', 'end', 'what'], [['0:05', '0:10', 'tea'], ['0:12', '0:20', 'pour']])
    """
    places = [place for place in range(len(names)) if _has_pairs([row[place] for row in rows])]
    if len(places) != 1:
        return None
    place = places[0]
    both = [_pair(row[place]) for row in rows]
    times = [["", ""] if pair is None else list(pair.groups()) for pair in both]
    cut = [[*row[:place], *pair, *row[place + 1 :]] for row, pair in zip(rows, times, strict=True)]
    return [*names[:place], "start", "end", *names[place + 1 :]], cut


def _has_pairs(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and sum(map(is_pair, filled)) >= MOST * len(filled)


def join_parts(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]] | None:
    """Names and rows with the seconds of times whose hours, minutes and seconds are apart.

    None where no start and no end are.

    Examples
    --------
    >>> names = ["start_min", "start_sec", "end_min", "end_sec", "play"]
    >>> join_parts(names, [["1", "5", "2", "0.5", "pass"]])
    (['play', 'start_s', 'end_s'], [['pass', '65.0', '120.5']])
    """
    parts = [_part(name) for name in names]
    times: dict[str, dict[int, int]] = {}
    for place, part in enumerate(parts):
        if part is not None:
            times.setdefault(part[0], {}).setdefault(part[1], place)
    apart = {base: places for base, places in times.items() if len(places) > 1}
    if len(apart) < len((START, END)):
        return None
    used = {place for places in apart.values() for place in places.values()}
    kept = [place for place in range(len(names)) if place not in used]
    joined = [
        [*(row[place] for place in kept), *(_seconds(row, places) for places in apart.values())]
        for row in rows
    ]
    return [*(names[place] for place in kept), *(f"{base}_s" for base in apart)], joined


def _part(name: str) -> tuple[str, int] | None:
    """What a column is a part of, the start or the end of something, and its unit in seconds."""
    words = words_of(name)
    units = [word for word in words if word in PARTS]
    others = [word for word in words if word not in PARTS]
    if len(units) != 1 or len(others) != 1 or not {*others} <= START | END:
        return None
    return others[0], PARTS[units[0]]


def _seconds(row: Sequence[str], places: Mapping[int, int]) -> str:
    numbers = {unit: as_number(row[place]) for unit, place in places.items() if row[place].strip()}
    if not numbers or None in numbers.values():
        return ""
    return str(float(sum(unit * (number or 0.0) for unit, number in numbers.items())))
