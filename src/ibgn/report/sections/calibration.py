"""Whether a method is right as often as it says."""

from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.evaluation.scores import BINS
from ibgn.plots import plot_calibration
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside

__all__ = ["SECTION", "bins_of_confidence"]


def bins_of_confidence(predictions: pd.DataFrame) -> pd.DataFrame:
    """Mean confidence, accuracy and number of instances in each bin of confidence."""
    part = predictions.assign(
        right=predictions["label"] == predictions["predicted"],
        bin=np.minimum((predictions["confidence"] * BINS).astype(int), BINS - 1),
    )
    bins = part.groupby("bin").agg(
        confidence=("confidence", "mean"), accuracy=("right", "mean"), instances=("right", "size")
    )
    return bins.reset_index(drop=True)


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    alt = f"How often {findings.method} is right, against how sure it says it is."
    return {"calibration": Figure(lambda: plot_calibration(pd.DataFrame(data["rows"])), alt)}


SECTION = Section(
    "calibration",
    "How sure it is",
    "A method that says it is 80% sure should be right in 80 of 100 such cases. Predictions are "
    "grouped by how sure they were; points below the line are too sure, points above it not sure "
    "enough.",
    lambda findings: {
        "method": findings.method,
        "rows": rows(bins_of_confidence(findings.predictions)),
    },
    template_beside(__file__),
    _figures,
    lambda findings, data: {"calibration": pd.DataFrame(data["rows"])},
)
