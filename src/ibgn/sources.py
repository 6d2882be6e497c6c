"""Instances that are read piece by piece, as often as asked: more than memory holds."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.pieces import Part, content_numbers, rank_sample, recut

__all__ = ["GrowingSample", "InstanceSource"]


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
        before = len(self.X)
        numbers = np.concatenate([self._numbers, content_numbers(X)])
        every = np.concatenate([self.codes, codes])
        place = np.concatenate([self.place, self.instances + np.arange(len(X))])
        chosen = rank_sample(numbers, every)
        mine, its = chosen[chosen < before], chosen[chosen >= before] - before
        if len(its):
            self.X = IntervalSequences.concatenate(
                [self.X[mine], X[its]] if before else [X[its]]  # groups are kept if all have them
            )
        self.codes, self.place, self._numbers = every[chosen], place[chosen], numbers[chosen]
        self.instances += len(X)
        return np.setdiff1d(np.arange(len(every)), chosen, assume_unique=True)
