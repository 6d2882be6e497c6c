"""The command that converts data from one format to another."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ibgn.cli.flags import as_argument, given_flags, in_shell
from ibgn.cli.options import WRITTEN, EscapeFormulas, Json, Reading, takes_data
from ibgn.cli.output import busy, listed, print_json, say, warnings_aloud
from ibgn.cli.targets import STANDARD, format_to_write, output_file, writes


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
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"Format of OUT, if its suffix does not tell: {', '.join(WRITTEN)}.",
        ),
    ] = None,
    escape_formulas: EscapeFormulas = False,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Read intervals in one format and write them in another, half-open and in order.

    From ELAN to ELAN, and from Praat to Praat, all else in a file stays as it is. Instances without
    a label are kept, unless --unlabelled says otherwise.

    $ ibgn convert takes.csv takes.jsonl
    $ ibgn convert talk.eaf - --to csv
    """
    from ibgn.errors import Option, OptionError
    from ibgn.io import write
    from ibgn.io.registry import FORMATS
    from ibgn.text import count

    printed = target == STANDARD
    if printed and as_json:
        reason = ("is printed where ", Option("target", "-"), " prints the intervals; give one")
        raise OptionError("as_json", True, *reason)
    written_as = format_to_write("target", target, to or ("csv" if printed else None), "to")
    cleaning = reading.cleaning()
    if "unlabelled" not in given_flags():  # labels are not needed to write intervals
        reading = replace(reading, unlabelled="keep")
    with warnings_aloud() as said, busy(f"converting {source.name}"):
        frame = reading.load(source)
        X, y = frame.read(cleaning)
        with output_file(target, next(iter(FORMATS[written_as].suffixes), "")) as path:
            # within a format with tiers, what is not read stays as it is
            options: dict[str, Any] = (
                {"into": source} if reading.is_copied(source, written_as) else {}
            )
            options |= {"escape_formulas": True} if escape_formulas else {}
            write(X, path, y, format=written_as, **options)
    unlabelled = 0 if y is None else sum(label is None for label in y)
    if as_json:
        counts = {"instances": len(X), "intervals": len(X.action), "unlabelled": unlabelled}
        lost = {"left_out": list(frame.left_out), "warnings": said}
        print_json({"output": str(target), "format": written_as} | counts | lost)
        return
    if frame.left_out:
        say(f"left out {listed(frame.left_out)}")
    if unlabelled:
        say(f"{count(unlabelled, 'instance')} of {len(X)} without a label")
    if not printed:
        counted = f"{count(len(X), 'instance')}, {count(len(X.action), 'interval')}"
        given = [] if to is None else ["--from", written_as]
        look = ["ibgn", "inspect", as_argument(target), *given]
        say(f"wrote {counted} to {target}; look at it with: {in_shell(*look)}")
