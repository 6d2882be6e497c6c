"""Tables: conditionals against the joint, frequencies against enumeration, and learning.

The sampler is tested in three rings, from exact and quick to statistical and slow; each has a
control, something broken, that must fail.
"""

import dataclasses
import itertools
import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import digamma, gammaln
from sklearn.exceptions import ConvergenceWarning

import naive_nodes
from chance import fit_of_counts, standard_errors
from ibgn import IntervalSequences
from ibgn._kernels import nodes as kernels
from ibgn._kernels import sampling, sequential
from ibgn.terms import seating as nodes
from ibgn.terms.base import Context
from ibgn.terms.seating import Sampling, learn_concentration, learn_prior
from ibgn.terms.tables import EXACT_LENGTH, FittedTables, Tables
from strategies import states


def sequences_of(instances, actions):
    """Instances of these action codes, one interval after the other."""
    offsets = np.concatenate([[0], np.cumsum([len(instance) for instance in instances])])
    n = np.concatenate([np.arange(len(instance)) for instance in instances])
    names = [f"a{a:02d}" for a in range(actions)]
    return IntervalSequences(offsets, np.concatenate(instances), n, n + 1, names)


def tables_of(action_probs, concentration, action_prior):
    probs = np.array(action_probs, float)
    shares = np.arange(len(probs), 0, -1.0)
    names = tuple(f"a{a:02d}" for a in range(len(action_prior)))
    prior = np.array(action_prior, float)
    return FittedTables(names, probs, shares / shares.sum(), concentration, prior, None)


def terms_of(learned, X, likelihood, seed=0):
    """What each interval adds under one of the likelihoods."""
    scoring = dataclasses.replace(learned, node_likelihood=likelihood, seed=seed)
    return scoring.log_terms(X).interval


def fit_tables(X, sampling, rng, name=""):
    """Tables of one activity, sampled as told."""
    term = Tables(**dataclasses.asdict(sampling))
    return term.fit(term.count(X), None, Context(name, X.actions, 0, rng))


@pytest.fixture(scope="module")
def golden(shared):
    return json.loads((shared / "golden" / "nodes.json").read_text())


# ring 1: differences of log conditionals are differences of the log joint


def joints_of_reseated(X, seat, concentration, prior, moved):
    states = (nodes.initial_state(X, other) for other in moved)
    return np.array([nodes.log_joint(X, state, concentration, prior) for state in states])


def largest_deviation(X, seat, concentration, prior, seat_weights):
    """Of log weights from the log joint, over all nodes and all their candidates."""
    worst = 0.0
    for begin, stop in itertools.pairwise(X.offsets):
        action, mine = X.action[begin:stop], seat[begin:stop]
        counts, totals = nodes.initial_state(X, seat)[1:]
        naive_nodes.add(counts, totals, action, mine, -1)
        for n in range(len(mine)):
            weights = seat_weights(action, mine, n, counts, totals, concentration, prior)
            moved = np.tile(seat, (len(weights), 1))
            for b in range(len(weights)):
                moved[b, begin:stop] = kernels.reseat(mine, n, b)
            joints = joints_of_reseated(X, seat, concentration, prior, moved)
            worst = max(worst, np.abs((weights - weights[0]) - (joints - joints[0])).max())
    return worst


@given(states())
def test_ring_1_weights_of_every_candidate_differ_as_the_joint(state):
    assert largest_deviation(*state, kernels.seat_weights) < 1e-10


@given(states())
def test_ring_1_candidates_are_all_ways_to_reseat_a_node(state):
    """Every seating that agrees on the other nodes is met once, the present one among them."""
    X, seat, _, _ = state
    for begin, stop in itertools.pairwise(X.offsets):
        mine = seat[begin:stop]
        for n in range(len(mine)):
            blocks = int(naive_nodes.renumber(np.delete(mine, n)).max(initial=-1)) + 2
            reached = {tuple(kernels.reseat(mine, n, b)) for b in range(blocks)}
            others = tuple(naive_nodes.renumber(np.delete(mine, n)))
            assert tuple(mine) in reached
            assert len(reached) == blocks
            assert reached == {
                s
                for s in naive_nodes.seatings(len(mine))
                if tuple(naive_nodes.renumber(np.delete(s, n))) == others
            }


