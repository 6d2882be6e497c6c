"""Relations of an activity: the pairs of actions whose relation is surest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from scipy.special import entr

from ibgn.allen import Relation
from ibgn.plots.style import RELATION_COLOURS, dress, legend_above, new_axes, say_empty
from ibgn.plots.terms import ROW, figure_of, label_below, name_rows, title_term
from ibgn.text import printable

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.model.activity import ActivityModel

__all__: list[str] = []

MOST_PAIRS = 14
LONGEST = 16  # letters of an action
ALL_OPEN = (127, 127 - Relation.EQUALS.mask)  # equal intervals are sorted by action


@figure_of("relations")
def draw_relations(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    """Relations of pairs of actions that nothing constrains, the surest first."""
    relations = activity["relations"]
    linked = relations.keys < len(activity.actions) ** 2 * 128
    free = np.flatnonzero(linked & np.isin(relations.keys % 128, ALL_OPEN))
    probs = np.exp(relations.log_probs[free])
    surprise = -entr(probs).sum(axis=1)
    chosen = np.argsort(-surprise, kind="stable")[:MOST_PAIRS]
    ax = new_axes(7, ROW * len(chosen) + 1.6) if ax is None else ax
    title_term(ax, "relations", activity, len(chosen), len(free), "pair")
    if not len(chosen):
        return say_empty(ax, "no pairs")
    left = np.zeros(len(chosen))
    handles = []
    for relation in Relation:
        width = probs[chosen, relation]
        style: Any = {"color": RELATION_COLOURS[relation], "edgecolor": "white", "linewidth": 0.5}
        handles.append(ax.barh(np.arange(len(chosen)), width, 0.8, left, **style))
        left = left + width
    pairs = (divmod(int(key) // 128, len(activity.actions)) for key in relations.keys[free[chosen]])
    names = [tuple(printable(activity.actions[code], LONGEST) for code in pair) for pair in pairs]
    name_rows(ax, [f"{first} … {second}" for first, second in names], 2 * LONGEST + 3)
    ax.set_xlim(0, 1)
    label_below(ax, "probability of each relation, from the first action to the second")
    tight: Any = {"ncols": 4, "handlelength": 1, "columnspacing": 1}
    corner: Any = {"loc": "lower right", "bbox_to_anchor": (1, 1)}  # there is room above the names
    legend_above(ax, handles, [relation.label for relation in Relation], **tight, **corner)
    ax.set_title(ax.get_title(), pad=36)
    return dress(ax)
