"""The instances that a method found hardest, and why."""

from typing import Any

import pandas as pd

from ibgn.model.explanation import COLUMNS
from ibgn.plots import plot_explanation, plot_timeline
from ibgn.report.findings import Findings, HardInstance
from ibgn.report.section import Figure, Section, template_beside
from ibgn.text import count, printable

__all__ = ["SECTION"]

MOST_REASONS = 8


def _describe(hard: HardInstance) -> dict[str, Any]:
    described: dict[str, Any] = {
        "instance": hard.name,
        "label": hard.label,
        "predicted": hard.predicted,
        "probability": hard.probability,
        "intervals": count(len(hard.instance.action), "interval"),
        "reasons": None,
    }
    why = hard.explanation
    if why is None:
        return described
    return described | {
        "activity": str(why.activity),
        "against": str(why.against),
        "log_odds": float(why.log_odds),
        "headline": why.headline,
        "parts": why.by_term,
        "reasons": [reason._asdict() for reason in why.reasons(MOST_REASONS)],
    }


def _figure(number: int, hard: HardInstance) -> tuple[str, Figure]:
    named = f"{printable(hard.name)}: {count(len(hard.instance.action), 'interval')}"
    why = hard.explanation
    if why is None:
        figure = Figure(lambda: plot_timeline(hard.instance), f"Timeline of {named}.")
        return f"timeline-{number}", figure
    alt = (
        f"Log odds by term, and timeline of {named}, coloured by what spoke for "
        f"{printable(why.activity)} and against {printable(why.against)}; the strongest reasons "
        "are listed above."
    )
    # the page has the reasons in words above the figure
    return f"explanation-{number}", Figure(lambda: plot_explanation(why, reasons=0), alt)


def _frames(findings: Findings, data: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    names = ["instance", "label", "predicted", "probability"]
    reasons = [
        hard.explanation.frame().assign(
            instance=hard.name, label=hard.label, predicted=hard.predicted
        )
        for hard in findings.hardest
        if hard.explanation is not None
    ]
    return {
        "hardest": pd.DataFrame([[row[name] for name in names] for row in data], columns=names),
        "reasons": pd.concat(reasons, ignore_index=True)
        if reasons
        else pd.DataFrame(columns=[*COLUMNS, *names[:3]]),
    }


SECTION = Section(
    "hardest",
    "The hardest instances",
    "The test instances whose true activity got the lowest probability, from a model that had not "
    "learned from them, and why. Blue speaks for the prediction, orange for the activity that it "
    "is compared with: the true one, or the next likeliest if the prediction is right. The weights "
    "add up to the log odds; +2.3 means ten times as likely.",
    lambda findings: [_describe(hard) for hard in findings.hardest],
    template_beside(__file__),
    lambda findings, data: dict(_figure(n, hard) for n, hard in enumerate(findings.hardest)),
    _frames,
)
