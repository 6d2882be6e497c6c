"""Reading speed: large CSV and Parquet files, against pandas alone; peak memory by file size.

Run with `python -m benchmarks.reading [INTERVALS]`; part of `make bench`. Each file is read in its
own process, to measure its peak memory.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

INTERVALS = 5_000_000
LENGTH = 20  # intervals per instance
MEGA = 2**20

PROGRAM = """
import re, sys, time
from pathlib import Path
import pandas as pd
import ibgn
ibgn.read_csv, ibgn.read_parquet
def peak():
    return int(re.search(r"VmHWM:\\s*([0-9]+) kB", Path("/proc/self/status").read_text())[1]) / 1024
before, begin = peak(), time.perf_counter()
found = {call}(sys.argv[1])
print(time.perf_counter() - begin, peak() - before)
"""
CALLS = {
    "ibgn": {".csv": "ibgn.read_csv", ".parquet": "ibgn.read_parquet"},
    "pandas": {".csv": "pd.read_csv", ".parquet": "pd.read_parquet"},
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


def run(call: str, path: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of reading a file."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call), str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes = map(float, done.stdout.split())
    return seconds, megabytes


def main(intervals: int) -> None:
    print(f"Reading {intervals:,} intervals, {LENGTH} per instance\n")
    print(
        "| file | MB | seconds | intervals per second | times as long as pandas | peak MB "
        "| times the file size |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        table = simulate(intervals)
        table.to_csv(Path(folder, "takes.csv"), index=False)
        table.to_parquet(Path(folder, "takes.parquet"))
        del table
        for suffix in (".csv", ".parquet"):
            path = Path(folder, f"takes{suffix}")
            size = path.stat().st_size / MEGA
            alone, _ = run(CALLS["pandas"][suffix], path)
            seconds, megabytes = run(CALLS["ibgn"][suffix], path)
            print(
                f"| {suffix} | {size:.0f} | {seconds:.1f} | {intervals / seconds:,.0f} | "
                f"{seconds / alone:.1f}x | {megabytes:.0f} | {megabytes / size:.1f}x |",
                flush=True,
            )


if __name__ == "__main__":
    if not re.search("VmHWM", Path("/proc/self/status").read_text()):
        sys.exit("this system does not report the peak memory of a process")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else INTERVALS)
