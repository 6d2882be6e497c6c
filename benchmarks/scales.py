"""How often a change of the unit of time is noticed, and how often it is suspected in vain.

python -m benchmarks.scales ../shared/data
"""

import sys
from pathlib import Path

import numpy as np

from benchmarks.accuracy import folds, read
from ibgn import IntervalSequences
from ibgn.training_data import TrainingData

FACTORS = (1, 10, 25, 30, 1000, 0.1, 0.04, 1 / 30, 0.001)


def rescale(X: IntervalSequences, factor: float) -> IntervalSequences:
    """The same instances with times in another unit."""
    flat = X.flat._replace(start=factor * X.start, end=factor * X.end)
    return IntervalSequences.from_flat(flat, X.actions, X.ids, X.groups)


def measure(X: IntervalSequences, y: np.ndarray) -> dict[float, np.ndarray]:
    """For each factor: folds, folds of which all is noticed, instances, those noticed alone."""
    found = {factor: np.zeros(4, int) for factor in FACTORS}
    for train, tested in folds(X, y):
        known = TrainingData.of(X[train])
        for factor in FACTORS:
            test = rescale(X[tested], factor)
            whole = known.compare(test).rescaled
            alone = sum(known.compare(instance).rescaled for instance in test)
            noticed = whole > 0 if factor == 1 else whole == len(test)
            found[factor] += [1, noticed, len(test), alone]
    return found


def main(folder: Path) -> None:
    """Print one row per factor, over all sets."""
    total = {factor: np.zeros(4, int) for factor in FACTORS}
    for path in sorted(folder.glob("*.csv")):
        for factor, numbers in measure(*read(path)).items():
            total[factor] += numbers
    print("| times multiplied by | folds noticed | single instances noticed |\n|---|---|---|")
    for factor, (tested, noticed, instances, alone) in total.items():
        print(f"| {factor:,.3g} | {noticed} of {tested} | {alone} of {instances} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
