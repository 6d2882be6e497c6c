"""The command that converts data from one format to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ibgn.cli.options import Json, Reading, takes_data
from ibgn.cli.output import busy, listed, print_json, say, warnings_aloud

if TYPE_CHECKING:
    from ibgn.io.longframe import LongFrame


@takes_data()
def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="File to read; - is standard input.", readable=False),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write.", readable=False)],
    to: Annotated[
        str | None, typer.Option("--to", help="Format of OUT, if its suffix does not tell.")
    ] = None,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Read intervals in one format and write them in another, half-open and in order."""
    from ibgn.io import write
    from ibgn.io.registry import find_format
    from ibgn.text import count

    # before the work, so that a typo costs no time
    written_as, cleaning = find_format(target, to, "to", writing=True), reading.cleaning()
    with warnings_aloud() as said, busy(f"converting {source.name}"):
        frame = reading.load(source)
        _refuse_loss(frame, source, target)
        X, y = frame.read(cleaning)
        write(X, target, y, format=written_as)
    if as_json:
        counts = {"instances": len(X), "intervals": len(X.action), "format": written_as}
        lost = {"left_out": list(frame.left_out), "warnings": said}
        print_json({"output": str(target)} | counts | lost)
        return
    if frame.left_out:
        say(f"left out {listed(frame.left_out)}")
    counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
    say(f"wrote {counted} to {target}")


def _refuse_loss(frame: "LongFrame", source: Path, target: Path) -> None:
    from ibgn.errors import DataError

    in_place = source.exists() and target.exists() and source.samefile(target)
    if in_place and frame.left_out:
        raise DataError(
            f"{frame.source}IN and OUT are the same file, which would lose "
            f"{listed(frame.left_out)}; name another OUT"
        )
