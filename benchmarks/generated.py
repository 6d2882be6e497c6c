"""Are generated instances like real ones? A two-sample test, and training with generated ones.

Run with `python -m benchmarks.generated FOLDER`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them; docs/generation.md has what it prints.

The first table: a model learns from one half of the instances and generates as many of each
activity as there are in the other half. Extra trees learn to tell these from the real other half,
in five folds, from statistics, Allen pairs and the activity. An AUC of .5 means that they cannot.

The second table: classifiers learn from real instances, or from these and as many generated
ones, and recognise real ones that neither they nor the generating model have seen.
"""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from benchmarks.accuracy import folds, read
from ibgn import IBGNClassifier, IntervalSequences
from ibgn.features import IntervalFeatures
from ibgn.recoding import recode

TREES = 200


def generators() -> Iterator[tuple[str, IBGNClassifier]]:
    """Models that generate."""
    paper = {"terms": ("tables", "relations"), "weights": "equal", "copy_weight": 0.0}
    yield "tables, relations", IBGNClassifier(**paper, draws=100, random_state=0)
    yield "all terms", IBGNClassifier(random_state=0)


def generate(model: Any, y: Any, seed: int = 0) -> tuple[IntervalSequences, Any]:
    """As many instances of each activity as y has, with their labels."""
    labels, numbers = np.unique(y, return_counts=True)
    rng = np.random.default_rng(seed)
    parts = [model.sample(int(n), a, rng) for a, n in zip(labels, numbers, strict=True)]
    return IntervalSequences.concatenate(parts), np.repeat(labels, numbers)


def join(*parts: IntervalSequences) -> IntervalSequences:
    """Instances of several sources, without their names and groups."""
    actions = tuple(sorted({action for part in parts for action in part.actions}))
    return IntervalSequences.concatenate(
        IntervalSequences.from_flat(recode(part, actions).flat, actions) for part in parts
    )


def tell_apart(real: IntervalSequences, y: Any, made: IntervalSequences, z: Any) -> Any:
    """AUC and accuracy of extra trees that tell generated instances from real ones."""
    X, labels = join(real, made), np.concatenate([y, z])
    is_made = np.arange(len(X)) >= len(real)
    activity = csr_array((labels[:, None] == np.unique(labels)).astype(float))
    features = csr_array(hstack([IntervalFeatures().fit_transform(X), activity]))
    for name in ("indices", "indptr"):  # scikit-learn's trees take only 32-bit integers
        setattr(features, name, getattr(features, name).astype(np.int32))
    split = StratifiedKFold(5, shuffle=True, random_state=0)
    trees = ExtraTreesClassifier(TREES, random_state=0)
    chance = cross_val_predict(trees, features, is_made, cv=split, method="predict_proba")[:, 1]
    return roc_auc_score(is_made, chance), np.mean((chance > 0.5) == is_made)


def two_samples(name: str, title: str, model: Any, X: Any, y: Any) -> list[Any]:
    """AUC and accuracy, the mean of both halves."""
    found = []
    for half, other in StratifiedKFold(2, shuffle=True, random_state=0).split(y, y):
        learned = _fit(model, X[half], y[half])
        found.append(tell_apart(X[other], y[other], *generate(learned, y[other])))
    return [name, title, *np.mean(found, axis=0)]


def training(name: str, X: Any, y: Any, fold: Any) -> list[list[Any]]:
    """How many of a fold each classifier recognises, by what it learned from."""
    train, test = fold
    ours = _fit(IBGNClassifier(random_state=0), X[train], y[train])
    made, labels = generate(ours, y[train])
    both, all_labels = join(X[train], made), np.concatenate([y[train], labels])
    rows = []
    for title in ("IBGN-T", "extra trees"):
        for source, instances, truth in (
            ("real", X[train], y[train]),
            ("real and generated", both, all_labels),
            ("generated", made, labels),
        ):
            trees = make_pipeline(IntervalFeatures(), ExtraTreesClassifier(TREES, random_state=0))
            model = IBGNClassifier(random_state=0) if title == "IBGN-T" else trees
            right = _fit(model, instances, truth).predict(X[test]) == y[test]
            rows.append([name, f"{title}, {source}", int(right.sum()), len(test)])
    return rows


def _fit(model: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def to_markdown(frame: pd.DataFrame) -> str:
    """One row per kind, one column per data set."""
    lines = [f"| | {' | '.join(frame.columns)} |", "|" + "---|" * (frame.shape[1] + 1)]
    lines += [f"| {kind} | {' | '.join(row)} |" for kind, row in frame.iterrows()]
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Print both tables."""
    sets = {path.stem: read(path) for path in sorted(folder.glob("*.csv"))}
    parallel = joblib.Parallel(n_jobs=2)
    apart = parallel(
        joblib.delayed(two_samples)(name, title, model, X, y)
        for name, (X, y) in sets.items()
        for title, model in generators()
    )
    frame = pd.DataFrame(apart, columns=["data", "generator", "auc", "accuracy"])
    frame["cell"] = [
        f"{a:.3f} ({b:.3f})" for a, b in zip(frame["auc"], frame["accuracy"], strict=True)
    ]
    print(to_markdown(frame.pivot_table("cell", "generator", "data", aggfunc="first", sort=False)))
    rows = parallel(
        joblib.delayed(training)(name, X, y, fold)
        for name, (X, y) in sets.items()
        for fold in folds(X, y)
    )
    columns = ["data", "learned from", "right", "tested"]
    frame = pd.DataFrame([row for some in rows for row in some], columns=columns)
    sums = frame.groupby(["learned from", "data"], sort=False)[["right", "tested"]].sum()
    share = (sums["right"] / sums["tested"]).map("{:.3f}".format)
    print("\n" + to_markdown(share.unstack()))  # noqa: PD010


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.generated FOLDER")
    main(Path(sys.argv[1]))
