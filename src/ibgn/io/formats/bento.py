"""Bento, MARS and the Caltech Behavior Annotator: bouts of behaviours, channel by channel."""

import math
import re
from collections.abc import Iterator, Sequence

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.parsing.time import check_steps
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_bento"]

FIRST = "bento annotation file"
CALTECH = "caltech behavior annotator"  # the older program, whose bouts are ranges of frames
STREAM = re.compile(r"(\S+):\s+start\s+end\s+type", re.IGNORECASE)
RULE = re.compile(r"-{3,}")
UNDERLINED = "---"  # what ends the name of a channel, at least
RATE = re.compile(r"annotation framerate:\s*(\S+)\s*", re.IGNORECASE)
NEAR = 1e-3  # of a frame, by which times that are written with some digits may miss it

Bout = tuple[str, str, float, float, float | None, int]  # channel, behaviour, times and line


def _sniff(head: Head) -> float:
    """Tell annotations by their first line."""
    return (
        CERTAIN
        if head.lines and head.lines[0].strip().lower().startswith((FIRST, CALTECH))
        else 0.0
    )


@reader(
    "bento", (".annot",), also=(".txt",), about="Bento, MARS and CRIM13", unit="s", sniff=_sniff
)
def read_bento(files: Files, *, rate: float | None = None) -> Iterator[Recording]:
    r"""Read annotations of Bento, or a folder of them; a file is an instance.

    Tracks are the channels, and behaviours the actions. Bento counts the last frame of a bout to
    it: where the durations in the file say so, bouts end with that frame. The older Caltech
    Behavior Annotator has ranges of frames, which include the last.

    Parameters
    ----------
    rate : frames per second of files that do not say it; by default their times are frame numbers

    Returns
    -------
    X : the instances, by the names of their files; times in seconds
    y : (n,) one activity per instance, or None

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mouse.annot"
    >>> head = "Bento annotation file\nAnnotation framerate: 10\n\nCh1----------\n"
    >>> _ = path.write_text(f"{head}>sniff\nStart\tStop\tDuration\n0.5\t0.9\t0.5\n1\t1\t0.1\n")
    >>> read_bento(path)[0].to_lists()
    [[('sniff', 0.5, 1.0), ('sniff', 1.0, 1.1)]]
    """
    check_steps(rate, None)
    for file in files:
        lines = file.lines()
        if lines and lines[0].strip().lower().startswith(CALTECH):
            yield Recording(file.name, list(_ranges(file, lines, rate or 1.0)))
            continue
        bouts = list(_bouts(file, lines))
        rates = [as_number(match[1]) for line in lines if (match := RATE.fullmatch(line.strip()))]
        own = next((each for each in rates if each is not None and 0 < each < math.inf), rate)
        frame = _last_frame(bouts, own)
        annotations = []
        for channel, behaviour, start, stop, _, line in bouts:
            times = _on_frames(start, own), _on_frames(stop, own, frame)
            annotations.append(Annotation(channel, behaviour, *times, f"line {line}"))
        yield Recording(file.name, annotations)


def _bouts(file: InputFile, lines: Sequence[str]) -> Iterator[Bout]:
    """Bouts below the names of their channel and behaviour."""
    channel, behaviour = "", None
    for number, text in enumerate(lines, 1):
        line = text.strip()
        if line.endswith(UNDERLINED) and line.strip("-"):
            channel, behaviour = line.rstrip("-").strip(), None
        elif line.startswith(">"):
            behaviour = line[1:].strip()
        elif line and behaviour is not None and not line.lower().startswith("start"):
            times = [as_number(cell) for cell in line.split()]
            if len(times) < 2 or None in times[:2]:
                raise DataError(
                    f"{file.prefix}line {number} is {quote(line)}; a bout has a start, a stop and "
                    "a duration"
                )
            start, stop, *length = times
            yield channel, behaviour, start or 0.0, stop or 0.0, (length or [None])[0], number


def _ranges(file: InputFile, lines: Sequence[str], rate: float) -> Iterator[Annotation]:
    """Bouts of the streams S1, S2, ..., by their first and last frame."""
    stream = None
    for number, line in enumerate(map(str.strip, lines), 1):
        named = STREAM.fullmatch(line)
        if named is not None:
            stream = named[1]
        elif stream is not None and line and not RULE.fullmatch(line):
            first, last, behaviour = (*line.split(None, 2), "", "", "")[:3]
            frames = [as_number(first), as_number(last)]
            if None in frames or not behaviour:
                raise DataError(
                    f"{file.prefix}line {number} is {quote(line)}; a bout has its first and last "
                    "frame, and a behaviour"
                )
            start, end = (frame or 0.0 for frame in frames)
            yield Annotation(stream, behaviour, start / rate, (end + 1) / rate, f"line {number}")


def _last_frame(bouts: Sequence[Bout], rate: float | None) -> int:
    """1 where durations count the last frame of a bout, else 0."""
    if rate is None:
        return 0
    over = [length - (stop - start) for _, _, start, stop, length, _ in bouts if length is not None]
    counted = [abs(more * rate - 1) < 0.1 for more in over]
    return int(bool(over) and sum(counted) > len(over) / 2)


def _on_frames(time: float, rate: float | None, more: int = 0) -> float:
    """Time of the frame that is meant, exactly, so that bouts without a gap meet."""
    if rate is None or not math.isfinite(time * rate):
        return time
    frame = round(time * rate)
    if abs(time * rate - frame) > max(NEAR, 1e-9 * abs(frame)):
        return time + more / rate
    return (frame + more) / rate
