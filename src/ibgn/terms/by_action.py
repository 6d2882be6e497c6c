"""The intervals of each action of an instance, as runs."""

from typing import NamedTuple

import numpy as np

from ibgn._arrays import Ints, find_runs
from ibgn._kernels.actions import order_by_action
from ibgn.intervals import IntervalSequences

__all__ = ["ActionRuns", "known_intervals"]


def known_intervals(X: IntervalSequences, actions: int) -> Ints | slice:
    """Intervals of actions with codes below `actions`; where those are all, none is copied."""

    def find() -> Ints | slice:
        known = X.action < actions
        return slice(None) if known.all() else np.flatnonzero(known)

    return X.derived(("known intervals", actions), find)


class ActionRuns(NamedTuple):
    """Intervals of known actions, one run for each action that an instance has.

    Parameters
    ----------
    order : (intervals,) instance by instance, action by action, each in the order of starts
    edges : (runs + 1,) where runs begin in that order, and the number of intervals
    owner, action : (runs,) instance and action of each
    """

    order: Ints
    edges: Ints
    owner: Ints
    action: Ints

    @classmethod
    def of(cls, X: IntervalSequences, actions: int) -> "ActionRuns":
        """Runs of actions with codes below `actions`; found once for each X."""

        def find() -> ActionRuns:
            order = order_by_action(X.offsets, X.action)
            if isinstance(known_intervals(X, actions), np.ndarray):
                order = order[X.action[order] < actions]
            owner, action = X.owner[order], X.action[order]
            edges = find_runs(owner, action)
            first = edges[:-1]
            return cls(order, edges, owner[first], action[first].astype(np.int64))

        return X.derived(("action runs", actions), find)

    @property
    def number(self) -> Ints:
        """(runs,) of intervals of each."""
        return np.diff(self.edges)
