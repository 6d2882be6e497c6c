"""Accuracy and log loss with few instances per activity: the default model and its opponents.

Run with `python -m benchmarks.few FOLDER`, where FOLDER has files of recordings as `ibgn.read_csv`
takes them; docs/little_data.md has what it prints. Where there are groups, half of them are for
tests, so that nobody is in both. Parts by name: opponents, unlabelled (what instances without
labels add) and many (how long hundreds of activities take).
"""

import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd

from benchmarks.accuracy import read
from benchmarks.opponents import OPPONENTS, Model
from ibgn import IBGNClassifier, IBGNEnsemble, IntervalSequences, load

SIZES = (1, 2, 5, 10)
DRAWS = 5
JOBS = 2
TESTED = 150  # instances at most, per draw


DEFAULT = "`IBGNClassifier()`"
METHODS: Mapping[str, Model] = {
    DEFAULT: lambda: IBGNClassifier(random_state=0),
    "`IBGNEnsemble()`": lambda: IBGNEnsemble(random_state=0),
    **{name: make for name, make in OPPONENTS.items() if name != "gradient boosting"},
}
UNLABELLED: Mapping[str, Model] = {
    'the rest with `unlabelled="self-training"`': lambda: IBGNClassifier(
        unlabelled="self-training", random_state=0
    ),
}


class Task(NamedTuple):
    """Rows to learn from, with a label and without one, and rows for tests."""

    data: str
    size: int
    draw: int
    train: Any
    others: Any
    test: Any


