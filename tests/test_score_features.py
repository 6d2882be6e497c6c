"""Scores of terms as features: in training they are of models that learned from others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from ibgn import DataError, DBNClassifier, IBGNClassifier, IntervalSequences
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.features import IntervalFeatures, ScoreFeatures
from ibgn.model.folds import make_inner_folds

# sums of logarithms in another order
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def light(**options):
    """Counts of parts are all that this model learns from, so parts can be left out exactly."""
    parts = {"structure": "full", "terms": ("order", "relations")}
    return IBGNClassifier(**parts, tolerance=0, copy_weight=0, **options)


@pytest.fixture
def relations(seed):
    return make_relations(instances_per_activity=12, random_state=seed)


def in_groups(X, rng):
    groups = rng.permutation(np.arange(len(X)) % 7)
    return IntervalSequences.from_flat(X.flat, X.actions, X.ids, groups)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("model", [light(), light(weights="equal"), DBNClassifier()])
def test_each_instance_is_scored_by_what_was_learned_from_others(relations, model, grouped, rng):
    X, y = relations
    X = in_groups(X, rng) if grouped else X
    found = ScoreFeatures(model, centred=False).fit_transform(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    folds = make_inner_folds(X, codes, 5)
    assert len(folds) == 5
    for fold in folds:
        others = np.setdiff1d(np.arange(len(X)), fold)
        if grouped:
            assert not {*X.groups[fold]} & {*X.groups[others]}
        scores = clone(model).fit(X[others], y[others]).scores(X[fold])
        np.testing.assert_allclose(found[fold], scores.reshape(len(fold), -1), **CLOSE)


@pytest.mark.parametrize("model", [light(), DBNClassifier()])
def test_a_model_is_less_sure_of_what_it_does_not_know(relations, model):
    """The control of the test before: scores of what was learned are others, and higher."""
    X, y = relations
    features = ScoreFeatures(model, centred=False)
    held_out = features.fit_transform(X, y)
    own = features.transform(X)
    codes = np.unique(y, return_inverse=True)[1]
    shape = len(X), len(features.model_.terms_), -1
    gain = (own - held_out).reshape(shape)[np.arange(len(X)), :, codes]
    assert gain.mean() > 0.01


@pytest.mark.parametrize("model", [light(), DBNClassifier()])
def test_it_learns_the_same_whether_scores_are_held_out_or_not(relations, model):
    X, y = relations
    features = ScoreFeatures(model).fit(X, y)
    other = clone(features)
    other.fit_transform(X, y)
    np.testing.assert_array_equal(features.transform(X), other.transform(X))
    expected = clone(model).fit(X, y).scores(X)
    raw = features.set_params(centred=False).transform(X)
    np.testing.assert_array_equal(raw, expected.reshape(len(X), -1))


def test_centred_scores_of_a_term_add_up_to_nothing_and_keep_differences(relations):
    X, y = relations
    features = ScoreFeatures(light()).fit(X, y)
    centred = features.transform(X).reshape(len(X), 2, -1)
    raw = features.set_params(centred=False).transform(X).reshape(len(X), 2, -1)
    np.testing.assert_allclose(centred.sum(axis=2), 0, atol=1e-9)
    np.testing.assert_allclose(np.diff(centred), np.diff(raw), **CLOSE)


def test_an_instance_has_the_same_scores_in_any_batch(relations):
    X, y = relations
    features = ScoreFeatures(light()).fit(X, y)
    together = features.transform(X)
    np.testing.assert_array_equal(features.transform(X[::-1]), together[::-1])
    for d in range(0, len(X), 7):
        np.testing.assert_array_equal(features.transform(X[d])[0], together[d])


@pytest.mark.parametrize("model", [light(), DBNClassifier()])
def test_the_order_of_instances_does_not_matter(relations, model, rng):
    X, y = relations
    order = rng.permutation(len(X))
    found = ScoreFeatures(model).fit_transform(X, y)
    again = ScoreFeatures(model).fit_transform(X[order], y[order])
    np.testing.assert_allclose(again, found[order], **CLOSE)


def test_an_activity_that_no_other_fold_has_is_as_likely_as_the_least_likely(relations):
    X, y = relations
    y = y.copy()
    y[0] = "rare"
    features = ScoreFeatures(DBNClassifier(), centred=False)
    found = features.fit_transform(X, y)
    names = features.get_feature_names_out().tolist()
    rare = names.index("steps under 'rare'")
    assert found[0, rare] == found[0].min()
    assert np.isfinite(found).all()


def test_names_and_frames(relations):
    X, y = relations
    features = ScoreFeatures(light()).set_output(transform="pandas")
    frame = features.fit_transform(X, y)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == features.get_feature_names_out().tolist()
    labels = sorted(set(y))
    assert frame.columns.tolist()[:5] == [
        *(f"order under {label!r}" for label in labels),
        f"relations under {labels[0]!r}",
    ]
    numbered = ScoreFeatures(light()).fit(X, np.unique(y, return_inverse=True)[1])
    assert numbered.get_feature_names_out()[0] == "order under 0"


def test_it_works_in_pipelines_unions_and_searches(relations):
    X, y = relations
    both = make_union(ScoreFeatures(light()), IntervalFeatures(["statistics"]))
    ridge = make_pipeline(both, StandardScaler(), RidgeClassifier())
    assert cross_val_score(ridge, X, y, cv=3).mean() > 0.4  # one in four by chance
    scores = make_pipeline(ScoreFeatures(light()), RidgeClassifier())
    search = GridSearchCV(scores, {"scorefeatures__model__smoothing": [0.1, 1.0]}, cv=2)
    assert search.fit(X, y).predict(X[:3]).shape == (3,)
    assert search.best_estimator_[0].model_.smoothing in (0.1, 1.0)


def test_the_model_is_copied(relations):
    model = light()
    features = ScoreFeatures(model)
    features.fit_transform(*relations)
    assert not hasattr(model, "classes_")
    assert clone(features).get_params()["model"].get_params() == model.get_params()


def test_invalid_use_is_refused(relations):
    X, y = relations
    with pytest.raises(OptionError, match="must be a classifier with terms"):
        ScoreFeatures(RidgeClassifier()).fit(X, y)
    with pytest.raises(OptionError, match="centred='no' must be true or false"):
        ScoreFeatures(light(), centred="no").fit_transform(X, y)
    for use in (lambda f: f.transform(X), lambda f: f.get_feature_names_out()):
        with pytest.raises(NotFittedError):
            use(ScoreFeatures(light()))
    with pytest.raises(DataError, match="no activity has two instances"):
        ScoreFeatures(DBNClassifier()).fit_transform(X[:2], ["a", "b"])
