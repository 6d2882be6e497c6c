"""The document of an ELAN file: annotations with the times that ELAN shows for them.

Annotations lie between slots, or refer to annotations that do. Slots are in whole milliseconds;
those within a divided annotation may have no time of their own. Annotations that refer to another
have its times; on tiers of symbolic subdivision they divide them in equal parts.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.errors import DataError
from ibgn.text import printable, quote

__all__ = ["Note", "Share", "Timed", "constraints", "read_notes", "read_properties"]

NUMBER = re.compile(r"\s*\d{1,15}(\.\d*)?\s*", re.ASCII)  # programs write 1200.0, ELAN 1200
DIVIDED = "Symbolic_Subdivision"  # stereotype of tiers whose annotations divide their parent


class Note(NamedTuple):
    """An annotation: on a tier, between two slots or with the times of another annotation."""

    id: str
    tier: str
    value: str
    slots: tuple[str, str] | None
    parent: str | None
    previous: str | None = None

    def __str__(self) -> str:
        return f"tier {quote(self.tier)}, annotation {printable(self.id)}"


class Share(NamedTuple):
    """Part of another annotation, from 0, its start, to 1, its end."""

    first: Fraction = Fraction(0)
    last: Fraction = Fraction(1)

    def part(self, number: int, parts: int) -> "Share":
        """One of the equal parts of this one."""
        length = (self.last - self.first) / parts
        return Share(self.first + number * length, self.first + (number + 1) * length)

    def of(self, start: float, end: float) -> tuple[float, float]:
        """Times of this part; parts that follow each other meet."""
        first, last = (end if edge == 1 else start + (end - start) * float(edge) for edge in self)
        return first, last


class Timed(NamedTuple):
    """An annotation, the id of the one that gives its times, those in milliseconds, its part."""

    note: Note
    aligned: str
    start: float
    end: float
    share: Share


class _Tier(NamedTuple):
    name: str
    parent: str | None
    is_divided: bool
    notes: list[Note]


def read_properties(root: Element, prefix: str) -> dict[str, str]:
    """Properties in the header that have a name, by that name."""
    properties: dict[str, str] = {}
    for element in root.iterfind("HEADER/PROPERTY"):
        name = element.get("NAME")
        if name is None:
            continue
        if name in properties:
            raise DataError(f"{prefix}the property {quote(name)} appears twice; remove one")
        properties[name] = element.text or ""
    return properties


def read_notes(root: Element, prefix: str) -> list[Timed]:
    """All annotations, those of parents first; `prefix` begins every message."""
    if root.tag != "ANNOTATION_DOCUMENT":
        raise DataError(
            f"{prefix}the file begins with <{printable(root.tag)}>, not with "
            "<ANNOTATION_DOCUMENT>; is it an ELAN file?"
        )
    header = root.find("HEADER")
    units = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if units != "milliseconds":
        raise DataError(
            f"{prefix}the times are in {quote(units)}, not in milliseconds; open the file in ELAN "
            "and save it again"
        )
    slots = _slots(root, prefix)
    tiers = _tiers(root, prefix)
    notes = _by_id(tiers, prefix)
    for note in notes.values():
        missing = [slot for slot in note.slots or () if slot not in slots]
        if missing:
            raise DataError(
                f"{prefix}{note}: there is no time slot {printable(missing[0])}; export it again"
            )
    for chain in _chains(tiers):
        _spread(chain, slots)
    _spread(list(slots), slots)
    aligned = _aligned(notes, prefix)
    shares = _shares(tiers, notes)
    return [
        _timed(note, aligned[note.id], slots, shares[note.id], prefix) for note in notes.values()
    ]


def constraints(root: Element) -> dict[str, str]:
    """Stereotypes of the linguistic types that have one, such as "Included_In"."""
    return {
        kind.get("LINGUISTIC_TYPE_ID", ""): kind.get("CONSTRAINTS", "").replace(" ", "_")
        for kind in root.iterfind("LINGUISTIC_TYPE")
        if kind.get("CONSTRAINTS")
    }


def _slots(root: Element, prefix: str) -> dict[str, float | None]:
    """Slots by id, with their time if they have one."""
    slots: dict[str, float | None] = {}
    for element in root.iterfind("TIME_ORDER/TIME_SLOT"):
        name = _attribute(element, "TIME_SLOT_ID", prefix, "a time slot")
        value = element.get("TIME_VALUE")
        if name in slots:
            raise DataError(f"{prefix}the time slot {printable(name)} appears twice; remove one")
        if value is not None and not NUMBER.fullmatch(value):
            raise DataError(
                f"{prefix}time slot {printable(name)} is at {quote(value)}; it must be in "
                "milliseconds from 0 on"
            )
        slots[name] = None if value is None else float(value)
    return slots


def _tiers(root: Element, prefix: str) -> list[_Tier]:
    tiers = {}
    divided = {kind for kind, stereotype in constraints(root).items() if stereotype == DIVIDED}
    for element in root.iterfind("TIER"):
        name = _attribute(element, "TIER_ID", prefix, "a tier")
        if name in tiers:
            raise DataError(f"{prefix}two tiers are called {quote(name)}; rename one")
        notes = [_note(child, name, prefix) for child in element.iterfind("ANNOTATION")]
        is_divided = element.get("LINGUISTIC_TYPE_REF") in divided
        tiers[name] = _Tier(name, element.get("PARENT_REF"), is_divided, notes)
    order = _parents_first({tier.name: tier.parent for tier in tiers.values()})
    if len(order) < len(tiers):
        circle = next(name for name in tiers if name not in set(order))
        raise DataError(f"{prefix}tier {quote(circle)} is its own ancestor; export it again")
    return [tiers[name] for name in order]


def _note(annotation: Element, tier: str, prefix: str) -> Note:
    tags = [child.tag for child in annotation]
    if tags not in (["ALIGNABLE_ANNOTATION"], ["REF_ANNOTATION"]):
        held = printable(f"<{'>, <'.join(tags)}>" if tags else "nothing")
        raise DataError(
            f"{prefix}tier {quote(tier)}: an <ANNOTATION> holds {held}, not one "
            "<ALIGNABLE_ANNOTATION> or <REF_ANNOTATION>; export it again"
        )
    element = annotation[0]
    name = _attribute(element, "ANNOTATION_ID", prefix, f"an annotation on tier {quote(tier)}")
    note = Note(name, tier, element.findtext("ANNOTATION_VALUE") or "", None, None)
    if element.tag == "REF_ANNOTATION":
        parent = _attribute(element, "ANNOTATION_REF", prefix, note)
        return note._replace(parent=parent, previous=element.get("PREVIOUS_ANNOTATION"))
    first = _attribute(element, "TIME_SLOT_REF1", prefix, note)
    return note._replace(slots=(first, _attribute(element, "TIME_SLOT_REF2", prefix, note)))


def _attribute(element: Element, name: str, prefix: str, what: object) -> str:
    value = element.get(name)
    if value is None:
        raise DataError(f"{prefix}{what} has no {name}; export it again")
    return value


def _by_id(tiers: Sequence[_Tier], prefix: str) -> dict[str, Note]:
    notes: dict[str, Note] = {}
    for note in (note for tier in tiers for note in tier.notes):
        before = notes.setdefault(note.id, note)
        if before is not note:
            raise DataError(
                f"{prefix}{note}: there is one of this id already, on tier {quote(before.tier)}; "
                "make ids distinct"
            )
    return notes


def _chains(tiers: Sequence[_Tier]) -> Iterator[list[str]]:
    """Slots of annotations that follow each other without a gap.

    Parents come first, since their slots, once they have a time, bound those of their children.
    """
    for tier in tiers:
        chain: list[str] = []
        for first, last in (note.slots for note in tier.notes if note.slots):
            if not chain or chain[-1] != first:
                yield chain
                chain = [first]
            chain.append(last)
        yield chain


def _spread(chain: Sequence[str], slots: dict[str, float | None]) -> None:
    """Put slots without a time evenly between the nearest of the chain that have one."""
    times = [slots[slot] for slot in chain]
    known = [(place, time) for place, time in enumerate(times) if time is not None]
    for (left, first), (right, last) in pairwise(known):
        if first <= last:
            for place in range(left + 1, right):
                share = (place - left) / (right - left)
                slots[chain[place]] = first + (last - first) * share


def _parents_first(parents: Mapping[str, str | None]) -> list[str]:
    """Names in an order in which parents stand before children; those in a circle are left out."""
    children = defaultdict(list)
    for name, parent in parents.items():
        children[parent if parent in parents else None].append(name)
    order = list(children[None])
    for name in order:  # which grows on the way
        order += children[name]
    return order


def _aligned(notes: Mapping[str, Note], prefix: str) -> dict[str, Note]:
    """Annotation that each takes its times from, itself where it has slots."""
    aligned: dict[str, Note] = {}
    for name in _parents_first({note.id: note.parent for note in notes.values()}):
        note = notes[name]
        if note.parent is not None and note.parent not in notes:
            raise DataError(
                f"{prefix}{note} refers to {printable(note.parent)}, which is not there; "
                "export it again"
            )
        aligned[name] = note if note.parent is None else aligned[note.parent]
    if len(aligned) < len(notes):
        circle = next(note for note in notes.values() if note.id not in aligned)
        raise DataError(f"{prefix}{circle} refers to itself through others; export it again")
    return aligned


def _shares(tiers: Sequence[_Tier], notes: Mapping[str, Note]) -> dict[str, Share]:
    """Part that each annotation has of the one that gives its times."""
    parts: dict[str, tuple[int, int]] = {}
    for tier in tiers:
        siblings: dict[str | None, list[Note]] = defaultdict(list)
        for note in tier.notes if tier.is_divided else ():
            siblings[note.parent].append(note)
        for same in siblings.values():
            ordered = _in_order(same)
            parts |= {note.id: (n, len(same)) for n, note in enumerate(ordered) if note.parent}
    shares: dict[str, Share] = {}
    for name in _parents_first({note.id: note.parent for note in notes.values()}):
        whole = shares.get(notes[name].parent or "", Share())
        shares[name] = whole.part(*parts[name]) if name in parts else whole
    return shares


def _in_order(siblings: Sequence[Note]) -> Sequence[Note]:
    """Parts of an annotation, each after the one that it names, or else as the file has them."""
    names = {note.id for note in siblings}
    after = {note.previous if note.previous in names else None: note for note in siblings}
    ordered: list[Note] = []
    while len(ordered) < len(siblings):
        last = ordered[-1].id if ordered else None
        if last not in after:
            return siblings
        ordered.append(after.pop(last))
    return ordered


def _timed(
    note: Note, aligned: Note, slots: Mapping[str, float | None], share: Share, prefix: str
) -> Timed:
    first, last = aligned.slots or ("", "")
    start, end = slots[first], slots[last]
    if start is None or end is None:
        raise DataError(
            f"{prefix}{note}: time slot {printable(first if start is None else last)} has no time, "
            "and its neighbours do not determine it; give it one in ELAN"
        )
    return Timed(note, aligned.id, start, end, share)
