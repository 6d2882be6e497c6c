"""Terms: each is one side of an activity that is counted, fitted, scored and described.

A `Term` holds options. It counts instances, in parts that can be added and subtracted, and
turns counts into a `FittedTerm`, which knows one activity. An activity is a set of fitted terms,
and scores an instance by the sum of their scores.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from inspect import isabstract
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd

from ibgn._arrays import Floats
from ibgn.declarations import STORABLE, register
from ibgn.errors import OptionError
from ibgn.horizon import pair_offsets
from ibgn.intervals import IntervalSequences
from ibgn.networks import sum_by_instance
from ibgn.terms.parts import Part

if TYPE_CHECKING:
    from ibgn.terms.tally import Sample, Tally

__all__ = ["PRIOR", "TERMS", "Context", "Counts", "FittedTerm", "LogTerms", "Term"]

TERMS: dict[str, type["Term"]] = {}
"""Terms by name; a subclass of `Term` is registered when it is defined."""

LEVELS = ("instance", "interval", "pair", "action")
PRIOR = "prior"  # what explanations call the class prior, among terms


class LogTerms(NamedTuple):
    """What a term says about each part of instances: log probabilities that add up.

    A term uses one level or several, and leaves the others at None.

    Parameters
    ----------
    instance : (n,) of each instance as a whole
    interval : (intervals,) of each interval
    pair : (pairs,) of each pair of intervals i < j of an instance, row by row
    action : (n, actions) of each known action
    horizon : how many intervals after each it has pairs with; None for all

    Examples
    --------
    >>> log_terms = LogTerms(instance=np.log([0.5, 0.25]))
    >>> log_terms.instance.round(2), log_terms.pair
    (array([-0.69, -1.39]), None)
    """

    instance: Floats | None = None
    interval: Floats | None = None
    pair: Floats | None = None
    action: Floats | None = None
    horizon: int | None = None

    @property
    def levels(self) -> tuple[Floats | None, ...]:
        """What is said of instances, intervals, pairs and actions."""
        return self.instance, self.interval, self.pair, self.action

    def by_instance(self, X: IntervalSequences) -> Floats:
        """(n,) the sum over everything that the term says about an instance."""
        total = np.zeros(len(X))
        if self.instance is not None:
            total += self.instance
        if self.interval is not None:
            total += sum_by_instance(X.offsets, self.interval)
        if self.pair is not None:
            total += sum_by_instance(pair_offsets(X, self.horizon), self.pair)
        if self.action is not None:
            total += self.action.sum(axis=1)
        return total

    def __sub__(self, other: "LogTerms") -> "LogTerms":
        """Difference level by level; both use the same levels."""
        levels = zip(LEVELS, self.levels, other.levels, strict=True)
        differences: dict[str, Any] = {
            name: None if mine is None or its is None else mine - its for name, mine, its in levels
        }
        return self._replace(**differences)

    def scaled(self, weight: float) -> "LogTerms":
        """All levels times a weight."""
        levels = zip(LEVELS, self.levels, strict=True)
        products: dict[str, Any] = {
            name: None if level is None else weight * level for name, level in levels
        }
        return self._replace(**products)


@dataclass(frozen=True)
class Counts:
    """Sufficient statistics of instances; counts of parts add up to those of the whole.

    Fields are arrays of fixed shapes; a subclass whose shapes depend on the data defines how
    they add and subtract.

    Examples
    --------
    >>> from ibgn.terms import Length
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> whole, part = Length().count(X), Length().count(X[:5])
    >>> rest = whole - part
    >>> type(rest + part) is type(whole)
    True
    """

    def __add__(self, other: Self) -> Self:
        return type(self)(*(mine + its for mine, its in self._pairs(other)))

    def __sub__(self, other: Self) -> Self:
        return type(self)(*(mine - its for mine, its in self._pairs(other)))

    def __mul__(self, weight: float) -> Self:
        """Counts of instances that each count as much as the weight says."""
        return self.map(lambda counts: counts * weight)

    def map(self, change: Callable[[Any], Any]) -> Self:
        """Counts with every field changed in the same way."""
        return type(self)(*(change(getattr(self, f.name)) for f in fields(self)))

    def _pairs(self, other: Self) -> list[tuple[Any, Any]]:
        return [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]


class Context(NamedTuple):
    """What a term knows when it is fitted, apart from counts.

    Parameters
    ----------
    activity : label of the activity
    actions : names of all known actions
    seed : the same for all activities, for randomness in scoring instances
    rng : source of random numbers for this activity
    watch : called while something takes long, with how many more sweeps of a sampler were run; it
        may raise an exception to stop them

    Examples
    --------
    >>> Context("tea", ("boil", "pour"), 0, np.random.default_rng(0)).actions
    ('boil', 'pour')
    """

    activity: Any
    actions: tuple[str, ...]
    seed: int
    rng: np.random.Generator
    watch: Callable[[int], object] = bool  # which does nothing


@dataclass(frozen=True)
class FittedTerm(ABC):
    """One side of one activity, as learned; its fields declare how they are stored.

    Parameters
    ----------
    actions : names of all known actions

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("length",), random_state=0).fit(X, y)
    >>> length = model.activities_["apart, apart"]["length"]
    >>> isinstance(length, FittedTerm)
    True
    >>> length.log_terms(X[:2]).instance.round(2)
    array([1.76, 1.76])
    """

    actions: tuple[str, ...]

    @abstractmethod
    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each part of the instances.

        Actions are coded as in training; all others have the code len(actions).
        """

    @abstractmethod
    def describe(self) -> pd.DataFrame:
        """What was learned, one row per fact, the most telling first."""

    def log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n,) log probability of each instance."""
        return self.log_terms(X).by_instance(X)

    @classmethod
    def log_likelihoods(cls, fitted: Sequence[Self], X: IntervalSequences) -> Floats:
        """(n, fitted) log probability of each instance by each of several activities.

        A subclass may do at once what this does one by one.
        """
        return np.column_stack([one.log_likelihood(X) for one in fitted])

    def brief(self) -> str:
        """What was learned, in a few words."""
        return ""

    def observed(self, X: IntervalSequences, part: Part) -> str:
        """What a part of one instance has that this term looks at, as a reason begins.

        The same for all activities; names of actions are data, so they are quoted.
        """
        return part.subject

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """What this activity usually has there, to follow "in 'tea' "; "" says nothing."""
        return ""

    def focus(self, other: Self, X: IntervalSequences, part: Part) -> Part:
        """Where in a part this activity and another one differ most; a reason speaks of that."""
        return part

    def agrees(self) -> bool:
        """Whether the fields fit together, beyond what each field declares by itself."""
        return True


@dataclass(frozen=True)
class Term(ABC):
    """Options of a term; fields are plain values, and the constructor refuses invalid ones.

    A subclass declares `name`, which is not "prior", and `fitted`, the class of what `fit` returns.

    Examples
    --------
    >>> from ibgn.terms import TERMS
    >>> TERMS["durations"]().name
    'durations'
    >>> TERMS["relations"](structure="chain").structure
    'chain'
    """

    name: ClassVar[str]
    fitted: ClassVar[type[FittedTerm]]
    scales: ClassVar[bool] = True  # whether counts can be multiplied by a weight
    pools: ClassVar[bool] = False  # whether `fit` looks at the counts of all activities together

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__ and not isabstract(cls):
            if cls.name == PRIOR:
                raise OptionError("name", cls.name, "is taken by the class prior")
            register(TERMS, cls.name, cls)
            register(STORABLE, cls.__name__, cls)

    @abstractmethod
    def count(self, X: IntervalSequences) -> Counts:
        """Count instances of one activity; every action of the vocabulary is known."""

    @abstractmethod
    def fit(self, counts: Any, pooled: Any, context: Context) -> FittedTerm:
        """Turn the counts of one activity into probabilities.

        `pooled` are the counts of all activities together if the class sets `pools = True`, and
        None otherwise.
        """

    def specialise(
        self, parts: Sequence[IntervalSequences], weights: Sequence[Floats] | None = None
    ) -> Sequence["Term"]:
        """Return a term for each activity, after looking at the instances of all of them.

        `weights` say how much the instances of each activity count; None if each counts as one.
        """
        return [self] * len(parts)

    def tally(self, sample: "Sample") -> "Tally | None":
        """Count all instances of a sample at once, by fold and activity, if the term can.

        By default it is left to `count`, `fit` and `log_likelihood`, one by one; a term that does
        it at once is faster, see `ibgn.terms.stacked`.
        """
        return None
