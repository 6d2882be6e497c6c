"""Subtitles: texts with times, in the formats of films, players, songs and video platforms."""

from collections.abc import Iterator

from ibgn._files import InputFile
from ibgn.errors import DataError, Part
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.formats.subtitles.cues import TRACK, Cue, LeaveOut
from ibgn.io.formats.subtitles.documents import is_json3, is_timed_text, parse_json3, parse_tree
from ibgn.io.formats.subtitles.framed import (
    FRAMED,
    find_numbered,
    frame_rate,
    numbered,
    to_clocks,
)
from ibgn.io.formats.subtitles.lines import find_form
from ibgn.io.formats.subtitles.sami import is_sami, parse_sami
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.json import parse_json
from ibgn.io.parsing.time import check_steps
from ibgn.io.parsing.xml import parse_xml
from ibgn.io.registry import reader

__all__ = ["read_subtitles"]

BEGINNING = 200  # lines in which the form of a file shows


def _sniff(head: Head) -> float:
    """Tell subtitles by how they write times, or by the root of a document."""
    if is_sami(head.text):
        return CERTAIN
    if head.xml is not None:
        return CERTAIN if is_timed_text(head.xml.tag, head.xml.tags) else 0.0
    if head.json is not None:
        return CERTAIN if is_json3(head.json) else 0.0
    lines = head.lines[:BEGINNING]
    is_framed = find_numbered(lines) or any(map(FRAMED.fullmatch, lines))
    return CERTAIN if is_framed or find_form(lines) else 0.0


@reader(
    "subtitles",
    (
        *(".srt", ".vtt", ".sbv", ".ass", ".ssa", ".lrc", ".ttml", ".dfxp", ".json3"),
        *(".sub", ".smi", ".sami"),
    ),
    also=(".txt", ".xml", ".json"),
    about="SubRip, WebVTT, SBV, SubStation Alpha, LRC, TTML, MicroDVD, SAMI, YouTube",
    unit="s",
    unnamed=TRACK,
    sniff=_sniff,
)
def read_subtitles(files: Files, *, rate: float | None = None) -> Iterator[Recording]:
    r"""Read subtitles, or a folder of them; a file is an instance, and the text is the action.

    The track is who speaks, where a file says so (<v Mary> of WebVTT, the name of SubStation Alpha,
    the agent of TTML), and otherwise "subtitles". Markup is left out. Words of TTML that have times
    of their own are annotations too, of the track "words". A line of lyrics (LRC), and a text of
    SAMI, lasts until the next one.

    Parameters
    ----------
    rate : frames per second, of files that have frames and do not say it: MicroDVD, whose lines are
        {10}{35}text, and SubRip with times as 00:00:02:10

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "film.srt"
    >>> _ = path.write_text("1\n00:00:01,500 --> 00:00:04,000\n<i>Good</i> morning\n")
    >>> read_subtitles(path)[0].to_lists()
    [[('Good morning', 1.5, 4.0)]]
    """
    check_steps(rate, None)
    for file in files:

        def leave_out(noun: str, *what: Part, number: int = 1) -> None:
            files.leave_out(*what, noun=noun, number=number)

        cues = list(_cues(file, leave_out, rate))
        yield Recording(file.name, [Annotation(*cue) for cue in cues])


def _cues(file: InputFile, leave_out: LeaveOut, rate: float | None) -> Iterator[Cue]:
    beginning = file.text().lstrip()
    if is_sami(beginning):
        return parse_sami(beginning, leave_out)
    if beginning.startswith("<"):
        return parse_tree(parse_xml(file), file.prefix)
    if beginning.startswith("{") and '"events"' in beginning:
        return parse_json3(parse_json(file), leave_out)
    lines = file.lines()
    in_frames = find_numbered(lines)
    if in_frames is not None:
        return numbered(lines, in_frames, rate, file.prefix)
    if any(map(FRAMED.fullmatch, lines)):
        lines = to_clocks(lines, frame_rate(lines, rate, file.prefix))
    form = find_form(lines)
    if form is None:
        raise DataError(
            f"{file.prefix}there is no line with times, as 00:00:01,500 --> 00:00:04,000 in SubRip"
        )
    return form(lines, leave_out)
