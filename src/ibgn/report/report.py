"""A report: its summary, figures and frames; saved as a page or piece by piece."""

import json
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ibgn._files import replacing, show, writing
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io.dataframes import as_csv
from ibgn.plots.units import timed_in
from ibgn.report.findings import Findings
from ibgn.report.html import PAGE, render
from ibgn.report.section import Figure, Section
from ibgn.report.sections import SECTIONS
from ibgn.text import count

__all__ = ["Report", "make_folder", "make_report"]

MISSING_GLYPH = r"Glyph \d+ .* missing from"  # matplotlib's warning about a letter
SURE = 0.05  # methods differ if p is below this


@dataclass(frozen=True)
class Report:
    """A report and its parts.

    Parameters
    ----------
    summary : its content, as plain values
    figures : by name, each drawn by matplotlib when it is called
    frames : data frames by name
    sections : those of the page whose data the summary has
    template : text of the template of the page

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.evaluate import evaluate
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> from ibgn.report import Origin, find
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> origin = Origin("Relations", "Which method?", "python compare.py", 0, "stratified")
    >>> findings = find(origin, X, y, evaluate(X, y, methods, folds), folds, methods)
    >>> report = make_report(findings)
    >>> isinstance(report, Report), "confusion" in report.frames
    (True, True)
    """

    summary: dict[str, Any]
    figures: Mapping[str, Figure]
    frames: Mapping[str, pd.DataFrame]
    sections: Sequence[Section] = ()
    template: str = PAGE

    def html(self) -> str:
        """One page with everything in it: no script, nothing to load."""
        return render(self.template, self.summary, self.figures, self.sections)

    def save(self, path: str | PathLike[str], pieces: str | PathLike[str] | None = None) -> None:
        """Write the page, and all figures, frames and numbers if `pieces` names a folder."""
        page = self.html()
        with writing(path) as file:
            file.write(page)
        if pieces is not None:
            self.save_pieces(pieces)

    def save_pieces(self, folder: str | PathLike[str], escape_formulas: bool = False) -> None:
        """Write figures as PNG, frames as CSV, and the summary as JSON.

        With `escape_formulas`, spreadsheets run no name of a frame; see `ibgn.io.write_csv`.
        """
        folder = Path(folder)
        make_folder(folder)
        lacking = [
            name
            for name, figure in self.figures.items()
            if not _draw(figure, folder / f"{name}.png")
        ]
        for name, frame in self.frames.items():
            with writing(folder / f"{name}.csv") as file:
                file.write(as_csv(frame, escape_formulas))
        with writing(folder / "summary.json") as file:
            json.dump(self.summary, file, indent=1)
        if lacking:
            warning = DataWarning(
                f"letters that matplotlib's font does not have are boxes in "
                f"{count(len(lacking), 'figure')} (first: {lacking[0]}.png); the page has them all"
            )
            warnings.warn(warning, stacklevel=2)


def make_folder(folder: Path) -> None:
    """Make a folder for output, unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"the folder {show(folder)} could not be made: {error.strerror}; name another"
        ) from error


def _draw(figure: Figure, path: Path) -> bool:
    """Write a figure as PNG and close it; return whether the font has all of its letters."""
    import matplotlib.pyplot as plt

    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", MISSING_GLYPH, UserWarning)
        drawn = figure.draw().get_figure(root=True)
        assert drawn is not None  # noqa: S101 - axes that were just drawn have one
        try:
            with replacing(path) as temporary:
                drawn.savefig(temporary, format="png", dpi=120)
        finally:
            plt.close(drawn)
    others = [each for each in caught if not re.match(MISSING_GLYPH, str(each.message))]
    for each in others:
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return len(others) == len(caught)


def make_report(findings: Findings, sections: Sequence[Section] = SECTIONS) -> Report:
    """Report findings: the data, the comparison, a model, and what it finds hard.

    Parameters
    ----------
    findings : as `find` gives them
    sections : in the order of the page; ``[*SECTIONS, mine]`` adds one to the usual ones

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.evaluate import evaluate
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> from ibgn.report import Origin, find
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> origin = Origin("Relations", "Which method?", "python compare.py", 0, "stratified")
    >>> findings = find(origin, X, y, evaluate(X, y, methods, folds), folds, methods)
    >>> report = make_report(findings)
    >>> "<title>Relations" in report.html()
    True
    """
    repeated = [name for name, n in Counter(s.name for s in sections).items() if n > 1]
    if repeated:
        raise OptionError("sections", repeated, "are names of more than one section; rename one")
    origin = findings.origin
    summary: dict[str, Any] = {
        "title": origin.title,
        "question": origin.question,
        "headline": make_headline(findings),
    }
    figures: dict[str, Figure] = {}
    frames: dict[str, pd.DataFrame] = {}
    for section in sections:
        data = summary[section.name] = section.data(findings)
        if data:
            for name, figure in section.figures(findings, data).items():
                figures[name] = Figure(partial(_draw_timed, figure, origin.unit), figure.alt)
            frames |= section.frames(findings, data)
    return Report(summary, figures, frames, sections)


def _draw_timed(figure: Figure, unit: str) -> Axes:
    with timed_in(unit):
        return figure.draw()


def make_headline(findings: Findings) -> str:
    """The result in one or two sentences."""
    summary, tests = findings.summary, findings.tests
    best = summary.iloc[0]
    line = f"{best['method']} is the most accurate of {len(summary)} methods: "
    if len(summary) == 1:
        line = f"{best['method']} recognises "
    line += f"{best['accuracy']:.1%}"
    if np.isfinite(best["accuracy_error"]):
        line += f" (± {best['accuracy_error']:.1%})"
    line += f" on average over {count(int(best['folds']), 'fold')}"
    if tests.empty:
        return f"{line}."
    differs = tests["p_holm"] < SURE  # false where p is unknown, as after one fold
    close = tests.loc[~differs, "method"].astype(str).tolist()
    if not close:
        return f"{line}, significantly more than every other method (p < {SURE}, Holm-corrected)."
    if len(close) == len(tests):
        return f"{line}. No other method differs significantly from it on these folds."
    return f"{line}. These do not differ significantly from it: {', '.join(close)}."
