"""End points that are the same instant, and the order of intervals."""

import numpy as np

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels.compile import kernel

SLACK = 1e-6  # part of a tolerance that rounding may add to or take from a distance
TWO_ULPS = 2.0**-51  # relative rounding error of a difference of two times
RUN = 16  # rows that are sorted by insertion


@kernel
def is_closer(early: float, late: float, tolerance: float) -> bool:
    """Whether two times are closer than tolerance, and not only by rounding."""
    rounding = SLACK * tolerance + TWO_ULPS * max(abs(early), abs(late))
    return late - early < tolerance - rounding


@kernel
def merge_instants(owner: Ints, time: Floats, tolerance: float) -> Floats:
    """(points,) instant of each end point; they are sorted by (owner, time).

    From the first point on, a group is what is closer than tolerance to its first point. It
    becomes its lower median, or the last point before that which is not closer than tolerance to
    the next instant of the owner; the first point never is.
    """
    n = len(time)
    first = np.zeros(n, np.int64)  # point of its group
    for i in range(1, n):
        leader = first[i - 1]
        joins = owner[i] == owner[leader] and is_closer(time[leader], time[i], tolerance)
        first[i] = leader if joins else i
    merged = np.empty(n)
    stop = n
    while stop > 0:
        begin = first[stop - 1]
        chosen = (begin + stop - 1) // 2
        if stop < n and owner[stop] == owner[begin]:
            while chosen > begin and is_closer(time[chosen], merged[stop], tolerance):
                chosen -= 1
        merged[begin:stop] = time[chosen]
        stop = begin
    return merged


@kernel
def comes_before(i: int, j: int, start: Floats, end: Floats, action: Codes) -> bool:
    """Whether row i comes before row j, by (start, end, action)."""
    if start[i] != start[j]:
        return bool(start[i] < start[j])
    if end[i] != end[j]:
        return bool(end[i] < end[j])
    return bool(action[i] < action[j])


@kernel
def merge_runs(
    order: Ints, left: Ints, first: int, last: int, start: Floats, end: Floats, action: Codes
) -> None:
    """Merge the rows of order[first:first + width], sorted, and those after them up to last.

    left (width,) has the former, which are overwritten.
    """
    i, j = 0, first + len(left)
    while i < len(left):
        k = i + j - len(left)
        if j < last and comes_before(order[j], left[i], start, end, action):
            order[k] = order[j]
            j += 1
        else:
            order[k] = left[i]
            i += 1


@kernel
def order_intervals(
    offsets: Ints, instance: Ints, start: Floats, end: Floats, action: Codes
) -> Ints:
    """(rows,) order of rows by (instance, start, end, action), equal ones as they are.

    offsets (n + 1,) are those of the rows of each instance in that order. Rows are put where
    their instance is, and sorted there: short runs by insertion, which are merged two by two.
    """
    order = np.empty(len(instance), np.int64)
    place = offsets[:-1].copy()
    for row in range(len(instance)):
        order[place[instance[row]]] = row
        place[instance[row]] += 1
    for d in range(len(offsets) - 1):
        begin, stop = offsets[d], offsets[d + 1]
        for i in range(begin, stop):
            row, j = order[i], i
            while (j - begin) % RUN and comes_before(row, order[j - 1], start, end, action):
                order[j] = order[j - 1]
                j -= 1
            order[j] = row
        width = RUN
        while width < stop - begin:
            for first in range(begin, stop - width, 2 * width):
                middle, last = first + width, min(first + 2 * width, stop)
                if comes_before(order[middle], order[middle - 1], start, end, action):
                    left = order[first:middle].copy()
                    merge_runs(order, left, first, last, start, end, action)
            width *= 2
    return order
