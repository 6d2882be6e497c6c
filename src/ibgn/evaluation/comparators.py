"""What a practitioner would try instead: general classifiers on features of intervals.

They are yardsticks for experiments, thin wrappings of what scikit-learn and aeon offer.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ibgn.errors import OptionError
from ibgn.intervals import IntervalSequences, as_sequences, recode
from ibgn.networks import Sequences, read_networks

__all__ = ["IntervalFeatures", "Raster", "extra_trees", "mini_rocket", "nearest_raster"]

RELATIONS = 7
SAMPLES = 100  # points in time of a raster
TREES = 500


class IntervalFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numbers about each action of an instance, and how often actions stand in each relation.

    For each action: how often it occurs, its total, mean and longest duration, and when it first
    starts and last ends, in time since the start of the instance. With `pairs`, for each two
    actions and each of the seven relations also how many pairs of intervals stand in it. Actions
    that were not there in `fit` are left out.

    Parameters
    ----------
    pairs : whether relations are counted
    """

    def __init__(self, pairs: bool = True) -> None:
        self.pairs = pairs

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        X = as_sequences(X)
        self.actions_ = tuple(sorted({X.actions[code] for code in np.unique(X.action)}))
        return self

    def transform(self, X: Sequences) -> csr_array:
        """(n, features) as a sparse array."""
        X = recode(as_sequences(X), self.actions_)
        blocks = [csr_array(_numbers(X, len(self.actions_)))]
        if self.pairs:
            blocks.append(_pair_counts(X, len(self.actions_)))
        together = csr_array(hstack(blocks))
        for name in ("indices", "indptr"):  # trees take no longer integers
            setattr(together, name, getattr(together, name).astype(np.int32))
        return together


class Raster(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Instances as pictures: how many intervals of each action run at each of some instants.

    Instances are stretched to the same length.

    Parameters
    ----------
    samples : instants, evenly spaced over the instance
    """

    def __init__(self, samples: int = SAMPLES) -> None:
        self.samples = samples

    def fit(self, X: Sequences, y: Any = None) -> Self:
        """Learn which actions there are."""
        X = as_sequences(X)
        self.actions_ = tuple(sorted({X.actions[code] for code in np.unique(X.action)}))
        return self

    def transform(self, X: Sequences) -> npt.NDArray[np.float32]:
        """(n, actions, samples) numbers of intervals."""
        X = recode(as_sequences(X), self.actions_)
        begin, length = _span(X)
        edges = np.zeros((len(X), len(self.actions_) + 1, self.samples + 1), np.float32)
        for times, sign in ((X.start, 1), (X.end, -1)):
            part = (times - begin[X.owner]) / length[X.owner]
            instant = np.ceil(part * self.samples - 0.5).astype(int)
            np.add.at(edges, (X.owner, X.action, instant), sign)
        running: npt.NDArray[np.float32] = edges.cumsum(axis=2)[:, :-1, :-1]
        return running


def extra_trees(pairs: bool = True, seed: int = 0) -> Pipeline:
    """Extremely randomised trees on counts, durations, positions and Allen's relations."""
    trees = ExtraTreesClassifier(TREES, random_state=seed)
    return make_pipeline(IntervalFeatures(pairs), trees)


def nearest_raster(samples: int = SAMPLES) -> Pipeline:
    """Nearest neighbour of rasters, as IBSM compares them."""
    return make_pipeline(
        Raster(samples), FunctionTransformer(_flat), KNeighborsClassifier(1, algorithm="brute")
    )


def mini_rocket(samples: int = SAMPLES, seed: int = 0) -> Pipeline:
    """Ridge regression on MiniRocket's features of rasters; needs aeon."""
    try:
        from aeon.classification.convolution_based import MiniRocketClassifier
    except ImportError as error:
        raise OptionError(
            "MiniRocket needs aeon; install it with: pip install 'ibgn[rocket]'"
        ) from error
    return make_pipeline(Raster(samples), MiniRocketClassifier(random_state=seed))


def _flat(pictures: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return pictures.reshape(len(pictures), -1)


def _span(X: IntervalSequences) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """When each instance begins, and how long it lasts; 0 and 1 where it is empty."""
    begin, end = np.full(len(X), np.inf), np.full(len(X), -np.inf)
    np.minimum.at(begin, X.owner, X.start)
    np.maximum.at(end, X.owner, X.end)
    empty = X.lengths == 0
    return np.where(empty, 0, begin), np.where(empty, 1, end - begin)


def _numbers(X: IntervalSequences, actions: int) -> npt.NDArray[np.float64]:
    """(n, 6 * actions) what is counted and measured of each action."""
    shape = (len(X), actions + 1)
    place, begin = (X.owner, X.action), _span(X)[0][X.owner]
    times, total, longest, first, last = (np.zeros(shape) for _ in range(5))
    np.add.at(times, place, 1)
    np.add.at(total, place, X.end - X.start)
    np.maximum.at(longest, place, X.end - X.start)
    first[:] = np.inf
    np.minimum.at(first, place, X.start - begin)
    np.maximum.at(last, place, X.end - begin)
    first[times == 0] = -1  # apart from all that occur
    last[times == 0] = -1
    mean = total / np.maximum(times, 1)
    return np.hstack([block[:, :-1] for block in (times, total, mean, longest, first, last)])


def _pair_counts(X: IntervalSequences, actions: int) -> csr_array:
    """(n, actions * actions * 7) pairs of intervals by their actions and their relation."""
    networks = read_networks(X)
    size = actions + 1
    first, second = _ends_of_pairs(X)
    code = (X.action[first].astype(np.int64) * size + X.action[second]) * RELATIONS
    code += networks.relation
    known = (X.action[first] < actions) & (X.action[second] < actions)
    shape = (len(X), size * size * RELATIONS)
    # what stands twice at one place is added up
    return csr_array((np.ones(known.sum()), (X.owner[first][known], code[known])), shape)


def _ends_of_pairs(X: IntervalSequences) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Both intervals of each pair i < j of an instance, row by row."""
    after = X.offsets[1:][X.owner] - np.arange(len(X.action)) - 1
    first = np.repeat(np.arange(len(X.action)), after)
    begin = np.repeat(np.cumsum(after) - after, after)
    return first, first + 1 + np.arange(len(first)) - begin
