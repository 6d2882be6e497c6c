"""Sampling what the tables of nodes depend on: the concentration and the prior over actions.

Both are positive, and their logarithms have normal priors. A step multiplies by a random factor
and is accepted or rejected so that the posterior given the seats stays invariant.
"""

import math

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel

WIDEST = 4.0  # of a step, in logarithms
NARROWEST = 0.1


@kernel
def log_normal(value: float, median: float, spread: float) -> float:
    """Log density of log(value), without what does not depend on value."""
    return -((math.log(value / median) / spread) ** 2) / 2


@kernel
def draw_factor(rng: np.random.Generator) -> float:
    """A factor to multiply with, as likely as its inverse; steps of all sizes suit all spreads."""
    width = NARROWEST * (WIDEST / NARROWEST) ** rng.random()
    return math.exp(width * (2 * rng.random() - 1))


@kernel
def accept(gain: float, rng: np.random.Generator) -> bool:
    """Decide whether to take a step that adds this to the log posterior."""
    return math.log(rng.random()) < gain


@kernel
def log_openings(concentration: float, opened: int, lengths: Ints) -> float:
    """Log probability of how many tables were opened, beyond the first of each instance.

    alpha^opened times the product of Gamma(1 + alpha) / Gamma(n + alpha) over instances of n nodes.
    """
    value = opened * math.log(concentration)
    of_one = math.lgamma(1 + concentration)
    for n in lengths:
        if n:
            value += of_one - math.lgamma(n + concentration)
    return value


@kernel
def step_concentration(
    concentration: float,
    opened: int,
    lengths: Ints,
    median: float,
    spread: float,
    rng: np.random.Generator,
) -> float:
    """Concentration after one step; opened: tables beyond the first of each instance."""
    proposed = concentration * draw_factor(rng)
    gain = log_openings(proposed, opened, lengths) - log_openings(concentration, opened, lengths)
    gain += log_normal(proposed, median, spread) - log_normal(concentration, median, spread)
    return proposed if accept(gain, rng) else concentration


@kernel
def log_strength(totals: Ints, strength: float) -> float:
    """Part of the Dirichlet-multinomial of all tables that depends on the sum of the prior."""
    value, of_none = 0.0, math.lgamma(strength)
    for total in totals:
        if total:
            value += of_none - math.lgamma(strength + total)
    return value


@kernel
def log_entry(counts: Ints, entry: float) -> float:
    """Part of the Dirichlet-multinomial of all tables that depends on the prior of one action."""
    value, of_none = 0.0, math.lgamma(entry)
    for count in counts:
        if count:
            value += math.lgamma(entry + count) - of_none
    return value


@kernel
def step_prior(
    prior: Floats,
    counts: Ints,
    totals: Ints,
    median: float,
    spread: float,
    rng: np.random.Generator,
) -> None:
    """Make a step of each entry of the prior, then one of all together, in place."""
    actions = len(prior)
    entries = np.empty(actions)
    for a in range(actions):
        entries[a] = log_entry(counts[:, a], prior[a])
    strength = prior.sum()
    of_strength = log_strength(totals, strength)
    for a in range(actions):
        proposed = prior[a] * draw_factor(rng)
        entry, other = log_entry(counts[:, a], proposed), strength + proposed - prior[a]
        of_other = log_strength(totals, other)
        gain = entry - entries[a] + of_other - of_strength
        gain += log_normal(proposed, median, spread) - log_normal(prior[a], median, spread)
        if accept(gain, rng):
            prior[a], entries[a], strength, of_strength = proposed, entry, other, of_other
    factor = draw_factor(rng)
    gain = log_strength(totals, strength * factor) - of_strength
    for a in range(actions):
        gain += log_entry(counts[:, a], prior[a] * factor) - entries[a]
        gain += log_normal(prior[a] * factor, median, spread) - log_normal(prior[a], median, spread)
    if accept(gain, rng):
        prior *= factor
