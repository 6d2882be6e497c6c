"""The beginning of a file, as functions that recognise a format look at it."""

import codecs
import csv
import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from ibgn._files import COMPRESSIONS, InputFile, Source, as_path

__all__ = ["CERTAIN", "LIKELY", "POSSIBLE", "Head", "Root", "Sniff", "last_suffix"]

# how sure a format is of a file
CERTAIN = 1.0  # it has what files of no other format have
LIKELY = 0.7  # it has the structure, which another format might have too
POSSIBLE = 0.3  # it can be read so, if no other format knows it better

LONGEST = 1 << 16  # bytes
MOST_ROWS = 100
DELIMITERS = "\t;|,"  # the rarer in text come first, and win where several would do
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{},]', re.DOTALL)
CLOSING = {"[": "]", "{": "}"}
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Root(NamedTuple):
    """Root of an XML document, without namespace: its tag, and the tags seen within it."""

    tag: str
    attributes: dict[str, str]
    tags: frozenset[str]


class Head:
    """The first 64 KB of a file, decompressed, and what they say.

    `path`, `suffix`, `data` and `text` are there at once, the rest is found when it is asked for.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "takes.json"
    >>> _ = path.write_text('{"database": {"v1": {"annotations": []}}}')
    >>> head = Head(path)
    >>> head.suffix, list(head.json), head.xml
    ('.json', ['database'], None)
    """

    def __init__(self, path: Source) -> None:
        self.path = as_path(path)
        self.suffix = last_suffix(self.path)
        with InputFile(self.path).open() as stream:
            self.data: bytes = stream.read(LONGEST + 1)
        self.is_whole = len(self.data) <= LONGEST
        self.text = _decode(self.data[:LONGEST])

    @cached_property
    def lines(self) -> list[str]:
        """Lines with something on them, without one that is cut off."""
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return [line for line in (lines if self.is_whole else lines[:-1]) if line.strip()]

    @cached_property
    def json(self) -> Any:
        """Beginning of a JSON document: objects and lists with what comes first in them, or None.

        Where the document is longer, it ends before the last comma, and all that is open is closed.
        """
        text = self.text.lstrip("\ufeff \t\r\n")
        if not text.startswith(("{", "[")):
            return None
        try:
            return json.loads(text if self.is_whole else _close(text))
        except (ValueError, RecursionError):
            return None

    @cached_property
    def has_json_lines(self) -> bool:
        """Whether the first line is an object of JSON on its own."""
        if not self.lines or not self.lines[0].lstrip().startswith("{"):
            return False
        try:
            return isinstance(json.loads(self.lines[0]), dict)
        except (ValueError, RecursionError):
            return False

    @cached_property
    def xml(self) -> Root | None:
        """Root of an XML document, or None where it is none."""
        return _find_root(self.text) if self.text.lstrip("\ufeff \t\r\n").startswith("<") else None

    @cached_property
    def delimiter(self) -> str | None:
        """What separates the columns of a table, or None where a line is one column."""
        lines = self.lines[:MOST_ROWS]
        counts = {mark: [line.count(mark) for line in lines] for mark in DELIMITERS}
        fitting = [mark for mark in DELIMITERS if lines and min(counts[mark][:20]) > 0]
        return max(fitting, key=lambda mark: _agreement(counts[mark]), default=None)

    @cached_property
    def rows(self) -> list[list[str]]:
        """First rows of a table, as text without white space around it."""
        try:
            rows = csv.reader(self.lines[:MOST_ROWS], delimiter=self.delimiter or ",")
            return [[cell.strip() for cell in row] for row in rows]
        except csv.Error:
            return []


Sniff = Callable[[Head], float]


def last_suffix(path: Path) -> str:
    """Last suffix in lower case, without that of a compression."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in COMPRESSIONS), "")


def _decode(data: bytes) -> str:
    encoding = next((name for mark, name in MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding, errors="replace").removeprefix("\ufeff")


def _close(text: str) -> str:
    """Document up to its last comma outside of text, with everything closed that is open there."""
    marks = [token for token in TOKEN.finditer(text) if token[0] in "[]{},"]
    while marks and marks[-1][0] != ",":
        marks.pop()
    closing: list[str] = []
    for mark in marks:
        if mark[0] in CLOSING:
            closing.append(CLOSING[mark[0]])
        elif mark[0] != "," and closing:
            closing.pop()
    return text[: marks[-1].start()] + "".join(reversed(closing)) if marks else text


def _find_root(text: str) -> Root | None:
    seen: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    # a document type may give each element long attributes, of which those of the root count
    parser.StartElementHandler = lambda tag, own: seen.append((tag, {} if seen else own))

    def stop(*_: Any) -> None:  # entities may grow without end
        raise ValueError

    parser.EntityDeclHandler = stop
    with suppress(expat.ExpatError, ValueError):  # what came before counts
        parser.Parse(text, False)
    if not seen:
        return None
    tags = frozenset(tag.rsplit(":", 1)[-1] for tag, _ in seen[1:])
    return Root(seen[0][0].rsplit(":", 1)[-1], seen[0][1], tags)


def _agreement(counts: list[int]) -> float:
    """Share of lines that have as many of a mark as the first line has."""
    return sum(number == counts[0] for number in counts) / len(counts)
