"""Relations and constraints of all pairs of intervals of many instances.

The intervals of instance d are those from offsets[d] to offsets[d+1] of the flat arrays, in the
order of (start, end). Pairs i < j of an instance are row by row: (0,1), (0,2), ..., (1,2), ...
A horizon limits them to j - i <= horizon: the constraint of such a pair depends on no others.
Relations are 0 to 6 for b m o s c f e; a constraint is a set of them, bit r for relation r.
"""

import numpy as np

from ibgn._arrays import Bools, Bytes, Floats, Ints
from ibgn._kernels.compile import kernel

B, M, O, S, C, F, E = range(7)  # noqa: E741
ALL = 127
BMO = 1 << B | 1 << M | 1 << O
OCF = 1 << O | 1 << C | 1 << F
BMOCF = BMO | OCF

Between = tuple[float, float, float]  # earliest end, latest start and latest end, see `left_open`
NOTHING = (np.inf, -np.inf, -np.inf)  # is between neighbours

BEYOND_NONE, BEYOND_CHAIN, BEYOND_FULL = range(3)
EVERY = 1 << 40  # a horizon that is farther than any instance is long


@kernel
def relation_of(start_i: float, end_i: float, start_j: float, end_j: float) -> int:
    """Relation of two intervals, the first not after the second by (start, end)."""
    if start_i == start_j:
        return S if end_i < end_j else E
    if end_i < start_j:
        return B
    if end_i == start_j:
        return M
    if end_i < end_j:
        return O
    return F if end_i == end_j else C


@kernel
def relate(offsets: Ints, start: Floats, end: Floats, horizon: int) -> Bytes:
    """Relation of every pair; offsets (n+1,), start and end (intervals,) -> (pairs,)."""
    relation = np.empty(count_pairs(offsets, horizon), np.uint8)
    pair = 0
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            for j in range(i + 1, min(offsets[d + 1], i + 1 + horizon)):
                relation[pair] = relation_of(start[i], end[i], start[j], end[j])
                pair += 1
    return relation


@kernel
def rows_before(i: int, k: int, horizon: int) -> int:
    """Number of pairs of an instance of k intervals in the rows before i."""
    width = max(min(k - 1, horizon), 0)
    whole = min(i, k - width)  # rows of so many pairs; each one after them has one pair less
    shorter = i - whole
    return whole * width + shorter * width - shorter * (shorter + 1) // 2


@kernel
def count_pairs(offsets: Ints, horizon: int) -> int:
    """Number of pairs in all instances."""
    pairs = 0
    for d in range(len(offsets) - 1):
        k = offsets[d + 1] - offsets[d]
        pairs += rows_before(k, k, horizon)
    return pairs


@kernel
def left_open(start: float, end: float, between: Between) -> int:
    """Relations that interval i leaves open to one that starts and ends then, 0 if only one.

    Every pair is linked. An interval m between i and j leaves more than one relation open in only
    two cases. (1) i overlaps or starts m, and m overlaps, contains or is finished by j: then bmocf
    is left if m ends after j, else bmo. (2) i contains m, and m is before, meets, overlaps or
    starts j: then bmocf is left if m ends before j starts, else ocf. So it is enough to remember of
    case (1) the earliest end and the latest start, and of case (2) the latest end. Anything else
    leaves the relation that holds, and so do bmo and ocf together.
    """
    first_end_after, last_start_after, last_end_inside = between
    if start <= last_start_after or start >= first_end_after or end <= last_end_inside:
        return 0
    inside = last_end_inside >= start
    if first_end_after <= end:
        return 0 if inside else BMO
    return OCF if inside else BMOCF


@kernel
def with_one_more(relation: int, start: float, end: float, between: Between) -> Between:
    """What to remember of the intervals after i, with one that i overlaps, starts or contains."""
    first_end_after, last_start_after, last_end_inside = between
    if relation == C:
        return first_end_after, last_start_after, max(last_end_inside, end)
    return min(first_end_after, end), start, last_end_inside


@kernel
def constrain_row(i: int, stop: int, start: Floats, end: Floats, row: Bytes) -> int:
    """Fill row with the constraints c(i, i+1), c(i, i+2), ... where every pair is linked.

    Returns how many were filled; all that follow leave only the relation that holds. One pass,
    constant work per pair, see `left_open`.
    """
    between = NOTHING
    for j in range(i + 1, stop):
        relation = relation_of(start[i], end[i], start[j], end[j])
        left = ALL if j == i + 1 else left_open(start[j], end[j], between)
        row[j - i - 1] = left if left else 1 << relation
        if relation != O and relation != S and relation != C:
            return j - i
        between = with_one_more(relation, start[j], end[j], between)
    return stop - i - 1


@kernel
def constrain_full(offsets: Ints, start: Floats, end: Floats, horizon: int) -> Bytes:
    """Constraint of every pair if every pair is linked, constant work for each -> (pairs,)."""
    constraint = np.empty(count_pairs(offsets, horizon), np.uint8)
    pair = 0
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            stop = min(offsets[d + 1], i + 1 + horizon)
            length = stop - i - 1
            row = constraint[pair : pair + length]
            for n in range(constrain_row(i, stop, start, end, row), length):
                row[n] = 1 << relation_of(start[i], end[i], start[i + n + 1], end[i + n + 1])
            pair += length
    return constraint


