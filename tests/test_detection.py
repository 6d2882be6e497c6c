"""From sensors to intervals: recordings, resampling, windows, votes, and the whole chain."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ibgn import DataError, DataWarning, IntervalSequences
from ibgn._arrays import find_runs
from ibgn.detection import (
    ActionDetector,
    SensorRecording,
    Windowing,
    extraction,
    label_instances,
    label_intervals,
    majority,
    resample,
)
from ibgn.detection.runs import remove_short, smooth
from ibgn.detection.tracks import TrackModel
from ibgn.errors import OptionError

RATE = 30
# label: (offset, oscillations a second, size of the oscillation) of the two channels of a hand
ACTIONS = {
    None: ((0, 0, 0), (0, 0, 0)),
    "lift": ((2, 0, 0), (0, 0, 0)),
    "shake": ((0, 6, 1.5), (0, 0, 0)),
    "wave": ((0, 2, 1.5), (1, 2, 1)),
}
HANDS = ("left", "right")


def act(rng, seconds):
    """Labels of frames: stretches of 1.5 to 4 s."""
    labels = []
    while len(labels) < seconds * RATE:
        labels += [rng.choice([*ACTIONS])] * int(rng.uniform(1.5, 4) * RATE)
    return np.array(labels, object)[: int(seconds * RATE)]


def simulate(rng, seconds=90, noise=0.3, **known):
    """Two hands that act on their own, two channels each, and what they were doing."""
    time = np.arange(int(seconds * RATE)) / RATE
    labels = {hand: act(rng, seconds) for hand in HANDS}
    channels = []
    for hand in HANDS:
        for place in range(2):
            settings = np.array([ACTIONS[label][place] for label in labels[hand]], float)
            offset, frequency, size = settings.reshape(-1, 3).T
            wave = size * np.sin(2 * np.pi * frequency * time + rng.uniform(0, 6))
            channels.append(offset + wave + rng.normal(0, noise, len(time)))
    names = [f"{hand} {axis}" for hand in HANDS for axis in "xy"]
    return SensorRecording(time, np.stack(channels, axis=1), names, labels, **known)


def iou(one, other):
    both = min(one[2], other[2]) - max(one[1], other[1])
    return both / (max(one[2], other[2]) - min(one[1], other[1]))


def interval_f1(truth, found):
    """Detections that cover at least half of one true interval of their action, one to one."""
    right = 0
    for true, detected in zip(truth.to_lists(), found.to_lists(), strict=True):
        free = list(true)
        for interval in detected:
            near = [t for t in free if t[0] == interval[0] and iou(t, interval) >= 0.5]
            if near:
                free.remove(max(near, key=lambda t: iou(t, interval)))
                right += 1
    return 2 * right / (len(truth.action) + len(found.action))


def shuffled(recording, rng):
    """The same stretches, each with a label drawn at random."""
    labels = {}
    for track, values in recording.labels.items():
        first = find_runs(np.unique(values.astype(str), return_inverse=True)[1])
        drawn = np.array([rng.choice([*ACTIONS]) for _ in first[1:]], object)
        labels[track] = np.repeat(drawn, np.diff(first))
    return SensorRecording(recording.time, recording.channels, recording.names, labels)


@pytest.fixture
def recordings(rng):
    return [simulate(rng, id=f"run {d}", group=f"person {d}") for d in range(3)]


def tiny(labels=None, n=90, **known):
    time = np.arange(n) / RATE
    x = np.stack([np.sin(9 * time), np.cos(time)], axis=1)
    return SensorRecording(time, x, ["x", "y"], labels or {}, **known)


# recordings


def test_labels_are_text_and_nothing_is_none():
    labels = {"a": [1, "", None, np.nan], "b": ["x", " ", "y", "x"]}
    recording = SensorRecording(range(4), np.zeros((4, 1)), ["c"], labels)
    assert recording.labels["a"].tolist() == ["1", None, None, None]
    assert recording.labels["b"].tolist() == ["x", None, "y", "x"]
    assert [s.label for s in recording.stretches("b")] == ["x", "y", "x"]


@pytest.mark.parametrize(("change", "words"), [
    ({"time": [0, 1, 1]}, "frame 2, 1, is not later"),
    ({"time": [0, 2, 1]}, "sort frames"),
    ({"time": [0, np.nan, 1]}, "missing, infinite"),
    ({"time": [0, 1, 1e300]}, "beyond 2\\^43"),
    ({"time": [0, 1]}, "one row per frame"),
    ({"time": ["a", "b", "c"]}, "holds numbers"),
    ({"time": np.array([0, 1, 2], "M8[s]")}, "make dates seconds"),
    ({"channels": [1, 2, 3]}, "one row per frame"),
    ({"channels": [[1], [np.inf], [3]]}, "channel 'c' is inf in frame 1"),
    ({"channels": [[1], [2, 3], [3]]}, "holds numbers"),
    ({"channels": [[1, 2]] * 3}, "one name per channel"),
    ({"names": []}, "at least one"),
    ({"channels": [[1, 2]] * 3, "names": ["c", "c"]}, "2 channels are called 'c'"),
    ({"labels": {"t": ["a"]}}, "one label per frame"),
    ({"labels": {"t": [[1], [2], [[]]]}}, "labels of 't'"),
])  # fmt: skip
def test_recordings_that_cannot_be_are_refused(change, words):
    good = {"time": [0, 1, 2], "channels": [[1], [2], [3]], "names": ["c"], "id": "one"}
    with pytest.raises(DataError, match=words) as caught:
        SensorRecording(**(good | change))
    assert "the recording 'one'" in str(caught.value)


def test_channels_are_chosen_by_name_and_missing_ones_told():
    recording = SensorRecording([0, 1], [[1, 2], [3, 4]], ["x", "y"])
    assert recording.select(["y", "x"]).channels.tolist() == [[2, 1], [4, 3]]
    with pytest.raises(DataError, match="no channel 'z'; there are 'x', 'y'"):
        recording.select(["z"])
    with pytest.raises(DataError, match="no labels of 'z'; there are none at all"):
        recording.track("z")


def test_stretches_of_one_frame_and_of_none():
    one = SensorRecording([5], [[1]], ["x"], {"t": ["a"]})
    assert list(one.stretches("t")) == [("a", 5, 6)]
    none = SensorRecording([], np.zeros((0, 1)), ["x"], {"t": []})
    assert list(none.stretches("t")) == []
    assert "0 frames" in repr(none)


# resampling


@given(st.data())
def test_the_grid_holds_what_a_plain_twin_interpolates(data):
    n = data.draw(st.integers(1, 12))
    steps = data.draw(st.lists(st.integers(1, 12), min_size=n, max_size=n))
    time = np.cumsum(steps) / 10
    cell = st.integers(-5, 5).map(float) | st.just(np.nan)
    values = np.array(data.draw(st.lists(cell, min_size=n, max_size=n)))
    labels = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=n, max_size=n))
    recording = SensorRecording(time, values[:, None], ["x"], {"t": labels})
    if n > 2 and np.diff(time).min() > 0.5:
        return
    grid = resample(recording, rate=20, longest_gap=0.5)
    there = ~np.isnan(values)
    for t, x, label in zip(grid.time, grid.channels[:, 0], grid.labels["t"], strict=True):
        before = [k for k in np.flatnonzero(there) if time[k] <= t + 1e-9]
        after = [k for k in np.flatnonzero(there) if time[k] >= t - 1e-9]
        assert label == labels[max(k for k in range(n) if time[k] <= t + 1e-9)]
        i, j = (before[-1], after[0]) if before and after else (None, None)
        if i is None or time[j] - time[i] > 0.5 + 1e-9:
            assert np.isnan(x)
        else:
            np.testing.assert_allclose(x, np.interp(t, time[there], values[there]), atol=1e-6)


def test_gaps_are_filled_up_to_the_longest_and_not_beyond():
    time = np.array([0, 0.1, 0.6, 0.7, 1.3, 1.4])
    recording = SensorRecording(time, time[:, None] * [1, 2], ["x", "y"])
    grid = resample(recording, rate=10, longest_gap=0.5)
    assert len(grid) == 15
    assert np.flatnonzero(np.isnan(grid.channels[:, 0])).tolist() == [8, 9, 10, 11, 12]
    np.testing.assert_allclose(grid.channels[:8, 1], 2 * grid.time[:8])
    with pytest.raises(DataError, match="unit=0.001"):
        resample(SensorRecording([0, 33, 67], np.zeros((3, 1)), ["x"]))
    with pytest.raises(DataError, match="too many; check that time is in seconds"):
        resample(SensorRecording([0, 0.1, 1e9], np.zeros((3, 1)), ["x"]))
    with pytest.raises(DataError, match="too large to differ at rate=10000"):
        resample(SensorRecording([2.0**42, 2.0**42 + 0.5], np.zeros((2, 1)), ["x"]), 10_000, 1)
    with pytest.raises(OptionError, match="rate=0 must be positive"):
        resample(recording, rate=0)


def test_a_constant_channel_stays_exactly_constant(rng):
    time = np.cumsum(rng.uniform(0.01, 0.1, 200))
    grid = resample(SensorRecording(time, np.full((200, 1), 0.1), ["x"]))
    assert set(grid.channels[:, 0].tolist()) == {0.1}


# windows, votes, runs


@given(st.lists(st.integers(-1, 3), max_size=40), st.integers(1, 9), st.integers(1, 4))
def test_majority_equals_its_twin(codes, size, hop):
    codes = np.array(codes, int)
    starts = np.arange(0, len(codes), hop)
    found = majority(codes, starts, size, 4)
    for start, code in zip(starts, found, strict=True):
        counts = np.bincount([c for c in codes[start : start + size] if c >= 0], minlength=4)
        assert code == (counts.argmax() if counts.any() else -1)


@given(st.integers(0, 50), st.integers(2, 12), st.integers(1, 6))
def test_windows_speak_for_all_of_a_recording_and_for_no_time_twice(n, size, hop):
    recording = SensorRecording(7 + np.arange(n) / 4, np.zeros((n, 1)), ["x"])
    windows = Windowing(window=size / 4, step=hop / 4, rate=4).cut(recording)
    assert len(windows.edges) == len(windows.starts) + 1
    assert Windowing(window=size / 4, step=hop / 4, rate=4).count(recording) == len(windows.starts)
    if n:
        assert (windows.edges[0], windows.edges[-1]) == (7, 7 + n / 4)
        assert (np.diff(windows.edges) > 0).all()
        assert (windows.starts[:-1] + size <= n).all()
        middle = 7 + (windows.starts + size / 2) / 4
        if n >= size:
            assert ((windows.edges[:-1] <= middle) & (middle < windows.edges[1:])).all()


@pytest.mark.parametrize(("options", "words"), [
    ({"window": 0}, "window=0 must be positive"),
    ({"window": 0.01}, "window=0.01 is 0 frames at rate=30.0, but a window has 2 to 100,000"),
    ({"window": 1e9}, "frames at rate=30.0, but a window has 2 to 100,000"),
    ({"step": -1}, "step=-1 must be positive"),
    ({"rate": np.inf}, "rate=inf must be a finite number, positive"),
    ({"longest_gap": -1}, "longest_gap=-1 must be 0 or more"),
])  # fmt: skip
def test_windows_that_cannot_be_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        Windowing(**options)


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(0, 7).map(lambda k: 2 * k + 1))
def test_smoothing_is_the_mean_of_the_windows_around(votes, width):
    found = smooth(np.array(votes)[:, None], width)[:, 0]
    half = width // 2
    plain = [np.mean(votes[max(w - half, 0) : w + half + 1]) for w in range(len(votes))]
    np.testing.assert_allclose(found, plain, atol=1e-12)


def plain_remove(codes, edges, least, short):
    """By the definition, run by run."""
    found = list(codes)
    first = find_runs(np.array(codes)).tolist()
    runs = list(pairwise(first))
    for number, (a, b) in enumerate(runs):
        if edges[b] - edges[a] < least:
            beside = runs[max(number - 1, 0) : number] + runs[number + 1 : number + 2]
            long = [(edges[d] - edges[c], -c, codes[c]) for c, d in beside]
            long = [run for run in long if run[0] >= least]
            code = max(long)[2] if long and short == "neighbours" else 2
            found[a:b] = [code] * (b - a)
    return found


@pytest.mark.parametrize("short", ["neighbours", "null"])
@given(st.lists(st.integers(0, 2), min_size=1, max_size=25), st.integers(1, 6), st.data())
def test_no_short_run_of_a_label_remains(short, codes, least, data):
    steps = data.draw(st.lists(st.integers(1, 3), min_size=len(codes), max_size=len(codes)))
    edges = np.cumsum([0, *steps]).astype(float)
    found = remove_short(np.array(codes), edges, least, 2, short)
    assert found.tolist() == plain_remove(codes, edges, least, short)
    first = find_runs(found)
    assert ((np.diff(edges[first]) >= least) | (found[first[:-1]] == 2)).all()


def test_a_short_run_between_equal_ones_goes_to_the_one_before():
    codes, edges = np.array([0, 0, 2, 1, 1]), np.arange(6.0)
    assert remove_short(codes, edges, 2.0, 2, "neighbours").tolist() == [0, 0, 0, 1, 1]


# the chain


@pytest.mark.parametrize(
    ("classifier", "least"), [("knn", 0.75), ("svm", 0.9), ("rbf", 0.9), ("tree", 0.9)]
)
@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_actions_are_detected(rng, recordings, classifier, least):
    chain = ActionDetector(classifier, random_state=0).fit(recordings)
    new = [simulate(rng, id=f"new {d}", group="nobody") for d in range(2)]
    found = chain.predict(new)
    assert interval_f1(label_intervals(new), found) > least
    assert found.ids.tolist() == ["new 0", "new 1"]
    assert found.groups.tolist() == ["nobody", "nobody"]
    assert set(found.actions) == {f"{h}: {a}" for h in HANDS for a in ("lift", "shake", "wave")}


@pytest.mark.parametrize("classifier", ["knn", "svm", "tree"])
@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_nothing_is_detected_from_labels_at_random(rng, recordings, classifier):
    """The control of the test before: labels that have nothing to do with the sensors."""
    chance = [shuffled(one, rng) for one in recordings]
    new = [simulate(rng) for _ in range(2)]
    found = ActionDetector(classifier, random_state=0).fit(chance).predict(new)
    assert interval_f1(label_intervals(new), found) < 0.4


def test_frames_and_votes_agree_with_intervals(recordings):
    chain = ActionDetector("tree", random_state=0).fit(recordings[:2])
    one = recordings[2]
    [frames] = chain.predict_frames([one])
    intervals = chain.predict([one]).to_lists()[0]
    for hand in HANDS:
        found = np.full(len(one), None, object)
        for action, start, end in intervals:
            if action.startswith(hand):
                found[(one.time >= start) & (one.time < end)] = action.split(": ")[1]
        assert (found == frames[hand]).mean() > 0.999  # rounding of instants at the edges
        assert (frames[hand] == one.labels[hand]).mean() > 0.6  # guessing gives about 0.3
    [votes] = chain.predict_proba([one])
    assert chain.classes_["left"] == ("lift", "shake", "wave", None)
    for hand in HANDS:
        assert votes.probabilities[hand].shape == (len(votes.edges) - 1, 4)
        np.testing.assert_allclose(votes.probabilities[hand].sum(axis=1), 1)


@pytest.mark.parametrize("name", ["tree", "svm"])
def test_the_same_seed_gives_the_same_detector_whatever_the_jobs(recordings, seed, name):
    new = recordings[2:]
    several = [
        ActionDetector(name, random_state=seed, n_jobs=jobs).fit(recordings[:2]).predict_proba(new)
        for jobs in (None, 2, None)
    ]
    for votes in zip(*several, strict=True):
        for hand in HANDS:
            first, *others = (one.probabilities[hand] for one in votes)
            assert all((other == first).all() for other in others)


def test_a_classifier_that_draws_draws_by_the_seed(recordings):
    def votes(classifier, seed):
        chain = ActionDetector(classifier, random_state=seed, spectrum=False).fit(recordings[:1])
        return chain.predict_proba(recordings[1:2])[0].probabilities["left"]

    free = DecisionTreeClassifier(splitter="random")
    fixed = make_pipeline(DecisionTreeClassifier(splitter="random", random_state=7))
    np.testing.assert_array_equal(votes(free, 1), votes(free, 1))
    assert (votes(free, 1) != votes(free, 2)).any()
    np.testing.assert_array_equal(votes(fixed, 1), votes(fixed, 2))  # its own seed stays


def test_votes_are_smoothed_over_the_seconds_asked_for(recordings):
    chain = ActionDetector("tree", smooth=0.0, random_state=0).fit(recordings[:2])
    rough = chain.predict_proba(recordings[2:])[0].probabilities["left"]
    even = chain.set_params(smooth=0.8).predict_proba(recordings[2:])[0].probabilities["left"]
    np.testing.assert_allclose(even, smooth(rough, 9))  # four windows on each side
    assert np.abs(np.diff(even, axis=0)).sum() < np.abs(np.diff(rough, axis=0)).sum()
    counted = chain.set_params(voting="majority").predict_proba(recordings[2:])[0]
    np.testing.assert_allclose(
        counted.probabilities["left"], smooth(np.eye(4)[rough.argmax(axis=1)], 9)
    )


def test_where_nothing_is_measured_nothing_is_detected_though_no_label_is_never_learned():
    labels = {"t": ["a"] * 90 + ["b"] * 90, "u": ["c"] * 180}
    whole = tiny(labels, n=180)
    channels = np.where(np.arange(180)[:, None] < 90, whole.channels, whole.channels + 3)
    chain = ActionDetector("knn").fit([SensorRecording(whole.time, channels, whole.names, labels)])
    channels[60:120] = np.nan
    [frames] = chain.predict_frames([SensorRecording(whole.time, channels, whole.names)])
    for track, (first, last) in {"t": "ab", "u": "cc"}.items():
        assert set(frames[track][:55]) == {first}
        assert set(frames[track][85:95]) == {None}
        assert set(frames[track][125:]) == {last}


def test_parameters_are_kept_and_copied(recordings):
    chain = ActionDetector(GaussianNB(), smooth=0.2, tracks=["left"], random_state=3)
    again = clone(chain.set_params(window=0.5))
    assert again.get_params()["window"] == 0.5
    assert again.get_params()["tracks"] == ["left"]
    assert not hasattr(again, "models_")
    with pytest.raises(NotFittedError):
        again.predict(recordings)
    found = again.fit(recordings).predict(recordings)
    assert all(action.startswith("left") for action in found.actions)
    assert "models_" not in vars(clone(again))


@pytest.mark.parametrize("classifier", [LinearSVC(dual=False), NearestCentroid(), Perceptron()])
@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_any_classifier_will_do(rng, recordings, classifier):
    """With decision values, or with nothing but an answer."""
    chain = ActionDetector(classifier, random_state=0).fit(recordings)
    new = [simulate(rng)]
    np.testing.assert_allclose(chain.predict_proba(new)[0].probabilities["left"].sum(axis=1), 1)
    assert interval_f1(label_intervals(new), chain.predict(new)) > 0.8
    assert not hasattr(classifier, "classes_")  # a copy was fitted


def test_decision_values_of_two_classes_are_votes():
    class Decides:
        def fit(self, X, y):
            self.classes_ = np.unique(y)

        def decision_function(self, X):
            return X[:, 0]

    X = np.array([[-3.0], [0.0], [3.0]], np.float32)
    model = TrackModel.learn(X, np.array([0, 0, 2]), ("a", "b", None), Decides())
    votes = model.votes(X)
    np.testing.assert_allclose(votes[1], [0.5, 0, 0.5])
    assert votes[0, 0] > 0.99
    assert votes[2, 2] > 0.99


def test_ways_of_voting_and_of_short_runs(recordings):
    new = recordings[2:]
    chain = ActionDetector("knn").fit(recordings[:2])
    for voting in ("mean", "majority"):
        for short in ("neighbours", "null"):
            found = chain.set_params(voting=voting, short=short, min_duration=1.0).predict(new)
            assert interval_f1(label_intervals(new), found) > 0.7
            assert (found.end - found.start).min() > 1 - 1e-9
    rough = chain.set_params(smooth=0.0, min_duration=0.0, voting="mean").predict(new)
    assert len(rough.action) > len(found.action)
    bare = chain.set_params(action="value").predict(new)
    assert set(bare.actions) == {"lift", "shake", "wave"}


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_missing_values_are_borne(rng, recordings):
    """Features from what is there; where nothing is, nothing is detected."""
    new = simulate(rng)
    channels = new.channels.copy()
    channels[rng.random(channels.shape) < 0.2] = np.nan
    channels[900:1200] = np.nan  # ten seconds of nothing
    holed = SensorRecording(new.time, channels, new.names, new.labels)
    chain = ActionDetector("tree", random_state=0).fit(recordings)
    [frames] = chain.predict_frames([holed])
    assert all(label is None for label in frames["left"][930:1170])
    seen = np.r_[0:870, 1230 : len(new)]
    assert (frames["left"][seen] == new.labels["left"][seen]).mean() > 0.75
    with pytest.warns(DataWarning, match="left out .* in which nothing was measured"):
        ActionDetector("tree").fit([holed])


def test_channels_that_tell_nothing_change_nothing(recordings):
    """Constant, and never measured; in new recordings they may be anything."""

    def more(one, constant, absent):
        added = np.stack([np.full(len(one), constant), np.full(len(one), absent)], axis=1)
        channels = np.concatenate([one.channels, added], axis=1)
        return SensorRecording(one.time, channels, [*one.names, "c", "n"], one.labels)

    chain = ActionDetector("knn", correlations="none")
    plain = chain.fit(recordings[:2]).predict(recordings[2:])
    with pytest.warns(DataWarning, match="2 channels of 6 constant or never measured"):
        chain.fit([more(one, 0.1, np.nan) for one in recordings[:2]])
    for constant, absent in ((0.1, np.nan), (99.0, 5.0)):
        found = chain.predict([more(recordings[2], constant, absent)])
        assert found.to_lists() == plain.to_lists()


def test_units_and_offsets_of_channels_do_not_matter(recordings):
    def scaled(one):
        channels = one.channels * [1e-6, 1, 1e6, 1] + [0, 1e6, 0, -1e4]
        return SensorRecording(one.time, channels, one.names, one.labels)

    chain = ActionDetector("knn")
    plain = chain.fit(recordings[:2]).predict_frames(recordings[2:])[0]
    moved = list(map(scaled, recordings))
    found = chain.fit(moved[:2]).predict_frames(moved[2:])[0]
    assert (found["left"] == plain["left"]).mean() > 0.99


def test_a_wild_value_in_new_recordings_is_borne(recordings):
    chain = ActionDetector("svm").fit(recordings[:2])
    channels = recordings[2].channels.copy()
    channels[500, 0] = 1e100
    wild = SensorRecording(recordings[2].time, channels, recordings[2].names)
    [votes] = chain.predict_proba([wild])
    assert all(np.isfinite(part).all() for part in votes.probabilities.values())


def test_recordings_without_frames_and_shorter_than_a_window(recordings):
    chain = ActionDetector("tree", min_duration=0.1, random_state=0).fit(recordings)
    one = recordings[0]
    lifted = np.flatnonzero(one.labels["left"] == "lift")[8:20]
    empty = SensorRecording([], np.zeros((0, 4)), one.names, id="empty")
    short = SensorRecording(one.time[lifted], one.channels[lifted], one.names, id="short")
    single = SensorRecording([3.0], one.channels[lifted[:1]], one.names, id="single")
    found = chain.predict([empty, short, single])
    assert found.ids.tolist() == ["empty", "short", "single"]
    assert found[0].to_lists() == [[]]
    first, last = one.time[lifted[0]], one.time[lifted[-1]]
    np.testing.assert_allclose(found[1].start, first, atol=1e-9)
    np.testing.assert_allclose(found[1].end, last + 1 / RATE, atol=1e-9)
    frames = chain.predict_frames([empty, short, single])
    assert [len(part["left"]) for part in frames] == [0, 12, 1]
    nothing = {hand: [] for hand in HANDS}
    chain.fit([*recordings, SensorRecording([], np.zeros((0, 4)), one.names, nothing)])
    assert len(chain.predict([])) == 0


def test_a_single_label_and_a_track_without_labels():
    labels = {"always": ["on"] * 90, "never": [None] * 90, "both": ["on"] * 45 + [None] * 45}
    chain = ActionDetector("knn").fit([tiny(labels)])
    assert chain.classes_["never"] == (None,)
    assert chain.classes_["always"] == ("on", None)
    [found] = chain.predict([tiny()]).to_lists()
    assert ("always: on", 0.0, 3.0) in found
    assert not any(action.startswith("never") for action, _, _ in found)


def test_windows_that_are_all_alike_teach_nothing():
    alike = [SensorRecording([0, 0.1], [[1], [2]], ["x"], {"t": [label] * 2}) for label in "ab"]
    with pytest.raises(DataError, match="all training windows are alike"):
        ActionDetector().fit(alike)


def test_one_window_to_learn_from_is_enough():
    one = tiny({"t": ["a"] * 20, "u": [None] * 20}, n=20)
    assert ActionDetector("knn").fit([one]).predict([tiny()]).to_lists() == [[("t: a", 0.0, 3.0)]]
    late = SensorRecording(
        one.time, one.channels + 9, one.names, {"t": ["b"] * 20, "u": ["c"] * 20}
    )
    found = ActionDetector("knn").fit([one, late]).predict([tiny()])
    assert len(found.action) >= 1


@pytest.mark.parametrize(("fitted", "words"), [
    ([], "no recordings"),
    ([tiny()], "no labels to learn from"),
    ([tiny({"t": ["a"] * 90}), tiny()], "has no labels of 't'"),
    (tiny({"t": ["a"] * 90}), "got a single one; write"),
    ([1], "holds int"),
    ([None], "holds NoneType"),
    (3, "got int"),
    ([tiny({"t": list(range(2000))}, n=2000)], "2,000 different labels"),
    ([SensorRecording([0, 1], [[1], [1]], ["x"], {"t": ["a", "b"]})], "no channel varies"),
    ([SensorRecording([], np.zeros((0, 1)), ["x"], {"t": []})], "no channel varies"),
])  # fmt: skip
def test_nothing_is_learned_from_what_cannot_teach(fitted, words):
    with pytest.raises(DataError, match=words):
        ActionDetector(longest_gap=2.0).fit(fitted)


@pytest.mark.parametrize(("options", "words"), [
    ({"classifier": "forest"}, "classifier='forest' must be one of 'knn'"),
    ({"classifier": LinearSVC}, "as SVC()"),
    ({"classifier": 3}, "classifier=3 must be one of"),
    ({"tracks": "left"}, "tracks='left' must be a list of names; write tracks=\\['left'\\]"),
    ({"window": 0.0}, "window=0.0 must be positive"),
    ({"smooth": -1}, "smooth=-1 must be 0 or more"),
    ({"min_duration": np.nan}, "min_duration=nan must be a finite number, 0 or more"),
    ({"training_step": 0}, "training_step=0 must be positive"),
    ({"voting": "loud"}, "voting='loud'"),
    ({"short": "long"}, "short='long'"),
    ({"action": "track"}, "action='track'"),
    ({"correlations": 1}, "correlations=1"),
    ({"n_jobs": 0}, "n_jobs=0 must be a whole number other than 0"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        ActionDetector(**options).fit([tiny({"t": ["a"] * 90})])


def test_labels_too_short_for_a_window_are_told():
    labels = ["a"] * 45 + ["b"] * 3 + ["c"] * 42
    with pytest.warns(DataWarning, match="1 of 3 labels of 't' .* \\(first: 'b'\\)"):
        ActionDetector().fit([tiny({"t": labels})])


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_fewer_windows_of_training_detect_nearly_as_well(rng, recordings):
    chain = ActionDetector("knn", training_step=0.5).fit(recordings)
    new = [simulate(rng)]
    assert interval_f1(label_intervals(new), chain.predict(new)) > 0.65
    assert len(chain.predict_proba(new)[0].edges) == 892  # detection is as fine as ever


def test_channels_in_another_order_are_the_same(recordings):
    chain = ActionDetector("tree", random_state=0).fit(recordings[:2])
    turned = recordings[2].select(recordings[2].names[::-1])
    assert chain.predict([turned]) == chain.predict(recordings[2:])
    with pytest.raises(DataError, match="has no channel 'left y'"):
        chain.predict([recordings[2].select(["left x"])])


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_stretches_of_an_activity_are_instances(rng, recordings):
    day = np.full(2700, None, object)
    day[300:1200], day[1200:2100] = "cook", "clean"
    new = [
        SensorRecording(one.time, one.channels, one.names, one.labels | {"day": day}, f"d{d}", d)
        for d, one in enumerate(simulate(rng) for _ in range(2))
    ]
    chain = ActionDetector("svm", tracks=HANDS).fit(recordings)
    X, y = chain.detect_instances(new, "day")
    assert X.ids.tolist() == ["d0#1", "d0#2", "d1#1", "d1#2"]
    assert y.tolist() == ["cook", "clean"] * 2
    assert X.groups.tolist() == [0, 0, 1, 1]
    for instance, (start, end) in zip(X, [(10, 40), (40, 70)] * 2, strict=True):
        assert instance.start.min() >= start
        assert instance.end.max() <= end
        assert len(instance.action) >= 5
        assert (instance.end - instance.start).min() > 0.3 - 1e-9
    truth, labels = label_instances(new, "day", HANDS)
    assert labels.tolist() == y.tolist()
    assert interval_f1(truth, X) > 0.8
    learned_too = ActionDetector("tree", random_state=0).fit(new).detect_instances(new, "day")[0]
    assert not any(action.startswith("day") for action in learned_too.actions)
    with pytest.raises(DataError, match="no labels of 'night'"):
        chain.detect_instances(new, "night")


def test_groups_that_only_some_have_are_told(recordings):
    chain = ActionDetector("tree", random_state=0).fit(recordings)
    one = recordings[0]
    stranger = SensorRecording(one.time, one.channels, one.names, id="x")
    with pytest.warns(DataWarning, match="groups left out, as 1 of 2"):
        assert chain.predict([one, stranger]).groups is None


def test_the_chain_stands_in_a_pipeline(recordings):
    line = make_pipeline(ActionDetector("tree", random_state=0), FunctionTransformer(len))
    assert line.fit(recordings, ["a", "b", "a"]).transform(recordings) == 3
    X = ActionDetector("tree", random_state=0).fit_transform(recordings)
    assert isinstance(X, IntervalSequences)


def test_blocks_change_nothing(recordings, monkeypatch):
    whole = ActionDetector("tree", random_state=0).fit(recordings).predict(recordings)
    monkeypatch.setattr(extraction, "ROWS_AT_ONCE", 37)
    parts = ActionDetector("tree", random_state=0).fit(recordings).predict(recordings)
    assert parts == whole


@pytest.mark.filterwarnings("ignore::ibgn.DataWarning")
@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["knn", "svm", "tree"]))
def test_whatever_is_recorded_gives_intervals_or_an_error_in_words(seed, classifier):
    rng = np.random.default_rng(seed)

    def odd(names):
        n = rng.integers(0, 60)
        time = rng.choice([-1e9, 0.0, 1e9]) + np.cumsum(rng.choice([0.01, 0.1, 0.6], n))
        values = rng.choice([0.0, 1.0, -3.5, 1e9, 1e100, np.nan], (n, len(names)))
        labels = {track: rng.choice(["a", "b", None], n) for track in "tu"}
        return SensorRecording(time, values, names, labels)

    chain = ActionDetector(classifier, window=rng.choice([0.1, 1.0]), random_state=0)
    try:
        found = chain.fit([odd("xy") for _ in range(3)]).predict([odd("yx") for _ in range(2)])
    except DataError:
        return
    assert len(found) == 2
    assert (found.end - found.start >= 0.3 - 1e-6).all()
