"""Relations of an instance that goes on: between intervals that are open they are sets.

Each position of the order has a row of pairs with later positions, for as long as an event can
change them. What a row says is summed up to where time has to pass first. Before each interval that
is open, a mark keeps the sum so far, to be taken up again there when it ends. So an event costs
time for the intervals that it can affect, and not for those of the past. Relations, sets of them
and keys are those of `pairs` and `links`.

Which rows are left depends on the instance alone, and not on when it was asked about: a recogniser
that is restored from its instance has the same ones.
"""

import math
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bools, Bytes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.links import fallback_row, find, pair_key, without_tie
from ibgn._kernels.live_line import CHANGES, INTERVALS, NOW, OPEN, Line, group_of, is_loose
from ibgn._kernels.pairs import (
    ALL,
    NOTHING,
    Between,
    C,
    E,
    F,
    M,
    O,
    S,
    left_open,
    relation_of,
    with_one_more,
)

LATEST = np.finfo(np.float64).max  # of all ends that there are
GOES_ON = 1 << O | 1 << S | 1 << C  # relations that leave later ones open


class Relations(NamedTuple):
    """What was learned of relations."""

    composition: Bytes  # (128, 128) of sets
    keys: Ints  # (rows,) of two actions and what is allowed
    known: Floats  # (rows, 7, activities) log probabilities
    unknown: Floats  # (256, 7, activities)
    horizon: int  # positions
    actions: int
    ties: bool


class Rows(NamedTuple):
    """What is noted of one instance."""

    settled: Floats  # (activities,) of rows that cannot change
    said: Floats  # (activities,)
    done: Ints  # (3,) changes and positions that were seen, and rows in use
    position: Ints  # (rows,)
    stop: Ints  # (rows,) the later position up to which pairs are summed
    closed: Bools  # (rows,) whether no pair after that has a choice
    between: Floats  # (rows, 3) what is known of those that have ended, see `left_open`
    partial: Floats  # (rows, activities) the sum
    marks: Ints  # (rows,) how many there are
    marked: Ints  # (rows, marks) later positions that are open
    between_then: Floats  # (rows, marks, 3) as it was before them
    partial_then: Floats  # (rows, marks, activities)


@kernel
def possible_relations(
    start_i: float, end_i: float, start_j: float, end_j: float, now: float
) -> int:
    """Set of relations that two intervals may have in the end; the first is not after the other."""
    if end_i < now and end_j < now:
        return 1 << relation_of(start_i, end_i, start_j, end_j)
    if not (math.isinf(end_i) or math.isinf(end_j)):
        return 1 << relation_of(start_i, end_i, start_j, end_j)
    if start_i == start_j:
        return 1 << S if end_i < now else 1 << S | 1 << E
    if end_i <= start_j or end_i < now:  # the second is open, and ends after the first
        return 1 << relation_of(start_i, end_i, start_j, end_j)
    if end_j < now:
        return 1 << C
    if not math.isinf(end_i):
        return 1 << O | 1 << F
    if not math.isinf(end_j):
        return 1 << C | 1 << F
    together = 1 << O | 1 << C | 1 << F
    return together | 1 << M if start_j == now else together


@kernel
def add_relation(
    held: int,
    allowed: int,
    first: int,
    second: int,
    learned: Relations,
    scores: Floats,
) -> None:
    """Add the log probability that a relation is in a set, given what is allowed, to the scores."""
    actions = learned.actions
    if not learned.ties:
        allowed = without_tie(allowed, first, second, actions)
    held &= allowed
    if allowed & (allowed - 1) == 0 or held == allowed or held == 0:
        return
    key = pair_key(first, second, allowed, True, actions)
    row = find(learned.keys, key)
    logs = learned.known[row] if row >= 0 else learned.unknown[fallback_row(key, actions)]
    if held & (held - 1) == 0:
        relation = 0
        while not held >> relation & 1:
            relation += 1
        for c in range(len(scores)):
            scores[c] += logs[relation, c]
        return
    for c in range(len(scores)):
        chance = 0.0
        for relation in range(7):
            if held >> relation & 1:
                chance += math.exp(logs[relation, c])
        scores[c] += math.log(chance)


@kernel
def add_pair(
    line: Line,
    learned: Relations,
    i: int,
    j: int,
    between: Between,
    uncertain: Ints,
    scores: Floats,
) -> int:
    """Add what the relation of two positions says to the scores; the relation, as a set.

    between : of the positions between which have ended
    uncertain : the others
    """
    order, start, end, now = line.order, line.start, line.end, line.time[NOW]
    one, two = order[i], order[j]
    held = possible_relations(start[one], end[one], start[two], end[two], now)
    allowed = ALL
    if between != NOTHING:
        allowed = left_open(start[two], min(end[two], LATEST), between)
    for k in uncertain:
        if allowed & (allowed - 1) == 0:
            break
        third = order[k]
        first = possible_relations(start[one], end[one], start[third], end[third], now)
        second = possible_relations(start[third], end[third], start[two], end[two], now)
        allowed &= learned.composition[first, second]
    add_relation(held, allowed, line.action[one], line.action[two], learned, scores)
    return held


@kernel
def begin_row(rows: Rows, r: int, position: int) -> None:
    """Sum the pairs of a position from the first."""
    rows.position[r], rows.stop[r], rows.marks[r] = position, position + 1, 0
    rows.closed[r] = False
    rows.between[r, 0], rows.between[r, 1], rows.between[r, 2] = NOTHING
    rows.partial[r] = 0.0


