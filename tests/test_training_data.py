"""What models remember of their training data, and what they say about others."""

import pickle
import re
import warnings
from dataclasses import replace
from os import environ
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ibgn
from ibgn import (
    DataError,
    DataWarning,
    DBNClassifier,
    IBGNClassifier,
    IBGNEnsemble,
    IntervalForest,
    IntervalRidge,
    IntervalSequences,
    read_csv,
)
from ibgn.classifiers import METHODS
from ibgn.cleaning import Cleaning
from ibgn.datasets import sample_path
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import Fold, make_folds
from ibgn.provenance import Provenance
from ibgn.training_data import TrainingData
from model_files import again, closed, opened, refused

SHARED = Path(environ.get("IBGN_SHARED", Path(__file__).parents[2] / "shared"), "data")
ENDS = {"BLOCKS": "both", "AUSLAN2": "both", "SKATING": "both", "CONTEXT": "both"}
ENDS |= {"BIMACS": "left", "CAD120": "left"}
QUICK = {
    "ibgn": {"terms": ("order", "durations"), "copy_weight": 0.0},
    "forest": {"trees": 3, "random_state": 0},
    "extra trees": {"trees": 3, "random_state": 0},
    "MiniRocket": {"samples": 10, "random_state": 0},
    "ensemble": {"members": {"trees": IntervalForest(trees=3), "chain": DBNClassifier()}},
}


def takes(factor=1.0, shift=0):
    """Tea and coffee, each ten times, of slightly different durations."""
    lists = [
        [("boil" if d % 2 else "grind", 0, factor * (40 + d / 9)), ("pour", factor, factor * 40)]
        for d in range(20)
    ]
    return IntervalSequences.from_lists(lists, [f"take {d + shift}" for d in range(20)])


LABELS = ["coffee", "tea"] * 10
UNKNOWN = [[("Boil", 0, 20), ("pour", 10, 50), ("dance", 3, 40)]]


@pytest.fixture(scope="module")
def models():
    """A model of each method, as it is needed; those that need aeon are skipped without it."""
    fitted = {}

    def model(name):
        if name == "MiniRocket":
            pytest.importorskip("aeon")
        if name not in fitted:
            fitted[name] = METHODS[name](**QUICK.get(name, {})).fit(takes(), LABELS)
        return fitted[name]

    return model


