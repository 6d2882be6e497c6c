"""Scores of detections: by hand, against plain twins, and against another implementation."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wardmetrics.core_methods import eval_events, eval_segments

from ibgn import DataError, IntervalSequences
from ibgn.metrics import (
    edit_score,
    interval_scores,
    matching,
    measure_confusion,
    overlap_f1,
    ward_scores,
)
from strategies import sequences

EMPTY = IntervalSequences.from_lists([])


def iou(first, second):
    shared = max(0, min(first[1], second[1]) - max(first[0], second[0]))
    return shared / (first[1] - first[0] + second[1] - second[0] - shared)


def of_instance(rows, action):
    return [(s, e) for a, s, e in rows if a == action]


def most_matches(real, found, least):
    """The largest number of pairs with enough overlap, by trying all."""
    if not real or not found:
        return 0
    rest = most_matches(real[1:], found, least)
    with_first = [
        1 + most_matches(real[1:], found[:n] + found[n + 1 :], least)
        for n, other in enumerate(found)
        if iou(real[0], other) >= least
    ]
    return max([rest, *with_first])


@given(sequences(most=2, longest=5), st.sampled_from([0.1, 0.5, 0.8]), st.randoms())
def test_as_many_as_possible_are_matched(X, least, random):
    Z = [[(a, s + random.choice([0, 1]), e + 1) for a, s, e in rows] for rows in X.to_lists()]
    found = interval_scores(X, Z, least)
    expected = sum(
        most_matches(of_instance(rows, a), of_instance(others, a), least)
        for rows, others in zip(X.to_lists(), Z, strict=True)
        for a in X.actions
    )
    assert found.matched == expected
    assert (found.true, found.detected) == (len(X.action), len(X.action))


def test_precision_and_recall_by_hand():
    true = [[("a", 0, 10), ("b", 0, 10)], [("a", 0, 4)]]
    detected = [[("a", 0, 5), ("a", 5, 10), ("b", 6, 10)], []]
    found = interval_scores(true, detected)
    assert (found.matched, found.true, found.detected) == (1, 3, 3)
    assert found.precision == found.recall == found.f1 == pytest.approx(1 / 3)
    assert interval_scores(true, detected, 0.4).matched == 2  # b too; a second a has no partner


@given(sequences())
def test_a_perfect_detector_scores_one_and_an_absent_one_nothing(X):
    nothing = [[]] * len(X)
    scores = interval_scores(X, X)
    assert scores.f1 == scores.precision == scores.recall == 1
    assert edit_score(X, X) == 1
    if all(len(set(rows)) == len(rows) for rows in X.to_lists()):  # twins have one best partner
        assert set(overlap_f1(X, X).values()) == {1.0}
    ward = ward_scores(X, X)
    assert sum(ward.true_events.values()) == ward.true_events["C"]
    assert not any(ward.durations[kind] for kind in ("I", "D", "F", "M", "Os", "Oe", "Us", "Ue"))
    lost = interval_scores(X, nothing)
    assert lost.f1 == (0 if len(X.action) else 1)
    assert lost.recall == (0 if len(X.action) else 1)
    assert ward_scores(X, nothing).true_events["C"] == 0
    assert interval_scores(nothing, X).precision == (0 if len(X.action) else 1)


def test_empty_input_is_defined():
    for metric in (interval_scores, overlap_f1, edit_score, ward_scores, measure_confusion):
        for instances in (EMPTY, [[]], [[], []]):
            metric(instances, instances)
    assert interval_scores(EMPTY, EMPTY).f1 == 1
    assert edit_score([[]], [[]]) == 1
    assert edit_score([[]], [[("a", 0, 1)]]) == 0


def f1_at(X, Z, overlap):
    """As the literature has it: detections in order, each with its best partner."""
    right = total = 0
    for rows, others in zip(X.to_lists(), Z.to_lists(), strict=True):
        used = [False] * len(rows)
        for action, s, e in others:
            best = [iou((s, e), (a, b)) if other == action else 0 for other, a, b in rows]
            at = int(np.argmax(best)) if best else -1
            if best and best[at] >= overlap and not used[at]:
                right, used[at] = right + 1, True
        total += len(rows) + len(others)
    return 2 * right / total if total else 1.0


@given(sequences(), st.randoms())
def test_f1_at_several_overlaps_is_that_of_the_literature(X, random):
    rows = [[(a, s, e + random.choice([0, 2, 5])) for a, s, e in one] for one in X.to_lists()]
    Z = IntervalSequences.from_lists([one[: random.randrange(len(one) + 1)] for one in rows])
    for overlap, found in overlap_f1(X, Z, (0.1, 0.25, 0.5, 0.9)).items():
        assert found == pytest.approx(f1_at(X, Z, overlap))


def edit_distance(first, second):
    if not first or not second:
        return len(first) + len(second)
    return min(
        edit_distance(first[1:], second) + 1,
        edit_distance(first, second[1:]) + 1,
        edit_distance(first[1:], second[1:]) + (first[0] != second[0]),
    )


words = st.text("abc", max_size=5)


@given(words, words)
def test_edit_score_equals_its_definition(first, second):
    X, Z = ([[(letter, n, n + 1) for n, letter in enumerate(word)]] for word in (first, second))
    expected = 1 - edit_distance(first, second) / max(len(first), len(second), 1)
    assert edit_score(X, Z) == pytest.approx(expected)


# Ward's classes, against ward-metrics.


@st.composite
def events(draw):
    edges = sorted(draw(st.sets(st.integers(0, 40), min_size=2, max_size=12)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return list(pairs)


def ours(real, found):
    scores = ward_scores([[("x", *event) for event in real]], [[("x", *event) for event in found]])
    return scores.true_events, scores.detected_events, scores.durations


def theirs(real, found):
    """Over a longer time, as it divides by the time without events."""
    _, _, durations, _ = eval_segments(list(real), list(found), -1, 50)
    truth, detection, _, _ = eval_events(list(real), list(found), -1, 50)
    edges = [edge for event in (*real, *found) for edge in event]
    outside = min(edges) + 1 + 50 - max(edges)
    return truth, detection, durations | {"TN": durations["TN"] - outside}


# two true events of which one is fragmented, a merge, an insertion, a deletion, over- and underfill
EXAMPLE = (
    [(3, 10), (12, 16), (20, 30), (35, 40), (45, 50)],
    [(4, 6), (8, 15), (22, 32), (33, 34), (36, 39)],
)


def test_ward_classes_of_an_example_by_hand():
    true, detected, durations = ours(*EXAMPLE)
    assert true == {"C": 2, "D": 1, "F": 0, "FM": 1, "M": 1}
    assert detected == {"C": 2, "I": 1, "F": 1, "FM": 1, "M": 0}
    assert durations == {
        "TP": 2 + 2 + 3 + 8 + 3,
        "TN": 4 + 1 + 1 + 5,
        "I": 1,
        "D": 5,
        "F": 2,
        "M": 2,
        "Os": 0,
        "Oe": 2,
        "Us": 1 + 2 + 1,
        "Ue": 1 + 1,
    }


@given(events(), events())
def test_durations_equal_those_of_ward_metrics(real, found):
    assert ours(real, found)[2] == theirs(real, found)[2]


def plain_classes(real, found):
    """From the definition: what overlaps what, and whether more than one does."""

    def partners(event, others):
        return [o for o in others if o[0] < event[1] and event[0] < o[1]]

    def name(event, own, others, alone):
        mine = partners(event, others)
        split, merged = len(mine) > 1, any(len(partners(o, own)) > 1 for o in mine)
        return alone if not mine else ("F" * split + "M" * merged) or "C"

    def name_detected(event, own, others):
        mine = partners(event, others)
        merging, part = len(mine) > 1, any(len(partners(o, own)) > 1 for o in mine)
        return "I" if not mine else ("F" * part + "M" * merging) or "C"

    true = [name(r, real, found, "D") for r in real]
    return true, [name_detected(f, found, real) for f in found]


@given(events(), events())
def test_event_classes_equal_their_definition(real, found):
    true, detected, _ = ours(real, found)
    for counts, expected in zip((true, detected), plain_classes(real, found), strict=True):
        assert counts == {kind: expected.count(kind) for kind in counts}


@given(events(), events())
def test_event_classes_equal_those_of_ward_metrics(real, found):
    """But for events that are fragmented and merged, of which it sees some twice, some not at all.

    It changes classes while it goes through them; these are compared with the definition above.
    """
    true, detected, _ = ours(real, found)
    if true["FM"] or detected["FM"]:
        return
    their_true, their_detected, _ = theirs(real, found)
    assert true == {kind: their_true.count(kind) for kind in true}
    plain = [kind.replace("'", "") for kind in their_detected]
    assert detected == {kind: plain.count(kind) for kind in detected}


def test_neighbouring_numbers_are_told_apart():
    """There is no number between two edges beyond 2^52."""
    end = 2.0**53 - 1
    found = ward_scores([[("a", end - 1, end)]], [[("a", end - 2, end)]])
    assert {kind: time for kind, time in found.durations.items() if time} == {"TP": 1, "Os": 1}


@given(sequences(most=2, longest=8), sequences(most=2, longest=8), st.booleans())
def test_all_that_overlap_are_found(X, Z, same_action):
    X, Z = matching.align(X[:1] if len(X) else [[]], Z[:1] if len(Z) else [[]])
    found = matching.find_overlaps(X, Z, same_action)
    expected = {
        (i, j): iou((X.start[i], X.end[i]), (Z.start[j], Z.end[j]))
        for i, j in itertools.product(range(len(X.action)), range(len(Z.action)))
        if X.action[i] == Z.action[j] or not same_action
    }
    assert {(i, j): share for _, i, j, share in found.itertuples(index=False)} == pytest.approx(
        {pair: share for pair, share in expected.items() if share}
    )


def test_long_instances_do_not_take_all_pairs(rng):
    """20,000 intervals: all pairs would be some gigabytes."""
    start = 10 * np.arange(20_000) + rng.uniform(0, 3, 20_000)
    X = IntervalSequences.from_lists([[("a", s, s + 5) for s in start.tolist()]])
    assert len(matching._candidates(X, X, True)[0]) == 20_000
    assert ward_scores(X, X).true_events["C"] == 20_000


def test_ward_sums_over_actions_and_instances():
    true = [[("a", 0, 4), ("b", 2, 6)], [("a", 0, 4)]]
    detected = [[("a", 0, 4)], [("a", 1, 4), ("a", 3, 5)]]
    found = ward_scores(true, detected)
    assert found.true_events == {"C": 2, "D": 1, "F": 0, "FM": 0, "M": 0}
    assert found.detected_events["C"] == 2  # what overlaps itself is one event
    assert found.durations["D"] == 4
    assert found.durations["Us"] == found.durations["Oe"] == 1
    assert sum(found.durations.values()) == 6 + 6 + 5  # each action over its instance
    table = found.frame().set_index("class")
    assert table.loc["D", "true"] == 1
    assert table["duration"].sum() == pytest.approx(17)


def test_confusions_are_matched_by_time():
    true = [[("a", 0, 10), ("b", 20, 30), ("c", 40, 50)], [("a", 0, 2)]]
    detected = [[("b", 1, 10), ("b", 21, 31), ("a", 60, 70)], [("a", 0, 2)]]
    found = measure_confusion(true, detected)
    assert found.frame().to_numpy().tolist() == [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert found.inserted.tolist() == [1, 0, 0]
    assert found.instances == 2


@given(sequences(most=3, longest=6), sequences(most=3, longest=6))
def test_confusions_add_up(X, Z):
    Z = Z[: len(X)]
    X = X[: len(Z)]
    found = measure_confusion(X, Z, 0.3)
    assert found.counts.sum() == len(X.action)
    assert found.counts[:, :-1].sum() + found.inserted.sum() == len(Z.action)


@pytest.mark.parametrize("metric", [interval_scores, overlap_f1, edit_score, ward_scores])
def test_instances_must_come_in_pairs(metric):
    with pytest.raises(DataError, match="2 true instances and 1 detected"):
        metric([[], []], [[]])
    one = IntervalSequences.from_lists([[], []], ids=["x", "y"])
    other = IntervalSequences.from_lists([[], []], ids=["y", "x"])
    with pytest.raises(DataError, match="same order"):
        metric(one, other)


@pytest.mark.parametrize("bad", [0, -1, 1.5, float("nan"), "half"])
def test_overlaps_are_above_zero(bad):
    with pytest.raises(DataError, match="above 0 and at most 1"):
        interval_scores(EMPTY, EMPTY, bad)
    with pytest.raises(DataError, match="above 0 and at most 1"):
        overlap_f1(EMPTY, EMPTY, (bad,))


def test_scores_do_not_depend_on_the_order_of_instances(rng):
    rows = [
        [(str(rng.integers(3)), s, s + 1 + rng.integers(5)) for s in range(4)] for _ in range(20)
    ]
    others = [[(a, s + 1, e) if e - s > 1 else (a, s, e) for a, s, e in one] for one in rows]
    order = rng.permutation(20)
    X, Z = IntervalSequences.from_lists(rows), IntervalSequences.from_lists(others)
    for metric in (interval_scores, overlap_f1, ward_scores):
        assert metric(X, Z) == metric(X[order], Z[order])
    assert edit_score(X, Z) == pytest.approx(edit_score(X[order], Z[order]))


def test_all_kinds_of_time_occur_in_some_example():
    """Control: the comparison with ward-metrics is not one of zeros."""
    real = [(0, 4), (6, 10), (12, 20), (22, 30)]
    guesses = [(1, 3), (3, 8), (5, 7), (9, 11), (13, 14), (15, 25), (31, 33)]
    seen = set()
    for found in itertools.combinations(guesses, 3):
        if all(a[1] < b[0] for a, b in itertools.pairwise(found)):
            seen |= {kind for kind, time in ours(real, list(found))[2].items() if time}
    assert seen == {"TP", "TN", "I", "D", "F", "M", "Os", "Oe", "Us", "Ue"}
