"""What the styles of an activity come to: posteriors, scores and reasons.

An activity may be done in several styles, each with its own terms. The score of an instance is the
log of the sum over styles of share times exp(pooled score). It splits exactly into terms: each adds
the mean of its scores over the styles, by their posterior, and "styles" adds what the posterior
differs from the shares, less than nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from ibgn._arrays import Floats
from ibgn.horizon import pair_offsets
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import LEVELS, FittedTerm, LogTerms
from ibgn.terms.parts import Part, per_cent

__all__ = ["STYLES", "StyleWords", "blend_log_terms", "log_posterior", "pool_styles"]

STYLES = "styles"  # what explanations call the choice of a style, among terms


def log_posterior(scores: Floats, shares: Floats, weights: Floats) -> Floats:
    """(n, styles) log probability of each style of an instance, given its scores.

    Parameters
    ----------
    scores : (n, terms, styles) log probabilities
    shares : (styles,) of the instances
    weights : (terms,) how much each term counts
    """
    logs: Floats = log_softmax(weights @ scores + np.log(shares), axis=1)
    return logs


def pool_styles(scores: Floats, shares: Floats, weights: Floats) -> Floats:
    """(n, terms + 1) score of an activity by each term, and by the choice of a style.

    Weighted by `weights` and 1, they add up to the log of the sum over styles of share times
    exp(pooled score). Parameters as those of `log_posterior`.
    """
    logs = log_posterior(scores, shares, weights)
    means = np.einsum("nts,ns->nt", scores, np.exp(logs))
    return np.column_stack([means, choice_of_style(shares, logs)])


def blend_log_terms(
    X: IntervalSequences, said: Sequence[Mapping[str, LogTerms]], shares: Floats, logs: Floats
) -> dict[str, LogTerms]:
    """Say what an activity says about parts of instances: the mean over styles, and their choice.

    Parameters
    ----------
    X : instances
    said : what each style says about them
    shares : (styles,) of the instances that it was learned from
    logs : (n, styles) log posterior
    """
    blended = dict.fromkeys(said[0], LogTerms())
    for terms, chances in zip(said, np.exp(logs).T, strict=True):
        for name, own in terms.items():
            of_pairs = chances[:0]
            if own.pair is not None:  # which others have no horizon for
                of_pairs = np.repeat(chances, np.diff(pair_offsets(X, own.horizon)))
            of_levels = chances, chances[X.owner], of_pairs, chances[:, None]
            sums = dict[str, Any]()
            for key, factor in zip(LEVELS, of_levels, strict=True):
                level, before = getattr(own, key), getattr(blended[name], key)
                if level is not None:
                    sums[key] = factor * level + (0 if before is None else before)
            blended[name] = own._replace(**sums)
    return blended | {STYLES: LogTerms(instance=choice_of_style(shares, logs))}


def choice_of_style(shares: Floats, logs: Floats) -> Floats:
    """(n,) what the choice of a style adds: how far its posterior is from the shares, negative."""
    distance: Floats = (np.exp(logs) * (np.log(shares) - logs)).sum(axis=1)
    return distance


@dataclass(frozen=True)
class StyleWords(FittedTerm):
    """The likeliest style of an instance, for the words of an explanation.

    Parameters
    ----------
    number, of : which style it is, from 1, and how many there are
    share : of the instances that have it
    """

    number: int
    of: int
    share: float

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log of its share, for each instance."""
        return LogTerms(instance=np.full(len(X), np.log(self.share)))

    def describe(self) -> pd.DataFrame:
        """The style and its share."""
        return pd.DataFrame({"style": [self.number], "share": [self.share]})

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """The same for all activities."""
        return "how it is done"

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Which style of the activity it is, and how frequent that is."""
        if self.of == 1:
            return "there is one style"
        return f"style {self.number} of {self.of}, which {per_cent(self.share)} have"
