"""How soon activities are recognised on real recordings, and how often early decisions are wrong.

Run with `python -m benchmarks.early FOLDER [METHOD ...]`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them; folds are those of `benchmarks.accuracy`. Prints tables in Markdown:
accuracy when a share of the duration has passed, and what became of the decisions for each share of
errors asked for. With `--cut`, instances are cut there and recognised as they are, which is quick
enough for all methods. docs/live.md has the tables.
"""

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.accuracy import folds, read
from ibgn.evaluation.early import SHARES, EarlyEvaluation, evaluate_early
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import METHODS, find_method
from ibgn.intervals import IntervalSequences
from ibgn.live.replay import cut_at, replay, share_moments

USUAL = ("IBGN-T", "ridge", "extra trees", "IHMM", "DBN", "ITBN")
AS_IF = "IBGN-T, as if it ended"


def measure(path: Path, methods: Sequence[str]) -> tuple[EarlyEvaluation, pd.DataFrame]:
    """Results on one file; also what the default says if terms count as in whole instances."""
    X, y = read(path)
    parts = [Fold(0, n, train, test) for n, (train, test) in enumerate(folds(X, y))]
    early = evaluate_early(X, y, {name: METHODS[name] for name in methods}, parts)
    return early, as_if_ended(X, y.astype(str), parts)


def as_if_ended(X: IntervalSequences, y: Any, parts: Sequence[Fold]) -> pd.DataFrame:
    """Accuracy of the default when a share has passed, without weights learned for that."""
    right = dict.fromkeys(SHARES, 0)
    for fold in parts:
        model = METHODS["IBGN-T"](0).fit(X[fold.train], y[fold.train])
        for share in SHARES:
            moments = share_moments(X[fold.test], [share])
            joint = model._weights @ replay(model, X[fold.test], moments) + model._log_prior
            right[share] += int((model.classes_[joint.argmax(axis=1)] == y[fold.test]).sum())
    rows = [(AS_IF, share, number / len(X)) for share, number in right.items()]
    return pd.DataFrame(rows, columns=["method", "seen", "accuracy"])


def cut(path: Path, methods: Sequence[str]) -> pd.DataFrame:
    """Accuracy of methods on instances that are cut when a share of their duration has passed."""
    X, y = read(path)
    y, rows = y.astype(str), []
    for name in methods:
        right = dict.fromkeys(SHARES, 0)
        for train, test in folds(X, y):
            model = METHODS[name](0).fit(X[train], y[train])
            for share in SHARES:
                moments = share_moments(X[test], [share])
                seen = cut_at(X[test], moments.owner, moments.time)
                right[share] += int((model.predict(seen) == y[test]).sum())
        rows += [(name, share, number / len(X)) for share, number in right.items()]
        print(path.stem, name, file=sys.stderr, flush=True)
    return pd.DataFrame(rows, columns=["method", "seen", "accuracy"]).assign(data=path.stem)


def print_cut(folder: Path, methods: Sequence[str]) -> None:
    """Print a table for each share, with a column for each file."""
    curves = pd.concat([cut(path, methods) for path in sorted(folder.glob("*.csv"))])
    for share, part in curves.groupby("seen"):
        frame = part.pivot_table(index="method", columns="data", values="accuracy", sort=False)
        print(f"\n{share:.0%} of the duration")
        print_rows(["method", *frame.columns, "mean"], frame.assign(mean=frame.mean(axis=1)))


def main() -> None:
    """Measure all files of a folder."""
    warnings.simplefilter("ignore")
    if "--cut" in sys.argv:
        sys.argv.remove("--cut")
        names = [find_method(name) for name in sys.argv[2:]] or list(METHODS)
        print_cut(Path(sys.argv[1]), names)
        return
    methods = [find_method(name) for name in sys.argv[2:]] or list(USUAL)
    seen, decided = [], []
    for path in sorted(Path(sys.argv[1]).glob("*.csv")):
        early, plain = measure(path, methods)
        curves = pd.concat([early.curves(), plain])
        seen.append(curves.assign(data=path.stem))
        decided.append(early.decisions().assign(data=path.stem))
        print(path.stem, "done", file=sys.stderr, flush=True)
    curves = pd.concat(seen)
    means = curves.pivot_table(
        index=["data", "method"], columns="seen", values="accuracy", sort=False
    )
    average = curves.pivot_table(index="method", columns="seen", values="accuracy", sort=False)
    print_rows(["data", "method", *(f"{share:.0%}" for share in SHARES)], means)
    print_rows(["method", *(f"{share:.0%}" for share in SHARES)], average)
    columns = ["decided", "wrong", "low", "high", "seen"]
    frame = pd.concat(decided).set_index(["data", "method", "error"])[columns]
    print_rows(["data", "method", "error", *columns], frame)


def print_rows(heads: Sequence[str], frame: pd.DataFrame) -> None:
    """Print a frame of shares in Markdown."""
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for key, row in frame.iterrows():
        names = key if isinstance(key, tuple) else (key,)
        cells = [*map(str, names), *(f"{value:.3f}" for value in row)]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
