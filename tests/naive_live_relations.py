"""Plain twins of the kernels in _kernels/live_relations.py: from scratch at every event."""

import itertools

import numpy as np

B, M, O, S, C, F, E = (1 << r for r in range(7))  # noqa: E741
ALL = 127


def possible_relations(start_i, end_i, start_j, end_j, now):
    """Every way in which open intervals may end is tried: now, later, or later still."""
    found = 0
    for first in _ends(start_i, end_i, now):
        for second in _ends(start_j, end_j, now):
            found |= _relation(start_i, first, start_j, second)
    return found


def _ends(start, end, now):
    return [end] if np.isfinite(end) else [t for t in (now, now + 1, now + 2) if t > start]


def _relation(start_i, end_i, start_j, end_j):
    """As a set; empty where the second interval would come first."""
    if (start_j, end_j) < (start_i, end_i):
        return 0
    if start_i == start_j:
        return S if end_i < end_j else E
    if end_i <= start_j:
        return B if end_i < start_j else M
    if end_i == end_j:
        return F
    return O if end_i < end_j else C


def add_relation(held, allowed, first, second, actions, ties, keys, known, unknown, scores):
    if not ties and second < first < actions and allowed != E:
        allowed &= ~E
    members = [r for r in range(7) if allowed >> r & 1]
    chosen = [r for r in members if held >> r & 1]
    if len(members) < 2 or not chosen:
        return
    both_known = first < actions and second < actions
    key = (first * actions + second) * 128 + allowed if both_known else -1
    (row,) = np.flatnonzero(keys == key) if both_known and key in keys else [None]
    logs = known[row] if row is not None else unknown[allowed]
    scores += np.log(np.exp(logs[chosen]).sum(axis=0))


def leave_between(slots, start, end, now, held, composition):
    last, allowed = slots[-1], ALL
    for slot, mine in zip(slots[:-1], held, strict=False):
        its = possible_relations(start[slot], end[slot], start[last], end[last], now)
        allowed &= int(composition[mine, its])
    return allowed


def relate_live(
    order, number, action, start, end, now, rows, count, seen, limits, horizon, actions, ties,
    composition, keys, known, unknown, settled, scores,
):  # fmt: skip
    """All pairs; none is ever settled."""
    scores[:] = 0
    slots = order[:number]
    held = {
        (i, j): possible_relations(start[a], end[a], start[b], end[b], now)
        for (i, a), (j, b) in itertools.combinations(enumerate(slots), 2)
    }
    for (i, j), mine in held.items():
        if j - i > horizon:
            continue
        allowed = ALL
        for k in range(i + 1, j):
            allowed &= int(composition[held[i, k], held[k, j]])
        codes = action[slots[i]], action[slots[j]]
        add_relation(mine, allowed, *codes, actions, ties, keys, known, unknown, scores)
    return count
