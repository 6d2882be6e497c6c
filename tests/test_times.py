"""Times of new instances: the walk over them, and what it draws from."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, t

import naive_times as twin
from chance import fit_of_counts
from ibgn import IntervalSequences
from ibgn._kernels import times as kernels
from ibgn.model.activity import ActivityModel
from ibgn.model.summary import Summary
from ibgn.model.times import _draw_logs, draw_times, rank_end_points
from ibgn.networks import read_networks
from ibgn.terms.durations import FittedDurations
from ibgn.terms.timing import FittedGaps
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


# What is drawn


def timed_activity(rng, terms=("durations", "gaps"), actions=3):
    """An activity that knows only about times."""
    names = tuple(f"action {a}" for a in range(actions))
    durations, gaps = random_predictions(rng, actions)
    together = np.log(np.full((actions, 2), 0.5))
    learned = {
        "durations": FittedDurations(names, *durations.T),
        "gaps": FittedGaps(names, together, *gaps.T),
    }
    chosen = {name: learned[name] for name in terms}
    return ActivityModel("timed", names, chosen, np.array([3]), 0.7)


def tenths(values, prediction):
    """Which tenth of a distribution of the logarithm each time lies in, as counts."""
    location, scale, freedom = prediction
    least = t.cdf(-kernels.FARTHEST, freedom)
    part = (t.cdf(np.log(values), freedom, location, scale) - least) / (1 - 2 * least)
    part = np.clip(part, 0, 1)
    return np.bincount(np.minimum((10 * part).astype(int), 9), minlength=10)


def predictions(term, action):
    return term.location[action], term.scale[action], term.freedom[action]


@pytest.mark.statistical(false_alarm=1e-8)
def test_one_interval_lasts_as_learned(rng, false_alarm):
    activity = timed_activity(rng)
    action, ranks = np.array([1], np.int32), np.array([[0, 1]])
    ends = np.array([draw_times(activity, action, ranks, rng)[0, 1] for _ in range(4000)])
    learned = predictions(activity["durations"], 1)
    assert fit_of_counts(tenths(ends, learned), np.full(10, 0.1)) > false_alarm
    moved = (learned[0] + 0.5 * learned[1], *learned[1:])
    assert fit_of_counts(tenths(ends, moved), np.full(10, 0.1)) < false_alarm  # the control


@pytest.mark.statistical(false_alarm=1e-8)
def test_times_follow_durations_and_gaps_given_their_order(rng, false_alarm):
    """The same distribution as independent durations and gaps of which the right order is kept."""
    activity = timed_activity(np.random.default_rng(0))  # enough of them are in order
    action = np.array([0, 2], np.int32)
    ranks = np.array([[0, 2], [1, 3]])  # the first overlaps the second
    drawn = np.array([draw_times(activity, action, ranks, rng) for _ in range(3000)])
    size = 400_000
    first, gap, second = (
        np.exp(location + scale * usual(rng.standard_t(freedom, 2 * size), size))
        for location, scale, freedom in (
            predictions(activity["durations"], 0),
            predictions(activity["gaps"], 2),
            predictions(activity["durations"], 2),
        )
    )
    kept = (gap < first) & (first < gap + second)
    assert kept.sum() > 1000
    for mine, other, free in (
        (drawn[:, 0, 1], first[kept], first),
        (drawn[:, 1, 0], gap[kept], gap),
        (drawn[:, 1, 1] - drawn[:, 1, 0], second[kept], second),
    ):
        assert similar(mine, other) > false_alarm / 3
        assert similar(mine, free) < 1e-3 or similar(other, free) > 1e-6  # the control


def usual(off, size):
    """The first values that are not too far off."""
    return off[np.abs(off) < kernels.FARTHEST][:size]


def similar(one, other):
    return ks_2samp(one, other).pvalue


TERMS_OF_TIME = st.sampled_from([("durations",), ("gaps",), ("durations", "gaps")])


@given(SEEDS, INSTANCES, TERMS_OF_TIME, st.booleans())
def test_drawn_times_obey_relations(seed, X, terms, whole):
    rng = np.random.default_rng(seed)
    activity = replace(timed_activity(rng, terms, len(X.actions)), whole=whole)
    relations = read_networks(X)[0].relations
    times = draw_times(activity, X.action, rank_end_points(relations), rng)
    assert times.min() == 0
    again = IntervalSequences([0, len(times)], X.action, *times.T, X.actions)
    np.testing.assert_array_equal(read_networks(again)[0].relations, relations)
    assert are_whole(again) or not whole


@pytest.mark.statistical(false_alarm=1e-6)
def test_no_time_outlasts_all_recordings(rng, false_alarm):
    """Where little was learned, tails are so heavy that their draws would have no mean."""
    activity = timed_activity(rng)
    activity.terms["durations"].freedom[:] = 1.0
    action, ranks = np.array([0], np.int32), np.array([[0, 1]])
    ends = np.array([draw_times(activity, action, ranks, rng)[0, 1] for _ in range(1000)])
    location, scale, freedom = predictions(activity["durations"], 0)
    assert (np.abs(np.log(ends) - location) < 3.1 * scale).all()
    free = rng.standard_t(freedom, 1000)
    assert (np.abs(free) > 3.1).any()  # the control


def are_whole(X):
    summary = Summary.of(X, np.zeros(len(X), int), 1)
    return summary.activity(0).whole


def test_whole_numbers_are_known():
    assert are_whole(IntervalSequences.from_lists([[("a", 0, 2), ("b", -1, 3.0)]]))
    assert not are_whole(IntervalSequences.from_lists([[("a", 0, 2), ("b", 1, 3.5)]]))
    assert not are_whole(IntervalSequences.from_lists([[]]))


def test_times_stay_numbers_whatever_a_model_says(rng):
    extreme = np.array([[1e5, 1.0, 3.0], [-1e5, 1e5, 3.0], [0.0, 1e5, 0.1]])
    drawn = _draw_logs(extreme, rng)
    assert np.isfinite(drawn.sum())
    assert (drawn > 0).all()
