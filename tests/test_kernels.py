"""Every kernel has a plain twin, with the same parameters and the same results."""

import importlib
import importlib.util
import inspect
import itertools
import pkgutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

import naive
import naive_actions
import naive_chains
import naive_contents
import naive_hyperparameters
import naive_links
import naive_nodes
import naive_reseating
import naive_sampling
import naive_sequential
import naive_summaries
import naive_tallies
import naive_trees
from ibgn import _kernels
from ibgn._kernels import (
    actions,
    chains,
    consistency,
    contents,
    hyperparameters,
    links,
    nodes,
    pairs,
    reseating,
    sampling,
    sequential,
    summaries,
    tallies,
    trees,
)
from ibgn.allen import COMPOSITION, PROJECTIONS
from ibgn.horizon import reach_of
from ibgn.networks import BEYOND, read_networks
from strategies import HORIZONS, SETS, networks, sequences, states, structures

# sums of a few dozen logarithms in another order: some 1e-14 of their size
ROUNDING = {"rtol": 1e-10, "atol": 1e-10}
seeds = st.integers(0, 2**32 - 1)


def kernels():
    for module in pkgutil.iter_modules(_kernels.__path__, "ibgn._kernels."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == module.name:
                yield name, value


def twins_of(kernel):
    """The module naive_<module of the kernel> where there is one, else naive."""
    name = f"naive_{kernel.py_func.__module__.rpartition('.')[2]}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else naive


def test_kernels_are_found():
    assert {"relate", "constrain_full", "close"} <= dict(kernels()).keys()


@pytest.mark.parametrize(("name", "kernel"), [*kernels()], ids=[name for name, _ in kernels()])
def test_kernel_has_a_twin_with_its_parameters(name, kernel):
    twin = getattr(twins_of(kernel), name)
    assert list(inspect.signature(twin).parameters) == list(
        inspect.signature(kernel.py_func).parameters
    )


@given(st.integers(0, 9), st.integers(0, 9), HORIZONS)
def test_rows_before(i, k, horizon):
    if i <= k:
        assert pairs.rows_before(i, k, horizon) == naive.rows_before(i, k, horizon)


@given(sequences(), HORIZONS)
def test_relate(X, horizon):
    flat = X.offsets, X.start, X.end, horizon
    assert pairs.count_pairs(X.offsets, horizon) == naive.count_pairs(X.offsets, horizon)
    np.testing.assert_array_equal(pairs.relate(*flat), naive.relate(*flat))


@given(sequences(least=1))
def test_relation_of(X):
    for i, j in zip(range(len(X.start)), range(1, len(X.start)), strict=False):
        if (X.start[i], X.end[i]) <= (X.start[j], X.end[j]):
            four = X.start[i], X.end[i], X.start[j], X.end[j]
            assert pairs.relation_of(*four) == naive.relation_of(*four)


@given(sequences(most=2, longest=12), HORIZONS)
def test_full_in_quadratic_time_equals_the_definition(X, horizon):
    flat = X.offsets, X.start, X.end, horizon
    np.testing.assert_array_equal(pairs.constrain_full(*flat), naive.constrain_full(*flat))
    np.testing.assert_array_equal(pairs.count_full(*flat), naive.count_full(*flat))


TIMES = st.sampled_from([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf])


@given(TIMES, TIMES, st.tuples(TIMES, TIMES, TIMES), st.sampled_from([pairs.O, pairs.S, pairs.C]))
def test_what_is_left_open_and_remembered(start, end, between, relation):
    assert pairs.left_open(start, end, between) == naive.left_open(start, end, between)
    more = relation, start, end, between
    assert pairs.with_one_more(*more) == naive.with_one_more(*more)


@given(sequences(least=1, most=1))
def test_row_of_the_full_network(X):
    k = len(X.start)
    for i in range(k):
        row, twin = np.zeros((2, k - i - 1), np.uint8)
        filled = pairs.constrain_row(i, k, X.start, X.end, row)
        naive.constrain_row(i, k, X.start, X.end, twin)
        np.testing.assert_array_equal(row[:filled], twin[:filled])
        assert filled >= min(k - i - 1, 1)
        # the others leave the relation that holds and nothing else
        assert all(allowed.bit_count() == 1 for allowed in twin[filled:].tolist())


@given(sequences(most=2), HORIZONS)
def test_chain_in_quadratic_time_equals_the_definition(X, horizon):
    flat = X.offsets, X.start, X.end, COMPOSITION, horizon
    np.testing.assert_array_equal(pairs.constrain_chain(*flat), naive.constrain_chain(*flat))


@given(sequences(most=2), structures(), HORIZONS)
def test_any_structure_equals_the_definition(X, structure, horizon):
    links, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    flat = X.offsets, X.start, X.end, links, beyond
    np.testing.assert_array_equal(
        pairs.constrain_linked(*flat, COMPOSITION, horizon),
        naive.constrain_linked(*flat, COMPOSITION, horizon),
    )
    span = min(structure.span(int(X.lengths.max(initial=0))), horizon)
    np.testing.assert_array_equal(
        pairs.count_linked(*flat, span, COMPOSITION), naive.count_linked(*flat, span, COMPOSITION)
    )


@given(structures(), st.integers(0, 10), st.integers(0, 10))
def test_is_linked(structure, i, j):
    if i < j:
        links, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
        linked = pairs.is_linked(links, beyond, i, j)
        assert linked == naive.is_linked(links, beyond, i, j) == structure.is_linked(i, j)


def test_column_of_an_observed_network(rng):
    """On sets that hold together the early stop changes nothing."""
    start = np.sort(rng.integers(0, 6, 5)).astype(float)
    end = start + rng.integers(1, 6, 5)
    order = np.lexsort((end, start))
    relation = naive.relations(list(zip(start[order], end[order], strict=True)))
    known, twin = np.zeros((2, 5, 5), np.uint8)
    for j in range(1, 5):
        column = np.array([1 << relation[i, j] for i in range(j - 1, -1, -1)], np.uint8)
        plain = column.copy()
        pairs.constrain_column(j, known, COMPOSITION, column)
        naive.constrain_column(j, twin, COMPOSITION, plain)
        np.testing.assert_array_equal(column, plain)
    np.testing.assert_array_equal(known, twin)


@given(networks())
def test_close(network):
    changed = np.argwhere(np.triu(np.ones(network.shape, bool), 1))
    np.testing.assert_array_equal(
        consistency.close(network, changed, PROJECTIONS), naive.close(network, changed, PROJECTIONS)
    )


@given(networks(least=3, most=3), st.permutations(range(3)))
def test_narrow_triangle(network, order):
    i, j = sorted(order[:2])
    arguments = network, i, j, order[2], PROJECTIONS
    assert set(consistency.narrow_triangle(*arguments)) == set(naive.narrow_triangle(*arguments))


def place(X, seat):
    """Counts for as many tables as an instance can have."""
    tables = int(X.lengths.max(initial=1))
    return nodes.count_tables(X.action, seat, tables, len(X.actions))


def without(X, seat, d):
    """Counts of all instances but one."""
    counts, totals = place(X, seat)
    begin, stop = X.offsets[d : d + 2]
    mine, of_tables = naive_nodes.count_tables(
        X.action[begin:stop], seat[begin:stop], *counts.shape
    )
    return counts - mine, totals - of_tables


@given(states())
def test_tables_are_counted(state):
    X, seat, _, _ = state
    arguments = X.action, seat, int(X.lengths.max(initial=1)), len(X.actions)
    counts, totals = nodes.count_tables(*arguments)
    plain, of_tables = naive_nodes.count_tables(*arguments)
    np.testing.assert_array_equal(counts, plain)
    np.testing.assert_array_equal(totals, of_tables)


@given(states())
def test_nodes_are_removed_and_added(state):
    X, seat, _, _ = state
    rest = X.action[1:], seat[1:]
    results = []
    for module in (nodes, naive_nodes):
        counts, totals = place(X, seat)
        module.remove_nodes(*rest, counts, totals)
        results.append([counts.copy(), totals.copy()])
        assert totals.sum() == counts.sum() == min(len(seat), 1)
        module.add_nodes(*rest, counts, totals)
        results[-1] += [counts, totals]
    for found, expected in zip(*results, strict=True):
        np.testing.assert_array_equal(found, expected)


@given(states())
def test_joint(state):
    X, seat, concentration, prior = state
    arguments = X.offsets, seat, *place(X, seat), concentration, prior
    np.testing.assert_allclose(
        nodes.log_joint(*arguments), naive_nodes.log_joint(*arguments), **ROUNDING
    )
    for begin, stop in zip(X.offsets[:-1], X.offsets[1:], strict=True):
        mine = seat[begin:stop], concentration
        np.testing.assert_allclose(
            nodes.log_seating(*mine), naive_nodes.log_seating(*mine), **ROUNDING
        )


@given(states())
def test_weights_of_the_tables_opened_before(state):
    X, seat, _, prior = state
    counts, totals = place(X, seat)
    for here in (totals, np.ones_like(totals)):
        for opened in range(len(totals) + 1):
            for a in range(len(prior)):
                arguments = here, opened, a, counts, totals, prior, prior.sum()
                found, twin = np.zeros((2, len(totals)))
                nodes.move_weights(*arguments, found)
                naive_nodes.move_weights(*arguments, twin)
                np.testing.assert_allclose(found, twin, **ROUNDING)


@given(states())
def test_reseating_and_its_weights(state):
    X, seat, concentration, prior = state
    for d, (begin, stop) in enumerate(zip(X.offsets[:-1], X.offsets[1:], strict=True)):
        counts, totals = without(X, seat, d)
        action, mine = X.action[begin:stop], seat[begin:stop]
        arguments = action, mine, counts, totals, prior
        np.testing.assert_allclose(
            nodes.log_actions(*arguments), naive_nodes.log_actions(*arguments), **ROUNDING
        )
        for n in range(len(mine)):
            arguments = action, mine, n, counts, totals, concentration, prior
            weights = nodes.seat_weights(*arguments)
            np.testing.assert_allclose(weights, naive_nodes.seat_weights(*arguments), **ROUNDING)
            for b in range(len(weights)):
                np.testing.assert_array_equal(
                    nodes.reseat(mine, n, b), naive_nodes.reseat(mine, n, b)
                )


@given(st.lists(st.floats(0, 5), min_size=1, max_size=6), seeds)
def test_draw(weights, seed):
    weights = np.array(weights)
    compiled, plain = (np.random.default_rng(seed) for _ in range(2))
    for _ in range(20):
        drawn = nodes.draw(weights, compiled)
        assert drawn == naive_nodes.draw(weights, plain)
        assert weights[drawn] > 0 or weights.sum() == 0


@given(
    states(),
    st.sampled_from([-1.0, 0.0, 2.0, 10.0]),
    st.sampled_from([(0.0, 0.0), (3.0, 0.0), (0.0, 1.0), (3.0, 1.0)]),
    st.sampled_from([0, 9]),  # so that everyone is seated again in the first sweep, or the second
    seeds,
)
def test_samplers_draw_the_same_stream(state, moves, spreads, first, seed):
    """Not only alike: the very same seats after every sweep; moves=-1 is the published sweep."""
    X, seat, concentration, prior = state
    compiled, plain = (
        [seat.copy(), *place(X, seat), concentration, prior.copy()] for _ in range(2)
    )
    rng, same = (np.random.default_rng(seed) for _ in range(2))
    settings = spreads, moves, first, 3, 2
    found = sampling.run(X.offsets, X.action, *compiled, *settings, rng)
    expected = naive_sampling.run(X.offsets, X.action, *plain, *settings, same)
    for part, twin in zip(compiled[:3], plain[:3], strict=True):
        np.testing.assert_array_equal(part, twin)
    for part, twin in zip([compiled[4], *found], [plain[4], *expected], strict=True):
        np.testing.assert_allclose(part, twin, **ROUNDING)
    assert rng.random() == same.random()
    np.testing.assert_array_equal(compiled[1], place(X, compiled[0])[0])
    if not spreads[0]:
        assert found[0] == concentration
    if not spreads[1]:
        np.testing.assert_array_equal(compiled[4], prior)


@given(states(), st.sampled_from([0.0, 3.0]), seeds)
def test_restarts_draw_the_same_stream(state, spread, seed):
    X, seat, concentration, prior = state
    compiled, plain = ([seat.copy(), *place(X, seat)] for _ in range(2))
    rng, same = (np.random.default_rng(seed) for _ in range(2))
    for _ in range(5):
        settings = concentration, prior, spread
        found = reseating.restart(X.offsets, X.action, *compiled, *settings, rng)
        expected = naive_reseating.restart(X.offsets, X.action, *plain, *settings, same)
        np.testing.assert_allclose(found, expected, **ROUNDING)
        concentration = found
        for part, twin in zip(compiled, plain, strict=True):
            np.testing.assert_array_equal(part, twin)
    np.testing.assert_array_equal(compiled[1], place(X, compiled[0])[0])


@given(states(), st.booleans(), seeds)
def test_weights_of_those_seated_in_turn(state, known, seed):
    X, seat, concentration, prior = state
    order = np.random.default_rng(seed).permutation(len(X))
    results = []
    for module in (reseating, naive_reseating):
        mine, *tables = seat.copy(), *place(X, seat)
        arguments = X.offsets, X.action, mine, order, known, *tables, concentration, prior
        value = module.seat_everyone(*arguments, np.random.default_rng(seed))
        results.append([value, mine, *tables])
    for found, expected in zip(*results, strict=True):
        np.testing.assert_allclose(found, expected, **ROUNDING)


@given(states(), seeds)
def test_the_rest_of_an_instance_draws_the_same_stream(state, seed):
    X, seat, concentration, prior = state
    for begin, stop in zip(X.offsets[:-1], X.offsets[1:], strict=True):
        if begin < stop:
            results = []
            for module in (reseating, naive_reseating):
                mine, *tables = seat.copy(), *place(X, seat)
                rng = np.random.default_rng(seed)
                arguments = X.action[begin:stop], mine[begin:stop], *tables, concentration, prior
                for _ in range(3):
                    module.reseat_rest(*arguments, rng)
                results.append([mine, *tables])
            for found, expected in zip(*results, strict=True):
                np.testing.assert_array_equal(found, expected)


@given(
    st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(0.05, 20),
    seeds,
)
def test_steps_of_concentration_and_prior(counts, value, seed):
    counts = np.array(counts)
    totals = counts.sum(axis=1)
    rng, same = (np.random.default_rng(seed) for _ in range(2))
    found = expected = value
    prior, plain = np.full((2, 3), value)
    for _ in range(5):
        opened = int(np.maximum(totals - 1, 0).sum() // 2)
        settings = opened, totals, 1.0, 3.0
        found = hyperparameters.step_concentration(found, *settings, rng)
        expected = naive_hyperparameters.step_concentration(expected, *settings, same)
        np.testing.assert_allclose(found, expected, **ROUNDING)
        hyperparameters.step_prior(prior, counts, totals, 1 / 3, 1.0, rng)
        naive_hyperparameters.step_prior(plain, counts, totals, 1 / 3, 1.0, same)
        np.testing.assert_allclose(prior, plain, **ROUNDING)
    parts = (
        ("log_normal", (value, 0.5, 2.0)),
        ("log_openings", (value, 3, totals)),
        ("log_strength", (totals, value)),
        ("log_entry", (counts[:, 0], value)),
    )
    for name, arguments in parts:
        np.testing.assert_allclose(
            getattr(hyperparameters, name)(*arguments),
            getattr(naive_hyperparameters, name)(*arguments),
            **ROUNDING,
        )
    for name, arguments in (("draw_factor", ()), ("accept", (-0.5,))):
        np.testing.assert_allclose(
            getattr(hyperparameters, name)(*arguments, rng),
            getattr(naive_hyperparameters, name)(*arguments, same),
            **ROUNDING,
        )


@given(states(), seeds)
def test_single_sweeps_draw_the_same_stream(state, seed):
    X, seat, concentration, prior = state
    for sweep, twin, more in (
        (sampling.sweep_exact, naive_sampling.sweep_exact, (3.0,)),
        (sampling.sweep_published, naive_sampling.sweep_published, ()),
    ):
        compiled, plain = ([seat.copy(), *place(X, seat)] for _ in range(2))
        rng, same = (np.random.default_rng(seed) for _ in range(2))
        sweep(X.offsets, X.action, *compiled, concentration, prior, *more, rng)
        twin(X.offsets, X.action, *plain, concentration, prior, *more, same)
        for part, other in zip(compiled, plain, strict=True):
            np.testing.assert_array_equal(part, other)
        assert rng.random() == same.random()


@given(states(most=1), seeds)
def test_moving_anywhere_draws_the_same_stream(state, seed):
    X, seat, concentration, prior = state
    if len(seat) > 1:
        compiled, plain = ([seat.copy(), *place(X, seat)] for _ in range(2))
        rng, same = (np.random.default_rng(seed) for _ in range(2))
        for _ in range(3):
            sampling.move_anywhere(X.action, *compiled, concentration, prior, rng)
            naive_sampling.move_anywhere(X.action, *plain, concentration, prior, same)
            for part, other in zip(compiled, plain, strict=True):
                np.testing.assert_array_equal(part, other)


@given(st.lists(st.integers(0, 3), max_size=8), seeds)
def test_nodes_of_two_tables_are_shuffled(seats, seed):
    seat = np.array(seats, np.int64)
    rng, same = (np.random.default_rng(seed) for _ in range(2))
    order = sampling.shuffle_tables(seat, 0, 1, rng)
    np.testing.assert_array_equal(order, naive_sampling.shuffle_tables(seat, 0, 1, same))
    assert sorted(order) == np.flatnonzero(seat <= 1).tolist()


@given(states(most=1), seeds)
def test_splitting_and_merging_draws_the_same_stream(state, seed):
    X, seat, concentration, prior = state
    if len(seat) > 1:
        compiled, plain = seat.copy(), seat.copy()
        counts, totals = (np.zeros_like(part) for part in place(X, seat))
        rng, same = (np.random.default_rng(seed) for _ in range(2))
        for _ in range(5):
            arguments = counts, totals, concentration, prior
            sampling.split_or_merge(X.action, compiled, *arguments, rng)
            naive_sampling.split_or_merge(X.action, plain, *arguments, same)
            np.testing.assert_array_equal(compiled, plain)
            np.testing.assert_array_equal(sampling.renumber(compiled), compiled)
        assert not counts.any()


@given(states(most=1), seeds)
def test_allocation_tells_the_probability_of_what_it_drew(state, seed):
    X, seat, _, prior = state
    if len(seat) > 1:
        counts, totals = place(X, seat)
        together, order = np.zeros_like(seat), np.arange(len(seat))
        rng, same = (np.random.default_rng(seed) for _ in range(2))
        drawn, twin = np.full((2, len(seat)), -1)
        arguments = X.action, together, order, 0, 1, counts, totals, prior
        value = sampling.allocate(*arguments, drawn, rng)
        np.testing.assert_allclose(
            value, naive_sampling.allocate(*arguments, twin, same), **ROUNDING
        )
        np.testing.assert_array_equal(drawn, twin)
        np.testing.assert_allclose(
            sampling.allocate(*arguments, drawn.copy(), rng), value, **ROUNDING
        )


@given(st.integers(0, 6), st.floats(0.05, 5), seeds)
def test_sequential_likelihood_sums_over_all_seatings(k, concentration, seed):
    emission = np.random.default_rng(seed).uniform(0.01, 1, (k, k))
    np.testing.assert_allclose(
        sequential.log_sequential_exact(emission, concentration),
        naive_sequential.log_sequential_exact(emission, concentration),
        **ROUNDING,
    )


@given(st.integers(0, 6), st.integers(1, 5), st.floats(0.05, 5), seeds)
def test_particles(k, particles, concentration, seed):
    rng = np.random.default_rng(seed)
    emission, uniform = rng.uniform(0.01, 1, (k, k)), rng.random((k, particles + 1))
    np.testing.assert_allclose(
        sequential.log_sequential_particles(emission, concentration, uniform),
        naive_sequential.log_sequential_particles(emission, concentration, uniform),
        **ROUNDING,
    )


@given(
    st.lists(st.integers(0, 6), max_size=4),
    st.integers(0, 6),
    st.integers(1, 5),
    st.floats(0.05, 5),
    seeds,
)
def test_sequential_likelihood_of_many_instances(lengths, longest, particles, concentration, seed):
    """As the twin has it, and to the last bit the same for each instance alone."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    k = max(lengths, default=0)
    action = rng.integers(0, 3, offsets[-1]).astype(np.int32)
    emission, uniform = rng.uniform(0.01, 1, (k, 3)), rng.random((k, particles + 1))
    arguments = emission, concentration, longest, uniform
    terms = sequential.log_sequential(offsets, action, *arguments)
    np.testing.assert_allclose(
        terms, naive_sequential.log_sequential(offsets, action, *arguments), **ROUNDING
    )
    for begin, stop in itertools.pairwise(offsets.tolist()):
        few = np.array([0, stop - begin]), action[begin:stop], *arguments
        np.testing.assert_array_equal(sequential.log_sequential(*few), terms[begin:stop])


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=8), seeds)
def test_resample(weights, seed):
    weights, uniform = np.array(weights), np.random.default_rng(seed).random()
    chosen, twin = np.empty((2, len(weights)), np.int64)
    sequential.resample(weights, uniform, chosen)
    naive_sequential.resample(weights, uniform, twin)
    np.testing.assert_array_equal(chosen, twin)


@given(st.integers(0, 8), st.integers(0, 8), st.integers(0, 127), st.integers(9, 400))
def test_keys_are_distinct(first, second, constraint, actions):
    key = links.key_of(first, second, constraint, actions)
    assert key == naive_links.key_of(first, second, constraint, actions)
    pair, mask = divmod(key, 128)
    assert (*divmod(pair, actions), mask) == (first, second, constraint)


@given(
    st.integers(0, 9),
    st.integers(0, 9),
    SETS,
    st.booleans(),
    st.integers(0, 9),
    st.integers(0, 127),
)
def test_what_a_pair_leaves_open_and_its_key(first, second, constraint, linked, actions, allowed):
    pair = first, second
    assert links.without_tie(allowed, *pair, actions) == naive_links.without_tie(
        allowed, *pair, actions
    )
    key = links.pair_key(*pair, constraint, linked, actions)
    assert key == naive_links.pair_key(*pair, constraint, linked, actions)
    assert links.fallback_row(key, actions) == naive_links.fallback_row(key, actions)
    assert links.fallback_row(key, actions) == constraint + 128 * (not linked)


@given(
    sequences(),
    structures(most=5),
    st.sampled_from([0, 1, 2]),
    st.booleans(),
    st.integers(0, 4),
    st.one_of(st.integers(1, 6), st.none()),
)
def test_choices_of_pairs(X, structure, unlinked, ties, actions, horizon):
    """With fewer actions known than there are, too."""
    mask, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    seen = read_networks(X, "full" if unlinked == 0 else structure, horizon=horizon)
    choices = actions, unlinked, ties, reach_of(horizon)
    arguments = X.offsets, X.action, seen.constraint, mask, beyond, *choices
    for mine, twin in zip(
        links.pair_choices(*arguments), naive_links.pair_choices(*arguments), strict=True
    ):
        np.testing.assert_array_equal(mine, twin)
        assert mine.dtype == twin.dtype


@given(sequences(longest=12), st.booleans(), st.integers(0, 4), HORIZONS)
def test_pairs_that_leave_a_choice(X, ties, actions, horizon):
    arguments = X.offsets, X.action, X.start, X.end, actions, ties, horizon
    for mine, twin in zip(
        links.open_pairs(*arguments), naive_links.open_pairs(*arguments), strict=True
    ):
        np.testing.assert_array_equal(mine, twin)
        assert mine.dtype == twin.dtype


@given(st.sets(st.integers(0, 40)), st.integers(-1, 41))
def test_find(keys, key):
    ordered = np.array(sorted(keys), np.int64)
    assert links.find(ordered, key) == naive_links.find(ordered, key)


@given(sequences(), structures(most=5), st.sampled_from([0, 1, 2]), st.booleans(), seeds)
def test_terms_of_pairs(X, structure, unlinked, ties, seed):
    rng = np.random.default_rng(seed)
    mask, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    seen = read_networks(X, "full" if unlinked == 0 else structure)
    pairs = X.offsets, X.action, seen.constraint, mask, beyond, 3, unlinked, ties, 2**40
    allowed, key = links.pair_choices(*pairs)
    keys = np.unique(key[(rng.random(len(key)) < 0.5) & (key >= 0)])
    known, unknown = rng.normal(size=(len(keys), 7)), rng.normal(size=(256, 7))
    arguments = seen.relation, allowed, key, keys, known, unknown, 3
    np.testing.assert_allclose(
        links.link_terms(*arguments), naive_links.link_terms(*arguments), **ROUNDING
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 2), SETS, st.integers(0, 1), st.integers(0, 2), st.integers(0, 7)),
        max_size=40,
    ),
    st.floats(0.1, 20),
)
def test_gains_of_links(rows, sample_size):
    """Three pairs of positions, two values of the second and three of the first."""
    shape = 3, 128, 2, 3, 8
    code = np.sort(np.array([np.ravel_multi_index(row, shape) for row in rows], np.int64))
    np.testing.assert_allclose(
        links.link_gains(code, 2, 3, sample_size, 3),
        naive_links.link_gains(code, 2, 3, sample_size, 3),
        **ROUNDING,
    )
    of_one = code[code // 48 == code[0] // 48] if len(code) else code
    if len(of_one):
        mine, twin = np.ones((2, 3, 3))
        links.add_gains(of_one, 2, 3, sample_size, mine)
        naive_links.add_gains(of_one, 2, 3, sample_size, twin)
        np.testing.assert_allclose(mine, twin, **ROUNDING)


@given(st.lists(st.integers(0, 20), min_size=8, max_size=8), st.floats(0.1, 20), SETS)
def test_likelihoods_of_counts(counts, strength, allowed):
    counts = np.array(counts)
    np.testing.assert_allclose(
        links.log_likelihood(counts), naive_links.log_likelihood(counts), **ROUNDING
    )
    np.testing.assert_allclose(
        links.log_marginal(counts, strength, allowed),
        naive_links.log_marginal(counts, strength, allowed),
        **ROUNDING,
    )


@given(sequences(longest=12), st.integers(0, 4))
def test_tracks(X, tracks):
    flat = X.offsets, X.start, X.end, tracks
    np.testing.assert_array_equal(chains.assign_tracks(*flat), naive_chains.assign_tracks(*flat))


def chain_tables(rng, many, actions):
    """Log probabilities of the next chain and of the next action."""
    switch = rng.dirichlet(np.ones(many), many + 1)
    step = rng.dirichlet(np.ones(actions), actions + 1)
    return np.log(switch), np.log(step)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(0, 1), min_size=3, max_size=3))),
    st.integers(0, 2),
)
def test_states_are_found_again(states, spare):
    """Also in a table with hardly a slot to spare, where hashes collide."""
    size = 2 ** (len(states).bit_length() + spare)
    slots, found = np.full(size, -1, np.int64), 0
    memories, last = np.zeros((len(states) + 1, 3), np.int32), np.zeros(len(states) + 1, np.int64)
    for chain, row in states:
        row = np.array(row, np.int32)
        slot, number = chains.find_state(slots, memories, last, row, chain)
        assert number == naive_chains.find_state(slots, memories, last, row, chain)[1]
        assert slots[slot] == number
        if number < 0:
            slots[slot], memories[found], last[found] = found, row, chain
            found += 1
            assert chains.find_state(slots, memories, last, row, chain) == (slot, found - 1)
    assert found == len({(chain, *row) for chain, row in states})


@given(st.integers(1, 4), st.lists(st.integers(0, 2), max_size=5), seeds)
def test_states_after_an_action(many, said, seed):
    """The same states in the same order, those merged that different ways lead to."""
    tables = chain_tables(np.random.default_rng(seed), many, 3)
    start = np.full((1, many), 3, np.int32), np.array([many]), np.zeros(1)
    states, twins = start, start
    for action in said:
        states, twins = (
            chains.say(*states, action, *tables),
            naive_chains.say(*twins, action, *tables),
        )
        for mine, twin in zip(states[:2], twins[:2], strict=True):
            np.testing.assert_array_equal(mine, twin)
        np.testing.assert_allclose(states[2], twins[2], **ROUNDING)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=9))
def test_log_sum(values):
    values = np.array(values)
    np.testing.assert_allclose(chains.log_sum(values), naive_chains.log_sum(values), **ROUNDING)
    np.testing.assert_allclose(chains.log_sum(values - 1e4), chains.log_sum(values) - 1e4)


@given(
    sequences(longest=6),
    st.integers(1, 3),
    st.integers(0, 4),
    st.sampled_from([0, 1, 3, 10]),
    st.sampled_from([4, 9, 10, 10**6]),
    seeds,
)
def test_terms_of_chains(X, many, known, beam, most, seed):
    """With fewer known actions than there are some are unknown; few states give NaN."""
    tables = chain_tables(np.random.default_rng(seed), many, known)
    arguments = X.offsets, X.action, *tables, beam, most
    np.testing.assert_allclose(
        chains.chain_terms(*arguments), naive_chains.chain_terms(*arguments), **ROUNDING
    )


@given(seeds)
def test_votes_of_trees(seed):
    """Two trees: a node with two leaves, and a leaf alone."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (5, 2)).astype(np.float32)
    forest = {
        "roots": np.array([0, 3]),
        "feature": np.array([rng.integers(0, 2), -1, -1, -1]),
        "threshold": rng.random(4) * 2,
        "children": np.array([[1, 2], [-1, -1], [-1, -1], [-1, -1]]),
        "offsets": np.array([0, 0, 1, 3, 4]),
        "label": rng.integers(0, 3, 4),
        "share": rng.random(4),
        "asked": rng.random((2, 5)) < 0.7,
        "activities": 3,
    }
    votes = trees.vote(rows, *forest.values())
    np.testing.assert_allclose(votes, naive_trees.vote(rows, **forest), **ROUNDING)


@given(sequences(), st.integers(1, 3), seeds)
def test_counts_and_scores_of_outcomes(X, columns, seed):
    rng, n = np.random.default_rng(seed), len(X)
    cell, row, weight = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.random(n)
    has = X.owner, X.action
    np.testing.assert_allclose(
        tallies.count_outcomes(*has, cell, weight, 3, 4),
        naive_tallies.count_outcomes(*has, cell, weight, 3, 4),
        **ROUNDING,
    )
    logs = rng.normal(size=(2, 4, columns))
    np.testing.assert_allclose(
        tallies.score_outcomes(*has, row, logs),
        naive_tallies.score_outcomes(*has, row, logs),
        **ROUNDING,
    )


@given(st.floats(1.0, np.inf))
def test_logarithm_from_one(x):
    np.testing.assert_allclose(
        tallies.log_from_one(x), naive_tallies.log_from_one(x), rtol=5e-16, atol=0
    )


def test_logarithm_of_what_is_no_number_is_none():
    assert np.isnan(tallies.log_from_one(np.nan))


@given(sequences(), st.integers(1, 3), seeds)
def test_counts_and_scores_of_numbers(X, columns, seed):
    rng, n = np.random.default_rng(seed), len(X)
    cell, row, weight = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.random(n)
    has = X.owner, X.action, np.log(X.end - X.start)
    np.testing.assert_allclose(
        tallies.count_numbers(*has, cell, weight, 3, 4),
        naive_tallies.count_numbers(*has, cell, weight, 3, 4),
        **ROUNDING,
    )
    shape = rng.normal(size=(2, 4, 4, columns))
    shape[:, :, 1:3] = 0.6 + rng.random((2, 4, 2, columns))  # one over widths, and powers
    np.testing.assert_allclose(
        tallies.score_numbers(*has, row, shape),
        naive_tallies.score_numbers(*has, row, shape),
        **ROUNDING,
    )


@given(sequences(), st.integers(1, 8), seeds)
def test_summaries(X, unit, seed):
    codes = np.random.default_rng(seed).integers(0, 2, len(X))
    found = []
    for add in (summaries.add_summary, naive_summaries.add_summary):
        sums = np.zeros((2, 2)), np.zeros((2, len(X.actions)), np.int64), np.zeros(2, bool)
        add(X.offsets, X.action, X.start / unit, X.end / unit, codes, *sums)
        found.append(sums)
    for mine, twin in zip(*found, strict=True):
        np.testing.assert_allclose(mine, twin, **ROUNDING)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6), max_size=5))
