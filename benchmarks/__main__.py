"""The benchmark that remembers: run with `make bench`, compared with `make bench-check`.

`python -m benchmarks FOLDER` measures all parts, at full and at quick sizes, and writes them with
machine and versions to results.json; with --only PART ..., these parts alone, the others stay as
recorded. With --quick, quick sizes alone. With --check, quick sizes are measured and compared: the
exit code is 1 where a ratio fell by more than a third, also when measured again. FOLDER has CSV
files of recordings.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import (
    bounds,
    cluster,
    evaluation,
    growth,
    large,
    learning,
    live,
    reading,
    sampler,
    startup,
)
from benchmarks.record import RESULTS, Measured, best_of, find_falls, find_missing, show, write

TRIES = 3  # of a part, before a fall is believed
Part = Callable[[str], Measured]

FULL: Mapping[str, Part] = {
    "instances": lambda folder: growth.over_instances(),
    "length": lambda folder: growth.over_length(),
    "bounds": lambda folder: bounds.measure(),
    "actions": lambda folder: growth.over_actions(),
    "cluster": lambda folder: cluster.measure(),
    "reading": lambda folder: reading.measure(),
    "files": lambda folder: large.measure(),
    "evaluation": evaluation.measure,
    "structure": lambda folder: learning.measure_structure(),
    "sampler": lambda folder: sampler.measure(),
    "live": lambda folder: live.measure(),
    "startup": lambda folder: startup.measure(),
}
QUICK: Mapping[str, Part] = {
    "instances": lambda folder: growth.over_instances((2_000, 20_000)),
    "length": lambda folder: growth.over_length((250, 1_000)),
    "bounds": lambda folder: bounds.measure(),
    "actions": lambda folder: growth.over_actions((100, 2_000)),
    "cluster": lambda folder: cluster.measure(40_000),
    "reading": lambda folder: reading.measure(200_000),
    "files": lambda folder: large.measure(0.2),
    "evaluation": lambda folder: evaluation.measure(folder, ("BLOCKS",), 3),
    "structure": lambda folder: learning.measure_structure(),
    "sampler": lambda folder: sampler.measure((2_000, 20_000), 400, sampler.SHORT),
    "live": lambda folder: live.measure((1, 1_000), 50_000, (1_000, 10_000)),
    "startup": lambda folder: startup.measure(3),
}


def check(parts: Mapping[str, Part], folder: str, path: Path = RESULTS) -> list[str]:
    """Ratios that fell by more than a third against the record, each time they were measured."""
    if not path.exists():
        return [f"there is no {path.name} to compare with; `make bench` writes it"]
    recorded = json.loads(path.read_text()).get("quick", {}).get("parts", {})
    falls, missing = [], []
    for name, measure in parts.items():
        found = measure(folder)
        for _ in range(TRIES - 1):
            if not find_falls(recorded, {name: found}):
                break
            found = best_of(found, measure(folder))
        print("\n".join(show({name: found})), flush=True)
        falls += find_falls(recorded, {name: found})
        missing += find_missing(recorded, {name: found})
    if missing:
        print("\n".join(["## not compared", *missing]))
    return falls


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("folder", nargs="?", default="data", help="CSV files of recordings")
    parser.add_argument("--only", nargs="+", choices=FULL, default=list(FULL), metavar="PART")
    parser.add_argument("--quick", action="store_true", help="quick sizes alone")
    parser.add_argument("--check", action="store_true", help="compare with what is recorded")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the record")
    given = parser.parse_args()
    if given.check:
        chosen = {name: QUICK[name] for name in given.only}
        if falls := check(chosen, given.folder, given.results):
            sys.exit("\n".join(falls))
        print("no ratio that was compared fell by more than a third")
        return
    for kind, parts in (("quick", QUICK), *(() if given.quick else (("full", FULL),))):
        for name in given.only:
            found = {name: parts[name](given.folder)}
            print("\n".join(show(found)), flush=True)
            write(kind, found, given.results)  # part by part, as one may fail after an hour


if __name__ == "__main__":
    main()
