"""What is on the tiers of ELAN files, and what kind of tiers they are."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ibgn.io.files import Files
from ibgn.io.formats.elan.content import ACTIVITY, read_content
from ibgn.io.formats.elan.document import constraints
from ibgn.io.outline import Entry, TierOutline
from ibgn.io.parsing.xml import parse_xml

__all__ = ["outline_tiers"]

# how annotations of a tier lie in those of its parent, by the constraint of its type
WITHIN = {
    "Time_Subdivision": " (divides it)",
    "Included_In": " (within it)",
    "Symbolic_Subdivision": " (divides it in equal parts)",
    "Symbolic_Association": " (as long as it)",
}


def outline_tiers(files: Files) -> Iterator[Entry]:
    """Tiers with their types, parents, participants and annotators."""
    tiers = TierOutline()
    for file in files:
        root = parse_xml(file)
        content = read_content(root, file.prefix)
        stereotypes = constraints(root)
        values: dict[str, list[str]] = {}
        for note, *_ in content.notes:
            values.setdefault(note.tier, []).append(note.value)
        for tier in root.iterfind("TIER"):
            name = tier.get("TIER_ID", "")
            if name != ACTIVITY or "label" not in content.known:  # which repeats the label
                tiers.add(name, values.get(name, []), **_about(tier, stereotypes))
    return tiers.entries()


def _about(tier: Element, stereotypes: dict[str, str]) -> dict[str, str | None]:
    kind, parent = tier.get("LINGUISTIC_TYPE_REF"), tier.get("PARENT_REF")
    within = WITHIN.get(stereotypes.get(kind or "", ""), "")
    return {
        "type": kind,
        "child of": None if parent is None else f"{parent}{within}",
        "participant": tier.get("PARTICIPANT") or None,
        "annotator": tier.get("ANNOTATOR") or None,
    }
