"""What errors in the data cost each method."""

from functools import partial
from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_detectors, plot_robustness
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside

__all__ = ["SECTION", "robustness_figures"]

HEIGHT = 3.4  # inches


def robustness_figures(curves: pd.DataFrame) -> dict[str, Figure]:
    """One plot for each kind of error that has rates, and one of all detectors side by side."""
    clean = curves[curves["error"] == "none"]
    graded = list(dict.fromkeys(curves.loc[curves["rate"] > 0, "error"]))
    figures = []
    for error in graded:
        part = pd.concat([clean, curves[curves["error"] == error]])
        alt = (
            f"Accuracy of each method as {error} errors grow from 0 to {part['rate'].max():.0%}; "
            "the numbers are in the table."
        )
        draw = partial(draw_in_column, plot_robustness, part, height=HEIGHT)
        figures.append(Figure(draw, alt))
    if set(curves["error"]) - {*graded, "none"}:
        part = curves[~curves["error"].isin(graded)]
        part = part.assign(detector=part["error"].replace("none", "true intervals"))
        alt = "Accuracy of each method on true intervals and on those that detectors found."
        draw = partial(draw_in_column, plot_detectors, part, height=HEIGHT)
        figures.append(Figure(draw, alt))
    return {f"robustness-{number}": figure for number, figure in enumerate(figures)}


def _figures(findings: Findings, data: list[dict[str, Any]]) -> dict[str, Figure]:
    return robustness_figures(pd.DataFrame(data))


def _frames(findings: Findings, data: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    return {"robustness": pd.DataFrame(data)}


SECTION = Section(
    "robustness",
    "Errors in the data",
    "Detectors lose intervals, mistake one action for another and place ends wrongly. Here such "
    "errors were added to the data on purpose; the flatter the line, the less they hurt a method. "
    "Strokes are one standard error.",
    lambda findings: (
        [] if findings.robustness is None else rows(findings.ranked(findings.robustness))
    ),
    template_beside(__file__),
    _figures,
    _frames,
)
