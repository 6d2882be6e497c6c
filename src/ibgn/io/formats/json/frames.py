"""Documents with one label per frame: lists of labels, or of objects with a frame and a label."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ibgn.io.formats.json.names import Legend, actions_of, is_number_of_row
from ibgn.io.formats.json.times import walk
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.time import Runs, find_runs
from ibgn.io.parsing.words import ACTION, words_of

__all__ = ["find_frames"]

FRAME = frozenset({"frame", "image", "img", "file", "filename", "idx", "index"})
LAST_NUMBER = re.compile(r"(\d{1,15})\D*")
# what frames are called where they are not in a list
FRAME_NAME = re.compile(
    r"\d{1,15}|\S{0,200}(frame|img|image)\D?\d{1,15}(\.\w{1,5})?|\S{0,200}\d\.(jpe?g|png|bmp)",
    re.IGNORECASE,
)
LONGEST = 200  # characters of the name of a frame
SOME_RUNS = 3  # a label in so many is the same as the one before, in lists without a telling name
LEAST = 2  # frames; more than a label each would be


class Labelled(NamedTuple):
    """A list whose entries are frames, and the runs of equal labels in it."""

    node: Node
    runs: Runs


def find_frames(root: Node, legend: Legend) -> Iterator[Labelled]:
    """Lists of frames with a label each, in the order in which they stand."""
    for node in walk(root):
        if not isinstance(node.value, dict | list) or len(node.value) < LEAST:
            continue
        if isinstance(node.value, dict):
            labels, numbers = _labels_by_frame(node.value)
        else:
            labels, numbers = _labels(node, legend), _numbers(node)
        if labels is not None:
            yield Labelled(node, find_runs(labels, numbers))


def _labels_by_frame(fields: dict[str, Any]) -> tuple[list[str] | None, list[float] | None]:
    """Labels and numbers of frames that stand under their numbers: {"0": "pour", "1": "pour"}."""
    if not all(FRAME_NAME.fullmatch(key) for key in fields):
        return None, None
    numbers = [_last_number(key) for key in fields]
    labels = list(fields.values())
    texts = all(isinstance(label, str) for label in labels)
    if not texts or None in numbers or not _repeats(labels) or not _increases(numbers):
        return None, None
    return labels, [number for number in numbers if number is not None]


def _labels(node: Node, legend: Legend) -> list[str] | None:
    """One label for each frame; None where the entries of a list are no frames."""
    entries = node.value
    if all(isinstance(each, dict) for each in entries):
        if not all(_frame_of(each) for each in entries) or all("bbox" in each for each in entries):
            return None
        said = [actions_of(each, None, legend) for each in node.items()]
        found = [[] if is_number_of_row(field) else actions for field, actions in said]
        labels = [values[0] for values in found] if all(map(_is_one, found)) else []
        # without either, they are objects or points at some frames
        return labels if labels and (_repeats(labels) or _follow(_numbers(node))) else None
    named = isinstance(node.key, str) and _speaks_of_labels(words_of(node.key))
    plain = all(isinstance(each, str | int) and not isinstance(each, bool) for each in entries)
    if not plain or not _repeats(entries):
        return None
    return [str(each) for each in entries] if named or _are_runs(node) else None


def _repeats(labels: Sequence[Any]) -> int:
    """How often a label is the same as the one before it."""
    return sum(a == b for a, b in pairwise(labels))


def _are_runs(node: Node) -> bool:
    """Whether texts in a list that stands among others like it repeat as labels of frames do."""
    others = node.parent.value if node.parent is not None else None
    if not isinstance(others, dict) or not all(isinstance(each, list) for each in others.values()):
        return False
    texts = all(isinstance(each, str) for each in node.value)
    return texts and SOME_RUNS * _repeats(node.value) > len(node.value)


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
        number = None if key is None else _last_number(str(each[key]))
        if number is None:
            return None
        numbers.append(number)
    return numbers if _increases(numbers) else None


def _follow(numbers: Sequence[float] | None) -> bool:
    """Whether frames follow each other, as far as they are numbered."""
    return numbers is None or all(b - a == 1 for a, b in pairwise(numbers))


def _last_number(name: str) -> float | None:
    """Last number in the name of a frame, before its suffix."""
    end = name[-LONGEST:]
    found = LAST_NUMBER.findall(end.rpartition(".")[0] or end)
    return float(found[-1]) if found else None


def _increases(numbers: Sequence[float | None]) -> bool:
    return all(a is not None and b is not None and a < b for a, b in pairwise(numbers))
