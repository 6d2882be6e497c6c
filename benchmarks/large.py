"""Parquet of any size, fitted and recognised piece by piece: rows per second and peak memory.

Run with `python -m benchmarks.large FOLDER GIGABYTES`, which writes simulated files into a new
folder inside of FOLDER, measures, and deletes them. Rows take about 100 bytes each, as text is
stored in every row; that is how files come out that are written row by row. Fit and recognition run
in a process each. With --fit or --predict and MODEL, one of them runs on files that are there.
"""

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.children import Memory, in_child
from benchmarks.growth import ACTIONS, LENGTH, simulate
from ibgn import IBGNClassifier, load, scan

CHILD = "benchmarks.large"
GROUP = 40_000  # instances of a row group
GROUPS = 20  # of a file
GIGA = 10**9


def write(folder: Path, gigabytes: float) -> int:
    """Write files until they have this size; returns the number of intervals.

    All groups of rows have the same actions, at times of their own and under names of their own.
    """
    X, y = simulate(GROUP, LENGTH)
    rng = np.random.default_rng(0)
    names = pa.array([f"action {code:02}" for code in range(ACTIONS)])
    labels = pa.array([f"activity {code}" for code in range(y.max() + 1)])
    fixed = {"label": labels.take(np.repeat(y, LENGTH)), "action": names.take(X.action)}
    written, size, number = 0, 0, 0
    while size < gigabytes * GIGA:
        path = folder / f"part-{number:05}.parquet"
        options = {"use_dictionary": False, "compression": "none"}
        with pq.ParquetWriter(path, _group(X.start, X.end, 0, fixed, rng).schema, **options) as to:
            for _ in range(GROUPS):
                to.write_table(_group(X.start, X.end, written // LENGTH, fixed, rng))
                written += GROUP * LENGTH
        size, number = size + path.stat().st_size, number + 1
    return written


def _group(
    start: np.ndarray, end: np.ndarray, first: int, fixed: dict, rng: np.random.Generator
) -> pa.Table:
    """One row group; `first` is the number of its first instance."""
    instance = np.char.add("kitchen/2026-11-16/camera-3/take-", _digits(first, GROUP))
    moved = start + rng.random(len(start))
    columns = {
        "instance": pa.array(instance.astype(object)).take(np.repeat(np.arange(GROUP), LENGTH)),
        **fixed,
        "start": moved,
        "end": moved + (end - start) * rng.uniform(0.5, 1.5, len(start)),
    }
    return pa.table(columns)


def _digits(first: int, number: int) -> np.ndarray:
    return np.char.zfill(np.arange(first, first + number).astype(str), 10)


def measure(work: str, folder: str, model: str) -> dict[str, float]:
    """Seconds, processor seconds and peak megabytes of one kind of work, imports included."""
    source = scan(folder)
    begun = time.perf_counter()
    right = instances = 0
    if work == "fit":
        fitted = IBGNClassifier(random_state=0).fit(source)
        fitted.save(model)
        instances = fitted.trained_on_.instances
    else:
        known = load(model)
        for X, y, logs in known.predict_pieces(source):
            instances += len(X)
            right += int((known.classes_[logs.argmax(axis=1)] == y).sum())
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "instances": instances,
        "seconds": time.perf_counter() - begun,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": Memory.highest(),
        "accuracy": right / instances,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large")
    parser.add_argument("folder", type=Path)
    parser.add_argument("gigabytes", type=float)
    parser.add_argument("--keep", action="store_true", help="leave the files there")
    given = parser.parse_args()
    inner = Path(tempfile.mkdtemp(prefix="large-", dir=given.folder))
    try:
        begun = time.perf_counter()
        intervals = write(inner, given.gigabytes)
        size = sum(path.stat().st_size for path in inner.iterdir())
        print(
            f"{size / GIGA:.2f} GB, {intervals:,} intervals, written in "
            f"{time.perf_counter() - begun:.0f} s",
            flush=True,
        )
        for work in ("fit", "predict"):
            options = {"work": work, "folder": str(inner), "model": f"{inner}.ibgn"}
            found = in_child(CHILD, "measure", **options)
            rate = intervals / found["cpu_seconds"]
            print(
                f"{work}: {json.dumps(found)}, {rate:,.0f} intervals per processor second",
                flush=True,
            )
    finally:
        if not given.keep:
            shutil.rmtree(inner)
            Path(f"{inner}.ibgn").unlink(missing_ok=True)


if __name__ == "__main__":
    os.nice(0)
    main()
