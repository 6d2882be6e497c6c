"""The figures of a report: each a matplotlib figure, drawn when it is wanted."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from ibgn.model.activity import ActivityModel
from ibgn.plots import (
    plot_activities,
    plot_calibration,
    plot_comparison,
    plot_confusion,
    plot_detectors,
    plot_explanation,
    plot_robustness,
    plot_structure,
    plot_tables,
    plot_timeline,
    plot_traces,
)
from ibgn.report.findings import Findings, HardInstance
from ibgn.report.summary import calibration, chance, chosen_models
from ibgn.text import count, printable

__all__ = ["Figure", "make_figures", "robustness_figures"]


class Figure(NamedTuple):
    """A figure that can be drawn whenever it is wanted, and what it shows in words."""

    draw: Callable[[], Axes]
    alt: str


def make_figures(findings: Findings, summary: dict[str, Any]) -> dict[str, Figure]:
    """Figures by name: of the comparison, of the models that are shown, of hard instances."""
    figures = _comparison_figures(findings, summary)
    names = chosen_models(findings, summary["activities"])
    for number, name in enumerate(names):
        figures |= _model_figures(number, findings.activities[name])
    for number, one in enumerate(findings.hardest):
        figures |= _instance_figures(number, one)
    return figures


def _comparison_figures(findings: Findings, summary: dict[str, Any]) -> dict[str, Figure]:
    table, method = findings.evaluation.summary(), findings.method
    told = ", ".join(
        f"{row['method']} {row['accuracy']:.3f}" for row in table.to_dict(orient="records")
    )
    confusion = findings.evaluation.confusion(method)
    counts = confusion.to_numpy()
    figures = {
        "comparison": Figure(
            lambda: plot_comparison(table, chance=chance(findings)),
            f"Accuracy of each method with its standard error: {told}.",
        ),
        "confusion": Figure(
            lambda: plot_confusion(confusion),
            f"Confusion matrix of {method}: {counts.trace()} of {counts.sum()} predictions lie on "
            "the diagonal; the table of activities names the most frequent mistakes.",
        ),
        "activities": Figure(
            lambda: plot_activities(pd.DataFrame(summary["activities"])),
            f"Precision, recall and F1 of {method} for each activity; the numbers are in the "
            "table beside it.",
        ),
        "calibration": Figure(
            lambda: plot_calibration(calibration(findings)),
            f"How often {method} is right, against how sure it says it is.",
        ),
    }
    if findings.robustness is not None:
        figures |= robustness_figures(findings.robustness)
    return figures


def robustness_figures(curves: pd.DataFrame) -> dict[str, Figure]:
    """A curve for each kind of error that has rates, and all detectors side by side."""
    clean = curves[curves["error"] == "none"]
    graded = list(dict.fromkeys(curves.loc[curves["rate"] > 0, "error"]))
    figures = []
    for error in graded:
        part = pd.concat([clean, curves[curves["error"] == error]])
        told = (
            f"Accuracy of each method as {error} errors grow from 0 to {part['rate'].max():.0%}; "
            "the numbers are in the table."
        )
        figures.append(Figure(partial(plot_robustness, part), told))
    if set(curves["error"]) - {*graded, "none"}:
        part = curves[~curves["error"].isin(graded)]
        part = part.assign(detector=part["error"].replace("none", "true intervals"))
        told = "Accuracy of each method on true intervals and on those that detectors found."
        figures.append(Figure(partial(plot_detectors, part), told))
    return {f"robustness-{number}": figure for number, figure in enumerate(figures)}


def _model_figures(number: int, model: ActivityModel) -> dict[str, Figure]:
    name = printable(model.name)
    return {
        f"tables-{number}": Figure(
            lambda: plot_tables(model), f"Tables of {name}: which actions sit at each."
        ),
        f"structure-{number}": Figure(
            lambda: plot_structure(model), f"Which pairs of positions of {name} are linked."
        ),
        f"traces-{number}": Figure(
            lambda: plot_traces(model), f"Log joint of the chains that learned {name}."
        ),
    }


def _instance_figures(number: int, one: HardInstance) -> dict[str, Figure]:
    named = f"{printable(one.name)}: {count(len(one.instance.action), 'interval')}"
    if one.explanation is None:
        draw = Figure(lambda: plot_timeline(one.instance), f"Timeline of {named}.")
        return {f"timeline-{number}": draw}
    why = one.explanation
    return {
        f"explanation-{number}": Figure(
            lambda: plot_explanation(why),
            f"Timeline of {named}, coloured by what spoke for {printable(why.activity)} and "
            f"against {printable(why.against)}; the weightiest are listed below.",
        )
    }
