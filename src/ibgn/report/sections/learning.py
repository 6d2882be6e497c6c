"""How accuracy grows with the number of training instances."""

from functools import partial
from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_learning_curve
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside

__all__ = ["SECTION"]

HEIGHT = 3.4  # inches
FIGURES = {"learning-accuracy": "accuracy", "learning-log-loss": "log_loss"}


def _figures(findings: Findings, data: list[dict[str, Any]]) -> dict[str, Figure]:
    curves, most = pd.DataFrame(data), max(row["per_activity"] for row in data)
    return {
        name: Figure(
            partial(draw_in_column, plot_learning_curve, curves, score=score, height=HEIGHT),
            f"{score.replace('_', ' ').capitalize()} of each method as training instances grow to "
            f"{most:.3g} per activity; the numbers are in the table.",
        )
        for name, score in FIGURES.items()
    }


SECTION = Section(
    "learning",
    "How much data it takes",
    "Every method also learned from parts of the training sets, the same instances for all, and "
    "was tested on the same test sets. Where a line still rises at its end, more recordings would "
    "help. ± and strokes are one standard error.",
    lambda findings: [] if findings.learning is None else rows(findings.ranked(findings.learning)),
    template_beside(__file__),
    _figures,
    lambda findings, data: {"learning-curve": pd.DataFrame(data)},
)
