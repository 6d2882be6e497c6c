"""Little data: few instances per activity, many activities, labels that are missing."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import DataError, IBGNClassifier, IntervalSequences, load
from ibgn.classifiers.ibgn import DEFAULT_TERMS
from ibgn.datasets import make_hand_signs
from ibgn.errors import DataWarning, OptionError
from ibgn.model import learning
from ibgn.model.learning import HeldOut, Lesson
from ibgn.model.unlabelled import LEAST, MOST, choose_sure, find_labelled
from ibgn.model.weights import APART, USUAL, fit_weights, usual_weight
from ibgn.terms import TERMS
from ibgn.terms.base import Context
from ibgn.terms.occupancy import INSTANTS, NEARBY

TERMS_AT_ONCE = ("length", "order", "relations", "occupancy")


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    chosen = np.isin(y, np.unique(y)[:4])
    return X[chosen], y[chosen]


def few(y, number):
    """Rows of the first instances of each activity."""
    rows = [np.flatnonzero(y == label)[:number] for label in np.unique(y)]
    return np.sort(np.concatenate(rows))


# Weights of few instances


def test_the_usual_weight_sets_wrong_activities_as_far_apart_as_ever(rng):
    codes = rng.integers(0, 5, 50)
    scores = 40 * rng.normal(size=(50, 3, 5))
    usual = usual_weight(HeldOut(scores, codes, np.ones(50)))
    right = np.eye(5, dtype=bool)[codes]
    wrong = (usual * scores.sum(axis=1))[~right].reshape(50, 4)
    assert wrong.std(axis=1).mean() == pytest.approx(APART)
    assert usual_weight(HeldOut(scores * 10, codes, np.ones(50))) == pytest.approx(usual / 10)
    true_too = scores + 1000 * right[:, None]  # how likely the right one is does not matter
    assert usual_weight(HeldOut(true_too, codes, np.ones(50))) == pytest.approx(usual)


def test_the_usual_weight_is_never_more_than_the_plain_product(rng):
    tiny = 1e-9 * rng.normal(size=(20, 2, 4))
    codes = np.zeros(20, np.int64)
    assert usual_weight(HeldOut(tiny, codes, np.ones(20))) == 1
    assert usual_weight(HeldOut(0 * tiny, codes, np.ones(20))) == 1
    assert usual_weight(HeldOut(1e9 * tiny[:, :, :2], codes, np.ones(20))) == USUAL


def test_rows_that_do_not_count_leave_the_usual_weight(rng):
    held_out = HeldOut(rng.normal(size=(9, 3, 4)) * 20, np.arange(9) % 4, np.zeros(9))
    weights = fit_weights(held_out, np.zeros(4))
    np.testing.assert_allclose(weights, usual_weight(held_out), rtol=1e-12)
    counting = held_out._replace(weights=np.ones(9))
    assert np.ptp(fit_weights(counting, np.zeros(4))) > 0.001  # the control


def test_instances_without_another_of_their_activity_are_no_lesson(signs):
    X, y = signs
    of_last = np.flatnonzero(y == np.unique(y)[3])
    rows = np.append(np.setdiff1d(few(y, 3), of_last), of_last[:1])
    codes = np.unique(y[rows], return_inverse=True)[1]
    terms = [[TERMS[name]()] * 4 for name in ("length", "order")]
    contexts = [Context(c, X.actions, 0, np.random.default_rng(c)) for c in range(4)]
    folds = [np.arange(f, len(rows), 3) for f in range(3)]
    lesson = Lesson(terms, X[rows], codes, folds)
    held_out = lesson.hold_out(contexts)
    np.testing.assert_array_equal(held_out.weights > 0, codes < 3)
    typical = lesson.typical(held_out)
    assert [known is None for known in typical] == [False, False, False, True]


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_instances_are_enough_to_begin_with(signs, number):
    X, y = signs
    rows = few(y, number)
    others = np.setdiff1d(np.arange(len(y)), rows)
    model = IBGNClassifier(random_state=0).fit(X[rows], y[rows])
    assert np.ptp(model.weights_) == 0 if number == 1 else np.ptp(model.weights_) > 0
    assert 0 < model.weights_.max() < 0.5
    assert model.score(X[others], y[others]) > 0.6  # by chance .25
    own = np.searchsorted(model.classes_, y[others])
    logs = model.predict_log_proba(X[others])[np.arange(len(own)), own]
    assert -logs.mean() < np.log(4)
    sure = IBGNClassifier(weights="equal", random_state=0).fit(X[rows], y[rows])
    assert sure.predict_proba(X[others]).max(axis=1).mean() > 0.999  # whether right or not
    assert model.predict_proba(X[others]).max(axis=1).mean() < 0.99


def test_what_goes_on_may_be_a_little_earlier_or_later():
    np.testing.assert_allclose(NEARBY.sum(axis=0), 1)
    other = [("rest", 0, 100)]
    X = IntervalSequences.from_lists([[("stir", 50, 60), *other], other])
    model = IBGNClassifier(terms=("occupancy",), copy_weight=0.0).fit(X, ["tea", "dough"])
    chances = model.activities_["tea"]["occupancy"].probs[X.actions.index("stir")]
    assert chances.argmax() in (10, 11)
    assert chances[9] > chances[7] > chances[5] > chances[0]
    assert chances.shape == (INSTANTS,)


# Many activities


def test_some_held_out_scores_are_those_among_all(signs):
    X, y = signs
    codes, every = np.unique(y, return_inverse=True)[1], np.arange(len(y))
    contexts = [Context(c, X.actions, 0, np.random.default_rng(c)) for c in range(4)]
    names = (*TERMS_AT_ONCE, "tables") if len(X) < 10 else TERMS_AT_ONCE
    special = [TERMS[name]().specialise([X] * 4) for name in names]
    plain = TERMS["relations"](structure="chain").specialise([X] * 4)
    plain = [plain[0], *(type(plain[0])(structure=[(0, 1)]) for _ in range(3))]
    lesson = Lesson([*special, plain], X, codes, [every[::2], every[1::2]], [X], 0.5)
    rows = np.array([0, 3, 4, len(X) + 1])
    for tally in lesson.tallies:
        some, scores = tally.hold_out(contexts, rows), tally.hold_out(contexts)
        np.testing.assert_allclose(some, scores[rows], rtol=1e-9)


def test_fewer_are_held_out_where_activities_are_many(signs, monkeypatch):
    X, y = signs
    whole = IBGNClassifier(random_state=0).fit(X, y)
    shapes = []
    fit = learning.HeldOut
    monkeypatch.setattr(learning, "MOST_SCORES", 10 * 3 * 4)
    monkeypatch.setattr(
        learning, "HeldOut", lambda *held: shapes.append(held[0].shape) or fit(*held)
    )
    model = IBGNClassifier(random_state=0).fit(X, y)
    assert model.fit_held_out(X, y).shape == (len(X), 4)  # all, if they are asked for
    assert shapes == [(30, len(DEFAULT_TERMS), 4), (3 * len(X), len(DEFAULT_TERMS), 4)]
    np.testing.assert_array_equal(model.weights_, whole.weights_)
    order = np.random.default_rng(0).permutation(len(X))
    some, same = (
        IBGNClassifier(terms=TERMS_AT_ONCE, copy_weight=0.0).fit(*data)
        for data in ((X, y), (X[order], y[order]))
    )
    np.testing.assert_allclose(some.weights_, same.weights_, rtol=1e-3)


# Missing labels


def test_missing_labels_are_refused_with_what_to_do(signs):
    X, y = signs
    message = (
        "label 2 is missing, 3 of 8 in all; name the activities, leave these instances out with "
        "unlabelled='ignore', or learn from them too with unlabelled='self-training'"
    )
    labels = ["a", "b", None, "a", np.nan, "b", pd.NA, "a"]
    with pytest.raises(DataError, match=re.escape(message)):
        IBGNClassifier().fit(X[:8], labels)
    with pytest.raises(DataError, match="no instances to learn from"):
        IBGNClassifier(unlabelled="self-training").fit(X[:2], [None, None])
    with pytest.raises(DataError, match=r"one label per instance, got shape \(8,\) for 9"):
        IBGNClassifier(unlabelled="self-training").fit(X[:9], labels)
    with pytest.raises(OptionError, match="choose among 'refuse', 'ignore', 'self-training'"):
        IBGNClassifier(unlabelled="guess").fit(X, y)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
def test_instances_without_a_label_can_be_left_out(signs, missing):
    X, y = signs
    known = np.arange(len(y)) % 3 > 0
    labels = [label if there else missing for label, there in zip(y, known, strict=True)]
    with pytest.warns(DataWarning, match=f"{(~known).sum()} instances without a label left out"):
        model = IBGNClassifier(unlabelled="ignore", random_state=0).fit(X, labels)
    same = IBGNClassifier(random_state=0).fit(X[known], y[known])
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))


def test_numbers_are_labels_even_if_one_is_not_given(signs):
    X, y = signs
    codes = np.unique(y, return_inverse=True)[1] - 1.0  # -1 is a label like any other
    labels = np.where(np.arange(len(y)) % 4 == 0, np.nan, codes)
    model = IBGNClassifier(unlabelled="self-training", random_state=0).fit(X, labels)
    assert model.classes_.tolist() == [-1, 0, 1, 2]


def test_self_training_learns_from_instances_without_a_label(signs, tmp_path):
    X, y = signs
    rows = few(y, 2)
    labels = np.full(len(y), None)
    labels[rows] = y[rows]
    alone = IBGNClassifier(random_state=0).fit(X[rows], y[rows])
    model = IBGNClassifier(unlabelled="self-training", random_state=0).fit(X, labels)
    used = {label: len(activity.lengths) for label, activity in model.activities_.items()}
    assert all(2 <= number <= 2 * (1 + MOST) for number in used.values())
    assert sum(used.values()) > len(rows)
    ratio = model.weights_[alone.weights_ > 0] / alone.weights_[alone.weights_ > 0]
    assert np.ptp(ratio) == pytest.approx(0, abs=1e-9)
    assert ratio.max() <= 1
    np.testing.assert_array_equal(model.class_log_prior_, alone.class_log_prior_)
    others = np.setdiff1d(np.arange(len(y)), rows)
    assert model.score(X[others], y[others]) > 0.6
    model.save(tmp_path / "model.ibgn")
    np.testing.assert_array_equal(
        load(tmp_path / "model.ibgn").predict_proba(X), model.predict_proba(X)
    )


def test_self_training_without_a_missing_label_is_learning(signs):
    X, y = signs
    model = IBGNClassifier(unlabelled="self-training", random_state=0).fit(X, y)
    same = IBGNClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))


@given(st.integers(0, 30), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_what_is_sure_is_chosen_activity_by_activity(n, activities, seed):
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.full(activities, 0.3), n).reshape(n, activities)
    labelled = rng.integers(0, 3, activities)
    chosen = choose_sure(probabilities, labelled)
    likeliest, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    for c in range(activities):
        able = sorted(sure[(likeliest == c) & (sure >= LEAST)].tolist(), reverse=True)
        assert (
            sorted(sure[chosen & (likeliest == c)].tolist(), reverse=True)
            == (able[: MOST * labelled[c]])
        )
    assert (sure[chosen] >= LEAST).all()


def test_which_labels_are_there():
    labels = [1, 2.0, None, "tea", float("nan"), pd.NaT]
    assert find_labelled(labels, "self-training").tolist() == [
        True,
        True,
        False,
        True,
        False,
        False,
    ]
    assert find_labelled([], "refuse").tolist() == []
