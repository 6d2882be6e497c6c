"""Training and test instances, fold by fold."""

import warnings
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
)

from ibgn._arrays import Ints
from ibgn.checks import check_choice, check_whole
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences

__all__ = ["Fold", "Scheme", "make_folds", "resolve_scheme"]

Scheme = Literal["auto", "stratified", "group", "leave-one-group-out"]

FEW_GROUPS = 10  # with at most this many, "auto" leaves out one at a time


class Fold(NamedTuple):
    """One split of the instances; `repeat` and `number` count from 0.

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("a", 0, 1)]] * 4)
    >>> fold = make_folds(X, np.array(["tea", "soup"] * 2), n_splits=2)[0]
    >>> fold.number, len(fold.train), len(fold.test)
    (0, 2, 2)
    """

    repeat: int
    number: int
    train: Ints
    test: Ints


def make_folds(
    X: IntervalSequences,
    y: npt.NDArray[Any],
    scheme: Scheme = "auto",
    n_splits: int = 5,
    n_repeats: int = 1,
    seed: int = 0,
) -> list[Fold]:
    """Split instances for cross-validation.

    Parameters
    ----------
    X, y : instances, with groups for the schemes that keep them together, and labels
    scheme : "stratified" keeps the shares of labels; "group" also keeps a group in one fold, with
        the shares of labels where that is possible; "leave-one-group-out" tests each group once.
        "auto" is "stratified" without groups, else "leave-one-group-out" or, with more than ten
        groups, "group".
    n_splits, n_repeats : number of folds, and of different splits into them; ignored if each
        group is left out once
    seed : of the shuffling; repetition r uses seed + r

    Examples
    --------
    >>> X = IntervalSequences.from_lists([[("a", 0, 1)]] * 8)
    >>> folds = make_folds(X, np.array(["tea", "soup"] * 4), n_splits=2)
    >>> [len(fold.test) for fold in folds]
    [4, 4]
    """
    check_choice("scheme", scheme, get_args(Scheme))
    check_whole("n_splits", n_splits, 2)
    check_whole("n_repeats", n_repeats, 1)
    scheme = resolve_scheme(X, scheme)
    if len(np.unique(y)) < 2:
        raise DataError("there is only one label; a comparison needs two activities")
    most = np.unique(y, return_counts=True)[1].max()
    if scheme == "stratified" and most < n_splits:  # scikit-learn only warns about rare labels
        raise DataError(
            f"{n_splits} folds need {n_splits} instances of a label, and none has more than {most}",
            *(("; use ", Option("n_splits", int(most))) if most > 1 else ("; add instances",)),
        )
    groups = None if scheme == "stratified" else _groups(X)
    if scheme == "leave-one-group-out":
        return _split([LeaveOneGroupOut()], y, groups)
    if groups is not None and len(set(groups)) < n_splits:
        raise DataError(
            f"{n_splits} folds need as many groups, and there are {len(set(groups))}; use ",
            Option("n_splits", len(set(groups))),
            " or ",
            Option("scheme", "leave-one-group-out"),
        )
    by_group = GroupKFold if most < n_splits else StratifiedGroupKFold
    kind: Any = StratifiedKFold if groups is None else by_group
    splitters = [kind(n_splits, shuffle=True, random_state=seed + r) for r in range(n_repeats)]
    return _split(splitters, y, groups)


def resolve_scheme(X: IntervalSequences, scheme: Scheme) -> Scheme:
    """The scheme that "auto" chooses for these data; any other scheme is returned."""
    if scheme != "auto":
        return scheme
    if X.groups is None or len(set(X.groups.tolist())) < 2:
        return "stratified"
    return "leave-one-group-out" if len(set(X.groups.tolist())) <= FEW_GROUPS else "group"


def _groups(X: IntervalSequences) -> list[str]:
    groups = [] if X.groups is None else [str(group) for group in X.groups]
    if len(set(groups)) < 2:
        raise DataError(
            f"splitting by group needs at least two groups, and there are {len(set(groups))}; "
            "read groups too, or use ",
            Option("scheme", "stratified"),
        )
    return groups


def _split(splitters: list[Any], y: npt.NDArray[Any], groups: list[str] | None) -> list[Fold]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a label is rarer than folds
        folds = [
            Fold(repeat, number, train, test)
            for repeat, splitter in enumerate(splitters)
            for number, (train, test) in enumerate(splitter.split(y, y, groups))
        ]
    return [fold for fold in folds if len(fold.test) and len(fold.train)]
