"""How good probabilities are: scores, and what chance does to them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from chance import binomial_bounds
from ibgn.errors import DataError, OptionError
from ibgn.metrics import (
    brier_score,
    calibration_by_chance,
    calibration_error,
    log_loss,
    reliability,
)

CLASSES = np.array(["a", "b", "c"])


def test_scores_equal_those_of_others(rng):
    probabilities = rng.dirichlet(np.ones(3), 50)
    y = rng.choice(CLASSES, 50)
    assert log_loss(y, probabilities, CLASSES) == pytest.approx(sklearn_log_loss(y, probabilities))
    of_each = [brier_score_loss(y == c, probabilities[:, n]) for n, c in enumerate(CLASSES)]
    assert brier_score(y, probabilities, CLASSES) == pytest.approx(sum(of_each))


@given(st.integers(0, 2), st.integers(0, 2))
def test_the_brier_score_is_between_0_and_2(true, predicted):
    score = brier_score(CLASSES[[true]], np.eye(3)[[predicted]], CLASSES)
    assert score == (0 if true == predicted else 2)


def test_a_label_unknown_in_training_has_probability_0():
    y, probabilities = np.array(["new"], object), np.array([[0.25, 0.75]])
    assert log_loss(y, probabilities, CLASSES[:2]) == pytest.approx(-np.log(1e-15))
    with_it = np.array([[0.25, 0.75, 0.0]])
    same = brier_score(np.array(["c"]), with_it, CLASSES)
    assert brier_score(y, probabilities, CLASSES[:2]) == pytest.approx(same)


@pytest.mark.parametrize("labels", [[0, 1], [0.5, 1.5], [True, False], ["a", "b"]])
def test_labels_may_be_anything(labels):
    classes = np.array(labels)
    for y in (classes, classes.astype(object)):
        assert log_loss(y, np.eye(2), classes) == 0
        assert brier_score(y, np.eye(2), classes) == 0


def test_calibration_error_by_hand():
    right = np.array([True, False, True, True])
    assert calibration_error(right, np.array([0.95, 0.95, 0.55, 0.55])) == pytest.approx(0.45)
    assert calibration_error(right, np.ones(4)) == pytest.approx(0.25)


def test_the_mean_over_folds_of_a_perfect_predictor_is_far_from_zero(rng):
    """Twenty predictions do not tell; two thousand do."""
    confidence = rng.uniform(0.3, 1, 2000)
    right = rng.random(2000) < confidence
    folds = [calibration_error(right[n::100], confidence[n::100]) for n in range(100)]
    assert np.mean(folds) > 0.15
    assert calibration_error(right, confidence) < 0.06


def test_chance_is_that_of_simulated_labels(rng):
    """By hand: predictions of one half, so that the error is |heads - n/2| / n."""
    probabilities = np.full((10, 2), 0.5)
    least, median, most = calibration_by_chance(probabilities, 4000, (0.0, 0.5, 1.0), rng)
    assert least == 0
    assert median == pytest.approx(0.1)  # four to six of ten have a probability of .66
    assert 0.3 < most <= 0.5
    sure = calibration_by_chance(np.eye(3))
    assert sure.tolist() == [0, 0]


def test_chance_depends_on_the_seed_alone_and_on_the_confidence_alone(rng):
    probabilities = rng.dirichlet(np.ones(3), 50)
    found = calibration_by_chance(probabilities)
    np.testing.assert_array_equal(found, calibration_by_chance(probabilities))
    np.testing.assert_array_equal(found, calibration_by_chance(probabilities.max(axis=1)))
    assert (found != calibration_by_chance(probabilities, random_state=1)).any()
    with pytest.raises(OptionError, match="n=0 must be a whole number from 1 on"):
        calibration_by_chance(probabilities, n=0)


@pytest.mark.statistical(false_alarm=1e-7)
def test_the_limit_is_exceeded_as_often_as_it_says(rng, false_alarm):
    """Labels drawn from the probabilities: as good as one more simulation, and so 21 of 401 times.

    The control, probabilities squared and so too sure: 97 of 100 times, one half is tested for.
    """
    exceeded = mistaken = 0
    for _ in range(200):
        probabilities = rng.dirichlet(np.ones(3), 150)
        y = (probabilities.cumsum(axis=1) > rng.random((150, 1))).argmax(axis=1)
        for power in (1, 2):
            shown = probabilities**power / (probabilities**power).sum(axis=1, keepdims=True)
            limit = calibration_by_chance(shown, 400, (0.95,), rng)[0]
            error = calibration_error(shown.argmax(axis=1) == y, shown.max(axis=1))
            exceeded += power == 1 and error > limit
            mistaken += power == 2 and error > limit
    assert exceeded <= binomial_bounds(200, 21 / 401, false_alarm)[1]
    assert mistaken > 100


# by how sure


def count_range(probabilities):
    """Plain twin: the central 95% of how many events happen, by listing all outcomes."""
    chances = np.zeros(len(probabilities) + 1)
    for outcome in product([0, 1], repeat=len(probabilities)):
        each = [p if happens else 1 - p for p, happens in zip(probabilities, outcome, strict=True)]
        chances[sum(outcome)] += np.prod(each)
    below = np.cumsum(chances)
    return (below >= 0.025).argmax(), (below >= 0.975).argmax()


def test_reliability_by_hand():
    right = np.array([True, False, True, True, True, False, True])
    confidence = np.array([0.55, 0.51, 0.95, 1.0, 0.99, 0.99, 0.2])
    frame = reliability(right, confidence)
    assert frame[["low", "high"]].to_numpy().tolist() == [[0.2, 0.3], [0.5, 0.6], [0.9, 1.0]]
    assert frame["instances"].tolist() == [1, 2, 4]
    assert frame["confidence"].tolist() == pytest.approx([0.2, 0.53, 0.9825])
    assert frame["accuracy"].tolist() == [1, 0.5, 0.75]
    # of four, all are right with 0.95 * 0.99 * 0.99 = 0.931, and three with most of the rest
    assert frame[["chance_low", "chance_high"]].to_numpy().tolist() == [[0, 1], [0, 1], [0.75, 1]]


@given(st.lists(st.floats(0.8, 0.899), min_size=1, max_size=10))
def test_what_chance_explains_is_found_by_listing_all_outcomes(confidence):
    row = reliability(np.ones(len(confidence), bool), np.array(confidence)).iloc[0]
    low, high = count_range(confidence)
    assert (row["chance_low"], row["chance_high"]) == (
        low / len(confidence),
        high / len(confidence),
    )


def test_long_bins_are_as_exact_as_binomials():
    """Equal confidences make the number of right predictions binomial."""
    for n in (100, 3000):
        row = reliability(np.ones(n, bool), np.full(n, 0.85)).iloc[0]
        low, high = stats.binom.ppf([0.025, 0.975], n, 0.85) / n
        assert (row["chance_low"], row["chance_high"]) == (low, high)


def test_bins_weigh_to_the_calibration_error(rng):
    confidence = rng.random(200)
    right = rng.random(200) < 0.5
    frame = reliability(right, confidence)
    gaps = (frame["confidence"] - frame["accuracy"]).abs()
    error = np.average(gaps, weights=frame["instances"])
    assert error == pytest.approx(calibration_error(right, confidence))


def test_repetitions_do_not_narrow_what_chance_explains(rng):
    confidence, right = rng.uniform(0.5, 1, 60), rng.random(60) < 0.7
    once = reliability(right, confidence)
    thrice = reliability(np.tile(right, 3), np.tile(confidence, 3), repeats=3)
    names = ["low", "high", "confidence", "accuracy", "chance_low", "chance_high"]
    np.testing.assert_allclose(thrice[names], once[names], rtol=1e-12)
    assert thrice["instances"].tolist() == (3 * once["instances"]).tolist()
    narrow = reliability(np.tile(right, 3), np.tile(confidence, 3))  # the control
    widths = [frame["chance_high"] - frame["chance_low"] for frame in (narrow, thrice)]
    assert (widths[0] < widths[1]).all()


@pytest.mark.statistical(false_alarm=1e-7)
def test_a_calibrated_predictor_is_seldom_outside(rng, false_alarm):
    """At most 5 of 100 bins; the control, squared and so not sure enough, far more often."""
    outside = mistaken = bins = 0
    for _ in range(100):
        confidence = rng.uniform(0.5, 1, 500)
        right = rng.random(500) < confidence
        for power in (1, 2):
            frame = reliability(right, confidence**power)
            low, high = frame["chance_low"], frame["chance_high"]
            beyond = int((~frame["accuracy"].between(low, high)).sum())
            outside += beyond if power == 1 else 0
            mistaken += beyond if power == 2 else 0
            bins += len(frame) if power == 1 else 0
    assert outside <= binomial_bounds(bins, 0.05, false_alarm)[1]
    assert mistaken > bins / 2


def test_reliability_refuses_what_is_no_prediction():
    assert reliability(np.zeros(0, bool), np.zeros(0)).empty
    with pytest.raises(DataError, match="there are 2 outcomes and 1 confidences"):
        reliability(np.array([True, False]), np.array([0.5]))
    for bad in (1.1, -0.1, np.nan):
        with pytest.raises(DataError, match="is not between 0 and 1"):
            reliability(np.array([True]), np.array([bad]))
    with pytest.raises(OptionError, match="repeats=0 must be a whole number from 1 on"):
        reliability(np.array([True]), np.array([0.5]), repeats=0)
    rounded = reliability(np.array([True]), np.array([1 + 1e-12]))
    assert rounded["confidence"].tolist() == [1]
