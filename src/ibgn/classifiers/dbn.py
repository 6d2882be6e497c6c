"""DBN: an activity as a chain of actions and a chain of durations that depend on each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._arrays import Floats, Ints
from ibgn.checks import check_prior_count, check_whole
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.prior import ClassPrior
from ibgn.declarations import FLOAT, are_smoothed_log_probs, is_increasing, stored
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.parts import Part, probability
from ibgn.training_data import UnknownActions

__all__ = ["DBNClassifier", "DurationChain", "Steps"]

MOST_BINS = 1000
MOST_CELLS = 100_000_000  # of one array: 800 megabytes


@dataclass(frozen=True)
class StepCounts(Counts):
    """How often intervals follow each other.

    Parameters
    ----------
    actions, first_actions : (actions,) of all intervals, and of the first ones
    next_actions : (actions, bins, actions) by the action and the duration before
    durations, first_durations : (actions, bins) of all intervals, and of the first ones
    next_durations : (actions, bins, bins) by the action and the duration before
    """

    actions: Floats
    first_actions: Floats
    next_actions: Floats
    durations: Floats
    first_durations: Floats
    next_durations: Floats


@dataclass(frozen=True)
class DurationChain(FittedTerm):
    """What was learned about one activity.

    Parameters
    ----------
    edges : (bins - 1,) durations at which the next bin begins, the same for all activities
    first_action : (actions,) log probability of the first action
    next_action : (actions, bins, actions) of the next, by the action and the duration before it
    first_duration : (actions, bins) log probability of the first duration, by its action
    next_duration : (actions, bins, bins) of the next, by its action and the duration before it
    """

    edges: Floats = stored(FLOAT, "edges", holds=is_increasing)
    first_action: Floats = stored(FLOAT, "actions", holds=are_smoothed_log_probs)
    next_action: Floats = stored(
        FLOAT, "actions", "edges+1", "actions", holds=are_smoothed_log_probs
    )
    first_duration: Floats = stored(FLOAT, "actions", "edges+1", holds=are_smoothed_log_probs)
    next_duration: Floats = stored(
        FLOAT, "actions", "edges+1", "edges+1", holds=are_smoothed_log_probs
    )

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each interval given the one before it; 0 for unknown actions."""
        known = np.flatnonzero(X.action < len(self.actions))
        a, d = X.action[known], _bins(X, self.edges)[known]
        first = np.diff(X.owner[known], prepend=-1) != 0
        before, lasted = np.roll(a, 1), np.roll(d, 1)
        terms = np.zeros(len(X.action))
        terms[known] = np.where(
            first,
            self.first_action[a] + self.first_duration[a, d],
            self.next_action[before, lasted, a] + self.next_duration[a, lasted, d],
        )
        return LogTerms(interval=terms)

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of the intervals, given those before."""
        return probability(self.log_terms(X).interval, part)

    def describe(self) -> pd.DataFrame:
        """Actions that follow an action whatever its duration, the likeliest first."""
        after = np.exp(self.next_action).mean(axis=1)
        rows = [
            (self.actions[a], self.actions[b], float(after[a, b]))
            for a, b in np.ndindex(after.shape)
        ]
        frame = pd.DataFrame(rows, columns=["before", "action", "probability"])
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of actions and bins of durations."""
        actions, bins = self.first_duration.shape
        return f"{actions} actions, {bins} bins of durations"


