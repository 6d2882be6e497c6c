"""Fingers: joint angles and positions to intervals, by hand, against a plain twin, end to end."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from ibgn import IBGNClassifier
from ibgn.datasets import make_hand_signs
from ibgn.detection.fingers import FingerDetector, bend, learn_band
from ibgn.detection.hysteresis import ROUNDING
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.networks import read_networks
from ibgn.recordings import SensorRecording

NAN = math.nan
INDEX = "right index"


def record(angles, time=None, name=INDEX, **about):
    time = np.arange(len(angles)) / 10 if time is None else time
    return SensorRecording(time, np.array(angles, float)[:, None], [name], **about)


def detect(angles, time=None, **options):
    """(state, start, end) of one finger, ten frames a second."""
    options = {"min_duration": 0, "max_gap": 0} | options
    X = FingerDetector(**options).transform([record(angles, time)])
    return [
        (action.removeprefix(f"{INDEX} "), pytest.approx(start), pytest.approx(end))
        for action, start, end in X.to_lists()[0]
    ]


# ---- a plain twin


def plain(time, angles, low, high, min_duration, max_gap):
    """(state, start, end) by loops over frames."""
    frame = float(np.median(np.diff(time))) if len(time) > 1 else 1.0
    intervals = []
    for segment in plain_segments(time, angles, frame, max_gap):
        states = plain_hysteresis([angle for angle, _, _ in segment], low, high)
        spans = [(begin, until) for _, begin, until in segment]
        intervals += plain_absorb(plain_runs(states, spans), min_duration)
    return intervals


def plain_segments(time, angles, frame, max_gap):
    """Frames (angle, begin, until) without gaps that are too long."""
    groups = [[]]  # of frames that follow each other, all missing or none
    for place, (begin, angle) in enumerate(zip(time, angles, strict=True)):
        until = time[place + 1] if place + 1 < len(time) else begin + frame
        late = until - begin - frame > max_gap + ROUNDING
        if groups[-1] and math.isnan(groups[-1][-1][0]) != math.isnan(angle):
            groups.append([])
        groups[-1].append((angle, begin, begin + frame if late else until))
        if late:
            groups += [None, []]
    segments = [[]]
    for group in groups:
        missing = bool(group) and math.isnan(group[0][0])
        if group is None or (missing and group[-1][2] - group[0][1] > max_gap + ROUNDING):
            segments.append([])
        else:
            segments[-1] += group
    return [part for part in segments if any(not math.isnan(angle) for angle, _, _ in part)]


def plain_hysteresis(angles, low, high):
    state, states = None, []
    for angle in angles:
        if angle >= high:
            state = 1
        elif angle <= low:
            state = 0
        states.append(state)
    known = [state for state in states if state is not None]
    heights = [angle - (low + high) / 2 for angle in angles if not math.isnan(angle)]
    first = known[0] if known else int(sum(heights) > 0)
    return [first if state is None else state for state in states]


def plain_runs(states, spans):
    runs = []
    for state, (begin, until) in zip(states, spans, strict=True):
        if runs and runs[-1][0] == state:
            runs[-1] = (state, runs[-1][1], until)
        else:
            runs.append((state, begin, until))
    return runs


def plain_absorb(runs, least):
    long = [state for state, begin, until in runs if until - begin >= least - ROUNDING]
    if not long:
        seconds = [sum(until - begin for s, begin, until in runs if s == n) for n in (0, 1)]
        return [(int(seconds[1] > seconds[0]), runs[0][1], runs[-1][2])]
    state, states = long[0], []
    for own, begin, until in runs:
        state = own if until - begin >= least - ROUNDING else state
        states.append(state)
    return plain_runs(states, [(begin, until) for _, begin, until in runs])


ANGLES = st.lists(
    st.sampled_from([NAN, 0.0, 34.0, 35.0, 40.0, 45.0, 50.0, 55.0, 90.0]), max_size=40
)


@given(ANGLES, st.data())
def test_the_plain_twin_agrees(angles, data):
    steps = data.draw(st.lists(st.sampled_from([1, 1, 1, 1, 2, 7]), min_size=len(angles)))
    time = np.cumsum(steps[: len(angles)]) / 8  # exact, so that sums tell equal from unequal
    least, gap = (data.draw(st.sampled_from([0, 0.125, 0.25, 0.5])) for _ in range(2))
    X = FingerDetector(min_duration=least, max_gap=gap).transform([record(angles, time)])
    expected = [
        (f"{INDEX} {('straight', 'bent')[state]}", start, end)
        for state, start, end in plain(time, angles, 35, 55, least, gap)
    ]
    assert X.to_lists()[0] == expected


@given(st.lists(ANGLES, max_size=5))
def test_recordings_know_nothing_of_each_other(parts):
    recordings = [record(angles) for angles in parts]
    alone = [FingerDetector().transform([one]).to_lists()[0] for one in recordings]
    assert FingerDetector().transform(recordings).to_lists() == alone


@given(st.lists(st.floats(35.1, 54.9), min_size=1, max_size=30), st.sampled_from([0.0, 90.0]))
def test_nothing_flickers_within_the_band(inside, first):
    found = detect([first, *inside])
    assert found == [("bent" if first else "straight", 0, (len(inside) + 1) / 10)]


@given(st.lists(st.floats(-20, 120), min_size=1, max_size=40))
def test_intervals_tile_the_recording_and_states_alternate(angles):
    found = detect(angles, min_duration=0.2)
    assert (found[0][1], found[-1][2]) == (0, len(angles) / 10 if len(angles) > 1 else 1)
    for before, after in pairwise(found):
        assert before[2] == after[1].expected
        assert before[0] != after[0]


# ---- by hand


def test_without_a_band_noise_makes_a_finger_flicker():
    angles = [0, 44, 46, 44, 46, 90, 44, 46]
    assert len(detect(angles, bent_above=45, straight_below=45)) == 6
    assert detect(angles) == [("straight", 0, 0.5), ("bent", 0.5, 0.8)]


def test_thresholds_belong_to_the_states():
    assert detect([35, 55]) == [("straight", 0, 0.1), ("bent", 0.1, 0.2)]


def test_what_begins_within_the_band_is_what_it_becomes():
    assert detect([50, 50, 20, 20]) == [("straight", 0, 0.4)]
    assert detect([40, 40, 70]) == [("bent", 0, 0.3)]


def test_what_stays_within_the_band_is_what_it_is_nearer_to():
    assert detect([50, 40, 50, NAN], max_gap=1) == [("bent", 0, 0.4)]
    assert detect([40, 50, 40]) == [("straight", 0, 0.3)]


def test_short_states_are_absorbed():
    angles = [0, 0, 0, 90, 0, 0, 0, 90, 90, 90, 0]
    assert detect(angles, min_duration=0.2) == [("straight", 0, 0.7), ("bent", 0.7, 1.1)]
    assert len(detect(angles, min_duration=0.1)) == 5
    assert detect([90, 0, 0], min_duration=0.2) == [("straight", 0, 0.3)]
    assert detect([90, 0, 90], min_duration=0.2) == [("bent", 0, 0.3)]


def test_short_gaps_are_held_and_long_ones_end_the_interval():
    angles = [90, NAN, NAN, 90, 90]
    assert detect(angles, max_gap=0.2) == [("bent", 0, 0.5)]
    assert detect(angles, max_gap=0.1) == [("bent", 0, 0.1), ("bent", 0.3, 0.5)]


def test_gaps_at_either_end_are_held_too():
    assert detect([NAN, 90, NAN], max_gap=0.1) == [("bent", 0, 0.3)]
    assert detect([NAN, 90, NAN]) == [("bent", 0.1, 0.2)]


def test_what_was_before_a_long_gap_is_forgotten():
    assert detect([90, NAN, NAN, 40, 0], max_gap=0.1) == [("bent", 0, 0.1), ("straight", 0.3, 0.5)]
    assert detect([90, NAN, NAN, 40, 0], max_gap=0.2) == [("bent", 0, 0.4), ("straight", 0.4, 0.5)]


def test_frames_that_are_left_out_are_a_gap():
    time = [0, 0.1, 0.2, 0.7, 0.8]
    assert detect([90] * 5, time, max_gap=0.4) == [("bent", 0, 0.9)]
    assert detect([90] * 5, time, max_gap=0.3) == [("bent", 0, 0.3), ("bent", 0.7, 0.9)]


def test_a_finger_that_was_never_seen_gives_nothing():
    assert detect([NAN, NAN, NAN], max_gap=9) == []
    assert detect([]) == []


def test_ids_and_groups_are_kept():
    X = FingerDetector().transform(
        [record([0], id="a", group="s1"), record([90], id="b", group="s2")]
    )
    assert (X.ids.tolist(), X.groups.tolist()) == (["a", "b"], ["s1", "s2"])
    assert len(FingerDetector().transform([])) == 0


# ---- positions


def hand(degrees, points):
    """Channels of a finger whose joints are all bent by so many degrees, in each frame."""
    channels = {}
    for number, point in enumerate(points):
        turned = np.radians(np.outer(degrees, np.arange(1, number + 1)))
        channels[f"{point} x"] = np.cos(turned).sum(axis=1)
        channels[f"{point} y"] = np.sin(turned).sum(axis=1) + 7
        channels[f"{point} z"] = np.full(len(degrees), 3.0)
    return channels


@pytest.mark.parametrize(
    ("finger", "points"),
    [(INDEX, ("mcp", "pip", "dip", "tip")), ("left thumb", ("cmc", "mcp", "ip", "tip"))],
)
def test_positions_are_taken_as_angles(finger, points, rng):
    channels = hand([0, 20, 60, 45, 90, 10, 10], points)
    names = list(channels)
    rng.shuffle(names)
    recording = SensorRecording(
        np.arange(7) / 10,
        np.stack([channels[name] for name in names], axis=1),
        [f"{finger} {name}" for name in names],
    )
    X = FingerDetector(min_duration=0).transform([recording])
    assert [action for action, _, _ in X.to_lists()[0]] == [
        f"{finger} straight",
        f"{finger} bent",
        f"{finger} straight",
    ]
    assert X.start == pytest.approx([0, 0.2, 0.5])


@given(st.floats(0, 180), st.floats(0, 180), st.integers(0, 1000))
def test_bend_is_that_of_the_most_bent_joint_however_the_hand_is_turned(first, second, seed):
    turned = np.radians([0, first, first + second])
    bones = np.stack([np.cos(turned), np.sin(turned), np.zeros(3)], axis=1)
    points = np.concatenate([np.zeros((1, 3)), np.cumsum(bones * [[3], [2], [1]], axis=0)])
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    assert bend(points @ rotation + rng.normal(size=3)) == pytest.approx(
        max(first, second), abs=1e-4
    )


def test_points_that_are_missing_or_in_one_place_tell_nothing():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0], [2, 0, 0]])
    assert np.isnan(bend(points))
    points = np.array([[0.0, 0, 0], [1, 0, 0], [NAN, 0, 0], [2, 0, 0]])
    assert np.isnan(bend(points))


# ---- learned thresholds


@pytest.mark.statistical(false_alarm=1e-9)
def test_learned_thresholds_lie_between_the_two_means(rng):
    """The means have standard errors of 0.17 and 0.3, thresholds of 0.23 at most: 1.5 is six."""
    angle = np.concatenate([rng.normal(20, 3, 300), rng.normal(50, 3, 100), [NAN]])
    band = learn_band(angle)
    assert band.low == pytest.approx(20 + 0.35 * 30, abs=1.5)
    assert band.high == pytest.approx(20 + 0.65 * 30, abs=1.5)


@given(st.lists(st.integers(0, 90), min_size=2, max_size=12))
def test_two_means_are_the_best_split(angles):
    ordered = np.sort(np.array(angles, float))
    costs = [
        ((ordered[:k] - ordered[:k].mean()) ** 2).sum()
        + ((ordered[k:] - ordered[k:].mean()) ** 2).sum()
        for k in range(1, len(ordered))
    ]
    splits = [k for k, cost in enumerate(costs, 1) if cost < min(costs) + 1e-6]
    means = [(ordered[:k].mean(), ordered[k:].mean()) for k in splits]
    band = learn_band(ordered)
    if band is None:
        assert any(high - low < 20 for low, high in means)
    else:
        assert any(
            band == pytest.approx((low + 0.35 * (high - low), low + 0.65 * (high - low)))
            for low, high in means
        )


def test_each_finger_has_its_own_learned_thresholds():
    stiff = [10, 10, 10, 40, 40, 40]  # never bent by the usual thresholds
    loose = [40, 40, 40, 120, 120, 120]  # never straight
    recording = SensorRecording(
        np.arange(6) / 10, np.stack([stiff, loose], 1), [INDEX, "left index"]
    )
    learned = FingerDetector("learned").fit([recording])
    assert set(learned.bands_) == {INDEX, "left index"}
    assert learned.transform([recording]).lengths.tolist() == [4]
    assert FingerDetector().transform([recording]).lengths.tolist() == [2]


def test_a_finger_that_does_not_move_keeps_the_usual_thresholds():
    with pytest.warns(DataWarning, match="1 finger of 1 moved too little"):
        detector = FingerDetector("learned").fit([record([3, 4, 5, 4])])
    assert detector.bands_[INDEX] == (35, 55)


def test_fingers_without_learned_thresholds_are_refused():
    detector = FingerDetector("learned").fit([record([0, 90])])
    with pytest.raises(DataError, match="left thumb"):
        detector.transform([record([0, 90], name="left thumb")])


# ---- as an estimator


def test_parameters_are_kept_and_cloned():
    detector = FingerDetector(60, 30, min_duration=0.3, max_gap=1)
    assert clone(detector).get_params() == {
        "bent_above": 60, "straight_below": 30, "min_duration": 0.3, "max_gap": 1, "soft": False
    }  # fmt: skip
    assert detector.fit([record([0])]) is detector


def test_only_learned_thresholds_need_fitting():
    assert len(FingerDetector().transform([record([0])])) == 1
    with pytest.raises(NotFittedError):
        FingerDetector("learned").transform([record([0])])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bent_above": "high"}, "bent_above='high' must be a number or 'learned'"),
        ({"bent_above": NAN}, "bent_above"),
        (
            {"bent_above": 20},
            "straight_below=35.0 is larger than bent_above=20; between them, a finger",
        ),
        ({"straight_below": None}, "straight_below"),
        ({"min_duration": -1}, "min_duration"),
        ({"max_gap": math.inf}, "max_gap"),
    ],
)
def test_options_are_checked(options, words):
    for method in ("fit", "transform"):
        with pytest.raises(OptionError, match=words):
            getattr(FingerDetector(**options), method)([record([0])])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["elbow"], "'elbow' is no finger"),
        (["right index knuckle x"], "is no finger"),
        (["right index pip x"], "three or more points"),
        ([f"{INDEX} {p} {a}" for p in ("mcp", "pip") for a in "xyz"], "three or more points"),
        ([INDEX, f"{INDEX} pip x"], "give an angle, or"),
    ],
)
def test_channels_that_are_no_fingers_are_refused(names, words):
    recording = SensorRecording([0.0], np.zeros((1, len(names))), names, id="take 1")
    with pytest.raises(DataError, match=words) as caught:
        FingerDetector().transform([recording])
    assert "take 1" in str(caught.value)


def test_other_things_than_recordings_are_refused():
    with pytest.raises(DataError, match="SensorRecording"):
        FingerDetector().transform([np.zeros((3, 5))])


# ---- end to end


def interval_f1(true, detected):
    """F1 of intervals of the same action that overlap by half of their union, one to one."""
    hits = 0
    for intervals, found in zip(true.to_lists(), detected.to_lists(), strict=True):
        left = list(found)
        for action, start, end in intervals:
            overlaps = [
                (min(end, e) - max(start, s)) / (max(end, e) - min(start, s)) if a == action else 0
                for a, s, e in left
            ]
            if overlaps and max(overlaps) >= 0.5:
                hits += 1
                left.pop(int(np.argmax(overlaps)))
    return 2 * hits / (len(true.action) + len(detected.action))


def test_without_noise_the_true_intervals_and_relations_are_found(seed):
    X, _, _, recordings = make_hand_signs(
        instances_per_style=8, jitter=0, joint_angles=True, angle_noise=0, dropout=0,
        random_state=seed,
    )  # fmt: skip
    found = FingerDetector().transform(recordings)
    true, ours = read_networks(X), read_networks(found)
    assert (found.ids == X.ids).all()
    assert (found.groups == X.groups).all()
    assert (found.lengths == X.lengths).all()
    assert (found.action == X.action).all()
    assert (ours.relation == true.relation).all()
    assert np.abs(found.start - X.start).max() < 0.06  # a frame, and the way to the threshold
    assert np.abs(found.end - X.end).max() < 0.06


@pytest.mark.parametrize(("noise", "dropout", "bound"), [(4, 0.02, 0.99), (16, 0.1, 0.97)])
@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_with_noise_nearly_all_intervals_are_found(noise, dropout, bound, seed):
    X, _, _, recordings = make_hand_signs(
        instances_per_style=8, joint_angles=True, angle_noise=noise, dropout=dropout,
        random_state=seed,
    )  # fmt: skip
    found = interval_f1(X, FingerDetector().transform(recordings))
    learned = interval_f1(X, FingerDetector("learned").fit_transform(recordings))
    print(f"F1 {found:.3f}, with learned thresholds {learned:.3f}")
    assert min(found, learned) > bound


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_neither_band_nor_least_duration_can_be_left_out(seed):
    X, _, _, recordings = make_hand_signs(
        instances_per_style=4, joint_angles=True, angle_noise=16, random_state=seed
    )
    both = interval_f1(X, FingerDetector().transform(recordings))
    plain = FingerDetector(45, 45, min_duration=0, max_gap=0).transform(recordings)
    assert interval_f1(X, plain) < both - 0.1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_words_are_recognised_from_detected_intervals_nearly_as_from_true_ones():
    X, y, _, recordings = make_hand_signs(instances_per_style=12, joint_angles=True, random_state=0)
    train, test = train_test_split(np.arange(len(y)), test_size=0.4, stratify=y, random_state=0)
    model = IBGNClassifier(random_state=0)
    chain = make_pipeline(FingerDetector(), IBGNClassifier(random_state=0))
    true = model.fit(X[train], y[train]).score(X[test], y[test])
    chain.fit([recordings[d] for d in train], y[train])
    detected = chain.score([recordings[d] for d in test], y[test])
    print(f"accuracy with true intervals {true:.3f}, with detected ones {detected:.3f}")
    assert true > 0.7
    assert detected > true - 0.1  # a test of 115 instances has a standard error of 0.04
