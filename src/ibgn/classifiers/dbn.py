"""DBN: an activity as a chain of actions and a chain of durations that lean on each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_whole
from ibgn.classifiers.base import ActivityClassifier, ClassPrior, check_smoothing
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.model.explanation import Contributions
from ibgn.networks import sum_by_instance

__all__ = ["DBNClassifier", "DurationChain"]


MOST_BINS = 1000
MOST_CELLS = 100_000_000  # of one table: 800 megabytes


@dataclass(frozen=True)
class DurationChain:
    """What was learned about one activity.

    Parameters
    ----------
    name : the activity
    actions : names of all known actions
    first_action : (actions,) log probability of the first action
    next_action : (actions, bins, actions) of the next, by the action and the duration before it
    first_duration : (actions, bins) log probability of the first duration, by its action
    next_duration : (actions, bins, bins) of the next, by its action and the duration before it
    """

    name: Any
    actions: tuple[str, ...]
    first_action: Floats
    next_action: Floats
    first_duration: Floats
    next_duration: Floats

    def log_terms(self, X: IntervalSequences, durations: Ints) -> Floats:
        """Log probability of each interval given the one before it; 0 for unknown actions."""
        known = np.flatnonzero(X.action < len(self.actions))
        a, d = X.action[known], durations[known]
        first = np.diff(X.owner[known], prepend=-1) != 0
        before, lasted = np.roll(a, 1), np.roll(d, 1)
        terms = np.zeros(len(X.action))
        terms[known] = np.where(
            first,
            self.first_action[a] + self.first_duration[a, d],
            self.next_action[before, lasted, a] + self.next_duration[a, lasted, d],
        )
        return terms

    def __repr__(self) -> str:
        actions, bins = self.first_duration.shape
        return f"DurationChain {self.name!r}: {actions} actions, {bins} bins of durations"


class DBNClassifier(ActivityClassifier):
    """Dynamic Bayesian network of actions and their durations.

    Actions come in the order of their starts. Each depends on the action and the duration before
    it, each duration on its own action and the duration before it.

    Parameters
    ----------
    n_bins : durations are sorted into this many bins, with as many training intervals in each;
        1 leaves durations out
    smoothing : weight of what is known without part of the context, as a number of observations;
        a context never seen in training backs off to it wholly
    class_prior : "uniform", "empirical", or a probability for each label
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, where standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : a `DurationChain` for each label
    edges_ : (bins - 1,) durations at which the next bin begins, the same for all activities
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    Relations are not seen. Intervals of actions never seen in training are passed over; an instance
    without intervals is decided by the prior.

    Examples
    --------
    >>> X = [[("hold", 0, 1), ("stir", 1, 3)], [("hold", 0, 9), ("stir", 9, 11)]]
    >>> model = DBNClassifier(n_bins=3).fit(X, ["coffee", "dough"])
    >>> model.predict([[("hold", 0, 10), ("stir", 10, 12)]]).tolist()
    ['dough']
    """

    def __init__(
        self,
        n_bins: int = 8,
        *,
        smoothing: float = 2.0,
        class_prior: ClassPrior = "uniform",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_options(self) -> None:
        super()._check_options()
        check_whole("n_bins", self.n_bins, 1, MOST_BINS)
        check_smoothing(self.smoothing)

    def _fit_activities(self, parts: list[IntervalSequences]) -> list[DurationChain]:
        self.edges_ = _edges(np.concatenate([part.end - part.start for part in parts]), self.n_bins)
        self._check_size(len(self.edges_) + 1)
        given = (
            (label, part, self._bins(part), len(self.edges_) + 1, self.smoothing)
            for label, part in zip(self.classes_.tolist(), parts, strict=True)
        )
        return list(self._in_parallel(fit_chain, given))

    def _check_size(self, bins: int) -> None:
        """Refuse tables that would fill the memory."""
        cells = len(self.actions_) * bins * max(len(self.actions_), bins)
        if cells > MOST_CELLS:
            raise DataError(
                f"{len(self.actions_):,} actions with {bins:,} bins of durations need {cells:,} "
                f"probabilities an activity, at most {MOST_CELLS:,} are possible; lower n_bins"
            )

    def _bins(self, X: IntervalSequences) -> Ints:
        return np.searchsorted(self.edges_, X.end - X.start, side="right").astype(np.int64)

    def _log_likelihood(self, X: IntervalSequences) -> Floats:
        durations, models = self._bins(X), self.activities_.values()
        return np.column_stack(
            [sum_by_instance(X.offsets, model.log_terms(X, durations)) for model in models]
        )

    def _contributions(self, X: IntervalSequences, label: Any) -> Contributions:
        terms = self.activities_[label].log_terms(X, self._bins(X))
        return Contributions(terms, np.zeros((len(terms), len(terms))), {})


def fit_chain(
    name: Any, X: IntervalSequences, durations: Ints, bins: int, smoothing: float
) -> DurationChain:
    """Learn one activity from its instances and the bins of their durations."""
    size, first = len(X.actions), np.diff(X.owner, prepend=-1) != 0
    a, d, later = X.action.astype(np.int64), durations, ~first
    before, lasted = np.roll(a, 1)[later], np.roll(d, 1)[later]

    actions = _counts((a,), (size,))
    action = _smoothed(actions, np.full(size, 1 / max(size, 1)), smoothing)
    after = _smoothed(_counts((before, a[later]), (size, size)), action, smoothing)
    next_action = _counts((before, lasted, a[later]), (size, bins, size))

    by_bin = _smoothed(_counts((d,), (bins,)), np.full(bins, 1 / bins), smoothing)
    by_action = _smoothed(_counts((a, d), (size, bins)), by_bin, smoothing)
    next_duration = _counts((a[later], lasted, d[later]), (size, bins, bins))
    return DurationChain(
        name=name,
        actions=X.actions,
        first_action=np.log(_smoothed(_counts((a[first],), (size,)), action, smoothing)),
        next_action=np.log(_smoothed(next_action, after[:, None], smoothing)),
        first_duration=np.log(
            _smoothed(_counts((a[first], d[first]), (size, bins)), by_action, smoothing)
        ),
        next_duration=np.log(_smoothed(next_duration, by_action[:, None], smoothing)),
    )


def _edges(durations: Floats, bins: int) -> Floats:
    """Quantiles of the logarithm, those that coincide once."""
    if len(durations) == 0:
        return np.zeros(0)
    inner = np.arange(1, bins) / bins
    edges = np.exp(np.quantile(np.log(durations), inner))
    # rounding must not move an edge past the duration that it is
    low, high = (np.quantile(durations, inner, method=to) for to in ("lower", "higher"))
    return np.unique(np.clip(edges, low, high))


def _counts(index: tuple[npt.NDArray[Any], ...], shape: tuple[int, ...]) -> Floats:
    flat = np.ravel_multi_index(index, shape) if 0 not in shape else np.zeros(0, np.int64)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape).astype(float)


def _smoothed(counts: Floats, expected: Floats, weight: float) -> Floats:
    """Shares along the last axis, drawn towards what is expected."""
    total = counts.sum(axis=-1, keepdims=True)
    shares: Floats = (counts + weight * expected) / (total + weight)
    return shares
