"""The chain that draws an instance: its length, actions, relations and times."""

import numpy as np

from ibgn._arrays import Bytes, Codes, Ints
from ibgn._kernels import generation as kernels
from ibgn.horizon import SQUARE, check_pairs
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.times import draw_times, rank_end_points
from ibgn.terms.order import FittedOrder

__all__ = ["draw_actions", "draw_instances", "draw_lengths", "draw_relations", "drawn_terms"]

SWEEPS = 20  # of the walk over actions


def drawn_terms(activity: ActivityModel) -> set[str]:
    """Names of the terms of an activity that the chain draws from."""
    of_actions = {"tables"} if "tables" in activity else {"actions", "order", "occurrences"}
    return activity.terms.keys() & ({"length", "relations", "durations", "gaps"} | of_actions)


def draw_instances(
    activity: ActivityModel,
    lengths: Ints,
    rng: np.random.Generator,
    sharpness: float = 1.0,
    timed: bool = True,
) -> IntervalSequences:
    """Draw an instance of each length; without times, end points have their ranks instead."""
    longest = int(lengths.max(initial=0))
    check_pairs(longest * (longest - 1) / 2, longest, SQUARE)
    steps = None if "tables" in activity or not longest else _find_order(activity, sharpness)
    parts = []
    for length in lengths.tolist():
        action = draw_actions(activity, length, rng, steps, sharpness)
        ranks = rank_end_points(draw_relations(activity, action, rng, sharpness))
        action = action[np.lexsort((action, *ranks.T[::-1]))]  # moves those of equal intervals only
        times = draw_times(activity, action, ranks, rng) if timed else ranks.astype(float)
        parts.append((action, times))
    start, end = np.concatenate([np.zeros((0, 2)), *(times for _, times in parts)]).T
    return IntervalSequences(
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate([np.zeros(0, np.int32), *(action for action, _ in parts)]),
        start,
        end,
        activity.actions,
    )


def draw_lengths(activity: ActivityModel, n: int, rng: np.random.Generator) -> Ints:
    """Draw numbers of intervals, (n,), among those that occurred in training."""
    if "length" not in activity:
        return rng.choice(activity.lengths, n)
    drawn: Ints = activity["length"].draw(n, np.unique(activity.lengths), rng)
    return drawn


def draw_actions(
    activity: ActivityModel,
    length: int,
    rng: np.random.Generator,
    steps: kernels.Steps | None,
    sharpness: float = 1.0,
) -> Codes:
    """Draw the action of each interval of an instance, (length,).

    From the tables if there are any. Otherwise with a probability proportional to the product of
    two terms, as far as they are learned: which action follows which, or else how frequent each
    is, as `steps`; and how often each occurs in an instance, to the power `sharpness`.
    """
    if "tables" in activity:
        drawn: Codes = activity["tables"].draw(length, rng)[1]
        return drawn
    if steps is None:
        return np.zeros(0, np.int32)
    action = kernels.draw_order(length, steps, rng)
    if "occurrences" in activity and length:
        occurrences = sharpness * activity["occurrences"].log_probs
        action = kernels.walk_actions(action, steps, occurrences, SWEEPS, rng)
    return action


def _find_order(activity: ActivityModel, sharpness: float) -> kernels.Steps:
    """Which action follows which; without a term for it, each is as frequent after all others."""
    if "order" in activity:
        order: FittedOrder = activity["order"]
        return order.sharpened(sharpness)
    size, nothing = len(activity.actions), np.zeros(0)
    even = np.full(size, -np.log(size))
    frequency = activity["actions"].log_probs if "actions" in activity else even
    keys = nothing.astype(np.int64)
    order = FittedOrder(activity.actions, keys, nothing, frequency, np.zeros(size + 1))
    return order.sharpened(sharpness)


def draw_relations(
    activity: ActivityModel, action: Codes, rng: np.random.Generator, sharpness: float = 1.0
) -> Bytes:
    """Draw the relations of all pairs given their actions, (k, k) with 255 elsewhere."""
    apart = None if activity.apart is None else activity.apart.astype(np.uint8)
    drawn: Bytes = activity["relations"].draw(action, rng, apart, sharpness)
    return drawn
