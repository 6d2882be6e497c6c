"""Comparison of methods: cross-validated, resumable, with errors and paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from ibgn._arrays import Floats
from ibgn.errors import OptionError
from ibgn.evaluation.conditions import Clean
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.scores import SCORES, balanced_accuracy, macro_f1
from ibgn.evaluation.trials import TIMES, TrialOptions, run_trials
from ibgn.networks import Sequences
from ibgn.text import quote

__all__ = ["Evaluation", "corrected_error", "evaluate", "p_value"]

POOLED = {"balanced_accuracy": balanced_accuracy, "macro_f1": macro_f1}
LEAST_ERROR = 1e-12  # a smaller standard error is rounding


@dataclass(frozen=True)
class Evaluation:
    """Results, as tidy frames.

    Parameters
    ----------
    scores : one row for each method and fold: method, repeat, fold, train, test (numbers of
        instances), the scores and the seconds
    predictions : one row for each method, repeat and test instance: method, repeat, fold, instance,
        label, predicted, confidence, and the probability of the true label
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def ranking(self) -> list[str]:
        """Names of the methods, the most accurate first; ties keep the order of methods."""
        means = self.scores.groupby("method", sort=False)["accuracy"].mean()
        return list(means.sort_values(ascending=False, kind="stable").index)

    def summary(self) -> pd.DataFrame:
        """One row per method, best first: means over folds, and standard errors of the scores.

        Balanced accuracy and macro F1 are over all predictions of a repetition, as a fold may lack
        labels. Folds share training instances, and standard errors are corrected for that (Nadeau
        and Bengio, 2003).
        """
        rows = []
        for method, part in self.scores.groupby("method", sort=False):
            row: dict[str, Any] = {"method": method, "folds": len(part)}
            for score in SCORES:
                row[score] = part[score].mean()
                row[f"{score}_error"] = corrected_error(part[score], part["train"], part["test"])
            predictions = self.predictions[self.predictions["method"] == method]
            for score in POOLED:
                row[score], row[f"{score}_error"] = _pooled(score, part, predictions)
            rows.append(row | {name: part[name].mean() for name in TIMES})
        frame = pd.DataFrame(rows)
        return frame.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)

    def compare(self, reference: str | None = None, score: str = "accuracy") -> pd.DataFrame:
        """Differences of all methods to one of them, by default the best, with paired tests.

        p is of the corrected resampled t-test over folds. `p_holm` corrects it for the number of
        comparisons: those with the reference, or all pairs of methods if the reference is the
        best, because the best was picked by looking at all of them on the same folds. p is NaN if
        there are no differences to test.
        """
        wide = self.scores.pivot_table(score, ["repeat", "fold"], "method")
        methods = list(dict.fromkeys(self.scores["method"]))
        best = methods[int(np.argmax([wide[name].mean() for name in methods]))]
        chosen = best if reference is None else reference
        if chosen not in wide:
            known = ", ".join(map(quote, wide.columns))
            raise OptionError("reference", chosen, f"is not a method; choose among {known}")
        sizes = self.scores.drop_duplicates(["repeat", "fold"]).set_index(["repeat", "fold"])
        pairs = [(name, chosen) for name in methods if name != chosen]
        count = len(pairs)
        if reference is None:
            others = [name for name in methods if name != chosen]
            pairs += list(combinations(others, 2))
        rows = [(*pair, *_paired(wide, sizes, *pair)) for pair in pairs]
        columns = ["method", "reference", "difference", "error", "p"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.assign(p_holm=_holm(frame["p"].to_numpy(float))).head(count)

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


def corrected_error(values: Any, train: Any, test: Any) -> float:
    """Standard error of a mean over folds whose training sets overlap."""
    if len(values) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(values) + _share(train, test)) * np.var(values, ddof=1)))


def p_value(difference: float, error: float, folds: int) -> float:
    """Return p of a t-test over folds; NaN if there is no spread to judge a difference by."""
    if not np.isfinite(error):
        return float("nan")
    if error <= LEAST_ERROR:
        return 1.0 if abs(difference) <= LEAST_ERROR else float("nan")
    return float(2 * stats.t.sf(abs(difference) / error, folds - 1))


def _share(train: Any, test: Any) -> float:
    return float(np.mean(np.asarray(test) / np.asarray(train)))


def _paired(wide: pd.DataFrame, sizes: pd.DataFrame, method: str, other: str) -> tuple[float, ...]:
    """Difference of two methods on their common folds, its error, and p."""
    both = wide[[method, other]].dropna()
    gain = both[method] - both[other]
    train, test = (sizes.loc[both.index, name] for name in ("train", "test"))
    error = corrected_error(gain, train, test)
    return float(gain.mean()), error, p_value(float(gain.mean()), error, len(gain))


def _pooled(score: str, folds: pd.DataFrame, predictions: pd.DataFrame) -> tuple[float, float]:
    """Score over all predictions of a repetition, and its error by leaving out folds."""
    means, errors = [], []
    for repeat, part in predictions.groupby("repeat"):
        means.append(POOLED[score](part))
        numbers = part["fold"].unique()
        if len(numbers) < 2:
            return means[0], float("nan")
        without = [POOLED[score](part[part["fold"] != number]) for number in numbers]
        sizes = folds[folds["repeat"] == repeat]
        spread = (len(numbers) - 1) ** 2 / len(numbers) * np.var(without, ddof=1)  # jackknife
        errors.append(spread * (1 + len(numbers) * _share(sizes["train"], sizes["test"])))
    # repetitions share all instances: they steady the estimate of the error more than reduce it
    return float(np.mean(means)), float(np.sqrt(np.mean(errors)))


def _holm(p: Floats) -> Floats:
    """Correct for many comparisons, the smallest p the most; NaN stays and counts."""
    order = np.argsort(p)
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
