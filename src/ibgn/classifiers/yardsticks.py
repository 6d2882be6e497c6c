"""What a practitioner would try instead: general classifiers on features of intervals.

They learn by scikit-learn and aeon, and hold what was learned as arrays, so that they can be saved
like every other method.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Array, Floats, Ints
from ibgn.checks import check_whole
from ibgn.classifiers.on_features import MOST_CELLS, MOST_TREES, FeatureClassifier, fits_features
from ibgn.classifiers.recogniser import as_seed
from ibgn.declarations import ANY, FITTED, FLOAT, INT, Stored, is_finite, is_positive
from ibgn.errors import OptionError
from ibgn.features import IntervalFeatures, Raster
from ibgn.features.presence import MOST_PARTS
from ibgn.model.forest import Forest
from ibgn.networks import Sequences
from ibgn.training_data import UnknownActions

__all__ = ["ExtraTrees", "MiniRocket", "NearestRaster"]

KERNELS = 84  # of MiniRocket
WIDTH = 9  # instants that each of them looks at


class ExtraTrees(FeatureClassifier):
    """Extremely randomised trees on counts, durations, positions and Allen's relations.

    Parameters
    ----------
    features : a transformer from instances to rows of numbers, by default `IntervalFeatures`
    trees : their number
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    random_state : seed, or a generator of NumPy; the same seed gives the same model

    Examples
    --------
    >>> X = [[("hold", 0, 4)], [("pour", 0, 2)], [("hold", 1, 4)], [("pour", 2, 4)]]
    >>> model = ExtraTrees(trees=20, random_state=0).fit(X, ["rest", "tea", "rest", "tea"])
    >>> model.predict([[("pour", 1, 6)]]).tolist()
    ['tea']
    """

    short_name = "extra trees"
    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "forest_": Stored(Forest),
    }

    def __init__(
        self,
        features: Any = None,
        *,
        trees: int = 500,
        unknown_actions: UnknownActions = "warn",
        random_state: Any = None,
    ) -> None:
        self.features = features
        self.trees = trees
        self.unknown_actions = unknown_actions
        self.random_state = random_state

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], FeatureClassifier]]:
        """With and without relations of pairs."""
        alone = IntervalFeatures(("statistics",), unknown="ignore")
        return {
            "extra trees": lambda seed: cls(random_state=seed),
            "extra trees without pairs": lambda seed: cls(alone, random_state=seed),
        }

    def _check_options(self) -> None:
        super()._check_options()
        check_whole("trees", self.trees, 1, MOST_TREES)

    def agrees(self) -> bool:
        """Whether trees ask for columns that the features have, and vote for known activities."""
        return fits_features(self.forest_, self.features_, len(self.classes_))

    # no instance is left out, so groups say nothing
    def fit(  # type: ignore[override]
        self, X: Sequences, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from instances and the label of the activity of each.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        sample_weight : (n,) how many instances each counts as; 0 leaves one out
        """
        return super().fit(X, y, sample_weight)

    def _learn(self, rows: Any, codes: Ints, blocks: Ints, weight: Floats) -> None:
        from sklearn.ensemble import ExtraTreesClassifier

        trees = ExtraTreesClassifier(self.trees, random_state=as_seed(self.random_state))
        self.forest_ = Forest.of(trees.fit(rows, codes, weight).estimators_)

    def _log_proba(self, rows: Any) -> Floats:
        return _log(self.forest_.vote(rows, len(self.classes_)) / len(self.forest_.roots))


class PictureClassifier(FeatureClassifier):
    """Base of the yardsticks that look at rasters; they are sure of what they predict.

    Parameters
    ----------
    samples : number of instants over the instance
    """

    samples: int
    features = None  # always a raster

    def _check_options(self) -> None:
        super()._check_options()
        check_whole("samples", self.samples, 1, MOST_PARTS)

    # neither weighs instances, nor leaves any out
    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:  # type: ignore[override]
        """Learn from instances and the label of the activity of each."""
        return super().fit(X, y)

    def _usual_features(self) -> Raster:
        return Raster(self.samples, unknown="ignore")

    def _only(self, codes: Ints) -> Floats:
        """Log probabilities of 1 for these activities, and of 0 for others."""
        return _log(np.eye(len(self.classes_))[codes])


class NearestRaster(PictureClassifier):
    """The activity of the instance whose raster is nearest, as IBSM compares them.

    Parameters
    ----------
    samples : number of instants over the instance
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known

    Examples
    --------
    >>> X = [[("hold", 0, 4)], [("pour", 0, 2)]]
    >>> NearestRaster().fit(X, ["rest", "tea"]).predict([[("pour", 1, 6)]]).tolist()
    ['tea']
    """

    short_name = "nearest raster"
    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "rasters_": Stored(FLOAT, ("instances", ANY), is_finite),
        "codes_": Stored(INT, ("instances",), lambda codes: (codes >= 0).all()),
    }

    def __init__(self, samples: int = 100, *, unknown_actions: UnknownActions = "warn") -> None:
        self.samples = samples
        self.unknown_actions = unknown_actions

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], FeatureClassifier]]:
        """One, with its defaults."""
        return {"nearest raster": lambda seed: cls()}

    def agrees(self) -> bool:
        """Whether rasters have the size of the features, and activities are known."""
        size = self.features_.cells
        known = self.codes_.max(initial=-1) < len(self.classes_)
        return bool(known and len(self.codes_) and self.rasters_.shape[1] == size)

    def _learn(self, rows: Array, codes: Ints, blocks: Ints, weight: Floats) -> None:
        self.rasters_ = rows.reshape(len(rows), -1).astype(float)
        self.codes_ = codes.astype(np.int64)

    def _log_proba(self, rows: Array) -> Floats:
        from sklearn.neighbors import KNeighborsClassifier

        nearest = KNeighborsClassifier(1, algorithm="brute").fit(self.rasters_, self.codes_)
        return self._only(nearest.predict(rows.reshape(len(rows), -1).astype(float)))


