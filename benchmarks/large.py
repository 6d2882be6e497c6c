"""Parquet of any size, learned from and recognised piece by piece: time and peak memory.

Run with `python -m benchmarks.large 20 /scratch` for 20 GB of simulated files, which are written
into a new folder there and deleted afterwards; a smaller size is part of `make bench`. A row takes
90 bytes, as text is stored in every row, without a dictionary. Times are those of the processor,
and peaks of memory are of the whole process, libraries included; each kind of work has its own.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.children import Memory, in_child
from benchmarks.growth import ACTIONS, LENGTH, simulate
from benchmarks.record import Measured, show
from ibgn import IBGNClassifier, load, scan

CHILD = "benchmarks.large"
GIGABYTES = 1.0
GROUP = 40_000  # instances of a row group
GROUPS = 20  # of a file, at the most
PLAIN = {"use_dictionary": False, "compression": "none"}
Columns = dict[str, Any]


def write(folder: Path, gigabytes: float) -> int:
    """Write files until they have this size; returns the number of intervals.

    All groups of rows have the same actions, at times of their own and under names of their own.
    """
    X, y = simulate(GROUP, LENGTH)
    actions = pa.array([f"action {code:02}" for code in range(ACTIONS)])
    labels = pa.array([f"activity {code}" for code in range(y.max() + 1)])
    names = {"label": labels.take(np.repeat(y, LENGTH)), "action": actions.take(X.action)}
    rng = np.random.default_rng(0)
    groups, size = 0, 0.0
    schema = _group(X.start, X.end, 0, names, rng).schema
    while size < gigabytes * 1e9:
        path = folder / f"part-{groups // GROUPS:05}.parquet"
        with pq.ParquetWriter(path, schema, **PLAIN) as file:
            while size < gigabytes * 1e9:
                table = _group(X.start, X.end, groups * GROUP, names, rng)
                file.write_table(table)
                groups, size = groups + 1, size + table.nbytes
                if groups % GROUPS == 0:
                    break
    return groups * GROUP * LENGTH


def _group(
    start: np.ndarray, end: np.ndarray, first: int, names: Columns, rng: np.random.Generator
) -> pa.Table:
    """One group of rows; `first` is the number of its first instance."""
    number = np.char.zfill(np.arange(first, first + GROUP).astype(str), 10)
    instance = pa.array(np.char.add("kitchen/2026-11-16/camera-3/take-", number).astype(object))
    moved = start + rng.random(len(start))
    return pa.table(
        {
            "instance": instance.take(np.repeat(np.arange(GROUP), LENGTH)),
            **names,
            "start": moved,
            "end": moved + (end - start) * rng.uniform(0.5, 1.5, len(start)),
        }
    )


def read_alone(folder: str, model: str) -> dict[str, float]:
    """Read all columns with Arrow, group by group, text as codes."""
    begun = time.process_time()
    for path in sorted(Path(folder).iterdir()):
        file = pq.ParquetFile(path, read_dictionary=["instance", "label", "action"])
        for number in range(file.num_row_groups):
            for _ in file.iter_batches(100_000, row_groups=[number]):
                pass
    return _result(begun)


def fit(folder: str, model: str) -> dict[str, float]:
    """Learn a model from a folder, and keep it."""
    _compile()
    begun = time.process_time()
    IBGNClassifier(random_state=0).fit(scan(folder)).save(model)
    return _result(begun)


def predict(folder: str, model: str) -> dict[str, float]:
    """Recognise the instances of a folder."""
    _compile()
    begun = time.process_time()
    known, right, instances = load(model), 0, 0
    for X, y, logs in known.predict_pieces(scan(folder)):
        instances += len(X)
        right += int((known.classes_[logs.argmax(axis=1)] == y).sum())
    return _result(begun) | {"accuracy": right / instances}


def _compile() -> None:
    few, labels = simulate(200, LENGTH)
    IBGNClassifier(random_state=0).fit(few, labels).predict(few)


def _result(begun: float) -> dict[str, float]:
    return {"seconds": time.process_time() - begun, "peak_mb": Memory.highest()}


def measure(gigabytes: float = GIGABYTES, folder: str | None = None) -> Measured:
    """Learn and recognise, against reading with Arrow alone; memory against the size of files."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        data = Path(name, "takes")
        data.mkdir()
        intervals = write(data, gigabytes)
        megabytes = sum(path.stat().st_size for path in data.iterdir()) / 2**20
        options = {"folder": str(data), "model": str(Path(name, "takes.ibgn"))}
        alone, *found = (in_child(CHILD, w, **options) for w in ("read_alone", "fit", "predict"))
    ratios, notes = {}, [f"{megabytes / 1024:.2f} GiB of Parquet, {intervals:,} intervals"]
    for work, each in zip(("fit", "predict"), found, strict=True):
        seconds, peak = each["seconds"], each["peak_mb"]
        ratios |= {
            f"{work}, size of the files in its memory": megabytes / peak,
            f"{work}, against reading with Arrow alone": alone["seconds"] / seconds,
        }
        notes.append(
            f"{work}: {seconds:.0f} s of the processor, {intervals / seconds:,.0f} intervals per "
            f"second, {peak:.0f} MB at the most"
        )
    notes.append(f"{100 * found[1]['accuracy']:.1f} % recognised")
    return Measured(ratios, notes=notes)


if __name__ == "__main__":
    size = float(sys.argv[1]) if len(sys.argv) > 1 else GIGABYTES
    print("\n".join(show({"files": measure(size, *sys.argv[2:3])})))
