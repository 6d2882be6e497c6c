"""Subtitles whose times are frames: MicroDVD, and SubRip as 00:00:02:10; MPL2 has tenths."""

import re
from collections.abc import Iterator, Sequence

from ibgn.checks import as_number
from ibgn.errors import DataError, Option
from ibgn.io.formats.subtitles.cues import TRACK, Cue, plain

__all__ = ["FRAMED", "find_numbered", "frame_rate", "numbered", "to_clocks"]

NUMBERED = {
    "frames": re.compile(r"\s*\{([0-9]{1,9})\}\s*\{([0-9]{1,9})\}(.*)", re.ASCII),
    "tenths": re.compile(r"\s*\[([0-9]{1,9})\]\s*\[([0-9]{1,9})\](.*)", re.ASCII),
}
CODES = re.compile(r"\{[a-z]:[^{}]*\}|(?<=\|)/|^/", re.IGNORECASE)
FRAME = r"([0-9]{1,4}:[0-9]{2}:[0-9]{2})[:;]([0-9]{2,3})"
FRAMED = re.compile(rf"\s*{FRAME}\s*-->\s*{FRAME}\s*", re.ASCII)
USUAL = (25, 30, 50, 60, 100)  # frames per second


def find_numbered(lines: Sequence[str]) -> re.Pattern[str] | None:
    """How lines with two numbers and a text are written; None where they are something else."""
    filled = [line for line in lines if line.strip()]
    fitting = (each for each in NUMBERED.values() if all(map(each.fullmatch, filled)))
    return next(fitting, None) if filled else None


def numbered(
    lines: Sequence[str], times: re.Pattern[str], rate: float | None, prefix: str
) -> Iterator[Cue]:
    """Lines as {10}{35}text; a first text that is a number is the frames per second."""
    found = [(n, match) for n, line in enumerate(lines, 1) if (match := times.fullmatch(line))]
    if times is NUMBERED["tenths"]:
        rate = 10.0
    else:
        said = as_number(found[0][1][3].strip())
        found = found if said is None else found[1:]
        rate = rate or said
    if not rate:
        raise DataError(
            f"{prefix}times are frames, and no line says how many there are in a second; give ",
            Option("rate"),
        )
    for number, (start, end, text) in ((n, match.groups()) for n, match in found):
        said_text = plain(CODES.sub("", text).replace("|", " "))
        yield Cue(TRACK, said_text, int(start) / rate, int(end) / rate, f"line {number}")


def frame_rate(lines: Sequence[str], rate: float | None, prefix: str) -> float:
    """Frames per second of clocks that end in frames."""
    if rate is not None:
        return rate
    seen = [
        int(frame) for match in map(FRAMED.fullmatch, lines) if match for frame in match.group(2, 4)
    ]
    likely = next((each for each in USUAL if each > max(seen)), max(seen) + 1)
    raise DataError(
        f"{prefix}times end in frames, as 00:00:02:10, and no line says how many there are in a "
        "second; give ",
        Option("rate", likely),
    )


def to_clocks(lines: Sequence[str], rate: float) -> list[str]:
    """Lines of SubRip with fractions of a second in place of frames."""

    def convert(line: str) -> str:
        match = FRAMED.fullmatch(line)
        if match is None:
            return line
        first, frame, last, after = match.groups()
        return f"{_clock(first, frame, rate)} --> {_clock(last, after, rate)}"

    return [convert(line) for line in lines]


def _clock(clock: str, frame: str, rate: float) -> str:
    hours, minutes, seconds = clock.split(":")
    return f"{hours}:{minutes}:{int(seconds) + int(frame) / rate:.9f}"
