"""A plain twin of every kernel: same name, same parameters, written straight from the definition.

Slow on purpose and short enough to be believed by eye. tests/test_kernels.py checks that no
kernel is without a twin and that each gives the same as its twin.
"""

import itertools

import numpy as np

from ibgn.allen import COMPOSITION

ALL = 127


def relation_of(start_i, end_i, start_j, end_j):
    holds = [
        end_i < start_j,
        end_i == start_j,
        start_i < start_j < end_i < end_j,
        start_i == start_j and end_i < end_j,
        start_i < start_j and end_j < end_i,
        start_i < start_j and end_i == end_j,
        start_i == start_j and end_i == end_j,
    ]
    assert sum(holds) == 1
    return holds.index(True)


def instances(offsets, start, end):
    for begin, stop in itertools.pairwise(offsets):
        yield list(zip(start[begin:stop], end[begin:stop], strict=True))


def relations(intervals):
    pairs = itertools.combinations(range(len(intervals)), 2)
    return {(i, j): relation_of(*intervals[i], *intervals[j]) for i, j in pairs}


def constraints(intervals, linked, composition):
    """The definition: visit n = 1, 2, ... and for each the earlier positions, nearest first."""
    relation = relations(intervals)
    constraint, known = {}, {}
    for n in range(1, len(intervals)):
        for m in range(n - 1, -1, -1):
            allowed = ALL
            for between in range(m + 1, n):
                allowed &= composition[known[m, between], known[between, n]]
            constraint[m, n] = allowed
            known[m, n] = 1 << relation[m, n] if linked(m, n) else allowed
    return constraint


def rows(pairs, horizon):
    """Values of a dictionary of pairs (i, j) that are not too far apart, row by row."""
    return [pairs[i, j] for i, j in sorted(pairs) if j - i <= horizon]


def flatten(lists, dtype=np.uint8):
    return np.array([value for values in lists for value in values], dtype)


def rows_before(i, k, horizon):
    return sum(m < i and n - m <= horizon for m, n in itertools.combinations(range(k), 2))


def count_pairs(offsets, horizon):
    pairs = itertools.chain(*(itertools.combinations(range(k), 2) for k in np.diff(offsets)))
    return sum(j - i <= horizon for i, j in pairs)


def relate(offsets, start, end, horizon):
    return flatten(
        rows(relations(intervals), horizon) for intervals in instances(offsets, start, end)
    )


def left_open(start, end, between):
    first_end_after, last_start_after, last_end_inside = between
    left = 0b0110111  # bmocf
    if first_end_after <= end:
        left &= 0b0000111  # bmo
    if last_end_inside >= start:
        left &= 0b0110100  # ocf
    forced = start <= last_start_after or start >= first_end_after or end <= last_end_inside
    return 0 if forced or left.bit_count() == 1 else left


def with_one_more(relation, start, end, between):
    ends_after, starts_after, ends_inside = ([value] for value in between)
    if relation == 4:  # contains
        ends_inside.append(end)
    else:
        ends_after.append(end)
        starts_after = [start]  # intervals come in the order of starts
    return min(ends_after), max(starts_after), max(ends_inside)


def constrain_row(i, stop, start, end, row):
    intervals = list(zip(start[i:stop], end[i:stop], strict=True))
    constraint = constraints(intervals, lambda m, n: True, COMPOSITION)
    for j in range(1, len(intervals)):
        row[j - 1] = constraint[0, j]


def constrain_full(offsets, start, end, horizon):
    return flatten(
        rows(constraints(intervals, lambda m, n: True, COMPOSITION), horizon)
        for intervals in instances(offsets, start, end)
    )


def constrain_chain(offsets, start, end, composition, horizon):
    return flatten(
        rows(constraints(intervals, lambda m, n: n == m + 1, composition), horizon)
        for intervals in instances(offsets, start, end)
    )


def is_linked(links, beyond, i, j):
    return links[i, j] if j < len(links) else [False, j == i + 1, True][beyond]


def constrain_column(j, known, composition, column):
    width = known.shape[1]
    for span in range(1, len(column) + 1):
        allowed = ALL
        for p in range(1, span):
            allowed &= composition[known[(j - p) % width, span - p - 1], known[j % width, p - 1]]
        known[j % width, span - 1] = column[span - 1] or allowed
        column[span - 1] = allowed


def constrain_linked(offsets, start, end, links, beyond, composition, horizon):
    return flatten(
        rows(
            constraints(intervals, lambda m, n: is_linked(links, beyond, m, n), composition),
            horizon,
        )
        for intervals in instances(offsets, start, end)
    )


def count(offsets, start, end, linked, composition, horizon):
    counts = np.zeros((128, 7), np.int64)
    for intervals in instances(offsets, start, end):
        relation = relations(intervals)
        for (i, j), allowed in constraints(intervals, linked, composition).items():
            if linked(i, j) and j - i <= horizon:
                counts[allowed, relation[i, j]] += 1
    return counts


def count_full(offsets, start, end, horizon):
    return count(offsets, start, end, lambda m, n: True, COMPOSITION, horizon)


def count_linked(offsets, start, end, links, beyond, span, composition):
    return count(
        offsets, start, end, lambda m, n: is_linked(links, beyond, m, n), composition, span
    )


def close(network, changed, projections):
    """Go over all triangles until a whole round changes nothing."""
    closed, before = network.copy(), None
    while before is None or (closed != before).any():
        before = closed.copy()
        for i, m, j in itertools.combinations(range(len(network)), 3):
            closed[i, j] &= projections[0, closed[i, m], closed[m, j]]
            closed[m, j] &= projections[1, closed[i, m], closed[i, j]]
            closed[i, m] &= projections[2, closed[i, j], closed[m, j]]
    upper = np.triu_indices(len(network), 1)
    return closed if (closed[upper] > 0).all() else np.zeros_like(closed)


def narrow_triangle(network, i, j, m, projections):
    a, b, c = sorted((i, j, m))
    ab, bc, ac = network[a, b], network[b, c], network[a, c]
    sides = {
        (a, c): ac & projections[0, ab, bc],
        (b, c): bc & projections[1, ab, ac],
        (a, b): ab & projections[2, ac, bc],
    }
    del sides[i, j]
    return tuple((p, q, allowed) for (p, q), allowed in sides.items())
