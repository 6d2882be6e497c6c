"""The examples of docs/data.md work as they stand."""

import re
from pathlib import Path

import pytest

import ibgn

PAGE = Path(__file__).parents[1] / "docs" / "data.md"
EXAMPLE = re.compile(
    r"```text file=(?P<name>\S+)\n(?P<text>.*?)```\n+```python\n(?P<call>.*?)```", re.DOTALL
)
EXAMPLES = {match["name"]: match for match in EXAMPLE.finditer(PAGE.read_text())}


def test_every_format_has_an_example_of_few_lines():
    page = PAGE.read_text()
    shown = {
        ibgn.io.registry.find_format(name, None)
        for name in EXAMPLES
        if "." in name[-9:] and not name.endswith((".json", ".xml", ".txt"))
    }
    shown |= set(re.findall(r'format="([a-z]+)"', page))
    assert set(ibgn.io.FORMATS) - {"parquet"} <= shown
    assert all(match["text"].count("\n") <= 6 for match in EXAMPLES.values())


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_an_example_is_read(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(EXAMPLES[name]["text"])
    found = {}
    exec(EXAMPLES[name]["call"], {"ibgn": ibgn}, found)  # noqa: S102
    X, y = found["X"], found["y"]
    assert len(X.action) > 0
    assert y is not None or name in ("talk.TextGrid", "sensors.csv", "repairs.xes")


EXTENDING = (PAGE.parent / "extending.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", EXTENDING, re.DOTALL | re.MULTILINE))


def test_every_extension_has_a_section():
    assert [title.split()[2] for title in SECTIONS] == ["term", "format", "method", "section"]


@pytest.mark.parametrize("title", list(SECTIONS))
def test_an_extension_works_as_it_stands(title, tmp_path, monkeypatch, extensions):
    """All Python of a section, as one module of the user's own."""
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", SECTIONS[title], re.DOTALL))
    assert "assert" in code
    exec(compile(code, title, "exec"), {"__name__": "extension"})  # noqa: S102


def test_a_new_term_takes_about_thirty_lines():
    first = re.findall(r"```python\n(.*?)```", SECTIONS["A new term"], re.DOTALL)[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 40
