"""How tables are sampled: seats, concentration and prior, by chains that start far apart.

A table is a style of the activity. In each instance the intervals, in order, take seats: the next
one joins a table with probability proportional to how many sit there, or opens a new one
with weight `concentration`. Tables are numbered in the order in which an instance opens them, and
table z has one distribution over actions in all instances of the activity.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from ibgn._arrays import Codes, Floats, Ints
from ibgn._kernels import nodes, reseating
from ibgn._kernels.compile import interruptible
from ibgn._kernels.sampling import run as run_sweeps
from ibgn.terms.convergence import LEAST_WORTH, PILOT, RHAT_LIMIT, TRACES, Convergence, judge
from ibgn.terms.diagnostics import minimum_length
from ibgn.terms.sampling import CONCENTRATION_SPREAD, PRIOR_SPREAD, Sampling

__all__ = [
    "LEAST_WORTH",
    "RHAT_LIMIT",
    "TRACES",
    "ActionSequences",
    "Convergence",
    "SampledTables",
    "Sampling",
    "State",
    "Sweeps",
    "judge",
    "log_joint",
    "run",
    "sample_tables",
]

Watch = Callable[[int], object]

RESTARTS = 50  # proposals of seats for everyone, before the first sweep
SWEEPS = 50  # over all instances, where chains converge on some of them; then as many that count
WORK = 2_000_000  # nodes that are seated again in one call, half a second; so it can be interrupted
MOVES = 2.0  # an instance of k nodes makes single moves that renumber in MOVES / k of the sweeps


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
    X: ActionSequences,
    sampling: Sampling,
    rng: np.random.Generator,
    first: ActionSequences | None = None,
    watch: Watch = bool,
) -> SampledTables:
    """Run the chains of one activity; every instance has at least one interval.

    Parameters
    ----------
    X : instances
    sampling : how they are sampled
    rng : source of random numbers
    first : the first instances of X, if chains converge on these alone. The others then take seats
        in turn, and some sweeps follow in which all instances are seated again.
    watch : called with the number of sweeps that were run, again and again; it may raise
    """
    generators = rng.spawn(sampling.chains)
    done, convergence = converge(X if first is None else first, sampling, generators, watch)
    thin = convergence.thin
    if first is not None:
        thin, sweeps = 1, min(SWEEPS, sampling.budget)
        states = [
            run(X, seat_others(X, part.state, child), sampling, child, sweeps, 1, watch).state
            for part, child in zip(done, generators, strict=True)
        ]
        done = [
            run(X, state, sampling, child, sweeps, 1, watch)
            for state, child in zip(states, generators, strict=True)
        ]
    kept = np.stack([part.traces for part in done], axis=1)[:, :, thin - 1 :: thin]
    last, draws = done[0].state, kept[0].size
    concentration, prior = last.concentration, last.prior
    if sampling.concentration == "learned":
        concentration = float(np.exp(kept[1].mean()))
    if sampling.action_prior == "learned":
        prior = np.exp(np.sum([part.log_prior for part in done], axis=0) / draws)
    counts = np.sum([part.counts for part in done], axis=0) / draws
    return SampledTables(counts, concentration, prior, convergence)


def converge(
    X: ActionSequences,
    sampling: Sampling,
    generators: Sequence[np.random.Generator],
    watch: Watch = bool,
) -> tuple[list[Sweeps], Convergence]:
    """Run chains until they have converged or the budget is spent; returns the last round.

    Chains run in rounds, each as long as all rounds before it. Only the last round counts: all
    before it are burn-in.
    """
    draws = -(-sampling.draws // sampling.chains)  # of each chain
    restarts = min(RESTARTS, sampling.budget // 8)
    states = [
        settle(X, start(X, sampling, c, child), sampling, child, restarts)
        for c, child in enumerate(generators)
    ]
    burn_in = restarts
    length = min(max(draws, minimum_length(**PILOT)), (sampling.budget - restarts) // 2)
    done = [
        run(X, state, sampling, child, length, 1, watch)
        for state, child in zip(states, generators, strict=True)
    ]
    while True:
        burn_in += length
        left = sampling.budget - burn_in
        length = burn_in if 0 < 3 * burn_in <= left else left
        thin = max(1, length // draws)
        length = min(length, thin * draws)
        done = [
            run(X, part.state, sampling, child, length, thin, watch)
            for part, child in zip(done, generators, strict=True)
        ]
        convergence = judge(np.stack([part.traces for part in done], axis=1), burn_in, thin, draws)
        if convergence.converged or sampling.budget - burn_in - length < burn_in + length:
            return done, convergence


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


def seat_others(X: ActionSequences, state: State, rng: np.random.Generator) -> State:
    """State of all instances from that of the first ones; the others take seats in turn."""
    first = len(state.seat)
    seat = np.append(state.seat, np.zeros(len(X.action) - first, np.int64))
    tables = int(X.lengths.max(initial=1))
    counts, totals = nodes.count_tables(X.action[:first], state.seat, tables, len(X.actions))
    others = np.arange(np.searchsorted(X.offsets, first), len(X.offsets) - 1)
    settings = float(state.concentration), state.prior
    arguments = X.offsets, X.action, seat, others, False, counts, totals, *settings, rng
    with interruptible():
        reseating.seat_everyone(*arguments)
    return State(seat, counts, totals, *settings)


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
        with interruptible():
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
    watch: Watch = bool,
) -> Sweeps:
    """Seat every node again, once per sweep, and sample what is learned.

    Of the sampling, only the sampler matters, and what is "learned".
    """
    after = copy(state)
    moves = MOVES if sampling.sampler == "exact" else -1.0
    at_once = max(WORK // max(len(X.action), 1), 1)
    parts = []
    for first in range(0, max(sweeps, 1), at_once):
        number = min(at_once, sweeps - first)
        with interruptible():
            concentration, *part = run_sweeps(
                X.offsets, X.action, *after, sampling.spreads, moves, first, number, thin, rng
            )
        watch(number)
        after = after._replace(concentration=concentration)
        parts.append(part)
    traces, counts, log_prior = zip(*parts, strict=True)
    counted = np.sum(counts, axis=0), np.sum(log_prior, axis=0)
    return Sweeps(after, np.concatenate(traces, axis=1), *counted)
