"""Every example runs by itself, without a warning, and leaves nothing behind."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ibgn.datasets import sample_path

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("plot_*.py"))
NOTEBOOKS = sorted(path.name for path in (EXAMPLES / "notebooks").iterdir())
# where there is a display, plt.show() says that this backend shows nothing
QUIET = ["-W", "error", "-W", "ignore:FigureCanvasAgg is non-interactive:UserWarning"]


def run(script, folder):
    return subprocess.run(
        [sys.executable, *QUIET, script],
        cwd=folder,
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_there_are_examples_and_the_readme_lists_each_once():
    listed = re.findall(r"^- \[(\S+)\]\((\S+)\): \S", (EXAMPLES / "README.md").read_text(), re.M)
    assert len(SCRIPTS) >= 12
    assert len(NOTEBOOKS) >= 2
    expected = [*SCRIPTS, *(f"notebooks/{name}" for name in NOTEBOOKS)]
    assert sorted(target for _, target in listed) == sorted(expected)
    assert all(name == Path(target).name for name, target in listed)


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
    done = run(EXAMPLES / name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_example_prints_the_same_each_time(tmp_path):
    first, second = (run(EXAMPLES / "tutorials/plot_elan.py", tmp_path).stdout for _ in range(2))
    assert first == second != ""


def cells(notebook, kind):
    content = json.loads((EXAMPLES / "notebooks" / notebook).read_text())
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_has_the_code_of_its_example_and_no_results(notebook):
    script = (EXAMPLES / f"plot_{Path(notebook).stem}.py").read_text()
    blocks = re.split(r"^# %%.*\n", script, flags=re.M)[1:]
    code = [re.sub(r"^(#.*\n)+", "", block) for block in blocks]
    assert [cell.strip() for cell in cells(notebook, "code")] == [block.strip() for block in code]
    text = cells(notebook, "markdown")[0]
    assert text.startswith("\n# ")
    said = script.split('"""')[1].split("=\n\n")[1]
    assert said.strip().replace("``", "`") in text.replace("``", "`")
    assert '"outputs": []' in (EXAMPLES / "notebooks" / notebook).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_runs_from_its_first_cell_to_its_last(notebook, tmp_path):
    (tmp_path / "cells.py").write_text("\n".join(cells(notebook, "code")))
    done = run(tmp_path / "cells.py", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.fixture
def with_samples(tmp_path):
    """Folder with copies of the samples, under the names that the tutorials give them."""
    for name, path in {"recordings": "elan", "labelled": "sensors", "new": "sensors"}.items():
        shutil.copytree(sample_path(path), tmp_path / name)
    (tmp_path / "recordings" / "dora.eaf").rename(tmp_path / "new.eaf")
    for name in ("boris", "xes", "casas"):
        shutil.copy(sample_path(name), tmp_path)
    return tmp_path


TUTORIALS = [name for name in SCRIPTS if name.startswith("tutorials/")]


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_commands_of_a_tutorial_work_one_after_the_other(name, with_samples, ibgn):
    commands = re.findall(r"^#    ibgn (.*)$", (EXAMPLES / name).read_text(), re.M)
    assert len(commands) >= 2
    for command in commands:
        done = ibgn(*command.split())
        assert done.returncode == 0, done.stderr
        assert done.stdout + done.stderr
