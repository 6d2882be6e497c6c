"""Which pairs of positions of an activity are linked."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import FuncNorm, ListedColormap
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from ibgn._arrays import Floats
from ibgn.errors import DataError
from ibgn.plots.style import DARK, EMPTY, SEQUENTIAL, letters_across, new_axes, say_empty, verbatim
from ibgn.text import printable, quote

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__ = ["plot_structure"]

LINKED = "#0072B2"
SHADES = ListedColormap(SEQUENTIAL(np.linspace(0.22, 1, 256)))  # shows the weakest link too
TICKS = (0, 1, 3, 10, 30, 100, 300, 1000, 3000)
MOST_POSITIONS = 5000
MOST_LINES = 60  # positions; with more, no lines are drawn between cells


def plot_structure(activity: "ActivityModel", *, ax: Axes | None = None) -> Axes:
    """Draw which pairs of positions of an activity are linked, and how sure their links are.

    Parameters
    ----------
    activity : a model of `IBGNClassifier.activities_`
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Rows are the earlier positions of pairs, columns the later ones, up to the longest
        training instance. Learned links are shaded by their score.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_hand_signs
    >>> X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    >>> model = IBGNClassifier("chain", draws=100, random_state=0)
    >>> two = (y == "air") | (y == "bank")
    >>> _ = model.fit(X[two], y[two])
    >>> ax = plot_structure(model.activities_["air"])
    >>> ax.get_title()
    'air: 14 of 105 pairs linked'
    >>> plt.close(ax.figure)
    """
    relations = activity["relations"]
    last = max((second for _, second in relations.structure.links), default=-1)
    size = max(int(activity.lengths.max(initial=0)), last + 1)
    if size > MOST_POSITIONS:
        raise DataError(
            f"an instance of {quote(activity.name)} has {size} intervals; pairs of more than "
            f"{MOST_POSITIONS} positions are not drawn"
        )
    linked = relations.structure.mask(size)
    side = float(np.clip(0.3 * size, 3.2, 6.2))
    ax = new_axes(side + 0.8, side + 1) if ax is None else ax
    counted = f": {linked.sum()} of {size * (size - 1) // 2} pairs linked"
    name = printable(activity.name, max(letters_across(ax) - len(counted), 12))
    verbatim(ax.set_title(name + counted))
    if size < 2:
        return say_empty(ax, "no pairs of positions")
    scores = np.zeros((size, size))
    if relations.link_scores is not None:
        first, second = np.triu_indices(relations.link_scores.size, 1)
        inside = second < size
        scores[first[inside], second[inside]] = relations.link_scores.score[inside]
    scores[~linked] = 0
    _draw_cells(ax, ~linked, scores, ListedColormap([EMPTY]))
    links = _draw_cells(ax, linked, scores, SHADES if scores.any() else ListedColormap([LINKED]))
    _label_positions(ax)
    _add_key(ax, links, float(scores.max()))
    return ax


def _draw_cells(
    ax: Axes, chosen: npt.NDArray[np.bool_], values: Floats, colours: ListedColormap
) -> QuadMesh:
    """Fill the chosen pairs i < j."""
    size = len(chosen)
    edges = np.arange(size + 1) - 0.5
    shown = np.where(np.triu(chosen, 1), values, np.nan)  # NaN is left blank
    lines = size <= MOST_LINES
    style: Any = {"edgecolors": "white", "linewidth": 0.8} if lines else {"rasterized": True}
    norm = FuncNorm((np.log1p, np.expm1), 0, max(float(values.max()), 1))
    cells = ax.pcolormesh(edges, edges, shown, cmap=colours, norm=norm, **style)
    ax.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), aspect="equal")
    return cells


def _label_positions(ax: Axes) -> None:
    """Number the positions along both sides with cells."""
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(12, integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.tick_top()
    ax.yaxis.tick_right()
    ax.xaxis.set_label_position("top")
    ax.yaxis.set_label_position("right")
    ax.set(xlabel="later position", ylabel="earlier position")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.spines[["top", "right"]].set_color(DARK)


def _add_key(ax: Axes, links: QuadMesh, most: float) -> None:
    """Explain the colours in the empty corner; links are shaded up to a score."""
    handles = [Patch(facecolor=EMPTY, edgecolor=DARK, linewidth=0.4, label="not linked")]
    if not most:
        handles.insert(0, Patch(facecolor=LINKED, label="linked"))
    corner: Any = {"loc": "lower left", "bbox_to_anchor": (0, 0.2 if most else 0)}
    ax.legend(handles=handles, fontsize=9, frameon=False, **corner)
    if most:
        inset = ax.inset_axes((0.03, 0.15, 0.42, 0.03))
        bar = ax.figure.colorbar(links, cax=inset, orientation="horizontal")
        ticks = [tick for tick in TICKS if np.log1p(tick) < 0.85 * np.log1p(most)]
        bar.set_ticks([*ticks, most], labels=[*map(str, ticks), f"{most:.3g}"])
        bar.ax.tick_params(labelsize=9)
        bar.outline.set_linewidth(0.5)
        bar.set_label("score, from weak to strong (nats)", fontsize=9, loc="left")
