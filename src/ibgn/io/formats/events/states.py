"""States of sensors and actions: which start something, and which stop it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from ibgn.checks import as_number, check_choice
from ibgn.errors import DataError, Option, OptionError
from ibgn.io.files import Files
from ibgn.io.formats.events.entries import ACTIVITY, Entry
from ibgn.text import quote

__all__ = ["START", "STOP", "States", "Unknown"]

Unknown = Literal["error", "drop"]
Where = Callable[[int], str]

BINARY = frozenset({"0", "1"})
START = (
    *("on", "open", "opened", "start", "begin", "present", "true", "active", "pressed"),
    *("state start", "movement", "motion", "pressure", "detected"),
)
STOP = (
    *("off", "close", "closed", "stop", "end", "complete", "absent", "false", "inactive"),
    *("released", "state stop", "no movement", "no motion", "no pressure", "no present"),
    *("not detected", "clear", "cleared"),
)


@dataclass(frozen=True)
class States:
    """Which states start and stop an action; others are counted."""

    starts: frozenset[str]
    stops: frozenset[str]
    unknown: Unknown
    files: Files
    binary: frozenset[str] = frozenset()  # tracks where 1 starts and 0 stops

    def __post_init__(self) -> None:
        check_choice("unknown", self.unknown, get_args(Unknown))

    @classmethod
    def of(cls, start: Any, stop: Any, unknown: Unknown, files: Files) -> "States":
        """Fold the case of states; begin and end, as logs have for activities, are always known."""
        for name, values in (("start_values", start), ("stop_values", stop)):
            if isinstance(values, str) or not isinstance(values, Iterable):
                raise OptionError(name, values, "must be a list of states")
        starts = frozenset(map(_fold, start)) | {"begin"}
        stops = frozenset(map(_fold, stop)) | {"end"}
        if starts & stops:
            raise OptionError(
                "start_values",
                list(start),
                f"has the state {quote(min(starts & stops))}, and so has ",
                Option("stop_values"),
                "; keep one",
            )
        return cls(starts, stops, unknown, files)

    def is_switch(self, state: str) -> bool:
        """Whether a state starts or stops an action."""
        return _fold(state) in self.starts or _fold(state) in self.stops

    def is_state(self, word: str) -> bool:
        """Whether a word of a log is a state, which may be a reading."""
        return self.is_switch(word) or (bool(word) and as_number(word) is not None)

    def for_entries(self, entries: Sequence[Entry]) -> "States":
        """States where 1 starts and 0 stops in tracks that have no others."""
        states: dict[str, set[str]] = {}
        for entry in entries:
            if entry.track != ACTIVITY:
                states.setdefault(entry.track, set()).add(entry.state)
        binary = [track for track, each in states.items() if each <= BINARY]
        both = {state for track in binary for state in states[track]} == BINARY
        return replace(self, binary=frozenset(binary)) if both else self

    def starting(self, entry: Entry, where: Where) -> bool | None:
        """Tell whether an entry starts or stops its action, or None where it does neither."""
        state = _fold(entry.state)
        if entry.track in self.binary:
            return state == "1"
        if state in self.starts or state in self.stops:
            return state in self.starts
        drop = Option("unknown", "drop")
        if as_number(state) is not None and state:
            self.files.leave_out(
                " with a number for a state left out, as readings neither start nor stop an action"
            )
        elif self.unknown == "drop":
            self.files.leave_out(" with an unknown state left out (", drop, ")")
        else:
            raise DataError(
                f"{where(entry.place)}: the state {quote(entry.state)} is neither among ",
                Option("start_values"),
                " nor among ",
                Option("stop_values"),
                "; add it there, or leave such events out with ",
                drop,
            )
        return None


def _fold(state: Any) -> str:
    return str(state).strip().casefold()
