"""Learning part by part: the model of all, and every instance counted once."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from differences import find_differences
from ibgn import DataError, IBGNClassifier, IntervalSequences, load, pieces
from ibgn.classifiers.gathered import CountedParts, KeptParts
from ibgn.classifiers.ibgn import DEFAULT_TERMS
from ibgn.datasets import make_hand_signs
from ibgn.model.counted import Counted
from ibgn.terms import TERMS
from ibgn.terms.tally import Sample, make_tally
from strategies import sequences


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    return X.with_groups(None), y


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few instances, and a sample of less than half of them."""
    monkeypatch.setattr(pieces, "SIZE", 200)
    monkeypatch.setattr(pieces, "SAMPLE", 30)
    monkeypatch.setattr(pieces, "LEAST", 2)


@pytest.fixture
def counted(monkeypatch):
    """Numbers of instances that are counted beyond the sample, call by call."""
    numbers, add = [], Counted.add

    def count(self, X, codes):
        numbers.append(len(X))
        add(self, X, codes)

    monkeypatch.setattr(Counted, "add", count)
    return numbers


def in_parts(model, X, y, size=8):
    for begin in range(0, len(X), size):
        assert model.partial_fit(X[begin : begin + size], y[begin : begin + size]) is model
    return model


def one_after_the_other(X, y):
    """Activity by activity, so that activities and actions come later."""
    order = np.argsort(y, kind="stable")[::-1]
    return IntervalSequences.from_lists(X[order].to_lists()), y[order]


def test_parts_are_learned_as_the_whole(signs):
    """To the last bit, where the sample has all."""
    X, y = signs
    whole = IBGNClassifier(random_state=0).fit(X, y)
    model = IBGNClassifier(random_state=0)
    for part in (slice(0, 20), slice(20, 80), slice(80, None)):  # the last has an action of its own
        assert model.partial_fit(X[part], y[part], classes=np.unique(y)) is model
    learned = vars(model).copy()
    del learned["_parts"], learned["_learned_parts"]
    assert not list(find_differences(vars(whole), learned))
    assert isinstance(model._parts, CountedParts)
    with pytest.raises(DataError, match="y has 'tee', which classes does not name"):
        model.partial_fit(X[:1], ["tee"], classes=np.unique(y))
    with pytest.raises(DataError, match="others are text; name all"):
        model.partial_fit(X[:1], [1])
    assert not list(find_differences(vars(whole), learned))


