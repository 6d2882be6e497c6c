"""Plain twins of the kernels in _kernels/live_order.py: from scratch at every event."""

import itertools

import numpy as np

from naive_densities import log_density


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


def wait_live(order, number, action, start, end, now, cursor, together, shape, settled, scores):
    scores[:] = 0
    for before, slot in itertools.pairwise(order[:number]):
        gap, code = start[slot] - start[before], action[slot]
        if code < len(together):
            scores += together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(np.log(gap), shape[code], scores)
