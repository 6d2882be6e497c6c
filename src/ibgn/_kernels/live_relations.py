"""Relations of an instance that goes on: between intervals that are open they are sets.

Intervals have slots, and an order, as `live_order` has them. Relations, sets of them and keys are
those of `pairs` and `links`.
"""

import math

import numpy as np

from ibgn._arrays import Bytes, Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.links import fallback_row, find, pair_key, without_tie
from ibgn._kernels.live_order import is_loose
from ibgn._kernels.pairs import ALL, C, E, F, M, O, S, left_open, relation_of, with_one_more

LATEST = np.finfo(np.float64).max  # of all ends that there are


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
    actions: int,
    ties: bool,
    keys: Ints,
    known: Floats,
    unknown: Floats,
    scores: Floats,
) -> None:
    """Add the log probability that a relation is in a set, given what is allowed, to the scores.

    known (rows, 7, activities), unknown (256, 7, activities): log probabilities
    """
    if not ties:
        allowed = without_tie(allowed, first, second, actions)
    held &= allowed
    if allowed & (allowed - 1) == 0 or held == allowed or held == 0:
        return
    key = pair_key(first, second, allowed, True, actions)
    row = find(keys, key)
    logs = known[row] if row >= 0 else unknown[fallback_row(key, actions)]
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
def relate_live(
    order: Ints,
    number: int,
    action: Codes,
    start: Floats,
    end: Floats,
    now: float,
    rows: Ints,
    count: int,
    seen: Ints,
    limits: Floats,
    horizon: int,
    actions: int,
    ties: bool,
    composition: Bytes,
    keys: Ints,
    known: Floats,
    unknown: Floats,
    settled: Floats,
    scores: Floats,
) -> int:
    """Scores of the relations of all pairs, of which some are settled for good.

    Parameters
    ----------
    order : (slots,) the first `number` are those of the instance, in its order
    action, start, end : (slots,) of each slot
    rows : (slots,) the first `count` are positions whose pairs with later ones may leave a choice
    seen, limits : (positions,) first position that is not settled with it; (positions, 3) of
        what is between, see `left_open`
    settled : (activities,) sum over settled pairs, which grows
    scores : (activities,) is set to the sum over all pairs

    Returns how many rows are left.
    """
    kept = 0
    scores[:] = 0.0
    for n in range(count):
        i, forced = rows[n], False
        one, j, last = order[i], seen[i], min(number, i + 1 + horizon)
        settles = not is_loose(order, number, start, end, now, i)
        while settles and j < last and not forced and end[order[j]] < now:
            two = order[j]
            relation = C
            if end[one] < now:
                relation = relation_of(start[one], end[one], start[two], end[two])
            between = (limits[i, 0], limits[i, 1], limits[i, 2])
            allowed = ALL if j == i + 1 else left_open(start[two], end[two], between)
            add_relation(
                1 << relation,
                allowed,
                action[one],
                action[two],
                actions,
                ties,
                keys,
                known,
                unknown,
                settled,
            )
            forced = relation not in (O, S, C)
            between = with_one_more(relation, start[two], end[two], between)
            limits[i, 0], limits[i, 1], limits[i, 2] = between
            j += 1
        seen[i] = j
        if forced or j - i > horizon:
            continue
        rows[kept] = i
        kept += 1
        held = np.empty(last - j, np.int64)
        for m in range(j, last):
            two = order[m]
            held[m - j] = possible_relations(start[one], end[one], start[two], end[two], now)
            allowed, until = ALL, min(end[two], LATEST)
            if j > i + 1:
                allowed = left_open(start[two], until, (limits[i, 0], limits[i, 1], limits[i, 2]))
            allowed &= leave_between(order[j : m + 1], start, end, now, held, composition)
            add_relation(
                held[m - j],
                allowed,
                action[one],
                action[two],
                actions,
                ties,
                keys,
                known,
                unknown,
                scores,
            )
            if held[m - j] & (1 << O | 1 << S | 1 << C) == 0:
                break  # it leaves nothing open to later ones
    scores += settled
    return kept


@kernel
def leave_between(
    slots: Ints, start: Floats, end: Floats, now: float, held: Ints, composition: Bytes
) -> int:
    """What intervals that may still change leave open of the relation to the last of the slots.

    held : relations, as sets, of a first interval to each of the slots
    """
    allowed, last = ALL, slots[-1]
    for n in range(len(slots) - 1):
        if allowed & (allowed - 1) == 0:
            break
        one = slots[n]
        between = possible_relations(start[one], end[one], start[last], end[last], now)
        allowed &= composition[held[n], between]
    return allowed
