"""The ensemble: how members are pooled, what it says about itself, and its files."""

import copy

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import ibgn
from ibgn import DataError, IBGNClassifier, IBGNEnsemble, IntervalForest, IntervalRidge
from ibgn.datasets import make_hand_signs
from ibgn.evaluation.methods import METHODS
from ibgn.features import Convolutions, IntervalFeatures
from ibgn.metrics import log_loss
from ibgn.noise import Misdetection
from model_files import again, closed, opened, refused

SMALL = {
    "generative": IBGNClassifier(),
    "trees": IntervalForest(trees=20),
    "linear": IntervalRidge(),
    "convolutions": IntervalRidge(Convolutions(40, samples=30, unknown="ignore")),
}


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_hand_signs(instances_per_style=8, random_state=1)
    chosen = np.isin(y, np.unique(y)[:4])
    return X[chosen], y[chosen]


@pytest.fixture(scope="module")
def model(data):
    return IBGNEnsemble(SMALL, random_state=3).fit(*data)


def test_scores_are_the_log_probabilities_of_the_members(model, data):
    X, _ = data
    scores = model.scores(X)
    for m, member in enumerate(model.members_.values()):
        np.testing.assert_allclose(
            scores[:, m],
            np.maximum(member.predict_log_proba(X), -np.inf if m == 0 else np.log(1e-6)),
        )
    joint = np.einsum("m,nmc->nc", model.weights_, scores)
    np.testing.assert_allclose(model.predict_log_proba(X), log_softmax(joint, axis=1), atol=1e-12)
    assert model.terms_ == tuple(SMALL)
    assert model.describe_weights()["weight"].tolist() == model.weights_.tolist()


def test_a_member_that_knows_nothing_counts_less(data):
    """Its own labels are shuffled: what it says about instances it has not seen is worthless."""
    X, y = data

    class Confused(IntervalForest):
        def fit_held_out(self, X, y):
            return super().fit_held_out(X, np.random.default_rng(0).permutation(y))

    members = {"good": IntervalForest(trees=40), "confused": Confused(trees=40)}
    weights = IBGNEnsemble(members, random_state=0).fit(X, y).weights_
    assert weights[1] < 0.5 * weights[0]
    # the control: scores of what was learned from would make both look alike
    both = {"good": IntervalForest(trees=40), "as good": IntervalForest(trees=40)}
    one, other = IBGNEnsemble(both, random_state=0).fit(X, y).weights_
    assert abs(one - other) < 0.3 * one


def test_it_is_at_least_as_good_as_its_members_on_others(data):
    X, y = data
    X = Misdetection(0.5, random_state=0).fit(X).transform(X)  # otherwise all is recognised
    half = np.arange(len(y)) % 2 == 0
    model = IBGNEnsemble(SMALL, random_state=0).fit(X[half], y[half])
    losses = [
        log_loss(y[~half], member.predict_proba(X[~half]), model.classes_)
        for member in model.members_.values()
    ]
    mine = log_loss(y[~half], model.predict_proba(X[~half]), model.classes_)
    assert mine <= np.median(losses)


