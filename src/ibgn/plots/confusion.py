"""Which activities were mistaken for which."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.legend_handler import HandlerTuple
from matplotlib.patches import Patch

from ibgn._arrays import Floats
from ibgn.errors import DataError, OptionError
from ibgn.plots.frames import COUNT, numbers_of
from ibgn.plots.style import (
    DARK,
    FAINT,
    POINTS,
    SERIES_COLOURS,
    SMALLEST_LETTER,
    dress,
    inches,
    label_columns,
    legend_above,
    new_axes,
    say_empty,
    verbatim_ticks,
)
from ibgn.text import printable, quote

__all__ = ["plot_confusion"]

CELL = 0.33  # inches
LINE = 12  # points
MOST_SLANTED = 18  # points across a cell
SMALLEST_NUMBER = 6  # points
MOST_LINES = 60  # labels; with more, no lines are drawn between cells
LEAST_SEEN = 0.15  # how opaque the smallest share is
WHITE_INK = 0.7  # smallest share with white letters


RIGHT, WRONG = (  # from nearly clear to full, for white and dark pages
    LinearSegmentedColormap.from_list("share", [(*colour, LEAST_SEEN), (*colour, 1.0)])
    for colour in SERIES_COLOURS[:2]
)


def plot_confusion(frame: pd.DataFrame, *, shares: bool = True, ax: Axes | None = None) -> Axes:
    """Draw which activities were mistaken for which.

    Parameters
    ----------
    frame : counts, one row per true label and one column per predicted one, in the same order; a
        missing count is 0
    shares : write per cents of the row; False writes the counts
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        The larger its share of the row, the stronger the colour of a cell: blue for right
        predictions, orange for mistakes. Numbers are written if there is room.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> names = ["coffee", "tea"]
    >>> ax = plot_confusion(pd.DataFrame([[8, 2], [0, 5]], names, names))
    >>> ax.get_title()
    '13 of 15 predictions right (86.7%)'
    >>> plt.close(ax.figure)
    """
    if not isinstance(shares, bool):
        raise OptionError("shares", shares, "must be True or False")
    counts = _read_counts(frame)
    names = [printable(name, 24 if len(counts) <= 30 else 18) for name in frame.index]
    ax = new_axes(*_grid_inches(names)) if ax is None else ax
    if not names:
        return say_empty(ax, "no labels")
    of_row = counts.sum(axis=1, keepdims=True)
    parts = counts / np.where(of_row > 0, of_row, 1)
    _draw_cells(ax, parts)
    _label_cells(ax, names)
    _write_numbers(ax, parts, counts, shares)
    handles = [
        tuple(Patch(facecolor=fill(part), linewidth=0) for part in (0.1, 0.5, 1.0))
        for fill in (RIGHT, WRONG)
    ]
    side_by_side: Any = {"handler_map": {tuple: HandlerTuple(ndivide=None, pad=0)}}
    key = ["right", "mistaken (10, 50, 100%)"]
    legend_above(ax, handles, key, handlelength=3, columnspacing=1.2, **side_by_side)
    right, total = float(np.trace(counts)), float(counts.sum())
    share = f" ({right / total:.1%})" if total else ""
    ax.set_title(f"{right:,.0f} of {total:,.0f} predictions right{share}", fontsize=11, pad=24)
    return dress(ax)


def _read_counts(frame: pd.DataFrame) -> Floats:
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"a plot needs a pandas DataFrame, got {type(frame).__name__}")
    rows, columns = list(map(str, frame.index)), list(map(str, frame.columns))
    if rows != columns:
        apart = sorted(set(rows) ^ set(columns))[:5]
        problem = f"only one has {', '.join(map(quote, apart))}" if apart else "their order differs"
        raise DataError(
            f"rows and columns have different labels: {problem}; make them the same, for pandas: "
            "frame.reindex(index=labels, columns=labels, fill_value=0)"
        )
    read = [numbers_of(frame.iloc[:, at], name, COUNT) for at, name in enumerate(columns)]
    counts: Floats = np.reshape(read, (len(columns), len(rows))).T
    counts[np.isnan(counts)] = 0
    return counts


def _grid_inches(names: list[str]) -> tuple[float, float]:
    """Inches for the cells, and for the names beside and below them."""
    side = float(np.clip(CELL * len(names), 3, 11.5))
    room, longest = POINTS * side / max(len(names), 1), max(map(len, names), default=0)
    letters = 0.6 * min(9, 0.7 * room) * longest
    right, below = 0.0, letters
    if letters <= room:
        below = LINE
    elif room > MOST_SLANTED:
        right = below = 0.7 * letters
    return side + (letters + right) / POINTS + 0.5, side + below / POINTS + 1


def _draw_cells(ax: Axes, parts: Floats) -> None:
    """Fill right predictions and mistakes, and outline the diagonal."""
    size = len(parts)
    edges, few, right = np.arange(size + 1) - 0.5, size <= MOST_LINES, np.eye(size, dtype=bool)
    for chosen, colours in ((right, RIGHT), (~right, WRONG)):
        seen = np.where(chosen & (parts > 0), parts, np.nan)  # NaN is left blank
        ax.pcolormesh(edges, edges, seen, cmap=colours, vmin=0, vmax=1, rasterized=not few)
    corners = np.array([(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)])
    squares = corners + np.arange(size)[:, None, None]
    outline: Any = {"facecolors": "none", "edgecolors": RIGHT(1.0), "clip_on": False}
    ax.add_collection(PolyCollection(list(squares), linewidths=1 if few else 0.4, **outline))
    if few:
        ax.set_xticks(edges, minor=True)
        ax.set_yticks(edges, minor=True)
        ax.grid(which="minor", color=FAINT, linewidth=0.5)
        ax.set_axisbelow(True)


def _label_cells(ax: Axes, names: list[str]) -> None:
    """Name rows and columns, or only some of them if names would be too small."""
    size, room = len(names), _room(ax, len(names))
    step = int(np.ceil(SMALLEST_LETTER / (0.7 * room)))
    label_columns(ax, range(0, size, step), names[::step], room * step)
    ax.set_yticks(range(0, size, step), names[::step], fontsize=min(9, 0.7 * room * step))
    verbatim_ticks(ax.yaxis)
    ax.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal")
    ax.set(xlabel="predicted", ylabel="true")
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(size > MOST_LINES)


def _room(ax: Axes, size: int) -> float:
    """Points across a cell."""
    return float(POINTS * inches(ax).min() / size)


def _write_numbers(ax: Axes, parts: Floats, counts: Floats, shares: bool) -> None:
    """Write into all filled cells, if there is room in all of them."""
    longest = 3 if shares else len(f"{counts.max():,.0f}")
    room = _room(ax, len(parts))
    size = min(10, 0.9 * room / (0.62 * longest), 0.6 * room)
    if size < SMALLEST_NUMBER:
        return
    style: Any = {"ha": "center", "va": "center", "fontsize": size, "clip_on": True}
    for i, j in np.argwhere(parts).tolist():
        share = "<1" if parts[i, j] < 0.005 else f"{100 * parts[i, j]:.0f}"
        words = share if shares else f"{counts[i, j]:,.0f}"
        ax.text(j, i, words, color="white" if parts[i, j] >= WHITE_INK else DARK, **style)
