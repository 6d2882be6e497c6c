"""What is added to counts of relations before they become probabilities."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

from ibgn._arrays import Array, Floats, Ints
from ibgn.allen import members
from ibgn.checks import check_prior_count

__all__ = [
    "MEMBERS",
    "Smoothing",
    "back_off_by_constraint",
    "check_smoothing",
    "fit_polya",
    "prior_by_constraint",
]

Smoothing = float | Literal["learned"]

BACK_OFF = 3.0  # pairs with other actions count as this many pairs with each action
STRENGTHS = (1e-3, 1e3)  # each entry of a learned prior stays between these
POLYA_STEPS = 2000

# members (128, 7): which relations are in each set, by mask
MEMBERS = np.array([[mask >> r & 1 for r in range(7)] for mask in range(128)], bool)


def check_smoothing(smoothing: Smoothing) -> None:
    """Refuse what is neither "learned" nor a number that can be added to counts."""
    if not (isinstance(smoothing, str) and smoothing == "learned"):
        check_prior_count("smoothing", smoothing, "learned")


def prior_by_constraint(counts: Ints, constraint: Ints, smoothing: Smoothing) -> Floats:
    """(128, 7) prior that is added to the counts of each constraint."""
    if smoothing != "learned":
        check_smoothing(smoothing)
        return float(smoothing) * MEMBERS
    prior = MEMBERS.astype(float)
    for mask in np.unique(constraint):
        open_to = [int(member) for member in members(int(mask))]
        rows = counts[constraint == mask][:, open_to]
        prior[mask, open_to] = fit_polya(rows)
    return prior


def fit_polya(counts: npt.NDArray[np.integer]) -> Floats:
    """Dirichlet prior from which the rows of counts are draws, by Minka's fixed point."""
    prior = np.ones(counts.shape[1])
    totals = counts.sum(axis=1)
    for _ in range(POLYA_STEPS):
        gained = (digamma(counts + prior) - digamma(prior)).sum(axis=0)
        spread = (digamma(totals + prior.sum()) - digamma(prior.sum())).sum()
        after: Floats = np.clip(prior * gained / spread, *STRENGTHS)
        if np.allclose(after, prior, rtol=1e-6):
            return after
        prior = after
    return prior


def back_off_by_constraint(counts: Array, constraint: Ints) -> Floats:
    """(128, 7) prior of unlinked pairs: their relations in each constraint, whatever the action."""
    pooled = MEMBERS.astype(float)
    np.add.at(pooled, constraint, counts)
    prior: Floats = BACK_OFF * pooled / np.maximum(pooled.sum(axis=1, keepdims=True), 1)
    return prior
