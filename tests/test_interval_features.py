"""Features of intervals: equal to their definitions, whatever else is transformed with them."""

import time
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline, make_union

import naive_features
from ibgn import DataError, DataWarning, IntervalSequences, allen
from ibgn._kernels import features as kernels
from ibgn.datasets import make_relations
from ibgn.errors import OptionError
from ibgn.features import IntervalFeatures, Raster
from ibgn.features.presence import find_presence, known_actions
from ibgn.features.statistics import STATISTICS
from strategies import HORIZONS, sequences

# times are divided by the length of an instance: a few roundings of numbers up to 20
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
PARTS = ("statistics", "pairs", "occupancy", "raster")
X = [[("a", 1, 3), ("b", 2, 6), ("a", 5, 6)], [("b", 0, 4)], []]
some_parts = st.lists(st.sampled_from(PARTS), min_size=1, unique=True)


def presence(X):
    return find_presence(X, known_actions(X), "error")


def dense(features):
    return features.toarray() if issparse(features) else features


# Kernels


@given(sequences(), st.integers(1, 9))
def test_kernels_of_single_actions_equal_their_twins(X, parts):
    times = X.offsets, X.start, X.end
    np.testing.assert_array_equal(kernels.find_spans(*times), naive_features.find_spans(*times))
    found = presence(X)
    for name in ("sample_actions", "occupy_bins"):
        given_to = found.cell, *found.parts, len(found.action), parts
        kernel, twin = getattr(kernels, name), getattr(naive_features, name)
        if name == "sample_actions":  # whether it goes on at its very end is a matter of rounding
            ends = np.concatenate(found.parts) * parts - 0.5
            if (np.abs(ends - np.round(ends)) < 1e-9).any():
                continue
        np.testing.assert_allclose(kernel(*given_to), twin(*given_to), **CLOSE)


@given(sequences(longest=20), HORIZONS)
def test_relations_are_counted_as_their_twins_count_them(X, horizon):
    f = presence(X)
    given_to = f.offsets, f.rows, f.cell, f.start, f.end, f.action, f.actions, horizon
    expected = naive_features.count_relations(*given_to)
    for mine, twin in zip(kernels.count_relations(*given_to), expected, strict=True):
        np.testing.assert_array_equal(mine, twin)


@given(sequences(least=1, most=1, longest=20), HORIZONS)
def test_relations_of_one_instance(X, horizon):
    f, size = presence(X), len(known_actions(X))
    mine, twin = np.zeros((2, size, size, 7), np.int64)
    scratch = np.zeros(size, np.int64), np.zeros(len(f.cell), np.int64)
    kernels.relate_actions(f.cell, f.start, f.end, mine, *scratch, horizon)
    naive_features.relate_actions(f.cell, f.start, f.end, twin, *scratch, horizon)
    np.testing.assert_array_equal(mine, twin)
    written = []
    for module in (kernels, naive_features):
        keys, numbers = np.zeros((2, mine.size + 1), np.int64)
        used = module.write_counts(mine, f.action[: f.rows[1]], f.actions + 2, keys, numbers, 1)
        written.append((used, keys.tolist(), numbers.tolist()))
    assert written[0] == written[1]


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 20))
def test_arrays_are_enlarged(room, used, size):
    values, used = np.arange(room), min(used, room)
    mine, twin = (m.enlarge(values, used, size) for m in (kernels, naive_features))
    assert len(mine) == len(twin) >= size
    np.testing.assert_array_equal(mine[:used], twin[:used])


# What the columns are


