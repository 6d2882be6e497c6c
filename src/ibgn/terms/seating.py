"""How tables are sampled: seats, chains and their convergence.

A table is a style of the activity. In each instance the intervals, in order, take seats: the next
one joins a table with probability proportional to how many sit there, or opens a new one
with weight `concentration`. Tables are numbered in the order in which an instance opens them, and
table z has one distribution over actions in all instances of the activity.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import digamma

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels import nodes, sampling
from ibgn.checks import check_choice, check_number
from ibgn.declarations import FLOAT, is_natural, stored
from ibgn.terms.diagnostics import (
    RafteryLewis,
    effective_sample_size,
    minimum_length,
    potential_scale_reduction,
    raftery_lewis,
)

__all__ = [
    "ActionSequences",
    "Convergence",
    "SampledTables",
    "Sampler",
    "Sampling",
    "State",
    "learn_concentration",
    "learn_prior",
    "log_joint",
    "run",
    "sample_tables",
]

Sampler = Literal["exact", "published"]

CONCENTRATIONS = (1e-3, 1e2)  # a learned concentration stays between these
PRIORS = (1e-2, 1e3)  # as does each entry of a learned prior, so unseen actions stay possible
TUNING_SWEEPS = 100  # sweeps during which concentration and prior are learned
TUNE_EVERY = 5
WARMING_SWEEPS = 100  # sweeps of each chain before its trace is looked at
PILOT = {"q": 0.025, "r": 0.0125}  # precision of the log joint; takes at least 600 sweeps
MOVES = 10.0  # an instance of k nodes makes moves that renumber tables in MOVES / k of the sweeps
RHAT_LIMIT = 1.05
LEAST_WORTH = 10  # smallest effective sample size


@dataclass(frozen=True)
class Sampling:
    """How tables are sampled.

    Parameters
    ----------
    sampler : "exact" leaves the joint invariant; "published" is the formula of the paper, in
        which only earlier nodes count
    draws : draws whose counts are averaged, after convergence
    budget : largest number of sweeps in each chain; warns if it is too small to converge
    chains : independent chains; R-hat needs two or more
    concentration, action_prior : "learned" while the chain warms up, or a fixed number
    """

    sampler: Sampler = "exact"
    draws: int = 1000
    budget: int = 20_000
    chains: int = 1
    concentration: float | Literal["learned"] = "learned"
    action_prior: float | Literal["learned"] = "learned"

    def __post_init__(self) -> None:
        check_choice("sampler", self.sampler, get_args(Sampler))
        for name in ("draws", "budget", "chains"):
            check_number(
                name, getattr(self, name), "a whole number from 1", lambda v: v >= 1 and v == int(v)
            )
        for name in ("concentration", "action_prior"):
            if getattr(self, name) != "learned":
                check_number(name, getattr(self, name), "positive, or 'learned'", lambda v: v > 0)


class ActionSequences(Protocol):
    """What the sampler sees of instances: their actions in order. `IntervalSequences` fits."""

    @property
    def offsets(self) -> Ints:
        """(n+1,) where the actions of each instance begin."""

    @property
    def action(self) -> Codes:
        """(intervals,) codes into actions."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of all known actions."""

    @property
    def lengths(self) -> Ints:
        """(n,) number of intervals of each instance."""


class State(NamedTuple):
    """Seats of all nodes, with the nodes at each table by action and in total."""

    seat: Ints
    counts: Ints
    totals: Ints


@dataclass(frozen=True)
class Convergence:
    """How the chains were run, and how well they did.

    Parameters
    ----------
    burn_in : sweeps left out, those for tuning included
    thin : one draw was kept every `thin` sweeps
    draws : draws kept in all chains
    effective_sample_size : of the log joint, over all draws
    rhat : agreement of the chains, NaN for a single chain
    dependence_factor : of Raftery and Lewis; above 5 the chain mixes badly
    converged : whether the required sweeps fitted into the budget
    trace : (chains, draws) log joint of each draw
    """

    burn_in: int = stored(int, holds=is_natural)
    thin: int = stored(int, holds=is_natural)
    draws: int = stored(int, holds=is_natural)
    effective_sample_size: float = stored(float)
    rhat: float = stored(float)
    dependence_factor: float = stored(float)
    converged: bool = stored(bool)
    trace: Floats = stored(FLOAT, "chains", "draws")