def warned(call, *given, **options):
    """Texts of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*given, **options)
    assert all(issubclass(each.category, DataWarning) for each in caught)
    return [str(each.message) for each in caught]


def calls(model, X):
    """What says something about X, with the arguments of each."""
    yield model.predict, (X,)
    yield model.predict_proba, (X,)
    yield model.predict_log_proba, (X,)
    yield model.score, (X, ["tea"] * len(X))
    try:
        model.explain(takes()[0])
    except DataError:  # of methods that give no reasons
        return
    yield model.explain, (X[0],)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_names_what_it_does_not_know_once(models, name):
    model, X = models(name), IntervalSequences.from_lists(UNKNOWN)
    for call, given in calls(model, X):
        (text,) = warned(call, *given)
        assert text == (
            "2 of 3 intervals have actions that the model does not know and ignores: "
            "'Boil' (1), 'dance' (1); it knows 'boil'"
        )
    for call, given in calls(model, takes()):
        assert warned(call, *given) == []


@pytest.mark.parametrize("name", METHODS)
def test_every_method_refuses_what_it_knows_nothing_of(models, name):
    model, X = models(name), IntervalSequences.from_lists([[("a", 0, 2)], [("b", 0, 3)]])
    for call, given in calls(model, X):
        with pytest.raises(DataError, match=r"knows none of the actions: 'a' \(1\)") as caught:
            call(*given)
        assert "it knows 'boil', 'grind', 'pour'" in str(caught.value)
        assert "with unknown_actions='ignore'" in str(caught.value)
    model.unknown_actions = "ignore"
    assert warned(model.predict, X) == []
    model.unknown_actions = "error"
    with pytest.raises(
        DataError, match="2 of 3 intervals have actions that the model does not"
    ) as e:
        model.predict(UNKNOWN)
    assert str(e.value).endswith(
        "does not know: 'Boil' (1), 'dance' (1); it knows 'boil'; rename them, or leave them out "
        "with unknown_actions='ignore'"
    )
    model.unknown_actions = "warn"
    assert warned(model.predict, [[]]) == []  # nothing that could be unknown


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("factor", "words"), [(1000, "(990|1,000) times longer"), (0.04, "25 times shorter")]
)
def test_every_method_says_that_times_have_another_unit(models, name, factor, words):
    for call, given in calls(models(name), takes(factor)):
        (text,) = warned(call, *given)
        assert re.search(f"are about {words} than those of the same actions", text)
        assert text.endswith("in training; give times in the unit of the training data")
    assert warned(models(name).predict, takes(2.0)) == []


def test_what_is_to_be_done_with_unknown_actions_is_an_option():
    for name, kind in METHODS.items():
        assert "unknown_actions" in kind._get_param_names(), name
        model = kind(**QUICK.get(name, {}), unknown_actions="no")
        with pytest.raises(
            DataError, match="unknown_actions='no' is not a choice; choose among 'warn'"
        ):
            model.fit(takes(), LABELS)
    model = DBNClassifier(unknown_actions="ignore").fit(takes(), LABELS)
    assert warned(model.predict, UNKNOWN) == []


def test_one_instance_in_another_unit_is_found_among_others():
    X = IntervalSequences.concatenate([takes()[:7], takes(40, shift=70)[:1], takes()[7:12]])
    found = TrainingData.of(takes()).compare(X)
    assert (found.rescaled, found.first, found.instances) == (1, "take 70", 13)
    assert found.scale == pytest.approx(40, rel=0.3)
    assert "intervals of 1 of 13 instances (first: 'take 70')" in warned(found.say, "warn")[0]


def test_training_data_are_never_of_another_scale():
    """However much instances vary, and also where they are in two units."""
    rng = np.random.default_rng(0)
    for spread in (0.1, 1.0, 3.0):
        lasts = np.exp(rng.normal(3, spread, (50, 4)))
        rows = [[*zip("abcd", [0] * 4, row, strict=True)] for row in lasts]
        X = IntervalSequences.from_lists(rows)
        known = TrainingData.of(X)
        assert not any(known.compare(instance).rescaled for instance in X)
        assert not known.compare(X).rescaled


def test_what_is_not_certain():
    """An interval may have a known action; an unknown end says nothing about a scale."""
    known = TrainingData.of(takes())
    X = IntervalSequences.from_lists([[("brew", 0, 20), ("pour", 10, 50_000)]])
    unsure = X.with_uncertainty(
        alternatives=[{"brew": 0.6, "boil": 0.4}, None], end_error=[0, np.inf]
    )
    found = known.compare(unsure)
    assert (found.unknown, found.rescaled) == ({}, 0)
    found = known.compare(X)
    assert (found.unknown, found.rescaled) == ({"brew": 1}, 1)
    assert known.compare(X[:0]).unknown == {}
    nothing = TrainingData.of(IntervalSequences.from_lists([[], []]))
    assert nothing.compare(X).unknown == {"brew": 1, "pour": 1}


def test_names_in_messages_are_few_and_safe():
    X = IntervalSequences.from_lists(
        [[(f"new\n{a:02}", 0, 9) for a in range(30)], [("pour", 0, 9)]]
    )
    (text,) = warned(TrainingData.of(takes()).compare(X).say, "warn")
    assert text.endswith(
        r"ignores: 'new\n00' (1), 'new\n01' (1), 'new\n02' (1), 'new\n03' (1), "
        r"'new\n04' (1) and 25 more"
    )


def test_an_evaluation_does_not_ask():
    """A test set may have an action that its training set lacks, even that alone."""
    X = IntervalSequences.concatenate([takes(), IntervalSequences.from_lists([[("rest", 0, 9)]])])
    fold = Fold(0, 0, np.arange(20), np.array([20]))
    found = evaluate(X, [*LABELS, "tea"], {"DBN": DBNClassifier()}, [fold])
    assert len(found.predictions) == 1


@pytest.mark.parametrize("name", ENDS)
def test_scales_of_real_recordings(name):
    """No false alarm in any fold and instance; other units are found, single instances too."""
    if not (SHARED / f"{name}.csv").exists():
        pytest.skip("the shared recordings are not here")
    X, y = read_csv(SHARED / f"{name}.csv", closed=ENDS[name])
    for fold in make_folds(X, y)[:4]:
        known, test = TrainingData.of(X[fold.train]), X[fold.test]
        assert not known.compare(test).rescaled
        assert not any(known.compare(instance).rescaled for instance in test)
        for factor in (10, 25, 30, 1000):
            for scale in (factor, 1 / factor):
                flat = test.flat._replace(start=scale * test.start, end=scale * test.end)
                other = IntervalSequences.from_flat(flat, test.actions)
                assert known.compare(other).rescaled == len(test)
                assert known.compare(other).scale == pytest.approx(scale, rel=0.5)
                alone = [known.compare(instance).rescaled for instance in other]
                assert np.mean(alone) >= (1 if factor > 10 else 0.8)


CSV = """take,label,action,start,end
1,tea,boil,0,3
1,tea,pour,4,5
2,milk,pour,0,3
2,milk,cool,2,7
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "takes.csv").write_text(CSV)
    return tmp_path / "takes.csv"


