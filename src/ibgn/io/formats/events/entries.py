"""Entries of event logs, whether lines of words or rows of a table."""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["ACTIVITY", "Entry"]

ACTIVITY = "activity"  # the track of what a log says of whole activities


class Entry(NamedTuple):
    """An event; `place` is its line or row, `known` has instance, label and group."""

    time: str
    track: str
    action: str
    state: str
    place: int
    known: Mapping[str, str]
