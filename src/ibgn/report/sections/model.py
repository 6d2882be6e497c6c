"""What a model learned of each activity: its tables, its links, its chains."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.plain import rows
from ibgn.model.activity import ActivityModel
from ibgn.plots import plot_structure, plot_tables, plot_traces
from ibgn.report.findings import Findings
from ibgn.report.section import Figure, Section, template_beside
from ibgn.text import printable

__all__ = ["SECTION"]

MOST_MODELS = 24  # activities shown on the page: those that are recognised worst
MOST_RELATIONS = 8


def _data(findings: Findings) -> dict[str, Any] | None:
    models = findings.activities
    if not models:
        return None
    scores = findings.activity_scores
    known = scores[scores["activity"].isin(models)]
    worst = known.sort_values("f1", kind="stable")["activity"].head(MOST_MODELS)
    return {
        "method": findings.method,
        "activities": [_describe(models[name]) for name in sorted(worst)],
        "left_out": len(models) - len(worst),
        "converged": sum(model.convergence.converged for model in models.values()),
        "in_all": len(models),
    }


def _describe(model: ActivityModel) -> dict[str, Any]:
    linked = _linked(model)
    size = len(linked)
    return {
        "activity": str(model.name),
        "instances": len(model.lengths),
        "intervals": [int(model.lengths.min()), int(model.lengths.max())],
        "tables": int((model.nodes.shares >= 0.01).sum()),
        "linked": int(linked.sum()),
        "pairs": size * (size - 1) // 2,
        "relations": rows(model.relations().head(MOST_RELATIONS)),
        "convergence": _convergence(model),
    }


def _linked(model: ActivityModel) -> Any:
    """(positions, positions) which earlier position is linked to which later one."""
    return model.structure.mask(max(int(model.lengths.max(initial=0)), model.structure.size))


def _convergence(model: ActivityModel) -> dict[str, Any]:
    """Diagnostics of the chains that learned an activity, as plain numbers."""
    diagnostics = model.convergence
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
    for number, row in enumerate(data["activities"]):
        model, name = findings.activities[row["activity"]], printable(row["activity"])
        for kind, plot, alt in (
            ("tables", plot_tables, f"Tables of {name}: which actions sit at each."),
            ("structure", plot_structure, f"Which pairs of positions of {name} are linked."),
            ("traces", plot_traces, f"Log joint of the chains that learned {name}."),
        ):
            figures[f"{kind}-{number}"] = Figure(partial(plot, model), alt)
    return figures


def _frames(findings: Findings, data: dict[str, Any]) -> dict[str, pd.DataFrame]:
    """What was learned of all activities, also of those that the page leaves out."""
    models = {str(name): model for name, model in findings.activities.items()}
    return {
        "tables": pd.concat([m.tables().assign(activity=name) for name, m in models.items()]),
        "relations": pd.concat([m.relations().assign(activity=name) for name, m in models.items()]),
        "structure": pd.DataFrame(
            [
                (name, earlier, later)
                for name, model in models.items()
                for later, earlier in np.argwhere(np.triu(_linked(model), 1).T).tolist()
            ],
            columns=["activity", "earlier", "later"],
        ),
        "convergence": pd.DataFrame(
            [{"activity": name} | _convergence(m) for name, m in models.items()]
        ),
    }


SECTION = Section(
    "model",
    "What was learned",
    "Every activity has a model of its own. Tables are kinds of moments, each with the actions "
    "that are likely at it; links are pairs of positions whose relation in time is learned given "
    "their actions.",
    _data,
    template_beside(__file__),
    _figures,
    _frames,
)