def test_the_same_seed_gives_the_same_model_whatever_the_jobs(data):
    X, y = data
    one, two = (
        IBGNEnsemble(SMALL, random_state=5, n_jobs=jobs).fit(X, y).predict_proba(X)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
    given = {"trees": IntervalForest(trees=5, random_state=7)}
    inside = IBGNEnsemble(given, random_state=1).fit(X, y).members_["trees"]
    assert inside.random_state == 7
    assert not hasattr(given["trees"], "classes_")  # a copy learned


def test_any_classifier_can_be_a_member(data):
    X, y = data
    regression = make_pipeline(IntervalFeatures(["statistics"]), LogisticRegression())
    model = IBGNEnsemble({"linear": regression, "trees": IntervalForest(trees=10)}, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9
    assert model.weights_.min() > 0
    assert not hasattr(model, "sample")
    assert model.activities_ == {}
    with pytest.raises(AttributeError, match="explain") as caught:
        model.explain(X[0])
    assert "none of the members is generative" in str(caught.value.__cause__)


def test_members_that_do_not_learn_weights_are_learned_again_in_folds(data):
    X, y = data
    equal = IBGNClassifier(weights="equal", terms=("occurrences", "durations"))
    model = IBGNEnsemble({"equal": equal}, random_state=0).fit(X, y)
    assert model.weights_[0] > 0
    assert model.score(X, y) > 0.5


def test_explanations_add_up_and_say_what_each_member_decided(model, data):
    X, _ = data
    for d in range(0, len(X), 9):
        why = model.explain(X[d])
        logs = dict(zip(model.classes_, model.predict_log_proba(X[d])[0], strict=True))
        assert why.log_odds == pytest.approx(logs[why.activity] - logs[why.against])
        assert why.frame()["contribution"].sum() == pytest.approx(why.log_odds)
        assert set(why.members) == {"trees", "linear", "convolutions"}
        assert {reason.term for reason in why.reasons()} <= {*model.members_["generative"].terms_}
        lead = model.weights_[1] * np.subtract(
            *(model.scores(X[d])[0, 1, model.classes_ == a][0] for a in (why.activity, why.against))
        )
        assert why.members["trees"] == pytest.approx(lead)
    assert "Members without reasons add trees" in repr(why)
    assert "member trees" in why._repr_html_()


def test_new_instances_come_from_the_generative_member(model):
    word = model.classes_[0]
    one, same = model.sample(3, word, 5), model.members_["generative"].sample(3, word, 5)
    np.testing.assert_array_equal(one.start, same.start)
    assert list(model.activities_) == model.classes_.tolist()


@pytest.mark.usefixtures("unquestioned")
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_few_instances(n, data):
    X, y = data
    chosen = np.concatenate([np.flatnonzero(y == label)[:n] for label in np.unique(y)[:2]])
    model = IBGNEnsemble(SMALL, random_state=0).fit(X[chosen], y[chosen])
    assert np.isfinite(model.predict_log_proba(X)).all()
    one = IBGNEnsemble(SMALL, random_state=0).fit(X[chosen[:1]], y[chosen[:1]])
    assert one.predict(X[:2]).tolist() == [y[chosen[0]]] * 2
    assert model.predict(X[:0]).shape == (0,)


def test_with_one_instance_of_each_probabilities_still_say_something(data):
    """None can be recognised when it is left out; that says nothing about the members."""
    X, y = data
    first = [int(np.argmax(y == label)) for label in np.unique(y)]
    model = IBGNEnsemble(SMALL, random_state=0).fit(X[first], y[first])
    np.testing.assert_allclose(model.weights_, 1 / len(SMALL))
    rest = np.setdiff1d(np.arange(len(y)), first)
    chance = np.log(len(first))
    assert log_loss(y[rest], model.predict_proba(X[rest]), model.classes_) < chance / 2


@pytest.mark.parametrize("members", [{}, [IntervalForest()], {"raster": object()}])
def test_members_that_cannot_be(members):
    with pytest.raises(ValueError, match="members"):
        IBGNEnsemble(members).fit([[("a", 0, 1)]], ["x"])


def test_it_is_a_method_like_others():
    assert isinstance(METHODS["ensemble"](0), IBGNEnsemble)
    assert METHODS["ensemble"](4).random_state == 4


# Files


def test_it_comes_back_to_the_bit(model, data, tmp_path):
    back = again(model, tmp_path)
    np.testing.assert_array_equal(back.predict_log_proba(data[0]), model.predict_log_proba(data[0]))
    assert list(back.members_) == list(model.members_)
    assert back.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert back.explain(data[0][0]).log_odds == model.explain(data[0][0]).log_odds
    first = (tmp_path / "model.ibgn").read_bytes()
    back.save(tmp_path / "again.ibgn")
    assert (tmp_path / "again.ibgn").read_bytes() == first


def test_members_of_scikit_learn_are_stored_as_arrays(data, tmp_path):
    X, y = data
    trees = make_pipeline(IntervalFeatures(), ExtraTreesClassifier(10))
    model = IBGNEnsemble({"own": IntervalRidge(), "trees": trees}, random_state=0).fit(X, y)
    back = again(model, tmp_path)
    np.testing.assert_allclose(back.predict_log_proba(X), model.predict_log_proba(X), atol=1e-9)
    with pytest.raises(DataError, match="cannot learn again"):
        back.fit(X, y)


def test_what_cannot_be_stored_is_refused_and_nothing_is_written(data, tmp_path):
    X, y = data
    boosting = make_pipeline(IntervalFeatures(["statistics"]), HistGradientBoostingClassifier())
    model = IBGNEnsemble({"boosting": boosting}, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="'boosting' .*cannot be stored without pickle"):
        ibgn.save(model, tmp_path / "model.ibgn")
    assert not list(tmp_path.iterdir())


def forgeries(tree, arrays):
    """Files that would make kernels read beyond their arrays, or lie about what they hold."""
    members = dict(tree["model"]["members"])
    trees = members["trees"]["model"]["forest"]
    patterns = members["convolutions"]["model"]["features"]["model"]
    pairs = members["trees"]["model"]["features"]["model"]["pairs"]
    for number, value in (
        (trees["feature"], 10**6),
        (trees["children"], -1),
        (trees["children"], 0),
        (trees["label"], 99),
        (trees["offsets"], 10**6),
        (trees["roots"], -1),
        (trees["roots"], 10**9),
        (patterns["channels"], 10**6),
        (patterns["taps"], 9),
        (patterns["taps"], -1),
        (patterns["dilations"], 0),
        (patterns["bounds"], 10**6),
        (patterns["offsets"], -5),
        (pairs, 10**6),
    ):
        changed = copy.deepcopy(arrays)
        inner = int(np.flatnonzero(arrays[trees["feature"]] >= 0)[3])  # not the first tree's root
        at = 2 * inner if number == trees["children"] else changed[number].size // 2
        changed[number].flat[at] = value
        yield tree, changed
    for name in ("SVC", "IBGNEnsemble", "Relations", "os.system"):
        other = copy.deepcopy(tree)
        other["model"]["members"][1][1]["class"] = name
        yield other, arrays
    twice = copy.deepcopy(tree)
    twice["model"]["members"][0][0] = "trees"
    yield twice, arrays


def test_forged_members_are_refused(model, tmp_path):
    model.save(tmp_path / "model.ibgn")
    content = (tmp_path / "model.ibgn").read_bytes()
    number = 0
    for tree, arrays in forgeries(*opened(content)):
        refused(closed(tree, arrays), tmp_path)
        number += 1
    assert number == 19
    refused_not = closed(*opened(content))  # the control: unaltered, it is a model
    (tmp_path / "same.ibgn").write_bytes(refused_not)
    ibgn.load(tmp_path / "same.ibgn")
