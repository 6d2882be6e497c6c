"""The command `ibgn`: each subcommand is a few lines that call the library.

Results go to standard output, as JSON with --json; messages and progress go to standard error.
Exit codes: 0 done, 1 failed, 2 wrong use. Heavy modules are imported when a command needs them.
"""

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from ibgn.inspection import Inspection
    from ibgn.intervals import IntervalSequences

app = typer.Typer(
    help="Recognise, explain and generate complex activities from the intervals of their actions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

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
    data: Annotated[Path, typer.Argument(help="File with intervals.")],
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
        X, y = _read(data, format, column, delimiter, encoding, cleaning)
        found = inspect_sequences(X, y, n_jobs=-1)
    if as_json:
        _print_json(found.as_dict() | {"warnings": [*said, *found.warnings]})
    else:
        _print_inspection(found)
        for warning in found.warnings:
            _say(f"warning: {warning}")


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="File to read.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")],
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

    written_as = find_format(target, to)  # before the work, so that a typo costs no time
    cleaning = _cleaning(closed, tick, tolerance, zero_length, min_duration, duplicates)
    with _warnings_aloud(), _busy(f"converting {source.name}"):
        X, y = _read(source, format, column, delimiter, encoding, cleaning)
        write(X, target, y, format=written_as)
    result = {"instances": len(X), "intervals": len(X.action), "output": str(target)}
    if as_json:
        _print_json(result | {"format": written_as})
    else:
        _say(f"wrote {len(X)} instances, {len(X.action)} intervals to {target}")


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


def _cleaning(*values: Any) -> dict[str, Any]:
    names = ("closed", "tick", "tolerance", "zero_length", "min_duration", "duplicates")
    return dict(zip(names, values, strict=True))


def _read(
    path: Path,
    format: str | None,
    column: list[str] | None,
    delimiter: str | None,
    encoding: str | None,
    cleaning: dict[str, Any],
) -> "tuple[IntervalSequences, Any]":
    from ibgn.io import read
    from ibgn.io.formats import find_format

    options: dict[str, Any] = {"columns": _parse_columns(column)}
    for name, value in (("delimiter", delimiter), ("encoding", encoding)):
        if value is not None:
            if find_format(path, format) != "csv":
                raise typer.BadParameter("is for CSV files only", param_hint=f"--{name}")
            options[name] = {"tab": "\t", "\\t": "\t"}.get(value, value)
    return read(path, format=format, **options, **cleaning)


def _parse_columns(column: list[str] | None) -> dict[str, str]:
    columns = {}
    for pair in column or []:
        ours, equals, theirs = pair.partition("=")
        if not (ours and equals and theirs):
            raise typer.BadParameter(
                f"is written ours=theirs, as action=behaviour; got {pair!r}", param_hint="--column"
            )
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
        str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)
    ]
    for message in said:
        _say(f"warning: {message}")


def _say(message: str) -> None:
    print(message, file=sys.stderr)


def _fail(error: Exception) -> None:
    from ibgn.messages import DataError

    if isinstance(error, DataError | ModuleNotFoundError | OSError):
        _say(f"error: {error}")
    else:
        _say(f"error: {type(error).__name__}: {error}; set IBGN_DEBUG=1 to see where")
    sys.exit(1)
