"""Styles of activities: found by EM on held-out scores, scored as a mixture, kept in files."""

from itertools import pairwise, product
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from chance import fit_of_counts
from ibgn import DataError, IBGNClassifier, IntervalSequences, plot_styles
from ibgn.datasets import make_hand_signs, make_styles
from ibgn.errors import OptionError
from ibgn.model import style_search
from ibgn.model.generation import sample_instances
from ibgn.model.learning import HeldOut, Lesson
from ibgn.model.style_search import StyleSearch, find_styles
from ibgn.model.styles import STYLES, log_posterior, pool_styles
from ibgn.model.weights import RIDGE, USUAL, fit_weights, usual_weight
from ibgn.recoding import recode
from ibgn.report.sections.model import SECTION
from ibgn.terms import Context, Durations, Length, Occupancy, Order, Relations
from model_files import again, closed, opened, refused, same, state

QUICK = (Length(), Order(), Durations(), Occupancy(), Relations())
TWO = ("one way", "two orders")


@pytest.fixture(scope="module")
def data():
    return make_styles(random_state=0)


@pytest.fixture(scope="module")
def model(data):
    X, y, _ = data
    return IBGNClassifier(styles="learned", random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def small(data):
    """A model of two activities: one with one style, one with two."""
    X, y, _ = data
    chosen = np.isin(y, TWO)
    return IBGNClassifier(terms=QUICK, styles=2, random_state=0).fit(X[chosen], y[chosen])


def of_activity(data, name):
    X, y, styles = data
    return X[y == name], styles[y == name]


# --- the search ---------------------------------------------------------------------------------


def held_out_plainly(search, style, number):
    """Score each instance by styles that are counted and fitted without its fold, one by one."""
    X, joint = search.X, np.zeros((len(search.X), number))
    for fold in search.folds:
        others = np.setdiff1d(np.arange(len(X)), fold)
        for term in search.terms:
            counts = [term.count(X[others[style[others] == s]]) for s in range(number)]
            pooled = counts[0]
            for more in counts[1:]:
                pooled = pooled + more
            for s in range(number):
                context = Context(s, X.actions, 0, np.random.default_rng(0))
                fitted = term.fit(counts[s], pooled if term.pools else None, context)
                joint[fold, s] += USUAL * fitted.log_likelihood(X[fold])
    return joint + np.log((np.bincount(style, minlength=number) + 1) / (len(X) + number))


def test_instances_are_scored_by_styles_learned_from_others(data, rng):
    X, _ = of_activity(data, "two orders")
    search = StyleSearch(QUICK, X[:14], rng)
    style = rng.permutation(np.arange(14) % 2)
    joint = search.score(style, 2).joint
    np.testing.assert_allclose(joint, held_out_plainly(search, style, 2), rtol=1e-9)
    swapped = search.score(1 - style, 2).joint  # a control: it matters which instances have which
    np.testing.assert_allclose(joint, swapped[:, ::-1], rtol=1e-9)
    other = np.roll(style, 1)
    assert not np.allclose(joint, search.score(other, 2).joint, rtol=1e-3)


@pytest.mark.parametrize("name", ["one way", "two relations", "two paces", "three ways"])
def test_each_step_of_em_raises_the_evidence(data, name):
    X, _ = of_activity(data, name)
    rng = np.random.default_rng(0)  # there is no rate of starts from which EM makes no step
    search = StyleSearch(QUICK, X, rng)
    lengths = []
    for number in (2, 3):
        anyhow = [rng.permutation(np.arange(len(X)) % number) for _ in range(4)]
        for start in (*search.starts(number), *anyhow):
            steps = list(search.climb(start, number))
            heights = [division.evidence.sum() for division in steps]
            assert (np.diff(heights) > 0).all()
            for before, after in pairwise(steps):
                np.testing.assert_array_equal(after.style, before.joint.argmax(axis=1))
            lengths.append(len(steps))
    assert max(lengths) > 1  # a control: some starts are not where they end


def test_the_best_of_all_divisions_is_found(monkeypatch):
    monkeypatch.setattr(style_search, "LEAST", 3)
    X, y, true = make_styles(instances_per_activity=9, random_state=3)
    X, true = X[y == "two orders"], true[y == "two orders"]
    search = StyleSearch([Order(), Occupancy()], X, np.random.default_rng(0))
    divisions = [np.array((0, *rest)) for rest in product((0, 1), repeat=len(X) - 1)]
    heights = [
        search.score(style, 2).evidence.sum() if 3 <= style.sum() <= 6 else -np.inf
        for style in divisions
    ]
    found = search.divide(2)
    np.testing.assert_allclose(found.evidence.sum(), max(heights), rtol=1e-12)
    assert adjusted_rand_score(divisions[int(np.argmax(heights))], found.style) == 1
    assert adjusted_rand_score(true, found.style) == 1
    assert np.median(heights) < max(heights) - 1  # a control: others are worse


def test_neither_order_nor_jobs_change_styles(data, rng):
    X, y, _ = data
    order = rng.permutation(len(X))
    chosen = np.flatnonzero(np.isin(y, ["two orders", "two relations"]))
    options = {"terms": QUICK, "styles": 2, "random_state": 7}
    plain = IBGNClassifier(**options).fit(X[chosen], y[chosen])
    jobs = IBGNClassifier(**options, n_jobs=2).fit(X[chosen], y[chosen])
    same(state(plain)["activities_"], state(jobs)["activities_"])
    np.testing.assert_array_equal(plain.styles_, jobs.styles_)
    mixed = order[np.isin(order, chosen)]
    name = "two relations"
    first = find_styles(QUICK, X[y == name], 2, np.random.default_rng(1))
    of_mixed = mixed[y[mixed] == name]
    second = find_styles(QUICK, X[of_mixed], 2, np.random.default_rng(1))
    rank = np.searchsorted(np.flatnonzero(y == name), of_mixed)
    assert adjusted_rand_score(first[rank], second) == 1


def test_styles_are_numbered_by_how_frequent_they_are():
    X, y, true = make_styles(random_state=4)
    X, true = X[y == "two orders"], true[y == "two orders"]
    few = np.flatnonzero(true == 0)[:6]
    kept = np.concatenate([few, np.flatnonzero(true == 1)])
    found = find_styles(QUICK, X[kept], 2, np.random.default_rng(0))
    np.testing.assert_array_equal(found, 1 - true[kept])


def test_too_few_instances_have_fewer_styles(data):
    X, _ = of_activity(data, "two orders")
    rng = np.random.default_rng(0)
    assert not find_styles(QUICK, X[:9], 2, rng).any()
    assert not find_styles(QUICK, X[:1], "learned", rng).any()
    assert find_styles(QUICK, X[:10], 9, rng).max() == 1
    empty = IntervalSequences.from_lists([[] for _ in range(12)])
    assert find_styles(QUICK, empty, 2, rng).max() <= 1


def test_known_styles_are_found_and_no_others(data, model):
    tests, y_tests, true = make_styles(random_state=100)
    found = {name: len(activity.members) for name, activity in model.activities_.items()}
    expected = {"one way": 1, "two orders": 2, "two paces": 2, "three ways": 3}
    assert {name: found[name] for name in expected} == expected
    for name in ("two orders", "two paces", "three ways"):
        chosen = y_tests == name
        styles = model.predict_styles(tests[chosen], name).argmax(axis=1)
        assert adjusted_rand_score(true[chosen], styles) > 0.85
        _, y, trained = data
        inside = model.styles_[y == name].argmax(axis=1)
        assert adjusted_rand_score(trained[y == name], inside) > 0.85
        shuffled = np.random.default_rng(0).permutation(true[chosen])
        assert adjusted_rand_score(shuffled, styles) < 0.3  # a control


@pytest.mark.slow
def test_drawn_instances_of_one_style_have_one_style(data):
    """Controls: activities from whose models of one style the instances were drawn."""
    X, y, styles = data
    apart = np.array([f"{name} {style}" for name, style in zip(y, styles, strict=True)])
    plain = IBGNClassifier(random_state=0).fit(X, apart)
    drawn = [plain.sample(30, name, random_state=0) for name in plain.classes_]
    labels = np.repeat(plain.classes_, 30)
    learned = IBGNClassifier(styles="learned", random_state=0)
    learned.fit(IntervalSequences.concatenate(drawn), labels)
    assert learned.describe_styles()["style"].max() == 1


# --- the mixture --------------------------------------------------------------------------------


def test_terms_and_the_choice_add_up_to_the_mixture(rng):
    scores = 10 * rng.normal(size=(20, 4, 3))
    weights, shares = rng.uniform(0, 2, 4), rng.dirichlet(np.ones(3))
    pooled = pool_styles(scores, shares, weights)
    assert pooled.shape == (20, 5)
    expected = logsumexp(weights @ scores + np.log(shares), axis=1)
    np.testing.assert_allclose(pooled @ np.append(weights, 1), expected, rtol=1e-10)
    assert (pooled[:, -1] <= 1e-12).all()
    posterior = np.exp(log_posterior(scores, shares, weights))
    np.testing.assert_allclose(posterior.sum(axis=1), 1)


def test_the_score_of_an_activity_is_the_sum_over_its_styles(data, small):
    X, _ = of_activity(data, "two relations")
    coded = small._coded(X)
    joint = small._joint_log_likelihood(X)
    assert small.terms_ == (*(term.name for term in QUICK), STYLES)
    assert small.scores(X).shape == (30, 6, 2)
    for c, activity in enumerate(small.activities_.values()):
        of_styles = [
            np.log(style.share) + style.log_likelihood(coded) @ small.weights_
            for style in activity.members
        ]
        expected = logsumexp(of_styles, axis=0) + small.class_log_prior_[c]
        np.testing.assert_allclose(joint[:, c], expected, rtol=1e-10)
        np.testing.assert_allclose(
            np.exp(activity.log_posterior(coded)).T,
            np.exp(of_styles - logsumexp(of_styles, axis=0)),
        )


def test_styles_are_learned_from_their_instances_alone(data, small):
    X, y, _ = data
    chosen = np.isin(y, TWO)
    X, y = X[chosen], y[chosen]
    activity = small.activities_["two orders"]
    style = small.predict_styles(X[y == "two orders"], "two orders").argmax(axis=1)
    assert [len(member.lengths) for member in activity.styles] == np.bincount(style).tolist()
    for number, member in enumerate(activity.styles):
        first = {rows[0][0] for rows in X[y == "two orders"][style == number].to_lists()}
        assert len(first) == 1
        assert member["order"].describe().iloc[0]["probability"] > 0
        assert member.name == f"two orders, style {number + 1}"
    assert activity["order"] is not activity.styles[0]["order"]


def test_each_style_has_its_own_structure():
    X, y, _ = make_hand_signs(instances_per_style=8, random_state=0)
    names, often = np.unique(y, return_counts=True)
    words = np.isin(y, names[often == 16][:2])
    options = {"terms": ("length", "order", "relations"), "penalty": 0.1, "random_state": 0}
    model = IBGNClassifier("learned", styles=2, **options).fit(X[words], y[words])
    for activity in model.activities_.values():
        assert len(activity.styles) == 2
        first, second = (style["relations"].link_scores.score for style in activity.styles)
        assert first.any()
        assert not np.array_equal(first, second)


def test_other_styles_of_an_activity_count_like_copies(data):
    X, codes = data[0][:60], np.repeat([0, 1, 2], 20)
    folds = [np.arange(len(X)) % 2 == f for f in range(2)]
    contexts = [Context(c, X.actions, 0, np.random.default_rng(0)) for c in range(3)]
    terms = [[Order()] * 3]
    lesson = Lesson(terms, X, codes, folds, copy_weight=0.25, owner=np.array([0, 0, 1]))
    first, _, third = lesson.learn(contexts)
    counts = [Order().count(X[codes == c]) for c in range(3)]
    total = [counts[0] + counts[1] * 0.25, counts[1] + counts[0] * 0.25, counts[2]]
    pooled = total[0] + total[1] + total[2]
    for c, learned in ((0, first), (2, third)):
        expected = Order().fit(total[c], pooled, contexts[c])
        np.testing.assert_allclose(learned.log_probs, expected.log_probs, rtol=1e-12)
    alone = Order().fit(counts[0], pooled, contexts[0])
    assert not np.allclose(first.log_probs, alone.log_probs, rtol=1e-3)  # a control
    held_out = lesson.hold_out(contexts)
    assert held_out.scores.shape == (60, 1, 3)
    np.testing.assert_array_equal(held_out.codes, codes)
    assert [of_style.shape for of_style in lesson.typical(held_out)] == [(1,)] * 3


def test_weights_are_those_of_the_mixture(rng):
    activity = np.array([0, 0, 1, 2, 2, 2])
    scores, codes = 3 * rng.normal(size=(60, 3, 6)), rng.integers(0, 6, 60)
    scores[np.arange(60), :, codes] += 2
    counting, prior = rng.uniform(0.5, 1, 60), np.log(rng.dirichlet(np.ones(6)))
    found = fit_weights(HeldOut(scores, codes, counting), prior, activity, ridge=RIDGE)
    usual = usual_weight(HeldOut(scores, codes, counting), activity)

    def loss(weights):
        joint = weights @ scores + prior
        own = np.where(activity[codes][:, None] == activity, joint, -np.inf)
        lost = logsumexp(joint, axis=1) - logsumexp(own, axis=1)
        return counting @ lost + RIDGE * ((weights / usual - 1) ** 2).sum() / 2

    slope = approx_fprime(found, loss, 1e-6)
    assert (np.abs(slope[found > 0]) < 1e-2).all()
    assert (slope[found == 0] > -1e-2).all()
    alone = fit_weights(HeldOut(scores, codes, counting), prior)
    assert np.abs(approx_fprime(alone, loss, 1e-6)).max() > 0.1  # a control: styles as activities
    each = fit_weights(HeldOut(scores, codes, counting), prior, np.arange(6))
    np.testing.assert_allclose(each, alone, rtol=1e-4)


def test_one_style_is_the_model_without_styles(data):
    X, y, _ = data
    chosen = np.isin(y, ["one way", "together or apart"])
    X, y = X[chosen], y[chosen]
    plain, one, learned = (
        IBGNClassifier(random_state=0, **options).fit(X, y)
        for options in ({}, {"styles": 1}, {"styles": "learned"})
    )
    for other in (one, learned):
        same(plain.activities_, other.activities_)
        assert other.weights_.tobytes() == plain.weights_.tobytes()
        assert other.scores(X).tobytes() == plain.scores(X).tobytes()
        assert other.terms_ == plain.terms_
    np.testing.assert_array_equal(learned.styles_, np.ones((len(X), 1)))
    np.testing.assert_array_equal(one.predict_styles(X, "one way"), np.ones((len(X), 1)))


def test_scores_without_styles_are_those_of_the_terms_alone():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    chosen = np.isin(y, np.unique(y)[:5])
    model = IBGNClassifier(random_state=0).fit(X[chosen], y[chosen])
    coded = recode(X, model.actions_)
    plain = [
        [term.log_likelihood(coded) for term in activity.terms.values()]
        for activity in model.activities_.values()
    ]
    assert STYLES not in model.terms_
    np.testing.assert_allclose(model.scores(X), np.transpose(plain, (2, 1, 0)), rtol=1e-9)


# --- what is built on it ------------------------------------------------------------------------


def test_explanations_add_up_and_name_the_style(data, model):
    X, y, _ = data
    instance = X[y == "three ways"][0]
    why = model.explain(instance, activity="three ways", against="one way")
    joint = dict(zip(model.classes_, model._joint_log_likelihood(instance)[0], strict=True))
    np.testing.assert_allclose(why.log_odds, joint["three ways"] - joint["one way"], rtol=1e-9)
    np.testing.assert_allclose(why.frame()["contribution"].sum(), why.log_odds, rtol=1e-9)
    chances, shares = model.predict_styles(instance, "three ways")[0], [1 / 3] * 3
    assert why.sums[STYLES] == pytest.approx(chances @ np.log(shares / chances), rel=1e-9)
    text = next(reason.text for reason in why.reasons(200) if reason.term == STYLES)
    assert text.startswith("how it is done; in 'three ways' style ")
    assert text.endswith(" of 3, which 33% have, in 'one way' there is one style")
    number = int(model.predict_styles(instance, "three ways")[0].argmax())
    style = model.activities_["three ways"].styles[number]
    assert why.fitted["durations"][0] is style["durations"]


@pytest.mark.statistical(false_alarm=1e-7)
def test_new_instances_have_styles_by_their_shares(rng, false_alarm):
    """Lengths are drawn among those of the style, so that they tell which it was."""
    short = [[("boil", 0, 2 + d / 20), ("pour", 3, 4)] for d in range(12)]
    long = [[("stir", t, t + 1 + d / 20) for t in range(0, 15, 3)] for d in range(6)]
    model = IBGNClassifier(terms=QUICK, styles=2, random_state=0)
    model.fit(short + long, ["tea"] * 18)
    shares = model.activities_["tea"].shares
    np.testing.assert_allclose(shares, [2 / 3, 1 / 3])
    drawn = model.sample(300, "tea", random_state=rng)
    counts = [(drawn.lengths == 2).sum(), (drawn.lengths == 5).sum()]
    assert sum(counts) == 300
    assert fit_of_counts(counts, shares) > false_alarm
    assert fit_of_counts(counts, shares[::-1]) < false_alarm  # a control


def test_new_instances_have_the_lengths_that_are_asked_for(small):
    drawn = small.activities_["two orders"]
    lengths = [1, 5, 3, 2, 8]
    X = sample_instances(drawn, 5, np.random.default_rng(0), lengths)
    assert X.lengths.tolist() == lengths
    assert sample_instances(drawn, 3, np.random.default_rng(0), 4).lengths.tolist() == [4, 4, 4]
    assert len(sample_instances(drawn, 0, np.random.default_rng(0))) == 0
    with pytest.raises(OptionError, match="lengths"):
        sample_instances(drawn, 2, np.random.default_rng(0), [1, 2, 3])


def test_models_with_styles_come_back_to_the_bit(data, tmp_path):
    X, y, _ = data
    chosen = np.isin(y, TWO)
    model = IBGNClassifier(terms=QUICK, styles=2, random_state=0).fit(X[chosen], y[chosen])
    loaded = again(model, tmp_path)
    assert len(loaded.activities_["two orders"].styles) == 2
    same(model.activities_, loaded.activities_)
    np.testing.assert_array_equal(model.styles_, loaded.styles_)
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    first, second = (each.predict_styles(X, "two orders") for each in (model, loaded))
    assert first.tobytes() == second.tobytes()


def test_files_with_invalid_styles_are_refused(small, tmp_path):
    path = tmp_path / "model.ibgn"
    small.save(path)

    def changed(change):
        tree, arrays = opened(path.read_bytes())
        change(tree["model"]["activities"][1])
        return closed(tree, arrays)

    assert len(opened(path.read_bytes())[0]["model"]["activities"][1]["styles"]) == 2
    refused(changed(lambda node: node["styles"][0].update(share=0.9)), tmp_path, "do not agree")
    refused(changed(lambda node: node["styles"][0].update(share=0.0)), tmp_path, "invalid value")
    refused(changed(lambda node: node.update(styles={})), tmp_path, "not a list")
    refused(changed(lambda node: node["styles"][0].pop("styles")), tmp_path, "lacks a part")
    inner = changed(lambda node: node["styles"][0].update(styles=[node["styles"][1]]))
    refused(inner, tmp_path, "a style has styles")
    refused(changed(lambda node: node.update(pooling=None)), tmp_path)


@pytest.mark.parametrize("styles", [0, -1, 1.5, True, "many", None, [2]])
def test_invalid_numbers_of_styles_are_refused(styles):
    with pytest.raises(OptionError, match="styles="):
        IBGNClassifier(styles=styles).fit([[("a", 0, 1)]], ["x"])


def test_estimators_with_styles_are_cloned_and_set(small):
    copy = clone(small)
    assert copy.styles == 2
    assert not hasattr(copy, "styles_")
    assert copy.set_params(styles="learned").get_params()["styles"] == "learned"
    with pytest.raises(DataError, match="there is no activity"):
        small.predict_styles([[("hold", 0, 1)]], "nothing")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_models_of_the_paper_may_have_styles(data):
    X, y, _ = data
    chosen = np.isin(y, TWO)
    options = {"draws": 20, "budget": 800, "random_state": 0, "styles": 2}
    model = IBGNClassifier(terms=("tables", "relations"), weights="equal", copy_weight=0, **options)
    model.fit(X[chosen], y[chosen])
    assert model.predict(X[chosen]).shape == (60,)
    assert len(model.activities_["two orders"].members) <= 2


def test_held_out_scores_are_those_of_activities(data):
    X, y, _ = data
    chosen = np.isin(y, TWO)
    model = IBGNClassifier(terms=QUICK, styles=2, random_state=0)
    held_out = model.fit_scores(X[chosen], y[chosen])
    assert held_out.shape == (60, len(model.terms_), 2)
    logs = model.fit_held_out(X[chosen], y[chosen])
    joint = model._weights @ held_out + model.class_log_prior_
    expected = joint - logsumexp(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(logs, expected, rtol=1e-9, atol=1e-12)  # of numbers close to 0
    assert not np.allclose(held_out, model.scores(X[chosen]), rtol=1e-3)  # a control


def test_the_report_shows_styles(model):
    scores = pd.DataFrame({"activity": list(model.activities_), "f1": 1.0})
    scores.loc[scores["activity"] == "three ways", "f1"] = 0.5  # the worst is drawn
    origin = SimpleNamespace(unit="")
    findings = SimpleNamespace(
        activities=model.activities_,
        activity_scores=scores,
        weights=None,
        method="mine",
        origin=origin,
    )
    shown = SECTION.data(findings)
    styles = {row["activity"]: row["styles"] for row in shown["activities"]}
    assert styles["one way"] == []
    np.testing.assert_allclose(styles["three ways"], [1 / 3] * 3)
    assert any(name.startswith("styles-") for name in SECTION.figures(findings, shown))
    frame = SECTION.frames(findings, shown)["styles"]
    assert frame["activity"].value_counts()["three ways"] == 3


def test_styles_are_described_and_drawn(model):
    frame = model.describe_styles()
    assert list(frame.columns) == ["activity", "style", "share", "instances", "intervals"]
    np.testing.assert_allclose(frame.groupby("activity")["share"].sum(), 1)
    assert "styles (33%, 33%, 33%)" in repr(model.activities_["three ways"])
    ax = plot_styles(model.activities_["three ways"])
    assert ax.get_title() == "three ways: styles"
    assert len(ax.patches) == 3 * 8
    plt.close(ax.figure)
    one = plot_styles(model.activities_["one way"])
    assert [text.get_text() for text in one.get_legend().get_texts()] == ["style 1 (100%)"]
    plt.close(one.figure)
    unable = IBGNClassifier(terms=("actions", "relations")).fit([[("a", 0, 1)]], ["x"])
    with pytest.raises(OptionError, match="occupancy"):
        plot_styles(unable.activities_["x"])
