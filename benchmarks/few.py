"""Accuracy and log loss with few instances per activity: the default model and its opponents.

Run with `python -m benchmarks.few FOLDER`, where FOLDER has files of recordings as `ibgn.read_csv`
takes them; docs/little_data.md has what it prints. Where there are groups, half of them are for
tests, so that nobody is in both. With --unlabelled, what instances without labels add.
"""

import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import RidgeClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from benchmarks.accuracy import read
from ibgn import IBGNClassifier, IntervalSequences
from ibgn.evaluation.yardsticks import TREES
from ibgn.features import IntervalFeatures, Raster

SIZES = (1, 2, 5, 10)
DRAWS = 10
TESTED = 150  # instances at most, per draw
LEAST = 1e-3  # probability that a method gives to an activity, before it is calibrated


class WithTemperature(BaseEstimator):  # type: ignore[misc]
    """A classifier on features, its probabilities with a temperature from held-out scores.

    Parameters
    ----------
    features, model : what the classifier sees, and the classifier
    scale : what scores are multiplied by where an activity has one instance, so that nothing can
        be held out: about the median of what is found with two instances
    """

    def __init__(self, features: Any, model: Any, scale: float) -> None:
        self.features = features
        self.model = model
        self.scale = scale

    def fit(self, X: IntervalSequences, y: Any) -> Self:
        """Fit all; then find the temperature in up to five folds."""
        seen = self.features.fit_transform(X)
        self.model_ = clone(self.model).fit(seen, y)
        self.classes_, true = np.unique(y, return_inverse=True)
        self.scale_, folds = self.scale, int(min(np.bincount(true).min(), 5))
        if folds > 1:
            scores = np.empty((len(true), len(self.classes_)))
            inner = StratifiedKFold(folds, shuffle=True, random_state=0)
            for train, test in inner.split(true, true):
                scores[test] = _scores(clone(self.model).fit(seen[train], y[train]), seen[test])

            def loss(log_scale: float) -> float:
                logs = log_softmax(np.exp(log_scale) * scores, axis=1)
                return float(-logs[np.arange(len(true)), true].mean())

            self.scale_ = float(np.exp(minimize_scalar(loss, bounds=(-4, 4), method="bounded").x))
        return self

    def predict_proba(self, X: IntervalSequences) -> Any:
        """(n, activities) probabilities."""
        scores = _scores(self.model_, self.features.transform(X))
        return np.exp(log_softmax(self.scale_ * scores, axis=1))


def _scores(model: Any, seen: Any) -> Any:
    if not hasattr(model, "decision_function"):
        return np.log(np.maximum(model.predict_proba(seen), LEAST))
    scores = model.decision_function(seen)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def trees(pairs: bool) -> WithTemperature:
    return WithTemperature(IntervalFeatures(pairs), ExtraTreesClassifier(TREES, random_state=0), 1)


def nearest() -> WithTemperature:
    flat = FunctionTransformer(lambda pictures: pictures.reshape(len(pictures), -1))
    nearest = KNeighborsClassifier(1, algorithm="brute")
    return WithTemperature(make_pipeline(Raster(100), flat), nearest, 0.4)


def ridge(features: Any) -> WithTemperature:
    scaled = make_pipeline(features, StandardScaler(with_mean=False))
    return WithTemperature(scaled, RidgeClassifierCV(np.logspace(-3, 3, 10)), 4.0)


def rocket() -> WithTemperature:
    from aeon.transformations.collection.convolution_based import MiniRocket

    return ridge(make_pipeline(Raster(100), MiniRocket(random_state=0)))


DEFAULT = "`IBGNClassifier()`"
METHODS: Mapping[str, Callable[[], Any]] = {
    DEFAULT: lambda: IBGNClassifier(random_state=0),
    "extra trees": lambda: trees(pairs=True),
    "extra trees without pairs": lambda: trees(pairs=False),
    "nearest raster": nearest,
    "MiniRocket with ridge": rocket,
    "ridge on statistics and pairs": lambda: ridge(IntervalFeatures()),
}


class Task(NamedTuple):
    """What is learned from, and what it is tested on."""

    data: str
    size: int
    draw: int
    train: Any
    test: Any


def draw_tasks(data: str, X: IntervalSequences, y: Any) -> list[Task]:
    """All sizes and draws; an activity with fewer instances to learn from gives all it has."""
    tasks = []
    for draw in range(DRAWS):
        rng, rows = np.random.default_rng(draw), np.arange(len(y))
        test = np.zeros(len(y), bool)
        if X.groups is not None:
            names = np.unique(np.asarray(X.groups, str))
            tested = rng.permutation(names)[: max(1, len(names) // 2)]
            test = np.isin(np.asarray(X.groups, str), tested)
        ranked = rng.permutation(rows[~test])
        of_activity = [ranked[y[ranked] == activity] for activity in np.unique(y)]
        for size in SIZES:
            train = np.concatenate([own[:size] for own in of_activity])
            left = rows[test] if test.any() else np.setdiff1d(rows, train)
            left = left[np.isin(y[left], y[train])]
            tasks.append(Task(data, size, draw, np.sort(train), rng.permutation(left)[:TESTED]))
    return tasks


def run(task: Task, name: str, make: Callable[[], Any], X: Any, y: Any) -> tuple[Any, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().fit(X[task.train], y[task.train])
        probabilities = model.predict_proba(X[task.test])
    true = np.searchsorted(model.classes_, y[task.test])
    own = np.maximum(probabilities[np.arange(len(true)), true], 1e-15)
    accuracy = (probabilities.argmax(axis=1) == true).mean()
    scale = getattr(model, "scale_", np.nan)
    return task.data, task.size, task.draw, name, accuracy, -np.log(own).mean(), scale


COLUMNS = ("data", "size", "draw", "method", "accuracy", "log loss", "scale")


def measure(folder: Path, methods: Mapping[str, Callable[[], Any]]) -> pd.DataFrame:
    """One row per data set, size, draw and method."""
    jobs = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        tasks = draw_tasks(path.stem, X, y)
        jobs += [
            joblib.delayed(run)(task, name, make, X, y)
            for task in tasks
            for name, make in methods.items()
        ]
    return pd.DataFrame(joblib.Parallel(n_jobs=1)(jobs), columns=COLUMNS)


if __name__ == "__main__":
    found = measure(Path(sys.argv[1]), METHODS)
    found.to_pickle(sys.argv[2])
