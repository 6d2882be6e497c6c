"""What an object of a document is about: its action, its recording and its track."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from ibgn.io.formats.json.times import ENTRIES, SEVERAL, Times, find_times, speaks_of_time, walk
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.words import (
    ACTION,
    BESIDES,
    HUMP,
    INSTANCE,
    MEDIA,
    NO_ACTION,
    NUMBERING,
    words_of,
)

__all__ = [
    "LISTS",
    "Legend",
    "actions_of",
    "around",
    "instance_of",
    "is_number_of_row",
    "track_of",
]

TRACK = "intervals"  # of objects in a list without a name
# names of lists in a document, which do not name a recording
LISTS = frozenset(
    re.findall(
        r"\w+",
        "annotation annotations segment segments event events label labels result results data "
        "item items interval intervals action actions utterance utterances word words entry "
        "entries record records track tracks clip clips region regions sentence sentences chapter "
        "chapters marker markers database video videos file files caption captions value values "
        "train training val validation test testing alternative alternatives channel channels "
        "monologue monologues phone phones turn turns tier tiers list map",
    )
)
ALTERNATIVES = ("alternatives", "nBest", "NBest")  # of what was recognised, the likeliest first
DOUBT = 25  # ranks that a name with other words loses: "raw_tags" comes after "query"
BESIDE = 20  # objects that are looked at to tell names from fields
DATA = "data"  # of an event, as ActivityWatch has it: what was seen, by which the event is named
SEEN = ("app", "label", "status", "title", "url")
BUCKETS = "buckets"  # of events at the same time, by where they were seen
NAMES = ("name", "title", "file_name", "filename", "label")  # of what has an id
OF_FILES = frozenset({"name", "content", "type"})
LONG_NUMBER = 6  # digits of a number that names a recording
SHORT = 2  # letters of parts of names that are no words
KINDS = frozenset({"type", "kind"})
# what numbers name less well than these do
TEXTS = frozenset({"text", "clean", "name", "gloss", "word", "sentence", "caption", "label"})
SCORED_NAME = ("name", "score")
SURE = ACTION.index("task")  # of the words of actions, so many may name an object


class Legend:
    """What the ids of a document mean: {"categories": [{"id": 1, "name": "pour"}]}.

    It also remembers what was found out about parts of the document, see `once`.
    """

    def __init__(self, root: Node) -> None:
        self.names: dict[str, dict[str, str]] = {}
        self._answers: dict[Any, Any] = {}
        for node in walk(root):
            if isinstance(node.key, str) and isinstance(node.value, list):
                named = {
                    str(each["id"]): str(name)
                    for each in node.value
                    if isinstance(each, dict) and "id" in each
                    if (name := next((each[n] for n in NAMES if n in each), None)) is not None
                }
                if named and len(named) == len(node.value):
                    self.names.setdefault(_singular(words_of(node.key)), named)

    def once(self, ask: Callable[..., Any], value: Any, *more: Any) -> Any:
        """What a function says of a part of the document, which many others may be in."""
        key = ask, id(value), *more
        if key not in self._answers:
            self._answers[key] = ask(value, *more)
        return self._answers[key]

    def meaning(self, field: str, value: Any) -> str:
        """Name of what a field with an id points to, or the value itself."""
        words = words_of(field)
        if len(words) == 1 and isinstance(value, int):  # "action": 2 beside "actionLabels"
            named = [n for key, n in self.names.items() if words[0] in _singular_words(key)]
            return named[0].get(str(value), str(value)) if len(named) == 1 else str(value)
        if len(words) < 2 or words[-1] not in ("id", "ids"):
            return str(value).strip()
        return self.names.get(" ".join(words[:-1]), {}).get(str(value), str(value).strip())


def _singular_words(name: str) -> set[str]:
    return {_singular([word]) for word in name.split()}


def _singular(words: list[str]) -> str:
    """Singular of a plural: "category" for "categories"."""
    name = " ".join(words)
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


def actions_of(record: Node, times: Times | None, legend: Legend) -> tuple[str, list[str]]:
    """What went on, and the field that says it, the name of which is most like an action's.

    Both are empty where no field says it.
    """
    used = () if times is None else (times.start, times.end)
    key, values = legend.once(_find_actions, record.value, used)
    if not values or is_number_of_row(key):
        named = legend.once(_find_named_object, record.value)
        key, values = named if named[1] else (key, values)
    if times is not None and times.place is not None and values is record.value.get(key):
        several = len(values) == len(record.value[times.start])  # one for each time
        values = values[times.place : times.place + 1] if several else values
    return key, [legend.meaning(key, each) for each in values]


def _find_actions(fields: Mapping[str, Any], used: Sequence[str]) -> tuple[str, list[Any]]:
    """Field that says what went on, and what it says; both are empty where there is none."""
    others = next((fields[key] for key in ALTERNATIVES if key in fields), None)
    if isinstance(others, list) and others and isinstance(others[0], dict):
        found = _find_actions(others[0], ())
        if found[1]:
            return found
    seen = fields.get(DATA)
    seen = seen if isinstance(seen, dict) else {}
    shown = next((key for key in SEEN if isinstance(seen.get(key), str)), "")
    free = {key: words_of(key) for key in fields if key not in used}
    if shown:  # which says more than a number does
        free = {key: words for key, words in free.items() if not {*words} <= NUMBERING}
    numbers: tuple[str, list[Any]] = ("", [])
    for key in _named_as_actions(free):
        values = fields[key] if isinstance(fields[key], list) else [fields[key]]
        if values and all(isinstance(each, str | int) for each in values):
            if {*free[key]} <= KINDS and str(values[0]).casefold() in {*ACTION, *LISTS}:
                continue  # of what kind the object itself is
            if not is_number_of_row(key) and not _is_number_of_text(key, values, fields):
                return key, values
            numbers = numbers if numbers[1] else (key, values)
    if shown:
        return shown, [fields[DATA][shown]]
    scored = {key: value for key, value in fields.items() if _are_scored(value)}
    likeliest = {key: max(pairs, key=itemgetter(1))[0] for key, pairs in scored.items()}
    return next(((key, [name]) for key, name in likeliest.items()), numbers)


def _is_number_of_text(key: str, values: list[Any], fields: Mapping[str, Any]) -> bool:
    """Whether numbers stand for a text beside them: {"label": 830, "text": "match"}."""
    if not all(isinstance(each, int) for each in values):
        return False
    named = (each for each in fields if each != key and {*words_of(each)} <= TEXTS)
    return any(isinstance(fields[each], str) and fields[each].strip() for each in named)


def _are_scored(value: Any) -> bool:
    """Whether a list has names with how sure a detector is of them: [["cup", 0.9], ["pan", 0]]."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, list) and len(each) == len(SCORED_NAME) for each in value)
        and all(isinstance(name, str) and isinstance(score, int | float) for name, score in value)
    )


