"""Objects with a start and an end that are no intervals: places in a text, and settings."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ibgn.io.formats.json.names import LISTS, around, track_of
from ibgn.io.formats.json.times import Times
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.words import ACTION, words_of

__all__ = ["find_places", "find_setting"]

# words of fields that name parts of a text
PARTS = frozenset({"entity", "entities", "ent", "ents", "token", "tokens", "mention", "mentions"})
# words of fields with a text, and with the part of it that an object is
WHOLE = frozenset({"text", "content", "sentence", "paragraph", "document", "raw", "tweet", "body"})
WHOLE |= {"abstract", "context", "passage", "transcript", "data"}
OWN = frozenset({"text", "word", "content", "transcript", "sentence", "phrase", "value", "surface"})
FEW = 3  # entries of a list such as ["Ann pours tea", {"entities": ...}]
FIELDS = 100  # of an object at most; others hold recordings under their names
SPLITS = frozenset({"train", "training", "val", "valid", "validation", "test", "testing", "eval"})
# words that say what went on in an object that stands alone; "name" and "type" are of settings too
SAID = frozenset(ACTION[: ACTION.index("operation")]) | frozenset(
    re.findall(
        r"\w+",
        "annotation label labels verb call species word phoneme chord transcription transcript "
        "utterance narration sentence caption subtitle gloss lyrics query question q",
    )
)

Records = Sequence[tuple[Node, Times]]


def find_places(records: Records) -> set[int]:
    """Numbers of the objects that count the characters of a text, such as entities in it.

    Objects of a list are such places where all of them fit a text around them, or have a text that
    is as long as they say.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, (record, times) in enumerate(records):
        groups.setdefault((track_of(record), times.start, times.end or ""), []).append(number)
    found: set[int] = set()
    for numbers in groups.values():
        own = [records[number] for number in numbers]
        enough = len(own) > 1 or _names_part(own[0][0])
        alone = enough and all(_is_as_long_as_its_text(*each) for each in own)
        if alone or all(_is_place(*each) for each in own):
            found.update(numbers)
    return found


def find_setting(records: Records) -> Times | None:
    """Times of a document that has settings: no list of objects, and none says what went on."""
    if not records or not all(_is_alone(record) for record, _ in records):
        return None
    objects = {id(record.value): record for record, _ in records}.values()
    # recordings that stand under their names have the same fields
    alike = len(objects) > 1 and len({frozenset(record.value) for record in objects}) == 1
    split = any(SPLITS & {*words_of(str(record.key))} for record in objects)
    said = {word for record in objects for key in record.value for word in words_of(key)}
    return records[0][1] if (split or not alike) and not said & SAID else None


def _is_alone(record: Node) -> bool:
    """Whether an object is in no list, nor in an object that stands for one."""
    keys = [str(node.key) for node in around(record)]
    listed = any(key.isdigit() or key in LISTS - SPLITS - {"data", "file"} for key in keys)
    return not listed and all(isinstance(node.value, dict) for node in around(record))


def _ends(record: Node, times: Times) -> tuple[int, int] | None:
    """Start and end that are whole numbers, as places in a text are."""
    values = [record.value[key] for key in (times.start, times.end) if key is not None]
    if times.place is not None:
        values = [value[times.place] for value in values]
    both = values[0] if len(values) == 1 else values
    if times.is_length or not isinstance(both, list) or len(both) != 2:
        return None
    start, end = both
    plain = all(isinstance(each, int) and not isinstance(each, bool) for each in both)
    return (start, end) if plain and 0 <= start < end else None


def _is_place(record: Node, times: Times) -> bool:
    """Whether a text around an object has a whole word, or the text of the object, there."""
    ends = _ends(record, times)
    if ends is None:
        return False
    own, texts = _texts(record.value, OWN), _texts_around(record)
    if not own and _names_part(record):
        return any(True for _ in texts)
    return any(_fits(text, own, *ends) for text in texts)


def _fits(text: str, own: Sequence[str], start: int, end: int) -> bool:
    cut = text[start:end]
    if end > len(text):
        return False
    if own:
        return any(each in (cut, text[start : end + 1]) for each in own)
    inside = text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum()
    return not (inside or cut[0].isspace() or cut[-1].isspace())


def _is_as_long_as_its_text(record: Node, times: Times) -> bool:
    ends = _ends(record, times)
    own = _texts(record.value, OWN)
    return ends is not None and any(len(each) == ends[1] - ends[0] for each in own)


def _names_part(record: Node) -> bool:
    names = [*record.value, *(node.key for node in list(around(record))[:2])]
    return any(PARTS & {*words_of(name)} for name in names if isinstance(name, str))


def _texts_around(record: Node) -> Iterator[str]:
    for node in list(around(record))[1:]:
        if isinstance(node.value, dict):
            yield from _texts(node.value, WHOLE) if len(node.value) <= FIELDS else ()
        elif len(node.value) <= FEW:
            yield from (value for value in node.value if isinstance(value, str))


def _texts(fields: Mapping[str, Any], telling: frozenset[str]) -> list[str]:
    named = ((key, value) for key, value in fields.items() if isinstance(value, str))
    return [value for key, value in named if telling & {*words_of(key)}]
