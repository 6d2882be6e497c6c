"""XML of other tools: all elements that have a start and an end, wherever they stand."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.moments import as_clock, kind_of, read_moments, since_first
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
COMPACT = re.compile(r"(\d{8})T?\s?(\d{6}|\d\d:\d\d:\d\d)(\.\d+)?\s?([+-]\d{4})?", re.ASCII)
LASTING = LENGTH | {"elapsed"}
COARSE = frozenset({"type", "kind", "class", "category", "group"})  # beside a name, less than it
HEIGHT = frozenset({"ymin", "ymax", "top", "height", "ytl"})  # of a box in a picture
Times = Mapping[str, float]
Time = float | datetime
Field = tuple[str, str]


class _Reading(NamedTuple):
    """How times are read: points of a timeline by their ids, and else from their text."""

    points: Times
    read: Callable[[str], Time | None]


class Timed(NamedTuple):
    """An element with its times, the fields that may say what went on, and who acts in it.

    Fields are attributes, or also the elements in it where these have the times.
    """

    element: Element
    fields: Sequence[Field]
    start: Time
    end: Time
    who: str
    place: str
    timing: Element  # which may be an empty element in it


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
    element that only holds others with times is left out. Start, end and action may also be
    elements in an element, as <start>0.5</start>, or the times an empty element in it, as
    <media start="0.5" end="0.9"/>. Date-times become seconds since the earliest.

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
        points, people = _timeline(root), _people(root)
        # date-times beside numbers are of logs, or of the clock on the wall
        timed = list(_timed(root, _Reading(points, _seconds), people))
        timed = timed or list(_timed(root, _Reading({}, _instant), people))
        if not timed:
            raise DataError(
                f"{file.prefix}no element has a start and an end, so that it holds no intervals "
                "that could be read"
            )
        within = {id(each.element) for each in timed} | {id(each.timing) for each in timed}
        notes = []
        for each, (start, end) in zip(timed, _in_seconds(timed, file.prefix), strict=True):
            value = _value(each, within)
            if value is not None:
                track = each.who if value != each.who and each.who else _local(each.element.tag)
                notes.append(Annotation(track, value, start, end, each.place))
        yield Recording(file.name, notes)


def _timed(root: Element, reading: _Reading, people: Mapping[str, str]) -> Iterator[Timed]:
    """Elements with a start and an end, in the order in which they stand."""
    waiting: list[tuple[Element, str]] = [(root, "")]
    taken: set[int] = set()  # empty elements with the times of what holds them
    number = 0
    while waiting:
        element, who = waiting.pop()
        number += 1
        named = _attribute(element.items(), WHO)
        who = people.get(named.lstrip("#"), named.lstrip("#")) if named else who
        if id(element) not in taken:
            place = f"<{_local(element.tag)}> {number}"
            timing, fields, both = _timing(element, reading)
            taken.add(id(timing))
            if both is not None:
                yield Timed(element, fields, *both, who, place, timing)
        waiting += [(child, who) for child in reversed(element)]


def _timing(
    element: Element, reading: _Reading
) -> tuple[Element, Sequence[Field], tuple[Time, Time] | None]:
    """What has the times of an element, its fields, and the times; None where it has not both."""
    attributes = list(element.items())
    both = _times(attributes, reading)
    if both is not None or not len(element):
        return element, attributes, both
    within = attributes + [
        (child.tag, child.text)
        for child in element
        if not len(child) and not child.attrib and child.text and child.text.strip()
    ]
    both = _times(within, reading)
    if both is not None:
        return element, within, both
    empty = [(child, _times(child.items(), reading)) for child in element if _is_empty(child)]
    stamps = [(child, times) for child, times in empty if times is not None]
    if len(stamps) != 1:
        return element, attributes, None
    return stamps[0][0], attributes, stamps[0][1]


def _is_empty(element: Element) -> bool:
    """Whether an element says nothing of what went on, in a text or in an attribute."""
    if len(element) or (element.text or "").strip():
        return False
    return not _attribute(element.items(), (*ACTION, *WHO))


def _times(fields: Iterable[Field], reading: _Reading) -> tuple[Time, Time] | None:
    """Start and end that fields have; None where they have not both."""
    found: dict[str, Time] = {}
    length, scale = None, 1.0
    for name, text in fields:
        words = _words(name)
        if "unit" in words:
            scale = UNITS.get(text.strip().casefold(), scale)
        if HEIGHT & {*words}:
            return None
        unit = next((UNITS[word] for word in words if word in UNITS), scale)
        if _tells(words, LASTING) and length is None:
            length, scale = _seconds(text), unit
        for role, telling in (("start", START), ("end", END)):
            if role in found or not _tells(words, telling):
                continue
            time: Time | None = reading.points.get(text.strip().lstrip("#"))
            if time is None and not {*words} <= BETWEEN:
                time, scale = reading.read(text), unit
            if time is not None:
                found[role] = time
    start, end = found.get("start"), found.get("end")
    if isinstance(start, datetime):
        if end is None and length is not None:
            end = start + timedelta(seconds=length * scale)
        return (start, end) if isinstance(end, datetime) else None
    if end is None and start is not None and length is not None:
        end = start + length
    return None if start is None or end is None else (start * scale, end * scale)


def _tells(words: Sequence[str], telling: frozenset[str]) -> bool:
    others = {*words} - telling
    return len(others) < len({*words}) and others <= BESIDES | UNITS.keys() | REFERENCES


def _in_seconds(timed: Sequence[Timed], prefix: str) -> Iterator[tuple[float, float]]:
    """Start and end of each element; date-times since the earliest of them."""
    moments = [time for each in timed for time in each[2:4] if isinstance(time, datetime)]
    where = [f"{prefix}{each.place}" for each in timed for _ in range(2)]
    since = iter(since_first(moments, where.__getitem__).tolist() if moments else ())
    for each in timed:
        yield (next(since), next(since)) if moments else (each.start, each.end)


def _instant(text: str) -> datetime | None:
    """A date with a time, also as 20080715003000 -0600; None where it is neither."""
    compact = COMPACT.fullmatch(text.strip())
    if compact is not None:
        date, clock, fraction, zone = compact.groups()
        plain = f"{date}{clock.replace(':', '')}{(fraction or '.0')[:7]}{zone or ''}"
        with suppress(ValueError):
            return datetime.strptime(plain, f"%Y%m%d%H%M%S.%f{'%z' if zone else ''}")  # noqa: DTZ007
        return None
    with suppress(DataError, ValueError):
        if kind_of(text) == "moment":
            return read_moments([text], str)[0][0]
    return None


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


def _value(timed: Timed, within: set[int]) -> str | None:
    """What went on; None for an element that says nothing but holds others with times."""
    element, fields = timed.element, timed.fields
    sure = _attribute(fields, SURE)
    if sure:
        return sure
    other = _attribute(fields, [word for word in ACTION if word not in WHO])
    if other and element is not timed.timing:  # its text is about more than what went on
        return other
    in_attributes = len(fields) == len(element.attrib)
    text = " ".join(_own_text(element, within).split()) if in_attributes else ""
    if text or other:
        return text or other
    own = (element, timed.timing)
    holds = any(id(child) in within for child in element.iter() if child not in own)
    return None if holds else _attribute(fields, WHO) or _local(element.tag)


def _own_text(element: Element, timed: set[int]) -> str:
    """Text of an element without that of elements in it that have times of their own."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if id(child) in timed else _own_text(child, timed), child.tail or ""]
    return "".join(parts)


def _attribute(fields: Iterable[Field], telling: Iterable[str]) -> str:
    """Field whose name has one of these words, the first of them that is there."""
    said = [({*words_of(_local(name))}, text.strip()) for name, text in fields if text.strip()]
    plain = [(words, text) for words, text in said if not words & {"id", "level"}]
    for word in telling:
        named = [(bool(words - {word} & COARSE), text) for words, text in plain if word in words]
        if named:
            return min(named, key=lambda pair: pair[0])[1]
    return ""


def _local(name: str) -> str:
    """Name without its namespace."""
    return name.rsplit(":", 1)[-1]
