"""What tables are sampled from: the actions of instances, in order, of some if there are many.

Each instance has a number as good as random, and where not all are kept it is those with the
smallest numbers. So parts can be joined in any order, and what is kept takes the same room however
many there were.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bools, Codes, Ints
from ibgn.intervals import IntervalSequences
from ibgn.pieces import content_numbers
from ibgn.terms.base import Counts, Term
from ibgn.terms.tally import PlainTally, Sample

__all__ = ["KeptTally", "TableCounts"]

LEAST = 10  # instances that are kept, however long they are
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: multiples are spread evenly


@dataclass(frozen=True)
class TableCounts(Counts):
    """Actions of instances, in order.

    Parameters
    ----------
    offsets : (n+1,) where the actions of each instance begin
    action : (intervals,) codes into actions
    actions : names of all known actions
    numbers : (n,) as good as random; those with the smallest ones are kept
    instances : how many there were, those that are not kept among them
    longest : number of intervals of the longest of them
    """

    offsets: Ints
    action: Codes
    actions: tuple[str, ...]
    numbers: npt.NDArray[np.uint64]
    instances: int
    longest: int

    @classmethod
    def of(cls, X: IntervalSequences) -> Self:
        """All instances of X that have intervals.

        Numbers are those of their contents. Equal instances get different ones, so that not all of
        them are kept, or none.
        """
        X = X[X.lengths > 0]
        numbers = content_numbers(X)
        order = np.argsort(numbers, kind="stable")
        begins = np.diff(numbers[order], prepend=~numbers[order[:1]]) != 0
        place = np.arange(len(X))
        first = np.maximum.accumulate(np.where(begins, place, 0))
        numbers[order] += (place - first).astype(np.uint64) * GOLDEN
        return cls(X.offsets, X.action, X.actions, numbers, len(X), int(X.lengths.max(initial=0)))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """All instances of the parts, one after the other."""
        return cls(
            _frozen(np.cumsum([0, *np.concatenate([part.lengths for part in parts])])),
            _frozen(np.concatenate([part.action for part in parts])),
            parts[0].actions,
            np.concatenate([part.numbers for part in parts]),
            sum(part.instances for part in parts),
            max(part.longest for part in parts),
        )

    @property
    def lengths(self) -> Ints:
        """(n,) number of intervals of each instance."""
        return np.diff(self.offsets)

    def __add__(self, other: Self) -> Self:
        return self.join([self, other])

    def __sub__(self, other: Self) -> Self:
        """Remove one equal instance for each of the other's, starting from the end."""
        surplus, kept = Counter(other._sequences()), np.ones(len(self.numbers), bool)
        for d, sequence in reversed(list(enumerate(self._sequences()))):
            kept[d] = not surplus[sequence]
            surplus[sequence] -= not kept[d]
        return self._take(np.flatnonzero(kept), self.instances - other.instances)

    def _sequences(self) -> list[bytes]:
        return [bytes(self.action[begin:stop]) for begin, stop in pairwise(self.offsets.tolist())]

    def _take(self, rows: Ints, instances: int) -> Self:
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        place = np.repeat(self.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])
        longest = self.longest if instances > len(rows) else int(lengths.max(initial=0))
        action = _frozen(self.action[place])
        return type(self)(
            _frozen(offsets), action, self.actions, self.numbers[rows], instances, longest
        )

    def least(self, intervals: int) -> Self:
        """The instances with the smallest numbers, ascending, as many as have so few intervals.

        Examples
        --------
        >>> X = IntervalSequences.from_lists([[("pour", 0, d + 1)] * 2 for d in range(80)])
        >>> counts = TableCounts.of(X).least(120)
        >>> len(counts.numbers), counts.instances
        (60, 80)
        """
        order = np.argsort(self.numbers, kind="stable")
        return self._take(order[: self._fitting(order, intervals)], self.instances)

    def first(self, intervals: int) -> Self:
        """The first instances, as many as have so few intervals."""
        rows = np.arange(len(self.numbers))
        return self._take(rows[: self._fitting(rows, intervals)], self.instances)

    def _fitting(self, rows: Ints, intervals: int) -> int:
        fits: Bools = np.cumsum(self.lengths[rows]) <= intervals
        return max(int(fits.sum()), min(LEAST, len(rows)))


@dataclass(frozen=True)
class KeptCounts:
    """Actions of a bounded number of intervals of each cell; those of parts add up.

    Parameters
    ----------
    cells : fold, activity and actions of each
    intervals : how many are kept, once there are twice as many
    """

    cells: list[tuple[int, int, TableCounts]]
    intervals: int

    def __add__(self, other: "KeptCounts") -> "KeptCounts":
        joined: dict[tuple[int, int], list[TableCounts]] = {}
        for f, c, counts in (*self.cells, *other.cells):
            joined.setdefault((f, c), []).append(counts)
        cells = [(f, c, keep_few(counts, self.intervals)) for (f, c), counts in joined.items()]
        return KeptCounts(cells, self.intervals)


def keep_few(counts: Sequence[TableCounts], intervals: int) -> TableCounts:
    """All joined; if they are twice as many as needed, only those with small numbers."""
    joined = TableCounts.join(counts) if len(counts) > 1 else counts[0]
    return joined.least(intervals) if len(joined.action) > 2 * intervals else joined


class KeptTally(PlainTally):
    """Actions of a bounded number of intervals of each activity, of as many instances as come.

    Parameters
    ----------
    terms : (activities,) what fits each
    sample : what is counted
    intervals : how many are kept of each activity in each fold
    """

    def __init__(self, terms: Sequence[Term], sample: Sample, intervals: int) -> None:
        self.intervals = intervals
        super().__init__(terms, sample)

    @property
    def counter(self) -> Callable[[Sample], Any]:
        """Actions of the instances of each cell."""
        return partial(_count_kept, super().counter, self.intervals)

    def add(self, counts: KeptCounts) -> None:  # type: ignore[override]
        """Keep counts, and once they are twice as many as needed, only those with small numbers."""
        super().add(counts.cells)
        for f, c, _ in counts.cells:
            self.counts[f][c] = [keep_few(self.counts[f][c], self.intervals)]

    def total(self, counts: Sequence[TableCounts]) -> TableCounts:
        """Join all at once, as one by one would take long."""
        return TableCounts.join(counts)


def _count_kept(
    count: Callable[[Sample], list[tuple[int, int, Any]]], intervals: int, piece: Sample
) -> KeptCounts:
    return KeptCounts(count(piece), intervals)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, not to be changed: as those of X, so that kernels are compiled once."""
    array.flags.writeable = False
    return array