def plain_statistics(rows, action):
    """Of one action in one instance, by their names."""
    own = [(n, s, e) for n, (a, s, e) in enumerate(rows) if a == action]
    if not own:
        return dict.fromkeys(STATISTICS, 0.0)
    begin, stop = min(s for _, s, _ in rows), max(e for *_, e in rows)
    length = stop - begin
    durations = np.array([e - s for _, s, e in own])
    first, last = min(s for _, s, _ in own), max(e for *_, e in own)
    middle = sum((e - s) * ((s + e) / 2 - begin) for _, s, e in own) / durations.sum()
    pause = (last - first - durations.sum()) / (len(own) - 1) if len(own) > 1 else 0
    return {
        "occurrences of": len(own),
        "total duration of": durations.sum(),
        "mean duration of": durations.mean(),
        "longest duration of": durations.max(),
        "deviation of durations of": durations.std(),
        "share of time of": durations.sum() / length,
        "mean pause of": pause / length,
        "part from the first start of": (stop - first) / length,
        "part up to the last end of": (last - begin) / length,
        "mean instant of": middle / length,
        "intervals from the first of": 1 - own[0][0] / len(rows),
        "intervals up to the last of": (own[-1][0] + 1) / len(rows),
    }


@given(sequences())
def test_statistics_are_what_their_names_say(X):
    features = IntervalFeatures(["statistics"]).set_output(transform="pandas")
    found = features.fit_transform(X)
    for d, rows in enumerate(X.to_lists()):
        for action in features.actions_:
            for statistic, value in plain_statistics(rows, action).items():
                shown = found[f"{statistic} {action!r}"][d]
                np.testing.assert_allclose(shown, value, err_msg=statistic, **CLOSE)
    assert found.shape[1] == len(features.actions_) * len(STATISTICS)


def test_statistics_by_hand():
    found = IntervalFeatures(["statistics"]).fit_transform(X)
    a = [2, 3, 1.5, 2, 0.5, 0.6, 0.4, 1, 1, (2 * 0.2 + 0.9) / 3, 1, 1]
    b = [1, 4, 4, 4, 0, 0.8, 0, 0.8, 1, 0.6, 2 / 3, 2 / 3]
    whole = [1, 4, 4, 4, 0, 1, 0, 1, 1, 0.5, 1, 1]
    expected = [[*a, *b], [0] * 12 + whole, [0] * 24]
    np.testing.assert_allclose(found, expected, **CLOSE)


def test_rounding_is_no_deviation_and_no_pause():
    """Columns that vary by rounding alone would be noise where columns are scaled."""
    tenths = [("a", n / 10, (n + 1) / 10) for n in range(10)]
    found = IntervalFeatures(["statistics"]).set_output(transform="pandas").fit_transform([tenths])
    assert found["deviation of durations of 'a'"][0] == found["mean pause of 'a'"][0] == 0


@given(sequences())
def test_pairs_are_counted_by_actions_and_relation(X):
    features = IntervalFeatures(["pairs"]).set_output(transform="pandas")
    found = features.fit_transform(X)
    expected = pd.DataFrame(0.0, range(len(X)), found.columns)
    for d, rows in enumerate(X.to_lists()):
        for n, (first, s, e) in enumerate(rows):
            for second, s2, e2 in rows[n + 1 :]:
                name = f"{first!r} {allen.relation((s, e), (s2, e2)).label} {second!r}"
                assert name in found.columns
                expected.loc[d, name] += 1
    pd.testing.assert_frame_equal(found, expected, check_index_type=False)
    assert (found.sum() > 0).all()  # there are no columns of what never occurs


@given(sequences(), st.integers(1, 7))
def test_occupancy_and_raster_are_of_the_same_time(X, bins):
    """Occupancy of fine parts, averaged, is that of coarse ones; a raster samples them."""
    coarse = IntervalFeatures(["occupancy"], bins=bins).fit(X).transform(X)
    fine = IntervalFeatures(["occupancy"], bins=3 * bins).fit(X).transform(X)
    if coarse.size:
        np.testing.assert_allclose(fine.reshape(*coarse.shape, 3).mean(axis=2), coarse, **CLOSE)
    raster = Raster(bins).fit(X).transform(X)
    flat = IntervalFeatures(["raster"], samples=bins).fit(X).transform(X)
    np.testing.assert_array_equal(flat.toarray(), raster.reshape(len(X), flat.shape[1]))


