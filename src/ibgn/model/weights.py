"""How much each term says: a log-linear pool of terms, fitted on held-out scores.

Some terms describe the same data twice, and none is wholly right. The score of an activity is
log prior + sum over terms of weight times log probability, with one weight per term for all
activities. Weights that make held-out instances likeliest are found by one small convex problem.

Where there are few instances, they are drawn to one usual weight for all terms. Long instances of
many actions have scores that are far apart, whether or not they mean anything. So the usual weight
is the one at which they set activities that are wrong for an instance as far apart as in any data.
"""

import numpy as np
from scipy.optimize import minimize

from ibgn._arrays import Floats
from ibgn.model.learning import HeldOut

__all__ = ["USUAL", "fit_weights", "usual_weight"]

RIDGE = 0.2  # draws weights towards the usual one, as parts of it
USUAL = 0.1  # weight of a term where there is nothing to learn it from
APART = 1.5  # nats: spread of the wrong activities of an instance at the usual weight


def fit_weights(
    held_out: HeldOut, log_prior: Floats, usual: float | None = None, ridge: float = RIDGE
) -> Floats:
    """(terms,) weights, none negative, under which the true activities are likeliest.

    A conditional logit with a ridge towards the usual weight, see `usual_weight`.

    Parameters
    ----------
    held_out : scores of instances by what was learned from others
    log_prior : (activities,) log of the class prior
    usual : weight of a term where there is nothing to learn it from; None for `usual_weight`
    ridge : how strongly weights are drawn towards it, as parts of it
    """
    scores, codes, counting = held_out
    n, terms, _ = scores.shape
    true = scores[np.arange(n), :, codes]
    # only differences between activities count; (terms, n * activities) for fast products
    usual = usual_weight(held_out) if usual is None else usual
    lead = usual * np.moveaxis(scores - true[:, :, None], 1, 0).reshape(terms, -1)
    priors = log_prior - log_prior[codes][:, None]

    def loss(weights: Floats) -> tuple[float, Floats]:
        joint = (weights @ lead).reshape(n, -1) + priors
        top = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - top)
        total = shares.sum(axis=1, keepdims=True)
        shares *= counting[:, None] / total
        off = weights - 1  # as parts of the usual one
        height = counting @ (top + np.log(total))[:, 0] + ridge * (off @ off) / 2
        return float(height), lead @ shares.ravel() + ridge * off

    start = np.ones(terms)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * terms)
    weights: Floats = usual * found.x
    return weights


def usual_weight(held_out: HeldOut) -> float:
    """Weight of every term at which the wrong activities of an instance are `APART`.

    No larger than 1, the plain product of probabilities; `USUAL` where only one activity is wrong.
    """
    wrong = held_out.scores.sum(axis=1)
    n, activities = wrong.shape
    if activities < 3:
        return USUAL
    wrong[np.arange(n), held_out.codes] = np.nan
    return APART / max(float(np.nanstd(wrong, axis=1).mean()), APART)
