"""Possible worlds straight from their definition, see naive.py."""

from itertools import product

import numpy as np


def options_of(X, interval):
    """(action, probability) of one interval; None where it is not there."""
    confidence = X.uncertainty.confidence[interval]
    named = X.uncertainty.alternatives(X.actions)[interval]
    named = named or {X.actions[X.action[interval]]: 1.0}
    options = [(name, chance * confidence) for name, chance in named.items()]
    return [(name, chance) for name, chance in [*options, (None, 1 - confidence)] if chance > 0]


def enumerate_worlds(X):
    """[(instance, probability), ...] of the one instance in X, whose ends are exact."""
    times = list(zip(X.start.tolist(), X.end.tolist(), strict=True))
    worlds = []
    for chosen in product(*(options_of(X, interval) for interval in range(len(times)))):
        rows = [(n, *t) for (n, _), t in zip(chosen, times, strict=True) if n is not None]
        ordered = sorted(rows, key=lambda row: (row[1], row[2], row[0]))
        worlds.append((ordered, float(np.prod([chance for _, chance in chosen]))))
    return worlds


def average_worlds(scores, probability, lengths):
    """(activities,) score of one instance; scores are (worlds, activities)."""
    posterior, level = np.zeros(scores.shape[1]), 0.0
    for length in sorted(set(lengths)):
        alike = [w for w in range(len(scores)) if lengths[w] == length]
        chance = sum(probability[w] for w in alike)
        mean = sum(probability[w] / chance * np.exp(scores[w]) for w in alike)
        posterior += chance * mean / mean.sum()
        level += chance * np.log(mean.sum())
    return np.log(posterior) + level
