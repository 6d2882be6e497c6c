"""Reading speed: large CSV and Parquet files, against pandas alone; peak memory by file size.

Run with `python -m benchmarks.reading [INTERVALS]`; part of `make bench`. Each file is read in its
own process, to measure its peak memory.
"""

import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.children import Memory, in_child, megabytes
from benchmarks.record import Measured, Point, show

INTERVALS = 5_000_000
LENGTH = 20  # intervals per instance
MEGA = 2**20

CALLS = {
    "ibgn": {".csv": "read_csv", ".parquet": "read_parquet"},
    "pandas": {".csv": "read_csv", ".parquet": "read_parquet"},
}


def simulate(intervals: int) -> pd.DataFrame:
    """A frame with realistic names, and times with three decimals."""
    rng = np.random.default_rng(0)
    instance = np.arange(intervals) // LENGTH
    start = np.round(rng.uniform(0, 1000, intervals), 3)
    return pd.DataFrame(
        {
            "instance": np.char.add("take ", instance.astype(str)),
            "label": np.char.add("activity ", (instance % 12).astype(str)),
            "action": np.char.add("action ", rng.integers(0, 50, intervals).astype(str)),
            "start": start,
            "end": np.round(start + rng.uniform(0.1, 10, intervals), 3),
        }
    )


def read_one(library: str, path: str) -> dict[str, float]:
    """Seconds and peak megabytes of reading a file, and the megabytes of the arrays that result."""
    call = getattr(import_module(library), CALLS[library][Path(path).suffix])
    memory = Memory()
    memory.forget()
    begun = time.perf_counter()
    found = call(path)
    taken = time.perf_counter() - begun
    arrays = 0.0 if library == "pandas" else megabytes(found[0])
    return {"seconds": taken, "peak_mb": memory.peak(), "arrays_mb": arrays}


def measure(intervals: int = INTERVALS) -> Measured:
    """Each format against pandas alone; memory against the arrays and the size of the file."""
    ratios, curves, notes = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        frame = simulate(intervals)
        frame.to_csv(Path(folder, "takes.csv"), index=False)
        frame.to_parquet(Path(folder, "takes.parquet"))
        del frame
        for suffix in (".csv", ".parquet"):
            path = Path(folder, f"takes{suffix}")
            alone, ours = (
                in_child("benchmarks.reading", "read_one", library=library, path=str(path))
                for library in ("pandas", "ibgn")
            )
            seconds, peak = ours["seconds"], ours["peak_mb"]
            ratios |= {
                f"{suffix} of {intervals:,}, against pandas": alone["seconds"] / seconds,
                f"{suffix} of {intervals:,}, arrays in its memory": ours["arrays_mb"] / peak,
            }
            curves[suffix] = [Point(size=intervals, seconds=seconds, peak_mb=peak)]
            notes.append(
                f"{suffix}: {path.stat().st_size / MEGA:.0f} MB, {intervals / seconds:,.0f} "
                f"intervals per second, {seconds / alone['seconds']:.1f} times as long as pandas, "
                f"{peak / ours['arrays_mb']:.1f} times the size of the arrays in memory"
            )
    return Measured(ratios, curves, notes)


if __name__ == "__main__":
    print("\n".join(show({"reading": measure(*map(int, sys.argv[1:]))})))
