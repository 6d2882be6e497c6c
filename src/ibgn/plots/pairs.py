"""Relations of many pairs of intervals, as cells beside the names of the intervals."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from ibgn.allen import Relation
from ibgn.plots.style import (
    DARK,
    FAINT,
    POINTS,
    RELATION_COLOURS,
    SMALLEST_LETTER,
    inches,
    ink,
    new_axes,
    verbatim,
)

__all__ = ["Link", "draw_pairs", "pair_axes"]

Link = tuple[int, int, Relation]

CELL = 0.34  # inches
LARGEST = 12.0  # inches, of all cells
LETTER = 9  # points
WIDTH = 0.58  # of a letter, as part of its height


def pair_axes(names: list[str]) -> Axes:
    """Axes of a new figure with room for a cell of each pair, the names and a legend."""
    cell = min(CELL, LARGEST / len(names))
    return new_axes(
        (len(names) + _room(names, POINTS * cell)) * cell + 1.6, len(names) * cell + 0.6
    )


def draw_pairs(ax: Axes, names: list[str], links: list[Link]) -> None:
    """Write names along a diagonal, and the relation of each linked pair where they meet.

    To the right of a name are its relations to later intervals, above it those of earlier ones
    to it.
    """
    count = len(names)
    cells = np.full((count, count), np.nan)
    for first, last, relation in links:
        cells[first, last] = relation
    edges = np.arange(count + 1) - 0.5
    style: Any = {"edgecolors": "white", "linewidth": 0.8 if count <= 60 else 0}
    unlinked = np.where(np.triu(np.isnan(cells), 1), 1.0, np.nan)
    ax.pcolormesh(edges, edges, unlinked, cmap=ListedColormap([FAINT]), alpha=0.5, **style)
    relations = ListedColormap(RELATION_COLOURS)
    ax.pcolormesh(edges, edges, cells, cmap=relations, vmin=-0.5, vmax=6.5, **style)
    cell = float((POINTS * inches(ax) / (count + _room(names, POINTS * CELL), count)).min())
    ax.set(xlim=(-0.5 - _room(names, cell), count - 0.5), ylim=(count - 0.5, -0.5))
    ax.set(aspect="equal", yticks=[])
    ax.spines[:].set_visible(False)
    _write_names(ax, names, cell)
    size = min(LETTER, 0.7 * cell)
    if size >= SMALLEST_LETTER:
        middle: Any = {"ha": "center", "va": "center_baseline", "fontsize": size}
        for first, last, relation in links:
            ax.text(last, first, relation.symbol, color=ink(RELATION_COLOURS[relation]), **middle)


def _room(names: list[str], cell: float) -> float:
    """Cells that names need on the left, where a cell is this many points wide."""
    letters = np.array([len(name) + 4 for name in names])
    return float((WIDTH * min(LETTER, 0.8 * cell) / cell * letters - np.arange(len(names))).max())


def _write_names(ax: Axes, names: list[str], cell: float) -> None:
    """Name and number the intervals, or only some of them if letters would be too small."""
    step = int(np.ceil(SMALLEST_LETTER / (0.8 * cell)))
    style: Any = {"fontsize": min(LETTER, 0.8 * cell * step), "color": DARK}
    numbers = range(0, len(names), step)
    for number in numbers:
        text = ax.text(number + 0.3, number, f"{names[number]} {number}", **style)
        text.set(ha="right", va="center")
        verbatim(text)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0, pad=0)
    ax.set_xticks(numbers[1:], [str(number) for number in numbers[1:]], **style)
