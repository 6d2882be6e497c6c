"""Paths through windows that rarely change their state: a chain in which a change has a cost.

The weight of a path is the sum of the logits of its states, minus the cost of each change. All
changes cost the same, so that a step takes as long as there are states and not their square.
"""

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn._kernels.compile import kernel


@kernel
def likeliest_path(logits: Floats, cost: float) -> Ints:
    """(windows,) states of the path with the largest weight; logits are (windows, states).

    best[t, s] = logits[t, s] + max(best[t-1, s], max over others of best[t-1] - cost).
    """
    windows, states = logits.shape
    path = np.zeros(windows, np.int64)
    if windows == 0:
        return path
    changed = np.zeros((windows, states), np.bool_)
    source = np.zeros(windows, np.int64)
    best = logits[0].copy()
    for t in range(1, windows):
        source[t] = np.argmax(best)
        change = best[source[t]] - cost
        for s in range(states):
            if change > best[s]:
                best[s] = change
                changed[t, s] = True
            best[s] += logits[t, s]
    path[-1] = np.argmax(best)
    for t in range(windows - 1, 0, -1):
        path[t - 1] = source[t] if changed[t, path[t]] else path[t]
    return path
