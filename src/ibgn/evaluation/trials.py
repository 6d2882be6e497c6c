"""Trials: a method learns from one part of the data and is tested on another, many times."""

import hashlib
import json
import os
import pickle
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple, TypedDict

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ibgn import __version__
from ibgn.classifiers.checks import check_data
from ibgn.classifiers.recogniser import unquestioned
from ibgn.errors import OptionError
from ibgn.evaluation.conditions import Condition
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.journal import Journal
from ibgn.evaluation.methods import Method, make_estimators
from ibgn.evaluation.scores import SCORES, score_predictions
from ibgn.evaluation.search import Grid, Search
from ibgn.evaluation.workers import Workers
from ibgn.intervals import IntervalSequences
from ibgn.networks import Sequences

__all__ = ["TIMES", "Frames", "Task", "TrialOptions", "run_trials"]

Labels = npt.NDArray[Any]
Source = Callable[[], IntervalSequences]
Part = tuple[IntervalSequences, Labels]
Examine = Callable[[Any, Part, Part], dict[str, Any]]

TIMES = ("fit_seconds", "predict_seconds")
PREDICTED = ("label", "predicted", "confidence", "probability")  # one value per test instance


class Task(NamedTuple):
    """One method that learns once and is tested under some conditions.

    Parameters
    ----------
    method : its name
    fold : which instances it learns from and is tested on
    conditions : it is tested under these, after learning from the same data
    key : tasks with different results have different keys; empty without a journal
    """

    method: str
    fold: Fold
    conditions: tuple[Condition, ...]
    key: str


class TrialOptions(TypedDict, total=False):
    """How trials are run; every option may be left out.

    Parameters
    ----------
    seed : of the methods, 0 by default
    search : for some methods, values of parameters; the best are chosen within each training set,
        by three folds of it
    n_jobs : number of folds at the same time, by joblib
    journal : a file, or a `Journal`, that stores results so that an interrupted evaluation
        resumes; if data, parameters or folds change, results are computed again
    on_done : called with each finished task and its result
    examine : looks closer at what each task learned, and returns plain values that its result has
        as "examined"; called with the model, the training data and the test data of the first
        condition, each as instances and labels
    """

    seed: int
    search: Mapping[str, Grid] | None
    n_jobs: int | None
    journal: str | os.PathLike[str] | Journal | None
    on_done: Callable[[Task, dict[str, Any]], None] | None
    examine: "Examine | None"


