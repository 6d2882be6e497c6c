"""Methods side by side: cross-validated, resumable, with errors and paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from ibgn.classifiers.base import check_data
from ibgn.errors import DataError
from ibgn.evaluation.conditions import Clean
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.scores import SCORES, balanced_accuracy, macro_f1
from ibgn.evaluation.trials import Grid, Task, run_trials
from ibgn.intervals import IntervalSequences
from ibgn.networks import Sequences
from ibgn.text import quote

__all__ = ["Evaluation", "corrected_error", "evaluate", "gather", "p_value"]

TIMES = ("fit_seconds", "predict_seconds")
POOLED = {"balanced_accuracy": balanced_accuracy, "macro_f1": macro_f1}
LEAST_ERROR = 1e-12  # below it a standard error is rounding
NUMBERS = ("train", "test", *SCORES, *TIMES)


@dataclass(frozen=True)
class Evaluation:
    """What came out, as tidy tables.

    Parameters
    ----------
    scores : one row for each method and fold: method, repeat, fold, train, test (numbers of
        instances), the scores and the seconds
    predictions : one row for each method, repeat and test instance: method, repeat, fold, instance,
        label, predicted, confidence, and the probability of the true label
    """

    scores: pd.DataFrame
    predictions: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """One row a method, best first: means over folds, and standard errors of the scores.

        Balanced accuracy and macro F1 are of all predictions of a repetition together, as a fold
        may lack labels. Folds share training instances, and standard errors are corrected for it
        (Nadeau and Bengio, 2003).
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
        table = pd.DataFrame(rows)
        return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)

    def compare(self, reference: str | None = None, score: str = "accuracy") -> pd.DataFrame:
        """Differences of all methods to one, the best by default, with paired tests.

        p is of the corrected resampled t-test over folds. `p_holm` corrects it for the number of
        comparisons: those to the reference, or all pairs of methods where the reference is the
        best, as the best of these very folds was picked by looking at all of them. p is NaN where
        folds do not differ in anything that could be tested.
        """
        wide = self.scores.pivot_table(score, ["repeat", "fold"], "method")
        methods = list(dict.fromkeys(self.scores["method"]))
        best = methods[int(np.argmax([wide[name].mean() for name in methods]))]
        chosen = best if reference is None else reference
        if chosen not in wide:
            known = ", ".join(map(quote, wide.columns))
            raise DataError(f"there is no method {quote(chosen)}; choose among {known}")
        sizes = self.scores.drop_duplicates(["repeat", "fold"]).set_index(["repeat", "fold"])
        pairs = [(name, chosen) for name in methods if name != chosen]
        count = len(pairs)
        if reference is None:
            others = [name for name in methods if name != chosen]
            pairs += list(combinations(others, 2))
        rows = [(*pair, *_paired(wide, sizes, *pair)) for pair in pairs]
        columns = ["method", "reference", "difference", "error", "p"]
        table = pd.DataFrame(rows, columns=columns)
        return table.assign(p_holm=_holm(table["p"].to_numpy(float))).head(count)

    def confusion(self, method: str) -> pd.DataFrame:
        """True labels by row, predicted ones by column, over all folds and repetitions."""
        part = self.predictions[self.predictions["method"] == method]
        labels = sorted({*part["label"], *part["predicted"]})
        table = pd.crosstab(part["label"], part["predicted"])
        return table.reindex(index=labels, columns=labels, fill_value=0)


def evaluate(
    X: Sequences,
    y: npt.ArrayLike,
    methods: Mapping[str, Method],
    folds: Sequence[Fold],
    *,
    seed: int = 0,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
    journal: Path | None = None,
    on_done: Callable[[Task, dict[str, Any]], None] | None = None,
) -> Evaluation:
    """Fit and test every method on every fold.

    Nothing of a test fold reaches a method before it predicts.

    Parameters
    ----------
    X, y : instances and labels
    methods : from names to functions that make an estimator from a seed, as those of
        `ibgn.evaluation.methods.METHODS`
    folds : as `make_folds` gives them
    seed : of the methods
    search : for some methods, values of parameters among which the best are chosen within each
        training set, by three folds of it
    n_jobs : folds at the same time, by joblib
    journal : file that keeps what is done, so that an evaluation that was interrupted goes on from
        there; what would come out differently (other data, parameters, folds) is done anew
    on_done : called with each task and its scores
    """
    X, labels = check_data(X, y)
    labels = labels.astype(str).astype(object)
    found = run_trials(
        X,
        labels,
        methods,
        folds,
        [Clean()],
        seed=seed,
        search=search,
        n_jobs=n_jobs,
        journal=journal,
        on_done=on_done,
    )
    conditions = ["error", "rate", "draw"]  # there is one only
    return Evaluation(*(table.drop(columns=conditions) for table in gather(found, X)))


def gather(
    found: list[tuple[Task, dict[str, Any]]], X: IntervalSequences
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores and predictions of trials as tidy tables."""
    names = np.array(X._names(), object)
    scores, predictions = [], []
    for task, result in found:
        for condition, tested in zip(task.conditions, result["tests"], strict=True):
            where = {
                "method": task.method,
                **{name: getattr(condition, name) for name in ("error", "rate", "draw")},
                "repeat": task.fold.repeat,
                "fold": task.fold.number,
            }
            numbers = result | tested
            scores.append(
                where | {name: numbers[name] for name in ("train", "test", *SCORES, *TIMES)}
            )
            predictions.append(_predictions(where, names[task.fold.test], tested))
    return pd.DataFrame(scores), pd.concat(predictions, ignore_index=True)


def _predictions(where: dict[str, Any], names: Any, tested: dict[str, Any]) -> pd.DataFrame:
    columns = ("label", "predicted", "confidence", "probability")
    return pd.DataFrame({**where, "instance": names, **{name: tested[name] for name in columns}})


def corrected_error(values: Any, train: Any, test: Any) -> float:
    """Standard error of a mean over folds whose training sets overlap."""
    if len(values) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(values) + _share(train, test)) * np.var(values, ddof=1)))


def p_value(difference: float, error: float, folds: int) -> float:
    """Of a t-test over folds; NaN where there is no spread to judge a difference by."""
    if not np.isfinite(error):
        return float("nan")
    if error <= LEAST_ERROR:
        return 1.0 if abs(difference) <= LEAST_ERROR else float("nan")
    return float(2 * stats.t.sf(abs(difference) / error, folds - 1))


def _share(train: Any, test: Any) -> float:
    return float(np.mean(np.asarray(test) / np.asarray(train)))


def _paired(wide: pd.DataFrame, sizes: pd.DataFrame, one: str, other: str) -> tuple[float, ...]:
    """Difference of two methods on the folds that both have, its error, and p."""
    both = wide[[one, other]].dropna()
    gain = both[one] - both[other]
    train, test = (sizes.loc[both.index, name] for name in ("train", "test"))
    error = corrected_error(gain, train, test)
    return float(gain.mean()), error, p_value(float(gain.mean()), error, len(gain))


def _pooled(score: str, folds: pd.DataFrame, predictions: pd.DataFrame) -> tuple[float, float]:
    """Score of all predictions of a repetition together, and its error by leaving out folds."""
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
    # repetitions share all instances: they steady the estimate of the error, and hardly lessen it
    return float(np.mean(means)), float(np.sqrt(np.mean(errors)))


def _holm(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correct for many comparisons, the smallest p the most; NaN stays and counts."""
    order = np.argsort(p)
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
