"""Comparison of methods: cross-validated, resumable, with errors and paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy.typing as npt
import pandas as pd

from ibgn.errors import OptionError
from ibgn.evaluation.averages import pool
from ibgn.evaluation.conditions import Clean
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.paired import compare_pairs, corrected_error
from ibgn.evaluation.scores import LESS_IS_BETTER, POOLED, SCORES
from ibgn.evaluation.trials import TIMES, TrialOptions, run_trials
from ibgn.metrics import calibration_by_chance, reliability
from ibgn.networks import Sequences
from ibgn.text import quote

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """Results, as tidy frames.

    Parameters
    ----------
    scores : one row for each method and fold: method, repeat, fold, train, test (numbers of
        instances), the scores and the seconds
    predictions : one row for each method, repeat and test instance: method, repeat, fold, instance,
        label, predicted, confidence, and the probability of the true label

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> from ibgn import DBNClassifier, IntervalRidge
    >>> from ibgn.evaluation.folds import make_folds
    >>> methods = {"DBN": DBNClassifier(), "ridge": IntervalRidge()}
    >>> evaluation = evaluate(X, y, methods, make_folds(X, y, n_splits=2))
    >>> evaluation.summary()["method"].tolist() == evaluation.ranking()
    True
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def ranking(self) -> list[str]:
        """Names of the methods, the most accurate first; ties keep the order of methods."""
        means = self.scores.groupby("method", sort=False)["accuracy"].mean()
        return list(means.sort_values(ascending=False, kind="stable").index)

    def summary(self) -> pd.DataFrame:
        """One row per method, best first: means over folds, and standard errors of the scores.

        Balanced accuracy, macro F1 and calibration error are over all predictions of a repetition:
        a fold may lack labels, and is too small to judge confidence by. `calibration_limit` is the
        calibration error that a perfectly calibrated method with the same confidences would
        exceed by chance in 5 of 100 cases. Folds share training instances, and standard errors are
        corrected for that (Nadeau and Bengio, 2003).
        """
        rows = []
        for method, part in self.scores.groupby("method", sort=False):
            row: dict[str, Any] = {"method": method, "folds": len(part)}
            for score in SCORES:
                row[score] = part[score].mean()
                row[f"{score}_error"] = corrected_error(part[score], part["train"], part["test"])
            predictions = self.predictions[self.predictions["method"] == method]
            for score in POOLED:
                row[score], row[f"{score}_error"] = pool(score, part, predictions)
            once = predictions[predictions["repeat"] == predictions["repeat"].min()]
            row["calibration_limit"] = calibration_by_chance(once["confidence"].to_numpy(float))[-1]
            rows.append(row | {name: part[name].mean() for name in TIMES})
        frame = pd.DataFrame(rows)
        return frame.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)

    def compare(self, reference: str | None = None, score: str = "accuracy") -> pd.DataFrame:
        """Differences of all methods to one of them, by default the best, with paired tests.

        Methods are in the order of the score, the best first.

        The score is one that each fold has: accuracy, balanced_accuracy, macro_f1, log_loss or
        brier_score. p is of the corrected resampled t-test over folds. `p_holm` corrects it for
        the number of comparisons: those with the reference, or all pairs of methods if the
        reference is the best, because the best was picked by looking at all of them on the same
        folds. p is NaN if there are no differences to test.
        """
        if score not in SCORES:
            known = ", ".join(map(quote, SCORES))
            raise OptionError("score", score, f"is not a score of folds; choose among {known}")
        means = self.scores.groupby("method", sort=False)[score].mean()
        means = means.sort_values(ascending=score in LESS_IS_BETTER, kind="stable")
        methods = [str(name) for name in means.index]
        chosen = methods[0] if reference is None else reference
        if chosen not in methods:
            known = ", ".join(map(quote, sorted(methods)))
            raise OptionError("reference", chosen, f"is not a method; choose among {known}")
        others = [name for name in methods if name != chosen]
        pairs = [(name, chosen) for name in others]
        if reference is None:
            pairs += list(combinations(others, 2))
        return compare_pairs(self.scores, pairs, score).head(len(others))

    def reliability(self) -> pd.DataFrame:
        """How often each method is right by how sure it was: one row per method and bin.

        Beside the columns of `ibgn.metrics.reliability`, each row has its method. Predictions of
        all repetitions count together; the range that chance explains is that of one.
        """
        parts = []
        for method, part in self.predictions.groupby("method", sort=False):
            right = (part["label"] == part["predicted"]).to_numpy(bool)
            confidence = part["confidence"].to_numpy(float)
            bins = reliability(right, confidence, int(part["repeat"].nunique()))
            bins.insert(0, "method", method)
            parts.append(bins)
        return pd.concat(parts, ignore_index=True)

    def confusion(self, method: str) -> pd.DataFrame:
        """True labels by row, predicted ones by column, over all folds and repetitions."""
        part = self.predictions[self.predictions["method"] == method]
        labels = sorted({*part["label"], *part["predicted"]})
        counts = pd.crosstab(part["label"], part["predicted"])
        return counts.reindex(index=labels, columns=labels, fill_value=0)


def evaluate(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    **options: Unpack[TrialOptions],
) -> Evaluation:
    """Fit and test every method on every fold.

    A method sees nothing of a test fold before it predicts.

    Parameters
    ----------
    X, y : instances and labels
    methods : by name, each a function that makes an estimator from a seed, like those of
        `ibgn.evaluation.methods.METHODS`, or any estimator with scikit-learn's `fit` and
        `predict` or `predict_proba` that takes instances, for example a pipeline
    folds : as `make_folds` returns them
    options : seed, search, n_jobs, journal, on_done; see `TrialOptions`

    Examples
    --------
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> from sklearn.pipeline import make_pipeline
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.features import IntervalFeatures
    >>> X, y = make_relations(instances_per_activity=20, random_state=0)
    >>> mine = make_pipeline(IntervalFeatures(), BernoulliNB())
    >>> evaluate(X, y, {"mine": mine}, make_folds(X, y, n_splits=2)).ranking()
    ['mine']
    """
    scores, predictions = run_trials(X, y, methods, folds, [Clean()], **options)
    conditions = ["error", "rate", "draw"]  # there is only one condition
    return Evaluation(scores.drop(columns=conditions), predictions.drop(columns=conditions))
