"""Fitted models as files: described by one line of JSON, with packed arrays, without pickle.

A file is a line with the version and the SHA-256 of all that follows, so that any altered byte is
noticed; a line of JSON, in which an array is a number, used once; and all arrays one after the
other, by zlib. `head -2` shows all but the arrays. The SHA-256 proves no origin: who forges a file
can compute it too. So nothing in a file is run or imported, sizes are known before anything is
unpacked, and all is checked against the rest, since kernels trust their arrays.
"""

import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ibgn import __version__
from ibgn.activity import ActivityModel
from ibgn.classifier import IBGNClassifier
from ibgn.io.files import Source, reading, replacing
from ibgn.links import MEMBERS, Links
from ibgn.messages import DataError, check_number, printable, quote
from ibgn.nodes import Convergence, Nodes, Sampling
from ibgn.selection import LinkScores
from ibgn.structure import Structure

__all__ = ["load", "save"]

Array = npt.NDArray[Any]
Json = Any  # whatever JSON can hold

FORMAT, VERSION = b"ibgn model ", 1
LARGEST = 2 << 30  # bytes of a file, and of all its arrays unpacked
LARGEST_JSON = 16 << 20
MOST_LINKS = 10_000_000  # pairs of positions of all structures together
LONGEST = 1_000_000  # intervals of an instance
MOST_JOBS = 1024
ANY = -1  # any length of an array
Field = tuple[Any, Callable[[Any], Any], *tuple[int | str, ...]]
INT, FLOAT, SMALL = ("<i8",), ("<f8",), ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<u8")
NUMBERS = (*INT, *FLOAT, *SMALL, "<f2", "<f4")


class _MisfitError(Exception):
    """What is in a file does not fit together."""


def _check(holds: Any, what: str) -> None:
    if not holds:
        raise _MisfitError(what)


def save(model: Any, path: Source) -> None:
    """Write a fitted model into one file; by convention its name ends in .ibgn.

    The file replaces another only when it is complete. The same model gives the same bytes. A
    `random_state` that is a generator is left out, and loaded as None; pairs of positions given
    as `structure` are loaded as a sorted list.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> X = [[("pour", 0, 2), ("stir", 1, 3)], [("pour", 0, 1), ("stir", 2, 3)]]
    >>> model = IBGNClassifier(draws=100, random_state=0).fit(X, ["latte", "tea"])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "drinks.ibgn"))
    ...     load(Path(folder, "drinks.ibgn")).predict(X).tolist()
    ['latte', 'tea']
    """
    names = [name for name, kind in KINDS.items() if type(model) is kind.estimator]
    if not names:
        given, known = printable(type(model).__name__), ", ".join(KINDS)
        raise DataError(f"an object of class {given} cannot be saved; choose among {known}")
    check_is_fitted(model)
    try:
        data = _to_bytes(names[0], model)
        _from_bytes(data)  # what is saved can be loaded
    except Exception as error:
        raise DataError(f"the model cannot be saved: {_words(error)}; fit it anew") from error
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def load(path: Source) -> Any:
    """Read a model that `save` wrote; nothing in the file is run.

    A file that is damaged, altered, from a newer version or no model at all is a `DataError`.
    """
    with reading(path), Path(path).open("rb") as file:
        head = file.read(len(FORMAT))
        size = min(os.fstat(file.fileno()).st_size, LARGEST)  # so much memory is taken
        data = head + file.read(size) if head == FORMAT else head
    try:
        return _from_bytes(data)
    except Exception as error:  # whatever a forged file leads to
        advice = "; the file is damaged or was altered, get it anew or save the model again"
        told = "" if isinstance(error, DataError) else advice
        raise DataError(f"{printable(Path(path).name)}: {_words(error)}{told}") from error


def _words(error: Exception) -> str:
    return printable(str(error) or type(error).__name__, 300)


