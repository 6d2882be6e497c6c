"""XML of other tools: all elements that have a start and an end, wherever they stand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.formats.xml.times import (
    RATE,
    Field,
    Reading,
    Time,
    as_instant,
    find_spans,
    find_times,
    local,
    sample_rate,
    seconds_of,
    timeline,
)
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.moments import since_first
from ibgn.io.parsing.words import ACTION, END, MEDIA, START, SUBJECT, words_of
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader

__all__ = ["read_xml"]

SOME_XML = 0.01  # so that the reader can say what is missing in XML that no format knows
SURE = ACTION[: ACTION.index("task")]  # these name an action also where an element has a text
WHO = frozenset({*SUBJECT, "who", "spkr", "agent"})
TITLES = ("title", "name", "label")
GENERAL = frozenset({"type", "kind"})  # which a text called "value" says more than
NAMES = ("abbreviation", "abbr", "name", "persName")
NO_NAME = frozenset({"id", "level", "source", "num", "number", "count"})
COARSE = frozenset({"type", "kind", "class", "category", "group"})  # beside a name, less than it


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
    medium: str  # the file that it stands under, as a sound or a video


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
    r"""Read XML of tools that have no format of their own here.

    A file is an instance; where its elements stand under the names of several sounds or videos,
    each of these is one.

    All elements with a start and an end, or a duration, are intervals, wherever they stand; so are
    those whose start and end are points of a timeline, as FOLKER and TEI have them. Attributes are
    known by the words of their names: "start", "starttime", "begin-time", "end", "dur" and so on.
    The action is an attribute such as "label", the text of the element, or another attribute. The
    track is who acts (an attribute "who", "speaker" or the like), or the name of the element. An
    element that only holds others with times is left out. Start, end and action may also be
    elements in an element, as <start>0.5</start>, or the times an empty element in it, as
    <media start="0.5" end="0.9"/>. An attribute framespan="10:120" has the first and the last of
    some frames, which times are then. Date-times become seconds since the earliest.

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
        points, people = timeline(root), _people(root)
        # date-times beside numbers are of logs, or of the clock on the wall
        timed = list(_timed(root, Reading(points, seconds_of, sample_rate(root)), people))
        timed = timed or list(_timed(root, Reading({}, as_instant), people))
        timed = [each for each in timed if each.element is not root] or timed
        timed = [each for each in timed if RATE not in each.element.attrib] or timed
        if not timed:
            raise DataError(
                f"{file.prefix}no element has a start and an end, so that it holds no intervals "
                "that could be read"
            )
        within = {id(each.element) for each in timed} | {id(each.timing) for each in timed}
        frames = sum(bool(find_spans(each.element)) for each in timed)
        numbers = ": of frames, which times are counted in"
        files.leave_out(numbers, noun="span", number=frames)
        notes: dict[str, list[Annotation]] = {}
        for each, (start, end) in zip(timed, _in_seconds(timed, file.prefix), strict=True):
            value = _value(each, within)
            if value is not None:
                track = each.who if value != each.who and each.who else local(each.element.tag)
                mine = notes.setdefault(each.medium, [])
                mine.append(Annotation(track, value, start, end, each.place))
        if len(notes) < 2:
            yield Recording(file.name, [note for mine in notes.values() for note in mine])
            continue
        for medium, mine in notes.items():
            name = f"{file.name}#{medium}" if medium else file.name
            yield Recording(name, mine, {"instance": name if len(files) > 1 else medium or name})


def _timed(root: Element, reading: Reading, people: Mapping[str, str]) -> Iterator[Timed]:
    """Elements with a start and an end, in the order in which they stand."""
    waiting: list[tuple[Element, str, str]] = [(root, "", "")]
    taken: set[int] = set()  # empty elements with the times of what holds them
    number = 0
    while waiting:
        element, who, medium = waiting.pop()
        number += 1
        medium = _medium(element) or medium
        named = _attribute(element.items(), WHO)
        who = people.get(named.lstrip("#"), named.lstrip("#")) if named else who
        place = f"<{local(element.tag)}> {number}"
        spans = find_spans(element)
        for start, end in spans:
            yield Timed(element, list(element.items()), start, end, who, place, element, medium)
        if spans:  # what is in it says where it was, frame by frame
            continue
        if id(element) not in taken:
            timing, fields, both = _timing(element, reading)
            taken.add(id(timing))
            if both is not None:
                yield Timed(element, fields, *both, who, place, timing, medium)
        waiting += [(child, who, medium) for child in reversed(element)]


