"""Unknown activities: how well they are told from known ones, and how many false alarms there are.

Run with `python -m benchmarks.unknown FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them. Each activity is left out once: models learn all others, in the folds of
`benchmarks.accuracy`, and the test instances are those of known activities and of the one left out.
Beside p-values there is what a practitioner would try: the largest posterior probability,
calibrated in the same way. Prints tables in Markdown; docs/unknown.md has them.
"""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pandas as pd
from scipy.stats import t
from sklearn.metrics import roc_auc_score

from benchmarks.accuracy import folds, read
from ibgn import IBGNClassifier, IntervalSequences

RATES = (0.01, 0.05, 0.1)
OURS, POSTERIOR, NO_GROUPS = "p-value", "largest posterior", "p-value, groups not known"


class Judged(NamedTuple):
    """p-values of test instances: their numbers, their group, and whether they are unknown."""

    data: str
    left_out: Any
    method: str
    instance: Any
    group: Any
    unknown: Any
    p: Any


def judge(
    data: str, X: IntervalSequences, y: Any, left_out: Any, fold: tuple[Any, Any]
) -> Iterator[Judged]:
    """p-values of the test instances of one fold, by each method."""
    train, test = fold
    train = train[y[train] != left_out]
    groups = np.asarray(X.groups if X.groups is not None else np.arange(len(X)))
    about = test, groups[test], y[test] == left_out
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = IBGNClassifier(random_state=0, unknown_actions="ignore")
        held_out = model.fit_held_out(X[train], y[train])
        yield Judged(data, left_out, OURS, *about, model.p_values(X[test]))
        logs = model.predict_log_proba(X[test]).max(axis=1)
        known = np.sort(held_out.max(axis=1))
        p = (1 + np.searchsorted(known, logs, side="right")) / (1 + len(known))
        yield Judged(data, left_out, POSTERIOR, *about, p)
        if X.groups is not None:
            plain = IntervalSequences.from_flat(X.flat, X.actions, X.ids)
            model.fit(plain[train], y[train])
            yield Judged(data, left_out, NO_GROUPS, *about, model.p_values(X[test]))


def run(*task: Any) -> list[Judged]:
    return list(judge(*task))


def measure(folder: Path) -> pd.DataFrame:
    """One row per method and test instance, as often as it was tested."""
    tasks = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        tasks += [
            joblib.delayed(run)(path.stem, X, y, left_out, fold)
            for left_out in np.unique(y)
            for fold in folds(X, y)
        ]
    found = joblib.Parallel(n_jobs=2)(tasks)
    parts = [pd.DataFrame(row._asdict()) for rows in found for row in rows]
    return pd.concat(parts, ignore_index=True)


def share(rows: pd.DataFrame, by: str) -> str:
    """Mean of what is alarmed, over instances, groups or activities."""
    return with_interval(rows.groupby(by)["alarm"].mean().to_numpy())


def with_interval(values: Any) -> str:
    """Mean of values, and half of its interval of 95 %, by Student's t."""
    error = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.3f} ± {error:.3f}"


def summarise(rows: pd.DataFrame) -> dict[str, str]:
    """AUROC by activity left out; shares of alarms among known and unknown instances."""
    by_activity = rows.groupby("left_out")[["unknown", "p"]]
    areas = by_activity.apply(lambda part: roc_auc_score(part["unknown"], -part["p"]))
    found = {"AUROC": with_interval(areas.to_numpy())}
    for rate in RATES:
        alarmed = rows.assign(alarm=rows["p"] <= rate)
        found[f"false alarms at {rate}"] = share(alarmed[~rows["unknown"]], "group")
    alarmed = rows.assign(alarm=rows["p"] <= 0.05)
    found["unknown found at 0.05"] = share(alarmed[rows["unknown"]], "left_out")
    return found


def main(folder: Path) -> None:
    judged = measure(folder)
    summary = pd.DataFrame(
        [
            {"data": data, "method": method, **summarise(rows)}
            for (data, method), rows in judged.groupby(["data", "method"], sort=False)
        ]
    )
    lines = [f"| {' | '.join(summary)} |", "|" + "---|" * len(summary.columns)]
    lines += [f"| {' | '.join(row)} |" for row in summary.to_numpy().tolist()]
    print("\n".join(lines))
    means = summary.assign(area=[float(cell.split()[0]) for cell in summary["AUROC"]])
    print("\nMean AUROC:", means.groupby("method", sort=False)["area"].mean().round(3).to_dict())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.unknown FOLDER")
    main(Path(sys.argv[1]))
