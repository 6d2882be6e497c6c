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
from scipy.special import digamma
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

import naive_nodes
from chance import fit_of_counts, standard_errors
from ibgn import IntervalSequences
from ibgn._kernels import hyperparameters, sampling, sequential
from ibgn._kernels import nodes as kernels
from ibgn.terms import seating as nodes
from ibgn.terms.base import Context
from ibgn.terms.seating import Sampling
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
    states = (nodes.initial_state(X, concentration, prior, other) for other in moved)
    return np.array([nodes.log_joint(X, state) for state in states])


def largest_deviation(X, seat, concentration, prior, seat_weights):
    """Of log weights from the log joint, over all nodes and all their candidates."""
    worst = 0.0
    for begin, stop in itertools.pairwise(X.offsets):
        action, mine = X.action[begin:stop], seat[begin:stop]
        _, counts, totals, *_ = nodes.initial_state(X, concentration, prior, seat)
        naive_nodes.remove_nodes(action, mine, counts, totals)
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
    naive_nodes.add_nodes(np.delete(action, n), others, counts, totals)
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
            state = nodes.initial_state(X, concentration, prior, seat)
            a = int(X.action[begin + n])
            one = X.action[begin + n :][:1], mine[n:][:1]
            naive_nodes.remove_nodes(*one, state.counts, state.totals)
            here = np.bincount(counted(mine, n), minlength=len(state.totals))
            room = np.empty(opened)
            arguments = here, opened, a, *state[1:3], prior, prior.sum(), room
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


def counts_at(X, seat):
    return nodes.initial_state(X, ALPHA, BETA, seat).counts


TINY = {
    "one of four": [[0, 1, 0, 2]],
    "two and three": [[0, 1], [1, 1, 0]],
    "two of three": [[0, 1, 1], [1, 0, 0]],
    "golden": [[0, 1, 0, 2], [1, 1, 2]],
}
ALPHA, BETA = 0.7, np.array([0.5, 0.3, 0.2])
FIXED = {name: Sampling(name, concentration=1, action_prior=1) for name in ("exact", "published")}


def chance_of_frequencies(X, sampler, rng, draws=8000, sweeps=40):
    """p value of the sampler's frequencies under the exact posterior.

    Each draw ends a chain of its own, so draws are independent and counts are multinomial; 40
    sweeps of so few nodes leave nothing to see of where a chain began.
    """
    seats, probability, _ = posterior(X, ALPHA, BETA)
    number = {tuple(seat): s for s, seat in enumerate(seats.tolist())}
    counts = np.zeros(len(seats), int)
    start = nodes.initial_state(X, ALPHA, BETA)
    for _ in range(draws):
        state = nodes.run(X, start, FIXED[sampler], rng, sweeps).state
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
    start, sampling = nodes.initial_state(X, ALPHA, BETA), Sampling("published")
    whole = nodes.run(X, start, sampling, np.random.default_rng(seed), 7, 3)
    one, same, counts, log_prior = start, np.random.default_rng(seed), 0, 0
    for sweep in range(1, 8):
        one, of_sweep, added, prior = nodes.run(X, one, sampling, same)
        if sweep % 3 == 0:
            counts, log_prior = counts + added, log_prior + prior
        known = nodes.log_joint(X, one), np.log(one.concentration), np.log(one.prior.sum())
        np.testing.assert_allclose(whole.traces[:, sweep - 1], known, rtol=1e-12)
        np.testing.assert_array_equal(of_sweep[:, 0], whole.traces[:, sweep - 1])
        np.testing.assert_allclose(prior, np.log(one.prior), rtol=1e-12)
    np.testing.assert_array_equal(whole.counts, counts)
    np.testing.assert_allclose(whole.log_prior, log_prior, rtol=1e-12)
    np.testing.assert_array_equal(whole.state.seat, one.seat)


def test_run_leaves_the_state_it_was_given_alone(rng):
    X = sequences_of(TINY["golden"], 3)
    start = nodes.initial_state(X, ALPHA, BETA.copy())
    nodes.run(X, start, Sampling(), rng, 10)
    nodes.settle(X, start, Sampling(), rng, 10)
    for part, fresh in zip(start, nodes.initial_state(X, ALPHA, BETA), strict=True):
        np.testing.assert_array_equal(part, fresh)


