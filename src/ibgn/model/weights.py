"""How much each term says: a log-linear pool of terms, fitted on held-out scores.

Some terms describe the same data twice, and none is wholly right. The score of an activity is
log prior + sum over terms of weight times log probability, with one weight per term for all
activities. Weights that make held-out instances likeliest are found by one small convex problem.
"""

import numpy as np
from scipy.optimize import minimize

from ibgn._arrays import Floats
from ibgn.model.learning import HeldOut

__all__ = ["USUAL", "fit_weights"]

RIDGE = 1.0  # draws weights towards the usual one
USUAL = 0.1  # weight of a term where there is nothing to learn it from


def fit_weights(
    held_out: HeldOut, log_prior: Floats, usual: float = USUAL, ridge: float = RIDGE
) -> Floats:
    """(terms,) weights, none negative, under which the true activities are likeliest.

    A conditional logit with a ridge towards the usual weight.

    Parameters
    ----------
    held_out : scores of instances by what was learned from others
    log_prior : (activities,) log of the class prior
    usual : weight of a term where there is nothing to learn it from
    ridge : how strongly weights are drawn towards it
    """
    scores, codes, counting = held_out
    n, terms, _ = scores.shape
    true = scores[np.arange(n), :, codes]
    # only differences between activities count; (terms, n * activities) for fast products
    lead = np.moveaxis(scores - true[:, :, None], 1, 0).reshape(terms, -1)
    priors = log_prior - log_prior[codes][:, None]

    def loss(weights: Floats) -> tuple[float, Floats]:
        joint = (weights @ lead).reshape(n, -1) + priors
        top = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - top)
        total = shares.sum(axis=1, keepdims=True)
        shares *= counting[:, None] / total
        off = weights - usual
        height = counting @ (top + np.log(total))[:, 0] + ridge * (off @ off) / 2
        return float(height), lead @ shares.ravel() + ridge * off

    start = np.full(terms, usual)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * terms)
    weights: Floats = found.x
    return weights
