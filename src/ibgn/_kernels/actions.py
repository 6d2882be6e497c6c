"""Intervals of each action of an instance."""

import numpy as np

from ibgn._arrays import Codes, Ints
from ibgn._kernels.compile import kernel


@kernel
def order_by_action(offsets: Ints, action: Codes) -> Ints:
    """Intervals of each instance, action by action, each in the order of starts -> (intervals,)."""
    order = np.empty(len(action), np.int64)
    for d in range(len(offsets) - 1):
        begin, stop = offsets[d], offsets[d + 1]
        order[begin:stop] = begin + np.argsort(action[begin:stop], kind="mergesort")
    return order


@kernel
def covered_instants(edges: Ints, first: Ints, last: Ints, instants: int) -> tuple[Ints, Ints]:
    """Instants that the intervals of each run cover -> run and instant of each, in order.

    edges (runs + 1,): where each run begins. first, last (intervals,): instants from the first to
    the one before the last are covered.
    """
    most = 0
    for run in range(len(edges) - 1):
        covered = 0
        for i in range(edges[run], edges[run + 1]):
            covered += last[i] - first[i]
        most += min(covered, instants)
    runs, covered_ones = np.empty(most, np.int64), np.empty(most, np.int64)
    found = 0
    for run in range(len(edges) - 1):
        until = 0  # all instants before are known; intervals come in the order of starts
        for i in range(edges[run], edges[run + 1]):
            for instant in range(max(first[i], until), last[i]):
                runs[found], covered_ones[found] = run, instant
                found += 1
            until = max(until, last[i])
    return runs[:found].copy(), covered_ones[:found].copy()
