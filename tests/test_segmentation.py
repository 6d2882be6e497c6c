"""Streams cut into activities: the dynamic programme, learning, and what comes out."""

import numpy as np
import pytest

import naive_segments
from ibgn._kernels import segments as kernels
from ibgn.segmentation import lattice as lattices
from ibgn.segmentation.lattice import Lattice

SHAPES = [(1, 1, 1), (4, 2, 2), (6, 4, 1), (5, 7, 2)]
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def make_weights(rng, n, longest, activities):
    """Scores, none and steps of a small stream."""
    scores = rng.normal(size=(n, longest, activities))
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    for begin in range(n):
        scores[begin, n - begin :] = -np.inf
    return scores, rng.normal(), rng.normal(size=(activities + 2, activities + 1))


@pytest.fixture(params=[1, 3, 1000], ids="blocks of {}".format)
def lattice(request, rng, monkeypatch):
    """Makes lattices of blocks of some positions, whose scores are kept or made again."""

    def make(scores, none, steps):
        monkeypatch.setattr(lattices, "BLOCK", request.param * scores[0].size)
        monkeypatch.setattr(lattices, "KEPT", 0 if request.param == 3 else 10**6)
        return Lattice.of(scores, none, steps)

    return make


@pytest.mark.parametrize("shape", SHAPES)
def test_all_segmentations_are_summed(shape, lattice, rng):
    scores, none, steps = make_weights(rng, *shape)
    ways = list(naive_segments.segmentations(*shape))
    weights = np.array(
        [naive_segments.weigh(way, scores, np.full(shape[0], none), steps) for way in ways]
    )
    total = np.logaddexp.reduce(weights)
    runs, inside = np.zeros(scores.shape), np.zeros((shape[0], shape[2] + 1))
    for way, share in zip(ways, np.exp(weights - total), strict=True):
        for begin, end, label in way:
            inside[begin:end, label] += share
            if label < shape[2]:
                runs[begin, end - begin - 1, label] += share
    chances = lattice(scores, none, steps).chances(with_runs=True)
    np.testing.assert_allclose(chances.log_total, total, **EXACT)
    np.testing.assert_allclose(chances.runs, runs, **EXACT)
    np.testing.assert_allclose(chances.inside, inside, **EXACT)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_likeliest_of_all_segmentations_is_found(shape, lattice, rng):
    scores, none, steps = make_weights(rng, *shape)
    best = max(
        naive_segments.segmentations(*shape),
        key=lambda way: naive_segments.weigh(way, scores, np.full(shape[0], none), steps),
    )
    first, label = lattice(scores, none, steps).best()
    assert first.tolist() == [begin for begin, _, _ in best]
    assert label.tolist() == [label for _, _, label in best]


def test_a_stream_without_intervals_has_one_segmentation():
    lattice = Lattice.of(np.zeros((0, 2, 1)), 0.0, np.zeros((3, 2)))
    assert lattice.best()[0].tolist() == []
    assert lattice.chances().inside.shape == (0, 2)


@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_are_their_twins(shape, rng):
    scores, none, steps = make_weights(rng, *shape)
    n, labels = shape[0], shape[2] + 1
    given = scores[n // 2 :], np.full(n, none), steps, n // 2
    ending = rng.normal(size=(n + 1, labels))

    def numbers():
        return np.zeros((n + 1, labels), np.int64)

    def compare(name, make):
        mine, plain = make(), make()
        said = getattr(kernels, name)(*mine), getattr(naive_segments, name)(*plain)
        for one, two in zip(mine, plain, strict=True):
            np.testing.assert_allclose(one, two, **EXACT)
        return said

    compare("sum_before", lambda: (*given, np.zeros((n, labels)), ending.copy()))
    compare("sum_after", lambda: (*given, ending.copy()))
    compare("climb", lambda: (*given, ending.copy(), numbers(), numbers()))
    shared = compare(
        "share_runs",
        lambda: (given[0], given[3], ending[:-1], ending, 3.0, np.zeros((n + 1, labels))),
    )
    np.testing.assert_allclose(*shared, **EXACT)
    state = np.full((n + 1, labels), -np.inf), numbers(), numbers()
    kernels.climb(scores, given[1], steps, 0, *state)
    for one, two in zip(kernels.trace_back(*state), naive_segments.trace_back(*state), strict=True):
        np.testing.assert_array_equal(one, two)
    for one, two in ((0.5, -2.0), (-2.0, 0.5), (-np.inf, 1.0), (-np.inf, -np.inf)):
        plain = naive_segments.log_add(one, two)
        assert kernels.log_add(one, two) == pytest.approx(plain, rel=1e-12)
