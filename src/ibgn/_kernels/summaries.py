"""What models remember of the times of their instances."""

import numpy as np

from ibgn._arrays import Bools, Codes, Floats, Ints
from ibgn._kernels.compile import kernel

FEW = 64  # values that are sorted by insertion


@kernel
def in_order(values: Floats) -> Floats:
    """The values, sorted; where they are few, without the overhead that many are worth."""
    ordered = values.copy()
    if len(ordered) > FEW:
        ordered.sort()
        return ordered
    for i in range(1, len(ordered)):
        value, place = ordered[i], i
        while place and ordered[place - 1] > value:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = value
    return ordered


@kernel
def add_summary(
    offsets: Ints,
    action: Codes,
    start: Floats,
    end: Floats,
    code: Ints,
    steps: Floats,
    closeness: Ints,
    broken: Bools,
) -> None:
    """Add what instances say about their activities, whose numbers are `code` (n,).

    To: steps (activities, 2), the number and the sum of the times between end points of an instance
    that follow each other and differ. closeness (activities, actions), whether two intervals of an
    action ever met (1) or overlapped (2) in an instance. broken (activities,), whether a time is
    not a whole number.
    """
    last = np.full(closeness.shape[1], -1)  # interval of each action, of any instance
    for d in range(len(code)):
        c, begin, stop = code[d], offsets[d], offsets[d + 1]
        times = in_order(np.concatenate((start[begin:stop], end[begin:stop])))
        for i in range(1, len(times)):
            if times[i] > times[i - 1]:
                steps[c, 0] += 1
                steps[c, 1] += times[i] - times[i - 1]
        for time in times:
            if time != np.round(time):
                broken[c] = True
        for i in range(begin, stop):
            before = last[action[i]]
            if before >= begin and start[i] <= end[before]:
                close = 2 if start[i] < end[before] else 1
                closeness[c, action[i]] = max(closeness[c, action[i]], close)
            last[action[i]] = i


@kernel
def run_medians(edges: Ints, values: Floats) -> Floats:
    """Median of the values of each run, of which none is empty -> (runs,).

    edges (runs + 1,): where each run begins, and the number of values.
    """
    medians = np.empty(len(edges) - 1)
    for run in range(len(medians)):
        ordered = in_order(values[edges[run] : edges[run + 1]])
        middle = len(ordered) // 2
        medians[run] = (ordered[middle] + ordered[-1 - middle]) / 2
    return medians
