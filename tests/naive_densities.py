"""Plain twins of the kernels in _kernels/densities.py."""

import numpy as np
from scipy import special, stats


def log_density(value, shape, scores):
    scores += _student(shape).logpdf(value)


def log_survival(value, shape, scores):
    scores += _student(shape).logsf(value)


def _student(shape):
    location, width, power, _ = shape
    freedom = 2 * power - 1
    return stats.t(freedom, location, width / np.sqrt(freedom))


def beta_series(x, power):
    return _beta(x, 0.5, power - 0.5) / (2 * x**0.5 * (1 - x) ** (power - 0.5))


def beta_fraction(x, a):
    return _beta(x, a, 0.5) / (2 * x**a * (1 - x) ** 0.5)


def _beta(x, a, b):
    """The incomplete beta function, not over the whole."""
    return special.betainc(a, b, x) * special.beta(a, b)
