"""What a benchmark remembers: ratios and growth curves, the machine they are of, and comparison.

A ratio says how many times better something is than a yardstick measured in the same run; higher is
better, so that it depends little on the machine and a fall is a loss.
"""

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

RESULTS = Path(__file__).with_name("results.json")
LEAST = 2 / 3  # of a recorded ratio, below which it has fallen
PACKAGES = (
    *("ibgn", "numpy", "scipy", "pandas", "pyarrow", "numba", "scikit-learn"),
    *("aeon", "pgmpy"),
)


class Point(TypedDict):
    """One size on a growth curve."""

    size: int
    seconds: float
    peak_mb: float  # beyond what the process had before its data


class Measured(NamedTuple):
    """What one part of the benchmark found."""

    ratios: Mapping[str, float]  # by what is compared
    curves: Mapping[str, Sequence[Point]] = {}
    notes: Sequence[str] = ()  # what was left out, or replaced, and why


def slope(points: Sequence[Point]) -> float:
    """Log-log slope of seconds over sizes: 1 where time is linear.

    Examples
    --------
    >>> squares = [{"size": n, "seconds": n**2 / 100, "peak_mb": 0.0} for n in (10, 20, 40)]
    >>> round(slope(squares), 6)
    2.0
    """
    logs = np.log([[point["size"], point["seconds"]] for point in points])
    return float(np.polyfit(*logs.T, 1)[0])


def as_plain(parts: Mapping[str, Measured]) -> dict[str, Any]:
    """Parts as the file has them, rounded; curves with their slopes."""
    return {
        name: {
            "ratios": {what: _round(ratio) for what, ratio in part.ratios.items()},
            "curves": {
                what: {
                    "slope": _round(slope(points)) if len(points) > 1 else None,
                    "points": [{key: _round(value) for key, value in p.items()} for p in points],
                }
                for what, points in part.curves.items()
            },
            "notes": list(part.notes),
        }
        for name, part in parts.items()
    }


def _round(number: Any) -> Any:
    return float(f"{number:.4g}") if isinstance(number, float) else number


def write(kind: str, parts: Mapping[str, Measured], path: Path = RESULTS) -> None:
    """Replace these parts of one kind, full or quick, in the file; others stay as they are."""
    whole = json.loads(path.read_text()) if path.exists() else {}
    kept = whole.get(kind, {}).get("parts", {})
    whole[kind] = {
        "machine": machine(),
        "versions": versions(),
        "parts": kept | as_plain(parts),
    }
    path.write_text(json.dumps(whole, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """Processor, cores and memory."""
    cpu, memory = Path("/proc/cpuinfo"), Path("/proc/meminfo")
    found = re.search(r"model name\s*: (.*)", cpu.read_text()) if cpu.exists() else None
    total = re.search(r"MemTotal:\s*(\d+)", memory.read_text()) if memory.exists() else None
    return {
        "processor": found[1] if found else platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(total[1]) / 2**20) if total else None,
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Of Python and of all packages that are measured."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def find_falls(recorded: Mapping[str, Any], parts: Mapping[str, Measured]) -> list[str]:
    """Ratios that fell by more than a third, a line for each.

    Parameters
    ----------
    recorded : parts as the file has them
    parts : those that were measured now; what has no record is no fall
    """
    lines = []
    for name, part in parts.items():
        before = recorded.get(name, {}).get("ratios", {})
        for what in before.keys() & part.ratios.keys():
            if part.ratios[what] < LEAST * before[what]:
                share = part.ratios[what] / before[what]
                numbers = f"{before[what]:.3g} recorded, {part.ratios[what]:.3g} now"
                lines.append(f"{name}: {what} fell to {share:.0%} ({numbers})")
    return sorted(lines)


def find_missing(recorded: Mapping[str, Any], parts: Mapping[str, Measured]) -> list[str]:
    """Ratios that are recorded and were not measured now, and those without a record."""
    lines = []
    for name, part in parts.items():
        before = recorded.get(name, {}).get("ratios", {})
        lines += [f"{name}: {what} was not measured" for what in before.keys() - part.ratios.keys()]
        lines += [f"{name}: {what} has no record" for what in part.ratios.keys() - before.keys()]
    return sorted(lines)


def best_of(first: Measured, second: Measured) -> Measured:
    """The better ratio of two measurements of one part, as disturbances only make ratios fall."""
    ratios = {what: max(ratio, second.ratios[what]) for what, ratio in first.ratios.items()}
    return second._replace(ratios=ratios)


def show(parts: Mapping[str, Measured]) -> Iterable[str]:
    """Lines for people."""
    for name, part in parts.items():
        yield f"## {name}"
        for what, ratio in part.ratios.items():
            yield f"{what}: {ratio:.3g}"
        for what, points in part.curves.items():
            grown = f", slope {slope(points):.2f}" if len(points) > 1 else ""
            yield f"{what}{grown}:"
            for point in points:
                yield "  {size:>12,}  {seconds:10.3f} s  {peak_mb:10.1f} MB".format(**point)
        yield from part.notes
