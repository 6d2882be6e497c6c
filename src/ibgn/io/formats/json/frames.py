"""Documents with one label per frame: lists of labels, or of objects with a frame and a label."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ibgn.io.formats.json.names import Legend, actions_of
from ibgn.io.formats.json.times import walk
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.time import Runs, find_runs
from ibgn.io.parsing.words import ACTION, words_of

__all__ = ["find_frames"]

FRAME = frozenset({"frame", "image", "img", "file", "filename", "idx", "index"})
LAST_NUMBER = re.compile(r"(\d{1,15})\D*")
LONGEST = 200  # characters of the name of a frame
LEAST = 2  # frames; more than a label each would be


class Labelled(NamedTuple):
    """A list whose entries are frames, and the runs of equal labels in it."""

    node: Node
    runs: Runs


def find_frames(root: Node, legend: Legend) -> Iterator[Labelled]:
    """Lists of frames with a label each, in the order in which they stand."""
    for node in walk(root):
        if isinstance(node.value, list) and len(node.value) >= LEAST:
            labels, numbers = _labels(node, legend), _numbers(node)
            if labels is not None:
                yield Labelled(node, find_runs(labels, numbers))


def _labels(node: Node, legend: Legend) -> list[str] | None:
    """One label for each frame; None where the entries of a list are no frames."""
    entries = node.value
    if all(isinstance(each, dict) for each in entries):
        if not all(_frame_of(each) for each in entries):
            return None
        found = [actions_of(each, None, legend)[1] for each in node.items()]
        return [values[0] for values in found] if all(map(_is_one, found)) else None
    named = isinstance(node.key, str) and _speaks_of_labels(words_of(node.key))
    plain = all(isinstance(each, str | int) and not isinstance(each, bool) for each in entries)
    repeats = sum(a == b for a, b in pairwise(entries))
    return [str(each) for each in entries] if named and plain and repeats else None


def _is_one(values: Sequence[str]) -> bool:
    return len(values) == 1


def _speaks_of_labels(words: Sequence[str]) -> bool:
    return any(word.removesuffix("s") in (*ACTION, "frame") for word in words)


def _frame_of(fields: dict[str, Any]) -> str | None:
    """Field of an object that says which frame it is."""
    named = (key for key, value in fields.items() if isinstance(value, str | int))
    return next((key for key in named if FRAME & {*words_of(key)}), None)


def _numbers(node: Node) -> list[float] | None:
    """Numbers of the frames, where each has one and they increase; their places otherwise."""
    numbers = []
    for each in node.value:
        key = _frame_of(each) if isinstance(each, dict) else None
        name = "" if key is None else str(each[key])[-LONGEST:]
        found = LAST_NUMBER.findall(name.rpartition(".")[0] or name)
        if not found:
            return None
        numbers.append(float(found[-1]))
    increases = all(a < b for a, b in pairwise(numbers))
    return numbers if increases else None
