"""Scores of instances by models that learned from others, for any model with scores."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ibgn._arrays import Floats
from ibgn.errors import DataError
from ibgn.intervals import as_sequences
from ibgn.model.folds import make_inner_folds
from ibgn.networks import Sequences

__all__ = ["score_by_folds"]

FOLDS = 5


def score_by_folds(model: Any, X: Sequences, y: npt.ArrayLike) -> Floats:
    """(n, terms, activities) scores of each fold by a copy that learned from the others.

    An activity that no other fold has is as likely as the least likely one.

    Parameters
    ----------
    model : a fitted classifier, whose terms and activities the scores have
    X, y : instances and labels that it learned from
    """
    X, labels = as_sequences(X), np.asarray(y)
    codes = np.searchsorted(model.classes_, labels)
    folds = make_inner_folds(X, codes, FOLDS)
    if len(folds) < 2:
        raise DataError(
            "no instance can be scored by what is learned from others, as no activity has two "
            "instances; give more of each"
        )
    scores = np.empty((len(X), len(model.terms_), len(model.classes_)))
    for fold in folds:
        others = np.setdiff1d(np.arange(len(X)), fold)
        learned = clone(model).fit(X[others], labels[others])
        by_others = learned.scores(X[fold])
        scores[fold] = by_others.min(axis=2, keepdims=True)
        scores[np.ix_(fold, np.arange(scores.shape[1]), np.unique(codes[others]))] = by_others
    return scores