@pytest.mark.usefixtures("small", "unquestioned")
def test_parts_beyond_the_sample_are_learned_as_the_whole(signs, counted):
    X, y = one_after_the_other(*signs)
    whole = IBGNClassifier(random_state=0).fit(X, y)
    model = in_parts(IBGNClassifier(random_state=0), X, y)
    assert model.actions_ == whole.actions_
    assert not list(find_differences(whole.trained_on_, model.trained_on_))
    np.testing.assert_array_equal(model.classes_, whole.classes_)
    np.testing.assert_allclose(model.weights_, whole.weights_, rtol=1e-9, atol=1e-12)
    found = model.predict_log_proba(X)
    np.testing.assert_allclose(found, whole.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    for label, activity in whole.activities_.items():
        mine = model.activities_[label]
        assert sorted(mine.lengths) == sorted(activity.lengths)
        assert mine.pace == pytest.approx(activity.pace, rel=1e-12)
        assert mine.whole == activity.whole
        np.testing.assert_array_equal(mine.apart, activity.apart)
    labels, data = model._parts.training()
    few = IBGNClassifier(random_state=0).fit(data.sampled.X, labels[data.sampled.codes])
    assert abs(few.predict_log_proba(X) - found).max() > 1e-3  # the control: others matter


@pytest.mark.usefixtures("small", "unquestioned")
def test_every_instance_is_counted_once(signs, counted):
    """So a call does not take longer, however many instances were given before."""
    X, y = one_after_the_other(*signs)
    model = IBGNClassifier(terms=("durations", "order"), random_state=0)
    in_parts(model, X, y, size=6)
    kept = len(model._parts.sample.X)
    assert sum(counted) == len(X) - kept
    assert len(counted) > 5
    before = sum(counted)
    for _ in range(3):
        model.partial_fit(X[:6], y[:6])
    assert sum(counted) == before + 3 * 6 + kept - len(model._parts.sample.X)


@settings(max_examples=5)
@given(sequences(least=1, most=6), st.integers(0, 2**32 - 1))
def test_counts_grow_as_if_all_had_been_known(X, seed):
    rng = np.random.default_rng(seed)
    terms, codes = [TERMS[name]() for name in DEFAULT_TERMS], rng.integers(0, 2, len(X))
    names = tuple(sorted({X.actions[a] for a in X.action}))
    more = tuple(sorted({*names, "", "b b", "~", *rng.choice(["a0", "c0", "zz"], 2)}))
    small = Counted(terms, names, 2)
    assert small.grows
    small.add(X, codes)
    number = rng.permutation(4)[:2]
    grown, known = small.grown(more, number, 4), Counted(terms, more, 4)
    known.add(X, number[codes])
    for mine, its in zip(grown.tallies, known.tallies, strict=True):
        assert not list(find_differences(counts_of(its), counts_of(mine)))
    taught = [as_learned(terms, more) for _ in range(2)]
    for counted, tallies in zip((grown, known), taught, strict=True):
        counted.teach(tallies, folds=3)
    for mine, its in zip(*taught, strict=True):
        assert not list(find_differences(counts_of(its), counts_of(mine)))


def as_learned(terms, actions):
    """Tallies of four activities and three folds, before anything is counted."""
    nothing = IntervalSequences.from_flat(IntervalSequences.from_lists([]).flat, actions)
    none = np.zeros(0, np.int64)
    sample = Sample(nothing, none, none, none.astype(bool), activities=4, folds=3)
    return [make_tally(list(term.specialise([nothing] * 4)), sample) for term in terms]


def counts_of(tally):
    """What a tally has counted."""
    if hasattr(tally, "others"):
        return tally.others
    return tally.counts if hasattr(tally.counts, "sums") else vars(tally.counts)


@pytest.mark.usefixtures("small", "unquestioned")
@pytest.mark.parametrize(
    "options",
    [
        {"terms": ("durations", "actions")},
        {"terms": ("durations", "relations"), "structure": "chain"},
        {"terms": ("durations",), "tolerance": 0.01},
    ],
)
def test_all_is_kept_where_all_is_needed_at_once(options, signs, counted):
    X, y = signs
    whole = IBGNClassifier(random_state=0, **options).fit(X, y)
    model = in_parts(IBGNClassifier(random_state=0, **options), X, y, size=40)
    assert isinstance(model._parts, KeptParts)
    assert not counted
    np.testing.assert_array_equal(model.predict_log_proba(X), whole.predict_log_proba(X))


@pytest.mark.usefixtures("small", "unquestioned")
def test_groups_are_held_out_together_part_by_part(signs):
    X, y = signs
    X = X.with_groups([str(d % 5) for d in range(len(X))])
    options = {"terms": ("durations", "order"), "random_state": 0}
    whole = IBGNClassifier(**options).fit(X, y)
    model = in_parts(IBGNClassifier(**options), X, y, size=40)
    np.testing.assert_array_equal(model.weights_, whole.weights_)
    assert isinstance(model._parts, KeptParts)
    alone = IBGNClassifier(**options).fit(X.with_groups(None), y)
    assert not np.array_equal(alone.weights_, whole.weights_)  # the control


@pytest.mark.usefixtures("small")
def test_changed_options_cannot_go_on(signs):
    X, y = signs
    model = IBGNClassifier(terms=("durations",), random_state=0).partial_fit(X, y)
    assert isinstance(model._parts, CountedParts)
    for change in ({"terms": ("order",)}, {"styles": 2}, {"tolerance": 1.0}):
        before = model.get_params()
        with pytest.raises(DataError, match="options were changed after parts had been counted"):
            model.set_params(**change).partial_fit(X, y)
        model.set_params(**before).partial_fit(X[:2], y[:2])


def test_a_copy_goes_on(signs):
    X, y = signs
    model = IBGNClassifier(terms=("durations",), random_state=0).partial_fit(X[:50], y[:50])
    copied = pickle.loads(pickle.dumps(model))
    expected = model.partial_fit(X[50:], y[50:]).predict_log_proba(X)
    np.testing.assert_array_equal(copied.partial_fit(X[50:], y[50:]).predict_log_proba(X), expected)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_log_proba(X), expected)


def test_a_model_of_fit_does_not_go_on(signs, tmp_path):
    X, y = signs
    model = IBGNClassifier(random_state=0, terms=("durations",)).partial_fit(X[:50], y[:50])
    model.save(tmp_path / "model.ibgn")
    for fitted in (load(tmp_path / "model.ibgn"), model.fit(X, y)):
        with pytest.raises(DataError, match="has no counts to go on from"):
            fitted.partial_fit(X, y)
