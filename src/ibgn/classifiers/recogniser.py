"""What all estimators share: labels, probabilities, files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import isabstract
from os import PathLike
from typing import Any, ClassVar, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.checks import check_choice, check_flag, check_jobs, check_seed
from ibgn.classifiers.checks import Training, check_data, check_weights
from ibgn.classifiers.decisions import Decisions
from ibgn.classifiers.questions import log_shares, unquestioned
from ibgn.classifiers.rejecting import Rejecting, Unknown
from ibgn.classifiers.streamed import AnyTraining, survey_source
from ibgn.declarations import STORABLE, Stored, register
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.networks import Sequences
from ibgn.persistence import save
from ibgn.pieces import choose_sample
from ibgn.sources import InstanceSource
from ibgn.text import quote
from ibgn.training_data import TrainingData, UnknownActions
from ibgn.worlds import score_worlds

__all__ = ["METHODS", "Recogniser", "as_generator", "as_seed", "unquestioned"]

METHODS: dict[str, type["Recogniser"]] = {}
"""Estimators by their short names; a subclass that has one is registered when it is defined."""


class Recogniser(Rejecting, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators: an instance belongs to the activity with the highest score.

    A subclass declares a `short_name`, by which the command line and comparisons know it, and what
    it stores in files, in `learned`.
    """

    short_name: ClassVar[str]
    learned: ClassVar[Mapping[str, Stored]] = {}  # what is stored in addition to the labels
    calibrated: ClassVar[Mapping[str, Stored]] = {  # what may be learned after `fit`
        "decisions_": Stored(Decisions, optional=True)
    }
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}  # values that a search chooses from
    fits_sources: ClassVar[bool] = False  # whether `fit` takes an `InstanceSource`

    classes_: npt.NDArray[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "short_name" in cls.__dict__ and not isabstract(cls):
            register(METHODS, cls.short_name, cls)
            register(STORABLE, cls.__name__, cls)

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], "Recogniser"]]:
        """Variants by their names in comparisons, each a function from a seed to an estimator."""
        return {cls.short_name.upper(): lambda seed: cls()}

    @abstractmethod
    def _check_options(self) -> None:
        """Refuse invalid options."""
        check_jobs("n_jobs", getattr(self, "n_jobs", None))
        check_seed("random_state", getattr(self, "random_state", None))
        check_flag("progress", getattr(self, "progress", False))
        check_choice("unknown_actions", self.unknown_actions, get_args(UnknownActions))

    def _begin(
        self,
        X: Sequences,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Training:
        """Check options and training data, and remember what every estimator remembers.

        Instances of weight 0 are left out. `groups` replace those of X.
        """
        self._check_options()
        X, labels = check_data(X, y)
        X = X if groups is None else X.with_groups(groups)
        weight = check_weights(X, sample_weight)
        if weight is not None and not weight.all():
            X, labels, weight = X[weight > 0], labels[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        data = Training(X, codes, weight, choose_sample(X, codes))
        self._remember(data)
        return data

    def _begin_source(self, source: InstanceSource) -> AnyTraining:
        """The same for instances that are read piece by piece; options are checked already."""
        self.classes_, data = survey_source(source)
        self._remember(data)
        return data

    def _remember(self, data: AnyTraining) -> None:
        for name in self.calibrated:  # of what was learned before
            self.__dict__.pop(name, None)
        self.trained_on_ = replace(
            TrainingData.of(data.sampled.X, data.actions),
            instances=data.instances,
            intervals=data.intervals,
        )

    @abstractmethod
    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:
        """Learn from instances and the label of the activity of each."""

    @property
    @abstractmethod
    def terms_(self) -> tuple[str, ...]:
        """Names of what scores are made of, in their order."""

    @abstractmethod
    def _scores(self, X: IntervalSequences) -> Floats:
        """(n, terms, activities) log probabilities by each term, of instances that are certain."""

    def scores(self, X: Sequences) -> Floats:
        """(n, terms, activities) log P(instance | activity), term by term.

        Terms are in the order of `terms_`, activities in that of `classes_`. An uncertain instance
        has the mean over its possible worlds, see `ibgn.worlds`.

        Examples
        --------
        >>> from ibgn import DBNClassifier
        >>> model = DBNClassifier().fit([[("hold", 0, 1)], [("stir", 0, 9)]], ["tea", "dough"])
        >>> model.scores([[("hold", 0, 2)]]).shape
        (1, 1, 2)
        """
        check_is_fitted(self)
        return score_worlds(self._scores, as_sequences(X), self._horizon)

    @property
    def _weights(self) -> Floats:
        """(terms,) how much each term counts."""
        return np.ones(len(self.terms_))

    @property
    def _log_prior(self) -> Floats:
        """(activities,) log probability of each before an instance is seen, up to a constant."""
        return np.zeros(len(self.classes_))

    def describe_weights(self, X: Sequences | None = None) -> pd.DataFrame:
        """How much each term counts, one row per term, in the order of `terms_`.

        Parameters
        ----------
        X : instances, to measure on them what each term says: `spread` is how far its weighted
            scores set the activities of an instance apart, their standard deviation in nats,
            averaged over instances. Terms differ in how much they say before they are weighted,
            so the spread says more than the weight.

        Examples
        --------
        >>> from ibgn import DBNClassifier
        >>> model = DBNClassifier().fit([[("hold", 0, 1)], [("stir", 0, 9)]], ["tea", "dough"])
        >>> model.describe_weights()
            term  weight
        0  steps     1.0
        """
        frame = pd.DataFrame({"term": self.terms_, "weight": self._weights})
        if X is None:
            return frame
        spread = (self.scores(X) * self._weights[:, None]).std(axis=2)
        return frame.assign(spread=spread.mean(axis=0) if len(spread) else 0.0)

    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        """(n, activities) score of each activity; differences are log odds."""
        check_is_fitted(self)
        X = as_sequences(X)
        joint = score_worlds(
            lambda certain: self._weights @ self._scores(certain) + self._log_prior,
            X,
            self._horizon,
        )
        return self._expect_possible(X, joint)

    def _expect_possible(self, X: IntervalSequences, joint: Floats) -> Floats:
        """The same scores; refuses an instance that has none."""
        lost = ~np.isfinite(joint.max(axis=1, initial=-np.inf))  # NaN, or nothing is possible
        if lost.any():
            raise DataError(
                f"no activity has a finite score for instance {quote(X._names()[lost.argmax()])}; "
                "the model was learned with extreme options, or its file was altered: fit it again"
            )
        return joint

    def predict(
        self,
        X: Sequences | InstanceSource,
        unknown: Unknown = "accept",
        false_alarm: float = 0.05,
    ) -> npt.NDArray[Any]:
        """Label of the likeliest activity of each instance.

        Parameters
        ----------
        X : instances, or a source of them, see `ibgn.scan`
        unknown : what becomes of instances that may be of none of the activities: "accept" labels
            them like all others, "reject" labels them None
        false_alarm : share of the instances of known activities that may be rejected: those are
            whose p-value is not larger, see `p_values`
        """
        check_choice("unknown", unknown, get_args(Unknown))
        if unknown == "reject":
            return self._predict_known(X, false_alarm)
        if isinstance(X, InstanceSource):
            best = np.concatenate(
                list(self._ask_pieces(X, lambda X, y, joint: joint.argmax(axis=1)))
            )
        else:
            best = self._joint_log_likelihood(self._question(X)).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[best]
        return labels

    def predict_log_proba(self, X: Sequences | InstanceSource) -> Floats:
        """(n, activities) log probability of each activity, in the order of `classes_`."""
        if isinstance(X, InstanceSource):
            return np.concatenate(list(self._ask_pieces(X, lambda X, y, joint: log_shares(joint))))
        return log_shares(self._joint_log_likelihood(self._question(X)))

    def predict_proba(self, X: Sequences | InstanceSource) -> Floats:
        """(n, activities) probability of each activity, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def score(
        self,
        X: Sequences | InstanceSource,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> float:
        """Share of the instances that are recognised; y is not given with a source."""
        if not isinstance(X, InstanceSource):
            return float(super().score(X, y, sample_weight))
        classes = self.classes_

        def compare(
            X: IntervalSequences, labels: npt.NDArray[Any] | None, joint: Floats
        ) -> tuple[int, int]:
            if labels is None:
                raise DataError("the source has no labels to compare with")
            return int((classes[joint.argmax(axis=1)] == labels).sum()), len(X)

        right, instances = np.sum(list(self._ask_pieces(X, compare)), axis=0).tolist()
        return float(right / instances)

    def explain(self, instance: Any, against: Any = None, activity: Any = None) -> Any:
        """Refuse: only estimators with models of the activities give reasons."""
        raise DataError(
            f"{type(self).__name__} gives no reasons; IBGNClassifier and IBGNEnsemble do"
        )

    def _two_labels(self, joint: Floats, activity: Any, against: Any) -> tuple[Any, Any]:
        """The activity to explain and the one to compare with."""
        ranked = [self.classes_.tolist()[c] for c in np.argsort(-joint, kind="stable")]
        chosen = ranked[0] if activity is None else self._label(activity)
        other = next((label for label in ranked if label != chosen), None)
        other = other if against is None else self._label(against)
        if other is None or other == chosen:
            raise DataError("an explanation compares two activities; fit or name two")
        return chosen, other

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `ibgn.load` reads; see `ibgn.persistence`."""
        save(self, path)

    def _label(self, label: Any) -> Any:
        if label not in self.classes_.tolist():
            known = ", ".join(quote(name) for name in self.classes_.tolist()[:20])
            raise DataError(f"there is no activity {quote(label)}; choose among {known}")
        return label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = False
        tags.non_deterministic = getattr(self, "random_state", 0) is None
        return tags


def as_generator(random_state: Any) -> np.random.Generator:
    """Source of random numbers from a seed, a generator, a RandomState, or None."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    return np.random.default_rng(random_state)


def as_seed(random_state: Any) -> Any:
    """Seed, RandomState or None, as scikit-learn takes them; from a generator, a seed is drawn."""
    is_generator = isinstance(random_state, np.random.Generator)
    return int(random_state.integers(2**31)) if is_generator else random_state
