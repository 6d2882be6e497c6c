"""The command show: what a model knows, and where it comes from."""

import math
from typing import TYPE_CHECKING, Any

from ibgn.cli.flags import as_argument, in_shell, write_value
from ibgn.cli.options import Json, Model
from ibgn.cli.output import print_json
from ibgn.cli.tables import print_lines, print_table
from ibgn.text import count, quote

if TYPE_CHECKING:
    from ibgn.training_data import TrainingData

MOST = 40  # actions that are listed
ERRORS = (0.01, 0.05, 0.1)  # of early decisions
PURPOSES = {
    "predict": "to recognise the instances in a file, read like the training data",
    "segment": "to find its activities in streams, read like the training data",
    "sample": "to draw new instances of each activity",
}


def show(model: Model, as_json: Json = False) -> None:
    """Say what a model knows: its activities, actions, terms and weights, and how data were read.

    $ ibgn show takes.ibgn
    """
    from ibgn.classifiers import load
    from ibgn.persistence import written_by

    loaded = load(model)
    name = in_shell(as_argument(model))
    if hasattr(loaded, "segment"):  # what it knows of activities is a model by itself
        found = describe(loaded.model_) | {"trained_on": _describe_training(loaded.trained_on_)}
        commands = {"segment": f"ibgn segment {name} DATA"}
    else:
        found, commands = describe(loaded), {"predict": f"ibgn predict {name} DATA"}
        commands |= {"sample": f"ibgn sample {name}"} if hasattr(loaded, "sample") else {}
    found |= {
        "file": str(model),
        "bytes": model.stat().st_size,
        "written_by": written_by(model),
        "commands": commands,
    }
    if as_json:
        print_json(found)
    else:
        _print(found)


def describe(model: Any) -> dict[str, Any]:
    """What a model knows, as plain values."""
    from ibgn.evaluation.methods import name_method

    name, options = name_method(model)
    settings = {option: write_value(value) for option, value in options.items()}
    known = getattr(model, "trained_on_", None)  # which not every method of others remembers
    return {
        "method": name,
        "class": type(model).__name__,
        "options": settings,
        "actions": list(getattr(known or model, "actions" if known else "actions_", ())),
        "trained_on": None if known is None else _describe_training(known),
    } | describe_learned(model)


def _describe_training(known: "TrainingData") -> dict[str, Any]:
    """What a model remembers of its training data, as plain values."""
    read = known.provenance
    return {
        "instances": known.instances,
        "intervals": known.intervals,
        "format": None if read is None else read.format,
        "read_with": {} if read is None else read.given(),
    }


def _say_training(known: dict[str, Any]) -> str:
    flags = "".join(f", {name}={write_value(v)}" for name, v in known["read_with"].items())
    source = f" of the format {known['format']}{flags}" if known["format"] else ""
    counted = f"{count(known['instances'], 'instance')}, {count(known['intervals'], 'interval')}"
    return f"Training data: {counted}{source}"


def describe_learned(model: Any) -> dict[str, Any]:
    """Weights of the terms, and what is known of each activity, as plain values."""
    weights = model.describe_weights()
    known = getattr(model, "activities_", {})
    activities: dict[str, dict[str, Any]] = {}
    for label in model.classes_.tolist():
        if label not in known:  # classifiers on features have no models of activities
            activities[str(label)] = {}
            continue
        activity = known[label]
        lengths = activity.lengths.tolist()
        activities[str(label)] = {
            "instances": len(lengths),
            "intervals": [min(lengths, default=0), max(lengths, default=0)],
            "styles": max(1, len(activity.styles)),
            "terms": {term: fitted.brief() for term, fitted in activity.terms.items()},
        }
    return {
        "weights": dict(zip(weights["term"], weights["weight"].tolist(), strict=True)),
        "activities": activities,
    } | (_describe_pairs(model) | _describe_decisions(model))


