"""Frames of a video for which a label of Label Studio holds, by ranges or by boxes."""

from collections.abc import Iterator

from ibgn.io.parsing.json import Node

__all__ = ["BOXES", "FRAMED", "find_frames"]

BOXES = "videorectangle"  # boxes at some frames, with labels of their own
FRAMED = ("timelinelabels", BOXES)  # kinds of results that count frames


def find_frames(result: Node) -> list[tuple[float, float]]:
    """First and last frame of each stretch, both counted from 1 and both within it."""
    value = result.child("value")
    if result.child("type").value == BOXES:
        return list(_shown(value))
    return [
        (stretch.child("start").number("frame"), stretch.child("end").number("frame"))
        for stretch in value.child("ranges").items()
    ]


def _shown(value: Node) -> Iterator[tuple[float, float]]:
    """Stretches in which an object is shown.

    It is shown from a box that is enabled up to the next that is not, with the frame of that one;
    where none follows, up to the end of the video.
    """
    boxes = sorted(value.child("sequence").items(), key=lambda box: _frame(box))
    first: float | None = None
    for box in boxes:
        is_shown = not box.has("enabled") or bool(box.child("enabled").value)
        if first is None and is_shown:
            first = _frame(box)
        elif first is not None and not is_shown:
            yield first, _frame(box)
            first = None
    if first is not None:
        last = value.first("framesCount")
        yield first, max(_frame(boxes[-1]), 0.0 if last is None else last.number("frame"))


def _frame(box: Node) -> float:
    return box.child("frame").number("frame")
