"""Plain twins of the kernels in _kernels/sampling.py, straight from the definitions."""

import itertools

import numpy as np

from naive_hyperparameters import step_concentration, step_prior
from naive_nodes import (
    add_nodes,
    draw,
    log_actions,
    log_joint,
    log_seating,
    move_weights,
    remove_nodes,
    renumber,
    reseat,
    seat_weights,
)
from naive_reseating import reseat_rest, restart


def sweep_exact(offsets, action, seat, counts, totals, concentration, prior, moves, rng):
    for begin, stop in itertools.pairwise(offsets):
        mine, acts = seat[begin:stop], action[begin:stop]
        for n in range(len(mine)):
            opened = max(mine[:n], default=-1) + 1
            if mine[n] == opened:
                continue
            one = acts[n : n + 1], mine[n : n + 1]
            remove_nodes(*one, counts, totals)
            here = np.bincount(np.delete(mine, n), minlength=len(totals))
            of_tables = np.empty(len(totals))
            arguments = here, opened, acts[n], counts, totals, prior, prior.sum(), of_tables
            mine[n] = draw(move_weights(*arguments), rng)
            add_nodes(*one, counts, totals)
        if len(mine) > 1 and rng.random() * len(mine) < moves:
            move_anywhere(acts, mine, counts, totals, concentration, prior, rng)
        if len(mine) > 1:
            reseat_rest(acts, mine, counts, totals, concentration, prior, rng)


def move_anywhere(action, seat, counts, totals, concentration, prior, rng):
    remove_nodes(action, seat, counts, totals)
    n = int(rng.random() * len(seat))
    weights = seat_weights(action, seat, n, counts, totals, concentration, prior)
    seat[:] = reseat(seat, n, draw(np.exp(weights - weights.max()), rng))
    split_or_merge(action, seat, counts, totals, concentration, prior, rng)
    add_nodes(action, seat, counts, totals)


def allocate(action, seat, order, i, j, counts, totals, prior, target, rng):
    """Nodes choose one by one, by size and by what is known of the two tables."""
    first, second = seat[i], max(seat) + 1
    known = np.vstack([counts, np.zeros_like(counts)])  # a table past the last has no counts
    sides = {0: [action[i]], 1: [action[j]]}
    target[i], target[j] = 0, 1
    value = 0.0
    for n in order:
        if n in (i, j):
            continue
        weights = []
        for side, z in ((0, first), (1, second)):
            held = known[z] + np.bincount(sides[side], minlength=len(prior))
            emitted = (held + prior)[action[n]] / (held + prior).sum()
            weights.append(len(sides[side]) * emitted)
        if target[n] < 0:
            target[n] = 0 if rng.random() * sum(weights) < weights[0] else 1
        value += np.log(weights[target[n]] / sum(weights))
        sides[target[n]].append(action[n])
    return value


def shuffle_tables(seat, first, second, rng):
    order = []
    for n in np.flatnonzero(np.isin(seat, [first, second])):
        place = int(rng.random() * (len(order) + 1))
        order.append(n)
        order[place], order[-1] = order[-1], order[place]
    return np.array(order, np.int64)


def split_or_merge(action, seat, counts, totals, concentration, prior, rng):
    i = int(rng.random() * len(seat))
    j = int(rng.random() * (len(seat) - 1))
    j += j >= i
    order = shuffle_tables(seat, seat[i], seat[j], rng)
    splits = seat[i] == seat[j]
    target = np.full(len(seat), -1)
    if not splits:
        target[order] = seat[order] != seat[i]
    merged = seat.copy()
    merged[order] = seat[i]
    merged = renumber(merged)
    chosen = allocate(action, merged, order, i, j, counts, totals, prior, target, rng)
    split = merged.copy()
    split[target == 1] = max(merged) + 1
    split = renumber(split)

    def log_probability(seats):
        return log_seating(seats, concentration) + log_actions(action, seats, counts, totals, prior)

    ratio = log_probability(split) - log_probability(merged) - chosen
    if np.log(rng.random()) < (ratio if splits else -ratio):
        seat[:] = split if splits else merged


def sweep_published(offsets, action, seat, counts, totals, concentration, prior, rng):
    for begin, stop in itertools.pairwise(offsets):
        for n in range(begin, stop):
            one = action[n : n + 1], seat[n : n + 1]
            remove_nodes(*one, counts, totals)
            before = np.bincount(seat[begin:n]).astype(float)
            shares = np.append(before, concentration)  # the table that opens next comes last
            a, tables = action[n], slice(len(shares))
            emitted = (counts[tables, a] + prior[a]) / (totals[tables] + prior.sum())
            seat[n] = draw(shares * emitted, rng)
            add_nodes(*one, counts, totals)


def run(
    offsets,
    action,
    seat,
    counts,
    totals,
    concentration,
    prior,
    spreads,
    moves,
    first,
    sweeps,
    thin,
    rng,
):
    traces, kept, log_priors = [], [np.zeros_like(counts)], [np.zeros(len(prior))]
    lengths = np.diff(offsets)
    arrays = offsets, action, seat, counts, totals
    for number in range(first, first + sweeps):
        if moves < 0:
            sweep_published(*arrays, concentration, prior, rng)
        else:
            if number % 10 == 0:
                concentration = restart(*arrays, concentration, prior, spreads[0], rng)
            sweep_exact(*arrays, concentration, prior, moves, rng)
        if spreads[0] > 0:
            parts = (seat[begin:stop] for begin, stop in itertools.pairwise(offsets))
            opened = sum(max(part, default=0) for part in parts)
            for _ in range(3):
                concentration = step_concentration(
                    concentration, opened, lengths, 1.0, spreads[0], rng
                )
        if spreads[1] > 0 and len(prior):
            step_prior(prior, counts, totals, 1 / len(prior), spreads[1], rng)
        joint = log_joint(offsets, seat, counts, totals, concentration, prior)
        strength = np.log(prior.sum()) if len(prior) else 0.0
        traces.append([joint, np.log(concentration), strength])
        if (number + 1) % thin == 0:
            kept.append(counts.copy())
            log_priors.append(np.log(prior))
    return concentration, np.array(traces).T, sum(kept), sum(log_priors)
