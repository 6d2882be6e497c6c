"""Which links an activity needs: the score of every candidate, and the selected structure.

The choice of a link does not depend on other links, so the best structure needs only one
comparison for each pair of positions. What is compared is what recognition scores: the relation
within its constraint, given both actions where there is a link, and given the second where there is
none. Instances that are too short to have both positions say nothing about them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn._kernels import links as kernels
from ibgn.allen import ALL
from ibgn.checks import check_choice, check_number
from ibgn.declarations import FLOAT, is_finite, is_natural, stored
from ibgn.horizon import pair_places
from ibgn.intervals import IntervalSequences
from ibgn.structure import Structure
from ibgn.terms.cells import PairRule, Ties

__all__ = ["Criterion", "LinkScores", "score_links", "score_shared_links"]

Criterion = Literal["bic", "bic-published", "bdeu", "aic"]

MOST_POSITIONS = 300  # later positions are never linked
SAMPLE_SIZE = 10.0  # equivalent sample size of marginal likelihoods
STRONG_EVIDENCE = 10.0  # Bayes factor that a link needs
ROUNDING = 1e-9  # a score that would be 0 without rounding stays below


@dataclass(frozen=True)
class LinkScores:
    """Score of the link between each pair of positions, row by row.

    Pairs are linked whose score is positive by more than rounding.

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
    def linked(self) -> npt.NDArray[np.bool_]:
        """(pairs,) whether each is linked."""
        return self.score > ROUNDING

    @property
    def structure(self) -> Structure:
        """All links with a positive score."""
        first, second = (positions[self.linked] for positions in np.triu_indices(self.size, 1))
        return Structure(zip(first, second, strict=True), self.size)

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
                "linked": self.linked,
            }
        )
        return rows.sort_values("score", ascending=False, kind="stable", ignore_index=True)


def check_penalty(penalty: float) -> None:
    """Refuse a factor that leaves no finite cost of a link."""
    check_number("penalty", penalty, "positive, at most 1e9", lambda value: 0 < value <= 1e9)


def score_links(
    X: IntervalSequences,
    criterion: Criterion = "bic",
    penalty: float = 1.0,
    ties: Ties = "sorted",
    horizon: int | None = None,
) -> LinkScores:
    """Score every link of one activity by whether the relation depends on the first action too.

    Parameters
    ----------
    X : instances of the activity
    criterion : "bic" charges for relations and pairs of actions that occur; "aic" is like "bic"
        with a lower charge; "bdeu" compares marginal likelihoods, and a link needs a ratio of 10;
        "bic-published" is the paper's: it ignores constraints, counts what an instance lacks as
        null actions and null relations, and charges for all possible ones, so it links nothing
    penalty : multiplies what a link costs, or the ratio that "bdeu" asks for
    ties, horizon : see `ibgn.terms.cells.PairRule`; no link reaches beyond the horizon
    """
    check_choice("criterion", criterion, get_args(Criterion))
    check_penalty(penalty)
    if criterion == "bic-published":
        return _score_published(X, penalty, horizon)
    pairs = _read_pairs(X, ties, horizon)
    actions = len(X.actions)
    gain, free, marginal_gain = kernels.link_gains(
        pairs.open_codes(pairs.second, actions, pairs.first, actions),
        actions,
        actions,
        SAMPLE_SIZE,
        pairs.candidates,
    ).T
    if criterion == "bdeu":
        evidence = np.full(len(gain), np.log(penalty * STRONG_EVIDENCE))
        return LinkScores(pairs.size, marginal_gain, evidence)
    each = 1.0 if criterion == "aic" else np.log(max(len(X), 1)) / 2
    return LinkScores(pairs.size, gain, penalty * each * free)