def weights_without_renumbering(action, seat, n, counts, totals, concentration, prior):
    """Broken: as if moving a node left the numbers of all tables alone."""
    counts, totals = counts.copy(), totals.copy()
    others = np.delete(seat, n)
    naive_nodes.add(counts, totals, np.delete(action, n), others, 1)
    tables = list(dict.fromkeys(others.tolist()))
    tables.append(min(set(range(len(seat))) - set(tables)))
    size = [concentration if z == tables[-1] else (others == z).sum() for z in tables]
    emitted = (counts[tables, action[n]] + prior[action[n]]) / (totals[tables] + prior.sum())
    return np.log(size * emitted)


def test_ring_1_control_weights_without_renumbering():
    X = sequences_of([[0, 1, 1], [0, 0, 2]], 3)
    state = X, np.array([0, 1, 1, 0, 1, 0]), 0.7, np.array([0.5, 0.3, 0.2])
    assert largest_deviation(*state, kernels.seat_weights) < 1e-10
    assert largest_deviation(*state, weights_without_renumbering) > 0.1


def largest_deviation_of_moves(X, seat, concentration, prior, counted):
    """Of log move_weights from the log joint; counted(mine, n): the nodes that count for n."""
    worst = 0.0
    for begin, stop in itertools.pairwise(X.offsets):
        mine = seat[begin:stop]
        for n in range(len(mine)):
            opened = max(mine[:n], default=-1) + 1
            if mine[n] == opened:
                continue
            state = nodes.initial_state(X, seat)
            a = int(X.action[begin + n])
            naive_nodes.add(state.counts, state.totals, X.action[begin + n :][:1], mine[n:][:1], -1)
            here = np.bincount(counted(mine, n), minlength=len(state.totals))
            room = np.empty(opened)
            arguments = here, opened, a, *state[1:], prior, prior.sum(), room
            weights = np.log(kernels.move_weights(*arguments))
            moved = np.tile(seat, (opened, 1))
            moved[:, begin + n] = np.arange(opened)
            joints = joints_of_reseated(X, seat, concentration, prior, moved)
            worst = max(worst, np.abs((weights - weights[0]) - (joints - joints[0])).max())
    return worst


@given(states())
def test_ring_1_moves_among_tables_opened_before_differ_as_the_joint(state):
    assert largest_deviation_of_moves(*state, lambda mine, n: np.delete(mine, n)) < 1e-10


def test_ring_1_control_moves_that_count_earlier_nodes_only():
    """What the paper prints: the nodes after n do not count."""
    X = sequences_of([[0, 1, 1, 0, 0]], 2)
    state = X, np.array([0, 1, 1, 0, 0]), 0.7, np.array([0.5, 0.3])
    assert largest_deviation_of_moves(*state, lambda mine, n: np.delete(mine, n)) < 1e-10
    assert largest_deviation_of_moves(*state, lambda mine, n: mine[:n]) > 0.1


# ring 2: frequencies of the sampler against enumeration


def posterior(X, concentration, prior):
    """All seatings, with their probability given the actions, and the log evidence."""
    ways = [naive_nodes.seatings(k) for k in X.lengths]
    seats = [np.concatenate(parts).astype(np.int64) for parts in itertools.product(*ways)]
    joints = joints_of_reseated(X, None, concentration, prior, seats)
    log_evidence = np.logaddexp.reduce(joints)
    return np.array(seats), np.exp(joints - log_evidence), float(log_evidence)


TINY = {
    "one of four": [[0, 1, 0, 2]],
    "two and three": [[0, 1], [1, 1, 0]],
    "two of three": [[0, 1, 1], [1, 0, 0]],
    "golden": [[0, 1, 0, 2], [1, 1, 2]],
}
ALPHA, BETA = 0.7, np.array([0.5, 0.3, 0.2])


def chance_of_frequencies(X, sampler, rng, draws=8000, sweeps=40):
    """p value of the sampler's frequencies under the exact posterior.

    Each draw ends a chain of its own, so draws are independent and counts are multinomial; 40
    sweeps of so few nodes leave nothing to see of where a chain began.
    """
    seats, probability, _ = posterior(X, ALPHA, BETA)
    number = {tuple(seat): s for s, seat in enumerate(seats.tolist())}
    counts = np.zeros(len(seats), int)
    start = nodes.initial_state(X)
    for _ in range(draws):
        state, _, _ = nodes.run(X, start, ALPHA, BETA, sampler, rng, sweeps)
        counts[number[tuple(state.seat.tolist())]] += 1
    return fit_of_counts(counts, probability)


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("name", TINY)
def test_ring_2_frequencies_match_enumeration(name, rng, false_alarm):
    X = sequences_of(TINY[name], 3)
    assert chance_of_frequencies(X, "exact", rng) > false_alarm


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize(("name", "draws"), [("one of four", 16_000), ("golden", 8000)])
def test_ring_2_control_the_published_sampler(name, draws, rng, false_alarm):
    """Their p values are some 1e-43 and 1e-65: cells are off by 13 standard errors and more."""
    X = sequences_of(TINY[name], 3)
    assert chance_of_frequencies(X, "published", rng, draws) < false_alarm


