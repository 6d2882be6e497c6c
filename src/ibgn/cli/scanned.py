"""The command evaluate on data that are read piece by piece."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgn.cli.comparison import USUAL_FOLDS, Comparison
from ibgn.cli.options import Reading
from ibgn.cli.output import busy, print_json, warnings_aloud
from ibgn.cli.results import Outputs, keep
from ibgn.cli.tables import print_table
from ibgn.errors import Option, OptionError

if TYPE_CHECKING:
    import pandas as pd

SCANNED = Option("scanned", True)
METHOD = "IBGN-T"  # by default


def evaluate_scanned(
    data: Path,
    unused: dict[str, Any],
    as_json: bool,
    comparison: Comparison,
    reading: Reading,
    outputs: Outputs,
) -> None:
    """Cross-validate methods piece by piece, and show the mean of their folds.

    unused : options that need all instances at once, which are refused
    """
    from ibgn.evaluation.plain import rows
    from ibgn.evaluation.scanned import evaluate_source

    unused |= {"search": comparison.search, "n_repeats": comparison.n_repeats}
    unused |= {name: getattr(outputs, name) for name in ("predictions", "report", "pieces")}
    if comparison.scheme != "auto":
        unused["scheme"] = comparison.scheme
    for option, value in unused.items():
        if value:
            raise OptionError(option, value, "needs all at once, but ", SCANNED, " reads pieces")
    methods = _make_methods(comparison)
    with warnings_aloud() as said, busy(f"evaluating {data.name}"):
        source = reading.scan(data)
        scores = evaluate_source(source, methods, comparison.n_splits or USUAL_FOLDS)
    keep(scores, outputs.output, outputs.escape_formulas)
    summary = scores.drop(columns="fold").groupby("method", sort=False).mean().reset_index()
    summary["instances"] = scores.groupby("method", sort=False)["instances"].sum().to_numpy()
    if as_json:
        print_json({"summary": rows(summary), "folds": rows(scores), "warnings": said})
        return
    print_table([*map(str, summary.columns)], _as_cells(summary))


def _make_methods(comparison: Comparison) -> dict[str, Any]:
    from ibgn.evaluation.methods import METHODS, find_method

    methods: dict[str, Any] = {}
    for name in comparison.method or [METHOD]:
        found = find_method(name)
        methods[found] = METHODS[found](comparison.seed)
        if not getattr(methods[found], "fits_sources", False):
            reason = ("needs all instances at once, but ", SCANNED, " reads pieces")
            raise OptionError("method", found, *reason)
    return methods


def _as_cells(summary: "pd.DataFrame") -> list[list[str]]:
    return [
        [str(row["method"]), str(row["instances"])]
        + [f"{row[name]:.3f}" for name in ("accuracy", "log_loss")]
        + [f"{row[name]:.1f}" for name in ("fit_seconds", "predict_seconds")]
        for row in summary.to_dict("records")
    ]
