"""Plain twins of the kernels in _kernels/links.py, straight from the definitions."""

import itertools
from collections import Counter, defaultdict

import numpy as np
from scipy.special import gammaln

from naive import constrain_full, is_linked, relate

MODES = ("constrained", "marginal", "ignore")


def pairs_of(offsets, horizon):
    """(begin of the instance, i, j) of all pairs that are not too far apart, row by row."""
    for begin, stop in itertools.pairwise(offsets):
        for i, j in itertools.combinations(range(stop - begin), 2):
            if j - i <= horizon:
                yield begin, i, j


def key_of(first, second, constraint, actions):
    return int(first) * actions * 128 + int(second) * 128 + int(constraint)


def pair_key(first, second, constraint, linked, actions):
    if linked and max(first, second) < actions:
        return key_of(first, second, constraint, actions)
    if linked:
        return int(constraint) - 256
    if second < actions:
        return key_of(actions, second, constraint, actions)
    return int(constraint) - 128


def fallback_row(key, actions):
    """Sets of linked pairs first, whose keys are -256 to -129 or have two actions."""
    linked = key < -128 or 0 <= key < actions * actions * 128
    return key % 128 + (0 if linked else 128)


def without_tie(allowed, first, second, actions):
    relations = {r for r in range(7) if allowed >> r & 1}
    if max(first, second) < actions and first > second and len(relations) > 1:
        relations -= {6}
    return sum(1 << r for r in relations)


def pair_choices(offsets, action, constraint, links, beyond, actions, unlinked, ties, horizon):
    allowed, keys = [], []
    for (begin, i, j), mask in zip(pairs_of(offsets, horizon), constraint, strict=True):
        a, b, linked = action[begin + i], action[begin + j], is_linked(links, beyond, i, j)
        way = "constrained" if linked else MODES[unlinked]
        left = {"constrained": int(mask), "marginal": 127, "ignore": 0}[way]
        left = left if ties else without_tie(left, a, b, actions)
        allowed.append(left)
        keys.append(pair_key(a, b, left, linked, actions))
    return np.array(allowed, np.uint8), np.array(keys, np.int64)


def open_pairs(offsets, action, start, end, actions, ties, horizon):
    times = offsets, start, end, horizon
    constraint, relation = constrain_full(*times), relate(*times)
    everything = np.zeros((0, 0), bool), 2  # links of all pairs
    allowed, keys = pair_choices(
        offsets, action, constraint, *everything, actions, 0, ties, horizon
    )
    owner = np.array(
        [np.searchsorted(offsets, begin, "right") - 1 for begin, *_ in pairs_of(offsets, horizon)],
        np.int64,
    )
    chosen = [left.bit_count() > 1 for left in allowed.tolist()]
    return owner[chosen], keys[chosen], relation[chosen]


def find(keys, key):
    return list(keys).index(key) if key in keys else -1


def link_terms(relation, allowed, key, keys, known, unknown, actions):
    terms = []
    for r, left, k in zip(relation, allowed.tolist(), key.tolist(), strict=True):
        given = known[find(keys, k)] if k in keys else unknown[fallback_row(k, actions)]
        terms.append(given[r] if left.bit_count() > 1 else 0.0)
    return np.array(terms)


def link_gains(code, seconds, firsts, sample_size, pairs):
    rows = np.zeros((pairs, 3))
    for _, part in itertools.groupby(code.tolist(), lambda value: value // (8 * firsts * seconds)):
        add_gains(np.array(list(part)), seconds, firsts, sample_size, rows)
    return rows


def add_gains(code, seconds, firsts, sample_size, statistics):
    """Every value of (second, first), and of second, is a row of a table of counts."""
    with_link, without, of_set = defaultdict(Counter), defaultdict(Counter), Counter()
    shape = (len(statistics), 128, seconds, firsts, 8)
    given = np.transpose(np.unravel_index(code, shape)).tolist()
    for _, _, second, first, r in given:
        with_link[second, first][r] += 1
        without[second][r] += 1
        of_set[r] += 1
    row, allowed = statistics[given[0][0]], given[0][1]
    for sign, table in ((1, with_link), (-1, without)):
        for cells in table.values():
            counts = np.array([cells[r] for r in range(8)])
            row[0] += sign * log_likelihood(counts)
            row[1] += sign * (len(of_set) - 1)
            row[2] += sign * log_marginal(counts, sample_size / len(table), allowed)


def log_likelihood(counts):
    seen = counts[counts > 0]
    return float((seen * np.log(seen / seen.sum())).sum())


def log_marginal(counts, strength, allowed):
    prior = strength / int(allowed).bit_count()
    value = gammaln(strength) - gammaln(strength + counts.sum())
    return float(value + (gammaln(counts + prior) - gammaln(prior)).sum())