def test_instances_know_how_they_were_read(file):
    X, _ = read_csv(file, columns={"instance": "take"}, closed="both", tolerance=0.5)
    assert X.provenance == Provenance(
        "csv", Cleaning(closed="both", tolerance=0.5), {"columns": {"instance": "take"}}
    )
    given = {"closed": "both", "tolerance": 0.5, "columns": {"instance": "take"}}
    assert X.provenance.given() == given
    parts = [X[0], X[:1], X[[1, 0]], X.with_groups([1, 2]), X.with_uncertainty([1, 1, 0.5, 1])]
    parts += [pickle.loads(pickle.dumps(X)), IntervalSequences.concatenate([X[:1], X[1:]])]
    assert all(part.provenance == X.provenance for part in parts)
    other, _ = read_csv(file, columns={"instance": "take"})
    assert IntervalSequences.concatenate([X, other]).provenance is None
    assert takes().provenance is None
    assert IntervalSequences.from_lists([[("a", 0, 1)]]) == IntervalSequences.from_lists(
        [[("a", 0, 0)]], closed="both"
    )
    frame = pd.read_csv(file)
    assert ibgn.read(frame, columns={"instance": "take"})[0].provenance.format == "frame"


def test_data_that_were_read_in_another_way_are_noticed(file):
    options = {"columns": {"instance": "take"}}
    X, y = read_csv(file, closed="both", zero_length="drop", **options)
    model = DBNClassifier().fit(X, y)
    assert warned(model.predict, X) == warned(model.predict, X.to_lists()) == []
    other, _ = read_csv(file, tolerance=0.1, **options)
    assert warned(model.predict, other) == [
        "the training data were read with closed='both', these with closed='left'; read both "
        "alike, unless ibgn wrote the file, as its ends are never inclusive",
        "the training data were read with tolerance=0.0, these with tolerance=0.1; read both alike",
    ]
    ticks = Provenance("frames", Cleaning("both", tick=2), {"rate": 25, "delimiter": ","})
    again = Provenance("frames", Cleaning("both", tick=1), {"rate": 30, "delimiter": ";"})
    names = [mine.name for mine, _ in ticks.differences(again)]
    assert names == ["tick", "rate"]
    assert not ticks.differences(replace(again, format="csv", cleaning=ticks.cleaning))


def test_recordings_that_are_not_cut_into_instances_are_noticed():
    cut, _ = ibgn.read(sample_path("textgrid"), activity="track:phase", crossing="keep")
    whole, _ = ibgn.read(sample_path("textgrid"))
    named, _ = ibgn.read(sample_path("textgrid"), activity="track:hands", crossing="keep")
    model = DBNClassifier().fit(cut, np.arange(len(cut)) % 2)
    assert warned(model.predict, whole)[-2:] == [
        "the training data were read with crossing='keep', these without crossing=; read both "
        "alike",
        "the training data were read with activity='track:phase', these without activity=; cut "
        "recordings into instances alike",
    ]
    assert not [text for text in warned(model.predict, named) if "were read" in text]
    model = DBNClassifier().fit(IntervalSequences.concatenate([whole, whole]), [0, 1])
    assert warned(model.predict, cut)[-1] == (
        "the training data were read without activity=, these with activity='track:phase'; cut "
        "recordings into instances alike"
    )


def test_what_is_remembered_comes_back_from_files(file, tmp_path):
    options = {"columns": {"instance": "take"}, "closed": "both", "delimiter": ","}
    X, y = read_csv(file, **options)
    for model in (DBNClassifier(), IntervalRidge(), IBGNEnsemble(**QUICK["ensemble"])):
        model.fit(X, y)
        loaded = again(model, tmp_path)
        known, found = model.trained_on_, loaded.trained_on_
        assert found.log_duration.tobytes() == known.log_duration.tobytes()
        assert replace(found, log_duration=None) == replace(known, log_duration=None)
        assert found.provenance.given() == options
        assert loaded.familiarity([[("stir", 0, 9)]]).unknown == {"stir": 1}