def is_number_of_row(field: str) -> bool:
    """Whether a field numbers objects, or recordings, and names nothing: "id" or "video_id"."""
    words = {*words_of(field)}
    named = {_as_action(word) for word in words - NUMBERING}
    return bool(words & NUMBERING - {"code"}) and not named & {*ACTION}


def _find_named_object(fields: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Field with an object that has a name: {"entity": {"id": 3, "description": "pour"}}.

    It may be a list of names with values, {"labels": [{"name": "phone", "value": "a"}]}, of which
    the last value says it.
    """
    for key, inner in fields.items():
        if not {*words_of(key)} <= {*ACTION[:SURE], *KINDS, "entity", "location"}:
            continue
        name = None
        if isinstance(inner, dict):
            name = next((inner[name] for name in (*NAMES, "description") if name in inner), None)
        elif isinstance(inner, list) and inner and isinstance(inner[-1], dict):
            name = inner[-1].get("value")
        if isinstance(name, str):
            return key, [name]
    return "", []


def _named_as_actions(fields: Mapping[str, list[str]]) -> list[str]:
    """Fields whose names speak of actions, the surest first: names before numbers of them."""
    surest = {word: rank for rank, word in enumerate(ACTION)}
    ranks = {}
    for key, words in fields.items():
        known = [word for word in words if _as_action(word) in surest]
        if {*words} & {*INSTANCE} and {*known} <= OF_FILES:
            continue  # the name of a file, or of what it is of
        if known and not {*words} & NO_ACTION:
            rank = min(surest[_as_action(word)] for word in known)
            odd = bool(set(words) - {*known} - NUMBERING - BESIDES)
            ranks[key] = bool(NUMBERING & {*words}), rank + DOUBT * odd
    return sorted(ranks, key=lambda key: ranks[key])


def _as_action(word: str) -> str:
    """Word as it stands among those of actions: "labels" and "timelinelabels" are labels."""
    if word.endswith(("label", "labels")):
        return "label"
    if word == "lines":
        return "text"
    return word.removesuffix("s") if word.removesuffix("s") in ACTION else word


def around(record: Node) -> Iterator[Node]:
    """The record, what holds it, what holds that, and so on up to the document."""
    node: Node | None = record
    while node is not None:
        yield node
        node = node.parent


def instance_of(record: Node, legend: Legend) -> str | None:
    """Name of the recording that an object is of, said by it or by what is around it."""
    nodes = list(around(record))
    for node in nodes:
        is_object = isinstance(node.value, dict)
        found = legend.once(_named_recording, node.value) if is_object else None
        if found is not None:
            return legend.meaning(found, node.value[found])
        if node is not record and _is_key_of_recording(node, legend):
            return str(node.key)
    if _is_key_of_recording(record, legend):
        return str(record.key)
    for node in nodes[1:]:
        is_object = isinstance(node.value, dict) and not legend.once(find_times, node.value)
        if is_object and isinstance(node.key, int) and node.has("id"):
            return node.child("id").name()
    return None


def _named_recording(fields: Mapping[str, Any]) -> str | None:
    """Field that names a recording: by its own name, or by a media file in it."""
    plain = {
        key: words_of(key)
        for key, value in fields.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
        if not speaks_of_time(key)
    }
    plain = {key: words for key, words in plain.items() if not _is_outcome(words, fields[key])}
    known = (key for word in INSTANCE for key, words in plain.items() if word in words)
    named = iter(sorted(known, key=lambda key: _numbers_objects(plain[key], fields[key])))
    media = (key for key in plain if MEDIA.fullmatch(str(fields[key])[-200:]))
    return next(named, next(media, None))


def _numbers_objects(words: Sequence[str], value: Any) -> bool:
    """Whether a field may number the objects in a recording: "instance_id": 3."""
    return "instance" in words and isinstance(value, int)


def _is_outcome(words: Sequence[str], value: Any) -> bool:
    """Whether a field says how something went, as "case": "success" of forced aligners."""
    return words == ["case"] and isinstance(value, str) and value.replace("-", "").isalpha()


def _is_key_of_recording(node: Node, legend: Legend) -> bool:
    """Whether something stands under the name of a recording, beside others like it."""
    within = node.parent.value if node.parent is not None else None
    if node.parent is None or not isinstance(node.key, str) or not isinstance(within, dict):
        return False
    if speaks_of_time(node.key):
        return False
    if node.key.isdigit():
        return len(node.key) >= LONG_NUMBER and isinstance(node.value, list)
    if isinstance(node.value, dict) and (ENTRIES in node.value or _is_bucket(node)):
        return False  # it is a tier
    if _is_plural(node.key) or (isinstance(node.parent.key, int) and node.key.isalpha()):
        return False
    alike = legend.once(_holds_no_plain_values, within)
    words = words_of(node.key)
    if not alike or {*words} <= LISTS | SEVERAL or (HUMP.search(node.key) and words[-1] in LISTS):
        return False  # "annotations" or "shortData"
    return bool(MEDIA.fullmatch(node.key)) or not _is_field(node)


def _is_plural(name: str) -> bool:
    """Whether a name is that of a list: "fragments" or "timelineObjects"."""
    words = words_of(name)
    named = name.isalpha() and name[:1].islower() and name.endswith("s")
    return named and all(len(word) > SHORT for word in words)


def _is_field(node: Node) -> bool:
    """Whether the name of something is that of a field, which the objects beside its own have."""
    holder = node.parent
    beside = holder.parent.value if holder is not None and holder.parent is not None else None
    if holder is None or not isinstance(beside, dict):
        return False
    if isinstance(holder.key, str) and MEDIA.fullmatch(holder.key):
        return True
    others = (each for key, each in islice(beside.items(), BESIDE) if key != holder.key)
    return any(isinstance(each, dict) and node.key in each for each in others)


def _holds_no_plain_values(fields: Mapping[str, Any]) -> bool:
    return all(isinstance(value, dict | list) for value in fields.values())


def _is_bucket(node: Node) -> bool:
    return node.parent is not None and node.parent.key == BUCKETS


def track_of(record: Node) -> str:
    """Name of the list that holds an object, or of what is around that."""
    holder = record.parent
    if holder is not None and holder.parent is not None and _is_bucket(holder.parent):
        return str(holder.parent.key)
    if holder is not None and holder.key == ENTRIES and holder.parent is not None:
        tier = holder.parent
        if tier.has("name"):
            return tier.child("name").name()
        if isinstance(tier.key, str) and tier.key:
            return tier.key
    if isinstance(record.key, str) and holder is not None and isinstance(holder.key, int):
        holder = holder.parent  # the times are an object of their own, within one of a list
    named = holder is not None and isinstance(holder.key, str) and holder.key
    return str(holder.key) if holder is not None and named else TRACK
