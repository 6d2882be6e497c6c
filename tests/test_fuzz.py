"""Damaged files of every format: an error that helps, or a valid answer, and soon.

`pytest tests/test_fuzz.py --variants 10000` tries so many of each sample.
"""

import time
import warnings
from contextlib import suppress

import pytest

from ibgn import DataError, DataWarning, read
from ibgn.io.plugins import builtin_names
from ibgn.io.survey import survey
from mutations import check_damaged
from sample_files import DIALECTS, dialects, samples

FOREIGN = {
    ".json": (
        *("[]", "3", "null", "{}", "[[1, 2], [3, 4]]", '{"annotations": 3}', '{"tiers": []}'),
        *('{"annotations": {"a": [1]}}', '[{"annotations": [[]]}]', '{"traceEvents": 4}'),
    ),
    ".xml": ("<a/>", "<a><b start='1' end='2'/></a>"),
    ".txt": ("x", "1 2 3", "a,b"),
}
SECONDS_EACH = 0.5  # on average; a variant that takes minutes stands out


@pytest.mark.parametrize("format", sorted({*builtin_names()} - {"parquet"}))
def test_files_of_other_formats_are_read_or_refused(format, tmp_path):
    """As where users name the wrong format, all of a file may be other than expected."""
    files = [(suffix, text) for suffix, texts in FOREIGN.items() for text in texts]
    for suffix, text in files:
        path = tmp_path / f"file{suffix}"
        path.write_text(text)
        with warnings.catch_warnings(action="ignore"), suppress(DataError):
            read(path, format=format)


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
