"""End points that are the same instant but for a little: merged, and how much is little."""

import numpy as np
import pytest

from chance import binomial_bounds
from ibgn import DataWarning, IBGNClassifier, IntervalSequences, load
from ibgn.datasets import make_hand_signs
from ibgn.errors import OptionError
from ibgn.model import tolerance
from ibgn.model.tolerance import choose_tolerance, merge_instants

# nothing that would stand errors of ends without a tolerance
PLAIN = {"terms": ("actions", "relations"), "weights": "equal", "copy_weight": 0.0}


def jittered(X, by, rng):
    """Each end point a little aside, as detectors have it."""
    lists = [
        [
            (name, start + rng.uniform(-by, by), end + rng.uniform(-by, by))
            for name, start, end in one
        ]
        for one in X.to_lists()
    ]
    return IntervalSequences.from_lists(lists)


def meetings(rng, n=60):
    """Two activities: b meets a, or begins when a is half over."""
    lists, codes = [], []
    for d in range(n):
        long = rng.uniform(5, 10)
        lists.append([("a", 0, long), ("b", long * (1 if d % 2 else 0.5), 2 * long)])
        codes.append(d % 2)
    return IntervalSequences.from_lists(lists), np.array(codes)


@pytest.mark.filterwarnings("ignore::ibgn.DataWarning")
@pytest.mark.parametrize("by", [0.0, 0.05, 0.3, 2.0])
def test_merging_is_what_readers_do(rng, by):
    lists = [
        [(f"a{rng.integers(4)}", start, start + rng.exponential(1) + 0.01) for start in starts]
        for starts in rng.uniform(0, 5, (20, 8)).tolist()
    ]
    X = IntervalSequences.from_lists([*lists, []])
    wanted = IntervalSequences.from_lists([*lists, []], tolerance=by, zero_length="drop")
    assert merge_instants(X, by).to_lists() == wanted.to_lists()


def test_merging_keeps_names_groups_and_empty_instances():
    X, _, _ = make_hand_signs(instances_per_style=2, random_state=0)
    merged = merge_instants(X, 100.0)
    assert len(merged) == len(X)
    assert merged.lengths.sum() == 0
    assert merged.ids.tolist() == X.ids.tolist()
    assert merged.groups.tolist() == X.groups.tolist()
    assert merge_instants(X, 0.0) is X


@pytest.mark.own_seed(reason="how far chance gains by merging has no known bound")
def test_where_nothing_is_jittered_nothing_is_merged(rng):
    assert choose_tolerance(*meetings(rng)) == 0


@pytest.mark.statistical(false_alarm=1e-8)
def test_jitter_that_hides_the_difference_is_merged_away(rng, false_alarm):
    """One activity has b begin where a ends, the other a little before or after.

    What is found has a standard deviation of 0.004 over seeds, a hundredth of the margins. The
    control, labels at random: two thirds of them merge nothing, one half is tested for.
    """
    lists, codes = [], []
    for d in range(120):
        long = rng.uniform(8, 10)
        apart = 0.0 if d % 2 else rng.choice([-1.2, 1.2])
        begin = long + apart + rng.uniform(-0.1, 0.1)
        lists.append([("a", 0, long), ("b", begin, 2 * long)])
        codes.append(d % 2)
    X, codes = IntervalSequences.from_lists(lists), np.array(codes)
    found = choose_tolerance(X, codes)
    assert 0.1 < found < 1.2
    by_chance = [choose_tolerance(X, rng.permutation(codes)) for _ in range(60)]
    assert by_chance.count(0) >= binomial_bounds(60, 0.5, false_alarm)[0]


def test_small_differences_that_matter_are_kept(rng):
    """b begins a little before a ends, or a little after."""
    lists = [[("a", 0, 5), ("b", 5 + (0.1 if d % 2 else -0.1), 9)] for d in range(60)]
    X = IntervalSequences.from_lists(lists)
    assert choose_tolerance(X, np.arange(60) % 2) == 0


@pytest.mark.parametrize("lists", [[], [[]] * 4, [[("a", 0, 1)]] * 2])
def test_too_little_to_judge_by_merges_nothing(lists):
    X = IntervalSequences.from_lists(lists)
    assert choose_tolerance(X, np.arange(len(lists)) % 2) == 0


def test_much_data_are_judged_by_a_part(monkeypatch, rng):
    X, codes = meetings(rng)
    monkeypatch.setattr(tolerance, "MOST_PAIRS", 20)
    part, its_codes, weight = tolerance._sample(X, codes, np.arange(len(X)).astype(float))
    assert len(part) == len(its_codes) == len(weight) == 20
    place = {str(one): d for d, one in enumerate(X.to_lists())}
    assert [codes[place[str(one)]] for one in part.to_lists()] == its_codes.tolist()
    assert [place[str(one)] for one in part.to_lists()] == weight.tolist()


def test_a_long_instance_does_not_crowd_out_the_others(rng):
    """It has more pairs than all that are looked at."""
    X, codes = meetings(rng)
    long = [("a", n, n + 1) for n in range(2100)]
    X = IntervalSequences.concatenate([IntervalSequences.from_lists([long]), X])
    part, *_ = tolerance._sample(X, np.concatenate([[0], codes]), np.ones(len(X)))
    assert len(part) == 61
    assert part.lengths.max() == tolerance.LONGEST
    assert part[int(part.lengths.argmax())].to_lists() == [long[: tolerance.LONGEST]]
    assert choose_tolerance(X, np.concatenate([[0], codes])) == 0


