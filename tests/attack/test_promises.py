"""SECURITY.md: every promise names tests, every test that it names exists, and two of them."""

import ast
import re
from pathlib import Path

import pytest

import ibgn

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text()
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
MODULES = {
    path.relative_to(Path(ibgn.__file__).parent).as_posix(): ast.parse(path.read_text())
    for path in Path(ibgn.__file__).parent.rglob("*.py")
}
NETWORK = {
    "pooch",
    "paho",
    "requests",
    "urllib",
    "http",
    "socket",
    "socketserver",
    "asyncio",
    "ftplib",
    "smtplib",
    "ssl",
}
RUNNING = {"pickle", "marshal", "shelve", "subprocess", "ctypes", "dill", "cloudpickle"}
FETCHING = {"datasets/published.py"}
LISTENING = {"live/feeds/sockets.py", "live/feeds/mqtt.py"}  # what `ibgn listen` is asked to
SERVING = {"explore/server.py", "explore/serving.py"}  # a page of `ibgn explore`, on this machine
# asks pickle whether a method could go to another process, and loads nothing; searches with a
# user's expression in a Python of its own, which runs a program of ours
SENDING = {"evaluation/trials.py", "io/patterns.py"}


def promises():
    """Rows of the tables: what is promised, and by which tests it is shown."""
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.M)
    return [(what, shown) for what, shown in rows if what not in ("promise", "---")]


def defined(tree):
    """Names of the functions of a module, also of those in classes."""
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def imports(tree):
    """First names of the modules that a module imports; what takes addresses apart opens none."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return {name.partition(".")[0] for name in names if name != "urllib.parse"}


def calls(tree):
    """Names of functions that a module calls by their name alone, or as names of a module."""
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {ast.unparse(function) for function in called}


@pytest.mark.parametrize(("what", "shown"), promises())
def test_every_promise_names_tests(what, shown):
    assert NAMED.findall(shown), what


@pytest.mark.parametrize(("file", "test"), sorted(set(NAMED.findall(PAGE))))
def test_every_test_that_is_named_exists(file, test):
    assert test in defined(ast.parse((ROOT / file).read_text()))


def test_files_that_the_page_names_exist():
    assert len(promises()) > 10
    for name in re.findall(r"`(tests/[\w/]+\.py)`", PAGE):
        assert (ROOT / name).is_file()


def test_only_fetching_uses_the_network():
    using = {name for name, tree in MODULES.items() if NETWORK & imports(tree)}
    assert using == FETCHING | LISTENING | SERVING


def test_no_module_runs_what_it_reads():
    using = {name for name, tree in MODULES.items() if RUNNING & imports(tree)}
    assert using == SENDING
    loaded = {"pickle.load", "pickle.loads", "pickle.Unpickler"}
    run = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "np.load", "pd.eval"}
    for name, tree in MODULES.items():
        assert not calls(tree) & (loaded | run), name


def test_control_what_modules_import_and_call_is_found():
    tree = ast.parse(
        "import os, urllib.request\nfrom http import client\nos.system('x'); eval('1')"
    )
    assert imports(tree) == {"os", "urllib", "http"}
    assert imports(ast.parse("from urllib.parse import unquote")) == set()
    assert imports(ast.parse("from urllib import request")) == {"urllib"}
    assert calls(tree) == {"os.system", "eval"}
