"""Sequences with other codes of their actions, or with other intervals."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Codes, Floats, Ints
from ibgn.flat import Flat
from ibgn.intervals import IntervalSequences

__all__ = ["order_intervals", "rebuild", "recode"]


def recode(X: IntervalSequences, actions: tuple[str, ...]) -> IntervalSequences:
    """Code actions by another sorted vocabulary; names that it lacks share one more code.

    Equal intervals are ordered by name in every vocabulary, so positions do not change.
    """
    unknown = "unknown"
    while unknown in actions:
        unknown += "?"
    code = {name: number for number, name in enumerate(actions)}
    renumber = np.array([code.get(name, len(actions)) for name in X.actions], np.int32)
    action = renumber[X.action] if len(X.action) else X.action
    unsure = None if X.uncertainty is None else X.uncertainty.recoded(renumber)
    flat = X.flat._replace(action=action, uncertainty=unsure)
    return IntervalSequences.from_flat(flat, (*actions, unknown), X.ids, X.groups, X.provenance)


def rebuild(
    X: IntervalSequences,
    action: npt.NDArray[Any],
    start: npt.NDArray[np.float64],
    end: npt.NDArray[np.float64],
    kept: npt.NDArray[np.bool_],
) -> IntervalSequences:
    """Kept intervals of X with new columns, in order again and with a sorted vocabulary.

    Uncertainty stays with its interval; an interval with another action loses its alternatives.
    """
    owner = X.owner[kept]
    names = tuple(sorted(X.actions))
    code = {name: number for number, name in enumerate(names)}
    rank = np.array([code[name] for name in X.actions], np.int32)
    unsure = X.uncertainty
    if unsure is not None:
        unsure = unsure.recoded(rank).settled(action != X.action).take(np.flatnonzero(kept))
    action, start, end = rank[action[kept]].astype(np.int32), start[kept], end[kept]
    lengths = np.bincount(owner, minlength=len(X))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    order = order_intervals(owner, start, end, action)
    flat = Flat(offsets, action, start, end, unsure).take(order, offsets)
    return IntervalSequences.from_flat(flat, names, X.ids, X.groups, X.provenance)


def order_intervals(owner: Ints, start: Floats, end: Floats, action: Codes) -> Ints:
    """Order of intervals by (owner, start, end, action); owners ascend already."""
    order: Ints = np.arange(len(owner))
    for keys in ((start, owner), (action, end, start, owner)):
        if ((np.diff(owner[order]) > 0) | (np.diff(start[order]) > 0)).all():
            return order  # no two start together, so that nothing else decides
        order = np.lexsort(keys)
    return order
