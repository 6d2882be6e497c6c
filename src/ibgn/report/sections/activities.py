"""How well each activity is recognised."""

from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_activities
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION"]


def _figures(findings: Findings, data: list[dict[str, Any]]) -> dict[str, Figure]:
    alt = (
        f"Precision, recall and F1 of {findings.method} for each activity; the numbers are in the "
        "table beside it."
    )
    return {"activities": Figure(lambda: plot_activities(pd.DataFrame(data)), alt)}


SECTION = Section(
    "activities",
    "Each activity",
    "Recall is the share of an activity's instances that were found, precision the share of its "
    "predictions that were right; F1 is high only if both are.",
    lambda findings: rows(findings.activity_scores),
    template_beside(__file__),
    _figures,
    lambda findings, data: {"activities": pd.DataFrame(data)},
)
