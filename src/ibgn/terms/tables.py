"""Which actions an activity is made of: tables, their distributions, how they are learned.

A table is a style of the activity. In each instance the intervals, in order, take seats: the next
one joins a table with probability proportional to who sits there already, or opens a new one
with weight `concentration`. Tables are numbered in the order in which an instance opens them, and
table z has one distribution over actions in all instances of the activity.
"""

import warnings
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import digamma
from sklearn.exceptions import ConvergenceWarning

from ibgn._arrays import Floats, Ints
from ibgn._kernels import nodes as kernels
from ibgn.checks import check_choice, check_number
from ibgn.intervals import IntervalSequences
from ibgn.terms.diagnostics import (
    RafteryLewis,
    effective_sample_size,
    minimum_length,
    potential_scale_reduction,
    raftery_lewis,
)

__all__ = [
    "Convergence",
    "NodeLikelihood",
    "Nodes",
    "Sampling",
    "State",
    "fit_nodes",
    "learn_concentration",
    "learn_prior",
    "log_joint",
    "run",
]

Sampler = Literal["exact", "published"]
NodeLikelihood = Literal["sequential", "mixture", "published"]

CONCENTRATIONS = (1e-3, 1e2)  # a learned concentration stays between these
PRIORS = (1e-2, 1e3)  # and so does each entry of a learned prior: what is unseen stays possible
TUNING_SWEEPS = 100  # sweeps during which concentration and prior are learned
TUNE_EVERY = 5
WARMING_SWEEPS = 100  # sweeps of each chain before its trace is looked at
PILOT = {"q": 0.025, "r": 0.0125}  # what the chain must know of its log joint; 600 sweeps at least
MOVES = 10.0  # an instance of k nodes makes moves that renumber tables in MOVES / k of the sweeps
EXACT_LENGTH = 12  # up to here the sequential likelihood sums over all seatings
RHAT_LIMIT = 1.05
LEAST_WORTH = 10  # independent draws that the draws must be worth


