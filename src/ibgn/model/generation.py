"""New instances of an activity, drawn from what was learned about it.

Intervals are seated by the Chinese restaurant process and take actions from their tables. The
relations of all pairs are then drawn one by one, pair (i, j) after all pairs between i and j: a
linked pair by its actions, an unlinked one by its positions, each among the relations that the
intervals between leave open. As every pair constrains the others, such a draw never ends in an
empty set and can reach every possible network, whichever pairs are linked, so nothing is ever
rejected. It is the distribution that the term scores with unlinked="constrained".
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Bytes, Codes, Floats, Ints
from ibgn.allen import Relation
from ibgn.checks import check_number
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.text import quote

__all__ = ["draw_actions", "rank_end_points", "sample_instances", "spread_ranks"]


LEAST_GAP = 1e-3  # smallest distance of two different end points, as a share of the pace

# How many of the end points of i lie below the start of j, and below its end, and how many of
# those of j below the end of i, for each relation of i to j. 255, no relation, counts nothing.
_BELOW = np.zeros((3, 256), np.int64)
_BELOW[0, list(Relation)] = [2, 1, 1, 0, 1, 1, 0]
_BELOW[1, list(Relation)] = [2, 2, 2, 2, 1, 1, 1]
_BELOW[2, list(Relation)] = [0, 0, 1, 1, 2, 1, 1]


class _Intervals(NamedTuple):
    action: Codes
    start: Floats
    end: Floats


def sample_instances(
    activity: ActivityModel,
    n: int,
    rng: np.random.Generator,
    lengths: npt.ArrayLike | None = None,
) -> IntervalSequences:
    """Draw new instances of an activity.

    The intervals of an instance have exactly the relations that were drawn. The times between
    neighbouring end points are exponential, with the mean of the activity.

    Parameters
    ----------
    activity : as learned
    n : number of instances
    rng : source of random numbers; the same state gives the same instances
    lengths : number of intervals of each instance, (n,) or one for all; by default drawn from the
        instances that the activity was learned from

    Notes
    -----
    An `IntervalSequences` orders equal intervals by their actions. If equal intervals are drawn,
    their actions are put into that order, which changes neither the actions of an instance nor
    any relation: equal intervals have the same relations to all others.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = 10 * [[("hold", 0, 5), ("pour", 1, 3), ("stir", 3, 4)]]
    >>> model = IBGNClassifier("chain", draws=100, random_state=0).fit(X, 10 * ["tea"])
    >>> activity, rng = model.activities_["tea"], np.random.default_rng(0)
    >>> drawn = sample_instances(activity, 4, rng)
    >>> drawn.lengths
    array([3, 3, 3, 3])
    >>> sample_instances(activity, 2, rng, lengths=[1, 5]).lengths
    array([1, 5])
    """
    if not ("relations" in activity and ("tables" in activity or "actions" in activity)):
        raise OptionError(
            "terms",
            tuple(activity.terms),
            "cannot be drawn from: new instances need 'relations', and 'tables' or 'actions'",
        )
    chosen = _choose_lengths(activity, n, rng, lengths)
    drawn = []
    for k in chosen.tolist():
        action = draw_actions(activity, k, rng)
        ranks = rank_end_points(activity["relations"].draw(action, rng))
        start, end = spread_ranks(ranks, activity.pace, rng).T
        order = np.lexsort((action, end, start))  # only moves actions of equal intervals
        drawn.append(_Intervals(action[order], start, end))
    return IntervalSequences(
        np.concatenate([[0], np.cumsum(chosen)]),
        np.concatenate([np.zeros(0, np.int32), *(part.action for part in drawn)]),
        np.concatenate([np.zeros(0), *(part.start for part in drawn)]),
        np.concatenate([np.zeros(0), *(part.end for part in drawn)]),
        activity.actions,
    )


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


def spread_ranks(ranks: Ints, pace: float, rng: np.random.Generator) -> Floats:
    """Times of end points, in their shape: 0 for rank 0, then random gaps of this mean.

    A gap is exponential above a floor of a thousandth of the mean, so that no two ranks coincide.
    """
    gaps = rng.exponential(size=int(ranks.max(initial=0)))
    return np.append(0.0, pace * np.cumsum(LEAST_GAP + (1 - LEAST_GAP) * gaps))[ranks]


def _choose_lengths(
    activity: ActivityModel, n: int, rng: np.random.Generator, lengths: npt.ArrayLike | None
) -> Ints:
    """Numbers of intervals as they were asked for, or else drawn from those learned from."""
    check_number("n", n, "a whole number from 0", lambda v: v >= 0 and v == int(v))
    name = quote(activity.name)
    if lengths is None:
        if n and not len(activity.lengths):
            raise DataError(
                f"activity {name} was learned from no instances; give ", Option("lengths")
            )
        return rng.choice(activity.lengths, int(n)) if n else np.zeros(0, np.int64)
    asked = np.asarray(lengths)
    if asked.shape not in ((), (n,)):
        reason = f"must be one number, or one for each of the {n} instances"
        raise OptionError("lengths", lengths, reason)
    if not asked.size:
        return np.zeros(0, np.int64)
    if not np.issubdtype(asked.dtype, np.integer) or asked.min() < 0:
        raise OptionError("lengths", lengths, "must be whole numbers from 0")
    if asked.max() > 0 and not activity.actions:
        raise OptionError("lengths", lengths, f"must be 0, as activity {name} knows no action")
    return np.broadcast_to(asked, int(n)).astype(np.int64)


def draw_actions(activity: ActivityModel, length: int, rng: np.random.Generator) -> Codes:
    """Draw the action of each interval of an instance, from its tables if it has any."""
    if "tables" in activity:
        _, action = activity["tables"].draw(length, rng)
    else:
        action = activity["actions"].draw(length, rng)
    drawn: Codes = action
    return drawn
