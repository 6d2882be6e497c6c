"""Cross-validated comparisons: folds, scores, paired tests, no leaks, and going on after a stop."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from chance import binomial_bounds
from ibgn import DataError, DataWarning, IntervalSequences, classifiers
from ibgn.classifiers import DBNClassifier
from ibgn.datasets import make_hand_signs, make_relations
from ibgn.declarations import STORABLE
from ibgn.errors import OptionError
from ibgn.evaluation.evaluate import Evaluation, evaluate
from ibgn.evaluation.folds import Fold, make_folds
from ibgn.evaluation.journal import Journal
from ibgn.evaluation.learning import check_sizes, draw_subsets, learning_curve
from ibgn.evaluation.methods import COMPARED, GRIDS, METHODS, make_estimators
from ibgn.evaluation.paired import compare_pairs, corrected_error
from ibgn.evaluation.scores import SCORES, score_predictions
from ibgn.features import IntervalFeatures
from ibgn.metrics import calibration_by_chance, calibration_error, reliability

QUICK = {name: METHODS[name] for name in ("IHMM", "DBN", "ITBN")}
UNTIMED = ["method", "repeat", "fold", "train", "test", *SCORES]


@pytest.fixture(scope="module")
def relations():
    return make_relations(instances_per_activity=15, random_state=0)


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=8, random_state=0)
    chosen = np.isin(y, ["bus", "lab", "leg"])
    return X[chosen], y[chosen]


# folds


@pytest.mark.parametrize("scheme", ["stratified", "group", "leave-one-group-out", "auto"])
def test_folds_test_every_instance_once_and_never_what_they_learn(signs, scheme):
    X, y = signs
    folds = make_folds(X, y, scheme, n_splits=3, n_repeats=2)
    for repeat in {fold.repeat for fold in folds}:
        tested = np.concatenate([fold.test for fold in folds if fold.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(len(X)))
    for fold in folds:
        assert not set(fold.train) & set(fold.test)
        if scheme not in ("stratified",):
            assert not set(X.groups[fold.train]) & set(X.groups[fold.test])


def test_folds_depend_on_the_seed_and_on_nothing_else(relations):
    X, y = relations
    first, again, other = (make_folds(X, y, seed=seed) for seed in (0, 0, 1))
    assert all((a.test == b.test).all() for a, b in zip(first, again, strict=True))
    assert any((a.test != b.test).any() for a, b in zip(first, other, strict=True))


def test_stratified_folds_keep_the_shares_of_labels(relations):
    X, y = relations
    for fold in make_folds(X, y, "stratified", n_splits=5, n_repeats=3):
        assert np.unique(y[fold.test], return_counts=True)[1].tolist() == [3, 3, 3, 3]


def test_auto_follows_the_groups(relations, signs):
    X, y = signs
    assert len(make_folds(X, y)) == 5  # sixteen signers: by group, in five folds
    few = np.isin(X.groups, np.unique(X.groups)[-9:])
    assert len(make_folds(X[few], y[few])) == len(set(X.groups[few]))
    assert len(make_folds(*relations)) == 5


@pytest.mark.parametrize(
    ("scheme", "splits", "message"),
    [
        ("stratified", 16, "none has more than 15; use n_splits=15"),
        ("group", 3, "needs at least two groups, and there are 0"),
        ("some", 3, "choose among"),
        ("stratified", 1, "n_splits=1 must be a whole number from 2 on"),
    ],
)
def test_folds_that_cannot_be(relations, scheme, splits, message):
    with pytest.raises(DataError, match=message):
        make_folds(*relations, scheme, n_splits=splits)


# scores


def test_scores_equal_those_of_others(rng):
    classes = np.array(["a", "b", "c"])
    probabilities = rng.dirichlet(np.ones(3), 50)
    y = rng.choice(classes, 50)
    found = score_predictions(y, classes[probabilities.argmax(axis=1)], probabilities, classes)
    assert set(found) == set(SCORES)
    assert found["log_loss"] == pytest.approx(sklearn_log_loss(y, probabilities))


def test_an_unknown_label_costs_and_is_no_error():
    y = np.array(["a", "new"], object)
    found = score_predictions(
        y, np.array(["a", "a"], object), np.array([[1.0], [1.0]]), np.array(["a"], object)
    )
    assert found["accuracy"] == 0.5
    assert found["log_loss"] == pytest.approx(-np.log(1e-15) / 2)
    assert found["brier_score"] == 1


# evaluation


def test_every_method_and_fold_has_a_row(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=3, n_repeats=2)
    found = evaluate(X, y, QUICK, folds)
    assert len(found.scores) == 3 * 6
    assert len(found.predictions) == 3 * 2 * len(X)
    part = found.predictions[found.predictions["method"] == "ITBN"]
    right = (part["label"] == part["predicted"]).groupby([part["repeat"], part["fold"]]).mean()
    row = found.scores[found.scores["method"] == "ITBN"].set_index(["repeat", "fold"])
    np.testing.assert_allclose(right.to_numpy(), row["accuracy"].to_numpy())
    summary = found.summary()
    assert summary["method"].tolist()[0] == "ITBN"
    assert found.confusion("ITBN").to_numpy().sum() == 2 * len(X)


def test_jobs_change_nothing(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=2)
    one, two = (evaluate(X, y, QUICK, folds, n_jobs=n) for n in (1, 2))
    pd.testing.assert_frame_equal(one.scores[UNTIMED], two.scores[UNTIMED])
    pd.testing.assert_frame_equal(one.predictions, two.predictions)


def made_up(differences, train=80, test=20):
    rows = [
        {"method": name, "repeat": 0, "fold": n, "train": train, "test": test}
        | dict.fromkeys(SCORES, 0.5 + (gain if name == "other" else 0.0))
        | {"fit_seconds": 1.0, "predict_seconds": 1.0}
        for name in ("ours", "other")
        for n, gain in enumerate(differences)
    ]
    return Evaluation(pd.DataFrame(rows), pd.DataFrame())


def test_the_paired_test_is_the_corrected_one():
    gains = np.array([0.1, 0.05, 0.2, -0.02, 0.07])
    row = made_up(gains).compare("ours").iloc[0]
    error = np.sqrt((1 / 5 + 20 / 80) * gains.var(ddof=1))
    assert row["difference"] == pytest.approx(gains.mean())
    assert row["error"] == pytest.approx(error)
    assert row["p"] == pytest.approx(2 * stats.t.sf(gains.mean() / error, 4))
    naive = stats.ttest_1samp(gains, 0).pvalue
    assert row["p"] > naive  # folds that share training instances say less than they seem to


def test_paired_tests_of_equal_methods_and_of_constant_gains():
    assert made_up([0.0, 0.0, 0.0]).compare("ours")["p"][0] == 1
    # a gain that is the same in all folds has no spread to judge it by
    assert np.isnan(made_up([0.1, 0.1, 0.1]).compare("ours")["p"][0])
    assert np.isnan(made_up([0.1]).compare("ours")["p"][0])
    with pytest.raises(
        DataError, match="reference='theirs' is not a method; choose among 'other', 'ours'"
    ):
        made_up([0.1, 0.2]).compare("theirs")


def test_less_of_a_loss_is_better():
    run = made_up([0.1, 0.05, 0.2])  # of every score, also of the losses
    assert run.compare()["reference"].tolist() == ["other"]
    assert run.compare(score="log_loss")["reference"].tolist() == ["ours"]
    assert run.compare(score="brier_score")["difference"][0] == pytest.approx(0.35 / 3)
    with pytest.raises(OptionError, match="score='calibration_error' is not a score of folds; cho"):
        run.compare(score="calibration_error")


def test_a_margin_is_added_before_the_test():
    """Ahead by more than -margin: behind by a little is not sure to be behind by more."""
    scores = made_up([-0.01, 0.0, -0.005, 0.005, -0.01]).scores
    (plain,) = compare_pairs(scores, [("other", "ours")]).itertuples()
    (shifted,) = compare_pairs(scores, [("other", "ours")], margin=0.1).itertuples()
    assert (plain.difference, plain.error) == (shifted.difference, shifted.error)
    assert plain.p > 0.1
    wanted = 2 * stats.t.sf((0.1 + plain.difference) / plain.error, 4)
    assert shifted.p == shifted.p_holm == pytest.approx(wanted)


def test_many_comparisons_are_corrected(relations):
    X, y = relations
    table = evaluate(X, y, QUICK, make_folds(X, y)).compare("ITBN")
    smallest = table["p"].min()
    assert table["p_holm"].min() == pytest.approx(min(2 * smallest, 1))
    assert (table["p_holm"] >= table["p"]).all()


def of_equal_methods(rng, methods=6, folds=10):
    """Scores of methods that are all as good, on folds that hardly share anything."""
    rows = [
        {"method": f"m{m}", "repeat": 0, "fold": n, "train": 10**6, "test": 1}
        | dict.fromkeys(SCORES, value)
        for m, values in enumerate(rng.normal(0.8, 0.05, (methods, folds)).tolist())
        for n, value in enumerate(values)
    ]
    return Evaluation(pd.DataFrame(rows), pd.DataFrame())


def test_the_best_of_the_folds_is_tested_as_one_of_all_pairs(rng):
    """Who is picked by looking at the folds must not be tested as if named before."""
    for _ in range(5):
        run = of_equal_methods(rng, methods=4)
        best = run.scores.groupby("method")["accuracy"].mean().idxmax()
        picked, named = run.compare(), run.compare(best)
        np.testing.assert_array_equal(picked["p"], named["p"])
        least = min(run.compare(f"m{m}")["p"].min() for m in range(4))
        if picked["p"].min() == least:  # six pairs, of which it is the first
            assert picked["p_holm"].min() == pytest.approx(min(6 * least, 1))
        assert (picked["p_holm"] >= named["p_holm"]).all()
        assert named["p_holm"].min() == pytest.approx(min(3 * named["p"].min(), 1))


@pytest.mark.slow
@pytest.mark.statistical(false_alarm=5e-7)
def test_the_best_of_equal_methods_is_seldom_told_apart(rng, false_alarm):
    """Five in a hundred at most; as if named before it would be nine, of which 3.5 are found.

    Whatever is found is found as if named before; that nothing more is has exp(-300 * 0.055).
    """
    runs = [of_equal_methods(rng) for _ in range(300)]
    found = sum(run.compare()["p_holm"].min() < 0.05 for run in runs)
    best = [run.scores.groupby("method")["accuracy"].mean().idxmax() for run in runs]
    named = [run.compare(name)["p_holm"].min() for run, name in zip(runs, best, strict=True)]
    assert found <= binomial_bounds(300, 0.05, false_alarm)[1]
    assert sum(p < 0.05 for p in named) > found  # the control


def test_folds_that_lack_labels_are_judged_together():
    """Each of ten folds has one label; tea is always right, soup never."""
    rows = [("tea", "tea")] * 27 + [("soup", "tea")] * 3
    predictions = pd.DataFrame(rows, columns=["label", "predicted"]).assign(method="m", repeat=0)
    predictions["confidence"] = 0.9
    predictions["fold"] = np.arange(30) // 3
    folds = pd.DataFrame({"fold": range(10), "accuracy": [1.0] * 9 + [0.0]})
    folds = folds.assign(method="m", repeat=0, train=27, test=3, fit_seconds=1.0, predict_seconds=1)
    for score in SCORES[1:]:
        folds[score] = folds["accuracy"]
    row = Evaluation(folds, predictions).summary().iloc[0]
    assert row["accuracy"] == pytest.approx(0.9)
    assert row["balanced_accuracy"] == pytest.approx(0.5)  # and not the mean of folds, .9
    assert row["macro_f1"] == pytest.approx((2 * 27 / 57 + 0) / 2)
    assert row["calibration_error"] == pytest.approx(0, abs=1e-9)  # in folds, 0.1 and 0.9
    assert 0.05 < row["calibration_limit"] < 0.2


def test_calibration_is_of_all_predictions_of_a_repetition(relations):
    X, y = relations
    found = evaluate(X, y, QUICK, make_folds(X, y, n_splits=4, n_repeats=2))
    assert "calibration_error" not in found.scores
    for row in found.summary().to_dict(orient="records"):
        part = found.predictions[found.predictions["method"] == row["method"]]
        once = [p for _, p in part.groupby("repeat")]
        errors = [
            calibration_error((p["label"] == p["predicted"]).to_numpy(), p["confidence"].to_numpy())
            for p in once
        ]
        assert row["calibration_error"] == pytest.approx(np.mean(errors))
        limit = calibration_by_chance(once[0]["confidence"].to_numpy())[-1]
        assert row["calibration_limit"] == limit


def test_reliability_is_that_of_the_predictions_of_each_method(relations):
    X, y = relations
    trees = make_pipeline(IntervalFeatures(), ExtraTreesClassifier(20))
    methods = QUICK | {"trees": trees}
    found = evaluate(X, y, methods, make_folds(X, y, n_splits=2, n_repeats=2))
    frame = found.reliability()
    assert list(dict.fromkeys(frame["method"])) == list(methods)
    assert (frame.groupby("method")["instances"].sum() == 2 * len(X)).all()
    for method, part in found.predictions.groupby("method"):
        right = (part["label"] == part["predicted"]).to_numpy()
        wanted = reliability(right, part["confidence"].to_numpy(), repeats=2)
        bins = frame[frame["method"] == method].drop(columns="method").reset_index(drop=True)
        pd.testing.assert_frame_equal(bins, wanted)
    one = found.predictions[found.predictions["method"] == "trees"]
    fold = make_folds(X, y, n_splits=2, n_repeats=2)[0]
    model = trees.set_params(extratreesclassifier__random_state=0).fit(X[fold.train], y[fold.train])
    stated = model.predict_proba(X[fold.test]).max(axis=1)  # are what trials keep of any method
    np.testing.assert_array_equal(one["confidence"].to_numpy()[: len(stated)], stated)


def test_scores_of_all_folds_together_have_the_error_of_a_mean_where_they_are_one(relations):
    """With as many instances of each label in each fold, balanced accuracy is a mean of folds."""
    X, y = relations
    found = evaluate(X, y, QUICK, make_folds(X, y, n_splits=5))
    for row in found.summary().to_dict(orient="records"):
        assert row["balanced_accuracy"] == pytest.approx(row["accuracy"])
        assert row["balanced_accuracy_error"] == pytest.approx(row["accuracy_error"])


# leaks


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted on; knows a test instance that it has seen."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen_ = {rows[0][0]: label for rows, label in zip(X.to_lists(), y, strict=True)}
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        known = [self.seen_.get(rows[0][0]) for rows in X.to_lists()]
        return np.array([(self.classes_ == (k or self.classes_[0])).astype(float) for k in known])


def planted(n=60):
    """Each instance has an action of its own, which gives its label away to who has seen it."""
    X = IntervalSequences.from_lists([[(f"secret {d}", 0, 1)] for d in range(n)])
    return X, np.array(["a", "b", "c"] * (n // 3))


@pytest.mark.parametrize("search", [None, {"spy": {}}])
def test_nothing_of_a_test_fold_reaches_training(search):
    X, y = planted()
    found = evaluate(X, y, {"spy": lambda seed: Spy()}, make_folds(X, y), search=search)
    assert found.scores["accuracy"].max() < 0.5


def test_control_a_leak_would_show():
    X, y = planted()
    leaking = [fold._replace(train=np.arange(len(X))) for fold in make_folds(X, y)]
    found = evaluate(X, y, {"spy": lambda seed: Spy()}, leaking)
    assert found.scores["accuracy"].min() == 1


def test_parameters_are_searched_within_the_training_set(relations):
    X, y = relations
    grid = {"ITBN": {"smoothing": [0.3, 1e8]}}
    bad = {"ITBN": lambda seed: METHODS["ITBN"](seed).set_params(smoothing=1e8)}
    folds = make_folds(X, y, n_splits=2)
    chosen = evaluate(X, y, bad, folds, search=grid).scores["accuracy"].mean()
    assert chosen > evaluate(X, y, bad, folds).scores["accuracy"].mean() + 0.1


@pytest.mark.parametrize("sizes", [[1, 2, 5], [0.1, 0.5]])
def test_nothing_of_a_test_fold_reaches_training_at_any_size(sizes):
    X, y = planted()
    curve = learning_curve(X, y, {"spy": lambda seed: Spy()}, make_folds(X, y), sizes, draws=2)
    assert curve.scores["size"].nunique() == len(sizes) + 1
    assert curve.scores["accuracy"].max() < 0.5


def test_control_a_leak_would_show_in_a_curve():
    X, y = planted()
    leaking = [fold._replace(train=np.arange(len(X))) for fold in make_folds(X, y)]
    means = learning_curve(X, y, {"spy": lambda seed: Spy()}, leaking, [0.5]).curves()
    assert means["accuracy"][0] > 0.5
    assert means["accuracy"][1] == 1


# learning curves


TINY = np.array(["tea", "tea", "tea", "tea", "soup", "soup", "tea", "soup"])
TINY_FOLD = Fold(0, 0, train=np.arange(6), test=np.array([6, 7]))  # four of tea, two of soup


@pytest.mark.parametrize(
    ("size", "name", "tea", "soup"),
    [(1, "1", 1, 1), (2, "2", 2, 2), (0.5, "50%", 2, 1), (0.75, "75%", 3, 2), (0.01, "1%", 1, 1)],
)
def test_sizes_are_numbers_or_shares_of_each_activity(size, name, tea, soup):
    subset, whole = draw_subsets(TINY, [TINY_FOLD], [size])
    drawn = TINY[subset.fold.train]
    assert [(drawn == label).sum() for label in ("tea", "soup")] == [tea, soup]
    assert subset[:4] == (name, 0, 6, (tea + soup) / 2)
    assert whole[:4] == ("all", 0, 6, 3.0)
    assert whole.fold is not TINY_FOLD
    np.testing.assert_array_equal(whole.fold.train, TINY_FOLD.train)


def test_an_activity_with_fewer_instances_has_all_of_them():
    with pytest.warns(
        DataWarning, match=r"^1 of 2 activities have fewer than 4 .*\(first: 'soup'\); there, "
    ):
        subset, _ = draw_subsets(TINY, [TINY_FOLD], [4])
    np.testing.assert_array_equal(subset.fold.train, np.arange(6))
    with pytest.raises(DataError, match="no activity has 5 .* and 4 at most; name smaller sizes="):
        draw_subsets(TINY, [TINY_FOLD], [1, 5])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([0], "sizes=0 must be a whole number from 1 on"),
        ([True], "sizes=True must be a whole number"),
        (["1"], "sizes='1' must be a whole number"),
        ([0.0], "sizes=0.0 must be above 0 and at most 1 if it is a share"),
        ([1.5], "sizes=1.5 must be above 0 and at most 1"),
        ([float("nan")], "must be above 0"),
        ([1, 0.5], "must be either numbers of instances per activity or shares, not both"),
    ],
)
def test_sizes_that_cannot_be(sizes, message):
    with pytest.raises(OptionError, match=message):
        draw_subsets(TINY, [TINY_FOLD], sizes)


def test_sizes_ascend_and_the_whole_is_always_there():
    assert check_sizes([5, 1, np.int64(2), 5]) == [1, 2, 5]
    assert check_sizes([1.0, 0.5, np.float32(0.25)]) == [0.25, 0.5]
    assert [subset.size for subset in draw_subsets(TINY, [TINY_FOLD], [])] == ["all"]
    with pytest.raises(OptionError, match="draws=0 must be a whole number from 1 on"):
        draw_subsets(TINY, [TINY_FOLD], [1], draws=0)


@pytest.mark.parametrize("sizes", [[1, 2, 4], [0.2, 0.4, 0.9]])
def test_parts_are_nested_and_tests_and_groups_stay_apart(signs, sizes):
    X, y = signs
    folds = make_folds(X, y, "group", n_splits=3)
    subsets = draw_subsets(y, folds, sizes, draws=2, seed=4)
    assert len(subsets) == 3 * (2 * len(sizes) + 1)
    for draw in (0, 1):
        for fold in folds:
            trains = [
                set(subset.fold.train.tolist())
                for subset in subsets
                if subset.fold.number == fold.number
                and (subset.draw == draw or subset.size == "all")
            ]
            assert len(trains) == len(sizes) + 1
            for smaller, larger in pairwise(trains):
                assert smaller < larger
    for subset in subsets:
        whole = folds[subset.fold.number]
        np.testing.assert_array_equal(subset.fold.test, whole.test)
        assert set(subset.fold.train) <= set(whole.train)
        assert not set(X.groups[subset.fold.train]) & set(X.groups[whole.test])
        assert set(y[subset.fold.train]) == set(y[whole.train])
        assert (np.diff(subset.fold.train) > 0).all()


def test_parts_depend_on_seed_draw_and_fold(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=2)

    def trains(seed):
        subsets = draw_subsets(y, folds, [3], draws=2, seed=seed)[:4]
        return [subset.fold.train.tolist() for subset in subsets]

    assert trains(0) == trains(0)
    every = trains(0) + trains(1)
    assert len({tuple(train) for train in every}) == 8


def test_the_last_point_of_a_curve_is_the_evaluation(relations):
    X, y = relations
    folds = make_folds(X, y, n_splits=3)
    curve = learning_curve(X, y, QUICK, folds, [2, 5], draws=2, seed=1)
    whole = evaluate(X, y, QUICK, folds, seed=1)
    pd.testing.assert_frame_equal(curve.whole().scores[UNTIMED], whole.scores[UNTIMED])
    pd.testing.assert_frame_equal(curve.whole().predictions, whole.predictions)
    assert len(curve.scores) == 3 * 3 * 5
    assert len(curve.predictions) == 3 * len(X) * 5
    means = curve.curves().set_index(["method", "size"])
    for row in whole.summary().to_dict(orient="records"):
        last = means.loc[(row["method"], "all")]
        for name in ("accuracy", "accuracy_error", "log_loss_error", "calibration_error"):
            assert last[name] == pytest.approx(row[name])


def test_points_of_a_curve_by_hand(relations):
    """Draws of a fold are averaged first; folds are corrected as whole training sets are."""
    X, y = relations
    folds = make_folds(X, y, n_splits=3)
    curve = learning_curve(X, y, {"ITBN": METHODS["ITBN"]}, folds, [2, 5], draws=3)
    means = curve.curves()
    assert means["size"].tolist() == ["2", "5", "all"]
    assert means["per_activity"].tolist() == means["train"].div(4).tolist() == [2, 5, 10]
    assert means["draws"].tolist() == [3, 3, 1]
    assert means["folds"].tolist() == [3, 3, 3]
    part = curve.scores[curve.scores["size"] == "5"]
    assert set(part["train"]) == {20}
    assert set(part["pool"]) == {40}
    by_fold = part.groupby("fold")["accuracy"].mean()
    assert means["accuracy"][1] == pytest.approx(by_fold.mean())
    error = corrected_error(by_fold, [40] * 3, [20] * 3)
    assert means["accuracy_error"][1] == pytest.approx(error)
    for fold in folds:  # every row is what a method that learned from that part predicts
        subset = draw_subsets(y, folds, [2, 5], draws=3)[fold.number]
        model = METHODS["ITBN"](0).fit(X[subset.fold.train], y[subset.fold.train])
        chosen = (curve.scores["size"] == "2") & (curve.scores["draw"] == 0)
        row = curve.scores[chosen & (curve.scores["fold"] == fold.number)].iloc[0]
        assert row["accuracy"] == model.score(X[fold.test], y[fold.test])


def test_a_curve_resumes_and_shares_a_journal_with_an_evaluation(relations, tmp_path):
    X, y = relations
    folds, path = make_folds(X, y, n_splits=2), tmp_path / "journal"
    whole = learning_curve(X, y, QUICK, folds, [0.2, 0.5], n_jobs=2)
    evaluate(X, y, QUICK, folds, journal=path)
    learning_curve(X, y, QUICK, folds, [0.2], journal=path)
    assert len(Journal(path).results) == 3 * 2 * 2  # the whole was there already
    path.write_bytes(path.read_bytes()[:-40])  # the last line was cut
    before = set(Journal(path).results)
    again = learning_curve(X, y, QUICK, folds, [0.2, 0.5], journal=path)
    assert len(before) == 11
    assert before < set(Journal(path).results)
    assert len(Journal(path).results) == 3 * 2 * 3
    names = [name for name in whole.scores.columns if not name.endswith("_seconds")]
    pd.testing.assert_frame_equal(whole.scores[names], again.scores[names])
    pd.testing.assert_frame_equal(whole.predictions, again.predictions)


# going on after an interruption


def test_what_is_done_is_not_done_again(relations, tmp_path):
    X, y = relations
    folds, path = make_folds(X, y, n_splits=3), tmp_path / "done.jsonl"
    whole = evaluate(X, y, QUICK, folds)
    evaluate(X, y, QUICK, folds[:2], journal=path)
    path.write_bytes(path.read_bytes()[:-40])  # the last line was cut
    ran = []
    calls = []

    def counting(name):
        def make(seed):
            calls.append(name)
            return QUICK[name](seed)

        return make

    again = evaluate(
        X,
        y,
        {name: counting(name) for name in QUICK},
        folds,
        journal=path,
        on_done=lambda task, result: ran.append(task.key),
    )
    pd.testing.assert_frame_equal(whole.scores[UNTIMED], again.scores[UNTIMED])
    pd.testing.assert_frame_equal(whole.predictions, again.predictions)
    assert len(ran) == 9
    lines = [line for line in path.read_text().splitlines() if line.startswith("{")]
    assert len([line for line in lines if _is_json(line)]) == 9  # 5 kept, 4 added


def _is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("change", ["data", "confidence", "labels", "parameters", "folds"])
def test_what_would_come_out_differently_is_done_again(relations, tmp_path, change):
    X, y = relations
    path, folds, methods = tmp_path / "done.jsonl", make_folds(X, y, n_splits=2), QUICK
    if change == "confidence":  # one method will do where each instance has several worlds
        methods = {"DBN": METHODS["DBN"]}
    evaluate(X, y, methods, folds, journal=path)
    before = len(Journal(path).results)
    if change == "data":
        X = IntervalSequences(X.offsets, X.action, X.start, X.end + 0.5, X.actions)
    elif change == "confidence":
        X = X.with_uncertainty(np.full(len(X.action), 0.999))
    elif change == "labels":
        y = y[::-1]
    elif change == "parameters":
        methods = {"ITBN": lambda seed: METHODS["ITBN"](seed).set_params(smoothing=0.5)}
    else:
        folds = make_folds(X, y, n_splits=2, seed=1)
    evaluate(X, y, methods, folds, journal=path)
    assert len(Journal(path).results) == before + 2 * len(methods)


def test_a_journal_survives_rubbish(tmp_path):
    path = tmp_path / "done.jsonl"
    Journal(path).add("a", {"x": 1})
    with path.open("ab") as file:
        file.write(b'rubbish\n[1]\n\xff\xfe\n{"key": 5')
    with pytest.warns(DataWarning, match="3 results damaged, and computed again"):
        journal = Journal(path)
    assert journal.results == {"a": {"x": 1}}
    journal.add("b", {"x": 2})
    with pytest.warns(DataWarning, match="3 results damaged"):  # the cut one is gone
        assert Journal(path).results == {"a": {"x": 1}, "b": {"x": 2}}
    with pytest.raises(DataError, match="could not be"):
        Journal(tmp_path).add("a", {})


def test_a_run_forgets_its_own_results_only(tmp_path):
    path = tmp_path / "journal"
    first, second = Journal(path), Journal(path)
    first.add("a", {"x": 1})
    second.add("b", {"x": 2})
    assert first.get("c") is None
    first.forget()
    assert Journal(path).results == {"b": {"x": 2}}
    with path.open("ab") as file:
        file.write(b'{"key": "cut')
    second.forget()
    assert not path.exists()
    second.forget()  # nothing is left to forget


WRITER = """
import sys
from ibgn.evaluation.journal import Journal
from ibgn.evaluation.learning import check_sizes, draw_subsets, learning_curve
journal = Journal(sys.argv[1])
for number in range(50):
    journal.add(f"{sys.argv[2]}-{number}", {"x": ["y" * 50] * number * 10})
