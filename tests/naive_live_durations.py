"""Plain twins of the kernels in _kernels/live_durations.py: from scratch at every event."""

import numpy as np

from naive_densities import log_density, log_survival


def say_durations(line, learned, notes):
    notes.said[:] = 0
    for slot in range(line.size[0]):
        _add([slot], line, learned.shape, notes.said)


def say_totals(line, learned, notes):
    notes.said[:] = 0
    for a in range(len(learned.shape)):
        _add(np.flatnonzero(line.action[: line.size[0]] == a), line, learned.shape, notes.said)


def _add(slots, line, shape, scores):
    """What the time of intervals of one action says."""
    total = sum(min(line.end[slot], line.time[0]) - line.start[slot] for slot in slots)
    if total > 0 and line.action[slots[0]] < len(shape):
        ended = np.isfinite(line.end[slots]).all()
        (log_density if ended else log_survival)(
            np.log(total), shape[line.action[slots[0]]], scores
        )
