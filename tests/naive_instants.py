"""Plain twins of the kernels that merge end points, see naive.py."""

import numpy as np


def is_closer(early, late, tolerance):
    """Closer than tolerance by more than rounding can do."""
    return late - early < tolerance - (1e-6 * tolerance + 2.0**-51 * max(abs(early), abs(late)))


def merge_instants(owner, time, tolerance):
    merged = np.zeros(len(time))
    for one in set(owner.tolist()):
        points = time[owner == one].tolist()
        groups = []
        for point in points:
            if groups and is_closer(groups[-1][0], point, tolerance):
                groups[-1].append(point)
            else:
                groups.append([point])
        instants = []
        for group in reversed(groups):
            until_median = group[: (len(group) + 1) // 2]
            far = [
                t for t in until_median if not (instants and is_closer(t, instants[-1], tolerance))
            ]
            instants.append((far or group)[-1 if far else 0])
        both = zip(groups, reversed(instants), strict=True)
        merged[owner == one] = [instant for group, instant in both for _ in group]
    return merged


def comes_before(i, j, start, end, action):
    return (start[i], end[i], action[i]) < (start[j], end[j], action[j])


def merge_runs(order, left, first, last, start, end, action):
    rows = [*left, *order[first + len(left) : last]]
    order[first:last] = sorted(rows, key=lambda row: (start[row], end[row], action[row]))


def order_intervals(offsets, instance, start, end, action):
    rows = list(zip(instance, start, end, action, strict=True))
    return np.array(sorted(range(len(rows)), key=rows.__getitem__), np.int64)
