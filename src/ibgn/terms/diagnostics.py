"""How long a chain must run, and whether it did."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

__all__ = [
    "RafteryLewis",
    "effective_sample_size",
    "minimum_length",
    "potential_scale_reduction",
    "raftery_lewis",
]


@dataclass(frozen=True)
class RafteryLewis:
    """What a chain needs, by the diagnostic of Raftery and Lewis (1992).

    Parameters
    ----------
    burn_in : steps to leave out at the beginning
    keep : steps to run after that
    thin : distance at which the chain looks like a Markov chain of first order
    minimum : steps that independent draws would need
    enough : whether the trace was long enough to tell
    """

    burn_in: int
    keep: int
    thin: int
    minimum: int
    enough: bool

    @property
    def total(self) -> int:
        """Total number of steps, including burn-in."""
        return self.burn_in + self.keep

    @property
    def dependence_factor(self) -> float:
        """How many times longer than with independent draws; above 5 the chain mixes badly."""
        return self.total / self.minimum


def minimum_length(q: float = 0.025, r: float = 0.005, s: float = 0.95) -> int:
    """Independent draws needed to know the q-quantile within r with probability s.

    Examples
    --------
    >>> minimum_length(), minimum_length(r=0.01), minimum_length(q=0.5, r=0.025)
    (3746, 937, 1537)
    """
    return math.ceil(q * (1 - q) * _quantile(s) ** 2 / r**2)


def raftery_lewis(
    trace: npt.ArrayLike,
    q: float = 0.025,
    r: float = 0.005,
    s: float = 0.95,
    epsilon: float = 0.001,
) -> RafteryLewis:
    """Burn-in, length and thinning that a chain needs, judged by one trace.

    Parameters
    ----------
    trace : (steps,) a number from each step of the chain
    q, r, s : the quantile to be known, how closely, and with what probability
    epsilon : how near to its limit the chain must be after the burn-in

    A constant trace gives burn-in 0, thinning 1 and the minimum length. A trace shorter than the
    minimum gives the best guess, with enough=False.

    Examples
    --------
    >>> import numpy as np
    >>> advice = raftery_lewis(np.random.default_rng(0).normal(size=5000))
    >>> advice.burn_in <= 5, advice.thin, advice.dependence_factor < 1.5
    (True, 1, True)
    """
    values = np.asarray(trace, np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("a trace has one finite number per step; got other shapes or values")
    minimum = minimum_length(q, r, s)
    enough = len(values) >= minimum
    if len(values) < 3 or np.ptp(values) == 0:
        return RafteryLewis(0, minimum, 1, minimum, enough)
    low = (values <= np.quantile(values, q)).astype(np.int64)
    if np.ptp(low) == 0:  # most steps are at the lowest value, as good as constant
        return RafteryLewis(0, minimum, 1, minimum, enough)
    thin = _markov_thinning(low)
    leave, enter = _transition_rates(low[::thin])
    moving = 1 - leave - enter
    if leave * enter == 0 or abs(moving) == 1:  # it stays forever, or alternates forever
        return RafteryLewis(0, thin * minimum, thin, minimum, False)
    burn_in = 0
    if moving != 0:  # at a + b = 1 each step is independent of the last
        reach = math.log(epsilon * (leave + enter) / max(leave, enter)) / math.log(abs(moving))
        burn_in = thin * max(0, math.ceil(reach))
    needed = (2 - leave - enter) * leave * enter * _quantile(s) ** 2
    keep = thin * math.ceil(needed / ((leave + enter) ** 3 * r**2))
    return RafteryLewis(burn_in, keep, thin, minimum, enough)


def _quantile(s: float) -> float:
    return float(ndtri((1 + s) / 2))


def _markov_thinning(low: npt.NDArray[np.int64]) -> int:
    """Smallest thinning at which a first-order chain explains the trace as well as a second."""
    for thin in range(1, max(2, len(low) // 3)):
        thinned = low[::thin]
        triples = 4 * thinned[:-2] + 2 * thinned[1:-1] + thinned[2:]
        counts = np.bincount(triples, minlength=8).reshape(2, 2, 2)
        pairs, followers = counts.sum(axis=2)[:, :, None], counts.sum(axis=0)[None]
        expected = pairs * followers / np.maximum(counts.sum(axis=(0, 2)), 1)[None, :, None]
        seen = counts > 0
        gain = 2 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum()  # G2
        if gain < 2 * math.log(max(len(thinned) - 2, 1)):
            return thin
    return max(1, len(low) // 3)


def _transition_rates(low: npt.NDArray[np.int64]) -> tuple[float, float]:
    """P(0 -> 1) and P(1 -> 0)."""
    steps = np.bincount(2 * low[:-1] + low[1:], minlength=4).reshape(2, 2)
    from_zero, from_one = steps.sum(axis=1)
    return (
        float(steps[0, 1] / from_zero) if from_zero else 0.0,
        float(steps[1, 0] / from_one) if from_one else 0.0,
    )


def effective_sample_size(traces: npt.ArrayLike) -> float:
    """Number of independent draws that (chains, draws) are worth, by ArviZ; all if constant."""
    from arviz_stats.base import array_stats  # type: ignore[attr-defined]

    values = np.atleast_2d(np.asarray(traces, np.float64))
    if values.shape[1] < 4 or np.ptp(values) == 0:
        return float(values.size)
    return float(array_stats.ess(values))  # type: ignore[no-untyped-call]


def potential_scale_reduction(traces: npt.ArrayLike) -> float:
    """R-hat of (chains, draws), by ArviZ: near 1 if chains agree, or the halves of a single one.

    Constant chains agree if they have the same value. Infinite for fewer than four draws per
    chain, or eight of a single one: too few to tell.
    """
    from arviz_stats.base import array_stats  # type: ignore[attr-defined]

    values = np.atleast_2d(np.asarray(traces, np.float64))
    if len(values) == 1:
        half = values.shape[1] // 2
        values = np.stack([values[0, :half], values[0, values.shape[1] - half :]])
    if values.shape[1] < 4:
        return float("inf")
    if np.ptp(values) == 0:
        return 1.0
    if (np.ptp(values, axis=1) == 0).all():
        return float("inf")
    rhat = float(array_stats.rhat(values))  # type: ignore[no-untyped-call]
    return rhat if np.isfinite(rhat) else float("inf")
