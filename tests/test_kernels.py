"""Every kernel has a plain twin, with the same parameters and the same results."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

import naive
from ibgn import _kernels
from ibgn._kernels import consistency, pairs
from ibgn.allen import COMPOSITION, PROJECTIONS
from ibgn.networks import BEYOND
from strategies import networks, sequences, structures


def kernels():
    for module in pkgutil.iter_modules(_kernels.__path__, "ibgn._kernels."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Dispatcher) and value.py_func.__module__ == module.name:
                yield name, value


def test_kernels_are_found():
    assert {"relate", "constrain_full", "close"} <= dict(kernels()).keys()


@pytest.mark.parametrize(("name", "kernel"), [*kernels()], ids=list(dict(kernels())))
def test_kernel_has_a_twin_with_its_parameters(name, kernel):
    twin = getattr(naive, name)
    assert list(inspect.signature(twin).parameters) == list(
        inspect.signature(kernel.py_func).parameters
    )


@given(sequences())
def test_relate(X):
    flat = X.offsets, X.start, X.end
    assert pairs.count_pairs(X.offsets) == naive.count_pairs(X.offsets)
    np.testing.assert_array_equal(pairs.relate(*flat), naive.relate(*flat))


@given(sequences(least=1))
def test_relation_of(X):
    for i, j in zip(range(len(X.start)), range(1, len(X.start)), strict=False):
        if (X.start[i], X.end[i]) <= (X.start[j], X.end[j]):
            four = X.start[i], X.end[i], X.start[j], X.end[j]
            assert pairs.relation_of(*four) == naive.relation_of(*four)


@given(sequences(most=2, longest=12))
def test_full_in_quadratic_time_equals_the_definition(X):
    flat = X.offsets, X.start, X.end
    np.testing.assert_array_equal(pairs.constrain_full(*flat), naive.constrain_full(*flat))
    np.testing.assert_array_equal(pairs.count_full(*flat), naive.count_full(*flat))


@given(sequences(least=1, most=1))
def test_row_of_the_full_network(X):
    k = len(X.start)
    for i in range(k):
        row, twin = np.zeros((2, k - i - 1), np.uint8)
        pairs.constrain_row(i, k, X.start, X.end, row)
        naive.constrain_row(i, k, X.start, X.end, twin)
        np.testing.assert_array_equal(row, twin)


@given(sequences(most=2))
def test_chain_in_quadratic_time_equals_the_definition(X):
    flat = X.offsets, X.start, X.end, COMPOSITION
    np.testing.assert_array_equal(pairs.constrain_chain(*flat), naive.constrain_chain(*flat))


@given(sequences(most=2), structures())
def test_any_structure_equals_the_definition(X, structure):
    links, beyond = structure.mask(structure.size), BEYOND[structure.beyond]
    flat = X.offsets, X.start, X.end, links, beyond
    np.testing.assert_array_equal(
        pairs.constrain_linked(*flat, COMPOSITION), naive.constrain_linked(*flat, COMPOSITION)
    )
    span = structure.span(int(X.lengths.max(initial=0)))
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
