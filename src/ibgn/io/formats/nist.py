"""Speech as NIST has it scored: speakers (RTTM), words (CTM), sentences (STM), regions (UEM)."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader
from ibgn.text import printable, quote

__all__ = ["read_nist"]

COMMENT = (";;", "#")
MISSING = "<NA>"
# first words of lines of RTTM, and those of them that have no length
KINDS = frozenset(
    re.findall(
        r"\S+",
        "SEGMENT NOSCORE NO_RT_METADATA LEXEME NON-LEX NON-SPEECH FILLER EDIT IP SU CB A/P SPEAKER "
        "SPKR-INFO",
    )
)
NO_INTERVALS = frozenset({"SPKR-INFO", "IP", "CB", "A/P"})
IGNORED = ("ignore_time_segment_in_scoring", "inter_segment_gap")
REGION = "region"
LOOKED_AT = 50  # lines


class Line(NamedTuple):
    """What a line says: of which recording, on which track, and from when to when."""

    recording: str
    track: str
    value: str
    start: float
    end: float


def _rttm(words: Sequence[str]) -> Line | None:
    """Line of RTTM: type, file, channel, start, length, words, subtype, speaker."""
    if len(words) < 8 or words[0] not in KINDS:
        return None
    kind, file, _, start, length, said, subtype, speaker = words[:8]
    value = {"SPEAKER": speaker, "LEXEME": said}.get(kind, subtype)
    track = speaker if kind == "LEXEME" and speaker != MISSING else kind
    return _lasting(file, track, kind if value == MISSING else value, start, length)


def _ctm(words: Sequence[str]) -> Line | None:
    """Line of CTM: file, channel, start, length, word, and perhaps how sure it is."""
    if len(words) < 5:
        return None
    return _lasting(words[0], words[1], words[4], words[2], words[3])


def _stm(words: Sequence[str]) -> Line | None:
    """Line of STM: file, channel, speaker, start, end, perhaps labels in <...>, and the text."""
    if len(words) < 5:
        return None
    said = words[6:] if len(words) > 5 and words[5].startswith("<") else words[5:]
    start, end = (as_number(word) for word in words[3:5])
    if start is None or end is None:
        return None
    return Line(words[0], words[2], " ".join(said), start, end)


def _uem(words: Sequence[str]) -> Line | None:
    """Line of UEM: file, channel, start and end of a region."""
    start, end = (as_number(word) for word in words[2:4]) if len(words) == 4 else (None, None)
    return None if start is None or end is None else Line(words[0], words[1], REGION, start, end)


def _lasting(file: str, track: str, value: str, start: str, length: str) -> Line | None:
    begin, lasts = as_number(start), as_number(length)
    return (
        None if begin is None or lasts is None else Line(file, track, value, begin, begin + lasts)
    )


Form = Callable[[Sequence[str]], Line | None]
FORMS: dict[str, Form] = {
    ".rttm": _rttm,
    ".ctm": _ctm,
    ".stm": _stm,
    ".uem": _uem,
}

CONFIDENCE: dict[Form, int] = {_rttm: 8, _ctm: 5}  # column with how sure a recogniser is


def _sniff(head: Head) -> float:
    """Tell the file by its suffix and lines that fit; speakers also by their first words."""
    lines = [words for _, words in _filled(head.lines[:LOOKED_AT])]
    if not lines:
        return 0.0
    if all(words[0] in KINDS for words in lines):
        return CERTAIN
    parse = FORMS.get(head.suffix)
    return CERTAIN if parse and all(parse(words) or "*" in words for words in lines) else 0.0


@reader(
    "nist",
    tuple(FORMS),
    also=(".txt",),
    about="RTTM, CTM, STM and UEM",
    unit="s",
    sniff=_sniff,
)
def read_nist(files: Files) -> Iterator[Recording]:
    r"""Read what evaluations of speech are scored by; each recording that a file names is one here.

    Actions of RTTM are speakers, or words on the track of who says them; of CTM words, on the track
    of their channel; of STM sentences, on the track of who says them; of UEM regions to be scored.

    Returns
    -------
    X : the instances, by the names of the recordings; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "meeting.rttm"
    >>> _ = path.write_text("SPEAKER m1 1 0.5 2.0 <NA> <NA> ann <NA> <NA>\n")
    >>> read_nist(path)[0].to_lists()
    [[('ann', 0.5, 2.5)]]
    """
    for file in files:
        notes: dict[str, list[Annotation]] = {}
        for number, line in _lines(file, files):
            name = f"{file.name}#{line.recording}" if len(files) > 1 else line.recording
            note = Annotation(line.track, line.value, line.start, line.end, f"line {number}")
            notes.setdefault(name, []).append(note)
        if not notes:
            raise DataError(f"{file.prefix}no line has a start and an end")
        yield from (Recording(name, each) for name, each in notes.items())


def _lines(file: InputFile, files: Files) -> Iterator[tuple[int, Line]]:
    rows = list(_filled(file.lines()))
    form = FORMS.get(file.path.suffix.lower(), _rttm)
    if rows and all(words[0] in KINDS for _, words in rows):
        form = _rttm
    for number, words in rows:
        line = form(words)
        if line is None and words[0] in NO_INTERVALS:
            files.leave_out(f" {words[0]}, which has no length, left out", noun="line")
        elif line is None and "*" in words:
            files.leave_out(" of alternative words, without times, left out", noun="line")
        elif line is None:
            raise DataError(
                f"{file.prefix}line {number} is {quote(printable(' '.join(words)))}, without the "
                "columns that others have; correct it"
            )
        elif line.value.casefold() in IGNORED:
            files.leave_out(" that scoring ignores left out", noun="segment")
        else:
            place = CONFIDENCE.get(form)
            if place is not None and len(words) > place and words[place] not in (MISSING, "NA"):
                files.leave_out(": how sure a recogniser is of it is not read", noun="line")
            yield number, line


def _filled(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Words of lines that are neither empty nor comments, with their numbers."""
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith(COMMENT):
            yield number, line.split()
