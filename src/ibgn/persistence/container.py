"""Bytes of a model file: a first line, a line of JSON and arrays, whatever they mean.

All sizes are bounded, and known before anything is unpacked.
"""

import hashlib
import json
import math
import re
import zlib
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np

from ibgn._arrays import Array
from ibgn.declarations import ANY, FLOAT, INT
from ibgn.errors import DataError

__all__ = ["Arrays", "MisfitError", "check", "items", "join", "split"]

Json = Any  # any JSON value

FORMAT, VERSION = b"ibgn model ", 5
LARGEST = 2 << 30  # bytes of a file, and of all its arrays unpacked
SMALL_ENOUGH = 64 << 20  # bytes of arrays, however well they are compressed
MOST_TIMES = 50  # as many bytes as they have compressed, beyond that
MOST_AXES = 4  # of an array
LARGEST_JSON = 16 << 20
MOST_LINKS = 10_000_000  # pairs of positions of all structures together
BYTES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<u8")
NUMBERS = (*INT, *FLOAT, *BYTES, "<f2", "<f4")


class MisfitError(Exception):
    """The parts of a file do not fit together."""


def check(holds: Any, what: str) -> None:
    """Refuse a file that fails a check."""
    if not holds:
        raise MisfitError(what)


def join(content: dict[str, Json], arrays: list[Array]) -> bytes:
    """Make the bytes of a file from JSON and arrays; types and shapes go into the JSON."""
    table = [[array.dtype.str, array.shape] for array in arrays]
    text = json.dumps(content | {"arrays": table}, allow_nan=False).encode("ascii")
    body = text + b"\n" + _pack(b"".join(array.tobytes() for array in arrays))
    return _first_line(body) + body


def _pack(data: bytes) -> bytes:
    """Compress arrays, but not so much that a reader would take them for a bomb."""
    packed = zlib.compress(data)
    if len(data) <= _most_bytes(len(packed)):
        return packed
    mild = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)  # to an eighth at best
    return mild.compress(data) + mild.flush()


def _most_bytes(packed: int) -> int:
    """As many bytes as arrays may have that are compressed to so many."""
    return min(LARGEST, max(SMALL_ENOUGH, MOST_TIMES * packed))


def split(data: bytes) -> tuple[Json, bytes]:
    """Split a file into JSON and packed arrays; refuses one that is no model of this version."""
    if not data.startswith(FORMAT):
        what = "is not a model" if data else "is empty"
        raise DataError(f"the file {what}; name one that `ibgn fit` or save() wrote")
    check(len(data) <= LARGEST, f"it is longer than {LARGEST} bytes")
    version = re.match(rb"([1-9][0-9]{0,8})[ \n]", data[len(FORMAT) :][:20])
    if version and int(version[1]) > VERSION:
        raise DataError("the file was written by a newer version of ibgn; update ibgn to read it")
    if version and int(version[1]) < VERSION:
        raise DataError(
            "the file was written by an older version of ibgn, and can no longer be read; "
            "fit the model again"
        )
    begin = data.find(b"\n") + 1
    expected = _first_line(memoryview(data)[begin:])
    check(data[:begin] == expected, "it is cut short or was altered (by its SHA-256)")
    end = data.find(b"\n", begin, begin + LARGEST_JSON)
    check(end >= 0, "its second line is too long")
    return _parse(data[begin:end]), data[end + 1 :]


def _first_line(body: bytes | memoryview) -> bytes:
    return FORMAT + f"{VERSION} {hashlib.sha256(body).hexdigest()}\n".encode("ascii")


def _parse(text: bytes) -> Json:
    def distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        check(len(dict(pairs)) == len(pairs), "it has two values for one name")
        return dict(pairs)

    def refuse(word: str) -> None:
        raise MisfitError(f"it contains {word}, which is not valid JSON")

    decoded = text.decode("ascii")
    return json.loads(decoded, object_pairs_hook=distinct, parse_constant=refuse)


def items(node: Json, what: str, names: Iterable[str]) -> list[Json]:
    """Values of exactly these names."""
    check(isinstance(node, dict), f"{what} is not made of named parts")
    other = sorted(set(node) ^ set(names))
    check(not other, f"{what} lacks a part, or has an unknown one: {other[:1]}")
    return [node[name] for name in names]


class Arrays:
    """Arrays of a file; each is used once.

    Parameters
    ----------
    table : type and shape of each
    packed : their bytes, compressed by zlib
    """

    def __init__(self, table: Json, packed: bytes) -> None:
        check(isinstance(table, list) and all(map(_is_described, table)), "no table of arrays")
        self.table = table
        sizes = (math.prod(shape) * np.dtype(kind).itemsize for kind, shape in table)
        self.begin = list(accumulate(sizes, initial=0))
        size, stream = self.begin[-1], zlib.decompressobj()
        most = _most_bytes(len(packed))
        check(size <= most, f"its arrays have {size} bytes, more than the {most} that are allowed")
        self.data = stream.decompress(packed, size + 1)
        whole = len(self.data) == size and stream.eof and not stream.unused_data
        check(whole, "its arrays do not have the length that it declares")
        self.unused = set(range(len(table)))
        self.lengths: dict[str, int] = {}  # named lengths of the current activity
        self.links = 0

    def take(self, number: Json, what: str, kinds: tuple[str, ...], *lengths: int | str) -> Array:
        """Array with one of these types and these lengths: numbers, or names like "n" and "n+1"."""
        check(type(number) is int and number in self.unused, f"{what} has no array of its own")
        self.unused.remove(number)
        kind, shape = self.table[number]
        check(kind in kinds, f"{what} is of type {kind} where {kinds[0]} is needed")
        same = len(shape) == len(lengths) and all(map(self._fits, lengths, shape))
        check(same, f"{what} is of shape {tuple(shape)}, which does not fit the rest")
        array: Array = np.ndarray(shape, kind, self.data, self.begin[number])
        return array.astype(array.dtype.newbyteorder("="))  # a writable copy

    def _fits(self, declared: int | str, length: int) -> bool:
        if isinstance(declared, int):
            return declared in (length, ANY)
        name, _, more = declared.partition("+")
        rest = length - int(more or 0)
        return rest >= 0 and self.lengths.setdefault(name, rest) == rest

    def take_pairs(self, number: Json) -> list[tuple[int, int]]:
        """Pairs of positions; refuses too many in one file."""
        rows = self.take(number, "links", INT, ANY, 2)
        self.links += len(rows)
        check(self.links <= MOST_LINKS, f"there are more than {MOST_LINKS} links")
        return [(i, j) for i, j in rows.tolist()]


def _is_described(entry: Json) -> bool:
    """Whether an entry is a valid type and shape of an array."""
    pair = isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)
    if not pair or entry[0] not in NUMBERS or len(entry[1]) > MOST_AXES:
        return False
    return all(type(n) is int and 0 <= n <= LARGEST for n in entry[1])