def test_occupancy_by_hand():
    found = IntervalFeatures(["occupancy"], bins=2).fit_transform(X)
    np.testing.assert_allclose(found, [[0.8, 0.4, 0.6, 1], [0, 0, 1, 1], [0, 0, 0, 0]], **CLOSE)


@given(sequences())
def test_rasters_are_samples(X):
    found = Raster(7).fit(X).transform(X)
    names = sorted({X.actions[code] for code in X.action})
    for d, rows in enumerate(X.to_lists()):
        begin = min((s for _, s, _ in rows), default=0)
        length = max((e for _, _, e in rows), default=1) - begin
        for t in range(7):
            at = (t + 0.5) / 7
            edges = [(time - begin) / length for row in rows for time in row[1:]]
            if any(abs(edge - at) < 1e-9 for edge in edges):
                continue  # whether it runs is a matter of rounding
            for number, name in enumerate(names):
                running = sum(
                    a == name and (s - begin) / length <= at < (e - begin) / length
                    for a, s, e in rows
                )
                assert found[d, number, t] == running


# The same, whatever else is there


@given(sequences(least=1), sequences(), some_parts, st.randoms(use_true_random=False))
def test_an_instance_has_the_same_numbers_in_any_batch(train, test, parts, random):
    features = IntervalFeatures(parts, bins=3, samples=4, unknown="ignore").fit(train)
    together = dense(features.transform(test))
    order = random.sample(range(len(test)), len(test))
    np.testing.assert_array_equal(dense(features.transform(test[order])), together[order])
    for d in range(len(test)):
        np.testing.assert_array_equal(dense(features.transform(test[d]))[0], together[d])


@given(sequences(least=1), some_parts)
def test_fit_and_transform_together_give_the_same(X, parts):
    features = IntervalFeatures(parts, bins=3, samples=4)
    together = features.fit_transform(X)
    apart = clone(features).fit(X.to_lists()).transform(X.to_lists())
    np.testing.assert_array_equal(dense(together), dense(apart))
    assert issparse(together) == issparse(apart) == bool({"pairs", "raster"} & {*parts})
    parts_alone = [dense(clone(features).set_params(parts=[p]).fit_transform(X)) for p in parts]
    np.testing.assert_array_equal(dense(together), np.hstack(parts_alone))


@given(sequences(least=1), st.integers(-1000, 1000), st.sampled_from([0.5, 2.0, 64.0]))
def test_only_durations_depend_on_the_origin_and_unit_of_time(X, origin, unit):
    moved = IntervalSequences.from_lists(
        [[(a, (s + origin) * unit, (e + origin) * unit) for a, s, e in row] for row in X.to_lists()]
    )
    features = IntervalFeatures(PARTS, bins=3, samples=4).set_output(transform="pandas")
    mine, its = features.fit_transform(X), features.fit_transform(moved)
    absolute = [name for name in mine if "duration" in name]
    np.testing.assert_allclose(its[absolute], unit * mine[absolute], **CLOSE)
    others = [name for name in mine if name not in absolute and " instant " not in name]
    np.testing.assert_allclose(its[others], mine[others], **CLOSE)


@pytest.mark.parametrize("kind", [lambda: IntervalFeatures(PARTS, samples=4), lambda: Raster(4)])
def test_an_uncertain_instance_is_taken_as_it_most_likely_is(kind):
    given_as = IntervalSequences.from_lists([[("a", 0, 2), ("b", 1, 3), ("c", 2, 9)]])
    unsure = given_as.with_uncertainty([1, 0.9, 0.1], [{"a": 0.2, "d": 0.8}, None, None])
    likely = IntervalSequences.from_lists([[("d", 0, 2), ("b", 1, 3)]])
    mine, its = kind().fit(unsure), kind().fit(likely)
    assert mine.actions_ == its.actions_ == ("b", "d")
    np.testing.assert_array_equal(dense(mine.transform(unsure)), dense(its.transform(likely)))


