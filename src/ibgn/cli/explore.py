"""The command explore: a local page to look, ask and correct."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ibgn.cli.options import Reading, takes_data
from ibgn.cli.output import busy, say, warnings_aloud
from ibgn.errors import MISSING, Option, OptionError


@takes_data(unlabelled="keep")
def explore(
    data: Annotated[
        Path | None,
        typer.Argument(metavar="DATA", help="File or folder of instances.", readable=False),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Model to ask; by default one learns from the labels.")
    ] = None,
    live: Annotated[
        Path | None,
        typer.Option(help="File that `ibgn listen --output` writes, to see it as it happens."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page, or print its address.")
    ] = True,
    *,
    reading: Reading,
) -> None:
    """Open a page on this machine to look at instances, ask about them and correct them.

    Nobody else can reach it. Changes are kept in a file beside the data until they are saved as a
    copy; the data themselves are never overwritten.

    $ ibgn explore takes.csv
    $ ibgn explore takes.csv --model takes.ibgn --no-browser
    $ ibgn explore --model takes.ibgn --live kitchen.jsonl
    """
    from ibgn.classifiers import load
    from ibgn.explore.saving import Place
    from ibgn.explore.serving import open_collection, serve
    from ibgn.intervals import IntervalSequences

    if data is None and model is None and live is None:
        instead = (" or ", Option("model"), " or ", Option("live"))
        raise OptionError("data", MISSING, "must name a file to look at; give it,", *instead)
    X: Any = IntervalSequences.from_lists([])
    y: Any = None
    place = None
    with warnings_aloud(), busy("reading" if data is None else f"reading {data.name}"):
        if data is not None:
            path, format = reading.find(data)
            X, y = reading.read(data)
            kind, _, name = str(reading.options_of(format).get("activity")).partition(":")
            tier = name if kind == "track" else None
            others = tuple(each for each in (model, live) if each is not None)
            place = None if str(data) == "-" else Place(path, format.name, tier, others)
        loaded = None if model is None else load(model)
    serve(open_collection(X, y, place, say), loaded, place, live, port, browser, say)
