"""What one term learned of an activity: a figure for each term, by the name of the term.

A figure is a function that is registered by `figure_of`; a term without one gets bars of what it
describes. So a term and its figure can come from outside the library.
"""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ibgn._arrays import Ints
from ibgn.declarations import register
from ibgn.errors import DataError
from ibgn.plots.style import (
    POINTS,
    SERIES_COLOURS,
    dress,
    inches,
    label_rows,
    letters_across,
    new_axes,
    say_empty,
    verbatim,
)
from ibgn.plots.tables import plot_tables
from ibgn.text import count, printable, quote

if TYPE_CHECKING:  # plots of data need not wait for the models
    from ibgn.classifiers.base import ActivityClassifier
    from ibgn.model.activity import ActivityModel

__all__ = [
    "FIGURES",
    "MOST_SHOWN",
    "ROW",
    "draw_term",
    "figure_of",
    "frequent_actions",
    "label_below",
    "name_rows",
    "plot_term",
    "title_term",
]

Draw = Callable[["ActivityModel", Sequence["ActivityModel"], Axes | None], Axes]

FIGURES: dict[str, Draw] = {}
"""Figures of terms, by the names of the terms; `figure_of` adds to them."""

MOST_SHOWN = 16  # actions; more do not fit
ROW = 0.28  # inches
SELDOM = 0.07  # actions that occur in less than this part of the most frequent one are left out


def figure_of(term: str) -> Callable[[Draw], Draw]:
    """Register a function that draws what a term learned.

    It takes the model of an activity, the models of the others, and axes or None for new ones, and
    returns the axes.

    Examples
    --------
    >>> @figure_of("pauses")
    ... def draw_pauses(activity, others, ax):
    ...     ax = new_axes(4, 3) if ax is None else ax
    ...     ax.barh([0], [activity["pauses"].mean])
    ...     return ax
    >>> FIGURES.pop("pauses") is draw_pauses
    True
    """

    def add(draw: Draw) -> Draw:
        kind: Any = draw  # a function is known by its module and name, like a class
        register(FIGURES, term, kind)
        return draw

    return add


def plot_term(
    model: "ActivityClassifier", term: str, activity: Any, *, ax: Axes | None = None
) -> Axes:
    """Draw what one term of a model learned of an activity.

    Parameters
    ----------
    model : a fitted classifier
    term : name of one of its terms, such as "durations"
    activity : label
    ax : where to draw; None makes a figure

    Returns
    -------
    Axes
        Where there is room, the other activities are shown in grey.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from ibgn.classifiers.ibgn import IBGNClassifier
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 2), ("pour", 1, 5)]]
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "coffee"])
    >>> ax = plot_term(model, "durations", "tea")
    >>> ax.get_title()
    'tea: durations'
    >>> plt.close(ax.figure)
    """
    if activity not in list(model.activities_):
        known = ", ".join(quote(name) for name in list(model.activities_)[:20])
        raise DataError(f"there is no activity {quote(activity)}; choose among {known}")
    chosen = model.activities_[activity]
    chosen[term]  # which refuses what is not among its terms
    others = [other for name, other in model.activities_.items() if name != activity]
    return draw_term(term, chosen, others, ax)


def draw_term(
    term: str,
    activity: "ActivityModel",
    others: Sequence["ActivityModel"],
    ax: Axes | None = None,
) -> Axes:
    """Draw a term by its own figure, or else by what it describes."""
    draw = FIGURES.get(term)
    if draw is not None:
        return draw(activity, others, ax)
    return _draw_description(term, activity, ax)


def _draw_description(term: str, activity: "ActivityModel", ax: Axes | None) -> Axes:
    """Draw bars of the first column of numbers that a term describes."""
    frame = activity[term].describe()
    numbers = frame.select_dtypes("number").columns
    rows = frame.head(MOST_SHOWN)
    ax = new_axes(6.5, ROW * len(rows) + 1) if ax is None else ax
    title_term(ax, term, activity, len(rows), len(frame), "row")
    if rows.empty or numbers.empty:
        return say_empty(ax, "nothing to draw")
    column = numbers[0]
    ax.barh(range(len(rows)), rows[column], 0.7, color=SERIES_COLOURS[0])
    label_rows(ax, _row_names(rows.drop(columns=numbers)))
    verbatim(ax.set_xlabel(printable(column)))
    ax.spines[["top", "right"]].set_visible(False)
    return dress(ax)


def _row_names(words: pd.DataFrame) -> list[str]:
    """What the columns of words say about each row."""
    return [printable(" ".join(map(str, row)), 40) for row in words.itertuples(index=False)]


def frequent_actions(activity: "ActivityModel") -> Ints:
    """Codes of the actions that an activity has most, as far as its terms know; else the first."""
    for term, column in (("occurrences", "occurs"), ("actions", "probability")):
        if term in activity:
            often = activity[term].describe().set_index("action")[column]
            often = often[often > SELDOM * often.max()].head(MOST_SHOWN)
            return np.array([activity.actions.index(name) for name in often.index], np.int64)
    return np.arange(min(len(activity.actions), MOST_SHOWN))


def name_rows(ax: Axes, names: Sequence[str], longest: int = 28) -> None:
    """Name the rows of a figure by actions."""
    label_rows(ax, [printable(name, longest) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def title_term(
    ax: Axes,
    term: str,
    activity: "ActivityModel",
    shown: int = 0,
    total: int = 0,
    of: str = "action",
) -> None:
    """Name the activity and the term, and how much is shown if that is not all."""
    part = f" ({shown} of {count(total, of)})" if shown < total else ""
    words = f": {printable(term, 24)}{part}"
    name = printable(activity.name, max(letters_across(ax) - len(words), 12))
    verbatim(ax.set_title(name + words, fontsize=11))


def label_below(ax: Axes, words: str) -> None:
    """Say what the axis below shows; what is too long for it extends to the left."""
    letters = int(POINTS * inches(ax)[0] / 5.5)
    lines = wrap(words, int(1.2 * letters))
    long = max(map(len, lines)) > 0.6 * letters
    verbatim(ax.set_xlabel("\n".join(lines), loc="right" if long else "center"))


@figure_of("tables")
def _draw_tables(
    activity: "ActivityModel", others: Sequence["ActivityModel"], ax: Axes | None
) -> Axes:
    return plot_tables(activity, ax=ax)
