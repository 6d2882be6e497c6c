"""Densities and tails of Student-t distributions, of one number under all activities."""

import math

from ibgn._arrays import Floats
from ibgn._kernels.compile import kernel, vector_kernel


@kernel
def log_density(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log density of a number to the scores; shape (4, activities) as `StudentT.shape`."""
    for c in range(len(scores)):
        distance = (value - shape[0, c]) / shape[1, c]
        scores[c] += shape[3, c] - shape[2, c] * math.log1p(distance * distance)


@kernel
def log_survival(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log probability of a larger number; shape (4, activities) as `StudentT.shape`.

    The tail of a Student-t distribution is half an incomplete beta function, whose continued
    fraction is that of x far from the middle, and of 1 - x near it.
    """
    for c in range(len(scores)):
        distance, half = (value - shape[0, c]) / shape[1, c], shape[2, c] - 0.5
        square = distance * distance
        x, height = 1 / (1 + square), shape[3, c] - shape[2, c] * math.log1p(square)
        if x < (half + 1) / (half + 2.5):
            factor = shape[1, c] * abs(distance) * beta_fraction(x, half, 0.5)
            tail = height + math.log(factor / (2 * half))
            scores[c] += tail if distance > 0 else math.log1p(-math.exp(tail))
        else:
            middle = shape[1, c] * distance * beta_fraction(square * x, 0.5, half)
            scores[c] += math.log(0.5 - math.exp(height) * middle)


@vector_kernel
def beta_fraction(x: float, a: float, b: float) -> float:
    """Continued fraction of the incomplete beta function."""
    value = upper = lower = 1 / (1 - (a + b) * x / (a + 1))
    for m in range(1, 5000):
        first, second, third = a + 2 * m - 1, a + 2 * m, a + 2 * m + 1
        by = x / (first * second * third)
        even, odd = m * (b - m) * third * by, -(a + m) * (a + b + m) * first * by
        above, below = value + even * upper, 1 + even * lower
        before, scale = value, 1 / (below + odd)
        value = (above + odd * value) * scale
        upper, lower = above * scale, below * scale
        if abs(value - before) < 1e-13 * value:
            break
    return value
