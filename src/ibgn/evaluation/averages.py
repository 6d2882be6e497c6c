"""Means of scores over folds and draws, with standard errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ibgn.evaluation.paired import corrected_error, share_of_test
from ibgn.evaluation.scores import POOLED, SCORES

__all__ = ["average_folds", "pool"]


def average_folds(
    scores: pd.DataFrame, predictions: pd.DataFrame, keys: Sequence[str]
) -> pd.DataFrame:
    """Means of all scores for each combination of keys, with standard errors.

    Draws of a fold are averaged first, as they share everything but what was drawn. Standard
    errors are over folds, corrected for the training instances that folds share. Calibration
    errors are of all predictions of a repetition and draw.

    Parameters
    ----------
    scores : one row for each combination of keys, draw and fold
    predictions : one row for each of these and each test instance
    keys : columns of both, such as "method" and "rate"
    """
    rows = []
    predicted = dict(list(predictions.groupby(list(keys), sort=False)))
    for key, part in scores.groupby(list(keys), sort=False):
        folds = part.groupby(["repeat", "fold"]).mean(numeric_only=True)
        row: dict[str, Any] = dict(zip(keys, key, strict=True))
        row |= {"folds": len(folds), "draws": int(part["draw"].nunique())}
        for score in SCORES:
            row[score] = folds[score].mean()
            row[f"{score}_error"] = corrected_error(folds[score], folds["train"], folds["test"])
        pooled = pool("calibration_error", part, predicted[key])
        row["calibration_error"], row["calibration_error_error"] = pooled
        rows.append(row)
    return pd.DataFrame(rows)


def pool(score: str, folds: pd.DataFrame, predictions: pd.DataFrame) -> tuple[float, float]:
    """Score of a method over all predictions of a repetition, and its error by leaving out folds.

    Parameters
    ----------
    score : name of a score in `POOLED`
    folds : one row for each fold
    predictions : one row for each test instance; if errors were drawn several times, each draw
        counts as a repetition
    """
    means, errors = [], []
    for repeat, part in predictions.groupby("repeat"):
        draws = [draw for _, draw in part.groupby("draw")] if "draw" in part else [part]
        means.append(np.mean([POOLED[score](draw) for draw in draws]))
        numbers = part["fold"].unique()
        if len(numbers) < 2:
            return float(means[0]), float("nan")
        without = [
            np.mean([POOLED[score](draw[draw["fold"] != number]) for draw in draws])
            for number in numbers
        ]
        sizes = folds[folds["repeat"] == repeat]
        spread = (len(numbers) - 1) ** 2 / len(numbers) * np.var(without, ddof=1)  # jackknife
        errors.append(spread * (1 + len(numbers) * share_of_test(sizes["train"], sizes["test"])))
    # repetitions share all instances: they steady the estimate of the error more than reduce it
    return float(np.mean(means)), float(np.sqrt(np.mean(errors)))
