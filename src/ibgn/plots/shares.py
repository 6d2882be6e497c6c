"""Shares as coloured cells: which action follows which, when actions start and go on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from ibgn._arrays import Floats
from ibgn.plots.cells import draw_shares
from ibgn.plots.style import dress, new_axes, say_empty
from ibgn.plots.terms import MOST_SHOWN, ROW, figure_of, frequent_actions, label_below, title_term
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__: list[str] = []


@figure_of("starts")
def draw_starts(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Where in the instance each action starts, the earliest first."""
    shares = np.exp(activity["starts"].log_probs)
    middle = shares @ np.arange(shares.shape[1])
    return _draw_over_time("starts", "of its starts, by time", shares, middle, activity, ax)


@figure_of("occupancy")
def draw_occupancy(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Which actions go on at each relative time, by when they do."""
    shares = activity["occupancy"].probs
    middle = shares @ np.arange(shares.shape[1]) / shares.sum(axis=1)
    what = "of the instances in which it goes on, by time"
    return _draw_over_time("occupancy", what, shares, middle, activity, ax)


@figure_of("switches")
def draw_switches(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """When each action begins and when it ends, the actions that begin earliest first."""
    begins, ends = switch_shares(np.exp(activity["switches"].first), activity["switches"].steps)
    instants = begins.shape[1]
    chosen = frequent_actions(activity)[: MOST_SHOWN // 2]
    middle = begins @ np.arange(instants) / np.maximum(begins.sum(axis=1), 1e-300)
    chosen = chosen[np.argsort(middle[chosen], kind="stable")]
    ax = new_axes(7.5, 2 * ROW * len(chosen) + 1.2) if ax is None else ax
    title_term(ax, "switches", activity, len(chosen), len(begins))
    if not len(chosen):
        return say_empty(ax, "no actions")
    rows = np.stack([begins[chosen], ends[chosen]], axis=1).reshape(-1, instants)
    names = [printable(activity.actions[a], 24) for a in chosen]
    words = [f"{name} {does}" for name in names for does in ("begins", "ends")]
    draw_shares(
        ax, rows, words, [f"{100 * s // instants}" for s in range(instants)], _step(instants)
    )
    label_below(ax, "per cent of the instances, by time (per cent of the instance)")
    return dress(ax)


def switch_shares(first: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """(actions, instants) share of instances in which each action begins, and ends, at an instant.

    Parameters
    ----------
    first : (actions, 2) probability that it does not go on at the first instant, and does
    steps : (actions, instants - 1, 2, 2) log probability at the next instant, by the one before
    """
    probs = np.exp(steps)
    begins, ends = np.zeros((2, len(first), steps.shape[1] + 1))
    begins[:, 0] = state = first[:, 1]
    for s in range(steps.shape[1]):
        begins[:, s + 1] = (1 - state) * probs[:, s, 0, 1]
        ends[:, s + 1] = state * probs[:, s, 1, 0]
        state = state + begins[:, s + 1] - ends[:, s + 1]
    return begins, ends


def _step(bins: int) -> int:
    """Times that stand between two labels, so that at most ten have one."""
    return -(-bins // 10)


def _draw_over_time(
    term: str,
    what: str,
    shares: Floats,
    middle: Floats,
    activity: "ActivityModel",
    ax: Axes | None,
) -> Axes:
    """Draw shares over relative time, of the actions that an activity has, by their middle."""
    chosen = frequent_actions(activity)
    chosen = chosen[np.argsort(middle[chosen], kind="stable")]
    bins = shares.shape[1]
    ax = new_axes(7.5, ROW * len(chosen) + 1.2) if ax is None else ax
    title_term(ax, term, activity, len(chosen), len(shares))
    if not len(chosen):
        return say_empty(ax, "no actions")
    names = [printable(activity.actions[a], 28) for a in chosen]
    draw_shares(ax, shares[chosen], names, [f"{100 * b // bins}" for b in range(bins)], _step(bins))
    label_below(ax, f"per cent {what} (per cent of the instance)")
    return dress(ax)


@figure_of("order")
def draw_order(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Which action follows which."""
    chosen = frequent_actions(activity)
    ax = new_axes(0.4 * len(chosen) + 3, ROW * len(chosen) + 2.4) if ax is None else ax
    title_term(ax, "order", activity, len(chosen), len(activity.actions))
    if not len(chosen):
        return say_empty(ax, "no actions")
    names = [printable(activity.actions[a], 20) for a in chosen]
    rows = np.append(chosen, len(activity.actions))  # the last row is the beginning
    shares = np.exp(activity["order"].log_prob(rows[:, None], chosen))
    draw_shares(ax, shares, [*names, "at the beginning"], names)
    label_below(ax, "per cent that come next, after the action on the left")
    return dress(ax)
