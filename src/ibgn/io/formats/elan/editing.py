"""ELAN files that are changed: tiers, types, vocabularies, media and slots stay as they are."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.export import Known, to_json
from ibgn.io.formats.elan.content import (
    ACTIVITY,
    LARGEST_SLOT,
    MINE,
    check_text,
    milliseconds,
    read_content,
)
from ibgn.io.formats.elan.document import read_properties
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.tiers import TierEntry, document
from ibgn.text import quote

__all__ = ["ElanDocument"]

NUMBERED = re.compile(r"(?:a|ts)(\d{1,15})")  # ids as ELAN makes them
ORDER = ("HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE")  # of elements of the document
OURS = "default-lt"  # type of tiers that are added, where no type of the file will do
LAST_USED = "lastUsedAnnotationId"


@document("elan")
class ElanDocument:
    """An ELAN file to be changed; see `ibgn.io.tiers.TierDocument`."""

    def __init__(self, file: InputFile) -> None:
        self._root = parse_xml(file)
        self._prefix = file.prefix
        content = read_content(self._root, file.prefix)
        self.known = content.known
        self._offset = content.offset
        self._notes = content.notes
        self._tiers = {str(tier.get("TIER_ID")): tier for tier in self._root.iterfind("TIER")}
        self._elements: dict[str, Element] = {}  # annotations by their id
        self._holders: dict[str, tuple[Element, Element]] = {}  # their tier and <ANNOTATION>
        for tier in self._tiers.values():
            for holder in tier.iterfind("ANNOTATION"):
                name = str(holder[0].get("ANNOTATION_ID"))
                self._elements[name], self._holders[name] = holder[0], (tier, holder)
        self._spans: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
        for note, start, end, _ in self._notes:
            self._spans[note.tier][note.id] = (start, end)
        self._read = {each.note.id: each for each in self._notes}
        slots = (str(slot.get("TIME_SLOT_ID")) for slot in self._section("TIME_ORDER"))
        used = read_properties(self._root, file.prefix).get(LAST_USED, "")
        self._new_annotation = _numbers([*self._elements, f"a{used.strip()}"])
        self._new_slot = _numbers(slots)
        self._exact: dict[str, list[float]] = {}

    @property
    def tiers(self) -> list[str]:
        """Names of all tiers."""
        return list(self._tiers)

    def entries(self) -> Iterator[TierEntry]:
        """All annotations but that of the label, those that others refer to first."""
        for note, start, end, _ in self._notes:
            yield TierEntry(note.id, note.tier, note.value, start, end)

    def change(self, entry: TierEntry, value: str, start: float, end: float) -> bool:
        """Change value and times; an annotation that refers to another has the times of that."""
        name = str(entry.key)
        if (start, end) != (entry.start, entry.end) and not self._move(name, entry, start, end):
            return False
        if value != entry.value:
            check_text(value, self._prefix)
            element = self._elements[name]
            text = element.find("ANNOTATION_VALUE")
            (_add(element, "ANNOTATION_VALUE", 4) if text is None else text).text = value
            element.attrib.pop("CVE_REF", None)  # which stands for the value that was there
        return True

    def _move(self, name: str, entry: TierEntry, start: float, end: float) -> bool:
        element = self._elements[name]
        if element.tag == "REF_ANNOTATION":
            share = self._read[name].share
            while element.tag == "REF_ANNOTATION":
                element = self._elements[str(element.get("ANNOTATION_REF"))]
            name = str(element.get("ANNOTATION_ID"))
            tier = str(self._holders[name][0].get("TIER_ID"))
            return share.of(*self._spans[tier][name]) == (start, end)
        others = (span for key, span in self._spans[entry.tier].items() if key != name)
        if not self._is_plain(entry.tier) or _meets(others, start, end):
            return False
        self._put_slots(element, name, start, end)
        self._spans[entry.tier][name] = (start, end)
        return True

    def delete(self, entry: TierEntry) -> list[str]:
        """Delete an annotation, those that refer to it, and those that divide a time with it."""
        names = [str(entry.key)]
        for name in names:  # which grows on the way
            if name in self._holders:  # and was not deleted with one that it refers to
                names += self._divided_with(name)
                tier, holder = self._holders.pop(name)
                tier.remove(holder)
                self._spans[str(tier.get("TIER_ID"))].pop(name, None)
                del self._elements[name]
                others = self._elements.items()
                names += [key for key, each in others if each.get("ANNOTATION_REF") == name]
        return names[1:]

    def _divided_with(self, name: str) -> list[str]:
        """Others that divide an annotation with this one, and would be longer without it."""
        this = self._read.get(name)  # none of those that were added
        whole = self._read.get(this.note.parent or "") if this else None
        if this is None or whole is None or this.share == whole.share:
            return []
        same = (this.note.tier, this.note.parent)
        others = (each.note for key, each in self._read.items() if key != name)
        return [note.id for note in others if (note.tier, note.parent) == same]

    def accepts(self, tier: str, start: float, end: float) -> bool:
        """Whether a tier has room; one that depends on another, or is divided, has none."""
        if tier not in self._tiers:
            return True
        return self._is_plain(tier) and not _meets(self._spans[tier].values(), start, end)

    def _is_plain(self, tier: str) -> bool:
        return self._tiers[tier].get("PARENT_REF") is None and tier != ACTIVITY

    def insert(self, tier: str, value: str, start: float, end: float) -> None:
        """Add an annotation between two slots of its own."""
        check_text(value, self._prefix)
        if tier not in self._tiers:
            self.make(tier)
        number = next(self._new_annotation)
        name = f"a{number}"
        holder = _add(self._tiers[tier], "ANNOTATION", 2)
        element = _add(holder, "ALIGNABLE_ANNOTATION", 3, ANNOTATION_ID=name)
        _add(element, "ANNOTATION_VALUE", 4).text = value
        self._elements[name], self._holders[name] = element, (self._tiers[tier], holder)
        self._spans[tier][name] = (start, end)
        self._put_slots(element, name, start, end)
        self._set_property(LAST_USED, str(number))

    def _put_slots(self, element: Element, name: str, start: float, end: float) -> None:
        """Give an annotation new slots at these times; others may use those that it had."""
        times = milliseconds(start, end, self._offset)
        if times[0] < 0 or times[1] > LARGEST_SLOT:
            raise DataError(
                f"{self._prefix}ELAN cannot hold an annotation from {start:g} to {end:g} seconds; "
                "its times are from 0 to 49 days"
            )
        order = self._section("TIME_ORDER")
        for side, time in enumerate(times, 1):
            slot = f"ts{next(self._new_slot)}"
            later = (n for n, each in enumerate(order) if float(each.get("TIME_VALUE", -1)) > time)
            at = {"TIME_SLOT_ID": slot, "TIME_VALUE": str(time)}
            _insert(order, next(later, len(order)), Element("TIME_SLOT", at), 2)
            element.set(f"TIME_SLOT_REF{side}", slot)
        if [start, end] != [self._offset + time / 1000 for time in times]:
            self._exact[name] = [start, end]

    def make(self, tier: str) -> None:
        """Make a tier of a type that may have any value at any time."""
        check_text(tier, self._prefix)
        free = [
            str(kind.get("LINGUISTIC_TYPE_ID"))
            for kind in self._root.iterfind("LINGUISTIC_TYPE")
            if kind.get("TIME_ALIGNABLE") != "false"
            and not {"CONSTRAINTS", "CONTROLLED_VOCABULARY_REF"} & kind.attrib.keys()
        ]
        kind = OURS if OURS in free else next(iter(free), "")
        if not kind:
            kind = "ibgn-lt"
            about = {"LINGUISTIC_TYPE_ID": kind, "TIME_ALIGNABLE": "true"}
            self._put("LINGUISTIC_TYPE", {"GRAPHIC_REFERENCES": "false", **about})
        self._tiers[tier] = self._put("TIER", {"LINGUISTIC_TYPE_REF": kind, "TIER_ID": tier})

    def remove(self, tier: str) -> None:
        """Remove a tier; one that others depend on is refused."""
        children = [name for name, each in self._tiers.items() if each.get("PARENT_REF") == tier]
        if children:
            raise DataError(
                f"{self._prefix}tier {quote(children[0])} depends on tier {quote(tier)}, which "
                "would be replaced; name another"
            )
        self._root.remove(self._tiers.pop(tier))
        self._spans.pop(tier, None)

    def describe(self, known: Known) -> None:
        """Name the instance, label and group in the header, and show the label on a tier."""
        for name, value in known.items():
            check_text(str(value), self._prefix)
            self._set_property(f"{MINE}{name}", to_json(value))
        if ACTIVITY in self._tiers and "label" in self.known:
            self.remove(ACTIVITY)
        spans = [span for each in self._spans.values() for span in each.values()]
        if "label" in known and spans and ACTIVITY not in self._tiers:
            start, end = min(span[0] for span in spans), max(span[1] for span in spans)
            self.insert(ACTIVITY, str(known["label"]), start, end)
        self.known = dict(known)

    def _set_property(self, name: str, text: str) -> None:
        header = self._section("HEADER")
        found = next((p for p in header.iterfind("PROPERTY") if p.get("NAME") == name), None)
        (_add(header, "PROPERTY", 2, NAME=name) if found is None else found).text = text

    def _section(self, tag: str) -> Element:
        section = self._root.find(tag)
        return self._put(tag, {}) if section is None else section

    def _put(self, tag: str, attributes: dict[str, str]) -> Element:
        """Add an element after the last of its kind, or where the first would be."""
        before = {"LICENSE", *ORDER[: ORDER.index(tag) + 1]}
        places = [n for n, each in enumerate(self._root, 1) if each.tag in before]
        element = Element(tag, attributes)
        _insert(self._root, max(places, default=0), element, 1)
        return element

    def lines(self) -> Iterator[str]:
        """Lines of the changed file."""
        if self._exact:
            found = self._root.iterfind("HEADER/PROPERTY")
            old = next((p for p in found if p.get("NAME") == f"{MINE}times"), None)
            times: dict[str, Any] = {} if old is None else json.loads(old.text or "{}")
            self._set_property(f"{MINE}times", to_json(times | self._exact))
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield "".join(_render(self._root)).rstrip()


def _numbers(names: Iterable[str]) -> Iterator[int]:
    """Numbers for new ids, from the largest that there is on."""
    matches = (NUMBERED.fullmatch(name) for name in names)
    return count(max((int(match[1]) for match in matches if match), default=0) + 1)


def _meets(spans: Iterable[tuple[float, float]], start: float, end: float) -> bool:
    return any(one < end and start < two for one, two in spans)


def _add(parent: Element, tag: str, depth: int, **attributes: str) -> Element:
    element = Element(tag, attributes)
    _insert(parent, len(parent), element, depth)
    return element


def _insert(parent: Element, place: int, element: Element, depth: int) -> None:
    """Insert an element on a line of its own; others keep their lines."""
    element.tail = "\n" + "    " * depth
    if place == len(parent):
        element.tail = "\n" + "    " * (depth - 1)
        if place:
            parent[-1].tail = "\n" + "    " * depth
        else:
            parent.text = "\n" + "    " * depth
    parent.insert(place, element)


def _render(element: Element) -> Iterator[str]:
    """XML of an element; a bare carriage return would be read as the end of a line."""
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.items())
    text = escape(element.text or "", {"\r": "&#13;"})
    if text or len(element):
        yield f"<{element.tag}{attributes}>{text}"
        for child in element:
            yield from _render(child)
        yield f"</{element.tag}>"
    else:
        yield f"<{element.tag}{attributes}/>"
    yield escape(element.tail or "", {"\r": "&#13;"})
