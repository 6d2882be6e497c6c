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
from ibgn.text import half_character, printable, quote

__all__ = ["VALUES", "Node", "parse_json", "parse_text", "parse_value"]

# bytes that the value takes which a mark announces: an object, a list, one more in either
VALUES = {"{": 400, "[": 100, ",": 100, ":": 100}
ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
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
    try:
        root = Node(parse_value(text, prefix), prefix)
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{prefix}the file is not JSON: {printable(error, 200)}; export it again"
        ) from error
    return root


def parse_value(text: str, prefix: str) -> Any:
    """Parse JSON as Python has it; refuses keys that repeat, and half characters in escapes."""

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise DataError(
                f"{prefix}the key {quote(twice)} appears twice in one object; "
                "give the two different names, or remove one"
            )
        return values

    value = json.loads(text, object_pairs_hook=as_object)
    if ESCAPED_HALF.search(text):  # most are one of two that make a character, as of an emoji
        _refuse_halves(Node(value, prefix))
    return value


def _refuse_halves(root: "Node") -> None:
    """Refuse half characters in any text of a document."""
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        wrong = half_character(node.value) if isinstance(node.value, str) else None
        if wrong is not None:
            raise node.error(f"the text {wrong}")
        if isinstance(node.value, dict):
            for key in filter(half_character, node.value):
                raise node.error(f"a key {half_character(key)}")
            open_nodes += [child for _, child in node.members()]
        elif isinstance(node.value, list):
            open_nodes += node.items()


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