@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_of_instances_does_not_matter(rng, grouped):
    X, y, groups = make_hand_signs(instances_per_style=3, random_state=0)
    X = jittered(X, 0.02, rng)
    if grouped:
        X = IntervalSequences.from_flat(X.flat, X.actions, X.ids, groups)
    codes = np.unique(y, return_inverse=True)[1]
    found = choose_tolerance(X, codes)
    assert found > 0
    for _ in range(3):
        order = rng.permutation(len(X))
        assert choose_tolerance(X[order], codes[order]) == found


def test_groups_are_kept_together_where_the_tolerance_is_judged(monkeypatch, rng):
    X, codes = meetings(rng)
    X = IntervalSequences.from_flat(
        X.flat, X.actions, X.ids, [("ann", 2)[d % 2] for d in range(60)]
    )
    seen = []
    inner = tolerance.make_inner_folds
    monkeypatch.setattr(
        tolerance, "make_inner_folds", lambda *options: seen.append(inner(*options)) or seen[-1]
    )
    choose_tolerance(X, codes // 2 % 2)
    assert [len({str(g) for g in X.groups[fold]}) for fold in seen[0]] == [1, 1]


def test_a_tolerance_is_as_merging_before(rng):
    X, y, _ = make_hand_signs(instances_per_style=3, random_state=0)
    noisy = jittered(X, 0.01, rng)
    inside = IBGNClassifier(tolerance=0.1, **PLAIN).fit(noisy, y)
    before = IBGNClassifier(**PLAIN).fit(merge_instants(noisy, 0.1), y)
    merged = merge_instants(noisy, 0.1)
    np.testing.assert_array_equal(inside.predict_proba(noisy), before.predict_proba(merged))
    plain = IBGNClassifier(**PLAIN).fit(noisy, y)
    assert (plain.predict_proba(noisy) != inside.predict_proba(noisy)).any()
    why = inside.explain(noisy[0])
    assert why.instance.to_lists() == merged[:1].to_lists()
    assert why.log_odds == pytest.approx(before.explain(merged[0]).log_odds, abs=1e-9)


@pytest.mark.own_seed(reason="scores of a model on simulations have no known bound")
def test_a_learned_tolerance_stands_errors_of_ends(rng):
    X, y, groups = make_hand_signs(instances_per_style=10, random_state=0)
    train, test = groups < "signer 12", groups >= "signer 12"
    noisy = jittered(X[test], 0.03, rng)
    learned = IBGNClassifier(tolerance="learned", **PLAIN).fit(X[train], y[train])
    plain = IBGNClassifier(**PLAIN).fit(X[train], y[train])
    assert 0.03 < learned.tolerance_ < 0.3
    assert plain.tolerance_ == 0
    assert learned.score(noisy, y[test]) > plain.score(noisy, y[test]) + 0.2
    assert learned.score(X[test], y[test]) > plain.score(X[test], y[test]) - 0.02


def test_a_learned_tolerance_is_kept_with_the_model(tmp_path):
    X, y, _ = make_hand_signs(instances_per_style=6, random_state=0)
    model = IBGNClassifier(tolerance="learned", **PLAIN).fit(X, y)
    model.save(tmp_path / "model.ibgn")
    again = load(tmp_path / "model.ibgn")
    assert again.tolerance == "learned"
    assert again.tolerance_ == model.tolerance_ > 0
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("wrong", [-1, np.nan, np.inf, "much", None, True])
def test_tolerances_that_cannot_be_are_refused(wrong):
    with pytest.raises(OptionError, match="must be (a finite number, )?0 or more, or 'learned'"):
        IBGNClassifier(tolerance=wrong).fit([[("a", 0, 1)]] * 2, ["x", "y"])


def test_what_a_tolerance_empties_is_counted_and_kept(tmp_path):
    instance = [("a", 0, 0.01), ("b", 0, 5)]
    X, y = [instance, instance, instance[1:]], ["x", "y", "y"]
    with pytest.warns(DataWarning, match=r"closer than 0.1 empties 2 of 5 intervals \(40.0%\)"):
        model = IBGNClassifier(tolerance=0.1).fit(X, y)
    assert model.emptied_ == 2
    model.save(tmp_path / "model.ibgn")
    assert load(tmp_path / "model.ibgn").emptied_ == 2
    assert IBGNClassifier().fit(X, y).emptied_ == 0


def test_a_few_intervals_that_are_emptied_are_counted_only(recwarn):
    X = IntervalSequences.from_lists([[("a", 0, 0.01)] + [("b", n, n + 1) for n in range(200)]])
    merged = merge_instants(X, 0.1)
    assert tolerance.count_emptied(len(X.action), len(merged.action), 0.1) == 1
    assert not [w for w in recwarn if issubclass(w.category, DataWarning)]


def test_the_tolerance_is_applied_once(monkeypatch):
    """Merging twice could merge more than once is meant to."""
    from ibgn.classifiers import ibgn as classifier

    X, y, _ = make_hand_signs(instances_per_style=2, random_state=0)
    model = IBGNClassifier(terms=("actions", "relations"), tolerance=0.1).fit(X, y)
    given = []

    def watched(X, tolerance):
        assert tolerance == 0.1
        given.append(X)
        return merge_instants(X, tolerance)

    monkeypatch.setattr(classifier, "merge_instants", watched)
    model.explain(X[0])
    assert len(given) == 3  # to score, to explain, to say how usual; each time as it was recorded
    assert given[0] == given[1] == given[2] == X[0]
    model.predict_proba(X)
    assert len(given) == 4
    assert given[3] == X
