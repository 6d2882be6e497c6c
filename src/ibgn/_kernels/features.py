"""Numbers about the actions of instances, counted straight into cells.

A cell is one action in one instance in which it occurs. Cells of instance d are those from rows[d]
to rows[d+1], in the order of actions; cell (intervals,) is the cell of each interval. The intervals
of instance d are those from offsets[d] to offsets[d+1], in the order of (start, end).
"""

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.pairs import B, relation_of

RELATIONS = 7


@kernel
def find_spans(offsets: Ints, start: Floats, end: Floats) -> Floats:
    """When each instance begins and ends, 0 and 1 where it is empty -> (n, 2)."""
    spans = np.empty((len(offsets) - 1, 2))
    for d in range(len(spans)):
        first, stop = offsets[d], offsets[d + 1]
        if first == stop:
            spans[d] = 0.0, 1.0
        else:
            spans[d] = start[first], end[first:stop].max()
    return spans


@kernel
def sample_actions(cell: Ints, start: Floats, end: Floats, cells: int, samples: int) -> Floats:
    """Number of intervals of each cell that go on at evenly spaced instants -> (cells, samples).

    Times are parts of the instance; instants are the middles of `samples` equal parts of it.
    """
    running = np.zeros((cells, samples))
    for i in range(len(cell)):
        first = int(np.ceil(start[i] * samples - 0.5))
        last = int(np.ceil(end[i] * samples - 0.5))
        running[cell[i], first:last] += 1
    return running


@kernel
def occupy_bins(cell: Ints, start: Floats, end: Floats, cells: int, bins: int) -> Floats:
    """Mean number of intervals of each cell that go on in equal parts of the instance.

    Times are parts of the instance -> (cells, bins).
    """
    going_on = np.zeros((cells, bins))
    for i in range(len(cell)):
        begin, stop = start[i] * bins, min(end[i] * bins, float(bins))
        for b in range(max(int(begin), 0), min(int(stop) + 1, bins)):
            going_on[cell[i], b] += max(0.0, min(stop, b + 1.0) - max(begin, float(b)))
    return going_on


@kernel
def relate_actions(
    cell: Ints, start: Floats, end: Floats, counts: Ints, ended: Ints, going_on: Ints, horizon: int
) -> None:
    """Add to counts (actions, actions, 7) the pairs of one instance, by actions and relation.

    Here cell is from 0 on. Intervals that ended are only counted by action, in ended (actions,),
    since they are before all that follow. So this takes as many steps as intervals times actions,
    and pairs that touch. going_on (intervals,) is scratch. Beyond the horizon, the number of
    intervals after each, nothing is counted.
    """
    ended[:], number = 0, 0
    for j in range(len(cell)):
        far, kept = j - horizon - 1, 0  # the last interval that is too far away
        if far >= 0 and end[far] < start[j - 1]:
            ended[cell[far]] -= 1
        for i in going_on[:number]:
            if i <= far:
                continue
            if end[i] < start[j]:
                ended[cell[i]] += 1
            else:
                counts[cell[i], cell[j], relation_of(start[i], end[i], start[j], end[j])] += 1
                going_on[kept] = i
                kept += 1
        going_on[kept] = j
        number = kept + 1
        counts[:, cell[j], B] += ended


@kernel
def enlarge(values: Ints, used: int, size: int) -> Ints:
    """Values with room for so many, of which the used ones are kept; at least twice as many."""
    if size <= len(values):
        return values
    larger = np.empty(max(size, 2 * len(values)), np.int64)
    larger[:used] = values[:used]
    return larger


@kernel
def write_counts(
    counts: Ints, action: Ints, actions: int, keys: Ints, numbers: Ints, used: int
) -> int:
    """Write what is counted, see `count_relations`, after the used part; returns how far it is."""
    for first in range(len(action)):
        for second in range(len(action)):
            key = (action[first] * actions + action[second]) * RELATIONS
            for r in range(RELATIONS):
                if counts[first, second, r]:
                    keys[used], numbers[used] = key + r, counts[first, second, r]
                    used += 1
    return used


@kernel
def count_relations(
    offsets: Ints,
    rows: Ints,
    cell: Ints,
    start: Floats,
    end: Floats,
    action: Ints,
    actions: int,
    horizon: int,
) -> tuple[Ints, Ints, Ints]:
    """Number of pairs of intervals by their actions and relation, in each instance.

    With action (cells,) and the number of all actions; of an interval and those after it within the
    horizon. Returns where the numbers of each instance begin (n+1,); what each counts, ascending,
    as (first action * actions + second action) * 7 + relation; and the numbers.
    """
    most = np.diff(rows).max() if len(rows) > 1 else 0
    counts = np.zeros(most * most * RELATIONS, np.int64)
    ended, going_on = np.empty(most, np.int64), np.empty(len(cell), np.int64)
    begins = np.zeros(len(offsets), np.int64)
    keys, numbers = np.empty(64, np.int64), np.empty(64, np.int64)
    used = 0
    for d in range(len(offsets) - 1):
        own, of_action = slice(offsets[d], offsets[d + 1]), action[rows[d] : rows[d + 1]]
        size = len(of_action)
        cube = counts[: size * size * RELATIONS].reshape(size, size, RELATIONS)
        relate_actions(
            cell[own] - rows[d], start[own], end[own], cube, ended[:size], going_on, horizon
        )
        keys = enlarge(keys, used, used + cube.size)
        numbers = enlarge(numbers, used, used + cube.size)
        used = write_counts(cube, of_action, actions, keys, numbers, used)
        counts[: cube.size] = 0
        begins[d + 1] = used
    return begins, keys[:used].copy(), numbers[:used].copy()
