"""The instance that goes on, as kernels see it.

Intervals have slots in the order in which they started; `order` has the slots in the order of
(start, end, action), as instances have them. The end of an interval that is open is infinite, and
what ended just now may still turn out to end together with others.
"""

from typing import NamedTuple

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.compile import kernel

NOW, BEGIN, LAST_END = range(3)
INTERVALS, OPEN, CHANGES = range(3)


class Line(NamedTuple):
    """Arrays of a timeline; of those by slot only the first are in use."""

    time: Floats  # (3,) now, the first start, the last end
    size: Ints  # (3,) how many intervals, open ones and changes there are
    order: Ints  # (slots,)
    action: Codes  # (slots,) codes, those of unknown actions beyond the last
    start: Floats  # (slots,)
    end: Floats  # (slots,)
    open: Ints  # (slots,) slots without an end, in any order
    changes: Ints  # (2 * slots,) the slot of each start, ~slot of each end, as they came


@kernel
def span_of(line: Line) -> float:
    """How long the instance has lasted; 1 where it begins now, and is at its begin all the time."""
    last = line.time[NOW] if line.size[OPEN] else line.time[LAST_END]
    return last - line.time[BEGIN] or 1.0


@kernel
def group_of(line: Line, slot: int) -> tuple[int, int]:
    """First place, and the one after the last, of the intervals that started together with one."""
    first, last = slot, slot + 1
    while first and line.start[first - 1] == line.start[slot]:
        first -= 1
    while last < line.size[INTERVALS] and line.start[last] == line.start[slot]:
        last += 1
    return first, last


@kernel
def is_loose(line: Line, i: int) -> bool:
    """Whether the order of a position among others that started with it may still change."""
    one, now = line.order[i], line.time[NOW]
    if line.end[one] < now:
        return False
    if line.start[one] == now:  # others may start just now
        return True
    for j in (i - 1, i + 1):
        if 0 <= j < line.size[INTERVALS]:
            two = line.order[j]
            if line.start[two] == line.start[one] and line.end[two] >= now:
                return True
    return False
