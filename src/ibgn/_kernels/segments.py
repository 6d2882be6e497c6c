"""Segmentations of a stream: runs of intervals that are an activity each, and what is none.

A stream of n intervals, in the order of their starts, is cut into segments. A segment of an
activity has up to `longest` intervals; every interval of none, the last label, is a segment of its
own. The log weight of a segmentation is the sum over its segments: of their scores, and of the
steps from label to label. With those that begin at a position treated one after the other, all
sums over segmentations take time n * longest * labels.

Arrays are

- scores (n, longest, activities): of the segment that begins at a position and has 1, 2, ...
  intervals; -inf where it is impossible, as beyond the end of the stream
- none (n,): of an interval that belongs to no activity
- steps (labels + 1, labels): from each label to the next; the last row is for the first segment
"""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel


@kernel
def log_add(one: float, other: float) -> float:
    """log(exp(one) + exp(other))."""
    if one < other:
        one, other = other, one
    if other == -np.inf:
        return one
    return one + math.log1p(math.exp(other - one))


@kernel
def sum_before(scores: Floats, none: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Log sums over all that may be before a position.

    Returns entry (n, labels), of what is before a segment that begins there with this label, with
    the step to it; and ending (n + 1, labels), of what has its last segment, of this label, end
    before a position.
    """
    n, longest, activities = scores.shape
    ending = np.full((n + 1, activities + 1), -np.inf)
    entry = np.full((n, activities + 1), -np.inf)
    for b in range(n):
        for s in range(activities + 1):
            if b == 0:
                entry[b, s] = steps[activities + 1, s]
            else:
                for p in range(activities + 1):
                    entry[b, s] = log_add(entry[b, s], ending[b, p] + steps[p, s])
        for m in range(min(longest, n - b)):
            for s in range(activities):
                weight = entry[b, s] + scores[b, m, s]
                ending[b + m + 1, s] = log_add(ending[b + m + 1, s], weight)
        ending[b + 1, activities] = entry[b, activities] + none[b]
    return entry, ending


@kernel
def sum_after(scores: Floats, none: Floats, steps: Floats) -> Floats:
    """(n + 1, labels) log sums over all that may follow a segment of a label that ends there."""
    n, longest, activities = scores.shape
    after = np.full((n + 1, activities + 1), -np.inf)
    after[n] = 0.0
    own = np.empty(activities + 1)
    for b in range(n - 1, -1, -1):
        own[:] = -np.inf
        for m in range(min(longest, n - b)):
            for s in range(activities):
                own[s] = log_add(own[s], scores[b, m, s] + after[b + m + 1, s])
        own[activities] = none[b] + after[b + 1, activities]
        for p in range(activities + 1):
            for s in range(activities + 1):
                after[b, p] = log_add(after[b, p], steps[p, s] + own[s])
    return after


@kernel
def share_segments(
    scores: Floats, none: Floats, entry: Floats, after: Floats, log_total: float
) -> tuple[Floats, Floats]:
    """Probability of each segment.

    Returns (n, longest, activities) of segments of activities, and (n, labels) that an interval is
    in a segment of each label.
    """
    n, longest, activities = scores.shape
    shares = np.zeros(scores.shape)
    inside = np.zeros((n + 1, activities + 1))
    for b in range(n):
        for m in range(min(longest, n - b)):
            for s in range(activities):
                weight = entry[b, s] + scores[b, m, s] + after[b + m + 1, s]
                shares[b, m, s] = math.exp(weight - log_total)
                inside[b, s] += shares[b, m, s]
                inside[b + m + 1, s] -= shares[b, m, s]
    for b in range(1, n):  # from changes to levels
        for s in range(activities):
            inside[b, s] += inside[b - 1, s]
    for b in range(n):
        weight = entry[b, activities] + none[b] + after[b + 1, activities]
        inside[b, activities] = math.exp(weight - log_total)
        for s in range(activities):
            inside[b, s] = min(max(inside[b, s], 0.0), 1.0)
    return shares, inside[:n]


@kernel
def best_segments(scores: Floats, none: Floats, steps: Floats) -> tuple[Ints, Ints]:
    """First position and label of each segment of the likeliest segmentation; ties go to earlier.

    best[e, s] = max over b of max over p of best[b, p] + steps[p, s] + score of (b, e, s).
    """
    n, longest, activities = scores.shape
    labels = activities + 1
    best = np.full((n + 1, labels), -np.inf)
    begin = np.zeros((n + 1, labels), np.int64)
    before = np.zeros((n + 1, labels), np.int64)
    for b in range(n):
        for s in range(labels):
            source, entry = labels, steps[labels, s]
            if b > 0:
                source, entry = 0, -np.inf
                for p in range(labels):
                    if best[b, p] + steps[p, s] > entry:
                        source, entry = p, best[b, p] + steps[p, s]
            last = min(longest, n - b) if s < activities else 1
            for m in range(last):
                weight = entry + (scores[b, m, s] if s < activities else none[b])
                if weight > best[b + m + 1, s]:
                    best[b + m + 1, s] = weight
                    begin[b + m + 1, s], before[b + m + 1, s] = b, source
    first, label = np.empty(n, np.int64), np.empty(n, np.int64)
    number, e = 0, n
    s = int(np.argmax(best[n]))
    while e > 0:
        number += 1
        first[n - number], label[n - number] = begin[e, s], s
        e, s = begin[e, s], before[e, s]
    return first[n - number :], label[n - number :]
