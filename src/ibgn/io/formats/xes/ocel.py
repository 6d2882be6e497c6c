"""OCEL: event logs in which an event is of several objects, as JSON and XML, versions 1 and 2.

Such a log becomes one of XES in which the objects of one type are the traces.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from ibgn.errors import DataError, Option, OptionError
from ibgn.io.files import Files
from ibgn.io.formats.xes.traces import NAME, TIME, USED, bare_tag
from ibgn.io.parsing.json import Node
from ibgn.text import quote

__all__ = ["ObjectLog", "from_json", "from_xml", "is_json_log", "is_xml_log"]

PREFIX = "ocel:"  # of all names in version 1
ENOUGH = 0.8  # share of the most events, with which a type of objects can give the instances


class _Event(NamedTuple):
    objects: Sequence[str]
    values: Mapping[str, str]


class _Object(NamedTuple):
    type: str
    values: Mapping[str, str]


class ObjectLog(NamedTuple):
    """Events, and objects by their ids."""

    events: Sequence[_Event]
    objects: Mapping[str, _Object]
    prefix: str

    def flatten(self, chosen: str | None, files: Files) -> Element:
        """Log of XES with a trace for each object of a type, with the events of the object."""
        of_type = self._choose(chosen)
        events = defaultdict(list)
        for event in self.events:
            own = [each for each in dict.fromkeys(event.objects) if self._type(each) == of_type]
            for each in own:
                events[each].append(event)
            files.leave_out(f" of no {quote(of_type)}, left out", number=not own)
        others = {each.type for each in self.objects.values()} - {of_type}
        listed = ", ".join(map(quote, sorted(others)[:20]))
        what = (f" other than {quote(of_type)} ({listed}): not the instances; ", Option("objects"))
        files.leave_out(*what, " chooses another", noun="object type", number=len(others))
        log = Element("log")
        for name, own_events in events.items():
            trace = SubElement(log, "trace")
            _say(trace, {**self.objects[name].values, NAME: name})
            for event in own_events:
                _say(SubElement(trace, "event"), event.values)
        return log

    def _type(self, name: str) -> str | None:
        return self.objects[name].type if name in self.objects else None

    def _choose(self, chosen: str | None) -> str:
        """Type whose objects are the instances; refuses to choose among several."""
        types = Counter(each.type for each in self.objects.values())
        listed = ", ".join(f"{quote(name)} ({number})" for name, number in types.most_common(20))
        if chosen is not None and chosen not in types:
            raise OptionError("objects", chosen, f"is no type of objects; there are {listed}")
        if chosen is None and not types:
            raise DataError(f"{self.prefix}the log has no objects, one of which is an instance")
        if chosen is None and len(types) > 1:
            raise DataError(
                f"{self.prefix}events are of objects of several types, {listed}, and those of one "
                "type are the instances; choose it with ",
                Option("objects", self._likely_type(types)),
            )
        return next(iter(types)) if chosen is None else chosen

    def _likely_type(self, types: Mapping[str, int]) -> str:
        """Type of which most events have one object, as they have one case; many objects of it."""
        single: Counter[str] = Counter()
        for event in self.events:
            numbers = Counter(self._type(each) for each in {*event.objects})
            single.update(name for name, number in numbers.items() if name and number == 1)
        least = ENOUGH * max(single.values(), default=0)
        return max(types, key=lambda name: (single[name] >= least, types[name]))


def is_json_log(document: Any) -> bool:
    """Whether a document has events of objects."""
    if not isinstance(document, dict):
        return False
    second = {"events", "objects"} <= document.keys() and bool(
        {"eventTypes", "objectTypes"} & document.keys()
    )
    return second or f"{PREFIX}events" in document


def is_xml_log(root: Element) -> bool:
    """Whether a document has events outside of traces, in an element of their own."""
    return bare_tag(root) == "log" and any(bare_tag(child) == "events" for child in root)


def from_json(root: Node) -> ObjectLog:
    """Log of a document of JSON."""
    if root.has(f"{PREFIX}events"):
        events = [_first_event(each) for _, each in root.child(f"{PREFIX}events").members()]
        known = root.first(f"{PREFIX}objects")
        members = [] if known is None else known.members()
        objects = {name: _first_object(each) for name, each in members}
    else:
        events = [_second_event(each) for each in root.child("events").items()]
        objects = {
            each.child("id").name(): _Object(each.child("type").name(), _latest(each))
            for each in root.child("objects").items()
        }
    return ObjectLog(events, objects, root.prefix)


def _first_event(event: Node) -> _Event:
    omap, vmap = event.first(f"{PREFIX}omap"), event.first(f"{PREFIX}vmap")
    named = ((f"{PREFIX}activity", NAME), (f"{PREFIX}timestamp", TIME))
    said = {ours: event.child(key).name() for key, ours in named if event.has(key)}
    objects = [] if omap is None else [each.name() for each in omap.items()]
    return _Event(objects, _plain(vmap) | said)


def _first_object(each: Node) -> _Object:
    return _Object(each.child(f"{PREFIX}type").name(), _plain(each.first(f"{PREFIX}ovmap")))


def _plain(fields: Node | None) -> dict[str, str]:
    """Fields that are neither objects nor lists, as text."""
    members = [] if fields is None else fields.members()
    return {
        name: each.name() for name, each in members if isinstance(each.value, str | int | float)
    }


def _second_event(event: Node) -> _Event:
    links = event.first("relationships")
    objects = [] if links is None else [each.child("objectId").name() for each in links.items()]
    named = (("type", NAME), ("time", TIME))
    said = {ours: event.child(key).name() for key, ours in named if event.has(key)}
    return _Event(objects, _latest(event) | said)


def _latest(each: Node) -> dict[str, str]:
    """Attributes of an event or object; of several values of one, the last."""
    listed = each.first("attributes")
    items = [] if listed is None else listed.items()
    return {a.child("name").name(): a.child("value").name() for a in items if a.has("value")}


def from_xml(root: Element, prefix: str) -> ObjectLog:
    """Log of a document of XML."""
    events = [_xml_event(each) for each in _within(root, "events", "event")]
    objects = {}
    for each in _within(root, "objects", "object"):
        values = _xml_values(each)
        name, of_type = (each.get(key) or values.pop(key, "") for key in ("id", "type"))
        objects[name] = _Object(of_type, values)
    return ObjectLog(events, objects, prefix)


def _xml_event(event: Element) -> _Event:
    values = _xml_values(event)
    named = ((NAME, "type", "activity"), (TIME, "time", "timestamp"))
    said = {ours: event.get(key) or values.pop(old, "") for ours, key, old in named}
    links = [each.get("object-id", "") for each in _within(event, "objects", "relationship")]
    links += [each.get("object-id", "") for each in _within(event, "objects", "object")]
    omap = [each for each in event if each.get("key") == "omap"]
    links += [each.get("value", "") for listed in omap for each in listed]
    return _Event(links, values | said)


def _xml_values(element: Element) -> dict[str, str]:
    """Attributes of an event or object, in either version."""
    found = {each.get("key", ""): each.get("value", "") for each in element if each.get("value")}
    inner = [
        each for listed in element if listed.get("key") in ("vmap", "ovmap") for each in listed
    ]
    found |= {each.get("key", ""): each.get("value", "") for each in inner}
    second = _within(element, "attributes", "attribute")
    return found | {each.get("name", ""): (each.text or "").strip() for each in second}


def _within(element: Element, *tags: str) -> Iterator[Element]:
    """Elements at the end of a path of tags."""
    first, *rest = tags
    for child in element:
        if bare_tag(child) == first:
            yield from _within(child, *rest) if rest else [child]


def _say(element: Element, values: Mapping[str, str]) -> None:
    for key, value in values.items():
        if key in USED or bare_tag(element) == "trace":
            SubElement(element, "string", {"key": key, "value": value})