@kernel
def constrain_chain(
    offsets: Ints, start: Floats, end: Floats, composition: Bytes, horizon: int
) -> Bytes:
    """Constraint of every pair if only neighbours are linked, constant work for each -> (pairs,).

    Composition is associative, so c(i,j) is the product of the relations on the way from i to j.
    """
    constraint = np.empty(count_pairs(offsets, horizon), np.uint8)
    pair = 0
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            product = ALL
            for j in range(i + 1, min(offsets[d + 1], i + 1 + horizon)):
                step = 1 << relation_of(start[j - 1], end[j - 1], start[j], end[j])
                product = step if j == i + 1 else composition[product, step]
                constraint[pair] = ALL if j == i + 1 else product
                pair += 1
    return constraint


@kernel
def is_linked(links: Bools, beyond: int, i: int, j: int) -> bool:
    """Whether positions i < j are linked; links (size, size), beyond the rule past its size."""
    if j < len(links):
        return bool(links[i, j])
    return beyond == BEYOND_FULL or (beyond == BEYOND_CHAIN and j == i + 1)


@kernel
def constrain_column(j: int, known: Bytes, composition: Bytes, column: Bytes) -> None:
    """Fill column with the constraints c(j-1, j), ..., c(j-w, j), nearest first.

    known (w, w): x(q-p, q) at [q % w, p-1], the relation of a linked pair and the constraint of
    an unlinked one; column j itself is filled in on the way, from what column holds on entry: the
    relation as a set where the pair is linked, 0 where it is not.
    """
    width = known.shape[1]
    for span in range(1, len(column) + 1):
        allowed = ALL
        for p in range(1, span):
            left, right = known[(j - p) % width, span - p - 1], known[j % width, p - 1]
            allowed &= composition[left, right]
            if allowed & (allowed - 1) == 0:  # one relation is left, and it is the one that holds
                break
        known[j % width, span - 1] = column[span - 1] if column[span - 1] else allowed
        column[span - 1] = allowed


@kernel
def constrain_linked(
    offsets: Ints,
    start: Floats,
    end: Floats,
    links: Bools,
    beyond: int,
    composition: Bytes,
    horizon: int,
) -> Bytes:
    """Constraint of every pair under any structure, up to k steps for each -> (pairs,)."""
    constraint = np.empty(count_pairs(offsets, horizon), np.uint8)
    first = 0
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        width = max(1, min(k, horizon))
        known = np.empty((width, width), np.uint8)
        column = np.empty(width, np.uint8)
        for j in range(1, k):
            reach = min(j, width)
            for i in range(j - reach, j):
                r = relation_of(start[begin + i], end[begin + i], start[begin + j], end[begin + j])
                column[j - i - 1] = 1 << r if is_linked(links, beyond, i, j) else 0
            constrain_column(j, known, composition, column[:reach])
            for i in range(j - reach, j):
                constraint[first + rows_before(i, k, horizon) + j - i - 1] = column[j - i - 1]
        first += rows_before(k, k, horizon)
    return constraint


@kernel
def count_full(offsets: Ints, start: Floats, end: Floats, horizon: int) -> Ints:
    """Pairs by (constraint, relation) where every pair is linked -> (128, 7).

    Holds one row of an instance at a time, never its matrix.
    """
    counts = np.zeros((128, 7), np.int64)
    for d in range(len(offsets) - 1):
        row = np.empty(offsets[d + 1] - offsets[d], np.uint8)
        for i in range(offsets[d], offsets[d + 1]):
            stop = min(offsets[d + 1], i + 1 + horizon)
            filled = constrain_row(i, stop, start, end, row)
            for j in range(i + 1, stop):
                relation = relation_of(start[i], end[i], start[j], end[j])
                counts[row[j - i - 1] if j - i <= filled else 1 << relation, relation] += 1
    return counts


@kernel
def count_linked(
    offsets: Ints,
    start: Floats,
    end: Floats,
    links: Bools,
    beyond: int,
    span: int,
    composition: Bytes,
) -> Ints:
    """Linked pairs by (constraint, relation), up to a span -> (128, 7).

    The span is that of the longest link, or a horizon if that is nearer. A constraint depends only
    on pairs between its two positions, so it is enough to keep the last span columns, each of span
    pairs.
    """
    counts = np.zeros((128, 7), np.int64)
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        width = max(1, min(k, span))
        known = np.empty((width, width), np.uint8)
        column = np.empty(width, np.uint8)
        for j in range(1, k):
            reach = min(j, width)
            for i in range(j - reach, j):
                r = relation_of(start[begin + i], end[begin + i], start[begin + j], end[begin + j])
                column[j - i - 1] = 1 << r if is_linked(links, beyond, i, j) else 0
            constrain_column(j, known, composition, column[:reach])
            for i in range(j - reach, j):
                if is_linked(links, beyond, i, j):
                    r = relation_of(
                        start[begin + i], end[begin + i], start[begin + j], end[begin + j]
                    )
                    counts[column[j - i - 1], r] += 1
    return counts
