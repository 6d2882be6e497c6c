"""Plain twins of the kernels in _kernels/sequential.py, straight from the definitions."""

import itertools

import numpy as np

from naive_nodes import log_seating, seatings


def log_sequential(offsets, action, emission, concentration, longest_exact, uniform):
    terms = []
    for begin, stop in itertools.pairwise(offsets):
        of_nodes = emission[: stop - begin, action[begin:stop]].T
        if stop - begin <= longest_exact:
            terms.extend(log_sequential_exact(of_nodes, concentration))
        else:
            few = uniform[: stop - begin]
            terms.extend(log_sequential_particles(of_nodes, concentration, few))
    return np.array(terms)


def log_sequential_exact(emission, concentration):
    """Likelihood of the first n nodes, for each n: the sum over all their seatings."""
    k = len(emission)
    likelihood = [
        sum(
            np.exp(log_seating(seat, concentration)) * emission[np.arange(n), list(seat)].prod()
            for seat in seatings(n)
        )
        for n in range(1, k + 1)
    ]
    return np.diff(np.log(np.array([1.0, *likelihood])))


def log_sequential_particles(emission, concentration, uniform):
    particles = uniform.shape[1] - 1
    terms, seated = [], [[] for _ in range(particles)]  # nodes at each table, of each particle
    chosen = np.empty(particles, np.int64)
    for n in range(len(emission)):
        weights = []
        for at in seated:
            shares = np.array([*at, concentration]) / (n + concentration)
            weights.append(shares * emission[n, : len(shares)])
        total = np.array([sum(of_tables) for of_tables in weights])
        terms.append(np.log(total.mean()))
        resample(total, uniform[n, particles], chosen)
        seated = [list(seated[c]) for c in chosen]
        for p, (at, c) in enumerate(zip(seated, chosen, strict=True)):
            passed = np.cumsum(weights[c])[:-1] <= uniform[n, p] * total[c]
            z = int(passed.sum())
            at[z:] = [at[z] + 1, *at[z + 1 :]] if z < len(at) else [1]
    return np.array(terms)


def resample(weights, uniform, chosen):
    places = (np.arange(len(weights)) + uniform) * weights.mean()
    passed = np.cumsum(weights)[None] <= places[:, None]
    chosen[:] = np.minimum(passed.sum(axis=1), len(weights) - 1)
