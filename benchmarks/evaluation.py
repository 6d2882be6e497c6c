"""A ten-fold evaluation of the default, against MiniRocket with ridge on the same folds.

Run with `python -m benchmarks.evaluation FOLDER [SET ...]`, where FOLDER has CSV files of
recordings; part of `make bench`. Both learn and recognise on one core, one after the other.
"""

import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.accuracy import read
from benchmarks.opponents import rocket
from benchmarks.record import Measured, show
from ibgn import IBGNClassifier

FOLDS = 10


def measure(folder: str | Path, names: Sequence[str] = (), folds: int = FOLDS) -> Measured:
    """How many times as long MiniRocket takes, for each set of recordings."""
    try:
        rocket()
    except ImportError:
        return Measured({}, notes=["evaluation: aeon is not installed"])
    paths = [p for p in sorted(Path(folder).glob("*.csv")) if not names or p.stem in names]
    if not paths:
        return Measured({}, notes=[f"evaluation: there are no recordings in {str(folder)!r}"])
    ratios, notes = {}, []
    for path in paths:
        X, y = read(path)
        splits = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y))
        taken, right = {}, {}
        for name, make in (("ibgn", lambda: IBGNClassifier(random_state=0)), ("rocket", rocket)):
            _run(make, X, y, splits[:1])  # compile
            taken[name], right[name] = _run(make, X, y, splits)
        ratios[f"{path.stem}, {folds} folds, against MiniRocket"] = taken["rocket"] / taken["ibgn"]
        shown = (f"{name} {taken[name]:.2f} s, accuracy {right[name]:.3f}" for name in taken)
        notes.append(f"{path.stem}: {'; '.join(shown)}")
    return Measured(ratios, notes=notes)


def _run(make: Any, X: Any, y: Any, splits: Sequence[Any]) -> tuple[float, float]:
    """Seconds to learn from and recognise all folds, and the share that is right."""
    right = tested = 0
    begun = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for train, test in splits:
            predicted = make().fit(X[train], y[train]).predict(X[test])
            right, tested = right + int((predicted == y[test]).sum()), tested + len(test)
    return time.process_time() - begun, right / tested


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m benchmarks.evaluation FOLDER [SET ...]")
    print("\n".join(show({"evaluation": measure(sys.argv[1], sys.argv[2:])})))
