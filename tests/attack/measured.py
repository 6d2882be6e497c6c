"""What reading files takes, measured in a process of its own: its peak of memory, and its time."""

import json
import subprocess
import sys

PROGRAM = """
import gc, json, sys, time, warnings
from pathlib import Path
import ibgn
from ibgn.budgets import Allowance

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024

expected = [0]
need = Allowance.need

def noting_need(self, memory, what):
    expected[0] = max(expected[0], memory)
    need(self, memory, what)

Allowance.need = noting_need
warnings.simplefilter("ignore")
ibgn.read(ibgn.datasets.sample_path("csv"))  # what is loaded and compiled once
for path, options in json.load(sys.stdin):
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # measure the peak from here on
    before, begin, expected[0], error, X = status("VmRSS"), time.process_time(), 0, None, None
    try:
        X, _ = ibgn.read(path, **options)
    except ibgn.DataError as problem:
        error = f"{type(problem).__name__}: {problem}"
    print(json.dumps({
        "error": error,
        "intervals": None if X is None else len(X.action),
        "seconds": time.process_time() - begin,
        "memory": status("VmHWM") - before,
        "expected": expected[0],
    }), flush=True)
"""


def read_measured(cases, timeout=300):
    """Read files one after the other in a child.

    Parameters
    ----------
    cases : pairs of a path and options of `ibgn.read`
    timeout : seconds for all of them

    Returns
    -------
    For each: its error or None, the number of intervals, seconds of the processor, bytes of memory
    that were taken at most, and bytes that the reader expected
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([[str(path), options] for path, options in cases]),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]
