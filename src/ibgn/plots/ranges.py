"""Numbers that an activity usually has: of intervals, and times of its actions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

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
from ibgn.plots.terms import ROW, figure_of, frequent_actions, name_rows, title_term

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__: list[str] = []

OWN = SERIES_COLOURS[0]


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
    """Draw the usual range of each action on a logarithmic axis, and what others typically have."""
    frame: pd.DataFrame = activity[term].describe()
    chosen = [activity.actions[code] for code in frequent_actions(activity)]
    rows = frame[frame["action"].isin(chosen)]
    ax = new_axes(6.5, ROW * len(rows) + 1.1) if ax is None else ax
    title_term(ax, term, activity, len(rows), len(frame))
    if rows.empty:
        return say_empty(ax, "no actions")
    places = np.arange(len(rows))
    for other in others:
        theirs = other[term].describe().set_index("action")["typical"].reindex(rows["action"])
        ax.plot(theirs, places, "|", color=GREY, markersize=9, alpha=0.7, zorder=2)
    ax.hlines(places, rows["from"], rows["to"], colors=OWN, linewidth=5, alpha=0.45, zorder=1.5)
    ax.plot(rows["typical"], places, "o", color=OWN, markersize=6, zorder=3)
    ax.set_xscale("log")
    name_rows(ax, rows["action"].tolist())
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(f"{what}: usual range and middle" + _grey(others))
    return dress(ax)
