"""Likelihood of nodes that are seated one after the other, summed over seatings or estimated."""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel


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
