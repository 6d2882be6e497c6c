"""What all estimators share: labels, priors, probabilities; one model an activity."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal, Self

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.checks import check_choice, check_number
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences, as_sequences, recode
from ibgn.model.explanation import Contributions, Explanation, compare
from ibgn.networks import Sequences, read_networks
from ibgn.text import quote

__all__ = ["ActivityClassifier", "ClassPrior", "check_data", "check_smoothing"]

ClassPrior = Literal["uniform", "empirical"] | Mapping[Any, float]


class ActivityClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators: an instance belongs to the activity under which it is likeliest.

    A subclass adds to `_check_options` and gives `_fit_activities`, `_log_likelihood` and
    `_contributions`.
    """

    class_prior: ClassPrior
    n_jobs: int | None
    progress: bool
    classes_: npt.NDArray[Any]
    class_log_prior_: Floats
    actions_: tuple[str, ...]
    activities_: dict[Any, Any]

    def _check_options(self) -> None:
        """Refuse options that cannot be."""
        if not isinstance(self.class_prior, Mapping):
            check_choice("class_prior", self.class_prior, ("uniform", "empirical"))
        if self.n_jobs is not None:
            wanted = "whole and not 0, where -1 takes all cores"
            check_number("n_jobs", self.n_jobs, wanted, lambda jobs: jobs == int(jobs) != 0)

    @abstractmethod
    def _fit_activities(self, parts: list[IntervalSequences]) -> list[Any]:
        """Model of each activity from its instances; all parts have the same vocabulary."""

    @abstractmethod
    def _log_likelihood(self, X: IntervalSequences) -> Floats:
        """(n, activities) log P(instance | activity); actions coded as in training."""

    @abstractmethod
    def _contributions(self, X: IntervalSequences, label: Any) -> Contributions:
        """Split log P(instance | activity) of one instance, coded as in training."""

    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:
        """Learn a model of each activity.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        """
        self._check_options()
        X, labels = check_data(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.class_log_prior_ = self._log_prior(codes)
        X = _with_used_actions(self._see_first(X, codes))
        self.actions_ = X.actions
        models = self._fit_activities([X[codes == c] for c in range(len(self.classes_))])
        self.activities_ = dict(zip(self.classes_.tolist(), models, strict=True))
        return self

    def _see_first(self, X: IntervalSequences, codes: npt.NDArray[np.intp]) -> IntervalSequences:
        """X as it is learned from; codes say which activity each instance is of."""
        return X

    def _see(self, X: IntervalSequences) -> IntervalSequences:
        """X as it is recognised, in the manner in which it was learned from."""
        return X

    def _in_parallel(self, learn: Callable[..., Any], arguments: Iterable[Iterable[Any]]) -> Any:
        """Learn all activities, several at the same time."""
        parallel = joblib.Parallel(self.n_jobs, prefer="threads", return_as="generator")
        done = parallel(joblib.delayed(learn)(*given) for given in arguments)
        return list(_with_progress(done, len(self.classes_), self.progress))

    def _log_prior(self, codes: npt.NDArray[np.intp]) -> Floats:
        if isinstance(self.class_prior, Mapping):
            return _given_prior(self.class_prior, self.classes_.tolist())
        if self.class_prior == "empirical":
            return np.log(np.bincount(codes) / len(codes))
        return np.full(len(self.classes_), -np.log(len(self.classes_)))

    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        """(n, activities) log P(activity) + log P(instance | activity)."""
        check_is_fitted(self)
        X = recode(self._see(as_sequences(X)), self.actions_)
        return self._log_likelihood(X) + self.class_log_prior_

    def predict(self, X: Sequences) -> npt.NDArray[Any]:
        """Label of the likeliest activity of each instance."""
        best = self._joint_log_likelihood(X).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[best]
        return labels

    def predict_log_proba(self, X: Sequences) -> Floats:
        """(n, activities) log probability of each activity, in the order of `classes_`."""
        joint = self._joint_log_likelihood(X)
        result: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
        return result

    def predict_proba(self, X: Sequences) -> Floats:
        """(n, activities) probability of each activity, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def explain(
        self, instance: IntervalSequences | Instance, against: Any = None, activity: Any = None
    ) -> Explanation:
        """Say which intervals and relations spoke for one activity and against another.

        Parameters
        ----------
        instance : one instance, like X[0], or a list of (action, start, end)
        against : label to compare with, by default the second likeliest
        activity : label to explain, by default the likeliest
        """
        check_is_fitted(self)
        X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
        if len(X) != 1:
            raise DataError(f"one instance is explained, got {len(X)}; choose one, e.g. X[0]")
        X = self._see(X)
        joint = self._joint_log_likelihood(X)[0]
        ranked = [self.classes_.tolist()[c] for c in np.argsort(-joint, kind="stable")]
        chosen = ranked[0] if activity is None else self._label(activity)
        other = next((label for label in ranked if label != chosen), None)
        other = other if against is None else self._label(against)
        if other is None or other == chosen:
            raise DataError("an explanation compares two activities; fit or name two")
        prior = dict(zip(self.classes_.tolist(), self.class_log_prior_.tolist(), strict=True))
        coded = recode(X, self.actions_)
        return compare(
            (chosen, other),
            (self._contributions(coded, chosen), self._contributions(coded, other)),
            prior[chosen] - prior[other],
            X,
            read_networks(coded)[0].relations,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `ibgn.load` reads; see `ibgn.persistence`."""
        from ibgn.persistence import save

        save(self, path)

    def _label(self, label: Any) -> Any:
        if label not in list(self.activities_):  # which also takes what has no hash
            known = ", ".join(quote(name) for name in list(self.activities_)[:20])
            raise DataError(f"there is no activity {quote(label)}; choose among {known}")
        return label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = False
        tags.non_deterministic = getattr(self, "random_state", 0) is None
        return tags


def check_smoothing(smoothing: float) -> None:
    """Refuse what would round to certainty, or drown every count."""
    check_number("smoothing", smoothing, "from 1e-9 to 1e9", lambda value: 1e-9 <= value <= 1e9)


def check_data(X: Sequences, y: npt.ArrayLike) -> tuple[IntervalSequences, npt.NDArray[Any]]:
    """Instances and their labels, one each; refuses what cannot be learned from."""
    X, labels = as_sequences(X), _check_labels(y)
    if len(X) == 0:
        raise DataError("there are no instances to learn from")
    if labels.shape != (len(X),):
        raise DataError(
            f"y has one label an instance, got shape {labels.shape} for {len(X)} instances"
        )
    return X, labels


def _check_labels(y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Labels that can be told apart and sorted; NumPy would make text of numbers among text."""
    given = np.asarray(y, object).ravel()
    if pd.isna(given).any():
        d = int(np.argmax(pd.isna(given)))
        raise DataError(f"label {d} is missing; leave the instance out, or name its activity")
    is_text = np.array([isinstance(label, str) for label in given], bool)
    if is_text.any() and not is_text.all():
        d = int(np.argmin(is_text))
        raise DataError(
            f"label {d} is {quote(given[d])} ({type(given[d]).__name__}), and others are text; "
            "name all activities by text, or all by numbers"
        )
    try:
        labels = np.asarray(y)
        check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        raise DataError(f"y cannot be labels of activities: {error}") from error
    return labels


def _with_used_actions(X: IntervalSequences) -> IntervalSequences:
    """Leave out of the vocabulary what no interval uses, so that it stays unknown."""
    used = tuple(sorted(X.actions[code] for code in np.unique(X.action)))
    return IntervalSequences._trusted(recode(X, used)._flat(), used, X.ids, X.groups)


def _given_prior(prior: Mapping[Any, float], classes: list[Any]) -> Floats:
    missing = [label for label in classes if label not in prior]
    if missing:
        raise DataError(f"class_prior has no probability for {quote(missing[0])}; name them all")
    for label in classes:
        name = f"class_prior of {quote(label)}"
        check_number(name, prior[label], "positive", lambda weight: weight > 0)
    logs = np.log([float(prior[label]) for label in classes])
    shares: Floats = logs - logsumexp(logs)
    return shares


def _with_progress(done: Iterable[Any], total: int, shown: bool) -> Iterable[Any]:
    if not shown:
        return done
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(
        done, "learning activities", total, console=console, disable=not console.is_terminal
    )
