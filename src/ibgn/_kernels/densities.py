"""Densities and tails of Student-t distributions, of one number under all activities."""

import math

import numpy as np

from ibgn._arrays import Floats
from ibgn._kernels.compile import kernel, vector_kernel

NEAR = 5.0  # to the middle, where half of the squared number of deviations is smaller
STEPS = 1 / (1.5 + np.arange(100))


@kernel
def log_density(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log density of a number to the scores; shape (4, activities) as `StudentT.shape`."""
    for c in range(len(scores)):
        distance = (value - shape[0, c]) / shape[1, c]
        scores[c] += shape[3, c] - shape[2, c] * math.log1p(distance * distance)


@kernel
def log_survival(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log probability of a larger number; shape (4, activities) as `StudentT.shape`.

    The tail of a Student-t distribution is half an incomplete beta function. Near the middle a
    series has that of the rest, and farther out a continued fraction has its own.
    """
    for c in range(len(scores)):
        distance = (value - shape[0, c]) / shape[1, c]
        square, power = distance * distance, shape[2, c]
        height = shape[3, c] - power * math.log1p(square)
        if square < 1 and power * square < NEAR * (1 + square):
            middle = shape[1, c] * distance * beta_series(square / (1 + square), power)
            scores[c] += math.log(0.5 - math.exp(height) * middle)
        else:
            fraction = beta_fraction(1 / (1 + square), power - 0.5)
            tail = height + math.log(shape[1, c] * abs(distance) * fraction)
            scores[c] += tail if distance > 0 else math.log1p(-math.exp(tail))


@kernel
def beta_series(x: float, power: float) -> float:
    """Incomplete beta function of x, 1/2 and power - 1/2, over what is before the series.

    It is the sum of the products of x * (power + n) / (1.5 + n).
    """
    value = term = 1.0
    for n in range(len(STEPS)):
        term *= x * (power + n) * STEPS[n]
        value += term
        if term < 1e-15 * value:
            break
    return value


@vector_kernel
def beta_fraction(x: float, a: float) -> float:
    """Incomplete beta function of x, a and 1/2, over what is before the continued fraction."""
    value = upper = lower = 1 / (1 - (a + 0.5) * x / (a + 1))
    for m in range(1, 200):
        first, second, third = a + 2 * m - 1, a + 2 * m, a + 2 * m + 1
        by = x / (first * second * third)
        even, odd = m * (0.5 - m) * third * by, -(a + m) * (a + 0.5 + m) * first * by
        above, below = value + even * upper, 1 + even * lower
        before, scale = value, 1 / (below + odd)
        value = (above + odd * value) * scale
        upper, lower = above * scale, below * scale
        if abs(value - before) < 1e-13 * value:
            break
    return value / (2 * a)
