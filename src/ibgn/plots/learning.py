"""Scores of methods over the number of training instances."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from ibgn._arrays import Floats
from ibgn.checks import check_choice
from ibgn.plots.frames import COUNT, SHARE, read_frame, refuse_missing
from ibgn.plots.series import draw_lines, finish_series, name_lines, not_drawn
from ibgn.plots.style import MOST_ROWS, POINTS, dress, inches, new_axes, say_empty

__all__ = ["plot_learning_curve"]

SHARES = ("accuracy", "balanced_accuracy", "macro_f1")
LOSSES = ("log_loss", "brier_score", "calibration_error")
TICK = 26  # points from one tick to the next


def plot_learning_curve(
    curves: pd.DataFrame, *, score: str = "accuracy", ax: Axes | None = None
) -> Axes:
    """Draw a score of methods over the number of training instances per activity.

    Parameters
    ----------
    curves : one row per method and size, with the columns "method", "per_activity", the score and
        its standard error, like "accuracy_error" (NaN if there is none), as
        `ibgn.evaluation.learning.LearningCurve.curves` gives it
    score : "accuracy", "balanced_accuracy", "macro_f1", "log_loss", "brier_score" or
        "calibration_error"
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        One line per method, with standard errors, and its name at the end; the number of
        instances grows by factors.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN", 1, 0.5, 0.05), ("IBGN", 10, 0.9, 0.02)]
    >>> columns = ["method", "per_activity", "accuracy", "accuracy_error"]
    >>> ax = plot_learning_curve(pd.DataFrame(rows, columns=columns))
    >>> ax.lines[0].get_ydata().tolist(), ax.get_xscale()
    ([0.5, 0.9], 'log')
    >>> plt.close(ax.figure)
    """
    check_choice("score", score, SHARES + LOSSES)
    limits = SHARE if score in SHARES else COUNT
    numbers = {"per_activity": (1.0, COUNT[1]), score: limits, f"{score}_error": COUNT}
    frame = read_frame(curves, ["method"], numbers)
    refuse_missing(frame, "per_activity")
    methods = list(dict.fromkeys(frame["method"]))
    drawn = methods[:MOST_ROWS]
    ax = new_axes(7.5, float(np.clip(0.4 * len(drawn), 4, 7))) if ax is None else ax
    if not drawn:
        return say_empty(ax, "no methods")
    lines = draw_lines(ax, frame, "per_activity", score, drawn)
    ax.set_xscale("log")
    ax.margins(x=0.03)
    ax.set_ylim(0, 1 if limits == SHARE else None)
    ax.set_xticks(_apart(np.unique(frame["per_activity"]), ax))
    ax.xaxis.set_major_formatter(lambda number, _: f"{number:.3g}")
    ax.xaxis.set_minor_locator(NullLocator())
    label = f"training instances per activity{not_drawn(methods, drawn)}"
    finish_series(ax, label, frame, score)
    name_lines(ax, lines, drawn)
    return dress(ax)


def _apart(numbers: Floats, ax: Axes) -> list[float]:
    """Numbers that are far enough from each other to be ticks, the largest first."""
    widths = np.log(numbers) - np.log(numbers[0])
    points = widths / (widths[-1] or 1) * POINTS * inches(ax)[0]
    ticks = [len(numbers) - 1]
    for place in range(len(numbers) - 2, -1, -1):
        if points[ticks[-1]] - points[place] >= TICK:
            ticks.append(place)
    return [float(numbers[place]) for place in ticks]
