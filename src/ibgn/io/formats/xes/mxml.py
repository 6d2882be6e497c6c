"""MXML, which event logs were written in before XES: the same log with other elements."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from ibgn.io.formats.xes.traces import NAME, RESOURCE, TIME, TRANSITION, bare_tag

__all__ = ["ROOT", "as_xes"]

ROOT = "WorkflowLog"
# what an entry says of its event, as XES calls it
FIELDS = {
    "WorkflowModelElement": NAME,
    "EventType": TRANSITION,
    "Timestamp": TIME,
    "timestamp": TIME,
    "Originator": RESOURCE,
    "originator": RESOURCE,
}


def as_xes(root: Element) -> Element:
    """Log of XES with the same traces and events; one of XES stays as it is."""
    if bare_tag(root) != ROOT:
        return root
    log = Element("log")
    for process in _within(root, "Process"):
        for instance in _within(process, "ProcessInstance"):
            trace = SubElement(log, "trace")
            if instance.attrib.get("id"):
                _say(trace, NAME, instance.attrib["id"])
            _say_attributes(instance, trace)
            for entry in _within(instance, "AuditTrailEntry"):
                event = SubElement(trace, "event")
                for child in entry:
                    if bare_tag(child) in FIELDS:
                        _say(event, FIELDS[bare_tag(child)], (child.text or "").strip())
                _say_attributes(entry, event)
    return log


def _within(element: Element, tag: str) -> Iterator[Element]:
    return (child for child in element if bare_tag(child) == tag)


def _say(element: Element, key: str, value: str) -> None:
    SubElement(element, "string", {"key": key, "value": value})


def _say_attributes(element: Element, to: Element) -> None:
    """Give an element the data of another, except what names it and its events."""
    for data in _within(element, "Data"):
        for attribute in _within(data, "Attribute"):
            key = attribute.attrib.get("name", "")
            if key and key not in FIELDS.values():
                _say(to, key, (attribute.text or "").strip())
