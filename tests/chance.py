"""How far chance may carry a correct program: bounds with a stated rate of false alarms.

A test whose numbers depend on the seed of the run is marked `statistical` with its rate: the
probability, over seeds, that it fails although nothing is wrong. conftest refuses a rate above one
in a million. `pytest -m statistical --seed 17` runs all of them with other numbers.

Where no rate can be calculated, as for what a model scores on a simulation, a test is marked
`own_seed` with the reason, or seeds itself: then it draws the same numbers always.
"""

import numpy as np
from scipy.stats import binom, t


def binomial_bounds(n, p, false_alarm):
    """Least and most successes in n trials, missed with at most this probability."""
    return binom.ppf(false_alarm / 2, n, p), binom.isf(false_alarm / 2, n, p)


def standard_errors(false_alarm, cases=1, df=np.inf):
    """Standard errors that any of so many means may be off; df where the error is estimated."""
    return t.isf(false_alarm / (2 * cases), df)


def fit_of_counts(counts, probs):
    """p value of counts under probabilities of their cells, which sum to one.

    Each count is binomial; the least of the exact tails, times their number, is below a with
    probability a at most, however few are expected (Bonferroni).
    """
    counts, probs = np.asarray(counts), np.asarray(probs)
    tails = binom.cdf(counts, counts.sum(), probs), binom.sf(counts - 1, counts.sum(), probs)
    return min(1.0, 2 * len(counts) * np.min(tails))
