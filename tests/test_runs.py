"""Runs of equal labels: against a loop over frames, with gaps, and fast."""

import time
from itertools import groupby

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn.errors import DataError, OptionError
from ibgn.io.parsing.time import count_gaps, find_runs


def naive(labels, ignore=()):
    frame, runs = 0, []
    for label, same in groupby(labels):
        length = len(list(same))
        if label is not None and label not in ignore:
            runs.append((label, frame, frame + length))
        frame += length
    return runs


def as_list(runs):
    return list(zip(runs.value.tolist(), runs.start.tolist(), runs.end.tolist(), strict=True))


labels = st.lists(st.sampled_from(["reach", "grasp", "", None]), max_size=30)


@given(labels)
def test_runs_are_those_of_a_loop_over_frames(drawn):
    assert as_list(find_runs(drawn, ignore=[""])) == naive(drawn, ignore=[""])


@given(st.lists(st.integers(0, 3), max_size=30))
def test_numbers_and_text_and_objects_have_the_same_runs(drawn):
    wanted = naive(drawn, ignore=[0])
    assert as_list(find_runs(np.array(drawn, np.int64), ignore=[0])) == wanted
    text = np.array([str(value) for value in drawn], "U2")
    assert as_list(find_runs(text, ignore=["0"])) == [(str(a), *rest) for a, *rest in wanted]
    assert as_list(find_runs(pd.Series(drawn, dtype="category"), ignore=[0])) == wanted


@given(labels, st.data())
def test_runs_cover_the_frames_with_labels_and_no_others(drawn, data):
    steps = data.draw(st.lists(st.integers(1, 9), min_size=len(drawn), max_size=len(drawn)))
    times = np.cumsum(np.array(steps, float))
    if len(drawn) == 1:
        return
    runs = find_runs(drawn, times)
    for at, label in zip(times, drawn, strict=True):
        inside = (runs.start <= at) & (at < runs.end)
        assert runs.value[inside].tolist() == ([] if label is None else [label])
    assert (runs.start < runs.end).all()
    assert (runs.end[:-1] <= runs.start[1:]).all()


def test_nan_is_no_label():
    assert as_list(find_runs(np.array([1.0, np.nan, np.nan, 1.0]))) == [(1, 0, 1), (1, 3, 4)]
    assert as_list(find_runs([np.nan, "a", None, pd.NA])) == [("a", 1, 2)]


def test_numbers_and_text_that_look_alike_differ():
    assert [value for value, *_ in as_list(find_runs([1, "1", 1]))] == [1, "1", 1]


def test_a_rate_gives_times():
    assert as_list(find_runs(["a", "a", "b"], rate=4)) == [("a", 0, 0.5), ("b", 0.5, 0.75)]


def test_a_gap_ends_a_run_after_one_step():
    assert as_list(find_runs(["a"] * 4, [0, 1, 2, 8])) == [("a", 0, 3), ("a", 8, 9)]
    assert count_gaps([0, 1, 2, 8]) == 1


def test_a_lost_frame_is_no_gap():
    assert as_list(find_runs(["a", "a", "b", "b"], [0, 1, 3, 4])) == [("a", 0, 3), ("b", 3, 5)]


def test_gap_sets_how_far_apart_frames_may_be():
    times = [0, 1, 3, 4, 5]
    assert len(find_runs(["a"] * 5, times, gap=1.5).start) == 2
    assert len(find_runs(["a"] * 5, [0, 1, 2, 3, 1000], gap=None).start) == 1
    assert count_gaps([0, 1, 2, 3, 1000], gap=None) == 0


def test_the_last_frame_lasts_a_step():
    assert find_runs(["a", "a", "a"], [0, 2, 4]).end.tolist() == [6]
    assert find_runs(["a", "a", "a"], [0, 2, 4], rate=1).end.tolist() == [5]
    assert find_runs(["a"], [3], rate=2).end.tolist() == [3.5]


def test_first_is_the_frame_of_the_run():
    assert find_runs(["", "a", "a", "b"], ignore=[""]).first.tolist() == [1, 3]


def test_no_frames_have_no_runs():
    assert as_list(find_runs([])) == as_list(find_runs([], [])) == []
    assert count_gaps([]) == 0


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0, 1], "one per frame"),
        ([0, 2, 1], "frame 2 is at 1 after 2"),
        ([0, 0, 1], "frame 1 is at 0 after 0"),
        ([0, np.nan, 1], "frame 1 is at nan"),
        ([0, 1, np.inf], "frame 2 is at inf"),
        ([0, 1, 1e300], r"frame 2 is at 1e\+300"),
        (["x", 1, 2], "times are numbers"),
    ],
)
def test_times_that_do_not_increase_are_refused(times, message):
    with pytest.raises(DataError, match=message):
        find_runs(["a"] * 3, times)


def test_one_frame_alone_needs_a_rate():
    with pytest.raises(DataError, match="give rate="):
        find_runs(["a"], [0])


@pytest.mark.parametrize("labels", [[[1], [2]], np.zeros((2, 2)), [{}, 1]])
def test_labels_that_cannot_be_compared_are_refused(labels):
    with pytest.raises(DataError):
        find_runs(labels)


@pytest.mark.parametrize("options", [{"rate": 0}, {"rate": "x"}, {"gap": 0.5}, {"gap": np.nan}])
def test_options_are_checked(options):
    with pytest.raises(OptionError):
        find_runs(["a"], **options)


def test_two_million_frames_take_no_loop(rng):
    codes = np.repeat(rng.integers(0, 20, 20_000), 100)
    names = np.array([f"action {code}" for code in range(20)], object)[codes]
    began = time.process_time()
    for drawn in (codes, names):
        assert len(find_runs(drawn, np.arange(len(codes)) / 30).start) > 18_000
    assert time.process_time() - began < 3  # a loop over frames takes more; this about 0.3