class SampledTables(NamedTuple):
    """Tables as the chains found them.

    Parameters
    ----------
    counts : (tables, actions) averaged over the draws
    concentration : weight of opening a new table
    action_prior : (actions,) Dirichlet prior of each table
    convergence : of the chains that were run
    """

    counts: Floats
    concentration: float
    action_prior: Floats
    convergence: Convergence


def sample_tables(
    X: ActionSequences, sampling: Sampling, rng: np.random.Generator
) -> SampledTables:
    """Run the chains of one activity; every instance has at least one interval."""
    tuner, *others = rng.spawn(sampling.chains + 1)
    concentration, prior, tuning = _tuned(X, sampling, tuner)
    chains = [_run_chain(X, sampling, concentration, prior, tuning, child) for child in others]
    counts = np.mean([chain.counts for chain in chains], axis=0)
    used = np.flatnonzero(counts.sum(axis=1))
    counts = counts[: used[-1] + 1 if len(used) else 1]
    shortest = min(len(chain.trace) for chain in chains)
    traces = np.array([chain.trace[:shortest] for chain in chains])
    rhat, worth = potential_scale_reduction(traces), effective_sample_size(traces)
    convergence = Convergence(
        burn_in=max(chain.burn_in for chain in chains),
        thin=max(chain.thin for chain in chains),
        draws=traces.size,
        effective_sample_size=worth,
        rhat=rhat,
        dependence_factor=max(chain.diagnosis.dependence_factor for chain in chains),
        converged=all(chain.fits for chain in chains)
        and not rhat > RHAT_LIMIT
        and worth >= min(LEAST_WORTH, traces.size),
        trace=traces,
    )
    return SampledTables(counts, concentration, prior, convergence)


class _Chain(NamedTuple):
    counts: Floats  # (tables, actions) averaged over the draws
    trace: Floats
    burn_in: int
    thin: int
    diagnosis: RafteryLewis
    fits: bool


def _tuned(
    X: ActionSequences, sampling: Sampling, rng: np.random.Generator
) -> tuple[float, Floats, int]:
    """Learn concentration and prior once, for all chains; return them and the sweeps it took."""
    state = initial_state(X)
    learned = sampling.concentration == "learned"
    concentration = 1.0 if learned else float(sampling.concentration)
    learned = sampling.action_prior == "learned"
    each = 1.0 / max(len(X.actions), 1) if learned else float(sampling.action_prior)
    prior = np.full(len(X.actions), each)
    rounds = min(TUNING_SWEEPS, sampling.budget - 1) // TUNE_EVERY
    for _ in range(rounds):
        state, _, _ = run(X, state, concentration, prior, sampling.sampler, rng, TUNE_EVERY)
        if sampling.concentration == "learned":
            concentration = learn_concentration(concentration, count_open(X, state.seat), X.lengths)
        if sampling.action_prior == "learned":
            prior = learn_prior(prior, state.counts)
    return concentration, prior, rounds * TUNE_EVERY


