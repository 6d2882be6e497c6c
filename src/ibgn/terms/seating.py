"""How tables are sampled: seats, concentration and prior, by chains that start far apart.

A table is a style of the activity. In each instance the intervals, in order, take seats: the next
one joins a table with probability proportional to how many sit there, or opens a new one
with weight `concentration`. Tables are numbered in the order in which an instance opens them, and
table z has one distribution over actions in all instances of the activity.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, get_args

import numpy as np

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels import nodes, reseating
from ibgn._kernels.sampling import run as run_sweeps
from ibgn.checks import check_choice, check_prior_count, check_whole
from ibgn.declarations import FLOAT, is_natural, stored
from ibgn.terms.diagnostics import (
    effective_sample_size,
    minimum_length,
    potential_scale_reduction,
    raftery_lewis,
)

__all__ = [
    "TRACES",
    "ActionSequences",
    "Convergence",
    "SampledTables",
    "Sampler",
    "Sampling",
    "State",
    "Sweeps",
    "log_joint",
    "run",
    "sample_tables",
]

Sampler = Literal["exact", "published"]

TRACES = ("log joint probability", "log concentration", "log sum of the action prior")
CONCENTRATION_SPREAD = 3.0  # of its logarithm, normal around 0: 95% between 1/360 and 360
PRIOR_SPREAD = 1.0  # of the logarithm of each entry, normal around that of 1 / actions
RESTARTS = 50  # proposals of seats for everyone, before the first sweep
PILOT = {"q": 0.025, "r": 0.014}  # precision of the log joint; takes at least 478 sweeps
MOVES = 2.0  # an instance of k nodes makes single moves that renumber in MOVES / k of the sweeps
RHAT_LIMIT = 1.05
MOST_SWEEPS = 10_000_000
MOST_CHAINS = 1000
LEAST_WORTH = 100  # independent draws: means are known within a tenth of their posterior spread


@dataclass(frozen=True)
class Sampling:
    """How tables are sampled.

    Parameters
    ----------
    sampler : "exact" leaves the joint invariant; "published" is the formula of the paper, in
        which only earlier nodes count
    draws : draws of all chains together whose counts are averaged, after convergence; with fewer
        than 100 the chains are never said to have converged
    budget : largest number of sweeps in each chain; warns if it is too small to converge
    chains : independent chains: the first starts with one table for all, the second with one
        table for each interval, others at random
    concentration, action_prior : "learned" are sampled with the seats, under weak log-normal
        priors (around 1 with a spread of 3, around 1 / actions with a spread of 1), or a fixed
        number
    """

    sampler: Sampler = "exact"
    draws: int = 1000
    budget: int = 3000
    chains: int = 2
    concentration: float | Literal["learned"] = "learned"
    action_prior: float | Literal["learned"] = "learned"

    def __post_init__(self) -> None:
        check_choice("sampler", self.sampler, get_args(Sampler))
        for name, most in (
            ("draws", MOST_SWEEPS),
            ("budget", MOST_SWEEPS),
            ("chains", MOST_CHAINS),
        ):
            check_whole(name, getattr(self, name), 1, most)
            object.__setattr__(self, name, int(getattr(self, name)))  # small types overflow
        for name in ("concentration", "action_prior"):
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "learned"):
                check_prior_count(name, value, "learned")

    @property
    def spreads(self) -> tuple[float, float]:
        """Spread of the logarithms of concentration and prior; 0 if fixed."""
        return (
            CONCENTRATION_SPREAD if self.concentration == "learned" else 0.0,
            PRIOR_SPREAD if self.action_prior == "learned" else 0.0,
        )


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
    """Where a chain is.

    Parameters
    ----------
    seat : (intervals,) table of each node
    counts : (tables, actions) nodes at each table, by action
    totals : (tables,) nodes at each table
    concentration : weight of opening a new table
    prior : (actions,) Dirichlet prior of each table
    """

    seat: Ints
    counts: Ints
    totals: Ints
    concentration: float
    prior: Floats


class Sweeps(NamedTuple):
    """Some sweeps of a chain.

    Parameters
    ----------
    state : after the last
    traces : (3, sweeps) numbers after each, see `TRACES`
    counts : (tables, actions) summed over every thin-th sweep
    log_prior : (actions,) logarithm of the prior, summed over the same
    """

    state: State
    traces: Floats
    counts: Ints
    log_prior: Floats


@dataclass(frozen=True)
class Convergence:
    """How the chains were run, and how well they did.

    Parameters
    ----------
    burn_in : sweeps of each chain that were left out
    thin : one draw was kept every `thin` sweeps
    draws : draws kept in all chains
    effective_sample_size : independent draws that all draws are worth, by the worst of `TRACES`
    rhat : agreement of the chains, or of the halves of a single one, by the worst of `TRACES`;
        infinite where there are too few draws to tell
    dependence_factor : of Raftery and Lewis, for the log joint; above 5 a chain mixes badly
    converged : whether R-hat is at most 1.05, the draws are worth 100 independent ones, and the
        burn-in is as long as Raftery and Lewis demand
    traces : (3, chains, draws) numbers of each draw, see `TRACES`
    """

    burn_in: int = stored(int, holds=is_natural)
    thin: int = stored(int, holds=is_natural)
    draws: int = stored(int, holds=is_natural)
    effective_sample_size: float = stored(float)
    rhat: float = stored(float)
    dependence_factor: float = stored(float)
    converged: bool = stored(bool)
    traces: Floats = stored(FLOAT, len(TRACES), "chains", "draws")


class SampledTables(NamedTuple):
    """Tables as the chains found them.

    Parameters
    ----------
    counts : (tables, actions) averaged over the draws; as many tables as the longest instance has
        intervals
    concentration : weight of opening a new table, the geometric mean over the draws
    action_prior : (actions,) Dirichlet prior of each table, likewise
    convergence : of the chains that were run
    """

    counts: Floats
    concentration: float
    action_prior: Floats
    convergence: Convergence


def sample_tables(
    X: ActionSequences, sampling: Sampling, rng: np.random.Generator
) -> SampledTables:
    """Run the chains of one activity; every instance has at least one interval.

    Chains run in rounds, each as long as all rounds before it, until the last round has converged
    or the budget is spent. Only the last round counts: all before it are burn-in.
    """
    generators = rng.spawn(sampling.chains)
    draws = -(-sampling.draws // sampling.chains)  # of each chain
    restarts = min(RESTARTS, sampling.budget // 8)
    states = [
        settle(X, start(X, sampling, c, child), sampling, child, restarts)
        for c, child in enumerate(generators)
    ]
    burn_in = restarts
    length = min(max(draws, minimum_length(**PILOT)), (sampling.budget - restarts) // 2)
    done = [
        run(X, state, sampling, child, length)
        for state, child in zip(states, generators, strict=True)
    ]
    while True:
        burn_in += length
        left = sampling.budget - burn_in
        length = burn_in if 0 < 3 * burn_in <= left else left
        thin = max(1, length // draws)
        length = min(length, thin * draws)
        done = [
            run(X, part.state, sampling, child, length, thin)
            for part, child in zip(done, generators, strict=True)
        ]
        convergence = judge(np.stack([part.traces for part in done], axis=1), burn_in, thin, draws)
        if convergence.converged or sampling.budget - burn_in - length < burn_in + length:
            break
    last, kept = done[0].state, convergence.draws
    concentration, prior = last.concentration, last.prior
    if sampling.concentration == "learned":
        concentration = float(np.exp(convergence.traces[1].mean()))
    if sampling.action_prior == "learned":
        prior = np.exp(np.sum([part.log_prior for part in done], axis=0) / kept)
    counts = np.sum([part.counts for part in done], axis=0) / kept
    return SampledTables(counts, concentration, prior, convergence)


def judge(traces: Floats, burn_in: int, thin: int, draws: int) -> Convergence:
    """Judge a round by the traces (3, chains, sweeps) of all its sweeps."""
    kept = traces[:, :, thin - 1 :: thin]
    advice = [raftery_lewis(trace, **PILOT) for trace in traces[0]]
    worth = min(effective_sample_size(of_chains) for of_chains in kept)
    rhat = max(potential_scale_reduction(of_chains) for of_chains in kept)
    return Convergence(
        burn_in=burn_in,
        thin=thin,
        draws=kept[0].size,
        effective_sample_size=worth,
        rhat=rhat,
        dependence_factor=max(each.dependence_factor for each in advice),
        converged=bool(
            rhat <= RHAT_LIMIT
            and worth >= LEAST_WORTH
            and kept.shape[2] >= draws
            and all(each.enough and each.burn_in <= burn_in for each in advice)
        ),
        traces=kept,
    )


def start(X: ActionSequences, sampling: Sampling, chain: int, rng: np.random.Generator) -> State:
    """State in which a chain starts: chains start far apart."""
    away = {0: -1.0, 1: 1.0}.get(chain, rng.standard_normal())  # spreads from the usual value
    actions = max(len(X.actions), 1)
    concentration = np.exp(away * CONCENTRATION_SPREAD)
    if sampling.concentration != "learned":
        concentration = sampling.concentration
    learned = sampling.action_prior == "learned"
    each = np.exp(away * PRIOR_SPREAD) / actions if learned else sampling.action_prior
    seat = np.zeros(len(X.action), np.int64)
    if chain == 1:
        seat = np.arange(len(X.action)) - np.repeat(X.offsets[:-1], X.lengths)
    prior = np.full(len(X.actions), float(each))
    return initial_state(X, float(concentration), prior, seat)


def initial_state(
    X: ActionSequences, concentration: float, prior: Floats, seat: Ints | None = None
) -> State:
    """All nodes at the first table of their instance, or at these seats."""
    seat = np.zeros(len(X.action), np.int64) if seat is None else np.array(seat, np.int64)
    tables = int(X.lengths.max(initial=1))
    counts, totals = nodes.count_tables(X.action, seat, tables, len(X.actions))
    return State(seat, counts, totals, concentration, prior)


def log_joint(X: ActionSequences, state: State) -> float:
    """Log P(seats, actions), given concentration and prior."""
    return nodes.log_joint(X.offsets, *state)


def copy(state: State) -> State:
    """The same state in arrays of its own, for kernels to change."""
    seat, counts, totals, concentration, prior = state
    return State(seat.copy(), counts.copy(), totals.copy(), concentration, prior.copy())


def settle(
    X: ActionSequences, state: State, sampling: Sampling, rng: np.random.Generator, times: int
) -> State:
    """Propose seats for everyone so many times, if the sampler is exact.

    A chain leaves a poor start at once in this way; sweeps alone may stay there for very long.
    """
    if sampling.sampler == "published":
        return state
    after = copy(state)
    for _ in range(times):
        concentration = reseating.restart(X.offsets, X.action, *after, sampling.spreads[0], rng)
        after = after._replace(concentration=concentration)
    return after


def run(
    X: ActionSequences,
    state: State,
    sampling: Sampling,
    rng: np.random.Generator,
    sweeps: int = 1,
    thin: int = 1,
) -> Sweeps:
    """Seat every node again, once per sweep, and sample what is learned.

    Of the sampling, only the sampler matters, and what is "learned".
    """
    after = copy(state)
    moves = MOVES if sampling.sampler == "exact" else -1.0
    concentration, traces, counts, log_prior = run_sweeps(
        X.offsets, X.action, *after, sampling.spreads, moves, sweeps, thin, rng
    )
    return Sweeps(after._replace(concentration=concentration), traces, counts, log_prior)
