"""Plain twins of the kernels in _kernels/live_order.py: from scratch at every event."""

import numpy as np

from naive_densities import log_density


def uncounted(line, notes, n):
    """All positions: forgetting more than is needed does no harm."""
    return 0, line.size[0]


def count_positions(line, notes, first, last):
    notes.counted[first:last] = line.order[first:last]
    notes.done[1] = max(notes.done[1], last)


def sum_steps(line, learned, notes, first, last):
    """Steps to known actions, which are those at a position or the first after all of them."""
    actions = len(learned.usual)
    known = [
        (p, line.action[slot])
        for p, slot in enumerate(notes.counted[: notes.done[1]])
        if line.action[slot] < actions
    ]
    after = min((p for p, _ in known if p >= last), default=None)
    notes.said[:] = 0
    for (p, code), (_, before) in zip(known, [(-1, actions), *known], strict=False):
        if first <= p < last or p == after:
            met = np.flatnonzero(learned.keys == before * actions + code)
            usual = learned.usual[code] + learned.left[before]
            notes.said[:] += learned.known[met[0]] if len(met) else usual


def say_order(line, learned, notes):
    count_positions(line, notes, 0, line.size[0])
    sum_steps(line, learned, notes, 0, line.size[0])


def sum_gaps(line, learned, notes, first, last):
    notes.said[:] = 0
    slots = notes.counted[: notes.done[1]]
    for p in range(max(first, 1), min(last, len(slots))):
        gap, code = line.start[slots[p]] - line.start[slots[p - 1]], line.action[slots[p]]
        if code < len(learned.together):
            notes.said[:] += learned.together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(np.log(gap), learned.shape[code], notes.said)


def say_gaps(line, learned, notes):
    count_positions(line, notes, 0, line.size[0])
    sum_gaps(line, learned, notes, 0, line.size[0])