# ring 3: the joint distribution, reached from both sides (Geweke 2004)

# many tables and telling actions, where what comes later matters most
LENGTHS = (12, 12, 12, 12)
FORWARD_ALPHA, FORWARD_BETA = 3.0, np.full(3, 0.05)
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)])


def draw_seats(rng, concentration, lengths):
    seats = []
    for k in lengths:
        at = []
        for n in range(k):
            z = naive_nodes.draw(np.array([*at, concentration]), rng) if n else 0
            at[z:] = [at[z] + 1, *at[z + 1 :]] if z < len(at) else [1]
            seats.append(z)
    return np.array(seats, np.int64)


def draw_actions(seat, prior, rng):
    """From P(actions | seats): every table draws its distribution, every node its action."""
    theta = rng.dirichlet(prior, size=max(LENGTHS)).cumsum(axis=1)
    action = (rng.random(len(seat))[:, None] > theta[seat, :-1]).sum(axis=1).astype(np.int32)
    action.flags.writeable = False
    return action


def statistics(seat, action, concentration, prior):
    counts, totals = kernels.count_tables(action, seat, max(LENGTHS), len(FORWARD_BETA))
    opened = np.maximum.reduceat(seat, OFFSETS[:-1]).sum()
    return [
        kernels.log_joint(OFFSETS, seat, counts, totals, concentration, prior),
        opened,
        totals[0],
        totals[0] ** 2,
        seat[1] == seat[4],
        seat[3] == seat[4],
        counts[0, 0],
        counts[1, 1],
        (counts.astype(float) ** 2).sum(),
        counts[0, 0] * counts[1, 0],
        np.log(concentration),
        np.log(concentration) ** 2,
        np.log(concentration) * opened,
        np.log(prior.sum()),
        np.log(prior.sum()) ** 2,
        np.log(prior[0]) * counts[0, 0],
    ]


def geweke_scores(moves, rng, spreads=(0.0, 0.0), believed=None, replicates=1200, steps=10):
    """z of each statistic: after steps of seats | actions, actions | seats, less before.

    Each replicate begins with a forward draw, so a sampler that leaves the joint invariant
    keeps its distribution at every step; replicates are independent. Concentration and prior are
    drawn with these spreads, and sampled with those believed.
    """
    gained = []
    for _ in range(replicates):
        alpha, prior = FORWARD_ALPHA, FORWARD_BETA
        if spreads[0]:
            alpha = float(np.exp(spreads[0] * rng.standard_normal()))
        if spreads[1]:
            prior = np.exp(spreads[1] * rng.standard_normal(3)) / 3
        seat = draw_seats(rng, alpha, LENGTHS)
        action = draw_actions(seat, prior, rng)
        before = statistics(seat, action, alpha, prior)
        prior = prior.copy()
        for _ in range(steps):
            counts, totals = kernels.count_tables(action, seat, max(LENGTHS), len(FORWARD_BETA))
            state = OFFSETS, action, seat, counts, totals, alpha, prior
            alpha, *_ = sampling.run(*state, believed or spreads, moves, 0, 1, 1, rng)
            action = draw_actions(seat, prior, rng)
        gained.append(np.array(statistics(seat, action, alpha, prior), float) - before)
    gained = np.array(gained)
    moved = gained.std(axis=0) > 0  # what is fixed has no error
    return gained.mean(axis=0)[moved] / (gained.std(axis=0)[moved] / np.sqrt(replicates))


