"""Errors of real detectors: they lose intervals, mistake them, and move their ends.

Transformers as in scikit-learn; the same seed gives the same errors.
"""

from abc import ABC, abstractmethod
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Ints
from ibgn.checks import check_number
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.recoding import rebuild

__all__ = ["ConfusionNoise", "DurationNoise", "Misdetection", "Mistakes"]


@runtime_checkable
class Mistakes(Protocol):
    """What a detector reports for each action; `ibgn.metrics.measure_confusion` counts it.

    Examples
    --------
    >>> from ibgn.metrics import measure_confusion
    >>> X = IntervalSequences.from_lists([[("pour", 0, 4), ("stir", 5, 9)]])
    >>> isinstance(measure_confusion(X, X), Mistakes)
    True
    """

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions."""

    @property
    def counts(self) -> Ints:
        """(actions, actions + 1) how often each was detected as which; last column: not at all."""

    @property
    def inserted(self) -> Ints:
        """(actions,) how often each was detected where there was none."""

    @property
    def instances(self) -> int:
        """Number of instances in the counts."""


class _Noise(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class: remembers the known actions, so that a mistake is one of them."""

    random_state: Any

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        X = as_sequences(X)
        self._check_options()
        self.actions_ = tuple(sorted({X.actions[code] for code in np.unique(X.action)}))
        return self

    @abstractmethod
    def _check_options(self) -> None:
        """Refuse invalid options."""

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.random_state)


class Misdetection(_Noise):
    """Intervals that are not detected, or mistaken for another action.

    Parameters
    ----------
    rate : probability that an interval is misdetected
    lost : share of the misdetected intervals that are lost; the others get another action, drawn
        uniformly from those seen in `fit`; they are lost too if `fit` saw fewer than two actions
    random_state : seed, or a NumPy generator

    Examples
    --------
    >>> X = [[("pour", 0, 2), ("stir", 2, 4)]] * 100
    >>> int(Misdetection(0.2, lost=1.0, random_state=0).fit_transform(X).lengths.sum())
    163
    """

    def __init__(self, rate: float = 0.1, *, lost: float = 0.5, random_state: Any = None) -> None:
        self.rate = rate
        self.lost = lost
        self.random_state = random_state

    def _check_options(self) -> None:
        _check_share("rate", self.rate)
        _check_share("lost", self.lost)

    def transform(self, X: Sequences) -> IntervalSequences:
        """Instances with errors; some may have no intervals left."""
        check_is_fitted(self)
        X, rng = _recoded(as_sequences(X), self.actions_), self._rng()
        known = len(self.actions_)
        wrong = rng.random(len(X.action)) < self.rate
        lost = wrong & ((rng.random(len(X.action)) < self.lost) | (known < 2))
        step = rng.integers(1, max(known, 2), len(X.action))
        anyone = rng.integers(0, max(known, 1), len(X.action))
        # an action that fit has not seen is coded after the known ones, and may become any of them
        other = np.where(X.action < known, (X.action + step) % max(known, 1), anyone)
        return rebuild(X, np.where(wrong, other, X.action), X.start, X.end, ~lost)


class DurationNoise(_Noise):
    """Ends of intervals that are detected too early or too late.

    Parameters
    ----------
    rate : each end point moves by up to this share of its interval's duration, in either
        direction. From one half on, start and end can cross; then they are swapped. At most 1000.
    random_state : seed, or a NumPy generator

    Examples
    --------
    >>> DurationNoise(0.0).fit_transform([[("pour", 0, 2)]]).to_lists()
    [[('pour', 0.0, 2.0)]]
    """

    def __init__(self, rate: float = 0.1, *, random_state: Any = None) -> None:
        self.rate = rate
        self.random_state = random_state

    def _check_options(self) -> None:
        check_number("rate", self.rate, "from 0 to 1000", lambda value: 0 <= value <= 1000)

    def transform(self, X: Sequences) -> IntervalSequences:
        """Instances with moved end points."""
        check_is_fitted(self)
        X = as_sequences(X)
        length = X.end - X.start
        first, last = self._rng().uniform(-self.rate, self.rate, (2, len(length))) * length
        moved = np.sort([X.start + first, X.end + last], axis=0)
        empty = moved[0] >= moved[1]
        start, end = np.where(empty, X.start, moved[0]), np.where(empty, X.end, moved[1])
        return rebuild(X, X.action, start, end, np.ones(len(length), bool))


