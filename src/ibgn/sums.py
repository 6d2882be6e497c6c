"""Sums whose parts may be added anywhere, in any order of time: always the same to the last bit.

Sums of fractions depend on the order of adding. Here it is that of a binary tree over the numbers
of the values, so that whoever has some of them adds those up, and all of it comes out the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn.horizon import count_within
from ibgn.intervals import IntervalSequences
from ibgn.pieces import Part, find_bounds, join_parts

__all__ = ["Counter", "Extent", "PieceSum", "PieceSums", "TreeSum"]

T = TypeVar("T")

Counter = Callable[[int, IntervalSequences, npt.NDArray[Any] | None], T]
"""Makes a value, which adds, of the number of the first instance of a piece, and of the piece."""


class TreeSum(Generic[T]):
    """The sum of numbered values, which come in the order of their numbers.

    Values are added up in blocks of numbers from i * 2**k to (i + 1) * 2**k, the smaller ones
    first.

    Parameters
    ----------
    first : values of smaller numbers are elsewhere, so that blocks with any stay apart

    Examples
    --------
    >>> whole = TreeSum()
    >>> for number, value in enumerate("abcdef"):
    ...     whole.add(number, f"({value})")
    >>> whole.nodes
    [(0, '(a)(b)(c)(d)'), (4, '(e)'), (5, '(f)')]
    >>> whole.total()
    '(a)(b)(c)(d)(e)(f)'
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.nodes: list[tuple[int, T]] = []  # a number of each block, and its sum

    def add(self, number: int, value: T) -> None:
        """Add a value, or the sum of a block that has this number."""
        self.close(number)
        self.nodes.append((number, value))

    def close(self, number: int) -> None:
        """Add up blocks that have no values from this number on."""
        while len(self.nodes) > 1:
            (before, left), (last, right) = self.nodes[-2:]
            level = (before ^ last).bit_length()
            if number >> level == last >> level or before >> level << level < self.first:
                return
            self.nodes[-2:] = [(before, left + right)]  # type: ignore[operator]

    def total(self) -> T | None:
        """The sum of all; None if there are none."""
        if not self.nodes:
            return None
        *others, (_, total) = self.nodes
        for _, value in reversed(others):
            total = value + total  # type: ignore[operator]
        return total


class Extent(NamedTuple):
    """How much a part has.

    Parameters
    ----------
    lengths : numbers of intervals that instances have, ascending
    numbers : of instances that have so many

    Examples
    --------
    >>> extent = Extent.of(IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]] * 3))
    >>> extent.instances, extent.size(None)
    (3, 9)
    """

    lengths: Ints
    numbers: Ints

    @classmethod
    def of(cls, X: IntervalSequences) -> "Extent":
        """That of some instances."""
        return cls(*np.unique(X.lengths, return_counts=True))

    @property
    def instances(self) -> int:
        """How many there are."""
        return int(self.numbers.sum())

    def size(self, horizon: int | None) -> int:
        """Intervals and pairs within a horizon, as `ibgn.pieces.cut` measures them."""
        return int((self.numbers * (self.lengths + count_within(self.lengths, horizon))).sum())


class Run(NamedTuple):
    """Instances of one piece that follow each other: the number of the first, and parts."""

    first: int
    parts: tuple[Part, ...]

    def __add__(self, other: "Run") -> "Run":  # type: ignore[override]
        return Run(self.first, self.parts + other.parts)


@dataclass(frozen=True)
class PieceSum(Generic[T]):
    """The sum over the pieces of instances that follow each other, and what is left at both ends.

    Parameters
    ----------
    head : instances of a piece that may have begun before them
    nodes : sums of blocks of whole pieces, see `TreeSum`
    tail : instances of a piece that may go on after them; None if all are of one piece, the `head`
    """

    head: Run
    nodes: Sequence[tuple[int, T]] = ()
    tail: Run | None = None


class PieceSums(Generic[T]):
    """Sums over the pieces of parts, wherever these are; joined in order, with what pieces share.

    Parameters
    ----------
    count : makes the value of a piece
    extents : of all parts, in order
    horizon : pieces are cut by the pairs within it; None for all

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]] * 3)
    >>> sums = PieceSums(lambda first, piece, labels: len(piece), [Extent.of(X)] * 2)
    >>> sums.total(sums.join(sums.of(0, X, None), sums.of(1, X, None)))
    6
    """

    def __init__(
        self, count: Counter[T], extents: Sequence[Extent], horizon: int | None = None
    ) -> None:
        self.count, self.horizon = count, horizon
        self.first = [0, *accumulate(extent.instances for extent in extents)]
        self.before = [0, *accumulate(extent.size(horizon) for extent in extents)]

    def of(self, number: int, X: IntervalSequences, values: npt.NDArray[Any] | None) -> PieceSum[T]:
        """The sum over the part of this number."""
        first = self.first[number]
        X = IntervalSequences.from_flat(X.flat, X.actions, groups=X.groups)  # names are not sent

        def run(begin: int, stop: int) -> Run:
            own = None if values is None else values[begin:stop]
            return Run(first + begin, ((X[begin:stop], own),) if begin < stop else ())

        bounds, _ = find_bounds(X, self.before[number], self.horizon)
        if not bounds:
            return PieceSum(run(0, len(X)))
        tree: TreeSum[T] = TreeSum(first + bounds[0])
        for begin, stop in pairwise(bounds):
            tree.add(first + begin, self._value(run(begin, stop)))
        tree.close(first + bounds[-1])
        return PieceSum(run(0, bounds[0]), tuple(tree.nodes), run(bounds[-1], len(X)))

    def join(self, left: PieceSum[T], right: PieceSum[T]) -> PieceSum[T]:
        """The sum over the parts of both, which follow each other."""
        if left.tail is None:
            return PieceSum(left.head + right.head, right.nodes, right.tail)
        if right.tail is None:
            return PieceSum(left.head, left.nodes, left.tail + right.head)
        shared = left.tail + right.head
        tree: TreeSum[T] = TreeSum(left.nodes[0][0] if left.nodes else shared.first)
        for node in (*left.nodes, (shared.first, self._value(shared)), *right.nodes):
            tree.add(*node)
        tree.close(right.tail.first)
        return PieceSum(left.head, tuple(tree.nodes), right.tail)

    def total(self, whole: PieceSum[T]) -> T | None:
        """The sum over all parts; None if there are no instances."""
        tree: TreeSum[T] = TreeSum()
        if whole.head.parts:
            tree.add(whole.head.first, self._value(whole.head))
        for node in whole.nodes:
            tree.add(*node)
        if whole.tail is not None:
            tree.add(whole.tail.first, self._value(whole.tail))
        return tree.total()

    def _value(self, run: Run) -> T:
        [(X, values)] = join_parts(list(run.parts))
        return self.count(run.first, X, values)