SAMPLED = (1.5, 0.7)  # spreads of what is sampled as well


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_3_the_joint_with_concentration_and_prior_is_invariant(rng, false_alarm):
    bound = standard_errors(false_alarm, cases=16, df=1199)
    scores = geweke_scores(nodes.MOVES, rng, SAMPLED)
    assert len(scores) == 16
    assert np.abs(scores).max() < bound


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("believed", [(0.7, 0.7), (1.5, 0.35)])
def test_ring_3_control_samplers_that_believe_another_prior(believed, rng):
    assert np.abs(geweke_scores(nodes.MOVES, rng, SAMPLED, believed)).max() > 8


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_3_the_joint_distribution_is_invariant(rng, false_alarm):
    """A mean of 1200 differences is normal; they are as often above zero as below."""
    bound = standard_errors(false_alarm, cases=16, df=1199)
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
        seat = np.concatenate(example["seats"])
        state = nodes.initial_state(X, golden["concentration"], prior, seat)
        assert nodes.log_joint(X, state) == pytest.approx(example["log_joint"], abs=1e-10)


def test_golden_posterior_by_enumeration(golden):
    X = sequences_of(golden["instances"], 3)
    prior = np.array(golden["action_prior"])
    seats, probability, log_evidence = posterior(X, golden["concentration"], prior)
    assert len(seats) == golden["states"]
    assert log_evidence == pytest.approx(golden["log_evidence"], abs=1e-10)
    counts = np.array([counts_at(X, seat) for seat in seats])
    # the golden file rounds to twelve digits
    np.testing.assert_allclose(
        np.tensordot(probability, counts, 1), golden["posterior_mean_counts"], atol=1e-11, rtol=0
    )
    opened = seats[:, : len(golden["instances"][0])].max(axis=1) + 1
    for tables, chance in golden["posterior_tables_open_in_first"].items():
        assert probability[opened == int(tables)].sum() == pytest.approx(chance, abs=1e-10)


@pytest.mark.statistical(false_alarm=1e-8)
def test_golden_posterior_means_by_sampling(golden, rng, false_alarm):
    """Means over 40 chains of 1000 sweeps, within so many standard errors between chains."""
    X = sequences_of(golden["instances"], 3)
    prior = np.array(golden["action_prior"])
    means = []
    for _ in range(40):
        start = nodes.initial_state(X, golden["concentration"], prior)
        state = nodes.run(X, start, FIXED["exact"], rng, 50).state
        means.append(nodes.run(X, state, FIXED["exact"], rng, 1000).counts / 1000)
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
def test_published_likelihood_is_the_sum_over_tables(learned):
    X = sequences_of([[0, 1, 2]], 3)
    published = np.exp(terms_of(learned, X, "published"))
    np.testing.assert_allclose(published, learned.action_probs.sum(axis=0), rtol=1e-12)


def published_of(instance, mean_counts, action_prior, longest):
    """As printed: the product over nodes of the sum over max |V_d| tables of theta_z(a_n)."""
    value = 0.0
    for a in instance:
        theta = 0.0
        for z in range(longest):
            held = mean_counts.get(z, np.zeros(len(action_prior)))  # a table that nobody met
            theta += (held[a] + action_prior[a]) / (held.sum() + action_prior.sum())
        value += np.log(theta)
    return value


def test_published_likelihood_is_that_of_the_paper(rng):
    """Tables beyond those met emit with the prior mean, and count all the same."""
    instances = [[0, 0, 0, 0, 0, 0], [0, 0], [0, 0, 1]]
    X = sequences_of(instances, 3)
    sampling = Sampling("published", concentration=1e-3, action_prior=0.4, **QUICK)
    learned = quietly(X, sampling, rng)
    counts = dict(enumerate(counts_of(learned, len(X.action))))
    met = {z: held for z, held in counts.items() if held.sum() > 1e-9}
    assert len(met) < len(learned.action_probs) == 6
    terms = terms_of(learned, X, "published")
    for instance, begin in zip(instances, X.offsets, strict=False):
        value = terms[begin : begin + len(instance)].sum()
        known = published_of(instance, met, learned.action_prior, 6)
        assert value == pytest.approx(known, abs=1e-9)
        control = published_of(instance, met, learned.action_prior, len(met))
        assert abs(value - control) > 0.1


def test_the_order_of_actions_counts(golden):
    learned = golden_tables(golden)
    X = sequences_of([[0, 1], [1, 0]], 3)
    sequential = terms_of(learned, X, "sequential").reshape(2, 2).sum(axis=1)
    assert abs(sequential[0] - sequential[1]) > 0.1
    published = terms_of(learned, X, "published").reshape(2, 2).sum(axis=1)
    assert published[0] == pytest.approx(published[1], abs=1e-12)


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
    for likelihood in ("sequential", "published"):
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
    with pytest.raises(ValueError, match="choose among 'sequential', 'published'"):
        Tables(node_likelihood="mixture")


