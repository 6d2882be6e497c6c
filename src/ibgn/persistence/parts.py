"""Parts of models: what each is made of, what must hold of it, and how it becomes JSON."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ibgn._arrays import Array
from ibgn.classifiers.dbn import DurationChain
from ibgn.classifiers.ihmm import InterleavedChains
from ibgn.classifiers.itbn import TemporalNetwork
from ibgn.model.activity import ActivityModel
from ibgn.persistence.container import ANY, FLOAT, INT, LARGEST, Arrays, Json, check, items
from ibgn.structure import Structure
from ibgn.terms.relations import MEMBERS, Links
from ibgn.terms.selection import LinkScores
from ibgn.terms.tables import Convergence, Nodes

__all__ = ["PARTS", "Field", "pack", "pack_pairs", "unpack", "unpack_part", "unpack_structure"]

Field = tuple[Any, Callable[[Any], Any], *tuple[int | str, ...]]

LONGEST = 1_000_000  # intervals of an instance
MOST_PARENTS = 30  # of an action: a row for each combination would not fit into a file


def _anything(value: Any) -> bool:
    return True


def _natural(value: int) -> bool:
    return value >= 0


def _positive(value: Any) -> bool:
    return bool(np.all((value > 0) & np.isfinite(value)))


def finite(value: Any) -> bool:
    """Whether there is neither NaN nor infinity."""
    return bool(np.isfinite(value).all())


def increasing(value: Array) -> bool:
    """Whether numbers are finite, each above the one before it."""
    return finite(value) and bool((value[1:] > value[:-1]).all())


def _lengths(value: Array) -> bool:
    return bool(((value >= 0) & (value <= LONGEST)).all())


def _probs(value: Array) -> bool:
    """Whether rows add up to 1; those without entries may stay."""
    possible = len(value) and ((value >= 0) & (value < 2)).all()
    return bool(possible and (not value.size or np.allclose(value.sum(axis=-1), 1, atol=1e-6)))


def logs(value: Array) -> bool:
    """Whether these are logarithms of probabilities that add up to 1 in each row."""
    return bool((value <= 0).all()) and (not len(value) or _probs(np.exp(value)))


def _smoothed(value: Array) -> bool:
    """Whether these are such logarithms, all finite: kernels may subtract one from another."""
    return finite(value) and logs(value)


# What the parts of a model are made of: for each the type, what must hold, and of arrays the
# lengths. A length with a name is the same wherever an activity has that name.
PARTS: dict[type, dict[str, Field]] = {
    Convergence: {
        "burn_in": (int, _natural),
        "thin": (int, _natural),
        "draws": (int, _natural),
        "effective_sample_size": (float, _anything),
        "rhat": (float, _anything),
        "dependence_factor": (float, _anything),
        "converged": (bool, _anything),
        "trace": (FLOAT, _anything, "chains", "draws"),
    },
    Nodes: {
        "action_probs": (FLOAT, _probs, "tables", "actions"),
        "shares": (FLOAT, _probs, "tables"),
        "concentration": (float, _positive),
        "action_prior": (FLOAT, _positive, "actions"),
        "convergence": (Convergence, _anything),
    },
    Links: {
        "structure": (Structure, _anything),
        "actions": (int, _anything),
        "keys": (INT, _anything, "rows"),
        "log_probs": (FLOAT, logs, "rows", 7),
        "unknown": (FLOAT, lambda rows: (rows <= 0).all(), 128, 7),
        "positions": (FLOAT, lambda rows: len(rows) and logs(rows), "size", "size", 7),
        "elsewhere": (FLOAT, logs, 7),
    },
    LinkScores: {
        "size": (int, _natural),
        "gain": (FLOAT, finite, "pairs"),
        "penalty": (FLOAT, finite, "pairs"),
    },
    ActivityModel: {
        "nodes": (Nodes, _anything),
        "links": (Links, _anything),
        "link_scores": (LinkScores, _anything),
        "lengths": (INT, _lengths, "instances"),
        "pace": (float, _positive),
    },
    InterleavedChains: {
        "switch": (FLOAT, lambda rows: rows.size and _smoothed(rows), "chains+1", "chains"),
        "step": (FLOAT, _smoothed, "actions+1", "actions"),
    },
    DurationChain: {
        "first_action": (FLOAT, _smoothed, "actions"),
        "next_action": (FLOAT, _smoothed, "actions", "edges+1", "actions"),
        "first_duration": (FLOAT, _smoothed, "actions", "edges+1"),
        "next_duration": (FLOAT, _smoothed, "actions", "edges+1", "edges+1"),
    },
    TemporalNetwork: {
        "links": (INT, _anything, "links", 2),
        "presence": (FLOAT, _smoothed, "rows", 2),
        "relations": (FLOAT, _smoothed, "links", 13),
        "score": (float, finite),
        "repeated": (int, _natural),
        "inconsistent": (INT, _anything, ANY, 2),
        "cyclic": (INT, _anything, ANY, 2),
    },
}


def pack(value: Any, arrays: list[Array]) -> Json:
    """Turn a part of a model into JSON; its arrays are added to the others."""
    if isinstance(value, Structure):
        links = pack_pairs(value.links, arrays)
        return {"links": links, "size": value.size, "beyond": value.beyond}
    if type(value) in PARTS:
        return {name: pack(getattr(value, name), arrays) for name in PARTS[type(value)]}
    if isinstance(value, np.ndarray):
        arrays.append(value.astype(value.dtype.newbyteorder("<")))
        return len(arrays) - 1
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def pack_pairs(pairs: Iterable[tuple[int, int]], arrays: list[Array]) -> Json:
    """Turn pairs of positions into an array, sorted."""
    rows = sorted((int(i), int(j)) for i, j in pairs)
    return pack(np.array(rows, np.int64).reshape(-1, 2), arrays)


def unpack(field: Field, node: Json, arrays: Arrays, what: str) -> Any:
    """Turn JSON into what a field may hold."""
    kind, holds, *lengths = field
    value: Any
    if isinstance(kind, tuple):
        value = arrays.take(node, what, kind, *lengths)
    elif kind in (Structure, *PARTS):
        value = unpack_part(kind, node, arrays, what)
    else:
        value = float(node) if kind is float and node in ("nan", "inf", "-inf") else node
        check(type(value) is kind, f"{what} is not of type {kind.__name__}")
    check(holds(value), f"{what} cannot be what it is")
    return value


def unpack_part(kind: type, node: Json, arrays: Arrays, what: str, **given: Any) -> Any:
    """Turn JSON into a part; what is given is not in the JSON."""
    if kind is LinkScores and node is None:
        return None
    if kind is Structure:
        return unpack_structure(node, arrays)
    values = zip(PARTS[kind].items(), items(node, what, PARTS[kind]), strict=True)
    parts = {name: unpack(field, value, arrays, name) for (name, field), value in values}
    part = kind(**given, **parts)
    agrees: Callable[[Any], Any] = AGREEMENTS.get(kind, _anything)
    check(agrees(part), f"the parts of {what} do not agree")
    return part


def unpack_structure(node: Json, arrays: Arrays) -> Structure:
    """Turn JSON into linked pairs of positions."""
    links, size, beyond = items(node, "structure", ("links", "size", "beyond"))
    check(type(size) is int and 0 <= size * size <= LARGEST, "the size of a structure cannot be")
    return Structure(arrays.take_pairs(links), size, beyond)


def _links_agree(part: Links) -> Any:
    keys, impossible = part.keys, ~MEMBERS[part.keys % 128]
    in_range = ((keys >= 0) & (keys < part.actions**2 * 128)).all()
    excluded = np.append(part.log_probs[impossible], part.unknown[~MEMBERS])
    return in_range and (keys[1:] > keys[:-1]).all() and np.isneginf(excluded).all()


def _scores_agree(part: LinkScores) -> bool:
    return len(part.gain) == part.size * (part.size - 1) // 2


def _activity_agrees(part: ActivityModel) -> Any:
    same = part.links.actions == len(part.actions)
    return same and (part.actions or not part.lengths.any())


def _network_agrees(part: TemporalNetwork) -> Any:
    size, pairs = len(part.actions), np.vstack([part.links, part.inconsistent, part.cyclic])
    if not ((pairs >= 0) & (pairs < size)).all():
        return False
    parent, child = part.links.T
    sorted_by_child = increasing(child * size + parent)
    return sorted_by_child and _is_acyclic(part.links, size) and _rows_agree(part)


def _is_acyclic(links: Array, size: int) -> bool:
    """Whether no action depends on itself, be it by way of others."""
    if not len(links):
        return True
    graph = coo_array((np.ones(len(links)), links.T), shape=(size, size))
    tied, _ = connected_components(graph, connection="strong")
    return bool(tied == size and (links[:, 0] != links[:, 1]).all())


def _rows_agree(part: TemporalNetwork) -> bool:
    """Whether each action has a row for each combination of its parents."""
    parents = np.bincount(part.links[:, 1], minlength=len(part.actions))
    few = parents.max(initial=0) <= MOST_PARENTS
    return bool(few and (1 << parents).sum() == len(part.presence))


# what no field can tell by itself
AGREEMENTS: dict[type, Callable[[Any], Any]] = {
    Links: _links_agree,
    LinkScores: _scores_agree,
    ActivityModel: _activity_agrees,
    TemporalNetwork: _network_agrees,
}
