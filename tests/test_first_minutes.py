"""The transcripts of docs/first_ten_minutes.md: what the commands print, each proposed before."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SPEC = spec_from_file_location("make_transcripts", ROOT / "docs" / "make_transcripts.py")
make_transcripts = module_from_spec(SPEC)
SPEC.loader.exec_module(make_transcripts)
SECTIONS = {
    section[0].splitlines()[0].removeprefix("## "): section[0]
    for section in make_transcripts.SECTION.finditer(make_transcripts.PAGE.read_text())
}
# what is learned differs in the last places between computers, and so do sizes of files
INEXACT = re.compile(
    r"\d+\.\d+|[\d,]+ bytes|\b[a-z]+ 0\.\d+|; without weight: .*|^Weights: .*", re.M
)


def test_the_page_is_about_four_files():
    assert list(SECTIONS) == [
        "An ELAN file",
        "A BORIS export",
        "A smart-home log",
        "A table with mistakes",
    ]


@pytest.mark.parametrize("title", list(SECTIONS))
def test_each_step_was_proposed_by_the_one_before(title):
    printed = re.split(
        r"^\$ ", "".join(make_transcripts.BLOCK.findall(SECTIONS[title])), flags=re.M
    )
    first, *others = make_transcripts.steps(SECTIONS[title])
    assert first.startswith("ibgn inspect ")
    assert len(first.split()) == 3  # nobody knows an option
    assert len(others) >= 2
    for before, step in zip(printed[1:], others, strict=False):
        assert step in before.partition("\n")[2]


@pytest.mark.parametrize("title", list(SECTIONS))
def test_the_commands_print_what_the_page_says(title):
    """`python docs/make_transcripts.py` writes what they print now."""
    now = make_transcripts.replay(SECTIONS[title])
    assert INEXACT.sub("#", now) == INEXACT.sub("#", SECTIONS[title])
