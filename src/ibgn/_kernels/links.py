"""Relations of pairs: what they leave open, what decides their probability, what a link gains.

Relations and constraints are the flat arrays of `pairs`, pairs row by row. A set of relations is a
mask, bit r for relation r. The key of a pair is one number for what its distribution depends on:
(action i, action j, set) where it is linked, (action j, set) where it is not. A pair with an
unknown action has a negative key, one for each set.
"""

import math

import numpy as np

from ibgn._arrays import Bools, Bytes, Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.features import enlarge
from ibgn._kernels.pairs import (
    ALL,
    NOTHING,
    C,
    E,
    O,
    S,
    is_linked,
    left_open,
    relation_of,
    with_one_more,
)

Key = int | np.int64
CONSTRAINED, MARGINAL, IGNORE = range(3)  # what an unlinked pair leaves open
SETS = 128
EQUALS = 1 << E


@kernel
def key_of(first: int, second: int, constraint: int, actions: int) -> np.int64:
    """One number for (action i, action j, set); no action i is the code after the last."""
    return (np.int64(first) * actions + second) * SETS + constraint


@kernel
def pair_key(first: int, second: int, constraint: int, linked: bool, actions: int) -> Key:
    """Key of a pair; known actions have codes below `actions`."""
    if linked:
        known = first < actions and second < actions
        return key_of(first, second, constraint, actions) if known else constraint - 2 * SETS
    return key_of(actions, second, constraint, actions) if second < actions else constraint - SETS


@kernel
def fallback_row(key: Key, actions: int) -> Key:
    """Row of a key never met, of 2 * 128: the sets of linked pairs, then of unlinked ones."""
    if key < 0:
        return key + 2 * SETS
    return key % SETS + (SETS if key >= key_of(actions, 0, 0, actions) else 0)


@kernel
def without_tie(allowed: int, first: int, second: int, actions: int) -> int:
    """Leave out `equals` where known actions descend: equal intervals are sorted by action."""
    return allowed & ~EQUALS if second < first < actions and allowed != EQUALS else allowed


@kernel
def pair_choices(
    offsets: Ints,
    action: Codes,
    constraint: Bytes,
    links: Bools,
    beyond: int,
    actions: int,
    unlinked: int,
    ties: bool,
    horizon: int,
) -> tuple[Bytes, Ints]:
    """Relations that each pair leaves open, and its key -> (pairs,), (pairs,).

    An unlinked pair leaves open its constraint (CONSTRAINED), all relations (MARGINAL) or none
    (IGNORE). ties: `equals` stays open where actions descend.
    """
    allowed, keys = np.empty(len(constraint), np.uint8), np.empty(len(constraint), np.int64)
    pair = 0
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        for i in range(k):
            for j in range(i + 1, min(k, i + 1 + horizon)):
                a, b = action[begin + i], action[begin + j]
                linked, left = is_linked(links, beyond, i, j), int(constraint[pair])
                if not linked and unlinked != CONSTRAINED:
                    left = ALL if unlinked == MARGINAL else 0
                if not ties:
                    left = without_tie(left, a, b, actions)
                allowed[pair], keys[pair] = left, pair_key(a, b, left, linked, actions)
                pair += 1
    return allowed, keys


@kernel
def open_pairs(
    offsets: Ints,
    action: Codes,
    start: Floats,
    end: Floats,
    actions: int,
    ties: bool,
    horizon: int,
) -> tuple[Ints, Ints, Bytes]:
    """Pairs that leave a choice where every pair is linked -> instance, key and relation of each.

    Those of `pair_choices`, without a look at pairs that come after all choices.
    """
    found, room = 0, 2 * len(start) + 64  # few pairs of a long instance leave a choice
    owner, keys = np.empty(room, np.int64), np.empty(room, np.int64)
    relation = np.empty(room, np.int64)
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            stop, between = min(offsets[d + 1], i + 1 + horizon), NOTHING
            if found + stop - i > len(keys):
                owner = enlarge(owner, found, found + stop - i)
                keys = enlarge(keys, found, found + stop - i)
                relation = enlarge(relation, found, found + stop - i)
            for j in range(i + 1, stop):
                related = relation_of(start[i], end[i], start[j], end[j])
                left = ALL if j == i + 1 else left_open(start[j], end[j], between)
                if not ties:
                    left = without_tie(left, action[i], action[j], actions)
                if left:
                    owner[found], relation[found] = d, related
                    keys[found] = pair_key(action[i], action[j], left, True, actions)
                    found += 1
                if related != O and related != S and related != C:
                    break
                between = with_one_more(related, start[j], end[j], between)
    return owner[:found].copy(), keys[:found].copy(), relation[:found].astype(np.uint8)


