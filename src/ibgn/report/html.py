"""A page from a summary, figures and templates, with everything escaped."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ibgn.errors import DataError
from ibgn.report.section import Figure, Section
from ibgn.report.svg import draw_svg
from ibgn.report.words import FILTERS
from ibgn.text import quote

__all__ = ["PAGE", "render"]

PAGE = '{% extends "page.html" %}'
"""The template of a page that has sections and nothing else."""


def render(
    template: str,
    summary: Mapping[str, Any],
    figures: Mapping[str, Figure],
    sections: Sequence[Section] = (),
) -> str:
    """Make a page that needs nothing but itself: no script, nothing to load.

    Parameters
    ----------
    template : text of the template; it may extend `page.html` and import `macros.html`
    summary : content of the page; all text in it is shown as it is written, never as markup
    figures : by name; only those that the page shows are drawn
    sections : at the end of the page; a section without data in the summary is left out

    Examples
    --------
    >>> summary = {"title": "Tea", "question": "Is it?", "headline": "1 < 2"}
    >>> page = render(PAGE, summary, {})
    >>> page.startswith("<!doctype html>"), "1 &lt; 2" in page
    (True, True)
    """
    number = {name: position for position, name in enumerate(figures)}

    def draw(name: str) -> Markup:
        if name not in figures:
            raise DataError(f"the page shows a figure {quote(name)} that does not exist; add it")
        return Markup(draw_svg(figures[name], f"f{number[name]}-"))  # noqa: S704  # escaped there

    environment = _environment()
    shown = [
        (section, environment.from_string(section.template))
        for section in sections
        if summary[section.name]
    ]
    return environment.from_string(template).render(
        page=summary, sections=shown, draw=draw, has_figure=figures.__contains__
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ibgn.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    return environment
