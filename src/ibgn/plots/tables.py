"""What the tables of an activity are made of."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize

from ibgn._arrays import Floats
from ibgn.checks import check_number
from ibgn.plots.cells import LEAST_SEEN, draw_cells
from ibgn.plots.style import (
    POINTS,
    SEQUENTIAL,
    inches,
    label_columns,
    letters_across,
    new_axes,
    verbatim,
)
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__ = ["plot_tables"]

CELL = 0.42  # inches
GAP = 0.3  # cells, between the actions and the column "other"
GREYS = LinearSegmentedColormap.from_list("rest", ["#FFFFFF", "#A0A0A0"])


def plot_tables(
    activity: "ActivityModel",
    *,
    least: float = 0.01,
    most_actions: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw what the tables of an activity are made of, as per cent of each table.

    Parameters
    ----------
    activity : a model of `IBGNClassifier.activities_`
    least : tables with a smaller share of the intervals are left out, but never all
    most_actions : largest number of actions with their own column; the rest is "other"
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Rows are tables with their share of the intervals. Columns are ordered by the table at
        which they are likeliest.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_hand_signs
    >>> X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    >>> options = {"concentration": 100.0, "action_prior": 0.1, "random_state": 0}
    >>> model = IBGNClassifier(terms=("tables", "relations"), weights="equal", **options)
    >>> two = (y == "air") | (y == "bank")
    >>> _ = model.fit(X[two], y[two])
    >>> ax = plot_tables(model.activities_["air"], most_actions=5)
    >>> ax.get_title().split(":")[0], ax.get_xticklabels()[-1].get_text()
    ('air', 'other')
    >>> plt.close(ax.figure)
    """
    check_number("least", least, "from 0 to 1", lambda value: 0 <= value <= 1)
    check_number("most_actions", most_actions, "a whole number from 1", lambda value: value >= 1)
    tables = activity["tables"]
    shares = tables.shares
    kept = np.flatnonzero(shares >= min(least, shares.max()))
    probs = tables.action_probs[kept]
    columns = _columns(probs, int(most_actions))
    names = [printable(activity.actions[code], 24) for code in columns]
    places = [float(place) for place in range(len(columns))]
    rest = 1 - probs[:, columns].sum(axis=1, keepdims=True)
    if rest.max() >= LEAST_SEEN:  # "other" is set apart
        names.append("other")
        places.append(len(columns) + GAP)
    if ax is None:
        below = 0.055 * max(map(len, names))
        ax = new_axes(max(CELL * len(names) + 1.6, 4), CELL * len(kept) + below + 1)
    ax.set(xlim=(-0.5, places[-1] + 0.5), ylim=(len(kept) - 0.5, -0.5))
    draw_cells(ax, probs[:, columns], 0, Normalize(0, max(0.2, probs.max())), SEQUENTIAL)
    if len(names) > len(columns):
        draw_cells(ax, rest, places[-1], Normalize(0, 1), GREYS)
    _label_cells(ax, places, names, [f"table {z}: {shares[z]:.0%}" for z in kept.tolist()])
    _write_title(ax, activity, len(shares) - len(kept), len(kept), least)
    return ax


def _columns(probs: Floats, most: int) -> list[int]:
    """Actions that leave the least to "other", by the table at which they are likeliest."""
    chosen = np.argsort(-probs.sum(axis=0), kind="stable")[:most]
    seen = probs[:, chosen].max(axis=0) >= LEAST_SEEN
    chosen = chosen[seen] if seen.any() else chosen
    table = probs[:, chosen].argmax(axis=0)
    order = np.lexsort((-probs[table, chosen], table))
    return [int(code) for code in chosen[order]]


def _label_cells(ax: Axes, places: list[float], names: list[str], tables: list[str]) -> None:
    width, height = POINTS * inches(ax)
    label_columns(ax, places, names, width / len(names))
    ax.set_yticks(range(len(tables)), tables, fontsize=min(10, 0.7 * height / len(tables)))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("per cent of the intervals of a table", fontsize=9)


def _write_title(
    ax: Axes, activity: "ActivityModel", left_out: int, kept: int, least: float
) -> None:
    counted = f": {kept} table{'s' if kept > 1 else ''}"
    counted += f" ({left_out} below {100 * least:g}% left out)" if left_out else ""
    name = printable(activity.name, max(letters_across(ax) - len(counted), 12))
    verbatim(ax.set_title(name + counted, fontsize=11))
