"""IBGNClassifier: one model an activity, and the activity under which an instance is likeliest."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import joblib
import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ibgn.activity import ActivityModel, fit_activity
from ibgn.intervals import IntervalSequences, as_sequences, recode
from ibgn.links import Smoothing, Unlinked, constraining
from ibgn.messages import DataError, check_choice
from ibgn.networks import Networks, Sequences, read_networks
from ibgn.nodes import NodeLikelihood, Sampling
from ibgn.selection import Criterion, LinkScores, score_links, score_shared_links
from ibgn.structure import Structure

__all__ = ["IBGNClassifier"]

Floats = npt.NDArray[np.float64]
StructureChoice = Literal["learned", "shared", "chain", "full"]
ClassPrior = Literal["uniform", "empirical"] | Mapping[Any, float]

PAIRS_AT_ONCE = 2_000_000


class IBGNClassifier(ClassifierMixin, BaseEstimator):
    """Interval-based Bayesian generative network, one for each activity."""

    def __init__(
        self,
        structure: StructureChoice | Structure | Iterable[tuple[int, int]] = "full",
        *,
        criterion: Criterion = "bdeu",
        penalty: float = 1.0,
        smoothing: Smoothing = 1.0,
        node_likelihood: NodeLikelihood = "mixture",
        unlinked: Unlinked = "marginal",
        class_prior: ClassPrior = "uniform",
        sampler: Literal["exact", "published"] = "exact",
        draws: int = 1000,
        budget: int = 20_000,
        chains: int = 1,
        concentration: float | Literal["learned"] = "learned",
        action_prior: float | Literal["learned"] = "learned",
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

    def fit(self, X: Sequences, y: npt.ArrayLike) -> "IBGNClassifier":
        X = as_sequences(X)
        labels = np.asarray(y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.actions_ = tuple(sorted(X.actions[a] for a in np.unique(X.action)))
        X = recode(X, self.actions_)
        X = IntervalSequences._trusted(X._flat(), self.actions_)
        rng = np.random.default_rng(self.random_state)
        self.seed_ = int(rng.integers(2**32))
        parts = [X[codes == c] for c in range(len(self.classes_))]
        plans = self._structures(parts)
        sampling = Sampling(
            self.sampler, self.draws, self.budget, self.chains, self.concentration, self.action_prior
        )
        work = joblib.Parallel(n_jobs=self.n_jobs, prefer="threads")
        models = work(
            joblib.delayed(fit_activity)(
                label, part, structure, scores, self.smoothing, self.unlinked, sampling, child
            )
            for label, part, (structure, scores), child in zip(
                self.classes_, parts, plans, rng.spawn(len(parts)), strict=True
            )
        )
        self.activities_ = dict(zip(self.classes_.tolist(), models, strict=True))
        self.class_log_prior_ = self._log_prior(codes)
        return self

    def _structures(self, parts):
        if isinstance(self.structure, str) and self.structure == "learned":
            scores = [score_links(part, self.criterion, self.penalty) for part in parts]
            return [(score.structure, score) for score in scores]
        if isinstance(self.structure, str) and self.structure == "shared":
            score = score_shared_links(parts, self.penalty)
            return [(score.structure, score)] * len(parts)
        return [(Structure.of(self.structure), None)] * len(parts)

    def _log_prior(self, codes):
        if self.class_prior == "empirical":
            return np.log(np.bincount(codes) / len(codes))
        return np.full(len(self.classes_), -np.log(len(self.classes_)))

    def _joint_log_likelihood(self, X: Sequences) -> Floats:
        check_is_fitted(self)
        X = recode(as_sequences(X), self.actions_)
        networks: dict[Structure, Networks] = {}
        result = np.empty((len(X), len(self.classes_)))
        for c, model in enumerate(self.activities_.values()):
            known = constraining(model.structure, self.unlinked)
            if known not in networks:
                networks[known] = read_networks(X, known, self.n_jobs)
            result[:, c] = model.log_likelihood(
                X, networks[known], self.node_likelihood, self.unlinked, self.seed_
            )
        return result + self.class_log_prior_

    def predict(self, X):
        return self.classes_[self._joint_log_likelihood(X).argmax(axis=1)]
