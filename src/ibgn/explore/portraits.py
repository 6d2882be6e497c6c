"""What a model knows: each activity's terms, what separates two, and what it generates."""

import math
from typing import Any

import numpy as np

from ibgn.classifiers.questions import unquestioned
from ibgn.errors import DataError
from ibgn.explore.desk import Desk, Plain
from ibgn.intervals import IntervalSequences
from ibgn.text import quote

__all__ = ["contrast", "describe_activity", "describe_model", "sample"]

ROWS = 12  # of each term
COMPARED = 25  # instances of each of two activities
SHOWN = 15  # things that separate them
SAMPLES = 6


def describe_model(desk: Desk) -> Plain:
    """Weights of the terms, and how much was learned from."""
    model = desk.model
    if model is None:
        return {"weights": None}
    weights = model.describe_weights()
    known = getattr(model, "trained_on_", None)
    return {
        "name": type(model).__name__,
        "activities": [str(label) for label in model.classes_.tolist()],
        "weights": dict(zip(weights["term"], weights["weight"].tolist(), strict=True)),
        "instances": None if known is None else known.instances,
        "intervals": None if known is None else known.intervals,
    }


def describe_activity(desk: Desk, name: str) -> Plain:
    """What each term has learned of an activity: a sentence and a few rows."""
    activity = getattr(desk.model, "activities_", {}).get(find_label(desk, name))
    if activity is None:
        return {"activity": name, "terms": [], "styles": 0}
    terms = []
    for term, fitted in activity.terms.items():
        frame = fitted.describe().head(ROWS)
        rows = [[_plain(value) for value in row] for row in frame.itertuples(index=False)]
        terms.append(
            {"name": term, "brief": fitted.brief(), "columns": list(frame.columns), "rows": rows}
        )
    styles = [float(share) for share in activity.shares] if activity.styles else []
    return {"activity": name, "terms": terms, "styles": styles}


def contrast(desk: Desk, first: str, second: str) -> Plain:
    """What separates two activities: means of what speaks for each in instances of it.

    If there are none, in instances that the model generates.
    """
    labels = find_label(desk, first), find_label(desk, second)
    if labels[0] == labels[1]:
        raise DataError("name two activities that differ")
    found = []
    for label, other in (labels, labels[::-1]):
        instances, generated = _find_instances(desk, label)
        sums: dict[tuple[str, str, str, str], float] = {}
        for number in range(len(instances)):
            with unquestioned():
                why = desk.model.explain(instances[[number]], other, label)
            frame = why.frame()
            keys = zip(*(frame[c] for c in ("term", "action", "relation", "other")), strict=True)
            for key, value in zip(keys, frame["contribution"], strict=True):
                sums[key] = sums.get(key, 0.0) + float(value) / len(instances)
        strongest = sorted(sums.items(), key=lambda item: -abs(item[1]))[:SHOWN]
        rows = [
            dict(zip(("term", "action", "relation", "other"), k, strict=True)) | {"mean": v}
            for k, v in strongest
        ]
        side = {"activity": str(label), "instances": len(instances), "generated": generated}
        found.append(side | {"rows": rows})
    return {"sides": found}


def _find_instances(desk: Desk, label: Any) -> tuple[IntervalSequences, bool]:
    """Instances of an activity, and whether the model had to generate them."""
    numbers = [n for n, each in enumerate(desk.collection.labels) if each == label][:COMPARED]
    if numbers or not hasattr(desk.model, "sample"):
        return desk.collection.take(numbers), False
    return desk.model.sample(COMPARED, label, random_state=0), True


def sample(desk: Desk, name: str, seed: int) -> Plain:
    """New instances of an activity."""
    if not hasattr(desk.model, "sample"):
        raise DataError("this model does not generate instances")
    drawn = desk.model.sample(SAMPLES, find_label(desk, name), random_state=seed)
    instances = [
        {"intervals": [{"action": a, "start": s, "end": e} for a, s, e in rows]}
        for rows in drawn.to_lists()
    ]
    return {"activity": name, "seed": seed, "instances": instances}


def find_label(desk: Desk, name: str) -> Any:
    """The label that a page names."""
    if desk.model is None:
        raise DataError("there is no model yet; let one learn from the labels, or open one")
    for label in desk.model.classes_.tolist():
        if str(label) == name:
            return label
    raise DataError(f"the model does not know the activity {quote(name)}")


def _plain(value: Any) -> Any:
    if isinstance(value, int | float | np.number):
        number = float(value)
        return round(number, 4) if math.isfinite(number) else None
    return str(value)
