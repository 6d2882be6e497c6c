"""What commands print: results on standard output, messages and progress on standard error."""

import json
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from rich.table import Table

    from ibgn.inspection import Inspection

# what the library says of its options, for `in_flags`
OPTION = re.compile(
    r"\b(closed|tick|tolerance|zero_length|min_duration|duplicates|delimiter|encoding|columns"
    r"|format|to|window|step|longest_gap|smooth|scheme|rate(?==\d))=(\{[^{}]*\}|'[^']*'|[\w.+-]*)"
)
# options of readers of some formats, which are given as -O name=value
READER_OPTION = re.compile(
    r"(?<!--column )(?<!--column ')"  # where a column is named, it is no option
    r"\b(tracks|action|activity|crossing|label|group|points|unpaired|repeated|overlaps|unknown|fps"
    r"|label_variable|group_variable|annotator|mapping|background|labels|modifiers|attributes"
    r"|origin|subset|name_field|label_choice|label_attribute|attribute|unclosed|rate|form|time"
    r"|names|null|gap|header|layout|start_values|stop_values|merge_objects|runs)"
    r"=('[^']*'|[\w.+-]*)"
)
# what Python writes and JSON, as which values of -O are read, does not
LIST = re.compile(r"^(\w+)( is a list of .*); write \[\.\.\.\]$", re.DOTALL)
TEXT = re.compile(r"^(\w+)( is a name, as text; got '([\w.+-]*)')$")
BARE = re.compile(
    r"^(tick|tolerance|delimiter|encoding|columns|longest_gap|smooth|n_jobs)(?= (is|names) )"
    r"|\b(zero_length|min_duration)\b"
)
NUMBER_OR_NAME = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?(?:e[+-]?\d+)?""")
PAIR = re.compile(r"'([^']*)': '([^']*)'")  # of a dictionary in a message
FLAGS = {"format": "--from", "columns": "--column", "n_jobs": "--jobs"}  # others are called alike


def listed(names: Sequence[str], most: int = 20) -> str:
    """Name columns, quoted."""
    from ibgn.text import quote

    more = f" and {len(names) - most} more" if len(names) > most else ""
    noun = "column" if len(names) == 1 else "columns"
    return f"{noun} {', '.join(map(quote, names[:most]))}{more}"


def print_json(result: dict[str, Any]) -> None:
    """Print a result for machines."""
    print(json.dumps(result, indent=1))


def print_inspection(found: "Inspection") -> None:
    """Print an inspection for people."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_overview(found))
    named = (("activity", found.instances_per_activity), ("action", found.intervals_per_action))
    for title, counts in named:
        if counts:
            unit = "instances" if title == "activity" else "intervals"
            console.print(_table_of_counts(title, unit, counts))


def _overview(found: "Inspection") -> "Table":
    from rich.table import Table

    from ibgn.allen import Relation

    table = Table(show_header=False, box=None)
    each, lasts = found.intervals_per_instance, found.duration
    table.add_row("instances", f"{found.instances}")
    table.add_row("activities", f"{found.activities}" if found.activities else "no labels")
    table.add_row("actions", f"{found.actions}")
    spread = "{least:g} to {most:g} an instance, median {median:g}".format(**each)
    table.add_row("intervals", f"{found.intervals}, {spread}")
    table.add_row("duration", "{least:.4g} to {most:.4g}, median {median:.4g}".format(**lasts))
    table.add_row("groups", "none" if found.groups is None else f"{found.groups}")
    relations = [f"{Relation.from_symbol(r).label} {n}" for r, n in found.relations.items()]
    table.add_row("relations", ", ".join(relations))
    return table


def _table_of_counts(title: str, unit: str, counts: dict[str, int], most: int = 12) -> "Table":
    """Return the most frequent names with their counts, as plain text that rich leaves alone."""
    from rich.table import Table
    from rich.text import Text

    from ibgn.text import printable

    table = Table(title, unit)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    for name, count in ranked[:most]:
        table.add_row(Text(printable(name)), str(count))
    if len(ranked) > most:
        table.add_row(f"... {len(ranked) - most} more", str(sum(n for _, n in ranked[most:])))
    return table


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on standard error that work goes on, where that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    from ibgn.text import printable

    with Console(stderr=True).status(escape(printable(what))):
        yield


@contextmanager
def warnings_aloud() -> Iterator[list[str]]:
    """Say warnings about the data on standard error, and give them as a list afterwards."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    told = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    said += _first_of_a_kind([in_flags(message) for message in told])
    for message in said:
        say(f"warning: {message}")


def _first_of_a_kind(messages: list[str]) -> list[str]:
    """Messages that differ by numbers and names only become one, which says how many there are."""
    kinds: dict[str, list[str]] = {}
    for message in messages:
        kinds.setdefault(NUMBER_OR_NAME.sub("", message), []).append(message)
    return [
        same[0] if len(same) == 1 else f"{same[0]} (and {len(same) - 1} more of this kind)"
        for same in kinds.values()
    ]


def in_flags(message: str) -> str:
    """Name options as they are written on the command line, closed='both' as --closed both."""

    def flag(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        called = FLAGS.get(name, f"--{name.replace('_', '-')}")
        if value[:1] == "{":
            pairs = (f"{ours}={theirs}" for ours, theirs in PAIR.findall(value))
            return " ".join(f"{called} {shlex.quote(pair)}" for pair in pairs)
        meant = _unquoted(value)
        return f"{called} {shlex.quote(meant)}" if meant else called

    def reader_flag(found: re.Match[str]) -> str:
        name, meant = found[1], _unquoted(found[2])
        meant = {"True": "true", "False": "false"}.get(meant, meant)
        return f"-O {shlex.quote(f'{name}={meant}')}"

    named = READER_OPTION.sub(reader_flag, OPTION.sub(flag, message))
    named = LIST.sub("""\\1\\2; write -O '\\1=["..."]'""", named)
    named = TEXT.sub("""\\1\\2; write -O '\\1="\\3"'""", named)
    named = named.replace(" is True or False", " is true or false")
    return BARE.sub(lambda found: FLAGS.get(found[0], f"--{found[0].replace('_', '-')}"), named)


def _unquoted(value: str) -> str:
    """Text as it was before it was quoted for a message."""
    return value.strip("'").replace("\\\\", "\\")


def say(message: str) -> None:
    """Say something on standard error."""
    from ibgn.text import printable

    print(printable(message, longest=10_000), file=sys.stderr)


def fail(error: Exception) -> NoReturn:
    """End with a message: code 2 for wrong use, else 1."""
    from ibgn.errors import DataError, OptionError

    if isinstance(error, DataError | ModuleNotFoundError | OSError):
        say(f"error: {in_flags(str(error))}")
    else:
        say(f"error: {type(error).__name__}: {error}; set IBGN_DEBUG=1 to see where")
    sys.exit(2 if isinstance(error, OptionError) else 1)
