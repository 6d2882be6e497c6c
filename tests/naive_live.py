"""Plain twins of the kernels of an instance that goes on: from scratch at every event."""

import itertools

import numpy as np
from scipy import special, stats

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


def is_loose(order, number, start, end, now, i):
    one = order[i]
    together = [slot for slot in order[:number] if start[slot] == start[one] and end[slot] >= now]
    return end[one] >= now and (len(together) > 1 or start[one] == now)


def follow_live(
    order, number, action, start, end, now, cursor, keys, known, usual, left, settled, scores
):
    scores[:] = 0
    before = actions = len(usual)
    for slot in order[:number]:
        code = action[slot]
        if code < actions:
            met = np.flatnonzero(keys == before * actions + code)
            scores += known[met[0]] if len(met) else usual[code] + left[before]
            before = code


def log_density(value, shape, scores):
    scores += _student(shape).logpdf(value)


def log_survival(value, shape, scores):
    scores += _student(shape).logsf(value)


def _student(shape):
    location, width, power, _ = shape
    freedom = 2 * power - 1
    return stats.t(freedom, location, width / np.sqrt(freedom))


def beta_fraction(x, a, b):
    front = x**a * (1 - x) ** b / (a * special.beta(a, b))
    return special.betainc(a, b, x) / front


def wait_live(order, number, action, start, end, now, cursor, together, shape, settled, scores):
    scores[:] = 0
    for before, slot in itertools.pairwise(order[:number]):
        gap, code = start[slot] - start[before], action[slot]
        if code < len(together):
            scores += together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(np.log(gap), shape[code], scores)


def place_live(number, action, start, begin, span, passed, logs, scores):
    scores[:] = 0
    bins = logs.shape[1]
    for slot in range(number):
        if action[slot] < len(logs):
            part = int((start[slot] - begin) / span * bins)
            scores += logs[action[slot], min(part, bins - 1)]


def cover_live(changes, time, action, step, begin, span, passed, going_on, alone, both, scores):
    """The difference to what was said before, about what goes on now."""
    scores -= _covered(going_on, alone, both)
    instants = len(passed)
    going_on[:] = 0
    for n in range(changes):
        for r in range(instants):
            if np.ceil((time[n] - begin) / span * instants - 0.5) <= r:
                going_on[action[n], r] += step[n]
    scores += _covered(going_on, alone, both)


def _covered(going_on, alone, both):
    on = going_on > 0
    next_too = on & np.append(on[:, 1:], np.zeros((len(on), 1), bool), axis=1)
    return alone[on].sum(axis=0) + both[next_too].sum(axis=0)
