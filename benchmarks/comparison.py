"""All methods side by side on real recordings, with the same folds for all.

Run with `python -m benchmarks.comparison FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them; docs/baselines.md has what it prints. Folds are those of
`benchmarks.accuracy`. With --choices, the parameters of IHMM, DBN and ITBN one at a time.
"""

import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from benchmarks.accuracy import folds, read
from ibgn import DBNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.evaluation.methods import METHODS, with_short_chains
from ibgn.reproduction.published import PAPER

OURS = "IBGN-T"  # IBGNClassifier with its defaults
CHOICES: Mapping[str, Any] = {
    repr(model): lambda seed, model=model: model
    for model in (
        *(IHMMClassifier(n) for n in (1, 2, 3, "overlap")),
        *(IHMMClassifier(beam=beam) for beam in (8, 512)),
        *(IHMMClassifier(smoothing=smoothing) for smoothing in (0.01, 0.3, 1.0)),
        *(DBNClassifier(bins) for bins in (1, 2, 4, 8, 16)),
        *(DBNClassifier(smoothing=smoothing) for smoothing in (0.3, 3.0)),
        *(ITBNClassifier(occurrence) for occurrence in ("first", "longest")),
        *(ITBNClassifier(comparison=comparison) for comparison in ("links", "per-link")),
        ITBNClassifier(consistency="strict"),
        *(ITBNClassifier(smoothing=smoothing) for smoothing in (0.1, 0.3)),
    )
}


def run_fold(method: Any, X: Any, y: Any, fold: Any) -> tuple[npt.NDArray[np.bool_], float]:
    """Whether each test instance is recognised, and the seconds to fit and predict."""
    train, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        before = time.perf_counter()
        right = method(0).fit(X[train], y[train]).predict(X[test]) == y[test]
    return right, time.perf_counter() - before


def measure(folder: Path, methods: Mapping[str, Any]) -> pd.DataFrame:
    """One row per data set and method: which instances were recognised, and seconds per fold."""
    rows = []
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        for name, method in methods.items():
            tasks = [joblib.delayed(run_fold)(method, X, y, fold) for fold in folds(X, y)]
            done = joblib.Parallel(n_jobs=2)(tasks)
            right = np.concatenate([right for right, _ in done])
            rows.append((path.stem, name, right, np.mean([seconds for _, seconds in done])))
    return pd.DataFrame(rows, columns=["data", "method", "right", "seconds"])


def to_markdown(results: pd.DataFrame) -> str:
    """One row per method, one column per data set; the best of each column in bold."""
    names = list(dict.fromkeys(results["data"]))
    best = results.groupby("data")["right"].agg(lambda parts: max(map(np.mean, parts)))
    lines = [f"| | {' | '.join(names)} | seconds |", "|" + "---|" * (len(names) + 2)]
    for method, rows in results.groupby("method", sort=False):
        cells = []
        for name, right in zip(rows["data"], rows["right"], strict=True):
            cell = f"{right.mean():.3f} ± {right.std() / np.sqrt(len(right)):.3f}"
            cells.append(f"**{cell}**" if right.mean() == best[name] else cell)
        lines.append(f"| {method} | {' | '.join(cells)} | {rows['seconds'].mean():.2f} |")
    return "\n".join(lines)


def who_beats_us(results: pd.DataFrame) -> str:
    """Where another method recognises more than ours, with the paired standard error."""
    lines = []
    for name, rows in results.groupby("data"):
        right = dict(zip(rows["method"], rows["right"], strict=True))
        for method, other in right.items():
            gain = other.astype(float) - right[OURS]
            if gain.mean() > 0:
                error = gain.std() / np.sqrt(len(gain))
                lines.append((name, method, f"{gain.mean():+.3f} ± {error:.3f}"))
    return "\n".join(f"- {name}: {method} {gain}" for name, method, gain in lines)


def learning_curve(sizes: tuple[int, ...], repeats: int = 10) -> pd.DataFrame:
    """Accuracy where only relations differ, by the training instances per activity."""
    from ibgn import IBGNClassifier
    from ibgn.datasets import make_relations

    terms = ("actions", "relations")  # which times do not help
    blind = IBGNClassifier([], terms=terms, weights="equal", unlinked="ignore", random_state=0)
    names = (*PAPER, OURS, "extra trees", "nearest raster")
    methods = with_short_chains(names, draws=50, budget=200)
    methods["IBGN without links"] = lambda seed: blind
    X_test, y_test = make_relations(instances_per_activity=500, random_state=10_000)

    def once(method: Any, size: int, repeat: int) -> float:
        X, y = make_relations(instances_per_activity=size, random_state=repeat)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return float(method(repeat).fit(X, y).score(X_test, y_test))

    keys = [(name, size, r) for name in methods for size in sizes for r in range(repeats)]
    tasks = (joblib.delayed(once)(methods[name], size, r) for name, size, r in keys)
    table = pd.DataFrame(keys, columns=["method", "instances", "repeat"])
    return table.assign(accuracy=joblib.Parallel(n_jobs=2)(tasks))


def curve_to_markdown(curve: pd.DataFrame) -> str:
    groups = curve.groupby(["method", "instances"], sort=False)["accuracy"]
    means = groups.mean().unstack()  # noqa: PD010
    errors = groups.sem().unstack()  # noqa: PD010
    lines = [f"| | {' | '.join(map(str, means.columns))} |", "|" + "---|" * (means.shape[1] + 1)]
    for name in means.index:
        cells = zip(means.loc[name], errors.loc[name], strict=True)
        lines.append(f"| {name} | {' | '.join(f'{m:.3f} ± {e:.3f}' for m, e in cells)} |")
    return "\n".join(lines)


SIZES = (2, 5, 10, 20, 50, 100, 200)

if __name__ == "__main__":
    if sys.argv[1:] == ["--curve"]:
        print(curve_to_markdown(learning_curve(SIZES)))
    elif len(sys.argv) == 3 and sys.argv[2] == "--choices":
        print(to_markdown(measure(Path(sys.argv[1]), CHOICES)))
    elif len(sys.argv) == 2:
        short = with_short_chains(list(METHODS), draws=100, budget=600)
        found = measure(Path(sys.argv[1]), short)
        print(to_markdown(found), "", f"More than {OURS}:", who_beats_us(found), sep="\n")
    else:
        sys.exit("usage: python -m benchmarks.comparison FOLDER [--choices] | --curve")
