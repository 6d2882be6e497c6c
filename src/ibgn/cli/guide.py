"""The command that says what is in files, and which commands read them."""

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgn.cli.flags import given_flags, in_flags
from ibgn.cli.options import Data, Json, Reading, takes_data
from ibgn.cli.output import busy, print_json, say, warnings_aloud
from ibgn.errors import DataError, DataWarning, Option
from ibgn.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ibgn.inspection import Inspection
    from ibgn.io.outline import Entry
    from ibgn.io.registry import Format
    from ibgn.io.survey import Survey

MOST = 12  # rows of a table
STANDARD = Path("-")
PURPOSES = {
    "convert": "to write the intervals as CSV",
    "fit": "to learn to recognise the activities",
}


@takes_data()
def inspect(
    data: Data,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Say what is in a file or folder, what looks like a mistake, and which commands read it.

    Points, events without a partner, bad rows, bad files of a folder and missing labels are
    counted and left out; the commands that are printed have the options for that.

    $ ibgn inspect takes.csv
    """
    from ibgn.inspection import inspect as inspect_sequences
    from ibgn.io.registry import FORMATS, find_format
    from ibgn.io.survey import survey

    with _seekable(data) as path, warnings_aloud() as said, busy(f"inspecting {data.name}"):
        format = FORMATS[find_format(path, reading.format)]
        given = _given(reading, format)
        try:
            read = survey(path, format=format.name, **given)
        except DataError:
            _print_outline(path, format, given)
            raise
        found = inspect_sequences(read.X, read.y, n_jobs=-1)
    suspected = [in_flags(warning) for warning in found.warnings]
    named = {} if reading.format is None else {"format": reading.format}
    commands = _commands(data, named | given, read, found)
    if as_json:
        print_json(
            found.as_dict()
            | {"format": read.format, "options": dict(read.needed)}
            | {"entries": [_as_dict(entry) for entry in read.entries], "commands": commands}
            | {"warnings": [*said, *suspected]}
        )
        return
    print_inspection(found, read.entries)
    for warning in suspected:
        say(f"warning: {warning}")
    for name, command in commands.items():
        print(f"\n{PURPOSES[name]}:\n  {command}")
    if "fit" not in commands and not found.activities:
        print(f"\nthere are no labels to learn from; {_origins_of_labels(format)}")


@contextmanager
def _seekable(path: Path) -> Iterator[Path]:
    """The file, or a copy of a pipe, which could be read only once."""
    source = Path("/dev/stdin") if path == STANDARD else path
    if not source.exists() or source.is_file() or source.is_dir():
        yield source
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin"
        with source.open("rb") as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file)
        yield copy


def _given(reading: Reading, format: "Format") -> dict[str, Any]:
    """Options of the reader that were given on the command line, and not those by default."""
    shared = format.options.keys() - format.own_options.keys()
    flags = {name: getattr(reading, name) for name in sorted(given_flags() & shared)}
    return reading.options_of(format) | flags


def _commands(
    data: Path, given: Mapping[str, Any], read: "Survey", found: "Inspection"
) -> dict[str, str]:
    """Commands that read the files, by their names."""
    options = {**given, **read.needed}
    stem = printable(data.name).split(".")[0] or "intervals"
    table = next(
        name
        for number in numbers()
        for name in [f"{stem}{f'_{number}' if number else ''}.csv"]
        if not Path(name).exists()
    )
    source = shlex.quote(str(data))
    commands = {"convert": f"ibgn convert {source} {shlex.quote(table)} {_flags(options)}".strip()}
    if found.activities > 1 or read.activity:
        options |= read.activity
        if found.unlabelled and not read.activity:
            options["unlabelled"] = "drop"
        model = shlex.quote(f"{stem}.ibgn")
        commands["fit"] = f"ibgn fit {source} --output {model} {_flags(options)}".strip()
    return commands


def _origins_of_labels(format: "Format") -> str:
    """How labels can be found in files of a format, where they are not found by themselves."""
    if "activity" not in format.options:
        return "a column that has them is named with --column label=NAME"
    kinds = [f"activity={kind}:NAME" for kind in format.kinds.activity]
    named = [f"-O {kind}" for kind in [*kinds, "activity=folder", "activity=file"]]
    return f"they come from {', '.join(named[:-1])} or {named[-1]}"


def _flags(options: Mapping[str, Any]) -> str:
    """Options as flags of the commands that read data."""
    shown = (DataWarning(Option(name, value)) for name, value in options.items())
    return " ".join(map(in_flags, shown))


def _print_outline(path: Path, format: "Format", options: Mapping[str, Any]) -> None:
    """What files hold that cannot be read, on standard error."""
    from rich.console import Console

    from ibgn.io.survey import outline

    _print_entries(Console(stderr=True, highlight=False), outline(path, format, options))


def _as_dict(entry: "Entry") -> dict[str, Any]:
    chosen = None if entry.chosen_by is None else in_flags(DataWarning(entry.chosen_by))
    return entry._asdict() | {"chosen_by": chosen}


def print_inspection(inspection: "Inspection", entries: "Sequence[Entry]") -> None:
    """Print an inspection for people."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_overview(inspection))
    _print_entries(console, entries)
    named = (
        ("activity", inspection.instances_per_activity),
        ("action", inspection.intervals_per_action),
    )
    for title, counts in named:
        if counts:
            unit = "instances" if title == "activity" else "intervals"
            console.print(_table_of_counts(title, unit, counts))


def _print_entries(console: "Console", entries: "Sequence[Entry]") -> None:
    """Print what reading can choose from, a table for each kind; names are not read as markup."""
    from rich.table import Table
    from rich.text import Text

    for kind in dict.fromkeys(entry.kind for entry in entries):
        table = Table(kind, "number", "values")
        same = [entry for entry in entries if entry.kind == kind]
        for entry in same[:MOST]:
            more = f", … ({entry.distinct} different)" if entry.distinct > len(entry.values) else ""
            values = ", ".join(printable(value, 24) for value in entry.values) + more
            table.add_row(Text(printable(entry.name)), str(entry.number), Text(values))
        if len(same) > MOST:
            rest = same[MOST:]
            table.add_row(f"... {len(rest)} more", str(sum(entry.number for entry in rest)), "")
        console.print(table)


def _overview(inspection: "Inspection") -> "Table":
    from rich.table import Table

    from ibgn.allen import Relation

    table = Table(show_header=False, box=None)
    each, lasts = inspection.intervals_per_instance, inspection.duration
    table.add_row("instances", f"{inspection.instances}")
    table.add_row(
        "activities", f"{inspection.activities}" if inspection.activities else "no labels"
    )
    if inspection.unlabelled and inspection.activities:
        table.add_row("without label", f"{inspection.unlabelled} instances")
    table.add_row("actions", f"{inspection.actions}")
    spread = "{least:g} to {most:g} per instance, median {median:g}".format(**each)
    table.add_row("intervals", f"{inspection.intervals}, {spread}")
    table.add_row("duration", "{least:.4g} to {most:.4g}, median {median:.4g}".format(**lasts))
    table.add_row("groups", "none" if inspection.groups is None else f"{inspection.groups}")
    relations = [f"{Relation.from_symbol(r).label} {n}" for r, n in inspection.relations.items()]
    table.add_row("relations", ", ".join(relations))
    return table


def _table_of_counts(title: str, unit: str, counts: dict[str, int]) -> "Table":
    """Table of the most frequent names with their counts; names are not read as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title, unit)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    for name, count in ranked[:MOST]:
        table.add_row(Text(printable(name)), str(count))
    if len(ranked) > MOST:
        table.add_row(f"... {len(ranked) - MOST} more", str(sum(n for _, n in ranked[MOST:])))
    return table
