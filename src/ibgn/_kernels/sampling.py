"""Samplers of the tables of nodes; see `nodes` for the arrays."""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.hyperparameters import step_concentration, step_prior
from ibgn._kernels.nodes import (
    Codes,
    add_nodes,
    draw,
    log_actions,
    log_joint,
    log_seating,
    move_weights,
    remove_nodes,
    reseat,
    seat_weights,
)
from ibgn._kernels.reseating import reseat_rest, restart

RESTART_EVERY = 10  # sweeps; so often it costs a fifth of the time
CONCENTRATION_STEPS = 3  # they are cheap beside a sweep


@kernel
def allocate(
    action: Codes,
    seat: Ints,
    order: Ints,
    i: int,
    j: int,
    counts: Ints,
    totals: Ints,
    prior: Floats,
    target: Ints,
    rng: np.random.Generator,
) -> float:
    """Divide a table of an instance between nodes i and j; returns the log probability.

    seat (k,): seats before; the table is that of i, where j sits too. order: nodes of the table,
    i and j among them, in the order in which they choose by the nodes already with i or j and by
    the counts of other instances. target (k,): if target[n] is 0 or 1 on entry, the choice, with i
    or with j, is fixed and only its probability is computed; if it is negative, it is drawn.
    """
    first, second = seat[i], seat.max() + 1
    strength = prior.sum()
    size_i, size_j = 1.0, 1.0
    value = 0.0
    target[i], target[j] = 0, 1
    with_i, with_j = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    with_i[action[i]] += 1
    with_j[action[j]] += 1
    known = second < len(totals)
    for n in order:
        if n in (i, j):
            continue
        a = action[n]
        other = counts[second, a] if known else 0
        total = totals[second] if known else 0
        p = size_i * (counts[first, a] + with_i[a] + prior[a]) / (totals[first] + size_i + strength)
        q = size_j * (other + with_j[a] + prior[a]) / (total + size_j + strength)
        if target[n] < 0:
            target[n] = 0 if rng.random() * (p + q) < p else 1
        if target[n] == 0:
            value += math.log(p / (p + q))
            size_i += 1
            with_i[a] += 1
        else:
            value += math.log(q / (p + q))
            size_j += 1
            with_j[a] += 1
    return value


@kernel
def renumber(seat: Ints) -> Ints:
    """Seats numbered by opening."""
    number = np.full(len(seat) + 1, -1)
    after = np.empty(len(seat), np.int64)
    opened = 0
    for n in range(len(seat)):
        if number[seat[n]] < 0:
            number[seat[n]] = opened
            opened += 1
        after[n] = number[seat[n]]
    return after