# concentration and prior


def openings_of_first_nodes_too(concentration, opened, lengths):
    """Broken: the first node of an instance opens a table for certain, so it says nothing."""
    return kernel_of_openings(concentration, opened + len(lengths), lengths)


kernel_of_openings = hyperparameters.log_openings


def deviation_of_concentration(X, seat, first, second, prior, log_openings):
    opened = sum(max(seat[begin:stop], default=0) for begin, stop in itertools.pairwise(X.offsets))
    found = log_openings(second, opened, X.lengths) - log_openings(first, opened, X.lengths)
    joints = [nodes.log_joint(X, nodes.initial_state(X, v, prior, seat)) for v in (first, second)]
    return abs(found - (joints[1] - joints[0]))


@given(states(), st.floats(0.05, 5))
def test_ring_1_openings_differ_as_the_joint(state, other):
    *others, prior = state
    assert deviation_of_concentration(*others, other, prior, kernel_of_openings) < 1e-10


def test_ring_1_control_openings_of_first_nodes():
    X = sequences_of([[0, 1, 1], [0, 0, 2]], 3)
    state = X, np.array([0, 1, 1, 0, 1, 0]), 0.7, 2.0, BETA
    assert deviation_of_concentration(*state, kernel_of_openings) < 1e-10
    assert deviation_of_concentration(*state, openings_of_first_nodes_too) > 0.1


@given(states(), st.floats(0.05, 5))
def test_ring_1_entries_of_the_prior_differ_as_the_joint(state, other):
    X, seat, concentration, prior = state
    _, counts, totals, *_ = nodes.initial_state(X, concentration, prior, seat)
    for a in range(len(prior)):
        changed = prior.copy()
        changed[a] = other
        found = hyperparameters.log_entry(counts[:, a], other)
        found -= hyperparameters.log_entry(counts[:, a], prior[a])
        found += hyperparameters.log_strength(totals, changed.sum())
        found -= hyperparameters.log_strength(totals, prior.sum())
        states = (
            nodes.initial_state(X, concentration, values, seat) for values in (prior, changed)
        )
        before, after = (nodes.log_joint(X, state) for state in states)
        assert found == pytest.approx(after - before, abs=1e-10)


def log_evidence_of(X, concentration, prior):
    return posterior(X, concentration, prior)[2]


def bin_probabilities(values, log_density, edges):
    """Probability of each bin, by sums over a fine grid of values."""
    density = np.exp(log_density - log_density.max())
    bins = np.bincount(np.searchsorted(edges, values), density, minlength=len(edges) + 1)
    return bins / density.sum()


def drawn_states(X, sampling, rng, draws=3000, sweeps=60):
    """Last states of independent chains that start from draws of the prior."""
    for _ in range(draws):
        concentration, prior = ALPHA, BETA
        if sampling.concentration == "learned":
            concentration = float(np.exp(nodes.CONCENTRATION_SPREAD * rng.standard_normal()))
        if sampling.action_prior == "learned":
            prior = np.exp(nodes.PRIOR_SPREAD * rng.standard_normal(len(X.actions)))
            prior = prior / len(X.actions)
        state = nodes.initial_state(X, concentration, prior)
        yield nodes.run(X, state, sampling, rng, sweeps).state


LOG_ALPHAS = np.linspace(-13, 13, 1301)
ALPHA_EDGES = np.linspace(-6, 6, 13) + 0.005  # between points of the grid


