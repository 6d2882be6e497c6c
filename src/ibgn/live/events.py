"""What happens in a stream: actions start and end, time passes, mistakes are corrected."""

import json
from typing import Any, NamedTuple, Self

from ibgn.cleaning import LARGEST_TIME
from ibgn.errors import DataError
from ibgn.text import half_character, quote

__all__ = ["KINDS", "Event", "Refusal"]

NEEDS: dict[str, tuple[str, ...]] = {  # in the order in which events of one time go on
    "end": ("action",),
    "rename": ("action", "to"),
    "cancel": ("action",),
    "finish": (),
    "start": ("action",),
    "tick": (),
}
KINDS = tuple(NEEDS)
RANK = {kind: rank for rank, kind in enumerate(KINDS)}
LONGEST = 1000  # characters of a name, so that a stream cannot fill the memory with one


def _as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise DataError("the event has two values for one name")
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_as_object)


class Refusal(NamedTuple):
    """Why an event was not taken: the kind of cause, which is counted, and the reason in words."""

    cause: str
    reason: str


class Event(NamedTuple):
    """Something that happened at some time.

    A correction applies to the latest interval of its action (and key): `cancel` removes it, as if
    it had never happened, and `rename` gives it the action `to`. A `tick` means that time passes,
    and `finish` that the instance is over, along with all ongoing actions.

    Parameters
    ----------
    kind : "start", "end", "tick", "cancel", "rename" or "finish"
    time : when, in the unit of the training data
    action : its name; ticks and finishes have none
    stream : which of several streams it belongs to
    key : name of the interval, if several of the same action are ongoing
    id : name of the event, which identifies it if it arrives again
    to : the correct action, for a correction

    Examples
    --------
    >>> event = Event.parse('{"kind": "start", "time": 3.5, "action": "pour"}')
    >>> event.kind, event.time, event.action
    ('start', 3.5, 'pour')
    >>> Event.parse('{"kind": "start", "time": 3.5}')
    Traceback (most recent call last):
        ...
    ibgn.errors.DataError: the event has no 'action', which 'start' needs
    """

    kind: str
    time: float
    action: str = ""
    stream: str = ""
    key: str | int | None = None
    id: str | int | None = None
    to: str = ""

    @classmethod
    def parse(cls, line: str | bytes) -> Self:
        """The event in a line of JSON; refuses everything else, and says why."""
        try:
            text = line if isinstance(line, str) else line.decode()
            return cls.of(DECODER.decode(text.removeprefix("\ufeff")))
        except DataError:
            raise
        except UnicodeDecodeError:
            raise DataError("the line is not text in UTF-8") from None
        except (ValueError, RecursionError):  # also numbers with thousands of digits
            raise DataError(f"the line is not valid JSON: {quote(text)}") from None

    @classmethod
    def of(cls, values: Any) -> Self:
        """The event in a JSON object; names that it does not need are ignored."""
        if not isinstance(values, dict):
            raise DataError(f"an event is an object with names and values, not {quote(values)}")
        kind = values.get("kind")
        if not isinstance(kind, str) or kind not in NEEDS:
            said = "has no 'kind'" if kind is None else f"has the unknown kind {quote(kind)}"
            raise DataError(f"the event {said}; kinds are {', '.join(KINDS)}")
        names = {}
        for field in NEEDS[kind]:
            if values.get(field) is None:
                raise DataError(f"the event has no {field!r}, which {kind!r} needs")
            names[field] = _check_name(field, values[field])
        return cls(
            kind,
            _check_time(values),
            stream=_check_stream(values.get("stream")),
            key=_check_mark("key", values.get("key")),
            id=_check_mark("id", values.get("id")),
            **names,
        )

    def as_json(self) -> dict[str, Any]:
        """The object that `of` reads; empty values are left out."""
        return {name: value for name, value in self._asdict().items() if value not in ("", None)}

    @property
    def identity(self) -> tuple[Any, ...]:
        """What identifies it if it arrives again: its id, or its whole content."""
        if self.id is not None:
            return self.stream, self.id
        return self.stream, self.kind, self.time, self.action, self.key, self.to

    @property
    def place(self) -> tuple[Any, ...]:
        """The sort key of events: time, then ends before starts, then their content."""
        rank = RANK.get(self.kind, len(RANK))
        return self.time, rank, self.action, self.to, repr(self.key), repr(self.id), self.stream


def _check_time(values: dict[str, Any]) -> float:
    time = values.get("time")
    if time is None:
        raise DataError("the event has no 'time'")
    if not isinstance(time, int | float) or isinstance(time, bool) or time != time:
        raise DataError(
            f"its time is {quote(time)}, not a number; give it in the unit of the training data"
        )
    if abs(time) >= LARGEST_TIME:
        raise DataError(
            f"its time is {quote(time)}, where floats no longer distinguish times; "
            "subtract a common origin or use a larger unit"
        )
    return float(time)


def _check_stream(value: Any) -> str:
    return "" if value is None or value == "" else _check_name("stream", value)


def _check_name(field: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"its {field} is {quote(value)}, not a name")
    wrong = half_character(value)
    if wrong is not None:
        raise DataError(f"its {field} {wrong}")
    if len(value) > LONGEST:
        raise DataError(f"its {field} {quote(value)} is longer than {LONGEST} characters")
    return value


def _check_mark(field: str, value: Any) -> str | int | None:
    """A key or an id: text or a whole number."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    return _check_name(field, value)
