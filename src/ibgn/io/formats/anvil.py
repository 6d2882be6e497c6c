"""Anvil: elements with attributes on tracks of a video (.anvil)."""

from collections import defaultdict
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError, Option
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.choices import check_names
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.outline import Entry
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_anvil"]


def _sniff(head: Head) -> float:
    """Tell an annotation by its root and its tracks."""
    is_anvil = head.xml is not None and head.xml.tag == "annotation"
    return CERTAIN if is_anvil and head.xml and head.xml.tags & {"body", "track"} else 0.0


def _outline(files: Files) -> Iterator[Entry]:
    """Attributes of elements."""
    values: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for attribute in parse_xml(file).iterfind("body/track/el/attribute"):
            values[attribute.get("name", "")].append(attribute.text or "")
    for name, each in values.items():
        yield Entry.of("attribute", name, each, Option("attribute", name))


@reader(
    "anvil", (".anvil",), also=(".xml",), about="Anvil", unit="s", sniff=_sniff, outline=_outline
)
def read_anvil(files: Files, *, attribute: str | None = None) -> Iterator[Recording]:
    r"""Read a file of Anvil, or a folder of them; a file is an instance.

    Elements of tracks that refer to others, and have no times of their own, have the times of the
    first and the last of these.

    Parameters
    ----------
    attribute : the attribute whose value names the action, by default the first of an element

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "talk.anvil"
    >>> stroke = '<el index="0" start="0.5" end="1"><attribute name="type">stroke</attribute></el>'
    >>> track = f'<track name="hand" type="primary">{stroke}</track>'
    >>> _ = path.write_text(f"<annotation><body>{track}</body></annotation>")
    >>> read_anvil(path)[0].to_lists()
    [[('stroke', 0.5, 1.0)]]
    """
    check_names(attribute=attribute)
    for file in files:
        spans: dict[tuple[str, str], tuple[float, float]] = {}
        annotations = []
        for track in parse_xml(file).iterfind("body/track"):
            name, parent = track.get("name", ""), track.get("ref", "")
            for element in track.iterfind("el"):
                index = element.get("index", "")
                place = f"track {quote(name)}, element {quote(index)}"
                # a track that refers to another has numbers of its elements in place of times
                span = _span_of_others(element, parent, spans) or _own_span(element)
                if span is None:
                    raise DataError(
                        f"{file.prefix}{place} has neither times nor elements that have them; "
                        "give it some in Anvil"
                    )
                spans[name, index] = span
                annotations.append(Annotation(name, _value(element, attribute), *span, place))
        yield Recording(file.name, annotations)


def _own_span(element: Element) -> tuple[float, float] | None:
    start, end = (as_number(element.get(name, "")) for name in ("start", "end"))
    return None if start is None or end is None else (start, end)


def _span_of_others(
    element: Element, parent: str, spans: dict[tuple[str, str], tuple[float, float]]
) -> tuple[float, float] | None:
    """Times from the first to the last element that one refers to, on the track before it."""
    named = [element.get(name) or element.get("ref") or "" for name in ("start", "end")]
    found = [spans[parent, name] for name in named if (parent, name) in spans]
    return (found[0][0], found[-1][1]) if found else None


def _value(element: Element, attribute: str | None) -> str:
    for each in element.iterfind("attribute"):
        if attribute is None or each.get("name") == attribute:
            return (each.text or "").strip()
    return ""
