"""Bento and MARS: bouts of behaviours, channel by channel (.annot)."""

import re
from collections.abc import Iterator, Sequence

from ibgn._files import InputFile
from ibgn.checks import as_number
from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader
from ibgn.text import quote

__all__ = ["read_bento"]

FIRST = "bento annotation file"
CHANNEL = re.compile(r"(\S.*?)-{3,}\s*")
RATE = re.compile(r"annotation framerate:\s*(\S+)\s*", re.IGNORECASE)
NEAR = 1e-3  # of a frame, by which times that are written with some digits may miss it

Bout = tuple[str, str, float, float, float | None, int]  # channel, behaviour, times and line


def _sniff(head: Head) -> float:
    """Tell annotations by their first line."""
    return CERTAIN if head.lines and head.lines[0].strip().lower() == FIRST else 0.0


@reader("bento", (".annot",), about="Bento and MARS", unit="s", sniff=_sniff)
def read_bento(files: Files) -> Iterator[Recording]:
    r"""Read annotations of Bento, or a folder of them; a file is an instance.

    Tracks are the channels, and behaviours the actions. Bento counts the last frame of a bout to
    it: where the durations in the file say so, bouts end with that frame.

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
    for file in files:
        lines = file.lines()
        bouts = list(_bouts(file, lines))
        rates = [as_number(match[1]) for line in lines if (match := RATE.fullmatch(line.strip()))]
        rate = next((each for each in rates if each is not None and each > 0), None)
        frame = _last_frame(bouts, rate)
        annotations = []
        for channel, behaviour, start, stop, _, line in bouts:
            times = _on_frames(start, rate), _on_frames(stop, rate, frame)
            annotations.append(Annotation(channel, behaviour, *times, f"line {line}"))
        yield Recording(file.name, annotations)


def _bouts(file: InputFile, lines: Sequence[str]) -> Iterator[Bout]:
    """Bouts below the names of their channel and behaviour."""
    channel, behaviour = "", None
    for number, text in enumerate(lines, 1):
        line = text.strip()
        if found := CHANNEL.fullmatch(line):
            channel, behaviour = found[1].strip(), None
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


def _last_frame(bouts: Sequence[Bout], rate: float | None) -> int:
    """1 where durations count the last frame of a bout, else 0."""
    if rate is None:
        return 0
    over = [length - (stop - start) for _, _, start, stop, length, _ in bouts if length is not None]
    counted = [abs(more * rate - 1) < 0.1 for more in over]
    return int(bool(over) and sum(counted) > len(over) / 2)


def _on_frames(time: float, rate: float | None, more: int = 0) -> float:
    """Time of the frame that is meant, exactly, so that bouts without a gap meet."""
    if rate is None:
        return time
    frame = round(time * rate)
    if abs(time * rate - frame) > max(NEAR, 1e-9 * abs(frame)):
        return time + more / rate
    return (frame + more) / rate
