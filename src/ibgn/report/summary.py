"""What a report says, as a dictionary of plain numbers, words and lists: the seam to any page."""

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import precision_recall_fscore_support

from ibgn.evaluation.plain import rows
from ibgn.evaluation.scores import BINS
from ibgn.model.activity import ActivityModel
from ibgn.report.findings import Findings, HardInstance
from ibgn.text import count

__all__ = ["calibration", "chance", "chosen_models", "convergence", "summarise", "versions"]

PACKAGES = ("ibgn", "numpy", "scipy", "pandas", "scikit-learn", "numba", "matplotlib")
SPLITS = {
    "stratified": "Each fold has its share of every activity.",
    "group": "Instances of a group are in one fold, so that methods are tested on new groups.",
    "leave-one-group-out": "Each fold is one group, so that methods are tested on new groups.",
}
MOST_MODELS = 24  # activities whose model has a place on the page, the hardest ones
MOST_RELATIONS = 8
MOST_REASONS = 8


def summarise(findings: Findings) -> dict[str, Any]:
    """Everything that a page says about findings; `json.dumps` takes it.

    Keys are the sections of the page, in its order: title, question, headline, data, comparison,
    robustness, confusion, activities, calibration, model, hardest, reproduce.
    """
    origin = findings.origin
    activities = _activities(findings)
    return {
        "title": origin.title,
        "question": origin.question,
        "headline": _headline(findings),
        "data": _data(findings),
        "comparison": _comparison(findings),
        "robustness": None if findings.robustness is None else rows(findings.robustness),
        "confusion": _confusion(findings),
        "activities": activities,
        "calibration": {"method": findings.method, "rows": rows(calibration(findings))},
        "model": _model(findings, activities),
        "hardest": [_hard(one) for one in findings.hardest],
        "reproduce": {"command": origin.command, "seed": origin.seed, "versions": versions()},
    }


def _data(findings: Findings) -> dict[str, Any]:
    found = findings.inspection.as_dict()
    return found | {"warnings": [*findings.origin.warnings, *found["warnings"]]}