def test_medians_of_runs(runs):
    edges = np.cumsum([0, *map(len, runs)])
    values = np.array([float(value) for run in runs for value in run])
    np.testing.assert_array_equal(
        summaries.run_medians(edges, values), naive_summaries.run_medians(edges, values)
    )


@given(st.integers(0, 100), seeds)
def test_values_in_order(size, seed):
    values = np.random.default_rng(seed).integers(0, 50, size).astype(float)
    before = values.copy()
    np.testing.assert_array_equal(summaries.in_order(values), naive_summaries.in_order(values))
    np.testing.assert_array_equal(values, before)


@given(sequences())
def test_hashes_of_contents(X):
    names = np.arange(2, 2 + len(X.actions), dtype=np.uint64) ** np.uint64(20)
    flat = X.offsets, X.action, names, X.start.view(np.uint64), X.end.view(np.uint64)
    np.testing.assert_array_equal(
        contents.hash_contents(*flat), naive_contents.hash_contents(*flat)
    )
    assert contents.mix(np.uint64(7), np.uint64(9)) == naive_contents.mix(7, 9)


@given(sequences())
def test_intervals_action_by_action(X):
    np.testing.assert_array_equal(
        actions.order_by_action(X.offsets, X.action),
        naive_actions.order_by_action(X.offsets, X.action),
    )


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=5), max_size=4))
def test_covered_instants(runs):
    """Some intervals cover none, some overlap; runs may be empty."""
    ranges = [(a, min(a + n, 10)) for run in runs for a, n in sorted(run)]
    first, last = np.array(ranges, np.int64).reshape(-1, 2).T
    edges = np.cumsum([0, *map(len, runs)])
    covered = actions.covered_instants(edges, first, last, 10)
    for mine, twin in zip(
        covered, naive_actions.covered_instants(edges, first, last, 10), strict=True
    ):
        np.testing.assert_array_equal(mine, twin)
