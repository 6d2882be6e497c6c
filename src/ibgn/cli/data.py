"""Commands about data: inspect, convert."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgn.cli.options import (
    Closed,
    Column,
    Data,
    Delimiter,
    Duplicates,
    Encoding,
    Format,
    Json,
    MinDuration,
    Tick,
    Tolerance,
    ZeroLength,
    cleaning_of,
    load,
)
from ibgn.cli.output import (
    busy,
    in_flags,
    listed,
    print_inspection,
    print_json,
    say,
    warnings_aloud,
)

if TYPE_CHECKING:
    from ibgn.io.table import LongTable


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

    cleaning = cleaning_of(closed, tick, tolerance, zero_length, min_duration, duplicates)
    with warnings_aloud() as said, busy(f"inspecting {data.name}"):
        X, y = load(data, format, column, delimiter, encoding).read(cleaning)
        found = inspect_sequences(X, y, n_jobs=-1)
    suspected = [in_flags(warning) for warning in found.warnings]
    if as_json:
        print_json(found.as_dict() | {"warnings": [*said, *suspected]})
    else:
        print_inspection(found)
        for warning in suspected:
            say(f"warning: {warning}")


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
    cleaning = cleaning_of(closed, tick, tolerance, zero_length, min_duration, duplicates)
    with warnings_aloud() as said, busy(f"converting {source.name}"):
        table = load(source, format, column, delimiter, encoding)
        _refuse_loss(table, source, target)
        X, y = table.read(cleaning)
        write(X, target, y, format=written_as)
    if as_json:
        counts = {"instances": len(X), "intervals": len(X.action), "format": written_as}
        lost = {"left_out": list(table.left_out), "warnings": said}
        print_json({"output": str(target)} | counts | lost)
        return
    if table.left_out:
        say(f"left out {listed(table.left_out)}")
    counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
    say(f"wrote {counted} to {target}")


def _refuse_loss(table: "LongTable", source: Path, target: Path) -> None:
    from ibgn.messages import DataError

    in_place = source.exists() and target.exists() and source.samefile(target)
    if in_place and table.left_out:
        raise DataError(
            f"{table.source}IN and OUT are the same file, which would lose "
            f"{listed(table.left_out)}; name another OUT"
        )
