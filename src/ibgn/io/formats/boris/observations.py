"""What was coded in an observation, in whichever kind of file."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ibgn.errors import DataError, Option
from ibgn.text import quote

__all__ = ["Coded", "Observation", "split_modifiers"]


class Coded(NamedTuple):
    """What was coded: START, STOP, POINT, STATE for either of the first two, or RANGE for both."""

    time: float
    subject: str
    behavior: str
    modifiers: tuple[str, ...]
    kind: str
    place: str
    end: float | None = None


class Observation(NamedTuple):
    """Events of an observation, its length, and its variables, None for one that changes."""

    name: str
    events: Sequence[Coded]
    variables: Mapping[str, str | None]
    length: float
    place: str

    def variable(self, name: str) -> str:
        """Value of an independent variable, which must be there and stay the same."""
        if name not in self.variables:
            listed = ", ".join(quote(known) for known in list(self.variables)[:30]) or "none"
            raise DataError(f"{self.place}: there is no variable {quote(name)}; there are {listed}")
        value = self.variables[name]
        if value is None:
            raise DataError(
                f"{self.place}: {quote(name)} changes within the observation; choose a variable "
                "that stays the same, or make each subject an instance with ",
                Option("subjects", "instances"),
            )
        return value


def split_modifiers(modifiers: str) -> tuple[str, ...]:
    """Modifiers that were chosen; BORIS writes None where none was."""
    parts = (part.strip() for part in modifiers.split("|"))
    return tuple(part for part in parts if part and part != "None")
