"""How soon activities are recognised, and how often early decisions are wrong."""

from functools import partial
from typing import Any

import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.plots import plot_earliness
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside

__all__ = ["SECTION"]

HEIGHT = 3.4  # inches
ALTS = {
    "curves": "Accuracy of each method as instances go on, until all has been seen; the numbers "
    "are in the table.",
    "trade_off": "Accuracy of each method against the mean share of an instance that it has seen "
    "when it decides.",
}


def _data(findings: Findings) -> dict[str, Any]:
    early = findings.early
    if early is None:
        return {}
    frames = {
        "curves": early.curves(),
        "trade_off": early.trade_off(),
        "decisions": early.decisions(),
    }
    return {name: rows(findings.ranked(frame)) for name, frame in frames.items()}


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    return {
        f"early-{name.replace('_', '-')}": Figure(
            partial(draw_in_column, plot_earliness, pd.DataFrame(data[name]), height=HEIGHT), alt
        )
        for name, alt in ALTS.items()
    }


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    return {f"early-{name.replace('_', '-')}": pd.DataFrame(part) for name, part in data.items()}


SECTION = Section(
    "early",
    "How soon it is known",
    "Test instances were also shown to the methods event by event. How much their scores are worth "
    "while an instance goes on, and how sure they must be to decide, they learned within the "
    "training sets.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