class Frames(NamedTuple):
    """Results of trials.

    Parameters
    ----------
    scores : one row for each method, condition, draw and fold
    predictions : one row for each of these and each test instance
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame


class _Data(NamedTuple):
    """Data of a task, made on demand.

    Parameters
    ----------
    train : returns the training data
    tests : each returns the test data under the condition at its position
    conditions : the conditions
    digests : for each condition, a text that identifies its data without making them, or None
    """

    train: Source
    tests: tuple[Source, ...]
    conditions: tuple[Condition, ...]
    digests: tuple[str | None, ...]


def run_trials(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    conditions: Sequence[Condition],
    *,
    seed: int = 0,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
    journal: str | os.PathLike[str] | Journal | None = None,
    on_done: Callable[[Task, dict[str, Any]], None] | None = None,
    examine: Examine | None = None,
) -> Frames:
    """Test every method on every fold under every condition; see `TrialOptions` for the options.

    If conditions differ only in the test set, a method learns once for all of them.
    """
    X, labels = check_data(X, y)
    labels = labels.astype(str).astype(object)
    estimators = make_estimators(methods, seed)
    for name in set(search or ()) & set(estimators):
        estimators[name] = Search(estimators[name], (search or {})[name])
    if journal is not None and not isinstance(journal, Journal):
        journal = Journal(journal)
    keyed = journal is not None
    tasks, data = _plan(X, labels, estimators, folds, conditions, examine, keyed)
    kept = [] if journal is None else [journal.get(task.key) for task in tasks]
    examined = examine is not None
    results = {n: kept[n] for n in range(len(kept)) if _is_result(kept[n], tasks[n], examined)}
    report = on_done or (lambda task, result: None)
    for number, result in results.items():
        report(tasks[number], result)
    remaining = [number for number in range(len(tasks)) if number not in results]
    for number, result in _run(labels, estimators, tasks, data, remaining, n_jobs, examine):
        results[number] = result
        if journal is not None:
            journal.add(tasks[number].key, result)
        report(tasks[number], result)
    return _gather([(task, results[number]) for number, task in enumerate(tasks)], X)


def _plan(
    X: IntervalSequences,
    y: Labels,
    estimators: Mapping[str, Any],
    folds: Sequence[Fold],
    conditions: Sequence[Condition],
    examine: Examine | None,
    keyed: bool,
) -> tuple[list[Task], list[_Data]]:
    """All tasks, method by method, and the data of each; keys are for a journal."""
    digests = [condition.digest() if keyed else None for condition in conditions]
    parts = [
        (fold, data, _digest(data, X, y, fold) if keyed else "")
        for fold in folds
        for data in _data_of(X, fold, conditions, digests)
    ]
    tasks = []
    for name, estimator in estimators.items():
        used = estimator if examine is None else (estimator, examine)
        whole = _hash(name, used) if keyed else ""
        for fold, data, digest in parts:
            key = hashlib.sha256((digest + whole).encode()).hexdigest() if keyed else ""
            tasks.append(Task(name, fold, data.conditions, key))
    return tasks, [data for _ in estimators for _, data, _ in parts]


def _hash(name: str, estimator: Any) -> str:
    """Hash of an estimator; its repr would not do, as long ones are shortened."""
    try:
        digest: str = joblib.hash((name, estimator))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OptionError(
            "methods", name, f"cannot be used with a journal, as it cannot be pickled: {error}"
        ) from error
    return digest


def _data_of(
    X: IntervalSequences,
    fold: Fold,
    conditions: Sequence[Condition],
    digests: Sequence[str | None],
) -> list[_Data]:
    """One task for all conditions with clean training data, and one for each other condition."""
    clean = _Data(cache(partial(X.__getitem__, fold.train)), (), (), ())
    apart = []
    for condition, digest in zip(conditions, digests, strict=True):
        both = cache(partial(condition.apply, X, fold))
        train: Source = partial(_part, both, 0)
        test: Source = partial(_part, both, 1)
        if condition.on == "test":
            clean = _Data(
                clean.train,
                (*clean.tests, test),
                (*clean.conditions, condition),
                (*clean.digests, digest),
            )
        else:
            apart.append(_Data(train, (test,), (condition,), (digest,)))
    return [clean, *apart] if clean.tests else apart


def _part(both: Callable[[], Any], part: int) -> IntervalSequences:
    made: IntervalSequences = both()[part]
    return made


def _digest(data: _Data, X: IntervalSequences, y: Labels, fold: Fold) -> str:
    """Hash of all data that a task sees, or of what they are made from."""
    content = hashlib.sha256()
    made = [data.train] if data.conditions[0].on == "test" or data.digests[0] is None else []
    made += [test for test, digest in zip(data.tests, data.digests, strict=True) if digest is None]
    parts = [X, *(make() for make in made)]
    arrays: list[npt.NDArray[Any]] = [fold.train, fold.test]
    for part in parts:
        arrays += [part.offsets, part.action, part.start, part.end, *(part.uncertainty or ())]
    for array in arrays:
        content.update(np.ascontiguousarray(array).tobytes() + b"|")
    for part in parts:
        groups = [] if part.groups is None else [str(group) for group in part.groups]
        content.update(json.dumps([list(part.actions), groups]).encode())
    position = [fold.repeat, fold.number]
    content.update(json.dumps([y.tolist(), data.digests, position, __version__]).encode())
    return content.hexdigest()


def _is_result(kept: Any, task: Task, examined: bool) -> bool:
    """Whether a journal has the complete result of a task; a file may contain anything."""
    tests = kept.get("tests") if isinstance(kept, dict) else None
    if not isinstance(tests, list) or len(tests) != len(task.conditions):
        return False
    needed = {"test", *SCORES, "predict_seconds", *PREDICTED}
    whole = all(isinstance(test, dict) and needed <= set(test) for test in tests)
    return whole and {"train", "fit_seconds", *(["examined"] if examined else [])} <= set(kept)


def _run(
    y: Labels,
    estimators: Mapping[str, Any],
    tasks: Sequence[Task],
    data: Sequence[_Data],
    numbers: Sequence[int],
    n_jobs: int | None,
    examine: Examine | None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Results of the tasks with these numbers, in the order in which they finish."""
    parallel = Workers(n_jobs, return_as="generator_unordered")
    yield from parallel(
        joblib.delayed(_try)(
            number,
            estimators[tasks[number].method],
            data[number].train(),
            y[tasks[number].fold.train],
            [make() for make in data[number].tests],
            y[tasks[number].fold.test],
            examine,
        )
        for number in numbers
    )


