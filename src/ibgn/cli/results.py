"""What commands that compare methods show while they run, print and write."""

import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.output import busy, say, warnings_aloud

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.live import Live

    from ibgn.evaluation.evaluate import Evaluation
    from ibgn.evaluation.journal import Journal
    from ibgn.evaluation.trials import Task
    from ibgn.report import Findings

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV or Parquet file for the scores; an interrupted run resumes from a journal.",
    ),
]
Predictions = Annotated[
    Path | None, typer.Option(help="CSV or Parquet file for every single prediction.")
]
Page = Annotated[
    Path | None,
    typer.Option("--report", help="HTML file for a report that can be read offline."),
]
Pieces = Annotated[
    Path | None,
    typer.Option(help="Folder for every figure (PNG), frame (CSV) and number (JSON) of a report."),
]

SCORES = ("balanced_accuracy", "macro_f1", "log_loss", "brier_score")
WIDE = 200  # letters per line if the output is not a terminal


def command_line() -> str:
    """The command as it was typed, without the path of the program."""
    return shlex.join(["ibgn", *sys.argv[1:]])


def check_jobs(jobs: int) -> None:
    """Refuse a number of jobs that joblib cannot use."""
    from ibgn.checks import check_jobs as check

    check("jobs", jobs)


def keep(frame: "pd.DataFrame", path: Path | None) -> None:
    """Write a data frame as CSV or Parquet; the file appears when it is complete."""
    from ibgn._files import replacing

    if path is None:
        return
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            frame.to_csv(temporary, index=False)
        else:
            frame.to_parquet(temporary, index=False)
    say(f"wrote {path}")


@dataclass(frozen=True)
class Outputs:
    """Where results are written: options that several commands share."""

    output: Output = None
    predictions: Predictions = None
    report: Page = None
    pieces: Pieces = None

    def check(self, *inputs: Path | None) -> None:
        """Fail early if an output could not be written, or would overwrite data."""
        from ibgn.errors import OptionError

        _check_file("output", self.output, ".csv", ".parquet")
        _check_file("predictions", self.predictions, ".csv", ".parquet")
        _check_file("report", self.report, ".html", ".htm")
        if self.pieces is not None:
            from ibgn.report.report import make_folder

            make_folder(self.pieces)
        read = {path.resolve() for path in inputs if path is not None}
        written: set[Path] = set()
        for option in ("output", "predictions", "report", "pieces"):
            path = getattr(self, option)
            if path is None:
                continue
            if path.resolve() in read:
                reason = "is also an input, and would be overwritten; name another file"
                raise OptionError(option, str(path), reason)
            if path.resolve() in written:
                raise OptionError(option, str(path), "is written twice; name another file")
            written.add(path.resolve())

    @cached_property
    def journal(self) -> "Journal | None":
        """Journal in a file beside the first output; it holds results until all are written."""
        from ibgn.evaluation.journal import Journal

        first = self.output or self.predictions or self.report or self.pieces
        return None if first is None else Journal(first.with_name(f"{first.name}.journal"))

    @property
    def has_report(self) -> bool:
        """Whether a page or its pieces are to be written."""
        return self.report is not None or self.pieces is not None

    def keep_frames(self, scores: "pd.DataFrame", predictions: "pd.DataFrame") -> None:
        """Write scores and predictions to the files that were named, if any."""
        keep(scores, self.output)
        keep(predictions, self.predictions)

    def write_report(self, find: Callable[[], "Findings"]) -> list[str]:
        """Write the page, its pieces, or both; returns warnings."""
        from ibgn.report import make_report

        with warnings_aloud() as messages, busy("writing the report"):
            report = make_report(find())
            if self.report is not None:
                report.save(self.report)
            if self.pieces is not None:
                report.save_pieces(self.pieces)
        for path in (self.report, self.pieces):
            if path is not None:
                say(f"wrote {path}")
        return messages

    def finish(self) -> None:
        """Remove this run's results from the journal, once all is written."""
        if self.journal is not None:
            self.journal.forget()


def _check_file(option: str, path: Path | None, *suffixes: str) -> None:
    """Refuse a file of another kind, or in a folder that cannot be written to."""
    from ibgn.errors import DataError, OptionError
    from ibgn.text import quote

    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise OptionError(option, str(path), f"must be a {' or a '.join(suffixes)} file")
    if not path.parent.is_dir():
        raise DataError(f"there is no folder {quote(path.parent)}; make it first")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise DataError(
            f"nothing can be written to the folder {quote(path.parent)}: {error.strerror}"
        ) from error


