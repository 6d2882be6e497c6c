"""Many instances: pieces, samples, and what is learned from them."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibgn import IBGNClassifier, IntervalSequences, pieces, worlds
from ibgn.classifiers import base, checks
from ibgn.datasets import make_hand_signs
from ibgn.pieces import choose_sample, cut, map_in_order
from ibgn.sources import GrowingSample
from ibgn.terms import TERMS
from ibgn.terms.base import Context
from ibgn.terms.tally import PlainTally, Sample, make_tally
from strategies import sequences


@pytest.fixture(scope="module")
def signs():
    X, y, _ = make_hand_signs(instances_per_style=20, random_state=0)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], y[order]


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few instances, and a sample of less than half of them."""
    monkeypatch.setattr(pieces, "SIZE", 200)
    monkeypatch.setattr(pieces, "SAMPLE", 60)
    monkeypatch.setattr(pieces, "LEAST", 5)


@given(sequences(most=9), st.sampled_from([1, 5, 40]))
def test_pieces_follow_each_other(X, size):
    before, pieces.SIZE = pieces.SIZE, size
    try:
        runs = cut(X)
    finally:
        pieces.SIZE = before
    every = [d for run in runs for d in range(run.start, run.stop)]
    assert every == list(range(len(X)))
    for run in runs[1:]:  # none could be joined with the one before
        assert sum(k * (k + 1) // 2 for k in X.lengths[runs[0].start : run.stop].tolist()) >= size


def test_results_come_in_order_and_at_the_same_time(monkeypatch):
    monkeypatch.setattr(pieces.numba, "get_num_threads", lambda: 2)
    both = threading.Barrier(2)

    def work(number):
        if number < 2:
            both.wait(timeout=30)  # for the other one
        return number

    assert list(map_in_order(work, range(50))) == list(range(50))


@pytest.mark.parametrize(("number", "here"), [(0, []), (1, [True]), (2, [False, False])])
def test_a_single_piece_needs_no_thread(number, here):
    own = threading.get_ident()
    assert list(map_in_order(lambda piece: threading.get_ident() == own, range(number))) == here


def test_an_error_in_a_piece_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda number: 1 / number, [1, 0, 1]))


def test_a_sample_does_not_depend_on_the_order(signs, small):
    X, y = signs
    codes = np.unique(y, return_inverse=True)[1]
    chosen, turned = choose_sample(X, codes), choose_sample(X[::-1], codes[::-1])
    np.testing.assert_array_equal(np.sort(len(X) - 1 - turned), chosen)
    assert 60 <= len(chosen) < len(X)
    assert np.bincount(codes[chosen]).min() >= 5
    rare = np.where(np.arange(len(X)) == 3, 20, codes)  # the only one of its activity
    assert 3 in choose_sample(X, rare)


def test_a_sample_of_long_instances_has_fewer(rng, monkeypatch):
    """And it is the same, however the instances come."""
    monkeypatch.setattr(pieces, "SAMPLE", 40)
    monkeypatch.setattr(pieces, "INTERVALS", 300)
    monkeypatch.setattr(pieces, "LEAST", 2)
    rows = [
        [("pour", float(n), n + 0.5 + d / 100) for n in range(length)]
        for d, length in enumerate(rng.integers(1, 60, 90).tolist())
    ]
    X, codes = IntervalSequences.from_lists(rows), rng.integers(0, 3, 90)
    chosen = choose_sample(X, codes)
    assert len(chosen) < 40
    assert 300 <= X.lengths[chosen].sum() < 300 + 7 * 60  # the last one, and two of each activity
    growing = GrowingSample()
    for part in np.split(np.arange(90), np.sort(rng.integers(0, 90, 6))):
        growing.add(X[part], codes[part])
    np.testing.assert_array_equal(growing.place, chosen)
    few = np.flatnonzero(X.lengths.cumsum() <= 300)
    assert choose_sample(X[few], codes[few]) is None


def as_sample(X, rng, rows=slice(None)):
    codes, fold = rng.integers(0, 3, (2, len(X)))
    whole = Sample(X, codes, fold % 2, np.zeros(len(X), bool), 3, 2, given=rng.random(len(X)))
    return part(whole, np.arange(len(X))[rows])


def part(sample, rows):
    fields = {name: getattr(sample, name)[rows] for name in ("activity", "fold", "copied", "given")}
    return replace(sample, X=sample.X[rows], **fields)


SETTINGS = [
    *(TERMS[name]() for name in TERMS if TERMS[name].scales),
    TERMS["relations"](structure="chain"),
    TERMS["relations"](smoothing="learned"),
]


