"""All segmentations of a stream: the likeliest one, and what all of them together say."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels import segments as kernels

__all__ = ["Chances", "Lattice"]

KEPT = 20_000_000  # scores of runs that stay in memory; beyond, blocks are scored twice
BLOCK = 2_000_000  # scores of runs of a block


class Chances(NamedTuple):
    """What all segmentations of a stream together say.

    Parameters
    ----------
    log_total : log of the sum of their weights
    runs : (n, longest, activities) probability that a run is an activity
    inside : (n, labels) probability that an interval is in each activity, or in none
    """

    log_total: float
    runs: Floats
    inside: Floats


class _Ways(NamedTuple):
    """What may be before each position; see `kernels.climb` and `kernels.sum_before`."""

    best: Floats
    origin: Ints
    before: Ints
    entry: Floats
    ending: Floats


class Lattice:
    """Weights of all segments of a stream, block by block; see `ibgn._kernels.segments`.

    Parameters
    ----------
    score : returns the scores of the runs that begin from one position to before another, (block,
        longest, activities)
    shape : (n, longest, activities) of all scores
    none : weight of an interval in none
    steps : (labels + 1, labels) of steps from label to label
    """

    def __init__(
        self,
        score: Callable[[int, int], Floats],
        shape: tuple[int, int, int],
        none: float,
        steps: Floats,
    ) -> None:
        n, longest, activities = shape
        self.score, self.shape, self.steps = score, shape, steps
        self.none = np.full(n, none)
        size = max(BLOCK // (longest * activities), 1)
        self.begins = range(0, n, size)
        self._keeps = n * longest * activities <= KEPT
        self._kept: dict[int, Floats] = {}

    @classmethod
    def of(cls, scores: Floats, none: float, steps: Floats) -> "Lattice":
        """Of scores that are known already."""
        n, longest, activities = scores.shape
        return cls(lambda begin, stop: scores[begin:stop], (n, longest, activities), none, steps)

    def _scores(self, begin: int) -> Floats:
        scores = self._kept.get(begin)
        if scores is None:
            scores = self.score(begin, min(begin + self.begins.step, self.shape[0]))
            if self._keeps:
                self._kept[begin] = scores
        return scores

    @cached_property
    def _ways(self) -> "_Ways":
        """The likeliest way to each position and the sums over all, in one go: scoring is slow."""
        n, _, activities = self.shape
        best, ending = np.full((2, n + 1, activities + 1), -np.inf)
        origin, before = np.zeros((2, n + 1, activities + 1), np.int64)
        entry = np.zeros((n, activities + 1))
        for begin in self.begins:
            scores = self._scores(begin)
            kernels.climb(scores, self.none, self.steps, begin, best, origin, before)
            kernels.sum_before(scores, self.none, self.steps, begin, entry, ending)
        return _Ways(best, origin, before, entry, ending)

    def best(self) -> tuple[Ints, Ints]:
        """First position and label of each segment of the likeliest segmentation."""
        return kernels.trace_back(self._ways.best, self._ways.origin, self._ways.before)

    def chances(
        self, with_runs: bool = False, look: Callable[[int, Floats], None] | None = None
    ) -> Chances:
        """Sum over all segmentations.

        Parameters
        ----------
        with_runs : whether to keep the probabilities of runs
        look : is given the first position of each block, and the probabilities of its runs
        """
        n, _, activities = self.shape
        entry, ending = self._ways.entry, self._ways.ending
        log_total = float(np.logaddexp.reduce(ending[-1])) if n else 0.0
        after, changes = np.zeros((2, n + 1, activities + 1))
        runs = []
        for begin in reversed(self.begins):
            scores = self._scores(begin)
            kernels.sum_after(scores, self.none, self.steps, begin, after)
            shares = kernels.share_runs(scores, begin, entry, after, log_total, changes)
            if with_runs:
                runs.append(shares)
            if look is not None:
                look(begin, shares)
        inside = np.clip(np.cumsum(changes[:-1], axis=0), 0, 1)  # rounding leaves none outside
        none = entry[:, -1] + self.none + after[1:, -1] - log_total
        inside[:, -1] = np.exp(np.minimum(none, 0))
        together = np.concatenate([np.zeros((0, *self.shape[1:])), *reversed(runs)])
        return Chances(log_total, together, inside)