def chance_of_concentrations(X, rng, more_tables):
    """p value of sampled concentrations under their posterior, by sums over all seatings."""
    density = norm.logpdf(LOG_ALPHAS, 0, nodes.CONCENTRATION_SPREAD)
    density += [log_evidence_of(X, alpha, BETA) for alpha in np.exp(LOG_ALPHAS)]
    density += more_tables * LOG_ALPHAS
    sampling = Sampling(action_prior=1)
    drawn = [np.log(state.concentration) for state in drawn_states(X, sampling, rng)]
    counts = np.bincount(np.searchsorted(ALPHA_EDGES, drawn), minlength=len(ALPHA_EDGES) + 1)
    return fit_of_counts(counts, bin_probabilities(LOG_ALPHAS, density, ALPHA_EDGES))


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("name", ["one of four", "two of three"])
def test_ring_2_concentrations_match_their_posterior(name, rng, false_alarm):
    assert chance_of_concentrations(sequences_of(TINY[name], 3), rng, 0) > false_alarm


@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_2_control_concentrations_if_first_nodes_counted(rng, false_alarm):
    X = sequences_of(TINY["two of three"], 3)
    assert chance_of_concentrations(X, rng, len(X)) < false_alarm


LOG_BETAS = np.linspace(-5.5, 5.5, 56) - np.log(2)
BETA_EDGES = np.linspace(-1.5, 2.5, 9)


def chance_of_priors(X, rng, spread):
    """p value of the sum of sampled priors of two actions under their posterior."""
    first, second = (part.ravel() for part in np.meshgrid(LOG_BETAS, LOG_BETAS))
    density = norm.logpdf(first, -np.log(2), spread) + norm.logpdf(second, -np.log(2), spread)
    pairs = np.exp(np.column_stack([first, second]))
    density += [log_evidence_of(X, ALPHA, prior) for prior in pairs]
    drawn = drawn_states(X, Sampling(concentration=1), rng)
    logs = [np.log(state.prior.sum()) for state in drawn]
    counts = np.bincount(np.searchsorted(BETA_EDGES, logs), minlength=len(BETA_EDGES) + 1)
    probs = bin_probabilities(np.log(pairs.sum(axis=1)), density, BETA_EDGES)
    return fit_of_counts(counts, probs)


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("instances", [[[0, 1], [1, 1, 0]], [[0, 0, 0]]])
def test_ring_2_priors_match_their_posterior(instances, rng, false_alarm):
    assert chance_of_priors(sequences_of(instances, 2), rng, nodes.PRIOR_SPREAD) > false_alarm


@pytest.mark.statistical(false_alarm=1e-8)
def test_ring_2_control_priors_of_a_narrower_belief(rng, false_alarm):
    X = sequences_of([[0, 1], [1, 1, 0]], 2)
    assert chance_of_priors(X, rng, 0.7 * nodes.PRIOR_SPREAD) < false_alarm


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("truth", [0.3, 3.0])
def test_the_concentration_of_generated_seats_is_found(truth, rng):
    """Given 200 instances; over seeds the logarithm of the mean is off by 0.1 at most."""
    lengths = rng.integers(5, 20, 200)
    seats = [draw_seats(rng, truth, [k]) for k in lengths]
    opened = int(sum(seat.max() for seat in seats))
    value, drawn = 1.0, []
    for _ in range(3000):
        value = hyperparameters.step_concentration(value, opened, lengths, 1.0, 3.0, rng)
        drawn.append(np.log(value))
    assert truth / 2 < np.exp(np.mean(drawn[500:])) < truth * 2


def pooled_update(prior, counts):
    """As printed in the paper: one vector of counts, those of all tables together."""
    pooled = counts.sum(axis=0)
    gained = digamma(pooled + prior) - digamma(prior)
    spread = digamma(pooled.sum() + prior.sum()) - digamma(prior.sum())
    return prior * gained / spread


def test_control_the_printed_update_of_the_prior_diverges(rng):
    """Ours, sampled, stays where the counts of the tables put it."""
    counts = np.array([[30, 5, 1], [2, 20, 9], [1, 3, 12]])
    prior, grown = np.full(3, 1 / 3), []
    for _ in range(4):
        for _ in range(20_000):
            prior = pooled_update(prior, counts)
        grown.append(prior.sum())
    assert grown[-1] > 100
    assert (np.diff(grown) > 1).all()  # and goes on growing
    prior, drawn = np.full(3, 1 / 3), []
    for _ in range(2000):
        hyperparameters.step_prior(prior, counts, counts.sum(axis=1), 1 / 3, 1.0, rng)
        drawn.append(prior.sum())
    assert 0.5 < np.exp(np.log(drawn).mean()) < 10


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
    ) and np.array_equal(first.convergence.traces, second.convergence.traces)


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


