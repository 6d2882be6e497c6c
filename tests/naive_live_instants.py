"""Plain twins of the kernels in _kernels/live_instants.py: from scratch at every event."""

import numpy as np


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
