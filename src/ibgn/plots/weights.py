"""How much each side of an activity says."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ibgn.plots.style import (
    FAINT,
    GREY,
    SERIES_COLOURS,
    dress,
    label_rows,
    legend_above,
    new_axes,
    say_empty,
)
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    import pandas as pd

    from ibgn.classifiers.base import ActivityClassifier
    from ibgn.networks import Sequences

__all__ = ["draw_weights", "plot_weights"]

ROW = 0.42  # inches


def plot_weights(
    model: "ActivityClassifier", X: "Sequences | None" = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the weight of each term and, on instances, how far it sets activities apart.

    Parameters
    ----------
    model : a fitted classifier
    X : instances, such as those it learned from; without them only weights are drawn
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Terms that say most come first. Both kinds of bars have their largest at full length.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]]
    >>> model = IBGNClassifier(terms=("actions", "relations"), weights="equal")
    >>> ax = plot_weights(model.fit(X, ["tea", "coffee"]), X)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['actions', 'relations']
    >>> plt.close(ax.figure)
    """
    return draw_weights(model.describe_weights(X), ax)


def draw_weights(frame: "pd.DataFrame", ax: Axes | None = None) -> Axes:
    """Draw what `describe_weights` gives."""
    measured = "spread" in frame
    rows = frame.sort_values(
        "spread" if measured else "weight", ascending=False, kind="stable", ignore_index=True
    )
    ax = new_axes(6.5, ROW * len(rows) + 0.8) if ax is None else ax
    if rows.empty:
        return say_empty(ax, "no terms")
    columns = ["spread", "weight"] if measured else ["weight"]
    height = 0.8 / len(columns)
    handles = []
    for number, column in enumerate(columns):
        values = rows[column].to_numpy(float)
        places = np.arange(len(rows)) + (number - (len(columns) - 1) / 2) * height
        colour: Any = SERIES_COLOURS[0] if number == 0 else GREY
        handles.append(ax.barh(places, values / (values.max() or 1), 0.9 * height, color=colour))
        for place, value, part in zip(places, values, values / (values.max() or 1), strict=True):
            ax.annotate(
                f"{value:.2f}", (part, place), (3, 0), textcoords="offset points", va="center"
            ).set_fontsize(9)
    label_rows(ax, [printable(name, 24) for name in rows["term"]])
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, 1.12)
    ax.set_xticks([])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.spines["left"].set_color(FAINT)
    words = {"spread": "what it says (nats between activities)", "weight": "weight"}
    legend_above(ax, handles, [words[column] for column in columns])
    return dress(ax)
