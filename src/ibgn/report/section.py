"""A section of a report: its data, its figures, its frames and its template, under one name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from ibgn.plots.style import new_axes
from ibgn.report.findings import Findings

__all__ = ["Figure", "Section", "draw_in_column", "template_beside"]

COLUMN = 4.4  # inches: letters of 9 points are read on a phone, and two figures stand side by side


class Figure(NamedTuple):
    """A figure that is drawn on demand, and a text that says what it shows.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> Figure(plt.gca, "nothing yet").alt
    'nothing yet'
    """

    draw: Callable[[], Axes]
    alt: str


def _nothing(findings: Findings, data: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Section:
    """One section of a report.

    Parameters
    ----------
    name : key of its data in the summary, and its anchor on the page
    title, lead : its heading, and a first paragraph that says how to read it
    data : from findings to plain values that `json.dumps` takes; the section is left out if they
        are None or empty
    template : body of the section in Jinja's language, where `data` is what `data` returned,
        `ui` has the macros of `macros.html`, and all text is escaped
    figures : from findings and data to figures by name; a template shows them by
        ``{{ ui.figure("name") }}``, and each becomes a PNG file among the pieces
    frames : from findings and data to data frames by name, each a CSV file among the pieces

    Examples
    --------
    >>> section = Section(
    ...     "slowest",
    ...     "The slowest method",
    ...     "Seconds that learning took, on average.",
    ...     lambda findings: findings.summary.nlargest(1, "fit_seconds")["method"].tolist(),
    ...     "<p>{{ data[0] | name }}</p>",
    ... )
    >>> section.name
    'slowest'
    """

    name: str
    title: str
    lead: str
    data: Callable[[Findings], Any]
    template: str
    figures: Callable[[Findings, Any], Mapping[str, Figure]] = _nothing
    frames: Callable[[Findings, Any], Mapping[str, pd.DataFrame]] = _nothing


def draw_in_column(plot: Callable[..., Axes], *what: Any, height: float, **options: Any) -> Axes:
    """Draw a plot as wide as a column of the page; the height is in inches."""
    return plot(*what, ax=new_axes(COLUMN, height), **options)


def template_beside(module: str) -> str:
    """Text of the template beside a module, by the module's `__file__`."""
    return Path(module).with_suffix(".html").read_text("utf-8")
