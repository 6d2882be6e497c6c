"""Structure of a Bayesian network of yes-or-no variables, found step by step.

A link also explains how its two ends relate in time, which is what `link_gain` rewards.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from ibgn._arrays import Bools, Floats, Ints

__all__ = ["Climbed", "climb", "family_score"]

Pair = tuple[int, int]

LEAST_GAIN = 1e-10  # smallest gain of a step per row, so that rounding cannot lead in circles


class Climbed(NamedTuple):
    """Result of the search.

    Parameters
    ----------
    links : (parent, child) of each link, sorted by child
    score : sum of the scores of all variables and of the gains of all links
    inconsistent : pairs whose link would raise the score, but contradict others in time
    cyclic : pairs whose link would raise the score, but close a cycle
    """

    links: tuple[Pair, ...]
    score: float
    inconsistent: tuple[Pair, ...]
    cyclic: tuple[Pair, ...]


def family_score(values: Bools, child: int, parents: tuple[int, ...]) -> float:
    """BIC of one variable given its parents; values is (n, variables)."""
    return float(
        _score(values[:, child], _configurations(values, parents)[:, None], len(parents))[0]
    )


def climb(values: Bools, link_gain: Floats, fits: Callable[[int, int, int], bool]) -> Climbed:
    """Add, remove and flip links, the best step first, until none raises the score.

    Parameters
    ----------
    values : (n, variables)
    link_gain : (variables, variables) symmetric, what a link adds to the scores of its ends
    fits : whether links between all three of i, j, k hold together
    """
    search = _Search(values, link_gain, fits)
    while search.step():
        pass
    return search.result()


class _Search:
    """State of the search: links so far, and the gain of every possible change."""

    def __init__(
        self, values: Bools, link_gain: Floats, fits: Callable[[int, int, int], bool]
    ) -> None:
        size = values.shape[1]
        self.values, self.link_gain, self.fits = values, link_gain, fits
        self.linked = np.zeros((size, size), bool)  # from parent to child
        self.scores = np.zeros(size)
        self.toggled = np.zeros((size, size))  # score of a child with one parent more or fewer
        self.refused = np.zeros((3, size, size), bool)
        self.gains = np.full((3, size, size), -np.inf)  # of adding, removing and flipping each link
        self.least_gain = LEAST_GAIN * max(len(values), 1)
        for child in range(size):
            self._rescore(child)
        self._regain(range(size))

    def _rescore(self, child: int) -> None:
        parents = np.flatnonzero(self.linked[:, child])
        x, code = self.values[:, child], _configurations(self.values, tuple(parents.tolist()))
        self.scores[child] = _score(x, code[:, None], len(parents))[0]
        self.toggled[:, child] = _score(x, 2 * code[:, None] + self.values, len(parents) + 1)
        for parent in parents.tolist():
            others = tuple(p for p in parents.tolist() if p != parent)
            self.toggled[parent, child] = family_score(self.values, child, others)

    def _regain(self, nodes: Iterable[int]) -> None:
        """Update the gains of steps at some nodes; minus infinity if a step is impossible."""
        for node in nodes:
            into, out = self.linked[:, node], self.linked[node]
            change = self.toggled[:, node] - self.scores[node]
            free = ~(into | out)
            free[node] = False
            flip = change + self.toggled[node] - self.scores
            gain = self.link_gain[:, node]
            self.gains[0, :, node] = np.where(free, change + gain, -np.inf)
            self.gains[1, :, node] = np.where(into, change - gain, -np.inf)
            self.gains[2, :, node] = np.where(into, flip, -np.inf)
            self.gains[2, node] = np.where(out, flip, -np.inf)
            self.gains[:, :, node][self.refused[:, :, node]] = -np.inf
            self.gains[2, node][self.refused[2, node]] = -np.inf

    def step(self) -> bool:
        """Make the best allowed change; return whether there was one."""
        while self.gains.size:
            kind, parent, child = map(int, np.unravel_index(self.gains.argmax(), self.gains.shape))
            if not self.gains[kind, parent, child] > self.least_gain:
                return False
            if self._allows(kind, parent, child):
                self._change(kind, parent, child)
                return True
            self.gains[kind, parent, child] = -np.inf
            self.refused[kind, parent, child] = True
        return False

    def _allows(self, kind: int, parent: int, child: int) -> bool:
        if kind == 0:
            return self._is_consistent(parent, child) and not self._leads(child, parent)
        return kind == 1 or not self._leads(parent, child, aside=(parent, child))

    def _is_consistent(self, i: int, j: int) -> bool:
        beside_i, beside_j = (self.linked[node] | self.linked[:, node] for node in (i, j))
        return all(self.fits(i, j, k) for k in np.flatnonzero(beside_i & beside_j).tolist())

    def _leads(self, first: int, last: int, aside: Pair | None = None) -> bool:
        """Whether links lead from one variable to another, ignoring one link."""
        linked = self.linked
        if aside:
            linked = linked.copy()
            linked[aside] = False
        reached = np.zeros(len(linked), bool)
        reached[first] = True
        new = reached
        while new.any() and not reached[last]:
            new = linked[new].any(axis=0) & ~reached
            reached = reached | new
        return bool(reached[last])

    def _change(self, kind: int, parent: int, child: int) -> None:
        self.linked[parent, child] = kind == 0
        self.linked[child, parent] = kind == 2
        self._rescore(child)
        if kind == 2:
            self._rescore(parent)
        if kind:  # links that contradicted the old one may be possible now
            self.refused[:] = False
        self._regain(range(len(self.linked)) if kind else (parent, child))

    def result(self) -> Climbed:
        child, parent = np.nonzero(self.linked.T)
        self.refused[:] = False
        self._regain(range(len(self.linked)))
        best = self.gains[0]
        missed = np.triu(np.maximum(best, best.T) > self.least_gain, 1)
        pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(missed), strict=True)]
        consistent = [self._is_consistent(*pair) for pair in pairs]
        return Climbed(
            links=tuple(zip(parent.tolist(), child.tolist(), strict=True)),
            score=float(self.scores.sum() + self.link_gain[self.linked].sum()),
            inconsistent=tuple(p for p, good in zip(pairs, consistent, strict=True) if not good),
            cyclic=tuple(p for p, good in zip(pairs, consistent, strict=True) if good),
        )


def _configurations(values: Bools, parents: tuple[int, ...]) -> Ints:
    """Code of the parents' values in each row, without gaps."""
    code = np.zeros(len(values), np.int64)
    for parent in parents:
        code = np.unique(2 * code + values[:, parent], return_inverse=True)[1]
    return code


def _score(x: Bools, codes: Ints, parents: int) -> Floats:
    """BIC of a variable for each column of codes of its parents' values."""
    n, columns = codes.shape
    if n == 0:
        return np.zeros(columns)
    size = int(codes.max()) + 1
    cell = (np.arange(columns) * size + codes) * 2 + x[:, None]
    counts = np.bincount(cell.ravel(), minlength=columns * size * 2).reshape(columns, size, 2)
    total = counts.sum(axis=2)
    fit = xlogy(counts, counts).sum(axis=(1, 2)) - xlogy(total, total).sum(axis=1)
    # with a single row parents would cost nothing, and their combinations are exponentially many
    scores: Floats = fit - 0.5 * np.log(max(n, 2)) * 2.0**parents
    return scores
