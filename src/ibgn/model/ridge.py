"""Ridge regression to labels, and what it would say about instances that it had not seen.

Targets are 1 for the true activity and -1 for the others. Scores of instances that are left out
have a closed form, so nothing is learned twice: with the hat matrix H, residuals of a block of
instances are divided by I - H of the block. H includes the intercept: without it, centred rows
give away the label of the one that is left out.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax

from ibgn._arrays import Bools, Floats, Ints

__all__ = ["RidgeFit", "fit_ridge", "leave_out", "occur_elsewhere", "sharpen"]

PENALTIES = np.logspace(-3, 2, 11)  # as parts of the mean eigenvalue
SHARPEST = 5.0  # largest logarithm of a temperature's inverse, and of the temperature


class RidgeFit(NamedTuple):
    """What was learned.

    Parameters
    ----------
    coefficients, intercept : (features, activities), (activities,) of the scores, in which
        differences are log odds
    held_out : (n, activities) scores of each instance by what was learned without its block
    penalty : the one under which held-out instances are likeliest
    """

    coefficients: Floats
    intercept: Floats
    held_out: Floats
    penalty: float


def fit_ridge(
    rows: Floats, codes: Ints, activities: int, blocks: Ints, weight: Floats | None = None
) -> RidgeFit:
    """Regress labels on rows, with the penalty that recognises what is left out best.

    Parameters
    ----------
    rows : (n, features) numbers, each column with weighted mean 0
    codes : (n,) activity of each
    activities : number of activities
    blocks : (n,) block of each; instances of a block are left out together
    weight : (n,) how many instances each counts as; None if each counts as one
    """
    weight = np.ones(len(rows)) if weight is None else weight
    targets = np.full((len(rows), activities), -1.0)
    targets[np.arange(len(rows)), codes] = 1.0
    intercept = np.average(targets, axis=0, weights=weight)
    # a row that counts twice, or two equal rows: both are one row times the root of two
    root = np.sqrt(weight)[:, None]
    rows = root * rows
    values, vectors = _decompose(rows)
    by_rows = len(values) == len(rows)
    scale = max(float(values.sum() / (weight.sum() if by_rows else len(values))), 1e-300)
    projected = vectors.T @ (root * (targets - intercept))
    known = occur_elsewhere(codes, blocks)
    best = None
    # where no instance can be left out, nothing can be chosen
    for penalty in scale * (PENALTIES if known.any() else np.ones(1)):
        shrunk = values / (values + penalty)
        residuals = root * (targets - intercept) - vectors @ (shrunk[:, None] * projected)
        left_out = leave_out(residuals, vectors * np.sqrt(shrunk), blocks, weight)
        held_out = targets - left_out / root
        loss, sharpness = sharpen(held_out[known], codes[known], weight[known])
        if best is None or loss < best[0]:
            best = loss, sharpness, held_out, penalty
    _, sharpness, held_out, penalty = best  # type: ignore[misc]
    weights = vectors @ (projected / (values + penalty)[:, None])
    return RidgeFit(
        sharpness * (rows.T @ weights), sharpness * intercept, sharpness * held_out, penalty / scale
    )


def occur_elsewhere(codes: Ints, blocks: Ints) -> Bools:
    """(n,) whether the activity of each instance occurs in another block.

    If not, nobody can recognise the instance when its block is left out.
    """
    pairs = np.unique(np.column_stack([codes, blocks]), axis=0)
    known: Bools = np.bincount(pairs[:, 0])[codes] > 1
    return known


def _decompose(rows: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues of rows @ rows.T, and its eigenvectors (n, r) as columns, by the shorter side."""
    if rows.shape[0] <= rows.shape[1]:
        values, vectors = np.linalg.eigh(rows @ rows.T)
        return np.maximum(values, 0.0), vectors
    values, sides = np.linalg.eigh(rows.T @ rows)
    kept = values > max(values[-1:].max(initial=0.0), 1e-300) * 1e-12
    return values[kept], (rows @ sides[:, kept]) / np.sqrt(values[kept])


def leave_out(residuals: Floats, half: Floats, blocks: Ints, weight: Floats) -> Floats:
    """Residuals of each block had it not been learned from -> (n, activities).

    Residuals are times the roots of their weights. half @ half.T is the hat matrix without the
    intercept, to which that adds the product of the roots over the sum of all weights.
    """
    left, n = np.empty_like(residuals), len(residuals)
    half = np.column_stack([half, np.sqrt(weight / weight.sum())])
    order = np.argsort(blocks, kind="stable")
    bounds = np.flatnonzero(np.diff(blocks[order])) + 1
    parts = np.split(order, bounds)
    if len(parts) == n:  # each by itself
        kept = 1 - np.einsum("ij,ij->i", half, half)
        left[:] = residuals / np.maximum(kept, 1e-12)[:, None]
        return left
    for part in parts:
        hat = half[part] @ half[part].T
        left[part] = np.linalg.lstsq(np.eye(len(part)) - hat, residuals[part], rcond=None)[0]
    return left


def sharpen(scores: Floats, codes: Ints, weight: Floats | None = None) -> tuple[float, float]:
    """Loss of held-out scores, and the factor that makes their softmax likeliest.

    weight (n,) says how much each instance counts, by default as one. The loss includes a doubt, so
    that the factor is finite even if all instances are recognised.
    """
    from scipy.optimize import minimize_scalar  # slow to load, and only learning needs it

    if not len(scores) or not np.ptp(scores, axis=1).any():
        return float(np.log(scores.shape[1])), 1.0
    true = np.arange(len(codes)), codes
    weight = np.ones(len(codes)) if weight is None else weight
    doubt = 1 / (weight.sum() + 1)  # one more instance, which may be of any activity
    shares = weight / weight.sum()

    def loss(log_factor: float) -> float:
        logs = log_softmax(np.exp(log_factor) * scores, axis=1)
        return float(-(1 - doubt) * (shares @ logs[true]) - doubt * (shares @ logs).mean())

    found = minimize_scalar(loss, bounds=(-SHARPEST, SHARPEST), method="bounded")
    return float(found.fun), float(np.exp(found.x))
