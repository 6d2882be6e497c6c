"""Probabilities of relations: counts that add, terms that sum to one, nothing impossible."""

import dataclasses
import functools
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import naive_nodes
from ibgn import IntervalSequences, Structure
from ibgn.allen import ALL, members, relation
from ibgn.networks import read_networks
from ibgn.terms import relations
from ibgn.terms.relations import (
    RelationCounts,
    Relations,
    constraining,
    count_relations,
    fit_relations,
)
from ibgn.terms.smoothing import BACK_OFF, STRENGTHS, fit_polya
from strategies import ACTIONS, sequences, structures

SMOOTHING = st.one_of(st.just("learned"), st.floats(1e-5, 5))
UNLINKED = ("constrained", "marginal", "ignore")


def count(X, structure, unlinked="marginal"):
    return count_relations(X, structure, read_networks(X, constraining(structure, unlinked)))


def fit(X, structure, smoothing=1.0, unlinked="marginal"):
    return fit_relations(count(X, structure, unlinked), structure, X.actions, smoothing)


def terms_of(learned, X, networks, unlinked):
    """What each pair adds."""
    return dataclasses.replace(learned, unlinked=unlinked).pair_terms(X, networks)


def random_sequences(rng, instances=30, longest=6, names=ACTIONS[:3]):
    """Instances with many equal end points."""
    lists = []
    for k in rng.integers(1, longest + 1, instances):
        start = rng.integers(0, 6, k)
        end = start + rng.integers(1, 6, k)
        lists.append(list(zip(rng.choice(names, k).tolist(), start, end, strict=True)))
    return IntervalSequences.from_lists(lists)


# counting


@given(sequences(least=1), structures(most=5), st.integers(0, 4), st.sampled_from(UNLINKED))
def test_counts_of_parts_add_to_the_whole(X, structure, cut, unlinked):
    whole = count(X, structure, unlinked)
    added = count(X[:cut], structure, unlinked) + count(X[cut:], structure, unlinked)
    np.testing.assert_array_equal(added.keys, whole.keys)
    np.testing.assert_array_equal(added.counts, whole.counts)
    np.testing.assert_array_equal(added.positions, whole.positions)


def test_counts_of_parts_add_beyond_the_last_position(rng, monkeypatch):
    monkeypatch.setattr(relations, "MOST_POSITIONS", 3)
    X = random_sequences(rng)
    structure = Structure([(0, 1)])
    whole = count(X, structure)
    added = functools.reduce(RelationCounts.__add__, (count(part, structure) for part in X))
    np.testing.assert_array_equal(added.positions, whole.positions)
    assert len(whole.positions) == 3
    assert whole.positions[0, 0].sum() == (X.lengths * (X.lengths - 1) // 2)[
        X.lengths > 3
    ].sum() - (3 * (X.lengths > 3).sum())


@given(sequences(), structures(most=5), st.sampled_from(UNLINKED))
def test_every_pair_is_counted_once(X, structure, unlinked):
    """Linked with a choice, linked without one, or unlinked."""
    networks = read_networks(X, constraining(structure, unlinked))
    counts = count(X, structure, unlinked)
    linked = sum(
        int(network.constraints[i, j]).bit_count() > 1
        for network in networks
        for i, j in structure.pairs(len(network))
    )
    assert counts.counts.sum() == linked
    pairs = len(networks.relation)
    assert counts.positions.sum() == pairs - sum(len(structure.pairs(k)) for k in X.lengths)
    assert (np.diff(counts.keys) > 0).all()


def test_structure_of_constraints():
    chain = Structure.chain()
    assert constraining(chain, "constrained") == Structure.full()
    assert constraining(chain, "marginal") == constraining(chain, "ignore") == chain


# probabilities of linked pairs


