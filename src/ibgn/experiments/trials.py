"""Trials: a method learns from one part of the data and is tested on another, once or often."""

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold

from ibgn import __version__
from ibgn.experiments.conditions import Condition
from ibgn.experiments.folds import Fold
from ibgn.experiments.journal import Journal
from ibgn.experiments.methods import Method
from ibgn.experiments.scores import score_predictions
from ibgn.intervals import IntervalSequences

__all__ = ["Grid", "Task", "run_trials"]

Labels = npt.NDArray[Any]
Grid = Mapping[str, Sequence[Any]]

INNER_FOLDS = 3  # of a search within a training set


class Task(NamedTuple):
    """One method that learns once, and is tested under some conditions.

    Parameters
    ----------
    method : its name
    fold : which instances it learns from and is tested on
    conditions : those it is tested under, after learning from the same data
    key : tells it from any task that would give another result
    """

    method: str
    fold: Fold
    conditions: tuple[Condition, ...]
    key: str


class _Data(NamedTuple):
    """What is learned from, and what is tested under each condition."""

    train: IntervalSequences
    tests: list[IntervalSequences]
    conditions: tuple[Condition, ...]


def run_trials(
    X: IntervalSequences,
    y: Labels,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    conditions: Sequence[Condition],
    *,
    seed: int = 0,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
    journal: Path | None = None,
    on_done: Callable[[Task, dict[str, Any]], None] | None = None,
) -> list[tuple[Task, dict[str, Any]]]:
    """Try every method on every fold under every condition; see `evaluate` for the parameters.

    Where conditions differ in the test set only, a method learns once for all of them. A result
    has the size of the training set ("train"), "fit_seconds", and "tests": scores and predictions
    under each condition.
    """
    estimators = {name: make(seed) for name, make in methods.items()}
    for name, grid in (search or {}).items():
        if name in estimators:
            estimators[name] = _Search(estimators[name], grid)
    plans = {(fold.repeat, fold.number): _plan(X, fold, conditions) for fold in folds}
    tasks, data = _tasks(y, estimators, folds, plans)
    kept = Journal(journal)
    results = {task.key: kept[task.key] for task in tasks if task.key in kept}
    for task in tasks:
        if task.key in results and on_done:
            on_done(task, results[task.key])
    open_tasks = [task for task in tasks if task.key not in results]
    for task, result in _run(y, estimators, open_tasks, data, n_jobs):
        results[task.key] = result
        kept.add(task.key, result)
        if on_done:
            on_done(task, result)
    return [(task, results[task.key]) for task in tasks]


def _plan(X: IntervalSequences, fold: Fold, conditions: Sequence[Condition]) -> list[_Data]:
    """Conditions with clean training data together, each other one by itself."""
    clean = _Data(X[fold.train], [], ())
    plan = []
    for condition in conditions:
        train, test = condition.apply(X, fold)
        if train is None:
            clean = clean._replace(
                tests=[*clean.tests, test], conditions=(*clean.conditions, condition)
            )
        else:
            plan.append(_Data(train, [test], (condition,)))
    return [clean, *plan] if clean.tests else plan


def _tasks(
    y: Labels,
    estimators: Mapping[str, Any],
    folds: Sequence[Fold],
    plans: Mapping[tuple[int, int], list[_Data]],
) -> tuple[list[Task], dict[str, _Data]]:
    tasks, found = [], {}
    told = {
        place: [_digest(data, y, fold) for data in plans[place]]
        for fold in folds
        for place in [(fold.repeat, fold.number)]
    }
    for name, estimator in estimators.items():
        for fold in folds:
            place = (fold.repeat, fold.number)
            for data, digest in zip(plans[place], told[place], strict=True):
                # by content: what estimators show of themselves is cut where it is long
                whole = digest + joblib.hash((name, estimator, *place))
                key = hashlib.sha256(whole.encode()).hexdigest()
                tasks.append(Task(name, fold, data.conditions, key))
                found[key] = data
    return tasks, found


def _digest(data: _Data, y: Labels, fold: Fold) -> str:
    told = hashlib.sha256()
    for X in (data.train, *data.tests):
        for array in (X.offsets, X.action, X.start, X.end):
            told.update(np.ascontiguousarray(array).tobytes() + b"|")
        told.update(json.dumps(list(X.actions)).encode())
    labels = [y[fold.train].tolist(), y[fold.test].tolist()]
    told.update(json.dumps([*labels, __version__]).encode())
    return told.hexdigest()


def _run(
    y: Labels,
    estimators: Mapping[str, Any],
    tasks: Sequence[Task],
    data: Mapping[str, _Data],
    n_jobs: int | None,
) -> Iterator[tuple[Task, dict[str, Any]]]:
    parallel = joblib.Parallel(n_jobs, return_as="generator_unordered")
    numbered = parallel(
        joblib.delayed(_try)(
            number,
            estimators[task.method],
            data[task.key].train,
            y[task.fold.train],
            data[task.key].tests,
            y[task.fold.test],
        )
        for number, task in enumerate(tasks)
    )
    for number, result in numbered:
        yield tasks[number], result


def _try(
    number: int,
    estimator: Any,
    X: IntervalSequences,
    y: Labels,
    tests: list[IntervalSequences],
    y_test: Labels,
) -> tuple[int, dict[str, Any]]:
    """Learn from one part, be tested on the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        model = estimator.fit(X, y)
        seconds = time.perf_counter() - begin
    told = {"train": len(y), "fit_seconds": seconds}
    return number, told | {"tests": [_test(model, X_test, y_test) for X_test in tests]}


def _test(model: Any, X: IntervalSequences, y: Labels) -> dict[str, Any]:
    begin = time.perf_counter()
    probabilities = model.predict_proba(X)
    seconds = time.perf_counter() - begin
    predicted = model.classes_[probabilities.argmax(axis=1)]
    place = {label: c for c, label in enumerate(model.classes_.tolist())}
    of_true = [
        float(row[place[label]]) if label in place else 0.0
        for label, row in zip(y.tolist(), probabilities, strict=True)
    ]
    return {
        "test": len(y),
        **score_predictions(y, predicted, probabilities, model.classes_),
        "predict_seconds": seconds,
        "label": y.tolist(),
        "predicted": predicted.tolist(),
        "confidence": probabilities.max(axis=1).tolist(),
        "probability": of_true,
    }


class _Search:
    """An estimator whose parameters are chosen within the training set."""

    def __init__(self, estimator: Any, grid: Grid) -> None:
        self.estimator, self.grid = estimator, {name: list(values) for name, values in grid.items()}

    def fit(self, X: IntervalSequences, y: Labels) -> Any:
        groups = None if X.groups is None else [str(group) for group in X.groups]
        if groups is not None and len(set(groups)) >= INNER_FOLDS:
            inner = list(GroupKFold(INNER_FOLDS).split(y, y, groups))
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                way = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=0)
                inner = list(way.split(y, y))
        return GridSearchCV(self.estimator, self.grid, cv=inner).fit(X, y)

    def __repr__(self) -> str:
        return f"search({self.estimator!r}, {self.grid!r})"
