"""Methods side by side: cross-validated, resumable, with errors and paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from ibgn.estimator import check_data
from ibgn.experiments.conditions import Clean
from ibgn.experiments.folds import Fold
from ibgn.experiments.methods import Method
from ibgn.experiments.scores import SCORES
from ibgn.experiments.trials import Grid, Task, run_trials
from ibgn.intervals import IntervalSequences
from ibgn.messages import DataError, quote
from ibgn.networks import Sequences

__all__ = ["Evaluation", "corrected_error", "evaluate", "gather"]

TIMES = ("fit_seconds", "predict_seconds")
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

        Folds share training instances, so the spread over folds is corrected for it (Nadeau and
        Bengio, 2003).
        """
        rows = []
        for method, part in self.scores.groupby("method", sort=False):
            row: dict[str, Any] = {"method": method, "folds": len(part)}
            for score in SCORES:
                row[score] = part[score].mean()
                row[f"{score}_error"] = corrected_error(part[score], part["train"], part["test"])
            rows.append(row | {name: part[name].mean() for name in TIMES})
        table = pd.DataFrame(rows)
        return table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True)

    def compare(self, reference: str | None = None, score: str = "accuracy") -> pd.DataFrame:
        """Differences of all methods to one, the best by default, with paired tests.

        p is of the corrected resampled t-test over folds, and `p_holm` corrects it for the number
        of comparisons.
        """
        wide = self.scores.pivot_table(score, ["repeat", "fold"], "method")
        reference = reference or str(wide.mean().idxmax())
        if reference not in wide:
            known = ", ".join(map(quote, wide.columns))
            raise DataError(f"there is no method {quote(reference)}; choose among {known}")
        sizes = self.scores[self.scores["method"] == reference].set_index(["repeat", "fold"])
        rows = []
        for method in dict.fromkeys(self.scores["method"]):
            if method == reference:
                continue
            both = wide[[method, reference]].dropna()
            gain = both[method] - both[reference]
            train, test = (sizes.loc[both.index, name] for name in ("train", "test"))
            error = corrected_error(gain, train, test)
            rows.append((method, reference, gain.mean(), error, _p_value(gain, error)))
        columns = ["method", "reference", "difference", "error", "p"]
        table = pd.DataFrame(rows, columns=columns)
        return table.assign(p_holm=_holm(table["p"].to_numpy(float)))

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
        `ibgn.experiments.methods.METHODS`
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
    share = float(np.mean(np.asarray(test) / np.asarray(train)))
    return float(np.sqrt((1 / len(values) + share) * np.var(values, ddof=1)))


def _p_value(gain: pd.Series, error: float) -> float:
    if not np.isfinite(error):
        return float("nan")
    if error == 0:
        return 1.0 if gain.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(gain.mean()) / error, len(gain) - 1))


def _holm(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Correct for many comparisons, the smallest p the most."""
    order = np.argsort(p)
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
