"""The command explore: a local page to look, ask and correct."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ibgn.cli.options import Data, Reading, takes_data
from ibgn.cli.output import busy, say, warnings_aloud


@takes_data(unlabelled="keep")
def explore(
    data: Data,
    model: Annotated[
        Path | None, typer.Option(help="Model to ask; by default one learns from the labels.")
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
    """
    from ibgn.explore.serving import serve

    with warnings_aloud(), busy(f"reading {data.name}"):
        X, y = reading.read(data)
        loaded: Any = None
        if model is not None:
            from ibgn.classifiers import load

            loaded = load(model)
        _, format = reading.find(data)
    serve(X, y, loaded, data, format.name, port, browser, say)
