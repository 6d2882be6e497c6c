"""Styles: whether they are found where they are known, and what they do for recognition.

Run with `python -m benchmarks.styles` for simulations, and with a folder of recordings as
`benchmarks.accuracy` takes them for these. Prints what docs/styles.md has in its tables.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.accuracy import folds, read
from ibgn import IBGNClassifier, IntervalSequences
from ibgn.datasets import make_styles
from ibgn.metrics import log_loss

CHOICES = (1, 2, "learned")
SIZES = (20, 40, 80)
REPEATS = 3
Row = Mapping[str, Any]


def recover(size: int, seed: int) -> Iterator[Row]:
    """Styles of simulated activities: how many are found, and how well they agree with the truth.

    Agreement is the adjusted Rand index on instances that were not learned from.
    """
    X, y, styles = make_styles(instances_per_activity=size, random_state=seed)
    tests, y_tests, true = make_styles(instances_per_activity=size, random_state=1000 + seed)
    model = IBGNClassifier(styles="learned", random_state=0).fit(X, y)
    for name, activity in model.activities_.items():
        chosen = y_tests == name
        found = model.predict_styles(tests[chosen], name).argmax(axis=1)
        yield {
            "activity": name,
            "styles": len(set(styles[y == name])),
            "found": len(activity.members),
            "agreement": adjusted_rand_score(true[chosen], found),
        }


def control(size: int, seed: int) -> Row:
    """Styles found where there are none: each style is an activity, and instances are drawn.

    New instances are drawn from models of one style, so there are no others by construction.
    """
    X, y, styles = make_styles(instances_per_activity=size, random_state=seed)
    apart = np.array([f"{name} {style}" for name, style in zip(y, styles, strict=True)])
    plain = IBGNClassifier(random_state=0).fit(X, apart)
    drawn = [plain.sample(size, name, random_state=seed) for name in plain.classes_]
    labels = np.repeat(plain.classes_, size)
    again = IBGNClassifier(styles="learned", random_state=0)
    again.fit(IntervalSequences.concatenate(drawn), labels)
    found = np.array([len(activity.members) for activity in again.activities_.values()])
    return {"activities": len(found), "with one style": int((found == 1).sum())}


def trust(styles: Any, seed: int) -> Row:
    """Log loss of held-out instances, by which weights are learned, and of new ones.

    Styles are found among all instances, and only counts are held out. If that made a model too
    sure of itself, its held-out loss would be the smaller one.
    """
    X, y, _ = make_styles(instances_per_activity=40, random_state=seed)
    tests, y_tests, _ = make_styles(instances_per_activity=80, random_state=1000 + seed)
    model = IBGNClassifier(styles=styles, random_state=0)
    held_out = model.fit_held_out(X, y)
    assert held_out is not None
    return {
        "styles": styles,
        "held out": log_loss(y, np.exp(held_out), model.classes_),
        "new": log_loss(y_tests, model.predict_proba(tests), model.classes_),
    }


def recognise(
    X: IntervalSequences, y: Any, splits: list[tuple[Any, Any]], styles: Any
) -> dict[str, Any]:
    """Accuracy, log loss and seconds to learn, over folds, and the mean number of styles."""
    probabilities, seconds, numbers = np.zeros((len(y), len(set(y)))), 0.0, []
    classes = np.unique(y)
    for train, test in splits:
        before = time.process_time()
        model = IBGNClassifier(styles=styles, random_state=0).fit(X[train], y[train])
        seconds += time.process_time() - before
        columns = np.searchsorted(classes, model.classes_)
        probabilities[np.ix_(test, columns)] = model.predict_proba(X[test])
        numbers += [len(activity.members) for activity in model.activities_.values()]
    tested = np.concatenate([test for _, test in splits])
    right = classes[probabilities[tested].argmax(axis=1)] == y[tested]
    return {
        "styles": styles,
        "accuracy": right.mean(),
        "log loss": log_loss(y[tested], probabilities[tested], classes),
        "mean number": np.mean(numbers),
        "seconds": seconds / len(splits),
    }


def simulated() -> Iterator[tuple[str, IntervalSequences, Any]]:
    X, y, _ = make_styles(instances_per_activity=40, random_state=0)
    yield "make_styles", X, y


def recorded(folder: Path) -> Iterator[tuple[str, IntervalSequences, Any]]:
    for path in sorted(folder.glob("*.csv")):
        yield path.stem, *read(path)


def compare(sets: Iterator[tuple[str, IntervalSequences, Any]]) -> None:
    for name, X, y in sets:
        splits = folds(X, y)
        for choice in CHOICES:
            row = recognise(X, y, splits, choice)
            print(f"| {name} | " + " | ".join(map(_word, row.values())) + " |", flush=True)


def _word(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float | np.floating) else str(value)


def main() -> None:
    if len(sys.argv) > 1:
        compare(recorded(Path(sys.argv[1])))
        return
    for size in SIZES:
        rows = pd.DataFrame([row for seed in range(REPEATS) for row in recover(size, seed)])
        right = rows["found"] == rows["styles"]
        table = rows.assign(right=right).groupby("activity", sort=False).mean()
        print(f"{size} instances per activity\n{table.round(2).to_string()}", flush=True)
        print(f"control: {control(size, 0)}", flush=True)
    compare(simulated())
    losses = pd.DataFrame([trust(choice, seed) for choice in CHOICES for seed in range(REPEATS)])
    print(losses.groupby("styles", sort=False).mean().round(3).to_string())


if __name__ == "__main__":
    main()