class MiniRocket(PictureClassifier):
    """Ridge regression on MiniRocket's features of rasters; needs aeon, also to recognise.

    Parameters
    ----------
    samples : number of instants over the instance, at least 9
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    random_state : seed, or a generator of NumPy; the same seed gives the same model

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("aeon")
    >>> X = [[("hold", 0, 4)], [("pour", 0, 2)], [("hold", 1, 4)], [("pour", 2, 4)]]
    >>> model = MiniRocket(samples=10, random_state=0).fit(X, ["rest", "tea", "rest", "tea"])
    >>> model.predict([[("pour", 1, 6)]]).tolist()
    ['tea']
    """

    short_name = "MiniRocket"
    learned: ClassVar[Mapping[str, Stored]] = {
        "features_": Stored(FITTED),
        "channels_": Stored(INT, ("combinations",), lambda value: (value > 0).all()),
        "chosen_": Stored(INT, (ANY,), lambda value: (value >= 0).all()),
        "dilations_": Stored(INT, ("dilations",), lambda value: (value > 0).all()),
        "numbers_": Stored(INT, ("dilations",), lambda value: (value > 0).all()),
        "biases_": Stored(FLOAT, ("columns",), is_finite),
        "scale_": Stored(FLOAT, ("columns",), is_positive),
        "coefficients_": Stored(FLOAT, ("columns", "scores"), is_finite),
        "intercept_": Stored(FLOAT, ("scores",), is_finite),
    }

    def __init__(
        self,
        samples: int = 100,
        *,
        unknown_actions: UnknownActions = "warn",
        random_state: Any = None,
    ) -> None:
        self.samples = samples
        self.unknown_actions = unknown_actions
        self.random_state = random_state

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], FeatureClassifier]]:
        """One, with its defaults; fails at once where aeon is missing."""

        def make(seed: int) -> FeatureClassifier:
            _import_aeon()
            return cls(random_state=seed)

        return {"MiniRocket": make}

    def _check_options(self) -> None:
        super()._check_options()
        check_whole("samples", self.samples, WIDTH, MOST_PARTS)

    def agrees(self) -> bool:
        """Whether all that was learned fits together, as aeon's kernels trust it."""
        combinations = KERNELS * len(self.dilations_)
        scores = 1 if len(self.classes_) < 3 else len(self.classes_)
        return bool(
            len(self.channels_) == combinations
            and self.channels_.sum() == len(self.chosen_)
            and self.chosen_.max(initial=-1) < len(self.features_.actions_)
            and self.dilations_.max(initial=1) * (WIDTH - 1) < int(self.features_.samples)
            and self.features_.cells <= MOST_CELLS
            and KERNELS * self.numbers_.sum() == len(self.biases_)
            and len(self.intercept_) == scores
        )

    def _learn(self, rows: Array, codes: Ints, blocks: Ints, weight: Floats) -> None:
        model = _import_aeon()(random_state=as_seed(self.random_state)).fit(rows, codes)
        transformer, scaler, ridge = (step for _, step in model.pipeline_.steps)
        channels, chosen, dilations, numbers, biases = transformer.parameters
        self.channels_, self.chosen_ = channels.astype(np.int64), chosen.astype(np.int64)
        self.dilations_, self.numbers_ = dilations.astype(np.int64), numbers.astype(np.int64)
        self.biases_, self.scale_ = biases.astype(float), scaler.scale_.astype(float)
        self.coefficients_ = np.ascontiguousarray(np.atleast_2d(ridge.coef_).T, float)
        self.intercept_ = np.atleast_1d(np.asarray(ridge.intercept_, float))

    def _log_proba(self, rows: Array) -> Floats:
        _import_aeon()
        from aeon.transformations.collection.convolution_based import MiniRocket as Transformer

        whole = (self.channels_, self.chosen_, self.dilations_, self.numbers_)
        transformer = Transformer()
        transformer.parameters = (
            *(part.astype(np.int32) for part in whole),
            self.biases_.astype(np.float32),
        )
        transformer.is_fitted, transformer._n_jobs = True, 1
        scaled = transformer.transform(rows) / self.scale_
        scores = scaled @ self.coefficients_ + self.intercept_
        several = scores.shape[1] > 1
        return self._only(scores.argmax(axis=1) if several else (scores[:, 0] > 0).astype(int))


def _import_aeon() -> Any:
    """The class of aeon; an error names the extra that it comes with."""
    try:
        from aeon.classification.convolution_based import MiniRocketClassifier
    except ImportError as error:
        raise OptionError(
            "method", "MiniRocket", "needs aeon; install it with: pip install 'ibgn[rocket]'"
        ) from error
    return MiniRocketClassifier


def _log(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(shares)
    return logs