"""


def test_processes_share_a_journal(tmp_path):
    path = tmp_path / "journal"
    command = [sys.executable, "-c", WRITER, str(path)]
    processes = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert set(Journal(path).results) == {f"{name}-{n}" for name in "abc" for n in range(50)}


PROGRAM = """
import sys, time
from pathlib import Path
from ibgn.datasets import make_relations
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import Fold, make_folds
from ibgn.evaluation.methods import METHODS
X, y = make_relations(instances_per_activity=15, random_state=0)
methods = {name: METHODS[name] for name in ("IHMM", "DBN", "ITBN")}
slow = lambda task, result: (print("done", flush=True), time.sleep(float(sys.argv[2])))
found = evaluate(X, y, methods, make_folds(X, y), journal=Path(sys.argv[1]), on_done=slow)
found.predictions.to_csv(sys.argv[1] + ".csv", index=False)
"""


@pytest.mark.slow
def test_killed_half_way_and_started_again_gives_the_same_table(relations, tmp_path):
    path = tmp_path / "done.jsonl"
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen([*command, "0.3"], stdout=subprocess.PIPE) as process:
        for _ in range(6):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert 5 <= len(Journal(path).results) < 15
    begin = time.monotonic()
    subprocess.run([*command, "0"], check=True, capture_output=True)
    assert time.monotonic() - begin < 120
    X, y = relations
    whole = evaluate(X, y, QUICK, make_folds(X, y))
    again = pd.read_csv(f"{path}.csv", dtype={"instance": str}, float_precision="round_trip")
    pd.testing.assert_frame_equal(again, whole.predictions, check_dtype=False)


def test_groups_are_part_of_what_a_journal_knows(signs, tmp_path):
    """Inner folds of a search follow the groups, so other groups give other results."""
    X, y = signs
    folds = make_folds(X, y, "stratified", n_splits=2)
    other = IntervalSequences.from_flat(X.flat, X.actions, X.ids, X.groups[::-1].copy())
    method = {"DBN": METHODS["DBN"]}
    for data in (X, X, other):
        evaluate(data, y, method, folds, journal=tmp_path / "journal")
    assert len((tmp_path / "journal").read_text().splitlines()) == 2 * len(folds)


@pytest.mark.parametrize("damage", ["{}", "[]", "null", '{"tests": []}', '{"tests": [{}]}'])
def test_damaged_results_are_done_again(relations, tmp_path, damage):
    X, y = relations
    folds = make_folds(X, y, n_splits=2)
    method, journal = {"DBN": METHODS["DBN"]}, tmp_path / "journal"
    whole = evaluate(X, y, method, folds, journal=journal)
    keys = [json.loads(line)["key"] for line in journal.read_text().splitlines()]
    journal.unlink()
    for key in keys:
        Journal(journal).add(key, json.loads(damage))
    again = evaluate(X, y, method, folds, journal=journal)
    pd.testing.assert_frame_equal(whole.predictions, again.predictions)


def test_a_search_without_enough_to_split_keeps_the_parameters():
    X = IntervalSequences.from_lists([[("a", 0, 1)], [("b", 0, 1)]] * 2)
    y = np.array(["x", "y"] * 2)
    folds = make_folds(X, y, "stratified", n_splits=2)
    found = evaluate(X, y, {"DBN": METHODS["DBN"]}, folds, search={"DBN": {"n_bins": [1, 2]}})
    assert found.scores["accuracy"].tolist() == [1.0, 1.0]


# methods of users


class Longest(ClassifierMixin, BaseEstimator):
    """Recognises by the action that lasts longest; gives no probabilities."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        known = [(self._longest(rows), label) for rows, label in zip(X.to_lists(), y, strict=True)]
        self.known_ = dict(known)
        return self

    @staticmethod
    def _longest(rows):
        return max(rows, key=lambda row: row[2] - row[1])[0]

    def predict(self, X):
        return np.array([self.known_.get(self._longest(r), self.classes_[0]) for r in X.to_lists()])


