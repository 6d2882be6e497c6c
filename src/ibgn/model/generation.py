"""New instances of an activity, drawn from what was learned about it.

One thing is drawn after the other: how many intervals, their actions, the relations of all pairs,
and times that obey them. Pair (i, j) is drawn after all pairs between i and j, among the relations
that the intervals between leave open. As every pair constrains the others, linked or not, such a
draw never ends in an empty set and can reach every possible network.

What is known about how real instances score makes them more alike, see `ibgn.model.likeness`.
"""

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Ints
from ibgn.checks import check_whole
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.chain import draw_instances, draw_lengths
from ibgn.model.likeness import choose_candidates, count_candidates, find_sharpness
from ibgn.text import quote

__all__ = ["sample_instances"]

LONGEST = 10_000  # intervals of an instance, each of which is related to each other
ACTION_TERMS = ("tables", "order", "occurrences", "actions")


def sample_instances(
    activity: ActivityModel,
    n: int,
    rng: np.random.Generator,
    lengths: npt.ArrayLike | None = None,
) -> IntervalSequences:
    """Draw new instances of an activity.

    The intervals of an instance have exactly the relations that were drawn, and no two intervals of
    an action overlap if none did in training. Times are in the units of the training instances; the
    first interval starts at 0. Where the activity has styles, each instance has one of them, which
    is drawn by its share.

    Parameters
    ----------
    activity : as learned
    n : number of instances
    rng : source of random numbers; the same state gives the same instances
    lengths : number of intervals of each instance, (n,) or one for all; by default drawn among
        those of the instances that the activity was learned from, by the term of lengths if there
        is one

    Notes
    -----
    An `IntervalSequences` orders equal intervals by their actions. If equal intervals are drawn,
    their actions are put into that order, which changes neither the actions of an instance nor
    any relation: equal intervals have the same relations to all others.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> X = 10 * [[("hold", 0, 5), ("pour", 1, 3), ("stir", 3, 4)]]
    >>> model = IBGNClassifier(random_state=0).fit(X, 10 * ["tea"])
    >>> activity, rng = model.activities_["tea"], np.random.default_rng(0)
    >>> drawn = sample_instances(activity, 4, rng)
    >>> drawn.lengths
    array([3, 3, 3, 3])
    >>> sample_instances(activity, 2, rng, lengths=[1, 5]).lengths
    array([1, 5])
    """
    if "relations" not in activity or not any(name in activity for name in ACTION_TERMS):
        raise OptionError(
            "terms",
            tuple(activity.terms),
            "cannot be drawn from: new instances need 'relations', and one of "
            + ", ".join(map(repr, ACTION_TERMS)),
        )
    if activity.styles:
        return _sample_styles(activity, n, rng, lengths)
    chosen = _choose_lengths(activity, n, rng, lengths)
    if chosen.max(initial=0) > LONGEST:
        raise DataError(
            f"an instance of activity {quote(activity.name)} would have {chosen.max()} intervals, "
            f"and the relations of more than {LONGEST} are not drawn; give ",
            Option("lengths"),
        )
    sharpness = activity.derived("sharpness", lambda: find_sharpness(activity))
    repeated = np.repeat(chosen, count_candidates(activity))
    return choose_candidates(activity, draw_instances(activity, repeated, rng, sharpness), rng)


def _sample_styles(
    activity: ActivityModel, n: int, rng: np.random.Generator, lengths: npt.ArrayLike | None
) -> IntervalSequences:
    """Draw the style of each instance by its share, and the instance from its style."""
    _choose_lengths(activity, n, rng, 0 if lengths is None else lengths)  # refuses invalid ones
    style = rng.choice(len(activity.styles), int(n), p=activity.shares)
    parts = []
    for number, member in enumerate(activity.styles):
        chosen = np.flatnonzero(style == number)
        own = None if lengths is None else np.broadcast_to(lengths, int(n))[chosen]
        parts.append(sample_instances(member, len(chosen), rng, own))
    return IntervalSequences.concatenate(parts)[np.argsort(np.argsort(style, kind="stable"))]


def _choose_lengths(
    activity: ActivityModel, n: int, rng: np.random.Generator, lengths: npt.ArrayLike | None
) -> Ints:
    """Numbers of intervals as they were asked for, or else drawn."""
    check_whole("n", n, 0)
    name = quote(activity.name)
    if lengths is None:
        if n and not len(activity.lengths):
            raise DataError(
                f"activity {name} was learned from no instances; give ", Option("lengths")
            )
        return draw_lengths(activity, int(n), rng) if n else np.zeros(0, np.int64)
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
