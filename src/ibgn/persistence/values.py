"""Values as JSON and arrays: fields by the declarations of their classes, options by their type."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from inspect import signature
from itertools import pairwise
from typing import Any

import numpy as np

from ibgn._arrays import Array
from ibgn.declarations import STORABLE, Stored, stored_fields
from ibgn.errors import DataError
from ibgn.persistence.container import Arrays, Json, check, items
from ibgn.structure import Structure
from ibgn.text import half_character, quote

__all__ = [
    "pack_option",
    "pack_value",
    "running_options",
    "unpack_names",
    "unpack_option",
    "unpack_part",
    "unpack_value",
]

RUNNING = ("n_jobs", "progress", "verbose")


def pack_value(value: Any, arrays: list[Array], *known: str) -> Json:
    """Turn a value into JSON; its arrays are appended to the list.

    Every field of an object must be stored, except those that a reader already knows.
    """
    if isinstance(value, Structure):
        links = _pack_pairs(value.links, arrays)
        return {"links": links, "size": value.size, "beyond": value.beyond}
    if is_dataclass(value):
        names = stored_fields(type(value))
        needed = (field.name for field in fields(value) if field.init)
        lost = next((name for name in needed if name not in names and name not in known), None)
        if lost is not None:
            raise DataError(
                f"field {lost} of {type(value).__name__} does not say how it is stored; declare it "
                "with ibgn.declarations.stored"
            )
        return {name: pack_value(getattr(value, name), arrays) for name in names}
    if isinstance(value, np.ndarray):
        arrays.append(value.astype(value.dtype.newbyteorder("<")))
        return len(arrays) - 1
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def unpack_value(declared: Stored, node: Json, arrays: Arrays, what: str) -> Any:
    """Turn JSON into the value of a field."""
    kind = declared.kind
    if node is None and declared.optional:
        return None
    value: Any
    if isinstance(kind, tuple):
        value = arrays.take(node, what, kind, *declared.lengths)
    elif kind is Structure:
        value = _unpack_structure(node, arrays)
    elif isinstance(kind, type) and is_dataclass(kind):
        value = unpack_part(kind, node, arrays, what)
    else:
        value = float(node) if kind is float and node in ("nan", "inf", "-inf") else node
        check(type(value) is kind, f"{what} is not of type {kind.__name__}")
    check(declared.holds(value), f"{what} has an invalid value")
    return value


def unpack_names(node: Json, what: str) -> list[str]:
    """Turn JSON into sorted names."""
    right = isinstance(node, list) and all(isinstance(name, str) for name in node)
    check(right and all(a < b for a, b in pairwise(node)), f"{what} are not sorted names")
    check(not any(map(half_character, node)), f"{what} have half a character, a lone surrogate")
    return list(node)


def unpack_part(kind: type, node: Json, arrays: Arrays, what: str, **known: Any) -> Any:
    """Turn JSON into an object of a class that declares its fields, apart from known ones."""
    declared = stored_fields(kind)
    values = zip(declared.items(), items(node, what, declared), strict=True)
    stored = {name: unpack_value(field, value, arrays, name) for (name, field), value in values}
    part = kind(**known, **stored)
    check(getattr(part, "agrees", lambda: True)(), f"the parts of {what} do not agree")
    return part


def _pack_pairs(pairs: Iterable[tuple[int, int]], arrays: list[Array]) -> Json:
    """Turn pairs of positions into an array, sorted."""
    rows = sorted((int(i), int(j)) for i, j in pairs)
    return pack_value(np.array(rows, np.int64).reshape(-1, 2), arrays)


def _unpack_structure(node: Json, arrays: Arrays) -> Structure:
    links, size, beyond = items(node, "structure", ("links", "size", "beyond"))
    check(type(size) is int, "the structure has an invalid size")
    return Structure(arrays.take_pairs(links), size, beyond)


def pack_option(value: Any, arrays: list[Array]) -> Json:
    """Turn an option of an estimator into JSON; values that are not plain name their kind."""
    if isinstance(value, Structure):
        return {"structure": pack_value(value, arrays)}
    has_options = is_dataclass(value) or hasattr(value, "get_params")
    if has_options and STORABLE.get(type(value).__name__) is not type(value):
        raise DataError(
            f"an option of class {type(value).__name__} cannot be saved; give the class its own "
            "name, as terms have"
        )
    if has_options:
        options = {name: getattr(value, name) for name in _option_names(type(value))}
        options |= running_options(type(value))
        packed = {name: pack_option(option, arrays) for name, option in options.items()}
        return {"object": type(value).__name__, "options": packed}
    if isinstance(value, Mapping):
        pairs = [[pack_value(key, arrays), pack_option(v, arrays)] for key, v in value.items()]
        return {"mapping": pairs}
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        return pack_value(value, arrays)
    listed = value.tolist() if isinstance(value, np.ndarray) else list(value)
    if listed and all(isinstance(entry, tuple | list) and len(entry) == 2 for entry in listed):
        return {"pairs": _pack_pairs(listed, arrays)}
    return {"list": [pack_option(entry, arrays) for entry in listed]}


def unpack_option(node: Json, arrays: Arrays, what: str) -> Any:
    """Turn JSON into an option; the estimator that takes it checks its value."""
    if not isinstance(node, dict | list):
        return float(node) if node in ("nan", "inf", "-inf") else node
    check(isinstance(node, dict) and node, f"{what} has an invalid value")
    assert isinstance(node, dict)  # noqa: S101 - checked above
    if "object" in node:
        return _unpack_object(node, arrays, what)
    ((kind, content),) = node.items()
    if kind == "structure":
        return _unpack_structure(content, arrays)
    if kind == "pairs":
        pairs = arrays.take_pairs(content)
        Structure(pairs)  # refuses invalid positions
        return pairs
    check(kind in ("mapping", "list") and isinstance(content, list), f"{what} has an unknown kind")
    if kind == "list":
        return tuple(unpack_option(entry, arrays, what) for entry in content)
    paired = all(isinstance(entry, list) and len(entry) == 2 for entry in content)
    check(paired, f"{what} is not a list of names and values")
    plain = all(type(key) in (str, int, float, bool) for key, _ in content)
    check(plain and len(dict(content)) == len(content), f"{what} has invalid or repeated names")
    return {key: unpack_option(value, arrays, what) for key, value in content}


def _unpack_object(node: Json, arrays: Arrays, what: str) -> Any:
    name, options = items(node, what, ("object", "options"))
    kind: Any = STORABLE.get(name) if isinstance(name, str) else None
    if kind is None or not (is_dataclass(kind) or hasattr(kind, "get_params")):
        raise DataError(
            f"its option {what} is of the unknown class {quote(name)}; import the module that "
            "defines it, or update ibgn"
        )
    names = _option_names(kind)
    values = zip(names, items(options, what, names), strict=True)
    given = {option: unpack_option(value, arrays, option) for option, value in values}
    made = kind(**given | running_options(kind))
    if hasattr(made, "_check_options"):  # terms check theirs when they are made
        made._check_options()
    return made


def running_options(kind: Any) -> dict[str, Any]:
    """Options of a class that say how it runs and not what it knows, with their defaults.

    A file does not set them: it would decide how many threads run on the machine of its reader.
    """
    defaults = signature(kind).parameters
    return {name: defaults[name].default for name in RUNNING if name in defaults}


def _option_names(kind: Any) -> list[str]:
    """Names of the options of a term or an estimator."""
    if is_dataclass(kind):
        return [f.name for f in fields(kind) if f.init]
    return list(kind._get_param_names())
