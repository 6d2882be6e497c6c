"""Scores of methods, and precision, recall and F1 of activities."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ibgn.checks import check_number
from ibgn.errors import OptionError
from ibgn.plots.frames import ANY, COUNT, SHARE, read_frame
from ibgn.plots.style import (
    DARK,
    GREY,
    MOST_ROWS,
    SERIES_COLOURS,
    Colour,
    draw_grid,
    dress,
    label_rows,
    legend_above,
    method_looks,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.text import count, printable

__all__ = ["plot_activities", "plot_comparison"]

ROW = 0.29  # inches
MARK = 8  # points
PRECISION, RECALL = SERIES_COLOURS[:2]


def plot_comparison(
    summary: pd.DataFrame,
    *,
    score: str = "accuracy",
    chance: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a score of several methods, with standard errors.

    Parameters
    ----------
    summary : one row per method, with the columns "method", the score, and its standard error,
        like "accuracy_error" (NaN if there is none); an optional column "reference" has published
        scores
    score : name of a column
    chance : score of a guess
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Rows are in the order of the frame, at most 40. A method has the same colour in all plots
        of the same methods.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN-F", 0.97, 0.01), ("IHMM", 0.82, 0.03)]
    >>> summary = pd.DataFrame(rows, columns=["method", "accuracy", "accuracy_error"])
    >>> ax = plot_comparison(summary, chance=0.1)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['IBGN-F', 'IHMM']
    >>> plt.close(ax.figure)
    """
    if not isinstance(score, str):
        raise OptionError("score", score, "must be the name of a column")
    if chance is not None:
        check_number("chance", chance, "the score of a guess", lambda value: True)
    numbers = {score: ANY, f"{score}_error": COUNT}
    frame = read_frame(summary, ["method"], numbers, optional={"reference": ANY})
    rows, left_out = _first(frame)
    ax = new_axes(6.5, ROW * len(rows) + 1) if ax is None else ax
    if rows.empty:
        return say_empty(ax, "no methods")
    looks = method_looks(frame["method"])
    colours = [looks[method]["color"] for method in rows["method"]]
    _draw_scores(ax, rows[score], rows[f"{score}_error"], colours)
    label_rows(ax, [printable(name, 32) for name in rows["method"]])
    if "reference" in rows:
        hollow: Any = {"marker": "D", "markersize": MARK, "markerfacecolor": "none", "zorder": 4}
        hollow |= {"color": SERIES_COLOURS[1], "linestyle": "none"}
        published = ax.plot(rows["reference"], range(len(rows)), **hollow)
        dot = Line2D([], [], color=GREY, marker="o", markersize=MARK, linestyle="none")
        legend_above(ax, [dot, *published], ["measured", "published"])
    if chance is not None:
        _draw_chance(ax, chance)
    words = printable(score.replace("_", " "))
    errors = " (± 1 standard error)" if rows[f"{score}_error"].notna().any() else ""
    _finish_rows(ax, words + errors, left_out)
    return dress(ax)


def plot_activities(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw precision, recall and F1 of each activity.

    Parameters
    ----------
    frame : one row per activity, with the columns "activity", "instances", "precision",
        "recall" and "f1"
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Rows are in the order of the frame, each with its number of instances; at most 40.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> columns = ["activity", "instances", "precision", "recall", "f1"]
    >>> ax = plot_activities(pd.DataFrame([("tea", 12, 1.0, 0.75, 0.857)], columns=columns))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['tea (12)']
    >>> plt.close(ax.figure)
    """
    numbers = {"instances": COUNT} | dict.fromkeys(("precision", "recall", "f1"), SHARE)
    rows, left_out = _first(read_frame(frame, ["activity"], numbers))
    ax = new_axes(6.5, ROW * len(rows) + 1.1) if ax is None else ax
    if rows.empty:
        return say_empty(ax, "no activities")
    ax.hlines(range(len(rows)), rows["precision"], rows["recall"], colors=DARK, linewidth=1.2)
    handles: list[Any] = []
    # a dot in a ring, and a stroke over both, so that all three are visible if they coincide
    ring: Any = {"markerfacecolor": "none", "markeredgewidth": 1.8, "markersize": MARK + 1}
    looks: dict[str, dict[str, Any]] = {
        "precision": {"color": PRECISION, "marker": "o", "markersize": MARK - 2, "zorder": 4},
        "recall": {"color": RECALL, "marker": "o", "zorder": 3} | ring,
        "f1": {"color": DARK, "marker": "|", "markersize": MARK + 6, "markeredgewidth": 1.5},
    }
    for name, look in looks.items():
        handles += ax.plot(rows[name], range(len(rows)), linestyle="none", clip_on=False, **look)
    pairs = zip(rows["activity"], rows["instances"], strict=True)
    label_rows(ax, [f"{printable(name, 32)} ({number:g})" for name, number in pairs])
    ax.set_xlim(0, 1)
    legend_above(ax, handles, ["precision", "recall", "F1"])
    _finish_rows(ax, "precision, recall and F1 by activity (its instances)", left_out)
    return dress(ax)


def _first(rows: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Rows to draw, and a text that says how many are left out."""
    more = len(rows) - MOST_ROWS
    return rows.head(MOST_ROWS), f"\n{count(more, 'more row')} not drawn" if more > 0 else ""


def _draw_scores(ax: Axes, values: Any, errors: Any, colours: list[Colour]) -> None:
    """Draw dots with error bars, and write the values beside the axes."""
    places = np.arange(len(values))
    ax.hlines(places, values - errors, values + errors, colors=colours, linewidth=2, zorder=2)
    ax.scatter(values, places, s=MARK**2, c=colours, linewidths=0, zorder=3)
    for place, value in enumerate(values.tolist()):
        beside: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        words = f"{value:.3f}" if np.isfinite(value) else "–"
        ax.annotate(words, (1, place), (7, 0), va="center", fontsize=9, color=DARK, **beside)


def _draw_chance(ax: Axes, chance: float) -> None:
    """Draw a dotted line, with its label away from the legend."""
    ax.axvline(chance, color=DARK, linestyle=":", linewidth=1.2, zorder=1)
    beside: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    style: Any = {"ha": "center", "va": "bottom", "fontsize": 9, "color": DARK}
    ax.annotate(f"chance {chance:.2g}", (chance, 1), (0, 2), **style, **beside)
    legend = ax.get_legend()
    if legend is not None and chance < np.mean(ax.get_xlim()):
        legend.set_loc("lower right")
        legend.set_bbox_to_anchor((1, 1), ax.transAxes)


def _finish_rows(ax: Axes, label: str, left_out: str) -> None:
    ax.margins(x=0.06)
    verbatim(ax.set_xlabel(label + left_out))
    draw_grid(ax)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
