"""Transcriber: turns of speakers, cut by points of time (.trs)."""

from collections.abc import Iterator
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

__all__ = ["read_transcriber"]

NOBODY = "no speaker"


def _sniff(head: Head) -> float:
    """Tell a transcription by its root."""
    return CERTAIN if head.xml and head.xml.tag == "Trans" else 0.0


@reader("transcriber", (".trs",), also=(".xml",), about="Transcriber", unit="s", sniff=_sniff)
def read_transcriber(files: Files) -> Iterator[Recording]:
    r"""Read a transcription of Transcriber, or a folder of them; a file is an instance.

    Tracks are the speakers, and "no speaker"; each text between two points of time is an
    annotation. Sections are annotations of the track "section", by their type.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "news.trs"
    >>> turn = '<Turn startTime="0" endTime="2"><Sync time="0"/>good evening</Turn>'
    >>> section = f'<Section type="report" startTime="0" endTime="2">{turn}</Section>'
    >>> _ = path.write_text(f"<Trans><Episode>{section}</Episode></Trans>")
    >>> read_transcriber(path)[0].to_lists()
    [[('good evening', 0.0, 2.0), ('report', 0.0, 2.0)]]
    """
    for file in files:
        root = parse_xml(file)
        if root.tag != "Trans":
            raise DataError(
                f"{file.prefix}the file begins with <{printable(root.tag)}>, not with <Trans>; is "
                "it one of Transcriber?"
            )
        names = {
            speaker.get("id", ""): speaker.get("name") or speaker.get("id") or NOBODY
            for speaker in root.iterfind("Speakers/Speaker")
        }
        annotations = []
        for section in root.iterfind("Episode/Section"):
            start, end = _span(section, file.prefix, "a section")
            kind = section.get("type", "section")
            annotations.append(Annotation("section", kind, start, end, f"section {quote(kind)}"))
            for turn in section.iterfind("Turn"):
                who = [names.get(each, each) for each in turn.get("speaker", "").split()]
                annotations += _texts(turn, " + ".join(who) or NOBODY, file.prefix)
        yield Recording(file.name, annotations)


def _texts(turn: Element, speaker: str, prefix: str) -> Iterator[Annotation]:
    """Texts of a turn, from each point of time to the next."""
    start, end = _span(turn, prefix, f"a turn of {quote(speaker)}")
    cuts = [(start, turn.text or "")]
    for child in turn:
        if child.tag == "Sync":
            cuts.append((_number(child.get("time"), prefix, "a point"), child.tail or ""))
        else:
            time, text = cuts[-1]
            cuts[-1] = (time, f"{text} {child.tail or ''}")
    for (time, text), (after, _) in pairwise([*cuts, (end, "")]):
        if time < after and text.strip():
            place = f"turn of {quote(speaker)} at {time:g}"
            yield Annotation(speaker, " ".join(text.split()), time, after, place)


def _span(element: Element, prefix: str, what: str) -> tuple[float, float]:
    start, end = (_number(element.get(name), prefix, what) for name in ("startTime", "endTime"))
    return start, end


def _number(text: str | None, prefix: str, what: str) -> float:
    number = None if text is None else as_number(text)
    if number is None:
        raise DataError(f"{prefix}{what} has the time {quote(text)}; correct it in Transcriber")
    return number
