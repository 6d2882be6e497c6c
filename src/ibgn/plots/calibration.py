"""Whether a classifier is right as often as it says."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ibgn._arrays import Floats
from ibgn.plots.frames import COUNT, SHARE, read_frame, refuse_missing
from ibgn.plots.style import (
    DARK,
    SERIES_COLOURS,
    draw_grid,
    dress,
    legend_above,
    new_axes,
    say_empty,
)
from ibgn.text import count

__all__ = ["plot_calibration"]

SMALLEST, LARGEST = 12.0, 260.0  # square points


def plot_calibration(
    frame: pd.DataFrame, *, limit: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how often predictions are right, by how sure the classifier was.

    Parameters
    ----------
    frame : one row per bin of predictions, with the columns "confidence" (their mean),
        "accuracy" and "instances"; bins without instances are left out
    limit : distance of confidence from accuracy up to which it may be chance, see
        `ibgn.metrics.calibration_by_chance`; the title says which it is
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        The area of a dot is proportional to the instances of its bin. Dots below the diagonal
        are predictions that were too sure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> rows = [(0.55, 0.4, 10), (0.95, 0.9, 30)]
    >>> frame = pd.DataFrame(rows, columns=["confidence", "accuracy", "instances"])
    >>> ax = plot_calibration(frame, limit=0.12)
    >>> ax.get_title()
    'confidence is 0.075 from accuracy on average, within chance (0.120)'
    >>> plt.close(ax.figure)
    """
    numbers = {"confidence": SHARE, "accuracy": SHARE, "instances": COUNT}
    bins = read_frame(frame, [], numbers)
    refuse_missing(bins, "instances")
    bins = bins[bins["instances"] > 0]  # the others have no confidence and accuracy
    refuse_missing(bins, "confidence")
    refuse_missing(bins, "accuracy")
    bins = bins.sort_values("confidence", kind="stable")
    ax = new_axes(4.6, 4.6) if ax is None else ax
    if bins.empty:
        return say_empty(ax, "no predictions")
    confidence, accuracy, instances = (bins[name].to_numpy(float) for name in numbers)
    _draw_diagonal(ax)
    gaps: Any = {"colors": [SERIES_COLOURS[1]], "linewidth": 2, "zorder": 2.5}
    ax.vlines(confidence, confidence, accuracy, **gaps)
    ax.plot(confidence, accuracy, color=SERIES_COLOURS[0], linewidth=1.4, zorder=3)
    dots: Any = {"color": SERIES_COLOURS[0], "linewidths": 0, "zorder": 4, "clip_on": False}
    ax.scatter(confidence, accuracy, s=_areas(instances, instances.max()), **dots)
    _add_key(ax, instances)
    gap = float(np.average(np.abs(confidence - accuracy), weights=instances))
    title = f"confidence is {gap:.3f} from accuracy on average"
    if limit is not None:
        title += f", {'within' if gap <= limit else 'beyond'} chance ({limit:.3f})"
    ax.set_title(title, fontsize=11 if limit is None else 9, pad=24)
    ax.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    draw_grid(ax)
    return dress(ax)


def _draw_diagonal(ax: Axes) -> None:
    """Draw where confidence and accuracy agree, and label both sides."""
    ax.plot([0, 1], [0, 1], color=DARK, linestyle=":", linewidth=1.2, zorder=2)
    style: Any = {"transform": ax.transAxes, "fontsize": 9, "color": DARK}
    ax.text(0.03, 0.97, "not sure enough", ha="left", va="top", **style)
    ax.text(0.97, 0.03, "too sure", ha="right", va="bottom", **style)


def _areas(instances: Floats, most: float) -> Floats:
    areas: Floats = np.maximum(LARGEST * instances / most, SMALLEST)
    return areas


def _add_key(ax: Axes, instances: Floats) -> None:
    """Show the dots of the smallest and of the largest bin."""
    samples = np.unique([instances.min(), instances.max()])
    style: Any = {"color": SERIES_COLOURS[0], "linewidths": 0}
    areas = _areas(samples, instances.max()).tolist()
    handles = [ax.scatter([], [], s=area, **style) for area in areas]
    names = [count(int(number), "instance") for number in samples]
    legend_above(ax, handles, names)
