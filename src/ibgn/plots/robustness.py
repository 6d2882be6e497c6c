"""Accuracy of methods on intervals with errors."""

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from ibgn.plots.frames import COUNT, SHARE, read_frame
from ibgn.plots.series import (
    draw_series,
    finish_series,
    list_names,
    not_drawn,
    plot_over_shares,
)
from ibgn.plots.style import (
    FAINT,
    MOST_ROWS,
    POINTS,
    dress,
    inches,
    label_columns,
    method_looks,
    new_axes,
    say_empty,
)
from ibgn.text import printable

__all__ = ["plot_detectors", "plot_robustness"]

ACCURACY = {"accuracy": SHARE, "accuracy_error": COUNT}
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
    return plot_over_shares(curves, "rate", "rate of errors", ax)


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
    more = not_drawn(detectors, columns, "detector") + not_drawn(methods, drawn)
    ax.set_ylim(0, 1)
    finish_series(ax, f"detector{more}", frame)
    names = [printable(name, 24) for name in columns]
    label_columns(ax, range(len(names)), names, POINTS * inches(ax)[0] / len(names))
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.grid(visible=False, axis="x")
    for edge in range(1, len(names)):
        ax.axvline(edge - 0.5, color=FAINT, linewidth=1, zorder=0)
    list_names(ax, dots, [printable(name, 32) for name in drawn])
    return dress(ax)


def _draw_columns(
    ax: Axes, frame: pd.DataFrame, methods: list[str], detectors: list[str]
) -> list[Artist]:
    """Draw the dots of each method, side by side."""
    aside = (np.arange(len(methods)) - (len(methods) - 1) / 2) * 0.8 / len(methods)
    position = {name: number for number, name in enumerate(detectors)}
    dots: list[Artist] = []
    looks = method_looks(frame["method"])
    for number, method in enumerate(methods):
        rows = frame[(frame["method"] == method) & frame["detector"].isin(detectors)]
        places = rows["detector"].map(position) + aside[number]
        look = looks[method] | {"linestyle": "none"}
        dots.append(draw_series(ax, places, rows, "accuracy", look))
    return dots
