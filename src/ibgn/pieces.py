"""Many instances in pieces: work on them takes little memory, and all processors.

What is made of a piece stays in the caches of a processor. Where pieces begin and end depends on
the instances alone, and results are put together in their order, so that the number of threads
changes nothing.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice, pairwise
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn._kernels.contents import hash_contents
from ibgn.horizon import count_within
from ibgn.intervals import IntervalSequences

__all__ = [
    "SAMPLE",
    "choose_sample",
    "content_numbers",
    "cut",
    "find_bounds",
    "join_parts",
    "map_in_order",
    "rank_sample",
    "recut",
]

SIZE = 500_000  # of a piece: intervals and pairs of them
SAMPLE = 20_000  # instances that say enough about weights and usual durations
INTERVALS = 500_000  # that they have in all, about: what is learned from them takes memory
LEAST = 50  # of each activity among them

A = TypeVar("A")
R = TypeVar("R")


def cut(X: IntervalSequences, horizon: int | None = None) -> list[slice]:
    """Runs of instances with about the same number of intervals and pairs within a horizon.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]] * 3)
    >>> cut(X)
    [slice(0, 3, None)]
    """
    bounds, _ = find_bounds(X, 0, horizon)
    edges = [0, *(bound for bound in bounds if bound), len(X)]
    return [slice(*edge) for edge in pairwise(edges)]


Part = tuple[IntervalSequences, npt.NDArray[Any] | None]
"""Instances, and one value for each or None: labels, or numbers of activities."""


def recut(parts: Iterable[Part], horizon: int | None = None) -> Iterator[Part]:
    """The pieces into which `cut` would divide instances that come in parts of other sizes.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("pour", 0, 2), ("stir", 2, 5)]] * 3)
    >>> [(len(piece), labels.tolist()) for piece, labels in recut([(X, np.arange(3))] * 2)]
    [(6, [0, 1, 2, 0, 1, 2])]
    """
    held: list[Part] = []
    size = 0
    for X, values in parts:
        bounds, size = find_bounds(X, size, horizon)
        for begin, stop in pairwise([0, *bounds, len(X)]):
            if begin or begin in bounds:
                yield from join_parts(held)
                held = []
            if begin < stop:
                held.append((X[begin:stop], None if values is None else values[begin:stop]))
    yield from join_parts(held)


def find_bounds(
    X: IntervalSequences, before: int, horizon: int | None = None
) -> tuple[list[int], int]:
    """Instances with which a piece begins, and the size of all up to the last.

    before : size of all instances before X
    """
    size = before + np.cumsum(X.lengths + count_within(X.lengths, horizon))
    bounds: list[int] = np.flatnonzero(np.diff(size // SIZE, prepend=before // SIZE)).tolist()
    return bounds, int(size[-1]) if len(size) else before


def join_parts(parts: list[Part]) -> list[Part]:
    """One part of several, if there is any."""
    if len(parts) < 2:
        return parts
    values = [values for _, values in parts if values is not None]
    X = IntervalSequences.concatenate(X for X, _ in parts)
    return [(X, np.concatenate(values) if values else None)]


def map_in_order(work: Callable[[A], R], pieces: Iterable[A]) -> Iterator[R]:
    """What `work` returns for each piece, in their order; some are worked on at the same time.

    As many as numba may use threads: all processors, fewer within processes that share them. A
    single piece needs no thread, which would take longer to begin than one instance to recognise.

    Examples
    --------
    >>> list(map_in_order(sum, [[1, 2], [3, 4]]))
    [3, 7]
    """
    rest = iter(pieces)
    begin = list(islice(rest, 2))
    if len(begin) < 2:
        yield from map(work, begin)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(numba.get_num_threads()) as threads:
        for piece in chain(begin, rest):
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
    if len(X) <= SAMPLE and len(X.action) <= INTERVALS:
        return None
    chosen = rank_sample(content_numbers(X), codes, X.lengths)
    return chosen if len(chosen) < len(X) else None


def rank_sample(numbers: npt.NDArray[np.uint64], codes: Ints, lengths: Ints) -> Ints:
    """Those of `choose_sample` by their content numbers and lengths; of equal ones, the first.

    The sample of a sample and of what comes after it is the sample of all.

    Examples
    --------
    >>> numbers, many = np.arange(SAMPLE + 5, dtype=np.uint64), np.arange(SAMPLE + 5)
    >>> len(rank_sample(numbers, many, np.ones_like(many))) - SAMPLE
    5
    """
    ranked = np.argsort(numbers, kind="stable")
    by_activity = ranked[np.argsort(codes[ranked], kind="stable")]
    number = np.bincount(codes)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(number) - number, number)
    long = lengths[ranked]
    few = np.cumsum(long) - long < INTERVALS  # with those before it, which always have less
    return np.union1d(ranked[:SAMPLE][few[:SAMPLE]], by_activity[place < LEAST])


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
