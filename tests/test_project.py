"""Promises of the whole: imports compile nothing, kernels are cached, tests stand alone."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ibgn
from ibgn import _kernels
from ibgn._kernels import compile as compilation

ROOT = Path(__file__).parents[1]
MAKE = shutil.which("make")
RELATE = "import ibgn; ibgn.read_networks([[('a', 0, 2), ('b', 1, 3)]])"


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )


def test_public_names_exist():
    assert sorted(ibgn._HOME) == sorted(ibgn.__all__)
    for name in ibgn.__all__:
        assert getattr(ibgn, name) is not None
        assert name in dir(ibgn)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = ibgn.nonsense


LISTEN = """
from numba.core import event
class Listener(event.Listener):
    count = 0
    def on_start(self, e): Listener.count += 1
    def on_end(self, e): pass
event.register("numba:compile", Listener())
"""


def test_importing_everything_compiles_nothing(tmp_path):
    everything = LISTEN + (
        "import ibgn, pkgutil, importlib\n"
        "names = [m.name for m in pkgutil.walk_packages(ibgn.__path__, 'ibgn.')]\n"
        "[importlib.import_module(n) for n in names if not n.endswith('__main__')]\n"
        "print(Listener.count)"
    )
    assert run(everything, NUMBA_CACHE_DIR=str(tmp_path)).stdout.strip() == "0"


@pytest.mark.slow
def test_kernels_are_compiled_once_and_cached(tmp_path):
    program = LISTEN + RELATE + "\nprint(Listener.count)"
    first = run(program, NUMBA_CACHE_DIR=str(tmp_path))
    second = run(program, NUMBA_CACHE_DIR=str(tmp_path))
    assert int(first.stdout) > 0
    assert int(second.stdout) == 0


@pytest.mark.slow
def test_long_compilation_is_announced_once_and_a_cached_run_is_quiet(tmp_path):
    patient = "from ibgn._kernels import compile; compile.PATIENCE_SECONDS = {}; "
    hasty = patient.format(0.001) + RELATE
    first = run(hasty, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("ibgn: compiling") == 1
    assert "about 20 seconds" in first.stderr
    assert "`ibgn compile` does this ahead of time" in first.stderr
    assert run(hasty, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""
    shutil.rmtree(tmp_path)
    assert run(patient.format(60) + RELATE, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""
    assert compilation.PATIENCE_SECONDS == 2.0


@pytest.mark.slow
def test_after_compile_the_default_compiles_nothing(tmp_path, ibgn_process):
    kernels = tmp_path / "kernels"
    options = ("compile", "--method", "IBGN-T", "--folder", kernels, "--json")
    first, again = (json.loads(ibgn_process(*options).stdout) for _ in range(2))
    assert first["compiled"] > 20
    assert first["folder"].startswith(str(kernels))
    assert first["left_out"] == {}
    assert again["compiled"] == 0
    program = LISTEN + (
        "import sys\n"
        "from ibgn import IBGNClassifier, LiveRecogniser, load\n"
        "from ibgn.datasets import make_relations\n"
        "X, y = make_relations(instances_per_activity=20, random_state=0)\n"
        "IBGNClassifier(random_state=0).fit(X, y).save(sys.path[-1])\n"
        "load(sys.path[-1]).predict_proba(X[:1])\n"
        "live = LiveRecogniser(load(sys.path[-1]))\n"
        "live.start('hold', 0)\n"
        "live.end('hold', 1)\n"
        "live.posterior()\n"
        "print(Listener.count)"
    ).replace("sys.path[-1]", repr(str(tmp_path / "model.ibgn")))
    assert run(program, NUMBA_CACHE_DIR=str(kernels)).stdout.strip() == "0"
    # the control: without those kernels, one is compiled, and seen
    one = LISTEN + RELATE + "\nprint(Listener.count)"
    assert int(run(one, NUMBA_CACHE_DIR=str(tmp_path / "none")).stdout) > 0


def test_compile_says_what_cannot_be_kept(tmp_path, ibgn_process):
    (tmp_path / "file").write_text("")
    refused = ibgn_process("compile", "--folder", tmp_path / "file")
    assert refused.returncode == 1
    assert "is a file, not a folder; name another" in refused.stderr
    unknown = ibgn_process("compile", "--method", "nonsense")
    assert unknown.returncode == 2
    assert "--method nonsense is not a method" in unknown.stderr


def test_other_peoples_kernels_are_not_announced(tmp_path):
    program = (
        "from ibgn._kernels import compile; compile.PATIENCE_SECONDS = 0.0\n"
        "import numba, time\n"
        "numba.njit(lambda x: x + 1)(1); time.sleep(0.05)"
    )
    assert run(program, NUMBA_CACHE_DIR=str(tmp_path)).stderr == ""


def test_the_package_is_marked_as_typed():
    assert (Path(ibgn.__file__).parent / "py.typed").exists()
    assert _kernels.__doc__


def test_version_changelog_and_citation_agree():
    citation = (ROOT / "CITATION.cff").read_text()
    changelog = (ROOT / "CHANGELOG.md").read_text()
    cited = re.search(r"^version: (.+)\ndate-released: (.+)$", citation, re.M)
    assert re.search(r"^## (\S+) \((.+)\)$", changelog, re.M).groups() == cited.groups()
    assert cited[1] == ibgn.__version__


def test_constraints_are_names_and_versions_only():
    first, *lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert first.startswith("#")
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", line) for line in lines)
    assert lines == sorted(set(lines), key=str.lower)


# versions

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
FOR_USERS = {"": PROJECT["project"]["dependencies"]} | {
    f"extra `{name}`": needed for name, needed in EXTRAS.items() if name not in ("dev", "docs")
}


def test_every_dependency_has_a_lowest_version_which_the_documentation_names():
    bounds = [
        (*requirement.split(">="), purpose)
        for purpose, requirements in FOR_USERS.items()
        for requirement in requirements
    ]
    page = (ROOT / "docs/dependencies.md").read_text().partition("## Which versions")[2]
    assert re.findall(r"^\| (\S+) \| ([\d.]+) \| ?(.*?) ?\|$", page, re.M) == bounds


def test_the_lowest_versions_are_what_is_installed_to_test_them():
    program = [sys.executable, ROOT / ".ci/lowest.py", ROOT / "pyproject.toml"]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    needed = [each for requirements in FOR_USERS.values() for each in requirements]
    assert printed.split() == [each.replace(">=", "==") for each in needed]


def test_a_dependency_without_a_lowest_version_is_refused(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\ndependencies = ["numpy"]\noptional-dependencies = {}\n')
    program = [sys.executable, ROOT / ".ci/lowest.py", path]
    refused = subprocess.run(program, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "numpy in" in refused.stderr


def test_pinned_versions_are_allowed_ones():
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    pinned = {canonicalize_name(name): v for name, v in (line.split("==") for line in lines)}
    named = [*FOR_USERS.values(), EXTRAS["docs"], EXTRAS["dev"][1:]]
    for requirement in (Requirement(each) for requirements in named for each in requirements):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier


def test_one_lowest_python():
    lowest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert PROJECT["tool"]["mypy"]["python_version"] == lowest
    pages = [ROOT / "Makefile", *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    said = {path.name: re.findall(r"Python (3\.\d+) or later", path.read_text()) for path in pages}
    assert {version for versions in said.values() for version in versions} == {lowest}
    assert said["README.md"]
    assert said["start.md"]
    recipes = re.findall(r"find_python (3\.\d+)", (ROOT / "Makefile").read_text())
    assert set(recipes) == {lowest}


def test_a_python_is_found_by_its_version():
    here = "{}.{}".format(*sys.version_info)
    found = subprocess.run([ROOT / ".ci/find_python", here], capture_output=True, text=True)
    asked = [found.stdout.strip(), "-c", "import sys; print('{}.{}'.format(*sys.version_info))"]
    assert subprocess.run(asked, capture_output=True, text=True).stdout.strip() == here
    absent = subprocess.run([ROOT / ".ci/find_python", "3.999"], capture_output=True, text=True)
    assert absent.returncode == 1
    assert "Python 3.999 is not installed" in absent.stderr


@pytest.mark.skipif(MAKE is None, reason="needs make")
@pytest.mark.parametrize("arguments", [[], ["help"]])
def test_make_lists_every_target(arguments):
    listed = subprocess.run([MAKE, *arguments], cwd=ROOT, capture_output=True, text=True)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert re.findall(r"^  make (\S+) +\S", listed.stdout, re.M) == targets


# tests

HERE = Path(__file__).parent
TESTS = {
    path.relative_to(HERE).as_posix(): ast.parse(path.read_text()) for path in HERE.rglob("*.py")
}


def imported(tree):
    """Names of the modules that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


UNSEEDED = re.compile(
    r"\b(default_rng|RandomState|Random)\(\)|\b(random_state|seed)=None\b"
    r"|^(np\.random\.(?!default_rng)[a-z_]+|secrets\.\w+)\("
)


def unseeded(tree):
    """Calls that draw from a generator which nobody seeded."""
    calls = (ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [call for call in calls if UNSEEDED.search(call)]


@pytest.mark.parametrize("name", sorted(TESTS))
def test_no_test_imports_another_and_none_is_unseeded(name):
    """What tests share stands in conftest or in a module that is no test."""
    assert not [module for module in imported(TESTS[name]) if module.startswith("test_")]
    assert not unseeded(TESTS[name])


def test_control_imports_of_tests_and_generators_without_a_seed_are_found():
    assert list(imported(ast.parse("from test_cli import ibgn"))) == ["test_cli"]
    for line in (
        "np.random.default_rng()",
        "np.random.normal(2)",
        "make_relations(random_state=None)",
        "secrets.randbelow(3)",
    ):
        assert unseeded(ast.parse(line)) == [line]
    for line in ("np.random.default_rng(seed).normal(2)", "np.random.RandomState(3)"):
        assert not unseeded(ast.parse(line))
