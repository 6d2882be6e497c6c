"""How good probabilities are: scores, and what chance does to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from chance import binomial_bounds
from ibgn.errors import OptionError
from ibgn.metrics import brier_score, calibration_by_chance, calibration_error, log_loss

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
