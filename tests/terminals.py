"""The command in this process, with its output in a pipe or on a terminal of some width."""

import io
import os
import subprocess
import sys
from unittest import mock

import pytest

IN_TESTS = {"COLUMNS": "100", "NO_COLOR": "1"}


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def run_here(folder, arguments, environment, stdout, stderr=None):
    """Run the command in this process, as starting one costs seconds."""
    from ibgn.cli import main

    command = ["ibgn", *map(str, arguments)]
    streams = {"stdout": stdout, "stderr": io.StringIO() if stderr is None else stderr}
    # with the whole environment restored, as the command may change it for itself
    with mock.patch.dict(os.environ, environment), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", command)
        patch.setattr(sys.modules["__main__"], "__package__", None, raising=False)
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as stop:
            main()
    printed = {name: stream.getvalue() for name, stream in streams.items()}
    return subprocess.CompletedProcess(command, stop.value.code or 0, **printed)