@given(sequences(least=1), structures(most=5), SMOOTHING)
def test_probabilities_sum_to_one_within_every_constraint(X, structure, smoothing):
    """For pairs of actions met, never met and unknown; relations outside have none."""
    learned = fit(X, structure, smoothing)
    unknown = len(learned.actions)
    known = {divmod(int(key) // 128, unknown) for key in learned.keys}
    asked = {*known, (0, 0), (0, unknown), (unknown, unknown)}
    masks = {ALL, 1, 6, *(int(key % 128) for key in learned.keys)}
    for (first, second), mask in itertools.product(asked, masks):
        probs = learned.probs(int(first), int(second), mask)
        inside = [int(member) for member in members(mask)]
        assert probs.sum() == pytest.approx(1, abs=1e-12)
        assert (probs[inside] > 0).all()
        assert np.delete(probs, inside).sum() == 0


@pytest.mark.parametrize("smoothing", [1e-5, 0.5, 1, 20.0])
def test_smoothing_by_a_number(smoothing, rng):
    """(n + s) / (N + s |c|), and 1 / |c| for pairs of actions that never met."""
    X = random_sequences(rng)
    structure = Structure([(0, 1), (0, 2), (1, 3)])
    counts, learned = count(X, structure), fit(X, structure, smoothing)
    assert len(counts.keys) > 3
    for key, row in zip(counts.keys.tolist(), counts.counts, strict=True):
        pair, mask = divmod(key, 128)
        inside = np.array([mask >> r & 1 for r in range(7)], bool)
        expected = np.where(inside, row + smoothing, 0) / (row.sum() + smoothing * inside.sum())
        found = learned.probs(*divmod(pair, len(X.actions)), mask)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(learned.probs(3, 0, 0b101), [0.5, 0, 0.5, 0, 0, 0, 0], rtol=1e-12)


def test_terms_of_linked_pairs_are_their_probabilities(rng):
    X = random_sequences(rng)
    networks = read_networks(X, "full")
    learned = fit(X, Structure.full(), "learned")
    terms = iter(terms_of(learned, X, networks, "marginal"))
    for part, network in zip(X, networks, strict=True):
        for i, j, held in network.links():
            mask = int(network.constraints[i, j])
            probs = learned.probs(int(part.action[i]), int(part.action[j]), mask)
            assert next(terms) == pytest.approx(np.log(probs[held]), abs=1e-12)


@pytest.mark.parametrize("smoothing", [0, -1, float("nan"), float("inf"), "plenty", None, True])
def test_smoothing_is_positive_or_learned(smoothing, rng):
    with pytest.raises(
        ValueError, match="smoothing=.* must be (a finite number, )?positive, or 'learned'"
    ):
        fit(random_sequences(rng), Structure.full(), smoothing)


# the learned prior


def polya_draws(rng, prior, rows, each):
    return np.array([rng.multinomial(each, theta) for theta in rng.dirichlet(prior, size=rows)])


def best_polya(counts):
    """Direct maximum of the Dirichlet-multinomial likelihood."""
    return np.exp(
        minimize(
            lambda value: -naive_nodes.log_polya(counts, np.exp(value)),
            np.zeros(counts.shape[1]),
            method="Nelder-Mead",
            options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 5000},
        ).x
    )


@pytest.mark.statistical(false_alarm=1e-8)
@pytest.mark.parametrize("prior", [[2, 1, 0.5], [0.3, 0.2, 0.1]])
def test_learned_prior_is_recovered(prior, rng):
    """From 500 rows of 60 it is known within some 5 %, an eighth of what is allowed."""
    found = fit_polya(polya_draws(rng, prior, 500, 60))
    np.testing.assert_allclose(found, prior, rtol=0.4)


@pytest.mark.own_seed(reason="how far from the top steps end depends on the counts")
@pytest.mark.parametrize("prior", [[2, 1, 0.5], [0.3, 0.2, 0.1]])
def test_learned_prior_is_the_maximum_of_its_likelihood(prior, rng):
    """It stops where a step changes it by less than 1e-3, which is some 1 % from the top."""
    counts = polya_draws(rng, prior, 60, 60)
    np.testing.assert_allclose(fit_polya(counts), best_polya(counts), rtol=0.1)


def test_a_strong_prior_is_the_maximum_of_its_likelihood():
    counts = polya_draws(np.random.default_rng(0), [20, 10, 5], 300, 30)
    np.testing.assert_allclose(fit_polya(counts), best_polya(counts), rtol=0.1)


@pytest.mark.parametrize("counts", [[[5, 0, 0]], [[1, 1]], [[1, 0], [0, 1]], [[30, 30]] * 9, [[1]]])
def test_learned_prior_stays_within_bounds(counts):
    found = fit_polya(np.array(counts))
    low, high = STRENGTHS
    assert ((found >= low) & (found <= high)).all()


def test_learned_prior_takes_pairs_never_met_after_the_others():
    """Every pair of actions that met overlaps; a new pair is expected to as well."""
    lists = [
        [(first, 0, 2), (second, 1, 3)]
        for first, second in itertools.product("abcd", repeat=2)
        if first != second
        for _ in range(5)
    ]
    learned = fit(IntervalSequences.from_lists(lists), Structure.full(), "learned")
    plain = fit(IntervalSequences.from_lists(lists), Structure.full(), 1.0)
    assert learned.probs(0, 0, ALL)[2] > 0.9
    assert plain.probs(0, 0, ALL)[2] == pytest.approx(1 / 7)


# unlinked pairs


def test_ignored_pairs_say_nothing(rng):
    X = random_sequences(rng)
    structure = Structure([(0, 1), (1, 2)])
    learned = fit(X, structure)
    networks = read_networks(X, structure)
    terms = terms_of(learned, X, networks, "ignore")
    linked = np.concatenate([structure.mask(k)[np.triu_indices(k, 1)] for k in X.lengths.tolist()])
    assert (terms[~linked] == 0).all()
    np.testing.assert_array_equal(terms[linked], terms_of(learned, X, networks, "marginal")[linked])


def test_marginal_pairs_follow_their_position_backed_off_to_all(rng):
    X = random_sequences(rng)
    structure = Structure([(0, 1)])
    networks = read_networks(X, structure)
    seen = np.zeros((6, 6, 7))
    for network in networks:
        for i, j in itertools.combinations(range(len(network)), 2):
            seen[i, j, network.relations[i, j]] += (i, j) != (0, 1)
    pooled = seen.sum(axis=(0, 1))
    elsewhere = (pooled + 1) / (pooled.sum() + 7)
    own = seen + BACK_OFF * elsewhere
    own /= own.sum(axis=2, keepdims=True)
    terms = iter(terms_of(fit(X, structure), X, networks, "marginal"))
    for network in networks:
        for i, j in itertools.combinations(range(len(network)), 2):
            term = next(terms)
            if (i, j) != (0, 1):
                assert term == pytest.approx(np.log(own[i, j, network.relations[i, j]]), abs=1e-12)
    learned = fit(X, structure)
    np.testing.assert_allclose(np.exp(learned.elsewhere), elsewhere, rtol=1e-12)


def test_pairs_beyond_the_positions_of_training_are_scored_elsewhere(rng):
    short, long = random_sequences(rng, longest=3), random_sequences(rng, longest=8)
    structure = Structure([(0, 1)])
    learned = fit(short, structure)
    networks = read_networks(long, structure)
    terms = terms_of(learned, long, networks, "marginal")
    last = networks.offsets[1:][long.lengths > 3] - 1
    np.testing.assert_allclose(terms[last], learned.elsewhere[networks.relation[last]], rtol=1e-12)


@functools.cache
def all_networks(k):
    """k ordered intervals for every way in which they can stand, by trying all end points."""
    intervals = sorted(itertools.combinations(range(2 * k), 2))
    pairs = list(itertools.combinations(range(k), 2))
    found = {}
    for chosen in itertools.combinations_with_replacement(intervals, k):
        found[tuple(relation(chosen[i], chosen[j]) for i, j in pairs)] = chosen
    return list(found.values())


class Coded(NamedTuple):
    """Actions by position, which equal intervals in a data set could not all have."""

    offsets: np.ndarray
    action: np.ndarray


def total_over_all_networks(k, learned, action, unlinked):
    """Sum, over all networks of k intervals, of their probability given the actions."""
    lists = [[("any", *interval) for interval in chosen] for chosen in all_networks(k)]
    X = IntervalSequences.from_lists(lists)
    networks = read_networks(X, constraining(learned.structure, unlinked))
    coded = Coded(X.offsets, np.tile(np.array(action, np.int32), len(X)))
    terms = terms_of(learned, coded, networks, unlinked)
    return np.exp(terms.reshape(len(X), -1).sum(axis=1)).sum()


def test_number_of_networks():
    assert [len(all_networks(k)) for k in (2, 3, 4)] == [7, 75, 1105]


@settings(max_examples=40)
@given(
    sequences(least=1, longest=6),
    structures(most=5),
    SMOOTHING,
    st.sampled_from([2, 3, 4]),
    st.data(),
)
def test_constrained_probabilities_of_all_networks_sum_to_one(X, structure, smoothing, k, data):
    """Whatever is linked and whatever the actions, unknown ones among them.

    Relations are drawn pair by pair, each within what those before leave open; on full
    constraints no draw ends in nothing and every network is reached in one way.
    """
    learned = fit(X, structure, smoothing, "constrained")
    action = data.draw(st.lists(st.integers(0, len(learned.actions)), min_size=k, max_size=k))
    total = total_over_all_networks(k, learned, action, "constrained")
    assert total == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("k", [3, 4])
def test_fully_linked_probabilities_sum_to_one_in_every_way(k, rng):
    learned = fit(random_sequences(rng), Structure.full(), "learned")
    for unlinked in UNLINKED:
        action = rng.integers(0, 4, k)
        assert total_over_all_networks(k, learned, action, unlinked) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("k", [3, 4])
def test_control_marginal_probabilities_do_not_sum_to_one(k):
    """Pairs are scored as if any relations could stand together, which they cannot."""
    learned = fit(random_sequences(np.random.default_rng(1)), Structure([(0, 1)]))
    assert total_over_all_networks(k, learned, [0] * k, "marginal") < 0.9
    assert total_over_all_networks(k, learned, [0] * k, "ignore") > 1.1


@given(sequences(least=1), structures(most=5), SMOOTHING)
def test_constrained_terms_sum_to_one_over_each_constraint(X, structure, smoothing):
    """Each unlinked pair by itself: its terms over the relations of its constraint."""
    learned = fit(X, structure, smoothing, "constrained")
    networks = read_networks(X, "full")
    total = np.zeros(len(networks.relation))
    for held in range(7):
        of_this = np.full_like(networks.relation, held)
        changed = type(networks)(
            networks.offsets, networks.lengths, of_this, networks.constraint, networks.structure
        )
        inside = networks.constraint >> held & 1 == 1
        total[inside] += np.exp(terms_of(learned, X, changed, "constrained")[inside])
    np.testing.assert_allclose(total, 1, rtol=1e-12)


@given(sequences(least=1, longest=4), sequences(least=1, longest=10), structures(most=5), SMOOTHING)
def test_never_log_zero(seen, unseen, structure, smoothing):
    """Longer than any in training, pairs never met, unknown actions: all terms are finite."""
    for unlinked in UNLINKED:
        learned = fit(seen, structure, smoothing, unlinked)
        networks = read_networks(unseen, constraining(structure, unlinked))
        action = np.minimum(unseen.action, len(learned.actions))
        terms = terms_of(learned, Coded(unseen.offsets, action), networks, unlinked)
        assert np.isfinite(terms).all()
        assert (terms <= 1e-12).all()


def test_training_on_nothing_gives_even_probabilities():
    nothing = IntervalSequences.from_lists([])
    for smoothing in ("learned", 1.0):
        learned = fit(nothing, Structure.chain(), smoothing)
        np.testing.assert_allclose(learned.probs(0, 0, ALL), 1 / 7, rtol=1e-12)
        np.testing.assert_allclose(np.exp(learned.elsewhere), 1 / 7, rtol=1e-12)


def test_unlinked_is_one_of_the_choices():
    with pytest.raises(ValueError, match="'constrained', 'marginal', 'ignore'"):
        Relations(unlinked="all")
