"""The site names every public thing, and each has an example; notebooks are the scripts."""

import inspect
import re
import runpy
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import ibgn
from ibgn import explore, live, segmentation
from ibgn._kernels.compile import NOTICE

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
API = DOCS / "api"
PAGES = {page.stem: page.read_text() for page in API.glob("*.md")}
INCLUDED = [page.read_text() for page in DOCS.glob("*.md") if "{include}" in page.read_text()]
LIST = re.compile(
    r"^.. currentmodule:: ibgn\n.. autosummary::\n   :toctree: generated\n\n((?:   \S+\n)+)", re.M
)
# constants, which have no docstring, are described on the page
DATA = re.compile(r"^((?:.. py:data:: \S+\n)+)((?:\n|   .*\n)+)", re.M)


def public_things():
    """All that `import ibgn` offers, and all that its modules offer, by name."""
    offered = {name: getattr(ibgn, name) for name in ibgn.__all__}
    modules = [thing for thing in offered.values() if isinstance(thing, ModuleType)]
    modules += [live, segmentation, explore]
    for module in (ibgn, *modules):
        names = [*module.__all__]
        if module is ibgn.io:  # readers and writers of formats are found when they are used
            names += [name for name in dir(module) if name.startswith(("read_", "write_"))]
        for name in names:
            if not isinstance(thing := getattr(module, name), ModuleType):
                yield f"{module.__name__}.{name}", thing


def resolve(name):
    thing = ibgn
    for part in name.split("."):
        is_module = isinstance(thing, ModuleType) and not hasattr(thing, part)
        thing = import_module(f"{thing.__name__}.{part}") if is_module else getattr(thing, part)
    return thing


CONSTANTS = {
    name: text
    for page in PAGES.values()
    for names, text in DATA.findall(page)
    for name in re.findall(r":: (\S+)", names)
}
LISTED = [name for page in PAGES.values() for names in LIST.findall(page) for name in names.split()]


def test_the_reference_has_every_public_thing_once():
    on_site = [id(resolve(name)) for name in [*LISTED, *CONSTANTS]]
    assert len(on_site) == len(set(on_site)) > 150
    assert [name for name, thing in public_things() if id(thing) not in on_site] == []


IMPORT = re.compile(r"from (ibgn[\w.]*) import ([\w, ]+)|from (ibgn[\w.]*) import \(([^)]+)\)")


def imported(text):
    """What the code on a page imports from the library."""
    for match in IMPORT.finditer(text):
        module, names = match[1] or match[3], match[2] or match[4]
        for name in re.findall(r"\w+", names):
            yield f"{module}.{name}", resolve(f"{module}.{name}".removeprefix("ibgn."))


def test_the_reference_has_everything_that_pages_import():
    on_site = {id(resolve(name)) for name in [*LISTED, *CONSTANTS]}
    pages = [*DOCS.glob("*.md"), *DOCS.glob("howto/*.md"), ROOT / "README.md"]
    used = dict(pair for page in pages for pair in imported(page.read_text()))
    things = {name: thing for name, thing in used.items() if not isinstance(thing, ModuleType)}
    assert len(things) > 50
    assert sorted(name for name, thing in things.items() if id(thing) not in on_site) == []


PAGE_LINK = re.compile(r"\]\((?!https?:|#|docs/)([^)]+)\)")


@pytest.mark.parametrize("name", re.findall(r"\.\./(\w+\.md)", "".join(INCLUDED)))
def test_a_page_that_the_site_includes_links_only_where_the_site_can_follow(name):
    assert PAGE_LINK.findall((ROOT / name).read_text()) == []


def test_every_page_of_the_reference_is_in_its_index():
    assert sorted(PAGES) == sorted({*re.findall(r"\]\((\w+)\.md\)", PAGES["index"]), "index"})


@pytest.mark.parametrize("name", LISTED)
def test_a_public_thing_has_an_example(name):
    assert inspect.isclass(resolve(name)) or callable(resolve(name)), "describe data on the page"
    assert ">>> " in inspect.getdoc(resolve(name)), f"ibgn.{name} has no example in its docstring"


@pytest.mark.parametrize("name", list(CONSTANTS))
def test_a_constant_has_an_example(name):
    assert ">>> " in CONSTANTS[name]


def test_every_page_is_in_the_navigation_of_the_site():
    pages = [p for p in DOCS.rglob("*.md") if not {"gallery", "generated"} & {*p.parts}]
    navigated = {DOCS / "index.md"}
    for page in pages:
        for tree in re.findall(
            r"^```{toctree}\n:hidden:\n\n(.*?)```", page.read_text(), re.M | re.S
        ):
            navigated |= {(page.parent / f"{name}.md").resolve() for name in tree.split()}
    assert [str(page.relative_to(DOCS)) for page in pages if page not in navigated] == []


def test_every_figure_is_drawn_by_a_command_that_its_page_names():
    drawing = (DOCS / "make_figures.py").read_text()
    pages = [*DOCS.glob("*.md"), ROOT / "README.md"]
    figures = {page: re.findall(r"figures/(\w+)\.png", page.read_text()) for page in pages}
    unnamed = [
        page.name for page in pages if figures[page] and "make figures" not in page.read_text()
    ]
    assert unnamed == []
    shown = {name for names in figures.values() for name in names}
    assert shown == {path.stem for path in (DOCS / "figures").iterdir()}
    assert [name for name in shown if not re.search(rf"\b{name}\b", drawing)] == []


@pytest.mark.parametrize("name", LISTED)
def test_sections_of_a_docstring_hold_entries_only(name):
    """Free text below them would be set as the name of a parameter; it belongs under Notes."""
    sections = re.split(r"^(\w[\w ]*)\n-+\n", inspect.getdoc(resolve(name)), flags=re.M)
    for title, text in zip(sections[1::2], sections[2::2], strict=True):
        if title in ("Parameters", "Returns", "Yields", "Attributes", "Raises"):
            lines = [line for line in text.splitlines() if line.strip()]
            for line, following in zip(lines, [*lines[1:], ""], strict=True):
                is_entry = " : " in line or following.startswith(" ")
                assert line.startswith(" ") or is_entry, f"{title} of ibgn.{name}: {line!r}"


def test_the_site_does_not_print_that_kernels_are_compiled(monkeypatch, capsys):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(NOTICE, "_say", NOTICE._say)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(DOCS / "conf.py"))
    NOTICE._say()
    assert capsys.readouterr().err == ""
