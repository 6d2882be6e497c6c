"""IBGNClassifier: one model an activity, and the activity under which an instance is likeliest."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from os import PathLike
from typing import Any, Literal, Self, get_args

import joblib
import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ibgn.activity import ActivityModel, fit_activity
from ibgn.explanation import Explanation, explain
from ibgn.generation import sample_instances
from ibgn.intervals import Instance, IntervalSequences, as_sequences, recode
from ibgn.links import Smoothing, Unlinked, constraining
from ibgn.messages import DataError, check_choice, quote
from ibgn.networks import Networks, Sequences, read_networks
from ibgn.nodes import NodeLikelihood, Sampler, Sampling
from ibgn.selection import Criterion, LinkScores, score_links, score_shared_links
from ibgn.structure import Structure

__all__ = ["IBGNClassifier"]

Floats = npt.NDArray[np.float64]
Learned = float | Literal["learned"]
StructureChoice = (
    Literal["learned", "shared", "chain", "full"] | Structure | Iterable[tuple[int, int]]
)
ClassPrior = Literal["uniform", "empirical"] | Mapping[Any, float]

PAIRS_AT_ONCE = 4_000_000  # instances of about this many pairs are scored together


class IBGNClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Interval-based Bayesian generative network: recognises activities from action intervals.

    One generative model is learned for each activity: tables of actions, and relations of the
    intervals given their actions. An instance belongs to the activity under which it is likeliest.

    Parameters
    ----------
    structure : which pairs of positions carry a relation given the two actions: "full" all of
        them, "chain" neighbours, "learned" those for which it pays, activity by activity,
        "shared" those whose relation differs between activities; or pairs of positions
    criterion, penalty : how links are learned, see `ibgn.selection.score_links`
    smoothing : added to the count of each relation; "learned" fits a prior for each constraint
    node_likelihood : "mixture" weights tables by their share; "sequential" follows the seating;
        "published" is the unweighted sum of the paper
    unlinked : how pairs without a link are scored: by the relations at their positions within
        their constraint ("constrained"), as they are ("marginal"), or not at all ("ignore")
    class_prior : "uniform", "empirical", or a probability for each label
    sampler, draws, budget, chains, concentration, action_prior : how tables are sampled, see
        `ibgn.nodes.Sampling`
    random_state : seed, or a NumPy generator; the same seed gives the same model
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, where standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    Every instance gets an answer. An action never seen in training says nothing: it is equally
    likely in every activity. Pairs of actions never seen together, and positions later than any
    in training, fall back to what is known of others. An instance without intervals is decided by
    the class prior, and under a uniform one goes to the first label.

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

    def __init__(
        self,
        structure: StructureChoice = "full",
        *,
        criterion: Criterion = "bdeu",
        penalty: float = 1.0,
        smoothing: Smoothing = 1.0,
        node_likelihood: NodeLikelihood = "mixture",
        unlinked: Unlinked = "constrained",
        class_prior: ClassPrior = "uniform",
        sampler: Sampler = "exact",
        draws: int = 1000,
        budget: int = 20_000,
        chains: int = 1,
        concentration: Learned = "learned",
        action_prior: Learned = "learned",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.structure = structure
        self.criterion = criterion
        self.penalty = penalty
        self.smoothing = smoothing
        self.node_likelihood = node_likelihood
        self.unlinked = unlinked
        self.class_prior = class_prior
        self.sampler = sampler
        self.draws = draws
        self.budget = budget
        self.chains = chains
        self.concentration = concentration
        self.action_prior = action_prior
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    @classmethod
    def published(cls, structure: StructureChoice = "learned", **options: Any) -> Self:
        """Every switch as the paper prints it; it is there for comparison, not for use.

        Examples
        --------
        >>> IBGNClassifier.published("chain").smoothing
        1e-05
        """
        switches: dict[str, Any] = {
            "criterion": "bic-published",
            "smoothing": 1e-5,
            "node_likelihood": "published",
            "unlinked": "ignore",
            "class_prior": "uniform",
            "sampler": "published",
        }
        return cls(structure, **(switches | options))

    def fit(self, X: Sequences, y: npt.ArrayLike) -> Self:
        """Learn a model of each activity.

        Parameters
        ----------
        X : instances, as `IntervalSequences` or lists of (action, start, end)
        y : (n,) label of the activity of each
        """
        self._check_options()
        X, labels = _check_data(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.class_log_prior_ = self._log_prior(codes)
        X = _with_used_actions(X)
        self.actions_ = X.actions
        rng = _generator(self.random_state)
        self.seed_ = int(rng.integers(2**32))
        parts = [X[codes == c] for c in range(len(self.classes_))]
        self.activities_ = dict(
            zip(self.classes_.tolist(), self._fit_activities(parts, rng), strict=True)
        )
        return self

    def _check_options(self) -> None:
        check_choice("node_likelihood", self.node_likelihood, get_args(NodeLikelihood))
        check_choice("unlinked", self.unlinked, get_args(Unlinked))
        check_choice("criterion", self.criterion, get_args(Criterion))
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, ("learned", "shared", "chain", "full"))
        if isinstance(self.class_prior, str):
            check_choice("class_prior", self.class_prior, ("uniform", "empirical"))

    def _fit_activities(
        self, parts: list[IntervalSequences], rng: np.random.Generator
    ) -> list[ActivityModel]:
        sampling = Sampling(
            self.sampler,
            self.draws,
            self.budget,
            self.chains,
            self.concentration,
            self.action_prior,
        )
        parallel = joblib.Parallel(self.n_jobs, prefer="threads", return_as="generator")
        done = parallel(
            joblib.delayed(fit_activity)(
                label, part, structure, scores, self.smoothing, self.unlinked, sampling, child
            )
            for label, part, (structure, scores), child in zip(
                self.classes_.tolist(),
                parts,
                self._structures(parts),
                rng.spawn(len(parts)),
                strict=True,
            )
        )
        return list(_with_progress(done, len(parts), self.progress))

    def _structures(
        self, parts: list[IntervalSequences]
    ) -> list[tuple[Structure, LinkScores | None]]:
        """Structure of each activity, and the scores that decided on it."""
        if isinstance(self.structure, str) and self.structure == "learned":
            scores = joblib.Parallel(self.n_jobs, prefer="threads")(
                joblib.delayed(score_links)(part, self.criterion, self.penalty) for part in parts
            )
            return [(score.structure, score) for score in scores]
        if isinstance(self.structure, str) and self.structure == "shared":
            score = score_shared_links(parts, self.penalty)
            return [(score.structure, score)] * len(parts)
        return [(Structure.of(self.structure), None)] * len(parts)

    def _log_prior(self, codes: npt.NDArray[np.intp]) -> Floats:
        if isinstance(self.class_prior, Mapping):
            return _given_prior(self.class_prior, self.classes_.tolist())
        if self.class_prior == "empirical":
            return np.log(np.bincount(codes) / len(codes))
        return np.full(len(self.classes_), -np.log(len(self.classes_)))

    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        """(n, activities) log P(activity) + log P(instance | activity)."""
        check_is_fitted(self)
        X = recode(as_sequences(X), self.actions_)
        scores = [self._log_likelihood(part) for part in _pieces(X)]
        joint: Floats = np.concatenate([np.zeros((0, len(self.classes_))), *scores])
        return joint + self.class_log_prior_

    def _log_likelihood(self, X: IntervalSequences) -> Floats:
        networks: dict[Structure, Networks] = {}
        scores = np.empty((len(X), len(self.classes_)))
        for c, model in enumerate(self.activities_.values()):
            known = constraining(model.structure, self.unlinked)
            if known not in networks:
                networks[known] = read_networks(X, known, self.n_jobs)
            scores[:, c] = model.log_likelihood(
                X, networks[known], self.node_likelihood, self.unlinked, self.seed_
            )
        return scores

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
        joint = self._joint_log_likelihood(X)[0]
        ranked = [self.classes_.tolist()[c] for c in np.argsort(-joint, kind="stable")]
        chosen = ranked[0] if activity is None else self._label(activity)
        other = next((label for label in ranked if label != chosen), None)
        other = other if against is None else self._label(against)
        if other is None or other == chosen:
            raise DataError("an explanation compares two activities; fit or name two")
        prior = dict(zip(self.classes_.tolist(), self.class_log_prior_.tolist(), strict=True))
        return explain(
            recode(X, self.actions_),
            X,
            self.activities_[chosen],
            self.activities_[other],
            prior[chosen] - prior[other],
            self.node_likelihood,
            self.unlinked,
            self.seed_,
        )

    def sample(self, n: int, activity: Any, random_state: Any = None) -> IntervalSequences:
        """Draw new instances of an activity; their relations are always jointly possible."""
        check_is_fitted(self)
        model = self.activities_[self._label(activity)]
        return sample_instances(model, n, _generator(random_state))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file that `ibgn.load` reads; see `ibgn.persistence`."""
        from ibgn.persistence import save

        save(self, path)

    def _label(self, label: Any) -> Any:
        if label not in self.activities_:
            known = ", ".join(quote(name) for name in list(self.activities_)[:20])
            raise DataError(f"there is no activity {quote(label)}; choose among {known}")
        return label

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = False
        tags.non_deterministic = self.random_state is None
        return tags


def _check_data(X: Sequences, y: npt.ArrayLike) -> tuple[IntervalSequences, npt.NDArray[Any]]:
    X, labels = as_sequences(X), np.asarray(y)
    if len(X) == 0:
        raise DataError("there are no instances to learn from")
    if labels.shape != (len(X),):
        raise DataError(
            f"y has one label an instance, got shape {labels.shape} for {len(X)} instances"
        )
    check_classification_targets(labels)
    return X, labels


def _with_used_actions(X: IntervalSequences) -> IntervalSequences:
    """Leave out of the vocabulary what no interval uses, so that it stays unknown."""
    used = tuple(sorted(X.actions[code] for code in np.unique(X.action)))
    return IntervalSequences._trusted(recode(X, used)._flat(), used, X.ids, X.groups)


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    return np.random.default_rng(random_state)


def _given_prior(prior: Mapping[Any, float], classes: list[Any]) -> Floats:
    missing = [label for label in classes if label not in prior]
    if missing:
        raise DataError(f"class_prior has no probability for {quote(missing[0])}; name them all")
    weights = np.array([prior[label] for label in classes], float)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise DataError(f"probabilities of class_prior are positive, got {weights.tolist()}")
    logs: Floats = np.log(weights / weights.sum())
    return logs


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
