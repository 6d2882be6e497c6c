"""The tables of a report, each a CSV file for whoever wants one."""

from typing import Any

import pandas as pd

from ibgn.model.activity import ActivityModel
from ibgn.report.findings import Findings
from ibgn.report.summary import calibration, convergence

__all__ = ["make_tables"]

# columns of the table of reasons, also where there are none to give
REASONS = (
    *("kind", "first", "second", "action", "relation", "other", "contribution"),
    *("instance", "label", "predicted"),
)


def make_tables(findings: Findings, summary: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """Tables by name; those of models have all activities, also where the page has some."""
    confusion = findings.evaluation.confusion(findings.method).rename_axis(index="label")
    tables = {
        "comparison": findings.evaluation.summary(),
        "paired-tests": findings.evaluation.compare(),
        "folds": findings.evaluation.scores,
        "predictions": findings.evaluation.predictions,
        "confusion": confusion.reset_index(),
        "activities": pd.DataFrame(summary["activities"]),
        "calibration": calibration(findings),
        "hardest": _hardest(findings),
        "reasons": _reasons(findings),
    }
    if findings.robustness is not None:
        tables["robustness"] = findings.robustness
    if findings.activities:
        tables |= _model_tables(findings)
    return tables


def _hardest(findings: Findings) -> pd.DataFrame:
    names = ["instance", "label", "predicted", "probability"]
    rows = [(one.name, one.label, one.predicted, one.probability) for one in findings.hardest]
    return pd.DataFrame(rows, columns=names)


def _reasons(findings: Findings) -> pd.DataFrame:
    """What spoke for the prediction of each of the hardest instances, and what against it."""
    parts = [
        one.explanation.table().assign(instance=one.name, label=one.label, predicted=one.predicted)
        for one in findings.hardest
        if one.explanation is not None
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=REASONS)


def _model_tables(findings: Findings) -> dict[str, pd.DataFrame]:
    """What all activities learned, those included that have no place on the page."""
    models = {str(name): model for name, model in findings.activities.items()}
    return {
        "tables": pd.concat([m.tables().assign(activity=name) for name, m in models.items()]),
        "relations": pd.concat([m.relations().assign(activity=name) for name, m in models.items()]),
        "structure": pd.DataFrame(
            [(name, i, j) for name, m in models.items() for i, j in _linked_pairs(m)],
            columns=["activity", "earlier", "later"],
        ),
        "convergence": pd.DataFrame(
            [{"activity": name} | convergence(m) for name, m in models.items()]
        ),
    }


def _linked_pairs(model: ActivityModel) -> list[tuple[int, int]]:
    size = max(int(model.lengths.max(initial=0)), model.structure.size)
    mask = model.structure.mask(size)
    return [(i, j) for j in range(size) for i in range(j) if mask[i, j]]
