"""Histories of Home Assistant in JSON: for each device a list of its states."""

from collections.abc import Iterator
from typing import Any

from ibgn._files import InputFile
from ibgn.io.formats.events.entries import Entry
from ibgn.io.parsing.json import Node, parse_json

__all__ = ["is_history", "read_history"]

SINCE = ("last_changed", "last_updated")


def is_history(document: Any) -> bool:
    """Whether a document is a list of lists of states, or one such list."""
    lists = document if isinstance(document, list) else []
    if lists and isinstance(lists[0], dict):
        lists = [lists]
    return bool(lists) and all(
        isinstance(states, list) and bool(states) and all(map(_is_state, states[:20]))
        for states in lists[:20]
    )


def _is_state(value: Any) -> bool:
    return isinstance(value, dict) and "state" in value and any(name in value for name in SINCE)


def read_history(file: InputFile) -> Iterator[Entry]:
    """Entries of a history; states after the first of a device need not name it again."""
    root = parse_json(file)
    lists = root.items()
    if lists and isinstance(lists[0].value, dict):
        lists = [root]
    place = 0
    for states in lists:
        device = ""
        for state in states.items():
            place += 1
            named = state.first("entity_id")
            device = device if named is None else named.name()
            yield Entry(_since(state), device, device, state.child("state").name(), place, {})


def _since(state: Node) -> str:
    time = state.first(*SINCE)
    return state.child(SINCE[0]).name() if time is None else time.name()
