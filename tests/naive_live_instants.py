"""Plain twins of the kernels in _kernels/live_instants.py: from scratch at every event."""

import numpy as np

from naive_live_line import span_of


def say_starts(line, learned, notes):
    notes.said[:] = 0
    parts = learned.logs.shape[1]
    for slot in range(line.size[0]):
        if line.action[slot] < len(learned.logs):
            part = int((line.start[slot] - line.time[1]) / span_of(line) * parts)
            notes.said[:] += learned.logs[line.action[slot], min(part, parts - 1)]


def say_instants(line, learned, notes):
    """What goes on is noted as the kernel notes it; the difference to what was before is added."""
    notes.settled[:] -= _covered(notes.going_on, learned)
    actions, instants, _ = learned.alone.shape
    begin, span = line.time[1], span_of(line)
    notes.going_on[:] = 0
    for slot in range(line.size[0]):
        for time, step in ((line.start[slot], 1), (line.end[slot], -1)):
            for r in range(instants):
                known = line.action[slot] < actions and np.isfinite(time)
                if known and np.ceil((time - begin) / span * instants - 0.5) <= r:
                    notes.going_on[line.action[slot], r] += step
    notes.settled[:] += _covered(notes.going_on, learned)
    notes.said[:] = notes.settled


def _covered(going_on, learned):
    on = going_on > 0
    next_too = on & np.append(on[:, 1:], np.zeros((len(on), 1), bool), axis=1)
    return learned.alone[on].sum(axis=0) + learned.both[next_too].sum(axis=0)
