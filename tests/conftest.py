"""What tests share: the seed of a run, the command line, data that may be absent."""

import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")
# tests share the processors, and threads of linear algebra that wait for each other take longest
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# shells let what they run in the background ignore Ctrl-C, and so would the commands in tests
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import hypothesis
import numpy as np
import pytest

from terminals import IN_TESTS, Terminal, run_here

# the first example of a test may compile a kernel, so examples have no deadline
hypothesis.settings.register_profile("ibgn", deadline=None)
hypothesis.settings.load_profile("ibgn")

# the same tests for everybody; any other seed must do as well (see chance.py)
DEFAULT_SEED = 0
MOST_FALSE_ALARMS = 1e-6  # of one test, over all seeds
SHARED = Path(os.environ.get("IBGN_SHARED", Path(__file__).parents[2] / "shared"))


def pytest_addoption(parser):
    parser.addoption(
        "--seed", type=int, default=DEFAULT_SEED, help="seed of all random numbers in the tests"
    )
    parser.addoption(
        "--variants", type=int, default=100, help="damaged variants of each sample file"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(config.option.seed)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What takes a slow fixture of its module is slow; rates of false alarms are checked."""
    for item in items:
        slow = getattr(getattr(item, "module", None), "SLOW_FIXTURES", ())
        if set(slow) & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        for mark in item.iter_markers("statistical"):
            if not 0 < mark.kwargs["false_alarm"] <= MOST_FALSE_ALARMS:
                raise pytest.UsageError(f"{item.nodeid}: false alarms are too frequent")


def pytest_report_header(config):
    return f"seed: {config.option.seed} (another with --seed, or make test SEED=17)"


@pytest.fixture
def seed(request):
    """Of the run; a test that is marked with the reason always has the default."""
    own = request.node.get_closest_marker("own_seed")
    return DEFAULT_SEED if own else request.config.option.seed


@pytest.fixture
def false_alarm(request):
    """How likely a statistical test may fail by chance, as its mark says."""
    return request.node.get_closest_marker("statistical").kwargs["false_alarm"]


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def browser():
    """Chromium, which looks at pages as readers do."""
    from browsing import FLAGS

    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.skip("no chromium on the path or in CHROMIUM")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=path, args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def broker(tmp_path):
    """Mosquitto, which keeps its messages in a folder."""
    from benchmarks.brokers import Broker, find_mosquitto

    if not find_mosquitto():
        pytest.skip("mosquitto is not installed")
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
    opened = Broker(tmp_path)
    opened.start()
    yield opened
    opened.stop()


@pytest.fixture
def ibgn(tmp_path):
    """Run the command with its output in a pipe."""
    return lambda *arguments: run_here(tmp_path, arguments, IN_TESTS, io.StringIO())


@pytest.fixture
def ibgn_at(tmp_path):
    """Run the command on a terminal of some width."""

    def run(width, *arguments):
        size = {"COLUMNS": str(width), "LINES": "40", "TERM": "dumb"}
        return run_here(tmp_path, arguments, IN_TESTS | size, Terminal())

    return run


@pytest.fixture
def ibgn_process(tmp_path):
    """Run the command as users do, where a test is about the process."""

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "ibgn", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | IN_TESTS | environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def shared():
    """Folder of real recordings and of figures computed by another implementation."""
    if not (SHARED / "golden").is_dir():
        pytest.skip(f"no folder {SHARED.name!r} beside the project (or in IBGN_SHARED)")
    return SHARED


@pytest.fixture(scope="session")
def read_shared(shared):
    from ibgn import read_csv

    def read(name):
        inclusive = name in ("AUSLAN2", "BLOCKS", "CONTEXT", "SKATING")
        return read_csv(shared / "data" / f"{name}.csv", closed="both" if inclusive else "left")

    return read


@pytest.fixture
def extensions():
    """Whatever a test defines and registers is forgotten after it."""
    from ibgn.classifiers import METHODS
    from ibgn.declarations import STORABLE
    from ibgn.io import FORMATS
    from ibgn.plots.terms import FIGURES
    from ibgn.terms import TERMS

    formats = set(FORMATS)
    before = [(registry, dict(registry)) for registry in (METHODS, STORABLE, TERMS, FIGURES)]
    yield
    for registry, content in before:
        registry.clear()
        registry.update(content)
    for name in set(FORMATS) - formats:
        FORMATS.remove(name)


@pytest.fixture(name="unquestioned")
def _unquestioned():
    """Models recognise whatever a test gives them, and say nothing about it."""
    from ibgn.classifiers.recogniser import unquestioned

    with unquestioned():
        yield
