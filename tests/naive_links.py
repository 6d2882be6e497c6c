"""Plain twins of the kernels in _kernels/links.py, straight from the definitions."""

import itertools
from collections import Counter, defaultdict

import numpy as np
from scipy.special import gammaln

from naive import is_linked, relation_of


def pairs_of(offsets):
    """(begin of the instance, i, j) of all pairs, row by row."""
    for begin, stop in itertools.pairwise(offsets):
        for i, j in itertools.combinations(range(stop - begin), 2):
            yield begin, i, j


def key_of(first, second, constraint, actions):
    return int(first) * actions * 128 + int(second) * 128 + int(constraint)


def pair_keys(offsets, action, constraint, links, beyond, actions):
    keys = []
    for (begin, i, j), allowed in zip(pairs_of(offsets), constraint, strict=True):
        a, b = action[begin + i], action[begin + j]
        known = is_linked(links, beyond, i, j) and max(a, b) < actions
        keys.append(key_of(a, b, allowed, actions) if known else -1)
    return np.array(keys, np.int64)


def count_positions(offsets, relation, links, beyond, linked, size):
    counts = np.zeros((max(size, 1), max(size, 1), 7), np.int64)
    for (_, i, j), r in zip(pairs_of(offsets), relation, strict=True):
        if is_linked(links, beyond, i, j) == linked:
            counts[(i, j, r) if j < size else (0, 0, r)] += 1
    return counts


def find(keys, key):
    return list(keys).index(key) if key in keys else -1


def log_total(log_probs, constraint):
    return np.log(sum(np.exp(log_probs[r]) for r in range(7) if constraint & 1 << r))


def link_terms(
    offsets,
    relation,
    constraint,
    linked,
    links,
    beyond,
    keys,
    known,
    unknown,
    positions,
    elsewhere,
    constrained,
):
    terms = []
    for pair, (_, i, j) in enumerate(pairs_of(offsets)):
        r, c, key = int(relation[pair]), int(constraint[pair]), linked[pair]
        if is_linked(links, beyond, i, j):
            given = known[find(keys, key)] if key in keys else unknown[c]
            terms.append(given[r] if c.bit_count() > 1 else 0.0)
        else:
            own = positions[i, j] if j < len(positions) else elsewhere
            terms.append(own[r] - log_total(own, c) * constrained)
    return np.array(terms)


def link_statistics(action, start, end, length, actions, sample_size):
    pairs = list(itertools.combinations(range(action.shape[1]), 2))
    rows = np.empty((len(pairs), 4))
    for (i, j), row in zip(pairs, rows, strict=True):
        each = zip(action, start, end, length, strict=True)
        code = sorted(parents_and_relation(*one, i, j, actions) for one in each)
        compare_parents(np.array(code, np.int64), actions, sample_size, row)
    return rows


def parents_and_relation(action, start, end, length, i, j, actions):
    a = int(action[i]) if i < length else actions
    b = int(action[j]) if j < length else actions
    relation = relation_of(start[i], end[i], start[j], end[j]) if j < length else 7
    return (a * (actions + 1) + b) * 8 + relation


def compare_parents(code, actions, sample_size, row):
    table = defaultdict(lambda: np.zeros(8, np.int64))
    for parents, relation in zip(*np.divmod(code, 8), strict=True):
        table[parents][relation] += 1
    together = sum(table.values())
    each = sample_size / (actions + 1) ** 2
    row[0] = sum(log_likelihood(counts) for counts in table.values()) - log_likelihood(together)
    row[1] = len(Counter(code % 8))
    row[2] = len(table)
    row[3] = sum(log_marginal(counts, each) for counts in table.values())
    row[3] -= log_marginal(together, sample_size)


def log_likelihood(counts):
    seen = counts[counts > 0]
    return float((seen * np.log(seen / seen.sum())).sum())


def log_marginal(counts, strength):
    prior = strength / len(counts)
    value = gammaln(strength) - gammaln(strength + counts.sum())
    return float(value + (gammaln(counts + prior) - gammaln(prior)).sum())
