"""What follows what in an instance that goes on, event by event.

Intervals have slots in the order in which they started; `order` has the slots in the order of
(start, end, action), as instances have them. The end of an interval that is open is infinite, and
what ended just now may still turn out to end together with others.
"""

import math

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.densities import log_density
from ibgn._kernels.links import find


@kernel
def is_loose(order: Ints, number: int, start: Floats, end: Floats, now: float, i: int) -> bool:
    """Whether the order of a position among others that started with it may still change."""
    one = order[i]
    if end[one] < now:
        return False
    if start[one] == now:  # others may start just now
        return True
    for j in (i - 1, i + 1):
        if 0 <= j < number and start[order[j]] == start[one] and end[order[j]] >= now:
            return True
    return False


@kernel
def follow_live(
    order: Ints,
    number: int,
    action: Codes,
    start: Floats,
    end: Floats,
    now: float,
    cursor: Ints,
    keys: Ints,
    known: Floats,
    usual: Floats,
    left: Floats,
    settled: Floats,
    scores: Floats,
) -> None:
    """Scores of which action follows which.

    keys (rows,), known (rows, activities), usual (actions, activities), left (actions + 1,
    activities): as `ibgn.terms.order.FittedOrder` has them. cursor (2,): first position that is not
    settled, and the known action before it.
    """
    actions = len(usual)
    before, final = cursor[1], True
    scores[:] = 0.0
    for p in range(cursor[0], number):
        final = final and not is_loose(order, number, start, end, now, p)
        code = action[order[p]]
        if code < actions:
            row = find(keys, before * actions + code)
            target = settled if final else scores
            for c in range(len(scores)):
                target[c] += known[row, c] if row >= 0 else usual[code, c] + left[before, c]
            before = code
        if final:
            cursor[0], cursor[1] = p + 1, before
    scores += settled


@kernel
def wait_live(
    order: Ints,
    number: int,
    action: Codes,
    start: Floats,
    end: Floats,
    now: float,
    cursor: Ints,
    together: Floats,
    shape: Floats,
    settled: Floats,
    scores: Floats,
) -> None:
    """Scores of the time since the start before.

    together (actions, 2, activities), shape (actions, 4, activities): what was learned. cursor
    (1,): first position that is not settled.
    """
    final = True
    scores[:] = 0.0
    for p in range(cursor[0], number):
        final = final and not is_loose(order, number, start, end, now, p)
        code = action[order[p]]
        if p > 0 and code < len(together):
            gap = start[order[p]] - start[order[p - 1]]
            target = settled if final else scores
            target += together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(math.log(gap), shape[code], target)
        if final:
            cursor[0] = p + 1
    scores += settled
