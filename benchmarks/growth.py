"""Fit and predict over the number of instances, their length and the number of actions.

Run with `python -m benchmarks.growth instances 10000 100000 1000000`, `length 250 500 1000`, or
`actions 100 1000 10000`; part of `make bench`. Each size has its own process, for its time and its
peak memory. Where length grows, so does the duration of intervals: each overlaps the same part of
the others, and such pairs grow with the square. Speed is compared with sorting the same intervals,
which also goes through all of them and is bound by memory. As fit and predict use all processors,
each of these sorts all intervals at the same time: other programs then slow down both alike.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numba
import numpy as np

from benchmarks.children import Memory, in_child, megabytes
from benchmarks.networks import seconds
from benchmarks.record import Measured, Point, show
from ibgn import IBGNClassifier, IntervalSequences, load
from ibgn.flat import Flat

ACTIVITIES, ACTIONS, LENGTH = 10, 20, 12
INSTANCES = (10_000, 100_000, 1_000_000)
LENGTHS = (250, 500, 1_000, 2_000)
LONGEST = 20_000  # with a horizon alone, as all pairs would take too much memory
LONG = 20  # instances, where they grow longer
OVERLAPPED = 0.1  # part of the intervals that each overlaps, where they grow longer
AT_ONCE = 2.4  # intervals that begin while one lasts, where durations are not stretched
HORIZON = 50
VOCABULARIES = (100, 1_000, 10_000)
MANY = 20_000  # instances, where actions are many
CHILD = "benchmarks.growth"


def simulate(
    instances: int, length: int, seed: int = 0, actions: int = ACTIONS, stretch: float = 1.0
) -> tuple[IntervalSequences, Any]:
    """Instances whose activities differ in how often actions occur and how long they take.

    All durations are multiplied by `stretch`.
    """
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(actions, 0.5), ACTIVITIES).cumsum(axis=1)
    y = rng.integers(ACTIVITIES, size=instances)
    action = np.empty((instances, length), np.int32)
    for j in range(length):  # position by position, to spare memory
        drawn = rng.random(instances)
        for c in range(ACTIVITIES):
            chosen = np.searchsorted(shares[c], drawn[y == c])
            action[y == c, j] = np.minimum(chosen, actions - 1)
    start = rng.integers(0, 10, (instances, length)).cumsum(axis=1)
    end = start + stretch * (1 + rng.poisson(5 + (action * 7 + y[:, None] * 3) % 11))
    order = np.lexsort((action, end, start), axis=1)
    columns = (
        np.take_along_axis(values, order, 1).ravel() for values in (action, 1.0 * start, 1.0 * end)
    )
    flat = Flat(np.arange(instances + 1, dtype=np.int64) * length, *columns)
    return IntervalSequences.from_flat(flat, [f"action {a:05}" for a in range(actions)]), y


def time_sorting(X: IntervalSequences) -> float:
    """Seconds to sort all intervals, by each processor at the same time."""

    def sort(_: int) -> Any:
        return np.lexsort((X.action, X.end, X.start))

    processors = range(numba.get_num_threads())
    with ThreadPoolExecutor(len(processors)) as threads:
        return seconds(lambda: list(threads.map(sort, processors)))


def measure_one(
    instances: int, length: int, horizon: int | None = None, stretch: float = 1.0
) -> dict[str, float]:
    """Seconds to sort, fit and predict, and the peak memory of both.

    The data are the arrays of X and y. Peaks count them too, and all that was added to the process
    after a small fit: libraries and compiled kernels do not count.
    """
    few, labels = simulate(200, LENGTH, seed=1)
    model = IBGNClassifier(random_state=0, horizon=horizon)
    model.fit(few, labels).predict_proba(few)  # compile
    memory = Memory()
    X, y = simulate(instances, length, stretch=stretch)
    result = {"data_mb": megabytes(X) + y.nbytes / 2**20}
    result["sort"] = time_sorting(X)
    for name, work in (("fit", lambda: model.fit(X, y)), ("predict", lambda: model.predict(X))):
        memory.forget()
        result[name] = seconds(work)
        result[f"{name}_mb"] = memory.peak()
    return result


def over_instances(sizes: Sequence[int] = INSTANCES, length: int = LENGTH) -> Measured:
    """Growth over instances, and how the largest size compares with sorting and its data."""
    runs = {n: in_child(CHILD, "measure_one", instances=n, length=length) for n in sizes}
    largest = runs[max(sizes)]
    ratios = {}
    for name in ("fit", "predict"):
        ratios |= {
            f"{name} {max(sizes):,}, against sorting": largest["sort"] / largest[name],
            f"{name} {max(sizes):,}, data in its memory": (
                largest["data_mb"] / max(largest[f"{name}_mb"], 1.0)
            ),
            f"{name} from {min(sizes):,} to {max(sizes):,}, linear": _linear(runs, name),
        }
    times_data = {name: largest[f"{name}_mb"] / largest["data_mb"] for name in ("fit", "predict")}
    notes = [
        f"{max(sizes):,} instances of {length} intervals fitted in {largest['fit']:.1f} s, with a "
        f"peak of {times_data['fit']:.1f} times the data ({largest['data_mb']:.0f} MB)",
        f"{max(sizes) / largest['predict']:,.0f} instances scored per second, with a peak of "
        f"{times_data['predict']:.1f} times the data",
    ]
    return Measured(ratios, _curves(runs), notes)


def over_length(sizes: Sequence[int] = LENGTHS, instances: int = LONG) -> Measured:
    """Growth over the length of instances: a slope of 2 where each pair of intervals counts."""
    notes = [f"{instances:,} instances of each length"]
    ratios, curves = {}, {}
    for name, horizon in {"all pairs": None, f"horizon {HORIZON}": HORIZON}.items():
        lengths = (*sizes, LONGEST) if horizon and tuple(sizes) == LENGTHS else sizes
        runs = {}
        for k in lengths:
            options = {"instances": instances, "length": k, "horizon": horizon}
            stretch = OVERLAPPED * k / AT_ONCE
            runs[k] = in_child(CHILD, "measure_one", **options, stretch=stretch)
        longest = runs[max(sizes)]
        for work in ("fit", "predict"):
            ratios[f"{work} of length {max(sizes):,}, {name}, against sorting"] = (
                longest["sort"] / longest[work]
            )
        curves |= {f"{work}, {name}": points for work, points in _curves(runs).items()}
    return Measured(ratios, curves, notes)


def measure_vocabulary(actions: int, instances: int = MANY) -> dict[str, float]:
    """Seconds and peak memory, beyond the data, of all that a model of many actions does."""
    few, labels = simulate(200, LENGTH, seed=1)
    small = IBGNClassifier(random_state=0).fit(few, labels)  # compile
    small.predict_proba(few), small.explain(few[0]), small.sample(1, 0, random_state=0)
    X, y = simulate(instances, LENGTH, actions=actions)
    memory = Memory()
    model = IBGNClassifier(random_state=0)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.ibgn"
        result = {}
        for name, work in {
            "fit": lambda: model.fit(X, y),
            "predict": lambda: model.predict(X),
            "explain": lambda: model.explain(X[0]).reasons(),
            "sample": lambda: model.sample(10, 0, random_state=0),
            "save": lambda: model.save(path),
            "load": lambda: load(path),
        }.items():
            memory.forget()
            result[name] = seconds(work)
            result[f"{name}_mb"] = memory.peak()
        result["file_mb"] = path.stat().st_size / 2**20
    return result


def over_actions(sizes: Sequence[int] = VOCABULARIES) -> Measured:
    """Growth over the number of actions, of the same number of instances."""
    runs = {m: in_child(CHILD, "measure_vocabulary", actions=m) for m in sizes}
    works = ("fit", "predict", "explain", "sample", "save", "load")
    ratios = {
        f"{work} with {max(sizes):,} actions, linear in them": _linear(runs, work)
        for work in ("fit", "predict", "save", "load")
    }
    file = runs[max(sizes)]["file_mb"]
    notes = [f"{MANY:,} instances of {LENGTH} intervals; the largest file has {file:.0f} MB"]
    return Measured(ratios, _curves(runs, works), notes)


def _linear(runs: dict[int, dict[str, float]], name: str) -> float:
    """How much of the largest size's time growth in proportion explains; 1 if all of it."""
    small, large = min(runs), max(runs)
    return runs[small][name] * large / small / runs[large][name]


def _curves(
    runs: dict[int, dict[str, float]], works: Sequence[str] = ("fit", "predict")
) -> dict[str, list[Point]]:
    return {
        work: [
            {"size": size, "seconds": run[work], "peak_mb": run[f"{work}_mb"]}
            for size, run in runs.items()
        ]
        for work in works
    }


KINDS = {"instances": over_instances, "length": over_length, "actions": over_actions}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        sys.exit("usage: python -m benchmarks.growth instances|length|actions [SIZE ...]")
    chosen = [int(float(size)) for size in sys.argv[2:]]
    found = KINDS[sys.argv[1]](*([chosen] if chosen else []))
    print("\n".join(show({sys.argv[1]: found})))
