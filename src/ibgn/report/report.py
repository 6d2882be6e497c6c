"""A report: what it says, its figures and its tables; kept as a page or piece by piece."""

import json
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ibgn._files import replacing, show, writing
from ibgn.errors import DataError, DataWarning
from ibgn.report.figures import Figure, make_figures
from ibgn.report.findings import Findings
from ibgn.report.html import render
from ibgn.report.summary import summarise
from ibgn.report.tables import make_tables
from ibgn.text import count

__all__ = ["Report", "make_folder", "make_report"]

MISSING = r"Glyph \d+ .* missing from"  # what matplotlib says of a letter


@dataclass(frozen=True)
class Report:
    """A report in its parts.

    Parameters
    ----------
    template : name of the template that makes a page of it
    summary : what it says, as plain values
    figures : by name, each drawn by matplotlib when it is called
    tables : by name
    """

    template: str
    summary: dict[str, Any]
    figures: Mapping[str, Figure]
    tables: Mapping[str, pd.DataFrame]

    def html(self) -> str:
        """One page with everything in it: no script, nothing to load."""
        return render(self.template, self.summary, self.figures)

    def save(self, path: Path, pieces: Path | None = None) -> None:
        """Write the page, and every figure, table and number into a folder if one is given."""
        page = self.html()
        with writing(path) as file:
            file.write(page)
        if pieces is not None:
            self.save_pieces(pieces)

    def save_pieces(self, folder: Path) -> None:
        """Write figures as PNG, tables as CSV, and the summary as JSON."""
        make_folder(folder)
        lacking = [
            name
            for name, figure in self.figures.items()
            if not _draw(figure, folder / f"{name}.png")
        ]
        for name, table in self.tables.items():
            with writing(folder / f"{name}.csv") as file:
                table.to_csv(file, index=False)
        with writing(folder / "summary.json") as file:
            json.dump(self.summary, file, indent=1)
        if lacking:
            told = (
                f"letters that matplotlib's font does not have are boxes in "
                f"{count(len(lacking), 'figure')} (first: {lacking[0]}.png); the page has them all"
            )
            warnings.warn(told, DataWarning, stacklevel=2)


def make_folder(folder: Path) -> None:
    """Make a folder that is written to, if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the folder {show(folder)} could not be made: {error.strerror}; name another"
        ) from error


def _draw(figure: Figure, path: Path) -> bool:
    """Write a figure as PNG and close it; tells whether the font has all of its letters."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", MISSING, UserWarning)
        _write_png(figure, path)
    others = [one for one in caught if not re.match(MISSING, str(one.message))]
    for one in others:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return len(others) == len(caught)


def _write_png(figure: Figure, path: Path) -> None:
    import matplotlib.pyplot as plt

    drawn = figure.draw().get_figure(root=True)
    assert drawn is not None  # noqa: S101 - axes that were just drawn have one
    try:
        with replacing(path) as temporary:
            drawn.savefig(temporary, format="png", dpi=120)
    finally:
        plt.close(drawn)


def make_report(findings: Findings) -> Report:
    """A report of findings: the data, the comparison, a model and what it finds hard."""
    summary = summarise(findings)
    return Report(
        "report.html", summary, make_figures(findings, summary), make_tables(findings, summary)
    )
