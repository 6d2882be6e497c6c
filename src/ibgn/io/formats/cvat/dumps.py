"""Annotations of CVAT as JSON, as a backup of a task and its interface for programs have them."""

from typing import Any
from xml.etree.ElementTree import Element, SubElement

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.parsing.json import Node, parse_json
from ibgn.io.parsing.xml import parse_xml

__all__ = ["is_dump", "parse"]

PARTS = frozenset({"tags", "shapes", "tracks"})


def is_dump(document: Any) -> bool:
    """Whether a document has the annotations of a task, or a list of those of its jobs."""
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, dict) and first.keys() >= PARTS


def parse(file: InputFile) -> Element:
    """Root of an export; a dump as the same export in XML."""
    with file.open() as stream:
        is_json = stream.read(100).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")
    return _as_xml(parse_json(file)) if is_json else parse_xml(file)


def _as_xml(root: Node) -> Element:
    jobs = root.items() if isinstance(root.value, list) else [root]
    export = Element("annotations")
    for job in jobs:
        for track in job.child("tracks").items():
            element = SubElement(export, "track", {"label": _label(track)})
            for shape in track.child("shapes").items():
                _add(element, "box", shape)
        for part in ("tags", "shapes"):
            for each in job.child(part).items():
                _add(export, "tag", each).set("label", _label(each))
    if export.find("track") is None and any(job.child("shapes").items() for job in jobs):
        raise DataError(
            f"{root.prefix}the file has objects of single pictures and no tracks, and does not say "
            "that the pictures are frames of a video, so that it holds no times"
        )
    return export


def _label(each: Node) -> str:
    named = each.first("label", "label_id")
    return each.child("label").name() if named is None else named.name()


def _add(to: Element, tag: str, shape: Node) -> Element:
    """Add an object at a frame, with its attributes."""
    outside = "1" if shape.has("outside") and shape.child("outside").value else "0"
    element = SubElement(to, tag, {"frame": shape.child("frame").name(), "outside": outside})
    listed = shape.first("attributes")
    for each in [] if listed is None else listed.items():
        name = each.first("name", "spec_id")
        if name is not None and each.has("value"):
            SubElement(element, "attribute", {"name": name.name()}).text = each.child(
                "value"
            ).name()
    return element
