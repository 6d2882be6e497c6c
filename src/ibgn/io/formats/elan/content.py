"""What an ELAN file says: annotations with exact times, and what it knows of itself.

A file that was written here has exact times, its instance, label and group in its header.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.io.export import KNOWN, check_known, parse_known
from ibgn.io.formats.elan.document import Note, Share, Timed, read_notes, read_properties
from ibgn.text import printable, quote

__all__ = [
    "ACTIVITY",
    "LARGEST_SLOT",
    "MINE",
    "Content",
    "Placed",
    "check_text",
    "milliseconds",
    "read_content",
]

ACTIVITY = "ibgn activity"  # tier that shows the label
LARGEST_SLOT = 2**32 - 2  # milliseconds; the schema has unsigned numbers of 32 bits
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MINE = "ibgn."  # begins the names of the properties in which a file speaks of itself


class Placed(NamedTuple):
    """An annotation with its times in seconds, and its part of the one that gives them."""

    note: Note
    start: float
    end: float
    share: Share


class Content(NamedTuple):
    """Annotations, those of parents first, and what is known.

    `offset` is what seconds have more than the slots of the file.
    """

    notes: list[Placed]
    known: dict[str, Any]
    offset: float


def read_content(root: Element, prefix: str) -> Content:
    """Read the document of a file; `prefix` begins every message."""
    timed = read_notes(root, prefix)
    mine = {
        name.removeprefix(MINE): parse_known(text, f"{prefix}the property {printable(name)}")
        for name, text in read_properties(root, prefix).items()
        if name.startswith(MINE)
    }
    exact = _Exact.of(mine, prefix)
    known = {name: mine[name] for name in KNOWN if name in mine}
    notes = []
    for each in timed:
        note = each.note
        if "label" not in known or note.tier != ACTIVITY:
            notes.append(Placed(note, *each.share.of(*exact.seconds(each)), each.share))
        elif note.value != str(known["label"]):  # someone changed it in ELAN
            known["label"] = note.value
    return Content(notes, check_known(known, f"{prefix}the header"), exact.offset)


def check_text(text: str, what: str) -> None:
    """Refuse a text that XML cannot hold; `what` begins the message."""
    match = NOT_IN_XML.search(text)
    if match:
        raise DataError(
            f"{what}{quote(text)} holds the character {match[0]!r}, which XML cannot; replace it"
        )


def milliseconds(start: float, end: float, offset: float) -> tuple[int, int]:
    """Whole milliseconds of an interval, at least one, since ELAN shows nothing shorter."""
    first = round((start - offset) * 1000)
    return first, max(round((end - offset) * 1000), first + 1)


class _Exact(NamedTuple):
    """Times in the header: an offset of all, and exact times that rounding changed."""

    offset: float
    times: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, mine: Mapping[str, Any], prefix: str) -> "_Exact":
        offset, times = mine.get("offset", 0.0), mine.get("times", {})
        if not _are_times([offset]) or not isinstance(times, dict):
            raise DataError(
                f"{prefix}the property {MINE}offset or {MINE}times is damaged; remove it"
            )
        for name, pair in times.items():
            if not (isinstance(pair, list) and len(pair) == 2 and _are_times(pair)):
                raise DataError(
                    f"{prefix}the property {MINE}times has {quote(pair)} for annotation "
                    f"{printable(name)}, not two times; remove it"
                )
        return cls(float(offset), {name: (float(a), float(b)) for name, (a, b) in times.items()})

    def seconds(self, timed: Timed) -> tuple[float, float]:
        """Times that an annotation has a part of, exact where they agree with milliseconds."""
        start, end = (self.offset + time / 1000 for time in (timed.start, timed.end))
        if timed.aligned not in self.times:
            return start, end
        exact = self.times[timed.aligned]
        first, last = milliseconds(*exact, self.offset)
        return (
            exact[0] if first == timed.start else start,
            exact[1] if last == timed.end else end,
        )


def _are_times(values: list[Any]) -> bool:
    return all(
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= LARGEST_TIME
        for value in values
    )
