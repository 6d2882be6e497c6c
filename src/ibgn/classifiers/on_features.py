"""Estimators on features of instances: extra trees, and ridge regression.

Both know from one fit what they say about instances that they have not seen: each tree leaves some
out, and what ridge regression would say without an instance has a closed form. People who are known
by `groups` are left out as a whole.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import joblib
import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.base import clone

from ibgn._arrays import Array, Bools, Floats, Ints
from ibgn.checks import check_whole
from ibgn.classifiers.recogniser import Recogniser, as_generator
from ibgn.declarations import FITTED, FLOAT, Stored, is_finite, is_positive
from ibgn.errors import OptionError
from ibgn.features import IntervalFeatures
from ibgn.intervals import IntervalSequences
from ibgn.model.forest import Forest
from ibgn.model.ridge import fit_ridge
from ibgn.networks import Sequences
from ibgn.training_data import UnknownActions
from ibgn.worlds import likeliest_world

__all__ = [
    "MOST_CELLS",
    "MOST_TREES",
    "FeatureClassifier",
    "IntervalForest",
    "IntervalRidge",
    "count_columns",
    "find_blocks",
    "fits_features",
    "to_dense",
]

MOST_TREES = 100_000
MOST_CELLS = 10_000_000  # numbers of one instance
CELLS_AT_ONCE = 1 << 24  # numbers of instances that are recognised together
LEFT_OUT = 1 / 3  # of the blocks, by each tree
LEAST_SPREAD = 1e-6  # standard deviation of a column that is not constant, over its largest value


class FeatureClassifier(Recogniser):
    """Base of the estimators on features.

    Parameters
    ----------
    features : a transformer from instances to rows of numbers, by default `IntervalFeatures`
    """

    features: Any

    def _check_options(self) -> None:
        super()._check_options()
        if self.features is not None and not hasattr(self.features, "transform"):
            reason = "must be a transformer, such as IntervalFeatures()"
            raise OptionError("features", self.features, reason)

    def fit(
        self,
        X: Sequences,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from instances and the label of the activity of each.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        sample_weight : (n,) how many instances each counts as; 0 leaves one out
        groups : (n,) who performed each, in place of `X.groups`; those of a group are left out
            together
        """
        self.fit_held_out(X, y, sample_weight, groups)
        return self

    def fit_held_out(
        self,
        X: Sequences,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Floats | None:
        """Learn, and score the same instances by what was learned from others.

        Returns (n, activities) log probabilities, or None where that would take learning again.
        Instances of weight 0 are left out.
        """
        X, codes, weight, _ = self._begin(X, y, sample_weight, groups)
        X = likeliest_world(X)
        self.features_ = self._usual_features() if self.features is None else clone(self.features)
        weight = np.ones(len(X)) if weight is None else weight
        return self._learn(self.features_.fit_transform(X), codes, find_blocks(X), weight)

    def _usual_features(self) -> Any:
        """Features where none are given."""
        return IntervalFeatures(unknown="ignore")

    @abstractmethod
    def _learn(self, rows: Any, codes: Ints, blocks: Ints, weight: Floats) -> Floats | None:
        """Learn from rows; returns held-out log probabilities, if they are known."""

    @abstractmethod
    def _log_proba(self, rows: Any) -> Floats:
        """(n, activities) log probabilities."""

    def _scores(self, X: IntervalSequences) -> Floats:
        """(n, 1, activities) log probability of each activity."""
        nothing = np.zeros((0, len(self.classes_)))
        at_once = max(1, CELLS_AT_ONCE // max(1, getattr(self.features_, "cells", 1)))
        parts = [X[first : first + at_once] for first in range(0, len(X), at_once)]
        logs = [self._log_proba(self.features_.transform(part)) for part in parts]
        together: Floats = np.concatenate([nothing, *logs])
        return together[:, None]

    @property
    def terms_(self) -> tuple[str, ...]:
        """What scores come from: the features."""
        return ("features",)


class IntervalForest(FeatureClassifier):
    """Extremely randomised trees on features of instances.

    Each tree leaves out a third of the instances, or of the groups, so that the forest also knows
    what it says about instances that it has not seen.

    Parameters
    ----------
    features : a transformer from instances to rows of numbers, by default `IntervalFeatures`
    trees : their number
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    random_state : seed, or a NumPy generator; the same seed gives the same model
    n_jobs : trees learned at the same time, by joblib

    Examples
    --------
    >>> X = [[("hold", 0, 4)], [("pour", 0, 2)], [("hold", 1, 4)], [("pour", 2, 4)]]
    >>> model = IntervalForest(trees=20, random_state=0).fit(X, ["rest", "tea", "rest", "tea"])
    >>> model.predict([[("pour", 1, 6)]]).tolist()
    ['tea']
    """

    short_name = "forest"
    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "forest_": Stored(Forest),
    }

    def __init__(
        self,
        features: Any = None,
        *,
        trees: int = 200,
        unknown_actions: UnknownActions = "warn",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.trees = trees
        self.unknown_actions = unknown_actions
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def variants(cls) -> Mapping[str, Any]:
        """One, with its defaults."""
        return {"forest": lambda seed: cls(random_state=seed)}

    def _check_options(self) -> None:
        super()._check_options()
        check_whole("trees", self.trees, 1, MOST_TREES)

    def agrees(self) -> bool:
        """Whether trees ask for columns that the features have, and vote for known activities."""
        return fits_features(self.forest_, self.features_, len(self.classes_))

    def _learn(self, rows: Any, codes: Ints, blocks: Ints, weight: Floats) -> Floats:
        rng = as_generator(self.random_state)
        dense = to_dense(rows).astype(np.float32)
        left_out = np.stack([_leave_some(blocks, codes, rng) for _ in range(self.trees)])
        seeds = rng.integers(2**31, size=self.trees).tolist()
        grow, counted = joblib.delayed(_grow), ~left_out * weight
        tasks = (grow(dense, codes, *each) for each in zip(seeds, counted, strict=True))
        trees = joblib.Parallel(self.n_jobs, prefer="threads")(tasks)
        self.forest_ = Forest.of(trees)
        activities = len(self.classes_)
        votes = self.forest_.vote(dense, activities, left_out)
        return _log_shares(votes, left_out.sum(axis=0))

    def _log_proba(self, rows: Any) -> Floats:
        votes = self.forest_.vote(rows, len(self.classes_))
        return _log_shares(votes, np.full(len(votes), len(self.forest_.roots)))


class IntervalRidge(FeatureClassifier):
    """Ridge regression to labels on features of instances, with probabilities.

    Features are scaled, compressed by a logarithm and standardised. The penalty and the sharpness
    of probabilities are those under which instances that are left out are likeliest.

    Parameters
    ----------
    features : a transformer from instances to rows of numbers, by default `IntervalFeatures`
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known

    Examples
    --------
    >>> X = [[("hold", 0, 4)], [("pour", 0, 2)], [("hold", 1, 4)], [("pour", 2, 4)]]
    >>> model = IntervalRidge().fit(X, ["rest", "tea", "rest", "tea"])
    >>> model.predict([[("pour", 1, 6)]]).tolist()
    ['tea']
    """

    short_name = "ridge"
    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "scale_": Stored(FLOAT, ("features",), is_positive),
        "mean_": Stored(FLOAT, ("features",), is_finite),
        "spread_": Stored(FLOAT, ("features",), is_positive),
        "coefficients_": Stored(FLOAT, ("features", "activities"), is_finite),
        "intercept_": Stored(FLOAT, ("activities",), is_finite),
    }

    def __init__(self, features: Any = None, *, unknown_actions: UnknownActions = "warn") -> None:
        self.features = features
        self.unknown_actions = unknown_actions

    @classmethod
    def variants(cls) -> Mapping[str, Any]:
        """One, with its defaults."""
        return {"ridge": lambda seed: cls()}

    def agrees(self) -> bool:
        """Whether there is a coefficient for each column of the features."""
        return count_columns(self.features_) == len(self.coefficients_)

    def _learn(self, rows: Any, codes: Ints, blocks: Ints, weight: Floats) -> Floats:
        dense = to_dense(rows)
        used = np.abs(dense) > 0
        sums, numbers = weight @ np.abs(dense), weight @ used
        self.scale_ = np.where(numbers, sums / np.where(numbers, numbers, 1.0), 1.0)
        logs = _compress(dense, self.scale_)
        self.mean_ = np.average(logs, axis=0, weights=weight)
        spread = np.sqrt(np.average((logs - self.mean_) ** 2, axis=0, weights=weight))
        constant = spread <= LEAST_SPREAD * np.abs(logs).max(axis=0)
        # a column that is constant in training says nothing: it stays 0
        self.spread_ = np.where(constant, 1.0, spread)
        standard = np.where(constant, 0.0, (logs - self.mean_) / self.spread_)
        fit = fit_ridge(standard, codes, len(self.classes_), blocks, weight)
        self.coefficients_, self.intercept_ = fit.coefficients, fit.intercept
        logs_held: Floats = log_softmax(fit.held_out, axis=1)
        return logs_held

    def _log_proba(self, rows: Any) -> Floats:
        dense = to_dense(rows)
        standard = (_compress(dense, self.scale_) - self.mean_) / self.spread_
        logs: Floats = log_softmax(standard @ self.coefficients_ + self.intercept_, axis=1)
        return logs


def to_dense(rows: Any) -> Floats:
    """Rows as an array, whether they are sparse or not."""
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, float)