class ConfusionNoise(_Noise):
    """The mistakes of a detector, as `ibgn.metrics.measure_confusion` counted them.

    Each interval becomes what the detector reported for its action, or is lost, with the
    measured shares. With `insertions`, actions are also detected where there are none, as often
    per instance as measured; such intervals last as long as another one of the same instance.

    Parameters
    ----------
    confusion : the measured mistakes
    insertions : whether intervals are inserted
    random_state : seed, or a NumPy generator

    Examples
    --------
    >>> from ibgn.metrics import measure_confusion
    >>> true, detected = [[("pour", 0, 4), ("stir", 4, 6)]], [[("shake", 0, 4), ("stir", 4, 6)]]
    >>> noise = ConfusionNoise(measure_confusion(true, detected), random_state=0)
    >>> noise.fit_transform([[("pour", 0, 1), ("stir", 2, 3)]]).to_lists()
    [[('shake', 0.0, 1.0), ('stir', 2.0, 3.0)]]
    """

    def __init__(
        self, confusion: Mistakes, *, insertions: bool = True, random_state: Any = None
    ) -> None:
        self.confusion = confusion
        self.insertions = insertions
        self.random_state = random_state

    def _check_options(self) -> None:
        if not isinstance(self.confusion, Mistakes):
            reason = "must be what ibgn.metrics.measure_confusion returns"
            raise OptionError("confusion", self.confusion, reason)

    def transform(self, X: Sequences) -> IntervalSequences:
        """Instances as the detector would have seen them; unknown actions are left unchanged."""
        check_is_fitted(self)
        X, rng = _recoded(as_sequences(X), self.confusion.actions), self._rng()
        size = len(self.confusion.actions)
        total = self.confusion.counts.sum(axis=1, keepdims=True)
        shares = np.cumsum(self.confusion.counts / np.maximum(total, 1), axis=1)
        measured = np.append(total, 0)[np.minimum(X.action, size)] > 0
        draw = rng.random(len(X.action))
        code = X.action.astype(np.int64)
        code[measured] = (shares[X.action[measured]] <= draw[measured, None]).sum(axis=1)
        lost = measured & (code >= size)
        changed = rebuild(X, np.where(lost, 0, code), X.start, X.end, ~lost)
        return self._with_insertions(changed, X, rng) if self.insertions else changed

    def _with_insertions(
        self, changed: IntervalSequences, X: IntervalSequences, rng: np.random.Generator
    ) -> IntervalSequences:
        """Add intervals that are detected without being there, at any time of the instance."""
        if X.uncertainty is not None:
            raise DataError(
                "intervals are inserted only where all is certain; use ",
                Option("insertions", False),
                ", or ibgn.worlds.likeliest_world(X)",
            )
        inserted, instances = self.confusion.inserted, max(self.confusion.instances, 1)
        names = self.confusion.actions
        lists = changed.to_lists()
        for d, number in enumerate(rng.poisson(inserted.sum() / instances, len(X)).tolist()):
            instance = X[d]
            if not len(instance.action) or not number:
                continue
            codes = rng.choice(len(names), number, p=inserted / inserted.sum())
            lasts = rng.choice(instance.end - instance.start, number)
            first = instance.start.min()
            begin = rng.uniform(first, np.maximum(instance.end.max() - lasts, first))
            rows = zip(codes.tolist(), begin.tolist(), (begin + lasts).tolist(), strict=True)
            lists[d] = [*lists[d], *((names[code], start, end) for code, start, end in rows)]
        ids = None if X.ids is None else X.ids.tolist()
        together = IntervalSequences.from_lists(lists, ids=ids)
        return IntervalSequences.from_flat(together.flat, together.actions, X.ids, changed.groups)


def _check_share(name: str, value: float) -> None:
    check_number(name, value, "from 0 to 1", lambda value: 0 <= value <= 1)


def _recoded(X: IntervalSequences, actions: tuple[str, ...]) -> IntervalSequences:
    """X with these actions first in the vocabulary, followed by the others."""
    others = tuple(name for name in X.actions if name not in set(actions))
    code = {name: number for number, name in enumerate((*actions, *others))}
    renumber = np.array([code[name] for name in X.actions], np.int32)
    unsure = None if X.uncertainty is None else X.uncertainty.recoded(renumber)
    flat = X.flat._replace(action=renumber[X.action].astype(np.int32), uncertainty=unsure)
    return IntervalSequences.from_flat(flat, (*actions, *others), X.ids, X.groups, X.provenance)
