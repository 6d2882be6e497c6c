"""Damaged files of every format: an error that helps, or a valid answer, and soon.

`pytest tests/test_fuzz.py --variants 10000` tries so many of each sample.
"""

import time
import warnings

import pytest

from ibgn import DataWarning
from ibgn.io.survey import survey
from mutations import check_damaged
from sample_files import DIALECTS, dialects, samples

SECONDS_EACH = 0.5  # on average; a variant that takes minutes stands out


@pytest.mark.slow
@pytest.mark.parametrize(
    "sample", [pytest.param(p, id=p.relative_to(DIALECTS).as_posix()) for p in dialects()]
)
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
    ("name", "content", "read"), [pytest.param(*one, id=one[0]) for one in samples()]
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
