"""Weights of instances: one that counts twice is the instance twice, and 0 is no instance."""

from inspect import signature

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline

from ibgn import (
    DataError,
    DBNClassifier,
    IBGNClassifier,
    IBGNEnsemble,
    IHMMClassifier,
    IntervalForest,
    IntervalRidge,
    IntervalSequences,
    ITBNClassifier,
)
from ibgn.classifiers import METHODS
from ibgn.classifiers.yardsticks import ExtraTrees
from ibgn.datasets import make_relations
from ibgn.features import IntervalFeatures
from ibgn.model.ridge import fit_ridge
from ibgn.model.tolerance import choose_tolerance
from ibgn.terms import TERMS

PLAIN = {"weights": "equal", "copy_weight": 0.0, "class_prior": "empirical"}
ADDING = [name for name, kind in TERMS.items() if kind.scales and name not in ("steps", "chains")]
EXACT = [
    DBNClassifier(n_bins=3, class_prior="empirical"),
    IHMMClassifier(class_prior="empirical"),
    IBGNClassifier(terms=ADDING, **PLAIN),
    IBGNClassifier("chain", terms=("relations", "actions"), smoothing="learned", **PLAIN),
    ExtraTrees(IntervalFeatures(["statistics"]), trees=5, random_state=0),
]
WIDE = IntervalFeatures(["raster"], samples=60)  # more columns than instances, also if repeated
BY_GROUP = [
    IntervalRidge(WIDE),
    IntervalForest(trees=5, random_state=0),
    IBGNEnsemble({"linear": IntervalRidge(WIDE), "trees": IntervalForest(trees=3)}, random_state=0),
]


@pytest.fixture(scope="module")
def data():
    X, y = make_relations(instances_per_activity=8, random_state=0)
    return X.with_groups(np.arange(len(X)) % 4), y


def repeated(X, y, weight):
    rows = np.repeat(np.arange(len(X)), weight)
    return X[rows], y[rows]


def whole(n):
    return np.random.default_rng(1).integers(1, 4, n)


@pytest.mark.parametrize("model", EXACT + BY_GROUP, ids=lambda model: type(model).__name__)
def test_a_weight_is_a_number_of_instances(data, model):
    X, y = data
    weight = whole(len(X))
    weighed = sklearn.clone(model).fit(X, y, sample_weight=weight)
    several = sklearn.clone(model).fit(*repeated(X, y, weight))
    np.testing.assert_allclose(weighed.scores(X), several.scores(X), rtol=1e-6, atol=1e-9)
    alike = sklearn.clone(model).fit(X, y)  # control: weights matter
    other, _ = make_relations(instances_per_activity=20, random_state=1)
    assert np.abs(alike.predict_proba(other) - weighed.predict_proba(other)).max() > 1e-3


@pytest.mark.parametrize("model", EXACT + BY_GROUP, ids=lambda model: type(model).__name__)
def test_no_weight_is_no_instance_and_one_is_one(data, model):
    X, y = data
    kept = np.arange(len(X)) % 5 > 0
    without = sklearn.clone(model).fit(X[kept], y[kept])
    weighed = sklearn.clone(model).fit(X, y, sample_weight=kept.astype(float))
    assert weighed.scores(X).tobytes() == without.scores(X).tobytes()
    assert weighed.trained_on_.instances == kept.sum()
    ones = sklearn.clone(model).fit(X, y, sample_weight=np.ones(len(X)))
    assert ones.scores(X).tobytes() == sklearn.clone(model).fit(X, y).scores(X).tobytes()


def test_an_activity_without_weight_is_unknown(data):
    X, y = data
    model = DBNClassifier().fit(X, y, sample_weight=(y != y[0]).astype(float))
    assert model.classes_.tolist() == sorted(set(y) - {y[0]})