def print_comparison(evaluation: "Evaluation") -> None:
    """Print the scores of all methods, and paired tests against the best."""
    console = wide_console()
    summary = evaluation.summary()
    console.print(_summary_table(summary))
    if (summary["calibration_error"] > summary["calibration_limit"]).any():
        console.print("* more than chance explains if confidence were right")
    best = str(summary["method"][0])
    if len(summary) > 1:
        lines = []
        for row in evaluation.compare().to_dict(orient="records"):
            p = "< 0.001" if row["p_holm"] < 0.001 else f"= {row['p_holm']:.3f}"
            if row["p_holm"] != row["p_holm"]:  # the folds have no differences to test
                p = "unknown"
            gain = f"{row['difference']:+.3f} ± {row['error']:.3f}"
            lines.append(f"{row['method']}: {gain}, p {p}")
        console.print(
            f"Against {best}, by paired tests over folds (p by Holm):", *lines, sep="\n  "
        )


def wide_console() -> "Console":
    """A console that does not cut lines when its output goes to a file."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def _summary_table(summary: "pd.DataFrame") -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    names = ("method", "accuracy", "balanced", "macro F1", "log loss", "Brier", "calib.", "seconds")
    table = Table(*names, box=SIMPLE_HEAD, pad_edge=False)  # fits into 80 letters
    for row in summary.to_dict(orient="records"):
        accuracy = f"{row['accuracy']:.3f}±{row['accuracy_error']:.3f}"
        numbers = [f"{row[name]:.3f}" for name in SCORES]
        beyond = "*" if row["calibration_error"] > row["calibration_limit"] else ""
        calibration = f"{row['calibration_error']:.3f}{beyond}"
        seconds = f"{row['fit_seconds'] + row['predict_seconds']:.2f}"
        table.add_row(str(row["method"]), accuracy, *numbers, calibration, seconds)
    return table


def print_curves(curves: "pd.DataFrame") -> None:
    """Print the accuracy of each method under each condition."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from ibgn.text import printable

    methods = list(dict.fromkeys(curves["method"]))
    table = Table("errors", "rate", *methods, box=SIMPLE_HEAD, pad_edge=False)
    for _, part in curves.groupby(["error", "rate"], sort=False):
        error, rate = str(part["error"].iloc[0]), float(part["rate"].iloc[0])
        cells = {
            row["method"]: f"{row['accuracy']:.3f}±{row['accuracy_error']:.3f}"
            for row in part.to_dict(orient="records")
        }
        shown = f"{rate:.0%}" if rate else ""
        table.add_row(Text(printable(error)), shown, *(cells.get(name, "") for name in methods))
    wide_console().print(table)


class Watch:
    """Progress, shown as a live table with the time left, if there is one."""

    def __init__(self, live: "Live | None") -> None:
        self.live = live
        self.part, self.total, self.since = "", 0, 0.0
        self.accuracies: dict[str, list[float]] = {}

    def begin(self, part: str, total: int) -> None:
        """Begin a part of the work with this many tasks."""
        self.part, self.total, self.since = part, total, time.monotonic()
        self.accuracies = {}
        self._show()

    def done(self, task: "Task", result: dict[str, Any]) -> None:
        """Record a finished task."""
        self.accuracies.setdefault(task.method, []).append(result["tests"][0]["accuracy"])
        self._show()

    def _show(self) -> None:
        if self.live is None:
            return
        from rich.markup import escape
        from rich.table import Table

        from ibgn.text import printable

        count = sum(map(len, self.accuracies.values()))
        table = Table("method", "folds", "accuracy so far")
        table.title = escape(printable(self.part))  # contains names of recordings
        if count:
            left = (time.monotonic() - self.since) / count * (self.total - count)
            table.title += f": {count} of {self.total} done, about {left:.0f} s left"
        for name, values in self.accuracies.items():
            table.add_row(name, str(len(values)), f"{sum(values) / len(values):.3f}")
        self.live.update(table)


@contextmanager
def watched() -> Iterator[Watch]:
    """Show a live table with the time left, on a terminal only."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Watch(None)
        return
    with Live(console=console, transient=True) as live:
        yield Watch(live)
