"""Scores of methods as lines or dots with standard errors, each with the name of its method."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ibgn._arrays import Floats
from ibgn.plots.frames import COUNT, SHARE, read_frame, refuse_missing
from ibgn.plots.style import (
    DARK,
    MOST_ROWS,
    POINTS,
    add_legend,
    draw_grid,
    dress,
    inches,
    method_looks,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.text import count, printable

__all__ = [
    "draw_lines",
    "draw_series",
    "finish_series",
    "list_names",
    "name_lines",
    "not_drawn",
    "plot_over_shares",
]

LABEL = 12.5  # points from one label to the next
MOST_TICKS = 15  # that stand side by side


def plot_over_shares(curves: pd.DataFrame, place: str, label: str, ax: Axes | None) -> Axes:
    """Draw the accuracy of methods over another share, one line per method with its name.

    Parameters
    ----------
    curves : one row per method and share, with the columns "method", "accuracy",
        "accuracy_error" (NaN if there is none) and that of the share
    place, label : name of that column, and what it is
    ax : where to draw; None makes a figure
    """
    numbers = {place: SHARE, "accuracy": SHARE, "accuracy_error": COUNT}
    frame = read_frame(curves, ["method"], numbers)
    refuse_missing(frame, place)
    methods = list(dict.fromkeys(frame["method"]))
    drawn = methods[:MOST_ROWS]
    ax = new_axes(7.5, float(np.clip(0.4 * len(drawn), 4, 7))) if ax is None else ax
    if not drawn:
        return say_empty(ax, "no methods")
    lines = draw_lines(ax, frame, place, "accuracy", drawn)
    shares = np.unique(frame[place])
    if np.diff(shares).min(initial=1) * MOST_TICKS > np.ptp(shares):
        ax.set_xticks(shares)
    ax.margins(x=0.03)
    ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    ax.set_ylim(0, 1)
    finish_series(ax, f"{label}{not_drawn(methods, drawn)}", frame)
    name_lines(ax, lines, drawn)
    return dress(ax)


def draw_lines(
    ax: Axes, frame: pd.DataFrame, place: str, score: str, methods: list[str]
) -> list[Line2D]:
    """Draw a score of these methods over another column."""
    looks = method_looks(frame["method"])
    lines = []
    for method in methods:
        rows = frame[frame["method"] == method].sort_values(place, kind="stable")
        lines.append(draw_series(ax, rows[place], rows, score, looks[method]))
    return lines


def draw_series(
    ax: Axes, places: "pd.Series[float]", rows: pd.DataFrame, score: str, look: dict[str, Any]
) -> Line2D:
    """Draw a score of one method, with standard errors."""
    values, errors = rows[score], rows[f"{score}_error"]
    bar: Any = {"colors": [look["color"]], "linewidth": 1.2, "zorder": 2}
    ax.vlines(places, values - errors, values + errors, **bar)
    style: Any = {"linewidth": 1.6, "markersize": 6, "zorder": 3, "clip_on": False}
    return ax.plot(places, values, **style, **look)[0]


def not_drawn(names: list[str], drawn: list[str], noun: str = "method") -> str:
    """Say how many are left out, in a line of its own."""
    more = len(names) - len(drawn)
    return f"\n{count(more, f'more {noun}')} not drawn" if more else ""


def finish_series(ax: Axes, label: str, frame: pd.DataFrame, score: str = "accuracy") -> None:
    """Label both axes."""
    errors = " (± 1 standard error)" if frame[f"{score}_error"].notna().any() else ""
    ax.set(xlabel=label, ylabel=score.replace("_", " ") + errors)
    draw_grid(ax)


def name_lines(ax: Axes, lines: list[Line2D], methods: list[str]) -> None:
    """Write names at the ends of the lines if there is room, else beside the axes.

    The axes have their final limits.
    """
    names = [printable(name, 32) for name in methods]
    ends = np.array([_end(line) for line in lines])
    gap = LABEL / (POINTS * inches(ax)[1])
    room = gap * len(names) <= 1 and ax.figure.get_layout_engine() is not None
    points = np.concatenate([line.get_xdata() for line in lines])
    # leaders to the names from anywhere else would look like part of the lines
    if room and (points.min() < ends[:, 0]).all() and (ends[:, 0] == points.max()).all():
        _name_ends(ax, lines, names, ends, gap)
    else:
        list_names(ax, [*lines], names)


def list_names(ax: Axes, handles: list[Artist], names: list[str]) -> None:
    """List names beside the axes, or among the data where there is no room beside."""
    add_legend(ax, handles, names)
    legend = ax.get_legend()
    if legend is not None and ax.figure.get_layout_engine() is None:
        legend.set_loc("best")


def _name_ends(ax: Axes, lines: list[Line2D], names: list[str], ends: Floats, gap: float) -> None:
    leader: Any = {
        "arrowstyle": "-",
        "relpos": (0, 0.5),
        "shrinkA": 2,
        "shrinkB": 4,
        "linewidth": 0.8,
    }
    style: Any = {"textcoords": "axes fraction", "va": "center", "fontsize": 9, "color": DARK}
    bottom, top = ax.get_ylim()
    heights = _spread((ends[:, 1] - bottom) / (top - bottom), gap)
    for name, line, end, height in zip(names, lines, ends.tolist(), heights.tolist(), strict=True):
        arrow = leader | {"color": line.get_color()}
        verbatim(ax.annotate(name, end, (1.06, height), arrowprops=arrow, **style))


def _end(line: Line2D) -> tuple[float, float]:
    """Last point of a line, NaN if it has none."""
    points = np.asarray(line.get_xydata(), float)
    there = points[~np.isnan(points).any(axis=1)]
    return (there[-1, 0], there[-1, 1]) if len(there) else (np.nan, np.nan)


def _spread(places: Floats, gap: float) -> Floats:
    """Move positions between 0 and 1 so that they are at least a gap apart.

    Taking the mean of pushing all up and pushing all down keeps crowded ones about where they
    were.
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    level = places[order] - steps  # may not decrease
    middle = (np.maximum.accumulate(level) + np.minimum.accumulate(level[::-1])[::-1]) / 2
    spread = np.empty(len(places))
    spread[order] = np.clip(middle, 0, max(1 - steps[-1], 0)) + steps
    return spread