def test_held_out_weights_are_learned_from_weighed_instances(data):
    """Groups are held out as a whole, so three of each instance are in one fold."""
    X, y = data
    model = IBGNClassifier(terms=("order", "durations", "relations"), copy_weight=0.0)
    three = np.full(len(X), 3)
    weighed = sklearn.clone(model).fit(X, y, three)
    several = sklearn.clone(model).fit(*repeated(X, y, three))
    np.testing.assert_allclose(weighed.weights_, several.weights_, rtol=1e-4)  # as it is minimised
    alike = sklearn.clone(model).fit(X, y)
    assert np.abs(alike.weights_ - weighed.weights_).max() > 0.01


def test_fractions_count_too(data):
    """All weights together are a scale of counts: half of them and half the smoothing."""
    X, y = data
    terms = {"terms": ("relations",), **PLAIN}
    half = IBGNClassifier(smoothing=0.5, **terms).fit(X, y, np.full(len(X), 0.5))
    one = IBGNClassifier(smoothing=1.0, **terms).fit(X, y)
    np.testing.assert_allclose(half.scores(X), one.scores(X), rtol=1e-9)
    learned = IBGNClassifier(terms=("order", "relations")).fit(X, y, np.full(len(X), 0.3))
    assert np.isfinite(learned.scores(X)).all()


@pytest.mark.parametrize("blocks", [np.arange(20), np.arange(20) // 4], ids=["alone", "blocks"])
def test_ridge_knows_what_it_would_say_without_a_block(blocks):
    """Weighed too, the closed form is what learning without the block gives."""
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(20, 3)), np.arange(20) % 3
    weight = rng.uniform(0.5, 3, 20)
    rows -= np.average(rows, axis=0, weights=weight)
    fit = fit_ridge(rows, codes, 3, blocks, weight)
    targets, sharpness = np.where(np.eye(3)[codes] > 0, 1.0, -1.0), None
    roots = np.sqrt(weight)[:, None]
    scale = np.linalg.eigvalsh((roots * rows).T @ (roots * rows)).mean()
    for block in np.unique(blocks):
        rest, out = blocks != block, blocks == block
        design = np.column_stack([rows, np.ones(20)])
        penalty = np.diag([fit.penalty * scale] * 3 + [0.0])
        weighed = design[rest].T * weight[rest]
        found = np.linalg.solve(weighed @ design[rest] + penalty, weighed @ targets[rest])
        ratio = fit.held_out[out] / (design[out] @ found)
        sharpness = ratio.mean() if sharpness is None else sharpness
        np.testing.assert_allclose(ratio, sharpness, rtol=1e-6)


def test_only_what_weighs_has_the_parameter():
    takes = {name: signature(kind.fit).parameters for name, kind in METHODS.items()}
    unable = {name for name, parameters in takes.items() if "sample_weight" not in parameters}
    assert unable == {"itbn", "nearest raster", "MiniRocket"}
    by_group = {name for name, parameters in takes.items() if "groups" in parameters}
    assert by_group == {"ibgn", "forest", "ridge", "ensemble"}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (IBGNClassifier(terms=("tables",)), "the term 'tables' looks at whole instances"),
        (IBGNClassifier("learned"), "structure='learned' counts whole instances"),
        (IBGNClassifier("shared"), "structure='shared' counts whole instances"),
        (IBGNClassifier(styles=2), "styles=2 divides whole instances"),
        (IBGNEnsemble({"net": ITBNClassifier()}), "the member 'net' does not weigh instances"),
    ],
    ids=str,
)
def test_what_looks_at_whole_instances_refuses(data, model, words):
    X, y = data
    with pytest.raises(DataError, match=words):
        model.fit(X, y, np.linspace(1, 2, len(X)))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1.0], "sample_weight has one value per instance"),
        ([-1.0] * 32, "weight 0 is -1, but must be 0 or more"),
        ([1.0] * 31 + [np.nan], "weight 31 is nan"),
        ([np.inf] * 32, "weight 0 is inf"),
        ([0.0] * 32, "all weights are 0"),
        (["x"] * 32, "sample_weight has one value per instance, got lists|no numbers"),
    ],
)
def test_wrong_weights_are_refused(data, weight, words):
    with pytest.raises(DataError, match=words):
        DBNClassifier().fit(*data, sample_weight=weight)


