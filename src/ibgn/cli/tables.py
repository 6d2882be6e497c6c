"""Tables that commands print: readable on a narrow terminal, nothing cut off."""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ibgn.text import printable

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from ibgn.evaluation.evaluate import Evaluation

SCORES = {
    "balanced": "balanced_accuracy",
    "macro F1": "macro_f1",
    "log loss": "log_loss",
    "Brier": "brier_score",
}
WIDE = 200  # letters per line if the output is not a terminal
GAP = 2  # letters between columns
LEAST = 10  # letters of a column that is wrapped


def wide_console() -> "Console":
    """A console that does not cut lines when its output goes to a file."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], repeated: int = 1) -> None:
    """Print a table; columns that do not fit beside the others follow below them.

    Parameters
    ----------
    heads : names of the columns
    rows : cells, which are only text and never markup
    repeated : number of columns on the left that are repeated with those that follow below
    """
    from rich.cells import cell_len

    width = wide_console().width
    cells = [[printable(cell) for cell in row] for row in [heads, *rows]]
    if sys.stdout.isatty():
        cells = _wrapped(cells, repeated, width)
    widths = [max(map(cell_len, column)) + GAP for column in zip(*cells, strict=True)]
    for block in _blocks(widths, repeated, width):
        lines = [
            "".join(row[c] + " " * (widths[c] - cell_len(row[c])) for c in block).rstrip()
            for row in cells
        ]
        rule = "─" * min(sum(widths[c] for c in block) - GAP, width)
        print("", lines[0], rule, *filter(None, lines[1:]), sep="\n")  # none of another block
    print()


def _wrapped(cells: list[list[str]], repeated: int, width: int) -> list[list[str]]:
    """The same cells; those that do not fit beside the repeated columns go on in rows below.

    Examples
    --------
    >>> _wrapped([["tier", "values"], ["hands", "open, wave, rest"]], repeated=1, width=18)
    [['tier', 'values'], ['hands', 'open, wave,'], ['', 'rest']]
    """
    from rich.cells import cell_len

    left = sum(max(cell_len(row[c]) for row in cells) + GAP for c in range(repeated))
    room = max(width - left, LEAST)
    rows = []
    for row in cells:
        parts = [
            [cell] if c < repeated or cell_len(cell) <= room else wrap(cell, room) or [""]
            for c, cell in enumerate(row)
        ]
        rows += [list(line) for line in zip_longest(*parts, fillvalue="")]
    return rows


def _blocks(widths: Sequence[int], repeated: int, width: int) -> list[list[int]]:
    """Numbers of the columns that stand side by side.

    Examples
    --------
    >>> _blocks([10, 8, 8, 8], repeated=1, width=26)
    [[0, 1, 2], [0, 3]]
    """
    left = list(range(repeated))
    blocks = [left]
    for column in range(repeated, len(widths)):
        taken = sum(widths[c] for c in blocks[-1])
        if len(blocks[-1]) > repeated and taken + widths[column] - GAP > width:
            blocks.append(left)
        blocks[-1] = [*blocks[-1], column]
    return blocks


def print_lines(text: str, indent: int = 0) -> None:
    """Print text; a terminal gets lines broken between words, the later ones indented."""
    width = wide_console().width
    for line in text.split("\n"):
        shown = printable(line, sys.maxsize)
        parts = wrap(shown, max(width, 20), subsequent_indent=" " * indent, break_on_hyphens=False)
        print("\n".join(parts if sys.stdout.isatty() else [shown]))


def print_predictions(frame: "pd.DataFrame", labels: list[Any], probabilities: Any) -> None:
    """Print the likeliest activity of each instance and the next one, with their probabilities."""
    heads = ["instance", *(["label"] if "label" in frame else []), "predicted", "P", "next"]
    given = frame["label"] if "label" in frame else frame["predicted"]
    texts = [
        "" if missing else str(label) for label, missing in zip(given, given.isna(), strict=True)
    ]
    rows, mistaken = [], False
    for row, of, label in zip(frame.itertuples(), probabilities.tolist(), texts, strict=True):
        ranked = sorted(zip(of, map(str, labels), strict=True), key=lambda pair: -pair[0])
        following = [f"{name} {_per_cent(share)}" for share, name in ranked[1:2]]
        cells = [str(row.instance), *([label] if "label" in frame else [])]
        wrong = label not in ("", str(row.predicted))
        mistaken |= wrong
        predicted = f"{row.predicted}{' *' if wrong else ''}"
        rows.append([*cells, predicted, _per_cent(max(of)), *(following or [""])])
    print_table(heads, rows)
    if mistaken:
        print_lines("* is not the label", 2)


def _per_cent(share: float) -> str:
    """A probability, rounded, but never to certainty."""
    if 0 < share < 1:
        return ">99%" if share >= 0.995 else "<1%" if share < 0.005 else f"{share:.0%}"
    return f"{share:.0%}"


def print_comparison(evaluation: "Evaluation") -> None:
    """Print the scores of all methods, and paired tests against the best."""
    summary = evaluation.summary()
    rows = summary.to_dict(orient="records")
    beyond = [row["calibration_error"] > row["calibration_limit"] for row in rows]
    print_table(
        ("method", "accuracy", *SCORES, "calib.", "seconds"),
        [
            (
                str(row["method"]),
                f"{row['accuracy']:.3f}±{row['accuracy_error']:.3f}",
                *(f"{row[name]:.3f}" for name in SCORES.values()),
                f"{row['calibration_error']:.3f}{'*' if marked else ''}",
                f"{row['fit_seconds'] + row['predict_seconds']:.2f}",
            )
            for row, marked in zip(rows, beyond, strict=True)
        ],
    )
    if any(beyond):
        print_lines("* more than chance explains if confidence were right", 2)
    if len(summary) > 1:
        print_lines(f"Against {summary['method'][0]}, by paired tests over folds (p by Holm):", 2)
        for row in evaluation.compare().to_dict(orient="records"):
            p = "< 0.001" if row["p_holm"] < 0.001 else f"= {row['p_holm']:.3f}"
            if row["p_holm"] != row["p_holm"]:  # the folds have no differences to test
                p = "unknown"
            gain = f"{row['difference']:+.3f} ± {row['error']:.3f}"
            print_lines(f"  {row['method']}: {gain}, p {p}", 4)


def print_reliability(frame: "pd.DataFrame") -> None:
    """Print how often each method is right, by how sure it was."""
    for method, bins in frame.groupby("method", sort=False):
        rows = []
        for row in bins.to_dict(orient="records"):
            low, high = row["chance_low"], row["chance_high"]
            beyond = "" if low <= row["accuracy"] <= high else "*"
            confidence = f"{row['low']:.0%} to {row['high']:.0%}"
            right, chance = f"{row['accuracy']:.1%}{beyond}", f"{low:.1%} to {high:.1%}"
            rows.append((confidence, str(row["instances"]), right, chance))
        print_lines(f"How often {method} is right by how sure it is:")
        print_table(("confidence", "instances", "right", "by chance"), rows)
    print_lines("* outside of what 95 of 100 perfectly calibrated methods would show", 2)


def print_decisions(frame: "pd.DataFrame") -> None:
    """Print how often early decisions are wrong, beside what was asked for."""
    rows = []
    for row in frame.to_dict(orient="records"):
        cells = ("none", "", "")
        if row["decided"]:
            interval = f"{row['low']:.1%} to {row['high']:.1%}"
            cells = (f"{row['wrong']:.1%}", interval, f"{row['seen']:.0%}")
        rows.append((str(row["method"]), f"{row['error']:.0%}", f"{row['decided']:.0%}", *cells))
    print_lines("Decisions before the end of an instance:")
    print_table(("method", "asked", "decided", "wrong", "95% interval", "seen"), rows)
    print_lines(
        "asked: share of the decisions that may be wrong; seen: of the duration, on average", 2
    )


def print_accuracies(curves: "pd.DataFrame", **columns: Callable[[Any], str]) -> None:
    """Print the accuracy of each method, in one row for each combination of some columns.

    Parameters
    ----------
    curves : one row per method and combination
    columns : how the values of each of these columns are written
    """
    methods = list(dict.fromkeys(curves["method"]))
    rows = []
    for key, part in curves.groupby(list(columns), sort=False):
        cells = {
            row["method"]: f"{row['accuracy']:.3f}±{row['accuracy_error']:.3f}"
            for row in part.to_dict(orient="records")
        }
        shown = [write(value) for write, value in zip(columns.values(), key, strict=True)]
        rows.append((*shown, *(cells.get(name, "") for name in methods)))
    heads = (*(name.replace("_", " ") for name in columns), *methods)
    print_table(heads, rows, repeated=len(columns))
