"""The command `ibgn`: each subcommand is a few lines that call the library.

Results go to standard output, as JSON with --json; messages and progress go to standard error.
Exit codes: 0 done, 1 failed, 2 wrong use. Heavy modules are imported when a command needs them.
"""

import ast
import io
import json
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from ibgn.inspection import Inspection
    from ibgn.intervals import IntervalSequences
    from ibgn.io.table import LongTable
    from ibgn.records import Cleaning

app = typer.Typer(
    help="Recognise, explain and generate complex activities from the intervals of their actions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# what the library says of its options, for `_in_flags`
OPTION = re.compile(
    r"\b(closed|tick|tolerance|zero_length|min_duration|duplicates|delimiter|encoding|columns"
    r"|format|to)=(\{[^{}]*\}|'[^']*'|[\w.+-]*)"
)
BARE = re.compile(
    r"^(tick|tolerance|delimiter|encoding|columns)(?= (is|names) )|\b(zero_length|min_duration)\b"
)
FLAGS = {"format": "--from", "columns": "--column"}  # others are called alike

Data = Annotated[
    Path, typer.Argument(help="File with intervals; - is standard input.", readable=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Format = Annotated[
    str | None,
    typer.Option("--from", help="Format, if the suffix does not tell: csv, parquet, jsonl."),
]
Closed = Annotated[
    Literal["left", "right", "both", "neither"],
    typer.Option(
        help="Which ends belong to an interval; inclusive ends in whole ticks are 'both'."
    ),
]
Tick = Annotated[float, typer.Option(help="Length of a tick, for --closed other than left.")]
Tolerance = Annotated[float, typer.Option(help="End points closer than this are the same instant.")]
ZeroLength = Annotated[
    Literal["error", "drop"], typer.Option(help="What to do with intervals of zero length.")
]
MinDuration = Annotated[float, typer.Option(help="Lengthen shorter intervals to this.")]
Duplicates = Annotated[
    Literal["keep", "drop"], typer.Option(help="What to do with rows that repeat another.")
]
Column = Annotated[
    list[str] | None,
    typer.Option("--column", help="Another name for a column, as action=behaviour; repeatable."),
]
Delimiter = Annotated[
    str | None, typer.Option(help="Separates columns of a CSV file; 'tab' is one.")
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a CSV file, UTF-8 by default.")]


def main() -> None:
    """Run the command; bad input ends in a message and exit code 1, never in a traceback."""
    _mend_streams()
    try:
        app()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("IBGN_DEBUG"):
            raise
        _fail(error)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from ibgn import __version__

        print(__version__)
        raise typer.Exit


@app.command()
def inspect(
    data: Data,
    format: Format = None,
    closed: Closed = "left",
    tick: Tick = 1.0,
    tolerance: Tolerance = 0.0,
    zero_length: ZeroLength = "drop",
    min_duration: MinDuration = 0.0,
    duplicates: Duplicates = "keep",
    column: Column = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Say what is in a file, and what looks like a mistake.

    Intervals of zero length are counted and left out, unless --zero-length error is given.
    """
    from ibgn.inspection import inspect as inspect_sequences

    cleaning = _cleaning(closed, tick, tolerance, zero_length, min_duration, duplicates)
    with _warnings_aloud() as said, _busy(f"inspecting {data.name}"):
        X, y = _load(data, format, column, delimiter, encoding).read(cleaning)
        found = inspect_sequences(X, y, n_jobs=-1)
    suspected = [_in_flags(warning) for warning in found.warnings]
    if as_json:
        _print_json(found.as_dict() | {"warnings": [*said, *suspected]})
    else:
        _print_inspection(found)
        for warning in suspected:
            _say(f"warning: {warning}")


@app.command()
def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="File to read; - is standard input.", readable=False),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.", readable=False)],
    format: Format = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Format of OUT, if its suffix does not tell.")
    ] = None,
    closed: Closed = "left",
    tick: Tick = 1.0,
    tolerance: Tolerance = 0.0,
    zero_length: ZeroLength = "error",
    min_duration: MinDuration = 0.0,
    duplicates: Duplicates = "keep",
    column: Column = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
) -> None:
    """Read intervals in one format and write them in another, half-open and in order."""
    from ibgn.io import write
    from ibgn.io.formats import find_format
    from ibgn.messages import count

    written_as = find_format(target, to, "to")  # before the work, so that a typo costs no time
    cleaning = _cleaning(closed, tick, tolerance, zero_length, min_duration, duplicates)
    with _warnings_aloud() as said, _busy(f"converting {source.name}"):
        table = _load(source, format, column, delimiter, encoding)
        _refuse_loss(table, source, target)
        X, y = table.read(cleaning)
        write(X, target, y, format=written_as)
    if as_json:
        counts = {"instances": len(X), "intervals": len(X.action), "format": written_as}
        lost = {"left_out": list(table.left_out), "warnings": said}
        _print_json({"output": str(target)} | counts | lost)
        return
    if table.left_out:
        _say(f"left out {_listed(table.left_out)}")
    counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
    _say(f"wrote {counted} to {target}")


def _refuse_loss(table: "LongTable", source: Path, target: Path) -> None:
    from ibgn.messages import DataError

    in_place = source.exists() and target.exists() and source.samefile(target)
    if in_place and table.left_out:
        raise DataError(
            f"{table.source}IN and OUT are the same file, which would lose "
            f"{_listed(table.left_out)}; name another OUT"
        )


def _listed(names: Sequence[str], most: int = 20) -> str:
    from ibgn.messages import quote

    more = f" and {len(names) - most} more" if len(names) > most else ""
    noun = "column" if len(names) == 1 else "columns"
    return f"{noun} {', '.join(map(quote, names[:most]))}{more}"


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the data and the figures.")] = Path(
        "ibgn-demo"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation.")] = 0,
    as_json: Json = False,
) -> None:
    """Simulate signed words, inspect them, and draw one of them; needs no data."""
    from ibgn.datasets import make_hand_signs
    from ibgn.inspection import inspect as inspect_sequences
    from ibgn.io import write

    with _busy("simulating hand signs"):
        X, y, _ = make_hand_signs(random_state=seed)
        found = inspect_sequences(X, y, n_jobs=-1)
    with _busy("writing data and figures"):
        out.mkdir(parents=True, exist_ok=True)
        write(X, out / "hand-signs.csv", y)
        files = [out / "hand-signs.csv", *_draw(X[y == "ketchup"][0], out)]
    if as_json:
        _print_json(found.as_dict() | {"files": [str(file) for file in files]})
    else:
        _print_inspection(found)
        for file in files:
            _say(f"wrote {file}")


def _draw(one: "IntervalSequences", out: Path) -> list[Path]:
    """Save the timeline and the network of one instance."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    from ibgn.plots import plot_network, plot_timeline

    files = []
    for name, plot in (("timeline", plot_timeline), ("network", plot_network)):
        plot(one)
        files.append(out / f"{name}.png")
        plt.savefig(files[-1], dpi=100)
    return files


def _cleaning(*values: Any) -> "Cleaning":
    from ibgn.records import Cleaning

    names = ("closed", "tick", "tolerance", "zero_length", "min_duration", "duplicates")
    return Cleaning(**dict(zip(names, values, strict=True)))


def _load(
    path: Path,
    format: str | None,
    column: list[str] | None,
    delimiter: str | None,
    encoding: str | None,
) -> "LongTable":
    from ibgn.io.formats import load

    options: dict[str, Any] = {"columns": _parse_columns(column)}
    if delimiter is not None:
        options["delimiter"] = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if encoding is not None:
        options["encoding"] = encoding
    return load(Path("/dev/stdin") if str(path) == "-" else path, format=format, **options)


def _parse_columns(column: list[str] | None) -> dict[str, str]:
    columns = {}
    for pair in column or []:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise typer.BadParameter(
                f"is written ours=theirs, as action=behaviour; got {pair!r}", param_hint="--column"
            )
        if ours in columns:
            raise typer.BadParameter(f"names {ours!r} twice", param_hint="--column")
        columns[ours] = theirs
    return columns


def _print_json(result: dict[str, Any]) -> None:
    print(json.dumps(result, indent=1))


def _print_inspection(found: "Inspection") -> None:
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

    from ibgn.messages import printable

    table = Table(title, unit)
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    for name, count in ranked[:most]:
        table.add_row(Text(printable(name)), str(count))
    if len(ranked) > most:
        table.add_row(f"... {len(ranked) - most} more", str(sum(n for _, n in ranked[most:])))
    return table


@contextmanager
def _busy(what: str) -> Iterator[None]:
    """Show on standard error that work goes on, where that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    from ibgn.messages import printable

    with Console(stderr=True).status(escape(printable(what))):
        yield


@contextmanager
def _warnings_aloud() -> Iterator[list[str]]:
    """Say warnings about the data on standard error, and give them as a list afterwards."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += [
        _in_flags(str(warning.message))
        for warning in caught
        if issubclass(warning.category, UserWarning)
    ]
    for message in said:
        _say(f"warning: {message}")


def _in_flags(message: str) -> str:
    """Name options as they are written on the command line, closed='both' as --closed both."""

    def flag(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        called = FLAGS.get(name, f"--{name.replace('_', '-')}")
        try:
            meant = ast.literal_eval(value) if value[:1] in ("'", "{") else value
        except (ValueError, SyntaxError):  # text that was cut
            meant = value
        if meant == "":
            return called
        if isinstance(meant, dict):
            pairs = (shlex.quote(f"{ours}={theirs}") for ours, theirs in meant.items())
            return " ".join(f"{called} {pair}" for pair in pairs)
        return f"{called} {shlex.quote(str(meant))}"

    named = OPTION.sub(flag, message)
    return BARE.sub(lambda found: FLAGS.get(found[0], f"--{found[0].replace('_', '-')}"), named)


def _say(message: str) -> None:
    from ibgn.messages import printable

    print(printable(message, longest=10_000), file=sys.stderr)


def _fail(error: Exception) -> None:
    from ibgn.messages import DataError, OptionError

    if isinstance(error, DataError | ModuleNotFoundError | OSError):
        _say(f"error: {_in_flags(str(error))}")
    else:
        _say(f"error: {type(error).__name__}: {error}; set IBGN_DEBUG=1 to see where")
    sys.exit(2 if isinstance(error, OptionError) else 1)


def _mend_streams() -> None:
    """Let a stream that is closed or knows only ASCII be no reason to fail."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed: a file that is opened later must not take its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="backslashreplace")