def _medium(element: Element) -> str:
    """Name of the sound or the video that an element names in itself, or in one element in it."""
    named = {text.strip() for text in element.attrib.values() if MEDIA.fullmatch(text.strip())}
    texts = [(child.text or "").strip() for child in element if not len(child)]
    named |= {text for text in texts if MEDIA.fullmatch(text)}
    return named.pop() if len(named) == 1 else ""


def _timing(
    element: Element, reading: Reading
) -> tuple[Element, Sequence[Field], tuple[Time, Time] | None]:
    """What has the times of an element, its fields, and the times; None where it has not both."""
    attributes = list(element.items())
    both = find_times(attributes, reading)
    if both is not None or not len(element):
        return element, attributes, both
    within = attributes + [
        (child.tag, child.text)
        for child in element
        if not len(child) and not child.attrib and child.text and child.text.strip()
    ]
    both = find_times(within, reading)
    if both is not None:
        return element, within, both
    empty = [(child, find_times(child.items(), reading)) for child in element if _is_empty(child)]
    stamps = [(child, times) for child, times in empty if times is not None]
    if len(stamps) != 1:
        return element, attributes, None
    return stamps[0][0], attributes, stamps[0][1]


def _is_empty(element: Element) -> bool:
    """Whether an element says nothing of what went on, in a text or in an attribute."""
    if len(element) or (element.text or "").strip():
        return False
    return not _attribute(element.items(), (*ACTION, *WHO))


def _in_seconds(timed: Sequence[Timed], prefix: str) -> Iterator[tuple[float, float]]:
    """Start and end of each element; date-times since the earliest of them."""
    times = [time for each in timed for time in (each.start, each.end)]
    moments = [time for time in times if isinstance(time, datetime)]
    where = [f"{prefix}{each.place}" for each in timed for _ in range(2)]
    since = since_first(moments, where.__getitem__).tolist() if moments else times
    yield from zip(since[::2], since[1::2], strict=True)


def _people(root: Element) -> dict[str, str]:
    """Names of who acts, by their ids."""
    names: dict[str, str] = {}
    for element in root.iter():
        if WHO & {*words_of(local(element.tag))} or local(element.tag) == "person":
            name = next((e for e in element.iter() if local(e.tag) in NAMES), None)
            text = "" if name is None else "".join(name.itertext()).strip()
            for key, value in element.items():
                if local(key) in ("id", "speaker-id") and text:
                    names[value] = text
    return names


def _value(timed: Timed, within: set[int]) -> str | None:
    """What went on; None for an element that says nothing but holds others with times."""
    element, fields = timed.element, timed.fields
    in_attributes = len(fields) == len(element.attrib)
    own = (element, timed.timing)
    holds = any(id(child) in within for child in element.iter() if child not in own)
    if holds and not in_attributes:
        return None
    sure = _attribute(fields, SURE)
    if sure:
        return sure
    other = _attribute(fields, [word for word in ACTION if word not in WHO])
    if other and other == _attribute(fields, GENERAL):
        value = _attribute(fields, ("value",))
        other = value if value and as_number(value) is None else other
    other = other or _attribute(fields, TITLES)
    if other and element is not timed.timing:  # its text is about more than what went on
        return other
    text = " ".join(_own_text(element, within).split()) if in_attributes else ""
    title = next((e.text for e in element if local(e.tag) in TITLES and e.text), "").strip()
    title = title or ("" if text else _title_within(element, within))
    if title or text or other:
        return title or text or other
    return None if holds else _attribute(fields, WHO) or local(element.tag)


def _title_within(element: Element, timed: set[int]) -> str:
    """Title deeper in an element, as that of a chapter is in what is displayed."""
    if any(id(child) in timed for child in element):
        return ""
    named = (
        e for child in element for e in child if {*words_of(local(e.tag))} & {"string", *TITLES}
    )
    return next((e.text.strip() for e in named if e.text and e.text.strip()), "")


def _own_text(element: Element, timed: set[int]) -> str:
    """Text of an element without that of elements in it that have times of their own."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if id(child) in timed else _own_text(child, timed), child.tail or ""]
    return "".join(parts)


def _attribute(fields: Iterable[Field], telling: Iterable[str]) -> str:
    """Field whose name has one of these words, the first of them that is there."""
    said = [({*words_of(local(name))}, text.strip()) for name, text in fields if text.strip()]
    plain = [(words, text) for words, text in said if not words & NO_NAME]
    for word in telling:
        named = [(bool(words - {word} & COARSE), text) for words, text in plain if word in words]
        if named:
            return min(named, key=lambda pair: pair[0])[1]
    return ""
