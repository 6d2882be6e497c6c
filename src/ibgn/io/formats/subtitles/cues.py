"""What all forms of subtitles share: cues, clocks, and text without its markup."""

import html
import re
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["TIME", "TRACK", "Cue", "LeaveOut", "plain", "seconds"]

TRACK = "subtitles"
TIME = r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:[.,]\d{1,9})?)"
MARKUP = re.compile(r"</?[a-z][^<>]*>|\{\\[^{}]*\}|<\d[\d:.]*>", re.IGNORECASE)

LeaveOut = Callable[..., None]  # takes a noun, and what is said of so many


class Cue(NamedTuple):
    """A text with its times in seconds, on a track; `place` names it in messages."""

    track: str
    text: str
    start: float
    end: float
    place: str


def plain(text: str) -> str:
    """Text without markup, on one line."""
    return " ".join(html.unescape(MARKUP.sub("", text)).split())


def seconds(hours: str | None, minutes: str, rest: Any) -> float:
    """Seconds of a clock, the parts of which `TIME` finds."""
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(str(rest).replace(",", "."))