def test_sum_of_counts_is_over_every_thinth_sweep(rng, seed):
    X = sequences_of(TINY["golden"], 3)
    state, trace, summed = nodes.run(
        X, nodes.initial_state(X), ALPHA, BETA, "exact", np.random.default_rng(seed), 7, 3
    )
    one, same, plain = nodes.initial_state(X), np.random.default_rng(seed), 0
    for sweep in range(1, 8):
        one, of_sweep, counts = nodes.run(X, one, ALPHA, BETA, "exact", same)
        plain = plain + counts if sweep % 3 == 0 else plain
        assert of_sweep[0] == trace[sweep - 1] == nodes.log_joint(X, one, ALPHA, BETA)
    np.testing.assert_array_equal(summed, plain)
    np.testing.assert_array_equal(state.seat, one.seat)


def test_run_leaves_the_state_it_was_given_alone(rng):
    X = sequences_of(TINY["golden"], 3)
    start = nodes.initial_state(X)
    nodes.run(X, start, ALPHA, BETA, "exact", rng, 10)
    for part, fresh in zip(start, nodes.initial_state(X), strict=True):
        np.testing.assert_array_equal(part, fresh)


# ring 3: the joint distribution, reached from both sides (Geweke 2004)

# many tables and telling actions, where what comes later matters most
LENGTHS = (12, 12, 12, 12)
FORWARD_ALPHA, FORWARD_BETA = 3.0, np.full(3, 0.05)
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)])


def draw_seats(rng):
    seats = []
    for k in LENGTHS:
        at = []
        for n in range(k):
            z = naive_nodes.draw(np.array([*at, FORWARD_ALPHA]), rng) if n else 0
            at[z:] = [at[z] + 1, *at[z + 1 :]] if z < len(at) else [1]
            seats.append(z)
    return np.array(seats, np.int64)


def draw_actions(seat, rng):
    """From P(actions | seats): every table draws its distribution, every node its action."""
    theta = rng.dirichlet(FORWARD_BETA, size=max(LENGTHS)).cumsum(axis=1)
    action = (rng.random(len(seat))[:, None] > theta[seat, :-1]).sum(axis=1).astype(np.int32)
    action.flags.writeable = False
    return action


def statistics(seat, action):
    counts, totals = kernels.count_tables(action, seat, max(LENGTHS), len(FORWARD_BETA))
    return [
        kernels.log_joint(OFFSETS, seat, counts, totals, FORWARD_ALPHA, FORWARD_BETA),
        np.maximum.reduceat(seat, OFFSETS[:-1]).sum(),
        totals[0],
        totals[0] ** 2,
        seat[1] == seat[4],
        seat[3] == seat[4],
        counts[0, 0],
        counts[1, 1],
        (counts.astype(float) ** 2).sum(),
        counts[0, 0] * counts[1, 0],
    ]


def geweke_scores(moves, rng, replicates=1200, steps=10):
    """z of each statistic: after steps of seats | actions, actions | seats, less before.

    Each replicate begins with a forward draw, so a sampler that leaves the joint invariant
    keeps its distribution at every step; replicates are independent.
    """
    gained = []
    for _ in range(replicates):
        seat = draw_seats(rng)
        action = draw_actions(seat, rng)
        before = statistics(seat, action)
        for _ in range(steps):
            counts, totals = kernels.count_tables(action, seat, max(LENGTHS), len(FORWARD_BETA))
            state = OFFSETS, action, seat, counts, totals, FORWARD_ALPHA, FORWARD_BETA
            sampling.run(*state, moves, 1, 1, rng)
            action = draw_actions(seat, rng)
        gained.append(np.array(statistics(seat, action), float) - before)
    gained = np.array(gained)
    return gained.mean(axis=0) / (gained.std(axis=0) / np.sqrt(replicates))


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_3_the_joint_distribution_is_invariant(rng, false_alarm):
    """A mean of 1200 differences is normal; they are as often above zero as below."""
    bound = standard_errors(false_alarm, cases=10, df=1199)
    assert np.abs(geweke_scores(nodes.MOVES, rng)).max() < bound


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_3_control_the_published_sampler(rng):
    assert np.abs(geweke_scores(-1, rng)).max() > 8  # it is some 18


