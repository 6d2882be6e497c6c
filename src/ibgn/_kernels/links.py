"""Relations of linked and unlinked pairs: counts and probabilities.

Relations and constraints are the flat arrays of `pairs`, pairs row by row. The key of a linked pair
is (action i, action j, constraint) as one number.
"""

import math

import numpy as np

from ibgn._arrays import Bools, Bytes, Codes, Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.pairs import is_linked, relation_of

UNLINKED = -1
Padded = np.ndarray[tuple[int, int], np.dtype[np.int32]]


@kernel
def key_of(first: int, second: int, constraint: int, actions: int) -> np.int64:
    """One number for (action i, action j, constraint)."""
    return (np.int64(first) * actions + second) * 128 + constraint


@kernel
def pair_keys(
    offsets: Ints, action: Codes, constraint: Bytes, links: Bools, beyond: int, actions: int
) -> Ints:
    """Key of each pair, -1 if it is not linked or an action is unknown -> (pairs,).

    Known actions have codes below `actions`.
    """
    keys = np.empty(len(constraint), np.int64)
    pair = 0
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        for i in range(k):
            for j in range(i + 1, k):
                a, b = action[begin + i], action[begin + j]
                known = a < actions and b < actions and is_linked(links, beyond, i, j)
                keys[pair] = key_of(a, b, constraint[pair], actions) if known else UNLINKED
                pair += 1
    return keys


@kernel
def count_positions(
    offsets: Ints, relation: Bytes, links: Bools, beyond: int, linked: bool, size: int
) -> Ints:
    """Relations of pairs that are, or are not, linked, by their positions -> (size, size, 7).

    Pairs of positions from size on count together at [0, 0], which is not a pair itself.
    """
    counts = np.zeros((max(size, 1), max(size, 1), 7), np.int64)
    pair = 0
    for d in range(len(offsets) - 1):
        k = offsets[d + 1] - offsets[d]
        for i in range(k):
            for j in range(i + 1, k):
                if is_linked(links, beyond, i, j) == linked:
                    if j < size:
                        counts[i, j, relation[pair]] += 1
                    else:
                        counts[0, 0, relation[pair]] += 1
                pair += 1
    return counts


@kernel
def find(keys: Ints, key: int | np.int64) -> int:
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
def log_total(log_probs: Floats, constraint: int) -> float:
    """Log of the probability of all relations in a constraint together."""
    total = 0.0
    for r in range(len(log_probs)):
        if constraint >> r & 1:
            total += math.exp(log_probs[r])
    return math.log(total)


@kernel
def link_terms(
    offsets: Ints,
    relation: Bytes,
    constraint: Bytes,
    linked: Ints,
    links: Bools,
    beyond: int,
    keys: Ints,
    known: Floats,
    unknown: Floats,
    positions: Floats,
    elsewhere: Floats,
    constrained: bool,
) -> Floats:
    """Log probability of the relation of each pair -> (pairs,).

    linked (pairs,): keys of linked pairs. keys (rows,), known (rows, 7): log probabilities of the
    relations for each key met in training; unknown (128, 7): for any other, by constraint.
    positions (size, size, 7), elsewhere (7,): of unlinked pairs, by position and beyond.
    """
    terms = np.empty(len(relation))
    pair = 0
    for d in range(len(offsets) - 1):
        k = offsets[d + 1] - offsets[d]
        for i in range(k):
            for j in range(i + 1, k):
                r, c = relation[pair], constraint[pair]
                if not is_linked(links, beyond, i, j):
                    own = positions[i, j] if j < len(positions) else elsewhere
                    terms[pair] = own[r] - log_total(own, c) if constrained else own[r]
                elif c & (c - 1) == 0:
                    terms[pair] = 0.0  # only one relation is left, so it says nothing
                else:
                    row = find(keys, linked[pair]) if linked[pair] >= 0 else -1
                    terms[pair] = known[row, r] if row >= 0 else unknown[c, r]
                pair += 1
    return terms


@kernel
def link_statistics(
    action: Padded, start: Floats, end: Floats, length: Ints, actions: int, sample_size: float
) -> Floats:
    """Statistics that decide on the link of each pair of positions -> (pairs, 4).

    action, start, end (instances, positions), padded; length (instances,). The relation of a
    pair, null if an instance is too short, is compared without parents and with the two actions as
    parents, which may be null too. Columns: gain in log likelihood, N times their mutual
    information; relations seen; pairs of actions seen; gain in the log marginal likelihood of
    Dirichlet priors of an equivalent sample size (BDeu).
    """
    instances, positions = action.shape
    statistics = np.empty((positions * (positions - 1) // 2, 4))
    code = np.empty(instances, np.int64)
    pair = 0
    for i in range(positions):
        for j in range(i + 1, positions):
            for d in range(instances):
                code[d] = parents_and_relation(
                    action[d], start[d], end[d], length[d], i, j, actions
                )
            compare_parents(np.sort(code), actions, sample_size, statistics[pair])
            pair += 1
    return statistics


@kernel
def parents_and_relation(
    action: Codes, start: Floats, end: Floats, length: int, i: int, j: int, actions: int
) -> np.int64:
    """(action i, action j, relation) of an instance as one number; null is one past the last."""
    a = np.int64(action[i] if i < length else actions)
    if j >= length:
        return (a * (actions + 1) + actions) * 8 + 7
    relation = relation_of(start[i], end[i], start[j], end[j])
    return (a * (actions + 1) + np.int64(action[j])) * 8 + relation


@kernel
def compare_parents(code: Ints, actions: int, sample_size: float, row: Floats) -> None:
    """Fill row with (gain, relations, parents, BDeu gain) of sorted codes of all instances."""
    n = len(code)
    by_relation = np.zeros(8, np.int64)
    of_parent = np.zeros(8, np.int64)
    configurations = float((actions + 1) ** 2)
    linked, bayes, parents = 0.0, 0.0, 0
    for d in range(n):
        by_relation[code[d] % 8] += 1
        of_parent[code[d] % 8] += 1
        if d == n - 1 or code[d + 1] // 8 != code[d] // 8:
            parents += 1
            linked += log_likelihood(of_parent)
            bayes += log_marginal(of_parent, sample_size / configurations)
            of_parent[:] = 0
    row[0] = linked - log_likelihood(by_relation)
    row[1] = (by_relation > 0).sum()
    row[2] = parents
    row[3] = bayes - log_marginal(by_relation, sample_size)


@kernel
def log_likelihood(counts: Ints) -> float:
    """Largest log likelihood of counts: sum n log(n / N)."""
    total, value = counts.sum(), 0.0
    for n in counts:
        if n:
            value += n * math.log(n / total)
    return value


@kernel
def log_marginal(counts: Ints, strength: float) -> float:
    """Log marginal likelihood of counts under a symmetric Dirichlet prior of this strength."""
    value = math.lgamma(strength) - math.lgamma(strength + counts.sum())
    each = strength / len(counts)
    for n in counts:
        if n:
            value += math.lgamma(each + n) - math.lgamma(each)
    return value
