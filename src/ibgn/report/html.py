"""One page of a report: a summary and figures put into a template, everything escaped."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ibgn.checks import check_choice
from ibgn.errors import DataError
from ibgn.report.figures import Figure
from ibgn.report.svg import draw_svg
from ibgn.report.words import FILTERS
from ibgn.text import quote

__all__ = ["render"]

TEMPLATES = ("report.html", "paper.html")


def render(template: str, summary: dict[str, Any], figures: Mapping[str, Figure]) -> str:
    """Make a page that needs nothing but itself: no script, nothing to load.

    Parameters
    ----------
    template : "report.html" or "paper.html"
    summary : what the page says; all text in it is shown as it is written, never as markup
    figures : by name; those that the page has a place for are drawn

    Examples
    --------
    >>> section = {"title": "Tea", "lead": ["1 < 2"], "figures": [], "tables": [], "verdicts": []}
    >>> said = {"title": "Tea", "question": "Is it?", "headline": "It is.", "reproduce": None}
    >>> page = render("paper.html", said | {"sections": [section]}, {})
    >>> page.startswith("<!doctype html>"), "<p>1 &lt; 2</p>" in page
    (True, True)
    """
    check_choice("template", template, TEMPLATES)
    number = {name: place for place, name in enumerate(figures)}

    def draw(name: str) -> Markup:
        if name not in figures:
            raise DataError(f"the page wants a figure {quote(name)} that is not there; make it")
        return Markup(draw_svg(figures[name], f"f{number[name]}-"))  # noqa: S704  # escaped there

    page = _environment().get_template(template)
    return page.render(page=summary, draw=draw, has_figure=figures.__contains__)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=ChoiceLoader([PackageLoader("ibgn.report"), PackageLoader("ibgn.reproduction")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= FILTERS
    return made
