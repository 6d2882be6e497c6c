"""Which links an activity needs: the score of every candidate, and the selected structure.

The choice of a link does not depend on other links, so the best structure needs only one
comparison for each pair of positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import gammaln

from ibgn._arrays import Floats
from ibgn._kernels import links as kernels
from ibgn.checks import check_choice, check_number
from ibgn.declarations import FLOAT, is_finite, is_natural, stored
from ibgn.intervals import IntervalSequences
from ibgn.networks import BEYOND, read_networks
from ibgn.structure import Structure

__all__ = ["Criterion", "LinkScores", "score_links", "score_shared_links"]

Criterion = Literal["bic", "bic-published", "bdeu", "aic"]

MOST_POSITIONS = 300  # later positions are never linked
SAMPLE_SIZE = 10.0  # equivalent sample size of "bdeu"
SHARED_PRIOR = 1.0  # Dirichlet prior of each relation in the comparison of activities
STRONG_EVIDENCE = 10.0  # Bayes factor above which activities count as different


@dataclass(frozen=True)
class LinkScores:
    """Score of the link between each pair of positions, row by row; linked where positive.

    Parameters
    ----------
    size : number of positions
    gain : (pairs,) what a link gains: log likelihood, or log marginal likelihood
    penalty : (pairs,) what it costs
    """

    size: int = stored(int, holds=is_natural)
    gain: Floats = stored(FLOAT, "pairs", holds=is_finite)
    penalty: Floats = stored(FLOAT, "pairs", holds=is_finite)

    def agrees(self) -> bool:
        """Whether there is a score for each pair of positions."""
        return len(self.gain) == self.size * (self.size - 1) // 2

    @property
    def score(self) -> Floats:
        """(pairs,) gain minus penalty."""
        return self.gain - self.penalty

    @property
    def structure(self) -> Structure:
        """All links whose score is positive."""
        first, second = np.triu_indices(self.size, 1)
        linked = self.score > 0
        return Structure(zip(first[linked], second[linked], strict=True), self.size)

    def frame(self) -> pd.DataFrame:
        """Return one row per candidate link, the best first."""
        first, second = np.triu_indices(self.size, 1)
        rows = pd.DataFrame(
            {
                "first": first,
                "second": second,
                "gain": self.gain,
                "penalty": self.penalty,
                "score": self.score,
                "linked": self.score > 0,
            }
        )
        return rows.sort_values("score", ascending=False, kind="stable", ignore_index=True)


def score_links(
    X: IntervalSequences, criterion: Criterion = "bic", penalty: float = 1.0
) -> LinkScores:
    """Score every link of one activity by whether the relation depends on the two actions.

    Parameters
    ----------
    X : instances of the activity
    criterion : "bic" charges for relations and pairs of actions that occur; "bic-published" for
        all possible ones, which never links anything; "aic" is like "bic" with a lower charge;
        "bdeu" compares marginal likelihoods and needs no charge
    penalty : multiplies what a link costs; for "bdeu", its evidence must exceed log(penalty)
    """
    check_choice("criterion", criterion, get_args(Criterion))
    check_number("penalty", penalty, "positive", lambda value: value > 0)
    size = min(int(X.lengths.max(initial=0)), MOST_POSITIONS)
    statistics = kernels.link_statistics(
        *_padded(X, size), np.minimum(X.lengths, size), len(X.actions), SAMPLE_SIZE
    )
    gain, relations, parents, marginal_gain = statistics.T
    if criterion == "bdeu":
        return LinkScores(size, marginal_gain, np.full(len(gain), np.log(penalty)))
    free = (relations - 1) * (parents - 1)
    if criterion == "bic-published":
        free = np.full(len(gain), 7.0 * ((len(X.actions) + 1) ** 2 - 1))
    each = 1.0 if criterion == "aic" else np.log(max(len(X), 1)) / 2
    return LinkScores(size, gain, penalty * each * free)


def score_shared_links(parts: Sequence[IntervalSequences], penalty: float = 1.0) -> LinkScores:
    """Score every link for all activities by whether the relation depends on the activity.

    Compares the marginal likelihood of the relations at a pair of positions, with one Dirichlet
    distribution for each activity, against one for all. A link needs strong evidence, a ratio
    of 10; penalty multiplies that.
    """
    check_number("penalty", penalty, "positive", lambda value: value > 0)
    longest = max((int(part.lengths.max(initial=0)) for part in parts), default=0)
    size = min(longest, MOST_POSITIONS)
    nothing, full = np.zeros((0, 0), bool), BEYOND["full"]
    related = [read_networks(part, "chain").relation for part in parts]
    counts = np.stack(
        [
            kernels.count_positions(part.offsets, relation, nothing, full, True, size)
            for part, relation in zip(parts, related, strict=True)
        ]
    )
    counts[:, 0, 0] = 0  # pairs beyond the last position
    gain = _log_marginal(counts).sum(axis=0) - _log_marginal(counts.sum(axis=0))
    gain = gain[np.triu_indices(size, 1)]
    return LinkScores(size, gain, np.full(len(gain), np.log(penalty * STRONG_EVIDENCE)))


def _padded(X: IntervalSequences, size: int) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
    """Actions, starts and ends as (instances, size), cut and padded."""
    column = np.arange(len(X.action)) - np.repeat(X.offsets[:-1], X.lengths)
    row = X.owner
    kept = column < size
    padded = []
    for values in (X.action, X.start, X.end):
        full = np.zeros((len(X), size), values.dtype)
        full[row[kept], column[kept]] = values[kept]
        padded.append(full)
    return padded[0], padded[1], padded[2]


def _log_marginal(counts: npt.NDArray[np.int64]) -> Floats:
    """Log marginal likelihood of the last axis under a symmetric Dirichlet prior."""
    strength = SHARED_PRIOR * counts.shape[-1]
    value = (gammaln(counts + SHARED_PRIOR) - gammaln(SHARED_PRIOR)).sum(axis=-1)
    total: Floats = value + gammaln(strength) - gammaln(strength + counts.sum(axis=-1))
    return total
