"""Columns of a table, by name or by number.

Columns of ours are instance, label, action, start, end, group, and those of uncertain intervals,
under other names where the option `columns` says so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ibgn.errors import DataError, Option, OptionError
from ibgn.text import quote
from ibgn.uncertainty import COLUMNS as UNCERTAIN

__all__ = [
    "OPTIONAL",
    "OURS",
    "REQUIRED",
    "Column",
    "Columns",
    "check_column",
    "check_columns",
    "find_columns",
    "find_places",
    "unused",
]

Column = str | int
Columns = Mapping[str, str] | None

SHOWN = 20  # columns that a message lists
REQUIRED = ("instance", "action", "start", "end")
OPTIONAL = ("label", "group", "track", *UNCERTAIN)
OURS = ("instance", "label", "action", "start", "end", "group", "track", *UNCERTAIN)
COMPARED = 1000  # columns among which a misspelt one is looked for


def check_column(option: str, column: Any, header: bool) -> None:
    """Refuse what is neither the name nor the number of a column."""
    column = _as_number(column, header)
    number = isinstance(column, int) and not isinstance(column, bool)
    if not (number and column >= 1) and not isinstance(column, str):
        raise OptionError(option, column, "must name a column, or give its number from 1 on")
    if isinstance(column, str) and not header:
        raise OptionError(
            option,
            column,
            "is a name, but ",
            Option("header", False),
            " says that columns have none; give its number from 1 on",
        )


def _as_number(column: Any, header: bool) -> Any:
    """Number of a column without a name, as command lines give it: as text."""
    is_number = not header and isinstance(column, str) and column.isascii() and column.isdecimal()
    return int(column) if is_number and len(column) < 10 else column


def find_places(
    columns: Mapping[str, Column], head: Sequence[str], header: bool, source: str
) -> dict[str, int]:
    """Find the place of each column, counted from 0; `columns` gives its name or number by ours."""
    places = {}
    for ours, given in columns.items():
        column = _as_number(given, header)
        if isinstance(column, int):
            if column > len(head):
                raise DataError(
                    f"{source}there is no column {column}: the first line has {len(head)}; check "
                    "the number and ",
                    Option("delimiter"),
                )
            places[ours] = column - 1
            continue
        matches = [place for place, name in enumerate(head) if name.strip() == column.strip()]
        if len(matches) != 1:
            listed = ", ".join(quote(name) for name in head[:SHOWN])
            more = f" and {len(head) - SHOWN} more" if len(head) > SHOWN else ""
            number = f"{len(matches)} columns" if matches else "no column"
            raise DataError(
                f"{source}there is {number} {quote(column)} (found: {listed}{more}); check the "
                "name and ",
                Option("delimiter"),
                ", or give the number of the column",
            )
        places[ours] = matches[0]
    return places


def check_columns(columns: Any) -> dict[str, str]:
    """Refuse other names for columns that are not written {ours: theirs}."""
    renamed = {} if columns is None else columns
    pairs = renamed.items() if isinstance(renamed, Mapping) else [(renamed, None)]
    if not all(isinstance(name, str) for pair in pairs for name in pair):
        raise OptionError("columns", columns, "must map names, as {'action': 'behaviour'}")
    unknown = sorted(set(renamed) - set(OURS))
    if unknown:
        choices = ", ".join(map(repr, REQUIRED + OPTIONAL))
        raise OptionError(
            "columns", columns, f"names {quote(unknown[0])}, which is not one of {choices}"
        )
    return dict(renamed)


def find_columns(header: Sequence[Any], columns: Columns, has: str) -> dict[str, int]:
    """Place of each of our columns in a header; refuses missing and duplicate ones.

    Parameters
    ----------
    header : names of all columns
    columns : other names for ours
    has : begins a message, such as "takes.csv: the header has"
    """
    renamed = check_columns(columns)
    names = [str(name) for name in header]
    times = Counter(names)
    theirs = {ours: renamed.get(ours, ours) for ours in REQUIRED + OPTIONAL}
    for name in theirs.values():
        if times[name] > 1:
            raise DataError(
                f"{has} the column {quote(name)} {times[name]} times; rename or drop all but one"
            )
    missing = [ours for ours in theirs if not times[theirs[ours]]]
    if any(ours in REQUIRED or ours in renamed for ours in missing):
        raise _missing_columns(missing, theirs, renamed, names, has)
    places = {name: number for number, name in enumerate(names)}
    return {ours: places[name] for ours, name in theirs.items() if name in places}


def unused(header: Sequence[Any], used: Mapping[str, int]) -> list[str]:
    """Names of the columns that are not ours."""
    places = set(used.values())
    return [str(name) for place, name in enumerate(header) if place not in places]


def _missing_columns(
    missing: list[str],
    theirs: dict[str, str],
    renamed: dict[str, str],
    names: list[str],
    has: str,
) -> DataError:
    """Error that names all missing columns and those that are likely meant."""
    taken = set(theirs.values())
    free = [name for name in names if name not in taken]
    by_shape = {_shape(name): name for name in reversed(free)}
    compared = {_shape(name): name for name in reversed(free[:COMPARED])}
    guesses = {}
    for ours in missing:
        guess = by_shape.get(_shape(theirs[ours]))
        if ours in REQUIRED or ours in renamed:
            near = get_close_matches(_shape(theirs[ours]), compared, n=1)
            guesses[ours] = guess or (compared[near[0]] if near else "...")
        elif guess is not None:  # an optional one that would go unseen once the others are named
            guesses[ours] = guess
    lacking = [theirs[ours] for ours in missing if ours in REQUIRED or ours in renamed]
    listed = ", ".join(quote(name) for name in names[:SHOWN]) or "none"
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return DataError(
        f"{has} no column{'s' if len(lacking) > 1 else ''} {', '.join(map(quote, lacking))} "
        f"(found: {listed}{more}); name {'it' if len(guesses) == 1 else 'them'} with ",
        Option("columns", guesses),
    )


def _shape(name: str) -> str:
    return name.strip().casefold()
