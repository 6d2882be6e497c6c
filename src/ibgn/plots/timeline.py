"""One instance over time: one bar per interval."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_choice
from ibgn.intervals import Instance, IntervalSequences
from ibgn.plots.actions import action_colours
from ibgn.plots.style import (
    FAINT,
    LEGEND_LINE,
    MOST_IN_LEGEND,
    POINTS,
    Colour,
    add_legend,
    edge,
    inches,
    ink,
    lines_beside,
    new_axes,
    only_instance,
    say_empty,
    shown,
    verbatim,
    verbatim_ticks,
    write_title,
)
from ibgn.plots.units import time_label

__all__ = ["LANE_HEIGHT", "draw_bars", "label_timeline", "lane_of_action", "plot_timeline"]

Lanes = Literal["action", "track"]

LANE_HEIGHT = 0.32  # inches


def plot_timeline(
    instance: IntervalSequences | Instance,
    *,
    lanes: Lanes = "action",
    legend: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the intervals of one instance as bars over time, coloured by action.

    Actions whose names differ only in the last word, like "thumb bent" and "thumb straight", are
    shades of one colour.

    Parameters
    ----------
    instance : one instance, like X[0], or a list of (action, start, end)
    lanes : "action" gives every action a lane, "track" puts each interval in the first lane that
        is free when it starts
    legend : whether to list the actions beside the bars; None does so for tracks, if they fit
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        An action has the same colour in all instances of the same X.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> ax = plot_timeline([("reach", 0, 2), ("grasp", 1, 3)])
    >>> len(ax.patches), [label.get_text() for label in ax.get_yticklabels()]
    (2, ['reach', 'grasp'])
    >>> plt.close(ax.figure)
    """
    check_choice("lanes", lanes, get_args(Lanes))
    X, by_action = only_instance(instance), lanes == "action"
    codes = list(dict.fromkeys(X.action.tolist()))
    names = shown(X, codes, 32)
    lane = lane_of_action(X, codes) if by_action else _first_free(X.start, X.end)
    labels = names if by_action else [str(track + 1) for track in range(max(lane, default=-1) + 1)]
    if ax is None:
        listed = min(len(names), MOST_IN_LEGEND) if legend or not by_action else 0
        height = max(LANE_HEIGHT * len(labels), LEGEND_LINE * listed)
        ax = new_axes(min(8 + 0.05 * len(lane), 14), height + 1)
    write_title(ax, X)
    if not len(lane):
        return say_empty(ax)
    colours = action_colours(X.actions)
    bars = draw_bars(ax, X, lane, [colours[code] for code in X.action.tolist()])
    label_timeline(ax, labels)
    if not by_action:
        ax.set_ylabel("track")
        for bar, name in zip(bars, shown(X, X.action.tolist(), 32), strict=True):
            ax.add_artist(_NameInBar(bar, name))
    if legend or (legend is None and not by_action and len(names) <= lines_beside(ax)):
        add_legend(ax, [Patch(facecolor=colours[code]) for code in codes], names)
    return ax


def lane_of_action(X: IntervalSequences, codes: list[int]) -> Ints:
    """Number of the lane of each interval, one lane per code."""
    lane = np.zeros(len(X.actions), np.int64)
    lane[codes] = np.arange(len(codes))
    return lane[X.action]


def _first_free(start: Floats, end: Floats) -> Ints:
    """Give each interval the first track whose last interval is over; starts never decrease."""
    over: list[float] = []
    tracks = []
    for begin, stop in zip(start.tolist(), end.tolist(), strict=True):
        track = next((t for t, last in enumerate(over) if last <= begin), len(over))
        over[track : track + 1] = [stop]
        tracks.append(track)
    return np.array(tracks, np.int64)


def draw_bars(
    ax: Axes, X: IntervalSequences, lane: Ints, fill: Sequence[Colour]
) -> list[Rectangle]:
    """Draw one bar per interval; overlapping bars of a lane share its height."""
    middle, height = lane.astype(float), np.full(len(lane), 0.8)
    for number in range(lane.max() + 1):
        inside = lane == number
        track = _first_free(X.start[inside], X.end[inside])
        height[inside] /= track.max() + 1
        middle[inside] += (track + 0.5) * height[inside] - 0.4
    style: Any = {"color": fill, "edgecolor": list(map(edge, fill)), "linewidth": 0.8, "zorder": 2}
    return list(ax.barh(middle, X.end - X.start, height, X.start, **style).patches)


def label_timeline(ax: Axes, labels: list[str]) -> None:
    """Name the lanes, the first at the top, and draw the time below."""
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.margins(x=0.01)
    verbatim(ax.set_xlabel(time_label("time")))
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    size = min(10, 0.8 * POINTS * inches(ax)[1] / len(labels))
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    verbatim_ticks(ax.yaxis)


class _NameInBar(Text):
    """A name that is drawn only while it fits into its bar, however the axes are zoomed."""

    def __init__(self, bar: Rectangle, name: str) -> None:
        x, y = bar.get_center()
        super().__init__(x, y, name, ha="center", va="center", fontsize=9)
        self.bar = bar
        self.set_color(ink(to_rgb(bar.get_facecolor())))
        self.set_in_layout(False)  # it takes no space beyond the bar
        verbatim(self)

    def fits(self, renderer: Any = None) -> bool:
        """Whether the name is no larger than the bar."""
        room, needed = self.bar.get_window_extent(renderer), self.get_window_extent(renderer)
        return bool(needed.width <= 0.94 * room.width and needed.height <= room.height)

    def draw(self, renderer: Any) -> None:
        """Draw the name or nothing."""
        if self.fits(renderer):
            super().draw(renderer)
