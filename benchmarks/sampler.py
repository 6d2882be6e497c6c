"""The sampler of tables: how its time grows, and what it costs to converge on a part of the data.

Run with `python -m benchmarks.sampler PART`: `sweeps` (time per interval), `fits 1e4 1e5 1e6`
(complete fits of the paper's terms), `simulated`, or `recordings FOLDER`.
The last two compare the approximation with the full run, and that with another full run: log
likelihood of held-out instances, accuracy, and how often both say the same. `make bench` measures
fits, and one of the sizes of `simulated`.
"""

import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from benchmarks.accuracy import read
from benchmarks.children import Memory, in_child, megabytes
from benchmarks.growth import LENGTH, simulate, time_sorting
from benchmarks.networks import seconds
from benchmarks.record import Measured, show
from ibgn import IBGNClassifier, IntervalSequences
from ibgn._kernels.generation import draw_nodes
from ibgn.classifiers.ibgn import PAPER
from ibgn.flat import Flat
from ibgn.terms import seating, tables

INSTANCES = (10_000, 100_000, 1_000_000)
SHORT = {"table_sample": 500, "draws": 100, "budget": 300}  # for `make bench-check`
TABLES = {**PAPER, "terms": ("tables",)}
ACTIVITIES, ACTIONS = 3, 20
PARTS = (300, 600, 1_200, 2_400, 4_800)  # intervals, of 24,000 of each activity
SHARE = 10  # of the intervals of recordings, one in so many is sampled


