"""Numbers given a name: Student-t predictions, drawn towards what all activities have in common."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ibgn._arrays import Floats
from ibgn.terms.base import Counts

__all__ = ["Moments", "StudentT", "fit_student_t", "moments_of"]

MEAN_STRENGTH = 1.0  # observations that the common mean counts as
SPREAD_STRENGTH = 3.0  # and the common variance
LEAST_VARIANCE = 1e-2


@dataclass(frozen=True)
class Moments(Counts):
    """Number, sum and sum of squares of values in each group, (groups,) each."""

    number: Floats
    total: Floats
    squares: Floats


@dataclass(frozen=True)
class StudentT:
    """Location, scale and degrees of freedom of each group, (groups,) each."""

    location: Floats
    scale: Floats
    freedom: Floats

    def log_density(self, group: Floats, value: Floats) -> Floats:
        nu, s = self.freedom[group], self.scale[group]
        z = (value - self.location[group]) / s
        return (
            gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(s)
            - (nu + 1) / 2 * np.log1p(z * z / nu)
        )


def moments_of(group, value, groups):
    return Moments(
        np.bincount(group, minlength=groups).astype(float),
        np.bincount(group, value, minlength=groups),
        np.bincount(group, value * value, minlength=groups),
    )


def fit_student_t(own: Moments, pooled: Moments) -> StudentT:
    """Normal-inverse-gamma posterior predictive; the prior is that of all activities."""
    every = pooled.number.sum()
    centre = pooled.total.sum() / max(every, 1)
    variance = max(pooled.squares.sum() / max(every, 1) - centre**2, LEAST_VARIANCE)
    # pooled groups, drawn to all
    n = pooled.number
    mean = (pooled.total + MEAN_STRENGTH * centre) / (n + MEAN_STRENGTH)
    within = np.maximum(pooled.squares - n * (pooled.total / np.maximum(n, 1)) ** 2, 0)
    spread = (within + SPREAD_STRENGTH * variance) / (n + SPREAD_STRENGTH)
    spread = np.maximum(spread, LEAST_VARIANCE)
    k = own.number + MEAN_STRENGTH
    own_mean = own.total / np.maximum(own.number, 1)
    location = (own.total + MEAN_STRENGTH * mean) / k
    scatter = np.maximum(own.squares - own.number * own_mean**2, 0)
    shift = own.number * MEAN_STRENGTH / k * (own_mean - mean) ** 2
    freedom = own.number + SPREAD_STRENGTH
    var = (scatter + shift + SPREAD_STRENGTH * spread) / freedom
    return StudentT(location, np.sqrt(np.maximum(var, LEAST_VARIANCE / 4) * (k + 1) / k), freedom)
