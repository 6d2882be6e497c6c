"""Estimators: their options, their labels, and the terms of each activity."""

from dataclasses import is_dataclass
from typing import Any

import numpy as np

from ibgn._arrays import Array
from ibgn.declarations import (
    ANY,
    FITTED,
    FLOAT,
    MEMBERS,
    NAMES,
    STORABLE,
    Stored,
    are_smoothed_log_probs,
    stored_fields,
)
from ibgn.errors import DataError
from ibgn.persistence.container import NUMBERS, Arrays, Json, check, items
from ibgn.persistence.training import pack_training, unpack_training
from ibgn.persistence.values import (
    pack_option,
    pack_value,
    running_options,
    unpack_names,
    unpack_option,
    unpack_part,
    unpack_value,
)
from ibgn.text import quote

__all__ = ["pack_model", "unpack_model"]

WIDEST_LABEL, MOST_LETTERS = 1000, 4 << 20
DEEPEST = 3  # an ensemble has members, and these have features


def pack_model(model: Any, arrays: list[Array]) -> Json:
    """Turn a fitted estimator into JSON; its arrays are appended to the list."""
    common = ("classes_", "trained_on_", "class_log_prior_", "actions_", "activities_")
    known = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    later = getattr(model, "calibrated", {})
    lost = known.difference(common, model.learned, later)
    if lost:
        raise DataError(
            f"{min(lost)} of {type(model).__name__} does not say how it is stored; declare it in "
            "`learned` of the class"
        )
    options = model.get_params(deep=False) | running_options(type(model))
    node: dict[str, Json] = {
        "parameters": {name: pack_option(value, arrays) for name, value in options.items()}
    }
    if _recognises(model):
        node["classes"] = _pack_labels(model.classes_, arrays)
        node["trained_on"] = pack_training(getattr(model, "trained_on_", None), arrays)
    if _has_activities(model):
        node["class_log_prior"] = pack_value(model.class_log_prior_, arrays)
        node["actions"] = list(model.actions_)
    for name, declared in model.learned.items():
        node[_plain(name)] = _pack_learned(declared.kind, getattr(model, name), arrays)
    for name in later:
        if getattr(model, name, None) is not None:
            node[_plain(name)] = pack_value(getattr(model, name), arrays)
    if _has_activities(model):
        parts = model.activities_.values()
        node["activities"] = [_pack_activity(model, part, arrays) for part in parts]
    return node


def _recognises(model: Any) -> bool:
    return hasattr(model, "predict")


def _has_activities(model: Any) -> bool:
    """Whether an estimator has terms for each activity."""
    return hasattr(model, "activity_type")


def _pack_learned(kind: Any, value: Any, arrays: list[Array]) -> Json:
    if kind == NAMES:
        return list(value)
    if kind == MEMBERS:
        return [[name, _pack_fitted(member, arrays)] for name, member in value.items()]
    return _pack_fitted(value, arrays) if kind == FITTED else pack_value(value, arrays)


def _pack_fitted(part: Any, arrays: list[Array]) -> Json:
    name = type(part).__name__
    if STORABLE.get(name) is not type(part) or not hasattr(part, "learned"):
        raise DataError(
            f"a part of class {quote(name)} cannot be saved without pickle; use IntervalForest, "
            "IntervalRidge or another estimator of ibgn in its place"
        )
    return {"class": name, "model": pack_model(part, arrays)}


def _pack_activity(model: Any, activity: Any, arrays: list[Array]) -> Json:
    kinds = _fitted_kinds(model)
    for name, term in activity.terms.items():
        if type(term) is not kinds.get(name):
            raise DataError(
                f"the term {quote(name)} is of class {type(term).__name__}, which is not what its "
                "options lead to; fit the model again, or declare the class as `fitted` of the term"
            )
    terms = {name: pack_value(term, arrays, "actions") for name, term in activity.terms.items()}
    fields = pack_value(activity, arrays, "name", "actions", "terms", "styles")
    styles = [_pack_activity(model, style, arrays) for style in activity.styles]
    return fields | {"terms": terms, "styles": styles}


def _fitted_kinds(model: Any) -> dict[str, type]:
    """Class of each fitted term, by its name."""
    return {term.name: term.fitted for term in model._make_terms()}


def unpack_model(kind: Any, node: Json, arrays: Arrays, depth: int = 0) -> Any:
    """Turn JSON into a fitted estimator of a class."""
    check(depth <= DEEPEST, "its parts have too many parts of their own")
    names = ["parameters", *(["classes", "trained_on"] if _recognises(kind) else [])]
    names += ["class_log_prior", "actions"] if _has_activities(kind) else []
    names += map(_plain, kind.learned)
    later = {name: how for name, how in getattr(kind, "calibrated", {}).items() if _has(node, name)}
    names += map(_plain, later)
    names += ["activities"] if _has_activities(kind) else []
    values = dict(zip(names, items(node, "the model", names), strict=True))
    model, outer = _unpack_parameters(kind, values["parameters"], arrays), arrays.lengths
    arrays.lengths = {}
    if _recognises(kind):
        model.classes_ = _unpack_labels(values["classes"], arrays)
        arrays.lengths["activities"] = len(model.classes_)
        if values["trained_on"] is not None:
            model.trained_on_ = unpack_training(values["trained_on"], arrays)
    if _has_activities(kind):
        priors = Stored(FLOAT, (len(model.classes_),), are_smoothed_log_probs)
        prior = values["class_log_prior"]
        model.class_log_prior_ = unpack_value(priors, prior, arrays, "class_log_prior")
        model.actions_ = tuple(unpack_names(values["actions"], "actions"))
        arrays.lengths |= {"actions": len(model.actions_), "terms": len(model._make_terms())}
    for name, declared in kind.learned.items():
        value = values[_plain(name)]
        setattr(model, name, _unpack_learned(declared, value, arrays, _plain(name), depth))
    for name, declared in later.items():
        value = unpack_value(declared, values[_plain(name)], arrays, _plain(name))
        setattr(model, name, value)
    if _has_activities(kind):
        model.activities_ = _unpack_activities(model, values["activities"], arrays)
    check(getattr(model, "agrees", lambda: True)(), f"the parts of {kind.__name__} do not agree")
    arrays.lengths = outer
    return model


