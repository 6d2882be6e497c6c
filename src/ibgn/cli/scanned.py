"""The command evaluate on data that are read piece by piece."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibgn.cli.comparison import USUAL_FOLDS, Comparison
from ibgn.cli.output import busy, print_json, say, warnings_aloud
from ibgn.cli.pieces import PieceReading
from ibgn.cli.results import Outputs, keep
from ibgn.cli.tables import print_table

if TYPE_CHECKING:
    import pandas as pd

METHOD = "IBGN-T"  # by default


def needs_all(comparison: Comparison, outputs: Outputs) -> dict[str, Any]:
    """Options that need all instances at once, with what was given for them."""
    needed = {name: getattr(comparison, name) for name in ("search", "n_repeats")}
    needed |= {name: getattr(outputs, name) for name in ("predictions", "report", "pieces")}
    needed["scheme"] = None if comparison.scheme == "auto" else comparison.scheme
    methods = _make_methods(comparison).items()
    needing = [name for name, each in methods if not getattr(each, "fits_sources", False)]
    return needed | {"method": needing[0] if needing else None}


def evaluate_scanned(
    data: Path,
    as_json: bool,
    comparison: Comparison,
    reading: PieceReading,
    outputs: Outputs,
) -> None:
    """Cross-validate methods piece by piece, and show the mean of their folds."""
    from ibgn.evaluation.plain import rows
    from ibgn.evaluation.scanned import evaluate_source

    methods = _make_methods(comparison)
    if not comparison.method:
        say(f"evaluating {METHOD} alone, as it learns piece by piece")
    with warnings_aloud() as said, reading.connected(), busy(f"evaluating {data.name}"):
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
    from ibgn.evaluation.methods import METHODS

    methods = comparison.methods() if comparison.method else {METHOD: METHODS[METHOD]}
    return {name: method(comparison.seed) for name, method in methods.items()}


def _as_cells(summary: "pd.DataFrame") -> list[list[str]]:
    return [
        [str(row["method"]), str(row["instances"])]
        + [f"{row[name]:.3f}" for name in ("accuracy", "log_loss")]
        + [f"{row[name]:.1f}" for name in ("fit_seconds", "predict_seconds")]
        for row in summary.to_dict("records")
    ]
