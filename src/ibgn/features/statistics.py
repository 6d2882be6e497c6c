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
    "deviation of durations of",
    "share of time of",
    "mean pause of",
    "part from the first start of",
    "part up to the last end of",
    "mean instant of",
    "intervals from the first of",
    "intervals up to the last of",
)
"""What is measured of an action that occurs in an instance; all are 0 where it does not occur.

From the share of time on, they are parts of the instance, in time or in number of intervals.
"""


ROUNDING = 1e-9  # differences of times are not known better


def measure(found: Presence) -> Floats:
    """(cells, statistics) of each action in each instance in which it occurs."""
    start, end = found.parts
    duration = found.end - found.start
    times, total = found.sums(), found.sums(duration)
    mean = total / times
    longest = found.largest(duration)
    deviation = np.sqrt(found.sums((duration - mean[found.cell]) ** 2) / times)
    share = total / found.length[found.row]
    rest, reached = found.largest(1 - start), found.largest(end)
    pause = (reached - (1 - rest) - share) / np.maximum(times - 1, 1)
    instant = found.sums(duration * (start + end) / 2) / total
    size = np.diff(found.offsets)[found.owner]
    position = np.arange(len(start)) - found.offsets[:-1][found.owner]
    return np.column_stack(
        [
            times,
            total,
            mean,
            longest,
            np.where(deviation > ROUNDING * longest, deviation, 0),
            share,
            np.where((times > 1) & (abs(pause) > ROUNDING), pause, 0),
            rest,
            reached,
            instant,
            found.largest(1 - position / size),
            found.largest((position + 1) / size),
        ]
    )
