"""The classifier: scikit-learn's contract, the paper's formulas, and an answer for everything."""

import math
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import Pipeline

import naive
from ibgn import DataError, IBGNClassifier, IntervalSequences, Structure, read_networks
from ibgn.allen import COMPOSITION
from ibgn.classifiers.ibgn import PAPER
from ibgn.datasets import make_hand_signs

# short chains: whether they converged is tested with the nodes
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
QUICK = {"draws": 60, "budget": 900, "random_state": 0, **PAPER}
STRUCTURES = [
    "full",
    "chain",
    "learned",
    "shared",
    [(0, 1), (0, 3)],
    Structure({(1, 2)}, 4, "full"),
]


def quick(structure="full", **options):
    return IBGNClassifier(structure, **(QUICK | options))


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=10, random_state=1)
    chosen = np.isin(y, ["bus", "lab", "leg", "quiz", "throw"])
    return X[chosen], y[chosen]


@pytest.fixture(scope="module")
def fitted(signs):
    return quick().fit(*signs)


@pytest.mark.usefixtures("unquestioned")
def test_it_recognises(signs):
    X, y = signs
    scores = cross_val_score(quick(), X, y, cv=3, error_score="raise")
    assert scores.mean() > 0.7
    shuffled = np.random.default_rng(0).permutation(y)
    assert cross_val_score(quick(), X, shuffled, cv=3, error_score="raise").mean() < 0.6


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
@pytest.mark.parametrize("unlinked", ["constrained", "marginal", "ignore"])
def test_all_structures(signs, structure, unlinked):
    X, y = signs
    model = quick(structure, unlinked=unlinked).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-9)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)), probabilities)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_parameters_and_clone():
    model = IBGNClassifier("chain", smoothing=0.5, class_prior={"a": 1.0})
    assert clone(model).get_params() == model.get_params()
    assert set(model.get_params()) == set(vars(model))  # the constructor does no work
    assert model.set_params(smoothing=2.0).smoothing == 2.0


def test_unfitted(signs):
    for method in ("predict", "predict_proba", "predict_log_proba"):
        with pytest.raises(NotFittedError):
            getattr(quick(), method)(signs[0])
    with pytest.raises(NotFittedError):
        quick().sample(1, "bus")
    with pytest.raises(NotFittedError):
        quick().explain(signs[0][0])


def test_fit_returns_itself_and_twice_gives_the_same(signs):
    model = quick()
    assert model.fit(*signs) is model
    first = model.predict_proba(signs[0])
    np.testing.assert_array_equal(model.fit(*signs).predict_proba(signs[0]), first)


@pytest.mark.parametrize("structure", ["full", "learned", "shared"])
@pytest.mark.parametrize("node_likelihood", ["sequential", "published"])
def test_jobs_lists_and_backends_change_nothing(signs, structure, node_likelihood):
    X, y = signs
    options = {"node_likelihood": node_likelihood}
    expected = quick(structure, **options).fit(X, y).predict_proba(X)
    two = quick(structure, n_jobs=2, **options).fit(X, y)
    np.testing.assert_array_equal(two.predict_proba(X), expected)
    listed = quick(structure, **options).fit(X.to_lists(), y.tolist())
    np.testing.assert_array_equal(listed.predict_proba(X.to_lists()), expected)
    with joblib.parallel_config("sequential"):
        np.testing.assert_array_equal(
            quick(structure, n_jobs=2, **options).fit(X, y).predict_proba(X), expected
        )


def test_another_seed_gives_another_model(signs):
    X, y = signs
    other = quick(random_state=1).fit(X, y).predict_proba(X)
    assert (other != quick().fit(X, y).predict_proba(X)).any()


@pytest.mark.parametrize("node_likelihood", ["sequential", "published"])
def test_order_and_subset_change_nothing(signs, node_likelihood):
    X, y = signs
    model = quick(node_likelihood=node_likelihood).fit(X, y)
    whole = model.predict_log_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(model.predict_log_proba(X[order]), whole[order])
    for d in (0, 7):
        np.testing.assert_array_equal(model.predict_log_proba(X[d]), whole[[d]])


@pytest.mark.parametrize("labels", [np.arange(2), np.array([True, False]), np.array(["b", "a"])])
def test_labels_of_any_kind(signs, labels):
    X, y = signs
    coded = labels[(y == "bus").astype(int)]
    model = quick().fit(X, coded)
    assert model.classes_.dtype == np.unique(labels).dtype
    assert model.predict(X).dtype == coded.dtype
    assert model.score(X, coded) > 0.9


def test_search_pipeline_and_groups(signs):
    X, y = signs
    search = GridSearchCV(
        Pipeline([("model", quick())]), {"model__structure": ["chain", "full"]}, cv=2
    )
    search.fit(X, y)
    assert search.best_params_["model__structure"] in ("chain", "full")
    groups = np.arange(len(y)) % 3
    scores = cross_val_score(quick(), X, y, groups=groups, cv=GroupKFold(3), error_score="raise")
    assert len(scores) == 3


