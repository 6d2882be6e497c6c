"""EXMARaLDA: events on tiers between points of a common timeline (.exb)."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from xml.etree.ElementTree import Element

from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_exmaralda"]

ROOT = "basic-transcription"


def _sniff(head: Head) -> float:
    """Tell a basic transcription by its root."""
    return CERTAIN if head.xml and head.xml.tag == ROOT else 0.0


@reader("exmaralda", (".exb",), also=(".xml",), about="EXMARaLDA", unit="s", sniff=_sniff)
def read_exmaralda(files: Files) -> Iterator[Recording]:
    r"""Read a basic transcription of EXMARaLDA, or a folder of them; a file is an instance.

    Tracks are its tiers, by their display names. Points of the timeline without a time are spread
    evenly between those that have one.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "talk.exb"
    >>> times = '<tli id="T0" time="0"/><tli id="T1" time="1.5"/>'
    >>> tier = '<tier id="A" display-name="ann"><event start="T0" end="T1">nods</event></tier>'
    >>> body = f"<basic-body><common-timeline>{times}</common-timeline>{tier}</basic-body>"
    >>> _ = path.write_text(f"<basic-transcription>{body}</basic-transcription>")
    >>> read_exmaralda(path)[0].to_lists()
    [[('nods', 0.0, 1.5)]]
    """
    for file in files:
        root = parse_xml(file)
        if root.tag != ROOT:
            raise DataError(
                f"{file.prefix}the file begins with <{printable(root.tag)}>, not with <{ROOT}>; "
                "save it as a basic transcription (.exb)"
            )
        times = _timeline(root, file.prefix)
        tiers = root.findall("basic-body/tier")
        taken: dict[str, int] = {}
        annotations = []
        for tier in tiers:
            name = tier.get("display-name") or tier.get("category") or tier.get("id") or "tier"
            taken[name] = taken.get(name, 0) + 1
            track = name if taken[name] == 1 else f"{name} ({taken[name]})"
            for number, event in enumerate(tier.iterfind("event"), 1):
                place = f"tier {quote(track)}, event {number}"
                start, end = (_time(event, side, times, file.prefix, place) for side in SIDES)
                text = "".join(event.itertext()).strip()
                annotations.append(Annotation(track, text, start, end, place))
        yield Recording(file.name, annotations)


SIDES = ("start", "end")


def _time(event: Element, side: str, times: Mapping[str, float], prefix: str, place: str) -> float:
    point = event.get(side, "")
    if point not in times:
        raise DataError(
            f"{prefix}{place}: its {side} is {quote(point)}, which has no time on the timeline; "
            "give it one in the Partitur Editor"
        )
    return times[point]


def _timeline(root: Element, prefix: str) -> dict[str, float]:
    """Times of the points of the timeline, those without one spread between their neighbours."""
    points = [
        (point.get("id", ""), point.get("time"))
        for point in root.iterfind("basic-body/common-timeline/tli")
    ]
    known: list[tuple[int, float]] = []
    for place, (name, text) in enumerate(points):
        time = None if text is None else as_number(text)
        if text is not None and time is None:
            raise DataError(f"{prefix}point {quote(name)} is at {quote(text)}, not at a number")
        if time is not None:
            known.append((place, time))
    times = {points[place][0]: time for place, time in known}
    for (left, first), (right, last) in pairwise(known):
        for place in range(left + 1, right):
            times[points[place][0]] = first + (last - first) * (place - left) / (right - left)
    return times
