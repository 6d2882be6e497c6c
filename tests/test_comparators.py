"""The yardsticks, and what each can see."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from ibgn import IntervalSequences
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.evaluation.methods import METHODS
from ibgn.evaluation.yardsticks import extra_trees, mini_rocket, nearest_raster
from ibgn.reproduction.published import PAPER


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [extra_trees, lambda: extra_trees(False), nearest_raster, mini_rocket]
)
def test_they_recognise_what_they_can_see(make):
    if make is mini_rocket:
        pytest.importorskip("aeon")
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
        mini_rocket()


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
