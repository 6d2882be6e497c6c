"""How much each term says: a log-linear pool of terms, fitted on held-out scores.

Some terms describe the same data twice, and none is wholly right. The score of an activity is
log prior + sum over terms of weight times log probability, with one weight per term for all
activities. Weights that make held-out instances likeliest are found by one small convex problem.
"""

from functools import reduce
from operator import add
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import logsumexp

from ibgn._arrays import Floats, Ints
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Term

__all__ = ["fit_weights", "held_out_scores"]

RIDGE = 1.0  # draws weights towards the usual one
USUAL = 0.1  # weight of a term where there is nothing to learn it from


def held_out_scores(
    terms: list[Term],
    special: list[list[Term]],
    counts: Any,
    X: IntervalSequences,
    folds: list[Ints],
) -> Floats:
    """(n, terms, activities) scores of each instance by what was counted in the other folds.

    Parameters
    ----------
    terms : what is learned
    special : [term][activity] the term for each activity
    counts : [term][fold][activity] counts of the instances of each fold
    X : all instances
    folds : instances of each fold
    """
    activities = len(special[0])
    scores = np.empty((len(X), len(terms), activities))
    tested = [X[fold] for fold in folds]

    def score(t: int, f: int) -> None:
        rest = [
            reduce(add, (of_fold[c] for g, of_fold in enumerate(counts[t]) if g != f))
            for c in range(activities)
        ]
        pooled = reduce(add, rest) if terms[t].pools else None
        for c in range(activities):
            context = Context(c, X.actions, 0, np.random.default_rng(f))
            learned = special[t][c].fit(rest[c], pooled, context)
            scores[folds[f], t, c] = learned.log_likelihood(tested[f])

    joblib.Parallel(require="sharedmem")(
        joblib.delayed(score)(t, f) for t in range(len(terms)) for f in range(len(folds))
    )
    return scores


def fit_weights(scores: Floats, codes: npt.NDArray[np.integer], log_prior: Floats) -> Floats:
    """(terms,) weights, none negative, under which the true activities are likeliest.

    A conditional logit with a ridge towards the usual weight.

    Parameters
    ----------
    scores : (n, terms, activities) held-out log probabilities
    codes : (n,) true activity of each instance
    log_prior : (activities,) log of the class prior
    """
    n, terms, _ = scores.shape
    true = scores[np.arange(n), :, codes]
    lead = scores - true[:, :, None]  # only differences between activities count
    priors = log_prior - log_prior[codes][:, None]

    def loss(weights: Floats) -> tuple[float, Floats]:
        joint = np.einsum("ntc,t->nc", lead, weights) + priors
        total = logsumexp(joint, axis=1)
        shares = np.exp(joint - total[:, None])
        off = weights - USUAL
        slope = np.einsum("nc,ntc->t", shares, lead) + RIDGE * off
        return float(total.sum() + RIDGE * (off @ off) / 2), slope

    start = np.full(terms, USUAL)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * terms)
    weights: Floats = found.x
    return weights
