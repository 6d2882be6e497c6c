"""Subtitles: texts with times, as SubRip and WebVTT have them (.srt, .vtt)."""

import html
import re
from collections.abc import Iterator

from ibgn.errors import DataError
from ibgn.io.annotations import Annotation, Recording
from ibgn.io.files import Files
from ibgn.io.head import CERTAIN, Head
from ibgn.io.registry import reader

__all__ = ["read_subtitles"]

TRACK = "subtitles"
TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)"
CUE = re.compile(rf"\s*{TIME}\s*-->\s*{TIME}(?:\s.*)?", re.ASCII)
VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?\s++([^<>]++)>")
MARKUP = re.compile(r"</?[a-z][^<>]*>|\{\\[^{}]*\}|<\d[\d:.]*>", re.IGNORECASE)


def _sniff(head: Head) -> float:
    """Tell subtitles by the arrow between times."""
    return CERTAIN if any(CUE.fullmatch(line) for line in head.lines[:50]) else 0.0


@reader(
    "subtitles",
    (".srt", ".vtt"),
    also=(".txt",),
    about="SubRip and WebVTT",
    unit="s",
    unnamed=TRACK,
    sniff=_sniff,
)
def read_subtitles(files: Files) -> Iterator[Recording]:
    r"""Read subtitles, or a folder of them; a file is an instance, and the text is the action.

    The track is who speaks, where WebVTT says so (<v Mary>), and otherwise "subtitles". Markup is
    left out.

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
    for file in files:
        lines = [line.strip() for line in file.lines()]
        cues = [(n, match) for n, line in enumerate(lines) if (match := CUE.fullmatch(line))]
        if not cues:
            raise DataError(
                f"{file.prefix}there is no line with two times, as 00:00:01,500 --> 00:00:04,000"
            )
        ends = [*(number for number, _ in cues[1:]), len(lines) + 1]
        annotations = []
        for (number, match), after in zip(cues, ends, strict=True):
            text = " ".join(_text(lines[number + 1 : after], is_last=after > len(lines)))
            voice = VOICE.search(text)
            track = voice[1].strip() if voice else TRACK
            start, end = _seconds(*match.group(1, 2, 3)), _seconds(*match.group(4, 5, 6))
            said = html.unescape(MARKUP.sub("", text)).strip()
            annotations.append(Annotation(track, said, start, end, f"line {number + 1}"))
        yield Recording(file.name, annotations)


def _text(lines: list[str], is_last: bool) -> list[str]:
    """Lines of a text: up to an empty one, without the number of the next."""
    if "" in lines:
        return lines[: lines.index("")]
    return lines if is_last else lines[:-1]


def _seconds(hours: str | None, minutes: str, seconds: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
