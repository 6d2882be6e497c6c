"""Commands about data: inspect, convert."""

from pathlib import Path
from typing import Annotated

import typer

from ibgn.cli.flags import in_flags
from ibgn.cli.options import Data, Json, Reading, takes_data
from ibgn.cli.output import busy, listed, print_inspection, print_json, say, warnings_aloud
from ibgn.cli.targets import STANDARD, output_file, writes


@takes_data(zero_length="drop")
def inspect(
    data: Data,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Say what is in a file, and what looks like a mistake.

    Intervals of zero length are counted and left out, unless --zero-length error is given.
    """
    from ibgn.inspection import inspect as inspect_sequences

    with warnings_aloud() as said, busy(f"inspecting {data.name}"):
        X, y = reading.read(data)
        found = inspect_sequences(X, y, n_jobs=-1)
    suspected = [in_flags(warning) for warning in found.warnings]
    if as_json:
        print_json(found.as_dict() | {"warnings": [*said, *suspected]})
    else:
        print_inspection(found)
        for warning in suspected:
            say(f"warning: {warning}")


@writes(target="either")
@takes_data()
def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="File to read; - is standard input.", readable=False),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write; - prints it, as CSV or as --to says.",
            readable=False,
        ),
    ],
    to: Annotated[
        str | None, typer.Option("--to", help="Format of OUT, if its suffix does not tell.")
    ] = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Read intervals in one format and write them in another, half-open and in order."""
    from ibgn.errors import Option, OptionError
    from ibgn.io import write
    from ibgn.io.registry import find_format
    from ibgn.text import count

    printed = target == STANDARD
    if printed and as_json:
        reason = ("is printed where ", Option("target", "-"), " prints the intervals; give one")
        raise OptionError("as_json", True, *reason)
    # before the work, so that a typo costs no time
    written_as = find_format(target, to or ("csv" if printed else None), "to", writing=True)
    cleaning = reading.cleaning()
    with warnings_aloud() as said, busy(f"converting {source.name}"):
        frame = reading.load(source)
        X, y = frame.read(cleaning)
        with output_file(target) as path:
            write(X, path, y, format=written_as)
    if as_json:
        counts = {"instances": len(X), "intervals": len(X.action), "format": written_as}
        lost = {"left_out": list(frame.left_out), "warnings": said}
        print_json({"output": str(target)} | counts | lost)
        return
    if frame.left_out:
        say(f"left out {listed(frame.left_out)}")
    if not printed:
        counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
        say(f"wrote {counted} to {target}")
