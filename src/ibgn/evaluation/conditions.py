"""Conditions under which methods are tested: clean data, errors, or detected intervals."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold

from ibgn.checks import check_choice, check_whole
from ibgn.detection import SensorRecording
from ibgn.errors import DataError, Option, OptionError
from ibgn.evaluation.folds import Fold
from ibgn.intervals import IntervalSequences
from ibgn.noise import DurationNoise, Misdetection
from ibgn.text import quote

__all__ = ["Clean", "Condition", "Detected", "Detector", "Noisy", "On", "noise_conditions"]

On = Literal["test", "both"]
Pair = tuple[IntervalSequences | None, IntervalSequences]

NOISES = {"misdetection": Misdetection, "duration": DurationNoise}
INNER_FOLDS = 3  # in which a detector finds the intervals that classifiers learn from


@dataclass(frozen=True, kw_only=True)
class Condition(ABC):
    """What happens between the annotated intervals and those that a method sees.

    Parameters
    ----------
    error : name of what goes wrong
    rate : how much of it
    draw : number of the repetition, if it is random
    on : whether it affects only the "test" set, or "both" training and test set
    """

    error: str
    rate: float = 0.0
    draw: int = 0
    on: On = "test"

    @abstractmethod
    def apply(self, X: IntervalSequences, fold: Fold) -> Pair:
        """Training data, None if they are as annotated, and test data."""

    def digest(self) -> str | None:
        """Text that identifies the result of `apply` if that is slow to compute, else None."""
        return None


@dataclass(frozen=True, kw_only=True)
class Clean(Condition):
    """Data as they are."""

    error: str = "none"

    def apply(self, X: IntervalSequences, fold: Fold) -> Pair:
        """Both sets as they are."""
        return None, X[fold.test]


@dataclass(frozen=True, kw_only=True)
class Noisy(Condition):
    """Intervals that are lost, mistaken or moved: error is a name of `NOISES`.

    The same draw of a fold uses the same random numbers at all rates, so that errors of a lower
    rate are among those of a higher one, which makes curves smoother.
    """

    seed: int = 0

    def apply(self, X: IntervalSequences, fold: Fold) -> Pair:
        """Errors in the test set, and different ones in the training set if it has any."""
        both = [X[fold.train], X[fold.test]]
        noise = NOISES[self.error](self.rate).fit(both[0])  # never sees the test set
        key = [self.seed, self.draw, fold.repeat, fold.number]
        moved = [
            noise.set_params(random_state=np.random.default_rng([*key, part])).transform(data)
            for part, data in enumerate(both)
        ]
        return (moved[0] if self.on == "both" else None), moved[1]


@dataclass(frozen=True, kw_only=True)
class Detected(Condition):
    """Intervals that a detector found in the same instances.

    Parameters
    ----------
    intervals : what it found, instance by instance as in X
    """

    intervals: IntervalSequences

    def apply(self, X: IntervalSequences, fold: Fold) -> Pair:
        """Detected intervals, in the test set or in both."""
        if len(self.intervals) != len(X):
            raise DataError(
                f"{quote(self.error)} has {len(self.intervals)} instances for {len(X)}; "
                "give one for each, without intervals if nothing was detected"
            )
        return (self.intervals[fold.train] if self.on == "both" else None), self.intervals[
            fold.test
        ]


@dataclass(frozen=True, kw_only=True)
class Detector(Condition):
    """A detector in the loop: it learns only from the recordings of the training set.

    The training intervals of classifiers are found by detectors that did not learn from them
    either: the training set is split in three, by group if there are groups.

    Parameters
    ----------
    detector : an `ActionDetector`, or anything with its fit and predict
    recordings : one for each instance
    """

    detector: Any
    recordings: Sequence[SensorRecording]

    def apply(self, X: IntervalSequences, fold: Fold) -> Pair:
        """Intervals found in the test set, and in the training set if on is "both"."""
        if len(self.recordings) != len(X):
            raise DataError(
                f"there are {len(self.recordings)} recordings for {len(X)} instances; "
                "give one per instance"
            )
        test = self._detect(X, fold.train, fold.test)
        return (self._detect_among(X, fold.train) if self.on == "both" else None), test

    def digest(self) -> str:
        """Identify the detector and everything that it could learn from."""
        content = [(r.time, r.channels, r.names, r.labels, r.id) for r in self.recordings]
        digest: str = joblib.hash((self.error, self.on, self.detector.get_params(), content))
        return digest

    def across(self, X: IntervalSequences, folds: Sequence[Fold]) -> Detected:
        """Intervals found in all test sets together; folds test every instance once.

        Only for testing: as training data, it would depend on the instances that are tested.
        """
        if self.on != "test":
            raise OptionError(
                "on", self.on, "is not for detection across folds; use ", Option("on", "test")
            )
        parts = [self._detect(X, fold.train, fold.test) for fold in folds]
        order = np.argsort(np.concatenate([fold.test for fold in folds]))
        intervals = IntervalSequences.concatenate(parts)[order]
        return Detected(error=self.error, rate=self.rate, draw=self.draw, intervals=intervals)

    def _detect(self, X: IntervalSequences, known: Any, new: Any) -> IntervalSequences:
        detector = clone(self.detector).fit([self.recordings[d] for d in known])
        intervals: IntervalSequences = detector.predict([self.recordings[d] for d in new])
        groups = None if X.groups is None else X.groups[new]
        return IntervalSequences.from_flat(intervals.flat, intervals.actions, intervals.ids, groups)

    def _detect_among(self, X: IntervalSequences, train: Any) -> IntervalSequences:
        groups = None if X.groups is None else [str(group) for group in X.groups[train]]
        if groups is not None and len(set(groups)) >= 2:
            splitter: Any = GroupKFold(min(INNER_FOLDS, len(set(groups))))
        else:
            splitter = KFold(min(INNER_FOLDS, len(train)), shuffle=True, random_state=0)
        splits = list(splitter.split(train, train, groups))
        parts = [self._detect(X, train[known], train[new]) for known, new in splits]
        order = np.argsort(np.concatenate([new for _, new in splits]))
        return IntervalSequences.concatenate(parts)[order]


def noise_conditions(
    rates: Mapping[str, Sequence[float]], *, on: On = "test", draws: int = 1, seed: int = 0
) -> list[Condition]:
    """Clean data, and errors of each kind at each rate.

    Parameters
    ----------
    rates : of "misdetection" and "duration" errors, each above 0
    on : whether errors happen in the "test" set only, or in "both"
    draws : how often errors are drawn at each rate
    seed : of the errors

    Examples
    --------
    >>> [(c.error, c.rate) for c in noise_conditions({"misdetection": [0.1, 0.2]})]
    [('none', 0.0), ('misdetection', 0.1), ('misdetection', 0.2)]
    """
    check_choice("on", on, get_args(On))
    check_whole("draws", draws, 1)
    conditions: list[Condition] = [Clean()]
    for error, values in rates.items():
        check_choice("error", error, tuple(NOISES))
        for rate in dict.fromkeys(values):
            if not 0 < rate <= 1:
                raise OptionError(error, rate, "must be above 0 and at most 1")
            conditions += [
                Noisy(error=error, rate=float(rate), draw=draw, on=on, seed=seed)
                for draw in range(draws)
            ]
    return conditions
