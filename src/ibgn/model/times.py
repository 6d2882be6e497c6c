"""Times of new instances: they obey the relations exactly, and follow durations and gaps."""

import numpy as np
from scipy.special import stdtr, stdtrit

from ibgn._arrays import Bytes, Codes, Floats, Ints
from ibgn._kernels import times as kernels
from ibgn.allen import Relation
from ibgn.model.activity import ActivityModel

__all__ = ["draw_times", "rank_end_points", "spread_ranks"]

LARGEST_LOG = 230.0  # of a time, some 1e100
LEAST_GAP = 1e-3  # smallest distance of two different end points, as a share of the pace
LEAST_PART = 1e-6  # and as a share of the mean distance, where durations and gaps are learned
SWEEPS = 20  # of the walk over times
BROAD = (1.0, 3.0)  # scale and freedom where there is no term of durations, or of gaps

# How many of the end points of i lie below the start of j, and below its end, and how many of
# those of j below the end of i, for each relation of i to j. 255, no relation, counts nothing.
_BELOW = np.zeros((3, 256), np.int64)
_BELOW[0, list(Relation)] = [2, 1, 1, 0, 1, 1, 0]
_BELOW[1, list(Relation)] = [2, 2, 2, 2, 1, 1, 1]
_BELOW[2, list(Relation)] = [0, 0, 1, 1, 2, 1, 1]


def rank_end_points(relations: Bytes) -> Ints:
    """Order the end points of intervals with these relations; (k, 2) ranks of starts and ends.

    End points at the same instant have the same rank; ranks go from 0 without gaps. The number of
    end points below a point gives its rank, and each pair of intervals adds to it independently.

    Parameters
    ----------
    relations : (k, k) the relation of i < j at [i, j], of all pairs and possible together, and
        255 elsewhere, as in `ibgn.networks.Network`

    Examples
    --------
    >>> from ibgn.networks import read_networks
    >>> network = read_networks([[("a", 0, 2), ("b", 1, 30), ("c", 2, 4)]])[0]
    >>> rank_end_points(network.relations).tolist()
    [[0, 2], [1, 4], [2, 3]]
    """
    below_start = _BELOW[0][relations].sum(axis=0)
    below_end = 1 + _BELOW[1][relations].sum(axis=0) + _BELOW[2][relations].sum(axis=1)
    below = np.column_stack([below_start, below_end])
    return np.unique(below, return_inverse=True)[1].reshape(-1, 2)


def draw_times(
    activity: ActivityModel, action: Codes, ranks: Ints, rng: np.random.Generator
) -> Floats:
    """Draw the starts and ends of intervals with these ranks, (k, 2); the first starts at 0.

    With a term of durations or of gaps, times follow it as far as the ranks allow, see
    `ibgn._kernels.times`, and are whole numbers if all times in training are. Otherwise they are
    spread by the mean pace.
    """
    if not len(action) or not ("durations" in activity or "gaps" in activity):
        return spread_ranks(ranks, activity.pace, rng)
    durations, gaps = (_predictions(activity, name)[action] for name in ("durations", "gaps"))
    start = _keep_apart(_first_guess(ranks, durations, gaps, rng))
    walked = kernels.walk_times(ranks, start, durations, gaps, SWEEPS, rng)
    times = _keep_apart(walked)
    return (_round_apart(times) if activity.whole else times)[ranks]


def _keep_apart(times: Floats) -> Floats:
    """The same instants, in order, none closer to the next than a tiny part of the mean."""
    steps = np.diff(times)
    return np.append(0.0, np.cumsum(np.maximum(steps, LEAST_PART * steps.mean())))


def _round_apart(times: Floats) -> Floats:
    """Whole numbers near the instants, each larger than the one before."""
    rank = np.arange(len(times))
    whole: Floats = np.maximum.accumulate(np.round(times) - rank) + rank
    return whole


def spread_ranks(ranks: Ints, pace: float, rng: np.random.Generator) -> Floats:
    """Times of end points, in their shape: 0 for rank 0, then random gaps of this mean.

    A gap is exponential above a floor of a thousandth of the mean, so that no two ranks coincide.
    """
    gaps = rng.exponential(size=int(ranks.max(initial=0)))
    return np.append(0.0, pace * np.cumsum(LEAST_GAP + (1 - LEAST_GAP) * gaps))[ranks]


def _predictions(activity: ActivityModel, name: str) -> Floats:
    """(actions, 3) location, scale and freedom of the logarithms of a time of each action."""
    if name not in activity:
        return np.tile([np.log(activity.pace), *BROAD], (len(activity.actions), 1))
    term = activity[name]
    return np.column_stack([term.location, term.scale, term.freedom])


def _first_guess(ranks: Ints, durations: Floats, gaps: Floats, rng: np.random.Generator) -> Floats:
    """(ranks,) instants from independent durations and gaps, put in order.

    Where they are in order already, they are a draw from the distribution that the walk keeps.
    """
    first, _ = kernels.find_starts(ranks)
    starts = np.flatnonzero(first >= 0)
    wished = np.zeros(len(first))
    wished[starts[1:]] = np.cumsum(_draw_logs(gaps[first[starts[1:]]], rng))
    ends = wished[ranks[:, 0]] + _draw_logs(durations, rng)
    weights = kernels.find_shares(ranks, first)
    np.add.at(wished, ranks[:, 1], weights * ends)
    return np.sort(wished)


def _draw_logs(predictions: Floats, rng: np.random.Generator) -> Floats:
    """Draw a time by each row of location, scale and freedom, none beyond `kernels.FARTHEST`."""
    location, scale, freedom = predictions.T
    least = stdtr(freedom, -kernels.FARTHEST)
    off = stdtrit(freedom, rng.uniform(least, 1 - least))
    # a model of a file may have any numbers, and sums of times must be numbers too
    times: Floats = np.exp(np.clip(location + scale * off, -LARGEST_LOG, LARGEST_LOG))
    return times
