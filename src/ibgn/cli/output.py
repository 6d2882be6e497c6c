"""What commands print: results on standard output, messages and progress on standard error."""

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from ibgn.cli.flags import in_flags
from ibgn.errors import DataError, OptionError, message_of
from ibgn.text import printable, quote, without_values

if TYPE_CHECKING:
    from rich.table import Table

    from ibgn.inspection import Inspection


def listed(names: Sequence[str], most: int = 20) -> str:
    """Name columns, quoted."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    noun = "column" if len(names) == 1 else "columns"
    return f"{noun} {', '.join(map(quote, names[:most]))}{more}"


def print_json(result: dict[str, Any]) -> None:
    """Print a result for programs."""
    print(json.dumps(result, indent=1))


def print_inspection(inspection: "Inspection") -> None:
    """Print an inspection for people."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_overview(inspection))
    named = (
        ("activity", inspection.instances_per_activity),
        ("action", inspection.intervals_per_action),
    )
    for title, counts in named:
        if counts:
            unit = "instances" if title == "activity" else "intervals"
            console.print(_table_of_counts(title, unit, counts))


def _overview(inspection: "Inspection") -> "Table":
    from rich.table import Table

    from ibgn.allen import Relation

    table = Table(show_header=False, box=None)
    each, lasts = inspection.intervals_per_instance, inspection.duration
    table.add_row("instances", f"{inspection.instances}")
    table.add_row(
        "activities", f"{inspection.activities}" if inspection.activities else "no labels"
    )
    table.add_row("actions", f"{inspection.actions}")
    spread = "{least:g} to {most:g} per instance, median {median:g}".format(**each)
    table.add_row("intervals", f"{inspection.intervals}, {spread}")
    table.add_row("duration", "{least:.4g} to {most:.4g}, median {median:.4g}".format(**lasts))
    table.add_row("groups", "none" if inspection.groups is None else f"{inspection.groups}")
    relations = [f"{Relation.from_symbol(r).label} {n}" for r, n in inspection.relations.items()]
    table.add_row("relations", ", ".join(relations))
    return table


def _table_of_counts(title: str, unit: str, counts: dict[str, int], most: int = 12) -> "Table":
    """Table of the most frequent names with their counts; names are not read as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title, unit)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    for name, count in ranked[:most]:
        table.add_row(Text(printable(name)), str(count))
    if len(ranked) > most:
        table.add_row(f"... {len(ranked) - most} more", str(sum(n for _, n in ranked[most:])))
    return table


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on standard error that work is in progress, if it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(what))):
        yield


@contextmanager
def warnings_aloud() -> Iterator[list[str]]:
    """Print warnings about the data on standard error, and list them afterwards."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # which scikit-learn says of a few instances per activity; commands say it in their words
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%")
        yield messages
    # of those that differ only in numbers and names, the first
    kinds: dict[str, list[UserWarning]] = {}
    for warning in (each.message for each in caught if isinstance(each.message, UserWarning)):
        text = message_of(warning, lambda option: option.name)
        kinds.setdefault(without_values(text), []).append(warning)
    for first, *more in kinds.values():
        others = f" (and {len(more)} more of this kind)" if more else ""
        messages.append(in_flags(first) + others)
    for message in messages:
        say(f"warning: {message}")


def say(message: str) -> None:
    """Print a message on standard error."""
    print(printable(message, longest=10_000), file=sys.stderr)


def fail(error: Exception) -> NoReturn:
    """Exit with a message: code 2 for wrong use, else 1."""
    if isinstance(error, DataError | ModuleNotFoundError | OSError):
        say(f"error: {error}")
    else:
        say(f"error: {type(error).__name__}: {error}; set IBGN_DEBUG=1 to see where")
    sys.exit(2 if isinstance(error, OptionError) else 1)
