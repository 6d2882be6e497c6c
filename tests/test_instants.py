"""End points that are the same instant: what merging promises."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive_instants
from ibgn import IntervalSequences, read
from ibgn._kernels import instants
from ibgn.cleaning import snap
from ibgn.model.tolerance import merge_instants

TICKS = st.lists(st.integers(0, 40), max_size=20)
STEPS = st.integers(1, 8)  # a tolerance in ticks
SECONDS = [0.1, 1 / 3, 0.04, 1.0]  # of a tick, most of them no binary fractions


def merged(time, tolerance):
    """Merge the end points of one instance, given in any order; the result is in that order."""
    time = np.asarray(time, float)
    order = np.argsort(time, kind="stable")
    found = np.empty(len(time))
    owner = np.zeros(len(time), np.int64)
    found[order] = instants.merge_instants(owner, time[order], float(tolerance))
    return found


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(-9, 9)), max_size=30), st.floats(0, 5))
def test_merging_equals_its_plain_twin(points, tolerance):
    points = sorted(points)
    owner = np.array([owner for owner, _ in points], np.int64)
    time = np.array([time for _, time in points], float)
    np.testing.assert_array_equal(
        instants.merge_instants(owner, time, tolerance),
        naive_instants.merge_instants(owner, time, tolerance),
    )
    for early, late in pairwise(time):
        twin = naive_instants.is_closer(early, late, tolerance)
        assert instants.is_closer(early, late, tolerance) == twin


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 4), max_size=6), st.integers(0, 2**32))
def test_order_equals_its_plain_twin(rows, seed):
    check_order(np.array(rows, int).reshape(-1, 4))
    values = np.random.default_rng(seed).integers(0, [2, 30, 3, 2], (seed % 150, 4))
    check_order(values)  # long enough to be merged several times
    check_order(values[np.lexsort(values.T[::-1])])


def check_order(rows):
    instance, start, end, action = rows.T.copy()
    offsets = np.concatenate([[0], np.cumsum(np.bincount(instance, minlength=2))])
    keys = start.astype(float), end.astype(float), action.astype(np.int32)
    np.testing.assert_array_equal(
        instants.order_intervals(offsets, instance, *keys),
        naive_instants.order_intervals(offsets, instance, *keys),
    )
    half = len(rows) // 2
    halves = [
        *(
            sorted(range(*bounds), key=lambda row: (keys[0][row], keys[1][row], action[row]))
            for bounds in ((0, half), (half, len(rows)))
        )
    ]
    merged = [np.array(halves[0] + halves[1], np.int64) for _ in range(2)]
    for each, module in zip(merged, (instants, naive_instants), strict=True):
        module.merge_runs(each, each[:half].copy(), 0, len(rows), *keys)
    np.testing.assert_array_equal(*merged)
    for i, j in permutations(range(min(len(rows), 6)), 2):
        assert instants.comes_before(i, j, *keys) == naive_instants.comes_before(i, j, *keys)


@pytest.mark.parametrize("starts", [[0.0, 2.0], [2.0, 0.0]])
def test_times_of_the_caller_can_still_be_changed(starts):
    frame = pd.DataFrame({"instance": "s", "action": ["a", "b"], "start": starts})
    frame["end"] = frame["start"] + 1
    X, _ = read(frame)
    frame.loc[:, "start"] += 5.0
    assert X.start.tolist() == [0.0, 2.0]


@given(TICKS, STEPS)
def test_instants_are_recorded_in_order_and_apart_and_points_move_by_less(time, tolerance):
    found = merged(time, tolerance)
    assert set(found) <= set(time)
    assert (np.diff(found[np.argsort(time)]) >= 0).all()
    assert (np.diff(np.unique(found)) >= tolerance).all()
    for instant in np.unique(found):
        assert np.ptp(np.array(time)[found == instant]) < tolerance
    np.testing.assert_array_equal(merged(found, tolerance), found)


@given(TICKS, STEPS, st.sampled_from(SECONDS), st.sampled_from([0, 7, 1_700_000_000]))
@example([0, 1, 2, 3, 4, 5, 6], 1, 0.1, 0)
def test_rounding_shift_and_unit_do_not_matter(time, tolerance, tick, shift):
    """Ticks of 0.1 that are 0.1 apart are not closer than 0.1, whatever their floats are."""
    exact = merged(time, tolerance)
    for seconds in (np.array(time) * tick + shift, (np.array(time) + shift / tick) * tick):
        place = dict(zip(seconds, time, strict=True))
        assert [place[s] for s in merged(seconds, tolerance * tick)] == exact.tolist()


def test_without_allowing_for_rounding_the_same_ticks_differ():
    """The control: as floats, some ticks of 0.1 are closer than 0.1."""
    ticks = np.arange(40) * 0.1
    assert 0 < (np.diff(ticks) < 0.1).sum() < 39
    np.testing.assert_array_equal(merged(ticks, 0.1), ticks)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), max_size=15))
def test_groups_that_stand_apart_are_the_same_backwards(points):
    """Only a chain has a direction: groups within less than the tolerance have none."""
    time = np.array([100 * place + by for place, by in points], float)
    forward, backward = merged(time, 7), -merged(-time, 7)
    for place in {place for place, _ in points}:
        group = np.array([where == place for where, _ in points])
        values = np.sort(time[group])
        assert set(forward[group]) == {values[(len(values) - 1) // 2]}  # the lower median
        assert set(backward[group]) == {values[len(values) // 2]}


def test_chains_end():
    """A hundred intervals, each closer to the next than the tolerance."""
    rows = [("a", 0.09 * n, 0.09 * (n + 1)) for n in range(100)]
    X = merge_instants(IntervalSequences.from_lists([rows]), 0.1)
    assert X.lengths.tolist() == [50]
    assert np.diff(X.start) == pytest.approx(0.18)
    assert X.end[-1] == pytest.approx(9.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), STEPS), max_size=15), STEPS)
def test_an_interval_as_long_as_the_tolerance_is_never_emptied(rows, tolerance):
    owner, start, length = (np.array([row[i] for row in rows], np.int64) for i in range(3))
    begin, end = snap(owner, start * 0.1, (start + length) * 0.1, tolerance * 0.1)
    assert (begin <= end).all()
    assert (begin < end)[length >= tolerance].all()


@given(st.lists(TICKS.map(lambda starts: [("a", s / 10, s / 10 + 0.3) for s in starts])), st.data())
def test_instances_are_merged_on_their_own_in_any_order(lists, data):
    order = data.draw(st.permutations(range(len(lists))))
    X = IntervalSequences.from_lists(lists)
    found = merge_instants(X, 0.2).to_lists()
    assert merge_instants(X[np.array(order, np.int64)], 0.2).to_lists() == [found[d] for d in order]
    alone = [merge_instants(X[d], 0.2).to_lists()[0] for d in range(len(lists))]
    assert alone == found
