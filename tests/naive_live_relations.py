"""Plain twins of the kernels in _kernels/live_relations.py: from scratch at every event."""

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


def add_relation(held, allowed, first, second, learned, scores):
    actions = learned.actions
    if not learned.ties and second < first < actions and allowed != E:
        allowed &= ~E
    members = [r for r in range(7) if allowed >> r & 1]
    chosen = [r for r in members if held >> r & 1]
    if len(members) < 2 or not chosen:
        return
    both_known = first < actions and second < actions
    key = (first * actions + second) * 128 + allowed if both_known else -1
    (row,) = np.flatnonzero(learned.keys == key) if key in learned.keys else [None]
    logs = learned.known[row] if row is not None else learned.unknown[allowed]
    scores += np.log(np.exp(logs[chosen]).sum(axis=0))


def add_pair(line, learned, i, j, between, uncertain, scores):
    """All that are between leave relations open by what they may be, ended or not."""
    slots = line.order[i : j + 1]

    def relate(one, two):
        times = line.start[one], line.end[one], line.start[two], line.end[two]
        return possible_relations(*times, line.time[0])

    held, allowed = relate(slots[0], slots[-1]), ALL
    for slot in slots[1:-1]:
        first, second = relate(slots[0], slot), relate(slot, slots[-1])
        allowed &= int(learned.composition[first, second])
    add_relation(held, allowed, *line.action[slots[[0, -1]]], learned, scores)
    return held


def begin_row(rows, r, position):
    rows.position[r], rows.stop[r], rows.marks[r] = position, position + 1, 0
    rows.closed[r], rows.between[r], rows.partial[r] = False, (np.inf, -np.inf, -np.inf), 0


def move_row(rows, r, to):
    for values in rows[3:]:
        values[to] = values[r]


def forget_end(line, rows, slot):
    """All rows begin again: forgetting more than is needed does no harm."""
    for r in range(rows.done[2]):
        begin_row(rows, r, rows.position[r])


def sum_row(line, learned, rows, r):
    """Nothing is ever summed for good."""
    return False


def add_rest(line, learned, rows, r, scores):
    i = rows.position[r]
    for j in range(i + 1, min(line.size[0], i + 1 + learned.horizon)):
        add_pair(line, learned, i, j, None, None, scores)


def say_relations(line, learned, rows):
    rows.said[:] = 0
    for i in range(line.size[0]):
        begin_row(rows, 0, i)
        add_rest(line, learned, rows, 0, rows.said)
    return True
