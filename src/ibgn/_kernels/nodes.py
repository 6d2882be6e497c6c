"""Tables of the nodes: the joint, its conditionals, the samplers and the sequential likelihood.

A node is an interval with its action. In each instance nodes are seated one by one at tables,
numbered in the order in which the instance opens them; table z has one distribution over actions
for all instances. seat (intervals,) holds the table of each node. counts (tables, actions) and
totals (tables,) hold the nodes of all instances at each table, by action and in total.
"""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

Codes = np.ndarray[tuple[int], np.dtype[np.int32]]


@kernel
def count_tables(action: Codes, seat: Ints, tables: int, actions: int) -> tuple[Ints, Ints]:
    """Nodes at each table, by action (tables, actions) and in total (tables,)."""
    counts, totals = np.zeros((tables, actions), np.int64), np.zeros(tables, np.int64)
    for n in range(len(action)):
        counts[seat[n], action[n]] += 1
        totals[seat[n]] += 1
    return counts, totals


@kernel
def log_joint(
    offsets: Ints, seat: Ints, counts: Ints, totals: Ints, concentration: float, prior: Floats
) -> float:
    """Log P(seats, actions): a Chinese restaurant in each instance, a Dirichlet at each table.

    sum_d log CRP(seats_d) + sum_z log DirichletMultinomial(counts_z; prior).
    """
    value = 0.0
    for d in range(len(offsets) - 1):
        value += log_seating(seat[offsets[d] : offsets[d + 1]], concentration)
    strength = prior.sum()
    for z in range(len(totals)):
        if totals[z]:
            value += math.lgamma(strength) - math.lgamma(strength + totals[z])
            for a in range(len(prior)):
                if counts[z, a]:
                    value += math.lgamma(prior[a] + counts[z, a]) - math.lgamma(prior[a])
    return value


@kernel
def log_seating(seat: Ints, concentration: float) -> float:
    """Log probability of the seats of one instance: the first opens table 0.

    alpha^(tables - 1) times the product of (nodes at it - 1)! over tables, over the product of
    (n - 1 + alpha) for n = 2 .. k; seats are numbered by opening.
    """
    k = len(seat)
    if k == 0:
        return 0.0
    at = np.zeros(k, np.int64)
    opened = 0
    for n in range(k):
        at[seat[n]] += 1
        opened = max(opened, seat[n] + 1)
    value = (opened - 1) * math.log(concentration)
    value -= math.lgamma(k + concentration) - math.lgamma(1 + concentration)
    for z in range(opened):
        value += math.lgamma(at[z])
    return value


@kernel
def move_weights(
    here: Ints,
    opened: int,
    a: int,
    counts: Ints,
    totals: Ints,
    prior: Floats,
    strength: float,
    weights: Floats,
) -> Floats:
    """Weights of the tables opened before a node that opens none itself, without the node.

    here (tables,): nodes of its instance at each table. Moving it among these renumbers nothing.
    Written to the first `opened` entries of weights, as this is done for every node.
    """
    for z in range(opened):
        weights[z] = here[z] * (counts[z, a] + prior[a]) / (totals[z] + strength)
    return weights[:opened]


@kernel
def draw(weights: Floats, rng: np.random.Generator) -> int:
    """A number with probability proportional to its weight."""
    left = rng.random() * weights.sum()
    for z in range(len(weights) - 1):
        left -= weights[z]
        if left < 0:
            return z
    return len(weights) - 1


@kernel
def reseat(seat: Ints, n: int, block: int) -> Ints:
    """Seats of an instance with node n moved to a block of the others, numbered by opening.

    block counts the tables that the other nodes occupy, in the order in which they open them;
    one more is a new table.
    """
    k = len(seat)
    moved = np.empty(k, np.int64)
    number_of = np.full(k + 1, -1)  # block of the others -> new number
    block_of = np.full(k, -1)  # old number -> block of the others
    blocks, opened = 0, 0
    for m in range(k):
        if m != n and block_of[seat[m]] < 0:
            block_of[seat[m]] = blocks
            blocks += 1
    for m in range(k):
        b = block if m == n else block_of[seat[m]]
        if number_of[b] < 0:
            number_of[b] = opened
            opened += 1
        moved[m] = number_of[b]
    return moved


@kernel
def seat_weights(
    action: Codes,
    seat: Ints,
    n: int,
    counts: Ints,
    totals: Ints,
    concentration: float,
    prior: Floats,
) -> Floats:
    """Log weights of all ways to seat node n of an instance again, including renumbering.

    action, seat (k,): of the instance; counts, totals: of all other instances. Entry b is for
    reseat(seat, n, b), the last one for a new table.
    """
    k = len(seat)
    size = np.zeros(k, np.int64)
    blocks = 0
    block_of = np.full(k, -1)
    for m in range(k):
        if m != n:
            if block_of[seat[m]] < 0:
                block_of[seat[m]] = blocks
                blocks += 1
            size[block_of[seat[m]]] += 1
    weights = np.empty(blocks + 1)
    for b in range(blocks + 1):
        moved = reseat(seat, n, b)
        weights[b] = math.log(size[b]) if b < blocks else math.log(concentration)
        weights[b] += log_actions(action, moved, counts, totals, prior)
    return weights