def test_pickle(signs, fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(signs[0]), fitted.predict_proba(signs[0]))


# The paper's formulas, transcribed.


def published_log_likelihood(model, label, train, instance):
    """log prod_n sum_z theta_z(a_n) + log prod over links of (n_r + rho) / (n + rho |C|)."""
    activity, rho = model.activities_[label], 1e-5
    theta = activity["tables"].action_probs
    code = {name: number for number, name in enumerate(model.actions_)}
    value = sum(math.log(sum(theta[z, code[a]] for z in range(len(theta)))) for a, _, _ in instance)
    linked = activity["relations"].structure.is_linked

    def triples(rows):
        times = [(s, e) for _, s, e in rows]
        relation = naive.relations(times)
        for (i, j), allowed in naive.constraints(times, linked, COMPOSITION).items():
            if linked(i, j):
                yield (rows[i][0], rows[j][0], int(allowed)), relation[i, j]

    counts = {}
    for rows in train:
        for key, r in triples(rows):
            counts.setdefault(key, [0] * 7)[r] += 1
    for key, r in triples(instance):
        of_key = counts.get(key, [0] * 7)
        value += math.log((of_key[r] + rho) / (sum(of_key) + rho * bin(key[2]).count("1")))
    return value


@pytest.mark.parametrize("structure", ["chain", "full", "learned", "shared", [(0, 2), (1, 3)]])
def test_published_is_the_paper_value_by_value(signs, structure):
    X, y = signs
    model = IBGNClassifier.published(structure, draws=20, budget=400, random_state=0)
    model.fit(X[::2], y[::2])
    found = model._joint_log_likelihood(X[1::6])
    train = {label: X[::2][y[::2] == label].to_lists() for label in model.classes_}
    for row, instance in zip(found, X[1::6].to_lists(), strict=True):
        for c, label in enumerate(model.classes_):
            expected = published_log_likelihood(model, label, train[label], instance)
            expected -= math.log(len(model.classes_))
            assert row[c] == pytest.approx(expected, rel=1e-9)
    if structure == "learned":
        assert all(
            not activity["relations"].structure.links for activity in model.activities_.values()
        )


def test_published_sets_every_switch():
    model = IBGNClassifier.published("full", draws=7)
    assert (model.criterion, model.smoothing, model.node_likelihood) == (
        "bic-published",
        1e-5,
        "published",
    )
    assert (model.unlinked, model.class_prior, model.sampler) == ("ignore", "uniform", "published")
    assert model.ties == "published"
    assert (model.structure, model.draws) == ("full", 7)


# An answer for everything.


def test_class_priors(signs):
    X, y = signs
    X, y = X[: len(X) - 3], y[: len(y) - 3]
    empty = IntervalSequences.from_lists([[]])
    uniform = quick().fit(X, y).predict_proba(empty)
    np.testing.assert_allclose(uniform, 1 / 5, rtol=1e-12)
    empirical = quick(class_prior="empirical").fit(X, y).predict_proba(empty)[0]
    np.testing.assert_allclose(empirical, np.unique(y, return_counts=True)[1] / len(y), rtol=1e-12)
    given = dict.fromkeys(np.unique(y).tolist(), 1.0) | {"quiz": 6.0}
    assert quick(class_prior=given).fit(X, y).predict(empty)[0] == "quiz"


@pytest.mark.usefixtures("unquestioned")
def test_unknown_actions_say_nothing(signs, fitted):
    X, _ = signs
    rows = [[("never seen", 0, 1), ("nor this", 0.5, 2)]]
    np.testing.assert_allclose(fitted.predict_proba(rows), 1 / 5, rtol=1e-9)
    known = X[3].to_lists()[0]
    end = max(e for _, _, e in known)
    longer = [[*known, ("never seen", end + 1, end + 2)]]
    assert fitted.predict(longer)[0] == fitted.predict([known])[0]


def test_an_instance_longer_than_any_in_training(signs, fitted):
    X, _ = signs
    for structure in ("full", "learned", "shared", "chain"):
        model = quick(structure).fit(*signs)
        long = [
            (a, s + 10 * shift, e + 10 * shift)
            for shift in range(9)
            for a, s, e in X[0].to_lists()[0]
        ]
        assert np.isfinite(model.predict_log_proba([long])).all()
    assert len(long) > X.lengths.max() * 3


