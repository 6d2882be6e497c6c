"""From votes of windows to runs of one label: smoothed, and none too short."""

from typing import Literal

import numpy as np

from ibgn._arrays import Floats, Ints, find_runs

__all__ = ["Short", "remove_short", "smooth"]

Short = Literal["neighbours", "null"]

ROUNDING = 1 - 1e-9


def smooth(votes: Floats, width: int) -> Floats:
    """Mean of the votes of `width` windows around each, an odd number; fewer at the ends.

    Examples
    --------
    >>> smooth(np.array([[0.0], [3.0], [0.0], [0.0]]), 3)[:, 0].tolist()
    [1.5, 1.0, 1.0, 0.0]
    """
    if width <= 1 or len(votes) == 0:
        return votes
    sums = np.concatenate([np.zeros((1, votes.shape[1])), np.cumsum(votes, axis=0)])
    middle = np.arange(len(votes))
    first = np.maximum(middle - width // 2, 0)
    stop = np.minimum(middle + width // 2 + 1, len(votes))
    means: Floats = (sums[stop] - sums[first]) / (stop - first)[:, None]
    return means


def remove_short(codes: Ints, edges: Floats, least: float, null: int, short: Short) -> Ints:
    """Remove labelled runs that are shorter than `least`.

    Parameters
    ----------
    codes : (windows,)
    edges : (windows + 1,) instants between which each window decides
    least : seconds
    null : code of no label
    short : "null": a short run becomes null. "neighbours": it joins the longer of the neighbouring
        runs that are not short themselves, the one before if they are equally long, and becomes
        null if there is none.

    Examples
    --------
    >>> edges = np.arange(8.0)
    >>> remove_short(np.array([0, 0, 1, 0, 0, 2, 2]), edges, 2.0, 2, "neighbours").tolist()
    [0, 0, 0, 0, 0, 2, 2]
    >>> remove_short(np.array([0, 0, 1, 0, 0, 2, 2]), edges, 2.0, 2, "null").tolist()
    [0, 0, 2, 0, 0, 2, 2]
    """
    if len(codes) == 0 or least <= 0:
        return codes
    first = find_runs(codes)
    code, lasts = codes[first[:-1]], np.diff(edges[first])
    is_short = lasts < least * ROUNDING
    replaced: int | Ints = null
    if short == "neighbours":
        padded = np.pad(np.where(is_short, 0.0, lasts), 1)
        before, after = padded[:-2], padded[2:]
        around = np.pad(code, 1, constant_values=null)
        longer = np.where(before >= after, around[:-2], around[2:])
        replaced = np.where(np.maximum(before, after) > 0, longer, null)
    code = np.where(is_short, replaced, code)
    return np.repeat(code, np.diff(first))
