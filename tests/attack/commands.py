"""The command as attacks run it: in this process, or in a copy of it that may be killed."""

import io
import os
import re
import resource
import signal
import time
from functools import cache

import pytest
from typer.main import get_command

from attack.findings import FoundError, describe
from ibgn import _temporaries
from ibgn.cli.output import fail
from terminals import IN_TESTS, Terminal, run_here

DOCUMENTED = (0, 1, 2, 130)  # done, failed, wrong use, stopped
UNEXPECTED = re.compile(r"Traceback \(most recent|set IBGN_DEBUG=1 to see where")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# also marks that change how the text around them is shown
HIDDEN = re.compile(f"{CONTROL.pattern[:-1]}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
USAGE = "Usage: "  # begins a message about the words of the command itself, which shows them


@cache
def _command():
    """The whole command, which is otherwise put together each time it runs."""
    from ibgn.cli import app

    return get_command(app)


def run(place, *arguments, terminal=False, allow=()):
    """Run the command, and check how it ended and what it said; returns what it printed.

    Parameters
    ----------
    terminal : whether both outputs are a terminal, where no control character may appear
    allow : codes at which it may also end
    """
    streams = (Terminal(), io.StringIO()) if terminal else (io.StringIO(), io.StringIO())
    environment = IN_TESTS | {"TERM": "dumb", "LINES": "40"}
    noted = []

    def fail_noted(error):
        noted.append(error)
        fail(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibgn.cli.app", _command())
        patch.setattr("ibgn.cli.fail", fail_noted)
        done = run_here(place.inside, arguments, environment, *streams)
    if done.returncode not in (*DOCUMENTED, *allow):
        raise FoundError("exit code", f"{done.returncode} of {arguments}: {done.stderr[-500:]}")
    if UNEXPECTED.search(done.stderr):
        raise FoundError("traceback", f"{arguments}\n{done.stderr}\n{describe(*noted)}")
    check_text(done.stderr, CONTROL if done.stderr.startswith(USAGE) else HIDDEN)
    if terminal:
        check_text(done.stdout)
    return done


def check_text(text, refused=HIDDEN):
    """Refuse control characters in what a terminal shows."""
    control = refused.search(text)
    if control:
        around = text[max(control.start() - 60, 0) : control.end() + 60]
        raise FoundError("escape sequence", repr(around))


def start(place, *arguments, before=lambda: None):
    """Start the command in a copy of this process; returns its id.

    `before` runs there first, for example to wait or to make things hard.
    """
    from ibgn.cli import main  # noqa: F401, imported once, in the process that is copied

    interrupted = {signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, interrupted)  # which a copy of the tests must not get
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupted)
        return child
    code = 70
    try:
        _temporaries._remove_abandoned.cache_clear()  # which a process of its own would not have
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupted)
        before()
        done = run_here(place.inside, arguments, IN_TESTS, io.StringIO())
        code = 71 if UNEXPECTED.search(done.stderr) else done.returncode
        os.write(2, done.stderr.encode("utf-8", "replace"))
        signal.pthread_sigmask(signal.SIG_BLOCK, interrupted)  # nothing leaves this block
    except KeyboardInterrupt:  # before the command began, or after it
        code = 130
    finally:
        os._exit(code)


def finish(child, seconds=60):
    """Wait for a command; returns its exit code, negative for a signal."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise FoundError("time", f"a command did not end within {seconds} s")


def check_code(code, arguments):
    """Refuse an exit code that is not documented."""
    if code == 71:
        raise FoundError("traceback", f"{arguments}; see the log")
    if code not in DOCUMENTED:
        raise FoundError("exit code" if code > 0 else "signal", f"{code} of {arguments}")


def limit_files(size):
    """Let no file grow beyond a size in this process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
