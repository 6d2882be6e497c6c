"""Estimators with one set of terms per activity: what they share."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import joblib
import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats, Ints
from ibgn.classifiers.checks import Training
from ibgn.classifiers.held_out import score_by_folds
from ibgn.classifiers.prior import ClassPrior, check_prior, class_log_prior
from ibgn.classifiers.progress import Progress
from ibgn.classifiers.recogniser import as_generator
from ibgn.classifiers.streamed import AnyTraining
from ibgn.classifiers.typical import KnowsTypical
from ibgn.errors import DataError
from ibgn.intervals import Instance, IntervalSequences, as_sequences
from ibgn.model.activity import ActivityModel, score_activities
from ibgn.model.explanation import Explanation
from ibgn.model.learning import HeldOut, Lesson
from ibgn.model.piece_counts import PieceCounter, PieceCounts
from ibgn.model.summary import Summary
from ibgn.networks import Sequences
from ibgn.recoding import recode
from ibgn.terms.base import Context, FittedTerm, Term
from ibgn.terms.tally import Sample
from ibgn.worlds import likeliest_world

__all__ = ["ActivityClassifier", "OtherInstances", "as_one_instance"]


class ActivityClassifier(KnowsTypical):
    """Base of the estimators: an instance belongs to the activity under which it is likeliest.

    A subclass declares a `short_name`, by which the command line and comparisons know it, and
    defines `_make_terms`: the terms that it learns for each activity. All else follows from these.
    """

    activity_type: ClassVar[type] = ActivityModel

    class_prior: ClassPrior
    n_jobs: int | None
    progress: bool
    class_log_prior_: Floats
    actions_: tuple[str, ...]
    activities_: dict[Any, ActivityModel]

    @abstractmethod
    def _make_terms(self) -> Sequence[Term]:
        """Terms with the options of this estimator; refuses invalid options."""

    def _check_options(self) -> None:
        """Refuse invalid options."""
        super()._check_options()
        check_prior(self.class_prior)
        self._make_terms()  # which refuse invalid options of their own

    def fit(
        self, X: Sequences, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn a model of each activity.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        sample_weight : (n,) how many instances each counts as; 0 leaves one out
        """
        self._learn(self._begin(X, y, sample_weight))
        return self

    def fit_held_out(
        self,
        X: Sequences,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Floats | None:
        """Learn, and score the same instances by what was learned from others.

        Returns (n, activities) log probabilities, or None where no weights are learned, for which
        some instances are held out. Instances of weight 0 are left out.
        """
        data = self._begin(X, y, sample_weight, groups)
        held_out = self._learn(data, every=True)
        if held_out is None:
            return None
        own = held_out.scores[: len(data.X)]  # copies with errors come after them
        logs: Floats = log_softmax(self._weights @ own + self.class_log_prior_, axis=1)
        return logs

    def fit_scores(self, X: Sequences, y: npt.ArrayLike) -> Floats:
        """Learn, and return `scores` of the same instances by what was learned from others.

        (n, terms, activities); groups are held out together, see `ibgn.model.folds`. Where no
        weights are learned, for which some instances are held out, copies learn from parts of X.
        """
        held_out = self._learn(self._begin(X, y), every=True)
        if held_out is None:
            return score_by_folds(self, X, y)
        return held_out.scores[: len(as_sequences(X))]

    def _learn(self, data: AnyTraining, every: bool = False) -> HeldOut | None:
        """Learn a model of each activity; returns scores of what was held out, if any was.

        every : whether every instance is held out, also where fewer are enough to learn weights
        """
        labels = self.classes_.tolist()
        self.class_log_prior_ = class_log_prior(self.class_prior, labels, data.numbers)
        data = self._prepare_training(data)
        self.actions_ = data.actions  # those of the vocabulary that never occur stay unknown
        data = data.transform(
            lambda X: IntervalSequences.from_flat(
                self._coded(X).flat, self.actions_, X.ids, X.groups
            ),
            same=True,
        )
        self.typicality_ = None  # until activities are known; stored before them
        self.activities_, held_out = self._learn_models(data, labels, every)
        self._learn_typical(held_out)
        return held_out

    def _learn_models(
        self, data: AnyTraining, labels: Sequence[Any], every: bool
    ) -> tuple[dict[Any, ActivityModel], HeldOut | None]:
        """Learn a model for each label, by its number in codes; also returns held-out scores."""
        terms, typical, summary, held_out = self._fit_terms(data, labels, every)
        models = {
            label: self.activity_type(
                name=label,
                actions=self.actions_,
                terms=terms[c],
                typical=typical[c],
                **summary.activity(c)._asdict(),
            )
            for c, label in enumerate(labels)
        }
        return models, held_out

    def _prepare_training(self, data: AnyTraining) -> AnyTraining:
        """Instances as the model learns from them."""
        return data

    def _fit_terms(self, data: AnyTraining, labels: Sequence[Any], every: bool) -> "_FittedTerms":
        """Learn all terms of each label, and their weights."""
        if every and isinstance(data, Training):
            data = data._replace(sample=None)
        known = data.sampled
        parts = [likeliest_world(known.X[known.codes == c]) for c in range(len(labels))]
        rng = as_generator(getattr(self, "random_state", None))
        seed = int(rng.integers(2**32))
        with (
            Progress(self.progress) as progress,
            joblib.parallel_config("threading", n_jobs=self.n_jobs),
        ):
            contexts = [
                Context(label, self.actions_, seed, child, progress.watch)
                for label, child in zip(labels, rng.spawn(len(parts)), strict=True)
            ]
            weights = None if known.weight is None else _by_code(known, len(parts))
            terms = [term.specialise(parts, weights) for term in self._make_terms()]
            lesson = self._make_lesson(terms, data, rng, labels)
            typical: Sequence[Floats | None] = [None] * len(parts)
            held_out: HeldOut | None = None
            if lesson.sample.folds > 1:
                held_out = lesson.hold_out(contexts, every)
                typical = lesson.typical(held_out)
                self._set_weights(held_out, labels)
                if not held_out.weights.any():  # nothing was learned about any true activity
                    held_out = None
            total = len(terms) * len(parts)
            learned = list(progress.track(lesson.learn(contexts), total))
        names = [of_activities[0].name for of_activities in terms]
        by_activity = (learned[c :: len(parts)] for c in range(len(parts)))
        fitted = [dict(zip(names, own, strict=True)) for own in by_activity]
        return _FittedTerms(fitted, typical, lesson.summary, held_out)

    def _make_lesson(
        self,
        terms: list[Sequence[Term]],
        data: AnyTraining,
        rng: np.random.Generator,
        labels: Sequence[Any],
    ) -> Lesson:
        """What is learned from: all instances as one fold, where no weights are learned."""
        X, codes, weight, _ = data.sampled
        folds = [np.arange(len(X))]
        others = OtherInstances(data, folds, self._horizon)
        return Lesson(
            terms,
            likeliest_world(X),
            codes,
            folds,
            weight=weight,
            others=others,
            counted=data.counted,
        )

    def _set_weights(self, held_out: HeldOut, labels: Sequence[Any]) -> None:
        """Learn the weights of terms from held-out scores by the model of each label."""

    @property
    def _log_prior(self) -> Floats:
        return self.class_log_prior_

    @property
    def terms_(self) -> tuple[str, ...]:
        """Names of the terms, in the order of `scores`."""
        check_is_fitted(self)
        return tuple(next(iter(self.activities_.values())).terms)

    def _scorer(self) -> Self:
        """A copy without what grows with the instances that it learned from."""
        scorer = copy(self)
        scorer.__dict__.pop("_parts", None)  # which partial_fit keeps
        scorer.activities_ = {
            label: activity.without_instances() for label, activity in self.activities_.items()
        }
        return scorer

    def _coded(self, X: IntervalSequences) -> IntervalSequences:
        """X with actions coded as in training."""
        return recode(X, self.actions_)

    def _scores(self, X: IntervalSequences) -> Floats:
        with joblib.parallel_config("threading", n_jobs=self.n_jobs):
            return score_activities(self.activities_.values(), self._coded(self._prepare(X)))

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
        X = self._question(as_one_instance(instance))
        scores, [joint] = self._score_both(X)
        unusual = self._compare_with_typical(X, scores)
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
            fitted={name: (models[0][name], models[1][name]) for name in models[0].terms},
            unusual=unusual,
        )


