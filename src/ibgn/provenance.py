"""How instances were read: what the same data would need to be read in the same way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from typing import Any, Self

from ibgn.cleaning import Cleaning
from ibgn.errors import Option

__all__ = ["Provenance", "shared_provenance"]

CHANGING = ("closed", "tick", "tolerance", "min_duration", "duplicates")
"""Cleaning that changes intervals; what it would drop of zero length, it counts in a warning."""

NAMING = ("columns", "delimiter", "encoding", "activity", "group")
"""Options that say where something is in a file, which differs from file to file."""

TRACK = "track:"  # before the name of a track, each annotation of which is an instance


@dataclass(frozen=True)
class Provenance:
    """How instances were read; `X.provenance` of what readers return.

    Parameters
    ----------
    format : name of the format, or "frame"; None where instances are not from a file
    cleaning : how recorded intervals became half-open ones
    options : options of the reader that were given, as plain values; columns among them

    Examples
    --------
    >>> from ibgn import IntervalSequences
    >>> X = IntervalSequences.from_lists([[("pour", 0, 4)]], closed="both")
    >>> X.provenance.cleaning.closed, X[:0].provenance == X.provenance
    ('both', True)
    >>> X.provenance.given()
    {'closed': 'both'}
    """

    format: str | None = None
    cleaning: Cleaning = field(default_factory=Cleaning)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plain = {str(name): _plain(value) for name, value in self.options.items()}
        object.__setattr__(self, "options", plain)

    def given(self) -> dict[str, Any]:
        """Keyword arguments of a reader that are not as they are by default."""
        usual = Cleaning()
        own = {f.name: getattr(self.cleaning, f.name) for f in fields(Cleaning)}
        changed = {name: value for name, value in own.items() if value != getattr(usual, name)}
        return changed | dict(self.options)

    def differences(self, other: "Provenance") -> list[tuple[Option, Option]]:
        """Options that would give other intervals: each of this one, and of the other.

        Options of a format are compared if both are of the same format.
        """
        names = [name for name in CHANGING if name != "tick" or self._has_ticks(other)]
        pairs = [
            (
                Option(name, getattr(self.cleaning, name)),
                Option(name, getattr(other.cleaning, name)),
            )
            for name in names
        ]
        if self.format == other.format:
            named = sorted({*self.options, *other.options}.difference(NAMING))
            pairs += [
                (Option(name, self.options.get(name)), Option(name, other.options.get(name)))
                for name in named
            ]
            mine, its = self._cut(), other._cut()
            if (mine is None) != (its is None):
                pairs.append((Option("activity", mine), Option("activity", its)))
        return [(mine, its) for mine, its in pairs if mine.value != its.value]

    def uncut(self) -> Self:
        """The same of recordings that no track cut into instances."""
        kept = {n: value for n, value in self.options.items() if n != "activity" or not self._cut()}
        return replace(self, options=kept)

    def _cut(self) -> str | None:
        """Option that made an instance of each annotation of a track; None where none did."""
        activity = self.options.get("activity")
        return activity if isinstance(activity, str) and activity.startswith(TRACK) else None

    def _has_ticks(self, other: "Provenance") -> bool:
        """Whether both count in ticks, of which the length then matters."""
        return "left" not in (self.cleaning.closed, other.cleaning.closed)


def shared_provenance(parts: Iterable[Provenance | None]) -> Provenance | None:
    """How all parts were read, None where that differs or is not known."""
    first, *others = [*parts] or [None]
    return first if all(other == first for other in others) else None


def _plain(value: Any) -> Any:
    """A value as JSON has it: plain numbers, text, lists and mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    value = value.item() if hasattr(value, "item") else value
    is_plain = isinstance(value, str | bool | int | None)
    return value if is_plain or (isinstance(value, float) and isfinite(value)) else str(value)
