"""Numbers that an activity usually has: of intervals, and how often and how long actions occur."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from ibgn.plots.style import (
    FAINT,
    GREY,
    SERIES_COLOURS,
    Floats,
    draw_grid,
    dress,
    new_axes,
    say_empty,
)
from ibgn.plots.terms import (
    MOST_SHOWN,
    ROW,
    figure_of,
    frequent_actions,
    label_below,
    name_rows,
    title_term,
)
from ibgn.plots.units import time_label

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__: list[str] = []

OWN = SERIES_COLOURS[0]
MOST_FOR_STEPS = 100  # times the smallest number; up to here there are ticks between powers of ten


@figure_of("length")
def draw_length(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Distribution of the number of intervals."""
    ax = new_axes(6.5, 2.8) if ax is None else ax
    high = max(float(each["length"].describe()["to"][0]) for each in (activity, *others))
    numbers = np.arange(int(1.3 * high) + 2)
    for other in others:
        ax.plot(numbers, _chances(other, numbers), color=GREY, linewidth=0.8, alpha=0.6)
    ax.bar(numbers, _chances(activity, numbers), 0.8, color=OWN, zorder=1.5)
    title_term(ax, "length", activity)
    ax.set(xlabel="intervals" + _grey(others), ylabel="probability", xlim=(-0.5, numbers[-1] + 0.5))
    draw_grid(ax)
    return dress(ax)


def _chances(activity: "ActivityModel", numbers: Any) -> Floats:
    """Probability of each number, as far as they are drawn."""
    logs = activity["length"].prediction.log_density(np.zeros(len(numbers), int), np.log1p(numbers))
    chances: Floats = np.exp(logs) / (1 + numbers)  # the density is of log(1 + k)
    chances /= chances.sum()
    return chances


def _grey(others: Sequence["ActivityModel"]) -> str:
    return " (other activities in grey)" if others else ""


@figure_of("durations")
def draw_durations(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Typical duration of an interval of each action."""
    return _draw_ranges("durations", "duration of an interval", activity, others, ax)


@figure_of("totals")
def draw_totals(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Typical duration of each action in all."""
    return _draw_ranges("totals", "duration in all", activity, others, ax)


@figure_of("gaps")
def draw_gaps(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Typical time since the start before, of each action."""
    return _draw_ranges("gaps", "time since the start before", activity, others, ax)


def _draw_ranges(
    term: str,
    what: str,
    activity: "ActivityModel",
    others: Sequence["ActivityModel"],
    ax: Axes | None,
) -> Axes:
    """Draw the usual range of each action on a logarithmic axis."""
    frame: pd.DataFrame = activity[term].describe()
    chosen = [activity.actions[code] for code in frequent_actions(activity)]
    rows = frame[frame["action"].isin(chosen)]
    label = f"{time_label(what)}: usual range and middle"
    ax = _draw_rows(term, frame, rows, "typical", label, activity, others, ax)
    places = np.arange(len(rows))
    ax.hlines(places, rows["from"], rows["to"], colors=OWN, linewidth=5, alpha=0.45, zorder=1.5)
    ax.plot(rows["typical"], places, "o", color=OWN, markersize=6, zorder=3)
    _scale_by_factors(ax)
    return ax


def _scale_by_factors(ax: Axes) -> None:
    """Draw a logarithmic axis, with plain numbers at its ticks."""
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    subs = (1.0, 2.0, 5.0) if high < MOST_FOR_STEPS * low else (1.0,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter(lambda number, _: f"{number:g}")
    ax.xaxis.set_minor_locator(NullLocator())


@figure_of("actions")
def draw_actions(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Share of the intervals of each action."""
    return _draw_bars("actions", "probability", "share of the intervals", activity, others, ax)


@figure_of("occurrences")
def draw_occurrences(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Share of the instances in which each action occurs, with the mean number."""
    what = "share of the instances; mean number on the right"
    ax = _draw_bars("occurrences", "occurs", what, activity, others, ax)
    means = activity["occurrences"].describe()["mean"].head(MOST_SHOWN).tolist()
    for row, mean in enumerate(means):
        ax.text(1.01, row, f"{mean:.1f}", transform=ax.get_yaxis_transform(), va="center")
    return ax


def _draw_bars(
    term: str,
    column: str,
    what: str,
    activity: "ActivityModel",
    others: Sequence["ActivityModel"],
    ax: Axes | None,
) -> Axes:
    """Draw a bar of a share for each action."""
    frame: pd.DataFrame = activity[term].describe()
    rows = frame.head(MOST_SHOWN)
    ax = _draw_rows(term, frame, rows, column, what, activity, others, ax)
    ax.barh(np.arange(len(rows)), rows[column], 0.7, color=OWN, alpha=0.75, zorder=1.5)
    ax.set_xlim(0, min(1.0, 1.15 * max(ax.dataLim.x1, 0.05)))
    return ax


def _draw_rows(
    term: str,
    frame: pd.DataFrame,
    rows: pd.DataFrame,
    column: str,
    what: str,
    activity: "ActivityModel",
    others: Sequence["ActivityModel"],
    ax: Axes | None,
) -> Axes:
    """Name a row for each action that is shown, and draw a stroke for each other activity."""
    ax = new_axes(6.5, ROW * len(rows) + 1.1) if ax is None else ax
    title_term(ax, term, activity, len(rows), len(frame))
    if rows.empty:
        return say_empty(ax, "no actions")
    for other in others:
        theirs = other[term].describe().set_index("action")[column].reindex(rows["action"])
        ax.plot(theirs, np.arange(len(rows)), "|", color=GREY, markersize=10, alpha=0.8, zorder=2)
    name_rows(ax, rows["action"].tolist())
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    label_below(ax, what + _grey(others))
    return dress(ax)
