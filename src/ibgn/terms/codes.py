"""Counts of codes: numbers that stand for several things at once, of which few occur."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ibgn._arrays import Floats, Ints, find_runs

__all__ = ["CodeCounts", "as_index"]


@dataclass(frozen=True)
class CodeCounts:
    """How often codes occur; counts of parts add up.

    Parameters
    ----------
    code : (codes,) ascending
    number : (codes,) of each

    Examples
    --------
    >>> one = CodeCounts.of(np.array([7, 3, 7]), np.ones(3))
    >>> both = one + CodeCounts.of(np.array([3]), np.array([0.5]))
    >>> both.code, both.number
    (array([3, 7]), array([1.5, 2. ]))
    """

    code: Ints
    number: Floats

    @classmethod
    def of(cls, code: Ints, number: Floats) -> "CodeCounts":
        """Counts of codes that may repeat, in any order."""
        place, known = pd.factorize(code, sort=True)
        return cls(known, np.bincount(place, number, len(known)).astype(np.float64, copy=False))

    def __add__(self, other: "CodeCounts") -> "CodeCounts":
        code = np.concatenate([self.code, other.code])
        order = np.argsort(code, kind="stable")  # which merges what is sorted already
        number = np.concatenate([self.number, other.number])[order]
        first = find_runs(code[order])[:-1]
        return CodeCounts(
            code[order[first]], np.add.reduceat(number, first) if len(first) else number
        )


def as_index(values: Ints, among: Ints) -> Ints:
    """Place of each value among sorted ones, -1 if it is not there."""
    place = np.searchsorted(among, values)
    there = np.append(among, -1)[place] == values
    return np.where(there, place, -1)
