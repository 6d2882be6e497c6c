"""Tables that commands which compare methods print."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from ibgn.evaluation.evaluate import Evaluation

SCORES = ("balanced_accuracy", "macro_f1", "log_loss", "brier_score")
WIDE = 200  # letters per line if the output is not a terminal


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


def print_reliability(frame: "pd.DataFrame") -> None:
    """Print how often each method is right, by how sure it was."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from ibgn.text import printable

    heads = ("method", "confidence", "instances", "right", "by chance")
    table = Table(*heads, box=SIMPLE_HEAD, pad_edge=False)
    for method, bins in frame.groupby("method", sort=False):
        name = printable(method)
        for row in bins.to_dict(orient="records"):
            low, high = row["chance_low"], row["chance_high"]
            beyond = "" if low <= row["accuracy"] <= high else "*"
            table.add_row(
                Text(name),
                f"{row['low']:.0%} to {row['high']:.0%}",
                str(row["instances"]),
                f"{row['accuracy']:.1%}{beyond}",
                f"{low:.1%} to {high:.1%}",
            )
            name = ""  # only in its first row
        table.add_section()
    console = wide_console()
    console.print(table)
    console.print("* outside of what 95 of 100 perfectly calibrated methods would show")


def print_accuracies(curves: "pd.DataFrame", **columns: Callable[[Any], str]) -> None:
    """Print the accuracy of each method, in one row for each combination of some columns.

    Parameters
    ----------
    curves : one row per method and combination
    columns : how the values of each of these columns are written
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    methods = list(dict.fromkeys(curves["method"]))
    heads = [name.replace("_", " ") for name in columns]
    table = Table(*heads, *methods, box=SIMPLE_HEAD, pad_edge=False)
    for key, part in curves.groupby(list(columns), sort=False):
        cells = {
            row["method"]: f"{row['accuracy']:.3f}±{row['accuracy_error']:.3f}"
            for row in part.to_dict(orient="records")
        }
        shown = [Text(write(value)) for write, value in zip(columns.values(), key, strict=True)]
        table.add_row(*shown, *(cells.get(name, "") for name in methods))
    wide_console().print(table)
