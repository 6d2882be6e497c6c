"""Instances as rows of numbers, in parts that can be chosen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints, Objects
from ibgn._kernels import features as kernels
from ibgn.allen import Relation
from ibgn.checks import check_choice, check_flag, check_whole
from ibgn.declarations import ANY, INT, NAMES, STORABLE, Stored, register
from ibgn.errors import OptionError
from ibgn.features.pairs import PairCounts, count_pairs
from ibgn.features.presence import MOST_PARTS, UNKNOWN, Presence, find_presence, known_actions
from ibgn.features.raster import sample
from ibgn.features.statistics import STATISTICS, measure
from ibgn.horizon import check_horizon
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences

__all__ = ["IntervalFeatures"]

PARTS = ("statistics", "pairs", "occupancy", "raster")
LARGEST_INDEX = np.iinfo(np.int32).max


class IntervalFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers about the actions of an instance, for any classifier of scikit-learn.

    - "statistics" of each action: how often it occurs; its total, mean and longest duration, and
      the deviation of its durations; and, as parts of the instance, its share of the time, the
      mean pause between its occurrences, how much is left when it first starts and has passed
      when it last ends, its mean instant, and its first and last position among all intervals;
    - "pairs": number of pairs of intervals by their actions and their relation, for all that
      occurred in `fit`;
    - "occupancy": mean number of intervals of each action in each of `bins` equal parts of the
      instance;
    - "raster": number of intervals of each action at each of `samples` instants, see `Raster`.

    All are 0 where an action does not occur. Numbers of an instance depend on nothing else that
    is transformed with it. An uncertain instance is taken as it most likely is.

    Parameters
    ----------
    parts : which of these, in this order
    bins : number of parts of an instance, for "occupancy"
    samples : number of instants, for "raster"
    sparse : whether the result is a sparse array if "pairs" or "raster" is among the parts; it is
        never sparse where `set_output` asks for a frame
    unknown : whether intervals of actions that did not occur in `fit` are left out with a
        warning ("warn"), without one ("ignore"), or refused ("error"); when the instance begins
        and ends is known from all intervals
    horizon : for "pairs", how many intervals of known actions after each are counted with it, in
        the order of their starts; None for all. A number makes the time linear in the length of
        an instance, however many intervals overlap

    Attributes
    ----------
    actions_ : names of all actions that occurred in `fit`, in alphabetical order
    pairs_ : (pairs, 3) codes of the first action, the second action and the relation

    Examples
    --------
    >>> X = [[("hold", 0, 4), ("pour", 1, 2), ("pour", 3, 4)], [("pour", 1, 2)]]
    >>> features = IntervalFeatures(parts=["pairs"]).set_output(transform="pandas")
    >>> features.fit_transform(X)
       'hold' contains 'pour'  'hold' finished-by 'pour'  'pour' before 'pour'
    0                     1.0                        1.0                   1.0
    1                     0.0                        0.0                   0.0
    """

    learned: ClassVar[Mapping[str, Stored]] = {
        "actions_": Stored(NAMES),
        "pairs_": Stored(INT, (ANY, 3), lambda codes: (codes >= 0).all()),
    }
    actions_: tuple[str, ...]
    pairs_: Ints

    def __init__(
        self,
        parts: Sequence[str] = ("statistics", "pairs"),
        bins: int = 20,
        samples: int = 100,
        sparse: bool = True,
        unknown: str = "warn",
        horizon: int | None = None,
    ) -> None:
        self.parts = parts
        self.bins = bins
        self.samples = samples
        self.sparse = sparse
        self.unknown = unknown
        self.horizon = horizon

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are, and which relations they have."""
        self._fit(as_sequences(X))
        return self

    def fit_transform(self, X: Sequences, y: Any = None) -> csr_array | Floats:
        """Fit and transform, counting pairs only once."""
        return self._transform(*self._fit(as_sequences(X)))

    def transform(self, X: Sequences) -> csr_array | Floats:
        """(n, features) numbers, in the order of `get_feature_names_out`."""
        check_is_fitted(self)
        return self._transform(*self._count(as_sequences(X), self.actions_))

    def _fit(self, X: IntervalSequences) -> tuple[Presence, PairCounts | None]:
        actions = known_actions(X)
        found, counts = self._count(X, actions)
        self.actions_ = actions
        self.pairs_ = np.zeros((0, 3), np.int64) if counts is None else counts.seen()
        return found, counts

    def _count(
        self, X: IntervalSequences, actions: tuple[str, ...]
    ) -> tuple[Presence, PairCounts | None]:
        self._check_options()
        found = find_presence(X, actions, self.unknown)
        return found, count_pairs(found, self.horizon) if "pairs" in self.parts else None

    def _transform(self, found: Presence, counts: PairCounts | None) -> csr_array | Floats:
        blocks = [
            counts.columns(self.pairs_) if counts and part == "pairs" else self._spread(part, found)
            for part in self.parts
        ]
        together = csr_array(hstack(blocks)) if len(blocks) > 1 else blocks[0]
        frame = _get_output_config("transform", self)["dense"] != "default"
        if frame or not (self.sparse and {"pairs", "raster"} & {*self.parts}):
            dense: Floats = together.toarray()
            return dense
        if max(together.nnz, together.shape[1]) <= LARGEST_INDEX:
            for name in ("indices", "indptr"):  # scikit-learn's trees take only 32-bit integers
                setattr(together, name, getattr(together, name).astype(np.int32))
        return together

    @property
    def columns(self) -> int:
        """Number of features, without their names."""
        each = {
            "statistics": len(STATISTICS),
            "occupancy": int(self.bins),
            "raster": int(self.samples),
        }
        sizes = (
            len(self.actions_) * each[part] if part in each else len(self.pairs_)
            for part in self.parts
        )
        return sum(sizes)

    @property
    def cells(self) -> int:
        """Numbers that are held at once for an instance."""
        return self.columns

    def get_feature_names_out(self, input_features: Any = None) -> Objects:
        """(features,) the name of each column; names of actions are quoted, as Python would."""
        check_is_fitted(self)
        return np.array([name for part in self.parts for name in self._names(part)], object)

    def _check_options(self) -> None:
        parts: Any = self.parts
        if isinstance(parts, str) or not (isinstance(parts, Sequence) and parts):
            reason = 'must be a list of parts, such as ["statistics", "pairs"]'
            raise OptionError("parts", parts, reason)
        for part in parts:
            check_choice("parts", part, PARTS)
        if len({*parts}) < len(parts):
            raise OptionError("parts", parts, "must name each part once")
        check_whole("bins", self.bins, 1, MOST_PARTS)
        check_whole("samples", self.samples, 1, MOST_PARTS)
        check_choice("unknown", self.unknown, UNKNOWN)
        check_flag("sparse", self.sparse)
        check_horizon(self.horizon)

    def agrees(self) -> bool:
        """Whether pairs are of known actions and relations, each once and in order."""
        most = np.array([len(self.actions_), len(self.actions_), len(Relation)])
        pairs = [tuple(pair) for pair in self.pairs_.tolist()]
        return bool((self.pairs_ < most).all()) and pairs == sorted({*pairs})

    def _spread(self, part: str, found: Presence) -> csr_array:
        """(n, columns) of a part that describes each action by itself."""
        if part == "statistics":
            return found.spread(measure(found))
        if part == "raster":
            return found.spread(sample(found, int(self.samples)))
        cells = len(found.action)
        return found.spread(kernels.occupy_bins(found.cell, *found.parts, cells, int(self.bins)))

    def _names(self, part: str) -> Iterator[str]:
        """Names of the columns of one part; quoted names cannot be mistaken for each other."""
        quoted = [repr(name) for name in self.actions_]
        if part == "pairs":
            for first, second, relation in self.pairs_.tolist():
                yield f"{quoted[first]} {Relation(relation).label} {quoted[second]}"
            return
        for name in quoted:
            if part == "statistics":
                yield from (f"{statistic} {name}" for statistic in STATISTICS)
            elif part == "occupancy":
                yield from (f"{name} in part {b + 1} of {self.bins}" for b in range(self.bins))
            else:
                instants = range(1, self.samples + 1)
                yield from (f"{name} at instant {t} of {self.samples}" for t in instants)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


register(STORABLE, "IntervalFeatures", IntervalFeatures)