# golden figures


def test_golden_joints(golden):
    X = sequences_of(golden["instances"], 3)
    prior = np.array(golden["action_prior"])
    for example in golden["log_joint_examples"]:
        state = nodes.initial_state(X, np.concatenate(example["seats"]))
        assert nodes.log_joint(X, state, golden["concentration"], prior) == pytest.approx(
            example["log_joint"], abs=1e-10
        )


def test_golden_posterior_by_enumeration(golden):
    X = sequences_of(golden["instances"], 3)
    prior = np.array(golden["action_prior"])
    seats, probability, log_evidence = posterior(X, golden["concentration"], prior)
    assert len(seats) == golden["states"]
    assert log_evidence == pytest.approx(golden["log_evidence"], abs=1e-10)
    counts = np.array([nodes.initial_state(X, seat).counts for seat in seats])
    # the golden file rounds to twelve digits
    np.testing.assert_allclose(
        np.tensordot(probability, counts, 1), golden["posterior_mean_counts"], atol=1e-11, rtol=0
    )
    first = nodes.count_open(X, seats[0])
    assert first.tolist() == [1, 1]
    opened = np.array([nodes.count_open(X, seat)[0] for seat in seats])
    for tables, chance in golden["posterior_tables_open_in_first"].items():
        assert probability[opened == int(tables)].sum() == pytest.approx(chance, abs=1e-10)


@pytest.mark.statistical(false_alarm=1e-8)
def test_golden_posterior_means_by_sampling(golden, rng, false_alarm):
    """Means over 40 chains of 1000 sweeps, within so many standard errors between chains."""
    X = sequences_of(golden["instances"], 3)
    prior = np.array(golden["action_prior"])
    means = []
    for _ in range(40):
        state, _, _ = nodes.run(
            X, nodes.initial_state(X), golden["concentration"], prior, "exact", rng, 50
        )
        summed = nodes.run(X, state, golden["concentration"], prior, "exact", rng, 1000)[2]
        means.append(summed / 1000)
    error = np.std(means, axis=0, ddof=1) / np.sqrt(40)
    off = np.abs(np.mean(means, axis=0) - golden["posterior_mean_counts"])
    assert (off < standard_errors(false_alarm, cases=off.size, df=39) * error + 1e-9).all()


def golden_tables(golden):
    return tables_of(golden["sequential"]["theta"], golden["concentration"], golden["action_prior"])


def test_golden_sequential_likelihoods(golden):
    learned = golden_tables(golden)
    for example in golden["sequential"]["examples"]:
        terms = terms_of(learned, sequences_of([example["actions"]], 3), "sequential")
        assert terms.sum() == pytest.approx(example["log_likelihood"], abs=1e-10)


def test_golden_sum_over_all_sequences(golden):
    X = sequences_of(list(itertools.product(range(3), repeat=4)), 3)
    terms = terms_of(golden_tables(golden), X, "sequential").reshape(-1, 4)
    total = np.exp(terms.sum(axis=1)).sum()
    assert total == pytest.approx(golden["sequential"]["sum_over_all_of_length_4"], abs=1e-12)


# likelihoods of actions


@st.composite
def tables(draw, actions=3):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    theta = rng.dirichlet(np.ones(actions), size=draw(st.integers(1, 4)))
    return tables_of(theta, draw(st.floats(0.01, 10)), rng.uniform(0.1, 3, actions))


@given(tables(), st.integers(1, 6))
def test_sequential_likelihood_sums_to_one_over_all_sequences(learned, k):
    X = sequences_of(list(itertools.product(range(3), repeat=k)), 3)
    terms = terms_of(learned, X, "sequential").reshape(-1, k)
    assert np.exp(terms.sum(axis=1)).sum() == pytest.approx(1, abs=1e-12)


def test_published_likelihood_sums_to_more_than_one(golden):
    """The control: what the paper prints is no probability, and more tables give more."""
    X = sequences_of([[0], [1], [2]], 3)
    terms = terms_of(golden_tables(golden), X, "published")
    assert np.exp(terms).sum() == pytest.approx(3, abs=1e-12)