@pytest.mark.parametrize(
    "method", [Longest(), Longest, lambda seed: Longest(seed), make_pipeline(Longest())]
)
def test_any_estimator_is_a_method(method):
    X = IntervalSequences.from_lists([[("a", 0, 2), ("b", 1, 2)], [("a", 0, 1), ("b", 0, 3)]] * 6)
    y = np.array(["tea", "soup"] * 6)
    found = evaluate(X, y, {"mine": method}, make_folds(X, y, n_splits=2), n_jobs=2)
    assert found.scores["accuracy"].tolist() == [1.0, 1.0]
    assert found.predictions["probability"].tolist() == [1.0] * 12
    if isinstance(method, BaseEstimator):
        assert not hasattr(method, "classes_")  # a copy learned


def test_seeds_reach_every_step_that_has_none():
    trees = make_pipeline(IntervalFeatures(), ExtraTreesClassifier())
    steady = make_pipeline(IntervalFeatures(), ExtraTreesClassifier(random_state=3))
    made = make_estimators({"a": trees, "b": steady, "c": METHODS["extra trees"]}, 8)
    assert [one[-1].random_state for one in (made["a"], made["b"])] == [8, 3]
    assert made["c"].random_state == 8
    assert trees[-1].random_state is None


@pytest.mark.parametrize("method", ["IBGN", None, 3, lambda seed: seed])
def test_what_is_no_method_is_refused(relations, method):
    X, y = relations
    with pytest.raises(OptionError, match="must be estimators, or functions from a seed to one"):
        evaluate(X, y, {"odd": method}, make_folds(X, y))


