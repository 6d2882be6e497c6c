"""Votes of windows to runs of one label: smoothed, and none too short."""

import heapq
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Short", "find_runs", "remove_short", "smooth"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Short = Literal["neighbours", "null"]

ROUNDING = 1 - 1e-9


def smooth(votes: Floats, width: int) -> Floats:
    """Mean of the votes of so many windows around each, an odd number; fewer at the ends.

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


def find_runs(codes: Ints) -> Ints:
    """First window of each run of one code, and the number of windows at the end.

    Examples
    --------
    >>> find_runs(np.array([2, 2, 0, 2])).tolist()
    [0, 2, 3, 4]
    """
    changes = np.flatnonzero(np.diff(codes)) + 1
    return np.unique(np.concatenate([[0], changes, [len(codes)]]))


def remove_short(codes: Ints, edges: Floats, least: float, null: int, short: Short) -> Ints:
    """Give runs that last less than the least to others, so that none with a label remains.

    Parameters
    ----------
    codes : (windows,)
    edges : (windows + 1,) instants between which each window speaks
    least : seconds
    null : code of no label
    short : "neighbours": a run, the shortest first, goes to the longer of its two neighbours, to
        the one before where they are equal; "null": it becomes null. What is short and has no
        neighbour becomes null too.

    Examples
    --------
    >>> edges = np.arange(7.0)
    >>> remove_short(np.array([0, 0, 1, 0, 2, 2]), edges, 2.0, 2, "neighbours").tolist()
    [0, 0, 0, 0, 2, 2]
    >>> remove_short(np.array([0, 0, 1, 0, 2, 2]), edges, 2.0, 2, "null").tolist()
    [0, 0, 2, 2, 2, 2]
    """
    if len(codes) == 0 or least <= 0:
        return codes
    if short == "neighbours":
        codes = _Merging(codes, edges).merge(least * ROUNDING)
    first = find_runs(codes)
    lasts = np.diff(edges[first])
    found = codes.copy()
    found[np.repeat(lasts < least * ROUNDING, np.diff(first))] = null
    return found


class _Merging:
    """Runs as a chain of which links are taken out, the shortest first."""

    def __init__(self, codes: Ints, edges: Floats) -> None:
        first = find_runs(codes)
        self.first = first
        self.code = codes[first[:-1]].tolist()
        self.begin, self.end = edges[first[:-1]].tolist(), edges[first[1:]].tolist()
        self.before = list(range(-1, len(self.code) - 1))
        self.after = [*range(1, len(self.code)), -1]
        self.heir = list(range(len(self.code)))  # the run that each has become a part of

    def merge(self, least: float) -> Ints:
        """(windows,) codes after no run, but perhaps the only one, is shorter than the least."""
        short = [(self._lasts(i), i) for i in range(len(self.code)) if self._lasts(i) < least]
        heapq.heapify(short)
        while short:
            lasts, i = heapq.heappop(short)
            if self.heir[i] != i or lasts != self._lasts(i):  # has changed since
                continue
            near = [j for j in (self.before[i], self.after[i]) if j >= 0]
            if not near:
                break
            self.code[i] = self.code[max(near, key=self._lasts)]
            for j in near:
                if self.code[j] == self.code[i]:
                    self._take(i, j)
            if self._lasts(i) < least:
                heapq.heappush(short, (self._lasts(i), i))
        final = [self.code[self._root(i)] for i in range(len(self.code))]
        return np.repeat(np.array(final, np.int64), np.diff(self.first))

    def _lasts(self, i: int) -> float:
        return float(self.end[i] - self.begin[i])

    def _take(self, i: int, j: int) -> None:
        """Make run j, next to run i, a part of it."""
        self.heir[j] = i
        self.begin[i], self.end[i] = (
            min(self.begin[i], self.begin[j]),
            max(self.end[i], self.end[j]),
        )
        if self.before[i] == j:
            self.before[i] = self.before[j]
        else:
            self.after[i] = self.after[j]
        if self.before[i] >= 0:
            self.after[self.before[i]] = i
        if self.after[i] >= 0:
            self.before[self.after[i]] = i

    def _root(self, i: int) -> int:
        while self.heir[i] != i:
            self.heir[i] = i = self.heir[self.heir[i]]
        return i
