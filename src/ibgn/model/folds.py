"""Folds within a training set, on which weights, tolerances and parameters are chosen."""

import hashlib
import warnings
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn.intervals import IntervalSequences

__all__ = ["fingerprint", "make_inner_folds"]


def make_inner_folds(X: IntervalSequences, codes: npt.NDArray[np.integer], n: int) -> list[Ints]:
    """Instances of each fold; a single fold if no activity has two instances.

    Groups stay together where there are several, and activities keep their shares as far as that
    allows. Which instances share a fold depends on what they contain and not on their order.

    Parameters
    ----------
    X : training instances
    codes : (instances,) activity of each
    n : number of folds; there are fewer if there are fewer groups or instances

    Examples
    --------
    >>> lists = [[("reach", 0, d + 1)] for d in range(6)]
    >>> X = IntervalSequences.from_lists(lists, groups=["ann", "ann", "bo", "bo", 3, 3])
    >>> [fold.tolist() for fold in make_inner_folds(X, np.array([0, 1, 0, 1, 0, 1]), 3)]
    [[4, 5], [0, 1], [2, 3]]
    """
    most = int(np.bincount(codes).max(initial=0))
    if most < 2:
        return [np.arange(len(X))]
    groups = [] if X.groups is None else [str(group) for group in X.groups]
    if len(set(groups)) < 2:
        dealt = np.lexsort((fingerprint(X), codes))
        n = min(n, len(X))
        return [np.sort(dealt[fold::n]) for fold in range(n)]
    from sklearn.model_selection import StratifiedGroupKFold  # slow to load, and rarely needed

    splitter = StratifiedGroupKFold(min(n, most, len(set(groups))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that an activity is rarer than folds
        folds = [test for _, test in splitter.split(codes, codes, groups)]
    return [fold for fold in folds if len(fold)]


def fingerprint(X: IntervalSequences) -> npt.NDArray[np.uint64]:
    """(instances,) numbers that are as good as random, and equal if the intervals are equal."""

    def digest() -> npt.NDArray[np.uint64]:
        columns = [(values.tobytes(), values.itemsize) for values in (X.action, X.start, X.end)]
        digests = (
            hashlib.blake2b(
                b"".join(raw[begin * size : stop * size] for raw, size in columns), digest_size=8
            ).digest()
            for begin, stop in pairwise(X.offsets.tolist())
        )
        return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)

    return X.derived("fingerprint", digest)
