"""Uncertain intervals: the type, files, possible worlds, and scores."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import ibgn
import naive_paths
import naive_worlds
from ibgn import DataError, DataWarning, IntervalSequences, read_table
from ibgn._kernels.paths import likeliest_path
from ibgn.classifiers import METHODS, IBGNClassifier
from ibgn.metrics import measure_confusion
from ibgn.noise import ConfusionNoise, DurationNoise
from ibgn.recoding import rebuild, recode
from ibgn.terms import TERMS
from ibgn.uncertainty import Uncertainty
from ibgn.worlds import average_worlds, draw_worlds, likeliest_world, score_worlds
from strategies import ACTIONS, sequences

NAMES = (*ACTIONS, "stir")


@st.composite
def uncertain(draw, most=3, longest=4, errors=True):
    """Sequences with uncertainty; some intervals are certain."""
    X = draw(sequences(least=1, most=most, longest=longest))
    number = len(X.action)

    def column(*values):
        return draw(st.lists(st.sampled_from(values), min_size=number, max_size=number))

    alternatives = []
    for code in X.action.tolist():
        names = draw(st.sets(st.sampled_from(NAMES), max_size=2)) | {X.actions[code]}
        weights = [draw(st.integers(1, 4)) for _ in names]
        chances = dict(zip(sorted(names), np.array(weights) / sum(weights), strict=True))
        alternatives.append(chances if len(chances) > 1 else None)
    ends = (column(0.0, 0.5), column(0.0, 0.25, np.inf)) if errors else (None, None)
    return X.with_uncertainty(column(1.0, 0.75, 0.5), alternatives, *ends)


def rows_of(X):
    """Everything about each interval, instance by instance, without codes."""
    unsure = X.uncertainty or Uncertainty.none(len(X.action))
    columns = [*(column.tolist() for column in unsure[:3]), unsure.alternatives(X.actions)]
    values = list(zip(*columns, strict=True))
    rows = [row for instance in X.to_lists() for row in instance]
    bounds = X.offsets.tolist()
    both = list(zip(rows, values, strict=True))
    return [both[a:b] for a, b in pairwise(bounds)]


@pytest.fixture
def X():
    X = IntervalSequences.from_lists(
        [[("pour", 0, 2), ("stir", 2, 5)], [], [("pour", 1, 3)]],
        ids=["a", "b", "c"],
        groups=["ann", "ann", "bob"],
    )
    return X.with_uncertainty(
        [1, 0.5, 0.25], [{"pour": 0.75, "shake": 0.25}, None, None], [0, 0.1, 0], [0, 0, np.inf]
    )


# the type


@given(uncertain(), st.data())
def test_uncertainty_stays_with_its_interval(X, data):
    rows = rows_of(X)
    chosen = data.draw(st.lists(st.integers(0, len(X) - 1), max_size=5))
    assert rows_of(X[chosen]) == [rows[d] for d in chosen]
    first = data.draw(st.integers(0, len(X)))
    assert rows_of(X[first:]) == rows[first:]
    assert [rows_of(x)[0] for x in X] == rows
    assert pickle.loads(pickle.dumps(X)) == X == X[:]


@given(uncertain(), uncertain(), sequences())
def test_concatenated_parts_keep_theirs(X, Z, certain):
    together = IntervalSequences.concatenate([X, certain, Z])
    assert rows_of(together) == [row for part in (X, certain, Z) for row in rows_of(part)]
    assert IntervalSequences.concatenate([certain, certain]).uncertainty is None


@given(uncertain())
def test_other_codes_and_other_intervals(X):
    names = tuple(sorted({*NAMES, "zip"}))
    known = recode(X, names)
    assert rows_of(known) == rows_of(X)
    few = recode(X, ("grasp",))  # the others are one unknown action
    both = zip(few.uncertainty.alternatives(few.actions), rows_of_flat(X), strict=True)
    for merged, (_, (*_, named)) in both:
        if named is not None:
            grasp = named.get("grasp", 0.0)
            assert merged.get("grasp", 0.0) == pytest.approx(grasp)
            assert merged.get("unknown", 0.0) == pytest.approx(1 - grasp)
    kept = np.arange(len(X.action)) % 2 == 0
    halved = rebuild(X, X.action, X.start, X.end, kept)
    assert rows_of_flat(halved) == [r for r, k in zip(rows_of_flat(X), kept, strict=True) if k]
    changed = rebuild(X, np.zeros_like(X.action), X.start, X.end, np.ones(len(X.action), bool))
    same = [row[0][0] == X.actions[0] for row in rows_of_flat(X)]
    assert sorted(v[3] is None for _, v in rows_of_flat(changed)) == sorted(
        v[3] is None or not s for (_, v), s in zip(rows_of_flat(X), same, strict=True)
    )


def rows_of_flat(X):
    return [row for instance in rows_of(X) for row in instance]


def test_it_cannot_be_changed_and_shows_itself(X):
    with pytest.raises(ValueError, match="read-only"):
        X.uncertainty.confidence[0] = 0.5
    with pytest.raises(AttributeError, match="cannot be changed"):
        X.uncertainty = None
    assert repr(X[:1]).splitlines() == [
        "IntervalSequences: 1 instance, 2 intervals, 3 actions, 1 group, 2 intervals uncertain",
        "  a: pour? [0, 2), stir? [2, 5)",
    ]
    assert "<title>pour? [0, 2)</title>" in X._repr_html_()
    certain = IntervalSequences.from_flat(
        X.flat._replace(uncertainty=None), X.actions, X.ids, X.groups
    )
    assert X != certain != X
    given_columns = np.array([1.0, 0.5, 0.25])
    copied = X.with_uncertainty(given_columns)
    given_columns[0] = 0
    assert copied.uncertainty.confidence[0] == 1


def test_noise_and_cleaning_keep_it(X):
    moved = DurationNoise(0.1, random_state=0).fit(X).transform(X)
    assert moved.uncertainty.confidence.tolist() == X.uncertainty.confidence.tolist()
    X = X[[0, 2]]
    frame = X.to_frame()
    again = pd.concat([frame, frame])
    back, _ = read_table(again, tolerance=0.01)
    assert len(back.action) == 6
    with pytest.warns(ibgn.DataWarning, match="dropped 3 rows that repeat another exactly"):
        back, _ = read_table(again, duplicates="drop")
    assert rows_of(back) == rows_of(X)
    again["confidence"] = np.linspace(0, 1, len(again))  # they no longer repeat each other
    assert len(read_table(again, duplicates="drop")[0].action) == 6


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"confidence": [1, 1.5, 1]}, "interval 1: the confidence is '1.5', but must be from 0"),
        ({"confidence": [1, np.nan, 1]}, "interval 1: the confidence is 'nan'"),
        ({"confidence": [1, 1]}, r"confidence has one value per interval, got \(2,\) for 3"),
        ({"start_error": [0, 0, np.inf]}, "interval 2: the start_error is 'inf', but must be 0"),
        ({"end_error": [-1, 0, 0]}, "interval 0: the end_error is '-1', but must be 0 or more, or"),
        (
            {"alternatives": [None, {"a": 0.5}, None]},
            "interval 1: the sum of the alternatives is '0.5', but must be probabilities",
        ),
        ({"alternatives": [{"a": 1.5, "b": -0.5}, None, None]}, "interval 0: the sum of the alter"),
    ],
)
def test_invalid_columns_are_refused(X, columns, message):
    with pytest.raises(DataError, match=message):
        X.with_uncertainty(**columns)


# files


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "jsonl"])
@given(X=uncertain(longest=3))
@settings(max_examples=20, deadline=None)
def test_files_give_back_what_is_written(tmp_path_factory, suffix, X):
    path = tmp_path_factory.mktemp("uncertain") / f"takes.{suffix}"
    ibgn.write(X, path, ["tea"] * len(X))
    back, y = ibgn.read(path)
    assert rows_of(back) == rows_of(X)
    assert y.tolist() == ["tea"] * len(X)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_give_back_what_they_show(X, backend):
    back, _ = read_table(X.to_frame(backend=backend))
    assert rows_of(back) == rows_of(X)


def test_empty_cells_are_certain():
    frame = pd.DataFrame(
        {
            "instance": ["a", "a"],
            "action": ["pour", None],
            "start": [0, 1],
            "end": [1, 2],
            "confidence": [None, 0.5],
            "alternatives": [None, '{"pour": 0.25, "stir": 0.75}'],
        }
    )
    X, _ = read_table(frame)
    assert rows_of(X)[0][0] == (("pour", 0.0, 1.0), (1.0, 0.0, 0.0, None))
    assert X.to_lists()[0][1][0] == "stir"  # the likeliest, as none is named
    assert read_table(frame[:1])[0].uncertainty is None


def test_an_unknown_end_may_be_left_empty(tmp_path):
    path = tmp_path / "takes.csv"
    rows = ["a,pour,0,,inf", "a,stir,1,5,", "b,pour,2,,inf", "b,stir,0,1,"]
    path.write_text("\n".join(["instance,action,start,end,end_error", *rows, ""]))
    X, _ = ibgn.read(path)
    assert X[0].end.tolist() == [5.0, 5.0]  # up to the end of the instance
    assert X[1].end.tolist() == [1.0, 6.0]  # nothing is later: as the longest in the file
    assert X.uncertainty.unknown_end.tolist() == [True, False, False, True]
    path.write_text("instance,action,start,end,end_error\na,pour,0,,0.5\n")
    with pytest.raises(DataError, match=r"row 1 \(instance 'a'\): the end is missing"):
        ibgn.read(path)


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("confidence", "high", "takes.csv: row 1 .*: the confidence is 'high', not a number"),
        ("confidence", "-1", "takes.csv: row 1 .*: the confidence is '-1', but must be from 0"),
        ("alternatives", "pour", "takes.csv: row 1 .*: the alternatives are 'pour'; write"),
        ("alternatives", "{}", "takes.csv: row 1 .*: the alternatives are '{}'; write"),
        ("alternatives", '"{""a"": true}"', "takes.csv: row 1 .*: the alternatives are"),
        ("alternatives", '"{""a"": 0.5}"', "takes.csv: row 1 .*: the sum of the alternatives"),
    ],
)
def test_cells_that_make_no_sense_are_refused(tmp_path, column, cell, message):
    path = tmp_path / "takes.csv"
    path.write_text(f"instance,action,start,end,{column}\na,pour,0,1,{cell}\n")
    with pytest.raises(DataError, match=message):
        ibgn.read(path)


def test_a_confidence_on_another_scale_is_left_out(tmp_path):
    """A rating from 1 to 5 or a percentage says nothing about how likely an interval is."""
    path = tmp_path / "takes.csv"
    path.write_text("instance,action,start,end,confidence\na,pour,0,1,1\na,stir,1,2,87\n")
    with pytest.warns(DataWarning, match=r"row 2 .*: the confidence is '87', .* left out; divide"):
        X, _ = ibgn.read(path)
    assert X.to_lists() == [[("pour", 0, 1), ("stir", 1, 2)]]
    assert X.uncertainty is None


def test_json_lines_mix_plain_and_uncertain_intervals(tmp_path):
    path = tmp_path / "takes.jsonl"
    path.write_text(
        '{"instance": "a", "intervals": [["pour", 0, 2], '
        '{"action": "stir", "start": 1, "end": 4, "confidence": 0.5, "note": "?"}]}\n'
    )
    X, _ = ibgn.read(path)
    assert X.uncertainty.confidence.tolist() == [1.0, 0.5]
    assert ibgn.io.registry.load(path).left_out == ["note"]


@pytest.mark.parametrize("format", ["elan", "textgrid"])
def test_formats_that_cannot_hold_it_say_so(X, tmp_path, format):
    with pytest.warns(ibgn.DataWarning, match="not certain about 2 intervals is left out"):
        ibgn.write(X[:1], tmp_path / "take", format=format)


def test_errors_are_not_inserted_among_uncertain_intervals(X):
    confusion = measure_confusion([[("pour", 0, 1)]], [[("stir", 0, 1), ("pour", 3, 4)]])
    noise = ConfusionNoise(confusion, random_state=0).fit(X)
    with pytest.raises(DataError, match="only where all is certain; use insertions=False"):
        noise.transform(X)
    kept = noise.set_params(insertions=False).transform(X)
    assert kept.uncertainty is not None


# worlds


@given(uncertain(most=2, longest=3, errors=False))
def test_few_worlds_are_all_of_them(X):
    worlds = draw_worlds(X, number=10_000)
    for d, x in enumerate(X):
        inside = slice(worlds.offsets[d], worlds.offsets[d + 1])
        found = zip(worlds.X[inside].to_lists(), worlds.probability[inside], strict=True)
        expected = naive_worlds.enumerate_worlds(x)
        for (rows, chance), (its, other) in zip(
            sorted(found, key=lambda w: str(w[0])),
            sorted(expected, key=lambda w: str(w[0])),
            strict=True,
        ):
            assert rows == its
            assert chance == pytest.approx(other)


@given(uncertain(most=3), st.integers(0, 5))
@settings(deadline=None)
def test_draws_depend_on_the_instance_alone(X, seed):
    whole = draw_worlds(X, 8, seed)
    for d, x in enumerate(X):
        alone = draw_worlds(x, 8, seed)
        mine = whole.X[whole.offsets[d] : whole.offsets[d + 1]]
        assert alone.X.to_lists() == mine.to_lists()
    sums = np.add.reduceat(whole.probability, whole.offsets[:-1])
    np.testing.assert_allclose(sums, 1, rtol=1e-12)


def draw_naive(X, number, seed):
    """Worlds of the one instance in X whose actions and presence are drawn, from the definition."""
    rng, jitter = (np.random.default_rng([seed, 0, part]) for part in range(2))
    strata = [rng.permutation(number) for _ in range(len(X.action))]
    uniforms = [(row + jitter.random(number)) / number for row in strata]
    worlds = []
    for w in range(number):
        rows = []
        for i, (start, end) in enumerate(zip(X.start.tolist(), X.end.tolist(), strict=True)):
            options = naive_worlds.options_of(X, i)
            below = np.cumsum([chance for _, chance in options])
            name = options[min(int((below <= uniforms[i][w]).sum()), len(options) - 1)][0]
            if name is not None:
                rows.append((name, start, end))
        worlds.append(sorted(rows, key=lambda row: (row[1], row[2], row[0])))
    return worlds


@given(uncertain(most=1, errors=False), st.integers(0, 5))
def test_drawn_worlds_equal_their_plain_twin(X, seed):
    worlds = draw_worlds(X, 8, seed, exact=False)
    assert worlds.X.to_lists() == draw_naive(X, 8, seed)
    assert worlds.probability.tolist() == [1 / 8] * 8


def test_draws_are_as_frequent_as_they_are_likely():
    X = IntervalSequences.from_lists([[("pour", i, i + 1) for i in range(20)]])
    X = X.with_uncertainty([0.75] * 20, [{"pour": 2 / 3, "stir": 1 / 3}] * 20)
    worlds = draw_worlds(X)
    assert len(worlds.X) == 32
    names = [[row[:2] for row in world] for world in worlds.X.to_lists()]
    for i in range(20):  # exactly, as draws are stratified and chances are parts of 32
        assert sum(("pour", i) in world for world in names) == 16
        assert sum(("stir", i) in world for world in names) == 8
    both = [sum(("pour", i) in w and ("pour", j) in w for w in names) for i, j in [(0, 1), (3, 9)]]
    assert all(2 <= number <= 14 for number in both)  # of 8 expected: intervals are independent
    plain = np.random.default_rng(0).random((20, 32))  # a control: they are not, by chance alone
    assert any((row < 0.5).sum() != 16 for row in plain)


@pytest.mark.statistical(false_alarm=1e-7)
def test_ends_have_their_errors(seed):
    X = IntervalSequences.from_lists([[("pour", 0, 10), ("stir", 10, 20)]])
    X = X.with_uncertainty(None, None, [0, 0.5], [0.5, 0])
    ends = np.concatenate(
        [draw_worlds(X, 64, seed + number).X.end.reshape(-1, 2)[:, 0] for number in range(30)]
    )
    assert len(ends) == 1920
    # stratified draws vary less than independent ones, whose errors bound theirs
    assert abs(ends.mean() - 10) < 5.5 * 0.5 / np.sqrt(1920)
    assert abs(ends.std() / 0.5 - 1) < 5.5 / np.sqrt(2 * 1920)
    assert not abs(ends.std() / 0.6 - 1) < 5.5 / np.sqrt(2 * 1920)


def test_intervals_that_meet_still_do():
    X = IntervalSequences.from_lists([[("pour", 0, 10), ("stir", 10, 20), ("hold", 10, 30)]])
    X = X.with_uncertainty(None, None, [0, 0.5, 0.25], [0.5, 0, 0])
    for world in draw_worlds(X).X.to_lists():
        times = {name: (start, end) for name, start, end in world}
        assert times["pour"][1] == times["stir"][0] != 10
        assert times["hold"][0] != times["stir"][0]  # with another error it is another instant


def test_an_unknown_end_is_anywhere_up_to_the_latest():
    X = IntervalSequences.from_lists([[("pour", 2, 10)]]).with_uncertainty(end_error=[np.inf])
    ends = np.sort(draw_worlds(X).X.end)
    np.testing.assert_allclose(ends, 2 + 8 * (np.arange(32) + 0.5) / 32, atol=8 / 64)


def test_ends_that_would_swap_stay():
    X = IntervalSequences.from_lists([[("pour", 0, 0.001)]]).with_uncertainty(None, None, [5], [5])
    worlds = draw_worlds(X).X
    assert (worlds.start < worlds.end).all()
    assert ((worlds.start == 0) & (worlds.end == 0.001)).any()


def test_the_likeliest_world(X):
    assert likeliest_world(X).to_lists() == [
        [("pour", 0.0, 2.0), ("stir", 2.0, 5.0)],  # .5 against .5: it is there
        [],
        [],
    ]
    unlike = X.with_uncertainty(None, [{"pour": 0.25, "shake": 0.75}, None, None])
    assert likeliest_world(unlike).to_lists()[0][0][0] == "shake"
    certain = likeliest_world(X)
    assert likeliest_world(certain) is certain


# scores


@pytest.fixture(scope="module")
def lesson():
    rng = np.random.default_rng(0)
    X, y = [], []
    for label, name in (("tea", "boil"), ("coffee", "grind")) * 8:
        a, b = rng.integers(1, 4, 2).tolist()
        X.append([(name, 0, a), ("pour", a - 1, a + b), ("stir", a + b, a + b + 2)])
        y.append(label)
    return X, y


@pytest.fixture(scope="module")
def instance():
    X = IntervalSequences.from_lists(
        [[("boil", 0, 3), ("pour", 3, 5), ("stir", 5, 8)], [("grind", 0, 2), ("pour", 2, 4)]]
    )
    alternatives = [{"boil": 0.5, "grind": 0.5}, None, {"stir": 0.7, "shake": 0.3}, None, None]
    return X.with_uncertainty([1, 0.8, 1, 0.4, 0.9], alternatives)


def score_naively(X, score):
    found = []
    for x in X:
        worlds = naive_worlds.enumerate_worlds(x)
        scores = score([rows for rows, _ in worlds])
        lengths = [len(rows) for rows, _ in worlds]
        chances = [chance for _, chance in worlds]
        found.append(naive_worlds.average_worlds(scores, chances, lengths))
    return np.array(found)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_equals_the_sum_over_all_worlds(name, lesson, instance):
    options = {"random_state": 0} if "random_state" in METHODS[name]().get_params() else {}
    model = METHODS[name](**options).fit(*lesson)
    expected = score_naively(instance, model._joint_log_likelihood)
    np.testing.assert_allclose(model._joint_log_likelihood(instance), expected, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(instance).sum(axis=1), 1)


@pytest.mark.parametrize("name", sorted(set(TERMS) - {"tables", "steps", "network", "walks"}))
def test_every_term_equals_the_sum_over_all_worlds(name, lesson, instance):
    try:
        model = IBGNClassifier(terms=[name], random_state=0).fit(*lesson)
    except ibgn.errors.OptionError:
        pytest.skip("a term of another method, which is tested there")
    expected = score_naively(instance, lambda rows: model.scores(rows)[:, 0])
    np.testing.assert_allclose(model.scores(instance)[:, 0], expected, atol=1e-9)


def test_certain_instances_cost_nothing_and_keep_their_scores(lesson, instance):
    X, _ = lesson
    X = IntervalSequences.from_lists(X)
    seen = []

    def score(x):
        seen.append(x)
        return np.zeros((len(x), 2))

    score_worlds(score, X)
    assert seen[0] is X
    assert len(seen) == 1
    model = IBGNClassifier(random_state=0).fit(*lesson)
    certain = X.with_uncertainty()  # columns that say that all is certain
    np.testing.assert_allclose(model.scores(certain), model.scores(X), rtol=1e-12)
    score_worlds(score, certain)
    assert len(seen[-1]) == len(X)  # one world each
    mixed = IntervalSequences.concatenate([X[:3], instance])
    np.testing.assert_allclose(model.scores(mixed)[:3], model.scores(X[:3]), rtol=1e-12)
    np.testing.assert_allclose(model.scores(mixed)[3:], model.scores(instance), rtol=1e-12)


def test_the_unit_of_time_changes_nothing(lesson, instance):
    X, y = lesson

    def probabilities(unit):
        scaled = [[(a, s * unit, e * unit) for a, s, e in rows] for rows in X]
        flat = instance.flat
        new = flat._replace(start=flat.start * unit, end=flat.end * unit)
        tested = IntervalSequences.from_flat(new, instance.actions)
        terms = ("order", "durations", "gaps")
        return (
            IBGNClassifier(terms=terms, weights="equal", copy_weight=0)
            .fit(scaled, y)
            .predict_proba(tested)
        )

    np.testing.assert_allclose(probabilities(1000.0), probabilities(1.0), rtol=1e-6)


def test_an_average_of_impossible_worlds_is_no_number_that_misleads(instance):
    worlds = draw_worlds(instance)
    scores = np.zeros((len(worlds.X), 2))
    scores[:, 1] = -np.inf
    np.testing.assert_allclose(average_worlds(scores, worlds), [[0, -np.inf]] * 2, atol=1e-12)


def test_memory_is_bounded(lesson, instance, monkeypatch):
    model = IBGNClassifier(random_state=0).fit(*lesson)
    many = instance[[0, 1] * 20]
    whole = model.scores(many)
    monkeypatch.setattr("ibgn.worlds.AT_ONCE", 200)
    np.testing.assert_allclose(model.scores(many), whole, rtol=1e-12)


def test_an_uncertain_instance_is_explained_by_its_likeliest_world(lesson, instance):
    model = IBGNClassifier(random_state=0).fit(*lesson)
    explanation = model.explain(instance[1])
    assert explanation.instance.to_lists() == [[("pour", 2.0, 4.0)]]
    assert explanation.activity == model.predict(instance[1])[0]


def test_learning_from_uncertain_instances(lesson, instance):
    X, y = lesson
    crisp = IntervalSequences.from_lists(X)
    certain = crisp.with_uncertainty()
    model = IBGNClassifier(random_state=0)
    same = clone(model).fit(certain, y).scores(instance)
    np.testing.assert_allclose(same, clone(model).fit(crisp, y).scores(instance), rtol=1e-12)
    # what is doubtful counts little: a wrong interval with a confidence of .1 changes no label
    wrong = IntervalSequences.from_lists([[*rows, ("dance", 0, 9)] for rows in X])
    is_wrong = np.array([wrong.actions[code] == "dance" for code in wrong.action])
    doubtful = wrong.with_uncertainty(np.where(is_wrong, 0.1, 1.0))
    learned = clone(model).fit(doubtful, y)
    assert learned.predict(X).tolist() == y
    again = clone(model).fit(doubtful, y)
    np.testing.assert_array_equal(learned.scores(doubtful), again.scores(doubtful))


# paths


@given(
    st.integers(1, 5), st.integers(1, 3), st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 3.0])
)
def test_likeliest_path(windows, states, seed, cost):
    logits = np.random.default_rng(seed).normal(size=(windows, states))
    np.testing.assert_array_equal(
        likeliest_path(logits, cost), naive_paths.likeliest_path(logits, cost)
    )