@pytest.mark.parametrize("term", SETTINGS, ids=str)
@settings(max_examples=5)
@given(sequences(least=4, most=9), st.integers(0, 2**32 - 1))
def test_counts_of_pieces_are_those_of_the_whole(term, X, seed):
    """Also held-out scores, where instances that are added share a fold with the sample."""
    rng = np.random.default_rng(seed)
    special = list(term.specialise([X] * 3))
    contexts = [Context(c, X.actions, 0, np.random.default_rng(c)) for c in range(3)]
    whole = as_sample(X, rng)
    whole = replace(whole, fold=np.where(rng.random(len(X)) < 0.3, -1, whole.fold))
    at_once = make_tally(special, whole)
    first = make_tally(special, part(whole, np.arange(3)))
    for begin in range(3, len(X), 2):
        first.add(first.counter(part(whole, np.arange(begin, min(begin + 2, len(X))))))
    for mine, its in zip(first.learn(contexts), at_once.learn(contexts), strict=True):
        np.testing.assert_allclose(mine.log_likelihood(X), its.log_likelihood(X), rtol=1e-9)
    tested = np.flatnonzero(whole.fold[:3] >= 0)
    np.testing.assert_allclose(
        first.hold_out(contexts, tested), at_once.hold_out(contexts, tested), rtol=1e-9, atol=1e-9
    )
    nothing = PlainTally(special, part(whole, np.arange(3)))  # the control: others matter
    changed = [
        abs(mine.log_likelihood(X) - its.log_likelihood(X)).max()
        for mine, its in zip(nothing.learn(contexts), at_once.learn(contexts), strict=True)
    ]
    assert max(changed) > 0 or not X.lengths[3:].any()


def test_models_of_pieces_and_samples_are_nearly_the_same(signs, small, monkeypatch):
    X, y = signs
    sampled = IBGNClassifier(random_state=0).fit(X, y)
    monkeypatch.undo()
    whole = IBGNClassifier(random_state=0).fit(X, y)
    for label, mine in sampled.activities_.items():
        its = whole.activities_[label]
        np.testing.assert_array_equal(np.sort(mine.lengths), np.sort(its.lengths))
        assert (mine.pace, mine.whole) == (pytest.approx(its.pace), its.whole)
        # copies are drawn, and all instances are counted
        freedom = mine["durations"].freedom.sum(), its["durations"].freedom.sum()
        assert freedom[0] == pytest.approx(freedom[1], rel=0.05)
    new, labels, _ = make_hand_signs(instances_per_style=20, random_state=1)
    assert abs(sampled.score(new, labels) - whole.score(new, labels)) < 0.03
    assert (sampled.trained_on_.instances, sampled.trained_on_.intervals) == (
        len(X),
        len(X.action),
    )


def test_scores_do_not_depend_on_pieces(signs, monkeypatch):
    X, y = signs
    model = IBGNClassifier(random_state=0).fit(X[:80], y[:80])
    whole = model.predict_proba(X)
    runs = []
    monkeypatch.setattr(worlds, "cut", lambda X, _: runs.extend(cut(X)) or cut(X))
    monkeypatch.setattr(pieces, "SIZE", 100)
    np.testing.assert_array_equal(model.predict_proba(X), whole)
    assert len(runs) > 5


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_changes_nothing(signs, small, monkeypatch, threads):
    X, y = signs
    usual = IBGNClassifier(random_state=0).fit(X, y).predict_proba(X)
    monkeypatch.setattr(pieces.numba, "get_num_threads", lambda: threads)
    again = IBGNClassifier(random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(again, usual)


def test_groups_are_held_out_together(signs, small):
    X, y = signs
    groups = np.arange(len(X)) % 7
    data = checks.Training(
        X.with_groups(groups),
        np.unique(y, return_inverse=True)[1],
        sample=np.arange(0, len(X), 3),
    )
    mine = groups[data.sample]
    folds = [np.flatnonzero(mine % 2 == f) for f in range(2)]
    folds[1] = folds[1][mine[folds[1]] != 5]  # as if no one of group 5 were in the sample
    seen = []
    for piece in base.OtherInstances(data, folds, None)(lambda piece: [piece]):
        expected = np.where(piece.X.groups == 5, -1, piece.X.groups % 2)
        np.testing.assert_array_equal(piece.fold, expected)
        seen.append(len(piece.X))
    assert sum(seen) == len(X) - len(data.sample)
    assert len(seen) > 1


def test_contents_decide_about_the_sample():
    """Equal instances are chosen together, whatever their names."""
    lists = [[("pour", 0, 1 + d % 30)] for d in range(90)]
    X = IntervalSequences.from_lists(lists, ids=[f"i{d}" for d in range(90)])
    numbers = pieces.content_numbers(X)
    assert len(np.unique(numbers)) == 30
    np.testing.assert_array_equal(numbers[:30], numbers[30:60])
