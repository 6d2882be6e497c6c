"""The yardsticks, and what each can see."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from ibgn import IntervalSequences, load
from ibgn.classifiers import ExtraTrees, MiniRocket, NearestRaster, Recogniser
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.methods import METHODS
from ibgn.features import IntervalFeatures, Raster
from ibgn.reproduction.published import PAPER

YARDSTICKS = ["extra trees", "extra trees without pairs", "nearest raster", "MiniRocket"]


@pytest.mark.slow
@pytest.mark.parametrize("name", YARDSTICKS)
def test_they_recognise_what_they_can_see(name):
    if name == "MiniRocket":
        pytest.importorskip("aeon")

    def make():
        return METHODS[name](0)

    X, y = make_relations(instances_per_activity=60, confusion=0.0, random_state=0)
    test_X, test_y = make_relations(instances_per_activity=25, confusion=0.0, random_state=1)
    model = make().fit(X, y)
    assert model.score(test_X, test_y) > 0.6
    again = clone(model).fit(X, y).predict(test_X)
    np.testing.assert_array_equal(again, model.predict(test_X))
    shuffled = np.random.default_rng(0).permutation(y)
    assert make().fit(X, shuffled).score(test_X, test_y) < 0.45


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "aeon.classification.convolution_based", None)
    with pytest.raises(OptionError, match=r"pip install 'ibgn\[rocket\]'"):
        METHODS["MiniRocket"](0)


class Flat(Raster):
    """A raster in one row."""

    def transform(self, X):
        pictures = super().transform(X)
        return pictures.reshape(len(pictures), -1)


def plain_pipeline(name):
    """The same yardstick as scikit-learn or aeon would be used without this library's classes."""
    if name == "MiniRocket":
        aeon = pytest.importorskip("aeon.classification.convolution_based")
        return make_pipeline(Raster(unknown="ignore"), aeon.MiniRocketClassifier(random_state=0))
    if name == "nearest raster":
        return make_pipeline(Flat(unknown="ignore"), KNeighborsClassifier(1, algorithm="brute"))
    parts = ["statistics"] if name.endswith("without pairs") else ["statistics", "pairs"]
    trees = ExtraTreesClassifier(500, random_state=0)
    return make_pipeline(IntervalFeatures(parts, unknown="ignore"), trees)


@pytest.mark.parametrize("activities", [2, 4])
@pytest.mark.parametrize("name", YARDSTICKS)
def test_they_say_what_the_plain_pipeline_says_and_can_be_saved(name, activities, tmp_path):
    expected = plain_pipeline(name)
    X, y = make_relations(instances_per_activity=10, confusion=0.3, random_state=0)
    X, y = X[: 10 * activities], y[: 10 * activities]
    train = np.arange(len(X)) % 2 == 0
    model = METHODS[name](0).fit(X[train], y[train])
    expected.fit(X[train], y[train])
    probabilities = model.predict_proba(X[~train])
    np.testing.assert_allclose(probabilities, expected.predict_proba(X[~train]), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X[~train]), expected.predict(X[~train]))
    model.save(tmp_path / "model.ibgn")
    loaded = load(tmp_path / "model.ibgn")
    np.testing.assert_array_equal(loaded.predict_proba(X[~train]), probabilities)
    assert type(loaded) is type(model)


def change(model, **parts):
    for name, value in parts.items():
        setattr(model, name, value)
    return model


def test_a_file_whose_parts_do_not_agree_is_refused():
    """As kernels read what indices point to, without a check of their own."""
    X, y = make_relations(instances_per_activity=3, random_state=0)
    nearest = NearestRaster(samples=10).fit(X, y)
    assert nearest.agrees()
    assert not change(nearest, codes_=nearest.codes_ + 1).agrees()
    trees = ExtraTrees(trees=2, random_state=0).fit(X, y)
    assert not change(trees, classes_=trees.classes_[:1]).agrees()
    pytest.importorskip("aeon")
    wrong = {
        "chosen_": lambda part: part + 99,
        "channels_": lambda part: part + 1,
        "dilations_": lambda part: part * 99,
        "numbers_": lambda part: part + 1,
        "intercept_": lambda part: part[1:],
    }
    for name, change_part in wrong.items():
        model = MiniRocket(samples=10, random_state=0).fit(X, y)
        assert model.agrees()
        assert not change(model, **{name: change_part(getattr(model, name))}).agrees()


def test_every_method_is_an_estimator_that_can_be_saved():
    pytest.importorskip("aeon")
    assert all(isinstance(make(0), Recogniser) for make in METHODS.values())


def test_methods_have_the_names_of_the_paper():
    assert set(PAPER) <= set(METHODS)
    assert METHODS["IBGN-F"](3).get_params()["random_state"] == 3


# What a model can see: where only relations differ, those that see none cannot tell.

SEES = {"ITBN", "IBGN-C", "IBGN-F", "IBGN", "extra trees"}
BLIND = {"IHMM", "DBN"}


def _score(method, size=150):
    X, y = make_relations(instances_per_activity=size, random_state=2)
    test_X, test_y = make_relations(instances_per_activity=200, random_state=3)
    model = METHODS[method](0)
    if method.startswith("IBGN"):
        model.set_params(draws=60, budget=900)
    return model.fit(X, y).score(test_X, test_y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", sorted(SEES))
def test_models_of_relations_tell_activities_apart_that_differ_in_nothing_else(method):
    assert _score(method) > 0.75  # 0.81 is the most that a confusion of 0.1 leaves


@pytest.mark.parametrize("method", sorted(BLIND))
def test_models_without_relations_do_not(method):
    assert abs(_score(method) - 0.25) < 0.06  # three standard errors of 800 instances are .046


def test_the_simulated_activities_differ_in_relations_alone():
    X, y = make_relations(instances_per_activity=400, random_state=4)
    rows = X.to_lists()
    assert {tuple(a for a, _, _ in row) for row in rows} == {("hold", "pour", "press", "stir")}
    length = np.array([[e - s for _, s, e in row] for row in rows])
    means = np.array([np.log(length[y == label]).mean(axis=0) for label in np.unique(y)])
    assert np.ptp(means, axis=0).max() < 0.3 * 4 / np.sqrt(400)
    together = np.array([[row[0][2] > row[1][1], row[2][2] > row[3][1]] for row in rows])
    for label in np.unique(y):
        wanted = [word == "together" for word in label.split(", ")]
        assert abs((together[y == label] == wanted).mean(axis=0) - 0.9).max() < 0.06


def test_confusion_of_a_half_leaves_nothing_to_see():
    X, y = make_relations(instances_per_activity=200, confusion=0.5, random_state=5)
    test_X, test_y = make_relations(instances_per_activity=200, confusion=0.5, random_state=6)
    assert METHODS["ITBN"](0).fit(X, y).score(test_X, test_y) < 0.32


def test_options_of_the_simulator():
    assert len(make_relations(instances_per_activity=0)[0]) == 0
    assert isinstance(make_relations()[0], IntervalSequences)
    for options in ({"confusion": 2.0}, {"instances_per_activity": -1}):
        with pytest.raises(OptionError):
            make_relations(**options)


def test_features_do_not_need_evaluation():
    code = "import sys, ibgn.features; assert 'ibgn.evaluation' not in sys.modules, sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
