"""Whether the chains that learned an activity have settled."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from ibgn.plots.style import (
    SERIES_COLOURS,
    add_legend,
    draw_grid,
    dress,
    letters_across,
    lines_beside,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__ = ["plot_traces"]

MOST_POINTS = 500  # of a chain; more would not be visible


def plot_traces(activity: "ActivityModel", *, ax: Axes | None = None) -> Axes:
    """Draw the log joint probability of the draws of an activity, one line per chain.

    Parameters
    ----------
    activity : a model of `IBGNClassifier.activities_`
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Chains that have settled go up and down around the same level. Long chains are thinned,
        as the axis says.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_hand_signs
    >>> X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    >>> model = IBGNClassifier(draws=100, random_state=0)
    >>> two = (y == "air") | (y == "bank")
    >>> _ = model.fit(X[two], y[two])
    >>> ax = plot_traces(model.activities_["air"])
    >>> ax.get_xlabel()
    'draw'
    >>> plt.close(ax.figure)
    """
    convergence = activity["tables"].convergence
    trace = convergence.trace
    ax = new_axes(7, 3) if ax is None else ax
    rhat = [f"R-hat {convergence.rhat:.3f}"] if np.isfinite(convergence.rhat) else []
    verdict = "converged" if convergence.converged else "NOT converged"
    size = f"effective sample size {convergence.effective_sample_size:,.0f}"
    name = printable(activity.name, letters_across(ax))
    verbatim(ax.set_title(f"{name}\n{', '.join([size, *rhat, verdict])}", fontsize=11))
    if not trace.size:
        return dress(say_empty(ax, "no draws"))
    step = -(-trace.shape[1] // MOST_POINTS)
    shown = np.arange(0, trace.shape[1], step)
    style: Any = {"linewidth": 0.9, "marker": "" if len(shown) > 1 else "o"}
    lines = [
        ax.plot(shown + 1, chain[shown], color=SERIES_COLOURS[c % len(SERIES_COLOURS)], **style)[0]
        for c, chain in enumerate(trace)
    ]
    every = f" (one of {step} shown)" if step > 1 else ""
    ax.set(xlabel=f"draw{every}", ylabel="log joint probability")
    ax.margins(x=0.01)
    draw_grid(ax)
    if 1 < len(lines) <= lines_beside(ax):
        add_legend(ax, [*lines], [f"chain {c + 1}" for c in range(len(lines))])
    return dress(ax)
