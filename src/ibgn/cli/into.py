"""Predictions as a tier of the user's own file: options of predict, and what they do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.options import Reading
from ibgn.cli.output import say

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

Into = Annotated[
    Path | None,
    typer.Option(
        help="File of ELAN or Praat, or a folder: --output is its copy, with predictions as a tier."
    ),
]
Tier = Annotated[str, typer.Option(metavar="NAME", help="Name of the tier that --into adds.")]
Replace = Annotated[
    bool, typer.Option("--replace-tier", help="Replace a tier of that name, if there is one.")
]


def check_into(into: Path | None, output: Path | None) -> None:
    """Refuse a file, or a copy with a tier, that cannot be written, before the work."""
    from ibgn.errors import MISSING, Option, OptionError
    from ibgn.io.tiers import check_copy, format_with_tiers

    if into is None:
        if output is not None and output.is_dir():
            raise OptionError("output", str(output), "is a folder; name a file")
        return
    if output is None:
        raise OptionError("output", MISSING, "must name the copy of ", Option("into", str(into)))
    format_with_tiers(into)
    check_copy(into, output)


def add_tiers(
    into: Path,
    output: Path,
    X: "IntervalSequences",
    labels: Any,
    tier: str,
    replace: bool,
    reading: Reading,
) -> None:
    """Write predictions into a copy, and say so."""
    from ibgn.io import FORMATS, add_predictions
    from ibgn.io.tiers import format_with_tiers
    from ibgn.text import count, quote

    options = reading.options_of(FORMATS[format_with_tiers(into)])
    activity = options.get("activity")
    number = add_predictions(into, output, X, labels, tier=tier, replace=replace, activity=activity)
    say(f"wrote {count(number, 'prediction')} to tier {quote(tier)} of {output}")
