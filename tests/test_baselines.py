"""The compared methods: what is true of every estimator is true of IHMM, DBN and ITBN."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import Pipeline

from ibgn import DataError, IBGNClassifier, IntervalSequences, read_networks
from ibgn.classifiers import DBNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError

pytestmark = pytest.mark.usefixtures("unquestioned")  # many tests have actions not learned

CLASSES = [IHMMClassifier, DBNClassifier, ITBNClassifier]
SETTINGS = [
    IHMMClassifier("overlap", beam=8, smoothing=1.0),
    IHMMClassifier(1, beam=None, smoothing=0.1),
    IHMMClassifier(2, beam=None, smoothing=1.0),
    IHMMClassifier(3, beam=2, smoothing=0.5),
    DBNClassifier(4, smoothing=1.0),
    DBNClassifier(1, smoothing=0.1),
    DBNClassifier(7, smoothing=3.0),
    ITBNClassifier("first", comparison="all-pairs", consistency="frequent", smoothing=1.0),
    ITBNClassifier("longest", comparison="links", consistency="frequent", smoothing=0.1),
    ITBNClassifier("longest", comparison="all-pairs", consistency="strict", smoothing=0.5),
    ITBNClassifier("first", comparison="per-link", consistency="frequent", smoothing=0.1),
]
OWN = {  # options of each class
    IHMMClassifier: {"n_chains": [2, 1, "overlap"], "beam": [8, 1, None]},
    DBNClassifier: {"n_bins": [4, 1, 2]},
    ITBNClassifier: {
        "occurrence": ["first", "longest"],
        "comparison": ["all-pairs", "links", "per-link"],
        "consistency": ["frequent", "strict"],
    },
}
COMMON = {"smoothing": [1.0, 0.2], "class_prior": ["uniform", "empirical"]}
TECHNICAL = {"n_jobs": [None, 2], "progress": [False, True], "unknown_actions": ["warn", "ignore"]}

every_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
names = [f"{type(model).__name__}-{number}" for number, model in enumerate(SETTINGS)]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=names)


def options_of(kind):
    """Values of all options, and the first of each."""
    options = OWN[kind] | COMMON | TECHNICAL
    assert set(options) == set(kind().get_params())
    return options, {name: values[0] for name, values in options.items()}


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=10, random_state=1)
    chosen = np.isin(y, ["bus", "lab", "leg", "quiz", "throw"])
    return X[chosen], y[chosen]


@pytest.fixture(scope="module")
def fit(signs):
    """Models that are fitted once."""
    done = {}

    def fit_once(setting):
        if repr(setting) not in done:
            done[repr(setting)] = clone(setting).fit(*signs)
        return done[repr(setting)]

    return fit_once


def longer_than_any(X, copies=9):
    rows = X[0].to_lists()[0]
    return [(a, s + 10 * shift, e + 10 * shift) for shift in range(copies) for a, s, e in rows]


# scikit-learn's contract


@every_setting
def test_it_recognises(signs, setting):
    X, y = signs
    assert cross_val_score(clone(setting), X, y, cv=3, error_score="raise").mean() > 0.5
    shuffled = np.random.default_rng(0).permutation(y)
    assert cross_val_score(clone(setting), X, shuffled, cv=3, error_score="raise").mean() < 0.4


@every_setting
def test_probabilities(signs, fit, setting):
    (X, _), model = signs, fit(setting)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)), probabilities)
    assert np.isfinite(model.predict_log_proba(X)).all()
    assert list(model.activities_) == model.classes_.tolist() == np.unique(signs[1]).tolist()
    assert model.actions_ == tuple(sorted(model.actions_))


@every_class
def test_parameters_and_clone(kind):
    model = kind(smoothing=0.5, class_prior={"a": 1.0})
    assert clone(model).get_params() == model.get_params()
    assert set(model.get_params()) == set(vars(model))  # the constructor does no work
    assert model.set_params(smoothing=2.0).smoothing == 2.0
    assert not model.__sklearn_tags__().non_deterministic


@every_class
def test_unfitted(signs, kind):
    for method in ("predict", "predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(kind(), method)(signs[0])
    with pytest.raises(NotFittedError):
        kind().explain(signs[0][0])


@every_setting
def test_fit_returns_itself_and_twice_gives_the_same(signs, setting):
    model, (X, y) = clone(setting), signs
    assert model.fit(X, y) is model
    first = model.predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), first)
    model.fit(X[::2], np.where(y[::2] == "bus", "bus", "else"))  # nothing is left of what it knew
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), first)


@every_setting
def test_jobs_lists_and_backends_change_nothing(signs, fit, setting):
    X, y = signs
    expected = fit(setting).predict_proba(X)
    two = clone(setting).set_params(n_jobs=2)
    np.testing.assert_array_equal(two.fit(X, y).predict_proba(X), expected)
    listed = clone(setting).fit(X.to_lists(), y.tolist())
    np.testing.assert_array_equal(listed.predict_proba(X.to_lists()), expected)
    for backend in ("sequential", "threading"):
        with joblib.parallel_config(backend):
            np.testing.assert_array_equal(two.fit(X, y).predict_proba(X), expected)


@every_setting
def test_order_and_subset_change_nothing(signs, fit, setting):
    """Of the instances to recognise, and of those to learn from."""
    (X, y), model = signs, fit(setting)
    whole = model.predict_log_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(model.predict_log_proba(X[order]), whole[order])
    for d in (0, 7):
        np.testing.assert_array_equal(model.predict_log_proba(X[d]), whole[[d]])
    shuffled = clone(setting).fit(X[order], y[order])
    np.testing.assert_array_equal(shuffled.predict_log_proba(X), whole)


@pytest.mark.parametrize("labels", [np.arange(2), np.array([True, False]), np.array(["b", "a"])])
@every_class
def test_labels_of_any_kind(signs, kind, labels):
    X, y = signs
    coded = labels[(y == "bus").astype(int)]
    model = kind().fit(X, coded)
    assert model.classes_.dtype == np.unique(labels).dtype
    assert model.predict(X).dtype == coded.dtype
    assert model.score(X, coded) > 0.9


@every_class
def test_search_over_every_option_in_a_pipeline(signs, kind):
    X, y = signs
    options, base = options_of(kind)
    grid = [{f"model__{name}": values} for name, values in options.items()]
    search = GridSearchCV(Pipeline([("model", kind(**base))]), grid, cv=2, error_score="raise")
    search.fit(X[::2], y[::2])
    assert len(search.cv_results_["params"]) == sum(map(len, options.values()))
    assert search.best_score_ > 0.4


@every_class
def test_options_matter_except_how_it_is_computed(signs, kind):
    """All signs but one are lumped together, so that priors differ."""
    X, y = signs[0], np.where(signs[1] == "bus", "bus", "else")
    options, base = options_of(kind)
    expected = kind(**base).fit(X, y).predict_proba(X)
    for name, (_, *others) in options.items():
        for value in others:
            found = kind(**base | {name: value}).fit(X, y).predict_proba(X)
            assert (found != expected).any() == (name not in TECHNICAL), (name, value)


@every_class
def test_folds_by_group(signs, kind):
    X, y = signs
    groups = np.arange(len(y)) % 3
    scores = cross_val_score(kind(), X, y, groups=groups, cv=GroupKFold(3), error_score="raise")
    assert len(scores) == 3


@every_setting
def test_pickle(signs, fit, setting):
    model = fit(setting)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(signs[0]), model.predict_proba(signs[0]))
    assert repr(again.activities_) == repr(model.activities_)


# an answer for everything


@every_class
def test_class_priors(signs, kind):
    X, y = signs
    X, y = X[: len(X) - 3], y[: len(y) - 3]
    labels, counts = np.unique(y, return_counts=True)
    uniform = kind().fit(X, y)
    np.testing.assert_allclose(np.exp(uniform.class_log_prior_), 1 / 5, rtol=1e-12)
    given = dict.fromkeys(labels.tolist(), 1.0) | {"quiz": 6.0}
    for prior, expected in (
        ("empirical", counts / len(y)),
        (given, np.where(labels == "quiz", 0.6, 0.1)),
    ):
        model = kind(class_prior=prior).fit(X, y)
        np.testing.assert_allclose(np.exp(model.class_log_prior_), expected, rtol=1e-12)
        weighted = uniform.predict_proba(X) * expected
        weighted /= weighted.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(X), weighted, rtol=1e-9)


@every_setting
def test_unknown_actions_are_passed_over(signs, fit, setting):
    """Wherever they stand, in number and length as they like; also one named "unknown"."""
    (X, _), model = signs, fit(setting)
    known = X[:6].to_lists()
    more = [
        [*rows, ("never seen", -5, 99), *(("unknown", e - 0.5, e + 3) for _, _, e in rows)]
        for rows in known
    ]
    np.testing.assert_array_equal(model.predict_log_proba(more), model.predict_log_proba(known))
    only = [[("never seen", 0, 1), ("nor this", 0.5, 2)], []]
    one, none = model.predict_proba(only)
    np.testing.assert_array_equal(one, none)
    if not isinstance(model, ITBNClassifier):  # to which absent actions speak
        np.testing.assert_allclose(one, 1 / 5, rtol=1e-12)


@every_setting
def test_an_instance_longer_than_any_in_training(signs, fit, setting):
    long = longer_than_any(signs[0])
    assert len(long) > signs[0].lengths.max() * 3
    assert np.isfinite(fit(setting).predict_log_proba([long])).all()


@every_setting
def test_few_classes_and_few_instances(signs, setting):
    X, y = signs
    single = clone(setting).fit(X[y == "bus"], y[y == "bus"])
    assert set(single.predict(X)) == {"bus"}
    np.testing.assert_array_equal(single.predict_proba(X), 1)
    one_interval = clone(setting).fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"])
    assert one_interval.predict([[("b", 3, 9)]])[0] == "y"


@every_setting
def test_an_activity_with_a_single_instance(signs, setting):
    X, y = signs
    lone = np.append(np.flatnonzero(y == "lab"), np.flatnonzero(y == "bus")[0])
    model = clone(setting).fit(X[lone], y[lone])
    assert model.predict(X[lone[:1]])[0] == "lab"
    assert np.isfinite(model.predict_log_proba(X)).all()


@every_setting
def test_instances_without_intervals(setting):
    """Among those to learn from, and to recognise."""
    X, y = [[("a", 0, 1)], [("a", 0, 2)], [], []], ["x", "x", "y", "y"]
    model = clone(setting).fit(X, y)
    assert model.predict([[("a", 0, 1)]])[0] == "x"
    found = model.predict_proba([[], [("a", 0, 1)], []])
    np.testing.assert_array_equal(found[0], found[2])
    if isinstance(model, ITBNClassifier):
        assert found[0, 1] > 0.6  # a is absent as in y
    else:
        np.testing.assert_allclose(found[0], 1 / 2, rtol=1e-12)
    assert model.predict_proba(IntervalSequences.from_lists([])).shape == (0, 2)


@every_setting
def test_all_training_instances_are_without_intervals(setting):
    model = clone(setting).fit([[], [], []], ["x", "y", "y"])
    assert model.actions_ == ()
    np.testing.assert_allclose(model.predict_proba([[], [("a", 0, 1)]]), 1 / 2, rtol=1e-12)
    assert model.explain([("a", 0, 1)]).log_odds == 0
    model.set_params(class_prior="empirical").fit([[], [], []], ["x", "y", "y"])
    np.testing.assert_allclose(model.predict_proba([[]]), [[1 / 3, 2 / 3]], rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (IHMMClassifier("many"), "n_chains='many' must be a whole number from 1 to 2,000"),
        (IHMMClassifier(0), "n_chains=0 must be a whole number from 1 to 2,000"),
        (IHMMClassifier(1.5), "n_chains=1.5 must be a whole number"),
        (IHMMClassifier(True), "n_chains=True must be a whole number"),
        (IHMMClassifier(beam=0), "beam=0 must be a whole number from 1 to .*"),
        (IHMMClassifier(beam="wide"), "beam='wide' must be a whole number"),
        (IHMMClassifier(100_000), "n_chains=100000 must be a whole number from 1 to 2,000"),
        (DBNClassifier(0), "n_bins=0 must be a whole number from 1 to 1,000"),
        (DBNClassifier(10**9), "n_bins=1000000000 must be a whole number from 1 to 1,000"),
        (DBNClassifier(2.0), "n_bins=2.0 must be a whole number"),
        (DBNClassifier(None), "n_bins=None must be a whole number"),
        (ITBNClassifier("last"), "occurrence='last' is not a choice; .*'first', 'longest'"),
        (ITBNClassifier(comparison="all"), "comparison='all' .*'all-pairs', 'links', 'per-link'"),
        (ITBNClassifier(consistency=True), "consistency=True .*'frequent', 'strict'"),
    ],
    ids=repr,
)
def test_bad_options_of_one(signs, model, message):
    with pytest.raises(OptionError, match=message):
        model.fit(*signs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": 0}, "smoothing=0 must be (from 1e-9 to 1e9|positive)"),
        ({"smoothing": -1.0}, "smoothing=-1.0 must be (from 1e-9 to 1e9|positive)"),
        (
            {"smoothing": np.inf},
            "smoothing=inf must be a finite number, (from 1e-9 to 1e9|positive)",
        ),
        (
            {"smoothing": "much"},
            "smoothing='much' must be a finite number, (from 1e-9 to 1e9|positive)",
        ),
        ({"class_prior": "flat"}, "class_prior='flat' .*'uniform', 'empirical'"),
        ({"class_prior": None}, "class_prior=None is not a choice"),
        ({"class_prior": [0.5, 0.5]}, r"class_prior=\[0.5, 0.5\] is not a choice"),
        ({"class_prior": {"bus": 1.0}}, "class_prior={'bus': 1.0} has no probability for 'lab'"),
        (
            {"class_prior": dict.fromkeys(["bus", "lab", "leg", "quiz", "throw"], -1.0)},
            "activity 'bus': class_prior=-1.0 must be positive",
        ),
        (
            {"class_prior": dict.fromkeys(["bus", "lab", "leg", "quiz", "throw"], "high")},
            "activity 'bus': class_prior='high' must be a finite number, positive",
        ),
        ({"n_jobs": 0}, "n_jobs=0 must be a whole number other than 0"),
        ({"n_jobs": "all"}, "n_jobs='all' must be a whole number other than 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [*CLASSES, IBGNClassifier], ids=lambda kind: kind.__name__)
def test_bad_options_of_all(signs, kind, options, message):
    with pytest.raises(DataError, match=message):
        kind(**options).fit(*signs)


@every_class
def test_bad_data(signs, kind):
    X, y = signs
    with pytest.raises(DataError, match="y must have one label per instance"):
        kind().fit(X, y[:-1])
    with pytest.raises(DataError, match="no instances"):
        kind().fit(X[:0], y[:0])
    with pytest.raises(DataError, match="Unknown label type"):
        kind().fit(X, np.linspace(0, 1, len(y)))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["tea", 1], r"label 1 is '1' \(int\), and others are text"),
        (["1", 1], r"label 1 is '1' \(int\)"),  # which NumPy takes for the same
        (np.array([1, "tea"], object), r"label 0 is '1' \(int\)"),
        (["tea", None], "label 1 is missing"),
        (["tea", np.nan], "label 1 is missing"),
        ([1.0, np.nan], "label 1 is missing"),
        ([["tea"], ["a", "b"]], "y has invalid labels of activities"),
    ],
    ids=str,
)
@every_class
def test_labels_that_cannot_be_told_apart(kind, labels, message):
    with pytest.raises(DataError, match=message):
        kind().fit([[("a", 0, 1)], [("a", 0, 2)]], labels)


@every_class
def test_labels_may_be_a_series_with_any_index(signs, kind):
    X, y = signs
    series = pd.Series(y, index=np.arange(len(y))[::-1])
    np.testing.assert_array_equal(kind().fit(X, series).predict(X), kind().fit(X, y).predict(X))


@every_class
def test_weights_of_a_prior_may_be_far_apart(kind):
    model = kind(class_prior={"x": 1e308, "y": 1e308, "z": 1e-308})
    model.fit([[("a", 0, 1)]] * 3, ["x", "y", "z"])
    np.testing.assert_allclose(np.exp(model.class_log_prior_[:2]), 0.5)
    assert np.isfinite(model.explain([("a", 0, 1)], against="z").log_odds)


@every_class
@pytest.mark.parametrize("origin", [-1e6, 1e15])
def test_recognition_does_not_depend_on_when_an_instance_is(kind, origin, rng):
    start = np.sort(rng.integers(0, 50, (40, 4)))
    last = rng.integers(1, 20, (40, 4))
    X = [list(zip("abca", s, s + d, strict=True)) for s, d in zip(start, last, strict=True)]
    later = [[(a, s + origin, e + origin) for a, s, e in rows] for rows in X]
    y = np.arange(40) % 2
    near, far = kind().fit(X, y), kind().fit(later, y)
    np.testing.assert_array_equal(near.predict_log_proba(X), far.predict_log_proba(later))


@every_class
def test_progress_is_shown_on_a_terminal_only(signs, kind, capsys, monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    kind(progress=True).fit(*signs)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")  # control: as if it were one
    kind(progress=True).fit(*signs)
    shown = capsys.readouterr()
    assert "learning activities" in shown.err
    assert not shown.out


# why


@every_setting
def test_explanations_add_up(signs, setting):
    """Also of instances with unknown actions, with none, and with an action many times."""
    X, y = signs
    given = {"bus": 1.0, "lab": 2.0, "leg": 3.0, "quiz": 1.0, "throw": 1.0}
    model = clone(setting).set_params(class_prior=given).fit(X, y)
    others = [[], [("never seen", 0, 9), *X[0].to_lists()[0]], longer_than_any(X, 2)]
    for one in IntervalSequences.from_lists([*X[::7].to_lists(), *others]):
        joint = model._joint_log_likelihood(one)[0]
        best, second = np.sort(joint)[::-1][:2]
        found = model.explain(one)
        assert found.activity == model.predict(one)[0]
        assert found.log_odds == pytest.approx(best - second, rel=1e-9, abs=1e-9)
        assert found.prior + sum(found.sums.values()) == found.log_odds
        frame = found.frame()
        assert frame["contribution"].sum() == pytest.approx(found.log_odds, rel=1e-9, abs=1e-9)
        assert frame["contribution"].abs().is_monotonic_decreasing
        (term,) = model.terms_
        assert set(frame["term"]) <= {"prior", term}
        levels = frame["level"].value_counts().to_dict()
        assert (levels.pop("instance"), levels.pop("interval", 0)) == (1, len(one.action))
        assert levels.pop("pair", 0) == np.count_nonzero(found.pairs)
        spoken = found.terms[term].action
        absent = frame["action"][frame["level"] == "action"].tolist()
        here = {one.actions[code] for code in one.action}
        if isinstance(model, ITBNClassifier):
            telling = np.flatnonzero(spoken[0])
            assert sorted(absent) == [model.actions_[action] for action in telling]
            assert set(absent) <= set(model.actions_) - here
        else:
            assert spoken is None
            assert not absent
        assert levels.pop("action", 0) == len(absent)
        assert not levels
        assert f"{term} {found.sums[term]:+z.2f}" in repr(found).splitlines()[-1]
        assert not np.tril(found.pairs).any()


def test_what_is_absent_and_what_is_left_out_of_an_explanation():
    """b speaks by being absent; the second a says nothing, neither by itself nor by relations."""
    X = [[("a", 0, 4), ("b", 5, 6)]] * 9 + [[("a", 0, 4)]] * 9
    model = ITBNClassifier("first", smoothing=1.0).fit(X, ["tea"] * 9 + ["soup"] * 9)
    found = model.explain([("a", 0, 4), ("a", 5, 6), ("c", 7, 8)], activity="soup", against="tea")
    expected = [0, np.log(10 / 11) - np.log(1 / 11)]
    np.testing.assert_allclose(found.terms["network"].action, [expected], rtol=1e-9)
    assert (found.intervals[1:] == 0).all()
    assert not found.pairs.any()


@every_class
def test_explaining_two_named_activities(signs, fit, kind):
    (X, _), model = signs, fit(kind())
    found = model.explain(X[0].to_lists()[0], activity="leg", against="lab")
    swapped = model.explain(X[0], activity="lab", against="leg")
    joint = dict(zip(model.classes_, model._joint_log_likelihood(X[0])[0], strict=True))
    assert found.log_odds == pytest.approx(joint["leg"] - joint["lab"], rel=1e-9)
    assert found.log_odds == pytest.approx(-swapped.log_odds, rel=1e-12)
    np.testing.assert_array_equal(found.relations, read_networks(X[0])[0].relations)
    with pytest.raises(DataError, match="there is no activity 'tea'; choose among 'bus'"):
        model.explain(X[0], against="tea")
    with pytest.raises(DataError, match="there is no activity"):
        model.explain(X[0], against=["leg"])
    with pytest.raises(DataError, match="one instance is explained, got 2"):
        model.explain(X[:2])
    with pytest.raises(DataError, match="compares two activities"):
        model.explain(X[0], activity="leg", against="leg")
