"""Pairs of intervals of an instance, all of them or those within a horizon: which, and how many.

A horizon of h leaves the pairs of each interval and the h after it, in the order of starts. Their
number then grows with the length of an instance, and not with its square.
"""

from typing import Any

import numpy as np

from ibgn._arrays import Array, Ints
from ibgn._kernels.pairs import EVERY
from ibgn.budgets import check_memory
from ibgn.checks import check_whole
from ibgn.errors import Option, Part
from ibgn.intervals import IntervalSequences

__all__ = [
    "check_horizon",
    "check_pairs",
    "count_within",
    "expect_pairs",
    "pair_offsets",
    "pair_places",
    "reach_of",
]

MANY = 10_000_000  # pairs that always fit, so that it need not be known how many touch
PAIR, SQUARE = 8, 40  # bytes of a pair in flat arrays, and in matrices beside them
LONG = 5_000  # intervals of an instance, from which on a horizon is proposed
USUAL = 100  # intervals, of the horizon that is proposed where all pairs are too many
CUT = "cut long recordings into instances, such as one for each task or hour"
SHORTER: tuple[Part, ...] = (
    f"{CUT}, or limit the pairs, for a model when it is learned, by ",
    Option("horizon", USUAL),
)


def check_horizon(value: Any) -> None:
    """Refuse a horizon that is not a number of intervals; None is all of them."""
    if value is not None:
        check_whole("horizon", value, 1)


def reach_of(horizon: int | None) -> int:
    """Horizon as kernels take it: a number that is always there."""
    return EVERY if horizon is None else int(horizon)


def count_within(lengths: Ints, horizon: int | None = None) -> Ints:
    """(n,) number of pairs of instances of these lengths, within the horizon.

    Examples
    --------
    >>> count_within(np.array([1, 4, 4]), 2), count_within(np.array([4]))
    (array([0, 5, 5]), array([6]))
    """
    counted: Ints = _count_pairs(lengths, horizon).astype(np.int64)
    return counted


def _count_pairs(lengths: Array, horizon: int | None) -> Array:
    """The same in the type of the lengths."""
    width = np.minimum(np.maximum(lengths - 1, 0), reach_of(horizon))
    pairs: Array = width * lengths - width * (width + 1) // 2
    return pairs


def pair_offsets(X: IntervalSequences, horizon: int | None = None) -> Ints:
    """(n+1,) where the pairs of each instance begin."""
    return np.concatenate([[0], np.cumsum(count_within(X.lengths, horizon))])


def pair_places(X: IntervalSequences, horizon: int | None = None) -> tuple[Ints, Ints]:
    """(pairs,) the two intervals of each pair, row by row, as their places in X.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("a", 0, 2), ("b", 1, 3), ("c", 3, 4)]])
    >>> pair_places(X), pair_places(X, horizon=1)
    ((array([0, 0, 1]), array([1, 2, 2])), (array([0, 1]), array([1, 2])))
    """
    place = np.arange(len(X.action))
    after = np.minimum(X.offsets[1:][X.owner] - 1 - place, reach_of(horizon))
    first = np.repeat(place, after)
    begin = np.repeat(np.cumsum(after) - after, after)
    return first, first + 1 + np.arange(len(first)) - begin


def expect_pairs(
    X: IntervalSequences,
    each: int,
    touching: bool = False,
    horizon: int | None = None,
    advice: tuple[Part, ...] = (CUT,),
) -> None:
    """Refuse instances whose pairs would take too much memory, before arrays are made of them.

    Parameters
    ----------
    X : instances
    each : bytes that a pair takes, about
    touching : whether only pairs are kept of which one begins before the other is over
    horizon : how many intervals after each it has pairs with; None for all
    advice : what to do
    """
    pairs = float(_count_pairs(X.lengths.astype(np.float64), horizon).sum())  # may be very many
    if touching and pairs > MANY:
        parts = ((X.start[own], X.end[own]) for own in map(slice, X.offsets[:-1], X.offsets[1:]))
        reach = (np.searchsorted(start, end, "right") for start, end in parts)
        after = (last - np.arange(1, len(last) + 1) for last in reach)
        pairs = float(sum(np.minimum(number, reach_of(horizon)).sum() for number in after))
    if horizon is not None:
        advice = (f"{CUT}, or take a smaller ", Option("horizon"))
    check_pairs(pairs, int(X.lengths.max(initial=0)), each, advice)


def check_pairs(pairs: float, longest: int, each: int, advice: tuple[Part, ...] = (CUT,)) -> None:
    """Refuse so many pairs of intervals, if they would take too much memory.

    Parameters
    ----------
    pairs : how many
    longest : number of intervals of the longest instance
    each : bytes that a pair takes, about
    advice : what to do
    """
    check_memory(
        each * pairs,
        f"a look at {pairs:.2g} pairs of intervals, as an instance has {longest} intervals,",
        *advice,
    )
