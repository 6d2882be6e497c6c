"""Many instances in pieces: work on them takes little memory, and all processors.

What is made of a piece stays in the caches of a processor. Where pieces begin and end depends on
the instances alone, and results are put together in their order, so that the number of threads
changes nothing.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numba
import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn._kernels.contents import hash_contents
from ibgn.intervals import IntervalSequences

__all__ = ["SAMPLE", "choose_sample", "content_numbers", "cut", "map_in_order"]

SIZE = 500_000  # of a piece: intervals and pairs of them
SAMPLE = 20_000  # instances that say enough about weights and usual durations
LEAST = 50  # of each activity among them

A = TypeVar("A")
R = TypeVar("R")


def cut(X: IntervalSequences) -> list[slice]:
    """Runs of instances with about the same number of intervals and pairs.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]] * 3)
    >>> cut(X)
    [slice(0, 3, None)]
    """
    size = np.cumsum(X.lengths * (X.lengths + 1) // 2)
    bounds = np.flatnonzero(np.diff(size // SIZE, prepend=0)).tolist()
    edges = [0, *(bound for bound in bounds if bound), len(X)]
    return [slice(*edge) for edge in pairwise(edges)]


def map_in_order(work: Callable[[A], R], pieces: Iterable[A]) -> Iterator[R]:
    """What `work` returns for each piece, in their order; some are worked on at the same time.

    As many as numba may use threads: all processors, fewer within processes that share them.

    Examples
    --------
    >>> list(map_in_order(sum, [[1, 2], [3, 4]]))
    [3, 7]
    """
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(numba.get_num_threads()) as threads:
        for piece in pieces:
            waiting.append(threads.submit(work, piece))
            if len(waiting) > 2 * numba.get_num_threads():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def choose_sample(X: IntervalSequences, codes: Ints) -> Ints | None:
    """Instances that stand for all, ascending; None if these are so few that all are taken.

    Some of each activity, whose number is `codes` (n,). Which ones depends on what they contain,
    and not on their order.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, d + 1)] for d in range(SAMPLE + 5)])
    >>> codes = np.zeros(len(X), np.int64)
    >>> choose_sample(X[:50], codes[:50]) is None, len(choose_sample(X, codes)) == SAMPLE
    (True, True)
    """
    if len(X) <= SAMPLE:
        return None
    ranked = np.argsort(content_numbers(X), kind="stable")
    by_activity = ranked[np.argsort(codes[ranked], kind="stable")]
    number = np.bincount(codes)
    place = np.arange(len(X)) - np.repeat(np.cumsum(number) - number, number)
    return np.union1d(ranked[:SAMPLE], by_activity[place < LEAST])


def content_numbers(X: IntervalSequences) -> npt.NDArray[np.uint64]:
    """(n,) numbers as good as random, equal if the intervals are, whatever else is in X.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2)], [("stir", 0, 2)]])
    >>> len(set(content_numbers(X).tolist())), content_numbers(X)[1] == content_numbers(X[1:])[0]
    (2, np.True_)
    """
    digests = (hashlib.blake2b(name.encode(), digest_size=8).digest() for name in X.actions)
    names = np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)
    times = X.start.view(np.uint64), X.end.view(np.uint64)
    return hash_contents(X.offsets, X.action, names, *times)