def fits_features(forest: Forest, features: Any, activities: int) -> bool:
    """Whether trees ask only for columns that there are, and vote for known activities."""
    columns = count_columns(features)
    asked, voted = forest.feature.max(initial=-1), forest.label.max(initial=0)
    some = voted < activities and len(forest.roots)
    return bool(asked < columns <= MOST_CELLS and some)


def count_columns(features: Any) -> int:
    """Number of columns that fitted features have; a file may claim more than can be named."""
    named = not hasattr(features, "columns")
    return len(features.get_feature_names_out()) if named else int(features.columns)


def find_blocks(X: IntervalSequences) -> Ints:
    """(n,) what is left out together: groups where there are several, else each instance."""
    if X.groups is not None:
        blocks = np.unique([str(group) for group in X.groups], return_inverse=True)[1]
        if blocks.max(initial=0) > 0:
            return blocks.astype(np.int64)
    return np.arange(len(X))


def _leave_some(blocks: Ints, codes: Ints, rng: np.random.Generator) -> Bools:
    """(n,) whether a tree leaves an instance out; never all of them."""
    number = int(blocks.max()) + 1
    some = rng.permutation(number)[: min(round(number * LEFT_OUT), number - 1)]
    return np.isin(blocks, some)


def _grow(rows: Array, codes: Ints, seed: int, weight: Floats) -> Any:
    """A tree; it knows of all activities, also of those that it leaves out."""
    from sklearn.tree import ExtraTreeClassifier  # slow to load, and only learning needs it

    tree = ExtraTreeClassifier(max_features="sqrt", random_state=seed)
    return tree.fit(rows, codes, sample_weight=weight)


def _log_shares(votes: Floats, asked: Array) -> Floats:
    """Log probabilities from votes; one more vote is shared by all activities."""
    shares = (votes + 1 / votes.shape[1]) / (asked[:, None] + 1)
    logs: Floats = np.log(shares)
    return logs


def _compress(rows: Floats, scale: Floats) -> Floats:
    """Logarithm of one plus the size of each number over the scale of its column, with its sign."""
    compressed: Floats = np.sign(rows) * np.log1p(np.abs(rows) / scale)
    return compressed
