"""One instance as a network: an arc or a cell for each linked pair of intervals."""

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from ibgn.horizon import expect_pairs
from ibgn.intervals import Instance, IntervalSequences
from ibgn.networks import StructureLike, read_networks
from ibgn.plots.pairs import Link, draw_pairs, pair_axes
from ibgn.plots.style import (
    DARK,
    FAINT,
    POINTS,
    RELATION_COLOURS,
    SMALLEST_LETTER,
    add_legend,
    inches,
    ink,
    label_columns,
    new_axes,
    only_instance,
    say_empty,
    shown,
    write_title,
)

__all__ = ["plot_network"]

MOST_ARCS = 30  # links; more arcs could not be told apart
LINK = 1000  # bytes of a pair that is drawn


def plot_network(
    instance: IntervalSequences | Instance,
    structure: StructureLike = "full",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the intervals of one instance in order, and the relation of each linked pair.

    Parameters
    ----------
    instance : one instance, like X[0], or a list of (action, start, end)
    structure : "full", "chain", pairs of positions, or a `Structure`
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Up to 30 links are arcs with the letter of their relation at the top; longer ones are
        higher, so letters never collide. More links are cells: to the right of the name of an
        interval are its relations to later intervals, above it those of earlier ones to it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> ax = plot_network([("reach", 0, 2), ("grasp", 1, 3), ("lift", 3, 4)], "chain")
    >>> [letter.get_text() for letter in ax.texts]
    ['o', 'm']
    >>> plt.close(ax.figure)
    """
    X = only_instance(instance)
    expect_pairs(X, LINK)
    links = list(read_networks(X, structure)[0].links())
    names = shown(X, X.action.tolist(), 24 if len(X.action) <= 20 else 16)
    rows = len({j - i for i, j, _ in links})
    as_cells = len(links) > MOST_ARCS
    if ax is None:
        ax = pair_axes(names) if as_cells else _arc_axes(names, rows)
    write_title(ax, X)
    if not names:
        return say_empty(ax)
    if as_cells:
        draw_pairs(ax, names, links)
    else:
        _draw_nodes(ax, names, rows)
        _draw_links(ax, links)
    if links:
        relations = sorted({relation for _, _, relation in links})
        dots: list[Artist] = [
            Line2D([], [], ls="", marker="o", markersize=8, color=RELATION_COLOURS[r])
            for r in relations
        ]
        add_legend(ax, dots, [f"{r.symbol} {r.label}" for r in relations])
    return ax


def _arc_axes(names: list[str], rows: int) -> Axes:
    """Axes of a new figure with room for arcs of as many heights, and names below."""
    below = 0.06 * max(map(len, names), default=0)
    width, height = np.clip(0.8 * len(names), 3, 13), np.clip(0.55 * rows, 1, 8.5)
    return new_axes(width + 1.6, height + below + 0.7)


def _draw_nodes(ax: Axes, names: list[str], rows: int) -> None:
    count, (width, height) = len(names), POINTS * inches(ax)
    room, below = width / count, 8 / height * (rows + 1)  # 8 points, for half a node
    ax.set(xlim=(-0.6, count - 0.4), ylim=(-below, rows + 0.6), yticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="x", length=0)
    ax.plot(range(count), [0] * count, color=FAINT, zorder=1)
    ax.scatter(range(count), [0] * count, s=min(7, 0.6 * room) ** 2, color=DARK, zorder=3)
    label_columns(ax, range(count), [f"{i}\n{name}" for i, name in enumerate(names)], room)


def _draw_links(ax: Axes, links: list[Link]) -> None:
    """Draw half an ellipse over each pair; links of the same span have the same height."""
    if not links:
        return
    first, last, _ = np.array(links).T
    spans, row = np.unique(last - first, return_inverse=True)
    middle, top = (first + last) / 2, row + 1.0
    turn = np.linspace(np.pi, 0, 61)
    across = middle[:, None] + np.outer(last - first, np.cos(turn)) / 2
    arcs = np.stack([across, np.outer(top, np.sin(turn))], axis=-1)
    colours = [RELATION_COLOURS[relation] for _, _, relation in links]
    ax.add_collection(LineCollection(list(arcs), colors=colours, alpha=0.6, linewidths=1.2))
    # points between the tops of two arcs
    beside, above = POINTS * inches(ax) / (np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim()))
    if (np.diff(spans) % 2 == 1).all():  # each row is half a step beside the one below
        above = min(2 * above, np.hypot(beside / 2, above))
    dot = min(17, 0.75 * float(min(beside, above)))
    ax.scatter(middle, top, s=dot**2, c=colours, linewidths=0, zorder=4)
    if 0.65 * dot >= SMALLEST_LETTER:
        style: Any = {"ha": "center", "va": "center_baseline", "clip_on": True, "zorder": 5}
        for (_, _, relation), x, y in zip(links, middle.tolist(), top.tolist(), strict=True):
            colour = ink(RELATION_COLOURS[relation])
            ax.text(x, y, relation.symbol, fontsize=0.65 * dot, color=colour, **style)