@kernel
def log_actions(action: Codes, seat: Ints, counts: Ints, totals: Ints, prior: Floats) -> float:
    """Log probability of the actions of an instance given its seats and all other instances."""
    strength = prior.sum()
    value, product = 0.0, 1.0
    for n in range(len(seat)):
        z, a = seat[n], action[n]
        product *= (counts[z, a] + prior[a]) / (totals[z] + strength)
        if product < 1e-200:  # one logarithm for many factors
            value += math.log(product)
            product = 1.0
        counts[z, a] += 1
        totals[z] += 1
    for n in range(len(seat)):
        counts[seat[n], action[n]] -= 1
        totals[seat[n]] -= 1
    return value + math.log(product)


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
    takes time linear in the tables. Then, with probability moves / k, an instance makes moves that
    do renumber them: see move_anywhere.
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
    for m in range(len(seat)):
        counts[seat[m], action[m]] -= 1
        totals[seat[m]] -= 1
    n = int(rng.random() * len(seat))
    weights = seat_weights(action, seat, n, counts, totals, concentration, prior)
    seat[:] = reseat(seat, n, draw(np.exp(weights - weights.max()), rng))
    split_or_merge(action, seat, counts, totals, concentration, prior, rng)
    for m in range(len(seat)):
        counts[seat[m], action[m]] += 1
        totals[seat[m]] += 1


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
    moves: float,
    sweeps: int,
    thin: int,
    rng: np.random.Generator,
) -> tuple[Floats, Ints]:
    """Run many sweeps, in place; published sweeps if moves is negative.

    Returns the log joint after each sweep, and the counts summed over every thin-th sweep.
    """
    trace, summed = np.empty(sweeps), np.zeros(counts.shape, np.int64)
    for number in range(sweeps):
        if moves < 0:
            sweep_published(offsets, action, seat, counts, totals, concentration, prior, rng)
        else:
            sweep_exact(offsets, action, seat, counts, totals, concentration, prior, moves, rng)
        trace[number] = log_joint(offsets, seat, counts, totals, concentration, prior)
        if (number + 1) % thin == 0:
            summed += counts
    return trace, summed


@kernel
def log_sequential_exact(emission: Floats, concentration: float) -> Floats:
    """Log P(a_n | a_1 .. a_n-1) of each node, summed over all seatings; emission (k, k).

    emission[n, z]: probability of the action of node n at table z. All that matters of a seating is
    how many nodes sit at each table, in order of opening: a composition of n. There are 2^(n-1) of
    them, written in binary: each table is a run of zeros closed by a one.
    """
    k = len(emission)
    terms = np.empty(k)
    weight = np.ones(1)
    for n in range(k):
        after = np.zeros(1 << n)
        if n == 0:
            after[0] = emission[0, 0]
        for code in range(len(weight) if n else 0):
            z, size, low = 0, 1, 0
            for bit in range(n):
                # bits 0 .. n-2 divide the n nodes; the last table is closed at n-1
                closes = bit == n - 1 or (code >> bit) & 1
                if not closes:
                    size += 1
                    continue
                grown = ((code >> low) << (low + 1)) | (code & ((1 << low) - 1))
                share = size / (n + concentration)
                after[grown] += weight[code] * share * emission[n, z]
                z, size, low = z + 1, 1, bit + 1
            share = concentration / (n + concentration)
            after[code | (1 << (n - 1))] += weight[code] * share * emission[n, z]
        total = after.sum()
        terms[n] = math.log(total)
        weight = after / total
    return terms


@kernel
def log_sequential_particles(emission: Floats, concentration: float, uniform: Floats) -> Floats:
    """Estimate log P(a_n | a_1 .. a_n-1) of each node with particles; uniform (k, particles + 1).

    Each particle is a seating. Its weight for a node is the probability of the action given it;
    particles are drawn again by weight, then each seats the node. The product of the mean weights
    is an unbiased estimate of the likelihood.
    """
    k, particles = len(emission), uniform.shape[1] - 1
    terms = np.empty(k)
    at = np.zeros((particles, k + 1), np.int64)
    opened = np.zeros(particles, np.int64)
    weights = np.empty((particles, k + 1))
    total = np.empty(particles)
    chosen = np.empty(particles, np.int64)
    for n in range(k):
        for p in range(particles):
            total[p] = 0.0
            for z in range(opened[p] + 1):
                share = at[p, z] if z < opened[p] else concentration
                weights[p, z] = emission[n, z] * (share / (n + concentration) if n else 1.0)
                total[p] += weights[p, z]
        terms[n] = math.log(total.mean())
        resample(total, uniform[n, particles], chosen)
        old_at, old_opened = at[chosen], opened[chosen]
        for p in range(particles):
            left = uniform[n, p] * total[chosen[p]]
            z = 0
            while z < old_opened[p] and left >= weights[chosen[p], z]:
                left -= weights[chosen[p], z]
                z += 1
            old_at[p, z] += 1
            old_opened[p] = max(old_opened[p], z + 1)
        at, opened = old_at, old_opened
    return terms


@kernel
def resample(weights: Floats, uniform: float, chosen: Ints) -> None:
    """Fill chosen with particles drawn by weight, at evenly spaced points (systematic)."""
    step = weights.sum() / len(weights)
    passed, p = weights[0], 0
    for position in range(len(weights)):
        while passed <= (position + uniform) * step and p < len(weights) - 1:
            p += 1
            passed += weights[p]
        chosen[position] = p