def _run_chain(
    X: ActionSequences,
    sampling: Sampling,
    concentration: float,
    prior: Floats,
    tuning: int,
    rng: np.random.Generator,
) -> _Chain:
    """Run a pilot, decide by Raftery and Lewis, and draw; tuning sweeps are already spent."""
    state = initial_state(X)

    def go_on(state: State, sweeps: int, thin: int = 1) -> tuple[State, Floats, Ints]:
        return run(X, state, concentration, prior, sampling.sampler, rng, sweeps, thin)

    warming = min(WARMING_SWEEPS, (sampling.budget - tuning) // 4)
    state, _, _ = go_on(state, warming)  # early sweeps would mislead the diagnostic
    left = sampling.budget - tuning - warming
    pilot_length = min(minimum_length(**PILOT), left - 1)
    state, pilot, _ = go_on(state, pilot_length)
    diagnosis = raftery_lewis(pilot, **PILOT)
    left -= pilot_length
    further = min(max(0, diagnosis.burn_in - pilot_length), left // 2)
    state, _, _ = go_on(state, further)
    left -= further
    thin = max(1, min(diagnosis.thin, left // sampling.draws))
    draws = max(1, min(sampling.draws, left // thin))
    while True:
        state, trace, counts = go_on(state, draws * thin, thin)
        left -= draws * thin
        kept = trace[thin - 1 :: thin]
        if effective_sample_size(kept) >= LEAST_WORTH or left < 4 * thin * draws:
            break
        thin *= 4  # effective sample size too small: again, with draws further apart
    fits = (
        diagnosis.enough
        and pilot_length + further >= diagnosis.burn_in
        and thin >= diagnosis.thin
        and draws == sampling.draws
    )
    burn_in = tuning + warming + pilot_length + further
    return _Chain(counts / draws, kept, burn_in, thin, diagnosis, fits)


def initial_state(X: ActionSequences, seat: Ints | None = None) -> State:
    """All nodes at the first table of their instance, or at these seats."""
    seat = np.zeros(len(X.action), np.int64) if seat is None else np.array(seat, np.int64)
    tables = int(X.lengths.max(initial=1))
    counts, totals = nodes.count_tables(X.action, seat, tables, len(X.actions))
    return State(seat, counts, totals)


def log_joint(X: ActionSequences, state: State, concentration: float, prior: Floats) -> float:
    """Log P(seats, actions)."""
    return nodes.log_joint(X.offsets, state.seat, state.counts, state.totals, concentration, prior)


def run(
    X: ActionSequences,
    state: State,
    concentration: float,
    prior: Floats,
    sampler: Sampler,
    rng: np.random.Generator,
    sweeps: int = 1,
    thin: int = 1,
) -> tuple[State, Floats, Ints]:
    """Seat every node again, once per sweep.

    Returns the new state, the log joint after each sweep, and the counts of every thin-th sweep
    added up.
    """
    after = State(*(part.copy() for part in state))
    moves = MOVES if sampler == "exact" else -1.0
    trace, summed = sampling.run(
        X.offsets, X.action, *after, concentration, prior, moves, sweeps, thin, rng
    )
    return after, trace, summed


def count_open(X: ActionSequences, seat: Ints) -> Ints:
    """Tables open in each instance, none of which is empty."""
    return np.maximum.reduceat(seat, X.offsets[:-1]) + 1 if len(seat) else np.zeros(0, np.int64)


def learn_concentration(concentration: float, tables: Ints, lengths: Ints) -> float:
    """One step of the fixed point alpha <- sum K / sum [psi(alpha + n) - psi(alpha)]."""
    spread = (digamma(concentration + lengths) - digamma(concentration)).sum()
    if not spread > 0:
        return concentration
    return float(np.clip(tables.sum() / spread, *CONCENTRATIONS))


def learn_prior(prior: Floats, counts: npt.NDArray[np.integer]) -> Floats:
    """One step of Minka's fixed point of a Polya distribution, the tables as its draws.

    beta_i <- beta_i sum_z [psi(n_zi + beta_i) - psi(beta_i)] / sum_z [psi(n_z + B) - psi(B)].
    """
    used = counts[counts.sum(axis=1) > 0]
    strength = prior.sum()
    gained = (digamma(used + prior) - digamma(prior)).sum(axis=0)
    spread = (digamma(used.sum(axis=1) + strength) - digamma(strength)).sum()
    if not spread > 0:
        return prior
    after: Floats = np.clip(prior * gained / spread, *PRIORS)
    return after
