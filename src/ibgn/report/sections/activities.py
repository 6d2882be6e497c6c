"""How well each activity is recognised, and what it is mistaken for."""

from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_confusion
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION"]


def _data(findings: Findings) -> dict[str, Any]:
    return {
        "method": findings.method,
        "labels": [str(label) for label in findings.confusion.index],
        "counts": findings.confusion.to_numpy().tolist(),
        "rows": rows(findings.activity_scores),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    counts = findings.confusion.to_numpy()
    alt = (
        f"Confusion matrix of {findings.method}: {counts.trace()} of {counts.sum()} predictions "
        "lie on the diagonal; the table of activities names the most frequent mistakes."
    )
    return {"confusion": Figure(lambda: plot_confusion(findings.confusion), alt)}


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    labels, counts = findings.confusion.index, findings.confusion.to_numpy()
    confusion = {  # a column per activity could have the name of another column
        "label": np.repeat(labels, len(labels)),
        "predicted": np.tile(labels, len(labels)),
        "instances": counts.ravel(),
    }
    return {
        "confusion": pd.DataFrame(confusion),
        "activities": pd.DataFrame(data["rows"]),
    }


SECTION = Section(
    "activities",
    "Each activity",
    "Each row is a true activity, each column a prediction, in per cent of the row; a perfect "
    "method fills the diagonal only.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
