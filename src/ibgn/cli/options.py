"""Options that commands share, and how they are read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from ibgn.io.table import LongTable
    from ibgn.records import Cleaning

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
Model = Annotated[Path, typer.Argument(help="Model that `ibgn fit` wrote.", readable=False)]
Jobs = Annotated[
    int, typer.Option("--jobs", help="Activities learned at the same time; -1 is all.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed; the same one gives the same result.")]


def cleaning_of(*values: Any) -> "Cleaning":
    """How intervals are cleaned, from the options in their order."""
    from ibgn.records import Cleaning

    names = ("closed", "tick", "tolerance", "zero_length", "min_duration", "duplicates")
    return Cleaning(**dict(zip(names, values, strict=True)))


def load(
    path: Path,
    format: str | None,
    column: list[str] | None,
    delimiter: str | None,
    encoding: str | None,
) -> "LongTable":
    """Load a file, or standard input for -."""
    from ibgn.io.formats import load

    options: dict[str, Any] = {"columns": parse_columns(column)}
    if delimiter is not None:
        options["delimiter"] = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if encoding is not None:
        options["encoding"] = encoding
    return load(Path("/dev/stdin") if str(path) == "-" else path, format=format, **options)


def parse_columns(column: list[str] | None) -> dict[str, str]:
    """Read --column ours=theirs."""
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
