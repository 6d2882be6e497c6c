"""What a practitioner would try instead: general classifiers on features of intervals.

They are yardsticks: thin wrappers around scikit-learn and aeon.
"""

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ibgn.errors import OptionError
from ibgn.features import IntervalFeatures, Raster

__all__ = ["YARDSTICKS", "extra_trees", "mini_rocket", "nearest_raster"]

TREES = 500


def extra_trees(pairs: bool = True, seed: int = 0) -> Pipeline:
    """Extremely randomised trees on counts, durations, positions and Allen's relations."""
    trees = ExtraTreesClassifier(TREES, random_state=seed)
    parts = ["statistics", "pairs"] if pairs else ["statistics"]
    return make_pipeline(IntervalFeatures(parts, unknown="ignore"), trees)


def nearest_raster(samples: int = 100) -> Pipeline:
    """Nearest neighbour of rasters, as IBSM compares them."""
    return make_pipeline(
        Raster(samples, unknown="ignore"),
        FunctionTransformer(_flatten),
        KNeighborsClassifier(1, algorithm="brute"),
    )


def _flatten(pictures: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return pictures.reshape(len(pictures), -1)


def mini_rocket(samples: int = 100, seed: int = 0) -> Pipeline:
    """Ridge regression on MiniRocket's features of rasters; needs aeon."""
    try:
        from aeon.classification.convolution_based import MiniRocketClassifier
    except ImportError as error:
        raise OptionError(
            "method", "MiniRocket", "needs aeon; install it with: pip install 'ibgn[rocket]'"
        ) from error
    return make_pipeline(Raster(samples, unknown="ignore"), MiniRocketClassifier(random_state=seed))


YARDSTICKS = {
    "extra trees": lambda seed: extra_trees(True, seed),
    "extra trees without pairs": lambda seed: extra_trees(False, seed),
    "nearest raster": lambda seed: nearest_raster(),
    "MiniRocket": lambda seed: mini_rocket(seed=seed),
}
"""From names to functions that make an estimator from a seed."""
