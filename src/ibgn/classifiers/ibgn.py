"""IBGNClassifier: one set of terms per activity, and the likeliest activity of an instance."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ibgn.checks import check_choice, check_number
from ibgn.classifiers.base import ActivityClassifier, OtherInstances
from ibgn.classifiers.checks import check_length, check_weights
from ibgn.classifiers.in_parts import LearnsInParts
from ibgn.classifiers.prior import ClassPrior
from ibgn.classifiers.recogniser import as_generator
from ibgn.classifiers.self_training import self_train
from ibgn.classifiers.streamed import AnyTraining, refuse_uncountable
from ibgn.classifiers.styled import StyledClassifier
from ibgn.declarations import ANY, FLOAT, Stored, are_probs, are_weights, is_natural
from ibgn.errors import DataError, OptionError
from ibgn.horizon import check_horizon, count_within
from ibgn.intervals import IntervalSequences, as_sequences
from ibgn.model.folds import make_inner_folds
from ibgn.model.generation import sample_instances
from ibgn.model.learning import HeldOut, Lesson, copy_with_errors
from ibgn.model.style_search import StyleChoice
from ibgn.model.tolerance import choose_tolerance, count_emptied, merge_instants
from ibgn.model.unlabelled import Unlabelled, find_labelled
from ibgn.model.weights import MOST, USUAL, fit_weights
from ibgn.networks import Sequences
from ibgn.sources import InstanceSource
from ibgn.terms.base import Term
from ibgn.terms.choice import make_terms
from ibgn.terms.relations import StructureChoice, Ties, Unlinked
from ibgn.terms.sampling import Sampler
from ibgn.terms.selection import Criterion
from ibgn.terms.smoothing import Smoothing
from ibgn.terms.tables import NodeLikelihood
from ibgn.training_data import UnknownActions
from ibgn.worlds import likeliest_world

__all__ = ["IBGNClassifier"]

Learned = float | Literal["learned"]
Weights = Literal["equal", "learned"] | Mapping[str, float]

DEFAULT_TERMS = (
    "length",
    "occurrences",
    "order",
    "relations",
    "durations",
    "totals",
    "starts",
    "gaps",
    "occupancy",
    "switches",
)
PAPER: Mapping[str, Any] = {
    "terms": ("tables", "relations"),
    "weights": "equal",
    "copy_weight": 0.0,
}
"""What the paper's model has: its terms, and their plain product."""

FOLDS = 5  # on which weights are learned


