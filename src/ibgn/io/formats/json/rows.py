"""Documents whose intervals are lists: ["take 1", 33.4, [0, 6.9], "boil"], or [0, 6.9, "boil"].

Or they are pairs under a name: {"duration": 28, "answers": {"4": [[7.1, 10.2]]}}.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ibgn.cleaning import LARGEST_TIME
from ibgn.io.formats.json.times import walk
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.words import LENGTH, words_of

__all__ = ["Row", "find_rows"]

Kind = Literal["text", "number", "pair", "other"]

FIELDS = 100  # of an object that says how long all takes, at most
LEAST = 2  # lists of the same form, and the least that each needs


class Row(NamedTuple):
    """A list that is an interval: where it stands, whose it is if it says so, and its times."""

    node: Node
    instance: str | None
    action: str
    start: float
    end: float


class _Form(NamedTuple):
    """Places in lists; the times are one pair, or start with the first of two numbers."""

    times: int
    is_pair: bool
    action: int
    instance: int | None


def find_rows(root: Node) -> Iterator[Row]:
    """Lists of lists that are intervals, in the order in which they stand."""
    for node in walk(root):
        if isinstance(node.value, dict):
            yield from _named_pairs(node)
        form = _form_of(node.value) if isinstance(node.value, list) else None
        if form is None:
            continue
        for row in node.items():
            pair = row.value[form.times]
            start, end = pair if form.is_pair else row.value[form.times : form.times + 2]
            instance = None if form.instance is None else row.value[form.instance]
            yield Row(row, instance, row.value[form.action].strip(), float(start), float(end))


def _named_pairs(node: Node) -> Iterator[Row]:
    """Pairs under the names of an object, where what holds it says how long all takes."""
    holder = node.parent
    pairs = [pair for pairs in node.value.values() for pair in _as_list(pairs)]
    if holder is None or not pairs or not all(_kind_of(pair) == "pair" for pair in pairs):
        return
    if not isinstance(holder.value, dict) or len(holder.value) > FIELDS:
        return
    lengths = [value for key, value in holder.value.items() if {*words_of(key)} & LENGTH]
    most = max(filter(_is_number, lengths), default=0)
    if all(0 <= start <= end <= most for start, end in pairs):
        instance = holder.key if isinstance(holder.key, str) and holder.key else None
        for key, listed in node.members():
            action = f"{node.key} {key}" if key.isdecimal() else key
            yield from (Row(listed, instance, action, *map(float, pair)) for pair in listed.value)


def _as_list(value: Any) -> list[Any]:
    """A list itself, or one with what is none."""
    return value if isinstance(value, list) else [value]


def _form_of(rows: Sequence[Any]) -> _Form | None:
    """Form of lists that are intervals; None where they are something else, or differ."""
    if not rows or not all(isinstance(row, list) and len(row) > LEAST for row in rows):
        return None
    kinds = list(map(_kind_of, rows[0]))
    if any(list(map(_kind_of, row)) != kinds for row in rows):
        return None
    texts = [place for place, kind in enumerate(kinds) if kind == "text"]
    pairs = [place for place, kind in enumerate(kinds) if kind == "pair"]
    numbers = [place for place, kind in enumerate(kinds) if kind == "number"]
    if len(pairs) == 1 and texts:
        before = len(texts) > 1 and texts[0] < pairs[0]
        form = _Form(pairs[0], True, texts[-1], texts[0] if before else None)
        ends = [row[pairs[0]] for row in rows]
    elif not pairs and len(texts) == 1 and LEAST + 1 <= len(kinds) == len(numbers) + 1:
        if len(kinds) > LEAST + 1 and texts[0] != LEAST:
            return None  # more numbers may follow a start, an end and a name
        if numbers[1] != numbers[0] + 1:
            return None
        form = _Form(numbers[0], False, texts[0], None)
        ends = [row[numbers[0] : numbers[0] + 2] for row in rows]
    else:
        return None
    return form if all(0 <= start <= end for start, end in ends) else None


def _kind_of(value: Any) -> Kind:
    if isinstance(value, str):
        return "text"
    if _is_number(value):
        return "number"
    pair = isinstance(value, list) and len(value) == LEAST and all(map(_is_number, value))
    return "pair" if pair else "other"


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and abs(value) < LARGEST_TIME
