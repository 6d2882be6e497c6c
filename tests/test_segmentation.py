"""Streams cut into activities: the dynamic programme, learning, and what comes out."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone

import naive_segments
from ibgn import DataError, DataWarning, DBNClassifier, IntervalSequences, Segmenter, load, read
from ibgn._kernels import segments as kernels
from ibgn.datasets import make_relations, make_untrimmed_days, sample_path
from ibgn.errors import OptionError
from ibgn.metrics import edit_score, frame_accuracy
from ibgn.segmentation import compose_streams, cut_activities, evidence, grains, windows
from ibgn.segmentation import lattice as lattices
from ibgn.segmentation.annotations import annotate
from ibgn.segmentation.evidence import Features
from ibgn.segmentation.lattice import Lattice
from ibgn.segmentation.weights import USUAL, fit_weights, labels_in_order, learn_steps
from strategies import sequences

SHAPES = [(1, 1, 1), (4, 2, 2), (6, 4, 1), (5, 7, 2)]
EXACT = {"rtol": 1e-12, "atol": 1e-12}


def make_weights(rng, n, longest, activities):
    """Scores, none and steps of a small stream."""
    scores = rng.normal(size=(n, longest, activities))
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    for begin in range(n):
        scores[begin, n - begin :] = -np.inf
    return scores, rng.normal(), rng.normal(size=(activities + 2, activities + 1))


@pytest.fixture(params=[1, 3, 1000], ids="blocks of {}".format)
def lattice(request, rng, monkeypatch):
    """Makes lattices of blocks of some positions, whose scores are kept or made again."""

    def make(scores, none, steps):
        monkeypatch.setattr(lattices, "BLOCK", request.param * scores[0].size)
        monkeypatch.setattr(lattices, "KEPT", 0 if request.param == 3 else 10**6)
        return Lattice.of(scores, none, steps)

    return make


@pytest.mark.parametrize("shape", SHAPES)
def test_all_segmentations_are_summed(shape, lattice, rng):
    scores, none, steps = make_weights(rng, *shape)
    ways = list(naive_segments.segmentations(*shape))
    weights = np.array(
        [naive_segments.weigh(way, scores, np.full(shape[0], none), steps) for way in ways]
    )
    total = np.logaddexp.reduce(weights)
    runs, inside = np.zeros(scores.shape), np.zeros((shape[0], shape[2] + 1))
    for way, share in zip(ways, np.exp(weights - total), strict=True):
        for begin, end, label in way:
            inside[begin:end, label] += share
            if label < shape[2]:
                runs[begin, end - begin - 1, label] += share
    chances = lattice(scores, none, steps).chances(with_runs=True)
    np.testing.assert_allclose(chances.log_total, total, **EXACT)
    np.testing.assert_allclose(chances.runs, runs, **EXACT)
    np.testing.assert_allclose(chances.inside, inside, **EXACT)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_likeliest_of_all_segmentations_is_found(shape, lattice, rng):
    scores, none, steps = make_weights(rng, *shape)
    best = max(
        naive_segments.segmentations(*shape),
        key=lambda way: naive_segments.weigh(way, scores, np.full(shape[0], none), steps),
    )
    first, label = lattice(scores, none, steps).best()
    assert first.tolist() == [begin for begin, _, _ in best]
    assert label.tolist() == [label for _, _, label in best]


def test_a_stream_without_intervals_has_one_segmentation():
    lattice = Lattice.of(np.zeros((0, 2, 1)), 0.0, np.zeros((3, 2)))
    assert lattice.best()[0].tolist() == []
    assert lattice.chances().inside.shape == (0, 2)


def test_weights_that_are_rounded_by_thousands_give_probabilities(rng):
    """As an altered model file may have them: sums that should be equal differ by thousands."""
    scores, _, steps = make_weights(rng, 30, 3, 2)
    chances = Lattice.of(scores * 1e19, -1e19, steps).chances(with_runs=True)
    for found in (chances.runs, chances.inside):
        assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_are_their_twins(shape, rng):
    scores, none, steps = make_weights(rng, *shape)
    n, labels = shape[0], shape[2] + 1
    given = scores[n // 2 :], np.full(n, none), steps, n // 2
    ending = rng.normal(size=(n + 1, labels))

    def numbers():
        return np.zeros((n + 1, labels), np.int64)

    def compare(name, make):
        mine, plain = make(), make()
        said = getattr(kernels, name)(*mine), getattr(naive_segments, name)(*plain)
        for one, two in zip(mine, plain, strict=True):
            np.testing.assert_allclose(one, two, **EXACT)
        return said

    compare("sum_before", lambda: (*given, np.zeros((n, labels)), ending.copy()))
    compare("sum_after", lambda: (*given, ending.copy()))
    compare("climb", lambda: (*given, ending.copy(), numbers(), numbers()))
    shared = compare(
        "share_runs",
        lambda: (given[0], given[3], ending[:-1], ending, 3.0, np.zeros((n + 1, labels))),
    )
    np.testing.assert_allclose(*shared, **EXACT)
    state = np.full((n + 1, labels), -np.inf), numbers(), numbers()
    kernels.climb(scores, given[1], steps, 0, *state)
    for one, two in zip(kernels.trace_back(*state), naive_segments.trace_back(*state), strict=True):
        np.testing.assert_array_equal(one, two)
    for one, two in ((0.5, -2.0), (-2.0, 0.5), (-np.inf, 1.0), (-np.inf, -np.inf)):
        plain = naive_segments.log_add(one, two)
        assert kernels.log_add(one, two) == pytest.approx(plain, rel=1e-12)


TEA = [("boil", 0, 4), ("pour", 4, 6)]
COFFEE = [("grind", 0, 2), ("pour", 1, 5)]


def shifted(instance, late):
    return [(action, start + late, end + late) for action, start, end in instance]


@pytest.fixture(scope="module")
def segmenter():
    return Segmenter(random_state=0).fit_instances([TEA, COFFEE] * 10, ["tea", "coffee"] * 10)


def test_an_interval_belongs_to_the_activity_in_which_it_starts():
    stream = [("radio", 0, 99), *shifted(TEA, 10), ("phone", 15, 40), ("nap", 16, 17)]
    streams = annotate([stream, []], [[("tea", 10, 16), ("rest", 16, 30)], []])
    assert streams.stream.tolist() == [0, 0]
    assert streams.first.tolist() == [1, 4]
    assert streams.last.tolist() == [4, 5]
    instances, y = cut_activities(streams.X, [[("tea", 10, 16), ("rest", 16, 30)], []])
    assert instances.to_lists()[0] == [*shifted(TEA, 10), ("phone", 15, 40)]
    assert (y.tolist(), instances.ids.tolist()) == (["tea", "rest"], ["0#1", "0#2"])
    assert instances.groups.tolist() == ["0", "0"]


def test_activities_that_cannot_be_learned_from():
    with pytest.raises(DataError, match=r"'coffee' starts at 5, before 'tea' ends; cut one"):
        annotate([TEA], [[("tea", 0, 6), ("coffee", 5, 9)]])
    with pytest.raises(DataError, match="1 streams and 2 lists of activities"):
        annotate([TEA], [[], []])
    with pytest.warns(DataWarning, match="1 of 2 activities are left out"):
        streams = annotate([TEA], [[("tea", 0, 6), ("rest", 7, 9)]])
    assert streams.label.tolist() == [1]  # the code of "tea"
    with pytest.raises(DataError, match="no activities in the streams"):
        Segmenter().fit([TEA], [[]])
    with pytest.raises(DataError, match=r"called '\(none\)'.*rename it"):
        Segmenter().fit([TEA], [[("(none)", 0, 6)]])
    with pytest.raises(OptionError, match="estimator.*must be a classifier of this library"):
        Segmenter(estimator=3).fit([TEA], [[("tea", 0, 6)]])
    with pytest.raises(DataError, match="all runs of intervals are nearly activities"):
        Segmenter(random_state=0).fit_instances([TEA[:1]], ["tea"])
    with pytest.raises(DataError, match="without intervals"):
        compose_streams([TEA, []], ["tea", "tea"])


def test_what_outlasts_its_activity_says_nothing_about_its_end():
    day = [row for n in range(8) for row in shifted((TEA, COFFEE)[n % 2], 20 * n)]
    radio = [("radio", 20 * n + 1, 20 * n + 50) for n in range(0, 8, 3)]
    done = [(("tea", "coffee")[n % 2], 20 * n, 20 * n + 6) for n in range(8)]
    assert annotate([day + radio], [done]).find_lasting() == ("radio",)
    X = IntervalSequences.from_lists([[("radio", 1, 50), ("boil", 5, 9), ("sip", 6, 7)]])
    assert windows.own_ends(X, ("radio",)).tolist() == [2, 9, 7]  # as short as the sip
    runs = windows.Runs(X, 1, 2, 0, 3)
    assert runs.spans(("radio",))[0].tolist() == [1, 8]
    assert runs.spans(())[0].tolist() == [49, 49]


@pytest.mark.parametrize("number", [1, 2, 3, 7, 50])
def test_parts_of_streams_leave_activities_whole(number):
    X, activities = make_untrimmed_days(days=2, activities_per_day=6, random_state=1)
    whole = annotate(X, activities)
    parts = whole.cut(number)
    assert len(parts.X) >= min(number, 12)
    assert parts.instances.to_lists() == whole.instances.to_lists()
    np.testing.assert_array_equal(parts.X.start, X.start)
    np.testing.assert_array_equal(parts.label, whole.label)
    some = parts.take(np.arange(len(parts.X))[::2])
    owned = zip(parts.instances.to_lists(), parts.stream, strict=True)
    kept = [rows for rows, d in owned if d % 2 == 0]
    assert some.instances.to_lists() == kept


def test_streams_are_composed_of_all_instances():
    X, y = make_relations(instances_per_activity=4, random_state=0)
    streams, activities = compose_streams(X, y, streams=3, random_state=0)
    assert len(streams) == len(activities) == 3
    instances, labels = cut_activities(streams, activities)

    def durations(Y, names):
        sizes = [[round(e - s, 9) for _, s, e in rows] for rows in Y.to_lists()]
        return sorted(zip(map(str, names), sizes, strict=True))

    assert durations(instances, labels) == durations(X, y)
    assert len(streams.action) > len(X.action)  # there is a background
    alone, _ = compose_streams(X, y, [[("nap", 0, 9)]], streams=3, random_state=0)
    assert len(alone.action) == len(X.action) + 1


def test_what_follows_what():
    streams = annotate(
        [[("a", n, n + 1) for n in range(6)]], [[("x", 0, 2), ("y", 2, 3), ("x", 4, 6)]]
    )
    assert labels_in_order(streams, 0).tolist() == [0, 1, 2, 0]
    steps = np.exp(learn_steps(streams, ordered=True))
    np.testing.assert_allclose(steps.sum(axis=1), 1)
    assert steps[0].argmax() == 1  # y follows x
    unordered = np.exp(learn_steps(streams, ordered=False))
    np.testing.assert_allclose(unordered[0], unordered[1])
    assert unordered[2].argmax() == 0  # after none


def test_weights_make_the_true_segmentation_likeliest(rng):
    """No other weights have a smaller loss, counted over all segmentations."""
    stream = [("a", n, n + 1.5) for n in range(5)]
    streams = annotate([stream], [[("x", 0, 2), ("y", 3, 5)]])
    there = np.arange(5)[:, None] + np.arange(1, 4) <= 5
    odds, span = rng.normal(size=(5, 3, 2, 2)), rng.normal(size=(5, 3, 2))
    features = Features(there, odds, span, rng.normal(size=5))
    steps = learn_steps(streams, ordered=True)
    usual = np.append([1.0, 1.0], USUAL)

    def loss(weights):
        scores = odds @ weights[:2] + weights[2] * span + weights[4]
        scores += weights[3] * features.pause[:, None, None]
        scores[~there] = -np.inf
        given = scores, np.full(5, weights[5]), steps
        ways = naive_segments.segmentations(5, 3, 2)
        total = np.logaddexp.reduce([naive_segments.weigh(way, *given) for way in ways])
        true = naive_segments.weigh([(0, 2, 0), (2, 3, 2), (3, 5, 1)], *given)
        return total - true + ((weights - usual) ** 2).sum() / 2

    found = fit_weights([features], streams, steps)
    least = loss(found)
    assert least < loss(usual)
    for direction in np.concatenate([np.eye(6), -np.eye(6)]):
        other = found + 0.01 * direction
        if (other[:4] >= 0).all():
            assert least < loss(other)


def test_activities_are_found_in_a_stream(segmenter):
    stream = [*shifted(TEA, 3), ("pour", 20, 22), *shifted(COFFEE, 40), *shifted(TEA, 46)]
    found = segmenter.segment([stream, []])
    assert found.to_lists() == [[("tea", 3, 9), ("coffee", 40, 45), ("tea", 46, 52)], []]
    assert found.actions == ("coffee", "tea")
    assert (found.uncertainty.confidence > 0.5).all()
    inside, nothing = segmenter.predict_proba([stream, []])
    assert inside.shape == (7, 3)
    assert nothing.shape == (0, 3)
    np.testing.assert_allclose(inside.sum(axis=1), 1, rtol=1e-9)
    assert inside.argmax(axis=1).tolist() == [1, 1, 2, 0, 0, 1, 1]


def test_one_activity_ends_where_the_next_begins(segmenter):
    stream = [*shifted(TEA, 3), *shifted(COFFEE, 8)]  # which begins before the tea is poured
    assert segmenter.segment([stream]).to_lists() == [[("tea", 3, 8), ("coffee", 8, 13)]]


def test_where_there_are_no_streams_nothing_is_found(segmenter):
    assert segmenter.segment([]).to_lists() == []
    assert segmenter.segment([[]]).to_lists() == [[]]
    assert segmenter.predict_proba([]) == []


def test_streams_with_names_keep_them(segmenter):
    X = IntervalSequences.from_lists([TEA, COFFEE], ids=["one", "two"], groups=[1, 2])
    found = segmenter.segment(X)
    assert (found.ids.tolist(), found.groups.tolist()) == (["one", "two"], [1, 2])


def test_blocks_do_not_change_what_is_found(segmenter, monkeypatch):
    stream = [row for n in range(12) for row in shifted((TEA, COFFEE)[n % 2], 10 * n)]
    found = segmenter.segment([stream])
    monkeypatch.setattr(lattices, "BLOCK", 5)
    monkeypatch.setattr(lattices, "KEPT", 0)
    monkeypatch.setattr(windows, "AT_ONCE", 4)
    again = segmenter.segment([stream])
    assert found.to_lists() == again.to_lists()
    np.testing.assert_allclose(
        found.uncertainty.confidence, again.uncertainty.confidence, rtol=1e-12
    )


def test_runs_of_long_streams_are_scored_twice_and_no_more(rng, monkeypatch):
    monkeypatch.setattr(lattices, "BLOCK", 8)
    monkeypatch.setattr(lattices, "KEPT", 0)
    scores, none, steps = make_weights(rng, 6, 4, 1)
    asked = []

    def score(begin, stop):
        asked.append(begin)
        return scores[begin:stop]

    lattice = Lattice(score, scores.shape, none, steps)
    lattice.best()
    lattice.chances()
    assert asked == [0, 2, 4, 4, 2, 0]


def two_numbers(first, last):
    """Two numbers of each run."""
    return np.stack([np.sin(first) + last, np.cos(last)], axis=-1)


@pytest.mark.parametrize(
    ("n", "shortest", "longest"), [(1, 1, 1), (9, 1, 4), (90, 1, 77), (100, 40, 70), (150, 3, 149)]
)
def test_grains_hold_all_runs_and_say_what_the_one_in_the_middle_says(n, shortest, longest):
    made = grains.Grains(two_numbers, n, shortest, longest)
    found, sizes = made.paint(0, n)
    for begin in range(n):
        for length in range(shortest - 1, min(longest, n - begin)):
            size = sizes[begin, length]
            assert size <= max(length + 1, 16) / 16
            assert size & (size - 1) == 0
            first = min(begin // size * size + size // 2, n - 1)
            last = min(first + 1 + min(length // size * size + size // 2, longest - 1), n)
            assert found[begin, length].tolist() == two_numbers(first, last).tolist()
    block = made.paint(n // 3, n // 3 + 1)
    np.testing.assert_array_equal(block[0], found[n // 3 : n // 3 + 1])
    np.testing.assert_array_equal(block[1], sizes[n // 3 : n // 3 + 1])


def test_grains_that_are_split_are_scored_one_by_one():
    n, longest = 120, 90
    made = grains.Grains(two_numbers, n, 1, longest)
    there = np.add.outer(np.arange(n), np.arange(longest)) < n
    first, length = np.nonzero(there)
    exact = two_numbers(first, first + length + 1)
    assert (made.paint(0, n)[0][there] != exact).any()
    while made.split(first, length, made.paint(0, n)[1][there]):
        pass
    np.testing.assert_array_equal(made.paint(0, n)[0][there], exact)
    assert (made.paint(0, n)[1][there] == 1).all()


@pytest.fixture(scope="module")
def days():
    """A segmenter of simulated days, and three of which it knows nothing."""
    X, activities = make_untrimmed_days(days=9, activities_per_day=12, random_state=0)
    return Segmenter(exact=None, random_state=0).fit(X[:6], activities[:6]), X[6:]


@pytest.fixture
def segment_days(days, monkeypatch):
    """Cut days into activities, with grains of short runs too; also counts runs that are scored."""
    monkeypatch.setattr(grains, "FINE", 2)
    lengths = []

    def count(stream, first, last, *more):
        lengths.extend((last - first).tolist())
        return windows.score_runs(stream, first, last, *more)

    monkeypatch.setattr(evidence, "score_runs", count)

    def run(exact):
        lengths.clear()
        monkeypatch.setattr(days[0], "exact", exact)
        return days[0].segment(days[1]), len(lengths)

    return run


def test_grains_find_what_is_found_if_all_runs_are_scored(segment_days):
    all_scored, number = segment_days(None)
    some_scored, fewer = segment_days(10)
    assert fewer < 0.9 * number  # as they have 18 intervals at most
    assert edit_score(all_scored, some_scored) > 0.95
    assert frame_accuracy(all_scored, some_scored) > 0.95


def test_control_grains_that_are_never_split_find_something_else(segment_days, monkeypatch):
    all_scored, _ = segment_days(None)
    monkeypatch.setattr(grains.Grains, "split", lambda *_: False)
    some_scored, _ = segment_days(10)
    assert frame_accuracy(all_scored, some_scored) < 0.9


def test_weights_are_learned_from_grains(days):
    """The longest activities have some 20 intervals, so that all runs but these are alone."""
    X, activities = make_untrimmed_days(days=9, activities_per_day=12, random_state=0)
    rough = Segmenter(exact=1, random_state=0).fit(X[:6], activities[:6])
    plain = days[0]
    assert rough.longest_ == plain.longest_ < 2 * grains.FINE
    np.testing.assert_allclose(rough.weights_, plain.weights_, rtol=1e-6)


def test_how_many_intervals_activities_have(days):
    X, activities = make_untrimmed_days(days=9, activities_per_day=12, random_state=0)
    lengths = cut_activities(X[:6], activities[:6])[0].lengths
    assert days[0].shortest_ == max(int(lengths.min() / 1.25), 1)
    assert days[0].longest_ == np.ceil(1.25 * lengths.max())
    with pytest.raises(OptionError, match="exact"):
        Segmenter(exact=0).fit(X, activities)


def test_a_saved_segmenter_finds_the_same(segmenter, tmp_path):
    segmenter.save(tmp_path / "drinks.ibgn")
    loaded = load(tmp_path / "drinks.ibgn")
    stream = [*shifted(TEA, 3), *shifted(COFFEE, 40)]
    assert loaded.segment([stream]) == segmenter.segment([stream])
    assert loaded.get_params(deep=False) == segmenter.get_params(deep=False)


def test_the_same_seed_learns_the_same(segmenter):
    again = clone(segmenter).fit_instances([TEA, COFFEE] * 10, ["tea", "coffee"] * 10)
    np.testing.assert_array_equal(again.weights_, segmenter.weights_)
    np.testing.assert_array_equal(again.term_weights_, segmenter.term_weights_)


def test_any_classifier_finds_activities():
    streams, activities = compose_streams([TEA, COFFEE] * 8, ["tea", "coffee"] * 8, random_state=0)
    segmenter = Segmenter(DBNClassifier(), random_state=0).fit(streams, activities)
    assert edit_score(activities, segmenter.segment(streams)) > 0.5


def test_unknown_actions_are_warned_of(segmenter):
    with pytest.warns(DataWarning, match="that the model does not know"):
        segmenter.segment([[("juggle", 0, 1), *shifted(TEA, 2)]])


@pytest.mark.own_seed("learns once from simulated days; how well is measured by a benchmark")
def test_days_are_cut_better_than_by_chance():
    X, activities = make_untrimmed_days(days=6, activities_per_day=24, random_state=0)
    segmenter = Segmenter(random_state=0).fit(X[:5], activities[:5])
    found = segmenter.segment(X[5])
    assert edit_score(activities[5], found) > 0.6
    assert frame_accuracy(activities[5], found, X[5]) > 0.6
    control = make_untrimmed_days(days=1, activities_per_day=24, random_state=1)[1]
    assert edit_score(control, IntervalSequences.from_flat(found.flat, found.actions)) < 0.4


def test_days_are_what_was_asked_for():
    options = {"days": 3, "activities_per_day": 16, "random_state": 5}
    X, activities = make_untrimmed_days(**options)
    assert activities.lengths.tolist() == [16, 16, 16]
    assert make_untrimmed_days(**options)[0] == X
    assert (annotate(X, activities).instances.lengths > 0).all()
    still = make_untrimmed_days(**options, idle=0, lasting=0, overlap=0)
    assert cut_activities(*still)[0].lengths.sum() == len(still[0].action)
    with pytest.raises(OptionError, match="habit"):
        make_untrimmed_days(habit=2)


@given(sequences(most=3), sequences(most=3))
def test_the_share_of_time_is_that_of_short_frames(X, Z):
    n = min(len(X), len(Z))
    true, detected = X[:n], Z[:n]
    right = total = 0
    for one, two in zip(true.to_lists(), detected.to_lists(), strict=True):
        times = sorted({t for rows in (one, two) for _, *ends in rows for t in ends})
        for begin, end in pairwise(times):
            going = [{a for a, s, e in rows if s <= begin and end <= e} for rows in (one, two)]
            right += (end - begin) * (going[0] == going[1])
            total += end - begin
    share = right / total if total else 1.0
    assert frame_accuracy(true, detected) == pytest.approx(share, rel=1e-9, abs=1e-12)


def test_recordings_say_which_time_counts():
    true, found = [[("tea", 2, 4)]], [[("tea", 2, 3)]]
    assert frame_accuracy(true, found) == 0.5
    assert frame_accuracy(true, found, [[("boil", 0, 10)]]) == pytest.approx(0.9)
    assert frame_accuracy([[]], [[]]) == 1.0
    with pytest.raises(DataError, match="1 instances and 2 recordings"):
        frame_accuracy(true, found, [[], []])


def test_streams_need_not_be_cut_like_the_instances_that_were_learned_from():
    recording = sample_path("textgrid")
    X, y = read(recording, activity="track:phase")
    segmenter = Segmenter(DBNClassifier()).fit_instances(X, y)
    streams, _ = read(recording, tracks=["hands", "speech"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segmenter.segment(streams)
    assert not [each for each in caught if "activity=" in str(each.message)]
