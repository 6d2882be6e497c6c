"""One activity as it was learned: a set of terms."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.declarations import FLOAT, INT, is_finite, is_positive, stored
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import FittedTerm, LogTerms
from ibgn.text import count

__all__ = ["ActivityModel", "are_whole", "mean_pace", "relations_to_itself", "score_activities"]

T = TypeVar("T")

LONGEST = 1_000_000  # intervals of an instance
APART = (1, 3, 127)  # the sets {before}, {before, meets} and all relations


@dataclass(frozen=True)
class ActivityModel:
    """What was learned about one activity; `activity["relations"]` is one of its terms.

    Parameters
    ----------
    name : the activity
    actions : names of all known actions
    terms : what was learned, by the names of the terms
    lengths : (n,) numbers of intervals of the instances it was learned from
    pace : mean time between end points that follow each other
    apart : (actions,) set of relations that intervals of an action may have to each other: all,
        before and meets if they never overlapped, or before if they never met either; None where
        that is not known
    typical : (terms,) mean log probability of its instances by each term, as learned from others;
        None where no instances were held out
    whole : whether all times it was learned from are whole numbers
    """

    name: Any
    actions: tuple[str, ...]
    terms: Mapping[str, FittedTerm]
    lengths: Ints = stored(
        INT, "instances", holds=lambda value: ((value >= 0) & (value <= LONGEST)).all()
    )
    pace: float = stored(float, holds=is_positive)
    apart: Ints | None = stored(
        INT,
        "actions",
        holds=lambda value: np.isin(value, APART).all(),
        optional=True,
        default=None,
    )
    typical: Floats | None = stored(FLOAT, "terms", holds=is_finite, optional=True, default=None)
    whole: bool = stored(bool, default=False)
    _derived: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __getitem__(self, term: str) -> Any:
        if term not in self.terms:
            known = ", ".join(map(repr, self.terms))
            raise OptionError("term", term, f"is not a term of this activity; it has {known}")
        return self.terms[term]

    def __contains__(self, term: str) -> bool:
        return term in self.terms

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n, terms) log probability by each term; actions are coded as in training."""
        return score_activities([self], X)[:, :, 0]

    def log_terms(self, X: IntervalSequences) -> dict[str, LogTerms]:
        """What each term says about the parts of the instances."""
        return {name: term.log_terms(X) for name, term in self.terms.items()}

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, called once for each key and cached."""
        if key not in self._derived:
            self._derived[key] = make()
        result: T = self._derived[key]
        return result

    def agrees(self) -> bool:
        """Whether there are actions if instances have intervals."""
        return bool(self.actions or not self.lengths.any())

    def __repr__(self) -> str:
        shortest, longest = (min(self.lengths), max(self.lengths)) if len(self.lengths) else (0, 0)
        learned = [f"{name} ({term.brief()})" for name, term in self.terms.items()]
        return (
            f"ActivityModel {self.name!r}: {count(len(self.lengths), 'instance')} of {shortest} to "
            f"{longest} intervals; {', '.join(learned)}"
        )


def score_activities(activities: Iterable[ActivityModel], X: IntervalSequences) -> Floats:
    """(n, terms, activities) log probability of each instance by each term of each activity."""
    of_terms = zip(*(activity.terms.values() for activity in activities), strict=True)
    return np.stack([type(fitted[0]).log_likelihoods(fitted, X) for fitted in of_terms], axis=1)


def mean_pace(X: IntervalSequences) -> float:
    """Mean time between neighbouring end points of an instance that differ."""
    owner = np.concatenate([X.owner, X.owner])
    times = np.concatenate([X.start, X.end])
    order = np.lexsort((times, owner))
    gaps = np.diff(times[order])[np.diff(owner[order]) == 0]
    gaps = gaps[gaps > 0]
    return float(np.mean(gaps)) if len(gaps) else 1.0


def relations_to_itself(X: IntervalSequences) -> Ints:
    """(actions,) set of relations that intervals of each action may have to each other."""
    order = np.lexsort((X.action, X.owner))  # and still in the order of starts
    owner, action = X.owner[order], X.action[order]
    # of several that overlap or meet, in the order of starts, two neighbours do
    same = (np.diff(owner) == 0) & (np.diff(action) == 0)
    pause = X.start[order][1:] - X.end[order][:-1]
    apart = np.full(len(X.actions), APART[0], np.int64)
    apart[action[1:][same & (pause == 0)]] = APART[1]
    apart[action[1:][same & (pause < 0)]] = APART[2]
    return apart


def are_whole(X: IntervalSequences) -> bool:
    """Whether all times are whole numbers, such as those of frames; there must be some."""
    times = np.concatenate([X.start, X.end])
    return bool(len(times) and (times == np.round(times)).all())