def test_forged_memories_are_refused(file, tmp_path):
    X, y = read_csv(file, columns={"instance": "take"})
    again(DBNClassifier().fit(X, y), tmp_path)
    content = (tmp_path / "model.ibgn").read_bytes()
    forgeries = {
        "actions": [None, ["pour", "boil", "cool"], [1, 2, 3], ["boil"]],
        "spread": [0.0, -1.0, "nan", None, 1],
        "furthest": [-0.1, "inf", None],
        "instances": [-1, 0.5, None],
        "log_duration": [None, 10**6],
        "provenance": [{}, [], 1, {"format": 3, "cleaning": {}, "options": {}}],
    }
    for name, values in forgeries.items():
        for value in values:
            tree, arrays = opened(content)
            tree["model"]["trained_on"][name] = value
            refused(closed(tree, arrays), tmp_path)
    for name, value in (("closed", "x"), ("tick", -1), ("tolerance", None)):
        tree, arrays = opened(content)
        tree["model"]["trained_on"]["provenance"]["cleaning"][name] = value
        refused(closed(tree, arrays), tmp_path)
    tree, arrays = opened(content)
    tree["model"]["trained_on"]["provenance"] = None
    (tmp_path / "model.ibgn").write_bytes(closed(tree, arrays))
    assert ibgn.load(tmp_path / "model.ibgn").trained_on_.provenance is None


def test_frames_come_back():
    """Whatever the library of the frame; also without intervals, with groups and uncertainty."""
    X = IntervalSequences.from_lists(
        [[("a", 0, 1.5), ("b", 1, 2)], [], [("a", 3, 4)]], ["x", "y", "z"], groups=["p", "p", "q"]
    )
    unsure = X.with_uncertainty([1, 0.5, 0.9], [{"a": 0.75, "c": 0.25}, None, None], [0, 0.1, 0])
    for sequences in (X, unsure):
        for backend in ("pandas", "polars", "pyarrow"):
            if backend != "pandas":
                pytest.importorskip(backend)
            read, labels = ibgn.read(sequences.to_frame(["k", "l", "k"], backend=backend))
            assert read == sequences
            assert labels.tolist() == ["k", "l", "k"]


def test_frames_of_other_libraries_are_read():
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")

    class Shared:  # as DuckDB, arro3 and others have it
        def __arrow_c_stream__(self, requested_schema=None):
            return takes().to_frame(backend="pyarrow").__arrow_c_stream__(requested_schema)

    assert pyarrow.table(Shared()).num_rows == 40
    assert ibgn.read(Shared())[0] == takes()
    assert ibgn.read(takes().to_frame(backend="polars").lazy())[0] == takes()
    assert ibgn.read(polars.DataFrame(takes().to_frame()).to_dict(as_series=False))[0] == takes()
    with pytest.raises(DataError, match="format='csv' is for files; a frame has none"):
        ibgn.read(takes().to_frame(), format="csv")
    with pytest.raises(DataError, match="no columns 'instance'"):
        ibgn.read(pd.DataFrame({"action": [1]}))


def test_a_model_that_learns_of_groups_holds_them_out(file):
    """Groups that `fit` is given take the place of those of X."""
    X = takes().with_groups(np.arange(20) % 4)
    options = {"terms": ("order", "durations"), "random_state": 0}
    one = IBGNClassifier(**options).fit(X, LABELS)
    other = IBGNClassifier(**options).fit(takes(), LABELS, groups=np.arange(20) % 4)
    assert one.weights_.tolist() == other.weights_.tolist()
    with pytest.raises(DataError, match="groups has one value per instance"):
        IBGNClassifier(**options).fit(takes(), LABELS, groups=[1, 2])


def test_whether_anything_is_known_of_an_instance():
    known = TrainingData.of(IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 4, 6)]]))
    lists = [[("new", 0, 1)], [("new", 0, 1), ("boil", 1, 2)], []]
    assert known.knows(IntervalSequences.from_lists(lists)).tolist() == [False, True, True]
    unsure = IntervalSequences.from_lists(lists).with_uncertainty(
        alternatives=[{"new": 0.6, "boil": 0.4}, None, None]
    )
    assert known.knows(unsure).tolist() == [True, True, True]
    assert known.knows(IntervalSequences.from_lists([])).tolist() == []
