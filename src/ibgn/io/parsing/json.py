"""JSON documents, parsed within limits; errors name the path to the value."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ibgn._files import InputFile
from ibgn.checks import as_number, not_a_number
from ibgn.errors import DataError, Part
from ibgn.text import printable, quote

__all__ = ["VALUES", "Node", "parse_json", "parse_text"]

# bytes that the value takes which a mark announces: an object, a list, one more in either
VALUES = {"{": 400, "[": 100, ",": 100, ":": 100}
PLAIN = re.compile(r"[^\W\d][\w-]*")


def parse_json(file: InputFile) -> "Node":
    """Root of the document in a file, within its allowance."""
    file.expect(VALUES, "its document")
    return parse_text(file.text(), file.prefix)


def parse_text(text: str, prefix: str) -> "Node":
    """Root of a document; `prefix` begins every message.

    Keys that repeat in an object are refused, since all but one would be lost. NaN and Infinity,
    which are no JSON but often written, are refused where a number is needed.

    Examples
    --------
    >>> root = parse_text('{"video": {"segment": [0, 2.5]}}', "a.json: ")
    >>> end = root.child("video").child("segment").items()[1]
    >>> end.path, end.number()
    ('video.segment[1]', 2.5)
    """

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise DataError(
                f"{prefix}the key {quote(twice)} appears twice in one object; "
                "give the two different names, or remove one"
            )
        return values

    try:
        value = json.loads(text, object_pairs_hook=as_object)
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{prefix}the file is not JSON: {printable(error, 200)}; export it again"
        ) from error
    return Node(value, prefix)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document, with the path that leads to it.

    Parameters
    ----------
    value : as Python has it
    prefix : begins every message
    parent, key : the object or list that holds it, and where
    """

    value: Any
    prefix: str
    parent: "Node | None" = None
    key: str | int = ""

    @property
    def path(self) -> str:
        """Path from the root, such as "database.v1.annotations[3]"; empty for the root."""
        steps = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            key = node.key
            if isinstance(key, str) and PLAIN.fullmatch(key) and len(key) <= 40:
                steps.append(f".{key}")
            else:
                steps.append(f"[{key if isinstance(key, int) else quote(key)}]")
            node = node.parent
        return "".join(reversed(steps)).removeprefix(".")

    def error(self, *why: Part) -> DataError:
        """Error that names the file and the place."""
        return DataError(f"{self.prefix}{self.path or 'the document'}: ", *why)

    def has(self, key: str) -> bool:
        """Tell whether this is an object with such a key, and not null there."""
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def first(self, *keys: str) -> "Node | None":
        """Value at the first of these keys that an object has, and that is not null there."""
        return next((self.child(key) for key in keys if self.has(key)), None)

    def child(self, key: str) -> "Node":
        """Value of an object at a key that must be there."""
        self.members()
        if key not in self.value:
            raise self.error(f"there is no {quote(key)}; export it again")
        return Node(self.value[key], self.prefix, self, key)

    def members(self) -> Iterator[tuple[str, "Node"]]:
        """All keys and values of an object."""
        if not isinstance(self.value, dict):
            raise self.error(f"an object {{...}} is needed, got {self.shown()}")
        return ((key, Node(value, self.prefix, self, key)) for key, value in self.value.items())

    def items(self, least: int = 0) -> list["Node"]:
        """All values of a list, which must have at least this many."""
        if not isinstance(self.value, list):
            raise self.error(f"a list [...] is needed, got {self.shown()}")
        if len(self.value) < least:
            raise self.error(f"a list of {least} values or more is needed, got {len(self.value)}")
        return [Node(value, self.prefix, self, place) for place, value in enumerate(self.value)]

    def item(self, place: int) -> "Node":
        """One value of a list, of which the others are not looked at."""
        return Node(self.value[place], self.prefix, self, place)

    def number(self, name: str = "time") -> float:
        """Take a finite number, also one that is written as text, as many files have it."""
        number = None if self.value is None else as_number(self.value)
        if number is None and isinstance(self.value, str):
            raise self.error(not_a_number(name, self.value))
        if number is None or not math.isfinite(number):
            raise self.error(f"the {name} is {self.shown()}; it must be a finite number")
        return number

    def name(self) -> str:
        """Text, or a number as it is written."""
        if isinstance(self.value, bool) or not isinstance(self.value, str | int | float):
            raise self.error(f"text is needed, got {self.shown()}")
        return str(self.value)

    def shown(self) -> str:
        """The value for a message; never the contents of an object, which may be deep."""
        if isinstance(self.value, dict | list):
            return "an object" if isinstance(self.value, dict) else "a list"
        if isinstance(self.value, str):
            return quote(self.value)
        return printable(json.dumps(self.value))
