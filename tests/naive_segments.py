"""Plain twins of the kernels of segments, see naive.py; and all segmentations, one by one."""

import math

import numpy as np


def log_add(one, other):
    return float(np.logaddexp(one, other))


def _runs(scores, begin, n):
    """(begin, end, label, score) of all segments of activities of a block."""
    for b, m, s in np.ndindex(scores.shape):
        if begin + b + m < n:
            yield begin + b, begin + b + m + 1, s, scores[b, m, s]


def sum_before(scores, none, steps, begin, entry, ending):
    for b in range(begin, begin + len(scores)):
        entry[b] = np.logaddexp.reduce(ending[b][:, None] + steps[:-1]) if b else steps[-1]
        for first, end, s, score in _runs(scores, begin, len(none)):
            if first == b:
                ending[end, s] = np.logaddexp(ending[end, s], entry[b, s] + score)
        ending[b + 1, -1] = entry[b, -1] + none[b]


def sum_after(scores, none, steps, begin, after):
    for b in reversed(range(begin, begin + len(scores))):
        own = np.full(after.shape[1], -np.inf)
        for first, end, s, score in _runs(scores, begin, len(none)):
            if first == b:
                own[s] = np.logaddexp(own[s], score + after[end, s])
        own[-1] = none[b] + after[b + 1, -1]
        after[b] = np.logaddexp.reduce(steps[:-1] + own, axis=1)


def share_runs(scores, begin, entry, after, log_total, changes):
    shares = np.zeros(scores.shape)
    for first, end, s, score in _runs(scores, begin, len(entry)):
        share = math.exp(entry[first, s] + score + after[end, s] - log_total)
        shares[first - begin, end - first - 1, s] = share
        changes[first, s] += share
        changes[end, s] -= share
    return shares


def climb(scores, none, steps, begin, best, origin, before):
    labels = best.shape[1]
    for b in range(begin, begin + len(scores)):
        ways = best[b][:, None] + steps[:-1] if b else steps[-1:]
        source = ways.argmax(axis=0) if b else np.full(labels, labels)
        runs = [run for run in _runs(scores, begin, len(none)) if run[0] == b]
        for first, end, s, score in [*runs, (b, b + 1, labels - 1, none[b])]:
            if ways.max(axis=0)[s] + score > best[end, s]:
                best[end, s] = ways.max(axis=0)[s] + score
                origin[end, s], before[end, s] = first, source[s]


def trace_back(best, origin, before):
    first, label = [], []
    e, s = len(best) - 1, int(best[-1].argmax())
    while e > 0:
        first.insert(0, origin[e, s])
        label.insert(0, s)
        e, s = origin[e, s], before[e, s]
    return np.array(first, np.int64), np.array(label, np.int64)


def segmentations(n, longest, activities, first=0):
    """All segmentations of the positions from `first` to n, as lists of (begin, end, label)."""
    if first == n:
        yield []
        return
    for label in range(activities + 1):
        for length in range(1, 1 + (min(longest, n - first) if label < activities else 1)):
            for rest in segmentations(n, longest, activities, first + length):
                yield [(first, first + length, label), *rest]


def weigh(segments, scores, none, steps):
    """Log weight of a segmentation, from its definition."""
    activities, before, total = scores.shape[2], -1, 0.0
    for begin, end, label in segments:
        total += steps[before, label]
        total += none[begin] if label == activities else scores[begin, end - begin - 1, label]
        before = label
    return total
