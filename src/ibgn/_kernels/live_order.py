"""What follows what in an instance that goes on, and after how long.

Steps between neighbours are added when an interval starts. Those of intervals that started together
are taken back and added in their new order, when an end decides it.
"""

import math
from typing import NamedTuple

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.densities import log_density
from ibgn._kernels.links import find
from ibgn._kernels.live_line import CHANGES, Line, group_of


class Order(NamedTuple):
    """What was learned of the order, as `ibgn.terms.order.FittedOrder` has it."""

    keys: Ints  # (rows,) of two actions
    known: Floats  # (rows, activities)
    usual: Floats  # (actions, activities)
    left: Floats  # (actions + 1, activities)


class Gaps(NamedTuple):
    """What was learned of the time since the start before."""

    together: Floats  # (actions, 2, activities)
    shape: Floats  # (actions, 4, activities) as `StudentT.shape`


class OrderNotes(NamedTuple):
    """What is noted of one instance, by order or by gaps."""

    settled: Floats  # (activities,)
    said: Floats  # (activities,)
    done: Ints  # (2,) changes that were counted, and positions
    counted: Ints  # (slots,) the order that was counted


@kernel
def uncounted(line: Line, notes: OrderNotes, n: int) -> tuple[int, int]:
    """First and last position, exclusive, that a change put into another order than is counted."""
    change = line.changes[n]
    first, last = group_of(line, max(change, ~change))
    while first < min(last, notes.done[1]) and notes.counted[first] == line.order[first]:
        first += 1
    return first, last


@kernel
def count_positions(line: Line, notes: OrderNotes, first: int, last: int) -> None:
    """Take the order of some positions as it is now."""
    notes.counted[first:last] = line.order[first:last]
    notes.done[1] = max(notes.done[1], last)


@kernel
def sum_steps(line: Line, learned: Order, notes: OrderNotes, first: int, last: int) -> None:
    """Set what is said to the steps to positions and to the next one of a known action."""
    actions, order = len(learned.usual), notes.counted
    before, p = actions, first - 1
    while p >= 0 and before == actions:
        before = min(line.action[order[p]], actions)
        p -= 1
    notes.said[:] = 0.0
    for p in range(first, notes.done[1]):
        code = line.action[order[p]]
        if code < actions:
            row = find(learned.keys, before * actions + code)
            for c in range(len(notes.said)):
                if row >= 0:
                    notes.said[c] += learned.known[row, c]
                else:
                    notes.said[c] += learned.usual[code, c] + learned.left[before, c]
            if p >= last:
                break
            before = code


@kernel
def say_order(line: Line, learned: Order, notes: OrderNotes) -> None:
    """Log probability of which action follows which."""
    for n in range(notes.done[0], line.size[CHANGES]):
        first, last = uncounted(line, notes, n)
        if first < last:
            sum_steps(line, learned, notes, first, last)
            notes.settled[:] -= notes.said
            count_positions(line, notes, first, last)
            sum_steps(line, learned, notes, first, last)
            notes.settled[:] += notes.said
    notes.done[0] = line.size[CHANGES]
    notes.said[:] = notes.settled


@kernel
def sum_gaps(line: Line, learned: Gaps, notes: OrderNotes, first: int, last: int) -> None:
    """Set what is said to the gaps before positions."""
    order = notes.counted
    notes.said[:] = 0.0
    for p in range(max(first, 1), min(last, notes.done[1])):
        code = line.action[order[p]]
        if code < len(learned.together):
            gap = line.start[order[p]] - line.start[order[p - 1]]
            notes.said[:] += learned.together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(math.log(gap), learned.shape[code], notes.said)


@kernel
def say_gaps(line: Line, learned: Gaps, notes: OrderNotes) -> None:
    """Log density of the time since the start before."""
    for n in range(notes.done[0], line.size[CHANGES]):
        first, last = uncounted(line, notes, n)
        if first < last:
            sum_gaps(line, learned, notes, first, last)
            notes.settled[:] -= notes.said
            count_positions(line, notes, first, last)
            sum_gaps(line, learned, notes, first, last)
            notes.settled[:] += notes.said
    notes.done[0] = line.size[CHANGES]
    notes.said[:] = notes.settled
