"""What a report is about: data, a comparison of methods, a model, and what it finds hard."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import precision_recall_fscore_support

from ibgn.classifiers.recogniser import Recogniser, unquestioned
from ibgn.errors import MISSING, DataError, OptionError
from ibgn.evaluation.early import EarlyEvaluation
from ibgn.evaluation.evaluate import Evaluation
from ibgn.evaluation.folds import Fold
from ibgn.evaluation.methods import Method, make_estimators
from ibgn.evaluation.search import Grid, Search
from ibgn.inspection import Inspection, inspect
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel
from ibgn.model.explanation import Explanation
from ibgn.text import quote

__all__ = ["Findings", "HardInstance", "Origin", "find"]

Labels = npt.NDArray[Any]

MOST_HARD = 4


@dataclass(frozen=True)
class Origin:
    """Where a report comes from, so that it can be reproduced.

    Parameters
    ----------
    title : of the page
    question : that the report answers, in a sentence
    command : the command line that made it
    seed : of everything random
    scheme : how instances were split
    warnings : warnings from reading the data
    unit : of the times in the data, such as "s"; empty if it is not known

    Examples
    --------
    >>> origin = Origin("Tea or coffee", "Which method?", "python compare.py", 0, "stratified")
    >>> origin.warnings
    ()
    """

    title: str
    question: str
    command: str
    seed: int
    scheme: str
    warnings: tuple[str, ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class HardInstance:
    """An instance that a model found hard to recognise; it had not learned from it.

    Parameters
    ----------
    name : of the instance
    label, predicted : true and predicted activity
    probability : of the true activity, by the model
    instance : its intervals
    explanation : why the predicted activity rather than the true one, or than the next likeliest
        if the prediction is right; None if the method cannot explain itself
    """

    name: str
    label: str
    predicted: str
    probability: float
    instance: IntervalSequences
    explanation: Explanation | None


@dataclass(frozen=True)
class Findings:
    """Everything that goes into a report; what several sections need is computed once.

    Parameters
    ----------
    origin : where it comes from
    inspection : of the data
    evaluation : methods side by side
    robustness : accuracy against errors of detection, as `Robustness.curves` gives it, or None
    method : name of the method that is examined more closely
    activities : what it learned from all data, by label; empty if it is not generative
    weights : how much each of its terms or members says, as `describe_weights` gives it; None
        likewise
    hardest : the instances that it finds hardest
    learning : scores against the number of training instances, as `LearningCurve.curves` gives
        them, or None
    early : results on instances that go on, or None

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.evaluate import evaluate
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> origin = Origin("Relations", "Which method?", "python compare.py", 0, "stratified")
    >>> findings = find(origin, X, y, evaluate(X, y, methods, folds), folds, methods)
    >>> findings.evaluation.ranking(), len(findings.hardest) > 0
    (['DBN'], True)
    """

    origin: Origin
    inspection: Inspection
    evaluation: Evaluation
    robustness: pd.DataFrame | None
    method: str
    activities: Mapping[str, ActivityModel] = field(default_factory=dict)
    weights: pd.DataFrame | None = None
    hardest: Sequence[HardInstance] = ()
    learning: pd.DataFrame | None = None
    early: EarlyEvaluation | None = None

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Scores of all methods, see `Evaluation.summary`."""
        return self.evaluation.summary()

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Paired tests against the best method, see `Evaluation.compare`."""
        return self.evaluation.compare()

    @cached_property
    def reliability(self) -> pd.DataFrame:
        """How often all methods are right by how sure they were, see `Evaluation.reliability`."""
        return self.evaluation.reliability()

    @cached_property
    def confusion(self) -> pd.DataFrame:
        """Confusion matrix of the method that is examined."""
        return self.evaluation.confusion(self.method)

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """Predictions of the method that is examined."""
        predictions = self.evaluation.predictions
        return predictions[predictions["method"] == self.method]

    def ranked(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rows of a frame in the order of the scores of their methods."""
        rank = {method: number for number, method in enumerate(self.summary["method"])}
        return frame.sort_values(
            "method", key=lambda names: names.map(rank), kind="stable", ignore_index=True
        )

    @cached_property
    def activity_scores(self) -> pd.DataFrame:
        """Precision, recall, F1 and most frequent mistake, one row per activity."""
        labels = [str(label) for label in self.confusion.index]
        precision, recall, f1, instances = precision_recall_fscore_support(
            self.predictions["label"], self.predictions["predicted"], labels=labels, zero_division=0
        )
        mistakes = self.confusion.to_numpy() * (1 - np.eye(len(labels), dtype=int))
        mistaken_for = [labels[row.argmax()] if row.any() else None for row in mistakes]
        return pd.DataFrame(
            {
                "activity": labels,
                "instances": instances // max(self.predictions["repeat"].nunique(), 1),
                "precision": precision,
                "recall": recall,
                "f1": f1,
                "mistaken_for": pd.Series(mistaken_for, dtype=object),
                "mistaken": mistakes.max(axis=1, initial=0),
            }
        )


