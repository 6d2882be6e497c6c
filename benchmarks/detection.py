"""Detection: how long features and the whole chain take, and how well simulated actions are found.

Run with `python benchmarks/detection.py`. Times are processor seconds of one core.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ibgn.detection import ActionDetector, SensorRecording, resample, window_features

console = Console(soft_wrap=True)
RATE = 30


def simulate(frames: int, channels: int, seed: int) -> SensorRecording:
    """Ten actions of two to six seconds, each with its own frequencies and offsets."""
    rng = np.random.default_rng(seed)
    seconds = np.arange(frames) / RATE
    lasts = rng.integers(2 * RATE, 6 * RATE, frames // (2 * RATE) + 1)
    action = np.repeat(rng.integers(0, 11, len(lasts)), lasts)[:frames]
    how = np.random.default_rng(0)  # the same for all recordings
    frequency, offset = how.uniform(0.5, 8, (11, channels)), how.normal(0, 0.3, (11, channels))
    offset[0] = 0
    size = (how.random((11, channels)) < 0.3) & (np.arange(11)[:, None] > 0)
    values = rng.normal(0, 0.5, (frames, channels)) + offset[action]
    values += size[action] * np.sin(2 * np.pi * frequency[action] * seconds[:, None])
    label = np.where(action == 0, None, action.astype(str).astype(object))
    names = tuple(f"channel {c}" for c in range(channels))
    return SensorRecording(seconds, values, names, {"hand": label}, f"run {seed}")


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.process_time()
    result = work()
    return time.process_time() - before, result


def measure_features() -> None:
    """Print what 100,000 frames of 100 channels take."""
    recording = simulate(100_000, 100, 1)
    starts = np.arange(0, 100_000 - RATE + 1, 3)
    values = recording.channels
    holed = np.where(np.random.default_rng(2).random(values.shape) < 0.01, np.nan, values)
    table = Table("100,000 frames of 100 channels", "CPU seconds")
    tasks: dict[str, Callable[[], Any]] = {
        "resampled to 30 frames per second": lambda: resample(recording),
        "statistics": lambda: window_features(values, starts, RATE, RATE, "none", False),
        "and correlations": lambda: window_features(values, starts, RATE, RATE, "auto", False),
        "and spectrum": lambda: window_features(values, starts, RATE, RATE),
        "and one value in a hundred missing": lambda: window_features(holed, starts, RATE, RATE),
    }
    for name, work in tasks.items():
        table.add_row(name, f"{cpu_seconds(work)[0]:.2f}")
    console.print(table)


def measure_memory() -> None:
    """Print how much memory features take beyond their result; it should not grow."""
    for frames in (5_000, 20_000, 80_000):
        values = simulate(frames, 20, 1).channels
        tracemalloc.start()
        found = window_features(values, np.arange(0, frames - RATE, 3), RATE, RATE)
        more = tracemalloc.get_traced_memory()[1] - found.nbytes
        tracemalloc.stop()
        console.print(f"{frames:,} frames of 20 channels: {more / 1e6:.1f} MB beyond the result")


def measure_chain() -> None:
    """Print time and accuracy of frames of each classifier, on half an hour of 20 channels."""
    train, new = [simulate(27_000, 20, seed) for seed in (1, 2)], [simulate(9_000, 20, 3)]
    table = Table("classifier", "fit: CPU s", "predict 300 s: CPU s", "frames right")
    for classifier in ("knn", "svm", "rbf", "tree"):
        chain = ActionDetector(classifier, training_step=0.5, random_state=0)
        fitting, _ = cpu_seconds(lambda chain=chain: chain.fit(train))
        predicting, frames = cpu_seconds(lambda chain=chain: chain.predict_frames(new))
        right = (frames[0]["hand"] == new[0].labels["hand"]).mean()
        table.add_row(classifier, f"{fitting:.2f}", f"{predicting:.2f}", f"{right:.3f}")
    console.print(table)


if __name__ == "__main__":
    measure_features()
    measure_memory()
    measure_chain()