def score_shared_links(
    parts: Sequence[IntervalSequences],
    penalty: float = 1.0,
    ties: Ties = "sorted",
    horizon: int | None = None,
) -> LinkScores:
    """Score every link for all activities by whether the relation depends on the activity.

    Compares the marginal likelihood of the relations at a pair of positions, within their
    constraints, with one Dirichlet distribution for each activity, against one for all. A link
    needs strong evidence, a ratio of 10; penalty multiplies that.
    """
    check_penalty(penalty)
    X = IntervalSequences.concatenate(parts)
    activity = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    pairs = _read_pairs(X, ties, horizon)
    gain = kernels.link_gains(
        pairs.open_codes(0, 1, activity[pairs.owner], len(parts)),
        1,
        len(parts),
        SAMPLE_SIZE,
        pairs.candidates,
    )[:, 2]
    return LinkScores(pairs.size, gain, np.full(len(gain), np.log(penalty * STRONG_EVIDENCE)))


def _score_published(X: IntervalSequences, penalty: float, horizon: int | None) -> LinkScores:
    """Score links as printed: positions that an instance lacks have null actions and relations."""
    pairs = _read_pairs(X, "published", horizon)
    null = len(X.actions)
    padded = np.full((len(X), pairs.size), null, np.int64)
    position = _positions(X)
    held = position < pairs.size
    padded[X.owner[held], position[held]] = X.action[held]
    relation = np.full((len(X), pairs.candidates), 7, np.int64)
    relation[pairs.owner, pairs.candidate] = pairs.relation
    first, second = (padded[:, of] for of in np.triu_indices(pairs.size, 1))
    code = np.arange(pairs.candidates) * 128 + ALL
    code = (code * (null + 1) + first) * (null + 1) + second
    code = np.sort((code * 8 + relation).ravel())
    gain = kernels.link_gains(code, 1, (null + 1) ** 2, SAMPLE_SIZE, pairs.candidates)[:, 0]
    each = penalty * np.log(max(len(X), 1)) / 2
    return LinkScores(pairs.size, gain, np.full(len(gain), each * 7 * ((null + 1) ** 2 - 1)))


class _Pairs(NamedTuple):
    """Pairs of intervals at positions that can be linked, row by row.

    Parameters
    ----------
    size, candidates : number of positions, and of pairs of them
    candidate : (pairs,) pair of positions, counted row by row
    owner : (pairs,) instance
    first, second : (pairs,) actions
    relation, allowed : (pairs,) relation, and set of those that are open
    """

    size: int
    candidates: int
    candidate: Ints
    owner: Ints
    first: Ints
    second: Ints
    relation: Ints
    allowed: Ints

    def open_codes(self, second: Ints | int, seconds: int, first: Ints, firsts: int) -> Ints:
        """Sorted codes of pairs with a choice: a link adds `first` to what is given, `second`."""
        code = (self.candidate * 128 + self.allowed) * seconds + second
        code = (code * firsts + first) * 8 + self.relation
        return np.sort(code[self.allowed & (self.allowed - 1) > 0])


def _read_pairs(X: IntervalSequences, ties: Ties, horizon: int | None) -> _Pairs:
    size = min(int(X.lengths.max(initial=0)), MOST_POSITIONS)
    choices = PairRule(Structure.full(), ties=ties, horizon=horizon).choices(X, len(X.actions))
    position = _positions(X)
    first, second = pair_places(X, horizon)
    kept = position[second] < size
    first, second = first[kept], second[kept]
    i, j = position[first], position[second]
    return _Pairs(
        size=size,
        candidates=size * (size - 1) // 2,
        candidate=i * size - i * (i + 1) // 2 + j - i - 1,
        owner=X.owner[first],
        first=X.action[first].astype(np.int64),
        second=X.action[second].astype(np.int64),
        relation=choices.relation[kept].astype(np.int64),
        allowed=choices.allowed[kept].astype(np.int64),
    )


def _positions(X: IntervalSequences) -> Ints:
    """(intervals,) position of each interval in its instance, from 0."""
    return np.arange(len(X.action)) - X.offsets[X.owner]