def test_a_method_that_cannot_be_pickled_has_no_journal(relations, tmp_path):
    X, y = relations
    odd = make_pipeline(FunctionTransformer(lambda X: X), METHODS["DBN"](0))
    folds = make_folds(X, y, n_splits=2)
    assert len(evaluate(X, y, {"odd": odd}, folds).scores) == 2
    with pytest.raises(OptionError, match="methods='odd' cannot be used with a journal"):
        evaluate(X, y, {"odd": odd}, folds, journal=tmp_path / "journal")


def test_an_option_that_does_not_exist_is_refused(relations):
    X, y = relations
    with pytest.raises(TypeError, match="sede"):
        evaluate(X, y, QUICK, make_folds(X, y), sede=1)


def test_every_grid_is_of_a_method_and_of_its_parameters():
    for name, grid in GRIDS.items():
        assert set(grid) <= set(METHODS[name](0).get_params())
    assert set(COMPARED) <= set(GRIDS)


def test_a_class_that_declares_itself_is_a_method_at_once():
    assert "MINE" not in METHODS

    class Mine(DBNClassifier):
        short_name = "mine"

    try:
        assert isinstance(METHODS["MINE"](0), Mine)
    finally:
        del classifiers.METHODS["mine"], STORABLE["Mine"]
    assert "MINE" not in METHODS
