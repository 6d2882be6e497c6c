"""Damaged files of every format: an error that helps, or a valid answer, and soon.

`pytest tests/test_fuzz.py --variants 10000` tries so many of each sample.
"""

import importlib
import io
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from ibgn import DataWarning, read_csv, read_jsonl, read_parquet
from ibgn.io.plugins import builtin_names
from ibgn.io.survey import survey
from mutations import check_damaged

DIALECTS = Path(__file__).parent / "samples"
FLAT = {"csv": "takes.csv", "jsonl": "takes.jsonl", "parquet": "takes.parquet"}
OTHERS = ("joints", "sensors")  # readers of sensors, which are no formats of intervals
SECONDS_EACH = 0.5  # on average; a variant that takes minutes stands out

TABLE = "instance,label,action,start,end\na,tea,boil,0,4.5\na,tea,pour,3,5\nb,soup,boil,1,2\n"
LINES = (
    '{"instance": "a", "label": "tea", "intervals": [["boil", 0, 4.5], ["pour", 3, 5]]}\n'
    '{"instance": "b", "label": "soup", "intervals": [["boil", 1, 2]]}\n'
)


def _parquet():
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(TABLE)).to_parquet(buffer)
    return buffer.getvalue()


def _samples():
    yield FLAT["csv"], TABLE.encode(), read_csv
    yield FLAT["jsonl"], LINES.encode(), read_jsonl
    yield FLAT["parquet"], _parquet(), read_parquet
    # every format that is registered has samples in the module of its tests, or in a folder
    in_folders = {folder.name for folder in DIALECTS.iterdir()}
    for name in sorted({*builtin_names(), *OTHERS} - FLAT.keys()):
        if name in in_folders and find_spec(f"test_{name}") is None:
            continue
        module = importlib.import_module(f"test_{name}")
        for file, content in module.SAMPLES.items():
            yield file, content, module.READERS[file]


def _dialects():
    """Samples of dialects, as the guide reads them: with whatever options they need."""
    for path in sorted(path for path in DIALECTS.glob("*/*") if path.is_file()):
        yield pytest.param(path, id=path.relative_to(DIALECTS).as_posix())


@pytest.mark.slow
@pytest.mark.parametrize("sample", list(_dialects()))
def test_damaged_dialects_are_understood_or_refused(sample, tmp_path, rng, request):
    """A quarter as many variants as of other samples, as each is read several times."""

    def look(path):
        found = survey(path)
        return found.X, found.y

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        look(sample)  # undamaged, it can be read
    content, path = sample.read_bytes(), tmp_path / sample.name
    check_damaged(content, look, path, rng, request.config.getoption("--variants") // 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "read"), [pytest.param(*one, id=one[0]) for one in _samples()]
)
def test_damaged_files_are_read_or_refused(name, content, read, tmp_path, rng, request):
    path = tmp_path / name
    path.write_bytes(content)
    read(path)  # undamaged, it can be read
    times = request.config.getoption("--variants")
    before = time.monotonic()
    outcomes = check_damaged(content, read, path, rng, times)
    assert time.monotonic() - before < 10 + SECONDS_EACH * times
    assert outcomes["refused"] > 0  # the damage is real
