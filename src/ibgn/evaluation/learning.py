"""How accuracy grows with the number of training instances, method by method."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Ints
from ibgn.checks import check_whole
from ibgn.classifiers.checks import check_data
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.evaluation.averages import average_folds
from ibgn.evaluation.conditions import Clean
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.trials import TrialOptions, run_trials
from ibgn.networks import Sequences
from ibgn.text import quote

__all__ = [
    "WHOLE",
    "LearningCurve",
    "Size",
    "Subset",
    "check_sizes",
    "draw_subsets",
    "learning_curve",
]

Labels = npt.NDArray[Any]
Size = int | float
"""A whole number of training instances per activity, or a share of the training set."""

WHOLE = "all"  # name of the size of the whole training set


class Subset(NamedTuple):
    """Part of the training set of a fold, with the whole test set.

    Parameters
    ----------
    size : its name, such as "5" or "25%"
    draw : number of the repetition
    pool : number of instances in the training set that it was drawn from
    per_activity : number of instances drawn per activity, on average
    fold : the fold with the instances that were drawn as its training set
    """

    size: str
    draw: int
    pool: int
    per_activity: float
    fold: Fold


@dataclass(frozen=True)
class LearningCurve:
    """Results, as tidy frames.

    Parameters
    ----------
    scores : one row for each method, size, draw and fold: the columns of `Evaluation.scores` and
        size, draw, pool and per_activity, as `Subset` has them
    predictions : one row for each of these and each test instance

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> curve = learning_curve(X, y, methods, folds, [1])
    >>> sorted(curve.scores["size"].unique())
    ['1', 'all']
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def curves(self) -> pd.DataFrame:
        """Means over folds and draws for each method and size, with standard errors.

        Sizes ascend; per_activity is the mean number of training instances per activity. See
        `ibgn.evaluation.averages.average_folds`. Folds share the more instances the larger the
        size; all sizes are corrected as the whole training set is, which is the safe side.
        """
        keys = ["method", "size"]
        frame = average_folds(self.scores.assign(train=self.scores["pool"]), self.predictions, keys)
        means = self.scores.groupby(keys, sort=False)[["per_activity", "train"]].mean()
        return _insert(frame, means, 2)

    def whole(self) -> Evaluation:
        """Results of learning from the whole training sets, as `evaluate` gives them."""
        frames = []
        for frame in (self.scores, self.predictions):
            part = frame[frame["size"] == WHOLE]
            own = ["size", "draw", "pool", "per_activity"]
            frames.append(part.drop(columns=own, errors="ignore").reset_index(drop=True))
        return Evaluation(*frames)


def learning_curve(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    sizes: Sequence[Size],
    *,
    draws: int = 1,
    **options: Unpack[TrialOptions],
) -> LearningCurve:
    """Test methods that learn from parts of the training sets, and from the whole.

    All methods learn from the same instances, and are tested on the same test folds at all sizes.

    Parameters
    ----------
    X, y, methods, folds : see `evaluate`
    sizes : whole numbers of training instances per activity, or shares of the training set, such
        as 0.25, of which each activity has its part, at least one instance. An activity with
        fewer instances than a size has them all.
    draws : how often training instances are drawn at each size
    options : seed, search, n_jobs, journal, on_done; see `TrialOptions`. Which instances are drawn
        depends on the seed; those of a size are among those of any larger size.

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> methods = {"ITBN": METHODS["ITBN"]}
    >>> curve = learning_curve(X, y, methods, make_folds(X, y, n_splits=2), [1, 5])
    >>> curve.curves()[["size", "per_activity"]].to_numpy().tolist()
    [['1', 1.0], ['5', 5.0], ['all', 10.0]]
    >>> curve.whole().ranking()
    ['ITBN']
    """
    X, labels = check_data(X, y)
    subsets = draw_subsets(labels, folds, sizes, draws, options.get("seed", 0))
    parts = [subset.fold for subset in subsets]
    scores, predictions = run_trials(X, labels, methods, parts, [Clean()], **options)
    # trials are in the order of methods and folds
    tags = pd.DataFrame(subsets).drop(columns="fold")
    tags = pd.concat([tags] * len(methods), ignore_index=True)
    conditions = ["error", "rate", "draw"]  # there is only one condition
    scores, predictions = (f.drop(columns=conditions) for f in (scores, predictions))
    of_tests = tags[["size", "draw"]].loc[np.repeat(tags.index, scores["test"])]
    return LearningCurve(_insert(scores, tags, 1), _insert(predictions, of_tests, 1))


