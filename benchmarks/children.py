"""Work in a process of its own, so that its peak memory is its own."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from ibgn import IntervalSequences

ROOT = Path(__file__).parents[1]
STATUS = Path("/proc/self/status")
PROGRAM = """
import importlib, json, sys
module, name, options = sys.argv[1:]
print(json.dumps(getattr(importlib.import_module(module), name)(**json.loads(options))))
"""


def in_child(module: str, function: str, **options: Any) -> Any:
    """What a function returns in a new process; options and result are plain values."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, module, function, json.dumps(options)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


class Memory:
    """Peak memory since it was made, in megabytes beyond what the process had then."""

    def __init__(self) -> None:
        self._before = _megabytes("VmRSS")

    def forget(self) -> None:
        """Count from now on, where the system allows that."""
        Path("/proc/self/clear_refs").write_text("5")

    def peak(self) -> float:
        """Megabytes at the most."""
        return _megabytes("VmHWM") - self._before

    @staticmethod
    def highest() -> float:
        """Megabytes at the most of all that the process ever had."""
        return _megabytes("VmHWM")


def megabytes(X: IntervalSequences) -> float:
    """Of the arrays of instances."""
    return sum(values.nbytes for values in (X.offsets, X.action, X.start, X.end)) / 2**20


def _megabytes(name: str) -> float:
    found = re.search(rf"{name}:\s*([0-9]+) kB", STATUS.read_text())
    if found is None:
        sys.exit("this system does not report the peak memory of a process")
    return int(found[1]) / 1024