@dataclass(frozen=True)
class Sampling:
    """How tables are sampled.

    Parameters
    ----------
    sampler : "exact" leaves the joint invariant; "published" is the formula of the paper, in
        which only earlier nodes count
    draws : draws whose counts are averaged, after convergence
    budget : sweeps at the most, in each chain; what does not converge within them says so
    chains : independent chains; with two or more R-hat is known
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


class State(NamedTuple):
    """Seats of all nodes, with the nodes at each table by action and in all."""

    seat: Ints
    counts: Ints
    totals: Ints


@dataclass(frozen=True)
class Convergence:
    """What was decided about a chain and what it is worth.

    Parameters
    ----------
    burn_in : sweeps left out, those for tuning included
    thin : every so many sweeps one draw was kept
    draws : draws kept in all chains
    effective_sample_size : of the log joint, over all draws
    rhat : agreement of the chains, NaN where there is one
    dependence_factor : of Raftery and Lewis; above 5 the chain mixes badly
    converged : whether all that was asked for fitted into the budget
    trace : (chains, draws) log joint of each draw
    """

    burn_in: int
    thin: int
    draws: int
    effective_sample_size: float
    rhat: float
    dependence_factor: float
    converged: bool
    trace: Floats


@dataclass(frozen=True)
class Nodes:
    """Tables of an activity as learned.

    Parameters
    ----------
    action_probs : (tables, actions) distribution over actions at each table
    shares : (tables,) part of the nodes that each table is expected to hold
    concentration : weight of opening a new table
    action_prior : (actions,) Dirichlet prior of each table
    convergence : of the chains that were run
    """

    action_probs: Floats
    shares: Floats
    concentration: float
    action_prior: Floats
    convergence: Convergence

    def log_terms(
        self, X: IntervalSequences, likelihood: NodeLikelihood, seed: int = 0, particles: int = 64
    ) -> Floats:
        """Log probability that each interval adds, (intervals,); actions coded as in training.

        An action never seen in training, one past the last code, is as likely in every activity.
        "published" is log of the sum over tables, not a probability; "mixture" weights each table
        by its share; "sequential" is log P(a_n | a_1 .. a_n-1), summed over all seatings for short
        instances and estimated with particles for longer ones, always from the same seed.
        """
        check_choice("node_likelihood", likelihood, get_args(NodeLikelihood))
        if likelihood == "sequential":
            return self._sequential_terms(X, seed, particles)
        weights = self.shares if likelihood == "mixture" else np.ones(len(self.shares))
        of_action = np.append(weights @ self.action_probs, self._unknown())
        terms: Floats = np.log(of_action)[X.action]
        return terms

    def _unknown(self) -> float:
        return 1.0 / (len(self.action_prior) + 1)

    def emission(self, length: int) -> Floats:
        """(length, actions + 1) probability of each action at each table, the unknown one last."""
        prior_mean = self.action_prior / self.action_prior.sum()
        table = np.tile(prior_mean, (max(length, len(self.action_probs)), 1))
        table[: len(self.action_probs)] = self.action_probs
        return np.column_stack([table[:length], np.full(length, self._unknown())])

    def _sequential_terms(self, X: IntervalSequences, seed: int, particles: int) -> Floats:
        longest = int(X.lengths.max(initial=0))
        emission = self.emission(longest)
        uniform = _uniform_rows(seed, longest, particles)
        terms = np.empty(len(X.action))
        for begin, stop in zip(X.offsets[:-1].tolist(), X.offsets[1:].tolist(), strict=True):
            k = stop - begin
            of_nodes = np.ascontiguousarray(emission[:k, X.action[begin:stop]].T)
            if k <= EXACT_LENGTH:
                found = kernels.log_sequential_exact(of_nodes, self.concentration)
            else:
                found = kernels.log_sequential_particles(of_nodes, self.concentration, uniform[:k])
            terms[begin:stop] = found
        return terms


def _uniform_rows(seed: int, rows: int, particles: int) -> Floats:
    """Random numbers of which the first rows are the same however many are asked for."""
    return np.random.default_rng(seed).random((rows, particles + 1))


def fit_nodes(
    X: IntervalSequences, sampling: Sampling, rng: np.random.Generator, name: str = ""
) -> Nodes:
    """Learn the tables of one activity from its instances; actions are coded as in X."""
    X = X[X.lengths > 0]
    tuner, *others = rng.spawn(sampling.chains + 1)
    concentration, prior, tuning = _tuned(X, sampling, tuner)
    chains = [_run_chain(X, sampling, concentration, prior, tuning, child) for child in others]
    counts = np.mean([chain.counts for chain in chains], axis=0)
    used = np.flatnonzero(counts.sum(axis=1))
    counts = counts[: used[-1] + 1 if len(used) else 1]
    totals = counts.sum(axis=1)
    convergence = _judge(chains, sampling)
    if not convergence.converged:
        _warn(convergence, sampling, name)
    return Nodes(
        action_probs=(counts + prior) / (totals + prior.sum())[:, None],
        shares=totals / totals.sum() if totals.sum() else np.ones(len(totals)) / len(totals),
        concentration=concentration,
        action_prior=prior,
        convergence=convergence,
    )


class _Chain(NamedTuple):
    counts: Floats  # (tables, actions) averaged over the draws
    trace: Floats
    burn_in: int
    thin: int
    diagnosis: RafteryLewis
    fits: bool


def _tuned(
    X: IntervalSequences, sampling: Sampling, rng: np.random.Generator
) -> tuple[float, Floats, int]:
    """Learn concentration and prior once, for all chains; returns them and the sweeps it took."""
    state = initial_state(X)
    concentration, prior = _first_guess(X, sampling)
    rounds = min(TUNING_SWEEPS, sampling.budget - 1) // TUNE_EVERY
    for _ in range(rounds):
        state, _, _ = run(X, state, concentration, prior, sampling.sampler, rng, TUNE_EVERY)
        concentration, prior = _tune(X, state, concentration, prior, sampling)
    return concentration, prior, rounds * TUNE_EVERY


def _run_chain(
    X: IntervalSequences,
    sampling: Sampling,
    concentration: float,
    prior: Floats,
    tuning: int,
    rng: np.random.Generator,
) -> _Chain:
    """Run a pilot, let Raftery and Lewis decide, and draw; tuning sweeps are spent already."""
    state = initial_state(X)

    def go_on(state: State, sweeps: int, thin: int = 1) -> tuple[State, Floats, Ints]:
        return run(X, state, concentration, prior, sampling.sampler, rng, sweeps, thin)

    warming = min(WARMING_SWEEPS, (sampling.budget - tuning) // 4)
    state, _, _ = go_on(state, warming)  # the way from the first state would mislead the diagnostic
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
        thin *= 4  # draws worth too little: again, further apart
    fits = (
        diagnosis.enough
        and pilot_length + further >= diagnosis.burn_in
        and thin >= diagnosis.thin
        and draws == sampling.draws
    )
    burn_in = tuning + warming + pilot_length + further
    return _Chain(counts / draws, kept, burn_in, thin, diagnosis, fits)


def _judge(chains: list[_Chain], sampling: Sampling) -> Convergence:
    shortest = min(len(chain.trace) for chain in chains)
    traces = np.array([chain.trace[:shortest] for chain in chains])
    rhat, worth = potential_scale_reduction(traces), effective_sample_size(traces)
    return Convergence(
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


def _warn(convergence: Convergence, sampling: Sampling, name: str) -> None:
    of = f" of activity {name!r}" if name else ""
    warnings.warn(
        f"the tables{of} may not have converged within budget={sampling.budget} sweeps "
        f"(draws worth {convergence.effective_sample_size:.0f} independent ones, R-hat "
        f"{convergence.rhat:.3f}); raise budget and draws, or see the convergence of the activity",
        ConvergenceWarning,
        stacklevel=3,
    )


def initial_state(X: IntervalSequences, seat: Ints | None = None) -> State:
    """Everybody at the first table of their instance, or seats as given."""
    seat = np.zeros(len(X.action), np.int64) if seat is None else np.array(seat, np.int64)
    tables = int(X.lengths.max(initial=1))
    counts, totals = kernels.count_tables(X.action, seat, tables, len(X.actions))
    return State(seat, counts, totals)


def log_joint(X: IntervalSequences, state: State, concentration: float, prior: Floats) -> float:
    """Log P(seats, actions)."""
    return kernels.log_joint(
        X.offsets, state.seat, state.counts, state.totals, concentration, prior
    )


def run(
    X: IntervalSequences,
    state: State,
    concentration: float,
    prior: Floats,
    sampler: Sampler,
    rng: np.random.Generator,
    sweeps: int = 1,
    thin: int = 1,
) -> tuple[State, Floats, Ints]:
    """Seat every node again, so many times.

    Returns the new state, the log joint after each sweep, and the counts of every thin-th sweep
    added up.
    """
    after = State(*(part.copy() for part in state))
    moves = MOVES if sampler == "exact" else -1.0
    trace, summed = kernels.run(
        X.offsets, X.action, *after, concentration, prior, moves, sweeps, thin, rng
    )
    return after, trace, summed


def _first_guess(X: IntervalSequences, sampling: Sampling) -> tuple[float, Floats]:
    concentration = 1.0 if sampling.concentration == "learned" else float(sampling.concentration)
    prior = 1.0 / max(len(X.actions), 1)
    if sampling.action_prior != "learned":
        prior = float(sampling.action_prior)
    return concentration, np.full(len(X.actions), prior)


def _tune(
    X: IntervalSequences, state: State, concentration: float, prior: Floats, sampling: Sampling
) -> tuple[float, Floats]:
    if sampling.concentration == "learned":
        concentration = learn_concentration(concentration, count_open(X, state.seat), X.lengths)
    if sampling.action_prior == "learned":
        prior = learn_prior(prior, state.counts)
    return concentration, prior


def count_open(X: IntervalSequences, seat: Ints) -> Ints:
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
