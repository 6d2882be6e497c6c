"""IHMM: an activity as several Markov chains of actions that take turns."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ibgn._arrays import Floats
from ibgn._kernels.chains import assign_tracks, chain_terms
from ibgn.checks import check_whole
from ibgn.classifiers.base import ActivityClassifier, ClassPrior, check_smoothing
from ibgn.errors import DataError
from ibgn.intervals import IntervalSequences
from ibgn.model.explanation import Contributions
from ibgn.networks import sum_by_instance
from ibgn.text import count, quote

__all__ = ["IHMMClassifier", "InterleavedChains"]

Chains = int | Literal["overlap"]

MOST_STATES = 4_000_000  # times their chains, in one step: some hundred megabytes
MOST_CHAINS = 2000  # with more, even one state leads to too many


@dataclass(frozen=True)
class InterleavedChains:
    """What was learned about one activity.

    Parameters
    ----------
    name : the activity
    actions : names of all known actions
    switch : (chains + 1, chains) log probability of the chain that speaks next by the one that
        spoke last; the last row is for the first interval
    step : (actions + 1, actions) log probability of an action by the last one of the same chain;
        the last row is for the first of a chain
    """

    name: Any
    actions: tuple[str, ...]
    switch: Floats
    step: Floats

    @property
    def chains(self) -> int:
        """How many chains take turns."""
        return int(self.switch.shape[1])

    def log_terms(self, X: IntervalSequences, beam: int | None) -> Floats:
        """Log probability of each action given those before it; 0 for unknown ones."""
        most = MOST_STATES // self.chains
        terms = chain_terms(X.offsets, X.action, self.switch, self.step, beam or 0, most)
        if np.isnan(terms).any():
            raise DataError(
                f"an instance leads to more than {most:,} states of {self.chains} chains; "
                "set a smaller beam, or fewer chains"
            )
        return terms

    def __repr__(self) -> str:
        return f"InterleavedChains {self.name!r}: {count(self.chains, 'chain')}"


class IHMMClassifier(ActivityClassifier):
    """Interleaved hidden Markov model: chains of actions that take turns.

    Actions come in the order of their starts. Each belongs to one of several chains, and depends on
    the last action of that chain; which chain is next depends on the one before. In training,
    intervals that overlap are in different chains, as far as there are enough. For a new instance
    all ways to share its actions among the chains are summed up.

    Parameters
    ----------
    n_chains : chains of an activity; "overlap" takes the most intervals of a training instance
        that run at the same time, activity by activity
    beam : states kept after each action, the likeliest; None keeps all, which is exact, and grows
        exponentially with the chains
    smoothing : added to each count
    class_prior : "uniform", "empirical", or a probability for each label
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, where standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `InterleavedChains` for each label
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    Durations and relations are not seen, beyond their share in assigning chains in training. With
    any beam the probabilities of all sequences of a length add up to one. Intervals of actions
    never seen in training are passed over; an instance without intervals is decided by the prior.

    Examples
    --------
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("pour", 0, 2), ("boil", 1, 5)]]
    >>> model = IHMMClassifier().fit(X, ["tea", "soup"])
    >>> model.predict([[("boil", 0, 9), ("pour", 9, 10)]]).tolist()
    ['tea']
    """

    def __init__(
        self,
        n_chains: Chains = 3,
        *,
        beam: int | None = 64,
        smoothing: float = 0.1,
        class_prior: ClassPrior = "uniform",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_chains = n_chains
        self.beam = beam
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_options(self) -> None:
        super()._check_options()
        if self.n_chains != "overlap":
            check_whole("n_chains", self.n_chains, 1, MOST_CHAINS)
        if self.beam is not None:
            check_whole("beam", self.beam, 1)
        check_smoothing(self.smoothing)

    def _fit_activities(self, parts: list[IntervalSequences]) -> list[InterleavedChains]:
        given = (
            (label, part, 0 if self.n_chains == "overlap" else self.n_chains, self.smoothing)
            for label, part in zip(self.classes_.tolist(), parts, strict=True)
        )
        return list(self._in_parallel(fit_chains, given))

    def _log_likelihood(self, X: IntervalSequences) -> Floats:
        models = self.activities_.values()
        return np.column_stack(
            [sum_by_instance(X.offsets, model.log_terms(X, self.beam)) for model in models]
        )

    def _contributions(self, X: IntervalSequences, label: Any) -> Contributions:
        terms = self.activities_[label].log_terms(X, self.beam)
        return Contributions(terms, np.zeros((len(terms), len(terms))), {})


def fit_chains(name: Any, X: IntervalSequences, chains: int, smoothing: float) -> InterleavedChains:
    """Learn one activity from its instances; 0 chains are as many as overlap."""
    track = assign_tracks(X.offsets, X.start, X.end, chains)
    chains = chains or int(track.max(initial=0)) + 1
    if chains > MOST_CHAINS:
        raise DataError(
            f"{chains:,} intervals of the activity {quote(name)} run at the same time, and at most "
            f"{MOST_CHAINS:,} chains are possible; give n_chains as a number"
        )
    first = np.diff(X.owner, prepend=-1) != 0
    before = np.where(first, chains, np.roll(track, 1))
    switch = np.zeros((chains + 1, chains))
    np.add.at(switch, (before, track), 1)
    step = np.zeros((len(X.actions) + 1, len(X.actions)))
    np.add.at(step, (_last_of_track(X, track), X.action), 1)
    return InterleavedChains(name, X.actions, _logs(switch, smoothing), _logs(step, smoothing))


def _last_of_track(X: IntervalSequences, track: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Action before each interval on its track, the number of actions where there is none."""
    owner = X.owner
    order = np.lexsort((np.arange(len(track)), track, owner))
    same = (np.diff(owner[order], prepend=-1) == 0) & (np.diff(track[order], prepend=-1) == 0)
    last = np.empty(len(track), np.int64)
    last[order] = np.where(same, np.roll(X.action[order], 1), len(X.actions))
    return last


def _logs(counts: Floats, smoothing: float) -> Floats:
    counts = counts + smoothing
    logs: Floats = np.log(counts / counts.sum(axis=1, keepdims=True))
    return logs
