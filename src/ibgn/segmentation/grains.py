"""Log odds of the runs of a stream, first of groups of similar runs, then of single ones.

Long runs that begin and end nearly at the same place have nearly the same log odds. A grain is such
a group: as many begins as numbers of intervals, at most a sixteenth of the length of its runs. The
run in its middle is scored for all. Grains that matter are split into four, and these are scored.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ibgn._arrays import Bools, Floats, Ints

__all__ = ["Grains"]

FINE = 16  # grains in the length of a run, at least


class _Layer(NamedTuple):
    """Grains of one size, by their first run: its begin and its number of intervals less one."""

    begin: Ints
    length: Ints
    odds: Floats

    def take(self, chosen: Bools) -> "_Layer":
        return _Layer(self.begin[chosen], self.length[chosen], self.odds[chosen])

    def join(self, other: "_Layer") -> "_Layer":
        begin = np.concatenate([self.begin, other.begin])
        length = np.concatenate([self.length, other.length])
        return _Layer(begin, length, np.concatenate([self.odds, other.odds]))


class Grains:
    """All runs of a stream, in grains.

    Parameters
    ----------
    score : returns the log odds of the runs from some places to before others, (runs, ...)
    n : how many intervals the stream has
    shortest, longest : how many intervals a run may have
    """

    def __init__(
        self, score: Callable[[Ints, Ints], Floats], n: int, shortest: int, longest: int
    ) -> None:
        self.score, self.n, self.shortest, self.longest = score, n, shortest, longest
        self._layers: dict[int, _Layer] = {}
        size, first = 1, 0
        while first < longest:
            stop = min(2 * FINE * size, longest)
            begin, length = np.meshgrid(np.arange(0, n, size), np.arange(first, stop, size))
            self._add(size, begin.ravel(), length.ravel())
            size, first = 2 * size, stop

    def _add(self, size: int, begin: Ints, length: Ints) -> None:
        """Score grains; those that hold no run within the stream are left out."""
        kept = (begin + length < self.n) & (length + size >= self.shortest)
        begin, length = begin[kept], length[kept]
        first = np.minimum(begin + size // 2, self.n - 1)
        last = np.minimum(first + np.minimum(length + size // 2, self.longest - 1) + 1, self.n)
        layer = _Layer(begin, length, self.score(first, last))
        known = self._layers.get(size)
        self._layers[size] = layer if known is None else known.join(layer)

    def paint(self, begin: int, stop: int) -> tuple[Floats, Ints]:
        """Log odds of the runs that begin from one place to before another, and sizes of grains.

        Returns
        -------
        odds : (block, longest, ...)
        sizes : (block, longest) of the grain that each run belongs to; 1 if it was scored itself
        """
        shape = stop - begin, self.longest
        odds = np.zeros((*shape, *self._layers[1].odds.shape[1:]))
        sizes = np.ones(shape, np.int64)
        for size in sorted(self._layers, reverse=True):  # split grains are painted over
            layer = self._layers[size]
            near = layer.take((layer.begin < stop) & (layer.begin + size > begin))
            aside = np.arange(size)
            place = near.begin[:, None, None] - begin + aside[:, None]
            length = near.length[:, None, None] + aside
            place, length = np.broadcast_arrays(place, length)
            inside = (place >= 0) & (place < shape[0]) & (length < self.longest)
            grain = np.broadcast_to(np.arange(len(near.begin))[:, None, None], place.shape)[inside]
            runs = place[inside], length[inside]
            odds[runs] = near.odds[grain]
            sizes[runs] = size
        return odds, sizes

    def split(self, begin: Ints, length: Ints, size: Ints) -> bool:
        """Split the grains of some runs; returns whether there are any.

        Parameters
        ----------
        begin, length, size : (runs,) where each begins, its number of intervals less one, and the
            size of its grain as `paint` says
        """
        for each in np.unique(size[size > 1]).tolist():
            own, half = size == each, each // 2
            corners = np.stack([begin[own] // each * each, length[own] // each * each])
            first, shortest = np.unique(corners, axis=1)
            self._add(
                half,
                *(
                    (corner + half * np.array(aside)[:, None]).ravel()
                    for corner, aside in ((first, (0, 0, 1, 1)), (shortest, (0, 1, 0, 1)))
                ),
            )
        return bool((size > 1).any())