@kernel
def move_row(rows: Rows, r: int, to: int) -> None:
    """Keep a row at the place of an earlier one."""
    rows.position[to], rows.stop[to], rows.closed[to] = (
        rows.position[r],
        rows.stop[r],
        rows.closed[r],
    )
    rows.between[to], rows.partial[to] = rows.between[r], rows.partial[r]
    rows.marks[to] = rows.marks[r]
    for n in range(rows.marks[r]):
        rows.marked[to, n] = rows.marked[r, n]
        rows.between_then[to, n] = rows.between_then[r, n]
        rows.partial_then[to, n] = rows.partial_then[r, n]


@kernel
def forget_end(line: Line, rows: Rows, slot: int) -> None:
    """Forget the sums of all pairs on which the end of an interval has an effect."""
    first, last = group_of(line, slot)
    for r in range(rows.done[2]):
        i, kept = rows.position[r], rows.marks[r]
        if first <= i < last:
            if last - first > 1:  # another slot may have come to this position
                begin_row(rows, r, i)
            kept = 0
        while kept and rows.marked[r, kept - 1] >= first > i:
            kept -= 1
        if kept < rows.marks[r]:
            rows.stop[r], rows.closed[r] = rows.marked[r, kept], False
            rows.between[r] = rows.between_then[r, kept]
            rows.partial[r] = rows.partial_then[r, kept]
            rows.marks[r] = kept


@kernel
def sum_row(line: Line, learned: Relations, rows: Rows, r: int) -> bool:
    """Sum the pairs of a row that only an end can change; whether none can be changed at all."""
    i, now = rows.position[r], line.time[NOW]
    one, last = line.order[i], min(line.size[INTERVALS], i + 1 + learned.horizon)
    ends_now, (first, beyond) = line.end[one] == now, group_of(line, one)
    if line.start[one] == now or (ends_now and beyond - first > 1):
        return False
    while rows.stop[r] < last and not rows.closed[r]:
        j, n = rows.stop[r], rows.marks[r]
        two = line.order[j]
        if line.start[two] == now or (ends_now and line.end[two] > now):
            break
        # as if it were still open, where its end says nothing: sums must not depend on questions
        if line.end[two] == now and (line.start[two] < line.end[one] or is_loose(line, j)):
            break
        rows.marked[r, n] = j
        rows.between_then[r, n], rows.partial_then[r, n] = rows.between[r], rows.partial[r]
        between = (rows.between[r, 0], rows.between[r, 1], rows.between[r, 2])
        held = add_pair(line, learned, i, j, between, rows.marked[r, :n], rows.partial[r])
        rows.closed[r] = held & GOES_ON == 0
        if math.isinf(line.end[two]):
            # where the first ended before the second started, the second's end says nothing
            rows.marks[r] += not rows.closed[r] or n > 0 or is_loose(line, j)
        elif not rows.closed[r]:
            relation = C if held == 1 << C else O
            between = with_one_more(relation, line.start[two], line.end[two], between)
            rows.between[r, 0], rows.between[r, 1], rows.between[r, 2] = between
        rows.stop[r] += 1
    is_whole = rows.closed[r] or rows.stop[r] - i > learned.horizon
    return is_whole and rows.marks[r] == 0 and not is_loose(line, i)


@kernel
def add_rest(line: Line, learned: Relations, rows: Rows, r: int, scores: Floats) -> None:
    """Add to the scores what a row says, also of pairs which change as time passes."""
    scores += rows.partial[r]
    i, number = rows.position[r], rows.marks[r]
    last = min(line.size[INTERVALS], i + 1 + learned.horizon)
    if rows.closed[r] or rows.stop[r] == last:
        return
    uncertain = np.empty(number + last - rows.stop[r], np.int64)
    uncertain[:number] = rows.marked[r, :number]
    between = (rows.between[r, 0], rows.between[r, 1], rows.between[r, 2])
    for j in range(rows.stop[r], last):
        held = add_pair(line, learned, i, j, between, uncertain[:number], scores)
        if held & GOES_ON == 0:
            break
        two = line.order[j]
        if line.end[two] < line.time[NOW]:
            relation = C if held == 1 << C else O
            between = with_one_more(relation, line.start[two], line.end[two], between)
        else:
            uncertain[number] = j
            number += 1


@kernel
def say_relations(line: Line, learned: Relations, rows: Rows) -> bool:
    """Log probability of the relations, or sets of them, of all pairs; whether there is room."""
    if min(line.size[OPEN], learned.horizon) >= rows.marked.shape[1]:
        return False
    for n in range(rows.done[0], line.size[CHANGES]):
        if line.changes[n] < 0:
            forget_end(line, rows, ~line.changes[n])
    rows.done[0] = line.size[CHANGES]
    rows.said[:] = 0.0
    kept, used = 0, rows.done[2]
    for r in range(used + line.size[INTERVALS] - rows.done[1]):
        if r >= used:
            if kept == len(rows.position):
                break
            begin_row(rows, kept, rows.done[1])
            rows.done[1] += 1
        elif r > kept:
            move_row(rows, r, kept)
        if sum_row(line, learned, rows, kept):
            rows.settled[:] += rows.partial[kept]
        else:
            add_rest(line, learned, rows, kept, rows.said)
            kept += 1
    rows.done[2] = kept
    rows.said[:] += rows.settled
    return bool(rows.done[1] == line.size[INTERVALS])
