"""Cases run in a child process: with limits of memory and time, and a parent that watches."""

import contextlib
import faulthandler
import gc
import json
import math
import os
import resource
import select
import signal
import sys
import tempfile
import time
import warnings
import zlib
from dataclasses import dataclass

import numpy as np

from attack.findings import Finding, FoundError, describe
from attack.guard import Guard

BROKEN = 70  # exit code of a child that failed outside of a case


@dataclass(frozen=True)
class Limits:
    """What a case may take, beside what the size of its files allows.

    Parameters
    ----------
    memory : bytes that a process may grow by
    per_byte : of the files, bytes of memory
    seconds : of the processor
    per_megabyte : of the files, seconds of the processor
    patience : seconds of the processor, and ten times as many by the clock, until a case that does
        not end is killed
    hardest : bytes of address space that a process may grow by, after which there is no memory
    """

    memory: int = 1 << 30
    per_byte: int = 100
    seconds: float = 10
    per_megabyte: float = 20
    patience: float = 60
    hardest: int = 4 << 30


def run_cases(attack, seed, numbers, place, limits, until=math.inf):
    """Run cases in a child, and in another after each that killed one; yields findings.

    Parameters
    ----------
    attack : function of a generator and a `Place`; raises `FoundError`, or anything
    seed : of the run; with the number of a case it gives all random numbers of the case
    numbers : range of the numbers of cases
    until : no case begins later, in seconds of time.monotonic

    Yields
    ------
    Number of each case that ended, and its findings
    """
    while numbers and time.monotonic() < until:
        child = Child(attack, seed, numbers, place, limits, until)
        last = yield from child.outcomes()
        if last is None:
            return
        numbers = range(last + 1, numbers.stop)


class Child:
    """A process that runs cases, and says on a pipe which one begins and ends."""

    def __init__(self, attack, seed, numbers, place, limits, until):
        self.attack, self.seed, self.place, self.limits = attack, seed, place, limits
        sys.stdout.flush()
        sys.stderr.flush()
        receive, send = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(receive)
            code = BROKEN
            try:
                _run_all(attack, seed, numbers, place, limits, until, send)
                code = 0
            except BaseException as error:
                os.write(2, describe(error).encode())
            finally:
                os._exit(code)
        os.close(send)
        self.pipe, self._began = receive, (time.monotonic(), 0.0)

    def outcomes(self):
        """Yield outcomes; returns the number of the case that the process did not survive."""
        lines, current, hung = b"", None, False
        while not hung:
            ready, _, _ = select.select([self.pipe], [], [], 1.0)
            if not ready:
                hung = self._is_hung()
                continue
            received = os.read(self.pipe, 1 << 16)
            if not received:
                break
            *whole, lines = (lines + received).split(b"\n")
            for line in whole:
                message = json.loads(line)
                current = message["case"]
                self._began = time.monotonic(), _processor_time(self.pid)
                if "findings" in message:
                    yield current, [self._finding(current, *each) for each in message["findings"]]
                    current = None
        status = self._end(hung)
        if status == f"exit code {BROKEN}":
            raise RuntimeError(f"the harness broke: {self.place.log.read_text()}")
        if current is not None:
            kind = "time" if hung else "signal"
            log = self.place.log.read_text(errors="replace")[-2000:]
            took = f"{self.limits.patience} s and more"
            yield current, [self._finding(current, kind, f"{log}\n{took if hung else status}")]
        return current

    def _is_hung(self):
        """Whether the current case has had all the time that it may have."""
        clock, processor = self._began
        patience = self.limits.patience
        worked = _processor_time(self.pid) - processor
        return worked > patience or time.monotonic() - clock > 10 * patience

    def _finding(self, number, kind, detail):
        return Finding(self.attack.name, self.seed, number, kind, detail)

    def _end(self, hung):
        """Wait for the child, which is killed with its own children if it does not end."""
        if hung:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        return f"ended by signal {status & 127}" if status & 127 else f"exit code {status >> 8}"


def _run_all(attack, seed, numbers, place, limits, until, send):
    os.setpgid(0, 0)  # to be killed with all that it starts
    log = os.open(place.log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable(open(2, "w", closefd=False))  # noqa: SIM115
    os.environ["TMPDIR"] = tempfile.tempdir = str(place.temporary)
    with contextlib.suppress(ValueError):  # a limit that is lower already
        most = _status("VmSize") + limits.hardest
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    guard = Guard(place.root, place.stock)
    for number in numbers:
        if time.monotonic() > until:
            return
        _send(send, {"case": number})
        found = run_case(attack, seed, number, place, limits, guard)
        if found:  # before the next case takes the place
            place.keep(number)
        _send(send, {"case": number, "findings": found})


def run_case(attack, seed, number, place, limits, guard):
    """Findings of a case, as pairs of kind and detail."""
    rng = np.random.default_rng([seed, zlib.crc32(attack.name.encode()), number])
    place.renew()
    guard.noted.clear()
    before, began = _reset_peak(), time.process_time()
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what is not for users, such as an overflow
            warnings.simplefilter("ignore", UserWarning)
            attack.run(rng, place)
            place.check_surroundings()
    except FoundError as error:
        found.append((error.kind, error.detail))
    except MemoryError as error:
        found.append(("memory", describe(error)))
    except BaseException as error:
        found.append(("traceback", describe(error)))
    took, grew, size = time.process_time() - began, _peak() - before, place.size()
    if took > limits.seconds + limits.per_megabyte * size / 1e6:
        found.append(("time", f"{took:.1f} s for {size} bytes"))
    if grew > limits.memory + limits.per_byte * size:
        found.append(("memory", f"{grew / 2**20:.0f} MiB for {size} bytes"))
        gc.collect()
    found += [("side effect", each) for each in guard.noted[:1]]
    return found


def _processor_time(pid):
    """Seconds that a process and the children that it waited for have worked."""
    with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
        ticks = file.read().rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _send(pipe, message):
    os.write(pipe, json.dumps(message).encode() + b"\n")


def _status(name):
    """Bytes that the kernel counts for this process."""
    with open("/proc/self/status") as file:  # noqa: PTH123
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))


def _reset_peak():
    """Bytes in memory now; the peak is counted from here."""
    with open("/proc/self/clear_refs", "w") as file:  # noqa: PTH123
        file.write("5")
    return _status("VmRSS")


def _peak():
    return _status("VmHWM")