def _to_bytes(name: str, model: Any) -> bytes:
    arrays: list[Array] = []
    content = {"ibgn": __version__, "class": name, "model": KINDS[name].pack(model, arrays)}
    content["arrays"] = [[array.dtype.str, array.shape] for array in arrays]
    text = json.dumps(content, allow_nan=False).encode("ascii")
    body = text + b"\n" + zlib.compress(b"".join(array.tobytes() for array in arrays))
    return _first_line(body) + body


def _first_line(body: bytes | memoryview) -> bytes:
    return FORMAT + f"{VERSION} {hashlib.sha256(body).hexdigest()}\n".encode("ascii")


def _from_bytes(data: bytes) -> Any:
    begin = _check_first_line(data)
    end = data.find(b"\n", begin, begin + LARGEST_JSON)
    _check(end >= 0, "its second line is too long")
    names = ("ibgn", "class", "model", "arrays")
    _, name, content, table = _items(_parse(data[begin:end]), "the second line", names)
    if not isinstance(name, str) or name not in KINDS:
        raise DataError(f"it holds a model of class {quote(name)}; update ibgn to read it")
    arrays = _Arrays(table, data[end + 1 :])
    model = KINDS[name].unpack(content, arrays)
    _check(not arrays.unused, "it has arrays that no part of the model uses")
    return model


def _check_first_line(data: bytes) -> int:
    """Refuse what is no model, newer or altered -> where the second line begins."""
    if not data.startswith(FORMAT):
        what = "is no model" if data else "is empty"
        raise DataError(f"the file {what}; name one that was written by save()")
    _check(len(data) <= LARGEST, f"it is longer than {LARGEST} bytes")
    version = re.match(rb"([1-9][0-9]{0,8})[ \n]", data[len(FORMAT) :][:20])
    if version and int(version[1]) > VERSION:
        raise DataError("the file was written by a newer version of ibgn; update ibgn to read it")
    begin = data.find(b"\n") + 1
    expected = _first_line(memoryview(data)[begin:])
    _check(data[:begin] == expected, "it is cut short, or not what was written (by its SHA-256)")
    return begin


def _parse(text: bytes) -> Json:
    def distinct(items: list[tuple[str, Json]]) -> dict[str, Json]:
        _check(len(dict(items)) == len(items), "it gives two values for one name")
        return dict(items)

    def refuse(word: str) -> None:
        raise _MisfitError(f"it holds {word}, which JSON has not")

    decoded = text.decode("ascii")
    return json.loads(decoded, object_pairs_hook=distinct, parse_constant=refuse)


def _items(node: Json, what: str, names: Iterable[str]) -> list[Json]:
    """Values of exactly these names."""
    _check(isinstance(node, dict), f"{what} is not made of named parts")
    other = sorted(set(node) ^ set(names))
    _check(not other, f"{what} lacks a part, or has one too many: {other[:1]}")
    return [node[name] for name in names]


class _Arrays:
    """Arrays of a file; each is taken once."""

    def __init__(self, table: Json, packed: bytes) -> None:
        _check(isinstance(table, list) and all(map(_is_described, table)), "no table of arrays")
        self.table = table
        sizes = (math.prod(shape) * np.dtype(kind).itemsize for kind, shape in table)
        self.begin = list(accumulate(sizes, initial=0))
        self.data = _unpacked(packed, self.begin[-1])
        self.unused = set(range(len(table)))
        self.lengths: dict[str, int] = {}  # those with a name, of the activity that is read
        self.links = 0

    def take(self, number: Json, what: str, kinds: tuple[str, ...], *lengths: int | str) -> Array:
        """Array of one of these types, of these lengths."""
        _check(type(number) is int and number in self.unused, f"{what} has no array of its own")
        self.unused.remove(number)
        kind, shape = self.table[number]
        _check(kind in kinds, f"{what} is of type {kind} where {kinds[0]} is needed")
        same = len(shape) == len(lengths) and all(map(self._fits, lengths, shape))
        _check(same, f"{what} is of shape {tuple(shape)}, which does not fit the rest")
        array: Array = np.ndarray(shape, kind, self.data, self.begin[number])
        return array.astype(array.dtype.newbyteorder("="))  # a copy, which may be written to

    def _fits(self, wanted: int | str, length: int) -> bool:
        known = self.lengths.setdefault(wanted, length) if isinstance(wanted, str) else wanted
        return known in (length, ANY)

    def take_pairs(self, number: Json) -> list[tuple[int, int]]:
        """Pairs of positions, not too many of them in all."""
        rows = self.take(number, "links", INT, ANY, 2)
        self.links += len(rows)
        _check(self.links <= MOST_LINKS, f"there are more than {MOST_LINKS} links")
        return [(i, j) for i, j in rows.tolist()]


