"""IHMM: an activity as chains of actions that take turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from ibgn._arrays import Floats
from ibgn._kernels.chains import assign_tracks, chain_terms
from ibgn.checks import check_prior_count, check_whole
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.prior import ClassPrior
from ibgn.declarations import FLOAT, are_smoothed_log_probs, stored
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences
from ibgn.terms.base import Context, Counts, FittedTerm, LogTerms, Term
from ibgn.terms.parts import Part, probability
from ibgn.text import count
from ibgn.training_data import UnknownActions

__all__ = ["Chains", "IHMMClassifier", "InterleavedChains"]

ChainNumber = int | Literal["overlap"]

MOST_STATES = 4_000_000  # states times chains in one step: a few hundred megabytes
MOST_CHAINS = 2000  # with more, even one state leads to too many
LARGEST_BEAM = 2**63 - 1  # the largest number that a kernel takes


@dataclass(frozen=True)
class ChainCounts(Counts):
    """How often chains and actions follow each other.

    Parameters
    ----------
    switch : (chains + 1, chains) the next chain, by the one that was last; the last
        row is for the first interval
    step : (actions + 1, actions) actions by the last one of the same chain; the last row is for the
        first of a chain
    """

    switch: Floats
    step: Floats


@dataclass(frozen=True)
class InterleavedChains(FittedTerm):
    """What was learned about one activity.

    Parameters
    ----------
    switch : (chains + 1, chains) log probability of the next chain by the one that
        was last; the last row is for the first interval
    step : (actions + 1, actions) log probability of an action by the last one of the same chain;
        the last row is for the first of a chain
    beam : states kept after each action, None for all
    """

    switch: Floats = stored(
        FLOAT,
        "chains+1",
        "chains",
        holds=lambda rows: rows.size and are_smoothed_log_probs(rows),
    )
    step: Floats = stored(FLOAT, "actions+1", "actions", holds=are_smoothed_log_probs)
    beam: int | None = stored(int, holds=lambda beam: 1 <= beam <= LARGEST_BEAM, optional=True)

    @property
    def chains(self) -> int:
        """Number of chains that take turns."""
        return int(self.switch.shape[1])

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability of each action given those before it; 0 for unknown ones."""
        most = MOST_STATES // self.chains
        terms = chain_terms(X.offsets, X.action, self.switch, self.step, self.beam or 0, most)
        if np.isnan(terms).any():
            raise DataError(
                f"an instance leads to more than {most:,} states of {self.chains} chains; "
                "set a smaller ",
                Option("beam"),
                ", or fewer chains",
            )
        return LogTerms(interval=terms)

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of the intervals, given those before."""
        return probability(self.log_terms(X).interval, part)

    def describe(self) -> pd.DataFrame:
        """Steps from one action of a chain to the next, the likeliest first."""
        names = [*self.actions, ""]
        rows = [
            (names[a], self.actions[b], float(np.exp(self.step[a, b])))
            for a, b in np.ndindex(self.step.shape)
        ]
        frame = pd.DataFrame(rows, columns=["last", "action", "probability"])
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def brief(self) -> str:
        """Number of chains."""
        return count(self.chains, "chain")


@dataclass(frozen=True)
class Chains(Term):
    """Chains of actions that take turns, see `IHMMClassifier`."""

    name = "chains"
    fitted = InterleavedChains

    n_chains: ChainNumber = 3
    beam: int | None = 64
    smoothing: float = 0.1

    def __post_init__(self) -> None:
        if not (isinstance(self.n_chains, str) and self.n_chains == "overlap"):
            check_whole("n_chains", self.n_chains, 1, MOST_CHAINS)
        if self.beam is not None:
            check_whole("beam", self.beam, 1, LARGEST_BEAM)
        check_prior_count("smoothing", self.smoothing)

    def specialise(
        self, parts: Sequence[IntervalSequences], weights: Sequence[Floats] | None = None
    ) -> list["Chains"]:
        """Use as many chains as intervals overlap in each activity, if n_chains is "overlap"."""
        if self.n_chains != "overlap":
            return [self] * len(parts)
        special = []
        for part in parts:
            chains = int(assign_tracks(part.offsets, part.start, part.end, 0).max(initial=0)) + 1
            if chains > MOST_CHAINS:
                raise DataError(
                    f"{chains:,} intervals of an activity run at the same time, and at most "
                    f"{MOST_CHAINS:,} chains are possible; give ",
                    Option("n_chains"),
                    " as a number",
                )
            special.append(replace(self, n_chains=chains))
        return special

    def count(self, X: IntervalSequences) -> ChainCounts:
        """Assign intervals to chains, and count how these follow each other."""
        chains = int(self.n_chains)
        owner = X.owner
        track = assign_tracks(X.offsets, X.start, X.end, chains)
        first = np.diff(owner, prepend=-1) != 0
        before = np.where(first, chains, np.roll(track, 1))
        switch = np.zeros((chains + 1, chains))
        np.add.at(switch, (before, track), 1)
        order = np.lexsort((np.arange(len(track)), track, owner))
        same = (np.diff(owner[order], prepend=-1) == 0) & (np.diff(track[order], prepend=-1) == 0)
        last = np.empty(len(track), np.int64)  # action before on the same track, if there is one
        last[order] = np.where(same, np.roll(X.action[order], 1), len(X.actions))
        step = np.zeros((len(X.actions) + 1, len(X.actions)))
        np.add.at(step, (last, X.action), 1)
        return ChainCounts(switch, step)

    def fit(self, counts: ChainCounts, pooled: None, context: Context) -> InterleavedChains:
        """Turn counts into log probabilities."""
        smoothed = (part + self.smoothing for part in (counts.switch, counts.step))
        switch, step = (np.log(part / part.sum(axis=1, keepdims=True)) for part in smoothed)
        return InterleavedChains(context.actions, switch, step, self.beam)


class IHMMClassifier(ActivityClassifier):
    """Interleaved hidden Markov model: chains of actions that take turns.

    Actions come in the order of their starts. Each belongs to one of several chains, and depends on
    the last action of that chain; which chain is next depends on the one before. In training,
    intervals that overlap are in different chains, as long as there are enough. The probability of
    a new instance is the sum over all ways to share its actions among the chains.

    Parameters
    ----------
    n_chains : chains of an activity; "overlap" takes the largest number of intervals of a training
        instance that run at the same time, activity by activity
    beam : states kept after each action, the likeliest; None keeps all, which is exact, and grows
        exponentially with the chains
    smoothing : added to each count
    class_prior : "uniform", "empirical", or a probability for each label
    unknown_actions : "warn", "ignore" or "error" where actions are recognised that were not
        learned; "warn" refuses instances of which none is known
    n_jobs : activities learned at the same time, by joblib
    progress : show which activities are done, if standard error is a terminal

    Attributes
    ----------
    classes_ : labels of the activities, sorted
    actions_ : names of the known actions, sorted
    activities_ : an `ActivityModel` for each label, with the term "chains"
    class_log_prior_ : (activities,) log of the class prior

    Notes
    -----
    The model does not see durations and relations, except when it assigns chains in training. With
    any beam, the probabilities of all sequences of a length add up to one. Intervals of actions
    never seen in training are skipped; an instance without intervals is decided by the prior.

    Examples
    --------
    >>> X = [[("boil", 0, 4), ("pour", 4, 6)], [("pour", 0, 2), ("boil", 1, 5)]]
    >>> model = IHMMClassifier().fit(X, ["tea", "soup"])
    >>> model.predict([[("boil", 0, 9), ("pour", 9, 10)]]).tolist()
    ['tea']
    """

    short_name = "ihmm"
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "n_chains": (1, 3, "overlap"),
        "smoothing": (0.1, 1.0),
    }

    def __init__(
        self,
        n_chains: ChainNumber = 3,
        *,
        beam: int | None = 64,
        smoothing: float = 0.1,
        class_prior: ClassPrior = "uniform",
        unknown_actions: UnknownActions = "warn",
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_chains = n_chains
        self.beam = beam
        self.smoothing = smoothing
        self.class_prior = class_prior
        self.unknown_actions = unknown_actions
        self.n_jobs = n_jobs
        self.progress = progress

    def _make_terms(self) -> list[Chains]:
        return [Chains(self.n_chains, self.beam, self.smoothing)]
