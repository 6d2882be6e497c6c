"""Accuracy on real recordings: settings and structures side by side, same folds for all.

Run with `python -m benchmarks.accuracy FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them. Those with groups are split by group, others in ten stratified folds
with seed 0. Prints tables in Markdown; docs/accuracy.md has them. With --choices, single
switches away from the defaults.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import LeaveOneGroupOut, StratifiedKFold

from ibgn import IBGNClassifier, IntervalSequences, inspect, read_csv

STRUCTURES = ("chain", "full", "learned", "shared")


class Result(NamedTuple):
    """What one fold gave."""

    data: str
    setting: str
    structure: str
    right: int
    tested: int
    seconds: float
    links: float


def read(path: Path) -> tuple[IntervalSequences, Any]:
    """Read with inclusive ends if they look inclusive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = read_csv(path, zero_length="drop")
    if any("ends look inclusive" in str(warning) for warning in inspect(X, y).warnings):
        X, y = read_csv(path, closed="both")
    return X, y


def folds(X: IntervalSequences, y: Any) -> list[tuple[Any, Any]]:
    if X.groups is not None:
        return list(LeaveOneGroupOut().split(y, y, X.groups))
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(y, y))


def models() -> Iterator[tuple[str, str, IBGNClassifier]]:
    for structure in STRUCTURES:
        yield "published", structure, IBGNClassifier.published(structure, random_state=0)
        yield "default", structure, IBGNClassifier(structure, random_state=0)


def choices() -> Iterator[tuple[str, str, IBGNClassifier]]:
    """One setting at a time changed from the defaults, with short chains."""
    short: dict[str, Any] = {"draws": 50, "budget": 500, "random_state": 0}
    for likelihood in ("mixture", "sequential", "published"):
        model = IBGNClassifier(node_likelihood=likelihood, **short)
        yield f"`node_likelihood={likelihood!r}`", "full", model
    for smoothing in (0.3, 1.0, 3.0, "learned"):
        yield f"`smoothing={smoothing!r}`", "full", IBGNClassifier(smoothing=smoothing, **short)
    yield "`tolerance='learned'`", "full", IBGNClassifier(tolerance="learned", **short)
    for criterion in ("bic", "bdeu"):
        for unlinked in ("ignore", "marginal", "constrained"):
            model = IBGNClassifier("learned", criterion=criterion, unlinked=unlinked, **short)
            yield f"`{criterion!r}`, `unlinked={unlinked!r}`", "learned", model


def run_fold(
    name: str, setting: str, structure: str, model: Any, X: Any, y: Any, fold: Any
) -> Result:
    train, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        before = time.perf_counter()
        model.fit(X[train], y[train])
        taken = time.perf_counter() - before
    right = int((model.predict(X[test]) == y[test]).sum())
    structures = [activity["relations"].structure for activity in model.activities_.values()]
    links = np.mean([len(structure.links) for structure in structures])
    return Result(name, setting, structure, right, len(test), taken, float(links))


def measure(folder: Path, models: Callable[[], Iterator[Any]]) -> pd.DataFrame:
    """One row per data set, setting, structure and fold."""
    tasks = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        tasks += [
            joblib.delayed(run_fold)(path.stem, *model, X, y, fold)
            for model in models()
            for fold in folds(X, y)
        ]
    return pd.DataFrame(joblib.Parallel(n_jobs=2)(tasks))


def summarise(results: pd.DataFrame) -> pd.DataFrame:
    """Accuracy over all instances with its standard error, seconds per fit, links per activity."""
    groups = results.groupby(["data", "setting", "structure"], sort=True)
    table = groups.agg(
        right=("right", "sum"),
        tested=("tested", "sum"),
        seconds=("seconds", "mean"),
        links=("links", "mean"),
    )
    accuracy = table["right"] / table["tested"]
    error = np.sqrt(accuracy * (1 - accuracy) / table["tested"])
    table["accuracy"] = [f"{a:.3f} ± {e:.3f}" for a, e in zip(accuracy, error, strict=True)]
    return table.reset_index()


def to_markdown(table: pd.DataFrame) -> str:
    lines = []
    for value, digits in (("accuracy", None), ("seconds", 2), ("links", 0)):
        wide = table.set_index(["data", "setting", "structure"])[value].unstack([1, 2])  # noqa: PD010
        wide = wide.sort_index(axis=1)
        if value == "links":  # of the other structures each instance has its own number
            wide = wide[[column for column in wide if column[1] in ("learned", "shared")]]
        head = ["" if value == "accuracy" else value, *(f"{a} {b}" for a, b in wide.columns)]
        lines += ["", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for name, row in wide.iterrows():
            cells = [v if digits is None else f"{v:.{digits}f}" for v in row]
            lines.append("| " + " | ".join([str(name), *cells]) + " |")
    return "\n".join(lines)


def choices_to_markdown(results: pd.DataFrame) -> str:
    """One row per choice, one column per data set."""
    table = summarise(results)
    table["accuracy"] = table["accuracy"].str.slice(1, 5)
    names = sorted(table["data"].unique())
    lines = [f"| | {' | '.join(names)} |", "|" + "---|" * (len(names) + 1)]
    for setting in dict.fromkeys(setting for setting, _, _ in choices()):
        row = table[table["setting"] == setting].set_index("data")["accuracy"]
        lines.append(f"| {setting} | {' | '.join(row[name] for name in names)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2] == "--choices":
        print(choices_to_markdown(measure(Path(sys.argv[1]), choices)))
    elif len(sys.argv) == 2:
        print(to_markdown(summarise(measure(Path(sys.argv[1]), models))))
    else:
        sys.exit("usage: python -m benchmarks.accuracy FOLDER [--choices]")
