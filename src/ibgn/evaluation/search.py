"""A search for parameters within a training set."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold

from ibgn.intervals import IntervalSequences

__all__ = ["Grid", "Search"]

Grid = Mapping[str, Sequence[Any]]

INNER_FOLDS = 3  # of a training set


class Search:
    """An estimator whose parameters are chosen within the training set.

    If no label of the training set has two instances, it cannot be split, and the parameters stay
    as they are.
    """

    def __init__(self, estimator: Any, grid: Grid) -> None:
        self.estimator, self.grid = estimator, {name: list(values) for name, values in grid.items()}

    def fit(self, X: IntervalSequences, y: npt.NDArray[Any]) -> Any:
        """Fit the estimator with the parameters that did best, and return it."""
        inner = self._inner_folds(X, y)
        if not inner:
            return self.estimator.fit(X, y)
        return GridSearchCV(self.estimator, self.grid, cv=inner).fit(X, y).best_estimator_

    def _inner_folds(self, X: IntervalSequences, y: npt.NDArray[Any]) -> list[Any]:
        groups = None if X.groups is None else [str(group) for group in X.groups]
        if groups is not None and len(set(groups)) >= INNER_FOLDS:
            return list(GroupKFold(INNER_FOLDS).split(y, y, groups))
        folds = min(INNER_FOLDS, int(np.unique(y, return_counts=True)[1].max()))
        if folds < 2:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that a label is rarer than folds
            return list(StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y))

    def __repr__(self) -> str:
        return f"search({self.estimator!r}, {self.grid!r})"
