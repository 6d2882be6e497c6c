"""DBN: sums to one over actions and durations, backs off where nothing was seen, by hand."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import DataError, IntervalSequences
from ibgn.classifiers import DBNClassifier, dbn
from ibgn.classifiers.dbn import Steps
from ibgn.terms import Context


def in_turn(rows):
    """An instance of (action, duration), one after the other."""
    return [(action, 1000 * n, 1000 * n + duration) for n, (action, duration) in enumerate(rows)]


def random_rows(rng, instances=30, actions="abc", longest=6):
    """Durations differ by action, so that there is something to see in them."""
    return [
        in_turn((a, float(rng.lognormal(ord(a) % 4))) for a in rng.choice([*actions], length))
        for length in rng.integers(1, longest + 1, instances)
    ]


def one_of_each_bin(edges):
    """A duration in every bin, each but the first just where its bin begins."""
    return [float(edges[0]) / 2, *(edges * (1 + 1e-9)).tolist()] if len(edges) else [1.0]


def edges_of(model):
    """Where bins begin, which is the same for all activities."""
    first, *others = (activity["steps"].edges for activity in model.activities_.values())
    for other in others:
        np.testing.assert_array_equal(other, first)
    return first


def log_likelihoods(model, X):
    return model._joint_log_likelihood(X) - model.class_log_prior_


@pytest.mark.parametrize("n_bins", [1, 2, 3])
@pytest.mark.parametrize("smoothing", [0.01, 1.0, 20.0])
def test_likelihoods_of_all_sequences_sum_to_one(rng, n_bins, smoothing):
    X = random_rows(rng)
    model = DBNClassifier(n_bins, smoothing=smoothing).fit(X, np.arange(len(X)) % 2)
    durations = one_of_each_bin(edges_of(model))
    assert len(durations) == n_bins
    for length in (1, 2, 3):
        events = itertools.product(model.actions_, durations)
        everything = [in_turn(rows) for rows in itertools.product(events, repeat=length)]
        assert len(everything) == (3 * n_bins) ** length
        found = np.exp(log_likelihoods(model, everything))
        np.testing.assert_allclose(found.sum(axis=0), 1, rtol=1e-12)


def plain_likelihood(train, rows, actions, bins, w):
    """P(a_1) P(d_1|a_1) prod P(a_n | a_n-1, d_n-1) P(d_n | a_n, d_n-1), counts backing off."""
    seen = Counter()
    for instance in train:
        for n, (a, d) in enumerate(instance):
            seen.update([("a", a), ("d", d), ("ad", a, d), ("all",)])
            if n == 0:
                seen.update([("first",), ("first", a), ("first", a, d)])
            else:
                b, e = instance[n - 1]
                seen.update([("b", b), ("ba", b, a), ("be", b, e), ("bea", b, e, a)])
                seen.update([("ae", a, e), ("aed", a, e, d)])

    def back_off(part, whole, expected):
        return (seen[part] + w * expected) / (seen[whole] + w)

    def action(a):
        return back_off(("a", a), ("all",), 1 / actions)

    def duration(a, d):
        return back_off(("ad", a, d), ("a", a), back_off(("d", d), ("all",), 1 / bins))

    a, d = rows[0]
    value = back_off(("first", a), ("first",), action(a))
    value *= back_off(("first", a, d), ("first", a), duration(a, d))
    for (b, e), (a, d) in itertools.pairwise(rows):
        after = back_off(("ba", b, a), ("b", b), action(a))
        value *= back_off(("bea", b, e, a), ("be", b, e), after)
        value *= back_off(("aed", a, e, d), ("ae", a, e), duration(a, d))
    return value


@pytest.mark.parametrize("smoothing", [0.3, 1.0])
def test_likelihood_is_that_of_the_plain_counts(rng, smoothing):
    X = random_rows(rng)
    model = DBNClassifier(3, smoothing=smoothing).fit(X, ["it"] * len(X))

    def binned(rows):
        return [(a, int((edges_of(model) <= e - s).sum())) for a, s, e in rows]

    new = random_rows(rng, 20)
    for rows, found in zip(new, log_likelihoods(model, new)[:, 0], strict=True):
        expected = plain_likelihood(map(binned, X), binned(rows), 3, 3, smoothing)
        assert found == pytest.approx(math.log(expected), rel=1e-12)


def test_a_small_example_by_hand():
    """Short and long a, then b; bins begin at 2, the middle of 1, 1, 4, 4 by their logarithms."""
    X = [in_turn([("a", 1), ("b", 1)]), in_turn([("a", 4), ("b", 4)])]
    model = DBNClassifier(2, smoothing=1).fit(X, ["it", "it"])
    np.testing.assert_allclose(edges_of(model), [2.0])
    first = (2 + 1 / 2) / (2 + 1)  # a began twice of two, and is half of all actions
    first *= (1 + (1 + 1 / 2) / (2 + 1)) / (2 + 1)  # short once of two
    after = (2 + 1 / 2) / (2 + 1)  # b came after a twice of two
    second = (1 + after) / (1 + 1)  # once of one after a short a
    second *= (1 + 1 / 2) / (1 + 1)  # short once of one after a short interval
    found = log_likelihoods(model, [in_turn([("a", 1), ("b", 1)])])[0, 0]
    assert found == pytest.approx(math.log(first * second), rel=1e-12)
    assert model.activities_["it"]["steps"].brief() == "2 actions, 2 bins of durations"
    assert repr(model.activities_["it"]).endswith("; steps (2 actions, 2 bins of durations)")


def test_an_unseen_context_backs_off():
    """a was never long, c was never first, b never came after a long interval."""
    X = IntervalSequences.from_lists(
        [
            in_turn([("a", 1), ("b", 1), ("b", 9), ("c", 9)]),
            in_turn([("a", 1), ("c", 9), ("c", 1)]),
        ]
    )
    term = Steps(2, 0.7)
    object.__setattr__(term, "_edges", np.array([5.0]))
    context = Context("it", X.actions, 0, np.random.default_rng(0))
    chain = term.fit(term.count(X), None, context)
    after, (w, size) = np.zeros((3, 3)), (0.7, 3)
    for d in range(len(X)):
        np.add.at(after, tuple(zip(*itertools.pairwise(X[d].action), strict=True)), 1)
    action = (np.bincount(X.action) + w / size) / (len(X.action) + w)
    after = (after + w * action) / (after.sum(axis=1, keepdims=True) + w)
    np.testing.assert_allclose(np.exp(chain.next_action[0, 1]), after[0], rtol=1e-12)
    assert abs(np.exp(chain.next_action[0, 0]) - after[0]).max() > 0.01  # control: this one was

    both = np.zeros((3, 2))
    np.add.at(both, (X.action, (X.end - X.start > 5).astype(int)), 1)
    duration = (both.sum(axis=0) + w / 2) / (both.sum() + w)
    by_action = (both + w * duration) / (both.sum(axis=1, keepdims=True) + w)
    np.testing.assert_allclose(np.exp(chain.first_duration[2]), by_action[2], rtol=1e-12)
    np.testing.assert_allclose(np.exp(chain.next_duration[1, 1]), by_action[1], rtol=1e-12)
    assert abs(np.exp(chain.next_duration[1, 0]) - by_action[1]).max() > 0.01


# bins of durations


@pytest.mark.usefixtures("unquestioned")
@pytest.mark.parametrize("n_bins", [2, 3, 5])
def test_edges_are_quantiles_of_the_training_data(rng, n_bins):
    X = random_rows(rng)
    y = np.arange(len(X)) % 3
    model = DBNClassifier(n_bins).fit(X, y)
    durations = np.array([end - start for rows in X for _, start, end in rows])
    edges = np.exp(np.quantile(np.log(durations), np.arange(1, n_bins) / n_bins))
    np.testing.assert_allclose(edges_of(model), edges, rtol=1e-12)
    inside = np.bincount(np.searchsorted(edges, durations, side="right"), minlength=n_bins)
    assert inside.max() - inside.min() <= 2
    before = edges_of(model).copy()
    model.predict([in_turn([("a", 1e5), ("b", 1e6)])])
    np.testing.assert_array_equal(edges_of(model), before)
    for activity in model.activities_.values():
        assert activity["steps"].first_duration.shape == (3, n_bins)
    longer = [[(a, s, s + 3 * (e - s)) for a, s, e in rows] for rows in X]  # control
    np.testing.assert_allclose(edges_of(DBNClassifier(n_bins).fit(longer, y)), 3 * edges, rtol=1e-9)


@given(st.lists(st.sampled_from([1, 2, 3, 5, 7, 9, 10]), min_size=1), st.integers(2, 8))
def test_durations_are_sorted_into_bins_in_their_order(durations, n_bins):
    """Edges are distinct; one that is a duration of the data is exactly that one."""
    X = [in_turn([("a", duration)]) for duration in durations]
    model = DBNClassifier(n_bins).fit(X, ["it"] * len(X))
    assert len(edges_of(model)) < n_bins
    assert (np.diff(edges_of(model)) > 0).all()
    exact = np.quantile(durations, np.arange(1, n_bins) / n_bins, method="lower")
    above = np.quantile(durations, np.arange(1, n_bins) / n_bins, method="higher")
    assert set(exact[exact == above]) <= set(edges_of(model).tolist())


def test_two_durations_that_are_edges_are_told_apart():
    """As numbers, exp(log(5)) < 5 and exp(log(9)) > 9: between them lies nothing."""
    X = [in_turn([("a", 5)])] * 10 + [in_turn([("a", 9)])] * 10
    model = DBNClassifier(3).fit(X, ["x"] * 10 + ["y"] * 10)
    assert edges_of(model).tolist() == [5, 9]
    assert model.predict(X).tolist() == ["x"] * 10 + ["y"] * 10


@pytest.mark.usefixtures("unquestioned")
def test_one_bin_does_not_see_durations(rng):
    X = random_rows(rng)
    stretched = [[(a, s, s + 7 * (e - s)) for a, s, e in rows] for rows in X]
    y = np.arange(len(X)) % 2
    one, two = (DBNClassifier(n_bins).fit(X, y) for n_bins in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(stretched), one.predict_proba(X))
    assert (two.predict_proba(stretched) != two.predict_proba(X)).any()
    np.testing.assert_array_equal(
        DBNClassifier(1).fit(stretched, y).predict_proba(X), one.predict_proba(X)
    )


def test_all_durations_are_equal():
    X = [in_turn([("a", 3), ("b", 3)])] * 5 + [in_turn([("b", 3), ("a", 3)])] * 5
    y = ["x"] * 5 + ["y"] * 5
    model = DBNClassifier(4).fit(X, y)
    assert edges_of(model).tolist() == [3]
    chain = model.activities_["x"]["steps"]
    assert (chain.first_duration[:, 1] > chain.first_duration[:, 0]).all()  # a bin begins there
    assert model.predict(X).tolist() == y
    other = [in_turn([("b", 1), ("a", 100)])]
    assert model.predict(other).tolist() == ["y"]


def test_tables_that_would_fill_the_memory(monkeypatch):
    X, y = [[("a", 0, 1), ("b", 1, 3), ("a", 3, 7)]] * 2, ["x", "y"]
    monkeypatch.setattr(dbn, "MOST_CELLS", 2 * 3 * 3)  # 2 actions, 3 bins
    DBNClassifier(3).fit(X, y)
    monkeypatch.setattr(dbn, "MOST_CELLS", 2 * 3 * 3 - 1)
    with pytest.raises(DataError, match="2 actions with 3 bins of durations .* lower n_bins="):
        DBNClassifier(3).fit(X, y)
