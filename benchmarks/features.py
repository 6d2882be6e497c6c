"""How well general classifiers recognise activities from each part of the features.

Run with `python -m benchmarks.features FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them, split as in `benchmarks.accuracy`. No option depends on the data set.
Prints a table in Markdown, means over the files; docs/features.md has it. With names of rows, only
these. `python -m benchmarks.features --speed` measures how fast features are computed.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.accuracy import folds, read
from ibgn import IBGNClassifier, IntervalSequences
from ibgn.features import IntervalFeatures, ScoreFeatures

TREES = 100
PENALTIES = 10.0 ** np.arange(-4, 2.1, 0.5)
PARTS: dict[str, tuple[str, ...]] = {
    "statistics": ("statistics",),
    "pairs": ("pairs",),
    "occupancy": ("occupancy",),
    "raster": ("raster",),
    "statistics, pairs": ("statistics", "pairs"),
    "statistics, occupancy": ("statistics", "occupancy"),
    "statistics, pairs, occupancy": ("statistics", "pairs", "occupancy"),
}
ABSOLUTE = ("occurrences of", "total", "mean duration", "longest", "deviation")
LEFT_OUT = {
    "statistics without parts of the instance": lambda name: name.startswith(ABSOLUTE),
    "statistics without durations": lambda name: " duration" not in name,
    "statistics without positions in the sequence": lambda name: not name.startswith("intervals"),
    "statistics without deviation and pause": lambda name: (
        not name.startswith(("deviation", "mean pause"))
    ),
}

NOT_HELD_OUT = "scores of what was learned from"
SCORES = ("held-out scores", NOT_HELD_OUT)


def trees(train: Any, codes: Any, test: Any, activities: int) -> Any:
    """Probabilities of extra trees, never quite 0."""
    model = ExtraTreesClassifier(TREES, random_state=0).fit(train, codes)
    return (TREES * model.predict_proba(test) + 0.5) / (TREES + 0.5 * activities)


def ridge(train: Any, codes: Any, test: Any, activities: int) -> Any:
    """Probabilities of ridge; penalty and temperature by what each instance says of the others."""
    mean, scale = train.mean(axis=0), train.std(axis=0)
    scale = np.where(scale > 0, scale, 1) * np.sqrt(train.shape[1])
    train, test = (train - mean) / scale, (test - mean) / scale
    values, vectors = np.linalg.eigh(train @ train.T)
    targets = 2 * np.eye(activities)[codes] - 1
    offset = targets.mean(axis=0)
    fits = []
    for penalty in PENALTIES:
        inverse = vectors / (np.maximum(values, 0) + penalty) @ vectors.T
        dual = inverse @ (targets - offset)
        left_out = targets - dual / np.diag(inverse)[:, None]

        def loss(log_scale: float, left_out: Any = left_out) -> float:
            logs = log_softmax(np.exp(log_scale) * left_out, axis=1)
            return float(-logs[np.arange(len(codes)), codes].mean())

        found = minimize_scalar(loss, bounds=(-3, 5), method="bounded")
        fits.append((found.fun, np.exp(found.x), dual))
    _, sharpness, dual = min(fits, key=lambda fit: fit[0])
    return np.exp(log_softmax(sharpness * (test @ train.T @ dual + offset), axis=1))


def describe(row: str, X: Any, y: Any, test: Any) -> tuple[Any, Any]:
    """Features of training and test instances."""
    if row in SCORES:
        scores = ScoreFeatures(IBGNClassifier(random_state=0))
        fitted = scores.fit_transform(X, y)
        return scores.transform(X) if row == NOT_HELD_OUT else fitted, scores.transform(test)
    features = IntervalFeatures(PARTS.get(row, ("statistics",)), sparse=False, unknown="ignore")
    fitted, tested = features.fit_transform(X), features.transform(test)
    kept = [row not in LEFT_OUT or LEFT_OUT[row](n) for n in features.get_feature_names_out()]
    return fitted[:, kept], tested[:, kept]


def evaluate(X: Any, y: Any, rows: list[str]) -> pd.DataFrame:
    """One row per set of features, classifier and test instance."""
    outcomes = []
    for train, test in folds(X, y):
        labels, codes = np.unique(y[train], return_inverse=True)
        true = np.searchsorted(labels, y[test]).clip(max=len(labels) - 1)
        known = labels[true] == y[test]
        for row in rows:
            fitted, tested = describe(row, X[train], y[train], X[test])
            for classify in (trees, ridge):
                probs = classify(fitted, codes, tested, len(labels))
                own = np.where(known, probs[np.arange(len(test)), true], 0)
                outcomes.append(
                    {
                        "features": row,
                        "classifier": classify.__name__,
                        "accuracy": (known & (probs.argmax(axis=1) == true)).sum(),
                        "log loss": -np.log(np.maximum(own, 1e-6)).sum(),
                        "columns": fitted.shape[1] * len(test),
                    }
                )
    sums = pd.DataFrame(outcomes).groupby(["features", "classifier"], sort=False).sum()
    return sums / len(y)


def main(folder: Path, rows: list[str]) -> None:
    results = [evaluate(*read(path), rows) for path in sorted(folder.glob("*.csv"))]
    mean = pd.concat(results).groupby(level=[0, 1], sort=False).mean()
    print("| features | columns | trees: accuracy | log loss | ridge: accuracy | log loss |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        numbers = [
            f"{mean.loc[(row, name), score]:.3f}"
            for name in ("trees", "ridge")
            for score in ("accuracy", "log loss")
        ]
        print(
            f"| {row} | {mean.loc[(row, 'ridge'), 'columns']:.0f} | {' | '.join(numbers)} |",
            flush=True,
        )


def measure_speed() -> None:
    """Print seconds for 10,000 instances of 50 intervals, with 20 actions."""
    rng, size = np.random.default_rng(0), 500_000
    start = np.sort(rng.random((size // 50, 50)) * 25, axis=1).ravel()
    action, end = rng.integers(0, 20, size), start + 0.1 + rng.random(size)
    names = [f"action {n:02}" for n in range(20)]
    X = IntervalSequences(np.arange(0, size + 1, 50), action, start, end, names)
    for part in ("statistics", "pairs", "occupancy", "raster"):
        features = IntervalFeatures([part])
        features.fit_transform(X[:2])  # compiles
        begin = time.process_time()
        features.fit_transform(X)
        print(f"{part}: {time.process_time() - begin:.2f} seconds", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--speed"]:
        measure_speed()
    else:
        main(Path(sys.argv[1]), sys.argv[2:] or [*PARTS, *LEFT_OUT, *SCORES])
