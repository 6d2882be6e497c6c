"""End points that are the same instant, and the order of intervals."""

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

SLACK = 1e-6  # part of a tolerance that rounding may add to or take from a distance
TWO_ULPS = 2.0**-51  # relative rounding error of a difference of two times


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
def comes_before(i: int, j: int, instance: Ints, start: Floats, end: Floats, action: Ints) -> bool:
    """Whether row i comes before row j, by (instance, start, end, action)."""
    if instance[i] != instance[j]:
        return bool(instance[i] < instance[j])
    if start[i] != start[j]:
        return bool(start[i] < start[j])
    if end[i] != end[j]:
        return bool(end[i] < end[j])
    return bool(action[i] < action[j])


@kernel
def order_nearly_ordered(
    instance: Ints, start: Floats, end: Floats, action: Ints, most: int
) -> tuple[Ints, int]:
    """Order of rows by (instance, start, end, action), equal ones as they are, and moves it took.

    By insertion, which is quick where few rows are out of place; gives up after `most` moves.
    """
    order, moves = np.arange(len(instance)), 0
    for i in range(1, len(instance)):
        place = i
        while place and comes_before(i, order[place - 1], instance, start, end, action):
            order[place] = order[place - 1]
            place -= 1
            moves += 1
            if moves > most:
                return order, moves
        order[place] = i
    return order, moves
