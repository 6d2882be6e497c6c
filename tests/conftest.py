"""The seed of a run, printed at its head and set with --seed; data that may be absent."""

import os
import secrets
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

import hypothesis
import numpy as np
import pytest

# the first example of a test may compile a kernel, so examples have no deadline
hypothesis.settings.register_profile("ibgn", deadline=None)
hypothesis.settings.load_profile("ibgn")

SHARED = Path(os.environ.get("IBGN_SHARED", Path(__file__).parents[2] / "shared"))


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, help="seed of all random numbers in the tests")
    parser.addoption(
        "--variants", type=int, default=100, help="damaged variants of each sample file"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if config.option.seed is None:
        config.option.seed = secrets.randbelow(2**31)
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(config.option.seed)


def pytest_report_header(config):
    return f"seed: {config.option.seed} (repeat with --seed {config.option.seed})"


@pytest.fixture
def seed(request):
    return request.config.option.seed


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


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
