"""How much each term says: a log-linear pool of terms, fitted on held-out scores.

Some terms describe the same data twice, and none is wholly right. The score of an activity is
log prior + sum over terms of weight times log probability, with one weight per term for all
activities. Weights that make held-out instances likeliest are found by one small problem, which is
convex unless activities have styles.

Where there are few instances, they are drawn to one usual weight for all terms. Long instances of
many actions have scores that are far apart, whether or not they mean anything. So the usual weight
is the one at which they set activities that are wrong for an instance as far apart as in any data.
"""

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.model.learning import HeldOut

__all__ = ["MOST", "USUAL", "fit_weights", "usual_weight"]

RIDGE = 0.02  # draws weights towards the usual one, as parts of it
FEW = 2.0  # and more so where instances are few: this, divided by their number
USUAL = 0.1  # weight of a term where there is nothing to learn it from
MOST = 1e6  # weight of a term; under a larger one it decides alone, and sums overflow
APART = 1.5  # nats: spread of the wrong activities of an instance at the usual weight


def fit_weights(
    held_out: HeldOut,
    log_prior: Floats,
    activity: Ints | None = None,
    *,
    usual: float | None = None,
    ridge: float | None = None,
) -> Floats:
    """(terms,) weights, none negative, under which the true activities are likeliest.

    A conditional logit with a ridge towards the usual weight, see `usual_weight`.

    Parameters
    ----------
    held_out : scores of instances by what was learned from others
    log_prior : (columns,) log of the prior of each column of the scores
    activity : (columns,) of which each column is a style; None if each is an activity of its own
    usual : weight of a term where there is nothing to learn it from; None for `usual_weight`
    ridge : how strongly weights are drawn towards it, as parts of it; by default less so the more
        instances there are
    """
    from scipy.optimize import minimize  # slow to load, and only learning needs it

    scores, codes, counting, _ = held_out
    n, terms, _ = scores.shape
    true = scores[np.arange(n), :, codes]
    # only differences between activities count; (terms, n * activities) for fast products
    usual = usual_weight(held_out, activity) if usual is None else usual
    ridge = RIDGE + FEW / max(float(counting.sum()), 1.0) if ridge is None else ridge
    lead = np.moveaxis(scores, 1, 0).copy()
    lead -= true.T[:, :, None]  # in place, as these are the largest arrays of a fit
    lead *= usual
    lead = lead.reshape(terms, -1)
    priors = log_prior - log_prior[codes][:, None]
    own = None if activity is None else activity[codes][:, None] == activity

    def loss(weights: Floats) -> tuple[float, Floats]:
        joint = (weights @ lead).reshape(n, -1) + priors
        height, shares = _log_sums(joint, counting)
        if own is not None:  # an instance may have any style of its activity
            joint[~own] = -np.inf
            of_activity, of_styles = _log_sums(joint, counting)
            height, shares = height - of_activity, shares - of_styles
        off = weights - 1  # as parts of the usual one
        return float(height + ridge * (off @ off) / 2), lead @ shares.ravel() + ridge * off

    start = np.ones(terms)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * terms)
    weights: Floats = usual * found.x
    return weights


def _log_sums(joint: Floats, counting: Floats) -> tuple[float, Floats]:
    """Sum over rows of the log of the sum of exp, each row as much as it counts; its gradient."""
    top = joint.max(axis=1, keepdims=True)
    shares = np.exp(joint - top)
    total = shares.sum(axis=1, keepdims=True)
    shares *= counting[:, None] / total
    return float(counting @ (top + np.log(total))[:, 0]), shares


def usual_weight(held_out: HeldOut, activity: Ints | None = None) -> float:
    """Weight of every term at which the wrong activities of an instance are `APART`.

    No larger than 1, the plain product of probabilities; `USUAL` where only one activity is wrong.
    `activity` as in `fit_weights`: no style of the true activity is wrong.
    """
    wrong = held_out.scores.sum(axis=1)
    activity = np.arange(wrong.shape[1]) if activity is None else activity
    if len(np.unique(activity)) < 3:
        return USUAL
    wrong[activity[held_out.codes][:, None] == activity] = np.nan
    return APART / max(float(np.nanstd(wrong, axis=1).mean()), APART)
