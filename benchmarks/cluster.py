"""Fit and predict on a cluster of one and of two worker processes: time, memory and network.

Run with `python -m benchmarks.cluster 200000`, the number of instances; part of `make bench`.
Workers have one thread each. Processor time of the busier worker says how long a run takes where
nothing else runs.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.children import STATUS
from benchmarks.growth import LENGTH, simulate
from benchmarks.record import Measured, show
from ibgn import IBGNClassifier, scan, write

INSTANCES, FILES = 400_000, 16


def write_folder(folder: Path, instances: int) -> int:
    """Parquet files that are parts of one; returns their bytes."""
    for number in range(FILES):
        X, y = simulate(instances // FILES, LENGTH, seed=number)
        named = type(X).from_flat(X.flat, X.actions, [f"{number}-{d}" for d in range(len(X))])
        write(named, folder / f"{number:02}.parquet", y)
    return sum(path.stat().st_size for path in folder.iterdir())


def _spent(dask_worker: Any) -> tuple[float, int, int]:
    """Processor seconds, bytes sent, and peak memory in kB of a worker so far."""
    [peak] = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
    return time.process_time(), dask_worker.transfer_outgoing_bytes_total, int(peak.split()[1])


def measure_run(client: Any, work: Callable[[], Any]) -> dict[str, float]:
    """What a run takes on the workers."""
    before, begin = client.run(_spent), time.perf_counter()
    work()
    seconds, after = time.perf_counter() - begin, client.run(_spent)
    spent = [after[worker][0] - before[worker][0] for worker in after]
    sent = [after[worker][1] - before[worker][1] for worker in after]
    return {
        "seconds": seconds,
        "busiest": max(spent),
        "processor": sum(spent),
        "sent_mb": sum(sent) / 2**20,
        "peak_mb": max(each[2] for each in after.values()) / 1024,
    }


def measure_workers(folder: Path, workers: int) -> dict[str, dict[str, float]]:
    """What fit and predict take on so many workers."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
        source, model = scan(folder, engine="dask"), IBGNClassifier(random_state=0)
        first = scan(folder / "00.parquet", engine="dask")
        IBGNClassifier(random_state=0).fit(first).predict(first)  # load kernels
        fit = measure_run(client, lambda: model.fit(source))
        return {"fit": fit, "predict": measure_run(client, lambda: model.predict(source))}


def measure(instances: int = INSTANCES) -> Measured:
    """How much faster two workers are, and what they take."""
    with tempfile.TemporaryDirectory() as name:
        size = write_folder(Path(name), instances) / 2**20
        one, two = (measure_workers(Path(name), workers) for workers in (1, 2))
    rows = instances * LENGTH
    ratios, notes = {}, [f"{instances:,} instances, {size:.0f} MB of Parquet"]
    for task in ("fit", "predict"):
        alone, both = one[task], two[task]
        ratios[f"{task}, two workers against one"] = alone["busiest"] / both["busiest"]
        notes.append(
            f"{task}: {rows / alone['processor']:,.0f} intervals per processor second; "
            f"{alone['seconds']:.0f} s by one worker, {both['seconds']:.0f} s by two; these sent "
            f"{both['sent_mb']:.1f} MB, and had {both['peak_mb']:.0f} MB at most"
        )
    return Measured(ratios, {}, notes)


if __name__ == "__main__":
    print("\n".join(show({"cluster": measure(*map(int, sys.argv[1:]))})))
