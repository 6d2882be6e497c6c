"""A term of all activities, which follows an instance that goes on."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from ibgn._arrays import Floats
from ibgn.live.timeline import Timeline
from ibgn.terms.base import FittedTerm

LIVE: dict[type[FittedTerm], type["LiveTerm"]] = {}


class LiveTerm(ABC):
    """One term of all activities, which follows the intervals of a timeline.

    A subclass declares `of`, the kind of fitted term that it follows.

    Parameters
    ----------
    fitted : the term of each activity

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> model = IBGNClassifier(terms=("length",), random_state=0).fit(X, y)
    >>> line = Timeline(model.actions_)
    >>> length = go_live([a["length"] for a in model.activities_.values()]).begin(line)
    >>> slot = line.start("hold", 0.0)
    >>> length.scores().shape == model.classes_.shape
    True
    """

    of: ClassVar[type[FittedTerm]]

    timeline: Timeline
    settled: Floats  # (activities,) what will not change
    said: Floats  # (activities,) what is said now

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "of" in cls.__dict__:
            LIVE[cls.of] = cls

    def __init__(self, fitted: Sequence[Any]) -> None:
        self.constant = np.zeros(len(fitted))  # of an instance without intervals
        self._take(fitted)

    @abstractmethod
    def _take(self, fitted: Sequence[Any]) -> None:
        """Keep what was learned, in arrays whose last axis is the activities."""

    def begin(self, timeline: Timeline) -> Self:
        """The same term at the begin of another instance."""
        term = copy(self)
        term.timeline = timeline
        term.settled, term.said = self.constant.copy(), np.zeros_like(self.constant)
        term._begin()
        return term

    def _begin(self) -> None:  # noqa: B027, nothing to note by default
        """Have nothing noted."""

    @classmethod
    def can_follow(cls, fitted: Sequence[Any]) -> bool:
        """Whether these terms are of the kind that is followed."""
        return True

    def start(self, slot: int) -> None:  # noqa: B027, nothing to note by default
        """Note that an interval began."""

    def end(self, slot: int) -> None:  # noqa: B027, nothing to note by default
        """Note that an interval ended."""

    @abstractmethod
    def scores(self) -> Floats:
        """(activities,) log probability of what is known now."""


def go_live(fitted: Sequence[FittedTerm]) -> LiveTerm | None:
    """Follow a term of all activities; None if that is not known for such terms."""
    kind = LIVE.get(type(fitted[0]))
    alike = all(type(one) is type(fitted[0]) for one in fitted)
    return kind(fitted) if kind and alike and kind.can_follow(fitted) else None


def stack_fields(fitted: Sequence[Any], name: str) -> Floats:
    """A field of all activities, which are the last axis."""
    return np.ascontiguousarray(np.stack([getattr(one, name) for one in fitted], axis=-1))


def stack_shapes(fitted: Sequence[Any]) -> Floats:
    """(groups, 4, activities) of the predictions of all activities."""
    shapes = [np.moveaxis(one.prediction.shape(), 0, -1) for one in fitted]
    return np.ascontiguousarray(np.stack(shapes, axis=-1))
