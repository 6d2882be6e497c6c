"""Probabilities of activities while an instance goes on, as lines and as a moving picture."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.animation import FuncAnimation
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from ibgn._arrays import Floats
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.plots.series import name_lines
from ibgn.plots.style import (
    DARK,
    draw_grid,
    dress,
    new_axes,
    only_instance,
    say_empty,
    series_look,
    verbatim,
)
from ibgn.plots.timeline import LANE_HEIGHT, plot_timeline
from ibgn.plots.units import time_label

__all__ = ["animate_posterior", "likely_activities", "plot_posterior"]

MOST = 8  # activities, the likeliest
LEAST = 0.05  # probability at some moment of those that are drawn
SECONDS = 6.0  # of a moving picture
PER_SECOND = 10


def plot_posterior(course: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of each activity over the time of an instance.

    Parameters
    ----------
    course : one row per moment, by its time, and a column per activity, as
        `ibgn.trace_posterior` gives it
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        A line per activity, which differ by colour and mark; of many, the eight that were
        likeliest at some moment. Those that were never likelier than one in twenty are left out.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> course = pd.DataFrame({"tea": [0.5, 0.9], "coffee": [0.5, 0.1]}, index=[0.0, 2.0])
    >>> ax = plot_posterior(course)
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.9]
    >>> plt.close(ax.figure)
    """
    time, shares, names = _read(course)
    ax = new_axes(7.5, 4) if ax is None else ax
    if not len(time):
        return say_empty(ax, "no moments")
    chosen = likely_activities(shares)
    style: Any = {"drawstyle": "steps-post", "linewidth": 1.6, "markersize": 5}
    lines: list[Line2D] = [
        ax.plot(time, shares[:, c], **style, **series_look(n))[0] for n, c in enumerate(chosen)
    ]
    ax.set_ylim(-0.02, 1.02)
    ax.margins(x=0.01)
    drawn = [names[c] for c in chosen]
    more = len(names) - len(drawn)
    left_out = f"\n{more} less likely not drawn" if more else ""
    verbatim(ax.set_xlabel(time_label("time") + left_out))
    ax.set_ylabel("probability")
    draw_grid(ax)
    name_lines(ax, lines, drawn)
    return dress(ax)


def likely_activities(shares: Floats) -> list[int]:
    """Numbers of the activities of a course that are drawn; shares are (moments, activities)."""
    highest = shares.max(axis=0)
    likeliest = np.argsort(-highest, kind="stable")[:MOST]
    return sorted(likeliest[highest[likeliest] >= min(LEAST, highest.max())].tolist())


def animate_posterior(
    course: pd.DataFrame, instance: IntervalSequences | Instance, *, seconds: float = SECONDS
) -> FuncAnimation:
    """A moving picture of an instance and of the probabilities of activities while it goes on.

    Parameters
    ----------
    course : as for `plot_posterior`
    instance : its intervals, which appear as time passes
    seconds : how long it takes

    Returns
    -------
    FuncAnimation
        `save("course.gif", writer="pillow")` writes it, `to_jshtml()` makes a page that can be
        stopped. It plays once. The last picture shows all that `plot_posterior` shows.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> course = pd.DataFrame({"tea": [0.5, 0.9], "coffee": [0.5, 0.1]}, index=[0.0, 2.0])
    >>> film = animate_posterior(course, [("boil", 0, 2)], seconds=1)
    >>> with TemporaryDirectory() as folder:
    ...     film.save(f"{folder}/course.gif", writer="pillow")
    >>> plt.close(film._fig)
    """
    time = _read(course)[0]
    X = only_instance(instance)
    if not len(time) or not len(X.start):
        raise DataError("there is nothing to animate, as the instance has no intervals")
    lanes = len(np.unique(X.action))
    heights = [min(LANE_HEIGHT * lanes + 0.5, 8), 3.5]
    figure, (above, below) = plt.subplots(
        2,
        sharex=True,
        figsize=(7.5, sum(heights) + 0.5),
        height_ratios=heights,
        layout="constrained",
    )
    plot_timeline(X, ax=above)
    above.set_xlabel("")
    plot_posterior(course, ax=below)
    now = [ax.axvline(time[0], color=DARK, linewidth=1) for ax in (above, below)]
    right = below.get_xlim()[1]
    covers = [_cover(ax, time[0], right) for ax in (above, below)]
    moments = np.linspace(time[0], right, max(int(seconds * PER_SECOND), 2))

    def show(moment: float) -> list[Any]:
        for line, cover in zip(now, covers, strict=True):
            line.set_xdata([moment, moment])
            cover.set_x(moment)
        return [*now, *covers]

    return FuncAnimation(
        figure, show, moments.tolist(), interval=1000 / PER_SECOND, repeat=False, blit=False
    )


def _cover(ax: Axes, first: float, right: float) -> Rectangle:
    """What hides the part that has not happened."""
    look: Any = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "zorder": 10}
    place = ax.get_xaxis_transform()
    cover = Rectangle((first, -0.05), right - first, 1.1, transform=place, **look)
    ax.add_patch(cover)
    return cover


def _read(course: pd.DataFrame) -> tuple[Floats, Floats, list[str]]:
    """Times, probabilities (moments, activities), and names of activities."""
    if not course.shape[1]:
        raise DataError("a course has a column per activity; ibgn.trace_posterior gives it")
    try:
        times, shares = course.index.to_numpy(float), course.to_numpy(float)
    except (TypeError, ValueError) as error:
        raise DataError("times and probabilities of a course are numbers") from error
    if not (np.isfinite(times).all() and ((shares >= 0) & (shares <= 1)).all()):
        raise DataError("times of a course are finite, and probabilities are from 0 to 1")
    return times, shares, [str(name) for name in course.columns]
