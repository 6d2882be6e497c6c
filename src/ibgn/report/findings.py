"""What a report tells of: data, a comparison of methods, a model, and what it finds hard."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.errors import DataError
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method
from ibgn.evaluation.trials import Grid, Search
from ibgn.inspection import Inspection, inspect
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.explanation import Explanation

__all__ = ["Findings", "HardInstance", "Origin", "find"]

Labels = npt.NDArray[Any]

MOST_HARD = 6


@dataclass(frozen=True)
class Origin:
    """Where a report comes from, so that it can be made again.

    Parameters
    ----------
    title : of the page
    question : what was to be found out, in a sentence
    command : the command line that made it
    seed : of everything random
    scheme : how instances were split
    warnings : what was said when the data were read
    """

    title: str
    question: str
    command: str
    seed: int
    scheme: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class HardInstance:
    """An instance that was not recognised, or hardly, by a model that had not learned from it.

    Parameters
    ----------
    name : of the instance
    label, predicted : true and predicted activity
    probability : that the model gave to the true activity
    instance : its intervals
    explanation : why the predicted activity, or the next likely, and not the true one; None where
        the method has no reasons to give
    """

    name: str
    label: str
    predicted: str
    probability: float
    instance: IntervalSequences
    explanation: Explanation | None


@dataclass(frozen=True)
class Findings:
    """Everything that a report is made of.

    Parameters
    ----------
    origin : where it comes from
    inspection : of the data
    evaluation : methods side by side
    robustness : accuracy against errors of detection, as `Robustness.curves` gives it, or None
    method : the one that is looked at more closely
    activities : what it learned from all data, by label; empty where it is no IBGN
    hardest : what it finds hardest
    """

    origin: Origin
    inspection: Inspection
    evaluation: Evaluation
    robustness: pd.DataFrame | None
    method: str
    activities: Mapping[str, ActivityModel] = field(default_factory=dict)
    hardest: Sequence[HardInstance] = ()


def find(
    origin: Origin,
    X: IntervalSequences,
    y: npt.ArrayLike,
    evaluation: Evaluation,
    folds: Sequence[Fold],
    methods: Mapping[str, Method],
    *,
    robustness: pd.DataFrame | None = None,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
) -> Findings:
    """Look closely at the best IBGN, or else the best method, of an evaluation.

    It is learned once from all data, to show what there is to learn, and once more for each fold
    with an instance that it found hard, to explain that instance without having learned from it.
    Where `evaluate` chose parameters by search, give the same search, so that they are chosen anew.
    """
    labels = np.asarray(y).astype(str).astype(object)
    method = _closest_look(evaluation, methods, origin.seed)

    def learn(chosen: IntervalSequences, given: Labels) -> Any:
        model = methods[method](origin.seed)
        if isinstance(model, ActivityClassifier):
            model.set_params(n_jobs=n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the report says it itself
            if search and method in search:
                return Search(model, search[method]).fit(chosen, given)
            return model.fit(chosen, given)

    whole = learn(X, labels) if isinstance(methods[method](0), IBGNClassifier) else None
    return Findings(
        origin=origin,
        inspection=inspect(X, labels, n_jobs=n_jobs),
        evaluation=evaluation,
        robustness=robustness,
        method=method,
        activities={} if whole is None else whole.activities_,
        hardest=_hardest(X, labels, evaluation, folds, method, learn),
    )


def _closest_look(evaluation: Evaluation, methods: Mapping[str, Method], seed: int) -> str:
    ranked = evaluation.summary()["method"].tolist()
    missing = [name for name in ranked if name not in methods]
    if missing:
        raise DataError(f"there is no method {missing[0]!r} to learn again; give it in methods")
    made = {name: methods[name](seed) for name in ranked}
    for kind in (IBGNClassifier, ActivityClassifier, object):
        for name in ranked:
            if isinstance(made[name], kind):
                return str(name)
    raise DataError("there is no method to report on; compare one at the least")


def _hardest(
    X: IntervalSequences,
    y: Labels,
    evaluation: Evaluation,
    folds: Sequence[Fold],
    method: str,
    learn: Any,
) -> list[HardInstance]:
    """Instances whose true activity was the least likely, in the first repetition."""
    found = evaluation.predictions
    part = found[(found["method"] == method) & (found["repeat"] == found["repeat"].min())]
    order = np.argsort(part["probability"].to_numpy(float), kind="stable")[:MOST_HARD]
    part = part.assign(place=part.groupby("fold").cumcount())  # predictions follow fold.test
    fold_of = {fold.number: fold for fold in folds if fold.repeat == part["repeat"].min()}
    models: dict[int, Any] = {}
    hard = []
    for row in part.iloc[order].to_dict(orient="records"):
        fold = fold_of[row["fold"]]
        if fold.number not in models:
            models[fold.number] = learn(X[fold.train], y[fold.train])
        hard.append(_explained(models[fold.number], X[int(fold.test[row["place"]])], row))
    return hard


def _explained(model: Any, one: IntervalSequences, row: dict[Any, Any]) -> HardInstance:
    label, predicted = str(row["label"]), str(row["predicted"])
    explanation = None
    # with one activity only there is no other to compare with
    if isinstance(model, ActivityClassifier) and {label} < set(model.classes_.tolist()):
        if predicted == label:  # recognised after all: against the next likely
            explanation = model.explain(one, activity=label)
        else:
            explanation = model.explain(one, activity=predicted, against=label)
    return HardInstance(
        str(row["instance"]), label, predicted, float(row["probability"]), one, explanation
    )
