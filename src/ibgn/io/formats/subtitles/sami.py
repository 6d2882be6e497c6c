"""Subtitles of SAMI, which are written like HTML: a text is shown until the next one comes."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ibgn.io.formats.subtitles.cues import TRACK, Cue, LeaveOut, plain

__all__ = ["is_sami", "parse_sami"]

ROOT = re.compile(r"\s*<sami\b", re.IGNORECASE)
SYNC = re.compile(r"<sync\b[^<>]*?\bstart\s*=\s*[\"']?\s*([0-9]{1,12})[^<>]*>", re.IGNORECASE)
CLASS = re.compile(r"<p\b[^<>]*?\bclass\s*=\s*[\"']?([\w-]+)[^<>]*>", re.IGNORECASE)
BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)


def is_sami(text: str) -> bool:
    """Whether a document is one of SAMI."""
    return bool(ROOT.match(text))


def parse_sami(text: str, leave_out: LeaveOut) -> Iterator[Cue]:
    """Texts of each language, which is the track where there are several."""
    shown: dict[str, list[tuple[float, str]]] = {}
    before, *commented = text.split("<!--")
    pieces = SYNC.split(before + "".join(each.partition("-->")[2] for each in commented))
    for start, content in zip(pieces[1::2], pieces[2::2], strict=True):
        first, *paragraphs = CLASS.split(content)
        named = [*zip(paragraphs[::2], paragraphs[1::2], strict=True)] or [("", first)]
        for name, said in named:
            line = plain(BREAK.sub(" ", said))
            shown.setdefault(name, []).append((int(start) / 1000, line))
    for name, texts in shown.items():
        track = name if len(shown) > 1 else TRACK
        for (start, said), (end, _) in pairwise(texts):
            if said:
                yield Cue(track, said, start, end, f"text at {start:g} s")
        if texts[-1][1]:
            leave_out("text", " left out, the last one, as nothing says when it ends")
