"""What commands about experiments show while they run, print and keep."""

import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.options import Command, expanding
from ibgn.cli.output import busy, say, warnings_aloud

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.live import Live

    from ibgn.evaluation.evaluate import Evaluation
    from ibgn.evaluation.trials import Task
    from ibgn.report import Findings, Origin

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV or Parquet file for the scores; what was stopped goes on from beside it.",
    ),
]
Predictions = Annotated[
    Path | None, typer.Option(help="CSV or Parquet file for every single prediction.")
]
Page = Annotated[
    Path | None,
    typer.Option("--report", help="HTML file for a report; it needs no network to be looked at."),
]
Pieces = Annotated[
    Path | None,
    typer.Option(help="Folder for every figure (PNG), table (CSV) and number (JSON) of a report."),
]

SCORES = ("accuracy", "balanced_accuracy", "macro_f1")
WIDE = 200  # letters, where nobody looks at a terminal


def command_line() -> str:
    """The command as it was typed, but for the path of the program."""
    return shlex.join(["ibgn", *sys.argv[1:]])


def check_jobs(jobs: int) -> None:
    """Refuse no jobs at all."""
    from ibgn.checks import check_jobs as check

    check("jobs", jobs)


def keep(table: "pd.DataFrame", path: Path | None) -> None:
    """Write a table as CSV or Parquet, whole or not at all."""
    from ibgn._files import replacing

    if path is None:
        return
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            table.to_csv(temporary, index=False)
        else:
            table.to_parquet(temporary, index=False)
    say(f"wrote {path}")


@dataclass(frozen=True)
class Outputs:
    """Where results are kept: what the options of commands about experiments say."""

    output: Output = None
    predictions: Predictions = None
    report: Page = None
    pieces: Pieces = None

    def check(self, *inputs: Path | None) -> None:
        """Refuse before the work what could not be written after it, or would overwrite data."""
        for path in (self.output, self.predictions):
            _check_file(path, ".csv", ".parquet")
        _check_file(self.report, ".html", ".htm")
        if self.pieces is not None:
            from ibgn.report.report import make_folder

            make_folder(self.pieces)
        _check_distinct([self.output, self.predictions, self.report, self.pieces], inputs)

    @property
    def journal(self) -> Path | None:
        """What keeps the work until it is written, beside the first that is to be."""
        first = self.output or self.predictions or self.report or self.pieces
        return first and first.with_name(f"{first.name}.journal")

    def keep_tables(self, scores: "pd.DataFrame", predictions: "pd.DataFrame") -> None:
        """Write scores and predictions where that is asked for."""
        keep(scores, self.output)
        keep(predictions, self.predictions)

    def write_report(
        self, origin: "Origin", find_out: Callable[["Origin"], "Findings"]
    ) -> list[str]:
        """Write what is asked for, the page, its pieces, both or neither; gives warnings."""
        if self.report is None and self.pieces is None:
            return []
        from ibgn.report import make_report

        with warnings_aloud() as said, busy("writing the report"):
            report = make_report(find_out(origin))
            if self.report is not None:
                report.save(self.report)
            if self.pieces is not None:
                report.save_pieces(self.pieces)
        for path in (self.report, self.pieces):
            if path is not None:
                say(f"wrote {path}")
        return said

    def finish(self) -> None:
        """Forget the work once all is written."""
        if self.journal is not None:
            self.journal.unlink(missing_ok=True)


def takes_outputs() -> Callable[[Command], Command]:
    """Give a command all options of `Outputs`, in place of its parameter `outputs`."""
    return expanding("outputs", Outputs)


def _check_file(path: Path | None, *suffixes: str) -> None:
    """Refuse a file of another kind, or in no folder that can be written to."""
    from ibgn.errors import DataError, OptionError
    from ibgn.text import quote

    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        listed = " nor a ".join(suffixes)
        raise OptionError(f"{quote(path)} is neither a {listed} file; name one")
    if not path.parent.is_dir():
        raise DataError(f"there is no folder {quote(path.parent)}; make it first")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise DataError(
            f"nothing can be written to the folder {quote(path.parent)}: {error.strerror}"
        ) from error


def _check_distinct(outputs: Sequence[Path | None], inputs: Sequence[Path | None]) -> None:
    from ibgn.errors import OptionError
    from ibgn.text import quote

    read = {path.resolve() for path in inputs if path is not None}
    written: set[Path] = set()
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in read:
            raise OptionError(f"{quote(path)} is read, and would be overwritten; name another file")
        if path.resolve() in written:
            raise OptionError(f"{quote(path)} is named twice to be written; name another file")
        written.add(path.resolve())


def print_comparison(found: "Evaluation") -> None:
    """Print scores of all methods, and paired tests against the best."""
    console = wide_console()
    summary = found.summary()
    console.print(_summary_table(summary))
    best = str(summary["method"][0])
    if len(summary) > 1:
        told = [
            f"{row['method']}: {row['difference']:+.3f} ± {row['error']:.3f}, "
            f"p {_shown_p(row['p_holm'])}"
            for row in found.compare().to_dict(orient="records")
        ]
        console.print(f"Against {best}, by paired tests over folds (p by Holm):", *told, sep="\n  ")


def wide_console() -> "Console":
    """A console that cuts nothing off where its output goes to a file."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def _shown_p(p: float) -> str:
    if p != p:  # folds do not differ in anything that could be tested
        return "unknown"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _summary_table(summary: "pd.DataFrame") -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    names = ("method", "accuracy", "balanced", "macro F1", "log loss", "calib.", "seconds")
    table = Table(*names, box=SIMPLE_HEAD, pad_edge=False)  # which fits into 80 letters
    for row in summary.to_dict(orient="records"):
        cells = [f"{row[name]:.3f}±{row[f'{name}_error']:.3f}" for name in SCORES]
        numbers = [f"{row['log_loss']:.2f}", f"{row['calibration_error']:.3f}"]
        seconds = f"{row['fit_seconds'] + row['predict_seconds']:.2f}"
        table.add_row(str(row["method"]), *cells, *numbers, seconds)
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
    """What is done, for a live table with the time left; without a live table, nothing."""

    def __init__(self, live: "Live | None") -> None:
        self.live = live
        self.part, self.total, self.since = "", 0, 0.0
        self.accuracies: dict[str, list[float]] = {}

    def begin(self, part: str, total: int) -> None:
        """Begin a part of the work that has so many tasks."""
        self.part, self.total, self.since = part, total, time.monotonic()
        self.accuracies = {}
        self._show()

    def done(self, task: "Task", result: dict[str, Any]) -> None:
        """Take note of a task that is done."""
        self.accuracies.setdefault(task.method, []).append(result["tests"][0]["accuracy"])
        self._show()

    def _show(self) -> None:
        if self.live is not None:
            self.live.update(self._table())

    def _table(self) -> Any:
        from rich.markup import escape
        from rich.table import Table

        from ibgn.text import printable

        count = sum(map(len, self.accuracies.values()))
        table = Table("method", "folds", "accuracy so far")
        table.title = escape(printable(self.part))  # which has names of recordings
        if count:
            left = (time.monotonic() - self.since) / count * (self.total - count)
            table.title += f": {count} of {self.total} done, about {left:.0f} s left"
        for name, values in self.accuracies.items():
            table.add_row(name, str(len(values)), f"{sum(values) / len(values):.3f}")
        return table


@contextmanager
def watched() -> Iterator[Watch]:
    """Show a live table and the time left on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Watch(None)
        return
    with Live(console=console, transient=True) as live:
        yield Watch(live)
