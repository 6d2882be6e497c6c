"""One activity as it was learned: a set of terms."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.declarations import INT, is_positive, stored
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import FittedTerm, LogTerms
from ibgn.text import count

__all__ = ["ActivityModel", "mean_pace", "score_activities"]

LONGEST = 1_000_000  # intervals of an instance


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
    """

    name: Any
    actions: tuple[str, ...]
    terms: Mapping[str, FittedTerm]
    lengths: Ints = stored(
        INT, "instances", holds=lambda value: ((value >= 0) & (value <= LONGEST)).all()
    )
    pace: float = stored(float, holds=is_positive)

    def __getitem__(self, term: str) -> Any:
        if term not in self.terms:
            known = ", ".join(map(repr, self.terms))
            raise OptionError("term", term, f"is not a term of this activity; it has {known}")
        return self.terms[term]

    def __contains__(self, term: str) -> bool:
        return term in self.terms

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n, terms) log probability by each term; actions are coded as in training."""
        return np.column_stack([term.log_likelihood(X) for term in self.terms.values()])

    def log_terms(self, X: IntervalSequences) -> dict[str, LogTerms]:
        """What each term says about the parts of the instances."""
        return {name: term.log_terms(X) for name, term in self.terms.items()}

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
