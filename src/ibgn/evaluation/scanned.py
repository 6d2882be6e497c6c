"""Cross-validation of data that are read piece by piece."""

import hashlib
import time
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats
from ibgn.classifiers.questions import log_shares
from ibgn.classifiers.recogniser import unquestioned
from ibgn.errors import DataError, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.metrics import log_loss
from ibgn.pieces import Part, content_numbers
from ibgn.sources import InstanceSource

__all__ = ["deal_groups", "evaluate_source", "take_fold"]


def take_fold(
    source: InstanceSource,
    fold: int,
    folds: int,
    inside: bool,
    fold_of: Mapping[str, int] | None = None,
) -> InstanceSource:
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
    >>> [len(take_fold(source, 0, 3, inside, groups).read()[0]) for inside in (True, False)]
    [9, 18]
    """

    def choose(X: IntervalSequences, y: npt.NDArray[Any] | None) -> Part:
        if fold_of is None or X.groups is None:
            number = (content_numbers(X) % np.uint64(folds)).astype(np.int64)
        else:
            number = np.array([fold_of[str(group)] for group in X.groups], np.int64)
        chosen = (number == fold) == inside
        return X[chosen], None if y is None else y[chosen]

    return source.changed(choose)


def deal_groups(source: InstanceSource, folds: int) -> dict[str, int] | None:
    """Fold of each group of a source, whatever their order; None where there are no groups.

    Examples
    --------
    >>> from ibgn import scan
    >>> from ibgn.datasets import sample_path
    >>> sorted(deal_groups(scan(sample_path("csv")), 3).values())
    [0, 1, 2]
    """
    names = source.reduce(_Groups)
    if names is None or names.names is None:
        return None
    if len(names.names) < folds:
        number = len(names.names)
        raise OptionError("n_splits", folds, f"is more than the number of groups, {number}")
    dealt = sorted(names.names, key=lambda name: hashlib.blake2b(name.encode()).digest())
    return {name: number % folds for number, name in enumerate(dealt)}


class _Groups:
    """Names of the groups of instances; None if some have none."""

    def __init__(self, X: IntervalSequences, y: npt.NDArray[Any] | None) -> None:
        self.names = None if X.groups is None else {str(group) for group in X.groups}

    def __add__(self, other: "_Groups") -> "_Groups":
        both = copy(self)
        known = self.names is not None and other.names is not None
        both.names = {*(self.names or ()), *(other.names or ())} if known else None
        return both


def evaluate_source(
    source: InstanceSource, methods: Mapping[str, Any], n_splits: int = 5
) -> pd.DataFrame:
    """Cross-validate methods on a source: one row per method and fold.

    Parameters
    ----------
    source : labelled instances, see `ibgn.scan`
    methods : classifiers by name, whose `fit` takes a source; they are fitted again for each fold
    n_splits : number of folds, see `take_fold`

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
            take_fold(source, fold, n_splits, inside, groups) for inside in (False, True)
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
    classes = method.classes_

    def measure(
        X: IntervalSequences, y: npt.NDArray[Any] | None, joint: Floats
    ) -> tuple[int, int, float]:
        if y is None:
            raise DataError("the source has no labels to compare with")
        loss = log_loss(y, np.exp(log_shares(joint)), classes)
        return len(X), int((classes[joint.argmax(axis=1)] == y).sum()), loss * len(X)

    measured = list(method._ask_pieces(test, measure))
    instances, right, loss = map(sum, zip(*measured, strict=True)) if measured else (0, 0, 0.0)
    number = max(instances, 1)
    return {"instances": instances, "accuracy": right / number, "log_loss": loss / number}