@pytest.mark.parametrize(("draws", "chains"), [(1, 1), (50, 1), (50, 2)])
def test_counts_are_averaged_over_the_draws_of_all_chains(draws, chains, rng):
    X = some_sequences(rng)
    learned = quietly(X, Sampling(draws=draws, chains=chains, budget=1000), rng)
    counts = counts_of(learned, len(X.action))
    np.testing.assert_allclose(counts.sum(axis=0), np.bincount(X.action, minlength=3), rtol=1e-9)
    np.testing.assert_allclose(counts * draws, np.round(counts * draws), atol=1e-8)
    assert learned.convergence.draws == draws
    assert learned.convergence.traces.shape == (3, chains, draws // chains)


@pytest.mark.statistical(false_alarm=1e-8)
def test_counts_come_near_the_posterior_means(golden, rng):
    X = sequences_of(golden["instances"], 3)
    prior = 0.4
    sampling = Sampling(concentration=0.7, action_prior=prior, draws=2000)
    learned = quietly(X, sampling, rng)
    seats, probability, _ = posterior(X, 0.7, np.full(3, prior))
    exact = np.tensordot(probability, [counts_at(X, seat) for seat in seats], 1)
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


def test_healthy_chains_converge_without_a_word():
    """A fixed seed, since whether chains are judged healthy is a matter of luck."""
    rng = np.random.default_rng(7)
    learned = fit_tables(some_sequences(rng), Sampling(), rng)
    found = learned.convergence
    assert found.converged
    assert found.dependence_factor < 5
    assert found.draws == 1000
    assert found.traces.shape == (3, 2, 500)
    assert found.effective_sample_size >= nodes.LEAST_WORTH
    assert found.rhat <= nodes.RHAT_LIMIT


def shuffled_traces(rng, shape=(3, 2, 700)):
    """Traces of independent draws, from which the judge demands nothing more."""
    return rng.normal(size=shape)


@pytest.mark.statistical(false_alarm=1e-9)
def test_independent_draws_have_converged(rng):
    """700 independent draws are worth 100; R-hat of 1400 is 1.05 at a chi-square above 60."""
    found = nodes.judge(shuffled_traces(rng), 700, 1, 700)
    assert found.converged
    assert found.draws == 1400


@pytest.mark.statistical(false_alarm=1e-9)
@pytest.mark.parametrize("trace", range(3))
def test_every_trace_counts_in_the_verdict(trace, rng):
    """Chains that disagree about the concentration alone, or one that hardly moves."""
    apart = shuffled_traces(rng)
    apart[trace, 1] += 5
    found = nodes.judge(apart, 700, 1, 700)
    assert found.rhat > nodes.RHAT_LIMIT
    assert not found.converged
    sticky = shuffled_traces(rng)
    sticky[trace] = np.repeat(rng.normal(size=(2, 5)), 140, axis=1)
    found = nodes.judge(sticky, 700, 1, 700)
    assert found.effective_sample_size < nodes.LEAST_WORTH
    assert not found.converged


@pytest.mark.statistical(false_alarm=1e-9)
def test_draws_that_are_worth_eleven_have_not_converged(rng):
    """Steps of 130 sweeps; both chains agree as well as so few values can."""
    levels = np.tile(norm.ppf((np.arange(6) + 0.5) / 6), (2, 1))
    values = np.repeat(rng.permuted(levels, axis=1), 117, axis=1)
    traces = shuffled_traces(rng, (3, 2, 702))
    traces[0] = values
    found = nodes.judge(traces, 5000, 1, 702)
    assert found.effective_sample_size < 50
    assert not found.converged


def test_too_few_draws_or_sweeps_have_not_converged(rng):
    traces = shuffled_traces(rng)
    assert nodes.judge(traces, 700, 1, 700).converged
    assert not nodes.judge(traces, 700, 1, 701).converged  # fewer draws than asked for
    assert not nodes.judge(traces, 700, 10, 70).converged  # worth 140 at most, by ArviZ fewer
    assert not nodes.judge(traces[:, :, :477], 700, 1, 477).converged  # too short to tell


def test_chains_start_far_apart(rng):
    X = some_sequences(rng)
    one, each, other = (nodes.start(X, Sampling(), chain, rng) for chain in range(3))
    assert not one.seat.any()
    np.testing.assert_array_equal(each.seat, np.concatenate([np.arange(k) for k in X.lengths]))
    assert each.concentration / one.concentration == pytest.approx(np.exp(6))
    assert each.prior.sum() / one.prior.sum() == pytest.approx(np.exp(2))
    assert other.concentration not in (one.concentration, each.concentration)
    for state in (one, each, other):
        counts, totals = kernels.count_tables(X.action, state.seat, *state.counts.shape)
        np.testing.assert_array_equal(state.counts, counts)
        np.testing.assert_array_equal(state.totals, totals)
    fixed = nodes.start(X, Sampling(concentration=0.3, action_prior=0.2), 1, rng)
    assert fixed.concentration == 0.3
    np.testing.assert_array_equal(fixed.prior, np.full(3, 0.2))


def test_chains_from_far_apart_agree():
    """Where each position has its own actions, and where all have the same, from any start."""
    rng = np.random.default_rng(7)
    orderly = [
        [a if rng.random() < 0.8 else rng.integers(0, 6) for a in range(6)] for _ in range(20)
    ]
    uniform = [(rng.random(8) < 0.1).astype(int) for _ in range(20)]
    for instances, low, high in ((orderly, 50, 5000), (uniform, 1e-3, 0.2)):
        learned = quietly(sequences_of(instances, 6), Sampling(), np.random.default_rng(0))
        found = learned.convergence
        assert found.rhat <= nodes.RHAT_LIMIT
        first, second = np.exp(found.traces[1].mean(axis=1))
        assert 0.5 < first / second < 2
        assert low < first < high


@pytest.mark.parametrize("chains", [1, 2])
def test_a_constant_trace_is_fine(chains, rng):
    """Instances of one interval can be seated in one way only."""
    X = sequences_of([[0], [1], [0]], 2)
    fixed = {"concentration": 1.0, "action_prior": 0.5}
    learned = fit_tables(X, Sampling(draws=100, chains=chains, **fixed), rng)
    assert learned.convergence.converged
    assert learned.convergence.rhat == 1
    assert np.ptp(learned.convergence.traces, axis=(1, 2)).max() == 0
    assert len(learned.action_probs) == 1
    counts = counts_of(learned, 3)
    np.testing.assert_allclose(counts, [[2, 1]], rtol=1e-9)


def test_a_warning_never_says_nan(rng):
    X = some_sequences(rng)
    for budget in (1, 2, 10, 300):
        for chains in (1, 2):
            with pytest.warns(ConvergenceWarning) as caught:
                learned = fit_tables(X, Sampling(budget=budget, chains=chains), rng)
            (warning,) = caught
            assert "nan" not in str(warning.message)
            assert "inf" not in str(warning.message)
            assert not np.isnan(learned.convergence.rhat)


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
    st.integers(1, 3),
    st.sampled_from(["exact", "published"]),
    st.integers(0, 2**32 - 1),
)
def test_the_budget_is_kept(budget, draws, chains, sampler, seed):
    rng = np.random.default_rng(seed)
    X = sequences_of([[0, 1, 1], [1, 0]], 2)
    done, run, settle = [], nodes.run, nodes.settle

    def counted(*arguments):
        done.append(arguments[4])
        return run(*arguments)

    def settled(*arguments):
        done.append(arguments[4])
        return settle(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "run", counted)
        patch.setattr(nodes, "settle", settled)
        sampling = Sampling(sampler, draws=draws, budget=budget, chains=chains)
        learned = quietly(X, sampling, rng)
    found = learned.convergence
    assert sum(done) <= budget * chains
    assert found.burn_in + found.draws // chains * found.thin <= budget
    assert 1 <= found.draws // chains <= -(-draws // chains)
    assert found.converged <= (found.draws >= draws)


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
