"""What a model learned of each activity, term by term."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ibgn._arrays import Bools
from ibgn.evaluation.plain import rows
from ibgn.model.activity import ActivityModel
from ibgn.plots import plot_structure, plot_styles, plot_traces
from ibgn.plots.terms import draw_term
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, draw_in_column, template_beside
from ibgn.terms import TERMS
from ibgn.terms.base import FittedTerm
from ibgn.text import printable

__all__ = ["SECTION"]

MOST_MODELS = 24  # activities shown on the page: those that are recognised worst
MOST_DRAWN = 1  # activities whose terms are drawn: the page stays small and is soon made
MOST_TERMS = 4  # that are drawn: those that say most
MOST_FACTS = 8  # of a term, the most telling
HEIGHT = 3.8  # inches


def _data(findings: Findings) -> dict[str, Any] | None:
    models = findings.activities
    if not models:
        return None
    scores = findings.activity_scores
    known = scores[scores["activity"].isin(models)]
    worst = known.sort_values("f1", kind="stable")["activity"].head(MOST_MODELS)
    drawn = set(worst.head(MOST_DRAWN))
    chains = [_convergence(model) for model in models.values()]
    return {
        "method": findings.method,
        "weights": _weights(findings),
        "weighted": _weighted(findings),
        "activities": [
            _describe(models[name]) | {"drawn": name in drawn} for name in sorted(worst)
        ],
        "unit": findings.origin.unit,
        "drawn": len(drawn),
        "left_out": len(models) - len(worst),
        "chains": sum(diagnostics is not None for diagnostics in chains),
        "converged": sum(bool(diagnostics and diagnostics["converged"]) for diagnostics in chains),
        "in_all": len(models),
    }


def _weights(findings: Findings) -> list[dict[str, Any]]:
    """Weight and spread of each term or member, the one that says most first, with its meaning."""
    if findings.weights is None:
        return []
    by = "spread" if "spread" in findings.weights else "weight"
    frame = findings.weights.sort_values(by, ascending=False, kind="stable")
    frame = frame.assign(part=frame[by] / (frame[by].max() or 1))
    return [row | {"meaning": _meaning(row["term"])} for row in rows(frame)]


def _meaning(term: str) -> str:
    """What a term is about: the first line of the documentation of its class."""
    return (getattr(TERMS.get(term), "__doc__", None) or "").partition("\n")[0]


def _weighted(findings: Findings) -> str:
    """What has a weight: a term of the activities, or a member of an ensemble."""
    terms = {name for model in findings.activities.values() for name in model.terms}
    named = set() if findings.weights is None else set(findings.weights["term"])
    return "term" if named <= terms else "member"


def _describe(model: ActivityModel) -> dict[str, Any]:
    described = {
        "activity": str(model.name),
        "instances": len(model.lengths),
        "intervals": [int(model.lengths.min()), int(model.lengths.max())],
        "terms": {name: _facts(term) for name, term in model.terms.items()},
        "convergence": _convergence(model),
        "styles": [float(share) for share in model.shares] if model.styles else [],
    }
    if "relations" in model:
        linked = _linked(model)
        pairs = len(linked) * (len(linked) - 1) // 2
        described |= {"linked": int(linked.sum()), "pairs": pairs}
    return described


def _facts(term: FittedTerm) -> dict[str, Any]:
    frame = term.describe()
    facts = rows(frame.head(MOST_FACTS))
    return {
        "brief": term.brief(),
        "columns": [str(name) for name in frame.columns],
        "rows": [list(row.values()) for row in facts],
        "left_out": len(frame) - len(facts),
    }


def _linked(model: ActivityModel) -> Bools:
    """(positions, positions) which earlier position is linked to which later one."""
    structure = model["relations"].structure
    linked: Bools = structure.mask(int(model.lengths.max(initial=0)))
    return linked


def _convergence(model: ActivityModel) -> dict[str, Any] | None:
    """Diagnostics of the chains that learned an activity, as plain numbers; None without chains."""
    if "tables" not in model:
        return None
    diagnostics = model["tables"].convergence
    return {
        "burn_in": int(diagnostics.burn_in),
        "thin": int(diagnostics.thin),
        "draws": int(diagnostics.draws),
        "effective_sample_size": float(diagnostics.effective_sample_size),
        "rhat": float(diagnostics.rhat) if np.isfinite(diagnostics.rhat) else None,
        "dependence_factor": float(diagnostics.dependence_factor),
        "converged": bool(diagnostics.converged),
    }


def _figures(findings: Findings, data: dict[str, Any]) -> dict[str, Figure]:
    figures = {}
    rank = {row["term"]: place for place, row in enumerate(data["weights"])}
    for number, row in enumerate(data["activities"]):
        if not row["drawn"]:
            continue
        model, name = findings.activities[row["activity"]], printable(row["activity"])
        others = [other for other in findings.activities.values() if other is not model]
        if model.styles and "occupancy" in model:
            alt = f"Which actions go on when, in each style of {name}."
            figures[f"styles-{number}"] = Figure(
                partial(draw_in_column, plot_styles, model, height=1.25 * HEIGHT), alt
            )
        drawn = [term for term in model.terms if term != "relations" or row["linked"]]
        for term in sorted(drawn, key=lambda term: rank.get(term, len(rank)))[:MOST_TERMS]:
            alt = f"Figure of {printable(term)} in {name}; its numbers are in the table below."
            draw = partial(draw_in_column, partial(draw_term, term, model, others), height=HEIGHT)
            figures[f"{term}-{number}"] = Figure(draw, alt)
        if 0 < row.get("linked", 0) < row["pairs"]:
            alt = f"Which pairs of positions of {name} are linked."
            figures[f"structure-{number}"] = Figure(
                partial(draw_in_column, plot_structure, model, height=1.25 * HEIGHT), alt
            )
        if "tables" in model:
            alt = f"Log joint of the chains that learned {name}."
            figures[f"traces-{number}"] = Figure(
                partial(draw_in_column, plot_traces, model, height=HEIGHT), alt
            )
    return figures


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """What was learned about all activities, including those that the page leaves out."""
    models = {str(name): model for name, model in findings.activities.items()}
    described: dict[str, list[pd.DataFrame]] = {}
    links: list[tuple[str, int, int]] = []
    chains = []
    for name, model in models.items():
        for term, fitted in model.terms.items():
            described.setdefault(term, []).append(fitted.describe().assign(activity=name))
        if "relations" in model:
            pairs = np.argwhere(np.triu(_linked(model), 1).T).tolist()
            links += [(name, earlier, later) for later, earlier in pairs]
        chains.append({"activity": name} | (_convergence(model) or {}))
    frames = {f"term-{term}": pd.concat(parts) for term, parts in described.items()}
    frames["structure"] = pd.DataFrame(links, columns=["activity", "earlier", "later"])
    frames["convergence"] = pd.DataFrame(chains)
    styles = [
        (name, number, style.share, len(style.lengths))
        for name, model in models.items()
        for number, style in enumerate(model.members, 1)
    ]
    frames["styles"] = pd.DataFrame(styles, columns=["activity", "style", "share", "instances"])
    if findings.weights is not None:
        frames["weights"] = findings.weights
    return frames


SECTION = Section(
    "model",
    "What was learned",
    "Every activity has its own model, made of terms, each about one side of it. A weight per "
    "term, the same for all activities, says how much it counts.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
