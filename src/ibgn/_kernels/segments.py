"""Segmentations of a stream: runs of intervals that are an activity each, and what is none.

A stream of n intervals, in the order of their starts, is cut into segments. A segment of an
activity has up to `longest` intervals; every interval of none, the last label, is a segment of its
own. The log weight of a segmentation is the sum over its segments: of their scores, and of the
steps from label to label. Sums over all segmentations go through the positions at which segments
begin, block by block, and take time n * longest * labels.

Arrays are

- scores (block, longest, activities): of the segments that begin at each position of a block and
  have 1, 2, ... intervals; -inf where that is impossible, as beyond the end of the stream
- none (n,): of an interval that belongs to no activity
- steps (labels + 1, labels): from each label to the next; the last row is for the first segment
- `begin`: the first position of the block
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
def sum_before(
    scores: Floats, none: Floats, steps: Floats, begin: int, entry: Floats, ending: Floats
) -> None:
    """Log sums over all that may be before a position; blocks come in ascending order.

    Sets entry (n, labels): of what is before a segment that begins there with this label, with the
    step to it. Adds to ending (n + 1, labels), which is -inf at first: of what has its last
    segment, of this label, end before a position.
    """
    block, longest, activities = scores.shape
    n = len(none)
    for b in range(begin, begin + block):
        for s in range(activities + 1):
            entry[b, s] = -np.inf if b else steps[activities + 1, s]
            for p in range(activities + 1 if b else 0):
                entry[b, s] = log_add(entry[b, s], ending[b, p] + steps[p, s])
        for m in range(min(longest, n - b)):
            for s in range(activities):
                weight = entry[b, s] + scores[b - begin, m, s]
                ending[b + m + 1, s] = log_add(ending[b + m + 1, s], weight)
        ending[b + 1, activities] = entry[b, activities] + none[b]


@kernel
def sum_after(scores: Floats, none: Floats, steps: Floats, begin: int, after: Floats) -> None:
    """Log sums over all that may follow; blocks come in descending order.

    Sets after (n + 1, labels), which is 0 at first: of what follows a segment of this label that
    ends before a position.
    """
    block, longest, activities = scores.shape
    n = len(none)
    own = np.empty(activities + 1)
    for b in range(begin + block - 1, begin - 1, -1):
        own[:] = -np.inf
        for m in range(min(longest, n - b)):
            for s in range(activities):
                own[s] = log_add(own[s], scores[b - begin, m, s] + after[b + m + 1, s])
        own[activities] = none[b] + after[b + 1, activities]
        for p in range(activities + 1):
            after[b, p] = -np.inf
            for s in range(activities + 1):
                after[b, p] = log_add(after[b, p], steps[p, s] + own[s])


@kernel
def share_runs(
    scores: Floats, begin: int, entry: Floats, after: Floats, log_total: float, changes: Floats
) -> Floats:
    """(block, longest, activities) probability of each segment of an activity.

    Adds to changes (n + 1, labels) how the probability that an interval is in an activity differs
    from that of the interval before.
    """
    block, longest, activities = scores.shape
    shares = np.zeros(scores.shape)
    for b in range(begin, begin + block):
        for m in range(min(longest, len(entry) - b)):
            for s in range(activities):
                weight = entry[b, s] + scores[b - begin, m, s] + after[b + m + 1, s]
                share = math.exp(min(weight - log_total, 0.0))  # sums of large weights are rounded
                shares[b - begin, m, s] = share
                changes[b, s] += share
                changes[b + m + 1, s] -= share
    return shares


@kernel
def climb(
    scores: Floats,
    none: Floats,
    steps: Floats,
    begin: int,
    best: Floats,
    origin: Ints,
    before: Ints,
) -> None:
    """Largest weights of what is before a position; blocks come in ascending order.

    Adds to best (n + 1, labels), which is -inf at first: of what has its last segment, of this
    label, end before a position; origin and before have the position at which that segment begins,
    and the label before it. Of equal ones, the first counts.
    """
    block, longest, activities = scores.shape
    labels, n = activities + 1, len(none)
    for b in range(begin, begin + block):
        for s in range(labels):
            source, entry = labels, steps[labels, s] if b == 0 else -np.inf
            for p in range(labels if b else 0):
                if best[b, p] + steps[p, s] > entry:
                    source, entry = p, best[b, p] + steps[p, s]
            for m in range(min(longest, n - b) if s < activities else 1):
                weight = entry + (scores[b - begin, m, s] if s < activities else none[b])
                if weight > best[b + m + 1, s]:
                    best[b + m + 1, s] = weight
                    origin[b + m + 1, s], before[b + m + 1, s] = b, source


@kernel
def trace_back(best: Floats, origin: Ints, before: Ints) -> tuple[Ints, Ints]:
    """First position and label of each segment of the likeliest segmentation; see `climb`."""
    n = len(best) - 1
    first, label = np.empty(n, np.int64), np.empty(n, np.int64)
    number, e, s = 0, n, int(np.argmax(best[n]))
    while e > 0:
        number += 1
        first[n - number], label[n - number] = origin[e, s], s
        e, s = origin[e, s], before[e, s]
    return first[n - number :], label[n - number :]