def _is_described(entry: Json) -> bool:
    """Whether an entry is the type of an array and its shape."""
    pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)
    if not pair or entry[0] not in NUMBERS or len(entry[1]) > 3:
        return False
    return all(type(n) is int and 0 <= n <= LARGEST for n in entry[1])


def _unpacked(packed: bytes, size: int) -> bytes:
    _check(size <= LARGEST, f"its arrays have more than {LARGEST} bytes")
    stream = zlib.decompressobj()
    data = stream.decompress(packed, size + 1)
    whole = len(data) == size and stream.eof and not stream.unused_data
    _check(whole, "its arrays are not as long as it says")
    return data


def _anything(value: Any) -> bool:
    return True


def _natural(value: int) -> bool:
    return value >= 0


def _positive(value: Any) -> bool:
    return bool(np.all((value > 0) & np.isfinite(value)))


def _finite(value: Array) -> bool:
    return bool(np.isfinite(value).all())


def _lengths(value: Array) -> bool:
    return bool(((value >= 0) & (value <= LONGEST)).all())


def _probs(value: Array) -> bool:
    """Whether rows add up to 1; those without entries may stay."""
    possible = len(value) and ((value >= 0) & (value < 2)).all()
    return bool(possible and (not value.size or np.allclose(value.sum(axis=-1), 1, atol=1e-6)))


def _logs(value: Array) -> bool:
    return bool((value <= 0).all()) and (not len(value) or _probs(np.exp(value)))


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
        "log_probs": (FLOAT, _logs, "rows", 7),
        "unknown": (FLOAT, lambda logs: (logs <= 0).all(), 128, 7),
        "positions": (FLOAT, lambda logs: len(logs) and _logs(logs), "size", "size", 7),
        "elsewhere": (FLOAT, _logs, 7),
    },
    LinkScores: {
        "size": (int, _natural),
        "gain": (FLOAT, _finite, "pairs"),
        "penalty": (FLOAT, _finite, "pairs"),
    },
    ActivityModel: {
        "nodes": (Nodes, _anything),
        "links": (Links, _anything),
        "link_scores": (LinkScores, _anything),
        "lengths": (INT, _lengths, "instances"),
        "pace": (float, _positive),
    },
}


def _pack(value: Any, arrays: list[Array]) -> Json:
    """Turn a part of a model into JSON; its arrays are added to the others."""
    if isinstance(value, Structure):
        links = _pack_pairs(value.links, arrays)
        return {"links": links, "size": value.size, "beyond": value.beyond}
    if type(value) in PARTS:
        return {name: _pack(getattr(value, name), arrays) for name in PARTS[type(value)]}
    if isinstance(value, np.ndarray):
        arrays.append(value.astype(value.dtype.newbyteorder("<")))
        return len(arrays) - 1
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _pack_pairs(pairs: Iterable[tuple[int, int]], arrays: list[Array]) -> Json:
    rows = sorted((int(i), int(j)) for i, j in pairs)
    return _pack(np.array(rows, np.int64).reshape(-1, 2), arrays)