def _describe_pairs(model: Any) -> dict[str, Any]:
    """How many pairs of intervals a model was learned from, of how many, as plain values."""
    if not hasattr(model, "pairs_"):
        return {}
    within, every = model.pairs_
    return {"horizon": model.horizon, "pairs": {"within": within, "all": every}}


def _describe_decisions(model: Any) -> dict[str, Any]:
    """From which probability on a model decides early, as plain values; null where it never does.

    One value for each share of errors that may be asked for.
    """
    known = getattr(model, "decisions_", None)
    if known is None:
        return {}
    odds = {error: known.threshold(error) for error in ERRORS}
    likeliest = {
        f"{error:g}": 1 / (1 + math.exp(-each)) if math.isfinite(each) else None
        for error, each in odds.items()
    }
    return {"early": {"instances": known.instances, "decides_from": likeliest}}


def say_decisions(found: dict[str, Any]) -> str:
    """From which probability on it decides early, for each share of errors."""
    parts = [
        f"{float(error):.0%} errors "
        + ("never" if sure is None else f"from a probability of {sure:.3g} on")
        for error, sure in found["decides_from"].items()
    ]
    held_out = count(found["instances"], "instance")
    return f"Early decisions, tested on {held_out} held out: {', '.join(parts)}"


def say_horizon(found: dict[str, Any]) -> str:
    """How many intervals after each it is related with, and what that leaves out."""
    within, every = found["pairs"]["within"], found["pairs"]["all"]
    left_out = f"{every - within:,} of {every:,} pairs left out ({1 - within / max(every, 1):.0%})"
    return f"Horizon: each interval is related with {found['horizon']:,} after it; {left_out}"


def _print(found: dict[str, Any]) -> None:
    activities = found["activities"]
    print_lines(f"{found['file']}: {found['method']} ({found['class']})")
    if found["options"]:
        print_lines(f"Options: {', '.join(f'{n}={v}' for n, v in found['options'].items())}", 2)
    if any(activities.values()):
        rows = [
            (label, str(known["instances"]), _range(*known["intervals"]), str(known["styles"]))
            for label, known in activities.items()
        ]
        styled = any(known["styles"] > 1 for known in activities.values())
        heads = ("activity", "instances", "intervals each", "styles")[: 3 + styled]
        print_table(heads, [row[: len(heads)] for row in rows])
    else:
        print_lines(f"{len(activities)} activities: {', '.join(map(quote, activities))}", 2)
    actions = ", ".join(map(quote, found["actions"][:MOST]))
    more = f", and {len(found['actions']) - MOST} more" if len(found["actions"]) > MOST else ""
    print_lines(f"{count(len(found['actions']), 'action')}: {actions}{more}", 2)
    if len(found["weights"]) > 1:
        print_lines(say_weights(found["weights"]), 2)
    if found.get("horizon"):
        print_lines(say_horizon(found), 2)
    if found.get("early"):
        print_lines(say_decisions(found["early"]), 2)
    for label, known in activities.items():
        terms = ", ".join(f"{term} ({brief})" for term, brief in known.get("terms", {}).items())
        if terms:
            print_lines(f"{quote(label)}: {terms}", 2)
    if found["trained_on"] is not None:
        print_lines(_say_training(found["trained_on"]), 2)
    print_lines(f"File: {found['bytes']:,} bytes, written by ibgn {found['written_by']}", 2)
    for name, command in found["commands"].items():
        print()
        print_lines(f"{PURPOSES[name]}:")
        print(f"  {command}")  # which is never broken, so that it can be copied


def say_weights(weights: dict[str, float]) -> str:
    """Terms by how much they count, the weightiest first; those that do not count are named."""
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    counting = [f"{name} {weight:.2f}" for name, weight in ranked if weight >= 0.005]
    silent = [name for name, weight in ranked if weight < 0.005]
    rest = [f"without weight: {', '.join(silent)}"] if silent else []
    return f"Weights: {'; '.join([', '.join(counting), *rest] if counting else rest)}"


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"