@kernel
def split_or_merge(
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> None:
    """Split a table of an instance in two, or merge two, in place; counts without the instance.

    Two random nodes decide: if they share a table it is split between them, else their tables are
    merged. A split divides the other nodes one by one, in random order (Dahl 2003); it is accepted
    or rejected so that the joint stays invariant.
    """
    k = len(seat)
    i = int(rng.random() * k)
    j = int(rng.random() * (k - 1))
    j += j >= i
    splits = seat[i] == seat[j]
    order = shuffle_tables(seat, seat[i], seat[j], rng)
    merged, target = seat.copy(), np.full(k, -1)
    for n in order:
        merged[n] = seat[i]
        if not splits:
            target[n] = 0 if seat[n] == seat[i] else 1
    merged = renumber(merged)
    chosen = allocate(action, merged, order, i, j, counts, totals, prior, target, rng)
    split = merged.copy()
    for n in order:
        if target[n] == 1:
            split[n] = merged.max() + 1
    split = renumber(split)
    ratio = log_seating(split, concentration) - log_seating(merged, concentration) - chosen
    ratio += log_actions(action, split, counts, totals, prior)
    ratio -= log_actions(action, merged, counts, totals, prior)
    if math.log(rng.random()) < (ratio if splits else -ratio):
        seat[:] = split if splits else merged


@kernel
def shuffle_tables(seat: Ints, first: int, second: int, rng: np.random.Generator) -> Ints:
    """Nodes at two tables in random order, built from inside out."""
    order = np.empty(len(seat), np.int64)
    size = 0
    for n in range(len(seat)):
        if seat[n] in (first, second):
            position = int(rng.random() * (size + 1))
            order[size] = order[position]
            order[position] = n
            size += 1
    return order[:size]


@kernel
def sweep_exact(
    offsets: Ints,
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    moves: float,
    rng: np.random.Generator,
) -> None:
    """Seat every node again, in place, leaving the joint invariant.

    Nodes that open no table move among the tables opened before them, which renumbers nothing and
    takes time linear in the tables. Then come moves that do renumber them: with probability
    moves / k, those of move_anywhere, and a proposal for the rest of the instance: reseat_rest.
    """
    strength = prior.sum()
    here = np.zeros(len(totals), np.int64)
    weights = np.empty(len(totals))
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        mine, acts = seat[begin : begin + k], action[begin : begin + k]
        here[:k] = 0
        for n in range(k):
            here[mine[n]] += 1
        opened = 0
        for n in range(k):
            if mine[n] == opened:
                opened += 1
                continue
            z, a = mine[n], acts[n]
            here[z] -= 1
            counts[z, a] -= 1
            totals[z] -= 1
            z = draw(move_weights(here, opened, a, counts, totals, prior, strength, weights), rng)
            mine[n] = z
            here[z] += 1
            counts[z, a] += 1
            totals[z] += 1
        if k > 1 and rng.random() * k < moves:
            move_anywhere(acts, mine, counts, totals, concentration, prior, rng)
        if k > 1:
            reseat_rest(acts, mine, counts, totals, concentration, prior, rng)


@kernel
def move_anywhere(
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> None:
    """Seat a random node again anywhere, then split or merge tables, in place."""
    remove_nodes(action, seat, counts, totals)
    n = int(rng.random() * len(seat))
    weights = seat_weights(action, seat, n, counts, totals, concentration, prior)
    seat[:] = reseat(seat, n, draw(np.exp(weights - weights.max()), rng))
    split_or_merge(action, seat, counts, totals, concentration, prior, rng)
    add_nodes(action, seat, counts, totals)


@kernel
def sweep_published(
    offsets: Ints,
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    rng: np.random.Generator,
) -> None:
    """Seat every node again, in place, by the formula of the paper: only earlier nodes count."""
    strength = prior.sum()
    here = np.zeros(len(totals) + 1, np.int64)
    weights = np.empty(len(totals) + 1)
    for d in range(len(offsets) - 1):
        here[:] = 0
        opened = 0
        for n in range(offsets[d], offsets[d + 1]):
            z, a = seat[n], action[n]
            counts[z, a] -= 1
            totals[z] -= 1
            for t in range(opened + 1):
                before = here[t] if t < opened else concentration
                weights[t] = before * (counts[t, a] + prior[a]) / (totals[t] + strength)
            z = draw(weights[: opened + 1], rng)
            opened = max(opened, z + 1)
            seat[n] = z
            here[z] += 1
            counts[z, a] += 1
            totals[z] += 1


@kernel
def run(
    offsets: Ints,
    action: Codes,
    seat: Ints,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
    spreads: tuple[float, float],
    moves: float,
    first: int,
    sweeps: int,
    thin: int,
    rng: np.random.Generator,
) -> tuple[float, Floats, Ints, Floats]:
    """Run many sweeps, in place; published sweeps if moves is negative.

    first: sweeps that were run before; so a run can be divided without changing it.
    spreads: of the logarithms of concentration and prior, which are sampled; none keeps either as
    it is. Returns the concentration; (3, sweeps) the log joint, log concentration and log sum of
    the prior after each sweep; and the counts and the log prior summed over every thin-th sweep.
    """
    lengths = np.diff(offsets)
    traces = np.empty((3, sweeps))
    summed, log_prior = np.zeros(counts.shape, np.int64), np.zeros(len(prior))
    for place in range(sweeps):
        number = first + place
        state = offsets, action, seat, counts, totals, concentration, prior
        if moves < 0:
            sweep_published(*state, rng)
        else:
            if number % RESTART_EVERY == 0:
                concentration = restart(*state, spreads[0], rng)
                state = offsets, action, seat, counts, totals, concentration, prior
            sweep_exact(*state, moves, rng)
        if spreads[0] > 0:
            opened = 0
            for d in range(len(lengths)):
                if lengths[d]:
                    opened += seat[offsets[d] : offsets[d + 1]].max()
            for _ in range(CONCENTRATION_STEPS):
                concentration = step_concentration(
                    concentration, opened, lengths, 1.0, spreads[0], rng
                )
        if spreads[1] > 0 and len(prior):
            step_prior(prior, counts, totals, 1 / len(prior), spreads[1], rng)
        traces[0, place] = log_joint(offsets, seat, counts, totals, concentration, prior)
        traces[1, place] = math.log(concentration)
        traces[2, place] = math.log(prior.sum()) if len(prior) else 0.0
        if (number + 1) % thin == 0:
            summed += counts
            log_prior += np.log(prior)
    return concentration, traces, summed, log_prior
