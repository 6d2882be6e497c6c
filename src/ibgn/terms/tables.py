"""The term for the actions of an activity, by a Chinese restaurant process.

A table is a style of the activity. In each instance the intervals, in order, take seats: the next
one joins a table with probability proportional to how many sit there, or opens a new one
with weight `concentration`. Tables are numbered in the order in which an instance opens them, and
table z has one distribution over actions in all instances of the activity.
"""

import warnings
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels import generation as drawing
from ibgn._kernels import sequential
from ibgn.checks import check_choice
from ibgn.declarations import (
    FLOAT,
    are_probs,
    are_smoothed_probs,
    is_natural,
    is_positive,
    stored,
)
from ibgn.intervals import IntervalSequences
from ibgn.terms.action_sequences import KeptTally, TableCounts
from ibgn.terms.base import Context, FittedTerm, LogTerms, Term
from ibgn.terms.parts import Part, probability
from ibgn.terms.seating import LEAST_WORTH, Convergence, Sampling, sample_tables
from ibgn.terms.tally import Sample, Tally
from ibgn.text import count

__all__ = ["FittedTables", "NodeLikelihood", "Tables"]

NodeLikelihood = Literal["sequential", "published"]

EXACT_LENGTH = 12  # up to this length, the sequential likelihood sums over all seatings
PARTICLES = 64
SEATED = 10  # times as many intervals are seated as chains converge on


@dataclass(frozen=True)
class FittedTables(FittedTerm):
    """Tables of an activity as learned.

    Parameters
    ----------
    action_probs : (tables, actions) distribution over actions at each table; as many tables as
        the longest training instance has intervals
    shares : (tables,) expected share of the intervals at each table
    concentration : weight of opening a new table
    action_prior : (actions,) Dirichlet prior of each table
    convergence : of the chains
    node_likelihood : how intervals are scored, see `Tables`
    seed : of the particles that estimate the sequential likelihood of long instances
    instances : of the activity, with intervals
    seated : those that tables were learned from
    sampled : those on which chains converged, see `Sampling`
    """

    action_probs: Floats = stored(FLOAT, "tables", "actions", holds=are_smoothed_probs)
    shares: Floats = stored(FLOAT, "tables", holds=are_probs)
    concentration: float = stored(float, holds=is_positive)
    action_prior: Floats = stored(FLOAT, "actions", holds=is_positive)
    convergence: Convergence = stored(Convergence)
    node_likelihood: NodeLikelihood = stored(
        str, holds=lambda choice: choice in get_args(NodeLikelihood), default="sequential"
    )
    seed: int = stored(int, holds=lambda seed: 0 <= seed < 2**32, default=0)
    instances: int = stored(int, holds=is_natural, default=0)
    seated: int = stored(int, holds=is_natural, default=0)
    sampled: int = stored(int, holds=is_natural, default=0)

    def log_terms(self, X: IntervalSequences) -> LogTerms:
        """Log probability that each interval adds.

        An action never seen in training is equally likely in every activity.
        """
        if self.node_likelihood == "sequential":
            return LogTerms(interval=self.sequential_terms(X))
        of_action = np.append(self.action_probs.sum(axis=0), self._unknown)
        return LogTerms(interval=np.log(of_action)[X.action])

    def sequential_terms(self, X: IntervalSequences, particles: int = PARTICLES) -> Floats:
        """(intervals,) log P(a_n | a_1 .. a_n-1).

        Short instances are summed over all seatings; longer ones are estimated with particles,
        always from the same seed.
        """
        longest = int(X.lengths.max(initial=0))
        # the first rows do not depend on how many rows there are
        uniform = np.random.default_rng(self.seed).random((longest, particles + 1))
        return sequential.log_sequential(
            X.offsets,
            X.action,
            self.emission(longest),
            float(self.concentration),
            EXACT_LENGTH,
            uniform,
        )

    @property
    def _unknown(self) -> float:
        return 1.0 / (len(self.action_prior) + 1)

    def emission(self, length: int) -> Floats:
        """(length, actions + 1) probability of each action at each table, the unknown one last."""
        prior_mean = self.action_prior / self.action_prior.sum()
        table = np.tile(prior_mean, (max(length, len(self.action_probs)), 1))
        table[: len(self.action_probs)] = self.action_probs
        return np.column_stack([table[:length], np.full(length, self._unknown)])

    def draw(self, length: int, rng: np.random.Generator) -> tuple[Ints, Codes]:
        """Draw the table and the action of each interval of an instance, (length,) each."""
        emission = np.ascontiguousarray(self.emission(length)[:, :-1])  # without the unknown one
        return drawing.draw_nodes(length, float(self.concentration), emission, rng)

    def describe(self, least: float = 0.01) -> pd.DataFrame:
        """Actions of each table with at least this share of the intervals, the likeliest first."""
        rows = [
            (table, share, self.actions[a], of_action[a])
            for table, (share, of_action) in enumerate(
                zip(self.shares, self.action_probs, strict=True)
            )
            if share >= least
            for a in np.argsort(-of_action, kind="stable")
        ]
        return pd.DataFrame(rows, columns=["table", "share", "action", "probability"])

    def expected(self, X: IntervalSequences, part: Part) -> str:
        """Probability of the action, given those before."""
        return probability(self.log_terms(X).interval, part)

    def brief(self) -> str:
        """Number of tables, and whether the chains converged."""
        settled = "converged" if self.convergence.converged else "NOT converged"
        if self.sampled < self.instances:
            settled += f" on {self.sampled:,} of {count(self.instances, 'instance')}"
        return f"{count(int((self.shares >= 0.01).sum()), 'table')}, {settled}"