def test_members_of_scikit_learn_are_weighed(data):
    X, y = data
    regression = LogisticRegression(solver="newton-cholesky", tol=1e-8)  # to the same optimum
    pipeline = make_pipeline(IntervalFeatures(["statistics"]), regression)
    weight = whole(len(X))
    ensemble = IBGNEnsemble({"regression": pipeline}, random_state=0)
    weighed = sklearn.clone(ensemble).fit(X, y, weight).members_["regression"].predict_proba(X)
    several = pipeline.fit(*repeated(X, y, weight)).predict_proba(X)
    np.testing.assert_allclose(weighed, several, atol=1e-6)
    assert np.abs(pipeline.fit(X, y).predict_proba(X) - weighed).max() > 0.01


def test_instances_without_a_label_are_weighed_too(data):
    X, y = data
    known = np.where(np.arange(len(X)) % 3 > 0, y, None)
    weight = np.where(np.arange(len(X)) % 8 == 0, 0.0, 1.0)
    model = IBGNClassifier(terms=("order", "relations"), unlabelled="self-training", random_state=0)
    weighed = sklearn.clone(model).fit(X, known, weight)
    without = sklearn.clone(model).fit(X[weight > 0], known[weight > 0])
    assert weighed.scores(X).tobytes() == without.scores(X).tobytes()


def test_a_tolerance_is_chosen_by_weight():
    """Ends that nearly coincide tell activities apart only once they are merged."""
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    ends = np.where(codes, 10, 12) + rng.normal(0, 0.4, 80)
    lists = [[("a", 0, 10), ("b", end, end + 10)] for end in ends]
    X = IntervalSequences.from_lists(lists)
    chosen = choose_tolerance(X, codes, weight=np.ones(80))
    assert chosen == choose_tolerance(X, codes) > 0
    noise = rng.permutation(codes)
    mixed = IntervalSequences.concatenate([X, X])
    both = np.concatenate([codes, noise])
    trusted = np.concatenate([np.full(80, 1.0), np.full(80, 1e-6)])
    assert choose_tolerance(mixed, both, weight=trusted) > 0


def test_scores_are_weighed(data):
    X, y = data
    model = DBNClassifier().fit(X[::2], y[::2])
    right, weight = model.predict(X) == y, whole(len(X))
    assert 0 < right.mean() < 1
    assert model.score(X, y, sample_weight=weight) == np.average(right, weights=weight)


def test_metadata_are_routed(data):
    """Weights and groups reach a classifier through whatever of scikit-learn is around it."""
    X, y = data
    plain, groups, weight = X.with_groups(None), X.groups, whole(len(X)).astype(float)
    seen = []

    class Watched(IntervalRidge):
        def _learn(self, rows, codes, blocks, weight):
            seen.append((len(set(blocks.tolist())), sorted(weight.tolist())))
            return super()._learn(rows, codes, blocks, weight)

    given = {"groups": groups, "sample_weight": weight}
    with sklearn.config_context(enable_metadata_routing=True):
        model = Watched().set_fit_request(sample_weight=True, groups=True)
        model.set_score_request(sample_weight=True)
        cv = GroupKFold(4)
        cross_validate(model, plain, y, cv=cv, params=given, error_score="raise")
        expected = [(3, sorted(weight[train].tolist())) for train, _ in cv.split(plain, y, groups)]
        assert seen == expected
        seen.clear()
        Pipeline([("model", model)]).fit(plain, y, **given)
        assert seen == [(4, sorted(weight.tolist()))]
        seen.clear()
        search = GridSearchCV(model, {"unknown_actions": ["ignore"]}, cv=cv, error_score="raise")
        search.fit(plain, y, **given)
        assert seen == [*expected, (4, sorted(weight.tolist()))]