@pytest.mark.usefixtures("unquestioned")
def test_few_classes_and_few_instances(signs):
    X, y = signs
    single = quick().fit(X[y == "bus"], y[y == "bus"])
    assert set(single.predict(X)) == {"bus"}
    np.testing.assert_array_equal(single.predict_proba(X), 1)
    lone = np.append(np.flatnonzero(y == "lab"), np.flatnonzero(y == "bus")[0])
    model = quick().fit(X[lone], y[lone])
    assert model.predict(X[lone[-1:]])[0] == "bus"
    one_interval = quick().fit([[("a", 0, 1)], [("b", 0, 1)]], ["x", "y"])
    assert one_interval.predict([[("b", 3, 9)]])[0] == "y"
    with_empty = quick().fit([[("a", 0, 1)], []], ["x", "y"])
    assert with_empty.predict([[("a", 0, 1)]])[0] == "x"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"structure": "tree"}, "structure='tree' is not a choice; .*'learned', 'shared'"),
        ({"node_likelihood": "best"}, "choose among 'sequential', 'published'"),
        ({"unlinked": "no"}, "choose among 'constrained', 'marginal', 'ignore'"),
        ({"criterion": "mdl"}, "choose among 'bic', 'bic-published', 'bdeu', 'aic'"),
        ({"class_prior": "flat"}, "choose among 'uniform', 'empirical'"),
        ({"class_prior": {"bus": 1.0}}, "no probability for 'lab'"),
        ({"class_prior": dict.fromkeys(["bus", "lab", "leg", "quiz", "throw"], -1.0)}, "positive"),
        ({"smoothing": 0}, "smoothing=0 must be positive"),
        ({"sampler": "gibbs"}, "choose among 'exact', 'published'"),
        ({"draws": 0}, "draws=0 must be"),
        ({"penalty": 0, "structure": "learned"}, "penalty=0 must be positive"),
    ],
)
def test_bad_options(signs, options, message):
    with pytest.raises(DataError, match=message):
        quick(**options).fit(*signs)


def test_bad_data(signs):
    X, y = signs
    with pytest.raises(DataError, match="y must have one label per instance"):
        quick().fit(X, y[:-1])
    with pytest.raises(DataError, match="no instances"):
        quick().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="Unknown label type"):
        quick().fit(X, np.linspace(0, 1, len(y)))


# What was learned, why, and what comes out.


def test_activity_model_is_readable(signs):
    X, y = signs
    model = quick("learned").fit(X, y)
    activity = model.activities_["bus"]
    assert "ActivityModel 'bus': 10 instances" in repr(activity)
    tables = activity["tables"].describe(least=0.0)
    np.testing.assert_allclose(tables.groupby("table")["probability"].sum(), 1, rtol=1e-9)
    relations = activity["relations"].describe()
    assert relations["surprise"].is_monotonic_decreasing
    # pairs without a link are described by their second action alone
    assert set(relations["first"]) <= {"", *model.actions_}
    scores = activity["relations"].link_scores.frame()
    linked = scores[scores["linked"]][["first", "second"]].to_numpy().tolist()
    assert {(i, j) for i, j in linked} == activity["relations"].structure.links
    assert activity["tables"].convergence.draws == 60


@pytest.mark.parametrize("structure", ["full", "chain", "learned"])
@pytest.mark.parametrize("node_likelihood", ["sequential", "published"])
def test_explanations_add_up(signs, structure, node_likelihood):
    X, y = signs
    given = {"bus": 1.0, "lab": 2.0, "leg": 3.0, "quiz": 1.0, "throw": 1.0}
    model = quick(structure, node_likelihood=node_likelihood, class_prior=given).fit(X, y)
    for one in X[::7]:
        joint = model._joint_log_likelihood(one)[0]
        best, second = np.sort(joint)[::-1][:2]
        found = model.explain(one)
        assert found.activity == model.predict(one)[0]
        assert found.log_odds == pytest.approx(best - second, rel=1e-9, abs=1e-9)
        frame = found.frame()
        assert frame["contribution"].sum() == pytest.approx(found.log_odds, rel=1e-9, abs=1e-9)
        assert len(frame) == 1 + len(one.action) + np.count_nonzero(found.pairs)
        assert frame["contribution"].abs().is_monotonic_decreasing
    assert "log odds" in repr(found)


def test_explaining_two_named_activities(signs, fitted):
    X, _ = signs
    found = fitted.explain(X[0].to_lists()[0], activity="leg", against="lab")
    swapped = fitted.explain(X[0], activity="lab", against="leg")
    assert found.log_odds == pytest.approx(-swapped.log_odds, rel=1e-12)
    np.testing.assert_array_equal(found.relations, read_networks(X[0])[0].relations)
    with pytest.raises(DataError, match="there is no activity 'tea'; choose among 'bus'"):
        fitted.explain(X[0], against="tea")
    with pytest.raises(DataError, match="one instance is explained, got 2"):
        fitted.explain(X[:2])
    with pytest.raises(DataError, match="compares two activities"):
        fitted.explain(X[0], activity="leg", against="leg")


def test_samples_are_recognised(fitted):
    for label in ("bus", "quiz", "throw"):
        new = fitted.sample(20, label, random_state=0)
        assert len(new) == 20
        assert (fitted.predict(new) == label).mean() > 0.5
        assert new == fitted.sample(20, label, random_state=0)
    with pytest.raises(DataError, match="there is no activity"):
        fitted.sample(1, "tea")
