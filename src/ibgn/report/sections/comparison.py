"""All methods side by side: scores, and paired tests against the best."""

from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_comparison
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION"]

SPLITS = {
    "stratified": "Each fold has its share of every activity.",
    "group": "Instances of a group are in one fold, so that methods are tested on new groups.",
    "leave-one-group-out": "Each fold is one group, so that methods are tested on new groups.",
}


def _data(findings: Findings) -> dict[str, Any]:
    folds = findings.evaluation.scores
    instances = findings.inspection.instances_per_activity.values()
    return {
        "split": SPLITS.get(findings.origin.scheme, findings.origin.scheme),
        "folds": int(folds.groupby("method")["fold"].nunique().max()),
        "repeats": int(folds["repeat"].nunique()),
        "chance": max(instances) / sum(instances),  # of always guessing the most frequent activity
        "rows": rows(findings.summary),
        "reference": str(findings.summary["method"][0]),
        "tests": rows(findings.tests),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    accuracies = ", ".join(f"{row['method']} {row['accuracy']:.3f}" for row in data["rows"])
    return {
        "comparison": Figure(
            lambda: plot_comparison(findings.summary, chance=data["chance"]),
            f"Accuracy of each method with its standard error: {accuracies}.",
        )
    }


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    return {
        "comparison": findings.summary,
        "paired-tests": findings.tests,
        "folds": findings.evaluation.scores,
        "predictions": findings.evaluation.predictions,
    }


SECTION = Section(
    "comparison",
    "Methods side by side",
    "Every method learned from one part of the instances and was tested on the others, which it "
    "had not seen. A method has the same colour in all figures.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
