"""How much accuracy detection errors cost, method by method."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy.typing as npt
import pandas as pd

from ibgn.evaluation.conditions import Condition
from ibgn.evaluation.evaluate import Evaluation, corrected_error, p_value
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.scores import SCORES
from ibgn.evaluation.trials import TrialOptions, run_trials
from ibgn.networks import Sequences

__all__ = ["Gain", "Robustness", "measure_robustness"]

CONDITION = ["error", "rate"]


class Gain(NamedTuple):
    """How much more accurate one method is than another.

    Parameters
    ----------
    difference : mean over folds
    error : its standard error, corrected for the training instances that folds share
    p : of the corrected resampled t-test
    """

    difference: float
    error: float
    p: float


@dataclass(frozen=True)
class Robustness:
    """Results, as tidy frames.

    Parameters
    ----------
    scores : one row for each method, condition, draw and fold
    predictions : one row for each of these and each test instance
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def curves(self) -> pd.DataFrame:
        """Means over folds and draws for each method, error and rate, with standard errors.

        Draws of a fold are averaged first, as they share everything but their errors. Standard
        errors are over folds, corrected for the training instances that folds share.
        """
        rows = []
        for key, part in self.scores.groupby(["method", *CONDITION], sort=False):
            folds = part.groupby(["repeat", "fold"]).mean(numeric_only=True)
            row = dict(zip(["method", *CONDITION], key, strict=True))
            row |= {"folds": len(folds), "draws": int(part["draw"].nunique())}
            for score in SCORES:
                row[score] = folds[score].mean()
                row[f"{score}_error"] = corrected_error(folds[score], folds["train"], folds["test"])
            rows.append(row)
        return pd.DataFrame(rows)

    def gain(self, method: str, reference: str, error: str = "none", rate: float = 0.0) -> Gain:
        """How much more accurate a method is than another, fold by fold."""
        chosen = (self.scores["error"] == error) & (self.scores["rate"] == rate)
        by_fold = self.scores[chosen].groupby(["method", "repeat", "fold"]).mean(numeric_only=True)
        ours, theirs = by_fold.loc[method], by_fold.loc[reference]
        gains = ours["accuracy"] - theirs["accuracy"]
        spread = corrected_error(gains, ours["train"], ours["test"])
        return Gain(float(gains.mean()), spread, p_value(float(gains.mean()), spread, len(gains)))

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
