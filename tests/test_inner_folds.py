"""Folds within a training set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import IBGNClassifier, IntervalSequences
from ibgn.datasets import make_hand_signs
from ibgn.model.folds import fingerprint, make_inner_folds


def some(n, groups=None):
    lists = [[("a", 0, d + 1), ("b", 1, 2 * d + 3)] for d in range(n)]
    return IntervalSequences.from_lists(lists, groups=groups)


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(2, 5), st.booleans())
def test_every_instance_is_in_one_fold(codes, n, grouped):
    groups = [("ann", "bo", 3, 3.5)[d % 4] for d in range(len(codes))] if grouped else None
    codes = np.array(codes, np.int64)
    folds = make_inner_folds(some(len(codes), groups), codes, n)
    assert 1 <= len(folds) <= n
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(codes)))
    assert all((np.diff(fold) > 0).all() for fold in folds)


@given(st.lists(st.integers(0, 3), min_size=8, max_size=40), st.integers(2, 5))
def test_without_groups_activities_keep_their_shares(codes, n):
    codes = np.array(codes)
    folds = make_inner_folds(some(len(codes)), codes, n)
    counts = np.array([np.bincount(codes[fold], minlength=4) for fold in folds])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1


def test_groups_stay_together_whatever_they_are():
    groups = np.array(["ann", 1, None, 2.5, "1", "bo"] * 5, object)
    codes = np.arange(30) % 3
    folds = make_inner_folds(some(30, groups), codes, 3)
    names = [{str(group) for group in groups[fold]} for fold in folds]
    assert len(folds) == 3
    assert sum(map(len, names)) == len(set.union(*names)) == 5  # 1 and "1" are one name


def test_groups_are_spread_so_that_activities_keep_their_shares():
    """Two groups of each activity: split in two, no fold lacks an activity."""
    codes = np.repeat([0, 1, 0, 1], [6, 6, 6, 6])
    folds = make_inner_folds(some(24, np.repeat(["a", "b", "c", "d"], 6)), codes, 2)
    assert [np.bincount(codes[fold]).tolist() for fold in folds] == [[6, 6], [6, 6]]


@pytest.mark.parametrize("codes", [[], [0], [0, 1, 2]])
def test_activities_with_one_instance_each_cannot_be_split(codes):
    folds = make_inner_folds(some(len(codes)), np.array(codes, np.int64), 3)
    assert [fold.tolist() for fold in folds] == [list(range(len(codes)))]


@given(st.permutations(range(12)), st.booleans())
def test_the_order_of_instances_does_not_matter(order, grouped):
    order, codes = np.array(order), np.arange(12) % 3
    X = some(12, [f"g{d % 4}" for d in range(12)] if grouped else None)
    parts = {frozenset(fold.tolist()) for fold in make_inner_folds(X, codes, 3)}
    again = make_inner_folds(X[order], codes[order], 3)
    assert {frozenset(order[fold].tolist()) for fold in again} == parts


def test_fingerprints_follow_the_content():
    X = IntervalSequences.from_lists([[("a", 0, 1)], [("a", 0, 1)], [("a", 0, 2)], [("b", 0, 1)]])
    prints = fingerprint(X)
    assert prints[0] == prints[1]
    assert len(set(prints.tolist())) == 3


def test_learned_weights_do_not_depend_on_the_order_of_instances(rng):
    X, y, _ = make_hand_signs(instances_per_style=4, random_state=0)
    order = rng.permutation(len(y))
    options = {"terms": ("length", "actions", "relations"), "copy_weight": 0.0}
    first = IBGNClassifier(**options).fit(X, y)
    second = IBGNClassifier(**options).fit(X[order], y[order])
    assert first.weights_ == pytest.approx(second.weights_, rel=1e-6)
