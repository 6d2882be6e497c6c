"""The command that says what is in files, and which commands read them."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from itertools import count as numbers
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgn._temporaries import temporary_folder
from ibgn.cli.flags import as_argument, as_flags, in_flags, in_shell
from ibgn.cli.options import Data, Json, Reading, takes_data
from ibgn.cli.output import busy, print_json, say, warnings_aloud
from ibgn.cli.tables import print_lines, print_table
from ibgn.errors import MISSING, DataError, DataWarning, Option
from ibgn.text import count, printable

if TYPE_CHECKING:
    from ibgn.inspection import Inspection
    from ibgn.io.outline import Entry
    from ibgn.io.registry import Format
    from ibgn.io.survey import Survey

MOST = 12  # rows of a table
LONGEST_NAME = 200  # characters of a file that is proposed; most systems take 255
STANDARD = Path("-")
PURPOSES = {
    "convert": "to write the intervals as CSV",
    "fit": "to learn to recognise the activities",
    "inspect": "to look again, as the warnings propose",
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
        given = reading.given(format)
        try:
            read = survey(path, format=format.name, **given)
        except DataError:
            _print_outline(path, format, given)
            raise
        found = inspect_sequences(read.X, read.y, n_jobs=-1)
    suspected = [in_flags(warning) for warning in (*read.advice, *found.warnings)]
    if reading.format is not None:
        given["format"] = reading.format
    commands = _commands(data, given, read, found)
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
    if "fit" not in commands and not found.activities and read.needed.get("unlabelled") != "all":
        print(f"\nthere are no labels to learn from; {_origins_of_labels(format)}")


@contextmanager
def _seekable(path: Path) -> Iterator[Path]:
    """The file, or a copy of a pipe, which could be read only once."""
    source = Path("/dev/stdin") if path == STANDARD else path
    if not source.exists() or source.is_file() or source.is_dir():
        yield source
        return
    with temporary_folder() as folder:
        copy = folder / "stdin"
        with source.open("rb") as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file)
        yield copy


def _commands(
    data: Path, given: Mapping[str, Any], read: "Survey", found: "Inspection"
) -> dict[str, str]:
    """Commands that read the files, by their names."""
    options = {**given, **read.needed}
    stem = _stem(data)
    table, model = (_free(stem, suffix) for suffix in (".csv", ".ibgn"))
    source = in_shell(as_argument(data))
    words = f"ibgn convert {source} {in_shell(table)} {as_flags(options)}"
    commands = {"convert": words.strip()}
    if found.activities > 1 or read.activity:
        options |= read.activity
        if found.unlabelled and not read.activity:
            options["unlabelled"] = "drop"
        words = f"ibgn fit {source} --output {in_shell(model)} {as_flags(options)}"
        commands["fit"] = words.strip()
    advice = [part for warning in (*read.advice, *found.warnings) for part in warning.parts]
    proposed: dict[str, Any] = {}
    for part in advice:
        if not isinstance(part, Option) or part.value is MISSING:
            continue
        if part.name == "columns":  # of which some may be needed already
            proposed["columns"] = {**options.get("columns", {}), **part.value}
        elif part.name not in options:
            proposed[part.name] = part.value
    if proposed and proposed != {"closed": "left"}:  # which is how they were read
        commands["inspect"] = f"ibgn inspect {source} {as_flags({**given, **proposed})}"
    return commands


def _stem(data: Path) -> str:
    """What the names of outputs begin with, so that none is among the data."""
    folder = data.resolve() if data.is_dir() else None
    name = data.name if folder is None else folder.name  # "." has none
    stem = printable(name, LONGEST_NAME).split(".")[0].lstrip("-") or "intervals"
    if folder is not None and Path.cwd().is_relative_to(folder):
        return str(Path(os.path.relpath(folder.parent)) / stem)
    return stem


def _free(stem: str, suffix: str) -> str:
    """A name that no file has."""
    names = (f"{stem}{f'_{number}' if number else ''}{suffix}" for number in numbers())
    return next(name for name in names if not Path(name).exists())


def _origins_of_labels(format: "Format") -> str:
    """How labels can be found in files of a format, where they are not found by themselves."""
    if "activity" not in format.options:
        return "a column that has them is named with --column label=NAME"
    kinds = [f"activity={kind}:NAME" for kind in format.kinds.activity]
    named = [f"-O {kind}" for kind in [*kinds, "activity=folder", "activity=file"]]
    return f"they come from {', '.join(named[:-1])} or {named[-1]}"


def _print_outline(path: Path, format: "Format", options: Mapping[str, Any]) -> None:
    """What files hold that cannot be read, on standard error."""
    from ibgn.io.survey import outline

    with redirect_stdout(sys.stderr):
        _print_entries(outline(path, format, options))


def _as_dict(entry: "Entry") -> dict[str, Any]:
    chosen = None if entry.chosen_by is None else in_flags(DataWarning(entry.chosen_by))
    return entry._asdict() | {"chosen_by": chosen}


def print_inspection(inspection: "Inspection", entries: "Sequence[Entry]") -> None:
    """Print an inspection for people."""
    _print_overview(inspection)
    _print_entries(entries)
    _print_counts(("activity", "instances"), inspection.instances_per_activity)
    _print_counts(("action", "intervals"), inspection.intervals_per_action)


def _print_overview(inspection: "Inspection") -> None:
    from ibgn.allen import Relation

    spread = "{least:g} to {most:g} per instance, median {median:g}"
    counted = [f"{Relation.from_symbol(r).label} {n}" for r, n in inspection.relations.items()]
    lines = {
        "instances": f"{inspection.instances}",
        "activities": f"{inspection.activities}" if inspection.activities else "no labels",
        "actions": f"{inspection.actions}",
        "intervals": f"{inspection.intervals}, "
        + spread.format(**inspection.intervals_per_instance),
        "duration": "{least:.4g} to {most:.4g}, median {median:.4g}".format(**inspection.duration),
        "groups": "none" if inspection.groups is None else f"{inspection.groups}",
        "relations": ", ".join(counted),
    }
    if inspection.unlabelled and inspection.activities:
        lines["activities"] += f", and {count(inspection.unlabelled, 'instance')} without a label"
    for name, text in lines.items():
        print_lines(f"{name:<12}{text}", indent=12)


def _print_entries(entries: "Sequence[Entry]") -> None:
    """Print what reading can choose from, a table for each kind."""
    for kind in dict.fromkeys(entry.kind for entry in entries):
        same = [entry for entry in entries if entry.kind == kind]
        rows = [
            (
                entry.name,
                f"{entry.number}",
                f"{entry.distinct or ''}",
                ", ".join(entry.values),
                entry.about,
            )
            for entry in same[:MOST]
        ]
        if len(same) > MOST:
            number = sum(entry.number for entry in same[MOST:])
            rows.append((f"... {len(same) - MOST} more", f"{number}", "", "", ""))
        heads = (kind, "number", "different", "values", "about")
        told = [k for k in range(len(heads)) if any(row[k] for row in rows)]
        print_table([heads[k] for k in told], [[row[k] for k in told] for row in rows])


def _print_counts(heads: tuple[str, str], counts: Mapping[str, int]) -> None:
    """Print the most frequent names with their counts."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    rows = [(name, f"{number}") for name, number in ranked[:MOST]]
    if len(ranked) > MOST:
        rest = sum(number for _, number in ranked[MOST:])
        rows.append((f"... {len(ranked) - MOST} more", f"{rest}"))
    if rows:
        print_table(heads, rows)
