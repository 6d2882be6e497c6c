"""Accuracy of methods on intervals with errors."""

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
    FAINT,
    MOST_ROWS,
    POINTS,
    add_legend,
    draw_grid,
    dress,
    inches,
    label_columns,
    new_axes,
    say_empty,
    series_look,
    verbatim,
)
from ibgn.text import count, printable

__all__ = ["plot_detectors", "plot_robustness"]

ACCURACY = {"accuracy": SHARE, "accuracy_error": COUNT}
LABEL = 12.5  # points from one label to the next
MOST_TICKS = 15  # that stand side by side
MOST_DETECTORS = 20


def plot_robustness(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of methods over the rate of errors in their intervals.

    Parameters
    ----------
    curves : one row per method and rate, with the columns "method", "rate" (a share),
        "accuracy" and "accuracy_error" (NaN if there is none)
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        One line per method, with standard errors, and its name at the end.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN", 0.0, 0.95, 0.01), ("IBGN", 0.2, 0.9, 0.02)]
    >>> columns = ["method", "rate", "accuracy", "accuracy_error"]
    >>> ax = plot_robustness(pd.DataFrame(rows, columns=columns))
    >>> ax.lines[0].get_ydata().tolist()
    [0.95, 0.9]
    >>> plt.close(ax.figure)
    """
    frame = read_frame(curves, ["method"], {"rate": SHARE} | ACCURACY)
    refuse_missing(frame, "rate")
    methods = list(dict.fromkeys(frame["method"]))
    drawn = methods[:MOST_ROWS]
    ax = new_axes(7.5, float(np.clip(0.4 * len(drawn), 4, 7))) if ax is None else ax
    if not drawn:
        return say_empty(ax, "no methods")
    lines = []
    for number, method in enumerate(drawn):
        rows = frame[frame["method"] == method].sort_values("rate", kind="stable")
        lines.append(_draw_series(ax, rows["rate"], rows, series_look(number)))
    rates = np.unique(frame["rate"])
    if np.diff(rates).min(initial=1) * MOST_TICKS > np.ptp(rates):
        ax.set_xticks(rates)
    ax.margins(x=0.03)
    ax.xaxis.set_major_formatter(lambda rate, _: f"{100 * rate:g}%")
    _finish(ax, f"rate of errors{_not_drawn(methods, drawn)}", frame)
    _name_lines(ax, lines, drawn)
    return dress(ax)


def plot_detectors(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of methods with the intervals that several detectors find.

    Parameters
    ----------
    frame : one row per method and detector, with the columns "method", "detector", "accuracy"
        and "accuracy_error" (NaN if there is none)
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        One column per detector, with one dot per method, with standard errors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN", "poor", 0.8, 0.02), ("IBGN", "good", 0.9, 0.01)]
    >>> columns = ["method", "detector", "accuracy", "accuracy_error"]
    >>> ax = plot_detectors(pd.DataFrame(rows, columns=columns))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['poor', 'good']
    >>> plt.close(ax.figure)
    """
    frame = read_frame(frame, ["method", "detector"], ACCURACY)
    methods, detectors = (list(dict.fromkeys(frame[name])) for name in ("method", "detector"))
    drawn, columns = methods[:MOST_ROWS], detectors[:MOST_DETECTORS]
    width = float(np.clip((0.14 * len(drawn) + 0.3) * len(columns), 4, 11)) + 2.5
    ax = new_axes(width, 4.3) if ax is None else ax
    if not drawn:
        return say_empty(ax, "no methods")
    dots = _draw_columns(ax, frame, drawn, columns)
    more = _not_drawn(detectors, columns, "detector") + _not_drawn(methods, drawn)
    _finish(ax, f"detector{more}", frame)
    names = [printable(name, 24) for name in columns]
    label_columns(ax, range(len(names)), names, POINTS * inches(ax)[0] / len(names))
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.grid(visible=False, axis="x")
    for edge in range(1, len(names)):
        ax.axvline(edge - 0.5, color=FAINT, linewidth=1, zorder=0)
    _list_names(ax, dots, [printable(name, 32) for name in drawn])
    return dress(ax)


def _draw_columns(
    ax: Axes, frame: pd.DataFrame, methods: list[str], detectors: list[str]
) -> list[Artist]:
    """Draw the dots of each method, side by side."""
    aside = (np.arange(len(methods)) - (len(methods) - 1) / 2) * 0.8 / len(methods)
    position = {name: number for number, name in enumerate(detectors)}
    dots: list[Artist] = []
    for number, method in enumerate(methods):
        rows = frame[(frame["method"] == method) & frame["detector"].isin(detectors)]
        places = rows["detector"].map(position) + aside[number]
        dots.append(_draw_series(ax, places, rows, series_look(number) | {"linestyle": "none"}))
    return dots


def _draw_series(
    ax: Axes, places: "pd.Series[float]", rows: pd.DataFrame, look: dict[str, Any]
) -> Line2D:
    values, errors = rows["accuracy"], rows["accuracy_error"]
    bar: Any = {"colors": [look["color"]], "linewidth": 1.2, "zorder": 2}
    ax.vlines(places, values - errors, values + errors, **bar)
    style: Any = {"linewidth": 1.6, "markersize": 6, "zorder": 3, "clip_on": False}
    return ax.plot(places, values, **style, **look)[0]


def _not_drawn(names: list[str], drawn: list[str], noun: str = "method") -> str:
    more = len(names) - len(drawn)
    return f"\n{count(more, f'more {noun}')} not drawn" if more else ""


def _finish(ax: Axes, label: str, frame: pd.DataFrame) -> None:
    errors = " (± 1 standard error)" if frame["accuracy_error"].notna().any() else ""
    ax.set(ylim=(0, 1), xlabel=label, ylabel=f"accuracy{errors}")
    draw_grid(ax)


def _name_lines(ax: Axes, lines: list[Line2D], methods: list[str]) -> None:
    """Write names at the ends of the lines if there is room, else beside the axes."""
    names = [printable(name, 32) for name in methods]
    ends = np.array([_end(line) for line in lines])
    gap = LABEL / (POINTS * inches(ax)[1])
    room = gap * len(names) <= 1 and ax.figure.get_layout_engine() is not None
    points = np.concatenate([line.get_xdata() for line in lines])
    # leaders to the names from anywhere else would look like part of the lines
    if room and (points.min() < ends[:, 0]).all() and (ends[:, 0] == points.max()).all():
        _name_ends(ax, lines, names, ends, gap)
    else:
        _list_names(ax, [*lines], names)


def _list_names(ax: Axes, handles: list[Artist], names: list[str]) -> None:
    add_legend(ax, handles, names)
    legend = ax.get_legend()
    if legend is not None and ax.figure.get_layout_engine() is None:  # it is among the data
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
    places = zip(ends.tolist(), _spread(ends[:, 1], gap).tolist(), strict=True)
    for name, line, (end, height) in zip(names, lines, places, strict=True):
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
