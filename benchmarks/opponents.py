"""What a practitioner would try instead, with probabilities that are calibrated."""

import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import RidgeClassifierCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from ibgn import IntervalSequences
from ibgn.features import IntervalFeatures, Raster
from ibgn.model.folds import make_inner_folds

__all__ = ["OPPONENTS", "ROCKET", "Model", "WithTemperature"]

Model = Callable[[], Any]

ROCKET = "MiniRocket with ridge"
LEAST = 1e-3  # probability below which a factor would be decided by single instances


class WithTemperature(BaseEstimator):  # type: ignore[misc]
    """A classifier whose scores are multiplied by a factor that suits held-out ones.

    `seconds` are those without the factor, which is no part of the classifier.

    Parameters
    ----------
    pipeline : features, and a classifier that learns from them
    scale : the factor where an activity has one instance, so that nothing can be held out
    """

    def __init__(self, pipeline: Pipeline, scale: float = 1.0) -> None:
        self.pipeline = pipeline
        self.scale = scale

    def fit(self, X: IntervalSequences, y: Any) -> Self:
        """Fit all; then find the factor in five folds, by group where there are groups."""
        before = time.process_time()
        self.features_, model = clone(self.pipeline[:-1]), self.pipeline[-1]
        seen = self.features_.fit_transform(X)
        self.model_ = clone(model).fit(seen, y)
        self.seconds = time.process_time() - before
        self.classes_, true = np.unique(y, return_inverse=True)
        self.scale_ = self.scale
        if np.bincount(true).min() > 1:
            scores = self._hold_out(model, seen, y, make_inner_folds(X, true, 5))
            self.scale_ = _find_scale(scores, true)
        return self

    def predict_proba(self, X: IntervalSequences) -> Any:
        """(n, activities) probabilities."""
        scores = _scores(self.model_, self.features_.transform(X))
        return np.exp(log_softmax(self.scale_ * scores, axis=1))

    def _hold_out(self, model: Any, seen: Any, y: Any, folds: Any) -> Any:
        """Scores of each instance by what was learned without its fold."""
        scores = np.full((len(y), len(self.classes_)), np.nan)
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(y)), fold)
            again = clone(model).fit(seen[rest], y[rest])
            columns = np.searchsorted(self.classes_, again.classes_)
            scores[np.ix_(fold, columns)] = _scores(again, seen[fold])
        return np.where(np.isnan(scores), np.nanmin(scores, axis=1, keepdims=True), scores)


def _scores(model: Any, seen: Any) -> Any:
    if not hasattr(model, "decision_function"):
        return np.log(np.maximum(model.predict_proba(seen), LEAST))
    scores = model.decision_function(seen)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def _find_scale(scores: Any, true: Any) -> float:
    """The factor with the least log loss."""

    def loss(log_scale: float) -> float:
        logs = log_softmax(np.exp(log_scale) * scores, axis=1)
        return float(-logs[np.arange(len(true)), true].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-4, 6), method="bounded").x))


def extra_trees(*parts: str) -> Pipeline:
    """The method `extra trees` as a pipeline, on these parts of the features."""
    trees = ExtraTreesClassifier(500, random_state=0)
    return make_pipeline(IntervalFeatures(parts, unknown="ignore"), trees)


def nearest_raster() -> Pipeline:
    """The method `nearest raster` as a pipeline."""
    flatten = FunctionTransformer(lambda pictures: pictures.reshape(len(pictures), -1))
    nearest = KNeighborsClassifier(1, algorithm="brute")
    return make_pipeline(Raster(100, unknown="ignore"), flatten, nearest)


def boosting() -> Pipeline:
    """Gradient boosting of trees, on statistics, as pairs would take minutes per fold."""
    features = IntervalFeatures(["statistics"], unknown="ignore")
    return make_pipeline(features, HistGradientBoostingClassifier(max_iter=50, random_state=0))


def ridge(*features: Any) -> Pipeline:
    """Ridge regression on scaled features, as MiniRocket has it."""
    regression = RidgeClassifierCV(np.logspace(-3, 3, 10))
    return make_pipeline(*features, StandardScaler(with_mean=False), regression)


def rocket() -> Pipeline:
    from aeon.transformations.collection.convolution_based import MiniRocket

    return ridge(Raster(100, unknown="ignore"), MiniRocket(random_state=0))


OPPONENTS: dict[str, Model] = {
    "extra trees": lambda: WithTemperature(extra_trees("statistics", "pairs")),
    "extra trees without pairs": lambda: WithTemperature(extra_trees("statistics")),
    "nearest raster": lambda: WithTemperature(nearest_raster(), 0.4),
    "gradient boosting": lambda: WithTemperature(boosting()),
    ROCKET: lambda: WithTemperature(rocket(), 4.0),
    "ridge on statistics and pairs": lambda: WithTemperature(
        ridge(IntervalFeatures(unknown="ignore")), 4.0
    ),
}
