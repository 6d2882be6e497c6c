"""Start-up: help and the prediction of one instance, against importing what they stand on.

Run with `python -m benchmarks.startup`; part of `make bench`. Seconds of the processor, in which
other programs show less than in those of the clock; on an idle machine both are the same. Byte code
is kept, as in an installation.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.record import Measured, show
from ibgn import IBGNClassifier, write_csv
from ibgn.datasets import make_hand_signs

REPEATS = 5
IMPORTS = "import pandas, sklearn, numba"


def cpu_seconds(arguments: list[str], folder: Path) -> float:
    """Of a command, user and system together."""
    before = os.times()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, check=True, env=kept
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def measure(repeats: int = REPEATS) -> Measured:
    """The best of some repeats, one command after the other in turn."""
    X, y, _ = make_hand_signs(instances_per_style=5, random_state=0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        IBGNClassifier(random_state=0).fit(X, y).save(folder / "signs.ibgn")
        write_csv(X[:1], folder / "one.csv", y[:1])
        commands = {
            "imports": ["-c", IMPORTS],
            "help": ["-m", "ibgn", "--help"],
            "predict": ["-m", "ibgn", "predict", "signs.ibgn", "one.csv"],
        }
        for arguments in commands.values():  # compile, and fill the disk's cache
            cpu_seconds(arguments, folder)
        times = {name: [] for name in commands}
        for _ in range(repeats):
            for name, arguments in commands.items():
                times[name].append(cpu_seconds(arguments, folder))
    best = {name: min(taken) for name, taken in times.items()}
    notes = [f"{name}: {taken:.2f} s of the processor" for name, taken in best.items()]
    ratios = {
        f"{name}, against importing pandas, scikit-learn and numba": best["imports"] / best[name]
        for name in ("help", "predict")
    }
    return Measured(ratios, notes=notes)


if __name__ == "__main__":
    print("\n".join(show({"start-up": measure(*map(int, sys.argv[1:]))})))