@kernel
def find(keys: Ints, key: Key) -> int:
    """Index of key among sorted keys, -1 if it is not there."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@kernel
def link_terms(
    relation: Bytes,
    allowed: Bytes,
    key: Ints,
    keys: Ints,
    known: Floats,
    unknown: Floats,
    actions: int,
) -> Floats:
    """Log probability of the relation of each pair -> (pairs,); 0 where there is no choice.

    allowed, key (pairs,): what each leaves open, and its key. keys (rows,), known (rows, 7): log
    probabilities for each key met in training; unknown (256, 7): for any other, by `fallback_row`.
    """
    terms = np.zeros(len(relation))
    for pair in range(len(relation)):
        if allowed[pair] & (allowed[pair] - 1):
            row = find(keys, key[pair])
            if row >= 0:
                terms[pair] = known[row, relation[pair]]
            else:
                terms[pair] = unknown[fallback_row(key[pair], actions), relation[pair]]
    return terms


@kernel
def link_gains(code: Ints, seconds: int, firsts: int, sample_size: float, pairs: int) -> Floats:
    """Statistics that decide on the link of each pair of positions -> (pairs, 3).

    code (n,): (pair of positions, set, second, first, relation) of each pair of intervals as one
    number, sorted; second and first are what the relation may depend on, of so many values: the
    second in any case, the first if there is a link. Columns as in `add_gains`.
    """
    statistics = np.zeros((pairs, 3))
    begin, values = 0, 8 * firsts * seconds
    for n in range(len(code)):
        if n + 1 == len(code) or code[n + 1] // values != code[n] // values:
            add_gains(code[begin : n + 1], seconds, firsts, sample_size, statistics)
            begin = n + 1
    return statistics


@kernel
def add_gains(
    code: Ints, seconds: int, firsts: int, sample_size: float, statistics: Floats
) -> None:
    """Add what one set of relations says about the link of one pair of positions.

    To: gain in log likelihood; number of free parameters that it takes, for values that occur;
    gain in log marginal likelihood, where values that occur share a Dirichlet prior of this sample
    size evenly (BDs: BDeu without values that never occur, whose share would count as a gain).
    """
    given, pair = code // 8, code[0] // (8 * firsts * seconds)
    row, allowed = statistics[pair // SETS], int(pair % SETS)
    configurations = 1 + (given[1:] != given[:-1]).sum()
    contexts = 1 + (given[1:] // firsts != given[:-1] // firsts).sum()
    of_first, of_second = np.zeros(8, np.int64), np.zeros(8, np.int64)
    of_set = np.zeros(8, np.int64)
    for n in range(len(code)):
        of_first[code[n] % 8] += 1
        after = given[n + 1] if n + 1 < len(code) else -1
        if after != given[n]:
            row[0] += log_likelihood(of_first)
            row[2] += log_marginal(of_first, sample_size / configurations, allowed)
            of_second += of_first
            of_first[:] = 0
        if after // firsts != given[n] // firsts:
            row[0] -= log_likelihood(of_second)
            row[2] -= log_marginal(of_second, sample_size / contexts, allowed)
            of_set += of_second
            of_second[:] = 0
    row[1] += ((of_set > 0).sum() - 1) * (configurations - contexts)


@kernel
def log_likelihood(counts: Ints) -> float:
    """Largest log likelihood of counts: sum n log(n / N)."""
    total, value = counts.sum(), 0.0
    for n in counts:
        if n:
            value += n * math.log(n / total)
    return value


@kernel
def log_marginal(counts: Ints, strength: float, allowed: int) -> float:
    """Log marginal likelihood of counts under an even Dirichlet prior on the relations of a set."""
    size = 0
    for r in range(len(counts)):
        size += allowed >> r & 1
    value = math.lgamma(strength) - math.lgamma(strength + counts.sum())
    for n in counts:
        if n:
            value += math.lgamma(strength / size + n) - math.lgamma(strength / size)
    return value
