"""XML of other tools: all elements that have a start and an end, wherever they stand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.moments import as_clock
from ibgn.io.parsing.words import ACTION, BESIDES, END, LENGTH, START, SUBJECT, UNITS, words_of
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader

__all__ = ["read_xml"]

SOME_XML = 0.01  # so that the reader can say what is missing in XML that no format knows
SURE = ACTION[: ACTION.index("task")]  # these name an action also where an element has a text
WHO = frozenset({*SUBJECT, "who", "spkr", "agent"})
BETWEEN = frozenset({"from", "to"})  # which may as well be nodes of a graph
REFERENCES = frozenset({"reference", "ref", "id"})
SHORT = {"s": "start", "e": "end"}  # names of attributes that are one letter
PERIOD = re.compile(r"P?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?", re.ASCII)
Times = Mapping[str, float]


class Timed(NamedTuple):
    """An element with its times, who acts in it, and what holds it with times of its own."""

    element: Element
    start: float
    end: float
    who: str
    place: str


def _sniff(head: Head) -> float:
    """Tell XML; whether it has times, only reading it says."""
    if head.xml is None:
        return 0.0
    return POSSIBLE if START & {*words_of(head.text)} and END & {*words_of(head.text)} else SOME_XML


@reader(
    "xml",
    also=(".xml", ".flk", ".its", ".tei", ".exs"),
    about="any XML with elements that have a start and an end",
    unit="s",
    sniff=_sniff,
)
def read_xml(files: Files) -> Iterator[Recording]:
    r"""Read XML of tools that have no format of their own here; a file is an instance.

    All elements with a start and an end, or a duration, are intervals, wherever they stand; so are
    those whose start and end are points of a timeline, as FOLKER and TEI have them. Attributes are
    known by the words of their names: "start", "starttime", "begin-time", "end", "dur" and so on.
    The action is an attribute such as "label", the text of the element, or another attribute. The
    track is who acts (an attribute "who", "speaker" or the like), or the name of the element. An
    element that only holds others with times is left out.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "talk.xml"
    >>> _ = path.write_text('<talk><w starttime="0.5" endtime="0.9">tea</w></talk>')
    >>> read_xml(path)[0].to_lists()
    [[('tea', 0.5, 0.9)]]
    """
    for file in files:
        root = parse_xml(file)
        points = _timeline(root)
        timed = list(_timed(root, points, _people(root)))
        if not timed:
            raise DataError(
                f"{file.prefix}no element has a start and an end, so that it holds no intervals "
                "that could be read"
            )
        within = {id(each.element) for each in timed}
        notes = []
        for each in timed:
            value = _value(each.element, within)
            if value is not None:
                track = each.who if value != each.who and each.who else _local(each.element.tag)
                notes.append(Annotation(track, value, each.start, each.end, each.place))
        yield Recording(file.name, notes)


def _timed(root: Element, points: Times, people: Mapping[str, str]) -> Iterator[Timed]:
    """Elements with a start and an end, in the order in which they stand."""
    waiting: list[tuple[Element, str]] = [(root, "")]
    number = 0
    while waiting:
        element, who = waiting.pop()
        number += 1
        named = _attribute(element, WHO)
        who = people.get(named.lstrip("#"), named.lstrip("#")) if named else who
        both = _times(element, points)
        if both is not None:
            place = f"<{_local(element.tag)}> {number}"
            yield Timed(element, *both, who, place)
        waiting += [(child, who) for child in reversed(element)]


def _times(element: Element, points: Times) -> tuple[float, float] | None:
    """Start and end of an element; None where it has not both."""
    found: dict[str, float] = {}
    scale = 1.0
    for name, text in element.items():
        words = _words(name)
        for role, telling in (("start", START), ("end", END), ("length", LENGTH)):
            others = {*words} - telling
            if len(others) == len({*words}) or not others <= BESIDES | UNITS.keys() | REFERENCES:
                continue
            time = points.get(text.strip().lstrip("#"))
            if time is None and not {*words} <= BETWEEN:
                time = _seconds(text)
                scale = next((UNITS[word] for word in words if word in UNITS), scale)
            if time is not None:
                found.setdefault(role, time)
    if "start" not in found or not found.keys() & {"end", "length"}:
        return None
    end = found["end"] if "end" in found else found["start"] + found["length"]
    return found["start"] * scale, end * scale


def _words(name: str) -> list[str]:
    """Words of the name of an attribute, also of those that are run together: "starttime"."""
    words = words_of(SHORT.get(_local(name), _local(name)))
    return [part for word in words for part in re.sub(r"(?<=.)time$", " time", word).split()]


def _seconds(text: str) -> float | None:
    """Seconds of a number, a clock, or a period as PT1M2.5S; None where it is none of these."""
    plain = text.strip().removesuffix("s")
    number = as_number(plain)
    if number is not None:
        return number
    clock = as_clock(plain)
    period = PERIOD.fullmatch(text.strip())
    if clock is not None or period is None or not any(period.groups()):
        return clock
    hours, minutes, rest = (float(part or 0) for part in period.groups())
    return hours * 3600 + minutes * 60 + rest


def _timeline(root: Element) -> dict[str, float]:
    """Times of points by their ids, which others refer to by their start and end.

    Points of TEI may be at an interval since another; those without a time are none.
    """
    points: dict[str, float] = {}
    for element in root.iter():
        own = {_local(name): text for name, text in element.items()}
        name = next((own[key] for key in ("id", "timepoint-id") if key in own), None)
        if name is None:
            continue
        scale = 0.001 if own.get("unit") == "ms" else 1.0
        since = points.get(own.get("since", "").lstrip("#"), 0.0)
        for key in ("interval", "absolute-time", "absolute", "time", "TIME_VALUE"):
            time = _seconds(own[key]) if key in own else None
            if time is not None:
                points[name] = time * scale + (since if key == "interval" else 0.0)
                break
    return points


def _people(root: Element) -> dict[str, str]:
    """Names of who acts, by their ids."""
    names: dict[str, str] = {}
    for element in root.iter():
        if WHO & {*words_of(_local(element.tag))} or _local(element.tag) == "person":
            name = next((e for e in element.iter() if _local(e.tag) in NAMES), None)
            text = "" if name is None else "".join(name.itertext()).strip()
            for key, value in element.items():
                if _local(key) in ("id", "speaker-id") and text:
                    names[value] = text
    return names


NAMES = ("abbreviation", "abbr", "name", "persName")


def _value(element: Element, timed: set[int]) -> str | None:
    """What went on; None for an element that says nothing but holds others with times."""
    sure = _attribute(element, SURE)
    if sure:
        return sure
    text = " ".join(_own_text(element, timed).split())
    if text:
        return text
    other = _attribute(element, [word for word in ACTION if word not in WHO])
    if other:
        return other
    holds = any(id(child) in timed for child in element.iter() if child is not element)
    return None if holds else _attribute(element, WHO) or _local(element.tag)


def _own_text(element: Element, timed: set[int]) -> str:
    """Text of an element without that of elements in it that have times of their own."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if id(child) in timed else _own_text(child, timed), child.tail or ""]
    return "".join(parts)


def _attribute(element: Element, telling: Sequence[str] | frozenset[str]) -> str:
    """Attribute whose name has one of these words, the first of them that is there."""
    words = {name: {*words_of(_local(name))} for name, text in element.items() if text.strip()}
    plain = {name: each for name, each in words.items() if not each & {"id", "level"}}
    ranked = ((name for name, each in plain.items() if word in each) for word in telling)
    found = next((name for names in ranked for name in names), None)
    return "" if found is None else element.get(found, "").strip()


def _local(name: str) -> str:
    """Name without its namespace."""
    return name.rsplit(":", 1)[-1]
