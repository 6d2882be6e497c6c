"""Methods side by side: cross-validated, resumable, with errors and paired tests."""

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold

from ibgn import __version__
from ibgn.estimator import check_data
from ibgn.experiments.folds import Fold
from ibgn.experiments.journal import Journal
from ibgn.experiments.methods import Method
from ibgn.experiments.scores import SCORES, score_predictions
from ibgn.intervals import IntervalSequences
from ibgn.messages import DataError, quote
from ibgn.networks import Sequences

__all__ = ["Evaluation", "Task", "evaluate"]

Labels = npt.NDArray[Any]
Grid = Mapping[str, Sequence[Any]]

TIMES = ("fit_seconds", "predict_seconds")
INNER_FOLDS = 3  # of a search within a training set


@dataclass(frozen=True)
class Evaluation:
    """What came out, as tidy tables.

    Parameters
    ----------
    scores : one row for each method and fold: method, repeat, fold, train, test (numbers of
        instances), the scores and the seconds
    predictions : one row for each method, repeat and test instance: method, repeat, fold, instance,
        label, predicted, confidence, and the probability of the true label
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """One row a method, best first: means over folds, and standard errors of the scores.

        Folds share training instances, so the spread over folds is corrected for it (Nadeau and
        Bengio, 2003).
        """
        rows = []
        for method, part in self.scores.groupby("method", sort=False):
            row: dict[str, Any] = {"method": method, "folds": len(part)}
            for score in SCORES:
                row[score] = part[score].mean()
                row[f"{score}_error"] = _corrected_error(part[score], part["train"], part["test"])
            rows.append(row | {name: part[name].mean() for name in TIMES})
        table = pd.DataFrame(rows)
        return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)

    def compare(self, reference: str | None = None, score: str = "accuracy") -> pd.DataFrame:
        """Differences of all methods to one, the best by default, with paired tests.

        p is of the corrected resampled t-test over folds, and `p_holm` corrects it for the number
        of comparisons.
        """
        wide = self.scores.pivot_table(score, ["repeat", "fold"], "method")
        reference = reference or str(wide.mean().idxmax())
        if reference not in wide:
            known = ", ".join(map(quote, wide.columns))
            raise DataError(f"there is no method {quote(reference)}; choose among {known}")
        sizes = self.scores[self.scores["method"] == reference].set_index(["repeat", "fold"])
        rows = []
        for method in dict.fromkeys(self.scores["method"]):
            if method == reference:
                continue
            both = wide[[method, reference]].dropna()
            gain = both[method] - both[reference]
            train, test = (sizes.loc[both.index, name] for name in ("train", "test"))
            error = _corrected_error(gain, train, test)
            rows.append((method, reference, gain.mean(), error, _p_value(gain, error)))
        columns = ["method", "reference", "difference", "error", "p"]
        table = pd.DataFrame(rows, columns=columns)
        return table.assign(p_holm=_holm(table["p"].to_numpy(float)))

    def confusion(self, method: str) -> pd.DataFrame:
        """True labels by row, predicted ones by column, over all folds and repetitions."""
        part = self.predictions[self.predictions["method"] == method]
        labels = sorted({*part["label"], *part["predicted"]})
        table = pd.crosstab(part["label"], part["predicted"])
        return table.reindex(index=labels, columns=labels, fill_value=0)


class Task(NamedTuple):
    """One method on one fold; `key` tells it from any that would give another result."""

    method: str
    fold: Fold
    key: str


def evaluate(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    *,
    seed: int = 0,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
    journal: Path | None = None,
    on_done: Callable[[Task, dict[str, Any]], None] | None = None,
) -> Evaluation:
    """Fit and test every method on every fold.

    Nothing of a test fold reaches a method before it predicts.

    Parameters
    ----------
    X, y : instances and labels
    methods : from names to functions that make an estimator from a seed, as those of
        `ibgn.experiments.methods.METHODS`
    folds : as `make_folds` gives them
    seed : of the methods
    search : for some methods, values of parameters among which the best are chosen within each
        training set, by three folds of it
    n_jobs : folds at the same time, by joblib
    journal : file that keeps what is done, so that an evaluation that was interrupted goes on from
        there; what would come out differently (other data, parameters, folds) is done anew
    on_done : called with each task and its scores
    """
    X, labels = check_data(X, y)
    labels = labels.astype(str).astype(object)
    estimators = {name: make(seed) for name, make in methods.items()}
    for name, grid in (search or {}).items():
        if name in estimators:
            estimators[name] = _Search(estimators[name], grid)
    tasks = _tasks(X, labels, estimators, folds)
    kept = Journal(journal)
    results = {task.key: kept[task.key] for task in tasks if task.key in kept}
    for task in tasks:
        if task.key in results and on_done:
            on_done(task, results[task.key])
    open_tasks = [task for task in tasks if task.key not in results]
    for task, result in _run(X, labels, estimators, open_tasks, n_jobs):
        results[task.key] = result
        kept.add(task.key, result)
        if on_done:
            on_done(task, result)
    return _gathered(tasks, results, X)


def _tasks(
    X: IntervalSequences, y: Labels, estimators: Mapping[str, Any], folds: Sequence[Fold]
) -> list[Task]:
    data = hashlib.sha256()
    for array in (X.offsets, X.action, X.start, X.end):
        data.update(np.ascontiguousarray(array).tobytes())
    data.update(json.dumps([list(X.actions), y.tolist(), __version__]).encode())
    tasks = []
    for name, estimator in estimators.items():
        for fold in folds:
            told = data.copy()
            # by content: what estimators show of themselves is cut where it is long
            told.update(joblib.hash((name, estimator, fold.repeat, fold.number)).encode())
            told.update(
                fold.train.astype("<i8").tobytes() + b"|" + fold.test.astype("<i8").tobytes()
            )
            tasks.append(Task(name, fold, told.hexdigest()))
    return tasks


def _run(
    X: IntervalSequences,
    y: Labels,
    estimators: Mapping[str, Any],
    tasks: Sequence[Task],
    n_jobs: int | None,
) -> Iterator[tuple[Task, dict[str, Any]]]:
    parallel = joblib.Parallel(n_jobs, return_as="generator_unordered")
    yield from parallel(
        joblib.delayed(_run_one)(
            task,
            estimators[task.method],
            X[task.fold.train],
            y[task.fold.train],
            X[task.fold.test],
            y[task.fold.test],
        )
        for task in tasks
    )


def _run_one(
    task: Task,
    estimator: Any,
    X: IntervalSequences,
    y: Labels,
    X_test: IntervalSequences,
    y_test: Labels,
) -> tuple[Task, dict[str, Any]]:
    """Learn from one part, be tested on the other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begin = time.perf_counter()
        model = estimator.fit(X, y)
        fitted = time.perf_counter()
        probabilities = model.predict_proba(X_test)
        done = time.perf_counter()
    predicted = model.classes_[probabilities.argmax(axis=1)]
    place = {label: c for c, label in enumerate(model.classes_.tolist())}
    of_true = [
        float(row[place[label]]) if label in place else 0.0
        for label, row in zip(y_test.tolist(), probabilities, strict=True)
    ]
    return task, {
        "train": len(y),
        "test": len(y_test),
        **score_predictions(y_test, predicted, probabilities, model.classes_),
        "fit_seconds": fitted - begin,
        "predict_seconds": done - fitted,
        "label": y_test.tolist(),
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


def _gathered(tasks: list[Task], results: Mapping[str, Any], X: IntervalSequences) -> Evaluation:
    names = X._names()
    scores, predictions = [], []
    for method, fold, key in tasks:
        result = results[key]
        where = {"method": method, "repeat": fold.repeat, "fold": fold.number}
        numbers = ("train", "test", *SCORES, *TIMES)
        scores.append(where | {name: result[name] for name in numbers})
        columns = ("label", "predicted", "confidence", "probability")
        rows = zip(*(result[name] for name in columns), strict=True)
        predictions += [
            where | {"instance": names[d]} | dict(zip(columns, row, strict=True))
            for d, row in zip(fold.test.tolist(), rows, strict=True)
        ]
    return Evaluation(pd.DataFrame(scores), pd.DataFrame(predictions))


def _corrected_error(values: Any, train: Any, test: Any) -> float:
    """Standard error of a mean over folds whose training sets overlap."""
    if len(values) < 2:
        return float("nan")
    share = float(np.mean(np.asarray(test) / np.asarray(train)))
    return float(np.sqrt((1 / len(values) + share) * np.var(values, ddof=1)))


def _p_value(gain: pd.Series, error: float) -> float:
    if not np.isfinite(error):
        return float("nan")
    if error == 0:
        return 1.0 if gain.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(gain.mean()) / error, len(gain) - 1))


def _holm(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correct for many comparisons, the smallest p the most."""
    order = np.argsort(p)
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
