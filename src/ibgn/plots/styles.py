"""In which styles an activity is done."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from ibgn.plots.style import (
    SERIES_COLOURS,
    dress,
    legend_above,
    letters_across,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.plots.terms import frequent_actions, name_rows
from ibgn.terms.parts import per_cent
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__ = ["plot_styles"]

MOST_SHOWN = 12  # actions
LANE = 0.22  # inches for each action in each style
ROOM = 0.88  # part of a row that the lanes of its styles take


def plot_styles(activity: "ActivityModel", *, ax: Axes | None = None) -> Axes:
    """Draw which actions go on when, in each style of an activity.

    Parameters
    ----------
    activity : a model of `IBGNClassifier.activities_`, with the term "occupancy"
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Actions are rows, in the order in which they go on, with a lane for each style. A lane is
        filled by the share of the instances of its style in which the action goes on, over
        relative time.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> slow = [[("boil", 0, 8 + d / 9), ("pour", 10, 18 + d)] for d in range(8)]
    >>> fast = [[("pour", 0, 1 + d / 9), ("boil", 2, 2.3)] for d in range(6)]
    >>> model = IBGNClassifier(styles=2, random_state=0).fit(slow + fast, ["tea"] * 14)
    >>> ax = plot_styles(model.activities_["tea"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['style 1 (57%)', 'style 2 (43%)']
    >>> plt.close(ax.figure)
    """
    together = activity["occupancy"].probs
    instants, styles = together.shape[1], activity.members
    chosen = frequent_actions(activity)[:MOST_SHOWN]
    middle = together @ np.arange(instants) / together.sum(axis=1)
    chosen = chosen[np.argsort(middle[chosen], kind="stable")]
    height = (LANE * len(styles) + 0.1) * len(chosen) + 1.2
    ax = new_axes(7.5, height) if ax is None else ax
    part = f" ({len(chosen)} of {len(together)} actions)" if len(chosen) < len(together) else ""
    words = f": styles{part}"
    name = printable(activity.name, max(letters_across(ax) - len(words), 12))
    verbatim(ax.set_title(name + words, fontsize=11, pad=20))
    if not len(chosen):
        return say_empty(ax, "no actions")
    edges, lane = np.linspace(0, 100, instants + 1), ROOM / len(styles)
    handles = []
    for number, style in enumerate(styles):
        colour = SERIES_COLOURS[number % len(SERIES_COLOURS)]
        for row, action in enumerate(chosen):
            base = row - ROOM / 2 + (number + 1) * lane  # rows run downwards
            top = base - 0.92 * lane * style["occupancy"].probs[action]
            filled = ax.stairs(top, edges, baseline=base, fill=True, color=colour)
        handles.append(filled)
    name_rows(ax, [activity.actions[action] for action in chosen])
    ax.set_xlim(0, 100)
    ax.set_xlabel("time (per cent of the instance)")
    shares = [f"style {n} ({per_cent(style.share)})" for n, style in enumerate(styles, 1)]
    legend_above(ax, handles, shares)
    return dress(ax)
