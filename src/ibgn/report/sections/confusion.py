"""Which activities are mistaken for which."""

from typing import Any

from ibgn.plots import plot_confusion
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION"]


def _data(findings: Findings) -> dict[str, Any]:
    return {
        "method": findings.method,
        "labels": [str(label) for label in findings.confusion.index],
        "counts": findings.confusion.to_numpy().tolist(),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    counts = findings.confusion.to_numpy()
    alt = (
        f"Confusion matrix of {findings.method}: {counts.trace()} of {counts.sum()} predictions "
        "lie on the diagonal; the table of activities names the most frequent mistakes."
    )
    return {"confusion": Figure(lambda: plot_confusion(findings.confusion), alt)}


SECTION = Section(
    "confusion",
    "What is mistaken for what",
    "Each row is a true activity, each column a prediction; a perfect method fills the diagonal "
    "only. Fields off the diagonal are mistakes.",
    _data,
    template_beside(__file__),
    _figures,
    lambda findings, data: {
        "confusion": findings.confusion.rename_axis(index="label").reset_index()
    },
)
