"""A term of all activities, which follows an instance as it happens."""

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
    learned: Any  # what kernels take, in arrays whose last axis is the activities
    notes: Any  # of one instance, see `_note`

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "of" in cls.__dict__:
            LIVE[cls.of] = cls

    def __init__(self, fitted: Sequence[Any]) -> None:
        self.constant = np.zeros(len(fitted))  # of an instance without intervals
        self.learned = self._take(fitted)

    @abstractmethod
    def _take(self, fitted: Sequence[Any]) -> Any:
        """What was learned, as kernels take it."""

    @abstractmethod
    def _note(self, settled: Floats, said: Floats) -> Any:
        """Notes of an instance without intervals: what will not change, what is said, and more."""

    @classmethod
    def can_follow(cls, fitted: Sequence[Any]) -> bool:
        """Whether these terms are of the kind that is followed."""
        return True

    def begin(self, timeline: Timeline) -> Self:
        """The same term at the begin of another instance."""
        term = copy(self)
        term.timeline = timeline
        term.notes = self._note(self.constant.copy(), np.zeros_like(self.constant))
        return term

    def restart(self) -> None:
        """Begin with another instance of the same timeline."""
        for values in self.notes:
            values.fill(0)
        self.notes.settled[:] = self.constant

    @property
    def settled(self) -> Floats:
        """(activities,) the part of the scores that will not change."""
        settled: Floats = self.notes.settled
        return settled

    def make_room(self) -> None:  # noqa: B027, most notes do not grow
        """Have room in the notes for what the timeline has room for."""

    @abstractmethod
    def _follow(self) -> None:
        """Set what is said in the notes to what is known now."""

    def scores(self) -> Floats:
        """(activities,) log probability of what is known now."""
        self.make_room()
        self._follow()
        said: Floats = self.notes.said
        return said


def go_live(fitted: Sequence[FittedTerm]) -> LiveTerm | None:
    """Follow a term of all activities; None if such terms cannot be followed."""
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
