"""Whether methods are right as often as they say."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ibgn._arrays import Floats
from ibgn.errors import OptionError
from ibgn.plots.frames import COUNT, SHARE, read_frame, refuse_missing
from ibgn.plots.series import list_names, not_drawn
from ibgn.plots.style import (
    DARK,
    MOST_ROWS,
    draw_grid,
    dress,
    legend_above,
    method_looks,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.text import count, printable, quote

__all__ = ["plot_reliability"]

SMALLEST, LARGEST = 14.0, 140.0  # square points
CHANCE: dict[str, Any] = {"alpha": 0.28, "linewidth": 6, "solid_capstyle": "butt"}
PLACES = {"confidence": SHARE, "accuracy": SHARE, "chance_low": SHARE, "chance_high": SHARE}


def plot_reliability(
    frame: pd.DataFrame,
    method: str | None = None,
    *,
    limit: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often methods are right, by how sure they were.

    Parameters
    ----------
    frame : one row per method and bin of predictions, with the columns "method", "instances",
        "confidence" (their mean), "accuracy", "chance_low" and "chance_high", as
        `ibgn.evaluation.evaluate.Evaluation.reliability` gives it; bins without instances are
        left out
    method : which method of the frame to draw; None draws all
    limit : calibration error up to which it may be chance, see
        `ibgn.metrics.calibration_by_chance`; the title of one method then has both
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        The area of a dot is proportional to the instances of its bin. Dots below the diagonal
        are predictions that were too sure. The pale bar of a bin is where the dot of a perfectly
        calibrated method lies in at least 95 of 100 cases. A method has the same colour in all
        plots of the same methods.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [("IBGN", 10, 0.55, 0.4, 0.2, 0.9), ("IBGN", 30, 0.95, 0.9, 0.87, 1.0)]
    >>> columns = ["method", "instances", "confidence", "accuracy", "chance_low", "chance_high"]
    >>> ax = plot_reliability(pd.DataFrame(rows, columns=columns), limit=0.12)
    >>> print(ax.get_title())
    IBGN
    calibration error 0.075, by chance up to 0.120
    >>> plt.close(ax.figure)
    """
    bins = read_frame(frame, ["method"], {"instances": COUNT} | PLACES)
    refuse_missing(bins, "instances")
    bins = bins[bins["instances"] > 0]  # the others have no confidence and accuracy
    for name in PLACES:
        refuse_missing(bins, name)
    looks = method_looks(bins["method"])
    if method is not None and method not in looks:
        known = ", ".join(map(quote, looks)) or "none"
        raise OptionError("method", method, f"is not a method of the frame, which has {known}")
    methods = list(dict.fromkeys(bins["method"])) if method is None else [method]
    drawn = methods[:MOST_ROWS]
    ax = new_axes(3.6 if len(drawn) == 1 else 6.2, 4.0) if ax is None else ax
    if bins.empty:
        return say_empty(ax, "no predictions")
    _draw_diagonal(ax)
    most = float(bins.loc[bins["method"].isin(drawn), "instances"].max())
    lines = [_draw_bins(ax, bins[bins["method"] == m], looks[m], most) for m in drawn]
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", ylabel="accuracy")
    ax.set_xlabel(f"confidence{not_drawn(methods, drawn)}")
    draw_grid(ax)
    if len(drawn) == 1:
        _describe(ax, drawn[0], bins[bins["method"] == drawn[0]], looks[drawn[0]], limit)
    else:
        list_names(ax, lines, [printable(name, 32) for name in drawn])
    return dress(ax)


def _draw_diagonal(ax: Axes) -> None:
    """Draw where confidence and accuracy agree, and label both sides."""
    ax.plot([0, 1], [0, 1], color=DARK, linestyle=":", linewidth=1.2, zorder=2)
    style: Any = {"transform": ax.transAxes, "fontsize": 9, "color": DARK}
    ax.text(0.03, 0.97, "not sure enough", ha="left", va="top", **style)
    ax.text(0.97, 0.03, "too sure", ha="right", va="bottom", **style)


def _draw_bins(ax: Axes, bins: pd.DataFrame, look: dict[str, Any], most: float) -> Artist:
    """Draw the bins of one method; the largest dot has `most` instances."""
    bins = bins.sort_values("confidence", kind="stable")
    confidence, accuracy = bins["confidence"], bins["accuracy"]
    for place, low, high in zip(confidence, bins["chance_low"], bins["chance_high"], strict=True):
        ax.plot([place, place], [low, high], color=look["color"], zorder=2.5, **CHANCE)
    # faint, as it would give small bins the weight of large ones
    faint = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 1, "alpha": 0.5}
    ax.plot(confidence, accuracy, zorder=3, **faint)
    areas = _areas(bins["instances"].to_numpy(float), most)
    ax.scatter(confidence, accuracy, s=areas, zorder=4, clip_on=False, **_dots(look))
    return Line2D([], [], **look, markersize=6, linewidth=1)


def _dots(look: dict[str, Any]) -> dict[str, Any]:
    return {"color": look["color"], "marker": look["marker"], "linewidths": 0}


def _areas(instances: Floats, most: float) -> Floats:
    areas: Floats = np.maximum(LARGEST * instances / most, SMALLEST)
    return areas


def _describe(
    ax: Axes, method: str, bins: pd.DataFrame, look: dict[str, Any], limit: float | None
) -> None:
    """Name the only method and its calibration error, and explain dots and bars."""
    instances = bins["instances"].to_numpy(float)
    gaps = np.abs(bins["confidence"] - bins["accuracy"])
    title = printable(method, 32)
    if limit is not None:
        error = np.average(gaps, weights=instances)
        title += f"\ncalibration error {error:.3f}, by chance up to {limit:.3f}"
    verbatim(ax.set_title(title, fontsize=10, pad=24))
    sizes = np.unique([instances.min(), instances.max()])
    areas = _areas(sizes, instances.max()).tolist()
    handles: list[Any] = [ax.scatter([], [], s=area, **_dots(look)) for area in areas]
    handles.append(Line2D([], [], color=look["color"], **CHANCE))
    *smallest, largest = [int(size) for size in sizes]
    legend_above(ax, handles, [*map(str, smallest), count(largest, "instance"), "chance"])
