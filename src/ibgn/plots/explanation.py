"""Why an instance was recognised as one activity and not another."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from ibgn._arrays import Floats
from ibgn.allen import Relation
from ibgn.checks import check_number
from ibgn.plots.curves import bend_apart
from ibgn.plots.style import (
    DARK,
    DIVERGING,
    Colour,
    inches,
    ink,
    letters_across,
    new_axes,
    say_empty,
    shown,
    verbatim,
)
from ibgn.plots.timeline import draw_bars, label_timeline, lane_of_action
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.explanation import Explanation

__all__ = ["plot_explanation"]

Pair = tuple[int, int]

ROOMY, TIGHT = 0.45, 0.3  # inches per lane; links need room between the lanes
LETTER = 9  # points


def plot_explanation(
    explanation: "Explanation", *, most_links: int = 8, ax: Axes | None = None
) -> Axes:
    """Draw what spoke for an activity and what against it: intervals and relations.

    Parameters
    ----------
    explanation : what `IBGNClassifier.explain` returns
    most_links : largest number of relations drawn, the weightiest
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Bars are intervals, one lane per action. A line with a letter joins two intervals whose
        relation mattered. Blue speaks for the activity, orange against it, on one scale.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_hand_signs
    >>> X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    >>> model = IBGNClassifier(draws=100, random_state=0)
    >>> two = (y == "air") | (y == "bank")
    >>> _ = model.fit(X[two], y[two])
    >>> ax = plot_explanation(model.explain(X[two][0], activity="air"))
    >>> ax.get_title().split(":")[0], len(ax.patches)
    ('air against bank', 15)
    >>> plt.close(ax.figure)
    """
    check_number("most_links", most_links, "a whole number from 0", lambda value: value >= 0)
    X = explanation.instance
    codes = list(dict.fromkeys(X.action.tolist()))
    if ax is None:
        height = min(ROOMY * len(codes), max(6.5, TIGHT * len(codes)))
        ax = new_axes(min(8 + 0.08 * len(X.action), 13), height + 2)
    pairs = explanation.pairs  # computed at each access
    first, second = np.nonzero(pairs)
    weightiest = np.argsort(-np.abs(pairs[first, second]), kind="stable")[: int(most_links)]
    links = list(zip(first[weightiest].tolist(), second[weightiest].tolist(), strict=True))
    weights = np.array([pairs[pair] for pair in links])
    _write_title(ax, explanation, len(links))
    if not codes:
        return say_empty(ax)
    farthest = np.abs(np.append(explanation.intervals, weights)).max() or 1
    scale = ScalarMappable(Normalize(-farthest, farthest), DIVERGING)
    lane = lane_of_action(X, codes)
    bars = draw_bars(ax, X, lane, _colours(scale, explanation.intervals))
    label_timeline(ax, shown(X, codes, 32))
    if links:
        _draw_links(ax, explanation, links, bars, _colours(scale, weights))
    _add_key(ax, explanation, scale, {explanation.relations[pair] for pair in links})
    return ax


def _colours(scale: ScalarMappable, values: Floats) -> list[Colour]:
    return [(red, green, blue) for red, green, blue, _ in scale.to_rgba(values).tolist()]


def _write_title(ax: Axes, explanation: "Explanation", drawn: int) -> None:
    longest = max((letters_across(ax, 90) - 27) // 2, 12)
    names = [printable(name, longest) for name in (explanation.activity, explanation.against)]
    title = f"{names[0]} against {names[1]}: log odds {explanation.log_odds:+z.1f}"
    k = len(explanation.instance.action)
    sums = {"prior": explanation.prior} | explanation.sums
    parts = ", ".join(f"{printable(name)} {value:+z.1f}" for name, value in sums.items())
    pairs = f"{drawn} of {k * (k - 1) // 2} pairs drawn"
    verbatim(ax.set_title(f"{title}\n{parts} ({pairs})", fontsize=11))


def _draw_links(
    ax: Axes,
    explanation: "Explanation",
    links: list[Pair],
    bars: list[Rectangle],
    colours: list[Colour],
) -> None:
    """Join the bars of each pair by a bent line, with its letter away from others."""
    middles = np.array([bar.get_center() for bar in bars])
    ends = np.array([middles[list(pair)] for pair in links])
    corners = np.sort(np.array([ax.get_xlim(), ax.get_ylim()]))
    ax.set_xlim(*corners[0])  # lines stay inside
    unit = inches(ax) / np.ptp(corners, axis=1)
    lines, places = bend_apart(ends * unit, corners.T * unit)
    outline = [withStroke(linewidth=3.4, foreground=DARK)]
    style: Any = {"linewidths": 2, "capstyle": "round", "path_effects": outline, "zorder": 3}
    ax.add_collection(LineCollection(list(lines / unit), colors=colours, **style))
    ax.scatter(
        ends[..., 0], ends[..., 1], s=20, c=DARK, zorder=4, edgecolors="white", linewidths=0.4
    )
    across, up = (places / unit).T
    disc: Any = {"c": colours, "edgecolors": DARK, "linewidths": 0.8, "zorder": 5}
    ax.scatter(across, up, s=(1.9 * LETTER) ** 2, **disc)
    for pair, (x, y), colour in zip(links, (places / unit).tolist(), colours, strict=True):
        letter = Relation(int(explanation.relations[pair])).symbol
        style = {"ha": "center", "va": "center_baseline", "fontsize": LETTER, "zorder": 6}
        ax.text(x, y, letter, color=ink(colour), **style)


def _add_key(
    ax: Axes, explanation: "Explanation", scale: ScalarMappable, letters: set[int]
) -> None:
    """Explain the colours and the letters."""
    pad = 0.2 if ax.figure.get_layout_engine() is None else 0.02  # nothing else would make room
    bar = ax.figure.colorbar(scale, ax=ax, location="bottom", shrink=0.4, aspect=25, pad=pad)
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(labelsize=8)
    words = [f"{r.symbol} {r.label}" for r in Relation if r in letters]
    bar.set_label("    ".join(words), fontsize=9, color=DARK)
    name = printable(explanation.activity, 24)
    places: Any = [(-0.03, f"against {name}", "right"), (1.03, f"for {name}", "left")]
    for x, words, side in places:
        transform: Any = {"transform": bar.ax.transAxes, "ha": side, "va": "center"}
        verbatim(bar.ax.text(x, 0.5, words, fontsize=9, **transform))
