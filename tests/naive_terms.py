"""Plain twins of the terms of time: loops over instances, straight from the definitions."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np

from ibgn.terms.keyed import KeyedCounts


def student_t(value, location, scale, freedom):
    """Log density of a Student-t distribution."""
    off = (value - location) / scale
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    constant -= 0.5 * math.log(freedom * math.pi) + math.log(scale)
    return constant - (freedom + 1) / 2 * math.log(1 + off * off / freedom)


def prediction(learned, group, value):
    return student_t(value, learned.location[group], learned.scale[group], learned.freedom[group])


def length(learned, rows):
    return prediction(learned, 0, math.log(1 + len(rows)))


def durations(learned, rows):
    return sum(prediction(learned, a, math.log(end - start)) for a, start, end in rows)


def totals(learned, rows):
    total = Counter()
    for a, start, end in rows:
        total[a] += end - start
    return sum(prediction(learned, a, math.log(sum_of_all)) for a, sum_of_all in total.items())


def starts(learned, rows):
    begin, span = min(s for _, s, _ in rows), max(e for *_, e in rows) - min(s for _, s, _ in rows)
    bins = learned.log_probs.shape[1]
    return sum(
        learned.log_probs[a, min(int((start - begin) / span * bins), bins - 1)]
        for a, start, _ in rows
    )


def gaps(learned, rows):
    total = 0.0
    for (_, before, _), (a, start, _) in pairwise(rows):
        together = start == before
        total += learned.together[a, int(together)]
        if not together:
            total += prediction(learned, a, math.log(start - before))
    return total


def occurrences(learned, rows):
    number, most = Counter(a for a, _, _ in rows), learned.log_probs.shape[1] - 1
    return sum(learned.log_probs[a, min(number[a], most)] for a in range(len(learned.actions)))


def order(learned, rows):
    steps = zip([len(learned.actions), *(a for a, _, _ in rows)], rows, strict=False)
    known = dict(zip(learned.keys.tolist(), learned.log_probs.tolist(), strict=True))
    return sum(
        known.get(before * len(learned.actions) + a, learned.usual[a] + learned.left[before])
        for before, (a, _, _) in steps
    )


def random_steps(rng, actions):
    """Counts of steps of one activity and of all, by key; about half of all steps never occur."""
    size = (actions + 1) * actions
    common = rng.integers(0, 6, size) * rng.integers(0, 2, size)
    own = rng.binomial(common, 0.5)
    return tuple(
        KeyedCounts(np.flatnonzero(counts), counts[counts > 0].astype(float))
        for counts in (own, common)
    )


def all_steps(own, common, actions):
    """(actions + 1, actions) log probability of each step, from counts of all of them.

    What is expected after an action is how often each occurs in the activity, which counts as two
    observations, and what follows it in all activities, which counts as one.
    """
    tables = np.zeros((2, actions + 1, actions))
    for table, counts in zip(tables, (own, common), strict=True):
        table.flat[counts.keys] = counts.counts
    own, common = tables
    usual = (own.sum(axis=0) + 0.5) / (own.sum() + 0.5 * actions)
    everywhere = (common + usual) / (common.sum(axis=1, keepdims=True) + 1)
    expected = 2 * usual + everywhere
    return np.log((own + expected) / (own.sum(axis=1, keepdims=True) + 3))


def occupancy(learned, rows):
    begin, span = min(s for _, s, _ in rows), max(e for *_, e in rows) - min(s for _, s, _ in rows)
    total, instants = 0.0, learned.probs.shape[1]
    for a in range(len(learned.actions)):
        for t in range(instants):
            middle = begin + (t + 0.5) / instants * span
            running = any(b == a and start <= middle < end for b, start, end in rows)
            total += math.log(learned.probs[a, t] if running else 1 - learned.probs[a, t])
    return total


def switches(learned, rows):
    begin, span = min(s for _, s, _ in rows), max(e for *_, e in rows) - min(s for _, s, _ in rows)
    total, instants = 0.0, learned.steps.shape[1] + 1
    for a in range(len(learned.actions)):
        middles = [begin + (t + 0.5) / instants * span for t in range(instants)]
        running = [
            int(any(b == a and start <= middle < end for b, start, end in rows))
            for middle in middles
        ]
        total += learned.first[a, running[0]]
        total += sum(learned.steps[a, t, x, y] for t, (x, y) in enumerate(pairwise(running)))
    return total


def moments(values):
    """Number, sum and sum of squares."""
    return len(values), sum(values), sum(value * value for value in values)