class IBGNClassifier(LearnsInParts, StyledClassifier):
    """Interval-based Bayesian generative network: recognises activities from action intervals.

    One generative model is learned for each activity, as a set of terms: each knows one side of an
    activity, such as the relations of its intervals or how long they last. Terms are weighted by
    how well they tell activities apart. An instance belongs to the activity under which it is
    likeliest.

    Parameters
    ----------
    structure : which pairs of positions have a relation given the two actions: "full" all of
        them, "chain" neighbours, "learned" those whose relation depends on the actions, activity
        by activity, "shared" those whose relation differs between activities; or pairs of positions
    terms : what is learned about each activity: names of terms (those in `ibgn.terms.TERMS`),
        which take the options below, or terms with their own options; the paper's model has
        ("tables", "relations") and equal weights
    weights : how much each term counts: "learned" finds weights under which held-out instances are
        recognised best, see `ibgn.model.weights`; "equal" is the plain product of their
        probabilities; or a weight for each name
    copy_weight : how much copies of the instances with errors, as detectors make them, count in
        learning; 0 learns from the instances alone. Other styles of an activity count as much.
    styles : in how many ways each activity is done, each with its own terms and structure; 1, a
        number, or "learned", see `ibgn.model.style_search.find_styles`
    unlabelled : what `fit` does where a label is missing (None or NaN): "refuse" raises an error,
        "ignore" leaves the instance out with a warning, "self-training" learns from it too, see
        `ibgn.classifiers.self_training`
    criterion, penalty : how links are learned, see `ibgn.terms.selection.score_links`
    smoothing : added to the count of each relation; "learned" fits a prior for each constraint
    node_likelihood : how tables are scored: "sequential" sums over seatings; "published" is the
        unweighted sum of the paper
    unlinked : how pairs without a link are scored: by their second action within their constraint
        ("constrained"), by their second action alone ("marginal"), or not at all ("ignore")
    ties : equal intervals are sorted by action, so "sorted" excludes `equals` where actions
        descend; "published" leaves it open
    horizon : how many intervals after each it is related with, in the order of their starts; None
        for all. With a number, time and memory are linear in the length of an instance, whatever
        overlaps; `pairs_` says how much is left out
    tolerance : end points closer than this are the same instant, and intervals that this empties
        are dropped; "learned" chooses it, see `ibgn.model.tolerance.choose_tolerance`
    class_prior : "uniform", "empirical", or a probability for each label
    sampler, draws, budget, chains, table_sample, concentration, action_prior : how tables are
        sampled, where "tables" is a term, see `ibgn.terms.sampling.Sampling`
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    random_state : seed, or a NumPy generator; the same seed gives the same model
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, and how many sweeps of tables, if standard error is a
        terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label
    class_log_prior_ : (activities,) log of the class prior
    tolerance_ : the tolerance, set or learned
    emptied_ : number of training intervals that it emptied, and that were dropped
    weights_ : (terms,) how much each term counts, in the order of `terms_`
    pairs_ : number of pairs of intervals that the training instances have within the horizon, and
        of all that they have
    styles_ : (instances, styles) probability of each style of its activity, for each training
        instance; 0 beyond the styles of the activity

    Notes
    -----
    An action never seen in training is equally likely in every activity. Pairs of actions that were
    never seen together fall back to what is known of others. Without intervals, the prior decides.

    Examples
    --------
    >>> X = [
    ...     [("boil", 0, 4), ("pour", 4, 6)],
    ...     [("boil", 0, 3), ("pour", 3, 5)],
    ...     [("grind", 0, 2), ("pour", 1, 5)],
    ...     [("grind", 0, 3), ("pour", 2, 6)],
    ... ]
    >>> model = IBGNClassifier(random_state=0).fit(X, ["tea", "tea", "coffee", "coffee"])
    >>> model.predict([[("grind", 0, 5), ("pour", 4, 9)]]).tolist()
    ['coffee']
    """

    short_name = "ibgn"
    fits_sources = True
    learned: ClassVar[Mapping[str, Stored]] = {
        "tolerance_": Stored(float, holds=lambda tolerance: 0 <= tolerance < np.inf),
        "emptied_": Stored(int, holds=is_natural),
        "weights_": Stored(FLOAT, ("terms",), are_weights),
        "styles_": Stored(FLOAT, ("training", ANY), are_probs),
    }
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {"smoothing": (0.3, 1.0, 3.0)}

    def __init__(
        self,
        structure: StructureChoice = "full",
        *,
        terms: Sequence[str | Term] = DEFAULT_TERMS,
        weights: Weights = "learned",
        copy_weight: float = 0.15,
        styles: StyleChoice = 1,
        unlabelled: Unlabelled = "refuse",
        criterion: Criterion = "bic",
        penalty: float = 1.0,
        smoothing: Smoothing = 1.0,
        node_likelihood: NodeLikelihood = "sequential",
        unlinked: Unlinked = "constrained",
        ties: Ties = "sorted",
        horizon: int | None = None,
        tolerance: Learned = 0.0,
        class_prior: ClassPrior = "uniform",
        sampler: Sampler = "exact",
        draws: int = 1000,
        budget: int = 3000,
        chains: int = 2,
        table_sample: int | Literal["all"] = 10_000,
        concentration: Learned = "learned",
        action_prior: Learned = "learned",
        unknown_actions: UnknownActions = "warn",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.structure = structure
        self.terms = terms
        self.weights = weights
        self.copy_weight = copy_weight
        self.styles = styles
        self.unlabelled = unlabelled
        self.criterion = criterion
        self.penalty = penalty
        self.smoothing = smoothing
        self.node_likelihood = node_likelihood
        self.unlinked = unlinked
        self.ties = ties
        self.horizon = horizon
        self.tolerance = tolerance
        self.class_prior = class_prior
        self.sampler = sampler
        self.draws = draws
        self.budget = budget
        self.chains = chains
        self.table_sample = table_sample
        self.concentration = concentration
        self.action_prior = action_prior
        self.unknown_actions = unknown_actions
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    @classmethod
    def published(cls, structure: StructureChoice = "learned", **options: Any) -> Self:
        """The model with every setting as the paper prints it, for comparison only.

        Examples
        --------
        >>> IBGNClassifier.published("chain").smoothing
        1e-05
        """
        switches: dict[str, Any] = {
            **PAPER,
            "criterion": "bic-published",
            "smoothing": 1e-5,
            "node_likelihood": "published",
            "unlinked": "ignore",
            "ties": "published",
            "class_prior": "uniform",
            "sampler": "published",
        }
        return cls(structure, **(switches | options))

    @classmethod
    def variants(cls) -> Mapping[str, Callable[[int], ActivityClassifier]]:
        """IBGN-T is `IBGNClassifier` with its defaults; the others have the terms of the paper."""
        return {
            "IBGN-C": lambda seed: cls("chain", random_state=seed, **PAPER),
            "IBGN-F": lambda seed: cls("full", random_state=seed, **PAPER),
            "IBGN": lambda seed: cls("learned", random_state=seed, **PAPER),
            "IBGN-T": lambda seed: cls(random_state=seed),
            "published IBGN-C": lambda seed: cls.published("chain", random_state=seed),
            "published IBGN-F": lambda seed: cls.published("full", random_state=seed),
            "published IBGN": lambda seed: cls.published("learned", random_state=seed),
        }

    def fit(
        self,
        X: Sequences | InstanceSource,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn a model of each activity.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end); or a source of more
            than memory holds, which has labels and groups, see `ibgn.scan`: the model is the same
            to the last bit
        y : (n,) label of the activity of each; some may be missing, see `unlabelled`
        sample_weight : (n,) how many instances each counts as; 0 leaves one out
        groups : (n,) what is held out together, to learn weights of terms; in place of `X.groups`

        Notes
        -----
        A source is read twice, and once more if `tolerance` is not 0. Terms that need all instances
        at once are refused, and so are `styles`.
        """
        if isinstance(X, InstanceSource):
            for name, value in (("y", y), ("sample_weight", sample_weight), ("groups", groups)):
                if value is not None:
                    raise DataError(f"{name} is not given with a source, which has its own labels")
            self._check_options()
            refuse_uncountable(self._make_terms(), self.styles, self.unlabelled)
            self._learn(self._begin_source(X))
            return self
        if y is None:
            raise DataError("y is missing; give one label per instance")
        known = find_labelled(y, self.unlabelled)
        if known.all():
            self._learn(self._begin(X, y, sample_weight, groups))
            return self
        X = as_sequences(X) if groups is None else as_sequences(X).with_groups(groups)
        check_length(X, known)
        given = check_weights(X, sample_weight)
        weight = np.ones(len(X)) if given is None else given
        labels = np.asarray(y, object).ravel()[known & (weight > 0)].tolist()
        X, known, weight = X[weight > 0], known[weight > 0], weight[weight > 0]
        self._learn(self._begin(X[known], labels, weight[known]))
        if self.unlabelled == "self-training":
            self_train(self, X, known, labels, weight)
        return self

    def _check_options(self) -> None:
        super()._check_options()
        check_horizon(self.horizon)
        if not (isinstance(self.tolerance, str) and self.tolerance == "learned"):
            required = "0 or more, or 'learned'"
            check_number("tolerance", self.tolerance, required, lambda value: value >= 0)
        check_number("copy_weight", self.copy_weight, "from 0 to 1", lambda value: 0 <= value <= 1)
        if not isinstance(self.weights, Mapping):
            check_choice("weights", self.weights, ("equal", "learned"))
            return
        for name in (term.name for term in self._make_terms()):
            if name not in self.weights:
                raise OptionError("weights", self.weights, f"must have a weight for {name!r}")
            check_number(
                "weights",
                self.weights[name],
                f"0 or more, at most {MOST:g}",
                lambda value: 0 <= value <= MOST,
            )

    def _make_terms(self) -> list[Term]:
        return make_terms(self.terms, self.get_params(deep=False))

    def _make_lesson(
        self,
        terms: list[Sequence[Term]],
        data: AnyTraining,
        rng: np.random.Generator,
        labels: Sequence[Any],
    ) -> Lesson:
        X, codes, weight, _ = data.sampled
        certain = likeliest_world(X)
        names = [of_activities[0].name for of_activities in terms]
        self.weights_ = np.ones(len(names))
        if isinstance(self.weights, Mapping):
            self.weights_ = np.array([float(self.weights[name]) for name in names])
        folds = [np.arange(len(X))]
        if self.weights == "learned" and len(names) > 1 and len(self.classes_) > 1:
            self.weights_ = np.full(len(names), USUAL)  # also where there is too little to learn
            folds = make_inner_folds(certain, codes, FOLDS)
            if len(folds) == 1:  # no activity can be held out, but others can be compared
                folds = make_inner_folds(certain, np.zeros_like(codes), FOLDS)
        copies = copy_with_errors(X, rng.spawn(1)[0]) if self.copy_weight else []
        owner = self._columns(labels)[1]
        return Lesson(
            terms,
            certain,
            codes,
            folds,
            copies,
            self.copy_weight,
            owner,
            weight,
            OtherInstances(data, folds, self.horizon),
            data.stands_for,
            data.counted,
        )

    def _set_weights(self, held_out: HeldOut, labels: Sequence[Any]) -> None:
        self.weights_ = fit_weights(held_out, *self._columns(labels))

    def _prepare_training(self, data: AnyTraining) -> AnyTraining:
        X, codes, weight, _ = data.sampled
        learn = self.tolerance == "learned"
        self.tolerance_ = (
            choose_tolerance(X, codes, self.unlinked, weight, self.horizon)
            if learn
            else float(self.tolerance)
        )
        merged = data.transform(self._prepare) if self.tolerance_ else data
        self.emptied_ = count_emptied(data.intervals, merged.intervals, self.tolerance_)
        return merged

    def _prepare(self, X: IntervalSequences) -> IntervalSequences:
        return merge_instants(X, self.tolerance_)

    @property
    def pairs_(self) -> tuple[int, int]:
        """Pairs of training intervals within the horizon, and all."""
        check_is_fitted(self)
        lengths = np.concatenate([known.lengths for known in self.activities_.values()])
        within, every = (int(count_within(lengths, reach).sum()) for reach in (self.horizon, None))
        return within, every

    def sample(self, n: int, activity: Any, random_state: Any = None) -> IntervalSequences:
        """Draw new instances of an activity; their relations are always jointly possible."""
        check_is_fitted(self)
        model = self.activities_[self._label(activity)]
        return sample_instances(model, n, as_generator(random_state))