# Actions that did not occur in fit


def test_actions_not_seen_in_fit_are_left_out_with_a_warning():
    features = IntervalFeatures().fit(X)
    with_new = [[*X[0], ("new", 2, 5), ("newer", 2, 6)], X[1]]
    with pytest.warns(DataWarning, match=r"left out 2 intervals of 2 actions .*'new', 'newer'"):
        found = features.transform(with_new)
    np.testing.assert_array_equal(found.toarray(), features.transform(X[:2]).toarray())
    raster = Raster(8).fit(X)
    with pytest.warns(DataWarning, match="left out 1 interval of 1 action "):
        assert not raster.transform([[("new", 0, 1)]]).any()


def test_unknown_actions_can_be_ignored_or_refused():
    new = [[("new\n", 0, 1)]]
    for kind in (IntervalFeatures, Raster):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not dense(kind(unknown="ignore").fit(X).transform(new)).any()
        with pytest.raises(DataError, match=r"'new\\n'\); unknown='warn' leaves them out"):
            kind(unknown="error").fit(X).transform(new)


def test_all_intervals_count_for_when_an_instance_begins_and_ends():
    features = IntervalFeatures(["occupancy"], bins=2, unknown="ignore").fit(X)
    found = features.transform([[("b", 0, 1), ("new", 1, 2)]])
    np.testing.assert_array_equal(found, [[0, 0, 1, 0]])


def test_a_pair_that_was_not_seen_in_fit_has_no_column():
    features = IntervalFeatures(["pairs"]).fit([[("a", 0, 1), ("b", 2, 3)]])
    assert features.pairs_.tolist() == [[0, 1, allen.Relation.BEFORE]]
    found = features.transform([[("a", 0, 1), ("b", 1, 2)], [("a", 0, 1), ("b", 3, 4)]])
    assert found.toarray().tolist() == [[0], [1]]


def test_what_was_learned_agrees_only_as_it_is_learned():
    features = IntervalFeatures().fit([[("a", 0, 1), ("b", 1, 2), ("a", 3, 4)]])
    pairs = features.pairs_
    assert features.agrees()
    shifts = np.array([[0, 0, 6], [1, 0, 0], [0, 1, 0]])
    for wrong in (pairs[::-1], np.repeat(pairs, 2, axis=0), *(pairs + shift for shift in shifts)):
        features.pairs_ = wrong
        assert not features.agrees()


# Conventions of scikit-learn


def test_names_are_unique_and_plain_whatever_actions_are_called():
    odd = ["a", "a before b", "b", "a' before 'b", 'a" before "b', "a\n", "a\\n", "\u200f", "é"]
    rows = [(name, 2 * n, 2 * n + 1) for n, name in enumerate(odd)]
    features = IntervalFeatures(PARTS, bins=3, samples=2).fit([rows, rows[::-1]])
    names = features.get_feature_names_out()
    assert len(set(names)) == len(names) == features.transform([rows]).shape[1]
    assert all(name.isprintable() for name in names)
    assert "'a before b' before 'b'" in names


@pytest.mark.parametrize("parts", [["pairs"], PARTS, ["occupancy"]])
def test_frames(parts):
    plain = IntervalFeatures(parts).fit(X)
    expected = dense(plain.transform(X))
    frame = clone(plain).set_output(transform="pandas").fit_transform(X)
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == plain.get_feature_names_out().tolist()
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    with sklearn.config_context(transform_output="pandas"):
        np.testing.assert_array_equal(plain.transform(X).to_numpy(), expected)
    polars = pytest.importorskip("polars")
    assert isinstance(plain.set_output(transform="polars").transform(X), polars.DataFrame)


def test_sparse_arrays_have_indices_that_trees_take():
    found = IntervalFeatures(PARTS).fit_transform(X)
    assert issparse(found)
    assert found.indices.dtype == found.indptr.dtype == np.int32
    assert isinstance(IntervalFeatures(PARTS, sparse=False).fit_transform(X), np.ndarray)


