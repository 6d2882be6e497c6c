"""The type: building, choosing, immutability, and its place in scikit-learn."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.feature_extraction import DictVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from ibgn import DataError, IntervalSequences, read_networks, read_table
from ibgn.intervals import as_sequences
from strategies import sequences


@pytest.fixture
def X():
    return IntervalSequences.from_lists(
        [
            [("pour", 2, 4), ("hold", 0, 5)],
            [],
            [("stir", 1, 3), ("hold", 1, 3), ("hold", 0, 1)],
            [("pour", 0, 1)],
        ],
        ids=["a", "b", "c", "d"],
        groups=["ann", "ann", "bob", "bob"],
    )


def test_intervals_stand_by_start_end_and_action(X):
    assert X.to_lists()[0] == [("hold", 0.0, 5.0), ("pour", 2.0, 4.0)]
    assert X.to_lists()[2] == [("hold", 0.0, 1.0), ("hold", 1.0, 3.0), ("stir", 1.0, 3.0)]
    assert X.actions == ("hold", "pour", "stir")
    assert X.lengths.tolist() == [2, 0, 3, 1]


def test_choosing_instances(X):
    for key, expected in [
        (2, [2]),
        (-1, [3]),
        (np.int64(0), [0]),
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        (slice(3, 1), []),
        ([2, 0, 2], [2, 0, 2]),
        (np.array([False, True, False, True]), [1, 3]),
        ([], []),
        (np.array([], int), []),
        ((np.array([1, 2]), Ellipsis), [1, 2]),
    ]:
        chosen = X[key]
        assert isinstance(chosen, IntervalSequences)
        assert chosen.to_lists() == [X.to_lists()[d] for d in expected]
        assert chosen.ids.tolist() == [X.ids[d] for d in expected]
        assert chosen.groups.tolist() == [X.groups[d] for d in expected]
        assert chosen.actions == X.actions
    assert [one.to_lists()[0] for one in X] == X.to_lists()
    assert len(X[:0]) == 0
    assert X[3:1].to_lists() == []


@pytest.mark.parametrize("key", [4, -5, np.array([True]), "a", None, 1.5, [[0]], (0, 1)])
def test_choosing_what_is_not_there(X, key):
    with pytest.raises((IndexError, TypeError)):
        X[key]


def test_an_instance_that_is_not_there_is_named(X):
    with pytest.raises(IndexError, match="there is no instance 4; there are 4, numbered from 0"):
        X[4]
    with pytest.raises(IndexError, match=r"have numbers, got 'take 1'; use X\[X.ids == 'take 1'\]"):
        X["take 1"]


@given(sequences(), st.data())
def test_slices_share_memory_and_arrays_agree_with_them(X, data):
    first = data.draw(st.integers(0, len(X)))
    last = data.draw(st.integers(first, len(X)))
    part = X[first:last]
    assert part == X[np.arange(first, last)]
    assert len(part.start) == 0 or np.shares_memory(part.start, X.start)


def test_nothing_can_be_changed(X):
    for name in ("offsets", "action", "start", "end", "ids", "groups"):
        for owner in (X, X[1:], X[[0, 2]], pickle.loads(pickle.dumps(X))):
            with pytest.raises(ValueError, match="read-only"):
                getattr(owner, name)[0] = 0
            with pytest.raises(AttributeError, match="cannot be changed"):
                setattr(owner, name, None)
    with pytest.raises(AttributeError, match="cannot be changed"):
        del X.start
    with pytest.raises(TypeError, match="unhashable"):
        hash(X)


def test_the_callers_arrays_stay_his():
    start, groups = np.array([0.0]), np.array(["ann"])
    X = IntervalSequences([0, 1], [0], start, [1.0], ["a"], groups=groups)
    frozen = groups.view()
    frozen.flags.writeable = False
    shared = IntervalSequences([0, 1], [0], start, [1.0], ["a"], groups=frozen)
    listed = IntervalSequences.from_lists([[("a", 0, 1)]], groups=frozen)
    start[0], groups[0] = 0.5, "bob"
    assert shared.groups[0] == listed.groups[0] == "ann"
    assert X.start[0] == 0
    assert X.groups[0] == "ann"


@given(sequences())
def test_pickle_and_lists_give_it_back(X):
    assert pickle.loads(pickle.dumps(X)) == X
    assert IntervalSequences.from_lists(X.to_lists()) == X


@given(sequences(), sequences())
def test_concatenate(X, other):
    both = IntervalSequences.concatenate([X, other])
    assert both.to_lists() == X.to_lists() + other.to_lists()
    assert IntervalSequences.from_lists(both.to_lists()) == both


def test_concatenate_keeps_what_all_parts_have(X):
    assert IntervalSequences.concatenate([X[:1], X[2:]]).ids.tolist() == ["a", "c", "d"]
    bare = IntervalSequences.from_lists(X.to_lists())
    assert IntervalSequences.concatenate([X, bare]).ids is None
    assert len(IntervalSequences.concatenate([])) == 0


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_tables_of_all_kinds(X, backend):
    y = np.array(["tea", "tea", "milk", "milk"], dtype=object)
    table = X.to_frame(y, backend=backend)
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}
    assert isinstance(table, kinds[backend])
    again, labels = read_table(table)
    assert again == X
    assert labels.tolist() == y.tolist()
    numbers = X.to_frame(np.array([1, 2, 3, 4]), backend=backend)
    assert read_table(numbers)[1].tolist() == [1, 2, 3, 4]


def test_table_errors(X):
    with pytest.raises(DataError, match="choose among 'pandas', 'polars', 'pyarrow'"):
        X.to_frame(backend="dask")
    with pytest.raises(DataError, match=r"y has one value per instance, got shape \(1,\) for 4"):
        X.to_frame(["tea"])
    with pytest.raises(DataError, match="go to IntervalSequences.from_lists"):
        read_table([1, 2])


def test_choosing_nothing(X):
    for nothing in ([], np.zeros(0, int), slice(0, 0), np.zeros(len(X), bool)):
        assert len(X[nothing]) == 0
    assert len(X[:0][np.zeros(0, bool)]) == 0
    with pytest.raises(IndexError):
        X[np.zeros(0, bool)]


def test_it_is_not_an_array(X):
    with pytest.raises(TypeError, match="not a rectangular array"):
        np.asarray(X)


def test_lists_are_taken_too(X):
    assert as_sequences(X) is X
    assert as_sequences(X.to_lists()).to_lists() == X.to_lists()


def test_repr_is_readable_and_safe():
    nasty = "<script>alert('x')</script>"
    X = IntervalSequences.from_lists(
        [[(nasty, 0, 1.5), ("line\nbreak\x1b[31m", 1, 2)]] * 7,
        ids=[f"{nasty}{i}" for i in range(7)],
    )
    text, html = repr(X), X._repr_html_()
    assert text.startswith("IntervalSequences: 7 instances, 14 intervals (2 to 2 each), 2 actions")
    assert "... 2 more" in text
    assert "\x1b" not in text + html
    assert "line\\nbreak" in text
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<rect") == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [0], [0], [1], ["a"]), "offsets start at 0"),
        (([0, 2], [0], [0], [1], ["a"]), "for each of the 2 intervals"),
        (([0, 1], [1], [0], [1], ["a"]), "codes go from 0 to 0"),
        (([0, 1], [0], [0], [1], ["a", "a"]), "names an action twice"),
        (([0, 1], [0], [2], [1], ["a"]), "interval 0 of instance 0: .* ends before it starts"),
        (([0, 1], [0], [1], [1], ["a"]), "zero length"),
        (([0, 1], [0], [np.nan], [1], ["a"]), "start is missing"),
        (([0, 2], [0, 0], [1, 0], [2, 1], ["a"]), r"interval 0 of instance 0: .*from_lists\(\)"),
        (([0, 1], [0], [0], [1], ["a"], ["x", "y"]), "ids has one value per instance"),
    ],
)
def test_constructor_refuses(arguments, message):
    with pytest.raises(DataError, match=message):
        IntervalSequences(*arguments)


@pytest.mark.parametrize(
    ("instances", "options", "message"),
    [
        ([[("a", 0, 1), ("b", 4, 2.5)]], {}, "interval 1 of instance '0': .*start=4, end=2.5"),
        ([[("a", 0)]], {}, r"\(action, start, end\) with numbers for times, got"),
        ([[("a", "x", 1)]], {}, "with numbers for times"),
        ([[("a", "1_0", 20)]], {}, "with numbers for times"),
        ([[("a", False, True)]], {}, "with numbers for times"),
        ([[("a", 0, 1j)]], {}, "with numbers for times"),
        ([[("a", 0, 1, 2)]], {}, "with numbers for times"),
        ([[()]], {}, "with numbers for times"),
        ([[iter([])]], {}, "with numbers for times"),
        ([[5]], {}, "is '5'; give a list of instances"),
        ([[("a", 0, 10**400)]], {}, "the end is infinite"),
        ([[("a", -(10**400), 0)]], {}, "the start is infinite"),
        ([[("a", 0, datetime.date(2020, 1, 1))]], {}, r"date or time span .*total_seconds"),
        ([[("a", "2020-01-01", 5)]], {}, r"date or time span .*total_seconds"),
        ([[(None, 0, 1)]], {}, "the action has no name"),
        ([[(float("nan"), 0, 1)]], {}, "the action has no name"),
        ([["a12"]], {}, r"is 'a12'; give a list of instances, each a list of \(action, start, end"),
        ([("a", 0, 1)], {}, "give a list of instances, each a list"),
        ([1], {}, "give a list of instances, each a list"),
        ("abc", {}, "give a list of instances, each a list"),
        (["abc"], {}, "give a list of instances, each a list"),
        (None, {}, "give a list of instances, each a list"),
        (pd.DataFrame({"instance": [1]}), {}, r"X, y = ibgn\.read\(table\)"),
        (pa.table({"instance": [1]}), {}, r"X, y = ibgn\.read\(table\)"),
        ([[(" ", 0, 1)]], {}, "the action has no name"),
        ([[("a", 0, 1)]], {"ids": ["x", "y"]}, "got 2 for 1"),
        ([[], []], {"ids": ["x", "x"]}, "two instances have the id 'x'"),
        ([[("a", 0, 1)]], {"closed": "open"}, "choose among 'left', 'right', 'both', 'neither'"),
    ],
)
def test_from_lists_refuses(instances, options, message):
    with pytest.raises(DataError, match=message):
        IntervalSequences.from_lists(instances, **options)


class RelationCounts(TransformerMixin, BaseEstimator):
    """Counts of (action, relation, action) of neighbours, as a transformer."""

    def fit(self, X, y=None):
        self.vectorizer_ = DictVectorizer().fit([self.counts(one) for one in X])
        return self

    def transform(self, X):
        return self.vectorizer_.transform([self.counts(one) for one in X])

    def counts(self, one):
        counts = {}
        for i, j, held in read_networks(one, "chain")[0].links():
            key = f"{one.actions[one.action[i]]} {held.symbol} {one.actions[one.action[j]]}"
            counts[key] = counts.get(key, 0) + 1
        return counts


class NearestLength(ClassifierMixin, BaseEstimator):
    """Says the label whose mean number of intervals is nearest: takes X itself, not features."""

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array(
            [(X.lengths[y == label] ** self.power).mean() for label in self.classes_]
        )
        return self

    def predict(self, X):
        distance = np.abs(X.lengths[:, None] ** self.power - self.means_)
        return self.classes_[distance.argmin(axis=1)]


@pytest.fixture
def labelled(rng):
    """Two activities with the same actions that differ in how they overlap and in length."""
    instances, y = [], []
    for d in range(40):
        label = "apart" if d % 2 else "together"
        gap = 3 if d % 2 else 1
        starts = gap * np.arange(3 + d % 2) + rng.random()
        instances.append([("ab"[i % 2], s, s + 2) for i, s in enumerate(starts)])
        y.append(label)
    groups = [f"g{d // 4}" for d in range(40)]
    return IntervalSequences.from_lists(instances, groups=groups), np.array(y)


def test_cross_validation_with_groups(labelled):
    X, y = labelled
    model = make_pipeline(RelationCounts(), MultinomialNB())
    scores = cross_val_score(model, X, y, groups=X.groups, cv=GroupKFold(5), error_score="raise")
    assert scores.mean() == 1.0
    shuffled = np.random.default_rng(0).permutation(y)
    assert cross_val_score(model, X, shuffled, cv=5, error_score="raise").mean() < 0.9


def test_grid_search(labelled):
    X, y = labelled
    search = GridSearchCV(NearestLength(), {"power": [0.0, 1.0]}, cv=StratifiedKFold(4))
    search.fit(X, y)
    assert search.best_params_ == {"power": 1.0}
    assert search.predict(X[:2]).tolist() == y[:2].tolist()


def test_train_test_split(labelled):
    X, y = labelled
    parts = train_test_split(X, y, X.groups, test_size=0.25, random_state=0, stratify=y)
    X_train, X_test, y_train, y_test, groups_train, _ = parts
    assert isinstance(X_train, IntervalSequences)
    assert (len(X_train), len(X_test)) == (30, 10)
    assert X_train.groups.tolist() == groups_train.tolist()
    model = make_pipeline(RelationCounts(), MultinomialNB()).fit(X_train, y_train)
    assert model.score(X_test, y_test) == 1.0
