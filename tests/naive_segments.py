"""Plain twins of the kernels of segments, see naive.py: all segmentations, one by one."""

import math

import numpy as np


def log_add(one, other):
    return float(np.logaddexp(one, other))


def segmentations(n, longest, activities, first=0):
    """All segmentations of the positions from `first` to n, as lists of (begin, end, label)."""
    if first == n:
        yield []
        return
    for label in range(activities + 1):
        for length in range(1, 1 + (min(longest, n - first) if label < activities else 1)):
            segment = (first, first + length, label)
            for rest in segmentations(n, longest, activities, first + length):
                yield [segment, *rest]


def weigh(segments, scores, none, steps, before):
    """Log weight of segments that follow a label."""
    activities, total = scores.shape[2], 0.0
    for begin, end, label in segments:
        total += steps[before, label]
        total += none[begin] if label == activities else scores[begin, end - begin - 1, label]
        before = label
    return total


def _log_sum(values):
    values = list(values)
    top = max(values, default=-math.inf)
    return top if top == -math.inf else top + math.log(sum(math.exp(v - top) for v in values))


def sum_before(scores, none, steps):
    n, longest, activities = scores.shape
    entry = np.full((n, activities + 1), -np.inf)
    ending = np.full((n + 1, activities + 1), -np.inf)
    for stop in range(n + 1):
        ways = list(segmentations(stop, longest, activities))
        for label in range(activities + 1):
            own = [way for way in ways if way and way[-1][2] == label]
            ending[stop, label] = _log_sum(
                weigh(way, scores, none, steps, activities + 1) for way in own
            )
            if stop < n:
                entry[stop, label] = _log_sum(
                    weigh(way, scores, none, steps, activities + 1)
                    + steps[way[-1][2] if way else activities + 1, label]
                    for way in ways
                )
    return entry, ending


def sum_after(scores, none, steps):
    n, longest, activities = scores.shape
    return np.array(
        [
            [
                _log_sum(
                    weigh(way, scores, none, steps, label)
                    for way in segmentations(n, longest, activities, first)
                )
                for label in range(activities + 1)
            ]
            for first in range(n + 1)
        ]
    )


def share_segments(scores, none, entry, after, log_total):
    n, _, activities = scores.shape
    shares, inside = np.zeros(scores.shape), np.zeros((n, activities + 1))
    for begin, m, label in np.ndindex(scores.shape):
        if begin + m < n:
            weight = entry[begin, label] + scores[begin, m, label] + after[begin + m + 1, label]
            shares[begin, m, label] = math.exp(weight - log_total)
            inside[begin : begin + m + 1, label] += shares[begin, m, label]
    for begin in range(n):
        weight = entry[begin, -1] + none[begin] + after[begin + 1, -1]
        inside[begin, -1] = math.exp(weight - log_total)
    return shares, inside


def best_segments(scores, none, steps):
    n, longest, activities = scores.shape
    best = max(
        segmentations(n, longest, activities),
        key=lambda way: weigh(way, scores, none, steps, activities + 1),
    )
    firsts, _, labels = zip(*best, strict=True) if best else ((), (), ())
    return np.array(firsts, np.int64), np.array(labels, np.int64)
