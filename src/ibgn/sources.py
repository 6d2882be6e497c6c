"""Instances that are read piece by piece, as often as asked: more than memory holds."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.pieces import Part, content_numbers, map_in_order, rank_sample, recut
from ibgn.sums import Counter, TreeSum

__all__ = ["ChangedSource", "GrowingSample", "InstanceSource", "PartChange"]

R = TypeVar("R")

Work = Callable[[IntervalSequences, npt.NDArray[Any] | None], R]
"""What is done with instances and their labels."""

PartChange = Work[Part]
"""Makes other instances, perhaps fewer; each by itself."""


class InstanceSource(ABC):
    """Instances with their labels, part by part; `ibgn.scan` makes one of files.

    A subclass defines `parts`. `IBGNClassifier.fit`, and `predict`, `predict_proba`,
    `predict_log_proba` and `score` of all classifiers take a source in place of X and y.

    Examples
    --------
    >>> class Takes(InstanceSource):
    ...     def parts(self):
    ...         for d in range(3):
    ...             yield IntervalSequences.from_lists([[("pour", 0, d + 1)]]), np.array(["tea"])
    >>> X, y = Takes().read()
    >>> X.end.tolist(), y.tolist()
    ([1.0, 2.0, 3.0], ['tea', 'tea', 'tea'])
    """

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Instances in order, in parts of any size, each with labels or all without.

        The same ones whenever it is called.
        """

    def pieces(self, horizon: int | None = None) -> Iterator[Part]:
        """The same instances in the pieces into which they would be cut in memory.

        By the number of intervals and pairs, all or those within a horizon.
        """
        return recut(self.parts(), horizon)

    def changed(self, change: PartChange, same: bool = False) -> "InstanceSource":
        """A source of changed instances.

        same : whether they have as many intervals as before
        """
        return ChangedSource(self, change)

    def reduce(self, work: Work[R]) -> R | None:
        """The sum over what `work` returns for each part, in order; None without instances.

        What it returns adds, in whatever parts instances come.
        """
        total: R | None = None
        for part in self.parts():
            found = work(*part)
            total = found if total is None else total + found  # type: ignore[operator]
        return total

    def map_pieces(self, work: Work[R], horizon: int | None = None) -> Iterator[R]:
        """What `work` returns for each piece, in order; some are worked on at the same time."""
        return map_in_order(lambda piece: work(*piece), self.pieces(horizon))

    def sum_pieces(self, count: Counter[R], horizon: int | None = None) -> R | None:
        """The sum over what `count` returns for each piece, to the last bit as in memory."""
        total: TreeSum[R] = TreeSum()

        def numbered() -> Iterator[tuple[int, Part]]:
            first = 0
            for piece in self.pieces(horizon):
                yield first, piece
                first += len(piece[0])

        def work(piece: tuple[int, Part]) -> tuple[int, R]:
            return piece[0], count(piece[0], *piece[1])

        for first, value in map_in_order(work, numbered()):
            total.add(first, value)
        return total.total()

    def read(self) -> tuple[IntervalSequences, npt.NDArray[Any] | None]:
        """All instances and their labels, in memory."""
        parts = list(self.parts())
        if not parts:
            raise DataError("there are no instances")
        labels = [labels for _, labels in parts if labels is not None]
        X = IntervalSequences.concatenate(X for X, _ in parts)
        return X, np.concatenate(labels) if labels else None

    def __iter__(self) -> NoReturn:
        raise DataError(
            "instances that are read piece by piece go to the fit of IBGNClassifier, and to "
            "predict, predict_proba and score of all methods; X, y = source.read() takes them "
            "all into memory, for everything else"
        )


class ChangedSource(InstanceSource):
    """Instances of another source, each changed by itself.

    Parameters
    ----------
    source : all instances
    change : what is done to a part of them

    Examples
    --------
    >>> class Takes(InstanceSource):
    ...     def parts(self):
    ...         yield IntervalSequences.from_lists([[("pour", 0, d)] for d in (1, 2)]), None
    >>> longer = Takes().changed(lambda X, y: (X[X.end > 1], y))
    >>> longer.read()[0].end.tolist()
    [2.0]
    """

    def __init__(self, source: InstanceSource, change: PartChange) -> None:
        self.source, self.change = source, change

    def parts(self) -> Iterator[Part]:
        """Changed instances in order."""
        for part in self.source.parts():
            X, y = self.change(*part)
            if len(X):
                yield X, y


class GrowingSample:
    """The sample that `choose_sample` would choose of all instances, which are added in order.

    Examples
    --------
    >>> sample = GrowingSample()
    >>> sample.add(IntervalSequences.from_lists([[("pour", 0, 2)]] * 2), np.array([0, 1]))
    array([], dtype=int64)
    >>> len(sample.X), sample.place.tolist(), sample.instances
    (2, [0, 1], 2)
    """

    def __init__(self) -> None:
        self.X = IntervalSequences.from_lists([])
        self.codes: Ints = np.zeros(0, np.int64)
        self.place: Ints = np.zeros(0, np.int64)  # of each among all instances
        self.instances = 0
        self._numbers = np.zeros(0, np.uint64)

    def add(self, X: IntervalSequences, codes: Ints) -> Ints:
        """Add instances, and a number for the activity of each.

        Returns which are in the sample no longer or not at all, among those that it had and X.
        """
        return self._add(X, codes, np.arange(len(X)), content_numbers(X), len(X))

    def join(self, other: "GrowingSample", codes: Ints) -> None:
        """Add the instances that another sample is of; `codes` are those of the sampled ones."""
        self._add(other.X, codes, other.place, other._numbers, other.instances)

    def _add(
        self,
        X: IntervalSequences,
        codes: Ints,
        place: Ints,
        numbers: npt.NDArray[np.uint64],
        instances: int,
    ) -> Ints:
        before = len(self.X)
        numbers = np.concatenate([self._numbers, numbers])
        every = np.concatenate([self.codes, codes])
        place = np.concatenate([self.place, self.instances + place])
        lengths = np.concatenate([self.X.lengths, X.lengths])
        chosen = rank_sample(numbers, every, lengths)
        mine, its = chosen[chosen < before], chosen[chosen >= before] - before
        if len(its):
            self.X = IntervalSequences.concatenate(
                [self.X[mine], X[its]] if before else [X[its]]  # groups are kept if all have them
            )
        self.codes, self.place, self._numbers = every[chosen], place[chosen], numbers[chosen]
        self.instances += instances
        return np.setdiff1d(np.arange(len(every)), chosen, assume_unique=True)
