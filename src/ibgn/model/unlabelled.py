"""Instances without a label: whether they are refused, left out, or used."""

import warnings
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Bools, Floats, Ints
from ibgn.checks import check_choice
from ibgn.errors import DataError, DataWarning, Option
from ibgn.text import count

__all__ = ["Unlabelled", "choose_sure", "find_labelled"]

Unlabelled = Literal["refuse", "ignore", "self-training"]

LEAST = 0.5  # probability of its likeliest activity with which an instance is used
MOST = 3  # instances used for each that has a label, by activity


def find_labelled(y: npt.ArrayLike, unlabelled: Unlabelled) -> Bools:
    """(n,) which labels are there; None, NaN and pandas.NA are missing.

    Parameters
    ----------
    y : (n,) labels
    unlabelled : what to do if some are missing: refuse, warn that they are left out, or nothing

    Examples
    --------
    >>> find_labelled(["tea", None, "dough", float("nan")], "self-training")
    array([ True, False,  True, False])
    """
    check_choice("unlabelled", unlabelled, get_args(Unlabelled))
    known: Bools = ~pd.isna(np.asarray(y, object).ravel())
    missing = len(known) - int(known.sum())
    if missing and unlabelled == "refuse":
        raise DataError(
            f"label {int(np.argmin(known))} is missing, {missing} of {len(known)} in all; name the "
            "activities, leave these instances out with ",
            Option("unlabelled", "ignore"),
            ", or learn from them too with ",
            Option("unlabelled", "self-training"),
        )
    if missing and unlabelled == "ignore":
        left_out = count(missing, "instance")
        warnings.warn(DataWarning(f"{left_out} without a label left out"), stacklevel=3)
    return known


def choose_sure(probabilities: Floats, labelled: npt.NDArray[np.integer[Any]]) -> Bools:
    """(n,) which instances to learn from, as if the likeliest activity of each were its label.

    Those whose activity is likelier than not; of each activity the surest, not many more than it
    has labels, so that they do not outweigh these.

    Parameters
    ----------
    probabilities : (n, activities) of each instance
    labelled : (activities,) number of instances with this label

    Examples
    --------
    >>> probabilities = np.array([[0.9, 0.1], [0.2, 0.8], [0.49, 0.51], [0.4, 0.3]])
    >>> choose_sure(probabilities, np.array([1, 1]))
    array([ True,  True,  True, False])
    """
    sure, likeliest = probabilities.max(axis=1), probabilities.argmax(axis=1)
    order: Ints = np.lexsort((-sure, likeliest))  # activity by activity, the surest first
    first = np.searchsorted(likeliest[order], np.arange(probabilities.shape[1]))
    rank = np.empty(len(sure), np.int64)
    rank[order] = np.arange(len(sure)) - first[likeliest[order]]
    chosen: Bools = (sure >= LEAST) & (rank < MOST * labelled[likeliest])
    return chosen