@dataclass(frozen=True)
class Tables(Sampling, Term):
    """Actions by a Chinese restaurant process in each instance.

    Parameters
    ----------
    sampler, draws, budget, chains, table_sample, concentration, action_prior : how tables are
        sampled, see `Sampling`
    node_likelihood : "sequential" is the true marginal, summed over seatings; "published" is the
        unweighted sum over as many tables as the longest instance has intervals, which is not a
        probability

    Examples
    --------
    >>> Tables(concentration=1.0).name, Tables().draws
    ('tables', 1000)
    >>> from ibgn import IBGNClassifier
    >>> IBGNClassifier(terms=("tables", "relations"), concentration=1.0).terms
    ('tables', 'relations')
    """

    name = "tables"
    fitted = FittedTables
    scales = False  # instances are seated one by one

    node_likelihood: NodeLikelihood = "sequential"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("node_likelihood", self.node_likelihood, get_args(NodeLikelihood))

    def count(self, X: IntervalSequences) -> TableCounts:
        """Keep the actions of every instance that has intervals."""
        return TableCounts.of(X)

    def tally(self, sample: Sample) -> Tally | None:
        """Keep as many as are seated; None in a full run, which needs all instances."""
        if self.table_sample == "all":
            return None
        return KeptTally([self] * sample.activities, sample, SEATED * self.table_sample)

    def fit(self, counts: TableCounts, pooled: None, context: Context) -> FittedTables:
        """Sample the tables; warn if the chains do not converge."""
        first = None
        if self.table_sample != "all" and len(counts.action) > self.table_sample:
            counts = counts.least(SEATED * self.table_sample)
            first = counts.first(self.table_sample)
        sampled = sample_tables(counts, self, context.rng, first, context.watch)
        met = np.zeros((max(counts.longest, 1), len(sampled.action_prior)))
        met[: len(sampled.counts)] = sampled.counts  # longer instances may not have been seated
        convergence = sampled.convergence
        if not convergence.converged:
            agreement = f", R-hat {convergence.rhat:.2f}" if np.isfinite(convergence.rhat) else ""
            warnings.warn(
                f"the tables of activity {str(context.activity)!r} have not converged within "
                f"budget={self.budget} sweeps: draws={self.draws} are worth "
                f"{convergence.effective_sample_size:.0f} independent ones (of {LEAST_WORTH} "
                f"needed{agreement}); raise budget and draws, or do without tables",
                ConvergenceWarning,
                stacklevel=2,
            )
        totals, prior = met.sum(axis=1), sampled.action_prior
        return FittedTables(
            actions=context.actions,
            action_probs=(met + prior) / (totals + prior.sum())[:, None],
            shares=totals / totals.sum() if totals.sum() else np.ones(len(totals)) / len(totals),
            concentration=sampled.concentration,
            action_prior=prior,
            convergence=convergence,
            node_likelihood=self.node_likelihood,
            seed=context.seed,
            instances=counts.instances,
            seated=len(counts.numbers),
            sampled=len((first or counts).numbers),
        )
