"""Commands about experiments: evaluate."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ibgn.cli.options import Data, Json, Reading, Seed, takes_data
from ibgn.cli.output import print_json, say, warnings_aloud

if TYPE_CHECKING:
    import pandas as pd

    from ibgn.experiments.evaluation import Evaluation, Task

Methods = Annotated[
    list[str] | None,
    typer.Option("--method", "-m", help="Method to compare; repeatable, else those of the paper."),
]
Scheme = Annotated[
    Literal["auto", "stratified", "group", "leave-one-group-out"],
    typer.Option(help="How instances are split; auto keeps groups together where there are any."),
]
Folds = Annotated[int, typer.Option(min=2, help="Folds of a repetition.")]
Repeats = Annotated[int, typer.Option(min=1, help="How often all instances are split anew.")]
Search = Annotated[
    bool, typer.Option(help="Choose parameters of each method within each training set.")
]
Jobs = Annotated[int, typer.Option("--jobs", help="Folds at the same time; -1 is all cores.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV or Parquet file for the scores; a stopped evaluation goes on from beside it.",
    ),
]
Predictions = Annotated[
    Path | None, typer.Option(help="CSV or Parquet file for every single prediction.")
]


@takes_data()
def evaluate(
    data: Data,
    method: Methods = None,
    scheme: Scheme = "auto",
    folds: Folds = 5,
    repeats: Repeats = 1,
    search: Search = False,
    output: Output = None,
    predictions: Predictions = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    as_json: Json = False,
    *,
    reading: Reading,
) -> None:
    """Compare methods on your data, cross-validated, with errors and paired tests."""
    from ibgn.experiments.evaluation import evaluate as evaluate_methods
    from ibgn.experiments.folds import make_folds
    from ibgn.experiments.methods import GRIDS, METHODS, PAPER
    from ibgn.messages import DataError, check_choice

    names = method or list(PAPER)
    for name in names:
        check_choice("method", name, tuple(METHODS))
    chosen = {name: METHODS[name] for name in names}
    for make in chosen.values():
        make(seed)  # a library that is missing is told before the work
    for path in (output, predictions):
        _check_suffix(path)
    with warnings_aloud() as said:
        X, y = reading.read(data)
        if y is None:
            raise DataError("there are no labels to compare with; name their column (columns=)")
        split = make_folds(X, y, scheme, folds, repeats, seed)
        journal = output and output.with_name(f"{output.name}.journal")
        with _watched(len(split) * len(chosen)) as on_done:
            found = evaluate_methods(
                X,
                y,
                chosen,
                split,
                seed=seed,
                search=GRIDS if search else None,
                n_jobs=jobs,
                journal=journal,
                on_done=on_done,
            )
    _keep(found, output, predictions)
    if journal:
        journal.unlink(missing_ok=True)
    if as_json:
        print_json(_as_dict(found, len(X)) | {"warnings": said})
    else:
        _print_comparison(found)


def _check_suffix(path: Path | None) -> None:
    from ibgn.messages import OptionError, quote

    if path is not None and path.suffix.lower() not in (".csv", ".parquet"):
        raise OptionError(f"{quote(path)} is neither a .csv nor a .parquet file; name one")


def _keep(found: "Evaluation", output: Path | None, predictions: Path | None) -> None:
    from ibgn.io.files import replacing

    for table, path in ((found.scores, output), (found.predictions, predictions)):
        if path is None:
            continue
        with replacing(path) as temporary:
            if path.suffix.lower() == ".csv":
                table.to_csv(temporary, index=False)
            else:
                table.to_parquet(temporary, index=False)
        say(f"wrote {path}")


def _as_dict(found: "Evaluation", instances: int) -> dict[str, Any]:
    """Tables as lists of rows; what is not a number is null."""

    def rows(table: "pd.DataFrame") -> list[dict[str, Any]]:
        plain = table.astype(object).where(table.notna(), None)
        return [{str(k): v for k, v in row.items()} for row in plain.to_dict(orient="records")]

    return {
        "instances": instances,
        "summary": rows(found.summary()),
        "comparison": rows(found.compare()),
        "folds": rows(found.scores),
    }


def _print_comparison(found: "Evaluation") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    summary = found.summary()
    console.print(_summary_table(summary))
    best = str(summary["method"][0])
    if len(summary) > 1:
        tests = found.compare(best)
        told = [
            f"{row['method']}: {row['difference']:+.3f} ± {row['error']:.3f}, "
            f"p {_shown_p(row['p_holm'])}"
            for row in tests.to_dict(orient="records")
        ]
        console.print(f"Against {best}, by paired tests over folds (p by Holm):", *told, sep="\n  ")


def _shown_p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _summary_table(summary: "pd.DataFrame") -> Any:
    from rich.table import Table

    table = Table(
        "method", "accuracy", "balanced", "macro F1", "log loss", "calibration", "seconds"
    )
    for row in summary.to_dict(orient="records"):
        cells = [
            f"{row[name]:.3f} ± {row[f'{name}_error']:.3f}"
            for name in ("accuracy", "balanced_accuracy", "macro_f1")
        ]
        numbers = [f"{row['log_loss']:.2f}", f"{row['calibration_error']:.3f}"]
        seconds = f"{row['fit_seconds'] + row['predict_seconds']:.2f}"
        table.add_row(str(row["method"]), *cells, *numbers, seconds)
    return table


@contextmanager
def _watched(total: int) -> Iterator[Any]:
    """Show a live table and the time left on a terminal, nothing elsewhere."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    done: dict[str, list[float]] = {}
    begin = time.monotonic()

    def on_done(task: "Task", result: dict[str, Any]) -> None:
        done.setdefault(task.method, []).append(result["accuracy"])
        live.update(_progress_table(done, total, time.monotonic() - begin))

    with Live(console=console, transient=True) as live:
        yield on_done


def _progress_table(done: dict[str, list[float]], total: int, seconds: float) -> Any:
    from rich.table import Table

    count = sum(map(len, done.values()))
    left = seconds / count * (total - count)
    table = Table("method", "folds", "accuracy so far")
    table.title = f"{count} of {total} done, about {left:.0f} s left"
    for name, values in done.items():
        table.add_row(name, str(len(values)), f"{sum(values) / len(values):.3f}")
    return table
