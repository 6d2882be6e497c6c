"""Terms of length, durations, timing, order and occupancy against plain loops; their weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

import naive_terms
from ibgn import IBGNClassifier, IntervalSequences, load
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.model.learning import HeldOut, Lesson, copy_with_errors
from ibgn.model.weights import RIDGE, fit_weights, usual_weight
from ibgn.terms import TERMS, Context, LogTerms
from ibgn.terms.moments import Moments, Numbers, fit_student_t
from ibgn.terms.stacked import Cells

OF_TIME = (
    *("length", "durations", "totals", "starts", "gaps"),
    *("occurrences", "order", "occupancy", "switches"),
)
ALL = ("actions", "relations", *OF_TIME)
QUICK = {"terms": ALL, "weights": "learned", "random_state": 0}


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    return X, y


def learn(name, own, everything):
    term = TERMS[name]()
    context = Context("it", everything.actions, 0, np.random.default_rng(0))
    return term.fit(term.count(own), term.count(everything), context)


@pytest.mark.parametrize("name", OF_TIME)
def test_a_term_is_what_its_plain_twin_says(name, signs):
    X, y = signs
    learned = learn(name, X[y == "air"], X)
    expected = [
        getattr(naive_terms, name)(learned, list(zip(one.action, one.start, one.end, strict=True)))
        for one in X[::7]
    ]
    np.testing.assert_allclose(learned.log_likelihood(X[::7]), expected, rtol=1e-9)
    in_parts = learned.log_terms(X[::7]).by_instance(X[::7])
    np.testing.assert_allclose(in_parts, expected, rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_steps_that_never_occur_have_the_probabilities_of_a_whole_table(seed, actions):
    rng = np.random.default_rng(seed)
    counts = naive_terms.random_steps(rng, actions)
    learned = TERMS["order"]().fit(*counts, Context("it", tuple("abcdefg"[:actions]), 0, rng))
    before, action = np.indices((actions + 1, actions))
    expected = naive_terms.all_steps(*counts, actions)
    np.testing.assert_allclose(learned.log_prob(before, action), expected, rtol=1e-12, atol=1e-12)
    assert learned.agrees()
    assert len(learned.keys) == (counts[1].counts > 0).sum()


def test_a_vocabulary_of_millions_takes_no_room_of_its_own():
    """Room for what occurs: two steps of a million million."""
    names = [f"action {a:06}" for a in range(1_000_000)]
    flat = IntervalSequences.from_lists([[(names[7], 0, 1), (names[99_999], 2, 3)]] * 3).flat
    flat = flat._replace(action=np.array([7, 99_999] * 3, np.int32))
    X = IntervalSequences.from_flat(flat, names)
    order = TERMS["order"]()
    assert order.count(X).keys.tolist() == [7 * 1_000_000 + 99_999, 1_000_000**2 + 7]


def moments_of(group, value, groups):
    """Moments of numbers that are all of one instance."""
    once = np.zeros(len(value), int)
    counted = Numbers(once, np.asarray(group), value, groups).by_cell(Cells(once, 1, once + 1.0))
    return counted.map(lambda array: array[0])


def test_moments_are_those_of_each_group(rng):
    group, value = rng.integers(0, 4, 50), rng.normal(size=50)
    counts = moments_of(group, value, 5)
    expected = [naive_terms.moments(value[group == g].tolist()) for g in range(5)]
    np.testing.assert_allclose(np.column_stack([*vars(counts).values()]), expected, rtol=1e-12)


def test_predictions_are_student_t(rng):
    own = moments_of(np.zeros(9, int), rng.normal(size=9), 1)
    prediction = fit_student_t(own, own)
    value = rng.normal(size=20)
    density = student.logpdf(value, prediction.freedom, prediction.location, prediction.scale)
    np.testing.assert_allclose(prediction.log_density(np.zeros(20, int), value), density)


def test_what_is_seldom_seen_takes_after_all_activities():
    nothing = Moments(*np.zeros((3, 1)))
    many = moments_of(np.zeros(1000, int), np.linspace(4, 6, 1000), 1)
    few, much = fit_student_t(nothing, many), fit_student_t(many, many + many)
    assert few.location[0] == pytest.approx(5, abs=0.01)
    assert few.freedom[0] < 4 < 1000 < much.freedom[0]


# Weights


def test_weights_are_those_of_the_lowest_loss(rng):
    """No step in any direction that stays feasible lowers the loss; a useless term gets little."""
    n = 300
    codes = rng.integers(0, 3, n)
    useful = rng.normal(size=(n, 3)) + 3 * np.eye(3)[codes]
    scores = np.stack([useful, 10 * rng.normal(size=(n, 3))], axis=1)
    held_out = HeldOut(scores, codes, np.ones(n))
    prior = np.log(np.full(3, 1 / 3))
    weights = fit_weights(held_out, prior, ridge=RIDGE)
    assert weights[0] > 1 > 0.05 > weights[1] >= 0

    def loss(at):
        joint = np.einsum("ntc,t->nc", scores, at)
        true = joint[np.arange(n), codes]
        ridge = RIDGE * ((at / usual_weight(held_out) - 1) ** 2).sum() / 2
        return (np.log(np.exp(joint).sum(axis=1)) - true).sum() + ridge

    for step in (0.01, -0.01):
        for t in range(2):
            other = np.maximum(weights + step * (np.arange(2) == t), 0)
            assert loss(other) >= loss(weights) - 1e-6


def test_a_row_that_counts_twice_is_two_rows(rng):
    scores, codes = rng.normal(size=(40, 2, 3)), rng.integers(0, 3, 40)
    prior = np.zeros(3)
    double = HeldOut(scores, codes, np.full(40, 2.0))
    twice = HeldOut(np.tile(scores, (2, 1, 1)), np.tile(codes, 2), np.ones(80))
    np.testing.assert_allclose(fit_weights(double, prior), fit_weights(twice, prior), atol=1e-4)


def test_held_out_scores_are_those_of_a_model_without_the_fold(signs):
    """Total minus fold is as if the fold had never been there."""
    X, y = signs
    X, y = X[np.isin(y, ["air", "bank", "bus"])], y[np.isin(y, ["air", "bank", "bus"])]
    codes = np.unique(y, return_inverse=True)[1]
    folds = [np.arange(f, len(X), 4) for f in range(4)]
    terms = [[TERMS[name]()] * 3 for name in ALL]
    contexts = [Context(c, X.actions, 0, np.random.default_rng(0)) for c in range(3)]
    lesson = Lesson(terms, X, codes, folds)
    scores = lesson.hold_out(contexts).scores
    rest = np.setdiff1d(np.arange(len(X)), folds[1])
    model = IBGNClassifier(terms=ALL, weights="equal", copy_weight=0).fit(X[rest], y[rest])
    assert model.actions_ == tuple(sorted({X.actions[a] for a in X.action}))
    np.testing.assert_allclose(model.scores(X[folds[1]]), scores[folds[1]], rtol=1e-7)
    whole = IBGNClassifier(terms=ALL, weights="equal", copy_weight=0).fit(
        X, y
    )  # the control: it saw the fold
    assert abs(whole.scores(X[folds[1]]) - scores[folds[1]]).max() > 0.1


def test_copies_have_errors_and_the_same_instances(signs, rng):
    X, _ = signs
    copies = copy_with_errors(X, rng)
    assert len(copies) == 2
    for copy in copies:
        assert copy.actions == X.actions
        assert copy.ids.tolist() == X.ids.tolist()
        assert copy.start.tolist() != X.start.tolist()


@pytest.mark.parametrize("copy_weight", [0.0, 0.15])
def test_learned_weights_recognise_and_are_kept(signs, tmp_path, copy_weight):
    X, y = signs
    model = IBGNClassifier(**QUICK, copy_weight=copy_weight).fit(X[::2], y[::2])
    assert model.weights_.shape == (len(ALL),)
    assert (model.weights_ >= 0).all()
    assert model.score(X[1::2], y[1::2]) > 0.7
    joint = np.einsum("ntc,t->nc", model.scores(X), model.weights_) + model.class_log_prior_
    np.testing.assert_allclose(joint, model._joint_log_likelihood(X), rtol=1e-12)
    why = model.explain(X[0])
    first, second = np.sort(joint[0])[::-1][:2]
    assert why.log_odds == pytest.approx(first - second, abs=1e-9)
    assert why.frame()["contribution"].sum() == pytest.approx(why.log_odds, abs=1e-9)
    model.save(tmp_path / "model.ibgn")
    again = load(tmp_path / "model.ibgn")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    same = IBGNClassifier(**QUICK, copy_weight=copy_weight, n_jobs=2).fit(X[::2], y[::2])
    np.testing.assert_array_equal(same.weights_, model.weights_)


def test_weights_can_be_given(signs):
    X, y = signs
    model = IBGNClassifier(terms=("actions", "order"), weights={"actions": 0.0, "order": 2.0})
    model.fit(X, y)
    expected = 2 * model.scores(X)[:, 1] + model.class_log_prior_
    np.testing.assert_allclose(model._joint_log_likelihood(X), expected, rtol=1e-12)


def test_weights_are_cautious_where_there_is_too_little_to_learn_from():
    """With two instances, the plain product of ten terms would be sure of anything."""
    X = [[("hold", 0, 2), ("stir", 1, 3)], [("stir", 0, 2), ("pour", 2, 3)]]
    model = IBGNClassifier(random_state=0).fit(X, ["dough", "tea"])
    assert set(model.weights_.tolist()) == {0.1}
    sure = IBGNClassifier(weights="equal", random_state=0).fit(X, ["dough", "tea"])
    assert model.predict_proba(X).max() < 0.999 < 0.99999 < sure.predict_proba(X).max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "best"}, "weights='best' is not a choice; choose among 'equal', 'learned'"),
        (
            {"terms": ("tables", "relations"), "weights": {"tables": 1.0}},
            "must have a weight for 'relations'",
        ),
        (
            {"terms": ("tables", "relations"), "weights": {"tables": 1.0, "relations": -1}},
            "must be 0 or more",
        ),
        ({"copy_weight": 2}, "copy_weight=2 must be from 0 to 1"),
    ],
)
def test_weights_that_are_none(options, message):
    with pytest.raises(OptionError, match=message):
        IBGNClassifier(**options).fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"])


def test_scaled_terms_are_scaled_at_every_level():
    spoken = LogTerms(instance=np.ones(2), pair=np.arange(3.0))
    scaled = spoken.scaled(0.5)
    assert scaled.instance.tolist() == [0.5, 0.5]
    assert scaled.pair.tolist() == [0, 0.5, 1]
    assert scaled.interval is None


def test_weights_keep_closer_to_the_usual_one_where_instances_are_few(rng):
    codes = rng.integers(0, 3, 200)
    scores = rng.normal(size=(200, 2, 3)) + 2 * np.eye(3)[codes][:, None]
    scores[:, 1] *= 5
    prior = np.zeros(3)
    apart = []
    for n in (12, 200):
        part = HeldOut(scores[:n], codes[:n], np.ones(n))
        free = fit_weights(part, prior, ridge=1e-6)
        apart.append(np.abs(fit_weights(part, prior) - free).max() / np.abs(free).max())
    assert apart[0] > 2 * apart[1]
