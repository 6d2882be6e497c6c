"""Accuracy of methods on instances that go on."""

import pandas as pd
from matplotlib.axes import Axes

from ibgn.plots.series import plot_over_shares

__all__ = ["plot_earliness"]


def plot_earliness(curves: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of methods over how much of the instances has been seen.

    Parameters
    ----------
    curves : one row per method and share, with the columns "method", "seen" (a share of the
        duration), "accuracy" and "accuracy_error" (NaN if there is none), as `curves` and
        `trade_off` of `ibgn.evaluation.early.EarlyEvaluation` give them
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        One line per method, with standard errors, and its name at the end.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN", 0.25, 0.6, 0.02), ("IBGN", 1.0, 0.9, 0.01)]
    >>> columns = ["method", "seen", "accuracy", "accuracy_error"]
    >>> ax = plot_earliness(pd.DataFrame(rows, columns=columns))
    >>> ax.lines[0].get_xdata().tolist()
    [0.25, 1.0]
    >>> plt.close(ax.figure)
    """
    return plot_over_shares(curves, "seen", "share of the instance that has been seen", ax)
