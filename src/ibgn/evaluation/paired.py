"""Paired tests of methods on the same folds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ibgn._arrays import Floats

__all__ = ["compare_pairs", "corrected_error", "share_of_test"]

LEAST_ERROR = 1e-12  # a smaller standard error is rounding


def compare_pairs(
    scores: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    score: str = "accuracy",
    margin: float = 0.0,
) -> pd.DataFrame:
    """Differences of pairs of methods on their common folds, with corrected tests.

    Parameters
    ----------
    scores : one row for each method and fold: method, repeat, fold, train, test and the score
    pairs : (method, reference)
    score : which score
    margin : added to differences for the tests: whether a method is ahead by more than -margin

    Returns
    -------
    DataFrame
        A row for each pair: method, reference, the mean difference, its standard error, p of the
        corrected resampled t-test (Nadeau and Bengio, 2003), and p corrected for the number of
        pairs (Holm). p is NaN if folds have no spread to judge a difference by.

    Examples
    --------
    >>> rows = [
    ...     {"method": name, "repeat": 0, "fold": fold, "train": 80, "test": 20, "accuracy": value}
    ...     for name, values in {"ours": [0.8, 0.9, 0.8], "theirs": [0.5, 0.7, 0.6]}.items()
    ...     for fold, value in enumerate(values)
    ... ]
    >>> compare_pairs(pd.DataFrame(rows), [("ours", "theirs")])["p"].round(3).tolist()
    [0.034]
    """
    wide = scores.pivot_table(score, ["repeat", "fold"], "method")
    sizes = scores.drop_duplicates(["repeat", "fold"]).set_index(["repeat", "fold"])
    train, test = sizes.loc[wide.index, ["train", "test"]].to_numpy(float).T
    of = {str(name): wide[name].to_numpy(float) for name in wide}
    rows = []
    for method, reference in pairs:
        gain = of[method] - of[reference]
        common = ~np.isnan(gain)
        gain = gain[common]
        error = corrected_error(gain, train[common], test[common])
        difference = float(np.mean(gain)) if len(gain) else float("nan")
        p = _p_value(difference + margin, error, len(gain))
        rows.append((method, reference, difference, error, p))
    frame = pd.DataFrame(rows, columns=["method", "reference", "difference", "error", "p"])
    return frame.assign(p_holm=_holm(frame["p"].to_numpy(float)))


def corrected_error(values: Any, train: Any, test: Any) -> float:
    """Standard error of a mean over folds whose training sets overlap."""
    if len(values) < 2:
        return float("nan")
    return float(np.sqrt((1 / len(values) + share_of_test(train, test)) * np.var(values, ddof=1)))


def share_of_test(train: Any, test: Any) -> float:
    """How many test instances there are for each training instance."""
    return float(np.mean(np.asarray(test) / np.asarray(train)))


def _p_value(difference: float, error: float, folds: int) -> float:
    """Return p of a t-test over folds; NaN if there is no spread to judge a difference by."""
    if not np.isfinite(error):
        return float("nan")
    if error <= LEAST_ERROR:
        return 1.0 if abs(difference) <= LEAST_ERROR else float("nan")
    return float(2 * stats.t.sf(abs(difference) / error, folds - 1))


def _holm(p: Floats) -> Floats:
    """Correct for many comparisons, the smallest p the most; NaN stays and counts."""
    order = np.argsort(p)
    steps = p[order] * (len(p) - np.arange(len(p)))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected
