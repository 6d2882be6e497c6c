"""Why an instance was recognised as one activity and not another."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from ibgn._arrays import Floats
from ibgn.allen import Converse, Relation, relation
from ibgn.checks import check_number
from ibgn.plots.curves import bend_apart
from ibgn.plots.style import (
    DARK,
    DIVERGING,
    MOST_ROWS,
    Colour,
    draw_signed_bars,
    inches,
    ink,
    letters_across,
    say_empty,
    verbatim,
)
from ibgn.plots.timeline import draw_bars, label_timeline
from ibgn.plots.units import time_label
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.explanation import Explanation

__all__ = ["plot_explanation"]

Pair = tuple[int, int]

ROOMY, TIGHT = 0.45, 0.3  # inches per lane; links need room between the lanes
LINE = 0.19  # inches per line of text
BAR = 0.24  # inches per term
LETTER = 9  # points
MOST_ABSENT = 3  # lanes of actions that do not occur, but count
LEAST_TOLD = 0.05  # log odds; an absent action that adds less has no lane
WEAK = 0.05  # links weaker than this part of the strongest link or interval are not drawn


def plot_explanation(
    explanation: "Explanation",
    *,
    reasons: int = 3,
    most_links: int = 8,
    ax: Axes | None = None,
) -> Axes:
    """Draw what spoke for an activity and what against it: reasons, terms, intervals, relations.

    Parameters
    ----------
    explanation : what `IBGNClassifier.explain` returns
    reasons : largest number of reasons written above
    most_links : largest number of relations drawn, the weightiest
    ax : where to draw the intervals alone; None makes a figure, with reasons and terms above

    Returns
    -------
    Axes
        Those of the intervals: bars, one lane per action, with the sum of each lane on the right.
        An interval counts with what terms say about it and its share of what they say about its
        action as a whole. Lanes without bars are actions whose absence counts. A line
        with a letter joins two intervals whose relation mattered. Blue speaks for the activity,
        orange against it, on one scale.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_hand_signs
    >>> X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    >>> two = (y == "air") | (y == "bank")
    >>> model = IBGNClassifier(random_state=0).fit(X[two], y[two])
    >>> ax = plot_explanation(model.explain(X[two][0], activity="air"))
    >>> ax.figure.axes[0].get_title(loc="left").split(":")[0], len(ax.patches)
    ('air against bank', 15)
    >>> plt.close(ax.figure)
    """
    check_number("most_links", most_links, "a whole number from 0", lambda value: value >= 0)
    check_number("reasons", reasons, "a whole number from 0", lambda value: value >= 0)
    lanes = _Lanes(explanation)
    if ax is None:
        ax = _draw_frame(explanation, int(reasons), len(lanes.names))
    else:
        _write_title(ax, explanation)
    if not lanes.names:
        return say_empty(ax)
    first, second, value = explanation.links()
    farthest = max(np.abs(value).max(initial=0), np.abs(lanes.of_intervals).max(initial=0)) or 1
    weightiest = np.argsort(-np.abs(value), kind="stable")[: int(most_links)]
    weightiest = weightiest[np.abs(value[weightiest]) > WEAK * farthest]
    links = list(zip(first[weightiest].tolist(), second[weightiest].tolist(), strict=True))
    times = list(zip(explanation.instance.start, explanation.instance.end, strict=True))
    held = [relation(times[i], times[j]) for i, j in links]
    scale = ScalarMappable(Normalize(-farthest, farthest), DIVERGING)
    bars = draw_bars(ax, explanation.instance, lanes.lane, _colours(scale, lanes.of_intervals))
    label_timeline(ax, lanes.names)
    _write_sums(ax, lanes.sums)
    if links:
        _draw_links(ax, links, held, bars, _colours(scale, value[weightiest]))
    k = len(explanation.instance.action)
    drawn = f"{len(links)} of {k * (k - 1) // 2} pairs drawn"
    verbatim(ax.set_xlabel(f"{time_label('time')}; {drawn}"))
    _add_key(ax, explanation, scale, set(held))
    return ax


class _Lanes:
    """Lanes of actions: those that occur, by first start, then absent ones that count most.

    Attributes
    ----------
    names : what is written beside each lane
    lane : (k,) lane of each interval
    of_intervals : (k,) what each interval adds, with its share of what its action adds
    sums : (lanes,) what each lane adds
    """

    def __init__(self, explanation: "Explanation") -> None:
        X = explanation.instance
        of_action = {
            name: float(value)
            for name, value in zip(explanation.actions, explanation.of_actions, strict=True)
        }
        names = [X.actions[code] for code in X.action.tolist()]
        present = list(dict.fromkeys(names))
        telling = [name for name, value in of_action.items() if abs(value) >= LEAST_TOLD]
        absent = [name for name in telling if name not in present]
        absent = sorted(absent, key=lambda name: -abs(of_action[name]))[:MOST_ABSENT]
        shares = [of_action.get(name, 0.0) / names.count(name) for name in names]
        self.of_intervals: Floats = explanation.intervals + np.array(shares, float)
        self.lane = np.array([present.index(name) for name in names], np.int64)
        of_present = np.bincount(self.lane, self.of_intervals, minlength=len(present))
        self.sums: Floats = np.append(of_present, [of_action[name] for name in absent])
        self.names = [printable(name, 32) for name in present]
        self.names += [f"no {printable(name, 29)}" for name in absent]


def _draw_frame(explanation: "Explanation", reasons: int, lanes: int) -> Axes:
    """Make a figure: the reasons in words, a bar for each term, and axes for the intervals."""
    k = len(explanation.instance.action)
    width = min(9 + 0.03 * k, 12)
    texts = [str(reason) for reason in explanation.reasons(reasons)]
    lines = [
        line
        for number, text in enumerate(texts, 1)
        for line in wrap(f"{number}. {text}", int(13 * width), subsequent_indent="    ")
    ]
    by_term = [(name, value) for name, value in explanation.by_term.items() if abs(value) >= 0.005]
    shown = dict(by_term[:MOST_ROWS])
    timeline = min(ROOMY * lanes, max(6.5, TIGHT * lanes)) + 1.4
    heights = [LINE * len(lines) + 0.1, BAR * len(shown) + 0.1, timeline]
    figure = plt.figure(figsize=(width, min(sum(heights) + 1, 40)), layout="constrained")
    axes: list[Axes] = figure.subplots(3, height_ratios=heights).tolist()
    top, middle, _ = axes
    _write_title(top, explanation)
    top.set_axis_off()
    verbatim(
        top.text(0, 1, "\n".join(lines), transform=top.transAxes, va="top", fontsize=9, color=DARK)
    )
    if shown:
        draw_signed_bars(middle, list(shown), np.array(list(shown.values())))
        middle.set_title("log odds by term", fontsize=9, loc="left", color=DARK)
    else:
        say_empty(middle, "no term says anything")
    return axes[2]


def _write_sums(ax: Axes, sums: Floats) -> None:
    """Write what each lane adds on its right."""
    right = ax.secondary_yaxis("right")
    right.set_yticks(range(len(sums)), [f"{value:+z.1f}" for value in sums])
    right.tick_params(length=0, labelsize=9, labelcolor=DARK)
    right.spines["right"].set_visible(False)


def _colours(scale: ScalarMappable, values: Floats) -> list[Colour]:
    return [(red, green, blue) for red, green, blue, _ in scale.to_rgba(values).tolist()]


def _write_title(ax: Axes, explanation: "Explanation") -> None:
    longest = max((letters_across(ax, 90) - 27) // 2, 12)
    names = [printable(name, longest) for name in (explanation.activity, explanation.against)]
    title = f"{names[0]} against {names[1]}: log odds {explanation.log_odds:+z.1f}"
    verbatim(ax.set_title(title, fontsize=11, loc="left"))


def _draw_links(
    ax: Axes,
    links: list[Pair],
    held: list[Relation | Converse],
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
    for held_by, (x, y), colour in zip(held, (places / unit).tolist(), colours, strict=True):
        style = {"ha": "center", "va": "center_baseline", "fontsize": LETTER, "zorder": 6}
        ax.text(x, y, held_by.symbol, color=ink(colour), **style)


def _add_key(
    ax: Axes, explanation: "Explanation", scale: ScalarMappable, letters: set[Relation | Converse]
) -> None:
    """Explain the colours and the letters."""
    pad = 0.2 if ax.figure.get_layout_engine() is None else 0.02  # nothing else would make room
    bar = ax.figure.colorbar(scale, ax=ax, location="bottom", shrink=0.4, aspect=25, pad=pad)
    bar.outline.set_linewidth(0.5)
    bar.ax.tick_params(labelsize=9)
    words = [f"{r.symbol} {r.label}" for r in Relation if r in letters]
    bar.set_label("    ".join(words), fontsize=9, color=DARK)
    name = printable(explanation.activity, 24)
    places: Any = [(-0.03, f"against {name}", "right"), (1.03, f"for {name}", "left")]
    for x, words, side in places:
        transform: Any = {"transform": bar.ax.transAxes, "ha": side, "va": "center"}
        verbatim(bar.ax.text(x, 0.5, words, fontsize=9, **transform))