def draw_tasks(data: str, X: IntervalSequences, y: Any, unlabelled: bool) -> list[Task]:
    """All sizes and draws; an activity with fewer instances to learn from gives all it has.

    unlabelled : whether some are left that are neither learned from nor for tests
    """
    rows, tasks = np.arange(len(y)), []
    for draw in range(DRAWS):
        rng, tested = np.random.default_rng(draw), np.zeros(len(y), bool)
        if X.groups is not None or unlabelled:
            unit = rows if X.groups is None else np.asarray(X.groups, str)
            names = rng.permutation(np.unique(unit))
            tested = np.isin(unit, names[: max(1, len(names) // 2)])
        ranked = rng.permutation(rows[~tested])
        of_activity = [ranked[y[ranked] == activity] for activity in np.unique(y)]
        for size in SIZES:
            train = np.sort(np.concatenate([own[:size] for own in of_activity]))
            others = np.setdiff1d(ranked, train)
            test = rng.permutation(rows[tested] if tested.any() else others)
            test = test[np.isin(y[test], y[train])][:TESTED]
            tasks.append(Task(data, size, draw, train, others, test))
    return tasks


def run(task: Task, name: str, make: Model, X: Any, y: Any) -> tuple[Any, ...]:
    train, labels = task.train, y[task.train]
    if name in UNLABELLED:
        train = np.concatenate([train, task.others])
        labels = np.concatenate([labels.astype(object), np.full(len(task.others), None)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().fit(X[train], labels)
        probabilities = model.predict_proba(X[task.test])
    true = np.searchsorted(model.classes_, y[task.test])
    own = np.maximum(probabilities[np.arange(len(true)), true], 1e-15)
    accuracy = (probabilities.argmax(axis=1) == true).mean()
    return task.data, task.size, task.draw, name, accuracy, -np.log(own).mean()


def measure(folder: Path, methods: Mapping[str, Model], sizes: Sequence[int]) -> pd.DataFrame:
    """One row per data set, size, draw and method."""
    unlabelled = any(name in UNLABELLED for name in methods)
    jobs = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        jobs += [
            joblib.delayed(run)(task, name, make, X, y)
            for task in draw_tasks(path.stem, X, y, unlabelled)
            if task.size in sizes
            for name, make in methods.items()
        ]
    columns = ["data", "size", "draw", "method", "accuracy", "log loss"]
    return pd.DataFrame(joblib.Parallel(n_jobs=JOBS)(jobs), columns=columns)


def to_markdown(found: pd.DataFrame, column: str, across: str) -> str:
    """One row per method, one column per size or data set; means and standard errors over draws."""
    values = found.groupby(["method", across, "data", "draw"], sort=False)[column].mean()
    # sets are fixed and draws are not, so errors are those of draws within sets
    of_set = values.groupby(["method", across, "data"], sort=False).agg(["mean", "sem"])
    cells = of_set.groupby(["method", across], sort=False).agg(
        mean=("mean", "mean"),
        error=("sem", lambda errors: np.sqrt((errors**2).sum()) / len(errors)),
    )
    names = list(dict.fromkeys(found[across]))
    lines = [f"| {column} | {' | '.join(map(str, names))} |", "|" + "---|" * (len(names) + 1)]
    for method in dict.fromkeys(found["method"]):
        row = [cells.loc[(method, name)] for name in names]
        shown = (f"{cell['mean']:.3f} ± {cell['error']:.3f}" for cell in row)
        lines.append(f"| {method} | {' | '.join(shown)} |")
    return "\n".join(lines)


def opponents(folder: Path) -> Iterator[str]:
    found = measure(folder, METHODS, SIZES)
    for column in ("accuracy", "log loss"):
        yield to_markdown(found, column, "size")
    for size in SIZES:
        few = found[found["size"] == size]
        yield f"With {size}:\n\n{to_markdown(few, 'accuracy', 'data')}"


def unlabelled(folder: Path) -> Iterator[str]:
    found = measure(folder, {DEFAULT: METHODS[DEFAULT], **UNLABELLED}, (1, 2, 5))
    for column in ("accuracy", "log loss"):
        yield to_markdown(found, column, "size")


def many(folder: Path) -> Iterator[str]:
    """CPU seconds by the number of activities, with five simulated instances of each."""
    lines = ["| activities | fit | predict 100 | save | load | megabytes |", "|" + "---|" * 6]
    IBGNClassifier(random_state=0).fit(*make_activities(5, instances=2))  # compiles kernels
    for activities in (10, 50, 100, 500):
        X, y = make_activities(activities, instances=5)
        times = [time.process_time()]
        model = IBGNClassifier(random_state=0).fit(X, y)
        times.append(time.process_time())
        model.predict(X[:100])
        times.append(time.process_time())
        with TemporaryDirectory() as where:
            path = Path(where) / "model.ibgn"
            model.save(path)
            times.append(time.process_time())
            load(path)
            times.append(time.process_time())
            size = path.stat().st_size / 1e6
        shown = " | ".join(f"{seconds:.2f}" for seconds in np.diff(times))
        lines.append(f"| {activities} | {shown} | {size:.1f} |")
    yield "\n".join(lines)


def make_activities(activities: int, instances: int) -> tuple[IntervalSequences, Any]:
    """Activities of about ten out of thirty actions, each with its own order and durations."""
    rng, lists = np.random.default_rng(0), []
    for _ in range(activities):
        actions = rng.integers(0, 30, 10)
        gap, duration = rng.gamma(2, 1, 10), rng.gamma(2, 2, 10)
        for _ in range(instances):
            start = np.cumsum(gap * rng.gamma(9, 1 / 9, 10))
            end = start + duration * rng.gamma(9, 1 / 9, 10)
            names = [f"a{action}" for action in actions.tolist()]
            lists.append(list(zip(names, start.tolist(), end.tolist(), strict=True)))
    X = IntervalSequences.from_lists(lists)
    return X, np.repeat([f"activity {c}" for c in range(activities)], instances)


PARTS = {"opponents": opponents, "unlabelled": unlabelled, "many": many}

if __name__ == "__main__":
    chosen = sys.argv[2:] or list(PARTS)
    if len(sys.argv) < 2 or not set(chosen) <= set(PARTS):
        sys.exit(f"usage: python -m benchmarks.few FOLDER [{'] ['.join(PARTS)}]")
    for part in chosen:
        for section in PARTS[part](Path(sys.argv[1])):
            print(section, end="\n\n", flush=True)
