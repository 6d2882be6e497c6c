"""Densities and tails of Student-t distributions, of one number under all activities."""

import math

from ibgn._arrays import Floats
from ibgn._kernels.compile import kernel


@kernel
def log_density(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log density of a number to the scores; shape (4, activities) as `StudentT.shape`."""
    for c in range(len(scores)):
        distance = (value - shape[0, c]) / shape[1, c]
        scores[c] += shape[3, c] - shape[2, c] * math.log1p(distance * distance)


@kernel
def log_survival(value: float, shape: Floats, scores: Floats) -> None:
    """Add the log probability of a larger number; shape (4, activities) as `StudentT.shape`.

    The tail of a Student-t distribution is half an incomplete beta function.
    """
    for c in range(len(scores)):
        distance, half = (value - shape[0, c]) / shape[1, c], shape[2, c] - 0.5
        x = 1 / (1 + distance * distance)
        # the height is that of the density, whose logarithm lacks the factor of the beta function
        front = shape[3, c] + math.log(shape[1, c]) + half * math.log(x)
        if x < (half + 1) / (half + 2.5):
            tail = front + 0.5 * math.log1p(-x) + math.log(beta_fraction(x, half, 0.5) / (2 * half))
            scores[c] += tail if distance > 0 else math.log1p(-math.exp(tail))
        else:  # near the middle
            middle = math.exp(front + 0.5 * math.log1p(-x)) * beta_fraction(1 - x, 0.5, half)
            scores[c] += math.log(0.5 - middle) if distance > 0 else math.log(0.5 + middle)


@kernel
def beta_fraction(x: float, a: float, b: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 200):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
