"""Errors of detectors: as often as said, as far as said, the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from ibgn import DataError, IntervalSequences
from ibgn.metrics import measure_confusion
from ibgn.noise import ConfusionNoise, DurationNoise, Misdetection
from strategies import sequences

MANY = [[(name, 10 * n, 10 * n + 5) for n, name in enumerate("abcde")] for _ in range(2000)]
TOTAL = 10_000
CONFUSED = measure_confusion(
    [[("a", 0, 4), ("a", 10, 14), ("b", 20, 24), ("c", 30, 34)]],
    [[("a", 0, 4), ("b", 10, 14), ("b", 20, 24), ("a", 50, 54)]],
)
NOISES = [
    Misdetection(0.3, random_state=0),
    DurationNoise(0.3, random_state=0),
    ConfusionNoise(CONFUSED, random_state=0),
]


@pytest.mark.parametrize("noise", NOISES)
def test_the_same_seed_gives_the_same_errors(noise):
    first, again = (clone(noise).fit_transform(MANY) for _ in range(2))
    assert first == again
    other = clone(noise).set_params(random_state=1).fit_transform(MANY)
    assert first != other


@pytest.mark.parametrize("noise", NOISES)
@given(sequences())
def test_instances_stay_what_they_are(noise, X):
    found = noise.fit(X).transform(X)
    assert len(found) == len(X)
    assert (found.end > found.start).all()
    checked = IntervalSequences.from_lists(found.to_lists())  # refuses what is not in order
    assert [sorted(rows) for rows in checked.to_lists()] == [
        sorted(rows) for rows in found.to_lists()
    ]
    named = IntervalSequences.from_lists(X.to_lists(), ids=[f"x{d}" for d in range(len(X))])
    kept = noise.fit(named).transform(named)
    assert (kept.ids == named.ids).all()


@pytest.mark.parametrize("lost", [0.0, 0.5, 1.0])
def test_misdetections_are_as_frequent_as_said(lost):
    found = Misdetection(0.2, lost=lost, random_state=1).fit_transform(MANY)
    error = 4 * np.sqrt(TOTAL * 0.25)
    assert abs(TOTAL - found.lengths.sum() - 0.2 * lost * TOTAL) < error
    actions = np.array([a for rows in found.to_lists() for a, _, _ in rows])
    truth = np.array(["abcde"[int(s) // 10] for rows in found.to_lists() for _, s, _ in rows])
    assert abs((actions != truth).sum() - 0.2 * (1 - lost) * TOTAL) < error
    if lost < 1:
        wrong = actions[(actions != truth) & (truth == "a")]
        shares = [np.mean(wrong == other) for other in "bcde"]
        assert abs(np.array(shares) - 0.25).max() < 4 * np.sqrt(0.25 / len(wrong))


def test_no_errors_at_rate_zero_and_none_left_at_one():
    X = IntervalSequences.from_lists(MANY[:5])
    assert Misdetection(0.0).fit_transform(X) == X
    assert DurationNoise(0.0).fit_transform(X) == X
    assert Misdetection(1.0, lost=1.0).fit_transform(X).lengths.sum() == 0
    assert Misdetection(1.0, lost=0.0).fit_transform([[("a", 0, 1)]]).lengths.sum() == 0


def test_a_mistake_is_an_action_of_the_training_data():
    noise = Misdetection(1.0, lost=0.0, random_state=2).fit([[("a", 0, 1), ("b", 1, 2)]])
    found = noise.transform([[("a", 0, 1), ("new", 1, 2)]] * 200)
    actions = np.array([a for rows in found.to_lists() for a, _, _ in rows])
    assert set(actions[::2]) == {"b"}
    assert set(actions[1::2]) == {"a", "b"}
    with pytest.raises(NotFittedError):
        Misdetection().transform([[]])


@pytest.mark.parametrize("rate", [0.1, 0.4, 0.9, 3.0])
def test_end_points_move_as_far_as_said(rate):
    found = DurationNoise(rate, random_state=3).fit_transform([[("a", 0, 10)]] * 4000)
    assert (found.end > found.start).all()
    if rate < 0.5:
        assert np.abs(found.start).max() <= 10 * rate
        assert np.abs(found.end - 10).max() <= 10 * rate
        assert np.abs(found.start).max() > 9.9 * rate
        assert abs(found.start.mean()) < 4 * 10 * rate / np.sqrt(3 * 4000)
    else:
        assert found.start.min() >= -10 * rate
        assert found.end.max() <= 10 + 10 * rate


def test_confusions_are_drawn_as_they_were_measured():
    noise = ConfusionNoise(CONFUSED, insertions=False, random_state=4)
    rows = [("a", 0, 1), ("b", 2, 3), ("c", 4, 5), ("d", 6, 7)]
    found = noise.fit_transform([rows] * 4000).to_lists()
    as_a, as_b = (sum(row[0][0] == name for row in found) for name in "ab")
    assert as_a + as_b == 4000
    assert abs(as_a - 2000) < 4 * np.sqrt(1000)
    assert all([a for a, _, _ in row[1:]] == ["b", "d"] for row in found)  # c is never detected


def test_insertions_are_as_frequent_as_measured():
    found = ConfusionNoise(CONFUSED, random_state=5).fit_transform([[("b", 0, 2)]] * 4000)
    more = found.lengths.sum() - 4000
    assert abs(more - 4000) < 4 * np.sqrt(4000)  # one an instance, all of them "a"
    assert {a for row in found.to_lists() for a, _, _ in row} == {"a", "b"}
    quiet = ConfusionNoise(CONFUSED, insertions=False, random_state=5)
    assert quiet.fit_transform([[("b", 0, 2)]] * 10).lengths.sum() == 10


def test_what_noise_measured_by_the_metric_comes_back():
    truth = IntervalSequences.from_lists(MANY)
    found = Misdetection(0.3, random_state=6).fit_transform(truth)
    again = ConfusionNoise(measure_confusion(truth, found), random_state=7).fit_transform(truth)
    once, twice = (measure_confusion(truth, X).counts / 2000 for X in (found, again))
    np.testing.assert_allclose(once, twice, atol=0.06)
    assert abs(once - np.eye(5, 6)).max() > 0.1  # control: there are errors to come back


def test_a_detector_that_was_never_measured_changes_nothing():
    X = IntervalSequences.from_lists([[("a", 0, 1)]])
    assert ConfusionNoise(measure_confusion([[]], [[]])).fit_transform(X) == X


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        (Misdetection(1.1), "rate=1.1 must be from 0 to 1"),
        (Misdetection(lost=-1), "lost=-1 must be from 0 to 1"),
        (DurationNoise(-0.1), "from 0 to 1000"),
        (DurationNoise(1e300), "from 0 to 1000"),  # beyond what numbers hold
        (
            ConfusionNoise("no"),
            "confusion='no' must be what ibgn.metrics.measure_confusion returns",
        ),
    ],
)
def test_bad_options(noise, message):
    with pytest.raises(DataError, match=message):
        noise.fit([[("a", 0, 1)]])


@given(st.integers(0, 2**32 - 1))
def test_noises_can_be_chained(seed):
    chain = make_pipeline(
        Misdetection(0.2, random_state=seed), DurationNoise(0.2, random_state=seed)
    )
    assert len(chain.fit_transform(MANY[:20])) == 20
