"""Extra trees and ridge regression on features: what they say of instances that are left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ibgn import DataError, IntervalForest, IntervalRidge, IntervalSequences
from ibgn._kernels import trees as kernels
from ibgn.classifiers.imported import import_classifier
from ibgn.datasets import make_hand_signs
from ibgn.features import Convolutions, IntervalFeatures
from ibgn.model.forest import Forest
from ibgn.model.ridge import fit_ridge
from model_files import again

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_hand_signs(instances_per_style=6, random_state=1)
    chosen = np.isin(y, np.unique(y)[:4])
    return X[chosen], y[chosen]


# Ridge regression


def plain_ridge(rows, codes, activities, penalty, test):
    """Scores of test rows by the normal equations, with an intercept that is not penalised."""
    targets = np.where(np.arange(activities) == codes[:, None], 1.0, -1.0)
    mean, centre = rows.mean(axis=0), targets.mean(axis=0)
    apart = rows - mean
    gram = apart.T @ apart + penalty * np.eye(rows.shape[1])
    return (test - mean) @ np.linalg.solve(gram, apart.T @ (targets - centre)) + centre


@given(SEEDS, st.booleans(), st.booleans())
def test_left_out_scores_are_those_of_learning_without_the_block(seed, wide, grouped):
    """What tells a label away would show here: each block is really left out."""
    rng = np.random.default_rng(seed)
    n, width, activities = 12, 20 if wide else 4, 3
    rows = rng.normal(size=(n, width))
    rows -= rows.mean(axis=0)
    codes = np.append(np.arange(activities), rng.integers(0, activities, n - activities))
    blocks = rng.integers(0, 4, n) if grouped else np.arange(n)
    fit = fit_ridge(rows, codes, activities, blocks)
    scale = np.mean((rows**2).sum(axis=1)) if wide else (rows**2).sum() / width
    penalty = fit.penalty * scale
    whole = plain_ridge(rows, codes, activities, penalty, rows)
    mine = rows @ fit.coefficients + fit.intercept
    sharpness = mine.std() / whole.std()
    np.testing.assert_allclose(mine, sharpness * whole, rtol=1e-6, atol=1e-8)
    for block in np.unique(blocks):
        out = blocks == block
        if out.all():
            continue
        plain = plain_ridge(rows[~out], codes[~out], activities, penalty, rows[out])
        np.testing.assert_allclose(fit.held_out[out], sharpness * plain, rtol=1e-5, atol=1e-7)


def test_control_labels_without_meaning_are_not_recognised_when_left_out(rng):
    """More columns than rows fit any labels; what is left out must stay at chance."""
    rows = rng.normal(size=(60, 200))
    rows -= rows.mean(axis=0)
    codes = np.arange(60) % 3
    fit = fit_ridge(rows, codes, 3, np.arange(60))
    assert ((rows @ fit.coefficients).argmax(axis=1) == codes).mean() > 0.9  # learned by heart
    assert (fit.held_out.argmax(axis=1) == codes).mean() < 0.6
    loss = -log_softmax(fit.held_out, axis=1)[np.arange(60), codes].mean()
    assert loss < np.log(3) + 0.05  # and they know it


def test_probabilities_keep_a_doubt_where_all_is_recognised():
    rows = np.repeat([[1.0], [-1.0]], 10, axis=0)
    fit = fit_ridge(rows, np.repeat([0, 1], 10), 2, np.arange(20))
    most = np.exp(log_softmax(fit.held_out, axis=1)).max()
    assert 0.9 < most < 0.999


# Trees


@given(SEEDS, st.integers(1, 3))
def test_votes_are_those_of_the_trees(seed, activities):
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, (30, 5)).astype(np.float32)  # with conflicting duplicates
    codes = np.append(np.arange(activities), rng.integers(0, activities, 30 - activities))
    forest = ExtraTreesClassifier(4, max_depth=3, random_state=0).fit(rows, codes)
    mine = Forest.of(forest.estimators_)
    assert mine.agrees()
    np.testing.assert_allclose(mine.vote(rows, activities) / 4, forest.predict_proba(rows))
    asked = rng.random((4, 30)) < 0.5
    some = mine.vote(rows, activities, asked)
    for d in range(30):
        plain = sum(
            tree.predict_proba(rows[[d]])[0]
            for tree, asks in zip(forest.estimators_, asked[:, d], strict=True)
            if asks
        )
        np.testing.assert_allclose(some[d], plain, atol=1e-12)


def test_what_is_left_out_of_a_tree_does_not_change_it(data):
    """Held-out votes come from trees that have not seen the instance: labels can be shuffled."""
    X, y = data
    shuffled = np.random.default_rng(0).permutation(y)
    held_out = IntervalForest(trees=50, random_state=0).fit_held_out(X, shuffled)
    classes = np.unique(y)
    assert np.mean(classes[held_out.argmax(axis=1)] == shuffled) < 0.55  # four words
    model = IntervalForest(trees=50, random_state=0)
    assert np.mean(classes[model.fit_held_out(X, y).argmax(axis=1)] == y) > 0.9
    # the control: those who have seen it know it by heart
    seen = IntervalForest(trees=50, random_state=0).fit(X, shuffled)
    assert np.mean(seen.predict(X) == shuffled) > 0.9


def test_groups_are_left_out_as_a_whole(data):
    X, y = data
    seen = []

    class Watched(IntervalForest):
        def _learn(self, rows, codes, blocks, weight):
            seen.append(blocks)
            return super()._learn(rows, codes, blocks, weight)

    Watched(trees=3, random_state=0).fit(X, y)
    groups = np.array([str(group) for group in X.groups])
    assert len(np.unique(seen[0])) == len(np.unique(groups))
    for block in np.unique(seen[0]):
        assert len(np.unique(groups[seen[0] == block])) == 1
    alone = IntervalSequences.from_flat(X.flat, X.actions)
    Watched(trees=3, random_state=0).fit(alone, y)
    assert len(np.unique(seen[1])) == len(X)


@pytest.mark.parametrize(
    "model",
    [
        IntervalForest(trees=10, random_state=0),
        IntervalRidge(),
        IntervalRidge(Convolutions(30, samples=20)),
        IntervalForest(IntervalFeatures(["occupancy"]), trees=5, random_state=0),
    ],
    ids=str,
)
def test_models_come_back_and_are_repeatable(model, data, tmp_path):
    X, y = data
    fitted = model.fit(X, y)
    back = again(fitted, tmp_path)
    np.testing.assert_array_equal(back.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)
    before = fitted.predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), before)
    assert fitted.scores(X[:0]).shape == (0, 1, len(fitted.classes_))
    for d in range(0, len(X), 7):
        np.testing.assert_allclose(fitted.predict_proba(X[d]), before[[d]], atol=1e-12)


@pytest.mark.usefixtures("unquestioned")
def test_one_activity_and_instances_without_intervals():
    for model in (IntervalForest(trees=3, random_state=0), IntervalRidge()):
        assert model.fit([[("a", 0, 1)]], ["x"]).predict([[], [("b", 0, 1)]]).tolist() == ["x", "x"]
        assert len(model.fit([[], [("a", 0, 1)]], ["x", "y"]).predict([[]])) == 1


def test_features_must_transform():
    with pytest.raises(ValueError, match="transformer"):
        IntervalForest(features="pairs").fit([[("a", 0, 1)]], ["x"])


# Classifiers of scikit-learn as arrays


@pytest.mark.parametrize(
    "last",
    [
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("labels", [2, 4])
def test_imported_classifiers_say_the_same(last, scaled, labels, data):
    X, y = data
    chosen = np.isin(y, np.unique(y)[:labels])
    X, y = X[chosen], y[chosen]
    scaler = [StandardScaler()] if scaled else []
    model = make_pipeline(IntervalFeatures(["statistics"]), *scaler, last).fit(X, y)
    imported = import_classifier("mine", model)
    assert imported.agrees()
    assert imported.classes_.tolist() == model.classes_.tolist()
    np.testing.assert_allclose(imported.predict_proba(X), model.predict_proba(X), atol=1e-9)
    with pytest.raises(DataError, match="cannot learn again"):
        imported.fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(IntervalFeatures(["statistics"]), HistGradientBoostingClassifier()),
        make_pipeline(
            IntervalFeatures(["statistics"]), FunctionTransformer(), LogisticRegression()
        ),
        LogisticRegression(),
    ],
    ids=["boosting", "function", "no features"],
)
def test_what_is_not_arrays_is_refused_by_name(model):
    with pytest.raises(DataError, match="'mine' .*cannot be stored without pickle"):
        import_classifier("mine", model)


def test_every_kernel_has_a_twin():
    """`vote` is compared with scikit-learn's own trees above; there is no other."""
    assert [name for name in vars(kernels) if hasattr(vars(kernels)[name], "py_func")] == ["vote"]
