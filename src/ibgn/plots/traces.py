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
BAND = 1.4  # height of each trace, with room for its name


def plot_traces(activity: "ActivityModel", *, ax: Axes | None = None) -> Axes:
    """Draw the traces of the chains that learned the tables of an activity, one line per chain.

    Parameters
    ----------
    activity : a model of `IBGNClassifier.activities_`
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        The log joint probability, the concentration and the sum of the action prior, each from
        its lowest to its highest value. Chains that have settled go up and down around the same
        level. Long chains are thinned, as the axis says.

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
    >>> ax = plot_traces(model.activities_["air"])
    >>> ax.get_xlabel()
    'draw'
    >>> plt.close(ax.figure)
    """
    from ibgn.terms.seating import TRACES  # plots of data need not wait for the models

    convergence = activity["tables"].convergence
    traces = convergence.traces
    ax = new_axes(7, 4.2) if ax is None else ax
    rhat = [f"R-hat {convergence.rhat:.3f}"] if np.isfinite(convergence.rhat) else []
    verdict = "converged" if convergence.converged else "NOT converged"
    size = f"effective sample size {convergence.effective_sample_size:,.0f}"
    name = printable(activity.name, letters_across(ax))
    verbatim(ax.set_title(f"{name}\n{', '.join([size, *rhat, verdict])}", fontsize=11))
    if not traces.size:
        return dress(say_empty(ax, "no draws"))
    step = -(-traces.shape[2] // MOST_POINTS)
    shown = np.arange(0, traces.shape[2], step)
    style: Any = {"linewidth": 0.9, "marker": "" if len(shown) > 1 else "o"}
    ticks: dict[float, str] = {}
    for band, (label, of_chains) in enumerate(zip(TRACES, traces, strict=True)):
        bottom, low, high = -band * BAND, of_chains.min(), of_chains.max()
        heights = bottom + (of_chains[:, shown] - low) / (high - low if high > low else 1)
        lines = [
            ax.plot(shown + 1, chain, color=SERIES_COLOURS[c % len(SERIES_COLOURS)], **style)[0]
            for c, chain in enumerate(heights)
        ]
        ticks |= {bottom: f"{low:.4g}"} | ({bottom + 1: f"{high:.4g}"} if high > low else {})
        ax.text(shown[0] + 1, bottom + 1.06, label, fontsize=9, va="bottom")
    every = f" (one of {step} shown)" if step > 1 else ""
    ax.set(xlabel=f"draw{every}", ylim=(0.9 - len(TRACES) * BAND, BAND))
    ax.set_yticks([*ticks], [*ticks.values()])
    ax.margins(x=0.01)
    draw_grid(ax)
    if 1 < len(lines) <= lines_beside(ax):
        add_legend(ax, [*lines], [f"chain {c + 1}" for c in range(len(lines))])
    return dress(ax)
