"""What all estimators share: labels, priors, probabilities; one set of terms per activity."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import isabstract
from itertools import pairwise
from os import PathLike
from typing import Any, ClassVar, Self

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.checks import check_jobs
from ibgn.classifiers.checks import check_data
from ibgn.classifiers.prior import ClassPrior, check_prior, class_log_prior
from ibgn.declarations import STORABLE, Stored, register
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.model.activity import (
    ActivityModel,
    are_whole,
    mean_pace,
    relations_to_itself,
    score_activities,
)
from ibgn.model.explanation import Explanation
from ibgn.model.learning import HeldOut, Lesson
from ibgn.networks import Sequences, read_networks
from ibgn.persistence import save
from ibgn.recoding import recode
from ibgn.terms.base import Context, FittedTerm, Term
from ibgn.text import quote
from ibgn.worlds import likeliest_world, occurring_actions, score_worlds

__all__ = [
    "METHODS",
    "ActivityClassifier",
    "as_generator",
]

PAIRS_AT_ONCE = 4_000_000  # instances of about this many pairs are scored together

METHODS: dict[str, type["ActivityClassifier"]] = {}
"""Estimators by their short names; a subclass that has one is registered when it is defined."""


class ActivityClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the estimators: an instance belongs to the activity under which it is likeliest.

    A subclass declares a `short_name`, by which the command line and comparisons know it, and
    defines `_make_terms`: the terms that it learns for each activity. All else follows from these.
    """

    short_name: ClassVar[str]
    activity_type: ClassVar[type] = ActivityModel
    learned: ClassVar[Mapping[str, Stored]] = {}  # fitted in addition to labels and activities
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}  # values that a search chooses from

    class_prior: ClassPrior
    n_jobs: int | None
    progress: bool
    classes_: npt.NDArray[Any]
    class_log_prior_: Floats
    actions_: tuple[str, ...]
    activities_: dict[Any, ActivityModel]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "short_name" in cls.__dict__ and not isabstract(cls):
            register(METHODS, cls.short_name, cls)
            register(STORABLE, cls.__name__, cls)

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], "ActivityClassifier"]]:
        """Variants by their names in comparisons, each a function from a seed to an estimator."""
        return {cls.short_name.upper(): lambda seed: cls()}

    @abstractmethod
    def _make_terms(self) -> Sequence[Term]:
        """Terms with the options of this estimator; refuses invalid options."""

    def _check_options(self) -> None:
        """Refuse invalid options."""
        check_prior(self.class_prior)
        check_jobs("n_jobs", self.n_jobs)
        self._make_terms()  # which refuse invalid options of their own

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
        self.class_log_prior_ = class_log_prior(self.class_prior, self.classes_.tolist(), codes)
        X = self._prepare_training(X, codes)
        # actions of the vocabulary that never occur stay unknown
        self.actions_ = tuple(sorted(X.actions[code] for code in occurring_actions(X)))
        X = IntervalSequences.from_flat(self._coded(X).flat, self.actions_, X.ids, X.groups)
        parts = [likeliest_world(X[codes == c]) for c in range(len(self.classes_))]
        learned = zip(self.classes_.tolist(), parts, *self._fit_terms(X, codes, parts), strict=True)
        self.activities_ = {
            label: self.activity_type(
                label,
                X.actions,
                terms,
                part.lengths,
                mean_pace(part),
                relations_to_itself(part),
                typical,
                are_whole(part),
            )
            for label, part, terms, typical in learned
        }
        return self

    def _prepare_training(
        self, X: IntervalSequences, codes: npt.NDArray[np.intp]
    ) -> IntervalSequences:
        """X as the model learns from it; codes are the activities of the instances."""
        return X

    def _prepare(self, X: IntervalSequences) -> IntervalSequences:
        """X as the model recognises it, prepared as in training."""
        return X

    def _fit_terms(
        self, X: IntervalSequences, codes: npt.NDArray[np.intp], parts: list[IntervalSequences]
    ) -> tuple[list[dict[str, FittedTerm]], Sequence[Floats | None]]:
        """Learn all terms of each activity, and their weights; parts are X by activity.

        Also returns the typical score of each activity by each term, where some are held out.
        """
        rng = as_generator(getattr(self, "random_state", None))
        seed = int(rng.integers(2**32))
        contexts = [
            Context(label, self.actions_, seed, child)
            for label, child in zip(self.classes_.tolist(), rng.spawn(len(parts)), strict=True)
        ]
        with joblib.parallel_config("threading", n_jobs=self.n_jobs):
            terms = [term.specialise(parts) for term in self._make_terms()]
            lesson = self._make_lesson(terms, X, codes, rng)
            typical: Sequence[Floats | None] = [None] * len(parts)
            if lesson.sample.folds > 1:
                held_out = lesson.hold_out(contexts)
                typical = list(lesson.typical(held_out))
                self._set_weights(held_out)
            total = len(terms) * len(parts)
            learned = list(_with_progress(lesson.learn(contexts), total, self.progress))
        names = [of_activities[0].name for of_activities in terms]
        by_activity = (learned[c :: len(parts)] for c in range(len(parts)))
        return [dict(zip(names, fitted, strict=True)) for fitted in by_activity], typical

    def _make_lesson(
        self,
        terms: list[Sequence[Term]],
        X: IntervalSequences,
        codes: npt.NDArray[np.intp],
        rng: np.random.Generator,
    ) -> Lesson:
        """What is learned from: all instances as one fold, where no weights are learned."""
        return Lesson(terms, likeliest_world(X), codes, [np.arange(len(X))])

    def _set_weights(self, held_out: HeldOut) -> None:
        """Learn the weights of terms from held-out scores."""

    @property
    def _weights(self) -> Floats:
        """(terms,) how much each term counts."""
        return np.ones(len(self.terms_))

    @property
    def terms_(self) -> tuple[str, ...]:
        """Names of the terms, in the order of `scores`."""
        check_is_fitted(self)
        return tuple(next(iter(self.activities_.values())).terms)

    def scores(self, X: Sequences) -> Floats:
        """(n, terms, activities) log P(instance | activity), term by term.

        Terms are in the order of `terms_`, activities in that of `classes_`.

        Examples
        --------
        >>> from ibgn import DBNClassifier
        >>> model = DBNClassifier().fit([[("hold", 0, 1)], [("stir", 0, 9)]], ["tea", "dough"])
        >>> model.scores([[("hold", 0, 2)]]).shape
        (1, 1, 2)
        """
        check_is_fitted(self)
        return score_worlds(self._crisp_scores, as_sequences(X))

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

    def _coded(self, X: IntervalSequences) -> IntervalSequences:
        """X with actions coded as in training."""
        return recode(X, self.actions_)

    def _crisp_scores(self, X: IntervalSequences) -> Floats:
        """(n, terms, activities) scores of instances without uncertainty."""
        X = self._coded(self._prepare(X))
        with joblib.parallel_config("threading", n_jobs=self.n_jobs):
            pieces = [score_activities(self.activities_.values(), piece) for piece in _pieces(X)]
        shape = (0, len(self.terms_), len(self.classes_))
        together: Floats = np.concatenate([np.zeros(shape), *pieces])
        return together

    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        """(n, activities) log P(activity) + log P(instance | activity)."""
        check_is_fitted(self)
        return score_worlds(
            lambda crisp: self._weights @ self._crisp_scores(crisp) + self.class_log_prior_,
            as_sequences(X),
        )

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
        """Say what spoke for one activity and against another.

        Parameters
        ----------
        instance : one instance, like X[0], or a list of (action, start, end); of an uncertain
            one, the likeliest world is explained
        against : label to compare with, by default the second likeliest
        activity : label to explain, by default the likeliest
        """
        check_is_fitted(self)
        X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
        if len(X) != 1:
            raise DataError(f"one instance is explained, got {len(X)}; choose one, e.g. X[0]")
        joint = self._joint_log_likelihood(X)[0]
        X = self._prepare(likeliest_world(X))
        coded = self._coded(X)
        chosen, other = self._two_labels(joint, activity, against)
        priors = dict(zip(self.classes_.tolist(), self.class_log_prior_.tolist(), strict=True))
        models = self.activities_[chosen], self.activities_[other]
        speaking, opposing = (model.log_terms(coded) for model in models)
        return Explanation(
            activity=chosen,
            against=other,
            instance=X,
            actions=self.actions_,
            prior=priors[chosen] - priors[other],
            terms={
                name: (terms - opposing[name]).scaled(weight)
                for (name, terms), weight in zip(speaking.items(), self._weights, strict=True)
            },
            relations=read_networks(coded)[0].relations,
            fitted={name: (models[0][name], models[1][name]) for name in models[0].terms},
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
        if label not in list(self.activities_):  # a list, as the label may have no hash
            known = ", ".join(quote(name) for name in list(self.activities_)[:20])
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


def _pieces(X: IntervalSequences) -> Iterator[IntervalSequences]:
    """Runs of instances with about the same number of pairs."""
    pairs = np.cumsum(X.lengths * (X.lengths - 1) // 2)
    bounds = np.flatnonzero(np.diff(pairs // PAIRS_AT_ONCE, prepend=0)).tolist()
    edges = [0, *(bound for bound in bounds if bound), len(X)]
    for first, last in pairwise(edges):
        yield X[first:last]


def _with_progress(done: Iterable[Any], total: int, shown: bool) -> Iterable[Any]:
    if not shown:
        return done
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(
        done, "learning activities", total, console=console, disable=not console.is_terminal
    )
