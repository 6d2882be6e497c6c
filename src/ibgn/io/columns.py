"""Which columns of a file or table are ours, by name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ibgn.errors import DataError, OptionError
from ibgn.text import quote

REQUIRED = ("instance", "action", "start", "end")
OPTIONAL = ("label", "group")
OURS = ("instance", "label", "action", "start", "end", "group")
SHOWN = 20  # columns that a message lists
COMPARED = 1000  # columns among which a misspelt one is looked for

Columns = Mapping[str, str] | None


def check_columns(columns: Any) -> dict[str, str]:
    """Refuse other names for columns that are not written {ours: theirs}."""
    given = {} if columns is None else columns
    pairs = given.items() if isinstance(given, Mapping) else [(given, None)]
    if not all(isinstance(name, str) for pair in pairs for name in pair):
        raise OptionError(
            f"columns is a mapping of names, as {{'action': 'behaviour'}}; got {quote(columns)}"
        )
    unknown = sorted(set(given) - set(OURS))
    if unknown:
        choices = ", ".join(map(repr, REQUIRED + OPTIONAL))
        raise OptionError(f"columns names {quote(unknown[0])}, which is not one of {choices}")
    return dict(given)


def find_columns(found: Sequence[Any], columns: Columns, has: str) -> dict[str, int]:
    """Place of each of our columns among those found; refuses missing and duplicate ones.

    Parameters
    ----------
    found : names of all columns
    columns : other names for ours
    has : begins a message, as "takes.csv: the header has"
    """
    given = check_columns(columns)
    found = [str(name) for name in found]
    times = Counter(found)
    theirs = {ours: given.get(ours, ours) for ours in REQUIRED + OPTIONAL}
    for name in theirs.values():
        if times[name] > 1:
            raise DataError(
                f"{has} the column {quote(name)} {times[name]} times; rename or drop all but one"
            )
    missing = [ours for ours in theirs if not times[theirs[ours]]]
    if any(ours in REQUIRED or ours in given for ours in missing):
        raise DataError(_missing_columns(missing, theirs, given, found, has))
    place = {name: number for number, name in enumerate(found)}
    return {ours: place[name] for ours, name in theirs.items() if name in place}


def unused(found: Sequence[Any], used: Mapping[str, int]) -> list[str]:
    """Names of the columns that are not ours."""
    places = set(used.values())
    return [str(name) for place, name in enumerate(found) if place not in places]


def _missing_columns(
    missing: list[str],
    theirs: dict[str, str],
    given: dict[str, str],
    found: list[str],
    has: str,
) -> str:
    """Name all that are missing, with those that are likely meant."""
    taken = set(theirs.values())
    free = [name for name in found if name not in taken]
    by_shape = {_shape(name): name for name in reversed(free)}
    guesses = {}
    for ours in missing:
        guess = by_shape.get(_shape(theirs[ours]))
        if ours in REQUIRED or ours in given:
            guesses[ours] = guess or _similar(theirs[ours], free)
        elif guess is not None:  # an optional one that would go unseen once the others are named
            guesses[ours] = guess
    lacking = [theirs[ours] for ours in missing if ours in REQUIRED or ours in given]
    listed = ", ".join(quote(name) for name in found[:SHOWN]) or "none"
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    pairs = ", ".join(f"{ours!r}: {quote(guess)}" for ours, guess in guesses.items())
    return (
        f"{has} no column{'s' if len(lacking) > 1 else ''} {', '.join(map(quote, lacking))} "
        f"(found: {listed}{more}); name {'it' if len(guesses) == 1 else 'them'} with "
        f"columns={{{pairs}}}"
    )


def _shape(name: str) -> str:
    return name.strip().casefold()


def _similar(name: str, found: list[str]) -> str:
    by_shape = {_shape(other): other for other in reversed(found[:COMPARED])}
    near = get_close_matches(_shape(name), by_shape, n=1)
    return by_shape[near[0]] if near else "..."
