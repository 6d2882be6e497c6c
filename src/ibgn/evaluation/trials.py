"""Trials: a method learns from one part of the data and is tested on another, once or often."""

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold

from ibgn import __version__
from ibgn.evaluation.conditions import Condition
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.journal import Journal
from ibgn.evaluation.methods import Method
from ibgn.evaluation.scores import SCORES, score_predictions
from ibgn.intervals import IntervalSequences

__all__ = ["Grid", "Search", "Task", "run_trials"]

Labels = npt.NDArray[Any]
Grid = Mapping[str, Sequence[Any]]
Source = Callable[[], IntervalSequences]

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
    """What is learned from, and what is tested under each condition; made when it is needed.

    Parameters
    ----------
    train : gives what is learned from
    tests : each gives what is tested under the condition of its place
    conditions : the conditions
    digests : what tells the data from others without making them, or None
    """

    train: Source
    tests: tuple[Source, ...]
    conditions: tuple[Condition, ...]
    digests: tuple[str | None, ...]


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
            estimators[name] = Search(estimators[name], grid)
    plans = {(fold.repeat, fold.number): _plan(X, fold, conditions) for fold in folds}
    tasks, data = _tasks(X, y, estimators, folds, plans)
    kept = Journal(journal)
    results = {task.key: kept[task.key] for task in tasks if _is_result(kept.get(task.key), task)}
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


def _is_result(kept: Any, task: Task) -> bool:
    """Whether a journal has the result of a task, whole; anything may stand in a file."""
    tests = kept.get("tests") if isinstance(kept, dict) else None
    if not isinstance(tests, list) or len(tests) != len(task.conditions):
        return False
    wanted = {"test", *SCORES, "predict_seconds", "label", "predicted", "confidence", "probability"}
    whole = all(isinstance(test, dict) and wanted <= set(test) for test in tests)
    return whole and {"train", "fit_seconds"} <= set(kept)


def _plan(X: IntervalSequences, fold: Fold, conditions: Sequence[Condition]) -> list[_Data]:
    """Conditions with clean training data together, each other one by itself."""
    known: Source = cache(partial(X.__getitem__, fold.train))
    clean = _Data(known, (), (), ())
    plan = []
    for condition in conditions:
        both = cache(partial(condition.apply, X, fold))
        train: Source = partial(_part, both, 0)
        test: Source = partial(_part, both, 1)
        digest = condition.digest()
        if condition.on == "test":
            tests, found = (*clean.tests, test), (*clean.conditions, condition)
            clean = _Data(known, tests, found, (*clean.digests, digest))
        else:
            plan.append(_Data(train, (test,), (condition,), (digest,)))
    return [clean, *plan] if clean.tests else plan


def _part(both: Callable[[], Any], part: int) -> IntervalSequences:
    made: IntervalSequences = both()[part]
    return made


def _tasks(
    X: IntervalSequences,
    y: Labels,
    estimators: Mapping[str, Any],
    folds: Sequence[Fold],
    plans: Mapping[tuple[int, int], list[_Data]],
) -> tuple[list[Task], dict[str, _Data]]:
    tasks, found = [], {}
    told = {
        place: [_digest(data, X, y, fold) for data in plans[place]]
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


def _digest(data: _Data, X: IntervalSequences, y: Labels, fold: Fold) -> str:
    """Content of all data that a task sees, or of what they are made from."""
    told = hashlib.sha256()
    made = [data.train] if data.conditions[0].on == "test" or data.digests[0] is None else []
    made += [test for test, digest in zip(data.tests, data.digests, strict=True) if digest is None]
    parts = [X, *(make() for make in made)]
    arrays: list[npt.NDArray[Any]] = [fold.train, fold.test]
    arrays += [a for part in parts for a in (part.offsets, part.action, part.start, part.end)]
    for array in arrays:
        told.update(np.ascontiguousarray(array).tobytes() + b"|")
    for part in parts:
        groups = [] if part.groups is None else [str(group) for group in part.groups]
        told.update(json.dumps([list(part.actions), groups]).encode())
    told.update(json.dumps([y.tolist(), data.digests, __version__]).encode())
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
            data[task.key].train(),
            y[task.fold.train],
            [make() for make in data[task.key].tests],
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


class Search:
    """An estimator whose parameters are chosen within the training set.

    Where the training set has too few instances of any label to be split, its parameters stay.
    """

    def __init__(self, estimator: Any, grid: Grid) -> None:
        self.estimator, self.grid = estimator, {name: list(values) for name, values in grid.items()}

    def fit(self, X: IntervalSequences, y: Labels) -> Any:
        """The estimator with the parameters that did best, fitted."""
        inner = self._inner_folds(X, y)
        if not inner:
            return self.estimator.fit(X, y)
        return GridSearchCV(self.estimator, self.grid, cv=inner).fit(X, y).best_estimator_

    def _inner_folds(self, X: IntervalSequences, y: Labels) -> list[Any]:
        groups = None if X.groups is None else [str(group) for group in X.groups]
        if groups is not None and len(set(groups)) >= INNER_FOLDS:
            return list(GroupKFold(INNER_FOLDS).split(y, y, groups))
        folds = min(INNER_FOLDS, int(np.unique(y, return_counts=True)[1].max()))
        if folds < 2:
            return []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            way = StratifiedKFold(folds, shuffle=True, random_state=0)
            return list(way.split(y, y))

    def __repr__(self) -> str:
        return f"search({self.estimator!r}, {self.grid!r})"