def test_it_works_in_pipelines_searches_and_copies():
    data, y = make_relations(instances_per_activity=25, confusion=0.0, random_state=0)
    trees = make_pipeline(IntervalFeatures(), ExtraTreesClassifier(20, random_state=0))
    assert cross_val_score(trees, data, y, cv=3).mean() > 0.5
    both = make_union(IntervalFeatures(["statistics"]), IntervalFeatures(["pairs"]))
    ridge = make_pipeline(both, RidgeClassifier())
    assert ridge.fit(data, y).score(data, y) > 0.5
    search = GridSearchCV(trees, {"intervalfeatures__parts": [["pairs"], ["occupancy"]]}, cv=2)
    assert search.fit(data, y).best_params_ == {"intervalfeatures__parts": ["pairs"]}
    features = IntervalFeatures(["raster"], bins=3, samples=4, sparse=False, unknown="error")
    assert clone(features).get_params() == features.get_params()


def test_fitting_again_forgets():
    features = IntervalFeatures().fit([[("c", 0, 1), ("d", 2, 3)]])
    assert features.fit(X).actions_ == ("a", "b")
    assert features.transform(X).shape == IntervalFeatures().fit_transform(X).shape


@pytest.mark.parametrize("kind", [IntervalFeatures, Raster])
def test_it_must_be_fitted(kind):
    with pytest.raises(NotFittedError):
        kind().transform(X)
    with pytest.raises(NotFittedError):
        IntervalFeatures().get_feature_names_out()


@pytest.mark.parametrize(
    "options",
    [
        {"parts": "pairs"}, {"parts": []}, {"parts": ["pair"]}, {"parts": ["pairs", "pairs"]},
        {"parts": True}, {"parts": [3]}, {"bins": 0}, {"bins": 2.5}, {"samples": 0},
        {"unknown": "drop"}, {"sparse": "no"},
    ],
)  # fmt: skip
def test_invalid_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        IntervalFeatures(**options).fit(X)
    with pytest.raises(OptionError, match=next(iter(options))):
        IntervalFeatures().fit(X).set_params(**options).transform(X)


def test_nothing_to_learn_from():
    for empty in ([], [[]], [[], []]):
        for parts in ([part] for part in PARTS):
            features = IntervalFeatures(parts, unknown="ignore").fit(empty)
            assert features.transform(X).shape == (3, 0)
            assert features.transform([]).shape == (0, 0)
            assert len(features.get_feature_names_out()) == 0
    assert IntervalFeatures(PARTS).fit(X).transform([]).shape[0] == 0


# Time and memory


def long_instances(rng, instances, length, actions):
    start = np.sort(rng.random((instances, length)) * length, axis=1).ravel()
    return IntervalSequences(
        np.arange(instances + 1) * length,
        rng.integers(0, actions, len(start)),
        start,
        start + 0.5 + rng.random(len(start)),
        [f"{n:03}" for n in range(actions)],
    )


def test_memory_is_that_of_the_result_and_not_of_the_pairs(rng):
    features = IntervalFeatures()
    features.fit_transform(long_instances(rng, 2, 10, 5))  # compiles
    for instances, length in ((1, 20_000), (400, 50)):
        data = long_instances(rng, instances, length, 30)
        tracemalloc.start()
        found = features.fit_transform(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        result = found.data.nbytes + found.indices.nbytes + found.indptr.nbytes
        assert peak < 8 * result + 400 * len(data.action)  # 20,000 intervals have 2e8 pairs


def test_long_instances_take_no_time_for_pairs_that_are_before_each_other(rng):
    data = long_instances(rng, 1, 50_000, 30)
    IntervalFeatures().fit(data[:0])
    begin = time.process_time()
    found = IntervalFeatures(["pairs"]).fit_transform(data)
    assert time.process_time() - begin < 5  # 1.25e9 pairs would take longer
    assert found.sum() == 50_000 * 49_999 / 2
