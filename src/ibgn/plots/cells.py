"""Shares as coloured cells with their per cents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize, to_rgb
from matplotlib.ticker import PercentFormatter

from ibgn._arrays import Floats
from ibgn.plots.style import (
    DARK,
    POINTS,
    SEQUENTIAL,
    inches,
    ink,
    label_columns,
    label_rows,
)

__all__ = ["LEAST_SEEN", "draw_cells", "draw_shares"]

LEAST_SEEN = 0.005  # smaller shares are not written
SMALLEST_NUMBER = 7  # points; a key of the colours takes the place of smaller ones


def draw_cells(ax: Axes, cells: Floats, left: float, scale: Normalize, colours: Colormap) -> None:
    """Fill cells from the column `left` on, and write per cents or, without room, add a key."""
    across, down = (np.arange(count + 1) - 0.5 for count in cells.shape[::-1])
    style: Any = {"edgecolors": "#D0D0D0", "linewidth": 0.5, "cmap": colours, "norm": scale}
    mesh = ax.pcolormesh(left + across, down, cells, **style)
    room = POINTS * inches(ax) / np.abs((np.diff(ax.get_xlim()), np.diff(ax.get_ylim()))).ravel()
    size = min(9, 0.36 * room[0], 0.6 * room[1])
    if size < SMALLEST_NUMBER:
        key = ax.figure.colorbar(mesh, ax=ax, aspect=30, pad=0.02, format=PercentFormatter(1))
        key.ax.tick_params(labelsize=9, color=DARK, labelcolor=DARK)
        key.outline.set_visible(False)
        return
    style = {"ha": "center", "va": "center", "fontsize": size, "clip_on": True}
    for row, column in zip(*np.nonzero(cells >= LEAST_SEEN), strict=True):
        value = float(cells[row, column])
        colour = ink(to_rgb(colours(scale(value))))
        ax.text(left + column, row, f"{100 * value:.0f}", color=colour, **style)


def draw_shares(
    ax: Axes, shares: Floats, rows: Sequence[str], columns: Sequence[str], step: int = 1
) -> None:
    """Draw a matrix of shares with names of its rows, and of its columns or one of each `step`."""
    down, across = shares.shape
    ax.set(xlim=(-0.5, across - 0.5), ylim=(down - 0.5, -0.5))
    draw_cells(ax, shares, 0, Normalize(0, max(0.2, float(shares.max()))), SEQUENTIAL)
    room = step * POINTS * inches(ax)[0] / across
    label_columns(ax, np.arange(0, across, step).tolist(), list(columns)[::step], room)
    label_rows(ax, list(rows))
    ax.set_ylim(down - 0.5, -0.5)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
