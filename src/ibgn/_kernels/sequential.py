"""Likelihood of nodes that are seated one after the other, summed over seatings or estimated."""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel
from ibgn._kernels.nodes import Codes


@kernel
def log_sequential(
    offsets: Ints,
    action: Codes,
    emission: Floats,
    concentration: float,
    longest_exact: int,
    uniform: Floats,
) -> Floats:
    """(intervals,) log P(a_n | a_1 .. a_n-1) of the nodes of all instances.

    emission (tables, actions): probability of each action at each table. Instances up to
    longest_exact are summed over all seatings. Longer ones are estimated with particles, each
    instance from the same first rows of uniform, whatever other instances there are.
    """
    terms = np.empty(len(action))
    for d in range(len(offsets) - 1):
        begin, k = offsets[d], offsets[d + 1] - offsets[d]
        of_nodes = np.empty((k, k))
        for n in range(k):
            for z in range(k):
                of_nodes[n, z] = emission[z, action[begin + n]]
        if k <= longest_exact:
            mine = log_sequential_exact(of_nodes, concentration)
        else:
            mine = log_sequential_particles(of_nodes, concentration, uniform[:k])
        terms[begin : begin + k] = mine
    return terms


@kernel
def log_sequential_exact(emission: Floats, concentration: float) -> Floats:
    """Log P(a_n | a_1 .. a_n-1) of each node, summed over all seatings; emission (k, k).

    emission[n, z]: probability of the action of node n at table z. All that matters of a seating is
    how many nodes sit at each table, in order of opening: a composition of n. There are 2^(n-1) of
    them, written in binary: each table is a run of zeros closed by a one.
    """
    k = len(emission)
    zeros = np.zeros(1 << max(k - 1, 0), np.int64)  # below the lowest one of each number
    for number in range(2, len(zeros), 2):
        zeros[number] = zeros[number >> 1] + 1
    terms = np.empty(k)
    weight = np.ones(1)
    for n in range(k):
        after = np.zeros(1 << n)
        if n == 0:
            after[0] = emission[0, 0]
        for code in range(len(weight) if n else 0):
            # bits 0 .. n-2 divide the n nodes; the last table is closed at n-1
            z, low, left = 0, 0, code | (1 << (n - 1))
            while left:
                size = zeros[left] + 1
                grown = ((code >> low) << (low + 1)) | (code & ((1 << low) - 1))
                share = size / (n + concentration)
                after[grown] += weight[code] * share * emission[n, z]
                z, low, left = z + 1, low + size, left >> size
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
    # nodes at each table, and the concentration at the table that opens next
    shares, grown = np.empty((particles, k + 1)), np.empty((particles, k + 1))
    shares[:, 0] = concentration
    opened, reopened = np.zeros(particles, np.int64), np.empty(particles, np.int64)
    total = np.empty(particles)
    chosen = np.empty(particles, np.int64)
    for n in range(k):
        for p in range(particles):
            total[p] = 0.0
            for z in range(opened[p] + 1):
                total[p] += shares[p, z] * emission[n, z]
        terms[n] = math.log(total.mean() / (n + concentration))
        resample(total, uniform[n, particles], chosen)
        for p in range(particles):
            parent, last = chosen[p], opened[chosen[p]]
            left = uniform[n, p] * total[parent]
            passed = 0
            for z in range(last + 1):  # all of them: a loop that may stop early takes longer
                grown[p, z] = shares[parent, z]
                left -= shares[parent, z] * emission[n, z]
                passed += left >= 0
            if passed < last:
                grown[p, passed] += 1
                reopened[p] = last
            else:
                grown[p, last], grown[p, last + 1] = 1, concentration
                reopened[p] = last + 1
        shares, grown = grown, shares
        opened, reopened = reopened, opened
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
