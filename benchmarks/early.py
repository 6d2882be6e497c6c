"""How soon activities are recognised on real recordings, and how often early decisions are wrong.

Run with `python -m benchmarks.early FOLDER [METHOD ...]`, where FOLDER has files of recordings as
`ibgn.read_csv` takes them; folds are those of `benchmarks.accuracy`. Prints tables in Markdown:
accuracy when a share of the duration has passed, and what became of the decisions for each share of
errors asked for. docs/live.md has them.
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
from ibgn.live.replay import replay, share_moments

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


def main() -> None:
    """Measure all files of a folder."""
    warnings.simplefilter("ignore")
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
