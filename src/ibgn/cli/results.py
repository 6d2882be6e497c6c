"""What commands about experiments show while they run, print and keep."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgn.cli.output import busy, say

if TYPE_CHECKING:
    import pandas as pd
    from rich.live import Live

    from ibgn.experiments.evaluation import Evaluation
    from ibgn.experiments.trials import Task
    from ibgn.report import Findings, Origin

SCORES = ("accuracy", "balanced_accuracy", "macro_f1")


def command_line() -> str:
    """The command as it was typed, but for the path of the program."""
    return shlex.join(["ibgn", *sys.argv[1:]])


def check_suffix(path: Path | None, *suffixes: str) -> None:
    """Refuse a file of another kind before the work is done."""
    from ibgn.messages import OptionError, quote

    if path is not None and path.suffix.lower() not in suffixes:
        listed = " nor a ".join(suffixes)
        raise OptionError(f"{quote(path)} is neither a {listed} file; name one")


def keep(table: "pd.DataFrame", path: Path | None) -> None:
    """Write a table as CSV or Parquet, whole or not at all."""
    from ibgn.io.files import replacing

    if path is None:
        return
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            table.to_csv(temporary, index=False)
        else:
            table.to_parquet(temporary, index=False)
    say(f"wrote {path}")


def write_report(
    page: Path | None,
    pieces: Path | None,
    find_out: Callable[["Origin"], "Findings"],
    title: str,
    question: str,
    seed: int,
    scheme: str,
) -> None:
    """Make a report and write what is asked for: the page, its pieces, both or neither."""
    if page is None and pieces is None:
        return
    from ibgn.report import Origin, make_report

    with busy("writing the report"):
        report = make_report(find_out(Origin(title, question, command_line(), seed, scheme)))
        if page is not None:
            report.save(page)
        if pieces is not None:
            report.save_pieces(pieces)
    for path in (page, pieces):
        if path is not None:
            say(f"wrote {path}")


def print_comparison(found: "Evaluation") -> None:
    """Print scores of all methods, and paired tests against the best."""
    from rich.console import Console

    console = Console(highlight=False)
    summary = found.summary()
    console.print(_summary_table(summary))
    best = str(summary["method"][0])
    if len(summary) > 1:
        told = [
            f"{row['method']}: {row['difference']:+.3f} ± {row['error']:.3f}, "
            f"p {_shown_p(row['p_holm'])}"
            for row in found.compare(best).to_dict(orient="records")
        ]
        console.print(f"Against {best}, by paired tests over folds (p by Holm):", *told, sep="\n  ")


def _shown_p(p: float) -> str:
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
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ibgn.messages import printable

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
    Console(highlight=False).print(table)


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
        from rich.table import Table

        count = sum(map(len, self.accuracies.values()))
        table = Table("method", "folds", "accuracy so far")
        table.title = self.part
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
