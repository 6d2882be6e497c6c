"""Lists of proposals: for each video its segments, and what was proposed for a network to judge."""

import re
from collections.abc import Iterator, Sequence

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.time import check_steps
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_ssn"]

TRACK = "segments"
BEGIN = re.compile(r"\s*#\s*[0-9]{0,15}\s*", re.ASCII)
COUNT = re.compile(r"\s*[0-9]{1,9}\s*", re.ASCII)
NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,12})?"
SEGMENT = re.compile(rf"\s*(\S{{1,200}})\s+({NUMBER})\s+({NUMBER})\s*", re.ASCII)
HEAD = 4  # lines of a video before those of its segments: its name, length, step, and how many


def _sniff(head: Head) -> float:
    """Tell the list by its first video, whose segments are counted."""
    begins = bool(head.lines) and BEGIN.fullmatch(head.lines[0])
    lines = head.lines[1 : HEAD + 2]
    counted = len(lines) > HEAD and all(map(_is_number, lines[1:HEAD]))
    return CERTAIN if begins and counted and not _is_number(lines[0]) else 0.0


def _is_number(line: str) -> bool:
    return bool(re.fullmatch(rf"\s*{NUMBER}\s*", line, re.ASCII))


@reader(
    "ssn",
    also=(".txt",),
    about="lists of proposals for SSN",
    unit="frames",
    unnamed=TRACK,
    sniff=_sniff,
)
def read_ssn(files: Files, *, rate: float | None = None) -> Iterator[Recording]:
    r"""Read lists of proposals for networks that find actions, such as SSN; a video is an instance.

    The lines of a video are "# 0", its name, how many frames it has, a step, the number of its
    segments, the segments as "3 10 25" (class, start and end), the number of proposals, and the
    proposals. These are left out, with a count. The numbers of classes are the actions.

    Parameters
    ----------
    rate : frames per second; by default times are frame numbers

    Returns
    -------
    X : the videos
    y : (n,) one activity per video, or None

    Examples
    --------
    >>> import tempfile, pathlib, warnings
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "list.txt"
    >>> _ = path.write_text("# 0\ntea_01\n90\n1\n1\n3 10 25\n1\n3 0.8 0.9 11 25\n")
    >>> with warnings.catch_warnings(action="ignore"):  # of proposals
    ...     X, y = read_ssn(path)
    >>> X
    IntervalSequences: 1 instance, 1 interval, 1 action
      tea_01: 3 [10, 25)
    """
    check_steps(rate, None)
    for file in files:
        for lines in _videos(file):
            if len(lines) < 2 or not BEGIN.fullmatch(lines[0][1]):
                raise DataError(
                    f"{file.prefix}line {lines[0][0]}: a video is '# 0', its name, its length, a "
                    "step, and the number of its segments, on lines of their own"
                )
            name = lines[1][1].strip()
            notes = list(_segments(lines[2:], rate or 1.0, file, files))
            yield Recording(f"{file.name}#{name}" if len(files) > 1 else name, notes)


def _videos(file: InputFile) -> Iterator[list[tuple[int, str]]]:
    """Lines of each video, with their numbers."""
    own: list[tuple[int, str]] = []
    for number, line in enumerate(file.lines(), 1):
        if BEGIN.fullmatch(line):
            if own:
                yield own
            own = []
        if line.strip():
            own.append((number, line))
    if own:
        yield own


def _segments(
    lines: Sequence[tuple[int, str]], rate: float, file: InputFile, files: Files
) -> Iterator[Annotation]:
    """Segments of a video, which are counted after its length and step."""
    number = _count(lines, HEAD - 2, file)
    rows = lines[HEAD - 1 : HEAD - 1 + number]
    if len(rows) < number:
        where = f"line {lines[-1][0]}" if lines else "the end"
        raise DataError(f"{file.prefix}{where}: {number} segments are announced, and fewer follow")
    for at, line in rows:
        row = SEGMENT.fullmatch(line)
        if row is None:
            raise DataError(
                f"{file.prefix}line {at} is {quote(line)}; a segment is a class, a start and an "
                "end, as '3 10 25'"
            )
        yield Annotation(TRACK, row[1], float(row[2]) / rate, float(row[3]) / rate, f"line {at}")
    proposed = max(len(lines) - HEAD - number, 0)
    files.leave_out(": not annotated, left out", noun="proposal", number=proposed)


def _count(lines: Sequence[tuple[int, str]], place: int, file: InputFile) -> int:
    if len(lines) <= place or not COUNT.fullmatch(lines[place][1]):
        at, line = lines[min(place, len(lines) - 1)] if lines else (0, "")
        raise DataError(
            f"{file.prefix}line {at} is {quote(line)}; the number of segments is needed there, "
            "after the name of a video, its length and a step"
        )
    return int(lines[place][1])
