"""An instance that goes on: what its intervals so far say, event by event.

Intervals have slots in the order in which they started; `order` has the slots in the order of
(start, end, action), as instances have them. The end of an interval that is open is infinite, and
what ended just now may still turn out to end together with others. Relations, sets of them and keys
are those of `pairs` and `links`.
"""

import math

import numpy as np

from ibgn._arrays import Bytes, Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.links import fallback_row, find, pair_key, without_tie
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


@kernel
def is_loose(order: Ints, number: int, start: Floats, end: Floats, now: float, i: int) -> bool:
    """Whether the order of a position among others that started with it may still change."""
    one = order[i]
    if end[one] < now:
        return False
    if start[one] == now:  # others may start just now
        return True
    for j in (i - 1, i + 1):
        if 0 <= j < number and start[order[j]] == start[one] and end[order[j]] >= now:
            return True
    return False


@kernel
def follow_live(
    order: Ints,
    number: int,
    action: Codes,
    start: Floats,
    end: Floats,
    now: float,
    cursor: Ints,
    keys: Ints,
    known: Floats,
    usual: Floats,
    left: Floats,
    settled: Floats,
    scores: Floats,
) -> None:
    """Scores of which action follows which.

    keys (rows,), known (rows, activities), usual (actions, activities), left (actions + 1,
    activities): as `ibgn.terms.order.FittedOrder` has them. cursor (2,): first position that is not
    settled, and the known action before it.
    """
    actions = len(usual)
    before, final = cursor[1], True
    scores[:] = 0.0
    for p in range(cursor[0], number):
        final = final and not is_loose(order, number, start, end, now, p)
        code = action[order[p]]
        if code < actions:
            row = find(keys, before * actions + code)
            target = settled if final else scores
            for c in range(len(scores)):
                target[c] += known[row, c] if row >= 0 else usual[code, c] + left[before, c]
            before = code
        if final:
            cursor[0], cursor[1] = p + 1, before
    scores += settled


@kernel
def log_density(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log density of a number to the scores; shape (4, activities) as `StudentT.shape`."""
    for c in range(len(scores)):
        distance = (value - shape[0, c]) / shape[1, c]
        scores[c] += shape[3, c] - shape[2, c] * math.log1p(distance * distance)


@kernel
def wait_live(
    order: Ints,
    number: int,
    action: Codes,
    start: Floats,
    end: Floats,
    now: float,
    cursor: Ints,
    together: Floats,
    shape: Floats,
    settled: Floats,
    scores: Floats,
) -> None:
    """Scores of the time since the start before.

    together (actions, 2, activities), shape (actions, 4, activities): what was learned. cursor
    (1,): first position that is not settled.
    """
    final = True
    scores[:] = 0.0
    for p in range(cursor[0], number):
        final = final and not is_loose(order, number, start, end, now, p)
        code = action[order[p]]
        if p > 0 and code < len(together):
            gap = start[order[p]] - start[order[p - 1]]
            target = settled if final else scores
            target += together[code, 0 if gap > 0 else 1]
            if gap > 0:
                log_density(math.log(gap), shape[code], target)
        if final:
            cursor[0] = p + 1
    scores += settled


@kernel
def place_live(
    number: int,
    action: Codes,
    start: Floats,
    begin: float,
    span: float,
    passed: Ints,
    logs: Floats,
    scores: Floats,
) -> None:
    """Scores of the parts of the instance in which intervals start, while it grows.

    passed (bins,): how many slots have left each part for an earlier one, and in the place of the
    first part how many there are. logs (actions, bins, activities). A start moves to earlier parts
    only, so each slot is moved at most once per part.
    """
    bins = len(passed)
    while passed[0] < number:  # new ones start in the last part
        code = action[passed[0]]
        if code < len(logs):
            scores += logs[code, bins - 1]
        passed[0] += 1
    for b in range(bins - 1, 0, -1):
        n = passed[b]
        while n < number and int((start[n] - begin) / span * bins) < b:
            code = action[n]
            if code < len(logs):
                for c in range(len(scores)):
                    scores[c] += logs[code, b - 1, c] - logs[code, b, c]
            n += 1
        passed[b] = n


@kernel
def cover_live(
    changes: int,
    time: Floats,
    action: Codes,
    step: Ints,
    begin: float,
    span: float,
    passed: Ints,
    going_on: Ints,
    alone: Floats,
    both: Floats,
    scores: Floats,
) -> None:
    """Scores of what goes on at relative times, while the instance grows.

    time, action, step (changes,): starts (1) and ends (-1) of known actions in order of time.
    passed (instants,): changes before each instant; going_on (actions, instants): intervals at it.
    alone, both (actions, instants, activities): added where an action goes on at an instant, and
    where at the next one too. An instant moves to later times only.
    """
    instants = len(passed)
    for r in range(instants - 1, -1, -1):
        n = passed[r]
        while n < changes and math.ceil((time[n] - begin) / span * instants - 0.5) <= r:
            a = action[n]
            was = going_on[a, r] > 0
            going_on[a, r] += step[n]
            if was != (going_on[a, r] > 0):
                sign = -1.0 if was else 1.0
                next_on = r + 1 < instants and going_on[a, r + 1] > 0
                previous_on = r > 0 and going_on[a, r - 1] > 0
                for c in range(len(scores)):
                    scores[c] += sign * alone[a, r, c]
                    if next_on:
                        scores[c] += sign * both[a, r, c]
                    if previous_on:
                        scores[c] += sign * both[a, r - 1, c]
            n += 1
        passed[r] = n


@kernel
def log_survival(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log probability of a larger number; shape (4, activities) as `StudentT.shape`.

    The tail of a Student-t distribution is half an incomplete beta function.
    """
    for c in range(len(scores)):
        distance, half = (value - shape[0, c]) / shape[1, c], shape[2, c] - 0.5
        x = 1 / (1 + distance * distance)
        # the height is that of the density, whose logarithm lacks the factor of the beta function
        front = shape[3, c] + math.log(shape[1, c]) + half * math.log(x)
        if x < (half + 1) / (half + 2.5):
            tail = front + 0.5 * math.log1p(-x) + math.log(beta_fraction(x, half, 0.5) / (2 * half))
            scores[c] += tail if distance > 0 else math.log1p(-math.exp(tail))
        else:  # near the middle
            middle = math.exp(front + 0.5 * math.log1p(-x)) * beta_fraction(1 - x, 0.5, half)
            scores[c] += math.log(0.5 - middle) if distance > 0 else math.log(0.5 + middle)


@kernel
def beta_fraction(x: float, a: float, b: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 200):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
