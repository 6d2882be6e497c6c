"""Run the commands of docs/first_ten_minutes.md and put what they print into the page.

The page has commands after a dollar sign, in blocks of the kind `console`; what follows them up to
the next command is replaced. Each section starts in a folder with the files that its blocks of
the kind `text file=NAME` hold, and with copies of the recordings that it names.
"""

import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

PAGE = Path(__file__).parent / "first_ten_minutes.md"
SECTION = re.compile(r"^## .*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^```text file=(\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
RECORDING = re.compile(r"`sample_path\(\"(\w+)\"\)(?: / \"(\S+)\")?`")
BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMPILING = "ibgn: compiling kernels"  # which only the first run after installation says
TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1"}

Run = Callable[[str], str]


def run(command: str) -> str:
    """What a command prints on a terminal of 80 columns."""
    from ibgn.cli import main

    printed = io.StringIO()
    with (
        patch.object(sys, "argv", shlex.split(command)),
        patch.dict("os.environ", TERMINAL),
        redirect_stdout(printed),
        redirect_stderr(printed),
        suppress(SystemExit),
    ):
        main()
    lines = (line.rstrip() for line in printed.getvalue().splitlines())
    return "\n".join(line for line in lines if not line.startswith(COMPILING))


def steps(section: str) -> list[str]:
    """Commands of a section, in order."""
    blocks = "".join(block[1] for block in BLOCK.finditer(section))
    return re.findall(r"^\$ (.*)$", blocks, re.MULTILINE)


def replay(section: str) -> str:
    """The section with what its commands print now."""
    from ibgn.datasets import sample_path

    def rewrite(block: re.Match[str]) -> str:
        printed = [f"$ {command}\n{run(command)}\n" for command in steps(block[0])]
        return f"```console\n{''.join(printed)}```"

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, text in FILE.findall(section):
            Path(name).write_text(text)
        for recording, file in RECORDING.findall(section):
            source = sample_path(recording) / file if file else sample_path(recording)
            shutil.copy(source, source.name)
        return BLOCK.sub(rewrite, section)


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(lambda section: replay(section[0]), PAGE.read_text()))
