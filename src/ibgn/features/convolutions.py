"""Shares of the time in which patterns of actions are there: features for linear classifiers."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Array, Floats, Objects
from ibgn._kernels import convolutions as kernels
from ibgn.checks import check_choice, check_seed, check_whole
from ibgn.declarations import FLOAT, INT, NAMES, STORABLE, Stored, is_finite, register
from ibgn.features.presence import MOST_PARTS, UNKNOWN
from ibgn.features.raster import Raster
from ibgn.intervals import as_sequences
from ibgn.networks import Sequences

__all__ = ["Convolutions"]

TAPS = np.array(list(combinations(range(kernels.WIDTH), 3)), np.int64)  # of all 84 patterns
MOST_CHANNELS = 9  # that one pattern looks at
MOST_PATTERNS = 100_000
LOOKS = 8  # instances that levels are taken from


class Convolutions(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """How much of the time each of many random patterns of actions is there.

    An instance is a picture, actions by time, see `Raster`. A pattern compares a few instants of a
    few actions with those around them, at some distance. Its features say in which share of
    the instants it is above a level that occurs in training. Linear classifiers recognise much
    from them, as MiniRocket does from series; unlike MiniRocket's, levels are distinct values, as
    numbers of intervals are whole.

    Parameters
    ----------
    patterns : number of patterns
    levels : largest number of levels of a pattern
    samples : number of instants over the instance
    random_state : seed by which patterns and levels are chosen
    unknown : what to do about actions that did not occur in `fit`, see `Raster`

    Examples
    --------
    >>> X = [[("hold", 0, 4), ("pour", 1, 2)], [("hold", 0, 1), ("pour", 1, 4)]]
    >>> features = Convolutions(patterns=2, levels=1, samples=10).fit_transform(X)
    >>> features.shape
    (2, 2)
    """

    learned: ClassVar[Mapping[str, Stored]] = {
        "actions_": Stored(NAMES),
        "dilations_": Stored(INT, ("patterns",), lambda value: (value > 0).all()),
        "taps_": Stored(INT, ("patterns", 3), lambda v: ((v >= 0) & (v < kernels.WIDTH)).all()),
        "offsets_": Stored(INT, ("patterns+1",)),
        "channels_": Stored(INT, ("channels",), lambda value: (value >= 0).all()),
        "bounds_": Stored(INT, ("patterns+1",)),
        "levels_": Stored(FLOAT, ("columns",), is_finite),
    }

    def __init__(
        self,
        patterns: int = 600,
        levels: int = 8,
        samples: int = 100,
        random_state: Any = 0,
        unknown: str = "warn",
    ) -> None:
        self.patterns = patterns
        self.levels = levels
        self.samples = samples
        self.random_state = random_state
        self.unknown = unknown

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Choose patterns at random, and levels that occur."""
        self._fit(X)
        return self

    def fit_transform(self, X: Sequences, y: Any = None) -> Floats:
        """Fit and transform, drawing pictures only once."""
        return self._transform(self._fit(X))

    def transform(self, X: Sequences) -> Floats:
        """(n, features) shares of time, from 0 to 1."""
        check_is_fitted(self)
        raster = Raster(self.samples, self.unknown)
        raster.actions_ = self.actions_
        return self._transform(raster.transform(X))

    def _fit(self, X: Sequences) -> Array:
        self._check_options()
        raster = Raster(self.samples, self.unknown)
        pictures: Array = raster.fit_transform(as_sequences(X))
        self.actions_ = raster.actions_
        rng = np.random.default_rng(self.random_state)
        self._choose_patterns(len(self.actions_), rng)
        self._choose_levels(pictures, rng)
        return pictures

    def _check_options(self) -> None:
        most = {"patterns": MOST_PATTERNS, "levels": MOST_PATTERNS, "samples": MOST_PARTS}
        for option, limit in most.items():
            check_whole(option, getattr(self, option), 1, limit)
        check_seed("random_state", self.random_state)
        check_choice("unknown", self.unknown, UNKNOWN)

    def _transform(self, pictures: Array) -> Floats:
        return kernels.find_shares(
            pictures,
            self.dilations_,
            self.taps_,
            self.offsets_,
            self.channels_,
            self.bounds_,
            self.levels_,
        )

    def _choose_patterns(self, actions: int, rng: np.random.Generator) -> None:
        """Taps in turn; dilations and numbers of channels evenly on a logarithmic scale."""
        widest = max(1.0, (self.samples - 1) / (kernels.WIDTH - 1))
        self.dilations_ = (2 ** rng.uniform(0, np.log2(widest), self.patterns)).astype(np.int64)
        self.taps_ = TAPS[rng.permutation(np.arange(self.patterns) % len(TAPS))]
        most = min(actions, MOST_CHANNELS)
        size = (2 ** rng.uniform(0, np.log2(most + 1), self.patterns)).astype(np.int64)
        size = np.minimum(size, most)  # 0 without any action
        chosen = [rng.choice(actions, n, replace=False) for n in size.tolist() if n]
        self.offsets_ = np.append(0, np.cumsum(size))
        self.channels_ = np.concatenate([np.zeros(0, np.int64), *chosen])

    def _choose_levels(self, pictures: Array, rng: np.random.Generator) -> None:
        """Some of the distinct values that each pattern has in a few instances, but the largest."""
        levels = []
        for p in range(self.patterns):
            channels = self.channels_[self.offsets_[p] : self.offsets_[p + 1]]
            looked_at = rng.choice(len(pictures), min(len(pictures), LOOKS), replace=False)
            responses = [
                kernels.respond(pictures[d], self.dilations_[p], self.taps_[p], channels)
                for d in looked_at.tolist()
            ]
            values = np.unique(np.concatenate([np.zeros(0), *responses]))[:-1]
            if len(values) > self.levels:
                values = np.sort(rng.choice(values, self.levels, replace=False))
            levels.append(values)
        self.bounds_ = np.append(0, np.cumsum([len(values) for values in levels]))
        self.levels_ = np.concatenate(levels)

    def agrees(self) -> bool:
        """Whether all that was learned fits together, as kernels trust it."""
        ends = ((self.offsets_, len(self.channels_)), (self.bounds_, len(self.levels_)))
        ordered = all(
            offsets[0] == 0 and offsets[-1] == size and (np.diff(offsets) >= 0).all()
            for offsets, size in ends
        )
        return ordered and bool((self.channels_ < len(self.actions_)).all())

    @property
    def columns(self) -> int:
        """Number of features, without their names."""
        return len(self.levels_)

    @property
    def cells(self) -> int:
        """Numbers that are held at once for an instance: its picture, and its features."""
        return len(self.actions_) * int(self.samples) + self.columns

    def get_feature_names_out(self, input_features: Any = None) -> Objects:
        """(features,) the name of each column: the pattern, and its level."""
        check_is_fitted(self)
        pattern = np.repeat(np.arange(len(self.dilations_)), np.diff(self.bounds_))
        named = zip(pattern.tolist(), self.levels_.tolist(), strict=True)
        return np.array([f"pattern {p} above {level:g}" for p, level in named], object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


register(STORABLE, "Convolutions", Convolutions)
