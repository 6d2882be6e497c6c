"""IHMM: sums to one with every beam, is exact without one, and is a Markov chain with one chain."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import DataError, IntervalSequences
from ibgn._kernels.chains import assign_tracks
from ibgn.classifiers import IHMMClassifier, ihmm
from ibgn.classifiers.ihmm import Chains, InterleavedChains
from ibgn.terms import Context
from strategies import sequences

ACTIONS = ("a", "b", "c")


def chains_of(rng, many, actions=ACTIONS, evenness=1.0):
    """Chains with random tables."""
    switch = np.log(rng.dirichlet(np.full(many, evenness), many + 1))
    step = np.log(rng.dirichlet(np.full(len(actions), evenness), len(actions) + 1))
    return InterleavedChains(actions, switch, step, None)


def in_turn(said, actions=ACTIONS):
    """Instances that say these actions, one after the other."""
    offsets = np.arange(len(said) + 1) * len(said[0])
    start = np.tile(np.arange(len(said[0]), dtype=float), len(said))
    return IntervalSequences(offsets, np.ravel(said).astype(np.int32), start, start + 0.5, actions)


def all_sequences(length):
    return list(itertools.product(range(len(ACTIONS)), repeat=length))


def likelihoods(model, said, beam):
    return replace(model, beam=beam).log_likelihood(in_turn(said))


def brute_force(model, said):
    """Sum over all ways to share the actions among the chains of
    prod P(z_n | z_n-1) P(a_n | last action of chain z_n).
    """
    total = 0.0
    for ways in itertools.product(range(model.chains), repeat=len(said)):
        value, before, last = 1.0, model.chains, {}
        for z, a in zip(ways, said, strict=True):
            value *= math.exp(model.switch[before, z])
            value *= math.exp(model.step[last.get(z, len(model.actions)), a])
            before, last[z] = z, a
        total += value
    return math.log(total)


@pytest.mark.parametrize("beam", [None, 1, 2, 5])
@pytest.mark.parametrize("many", [1, 2, 3])
def test_likelihoods_of_all_sequences_sum_to_one(rng, beam, many):
    model = chains_of(rng, many)
    for length in range(1, 5):
        found = likelihoods(model, all_sequences(length), beam)
        assert np.exp(found).sum() == pytest.approx(1, rel=1e-12)


def test_likelihoods_of_a_fitted_model_sum_to_one(rng):
    X = in_turn(rng.integers(0, 3, (20, 6)))
    X = IntervalSequences.from_lists(
        [[(a, s, s + rng.integers(1, 5)) for a, s, _ in rows] for rows in X.to_lists()]
    )
    model = IHMMClassifier("overlap", beam=3).fit(X, np.arange(20) % 2)
    assert {activity["chains"].chains for activity in model.activities_.values()} <= {2, 3, 4}
    joint = model._joint_log_likelihood(in_turn(all_sequences(4))) - model.class_log_prior_
    np.testing.assert_allclose(np.exp(joint).sum(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.own_seed(reason="how far a narrow beam is off depends on the tables")
def test_without_a_beam_it_is_the_sum_over_all_chains(rng, many):
    model = chains_of(rng, many)
    said = rng.integers(0, 3, (15, 6))
    expected = [brute_force(model, row) for row in said.tolist()]
    np.testing.assert_allclose(likelihoods(model, said, None), expected, rtol=1e-10)
    if many > 1:  # control: a narrow beam is not exact
        assert abs(likelihoods(model, said, 1) - expected).max() > 1e-4


@pytest.mark.own_seed(reason="how far a narrow beam is off depends on the tables")
def test_a_beam_for_all_states_is_exact_and_a_larger_one_is_closer(rng):
    """Over many random models; 3 chains that remember 3 actions or none have 3 * 4^2 states."""
    errors = {beam: [] for beam in (1, 3, 9, 27, 48)}
    for _ in range(30):
        model, said = chains_of(rng, 3, evenness=0.5), rng.integers(0, 3, (5, 12))
        exact = likelihoods(model, said, None)
        for beam, found in errors.items():
            found.append(abs(likelihoods(model, said, beam) - exact).mean())
    assert max(errors[48]) == 0
    means = [np.mean(found) for found in errors.values()]
    assert means == sorted(means, reverse=True)
    assert means[0] > 3 * means[2] > 0


@pytest.mark.statistical(false_alarm=1e-9)
def test_one_chain_is_a_markov_chain(rng):
    """By hand from the counts, and by hmmlearn with a state for each action."""
    hmm = pytest.importorskip("hmmlearn.hmm")
    said = rng.integers(0, 3, (30, 7))
    model = IHMMClassifier(n_chains=1, smoothing=0.5).fit(in_turn(said), ["it"] * 30)
    first, after = np.full(3, 0.5), np.full((3, 3), 0.5)
    for row in said:
        first[row[0]] += 1
        for a, b in itertools.pairwise(row):
            after[a, b] += 1
    first, after = first / first.sum(), after / after.sum(axis=1, keepdims=True)

    other = hmm.CategoricalHMM(n_components=3, n_features=3)
    other.startprob_, other.transmat_, other.emissionprob_ = first, after, np.eye(3)
    new = rng.integers(0, 3, (20, 9))
    found = model._joint_log_likelihood(in_turn(new))[:, 0]
    for row, value in zip(new, found, strict=True):
        by_hand = math.log(first[row[0]])
        by_hand += sum(math.log(after[a, b]) for a, b in itertools.pairwise(row))
        assert value == pytest.approx(by_hand, rel=1e-12)
        with np.errstate(divide="ignore"):  # an identity has zeros
            assert value == pytest.approx(other.score(row[:, None]), rel=1e-10)
    backwards = model._joint_log_likelihood(in_turn(new[:, ::-1]))[:, 0]
    # control: order matters, unless all 20 are palindromes, of which there is one in 81
    assert abs(backwards - found).max() > 1e-3


# tracks


def overlapping(start, end):
    """The most intervals that share a moment; the ends are not part of an interval."""
    return max((sum(s <= t < e for s, e in zip(start, end, strict=True)) for t in start), default=0)


@given(sequences(least=1, most=1, longest=14))
def test_tracks_are_as_many_as_overlap_and_never_overlap(X):
    track = assign_tracks(X.offsets, X.start, X.end, 0)
    assert set(track.tolist()) == set(range(overlapping(X.start, X.end)))
    for h in set(track.tolist()):
        start, end = X.start[track == h], X.end[track == h]
        assert (start[1:] >= end[:-1]).all()


@given(sequences(least=1, longest=14), st.integers(1, 5))
def test_few_tracks_are_shared(X, tracks):
    """Where they suffice it is the same as without a limit."""
    track = assign_tracks(X.offsets, X.start, X.end, tracks)
    free = assign_tracks(X.offsets, X.start, X.end, 0)
    assert ((track >= 0) & (track < tracks)).all()
    for d in np.flatnonzero(np.bincount(X.owner, minlength=len(X))):
        if free[X.owner == d].max() < tracks:
            np.testing.assert_array_equal(track[X.owner == d], free[X.owner == d])


def test_tracks_by_hand():
    """d starts as b ends; with two tracks for three, c takes the one that is free first."""
    X = IntervalSequences.from_lists(
        [[("a", 0, 8), ("b", 1, 5), ("c", 2, 9), ("d", 5, 6), ("e", 8, 9)]]
    )
    flat = X.offsets, X.start, X.end
    assert assign_tracks(*flat, 0).tolist() == [0, 1, 2, 1, 0]
    assert assign_tracks(*flat, 2).tolist() == [0, 1, 1, 0, 0]
    assert assign_tracks(*flat, 1).tolist() == [0] * 5


# counts


def fit_chains(X, n_chains, smoothing=0.5):
    (term,) = Chains(n_chains, smoothing=smoothing).specialise([X])
    return term.fit(term.count(X), None, Context("it", X.actions, 0, np.random.default_rng(0)))


def test_counts_by_hand():
    """Tracks are 0 1 0 1 and 0 0: a b on the first, c c on the second; then b a."""
    X = IntervalSequences.from_lists(
        [[("a", 0, 4), ("c", 1, 5), ("b", 4, 8), ("c", 5, 6)], [("b", 0, 1), ("a", 2, 3)]]
    )
    assert assign_tracks(X.offsets, X.start, X.end, 0).tolist() == [0, 1, 0, 1, 0, 0]
    model = fit_chains(X, "overlap")
    switch = np.array([[1, 2], [1, 0], [2, 0]]) + 0.5  # after 0, after 1, at first
    step = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]]) + 0.5
    np.testing.assert_allclose(np.exp(model.switch), switch / switch.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.exp(model.step), step / step.sum(axis=1, keepdims=True))
    assert model.brief() == "2 chains"
    assert fit_chains(X, 1).brief() == "1 chain"
    activity = IHMMClassifier("overlap").fit(X, ["it", "it"]).activities_["it"]
    assert repr(activity).endswith("2 instances of 2 to 4 intervals; chains (2 chains)")


def test_chains_are_as_many_as_asked_for_or_as_overlap():
    X = [[("a", 0, 9), ("b", 1, 8), ("c", 2, 7)], [("a", 0, 1), ("b", 1, 2)]]
    for n_chains, expected in (("overlap", [3, 1]), (1, [1, 1]), (np.int64(4), [4, 4])):
        model = IHMMClassifier(n_chains).fit(X, ["x", "y"])
        found = [activity["chains"].chains for activity in model.activities_.values()]
        assert found == expected


def test_too_many_intervals_at_the_same_time(monkeypatch):
    X = [[("a", 0, 9), ("b", 1, 8), ("c", 2, 7)]] * 2
    monkeypatch.setattr(ihmm, "MOST_CHAINS", 2)
    with pytest.raises(DataError, match="3 intervals of an activity run .* give n_chains="):
        IHMMClassifier("overlap").fit(X, ["x", "y"])
    IHMMClassifier(2).fit(X, ["x", "y"])


def test_too_many_states_without_a_beam(rng, monkeypatch):
    said = rng.integers(0, 3, (4, 8))
    exact, beamed = (IHMMClassifier(3, beam=b).fit(in_turn(said), [0, 0, 1, 1]) for b in (None, 4))
    expected = exact.predict_proba(in_turn(said))
    monkeypatch.setattr(ihmm, "MOST_STATES", 60)
    with pytest.raises(
        DataError, match="more than 20 states of 3 chains; set a smaller beam=, or fewer"
    ):
        exact.predict_proba(in_turn(said))
    assert np.isfinite(beamed.predict_log_proba(in_turn(said))).all()
    monkeypatch.setattr(ihmm, "MOST_STATES", 3 * 3 * 3 * 4**2)  # control: as many as there are
    np.testing.assert_array_equal(exact.predict_proba(in_turn(said)), expected)
