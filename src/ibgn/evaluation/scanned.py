"""Cross-validation of data that are read piece by piece."""

import hashlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Ints
from ibgn.classifiers.recogniser import unquestioned
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.metrics import log_loss
from ibgn.pieces import Part, content_numbers
from ibgn.sources import InstanceSource

__all__ = ["FoldSource", "deal_groups", "evaluate_source"]


class FoldSource(InstanceSource):
    """Instances of a source that are in a fold, or all others.

    Groups are in one fold, and without groups instances of the same intervals.

    Parameters
    ----------
    source : all instances
    fold, folds : number of the fold, from 0 on, and how many there are
    inside : whether the instances of the fold are given, or all others
    fold_of : of each group, by its name, see `deal_groups`; None where there are no groups

    Examples
    --------
    >>> from ibgn import scan
    >>> from ibgn.datasets import sample_path
    >>> source = scan(sample_path("csv"))
    >>> groups = deal_groups(source, 3)
    >>> [len(FoldSource(source, 0, 3, inside, groups).read()[0]) for inside in (True, False)]
    [9, 18]
    """

    def __init__(
        self,
        source: InstanceSource,
        fold: int,
        folds: int,
        inside: bool,
        fold_of: Mapping[str, int] | None = None,
    ) -> None:
        self.source, self.fold, self.folds, self.inside = source, fold, folds, inside
        self.fold_of = fold_of

    def parts(self) -> Iterator[Part]:
        """Instances in order."""
        for X, y in self.source.parts():
            chosen = (self._number(X) == self.fold) == self.inside
            if chosen.any():
                yield X[chosen], None if y is None else y[chosen]

    def _number(self, X: IntervalSequences) -> Ints:
        """(n,) fold of each instance."""
        if self.fold_of is None or X.groups is None:
            numbers: Ints = (content_numbers(X) % np.uint64(self.folds)).astype(np.int64)
            return numbers
        return np.array([self.fold_of[str(group)] for group in X.groups], np.int64)


def deal_groups(source: InstanceSource, folds: int) -> dict[str, int] | None:
    """Fold of each group of a source, whatever their order; None where there are no groups.

    Examples
    --------
    >>> from ibgn import scan
    >>> from ibgn.datasets import sample_path
    >>> sorted(deal_groups(scan(sample_path("csv")), 3).values())
    [0, 1, 2]
    """
    names: set[str] = set()
    for X, _ in source.parts():
        if X.groups is None:
            return None
        names.update(str(group) for group in X.groups)
    if len(names) < folds:
        raise OptionError("n_splits", folds, f"is more than the number of groups, {len(names)}")
    dealt = sorted(names, key=lambda name: hashlib.blake2b(name.encode()).digest())
    return {name: number % folds for number, name in enumerate(dealt)}


def evaluate_source(
    source: InstanceSource, methods: Mapping[str, Any], n_splits: int = 5
) -> pd.DataFrame:
    """Cross-validate methods on a source: one row per method and fold.

    Parameters
    ----------
    source : labelled instances, see `ibgn.scan`
    methods : classifiers by name, whose `fit` takes a source; they are fitted again for each fold
    n_splits : number of folds, see `FoldSource`

    Returns
    -------
    frame : method, fold, instances that were tested, accuracy, log_loss, fit_seconds,
        predict_seconds

    Examples
    --------
    >>> from ibgn import IBGNClassifier, scan
    >>> from ibgn.datasets import sample_path
    >>> methods = {"IBGN-T": IBGNClassifier(random_state=0)}
    >>> frame = evaluate_source(scan(sample_path("csv")), methods, n_splits=3)
    >>> frame["instances"].tolist()
    [9, 9, 9]
    """
    rows = []
    groups = deal_groups(source, n_splits)
    for fold in range(n_splits):
        training, test = (
            FoldSource(source, fold, n_splits, inside, groups) for inside in (False, True)
        )
        for name, method in methods.items():
            begin = time.perf_counter()
            method.fit(training)
            fitted = time.perf_counter()
            with unquestioned():
                tested = _test(method, test)
            if not tested["instances"]:
                raise DataError(
                    f"fold {fold + 1} of {n_splits} has no instances; take fewer folds, as there "
                    "are few instances"
                )
            times = {"fit_seconds": fitted - begin, "predict_seconds": time.perf_counter() - fitted}
            rows.append({"method": name, "fold": fold} | tested | times)
    return pd.DataFrame(rows)


def _test(method: Any, test: InstanceSource) -> dict[str, float]:
    """Scores of the instances of a fold."""
    instances, right, loss = 0, 0, 0.0
    for X, y, logs in method.predict_pieces(test):
        if y is None:
            raise DataError("the source has no labels to compare with")
        instances += len(X)
        right += int((method.classes_[logs.argmax(axis=1)] == y).sum())
        loss += log_loss(y, np.exp(logs), method.classes_) * len(X)
    number = max(instances, 1)
    return {"instances": instances, "accuracy": right / number, "log_loss": loss / number}
