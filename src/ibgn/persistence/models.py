"""Estimators: their parameters, their labels, and an activity for each; a row for each class."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ibgn._arrays import Array
from ibgn.checks import check_number
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.dbn import DBNClassifier, DurationChain
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.ihmm import IHMMClassifier, InterleavedChains
from ibgn.classifiers.itbn import ITBNClassifier, TemporalNetwork
from ibgn.model.activity import ActivityModel
from ibgn.persistence.container import ANY, FLOAT, LARGEST, NUMBERS, Arrays, Json, check, items
from ibgn.persistence.parts import (
    Field,
    finite,
    increasing,
    logs,
    pack,
    pack_pairs,
    unpack,
    unpack_part,
    unpack_structure,
)
from ibgn.structure import Structure
from ibgn.terms.tables import Sampling
from ibgn.text import quote

__all__ = ["KINDS", "Codec", "Kind", "pack_model", "unpack_model"]

MOST_JOBS = 1024
LARGEST_BEAM = 2**63 - 1  # a kernel knows no larger number


class Codec(NamedTuple):
    """How a parameter that is no plain value is packed, from its model, and unpacked."""

    pack: Callable[[Any, list[Array]], Json]
    unpack: Callable[[Json, Arrays], Any]


class Kind(NamedTuple):
    """What estimators of a class are made of.

    Parameters
    ----------
    estimator : the class; its `_check_options` refuses parameters that cannot be
    activity : class of its activities, a row of PARTS
    check : refuses parameters that `_check_options` leaves to training
    attributes : what was fitted, beside labels, their prior, actions and activities
    codecs : parameters that are no plain values, beside those of all estimators
    """

    estimator: type[ActivityClassifier]
    activity: type
    check: Callable[[Any], None] = lambda model: None
    attributes: tuple[tuple[str, Field], ...] = ()
    codecs: tuple[tuple[str, Codec], ...] = ()


def pack_model(kind: Kind, model: Any, arrays: list[Array]) -> Json:
    """Turn a fitted model into JSON; its arrays are added to the others."""
    labels = model.classes_.tolist()
    return {
        "parameters": _pack_parameters(kind, model, arrays),
        "classes": _pack_labels(model.classes_, arrays),
        "class_log_prior": pack(model.class_log_prior_, arrays),
        "actions": list(model.actions_),
        **{_plain(name): pack(getattr(model, name), arrays) for name, _ in kind.attributes},
        "activities": [pack(model.activities_[label], arrays) for label in labels],
    }


def unpack_model(kind: Kind, node: Json, arrays: Arrays) -> Any:
    """Turn JSON into a fitted model."""
    names = ("parameters", "classes", "class_log_prior", "actions")
    others = tuple(_plain(name) for name, _ in kind.attributes)
    values = items(node, "the model", (*names, *others, "activities"))
    parameters, classes, prior, actions, *fitted, activities = values
    model = _unpack_parameters(kind, parameters, arrays)
    model.classes_ = _unpack_labels(classes, arrays)
    size = len(model.classes_)
    model.class_log_prior_ = unpack((FLOAT, logs, size), prior, arrays, "class_log_prior")
    model.actions_ = tuple(_names(actions, "actions"))
    arrays.lengths = {"actions": len(model.actions_)}
    for (name, field), value in zip(kind.attributes, fitted, strict=True):
        setattr(model, name, unpack(field, value, arrays, _plain(name)))
    model.activities_ = _unpack_activities(kind, model, activities, arrays)
    return model


def _plain(attribute: str) -> str:
    return attribute.removesuffix("_")


def _unpack_activities(kind: Kind, model: Any, node: Json, arrays: Arrays) -> dict[Any, Any]:
    labels, shared, activities = model.classes_.tolist(), arrays.lengths, {}
    check(type(node) is list and len(node) == len(labels), "activities are missing")
    for label, part in zip(labels, node, strict=True):
        given = {"name": label, "actions": model.actions_}
        arrays.lengths = dict(shared)  # other lengths are each activity's own
        what = f"activity {quote(label)}"
        activities[label] = unpack_part(kind.activity, part, arrays, what, **given)
    return activities


def _pack_labels(labels: Array, arrays: list[Array]) -> Json:
    """Labels as an array of numbers, or as names and their width, 0 for objects."""
    if labels.dtype.kind not in "OU":
        return pack(labels, arrays)
    width = labels.dtype.itemsize // 4 if labels.dtype.kind == "U" else 0
    return {"names": labels.tolist(), "width": width}


def _unpack_labels(node: Json, arrays: Arrays) -> Array:
    labels: Array
    if type(node) is int:
        labels = unpack((NUMBERS, finite, ANY), node, arrays, "classes")
    else:
        names, width = items(node, "classes", ("names", "width"))
        size = width * len(_names(names, "classes")) if type(width) is int else -1
        check(0 <= size <= LARGEST // 4, "the width of classes cannot be")
        labels = np.array(names, f"U{width}" if width else object)
        check(labels.tolist() == names, "classes are wider than they may be")
    listed = labels.tolist()
    check(listed and listed == sorted(set(listed)), "classes are not distinct and sorted")
    return labels


def _names(node: Json, what: str) -> list[str]:
    right = isinstance(node, list) and all(isinstance(name, str) for name in node)
    check(right and all(a < b for a, b in pairwise(node)), f"{what} are not sorted names")
    return list(node)


def _pack_parameters(kind: Kind, model: Any, arrays: list[Array]) -> Json:
    codecs = COMMON | dict(kind.codecs)
    return {
        name: codecs[name].pack(model, arrays) if name in codecs else pack(value, arrays)
        for name, value in model.get_params(deep=False).items()
    }


def _unpack_parameters(kind: Kind, node: Json, arrays: Arrays) -> Any:
    codecs = COMMON | dict(kind.codecs)
    known = kind.estimator().get_params(deep=False)
    values = dict(zip(known, items(node, "the parameters", known), strict=True))
    for name in values:
        if name in codecs:
            values[name] = codecs[name].unpack(values[name], arrays)
    model = kind.estimator(**values)
    model._check_options()
    kind.check(model)
    _check_running(model)
    return model


def _check_running(model: ActivityClassifier) -> None:
    jobs = model.n_jobs
    some = jobs is None or (type(jobs) is int and 1 <= abs(jobs) <= MOST_JOBS)
    check(some, "n_jobs cannot be what it is")
    check(type(model.progress) is bool, "progress is neither true nor false")


def _pack_prior(model: ActivityClassifier, arrays: list[Array]) -> Json:
    prior = model.class_prior
    if not isinstance(prior, Mapping):
        return pack(prior, arrays)
    return [[pack(label, arrays), float(p)] for label, p in prior.items()]


def _unpack_prior(node: Json, arrays: Arrays) -> str | dict[Any, float]:
    if isinstance(node, str):
        return node
    listed = isinstance(node, list) and all(isinstance(e, list) and len(e) == 2 for e in node)
    check(listed, "class_prior is no list of labels and probabilities")
    plain = all(type(a) in (str, int, float, bool) and type(p) is float for a, p in node)
    check(plain and len(dict(node)) == len(node), "class_prior cannot be what it is")
    return dict(node)


def _pack_seed(model: Any, arrays: list[Array]) -> Json:
    seed = model.random_state
    return int(seed) if isinstance(seed, int | np.integer) else None


def _unpack_seed(node: Json, arrays: Arrays) -> int | None:
    seed: int | None = node
    check(seed is None or (type(seed) is int and seed >= 0), "random_state cannot be what it is")
    return seed


def _pack_choice(model: IBGNClassifier, arrays: list[Array]) -> Json:
    structure = model.structure
    if isinstance(structure, Iterator):  # spent; what it gave is in every activity
        structure = next(iter(model.activities_.values())).structure.links
    if isinstance(structure, str | Structure):
        return pack(structure, arrays)
    return {"pairs": pack_pairs(structure, arrays)}


def _unpack_choice(node: Json, arrays: Arrays) -> str | Structure | list[tuple[int, int]]:
    if isinstance(node, str):
        return node
    if not isinstance(node, dict) or set(node) != {"pairs"}:
        return unpack_structure(node, arrays)
    pairs = arrays.take_pairs(node["pairs"])
    Structure(pairs)  # refuses what are no positions
    return pairs


def _check_learning(model: IBGNClassifier) -> None:
    Sampling(**{field.name: getattr(model, field.name) for field in fields(Sampling)})
    for name in ("penalty", "smoothing"):
        if name == "penalty" or model.smoothing != "learned":
            check_number(name, getattr(model, name), "positive", lambda value: value > 0)


def _check_beam(model: IHMMClassifier) -> None:
    check(model.beam is None or model.beam <= LARGEST_BEAM, "beam cannot be what it is")


# parameters that several estimators have, and that are no plain values
COMMON = {
    "class_prior": Codec(_pack_prior, _unpack_prior),
    "random_state": Codec(_pack_seed, _unpack_seed),
}

# Name in the file of each class that can be saved; another class needs a row here.
KINDS = {
    "IBGNClassifier": Kind(
        IBGNClassifier,
        ActivityModel,
        check=_check_learning,
        attributes=(
            ("seed_", (int, lambda seed: 0 <= seed < 2**32)),
            ("tolerance_", (float, lambda tolerance: 0 <= tolerance < np.inf)),
        ),
        codecs=(("structure", Codec(_pack_choice, _unpack_choice)),),
    ),
    "IHMMClassifier": Kind(IHMMClassifier, InterleavedChains, check=_check_beam),
    "DBNClassifier": Kind(
        DBNClassifier, DurationChain, attributes=(("edges_", (FLOAT, increasing, "edges")),)
    ),
    "ITBNClassifier": Kind(ITBNClassifier, TemporalNetwork),
}