def _unpack(field: Field, node: Json, arrays: _Arrays, what: str) -> Any:
    """Turn JSON into what a field may hold."""
    kind, holds, *lengths = field
    value: Any
    if isinstance(kind, tuple):
        value = arrays.take(node, what, kind, *lengths)
    elif kind in (Structure, *PARTS):
        value = _unpack_part(kind, node, arrays, what)
    else:
        value = float(node) if kind is float and node in ("nan", "inf", "-inf") else node
        _check(type(value) is kind, f"{what} is not of type {kind.__name__}")
    _check(holds(value), f"{what} cannot be what it is")
    return value


def _unpack_part(kind: type, node: Json, arrays: _Arrays, what: str, **given: Any) -> Any:
    if kind is LinkScores and node is None:
        return None
    if kind is Structure:
        return _unpack_structure(node, arrays)
    values = zip(PARTS[kind].items(), _items(node, what, PARTS[kind]), strict=True)
    parts = {name: _unpack(field, value, arrays, name) for (name, field), value in values}
    part = kind(**given, **parts)
    _check(_agrees(part), f"the parts of {what} do not agree")
    return part


def _unpack_structure(node: Json, arrays: _Arrays) -> Structure:
    links, size, beyond = _items(node, "structure", ("links", "size", "beyond"))
    _check(type(size) is int and 0 <= size * size <= LARGEST, "the size of a structure cannot be")
    return Structure(arrays.take_pairs(links), size, beyond)


def _agrees(part: Any) -> Any:
    """Whether what no field can tell by itself holds."""
    if isinstance(part, Links):
        keys, impossible = part.keys, ~MEMBERS[part.keys % 128]
        in_range = ((keys >= 0) & (keys < part.actions**2 * 128)).all()
        excluded = np.append(part.log_probs[impossible], part.unknown[~MEMBERS])
        return in_range and (keys[1:] > keys[:-1]).all() and np.isneginf(excluded).all()
    if isinstance(part, LinkScores):
        return len(part.gain) == part.size * (part.size - 1) // 2
    if isinstance(part, ActivityModel):
        same = part.links.actions == len(part.actions)
        return same and (part.actions or not part.lengths.any())
    return True


def _pack_labels(labels: Array, arrays: list[Array]) -> Json:
    """Labels as an array of numbers, or as names and their width, 0 for objects."""
    if labels.dtype.kind not in "OU":
        return _pack(labels, arrays)
    width = labels.dtype.itemsize // 4 if labels.dtype.kind == "U" else 0
    return {"names": labels.tolist(), "width": width}


