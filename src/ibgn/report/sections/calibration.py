"""Whether a method is right as often as it says."""

from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.metrics import calibration_by_chance
from ibgn.metrics.probabilities import bin_confidence
from ibgn.plots import plot_calibration
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION", "bins_of_confidence"]


def bins_of_confidence(predictions: pd.DataFrame) -> pd.DataFrame:
    """Mean confidence, accuracy and number of instances in each bin of confidence."""
    part = predictions.assign(
        right=predictions["label"] == predictions["predicted"],
        bin=bin_confidence(predictions["confidence"].to_numpy(float)),
    )
    bins = part.groupby("bin").agg(
        confidence=("confidence", "mean"), accuracy=("right", "mean"), instances=("right", "size")
    )
    return bins.reset_index(drop=True)


def _data(findings: Findings) -> dict[str, Any]:
    predictions = findings.predictions
    once = predictions[predictions["repeat"] == predictions["repeat"].min()]
    limit = calibration_by_chance(once["confidence"].to_numpy(float))[-1]
    return {
        "method": findings.method,
        "rows": rows(bins_of_confidence(predictions)),
        "limit": float(limit),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    alt = f"How often {findings.method} is right, against how sure it says it is."
    bins, limit = pd.DataFrame(data["rows"]), data["limit"]
    return {"calibration": Figure(lambda: plot_calibration(bins, limit=limit), alt)}


SECTION = Section(
    "calibration",
    "How sure it is",
    "A method that says it is 80% sure should be right in 80 of 100 such cases. Predictions are "
    "grouped by how sure they were; points below the line are too sure, points above it not sure "
    "enough.",
    _data,
    template_beside(__file__),
    _figures,
    lambda findings, data: {"calibration": pd.DataFrame(data["rows"])},
)
