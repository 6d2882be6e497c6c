"""Units of times that no name tells: of clocks since 1970, and of recordings of known length."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ibgn.checks import as_number
from ibgn.io.formats.json.times import Times, frame_rate
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.words import LENGTH, UNITS, words_of

__all__ = ["Unit", "find_unit"]

Span = tuple[float, float]

# parts of a second since 1970, from 1973 on: what is smaller are seconds, or no such times
SINCE_1970 = ((1e11, 1e14, 1e-3), (1e14, 1e17, 1e-6))
COVERED = 0.3, 1.05  # shares of a recording that its annotations reach
NAMES = {1e-3: "milliseconds", 1e-6: "microseconds"}


class Unit(NamedTuple):
    """Seconds that a number stands for, what it is called, and the objects that it is of."""

    seconds: float
    name: str
    of: frozenset[int]


def find_unit(
    records: Sequence[tuple[Node, Times]], spans: Sequence[Span], given: float | None = None
) -> Unit:
    """Unit of the times that have none in their names: the given one, or what numbers tell.

    Numbers are parts of a second since 1970 where they are as large as these, and milliseconds or
    frames where the recording, which says how long it is, would end before them.
    """
    plain = frozenset(
        number for number, (record, times) in enumerate(records) if _has_no_unit(record, times)
    )
    ends = [spans[number] for number in plain]
    seconds = Unit(given or 1.0, "seconds", plain)
    if not ends or given is not None:
        return seconds
    for least, most, unit in SINCE_1970:
        if all(least <= start < most for start, _ in ends):
            return Unit(unit, NAMES[unit], plain)
    record, times = records[min(plain)]
    length, last = _stated_length(record), max(end for _, end in ends)
    units = {1e-3: NAMES[1e-3]}
    rate = frame_rate(record, times)
    if rate is not None:
        units[1 / rate] = "frames"
    if length is None or last <= COVERED[1] * length:
        return seconds
    fitting = [unit for unit in units if COVERED[0] <= last * unit / length <= COVERED[1]]
    return Unit(fitting[0], units[fitting[0]], plain) if len(fitting) == 1 else seconds


def _has_no_unit(record: Node, times: Times) -> bool:
    """Whether times are numbers, and their name does not tell a unit."""
    value = record.value[times.start]
    while isinstance(value, list):
        value = value[0]
    is_number = isinstance(value, int | float) or as_number(str(value)) is not None
    return is_number and not times.in_frames and not {*words_of(times.start)} & UNITS.keys()


def _stated_length(record: Node) -> float | None:
    """Seconds that what is around an object is said to last."""
    node = record.parent
    while node is not None:
        for length in _lengths(node):
            return length
        node = node.parent
    return None


def _lengths(node: Node) -> Iterator[float]:
    for key, value in node.value.items() if isinstance(node.value, dict) else ():
        words = words_of(key)
        told = next((UNITS[word] for word in words if word in UNITS), 1.0)
        if LENGTH & {*words} and isinstance(value, int | float):
            length = as_number(value)  # infinite where a float cannot hold it
            if length is not None and 0 < length < math.inf:
                yield length * told
