"""Attack the library for some time: python -m tests.attack --minutes 10.

Prints the seed and every new finding with the command that repeats it, and saves its input in
build/attack/findings. The exit code is 1 if anything was found.
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # where tests find what they share
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from attack.attacks import ATTACKS
from attack.harness import Harness


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    names = [each.name for each in ATTACKS]
    parser.add_argument("--only", choices=names, action="append", help="run these attacks alone")
    parser.add_argument("--case", type=int, help="run one case of an attack again")
    parser.add_argument("--folder", type=Path, default=Path("build/attack"))
    given = parser.parse_args()
    chosen = [each for each in ATTACKS if each.name in (given.only or names)]
    if given.case is not None and len(chosen) != 1:
        parser.error("--case needs the attack: --only NAME")
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {given.seed}; work and findings in {folder}", flush=True)
    harness = Harness(chosen, given.seed, folder, say=lambda line: print(line, flush=True))
    harness.prepare()
    if given.case is None:
        good = harness.run(given.minutes * 60)
    else:
        good = harness.run_cases(chosen[0], range(given.case, given.case + 1))
    print(*harness.summary(), sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
