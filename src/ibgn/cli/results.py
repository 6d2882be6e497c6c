"""What commands that compare methods show while they run, and write."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ibgn.cli.flags import in_shell
from ibgn.cli.interruption import resumable
from ibgn.cli.options import EscapeFormulas
from ibgn.cli.output import busy, say, warnings_aloud
from ibgn.cli.targets import Command, Kind, check_suffix, writes

if TYPE_CHECKING:
    import pandas as pd
    from rich.live import Live

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
    typer.Option(
        metavar="FOLDER",
        help="Folder for every figure (PNG), frame (CSV) and number (JSON) of a report.",
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        help="Unit of the times, for the report, such as s or min; by default what the format says."
    ),
]


def writes_outputs(*pairs: str) -> Callable[[Command], Command]:
    """Check where `Outputs` go before a command runs; its `pairs` name files that are read.

    A command that is stopped says that it resumes, where it does.
    """
    kinds: dict[str, Kind] = {"output": "file", "predictions": "file", "report": "file"}
    kinds["pieces"] = "folder"

    def decorate(command: Command) -> Command:
        @wraps(command)
        def noting(**given: Any) -> None:
            outputs = Outputs(**{name: given[name] for name in kinds})
            with resumable(outputs.journal_path, outputs.paths):
                command(**given)

        return writes(pairs, **kinds)(noting)

    return decorate


def command_line() -> str:
    """The command as it was typed, without the path of the program."""
    return in_shell("ibgn", *sys.argv[1:])


def check_jobs(jobs: int) -> None:
    """Refuse a number of jobs that joblib cannot use."""
    from ibgn.checks import check_jobs as check

    check("jobs", jobs)


def keep(frame: "pd.DataFrame", path: Path | None, escape_formulas: bool) -> None:
    """Write a data frame as CSV or Parquet; the file appears when it is complete."""
    from ibgn._files import replacing
    from ibgn.io.dataframes import as_csv

    if path is None:
        return
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            temporary.write_text(as_csv(frame, escape_formulas), "utf-8", newline="")
        else:
            frame.to_parquet(temporary, index=False)
    say(f"wrote {path}")


@dataclass(frozen=True)
class Outputs:
    """Where results are written: options that several commands share."""

    panel: ClassVar[str] = "Files to write"

    output: Output = None
    predictions: Predictions = None
    report: Page = None
    pieces: Pieces = None
    unit: Unit = None
    escape_formulas: EscapeFormulas = False

    def check(self) -> None:
        """Refuse files that could not be written, and what is no journal in the place of one."""
        check_suffix("output", self.output, ".csv", ".parquet")
        check_suffix("predictions", self.predictions, ".csv", ".parquet")
        check_suffix("report", self.report, ".html", ".htm")
        parquet = any(path.suffix.lower() == ".parquet" for path in self.paths)
        if parquet and find_spec("pyarrow") is None:
            text = "Parquet needs pyarrow; install it with: pip install 'ibgn[parquet]'"
            raise ModuleNotFoundError(text)
        _ = self.journal  # reads it

    @property
    def paths(self) -> list[Path]:
        """Files and folders that were named."""
        named = (self.output, self.predictions, self.report, self.pieces)
        return [path for path in named if path is not None]

    @property
    def journal_path(self) -> Path | None:
        """File beside the first output; it holds results until all are written."""
        first = next(iter(self.paths), None)
        return None if first is None else first.with_name(f"{first.name}.journal")

    @cached_property
    def journal(self) -> "Journal | None":
        """Journal of the results, if any is written."""
        from ibgn.evaluation.journal import Journal

        return None if self.journal_path is None else Journal(self.journal_path)

    @property
    def has_report(self) -> bool:
        """Whether a page or its pieces are to be written."""
        return self.report is not None or self.pieces is not None

    def keep_frames(self, scores: "pd.DataFrame", predictions: "pd.DataFrame") -> None:
        """Write scores and predictions to the files that were named, if any."""
        keep(scores, self.output, self.escape_formulas)
        keep(predictions, self.predictions, self.escape_formulas)

    def write_report(self, find: Callable[[], "Findings"]) -> list[str]:
        """Write the page, its pieces, or both; returns warnings."""
        from ibgn._files import filling
        from ibgn.report import make_report

        with warnings_aloud() as messages, busy("writing the report"):
            report = make_report(find())
            if self.report is not None:
                report.save(self.report)
            if self.pieces is not None:
                with filling(self.pieces) as folder:
                    report.save_pieces(folder, self.escape_formulas)
        for path in (self.report, self.pieces):
            if path is not None:
                say(f"wrote {path}")
        return messages

    def finish(self) -> None:
        """Remove this run's results from the journal, once all is written."""
        if self.journal is not None:
            self.journal.forget()


class Watch:
    """Progress, shown as a live table with the time left, if there is one."""

    def __init__(self, live: "Live | None") -> None:
        self.live = live
        self.part, self.total, self.since, self.alike = "", 0, 0.0, True
        self.accuracies: dict[str, list[float]] = {}

    def begin(self, part: str, total: int, alike: bool = True) -> None:
        """Begin a part of the work with this many tasks.

        If tasks are not alike, as they learn from more or less data, there is no mean to show.
        """
        self.part, self.total, self.since, self.alike = part, total, time.monotonic(), alike
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
        table = Table("method", *(("folds", "accuracy so far") if self.alike else ("done",)))
        table.title = escape(printable(self.part))  # contains names of recordings
        if count:
            left = (time.monotonic() - self.since) / count * (self.total - count)
            table.title += f": {count} of {self.total} done, about {left:.0f} s left"
        table.min_width = len(table.title)  # which is then in one line, where there is room
        for name, values in self.accuracies.items():
            mean = [f"{sum(values) / len(values):.3f}"] if self.alike else []
            table.add_row(name, str(len(values)), *mean)
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