def _unpack_labels(node: Json, arrays: _Arrays) -> Array:
    labels: Array
    if type(node) is int:
        labels = _unpack((NUMBERS, _finite, ANY), node, arrays, "classes")
    else:
        names, width = _items(node, "classes", ("names", "width"))
        size = width * len(_names(names, "classes")) if type(width) is int else -1
        _check(0 <= size <= LARGEST // 4, "the width of classes cannot be")
        labels = np.array(names, f"U{width}" if width else object)
        _check(labels.tolist() == names, "classes are wider than they may be")
    listed = labels.tolist()
    _check(listed and listed == sorted(set(listed)), "classes are not distinct and sorted")
    return labels


def _names(node: Json, what: str) -> list[str]:
    right = isinstance(node, list) and all(isinstance(name, str) for name in node)
    _check(right and all(a < b for a, b in pairwise(node)), f"{what} are not sorted names")
    return list(node)


def _pack_classifier(model: IBGNClassifier, arrays: list[Array]) -> Json:
    labels = model.classes_.tolist()
    return {
        "parameters": _pack_parameters(model, arrays),
        "classes": _pack_labels(model.classes_, arrays),
        "class_log_prior": _pack(model.class_log_prior_, arrays),
        "actions": list(model.actions_),
        "seed": model.seed_,
        "activities": [_pack(model.activities_[label], arrays) for label in labels],
    }


def _unpack_classifier(node: Json, arrays: _Arrays) -> IBGNClassifier:
    names = ("parameters", "classes", "class_log_prior", "actions", "seed", "activities")
    parameters, classes, prior, actions, seed, activities = _items(node, "the model", names)
    model = _unpack_parameters(parameters, arrays)
    model.classes_ = _unpack_labels(classes, arrays)
    labels = model.classes_.tolist()
    model.class_log_prior_ = _unpack((FLOAT, _logs, len(labels)), prior, arrays, names[2])
    model.actions_ = tuple(_names(actions, "actions"))
    model.seed_ = _unpack((int, lambda seed: 0 <= seed < 2**32), seed, arrays, "seed")
    _check(type(activities) is list and len(activities) == len(labels), "activities are missing")
    model.activities_ = {}
    for label, part in zip(labels, activities, strict=True):
        given = {"name": label, "actions": model.actions_}
        arrays.lengths = {"actions": len(model.actions_)}
        what = f"activity {quote(label)}"
        model.activities_[label] = _unpack_part(ActivityModel, part, arrays, what, **given)
    return model


def _pack_parameters(model: IBGNClassifier, arrays: list[Array]) -> Json:
    given = model.get_params(deep=False)
    structure, prior, seed = (given[name] for name in ("structure", "class_prior", "random_state"))
    if isinstance(structure, Iterator):  # spent; what it gave is in every activity
        structure = next(iter(model.activities_.values())).structure.links
    if not isinstance(structure, str | Structure):
        given["structure"] = {"pairs": _pack_pairs(structure, arrays)}
    if isinstance(prior, Mapping):
        given["class_prior"] = [[_pack(label, arrays), float(p)] for label, p in prior.items()]
    given["random_state"] = int(seed) if isinstance(seed, int | np.integer) else None
    return {name: _pack(value, arrays) for name, value in given.items()}


def _unpack_parameters(node: Json, arrays: _Arrays) -> IBGNClassifier:
    known = IBGNClassifier().get_params(deep=False)
    values = dict(zip(known, _items(node, "the parameters", known), strict=True))
    if not isinstance(values["structure"], str):
        values["structure"] = _unpack_choice(values["structure"], arrays)
    if not isinstance(values["class_prior"], str):
        values["class_prior"] = _unpack_prior(values["class_prior"])
    model = IBGNClassifier(**values)
    _check_parameters(model)
    return model


def _unpack_choice(node: Json, arrays: _Arrays) -> Structure | list[tuple[int, int]]:
    if not isinstance(node, dict) or set(node) != {"pairs"}:
        return _unpack_structure(node, arrays)
    pairs = arrays.take_pairs(node["pairs"])
    Structure(pairs)  # refuses what are no positions
    return pairs


def _unpack_prior(node: Json) -> dict[Any, float]:
    listed = isinstance(node, list) and all(isinstance(e, list) and len(e) == 2 for e in node)
    _check(listed, "class_prior is no list of labels and probabilities")
    plain = all(type(a) in (str, int, float, bool) and type(p) is float for a, p in node)
    _check(plain and len(dict(node)) == len(node), "class_prior cannot be what it is")
    return dict(node)


def _check_parameters(model: IBGNClassifier) -> None:
    model._check_options()
    Sampling(**{field.name: getattr(model, field.name) for field in fields(Sampling)})
    for name in ("penalty", "smoothing"):
        if name == "penalty" or model.smoothing != "learned":
            check_number(name, getattr(model, name), "positive", lambda value: value > 0)
    jobs, seed = model.n_jobs, model.random_state
    some = jobs is None or (type(jobs) is int and 1 <= abs(jobs) <= MOST_JOBS)
    _check(some, "n_jobs cannot be what it is")
    _check(seed is None or (type(seed) is int and seed >= 0), "random_state cannot be what it is")
    _check(type(model.progress) is bool, "progress is neither true nor false")


class Kind(NamedTuple):
    """How estimators of a class are packed and unpacked."""

    estimator: type
    pack: Callable[[Any, list[Array]], Json]
    unpack: Callable[[Json, _Arrays], Any]


# Name in the file of each class that can be saved; another class needs a row here.
KINDS = {"IBGNClassifier": Kind(IBGNClassifier, _pack_classifier, _unpack_classifier)}
