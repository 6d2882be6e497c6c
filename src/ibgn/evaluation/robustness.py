"""How much accuracy detection errors cost, method by method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple, Unpack

import numpy.typing as npt
import pandas as pd

from ibgn.evaluation.averages import average_folds
from ibgn.evaluation.conditions import Condition
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.paired import compare_pairs
from ibgn.evaluation.trials import TrialOptions, run_trials
from ibgn.networks import Sequences

__all__ = ["Gain", "Robustness", "measure_robustness"]

CONDITION = ["error", "rate"]


class Gain(NamedTuple):
    """How much more accurate one method is than another, or than itself with errors.

    Parameters
    ----------
    difference : mean over folds
    error : its standard error, corrected for the training instances that folds share
    p : of the corrected resampled t-test
    p_holm : corrected for all pairs, or all methods, that may have been looked at to choose

    Examples
    --------
    >>> Gain(difference=0.05, error=0.02, p=0.03, p_holm=0.06).difference
    0.05
    """

    difference: float
    error: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class Robustness:
    """Results, as tidy frames.

    Parameters
    ----------
    scores : one row for each method, condition, draw and fold
    predictions : one row for each of these and each test instance

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.conditions import noise_conditions
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> errors = noise_conditions({"misdetection": [0.3]})
    >>> robustness = measure_robustness(X, y, methods, folds, errors)
    >>> robustness.curves()["rate"].tolist()
    [0.0, 0.3]
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def curves(self) -> pd.DataFrame:
        """Means over folds and draws for each method, error and rate, with standard errors.

        See `ibgn.evaluation.averages.average_folds`.
        """
        return average_folds(self.scores, self.predictions, ["method", *CONDITION])

    def gain(
        self,
        method: str,
        reference: str,
        error: str = "none",
        rate: float = 0.0,
        among: Sequence[str] | None = None,
        margin: float = 0.0,
    ) -> Gain:
        """How much more accurate a method is than another, fold by fold.

        Parameters
        ----------
        method, reference : names of the two methods
        error, rate : under which condition
        among : methods of which the two were chosen, by default all
        margin : see `ibgn.evaluation.paired.compare_pairs`
        """
        scores = self._by_fold(error, rate)
        names = list(dict.fromkeys(scores["method"] if among is None else among))
        others = [name for name in names if name not in (method, reference)]
        pairs = [(method, reference), *product((method, reference), others)]
        frame = compare_pairs(scores, [*pairs, *combinations(others, 2)], margin=margin)
        return Gain(*frame.loc[0, list(Gain._fields)])

    def loss(
        self,
        method: str,
        error: str,
        rate: float = 0.0,
        among: Sequence[str] | None = None,
        margin: float = 0.0,
    ) -> Gain:
        """How much more accurate a method is without errors than with them, fold by fold.

        Parameters
        ----------
        method, error, rate : whose accuracy, under which condition
        among : methods of which this one was chosen, by default all
        margin : see `ibgn.evaluation.paired.compare_pairs`
        """
        clean, noisy = self._by_fold("none", 0.0), self._by_fold(error, rate)
        noisy["method"] += " with errors"
        names = dict.fromkeys([method, *(clean["method"] if among is None else among)])
        pairs = [(name, f"{name} with errors") for name in names]
        frame = compare_pairs(pd.concat([clean, noisy]), pairs, margin=margin)
        return Gain(*frame.loc[0, list(Gain._fields)])

    def _by_fold(self, error: str, rate: float) -> pd.DataFrame:
        """Scores of each method on each fold under one condition, the mean of all draws."""
        chosen = (self.scores["error"] == error) & (self.scores["rate"] == rate)
        by_fold = self.scores[chosen].groupby(["method", "repeat", "fold"], sort=False)
        return by_fold.mean(numeric_only=True).reset_index()

    def at(self, error: str, rate: float = 0.0) -> Evaluation:
        """Results under one condition, of its first draw."""
        frames = []
        for frame in (self.scores, self.predictions):
            chosen = (frame["error"] == error) & (frame["rate"] == rate) & (frame["draw"] == 0)
            frames.append(frame[chosen].drop(columns=[*CONDITION, "draw"]).reset_index(drop=True))
        return Evaluation(*frames)


def measure_robustness(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    conditions: Sequence[Condition],
    **options: Unpack[TrialOptions],
) -> Robustness:
    """Test methods under detection errors.

    Parameters
    ----------
    X, y, methods, folds : see `evaluate`
    conditions : see `ibgn.evaluation.conditions`; `noise_conditions` makes the usual ones
    options : seed, search, n_jobs, journal, on_done; see `TrialOptions`

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.conditions import noise_conditions
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> robustness = measure_robustness(
    ...     X, y, {"ITBN": METHODS["ITBN"]}, make_folds(X, y, n_splits=2),
    ...     noise_conditions({"misdetection": [0.3]}),
    ... )
    >>> curves = robustness.curves()
    >>> curves["error"].tolist(), bool(curves["accuracy"][0] > curves["accuracy"][1])
    (['none', 'misdetection'], True)
    """
    return Robustness(*run_trials(X, y, methods, folds, conditions, **options))
