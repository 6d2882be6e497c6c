"""Probabilities of relations: counts that add, terms that sum to one, nothing impossible."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import naive_nodes
from chance import standard_errors
from ibgn import IntervalSequences, Structure
from ibgn.allen import ALL, Relation, members, relation
from ibgn.cleaning import Flat
from ibgn.networks import read_networks
from ibgn.recoding import recode
from ibgn.terms import Context, Relations
from ibgn.terms.cells import PairRule
from ibgn.terms.relations import RelationCounts
from ibgn.terms.smoothing import BACK_OFF, MEMBERS, STRENGTHS, fit_polya
from strategies import ACTIONS, sequences, structures

SMOOTHING = st.one_of(st.just("learned"), st.floats(1e-5, 5))
UNLINKED = ("constrained", "marginal", "ignore")
TIES = ("sorted", "published")


def count(X, structure, **options):
    return Relations(structure, **options).count(X)


def fit(X, structure, smoothing=1.0, **options):
    term = Relations(structure, smoothing=smoothing, **options)
    return term.fit(term.count(X), None, Context("any", X.actions, 0, np.random.default_rng(0)))


def terms_of(learned, X):
    """What each pair adds."""
    return learned.log_terms(X).pair


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
    whole = count(X, structure, unlinked=unlinked)
    first, second = (count(part, structure, unlinked=unlinked) for part in (X[:cut], X[cut:]))
    for mine, its in ((first + second, whole), (whole - first, second)):
        np.testing.assert_array_equal(mine.keys, its.keys)
        np.testing.assert_array_equal(mine.counts, its.counts)


def test_counts_of_instances_add_to_the_whole(rng):
    X = random_sequences(rng)
    whole = count(X, Structure([(0, 1)]))
    added = functools.reduce(
        RelationCounts.__add__, (count(part, Structure([(0, 1)])) for part in X)
    )
    np.testing.assert_array_equal(added.keys, whole.keys)
    np.testing.assert_array_equal(added.counts, whole.counts)


@given(sequences(), structures(most=5), st.sampled_from(UNLINKED), st.sampled_from(TIES))
def test_every_pair_with_a_choice_is_counted_once(X, structure, unlinked, ties):
    """By what is open: its constraint, or everything, without ties that sorting rules out."""
    rule = PairRule(structure, unlinked, ties)
    counts = count(X, structure, unlinked=unlinked, ties=ties)
    expected = {}
    for part, network in zip(X, read_networks(X, rule.constraining), strict=True):
        for i, j in itertools.combinations(range(len(network)), 2):
            a, b = part.action[[i, j]].tolist()
            linked = structure.is_linked(i, j)
            mask = int(network.constraints[i, j])
            if not linked and unlinked != "constrained":
                mask = ALL if unlinked == "marginal" else 0
            if ties == "sorted" and a > b and mask != Relation.EQUALS.mask:
                mask &= ~Relation.EQUALS.mask
            if mask.bit_count() > 1:
                given_by = (a if linked else len(X.actions), b, mask)
                row = expected.setdefault(given_by, np.zeros(7, int))
                row[network.relations[i, j]] += 1
    size = len(X.actions)
    keys = {(a * size + b) * 128 + mask: row for (a, b, mask), row in expected.items()}
    np.testing.assert_array_equal(counts.keys, sorted(keys))
    for key, row in zip(counts.keys.tolist(), counts.counts, strict=True):
        np.testing.assert_array_equal(row, keys[key])


def test_structure_of_constraints():
    chain = Structure.chain()
    assert PairRule(chain).constraining == Structure.full()
    assert PairRule(chain, "marginal").constraining == chain
    assert PairRule(chain, "ignore").constraining == chain


# probabilities of linked pairs


@given(sequences(least=1), structures(most=5), SMOOTHING)
def test_probabilities_sum_to_one_within_every_constraint(X, structure, smoothing):
    """For pairs of actions met, never met and unknown; relations outside have none."""
    learned = fit(X, structure, smoothing)
    unknown = len(learned.actions)
    known = {divmod(int(key) // 128, unknown) for key in learned.keys}
    asked = {*known, (0, 0), (0, unknown), (unknown, unknown)}
    masks = {ALL, 1, 6, *(int(key % 128) for key in learned.keys)}
    for (first, second), mask, linked in itertools.product(asked, masks, (True, False)):
        probs = learned.probs(int(first), int(second), mask, linked)
        inside = [int(member) for member in members(mask)]
        assert probs.sum() == pytest.approx(1, abs=1e-12)
        assert (probs[inside] > 0).all()
        assert np.delete(probs, inside).sum() == 0


@pytest.mark.parametrize("smoothing", [1e-5, 0.5, 1, 20.0])
def test_smoothing_by_a_number(smoothing, rng):
    """(n + s) / (N + s |c|), and 1 / |c| for pairs of actions that never met."""
    X = random_sequences(rng)
    structure = Structure([(0, 1), (0, 2), (1, 3)])
    counts = count(X, structure, unlinked="ignore")
    learned = fit(X, structure, smoothing, unlinked="ignore")
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
    learned = fit(X, Structure.full(), "learned", ties="published")
    terms = iter(terms_of(learned, X))
    for part, network in zip(X, read_networks(X), strict=True):
        for i, j, held in network.links():
            mask = int(network.constraints[i, j])
            probs = learned.probs(int(part.action[i]), int(part.action[j]), mask)
            assert next(terms) == pytest.approx(np.log(probs[held]), abs=1e-12)


@given(sequences(), sequences(least=1), st.sampled_from(UNLINKED), st.sampled_from(TIES))
def test_pairs_counted_together_score_as_one_by_one(X, seen, unlinked, ties):
    """Where a rule says what is linked, cells are counted once; also of unknown actions."""
    for structure in (Structure.chain(), Structure.full(), Structure()):
        learned = fit(seen, structure, unlinked=unlinked, ties=ties)
        known = recode(X, seen.actions)
        one_by_one = learned.log_terms(known).by_instance(known)
        np.testing.assert_allclose(learned.log_likelihood(known), one_by_one, atol=1e-9)


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


def test_unlinked_pairs_are_described_without_a_first_action(rng):
    X = random_sequences(rng)
    frame = fit(X, Structure.chain()).describe()
    assert set(frame["first"]) == {"", *X.actions}
    assert set(frame["second"]) == set(X.actions)
    assert (fit(X, Structure.full()).describe()["first"] != "").all()
    assert (fit(X, Structure()).describe()["first"] == "").all()


def test_ignored_pairs_say_nothing(rng):
    X = random_sequences(rng)
    structure = Structure([(0, 1), (1, 2)])
    terms = terms_of(fit(X, structure, unlinked="ignore"), X)
    linked = np.concatenate([structure.mask(k)[np.triu_indices(k, 1)] for k in X.lengths.tolist()])
    assert (terms[~linked] == 0).all()
    assert (terms[linked] < 0).any()
    others = terms_of(fit(X, structure, unlinked="marginal"), X)
    np.testing.assert_array_equal(terms[linked], others[linked])


@pytest.mark.parametrize("unlinked", ["constrained", "marginal"])
@pytest.mark.parametrize("ties", TIES)
def test_unlinked_pairs_follow_their_second_action_backed_off_to_all(unlinked, ties, rng):
    """Among pairs that leave a choice, by what they leave open."""
    X = random_sequences(rng)
    structure = Structure([(0, 1)])
    rule = PairRule(structure, unlinked, ties)
    networks = read_networks(X, rule.constraining)
    learned = fit(X, structure, unlinked=unlinked, ties=ties)
    seen, expected = np.zeros((len(X.actions), 128, 7)), []
    for part, network in zip(X, networks, strict=True):
        for i, j in itertools.combinations(range(len(network)), 2):
            a, b = part.action[[i, j]].tolist()
            mask = int(network.constraints[i, j]) if unlinked == "constrained" else ALL
            mask &= ALL if ties == "published" or a <= b or mask == 64 else ALL - 64
            if (i, j) != (0, 1) and mask.bit_count() > 1:
                seen[b, mask, network.relations[i, j]] += 1
            expected.append(((i, j) != (0, 1), b, mask, int(network.relations[i, j])))
    whole = seen.sum(axis=0) + MEMBERS
    whole /= np.maximum(whole.sum(axis=1, keepdims=True), 1)
    own = seen + BACK_OFF * whole
    own /= np.maximum(own.sum(axis=2, keepdims=True), 1)
    terms = terms_of(learned, X)
    for term, (is_unlinked, b, mask, held) in zip(terms, expected, strict=True):
        if is_unlinked:
            chance = own[b, mask, held] if mask.bit_count() > 1 else 1.0
            assert term == pytest.approx(np.log(chance), abs=1e-12)
    for mask in (ALL, 7, 63):
        np.testing.assert_allclose(learned.probs(0, 99, mask, False), whole[mask], rtol=1e-12)


def mostly_forced(rng, instances):
    """The pair (0, 2) is open in one of ten instances, and overlaps nine times in ten then."""
    lists = []
    for is_open, overlaps in zip(
        rng.random(instances) < 0.1, rng.random(instances) < 0.9, strict=True
    ):
        if not is_open:
            lists.append([("a", 0, 1), ("b", 2, 3), ("c", 4, 5)])
        else:
            lists.append([("a", 0, 10), ("b", 1, 20), ("c", 5 if overlaps else 15, 30)])
    return IntervalSequences.from_lists(lists)


@pytest.mark.statistical(false_alarm=1e-9)
def test_open_pairs_tend_to_the_truth_however_many_are_forced(rng, false_alarm):
    """Of some 400 open pairs 90 % overlap; forced ones are all before, and would drown them."""
    X = mostly_forced(rng, 4000)
    learned = fit(X, Structure.chain())
    networks = read_networks(X)
    last = networks.offsets[:-1] + 1  # pair (0, 2)
    chosen = networks.constraint[last] == 7
    assert 300 < chosen.sum() < 500
    chance = np.exp(terms_of(learned, X))[last][chosen]
    overlapping = networks.relation[last][chosen] == Relation.OVERLAPS
    error = standard_errors(false_alarm) * np.sqrt(0.9 * 0.1 / chosen.sum()) + 0.01
    np.testing.assert_allclose(chance[overlapping], 0.9, rtol=0, atol=error)
    np.testing.assert_allclose(chance[~overlapping], 0.1, rtol=0, atol=error)
    # control: relations at these positions, open or not, renormalised within the constraint
    counts = np.bincount(networks.relation[last], minlength=7)[:3] + 1
    assert counts[Relation.OVERLAPS] / counts.sum() < 0.9 - 5 * error


def test_later_positions_than_in_training_need_no_fallback(rng):
    """Pairs are alike at all positions, so what is learned of short instances holds."""
    short, long = random_sequences(rng, longest=3), random_sequences(rng, longest=8)
    learned = fit(short, Structure.chain())
    pairs = learned.rule.choices(long, len(long.actions))
    late = pairs.open[np.isin(pairs.key[pairs.open], learned.keys)]
    assert len(late) > 10
    rows = np.searchsorted(learned.keys, pairs.key[late])
    np.testing.assert_array_equal(
        terms_of(learned, long)[late], learned.log_probs[rows, pairs.relation[late]]
    )


@functools.cache
def all_networks(k):
    """k ordered intervals for every way in which they can stand, by trying all end points."""
    intervals = sorted(itertools.combinations(range(2 * k), 2))
    pairs = list(itertools.combinations(range(k), 2))
    found = {}
    for chosen in itertools.combinations_with_replacement(intervals, k):
        found[tuple(relation(chosen[i], chosen[j]) for i, j in pairs)] = chosen
    return list(found.values())


def all_instances(k, action, names):
    """Every network of k intervals with these actions by position, whether sorted or not."""
    chosen = np.array(all_networks(k), float)
    flat = Flat(
        np.arange(0, chosen.shape[0] * k + 1, k),
        np.tile(np.array(action, np.int32), len(chosen)),
        chosen[:, :, 0].ravel(),
        chosen[:, :, 1].ravel(),
    )
    return IntervalSequences.from_flat(flat, names)


def total_over_all_networks(k, learned, action):
    """Sum, over all networks of k intervals, of their probability given the actions."""
    X = all_instances(k, action, (*learned.actions, "unknown"))
    return np.exp(learned.log_terms(X).by_instance(X)).sum()


def test_number_of_networks():
    assert [len(all_networks(k)) for k in (2, 3, 4)] == [7, 75, 1105]


@settings(max_examples=40)
@given(
    sequences(least=1, longest=6),
    structures(most=5),
    SMOOTHING,
    st.sampled_from([2, 3, 4]),
    st.sampled_from(TIES),
    st.data(),
)
def test_constrained_probabilities_of_all_networks_sum_to_one(
    X, structure, smoothing, k, ties, data
):
    """Whatever is linked and whatever the actions, unknown ones among them.

    Relations are drawn pair by pair, each within what those before leave open; on full
    constraints no draw ends in nothing and every network is reached in one way.
    """
    learned = fit(X, structure, smoothing, ties=ties)
    action = data.draw(st.lists(st.integers(0, len(learned.actions)), min_size=k, max_size=k))
    assert total_over_all_networks(k, learned, action) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("unlinked", UNLINKED)
def test_fully_linked_probabilities_sum_to_one_in_every_way(k, unlinked, rng):
    learned = fit(random_sequences(rng), Structure.full(), "learned", unlinked=unlinked)
    action = rng.integers(0, 3, k)
    assert total_over_all_networks(k, learned, action) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("k", [3, 4])
def test_control_marginal_probabilities_do_not_sum_to_one(k):
    """Pairs are scored as if any relations could stand together, which they cannot."""
    X = random_sequences(np.random.default_rng(1))
    for unlinked, wrong in (("marginal", lambda t: t < 0.9), ("ignore", lambda t: t > 1.1)):
        learned = fit(X, Structure([(0, 1)]), unlinked=unlinked)
        assert wrong(total_over_all_networks(k, learned, [0] * k))


def total_over_sorted_instances(k, learned, probs):
    """Sum of P(actions) P(relations | actions) over all instances in the order of sorting."""
    total = 0.0
    for action in itertools.product(range(len(probs)), repeat=k):
        X = all_instances(k, action, learned.actions)
        is_sorted = [np.array_equal(np.lexsort((p.action, p.end, p.start)), range(k)) for p in X]
        chances = np.exp(learned.log_likelihood(X))[is_sorted]
        total += probs[list(action)].prod() * chances.sum()
    return total


@pytest.mark.parametrize("structure", [Structure.full(), Structure.chain(), Structure([(0, 2)])])
@pytest.mark.parametrize("k", [2, 3])
def test_ties_count_once(structure, k, rng):
    """Over actions and relations together, instances in their order have all the mass."""
    X, probs = random_sequences(rng), np.array([0.5, 0.3, 0.2])
    ours = fit(X, structure)
    assert total_over_sorted_instances(k, ours, probs) == pytest.approx(1, abs=1e-10)
    # control: with ties in both orders some mass is on instances that cannot be observed
    printed = fit(X, structure, ties="published")
    assert total_over_sorted_instances(k, printed, probs) < 0.99


@given(sequences(least=1), structures(most=5), SMOOTHING)
def test_constrained_terms_sum_to_one_over_what_is_open(X, structure, smoothing):
    """Each pair by itself: its terms over the relations that it leaves open."""
    learned = fit(X, structure, smoothing)
    pairs = learned.rule.choices(X, len(X.actions))
    total = np.zeros(len(pairs.relation))
    for held in range(7):
        inside = pairs.allowed >> held & 1 == 1
        changed = pairs._replace(relation=np.full_like(pairs.relation, held))
        total[inside] += np.exp(learned.pair_terms(changed)[inside])
    np.testing.assert_allclose(total, 1, rtol=1e-12)


@given(
    sequences(least=1, longest=4),
    sequences(least=1, longest=10),
    structures(most=5),
    SMOOTHING,
    st.sampled_from(UNLINKED),
    st.sampled_from(TIES),
)
def test_never_log_zero(seen, unseen, structure, smoothing, unlinked, ties):
    """Longer than any in training, pairs never met, unknown actions: all terms are finite."""
    learned = fit(seen, structure, smoothing, unlinked=unlinked, ties=ties)
    terms = terms_of(learned, recode(unseen, seen.actions))
    assert np.isfinite(terms).all()
    assert (terms <= 1e-12).all()


def test_training_on_nothing_gives_even_probabilities():
    nothing = IntervalSequences.from_lists([])
    for smoothing in ("learned", 1.0):
        learned = fit(nothing, Structure.chain(), smoothing)
        np.testing.assert_allclose(learned.probs(0, 0, ALL), 1 / 7, rtol=1e-12)
        np.testing.assert_allclose(learned.probs(0, 0, ALL, False), 1 / 7, rtol=1e-12)


def test_unlinked_is_one_of_the_choices():
    with pytest.raises(ValueError, match="'constrained', 'marginal', 'ignore'"):
        Relations(unlinked="all")


def test_ties_is_one_of_the_choices():
    with pytest.raises(ValueError, match="'sorted', 'published'"):
        Relations(ties="twice")
