"""Plain twins of the kernels in _kernels/hyperparameters.py, straight from the definitions."""

import numpy as np
from scipy.special import gammaln
from scipy.stats import norm

from naive_nodes import log_polya


def log_normal(value, median, spread):
    return norm.logpdf(np.log(value), np.log(median), spread) - norm.logpdf(0, 0, spread)


def draw_factor(rng):
    """Steps up to a width between 0.1 and 4, uniform in its logarithm."""
    width = np.exp(np.log(0.1) + rng.random() * (np.log(4) - np.log(0.1)))
    return np.exp(width * (2 * rng.random() - 1))


def accept(gain, rng):
    return rng.random() < np.exp(min(gain, 0.0))


def log_openings(concentration, opened, lengths):
    """Node n + 1 of an instance opens a table with alpha / (n + alpha)."""
    value = opened * np.log(concentration)
    return value - sum(np.log(n + concentration) for k in lengths for n in range(1, k))


def step_concentration(concentration, opened, lengths, median, spread, rng):
    def log_posterior(value):
        return log_openings(value, opened, lengths) + log_normal(value, median, spread)

    proposed = concentration * draw_factor(rng)
    return (
        proposed
        if accept(log_posterior(proposed) - log_posterior(concentration), rng)
        else (concentration)
    )


def log_strength(totals, strength):
    totals = totals[totals > 0]
    return float((gammaln(strength) - gammaln(strength + totals)).sum())


def log_entry(counts, entry):
    return float((gammaln(entry + counts) - gammaln(entry)).sum())


def step_prior(prior, counts, totals, median, spread, rng):
    def log_posterior(values):
        return log_polya(counts, values) + log_normal(values, median, spread).sum()

    for a in [*range(len(prior)), slice(None)]:
        proposed = prior.copy()
        proposed[a] *= draw_factor(rng)
        if accept(log_posterior(proposed) - log_posterior(prior), rng):
            prior[:] = proposed
