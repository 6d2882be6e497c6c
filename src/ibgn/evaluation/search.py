"""A search for parameters within a training set."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV

from ibgn.classifiers.recogniser import unquestioned
from ibgn.intervals import IntervalSequences
from ibgn.model.folds import make_inner_folds

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
        folds = make_inner_folds(X, np.unique(y, return_inverse=True)[1], INNER_FOLDS)
        if len(folds) < 2:
            return self.estimator.fit(X, y)
        inner = [(np.setdiff1d(np.arange(len(y)), fold), fold) for fold in folds]
        with unquestioned():  # a fold may have an action that the others lack
            return GridSearchCV(self.estimator, self.grid, cv=inner).fit(X, y).best_estimator_

    def __repr__(self) -> str:
        return f"search({self.estimator!r}, {self.grid!r})"
