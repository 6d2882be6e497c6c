"""Numbers about each action of an instance: how often, how long, when."""

import numpy as np

from ibgn._arrays import Floats
from ibgn.features.presence import Presence

__all__ = ["STATISTICS", "measure"]

STATISTICS = (
    "occurrences of",
    "total duration of",
    "mean duration of",
    "longest duration of",
    "time from the first start of",
    "time to the last end of",
)
"""What is measured of an action that occurs; all are positive, and 0 where it does not."""


def measure(found: Presence) -> Floats:
    """(cells, statistics) of each action in each instance in which it occurs."""
    cells, cell, owner = len(found.action), found.cell, found.owner
    duration = found.end - found.start
    times = np.bincount(cell, minlength=cells)
    total = np.bincount(cell, duration, minlength=cells)
    longest, left, reached = np.zeros((3, cells))
    np.maximum.at(longest, cell, duration)
    np.maximum.at(left, cell, found.spans[owner, 1] - found.start)
    np.maximum.at(reached, cell, found.end - found.spans[owner, 0])
    return np.column_stack([times, total, total / times, longest, left, reached])