def _try(
    number: int,
    estimator: Any,
    X: IntervalSequences,
    y: Labels,
    tests: list[IntervalSequences],
    y_test: Labels,
    examine: Examine | None,
) -> tuple[int, dict[str, Any]]:
    """Learn from the training data, and predict the test data."""
    # a test set may well have an action that its training set lacks
    with warnings.catch_warnings(), unquestioned():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        model = estimator.fit(X, y)
        seconds = time.perf_counter() - begin
    result: dict[str, Any] = {"train": len(y), "fit_seconds": seconds}
    with unquestioned():
        result["tests"] = [_test(model, X_test, y_test) for X_test in tests]
        if examine is not None:
            result["examined"] = examine(model, (X, y), (tests[0], y_test))
    return number, result


def _test(model: Any, X: IntervalSequences, y: Labels) -> dict[str, Any]:
    classes = np.asarray(model.classes_)
    begin = time.perf_counter()
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
    else:  # a method without probabilities is sure of what it predicts
        predicted = np.asarray(model.predict(X))
        probabilities = (predicted[:, None] == classes).astype(float)
    seconds = time.perf_counter() - begin
    predicted = classes[probabilities.argmax(axis=1)]
    column = {label: c for c, label in enumerate(classes.tolist())}
    of_true = [
        float(row[column[label]]) if label in column else 0.0
        for label, row in zip(y.tolist(), probabilities, strict=True)
    ]
    return {
        "test": len(y),
        **score_predictions(y, predicted, probabilities, classes),
        "predict_seconds": seconds,
        "label": y.tolist(),
        "predicted": predicted.tolist(),
        "confidence": probabilities.max(axis=1).tolist(),
        "probability": of_true,
    }


def _gather(results: Sequence[tuple[Task, dict[str, Any]]], X: IntervalSequences) -> Frames:
    """Scores and predictions of trials as tidy frames."""
    names = np.array(X._names(), object)
    scores, predictions = [], []
    for task, result in results:
        for condition, tested in zip(task.conditions, result["tests"], strict=True):
            trial = {
                "method": task.method,
                **{name: getattr(condition, name) for name in ("error", "rate", "draw")},
                "repeat": task.fold.repeat,
                "fold": task.fold.number,
            }
            numbers = result | tested
            measured = {name: numbers[name] for name in ("train", "test", *SCORES, *TIMES)}
            scores.append(trial | measured)
            columns = {name: tested[name] for name in PREDICTED}
            frame = pd.DataFrame({**trial, "instance": names[task.fold.test], **columns})
            predictions.append(frame)
    return Frames(pd.DataFrame(scores), pd.concat(predictions, ignore_index=True))