class _FittedTerms(NamedTuple):
    """What is learned of each label.

    Parameters
    ----------
    terms : (labels,) its terms, by name
    typical : (labels,) its typical score by each term, None where none was held out
    summary : what models remember of all instances
    held_out : all scores, where some instances are held out: those of a sample, or every one
    """

    terms: list[dict[str, FittedTerm]]
    typical: Sequence[Floats | None]
    summary: Summary
    held_out: HeldOut | None


def _by_code(data: Training, number: int) -> list[Floats]:
    """Weights of the instances of each activity."""
    return [np.asarray(data.weight)[data.codes == c] for c in range(number)]


class OtherInstances:
    """Instances that are not in a sample, to be counted; folds are those of the sample.

    They share the fold of their group, where it has one, as groups are held out together.
    """

    def __init__(self, data: AnyTraining, folds: Sequence[Ints], horizon: int | None) -> None:
        self.data, self.horizon = data, horizon
        fold_of_group: dict[str, int] = {}
        groups = data.sampled.X.groups
        if data.sample is not None and groups is not None and len(folds) > 1:
            fold_of_group = {str(g): f for f, fold in enumerate(folds) for g in groups[fold]}
        self.shape = fold_of_group, len(data.numbers), len(folds)

    def __call__(self, count: PieceCounter) -> PieceCounts | None:
        """Count them; None if there are none."""
        return self.data.sum_others(_SampleCounter(count, *self.shape), self.horizon)


@dataclass(frozen=True)
class _SampleCounter:
    """Counts instances, each in its fold; it may go to other machines."""

    count: PieceCounter
    fold_of_group: Mapping[str, int]
    activities: int
    folds: int

    def __call__(self, X: IntervalSequences, codes: Ints, weight: Floats | None) -> PieceCounts:
        fold = np.full(len(X), -1)
        if self.fold_of_group and X.groups is not None:
            fold = np.array(
                [self.fold_of_group.get(str(group), -1) for group in X.groups], np.int64
            )
        return self.count(
            Sample(
                X=likeliest_world(X),
                activity=codes,
                fold=fold,
                copied=np.zeros(len(X), bool),
                activities=self.activities,
                folds=self.folds,
                given=weight,
            )
        )


def as_one_instance(instance: IntervalSequences | Instance) -> IntervalSequences:
    """An instance that is to be explained."""
    X = instance if isinstance(instance, IntervalSequences) else as_sequences([instance])
    if len(X) != 1:
        raise DataError(f"one instance is explained, got {len(X)}; choose one, e.g. X[0]")
    return X
