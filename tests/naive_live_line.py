"""Plain twins of the kernels in _kernels/live_line.py."""

import numpy as np


def span_of(line):
    now, begin, last_end = line.time
    return (now if line.size[1] else last_end) - begin or 1.0


def group_of(line, slot):
    (together,) = np.nonzero(line.start[: line.size[0]] == line.start[slot])
    return together[0], together[-1] + 1


def is_loose(line, i):
    now, one = line.time[0], line.order[i]
    slots = line.order[: line.size[0]]
    together = [slot for slot in slots if line.start[slot] == line.start[one]]
    unsure = [slot for slot in together if line.end[slot] >= now]
    return one in unsure and (len(unsure) > 1 or line.start[one] == now)
