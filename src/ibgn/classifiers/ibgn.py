"""IBGNClassifier: one model an activity, and the activity under which an instance is likeliest."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal, Self, get_args

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ibgn._arrays import Floats
from ibgn.checks import check_choice, check_number
from ibgn.classifiers.base import ActivityClassifier, ClassPrior
from ibgn.intervals import IntervalSequences
from ibgn.model.activity import ActivityModel, fit_activity
from ibgn.model.explanation import Contributions
from ibgn.model.generation import sample_instances
from ibgn.model.tolerance import choose_tolerance, merge_instants
from ibgn.networks import Networks, read_networks
from ibgn.structure import Structure
from ibgn.terms.relations import Smoothing, Unlinked, constraining
from ibgn.terms.selection import Criterion, LinkScores, score_links, score_shared_links
from ibgn.terms.tables import NodeLikelihood, Sampler, Sampling

__all__ = ["IBGNClassifier"]

Learned = float | Literal["learned"]
StructureChoice = (
    Literal["learned", "shared", "chain", "full"] | Structure | Iterable[tuple[int, int]]
)

PAIRS_AT_ONCE = 4_000_000  # instances of about this many pairs are scored together


class IBGNClassifier(ActivityClassifier):
    """Interval-based Bayesian generative network: recognises activities from action intervals.

    One generative model is learned for each activity: tables of actions, and relations of the
    intervals given their actions. An instance belongs to the activity under which it is likeliest.

    Parameters
    ----------
    structure : which pairs of positions carry a relation given the two actions: "full" all of
        them, "chain" neighbours, "learned" those for which it pays, activity by activity,
        "shared" those whose relation differs between activities; or pairs of positions
    criterion, penalty : how links are learned, see `ibgn.terms.selection.score_links`
    smoothing : added to the count of each relation; "learned" fits a prior for each constraint
    node_likelihood : "mixture" weights tables by their share; "sequential" follows the seating;
        "published" is the unweighted sum of the paper
    unlinked : how pairs without a link are scored: by the relations at their positions within
        their constraint ("constrained"), as they are ("marginal"), or not at all ("ignore")
    tolerance : end points closer than this are taken for the same instant, and intervals whose
        own ends are, are not seen; "learned" chooses it, see
        `ibgn.model.tolerance.choose_tolerance`
    class_prior : "uniform", "empirical", or a probability for each label
    sampler, draws, budget, chains, concentration, action_prior : how tables are sampled, see
        `ibgn.terms.tables.Sampling`
    random_state : seed, or a NumPy generator; the same seed gives the same model
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, where standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label
    class_log_prior_ : (activities,) log of the class prior
    tolerance_ : the tolerance, as given or learned

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
        tolerance: Learned = 0.0,
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
        self.tolerance = tolerance
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

    def _check_options(self) -> None:
        super()._check_options()
        if self.smoothing != "learned":
            wanted = "positive, or 'learned'"
            check_number("smoothing", self.smoothing, wanted, lambda value: value > 0)
        if self.tolerance != "learned":
            wanted = "0 or more, or 'learned'"
            check_number("tolerance", self.tolerance, wanted, lambda value: value >= 0)
        check_choice("node_likelihood", self.node_likelihood, get_args(NodeLikelihood))
        check_choice("unlinked", self.unlinked, get_args(Unlinked))
        check_choice("criterion", self.criterion, get_args(Criterion))
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, ("learned", "shared", "chain", "full"))

    def _see_first(self, X: IntervalSequences, codes: npt.NDArray[np.intp]) -> IntervalSequences:
        if self.tolerance == "learned":
            self.tolerance_ = choose_tolerance(X, codes, self.unlinked)
        else:
            self.tolerance_ = float(self.tolerance)
        return self._see(X)

    def _see(self, X: IntervalSequences) -> IntervalSequences:
        return merge_instants(X, self.tolerance_)

    def _fit_activities(self, parts: list[IntervalSequences]) -> list[ActivityModel]:
        rng = _generator(self.random_state)
        self.seed_ = int(rng.integers(2**32))
        sampling = Sampling(
            self.sampler,
            self.draws,
            self.budget,
            self.chains,
            self.concentration,
            self.action_prior,
        )
        given = (
            (label, part, structure, scores, self.smoothing, self.unlinked, sampling, child)
            for label, part, (structure, scores), child in zip(
                self.classes_.tolist(),
                parts,
                self._structures(parts),
                rng.spawn(len(parts)),
                strict=True,
            )
        )
        return list(self._in_parallel(fit_activity, given))

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

    def _log_likelihood(self, X: IntervalSequences) -> Floats:
        scores = [self._log_likelihood_of_piece(part) for part in _pieces(X)]
        together: Floats = np.concatenate([np.zeros((0, len(self.classes_))), *scores])
        return together

    def _log_likelihood_of_piece(self, X: IntervalSequences) -> Floats:
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

    def _contributions(self, X: IntervalSequences, label: Any) -> Contributions:
        model: ActivityModel = self.activities_[label]
        return model.contributions(X, self.node_likelihood, self.unlinked, self.seed_)

    def sample(self, n: int, activity: Any, random_state: Any = None) -> IntervalSequences:
        """Draw new instances of an activity; their relations are always jointly possible."""
        check_is_fitted(self)
        model = self.activities_[self._label(activity)]
        return sample_instances(model, n, _generator(random_state))


def _generator(random_state: Any) -> np.random.Generator:
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
