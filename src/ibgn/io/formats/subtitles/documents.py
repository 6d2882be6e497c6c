"""Subtitles as documents: TTML and DFXP, and what YouTube gives as XML and JSON."""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from ibgn.errors import DataError
from ibgn.io.formats.subtitles.cues import TRACK, Cue, LeaveOut, plain
from ibgn.io.parsing.json import Node
from ibgn.io.parsing.moments import as_clock
from ibgn.text import quote

__all__ = ["is_json3", "is_timed_text", "parse_json3", "parse_tree"]

WORDS = "words"  # track of words that have times of their own
OFFSET = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(h|m|s|ms|f|t)?", re.ASCII)
WITH_FRAMES = re.compile(r"([0-9]+:[0-9]{2}:[0-9]{2})[:;]([0-9]{1,3})", re.ASCII)
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
USUAL_RATE = 30.0  # frames per second of TTML that does not say it


def is_timed_text(root: str, tags: Collection[str]) -> bool:
    """Whether a document with this root and these tags holds subtitles."""
    return root == "tt" or (root in ("timedtext", "transcript") and bool({"p", "text"} & {*tags}))


def is_json3(document: Any) -> bool:
    """Whether a document has events as YouTube writes them."""
    events = document.get("events") if isinstance(document, dict) else None
    return isinstance(events, list) and any(
        isinstance(event, dict) and "tStartMs" in event for event in events
    )


def parse_json3(root: Node, leave_out: LeaveOut) -> Iterator[Cue]:
    """Events with text; one without a duration lasts until the next."""
    events = [event for event in root.child("events").items() if event.has("segs")]
    said = [(event, plain(_said(event))) for event in events]
    shown = [(event, text) for event, text in said if text]
    starts = [event.child("tStartMs").number() for event, _ in shown]  # in milliseconds
    times = zip_longest(starts, starts[1:])
    for (event, text), (start, after) in zip(shown, times, strict=True):
        length = event.first("dDurationMs")
        end = after if length is None else start + length.number()
        if end is None:
            leave_out("text", " left out, the last one, as nothing says when it ends")
        else:
            yield Cue(TRACK, text, start / 1000, end / 1000, event.path)


def _said(event: Node) -> str:
    parts = (part.first("utf8") for part in event.child("segs").items())
    return "".join(part.name() for part in parts if part is not None)


class _Units(NamedTuple):
    """Frames and ticks per second."""

    frames: float
    ticks: float


def parse_tree(root: Element, prefix: str) -> Iterator[Cue]:
    """Texts of a document of TTML, or of one of the two that YouTube has."""
    parse = _ttml if _local(root.tag) == "tt" else _youtube
    found = list(parse(root, prefix))
    if not found:
        raise DataError(f"{prefix}no text has a begin and an end, so there are no intervals")
    yield from found


def _youtube(root: Element, prefix: str) -> Iterator[Cue]:
    """Texts with a start and a duration, in seconds, or with `t` and `d` in milliseconds."""
    units = _Units(USUAL_RATE, 1.0)
    for number, element in enumerate(root.iter(), 1):
        for start, length, scale in (("start", "dur", 1.0), ("t", "d", 1000.0)):
            if _local(element.tag) in ("text", "p") and {start, length} <= {*element.keys()}:
                place = f"text {number}"
                begin, lasts = (
                    _time(element.get(name, ""), units, f"{prefix}{place}") / scale
                    for name in (start, length)
                )
                text = plain("".join(element.itertext()))
                if text:
                    yield Cue(TRACK, text, begin, begin + lasts, place)


def _ttml(root: Element, prefix: str) -> Iterator[Cue]:
    attributes = {_local(name): value for name, value in root.items()}
    rate = _number(attributes.get("frameRate"), USUAL_RATE)
    multiplier = [_number(part, 1.0) for part in attributes.get("frameRateMultiplier", "").split()]
    if len(multiplier) == 2 and multiplier[1]:
        rate *= multiplier[0] / multiplier[1]
    units = _Units(rate, _number(attributes.get("tickRate"), rate))
    names = _agents(root)
    body = next((element for element in root if _local(element.tag) == "body"), root)
    waiting: list[tuple[Element, float, float | None, str, bool]] = [
        (body, 0.0, None, TRACK, False)
    ]
    number = 0
    while waiting:
        element, begin, end, track, inside = waiting.pop()
        own = {_local(name): value for name, value in element.items()}
        track = names.get(own.get("agent", ""), own.get("agent", track))
        number += 1
        place = f"{_local(element.tag)} {own.get('id') or number}"
        if own.keys() & {"begin", "end", "dur"}:
            begin, end = _span(own, begin, end, units, f"{prefix}{place}")
        timed = "begin" in own and end is not None
        is_text = _local(element.tag) in ("p", "span")
        if timed and is_text and end is not None:
            text = plain(_content(element))
            if text:
                yield Cue(WORDS if inside else track, text, begin, end, place)
        inside = inside or (timed and is_text)
        waiting += [(child, begin, end, track, inside) for child in reversed(element)]


def _span(
    own: Mapping[str, str], begin: float, end: float | None, units: _Units, where: str
) -> tuple[float, float | None]:
    """Times of an element; those that lie within the times of what holds it count from 0 too."""
    times = {
        name: _time(own[name], units, where) for name in ("begin", "end", "dur") if name in own
    }
    start = times.get("begin", 0.0)
    until = times.get("end", start + times["dur"] if "dur" in times else None)
    is_absolute = "begin" in own and start >= begin
    if is_absolute and until is not None and end is not None and until > end + 1e-9:
        is_absolute = False
    shift = 0.0 if is_absolute else begin
    return start + shift, end if until is None else until + shift


def _time(text: str, units: _Units, where: str) -> float:
    plain_text = text.strip()
    offset = OFFSET.fullmatch(plain_text)
    if offset:
        scale = {**SECONDS, "f": 1 / units.frames, "t": 1 / units.ticks}
        return float(offset[1]) * scale[offset[2] or "s"]
    framed = WITH_FRAMES.fullmatch(plain_text)
    clock = as_clock(framed[1] if framed else plain_text)
    if clock is None:
        raise DataError(f"{where}: the time is {quote(text)}; write it as 00:00:01.500")
    return clock + (int(framed[2]) / units.frames if framed else 0.0)


def _agents(root: Element) -> dict[str, str]:
    """Names of who speaks, by their ids."""
    names = {}
    for element in root.iter():
        if _local(element.tag) == "agent":
            own = {_local(name): value for name, value in element.items()}
            text = plain("".join(element.itertext()))
            if text and "id" in own:
                names[own["id"]] = text
    return names


def _content(element: Element) -> str:
    """Text of an element; a break and the next of its parts are apart."""
    parts = [element.text or ""]
    for child in element:
        parts += [" " if _local(child.tag) == "br" else _content(child), child.tail or ""]
    return "".join(parts)


def _number(text: str | None, usual: float) -> float:
    match = OFFSET.fullmatch(text.strip()) if text else None
    return float(match[1]) or usual if match else usual


def _local(name: str) -> str:
    """Name without its namespace."""
    return name.rsplit(":", 1)[-1]
