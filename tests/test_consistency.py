"""What can hold together: against brute force over all networks of three and four intervals."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ibgn import consistency
from ibgn._kernels.consistency import close
from ibgn.allen import ALL, COMPOSITION, PROJECTIONS, Relation, members, relation, symbols
from ibgn.networks import read_networks
from strategies import networks, sequences

PAIRS = list(itertools.combinations(range(4), 2))
UPPER = np.array(PAIRS)


def all_networks(k):
    """Relations on all pairs that k ordered intervals can show, by trying all end points."""
    intervals = sorted(itertools.combinations(range(2 * k), 2))
    pairs = list(itertools.combinations(range(k), 2))
    return {
        tuple(relation(chosen[i], chosen[j]) for i, j in pairs)
        for chosen in itertools.combinations_with_replacement(intervals, k)
    }


@functools.cache
def networks_of(k):
    return np.array(sorted(all_networks(k)))


@pytest.fixture(scope="module")
def four():
    return all_networks(4)


def test_number_of_networks(four):
    assert len(all_networks(3)) == 75
    assert len(four) == 1105


def structures_of_four():
    for chosen in itertools.product([False, True], repeat=6):
        yield [pair for pair, linked in enumerate(chosen) if linked]


@pytest.mark.slow
def test_path_consistency_decides_on_all_structures_of_four_nodes(four):
    """All 8^6 ways to put one relation, or none, on the pairs of four intervals."""
    wrong = 0
    for structure in structures_of_four():
        possible = {tuple(network[pair] for pair in structure) for network in four}
        for relations in itertools.product(range(7), repeat=len(structure)):
            masks = np.triu(np.full((4, 4), ALL, np.uint8), 1)
            for pair, held in zip(structure, relations, strict=True):
                masks[PAIRS[pair]] = 1 << held
            wrong += bool(close(masks, UPPER, PROJECTIONS)[0, 1]) != (relations in possible)
    assert wrong == 0


def generate_as_published(structure):
    """All relations on the linked pairs that the constraints of the paper let be drawn.

    Visit n = 1, 2, 3 and n' downwards; yields None where a constraint is empty.
    """
    linked = {PAIRS[pair] for pair in structure}
    order = [(m, n) for n in range(1, 4) for m in range(n - 1, -1, -1)]

    def extend(known, drawn, rest):
        if not rest:
            yield tuple(drawn[PAIRS[pair]] for pair in structure)
            return
        (m, n), *rest = rest
        allowed = ALL
        for between in range(m + 1, n):
            allowed &= COMPOSITION[known[m, between], known[between, n]]
        if allowed == 0:
            yield None
        elif (m, n) in linked:
            for held in members(int(allowed)):
                yield from extend(known | {(m, n): held.mask}, drawn | {(m, n): held}, rest)
        else:
            yield from extend(known | {(m, n): int(allowed)}, drawn, rest)

    yield from extend({}, {}, order)


def test_published_rule_fails_on_ten_structures_of_four_nodes(four):
    failing = []
    for structure in structures_of_four():
        possible = {tuple(network[pair] for pair in structure) for network in four}
        generated = set(generate_as_published(structure))
        assert possible <= generated
        if generated != possible:
            failing.append({PAIRS[pair] for pair in structure})
    assert len(failing) == 10
    assert {(0, 1), (0, 2), (1, 3)} in failing
    chain, full = {(0, 1), (1, 2), (2, 3)}, set(PAIRS)
    assert chain not in failing
    assert full not in failing


def test_counterexample_obeys_the_constraints_and_is_impossible():
    relations = {(0, 1): "c", (0, 2): "f", (1, 3): "e"}
    structure = [PAIRS.index(pair) for pair in relations]
    drawn = tuple(Relation.from_symbol(symbol) for symbol in relations.values())
    assert drawn in set(generate_as_published(structure))
    assert not consistency.is_possible(relations)
    assert consistency.path_consistency(relations) is None
    assert consistency.realise(relations) is None
    assert consistency.smallest_contradiction(relations) == [(0, 1), (0, 2), (1, 3)]


@given(sequences(least=1, most=1, longest=7), st.data())
def test_realisation_gives_back_the_relations(X, data):
    """Any part of a network that was observed is possible, and its realisation shows it."""
    network = read_networks(X)[0]
    everything = {(i, j): held for i, j, held in network.links()}
    kept = data.draw(st.sets(st.sampled_from(sorted(everything)))) if everything else set()
    part = {pair: everything[pair] for pair in kept}
    intervals = consistency.realise(part, size=len(network))
    assert intervals.shape == (len(network), 2)
    ordered = [(int(start), int(end)) for start, end in intervals]
    assert ordered == sorted(ordered)
    assert all(relation(ordered[i], ordered[j]) is held for (i, j), held in part.items())
    assert consistency.smallest_contradiction(part, size=len(network)) is None


@given(networks(least=2, most=4))
@settings(max_examples=200)
def test_sets_of_relations_against_brute_force(network):
    k = len(network)
    pairs = list(itertools.combinations(range(k), 2))
    sets = np.array([network[pair] for pair in pairs])
    possible = bool(((1 << networks_of(k)) & sets).all(axis=1).any())
    assert consistency.is_possible(network) == possible
    intervals = consistency.realise(network)
    assert (intervals is not None) == possible
    if possible:
        ordered = [tuple(map(int, row)) for row in intervals]
        assert all(relation(ordered[i], ordered[j]).mask & network[i, j] for i, j in pairs)


@given(networks(least=3, most=4, masks=st.sampled_from([r.mask for r in Relation])))
@settings(max_examples=200)
def test_contradiction_is_smallest(network):
    assume(not consistency.is_possible(network))
    contradiction = consistency.smallest_contradiction(network)
    named = [
        pair for pair in itertools.combinations(range(len(network)), 2) if network[pair] != ALL
    ]

    def contradicts(pairs):
        return not consistency.is_possible(
            {pair: int(network[pair]) for pair in pairs}, len(network)
        )

    assert contradicts(contradiction)
    smaller = itertools.combinations(named, len(contradiction) - 1)
    assert not any(contradicts(pairs) for pairs in smaller)


def test_contradiction_in_a_long_network(rng):
    """One wrong relation among many right ones is found, and quickly."""
    start = np.sort(rng.random(14))
    X = [[("a", s, s + d) for s, d in zip(start, rng.random(14), strict=True)]]
    relations = {(i, j): held for i, j, held in read_networks(X)[0].links()}
    others = {pair: held for pair, held in relations.items() if pair != (3, 9)}
    left = consistency.path_consistency(others, size=14)[3, 9]
    relations[3, 9] = members(int(ALL & ~left))[0]
    contradiction = consistency.smallest_contradiction(relations)
    assert (3, 9) in contradiction
    assert len(contradiction) <= 4


def test_a_choice_that_fits_at_first_is_taken_back():
    """Every pair allows its first relation by path consistency, yet not all of them together."""
    sets = {(0, 1): "se", (0, 2): "ms", (0, 3): "ms", (1, 2): "fe", (1, 3): "sc"}
    sets |= {(2, 4): "bo", (3, 4): "of"}
    ordered = [tuple(map(int, row)) for row in consistency.realise(sets)]
    assert all(relation(ordered[i], ordered[j]).symbol in held for (i, j), held in sets.items())
    assert consistency.smallest_contradiction(sets) is None


def test_an_empty_set_contradicts_by_itself():
    assert consistency.smallest_contradiction({(0, 1): "b", (1, 2): 0}) == [(1, 2)]


def test_small_sizes():
    assert consistency.realise({}).shape == (0, 2)
    assert consistency.realise({}, size=1).tolist() == [[0, 1]]
    assert consistency.path_consistency({}, size=1).shape == (1, 1)
    closed = consistency.path_consistency({}, size=3)
    assert symbols(int(closed[0, 2])) == "bmoscfe"


@pytest.mark.parametrize(
    ("network", "size", "message"),
    [
        ({(1, 0): "b"}, None, r"i < j from 0 on, got \(1, 0\)"),
        ({(0, 3): "b"}, 2, "does not fit into size=2"),
        (np.zeros((2, 3), np.uint8), None, r"square array of masks, got shape \(2, 3\)"),
        (np.full((2, 2), 200, np.uint8), None, "from 0 to 127"),
        (np.zeros((2, 2), np.uint8), 3, "has 2 positions, got size=3"),
    ],
)
def test_errors(network, size, message):
    with pytest.raises(ValueError, match=message):
        consistency.is_possible(network, size)
