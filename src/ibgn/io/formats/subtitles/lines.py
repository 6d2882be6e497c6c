"""Subtitles written line by line: SubRip and WebVTT, SBV, SubStation Alpha, lyrics (LRC)."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ibgn.io.formats.subtitles.cues import TIME, TRACK, Cue, LeaveOut, plain, seconds

__all__ = ["Form", "find_form"]

Form = Callable[[Sequence[str], LeaveOut], Iterator[Cue]]

ARROW = re.compile(rf"\s*{TIME}\s*-->\s*{TIME}(?:\s.*)?", re.ASCII)
COMMA = re.compile(rf"\s*{TIME},\s*{TIME}\s*".replace("[.,]", "[.]"), re.ASCII)
VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]++)>")
EVENT = re.compile(r"\s*(Dialogue|Comment)\s*:\s*(.*)", re.IGNORECASE)
COLUMNS = re.compile(r"\s*Format\s*:\s*(.*\bstart\b.*\bend\b.*\btext\b.*)", re.IGNORECASE)
USUAL = "layer,start,end,style,name,marginl,marginr,marginv,effect,text"
CLOCK = re.compile(rf"\s*{TIME}\s*", re.ASCII)
STAMPS = re.compile(r"\s*((?:\[\d{1,4}:\d{1,2}(?:[.:]\d{1,3})?\]\s*)+)(.*)", re.ASCII)
STAMP = re.compile(r"\[(\d{1,4}):(\d{1,2}(?:[.:]\d{1,3})?)\]", re.ASCII)
LENGTH = re.compile(rf"\s*\[length:\s*{TIME}\s*\]\s*", re.ASCII | re.IGNORECASE)
BREAKS = re.compile(r"\\[Nnh]")
OVERRIDES = re.compile(r"\{[^{}]*\}")


def find_form(lines: Sequence[str]) -> Form | None:
    """How these lines are written; None where they are no subtitles."""
    for line, after in pairwise([*lines, ""]):
        if ARROW.fullmatch(line):
            return lambda lines, _: _blocks(lines, ARROW)
        if COMMA.fullmatch(line) and "." in line and not COMMA.fullmatch(after):
            return lambda lines, _: _blocks(lines, COMMA)
        if EVENT.fullmatch(line):
            return _events if _spans(line) else None
    stamped = [line for line in lines if STAMPS.fullmatch(line)]
    return _lyrics if len(stamped) > 1 else None


def _spans(line: str) -> bool:
    """Whether two cells of an event are clocks."""
    return sum(bool(CLOCK.fullmatch(cell)) for cell in line.split(",")[1:4]) == 2


def _blocks(lines: Sequence[str], times: re.Pattern[str]) -> Iterator[Cue]:
    """A line with times, lines of text up to an empty one, and perhaps a number before them."""
    stripped = [line.strip() for line in lines]
    heads = [(n, match) for n, line in enumerate(stripped) if (match := times.fullmatch(line))]
    ends = [*(number for number, _ in heads[1:]), len(lines) + 1]
    for (number, match), after in zip(heads, ends, strict=True):
        text = " ".join(_text(stripped[number + 1 : after], is_last=after > len(lines)))
        voice = VOICE.search(text)
        track = voice[1].strip() if voice else TRACK
        start, end = seconds(*match.group(1, 2, 3)), seconds(*match.group(4, 5, 6))
        yield Cue(track, plain(text), start, end, f"line {number + 1}")


def _text(lines: list[str], is_last: bool) -> list[str]:
    """Lines of a text: up to an empty one, without the number of the next."""
    if "" in lines:
        return lines[: lines.index("")]
    if is_last or not lines or not lines[-1].isdecimal():
        return lines
    return lines[:-1]


def _events(lines: Sequence[str], leave_out: LeaveOut) -> Iterator[Cue]:
    """Dialogues of SubStation Alpha; the last of their columns is the text, also with commas."""
    columns = USUAL.split(",")
    for number, line in enumerate(lines, 1):
        named, event = COLUMNS.fullmatch(line), EVENT.fullmatch(line)
        if named:
            columns = [name.strip().casefold() for name in named[1].split(",")]
        if not event:
            continue
        if event[1].casefold() == "comment":
            leave_out("comment", " left out")
            continue
        cells = dict(zip(columns, event[2].split(",", len(columns) - 1), strict=False))
        both = [CLOCK.fullmatch(cells.get(side, "")) for side in ("start", "end")]
        if both[0] is None or both[1] is None:
            leave_out("line", " without two times left out")
            continue
        said = plain(OVERRIDES.sub("", BREAKS.sub(" ", cells.get("text", ""))))
        track = cells.get("name", cells.get("actor", "")).strip() or TRACK
        start, end = seconds(*both[0].groups()), seconds(*both[1].groups())
        yield Cue(track, said, start, end, f"line {number}")


def _lyrics(lines: Sequence[str], leave_out: LeaveOut) -> Iterator[Cue]:
    """Lines of songs, each with one time or more when it is sung; an empty one ends the others."""
    sung: list[tuple[float, str, int]] = []
    end = None
    for number, line in enumerate(lines, 1):
        stamped, length = STAMPS.fullmatch(line), LENGTH.fullmatch(line)
        if length:
            end = seconds(*length.groups())
        if stamped:
            for minutes, rest in STAMP.findall(stamped[1]):
                time = seconds(None, minutes, rest.replace(":", "."))
                sung.append((time, plain(stamped[2]), number))
    sung.sort(key=lambda each: each[0])
    last = sung[-1]
    if end is not None and end > last[0]:
        sung.append((end, "", 0))
    elif last[1]:
        leave_out("line", " left out, the last one, as nothing says when it ends")
    for (start, text, number), (after, _, _) in pairwise(sung):
        if text:
            yield Cue(TRACK, text, start, after, f"line {number}")
