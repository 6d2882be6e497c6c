"""One activity as it was learned: a set of terms, and the styles in which it is done."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from ibgn._arrays import Floats, Ints
from ibgn.declarations import FLOAT, INT, are_probs, are_weights, is_finite, is_positive, stored
from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences
from ibgn.model.styles import blend_log_terms, log_posterior, pool_styles
from ibgn.model.summary import APART
from ibgn.terms.base import FittedTerm, LogTerms
from ibgn.terms.parts import per_cent
from ibgn.text import count

__all__ = ["ActivityModel", "score_activities"]

T = TypeVar("T")

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
    apart : (actions,) set of relations that intervals of an action may have to each other: all,
        before and meets if they never overlapped, or before if they never met either; None where
        that is not known
    typical : (terms,) mean log probability of its instances by each term, as learned from others;
        None where no instances were held out
    whole : whether all times it was learned from are whole numbers
    styles : models of the styles in which it is done, the most frequent first; empty if there is
        one. They score instances; `terms` then describe all styles together.
    share : of the instances of the activity, if this is a style
    pooling : (terms,) weights by which styles are compared; None in a model without styles

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(random_state=0).fit(X, y)
    >>> activity = model.activities_["apart, apart"]
    >>> activity.name, sorted(activity.terms)[:3]
    ('apart, apart', ['durations', 'gaps', 'length'])
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
    styles: tuple["ActivityModel", ...] = ()
    share: float = stored(float, holds=lambda value: 0 < value <= 1, default=1.0)
    pooling: Floats | None = stored(
        FLOAT,
        "terms",
        holds=are_weights,
        optional=True,
        default=None,
    )
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
        """What each term says about the parts of the instances, and the choice of a style."""
        if self.pooling is None:
            return {name: term.log_terms(X) for name, term in self.terms.items()}
        said = [
            {name: term.log_terms(X) for name, term in style.terms.items()}
            for style in self.members
        ]
        return blend_log_terms(X, said, self.shares, self.log_posterior(X))

    @property
    def members(self) -> tuple["ActivityModel", ...]:
        """Its styles, or itself if there is one."""
        return self.styles or (self,)

    @property
    def shares(self) -> Floats:
        """(styles,) of the instances."""
        return np.array([style.share for style in self.members])

    def log_posterior(self, X: IntervalSequences) -> Floats:
        """(n, styles) log probability of each style of instances of this activity."""
        if self.pooling is None or not self.styles:
            return np.zeros((len(X), 1))
        return log_posterior(_score_members(self.styles, X), self.shares, self.pooling)

    def with_styles(
        self, styles: Sequence["ActivityModel"], pooling: Floats | None
    ) -> "ActivityModel":
        """The same activity with styles, which are named by their numbers."""
        named = (
            replace(style, name=f"{self.name}, style {n}") for n, style in enumerate(styles, 1)
        )
        return replace(self, styles=tuple(named), pooling=pooling)

    def without_instances(self) -> "ActivityModel":
        """The same without what it remembers of single instances, which is not needed to score."""
        styles = tuple(style.without_instances() for style in self.styles)
        return replace(self, lengths=self.lengths[:0], styles=styles)

    def derived(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, called once for each key and cached."""
        if key not in self._derived:
            self._derived[key] = make()
        result: T = self._derived[key]
        return result

    def agrees(self) -> bool:
        """Whether there are actions if instances have intervals, and shares that add up."""
        consistent = not self.styles or (self.pooling is not None and are_probs(self.shares))
        return bool(consistent and (self.actions or not self.lengths.any()))

    def __repr__(self) -> str:
        shortest, longest = (min(self.lengths), max(self.lengths)) if len(self.lengths) else (0, 0)
        learned = [f"{name} ({term.brief()})" for name, term in self.terms.items()]
        if self.styles:
            learned.append(f"styles ({', '.join(map(per_cent, self.shares))})")
        return (
            f"ActivityModel {self.name!r}: {count(len(self.lengths), 'instance')} of {shortest} to "
            f"{longest} intervals; {', '.join(learned)}"
        )


def score_activities(activities: Iterable[ActivityModel], X: IntervalSequences) -> Floats:
    """(n, terms, activities) log probability of each instance by each term of each activity.

    The choice of a style is one more term if the activities may have styles.
    """
    activities = list(activities)
    scores = _score_members([style for activity in activities for style in activity.members], X)
    if all(activity.pooling is None for activity in activities):
        return scores
    last = np.cumsum([len(activity.members) for activity in activities])
    parts = np.split(scores, last[:-1], axis=2)
    pooled = [
        pool_styles(part, activity.shares, np.asarray(activity.pooling))
        for part, activity in zip(parts, activities, strict=True)
    ]
    return np.stack(pooled, axis=2)


def _score_members(members: Sequence[ActivityModel], X: IntervalSequences) -> Floats:
    """(n, terms, members) log probability of each instance by the terms of each."""
    of_terms = zip(*(member.terms.values() for member in members), strict=True)
    return np.stack([type(fitted[0]).log_likelihoods(fitted, X) for fitted in of_terms], axis=1)