def draw_subsets(
    y: Labels, folds: Sequence[Fold], sizes: Sequence[Size], draws: int = 1, seed: int = 0
) -> list[Subset]:
    """Parts of the training set of every fold, at every size, and the whole of it.

    Parameters
    ----------
    y : labels of all instances
    folds, sizes, draws, seed : see `learning_curve`

    Examples
    --------
    >>> fold = Fold(0, 0, train=np.arange(6), test=np.array([6, 7]))
    >>> y = np.array(["soup", "tea"] * 4)
    >>> subsets = draw_subsets(y, [fold], [1, 2])
    >>> [(subset.size, len(subset.fold.train)) for subset in subsets]
    [('1', 2), ('2', 4), ('all', 6)]
    """
    check_whole("draws", draws, 1)
    sizes = check_sizes(sizes)
    _check_numbers(y, folds, sizes)
    subsets = []
    for size in sizes:
        name = f"{100 * size:g}%" if isinstance(size, float) else str(size)
        for draw in range(draws):
            for fold in folds:
                train = _draw(y, fold, size, [seed, draw, fold.repeat, fold.number])
                subsets.append(_subset(name, draw, fold, train, y))
    return subsets + [_subset(WHOLE, 0, fold, fold.train, y) for fold in folds]


def check_sizes(sizes: Sequence[Size]) -> list[Size]:
    """Sizes from small to large, without repetitions and the whole, which is always measured."""
    checked: set[Size] = set()
    for size in sizes:
        if isinstance(size, float | np.floating):
            if not 0 < size <= 1:
                raise OptionError("sizes", size, "must be above 0 and at most 1 if it is a share")
            checked.add(float(size))
        else:
            check_whole("sizes", size, 1)
            checked.add(int(size))
    if len({type(size) for size in checked}) > 1:
        raise OptionError(
            "sizes",
            list(sizes),
            "must be either numbers of instances per activity or shares, not both",
        )
    return sorted(size for size in checked if isinstance(size, int) or size < 1)


def _check_numbers(y: Labels, folds: Sequence[Fold], sizes: Sequence[Size]) -> None:
    """Refuse numbers that no training set has, and warn of activities that have fewer."""
    numbers = [size for size in sizes if isinstance(size, int)]
    if not numbers:
        return
    counts = pd.DataFrame([pd.Series(y[fold.train]).value_counts() for fold in folds]).fillna(0)
    most, least, largest = int(counts.to_numpy().max()), counts.min(), numbers[-1]
    if largest > most:
        raise DataError(
            f"no activity has {largest} training instances in any fold, and {most} at most; "
            "name smaller ",
            Option("sizes"),
        )
    fewer = least.index[least < largest]
    if len(fewer):
        warning = DataWarning(
            f"{len(fewer)} of {len(least)} activities have fewer than {largest} training "
            f"instances in some folds (first: {quote(min(map(str, fewer)))}); there, methods learn "
            "from all of them"
        )
        warnings.warn(warning, stacklevel=4)


def _draw(y: Labels, fold: Fold, size: Size, key: list[int]) -> Ints:
    """Training instances: as many of each activity as the size says, in their order."""
    codes, counts = np.unique(y[fold.train], return_inverse=True, return_counts=True)[1:]
    shuffled = np.random.default_rng(key).permutation(len(codes))
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]  # by activity, each shuffled
    rank = np.empty(len(codes), np.int64)
    rank[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    most = np.maximum(np.round(size * counts), 1) if isinstance(size, float) else size
    drawn: Ints = fold.train[rank < np.broadcast_to(most, counts.shape)[codes]]
    return drawn


def _subset(name: str, draw: int, fold: Fold, train: Ints, y: Labels) -> Subset:
    per_activity = len(train) / len(np.unique(y[train]))
    return Subset(name, draw, len(fold.train), per_activity, fold._replace(train=train))


def _insert(frame: pd.DataFrame, columns: pd.DataFrame, start: int) -> pd.DataFrame:
    """Put columns into a frame, row by row as they are."""
    for place, name in enumerate(columns.columns, start):
        frame.insert(place, name, columns[name].to_numpy())
    return frame
