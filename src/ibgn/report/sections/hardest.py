"""The instances that a method found hardest, and why."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from ibgn.model.explanation import COLUMNS
from ibgn.plots import plot_explanation, plot_timeline
from ibgn.plots.explanation import MOST_ABSENT
from ibgn.report.findings import Findings, HardInstance
from ibgn.report.section import Figure, Section, draw_in_column, template_beside
from ibgn.text import count, printable

__all__ = ["SECTION"]

MOST_REASONS = 8
MOST_LINKS = 4  # that are drawn
LANE = 0.27  # inches
TALLEST = 7.0


def _describe(hard: HardInstance, method: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "method": method,
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
    lanes = len(set(hard.instance.action.tolist()))
    if why is None:
        draw = partial(_draw_untitled, plot_timeline, hard.instance, lanes=lanes)
        return f"timeline-{number}", Figure(draw, f"Timeline of {named}.")
    alt = (
        f"Timeline of {named}, coloured by what spoke for {printable(why.activity)} and against "
        f"{printable(why.against)}; the strongest reasons are listed beside it."
    )
    plot = partial(plot_explanation, most_links=MOST_LINKS)
    lanes += MOST_ABSENT + 2  # two for the key
    return f"explanation-{number}", Figure(partial(_draw_untitled, plot, why, lanes=lanes), alt)


def _draw_untitled(plot: Callable[..., Axes], what: Any, lanes: int) -> Axes:
    """Draw intervals without a title, which the page has above."""
    ax = draw_in_column(plot, what, height=min(LANE * lanes + 1, TALLEST))
    for place in ("left", "center"):
        ax.set_title("", loc=place)
    return ax


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
    "learned from them.",
    lambda findings: [_describe(hard, findings.method) for hard in findings.hardest],
    template_beside(__file__),
    lambda findings, data: dict(_figure(n, hard) for n, hard in enumerate(findings.hardest)),
    _frames,
)
