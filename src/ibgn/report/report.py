"""A report: what it says, its figures and its tables; kept as a page or piece by piece."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ibgn.io.files import replacing, writing
from ibgn.report.figures import Figure, make_figures
from ibgn.report.findings import Findings
from ibgn.report.html import render
from ibgn.report.summary import summarise
from ibgn.report.tables import make_tables

__all__ = ["Report", "make_report"]


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
        import matplotlib.pyplot as plt

        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in self.figures.items():
            drawn = figure.draw().get_figure(root=True)
            assert drawn is not None  # noqa: S101 - axes that were just drawn have one
            with replacing(folder / f"{name}.png") as temporary:
                drawn.savefig(temporary, format="png", dpi=120)
            plt.close(drawn)
        for name, table in self.tables.items():
            with writing(folder / f"{name}.csv") as file:
                table.to_csv(file, index=False)
        with writing(folder / "summary.json") as file:
            json.dump(self.summary, file, indent=1)


def make_report(findings: Findings) -> Report:
    """A report of findings: the data, the comparison, a model and what it finds hard."""
    summary = summarise(findings)
    return Report(
        "report.html", summary, make_figures(findings, summary), make_tables(findings, summary)
    )