def find(
    origin: Origin,
    X: IntervalSequences,
    y: npt.ArrayLike,
    evaluation: Evaluation,
    folds: Sequence[Fold],
    methods: Mapping[str, Method],
    *,
    robustness: pd.DataFrame | None = None,
    learning: pd.DataFrame | None = None,
    early: EarlyEvaluation | None = None,
    search: Mapping[str, Grid] | None = None,
    n_jobs: int | None = None,
) -> Findings:
    """Examine the best generative method, or else the best that explains itself, or the best.

    It learns once from all data, to show what there is to learn, and once more for each fold
    with a hard instance, to explain that instance without having learned from it. If `evaluate`
    chose parameters by search, pass the same search, so that they are chosen again. `robustness`
    and `learning` are curves to show, as `Robustness.curves` and `LearningCurve.curves` give them,
    and `early` what `evaluate_early` gives.

    Examples
    --------
    >>> from ibgn.datasets import make_relations
    >>> from ibgn.evaluation.evaluate import evaluate
    >>> from ibgn.evaluation.folds import make_folds
    >>> from ibgn.evaluation.methods import METHODS
    >>> X, y = make_relations(instances_per_activity=5, random_state=0)
    >>> methods = {"DBN": METHODS["DBN"]}
    >>> folds = make_folds(X, y, n_splits=2)
    >>> origin = Origin("Relations", "Which method?", "python compare.py", 0, "stratified")
    >>> findings = find(origin, X, y, evaluate(X, y, methods, folds), folds, methods)
    >>> findings.method, findings.inspection.instances
    ('DBN', 20)
    """
    labels = np.asarray(y).astype(str).astype(object)
    estimators = make_estimators(methods, origin.seed)
    method = _choose(evaluation, estimators)
    estimator = estimators[method]
    if isinstance(estimator, Recogniser) and "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=n_jobs)

    def learn(train: IntervalSequences, y_train: Labels) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the report shows it
            if search and method in search:
                return Search(clone(estimator, safe=False), search[method]).fit(train, y_train)
            return clone(estimator, safe=False).fit(train, y_train)

    whole = learn(X, labels) if hasattr(estimator, "sample") else None
    return Findings(
        origin=origin,
        inspection=inspect(X, labels, n_jobs=n_jobs),
        evaluation=evaluation,
        robustness=robustness,
        method=method,
        activities={} if whole is None else whole.activities_,
        weights=None if whole is None else whole.describe_weights(X),
        hardest=_hardest(X, labels, evaluation, folds, method, learn),
        learning=learning,
        early=early,
    )


def _choose(evaluation: Evaluation, estimators: Mapping[str, Any]) -> str:
    """Name of the best generative method, else of the best that explains itself, else of the best.

    Generative methods have learned what there is to show of each activity.
    """
    ranking = evaluation.ranking()
    for name in ranking:
        if name not in estimators:
            raise OptionError("methods", MISSING, f"must have {quote(name)}, to learn it again")
    for ability in ("sample", "explain", "fit"):
        for name in ranking:
            if _can(estimators[name], ability):
                return name
    raise DataError("there is no method to report on; compare at least one")


def _can(estimator: Any, ability: str) -> bool:
    """Whether a method has an ability: `explain` of a recogniser without reasons only refuses."""
    refuses = getattr(type(estimator), ability, None) is Recogniser.explain
    return hasattr(estimator, ability) and not refuses


def _hardest(
    X: IntervalSequences,
    y: Labels,
    evaluation: Evaluation,
    folds: Sequence[Fold],
    method: str,
    learn: Any,
) -> list[HardInstance]:
    """Instances whose true activity was least likely, in the first repetition."""
    every = evaluation.predictions
    part = every[(every["method"] == method) & (every["repeat"] == every["repeat"].min())]
    order = np.argsort(part["probability"].to_numpy(float), kind="stable")[:MOST_HARD]
    part = part.assign(position=part.groupby("fold").cumcount())  # predictions follow fold.test
    fold_of = {fold.number: fold for fold in folds if fold.repeat == part["repeat"].min()}
    models: dict[int, Any] = {}
    hard = []
    for row in part.iloc[order].to_dict(orient="records"):
        fold = fold_of[row["fold"]]
        if fold.number not in models:
            models[fold.number] = learn(X[fold.train], y[fold.train])
        hard.append(_explained(models[fold.number], X[int(fold.test[row["position"]])], row))
    return hard


def _explained(model: Any, instance: IntervalSequences, row: dict[Any, Any]) -> HardInstance:
    label, predicted = str(row["label"]), str(row["predicted"])
    explanation = None
    # with one activity only there is no other to compare with
    if _can(model, "explain") and {label} < set(model.classes_.tolist()):
        # recognised: compare with the next likeliest
        against = None if predicted == label else label
        with unquestioned():  # a test set may have an action that its training set lacks
            explanation = model.explain(instance, against=against, activity=predicted)
    return HardInstance(
        str(row["instance"]), label, predicted, float(row["probability"]), instance, explanation
    )
