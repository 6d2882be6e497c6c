"""Whether methods are right as often as they say."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_reliability
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside
from ibgn.text import printable

__all__ = ["SECTION"]

HEIGHT = 3.8  # inches


def _data(findings: Findings) -> dict[str, Any]:
    bins = dict(list(findings.reliability.groupby("method")))
    return {
        "method": findings.method,
        "methods": [_judged(row, bins[row["method"]]) for row in rows(findings.summary)],
        "rows": rows(findings.reliability),
    }


def _judged(row: dict[str, Any], bins: pd.DataFrame) -> dict[str, Any]:
    """How sure a method is and how often it is right, over all bins."""
    return {name: row[name] for name in ("method", "calibration_error", "calibration_limit")} | {
        "confidence": float(np.average(bins["confidence"], weights=bins["instances"])),
        "accuracy": float(np.average(bins["accuracy"], weights=bins["instances"])),
        "always_sure": bool((bins["confidence"] == 1).all()),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    figures = {}
    for number, row in enumerate(data["methods"]):
        if row["always_sure"]:
            continue
        method = row["method"]
        draw = partial(
            draw_in_column, plot_reliability, findings.reliability, method, height=HEIGHT
        )
        alt = f"How often {printable(method)} is right, against how sure it says it is."
        figures[f"reliability-{number}"] = Figure(draw, alt)
    return figures


SECTION = Section(
    "calibration",
    "How sure they are",
    "A method that says it is 80% sure should be right in 80 of 100 such cases.",
    _data,
    template_beside(__file__),
    _figures,
    lambda findings, data: {"reliability": findings.reliability},
)