@given(tables())
def test_mixture_sums_to_one_and_published_over_tables(learned):
    X = sequences_of([[0, 1, 2]], 3)
    mixture = np.exp(terms_of(learned, X, "mixture"))
    np.testing.assert_allclose(mixture, learned.shares @ learned.action_probs, rtol=1e-12)
    assert mixture.sum() == pytest.approx(1, abs=1e-12)
    published = np.exp(terms_of(learned, X, "published"))
    np.testing.assert_allclose(published, learned.action_probs.sum(axis=0), rtol=1e-12)


def test_the_order_of_actions_counts(golden):
    learned = golden_tables(golden)
    X = sequences_of([[0, 1], [1, 0]], 3)
    sequential = terms_of(learned, X, "sequential").reshape(2, 2).sum(axis=1)
    assert abs(sequential[0] - sequential[1]) > 0.1
    for other in ("mixture", "published"):
        terms = terms_of(learned, X, other).reshape(2, 2).sum(axis=1)
        assert terms[0] == pytest.approx(terms[1], abs=1e-12)


LONG = (0, 1, 2, 2, 1, 0, 0, 2)


def particle_z(golden, estimated, truth, rng, replicates=2000):
    """How many standard errors the mean likelihood ratio is from one."""
    learned = golden_tables(golden)
    of_nodes = np.ascontiguousarray(learned.emission(len(estimated))[:, list(estimated)].T)
    exact = terms_of(learned, sequences_of([truth], 3), "sequential").sum()
    ratios = []
    for _ in range(replicates):
        uniform = rng.random((len(estimated), 9))
        terms = sequential.log_sequential_particles(of_nodes, learned.concentration, uniform)
        ratios.append(np.exp(terms.sum() - exact))
    return abs(np.mean(ratios) - 1) / (np.std(ratios) / np.sqrt(replicates))


@pytest.mark.statistical(false_alarm=1e-8)
def test_particles_estimate_the_likelihood_without_bias(golden, rng, false_alarm):
    """Nine numbers give eight particles; the mean of 2000 ratios is normal."""
    assert particle_z(golden, LONG, LONG, rng) < standard_errors(false_alarm, df=1999)


@pytest.mark.statistical(false_alarm=1e-8)
def test_control_the_estimate_of_another_order_is_off(golden, rng):
    assert particle_z(golden, LONG[::-1], LONG, rng) > 20  # it is some 1500


@pytest.mark.statistical(false_alarm=1e-8)
def test_long_instances_are_estimated_close_to_the_exact_value(golden, seed):
    """2^13 compositions are few enough to sum over; over seeds estimates spread by 0.01."""
    learned = golden_tables(golden)
    k = EXACT_LENGTH + 1
    actions = [0, 1, 2, 1] * 10
    of_nodes = np.ascontiguousarray(learned.emission(k)[:, actions[:k]].T)
    exact = sequential.log_sequential_exact(of_nodes, learned.concentration).sum()
    seeded = dataclasses.replace(learned, seed=seed)
    terms = seeded.sequential_terms(sequences_of([actions[:k]], 3), particles=2000)
    assert abs(terms.sum() - exact) < 0.2
    short = terms_of(learned, sequences_of([actions[: k - 1]], 3), "sequential", seed)
    assert short.sum() == pytest.approx(
        sequential.log_sequential_exact(of_nodes[: k - 1, : k - 1].copy(), ALPHA).sum(), abs=1e-10
    )


def test_terms_do_not_depend_on_the_other_instances(golden, seed):
    learned = golden_tables(golden)
    long, longer = [0, 1, 2, 1] * 5, [2, 1, 0] * 10
    alone = terms_of(learned, sequences_of([long], 3), "sequential", seed)
    among = terms_of(learned, sequences_of([longer, long], 3), "sequential", seed)
    np.testing.assert_array_equal(alone, among[len(longer) :])