def _unpack_learned(declared: Stored, node: Json, arrays: Arrays, what: str, depth: int) -> Any:
    if declared.kind == NAMES:
        return tuple(unpack_names(node, what))
    if declared.kind == FITTED:
        return _unpack_fitted(node, arrays, what, depth)
    if declared.kind != MEMBERS:
        return unpack_value(declared, node, arrays, what)
    paired = isinstance(node, list) and all(type(p) is list and len(p) == 2 for p in node)
    check(paired and node, f"{what} are not named")
    check(all(type(name) is str for name, _ in node), f"{what} are not named")
    members = {name: _unpack_fitted(part, arrays, what, depth) for name, part in node}
    check(len(members) == len(node), f"{what} have a name twice")
    arrays.lengths["members"] = len(members)
    return members


def _unpack_fitted(node: Json, arrays: Arrays, what: str, depth: int) -> Any:
    name, model = items(node, what, ("class", "model"))
    kind: Any = STORABLE.get(name) if isinstance(name, str) else None
    if kind is None or is_dataclass(kind) or not hasattr(kind, "learned"):
        raise DataError(
            f"{what} is of the unknown class {quote(name)}; import the module that defines it, or "
            "update ibgn"
        )
    return unpack_model(kind, model, arrays, depth + 1)


def _has(node: Json, attribute: str) -> bool:
    """Whether a model was stored with what is learned after `fit`."""
    return isinstance(node, dict) and _plain(attribute) in node


def _plain(attribute: str) -> str:
    return attribute.removesuffix("_")


def _unpack_activities(model: Any, node: Json, arrays: Arrays) -> dict[Any, Any]:
    labels, shared = model.classes_.tolist(), arrays.lengths
    check(type(node) is list and len(node) == len(labels), "activities are missing")
    activities = {}
    for label, part in zip(labels, node, strict=True):
        activity, styles = _unpack_activity(model, label, part, arrays, shared)
        if styles:
            inner = [_unpack_activity(model, label, style, arrays, shared) for style in styles]
            check(not any(deeper for _, deeper in inner), "a style has styles")
            activity = activity.with_styles([style for style, _ in inner], activity.pooling)
            check(activity.agrees(), f"the styles of activity {quote(label)} do not agree")
        activities[label] = activity
    return activities


def _unpack_activity(
    model: Any, label: Any, node: Json, arrays: Arrays, shared: dict[str, int]
) -> tuple[Any, list[Json]]:
    """One activity or style without styles, and what is stored about its styles."""
    arrays.lengths = dict(shared)  # other lengths differ between activities
    what, kinds = f"activity {quote(label)}", _fitted_kinds(model)
    names = ("terms", "styles", *stored_fields(model.activity_type))
    terms_node, styles, *_ = items(node, what, names)
    check(type(styles) is list, f"the styles of {what} are not a list")
    values = zip(kinds.items(), items(terms_node, f"terms of {what}", kinds), strict=True)
    terms = {}
    for (name, kind), value in values:
        terms[name] = unpack_part(kind, value, arrays, f"{name} of {what}", actions=model.actions_)
        arrays.lengths = dict(shared)  # lengths of one term mean nothing to others
    rest = {name: value for name, value in node.items() if name not in ("terms", "styles")}
    known = {"name": label, "actions": model.actions_, "terms": terms}
    return unpack_part(model.activity_type, rest, arrays, what, **known), styles


def _pack_labels(labels: Array, arrays: list[Array]) -> Json:
    """Labels as an array of numbers, or as names and their width, 0 for objects."""
    if labels.dtype.kind not in "OU":
        return pack_value(labels, arrays)
    width = labels.dtype.itemsize // 4 if labels.dtype.kind == "U" else 0
    return {"names": labels.tolist(), "width": width}


def _unpack_labels(node: Json, arrays: Arrays) -> Array:
    labels: Array
    if type(node) is int:
        labels = unpack_value(
            Stored(NUMBERS, (ANY,), lambda v: np.isfinite(v).all()), node, arrays, "classes"
        )
    else:
        names, width = items(node, "classes", ("names", "width"))
        longest = max(map(len, unpack_names(names, "classes")), default=0)
        # arrays of text may be wider than their labels, as those of a part of the instances are
        widest = max(WIDEST_LABEL, longest)
        check(type(width) is int and 0 <= width <= widest, "the classes have an invalid width")
        check(width * len(names) <= MOST_LETTERS, "the classes are too wide")
        labels = np.array(names, f"U{width}" if width else object)
        check(labels.tolist() == names, "classes are wider than declared")
    listed = labels.tolist()
    check(listed and listed == sorted(set(listed)), "classes are not distinct and sorted")
    return labels


def _unpack_parameters(kind: Any, node: Json, arrays: Arrays) -> Any:
    known = kind._get_param_names()
    values = zip(known, items(node, "the parameters", known), strict=True)
    given = {name: unpack_option(value, arrays, name) for name, value in values}
    model = kind(**given | running_options(kind))
    model._check_options()
    return model