@dataclass(frozen=True)
class Steps(Term):
    """Actions and binned durations, each given the ones before, see `DBNClassifier`."""

    name = "steps"
    fitted = DurationChain

    n_bins: int = 8
    smoothing: float = 2.0
    _edges: Floats = field(
        default_factory=lambda: np.zeros(0), init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_whole("n_bins", self.n_bins, 1, MOST_BINS)
        check_prior_count("smoothing", self.smoothing)

    def specialise(
        self, parts: Sequence[IntervalSequences], weights: Sequence[Floats] | None = None
    ) -> list["Steps"]:
        """Find the bins, which are the same for all activities."""
        lasts = np.concatenate([part.end - part.start for part in parts])
        of_instances = weights or [np.ones(len(part)) for part in parts]
        weight = [w[part.owner] for w, part in zip(of_instances, parts, strict=True)]
        edges = _quantiles(lasts, np.concatenate(weight), self.n_bins)
        actions, bins = len(parts[0].actions), len(edges) + 1
        cells = actions * bins * max(actions, bins)
        if cells > MOST_CELLS:  # they would fill the memory
            raise DataError(
                f"{actions:,} actions with {bins:,} bins of durations need {cells:,} probabilities "
                f"per activity, at most {MOST_CELLS:,} are possible; lower ",
                Option("n_bins"),
            )
        special = replace(self)
        object.__setattr__(special, "_edges", edges)
        return [special] * len(parts)

    def count(self, X: IntervalSequences) -> StepCounts:
        """Count actions and bins of durations given the ones before."""
        size, bins, first = len(X.actions), len(self._edges) + 1, np.diff(X.owner, prepend=-1) != 0
        a, d, later = X.action.astype(np.int64), _bins(X, self._edges), ~first
        before, lasted = np.roll(a, 1)[later], np.roll(d, 1)[later]
        return StepCounts(
            actions=_counts((a,), (size,)),
            first_actions=_counts((a[first],), (size,)),
            next_actions=_counts((before, lasted, a[later]), (size, bins, size)),
            durations=_counts((a, d), (size, bins)),
            first_durations=_counts((a[first], d[first]), (size, bins)),
            next_durations=_counts((a[later], lasted, d[later]), (size, bins, bins)),
        )

    def fit(self, counts: StepCounts, pooled: None, context: Context) -> DurationChain:
        """Turn counts into log probabilities that back off to less context."""

        def logs(part: Floats, expected: Floats) -> Floats:
            result: Floats = np.log(_smoothed(part, expected, self.smoothing))
            return result

        size, bins = counts.durations.shape
        action = _smoothed(counts.actions, np.full(size, 1 / max(size, 1)), self.smoothing)
        after = _smoothed(counts.next_actions.sum(axis=1), action, self.smoothing)
        by_bin = _smoothed(counts.durations.sum(axis=0), np.full(bins, 1 / bins), self.smoothing)
        by_action = _smoothed(counts.durations, by_bin, self.smoothing)
        return DurationChain(
            actions=context.actions,
            edges=self._edges,
            first_action=logs(counts.first_actions, action),
            next_action=logs(counts.next_actions, after[:, None]),
            first_duration=logs(counts.first_durations, by_action),
            next_duration=logs(counts.next_durations, by_action[:, None]),
        )


class DBNClassifier(ActivityClassifier):
    """Dynamic Bayesian network of actions and their durations.

    Actions come in the order of their starts. Each depends on the action and the duration before
    it, each duration on its own action and the duration before it.

    Parameters
    ----------
    n_bins : durations are sorted into this many bins, with equally many training intervals in
        each; 1 leaves durations out
    smoothing : weight of the distribution with less context, as a number of observations; a
        context never seen in training backs off to it completely
    class_prior : "uniform", "empirical", or a probability for each label
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, if standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label, with the term "steps"
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    The model does not see relations. Intervals of actions never seen in training are skipped; an
    instance without intervals is decided by the prior.

    Examples
    --------
    >>> X = [[("hold", 0, 1), ("stir", 1, 3)], [("hold", 0, 9), ("stir", 9, 11)]]
    >>> model = DBNClassifier(n_bins=3).fit(X, ["coffee", "dough"])
    >>> model.predict([[("hold", 0, 10), ("stir", 10, 12)]]).tolist()
    ['dough']
    """

    short_name = "dbn"
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "n_bins": (1, 2, 4, 8),
        "smoothing": (0.5, 2.0),
    }

    def __init__(
        self,
        n_bins: int = 8,
        *,
        smoothing: float = 2.0,
        class_prior: ClassPrior = "uniform",
        unknown_actions: UnknownActions = "warn",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.unknown_actions = unknown_actions
        self.n_jobs = n_jobs
        self.progress = progress

    def _make_terms(self) -> list[Steps]:
        return [Steps(self.n_bins, self.smoothing)]


def _bins(X: IntervalSequences, edges: Floats) -> Ints:
    return np.searchsorted(edges, X.end - X.start, side="right").astype(np.int64)


def _quantiles(durations: Floats, weight: Floats, bins: int) -> Floats:
    """Distinct quantiles of the logarithm; a duration is there as often as it weighs."""
    if len(durations) == 0:
        return np.zeros(0)
    order = np.argsort(durations, kind="stable")
    until = np.cumsum(weight[order])
    place = np.maximum(until[-1] - 1, 0.0) * np.arange(1, bins) / bins
    # the duration at each whole place, and the next, if each were repeated
    first, second = (
        np.minimum(np.searchsorted(until, whole, side="right"), len(order) - 1)
        for whole in (np.floor(place), np.ceil(place))
    )
    low, high = durations[order][first], durations[order][second]
    part = place - np.floor(place)
    edges = np.exp((1 - part) * np.log(low) + part * np.log(high))
    return np.unique(np.clip(edges, low, high))  # rounding must not move one past its duration


def _counts(index: tuple[npt.NDArray[Any], ...], shape: tuple[int, ...]) -> Floats:
    flat = np.ravel_multi_index(index, shape) if 0 not in shape else np.zeros(0, np.int64)
    return np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape).astype(float)


def _smoothed(counts: Floats, expected: Floats, weight: float) -> Floats:
    """Shares along the last axis, smoothed towards the expected ones."""
    total = counts.sum(axis=-1, keepdims=True)
    shares: Floats = (counts + weight * expected) / (total + weight)
    return shares