def versions() -> dict[str, str]:
    """What this was computed with."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def _headline(findings: Findings) -> str:
    """What came out, in one or two sentences."""
    table = findings.evaluation.summary()
    best = table.iloc[0]
    told = f"{best['method']} is the most accurate of {len(table)} methods: "
    if len(table) == 1:
        told = f"{best['method']} recognises "
    told += f"{best['accuracy']:.1%}"
    if np.isfinite(best["accuracy_error"]):
        told += f" (± {best['accuracy_error']:.1%})"
    told += f" on average over {count(int(best['folds']), 'fold')}"
    tests = findings.evaluation.compare()
    if tests.empty:
        return f"{told}."
    told_apart = tests["p_holm"] < 0.05  # not so where p is unknown, as after one fold
    close = tests.loc[~told_apart, "method"].astype(str).tolist()
    if not close:
        return f"{told}, and every other method is told apart from it (p < 0.05, by Holm)."
    if len(close) == len(tests):
        return f"{told}. These folds do not tell any other method apart from it."
    return f"{told}. These folds do not tell apart from it: {', '.join(close)}."


def _comparison(findings: Findings) -> dict[str, Any]:
    table = findings.evaluation.summary()
    folds = findings.evaluation.scores
    return {
        "split": SPLITS.get(findings.origin.scheme, findings.origin.scheme),
        "folds": int(folds.groupby("method")["fold"].nunique().max()),
        "repeats": int(folds["repeat"].nunique()),
        "chance": chance(findings),
        "rows": rows(table),
        "reference": str(table["method"][0]),
        "tests": rows(findings.evaluation.compare()),
    }


def chance(findings: Findings) -> float:
    """Accuracy of who always says the most frequent label."""
    counts = findings.inspection.instances_per_activity
    return max(counts.values()) / sum(counts.values())


def _confusion(findings: Findings) -> dict[str, Any]:
    table = findings.evaluation.confusion(findings.method)
    labels, counts = [str(label) for label in table.index], table.to_numpy().tolist()
    return {"method": findings.method, "labels": labels, "counts": counts}


def _activities(findings: Findings) -> list[dict[str, Any]]:
    """Scores of each activity under the method that is looked at."""
    table = findings.evaluation.confusion(findings.method)
    found = findings.evaluation.predictions
    part = found[found["method"] == findings.method]
    labels = [str(label) for label in table.index]
    precision, recall, f1, instances = precision_recall_fscore_support(
        part["label"], part["predicted"], labels=labels, zero_division=0
    )
    mistakes = table.to_numpy() * (1 - np.eye(len(labels), dtype=int))
    return [
        {
            "activity": label,
            "instances": int(instances[c]) // max(part["repeat"].nunique(), 1),
            "precision": float(precision[c]),
            "recall": float(recall[c]),
            "f1": float(f1[c]),
            "mistaken_for": labels[int(mistakes[c].argmax())] if mistakes[c].any() else None,
            "mistaken": int(mistakes[c].max()),
        }
        for c, label in enumerate(labels)
    ]


def calibration(findings: Findings) -> pd.DataFrame:
    """How often the method is right where it says that it is so sure, in bins of confidence."""
    found = findings.evaluation.predictions
    part = found[found["method"] == findings.method]
    part = part.assign(
        right=part["label"] == part["predicted"],
        bin=np.minimum((part["confidence"] * BINS).astype(int), BINS - 1),
    )
    table = part.groupby("bin").agg(
        confidence=("confidence", "mean"), accuracy=("right", "mean"), instances=("right", "size")
    )
    return table.reset_index(drop=True)


def chosen_models(findings: Findings, activities: list[dict[str, Any]]) -> list[str]:
    """Activities whose models are shown, by name; where there are many, the worst recognised."""
    known = [row for row in activities if row["activity"] in findings.activities]
    worst = sorted(known, key=lambda row: row["f1"])[:MOST_MODELS]
    return sorted(row["activity"] for row in worst)


def _model(findings: Findings, activities: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not findings.activities:
        return None
    names = chosen_models(findings, activities)
    return {
        "method": findings.method,
        "activities": [_learned(findings.activities[name]) for name in names],
        "left_out": len(findings.activities) - len(names),
        "converged": sum(m.convergence.converged for m in findings.activities.values()),
        "in_all": len(findings.activities),
    }


def _learned(model: ActivityModel) -> dict[str, Any]:
    fewest, most = int(model.lengths.min()), int(model.lengths.max())
    size = max(most, model.structure.size)
    return {
        "activity": str(model.name),
        "instances": len(model.lengths),
        "intervals": [fewest, most],
        "tables": int((model.nodes.shares >= 0.01).sum()),
        "linked": int(model.structure.mask(size).sum()),
        "pairs": size * (size - 1) // 2,
        "relations": rows(model.relations().head(MOST_RELATIONS)),
        "convergence": convergence(model),
    }


def convergence(model: ActivityModel) -> dict[str, Any]:
    """What is known of the chains of an activity, as plain numbers."""
    found = model.convergence
    return {
        "burn_in": int(found.burn_in),
        "thin": int(found.thin),
        "draws": int(found.draws),
        "effective_sample_size": float(found.effective_sample_size),
        "rhat": float(found.rhat) if np.isfinite(found.rhat) else None,
        "dependence_factor": float(found.dependence_factor),
        "converged": bool(found.converged),
    }


def _hard(one: HardInstance) -> dict[str, Any]:
    told: dict[str, Any] = {
        "instance": one.name,
        "label": one.label,
        "predicted": one.predicted,
        "probability": one.probability,
        "intervals": count(len(one.instance.action), "interval"),
        "reasons": None,
    }
    if one.explanation is None:
        return told
    why = one.explanation
    sums = {"prior": why.prior, "actions": why.nodes.sum(), "relations": why.links.sum()}
    if why.absent:
        sums["absent actions"] = sum(why.absent.values())
    return told | {
        "activity": str(why.activity),
        "against": str(why.against),
        "log_odds": float(why.log_odds),
        "parts": {name: float(value) for name, value in sums.items()},
        "reasons": rows(why.table().head(MOST_REASONS)),
    }