def measure_sweeps(sizes: Sequence[int] = (100, 1_000, 10_000, 100_000)) -> None:
    """Print the time of a sweep per interval, and of a proposal for everyone."""
    print("| instances | nanoseconds per interval: sweep | everyone |\n|---|---|---|")
    for instances in sizes:
        X, _ = simulate(instances, LENGTH)
        counts, rng = tables.TableCounts.of(X), np.random.default_rng(0)
        state = seating.start(counts, tables.Tables(), 1, rng)
        state = seating.run(counts, state, tables.Tables(), rng, 10).state
        sweeps = max(500_000 // instances // 10 * 10, 10)
        arguments = counts, state, tables.Tables(), rng
        spent = [
            seconds(lambda: seating.run(*arguments, sweeps)) / sweeps,  # noqa: B023
            seconds(lambda: seating.settle(*arguments, 1)),  # noqa: B023
        ]
        print(f"| {instances:,} |", *(f"{1e9 * t / len(X.action):.0f} |" for t in spent))


def measure_one(instances: int, options: Mapping[str, Any]) -> dict[str, float]:
    """Seconds to sort the intervals and to learn the paper's terms, and the peak memory of that."""
    few, labels = simulate(100, LENGTH, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        IBGNClassifier(random_state=0, draws=10, budget=50, **PAPER).fit(few, labels)  # compile
        memory = Memory()
        X, y = simulate(instances, LENGTH)
        sort = time_sorting(X)
        memory.forget()
        before = time.perf_counter()
        IBGNClassifier(random_state=0, n_jobs=-1, **PAPER, **options).fit(X, y)
        fit = time.perf_counter() - before
    return {"fit": fit, "sort": sort, "peak_mb": memory.peak(), "data_mb": megabytes(X)}


def over_instances(
    sizes: Sequence[int] = INSTANCES, options: Mapping[str, Any] = MappingProxyType({})
) -> Measured:
    """Complete fits with tables; beyond some size they hardly take longer."""
    runs = {
        n: in_child("benchmarks.sampler", "measure_one", instances=n, options=dict(options))
        for n in sizes
    }
    small, large = runs[min(sizes)], runs[max(sizes)]
    growth = max(sizes) / min(sizes)
    ratios = {
        f"tables of {max(sizes):,}, against sorting": large["sort"] / large["fit"],
        f"tables from {min(sizes):,} to {max(sizes):,}, linear": (
            small["fit"] * growth / large["fit"]
        ),
    }
    points = [
        {"size": n, "seconds": run["fit"], "peak_mb": run["peak_mb"]} for n, run in runs.items()
    ]
    return Measured(ratios, {"fit with tables": points})


class Outcome(NamedTuple):
    """What a model says of held-out instances."""

    likelihood: float  # log, per instance, by the tables of the true activity
    labels: Any
    accuracy: float
    seconds: float


def learn(options: dict[str, Any], train: Any, test: Any, seed: int = 0) -> Outcome:
    """Learn from some instances, and score the others."""
    model, before = IBGNClassifier(random_state=seed, n_jobs=1, **options), time.process_time()
    model.fit(*train)
    spent = time.process_time() - before
    X, y = test
    own = np.searchsorted(model.classes_, y)
    scores = model.scores(X)[np.arange(len(X)), model.terms_.index("tables"), own]
    labels = model.predict(X)
    return Outcome(float(scores.mean()), labels, float((labels == y).mean()), spent)


def compare(name: str, full: Outcome, other: Outcome) -> str:
    """A row of Markdown."""
    same = float((full.labels == other.labels).mean())
    return (
        f"| {name} | {other.likelihood - full.likelihood:+.3f} | {other.accuracy:.3f} | "
        f"{same:.3f} | {other.seconds:.1f} |"
    )


HEADER = "| {} | log likelihood per instance | accuracy | same label | CPU seconds |"


def draw_activity(instances: int, length: int, theta: Any, seed: int) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    for _ in range(instances):
        yield draw_nodes(length, 2.0, theta, rng)[1]


def simulate_tables(instances: int, length: int = LENGTH) -> tuple[IntervalSequences, Any]:
    """Instances of activities that differ in the actions of their tables, one after the other."""
    rng = np.random.default_rng(0)
    common = rng.dirichlet(np.full(ACTIONS, 0.3), length)
    thetas = [
        0.8 * common + 0.2 * rng.dirichlet(np.full(ACTIONS, 0.3), length) for _ in range(ACTIVITIES)
    ]
    action = np.concatenate(
        [a for c, theta in enumerate(thetas) for a in draw_activity(instances, length, theta, c)]
    )
    start = np.tile(np.arange(length, dtype=float), ACTIVITIES * instances)
    offsets = np.arange(ACTIVITIES * instances + 1) * length
    flat = Flat(offsets, action, start, start + 1)
    names = [f"action {a:02}" for a in range(ACTIONS)]
    return IntervalSequences.from_flat(flat, names), np.repeat(np.arange(ACTIVITIES), instances)


def simulate_halves(instances: int) -> tuple[Any, Any]:
    """Instances with labels to learn from, so many of each activity, and as many to score."""
    X, y = simulate_tables(2 * instances)
    tested = np.arange(len(X)) % 2 > 0
    return (X[~tested], y[~tested]), (X[tested], y[tested])


def against_full_run(
    instances: int = 2_000, part: int = 1_200, options: Mapping[str, Any] = MappingProxyType({})
) -> Measured:
    """What a part of the intervals loses, against what another full run differs by."""
    halves = simulate_halves(instances)
    full, again = (
        learn({**TABLES, **options, "table_sample": "all"}, *halves, seed) for seed in (0, 1)
    )
    found = learn({**TABLES, **options, "table_sample": part}, *halves)
    same, usual = (float((each.labels == full.labels).mean()) for each in (found, again))
    what = f"{part:,} of {instances * LENGTH:,} intervals sampled"
    ratios = {
        f"{what}, labels of the full run, against another full run": same / usual,
        f"{what}, accuracy, against the full run": found.accuracy / full.accuracy,
    }
    lost, differs = (each.likelihood - full.likelihood for each in (found, again))
    notes = [
        f"{what}: log likelihood per instance {lost:+.3f} against the full run; another full run "
        f"{differs:+.3f}"
    ]
    return Measured(ratios, notes=notes)


def measure(
    sizes: Sequence[int] = INSTANCES,
    instances: int = 2_000,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Measured:
    """How time grows, and what the approximation costs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        error = against_full_run(instances, options=options)
    growth = over_instances(sizes, options)
    return Measured(growth.ratios | error.ratios, growth.curves, error.notes)


def on_simulations(instances: int = 2_000) -> None:
    """Print what parts of several sizes cost, with the others seated and without."""
    train, test = simulate_halves(instances)
    print(HEADER.format("intervals sampled"), "|---|---|---|---|---|", sep="\n")
    full = learn({**TABLES, "table_sample": "all"}, train, test)
    print(compare("all", full, full), flush=True)
    again = learn({**TABLES, "table_sample": "all"}, train, test, seed=1)
    print(compare("all, another seed", full, again), flush=True)
    for part in PARTS:
        options = {**TABLES, "table_sample": part}
        print(compare(f"{part:,}", full, learn(options, train, test)), flush=True)
        with patch.object(tables, "SEATED", 1):
            alone = learn(options, train, test)
        print(compare(f"{part:,}, no others seated", full, alone), flush=True)


def on_recordings(folder: Path) -> None:
    """Print what it costs to converge on a tenth of the intervals, half of the instances held out.

    The paper's model, IBGN-F.
    """
    print(HEADER.format("recordings"), "|---|---|---|---|---|", sep="\n")
    for path in sorted(folder.glob("*.csv")):
        X, y = read(path)
        known, tested = next(StratifiedKFold(2, shuffle=True, random_state=0).split(y, y))
        train, test = (X[known], y[known]), (X[tested], y[tested])
        part = len(train[0].action) // len(np.unique(y)) // SHARE
        full = learn({**PAPER, "table_sample": "all"}, train, test)
        print(compare(f"{path.stem}, all", full, full), flush=True)
        for name, options, seed in (
            ("another seed", {"table_sample": "all"}, 1),
            (f"{part:,} intervals", {"table_sample": part}, 0),
        ):
            found = learn({**PAPER, **options}, train, test, seed)
            print(compare(f"{path.stem}, {name}", full, found), flush=True)


def main(part: str, *given: str) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    if part == "sweeps":
        measure_sweeps()
    elif part == "fits":
        sizes = [int(float(size)) for size in given]
        print("\n".join(show({"sampler": over_instances(sizes or INSTANCES)})))
    elif part == "simulated":
        on_simulations()
    elif part == "recordings" and given:
        on_recordings(Path(given[0]))
    else:
        sys.exit("usage: python -m benchmarks.sampler sweeps|fits|simulated|recordings FOLDER")


if __name__ == "__main__":
    main(*sys.argv[1:] or ("",))