@given(tables(), st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_an_unknown_action_says_the_same_in_every_activity(learned, actions):
    """One of M + 1, whatever the tables; longer than they are, every term stays finite."""
    X = sequences_of([actions], 4)
    for likelihood in ("sequential", "mixture", "published"):
        terms = terms_of(learned, X, likelihood)
        assert np.isfinite(terms).all()
        np.testing.assert_allclose(terms[X.action == 3], np.log(1 / 4), rtol=1e-12)


@given(tables(), st.integers(0, 8))
def test_tables_beyond_those_learned_emit_the_prior_mean(learned, length):
    emission = learned.emission(length)
    kept = min(length, len(learned.action_probs))
    assert emission.shape == (length, 4)
    np.testing.assert_array_equal(emission[:kept, :3], learned.action_probs[:kept])
    mean = learned.action_prior / learned.action_prior.sum()
    np.testing.assert_allclose(emission[kept:, :3], np.tile(mean, (length - kept, 1)), rtol=1e-12)


def test_likelihood_is_one_of_the_choices():
    with pytest.raises(ValueError, match="'sequential', 'mixture', 'published'"):
        Tables(node_likelihood="exact")


# concentration and prior


def iterate(step, value, times):
    for _ in range(times):
        value = step(value)
    return value


def log_likelihood_of_concentration(concentration, opened, lengths):
    """Of the tables opened: alpha^K Gamma(alpha) / Gamma(alpha + n)."""
    shared = gammaln(concentration) - gammaln(concentration + lengths)
    return (opened * np.log(concentration) + shared).sum()


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("truth", [0.3, 1.0, 4.0])
def test_concentration_converges_to_its_maximum(truth, rng):
    lengths = rng.integers(5, 30, 200)
    chance = [truth / (np.arange(k) + truth) for k in lengths]
    opened = np.array([(rng.random(len(c)) < c).sum() for c in chance])
    found = iterate(lambda value: learn_concentration(value, opened, lengths), 1.0, 500)
    best = minimize_scalar(
        lambda value: -log_likelihood_of_concentration(np.exp(value), opened, lengths),
        bounds=(-6, 4),
        options={"xatol": 1e-8},
    )
    assert found == pytest.approx(np.exp(best.x), rel=1e-4)
    # over seeds its logarithm spreads by 0.09, 0.06 and 0.04: a factor of two is eight times that
    assert truth / 2 < found < truth * 2


def test_one_step_of_the_concentration():
    opened, lengths = np.array([1, 2]), np.array([3, 5])
    spread = digamma(0.5 + 3) - digamma(0.5) + digamma(0.5 + 5) - digamma(0.5)
    assert learn_concentration(0.5, opened, lengths) == pytest.approx(3 / spread, rel=1e-12)


DEGENERATE = {
    "one node": ([1], [1]),
    "one table each": ([1, 1, 1], [4, 5, 6]),
    "all tables apart": ([4, 5, 6], [4, 5, 6]),
    "nothing": ([], []),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_concentration_stays_within_bounds(name):
    opened, lengths = (np.array(values, np.int64) for values in DEGENERATE[name])
    found = iterate(lambda value: learn_concentration(value, opened, lengths), 1.0, 2000)
    low, high = nodes.CONCENTRATIONS
    assert low <= found <= high
    if name == "all tables apart":
        assert found == high


@pytest.mark.own_seed(reason="how soon steps end on a flat top depends on the counts")
def test_prior_converges_to_its_maximum(rng):
    counts = np.array([rng.multinomial(60, theta) for theta in rng.dirichlet([2, 1, 0.5], size=60)])
    found = iterate(lambda prior: learn_prior(prior, counts), np.full(3, 1 / 3), 3000)
    best = minimize(
        lambda value: -naive_nodes.log_polya(counts, np.exp(value)),
        np.zeros(3),
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 5000},
    )
    np.testing.assert_allclose(found, np.exp(best.x), rtol=1e-4)  # a flat top: its square is 1e-8


def pooled_update(prior, counts):
    """As printed in the paper: one vector of counts, those of all tables together."""
    pooled = counts.sum(axis=0)
    gained = digamma(pooled + prior) - digamma(prior)
    spread = digamma(pooled.sum() + prior.sum()) - digamma(prior.sum())
    return prior * gained / spread


def test_control_the_pooled_update_diverges():
    counts = np.array([[30, 5, 1], [2, 20, 9], [1, 3, 12]])
    strengths = [np.full(3, 1 / 3)]
    for _ in range(4):
        strengths.append(iterate(lambda prior: pooled_update(prior, counts), strengths[-1], 20000))
    grown = [prior.sum() for prior in strengths]
    assert grown[-1] > 100
    assert (np.diff(grown) > 1).all()  # and goes on growing
    ours = iterate(lambda prior: learn_prior(prior, counts), np.full(3, 1 / 3), 2000)
    assert ours.sum() < 10


@pytest.mark.parametrize(
    "counts",
    [
        [[7]],
        [[5, 0, 0], [9, 0, 0]],
        [[0, 0, 0], [0, 0, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[4, 2, 1]],
        [[10, 10], [10, 10], [10, 10]],
    ],
)
def test_prior_stays_within_bounds(counts):
    counts = np.array(counts)
    start = np.full(counts.shape[1], 1 / counts.shape[1])
    found = iterate(lambda prior: learn_prior(prior, counts), start, 2000)
    low, high = nodes.PRIORS
    assert ((found >= low) & (found <= high)).all()


# learning


QUICK = {"draws": 50, "budget": 1000}


def some_sequences(rng, instances=8, longest=6, actions=3):
    lengths = [longest, *rng.integers(1, longest + 1, instances - 1).tolist()]
    return sequences_of([rng.integers(0, actions, k) for k in lengths], actions)


def quietly(X, sampling, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_tables(X, sampling, rng)


def same(first, second):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("action_probs", "shares", "concentration", "action_prior")
    ) and np.array_equal(first.convergence.trace, second.convergence.trace)


@pytest.mark.parametrize("sampler", ["exact", "published"])
def test_the_same_seed_gives_the_same_tables(sampler, seed, rng):
    X = some_sequences(rng)
    sampling = Sampling(sampler, **QUICK)
    first, second, other = (
        quietly(X, sampling, np.random.default_rng(s)) for s in (seed, seed, seed + 1)
    )
    assert same(first, second)
    assert not same(first, other)


def test_tables_are_distributions_and_shares_sum_to_one(rng):
    learned = quietly(some_sequences(rng), Sampling(**QUICK), rng)
    np.testing.assert_allclose(learned.action_probs.sum(axis=1), 1, rtol=1e-12)
    assert learned.shares.sum() == pytest.approx(1, abs=1e-12)
    assert (learned.action_probs > 0).all()


def counts_of(learned, intervals):
    """Averaged counts, solved for from theta = (counts + prior) / total."""
    totals = learned.shares * intervals
    strength = learned.action_prior.sum()
    return learned.action_probs * (totals + strength)[:, None] - learned.action_prior


@pytest.mark.parametrize("draws", [1, 50])
def test_counts_are_averaged_over_the_draws(draws, rng):
    X = some_sequences(rng)
    learned = quietly(X, Sampling(draws=draws, budget=1000), rng)
    counts = counts_of(learned, len(X.action))
    np.testing.assert_allclose(counts.sum(axis=0), np.bincount(X.action, minlength=3), rtol=1e-9)
    np.testing.assert_allclose(counts * draws, np.round(counts * draws), atol=1e-8)
    assert learned.convergence.draws == draws
    assert learned.convergence.trace.shape == (1, draws)


@pytest.mark.statistical(false_alarm=1e-8)
def test_counts_come_near_the_posterior_means(golden, rng):
    X = sequences_of(golden["instances"], 3)
    prior = 0.4
    sampling = Sampling(concentration=0.7, action_prior=prior, draws=2000)
    learned = quietly(X, sampling, rng)
    seats, probability, _ = posterior(X, 0.7, np.full(3, prior))
    exact = np.tensordot(probability, [nodes.initial_state(X, s).counts for s in seats], 1)
    found = counts_of(learned, len(X.action))
    # 2000 draws of counts up to 4, hardly dependent: 0.5 is more than 10 standard errors
    np.testing.assert_allclose(found, exact[: len(found)], atol=0.5, rtol=0)
    assert learned.concentration == 0.7
    np.testing.assert_array_equal(learned.action_prior, np.full(3, prior))


def test_a_small_budget_is_told(rng):
    X = some_sequences(rng)
    with pytest.warns(ConvergenceWarning, match="'wash'.*budget=300.*raise budget"):
        learned = fit_tables(X, Sampling(budget=300), rng, "wash")
    assert not learned.convergence.converged
    assert np.isfinite(learned.action_probs).all()


def test_a_healthy_chain_converges_without_a_word():
    """A fixed seed, since whether a chain is judged healthy is a matter of luck."""
    rng = np.random.default_rng(7)
    learned = fit_tables(some_sequences(rng), Sampling(draws=1000), rng)
    assert learned.convergence.converged
    assert learned.convergence.dependence_factor < 5
    assert learned.convergence.draws == 1000
    assert learned.convergence.effective_sample_size > 30
    assert np.isnan(learned.convergence.rhat)


def test_chains_that_agree_have_a_small_rhat():
    rng = np.random.default_rng(7)
    sampling = Sampling(draws=500, chains=2, concentration=1.0, action_prior=0.5)
    learned = fit_tables(some_sequences(rng), sampling, rng)
    assert learned.convergence.converged
    assert learned.convergence.trace.shape == (2, 500)
    assert learned.convergence.draws == 1000
    assert learned.convergence.rhat < nodes.RHAT_LIMIT


def test_chains_that_learn_their_prior_can_agree():
    agree = 0
    X = some_sequences(np.random.default_rng(7))
    for seed in range(5):
        learned = quietly(X, Sampling(draws=500, chains=2), np.random.default_rng(seed))
        agree += learned.convergence.rhat < nodes.RHAT_LIMIT
    assert agree == 5


def test_chains_that_disagree_do_not_converge(monkeypatch, rng):
    """As if the chains had found different hills: the log joint of the second is shifted."""
    plain, shifts = nodes._run_chain, iter([0.0, 50.0])

    def shifted(*arguments):
        chain = plain(*arguments)
        return chain._replace(trace=chain.trace + next(shifts), fits=True)

    monkeypatch.setattr(nodes, "_run_chain", shifted)
    with pytest.warns(ConvergenceWarning, match="R-hat"):
        learned = fit_tables(some_sequences(rng), Sampling(chains=2, **QUICK), rng)
    assert not learned.convergence.converged
    assert learned.convergence.rhat > nodes.RHAT_LIMIT


@pytest.mark.parametrize("chains", [1, 2])
def test_a_constant_trace_is_fine(chains, rng):
    """Instances of one interval can be seated in one way only."""
    X = sequences_of([[0], [1], [0]], 2)
    learned = fit_tables(X, Sampling(draws=100, chains=chains), rng)
    assert learned.convergence.converged
    assert np.ptp(learned.convergence.trace) == 0
    assert len(learned.action_probs) == 1
    counts = counts_of(learned, 3)
    np.testing.assert_allclose(counts, [[2, 1]], rtol=1e-9)


@pytest.mark.parametrize("instances", [[[]], [[], [0, 1], []]])
def test_instances_without_intervals_are_left_out(instances, rng):
    X = sequences_of([np.array(instance, int) for instance in instances], 2)
    learned = quietly(X, Sampling(**QUICK), rng)
    assert np.isfinite(learned.action_probs).all()
    assert learned.shares.sum() == pytest.approx(1)
    assert np.isfinite(terms_of(learned, X, "sequential")).all()


@given(
    st.one_of(st.integers(1, 20), st.integers(1, 2000)),
    st.integers(1, 300),
    st.sampled_from(["exact", "published"]),
    st.integers(0, 2**32 - 1),
)
def test_the_budget_is_kept(budget, draws, sampler, seed):
    rng = np.random.default_rng(seed)
    X = sequences_of([[0, 1, 1], [1, 0]], 2)
    done, plain = [], nodes.run

    def counted(*arguments):
        done.append(arguments[6] if len(arguments) > 6 else 1)
        return plain(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "run", counted)
        learned = quietly(X, Sampling(sampler, draws=draws, budget=budget), rng)
    found = learned.convergence
    assert sum(done) <= budget
    assert found.burn_in + found.draws * found.thin <= budget
    assert 1 <= found.draws <= draws
    assert found.converged <= (found.draws == draws)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"sampler": "gibbs"},
            "sampler='gibbs' is not a choice; choose among 'exact', 'published'",
        ),
        ({"draws": 0}, "draws=0 must be a whole number from 1"),
        ({"budget": -5}, "budget=-5 must be"),
        ({"chains": "two"}, "chains='two' must be"),
        ({"draws": True}, "draws=True must be"),
        ({"concentration": 0}, "concentration=0 must be positive, or 'learned'"),
        ({"concentration": "fitted"}, "concentration='fitted' must be"),
        ({"action_prior": float("nan")}, "action_prior=nan must be"),
    ],
)
def test_sampling_refuses_what_it_cannot_use(options, message):
    with pytest.raises(ValueError, match=message):
        Sampling(**options)


@pytest.mark.parametrize("name", ["draws", "budget", "chains"])
def test_sampling_counts_in_whole_numbers(name):
    with pytest.raises(ValueError, match=f"{name}=1.5 must be a whole number"):
        Sampling(**{name: 1.5})
