"""Files of models taken apart, altered and put together again, for the tests of persistence."""

import hashlib
import json
import math
import os
import tracemalloc
import zlib
from copy import deepcopy
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from ibgn import DataError
from ibgn.persistence import load, save


def peak(action):
    """Bytes of memory that Python objects take at the most while something is done."""
    tracemalloc.start()
    action()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def again(model, tmp_path):
    save(model, tmp_path / "model.ibgn")
    return load(tmp_path / "model.ibgn")


def state(model):
    """All that a model holds, by name; in which order it was set does not matter."""
    return dict(sorted(vars(model).items()))


def same(a, b):
    """Equal in type and to the bit, all the way down."""
    assert type(a) is type(b), (a, b)
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
    elif is_dataclass(a):
        for field in fields(a):
            same(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, tuple):
        assert len(a) == len(b)
        for mine, its in zip(a, b, strict=True):
            same(mine, its)
    elif isinstance(a, dict):
        assert list(map(repr, a)) == list(map(repr, b))
        for key in a:
            same(a[key], b[key])
    else:
        assert a == b or (math.isnan(a) and math.isnan(b))


def refused(data, tmp_path, match="; "):
    path = tmp_path / "given.ibgn"
    path.write_bytes(data)
    with pytest.raises(DataError, match=match) as caught:
        load(path)
    assert "given.ibgn: " in str(caught.value)
    assert len(str(caught.value)) < 500
    return str(caught.value)


class Marker:
    """Pickled, it makes a file when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def sealed(body):
    return f"ibgn model 5 {hashlib.sha256(body).hexdigest()}\n".encode() + body


def opened(content):
    """The JSON of a file, and its arrays."""
    _, text, packed = content.split(b"\n", 2)
    tree, raw, at = json.loads(text), zlib.decompress(packed), 0
    arrays = []
    for kind, shape in tree["arrays"]:
        size = math.prod(shape) * np.dtype(kind).itemsize
        arrays.append(np.frombuffer(raw[at : at + size], kind).reshape(shape).copy())
        at += size
    assert at == len(raw)
    return tree, arrays


def closed(tree, arrays):
    tree["arrays"] = [[array.dtype.str, array.shape] for array in arrays]
    raw = b"".join(array.tobytes() for array in arrays)
    return sealed(json.dumps(tree).encode() + b"\n" + zlib.compress(raw))


def part(tree, path):
    """Node that holds the last name of a path, and that name; the activity is the first.

    A path begins at a term of the activity, at the activity or at the model.
    """
    names = path.split(".")
    activity = tree["model"]["activities"][0]
    places = (activity["terms"], activity, tree["model"])
    node = next(place for place in places if names[0] in place)
    for name in names[:-1]:
        node = node[name]
    return node, names[-1]


def forged(content, path, change):
    tree, arrays = opened(content)
    node, name = part(tree, path)
    number = node[name]
    changed = change(arrays[number].copy())
    arrays[number] = arrays[number] if changed is None else changed
    return closed(tree, arrays)


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


def leaves(node, path=()):
    """Paths to all values in JSON."""
    inner = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in inner:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))


JUNK = [None, True, 0, 1, -1, 2, 7, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, "", "nan", "x", [], {}]
JUNK += [[0], [[0, 1]], {"pairs": 0}, "full", "learned", ["a", "b"], {"names": [], "width": 0}]


def fuzz(tree, arrays, places, rng):
    """Put junk into a value, or into an array."""
    if rng.random() < 0.5:
        node = tree
        *path, last = places[rng.integers(len(places))]
        try:
            for key in path:
                node = node[key]
            node[last] = deepcopy(JUNK[rng.integers(len(JUNK))])  # later junk may go into it
        except (KeyError, IndexError, TypeError):  # what an earlier one took away
            pass
    else:
        number = rng.integers(len(arrays))
        array = arrays[number]
        if array.size and rng.random() < 0.8:
            array.flat[rng.integers(array.size)] = rng.choice([-1, 0, 1, 2**31, -(2**62)])
        else:
            arrays[number] = array[1:] if rng.random() < 0.5 else array[None]
