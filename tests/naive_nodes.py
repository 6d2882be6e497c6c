"""Plain twins of the kernels in _kernels/nodes.py, straight from the definitions."""

import itertools

import numpy as np
from scipy.special import gammaln


def seatings(k):
    """All ways to seat k nodes: restricted growth strings, tables numbered as they open."""
    if k == 0:
        return [()]
    return [(*s, z) for s in seatings(k - 1) for z in range(max(s, default=-1) + 2)]


def renumber(seat):
    """Number tables in the order in which they open."""
    order = list(dict.fromkeys(np.asarray(seat).tolist()))
    return np.array([order.index(z) for z in np.asarray(seat).tolist()], np.int64)


def log_polya(counts, prior):
    """log Dirichlet-multinomial of the rows that hold nodes, summed: draws in their order."""
    counts = counts[counts.sum(axis=-1) > 0]
    each = (gammaln(counts + prior) - gammaln(prior)).sum(axis=-1)
    strength = prior.sum()
    return float((each + gammaln(strength) - gammaln(strength + counts.sum(axis=-1))).sum())


def count_tables(action, seat, tables, actions):
    counts = np.zeros((tables, actions), np.int64)
    np.add.at(counts, (seat, action), 1)
    return counts, counts.sum(axis=1)


def log_joint(offsets, seat, counts, totals, concentration, prior):
    seats = [seat[begin:stop] for begin, stop in itertools.pairwise(offsets)]
    return sum(log_seating(part, concentration) for part in seats) + log_polya(counts, prior)


def log_seating(seat, concentration):
    seat, value = list(seat), 0.0
    for n in range(1, len(seat)):
        share = seat[:n].count(seat[n]) or concentration
        value += np.log(share / (n + concentration))
    return value


def move_weights(here, opened, a, counts, totals, prior, strength, weights):
    weights[:opened] = (here * (counts[:, a] + prior[a]) / (totals + strength))[:opened]
    return weights[:opened]


def draw(weights, rng):
    reached = np.cumsum(weights) > rng.random() * weights.sum()
    return int(reached.argmax()) if reached.any() else len(weights) - 1


def reseat(seat, n, block):
    blocks = renumber(np.delete(seat, n))
    return renumber(np.insert(blocks, n, block))


def seat_weights(action, seat, n, counts, totals, concentration, prior):
    """P(seats with n at b) / P(seats of the others), without what all b share, times actions."""
    others = renumber(np.delete(seat, n))
    weights = []
    for b in range(others.max(initial=-1) + 2):
        moved = reseat(seat, n, b)
        seating = log_seating(moved, concentration) - log_seating(others, concentration)
        seating += np.log(len(seat) - 1 + concentration)
        weights.append(seating + log_actions(action, moved, counts, totals, prior))
    return np.array(weights)


def log_actions(action, seat, counts, totals, prior):
    mine, _ = count_tables(action, seat, *counts.shape)
    return log_polya(counts + mine, prior) - log_polya(counts, prior)


def add_nodes(action, seat, counts, totals):
    np.add.at(counts, (seat, action), 1)
    np.add.at(totals, seat, 1)


def remove_nodes(action, seat, counts, totals):
    np.subtract.at(counts, (seat, action), 1)
    np.subtract.at(totals, seat, 1)
