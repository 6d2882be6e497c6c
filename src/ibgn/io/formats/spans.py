"""Text with a start and an end in each line: [00:01.5 --> 00:04.0] good morning."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import POSSIBLE, Head
from ibgn.io.parsing.moments import as_clock, as_plain_number, kind_of
from ibgn.io.parsing.time import as_seconds
from ibgn.io.registry import reader

__all__ = ["read_spans"]

LONGEST = 1000  # characters of a line in which times are looked for
LEAST = 2  # lines with times
MOST = 0.5  # share of the lines that have times, where these are whole numbers
FEW = 0.1  # share of the lines that have times, at least
MORE = 0.15  # than a table, which any text may be
TRACK = "spans"
CLOCK = r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?"
NUMBER = r"\d{1,12}(?:\.\d{1,9})? ?s?"
DATE = r"\d{4}-\d{2}-\d{2}(?: [^\W\d]{2,4}\.?)?[ T]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,6})?Z?"
COMPACT = r"\d{8}T\d{6}Z?"  # as Timewarrior writes it
TO = r" {0,2}(?:-{1,2}>|-{1,3}|–|—|to|\.\.) {0,2}"
WITHIN = r" {0,2}(?:-{1,2}>|-{1,3}|–|—|to|,|\.\.) {0,2}"  # between brackets
MARKED = re.compile(
    rf"(?<![\w\"',;=:(\[{{])[\[(<] {{0,2}}(?P<a>{DATE}|{CLOCK}|{NUMBER})(?:{WITHIN}|\]{TO}\[)"
    rf"(?P<b>{DATE}|{CLOCK}|{NUMBER}) {{0,2}}[\])>]",
    re.ASCII,
)
BARE = re.compile(
    rf"(?:[a-z]{{0,8}}) {{0,2}}(?P<a>{DATE}|{COMPACT}|{CLOCK}){TO}"
    rf"(?P<b>{DATE}|{COMPACT}|{CLOCK})(?=[\s:]|\Z)",
    re.ASCII,
)
TURN = re.compile(
    r"\s{0,9}(?P<a>\d{1,6}\.\d{1,6}) (?P<b>\d{1,6}\.\d{1,6}) (?=[A-Z]\w{0,20}:)", re.ASCII
)
# "walking: 0.5-12", or "walking 0:05 - 0:12"
NAMED = re.compile(
    rf"(?P<name>[^\W\d][^:\t,\[\]<>]{{0,60}}?)(?:[:\t]| - )\s{{0,4}}"
    rf"(?P<a>{CLOCK}|{NUMBER}){TO}(?P<b>{CLOCK}|{NUMBER})",
    re.ASCII,
)
SPEAKER = re.compile(r"\[?([^\W\d][\w .'-]{0,30})(?:\]|:)(?=\s|\Z)")
WEEKDAY = re.compile(r"(?<=\d) [^\W\d]{2,4}\.?(?= \d)")
PACKED = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(Z?)", re.ASCII)
HEADING = re.compile(r"\*{1,9} +(?:[A-Z]{3,12} +)?(.{1,300})")


class Span(NamedTuple):
    """A line with its times, what stands before and after them, and the lines that follow."""

    number: int
    start: str
    end: str
    before: str
    cells: Sequence[str]
    below: list[str]


def _sniff(head: Head) -> float:
    """Tell the file by lines with two times, of which the second is not before the first."""
    lines = head.lines
    found = [match for line in lines if (match := _find(line)) is not None]
    if head.xml is not None or head.text.lstrip().startswith(("{", "[{", "[[")):  # JSON has lists
        return 0.0
    if len(found) < LEAST or len(found) < FEW * len(lines):
        return 0.0
    sure = sum(any(mark in match["a"] for mark in ":.T") for match in found)
    edges = all(m.start() == 0 or m.end() == len(m.string.rstrip()) for m in found)
    if sure < LEAST and not (edges and len(found) >= MOST * len(lines)):
        return 0.0  # [1, 2] may refer to something
    return POSSIBLE + MORE if all(map(_in_order, found)) else 0.0


@reader(
    "spans",
    also=(".txt", ".log", ".org", ".data"),
    about="text with times in its lines",
    sniff=_sniff,
)
def read_spans(files: Files) -> Iterator[Recording]:
    r"""Read text whose lines have a start and an end between marks; a file is an instance.

    Such lines are written by recognisers of speech, `[00:01.5 --> 00:04.0] good morning`, and by
    people: `1:05-1:30 mount the legs`. What follows the times is the action; if nothing does, it is
    the text in the lines below, or what stands before them. A name with a colon or in brackets,
    `[Ann]`, is who speaks, and a track. Where tabs divide what follows, the first part that recurs
    is the action, or else the last.

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "talk.txt"
    >>> _ = path.write_text("[0.5 - 2.0] Ann: good morning\n[2.5 - 3.0] Bob: tea?\n")
    >>> X, y = read_spans(path)
    >>> X.to_lists(), X.track.tolist()
    ([[('good morning', 0.5, 2.0), ('tea?', 2.5, 3.0)]], ['Ann', 'Bob'])
    """
    for file in files:
        spans = list(_spans(file))
        if not spans:
            raise DataError(
                f"{file.prefix}no line has a start and an end, [0.5 - 2.0] good morning"
            )
        texts = [_plain(time) for span in spans for time in (span.start, span.end)]
        places = [f"{file.prefix}line {span.number}" for span in spans for _ in range(2)]
        times = as_seconds(texts, places.__getitem__).tolist()
        cell = _telling_cell(spans)
        notes = []
        for span, start, end in zip(spans, times[::2], times[1::2], strict=True):
            who, what = _said(span, cell)
            notes.append(Annotation(who or TRACK, what, start, end, f"line {span.number}"))
        yield Recording(file.name, notes)


def _find(line: str) -> re.Match[str] | None:
    """Start and end in a line."""
    text = line[:LONGEST]
    if text.lstrip(" -").startswith("{"):  # of YAML, or of JSON
        return None
    plain = text.strip()
    return MARKED.search(text) or BARE.match(plain) or TURN.match(text) or NAMED.fullmatch(plain)


def _in_order(match: re.Match[str]) -> bool:
    start, end = _plain(match["a"]), _plain(match["b"])
    if kind_of(start) != kind_of(end):
        return False
    times = [as_plain_number(time) or as_clock(time) or 0.0 for time in (start, end)]
    return times[0] <= times[1]


def _plain(time: str) -> str:
    """Time without the day of the week, or the unit of seconds, and with marks in a date."""
    packed = PACKED.fullmatch(time)
    if packed is not None:
        year, month, day, hour, minute, second, zone = packed.groups()
        return f"{year}-{month}-{day} {hour}:{minute}:{second}{zone}"
    return WEEKDAY.sub("", time).removesuffix("s").strip()


def _spans(file: InputFile) -> Iterator[Span]:
    heading = ""
    current: Span | None = None
    for number, line in enumerate(file.lines(), 1):
        match = _find(line)
        if match is not None:
            if current is not None:
                yield current
            current = _span(number, line, match, heading)
        elif (title := HEADING.fullmatch(line)) is not None:
            heading = title[1].strip()
        elif current is not None and line.strip() and not heading:
            current.below.append(line.strip())
    if current is not None:
        yield current


def _span(number: int, line: str, match: re.Match[str], heading: str) -> Span:
    searched = line if match.re is MARKED else line.lstrip()
    before, after = searched[: match.start()], searched[match.end() :]
    if match.re is NAMED:
        before = match["name"]
    named = (heading or before).strip(" \t:-#|")
    cells = [] if heading else [cell.strip() for cell in after.strip(" \t:-#|").split("\t")]
    return Span(number, match["a"], match["b"], named, [cell for cell in cells if cell], [])


def _telling_cell(spans: Sequence[Span]) -> int | None:
    """Place of the first cell that recurs; None where lines have one cell or different numbers."""
    width = {len(span.cells) for span in spans}
    if len(width) > 1 or max(width) < LEAST:
        return None
    columns = list(zip(*(span.cells for span in spans), strict=True))
    named = [place for place, column in enumerate(columns) if not column[0][:1].isdigit()]
    recurring = [place for place in named if len({*columns[place]}) < len(spans)]
    return next(iter(recurring or named[::-1]), None)


def _said(span: Span, cell: int | None) -> tuple[str, str]:
    """Who speaks, if the line says so, and what went on."""
    if cell is not None:
        return "", span.cells[cell]
    text = " ".join(span.cells)
    speaker = SPEAKER.match(text)
    who, said = (speaker[1].strip(), text[speaker.end() :].strip()) if speaker else ("", text)
    said = said or " ".join(span.below)
    return (who, said) if said else ("", who or span.before)
