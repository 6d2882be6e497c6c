"""Times of new instances: the walk over them, and what it draws from."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive_times as twin
from ibgn._kernels import times as kernels
from ibgn.model.times import rank_end_points
from ibgn.networks import read_networks
from strategies import sequences

SEEDS = st.integers(0, 2**32 - 1)
INSTANCES = sequences(least=1, most=1).filter(lambda X: len(X.action))
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}  # sums of a few dozen logarithms, in another order


def random_predictions(rng, k):
    """Location, scale and freedom of the durations and of the gaps of k intervals."""
    rows = rng.normal(0, 1, (2, k)), rng.uniform(0.2, 2, (2, k)), rng.uniform(1, 9, (2, k))
    return np.stack(rows, axis=-1)


def instants(X, rng):
    """Ranks of an instance and increasing times for them."""
    ranks = rank_end_points(read_networks(X)[0].relations)
    return ranks, np.append(0.0, np.cumsum(rng.exponential(size=ranks.max())))


@given(INSTANCES)
def test_the_layout_equals_the_twin(X):
    ranks = rank_end_points(read_networks(X)[0].relations)
    for mine, other in zip(kernels.lay_out(ranks), twin.lay_out(ranks), strict=True):
        np.testing.assert_array_equal(mine, other)


@given(SEEDS, st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.sampled_from([0.0, 0.5, 1.0]))
def test_changes_of_one_time_equal_the_twin(seed, time, new, share):
    prediction = random_predictions(np.random.default_rng(seed), 1)[0, 0]
    arguments = time, new, prediction, share
    np.testing.assert_allclose(
        kernels.change_of(*arguments), twin.change_of(*arguments), **ROUNDING
    )
    np.testing.assert_allclose(
        kernels.log_t(time, prediction), twin.log_t(time, prediction), **ROUNDING
    )


@given(SEEDS, INSTANCES, st.data())
def test_a_move_changes_the_density_as_it_says(seed, X, data):
    """Differences of the log density of all times, for every move of the walk."""
    rng = np.random.default_rng(seed)
    ranks, times = instants(X, rng)
    durations, gaps = random_predictions(rng, len(ranks))
    layout = kernels.lay_out(ranks)
    r = data.draw(st.integers(0, len(times) - 2))
    longer = (times[r + 1] - times[r]) * rng.uniform(-0.9, 2)
    arguments = times, r, longer, layout, durations, gaps
    np.testing.assert_allclose(kernels.stretch(*arguments), twin.stretch(*arguments), **ROUNDING)
    if r > 0:
        new = rng.uniform(times[r - 1], times[r + 1])
        arguments = times, r, new, layout, durations, gaps
        np.testing.assert_allclose(kernels.shift(*arguments), twin.shift(*arguments), **ROUNDING)


@given(SEEDS, INSTANCES)
def test_a_walk_equals_that_of_the_twin(seed, X):
    rng = np.random.default_rng(seed)
    ranks, times = instants(X, rng)
    durations, gaps = random_predictions(rng, len(ranks))
    mine, other = np.random.default_rng(seed), np.random.default_rng(seed)
    walked = kernels.walk_times(ranks, times, durations, gaps, 2, mine)
    np.testing.assert_allclose(
        walked, twin.walk_times(ranks, times, durations, gaps, 2, other), rtol=1e-7, atol=1e-9
    )
    assert mine.random() == other.random()
    assert walked[0] == 0
    assert (np.diff(walked) > 0).all()
