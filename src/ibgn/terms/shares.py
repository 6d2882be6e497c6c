"""Counts of outcomes by context, and shares drawn towards what all activities have in common."""

from dataclasses import dataclass

import numpy as np

from ibgn._arrays import Floats
from ibgn.terms.base import Counts

__all__ = ["OutcomeCounts", "smoothed_logs"]


@dataclass(frozen=True)
class OutcomeCounts(Counts):
    """(contexts, outcomes) how often each outcome was seen in each context."""

    counts: Floats


def smoothed_logs(own: Floats, pooled: Floats, strength: float) -> Floats:
    """(contexts, outcomes) log probabilities of one activity.

    In each context, what all activities do counts as `strength` observations. What they do in that
    context is drawn in the same way to what they do in all contexts, and that to even shares.
    """
    everywhere = _shares(pooled.sum(axis=0), np.full(pooled.shape[1], 1 / pooled.shape[1]), 1.0)
    common = _shares(pooled, everywhere, strength)
    logs: Floats = np.log(_shares(own, common, strength))
    return logs


def _shares(counts: Floats, expected: Floats, strength: float) -> Floats:
    shares: Floats = (counts + strength * expected) / (counts.sum(-1, keepdims=True) + strength)
    return shares
