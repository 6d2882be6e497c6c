"""Every example runs by itself, without a warning, and leaves nothing behind."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("plot_*.py"))
# where there is a display, plt.show() says that this backend shows nothing
QUIET = ["-W", "error", "-W", "ignore:FigureCanvasAgg is non-interactive:UserWarning"]


def run(name, folder):
    return subprocess.run(
        [sys.executable, *QUIET, EXAMPLES / name],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_there_are_examples_and_the_readme_lists_each_once():
    listed = re.findall(r"^- \[(\S+)\]\((\S+)\): \S", (EXAMPLES / "README.md").read_text(), re.M)
    assert SCRIPTS
    assert sorted(name for name, _ in listed) == SCRIPTS
    assert all(name == target for name, target in listed)


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_begins_with_an_underlined_title_and_ends_with_a_figure(name):
    text = (EXAMPLES / name).read_text()
    title, line, blank, first, *_ = ast.get_docstring(ast.parse(text)).splitlines()
    assert line == "=" * len(title)
    assert (blank, bool(first)) == ("", True)
    assert text.endswith("plt.show()\n")
    assert "# %%\n" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs_and_leaves_nothing_behind(name, tmp_path):
    done = run(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_example_prints_the_same_each_time(tmp_path):
    first, second = (run("plot_reading_elan.py", tmp_path).stdout for _ in range(2))
    assert first == second != ""
