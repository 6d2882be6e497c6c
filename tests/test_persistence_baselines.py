"""Models to compare with as files: they come back to the bit, and forged ones are refused."""

import copy
import json
import pickle
import zlib
from dataclasses import replace

import numpy as np
import pytest

from ibgn import DataError, DBNClassifier, IHMMClassifier, ITBNClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.temporal_network import TemporalNetwork
from ibgn.persistence import container, load, save
from model_files import (
    Marker,
    again,
    closed,
    forged,
    fuzz,
    leaves,
    opened,
    part,
    put,
    refused,
    same,
    sealed,
)

pytestmark = pytest.mark.usefixtures("unquestioned")  # many have actions that are not learned

ALL = [IHMMClassifier, DBNClassifier, ITBNClassifier]
TERM = {IHMMClassifier: "chains", DBNClassifier: "steps", ITBNClassifier: "network"}
SETTINGS = [
    IHMMClassifier(),
    IHMMClassifier("overlap"),
    IHMMClassifier(4, beam=None, smoothing=0.1, class_prior="empirical"),
    IHMMClassifier(np.int64(2), beam=1, n_jobs=2),
    DBNClassifier(),
    DBNClassifier(1, smoothing=np.float64(0.3), class_prior={"calm": 0.1, "tired": 0.3}),
    DBNClassifier(np.int32(9), smoothing=7, class_prior="empirical", n_jobs=-1),
    ITBNClassifier(),
    ITBNClassifier("first", comparison="links", consistency="strict", smoothing=2),
    ITBNClassifier(
        "longest", comparison="per-link", class_prior={"calm": 1, "tired": 2, "other": 3}
    ),
]


def make_instances(rng, size=6):
    """Instances with actions that depend on each other, some repeated; the last one is empty."""
    for _ in range(119):
        often, intervals = rng.choice([0.2, 0.9]), []
        for a in np.flatnonzero(rng.random(size) < often).tolist():
            start = float(rng.integers(3)) if rng.random() < 0.3 else a / 2
            intervals.append((f"act {a}", start, start + rng.integers(1, 5)))
            if rng.random() < 0.2:
                intervals.append((f"act {a}", start + 5, start + 6))
        yield intervals
    yield []


@pytest.fixture(scope="module")
def data():
    X = list(make_instances(np.random.default_rng(2)))
    return X, np.array(["calm", "tired"])[np.arange(len(X)) % 2]


@pytest.fixture(scope="module")
def fitted(data):
    """A model of each class."""
    fitted = {make: make().fit(*data) for make in ALL}
    activities = fitted[ITBNClassifier].activities_
    activities["calm"] = handmade(activities["calm"])
    return fitted


LINKS = [[1, 0], [3, 0], [2, 1], [4, 1], [2, 3], [3, 4], [0, 5], [4, 5]]


def handmade(activity):
    """A network whose forgery is refused for what was forged, however networks are learned."""
    network = TemporalNetwork(
        actions=activity.actions,
        links=np.array(LINKS),
        presence=np.full((sum(2**parents for parents in (2, 2, 0, 1, 1, 2)), 2), -np.log(2)),
        relations=np.full((len(LINKS), 13), -np.log(13)),
        score=-1.5,
        repeated=7,
        inconsistent=np.array([[0, 2]]),
        cyclic=np.array([[1, 3], [2, 5]]),
    )
    return replace(activity, terms={"network": network})


@pytest.fixture(scope="module")
def contents(fitted, tmp_path_factory):
    """Their files."""
    folder = tmp_path_factory.mktemp("models")
    return {make: in_file(model, folder) for make, model in fitted.items()}


def in_file(model, folder):
    save(model, folder / "model.ibgn")
    return (folder / "model.ibgn").read_bytes()


def behave_the_same(a, b, X):
    new = [*X[:20], [], [("unheard of", 0, 1)], [("act 1", 0, 2), ("unheard of", 1, 3)]]
    same(a.predict_log_proba(new), b.predict_log_proba(new))
    same(a.predict(new), b.predict(new))
    if len(a.classes_) > 1:
        for instance in (*X[:3], *new[-3:]):
            same(a.explain(instance), b.explain(instance))
    assert repr(a.activities_) == repr(b.activities_)


# coming back


@pytest.mark.parametrize("model", SETTINGS, ids=str)
def test_a_model_comes_back_to_the_bit(model, data, tmp_path):
    model = copy.copy(model).fit(*data)
    loaded = again(model, tmp_path)
    model.set_params(n_jobs=None)  # how it runs is not stored
    assert loaded.get_params() == model.get_params()
    same(vars(loaded) | model.get_params(), vars(model))  # numbers of NumPy become plain ones
    behave_the_same(model, loaded, data[0])


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "ü\U0001f600\0c"], object),
        np.array(["a", "bb"], "U9"),
        [-3, 7],
        np.array([1, 200], np.uint8),
        [0.0, 1.0],
        [False, True],
    ],
    ids=lambda labels: str(np.asarray(labels).dtype),
)
def test_labels_keep_their_type(make, labels, data, tmp_path):
    X, y = data
    prior = {label: 0.2 + n for n, label in enumerate(np.unique(labels).tolist())}
    y = np.asarray(labels)[np.unique(y, return_inverse=True)[1]]
    model = make(class_prior=prior).fit(X, y)
    loaded = again(model, tmp_path)
    same(vars(model), vars(loaded))
    behave_the_same(model, loaded, X)


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[("act 1", 0, 1), ("act 2", 0, 2)], [("act 2", 1, 3)]], ["a", "a"]),
        ([[], []], ["a", "b"]),
        ([[]], ["a"]),
        ([[("act 1", 0, 1)], []], ["a", "b"]),
    ],
    ids=["a class", "nothing", "a class of nothing", "next to nothing"],
)
def test_models_of_next_to_nothing_come_back(make, X, y, tmp_path):
    model = make().fit(X, y)
    loaded = again(model, tmp_path)
    same(vars(model), vars(loaded))
    behave_the_same(model, loaded, X)


def test_chains_without_actions_come_back(tmp_path):
    for model in (IHMMClassifier(3), DBNClassifier(5)):
        same(vars(model.fit([[], []], ["a", "b"])), vars(again(model, tmp_path)))


@pytest.mark.parametrize("make", ALL)
def test_the_same_model_gives_the_same_bytes(make, data, tmp_path):
    content = in_file(make(smoothing=0.5).fit(*data), tmp_path)
    make(smoothing=0.5).fit(*data).save(tmp_path / "model.ibgn")
    assert (tmp_path / "model.ibgn").read_bytes() == content
    assert in_file(load(tmp_path / "model.ibgn"), tmp_path) == content
    assert in_file(make(smoothing=0.6).fit(*data), tmp_path) != content


@pytest.mark.parametrize("make", ALL)
def test_what_is_opened_and_closed_is_a_model(make, contents, fitted, tmp_path):
    """So that the forgeries below are refused for what was forged."""
    (tmp_path / "model").write_bytes(closed(*opened(contents[make])))
    same(vars(fitted[make]), vars(load(tmp_path / "model")))


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (IHMMClassifier, ["switch", "step", "beam"]),
        (
            DBNClassifier,
            ["edges", "first_action", "next_action", "first_duration", "next_duration"],
        ),
        (
            ITBNClassifier,
            [
                *("links", "presence", "relations", "score", "repeated", "inconsistent", "cyclic"),
                *("occurrence", "comparison"),
            ],
        ),
    ],
)
def test_names_in_files_stay(make, fields, contents):
    """Whoever changes them leaves old files behind, and needs another version of the format."""
    tree, _ = opened(contents[make])
    common = ["parameters", "classes", "trained_on", "class_log_prior", "actions"]
    assert tree["class"] == make.__name__
    assert list(tree["model"]) == [*common, "typicality", "activities"]
    for activity in tree["model"]["activities"]:
        own = ["lengths", "pace", "apart", "typical", "whole", "share", "styles", "pooling"]
        assert sorted(activity) == sorted([*own, "terms"])
        assert {name: list(term) for name, term in activity["terms"].items()} == {
            TERM[make]: fields
        }
    assert list(tree["model"]["parameters"]) == sorted(make().get_params())


def test_what_cannot_be_saved_is_refused(data, tmp_path):
    class Derived(DBNClassifier):
        pass

    known = (
        "DBNClassifier, IBGNClassifier, IntervalForest, IntervalRidge, ImportedTrees, "
        "ImportedLinear, IBGNEnsemble, IHMMClassifier, ITBNClassifier"
    )
    with pytest.raises(DataError, match=f"Derived cannot be saved; choose among {known}"):
        save(Derived(), tmp_path / "model.ibgn")
    model = DBNClassifier().fit(*data)
    activity = model.activities_["tired"]
    steps = activity["steps"]
    activity.terms["steps"] = replace(steps, edges=steps.edges[1:])
    with pytest.raises(DataError, match="cannot be saved: next_action is of shape"):
        save(model, tmp_path / "model.ibgn")
    model = IHMMClassifier().fit(*data).set_params(beam=2**63)
    with pytest.raises(DataError, match="cannot be saved: beam"):
        save(model, tmp_path / "model.ibgn")
    assert list(tmp_path.iterdir()) == []


# damage


@pytest.mark.parametrize("make", ALL)
def test_every_truncation_is_noticed(make, contents, tmp_path):
    content = contents[make]
    for length in np.linspace(1, len(content) - 1, 60).astype(int).tolist():
        refused(content[:length], tmp_path)


@pytest.mark.parametrize("make", ALL)
def test_every_altered_byte_is_noticed(make, contents, tmp_path, rng):
    content = contents[make]
    for place in {*range(100), *rng.integers(len(content), size=100).tolist()}:
        altered = bytearray(content)
        altered[place] ^= int(rng.integers(1, 256))
        refused(bytes(altered), tmp_path)


@pytest.mark.parametrize("make", ALL)
def test_nothing_is_unpickled(make, contents, tmp_path, monkeypatch):
    marker = tmp_path / "marker"
    evil = pickle.dumps(Marker(marker))
    _, text, packed = contents[make].split(b"\n", 2)
    for body in (text + b"\n" + zlib.compress(evil), text + b"\n" + evil, evil + b"\n" + packed):
        refused(sealed(body), tmp_path, "damaged or was altered")
    assert not marker.exists()
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.delattr(pickle, name)
    (tmp_path / "model").write_bytes(contents[make])
    assert type(load(tmp_path / "model")) is make


@pytest.mark.parametrize("make", ALL)
def test_a_model_is_of_the_class_it_says(make, contents, tmp_path):
    for other in {*ALL, IBGNClassifier} - {make}:
        tree, arrays = opened(contents[make])
        tree["class"] = other.__name__
        refused(closed(tree, arrays), tmp_path, "lacks a part, or has an unknown one")


# forged files, with the right SHA-256


def but_one(rows):
    """Make the first entry of each distribution certain, and the others impossible."""
    rows[...] = -np.inf
    rows[..., 0] = 0
    return rows


def less(rows):
    return rows - 1


def narrow(rows):
    return rows.astype("<f4")


DISAGREE = "parts of network of activity 'calm' do not agree"
NOT_LOGS = [
    put(0, 0.5),
    put(0, np.nan),
    put(0, np.inf),
    but_one,
    less,
    narrow,
    lambda rows: rows[0],
]
LOGS = {
    IHMMClassifier: ["switch", "step"],
    DBNClassifier: ["first_action", "next_action", "first_duration", "next_duration"],
    ITBNClassifier: ["presence", "relations"],
}


@pytest.mark.parametrize(("make", "name"), [(make, name) for make in ALL for name in LOGS[make]])
def test_forged_logarithms_are_refused(make, name, contents, tmp_path):
    content = contents[make]
    for change in (*NOT_LOGS, lambda rows: rows[1:], lambda rows: rows[..., 1:]):
        words = f"{name} (is of|has an invalid value).*damaged or was altered|{DISAGREE}"
        refused(forged(content, f"{TERM[make]}.{name}", change), tmp_path, words)


def links(*rows):
    return lambda _: np.array(rows).reshape(-1, 2)


FORGED_ARRAYS = [
    (IHMMClassifier, "switch", lambda rows: rows[:0], "switch is of shape"),
    (IHMMClassifier, "switch", lambda rows: rows[:1, :0], "switch has an invalid value"),
    (IHMMClassifier, "switch", lambda rows: rows.T, "switch is of shape"),
    (IHMMClassifier, "switch", lambda rows: rows[:-2], "switch is of shape"),
    (IHMMClassifier, "step", lambda rows: rows[:0], "step is of shape"),
    (IHMMClassifier, "step", lambda rows: rows[:1, :0], "step is of shape"),
    (IHMMClassifier, "step", lambda rows: rows[:-2, :-1], "step is of shape"),
    (DBNClassifier, "edges", put(0, np.nan), "edges has an invalid value"),
    (DBNClassifier, "edges", put(-1, np.inf), "edges has an invalid value"),
    (DBNClassifier, "edges", lambda edges: edges[::-1], "edges has an invalid value"),
    (DBNClassifier, "edges", lambda edges: edges * 0, "edges has an invalid value"),
    (DBNClassifier, "edges", lambda edges: edges[1:], "next_action is of shape"),
    (DBNClassifier, "edges", lambda edges: edges[:0], "next_action is of shape"),
    (DBNClassifier, "edges", lambda edges: edges[None], "edges is of shape"),
    (DBNClassifier, "edges", lambda edges: edges.astype(int), "edges is of type"),
    (DBNClassifier, "next_action", lambda rows: rows[:, 1:], "next_action is of shape"),
    (DBNClassifier, "next_duration", lambda rows: rows[:, 1:], "next_duration is of shape"),
    (DBNClassifier, "first_duration", lambda rows: rows[:0], "first_duration is of shape"),
    (ITBNClassifier, "links", put((0, 0), -1), DISAGREE),
    (ITBNClassifier, "links", put((-1, 1), 6), DISAGREE),
    (ITBNClassifier, "links", put((-1, 1), 2**62), DISAGREE),
    (ITBNClassifier, "links", links(*LINKS[:4], [3, 3], *LINKS[5:]), DISAGREE),  # to itself
    (ITBNClassifier, "links", links(*LINKS[:4], [4, 3], *LINKS[5:]), DISAGREE),  # 3 to 4 to 3
    (ITBNClassifier, "links", links(*LINKS[:2], [0, 1], *LINKS[3:]), DISAGREE),  # 0 to 1 to 0
    (ITBNClassifier, "links", links([4, 0], [5, 0], *LINKS[2:]), DISAGREE),  # 0 to 5 to 0
    (ITBNClassifier, "links", links(LINKS[0], *LINKS[:1], *LINKS[2:]), DISAGREE),  # twice
    (ITBNClassifier, "links", links(LINKS[1], LINKS[0], *LINKS[2:]), DISAGREE),
    (ITBNClassifier, "links", links(*LINKS[2:], *LINKS[:2]), DISAGREE),
    (ITBNClassifier, "links", links(*LINKS[:4], [2, 4], *LINKS[5:]), DISAGREE),  # rows of 3
    (ITBNClassifier, "links", lambda rows: rows.astype("<i4"), "links is of type"),
    (ITBNClassifier, "links", lambda rows: rows.T, "links is of shape"),
    (ITBNClassifier, "links", lambda rows: rows[1:], "relations is of shape"),
    (ITBNClassifier, "presence", lambda rows: rows[:-1], DISAGREE),
    (ITBNClassifier, "presence", lambda rows: np.vstack([rows, rows]), DISAGREE),
    (ITBNClassifier, "relations", lambda rows: rows[:0], "relations is of shape"),
]
for name in ("inconsistent", "cyclic"):
    FORGED_ARRAYS += [
        (ITBNClassifier, name, put((0, 0), -1), DISAGREE),
        (ITBNClassifier, name, put((-1, 1), 6), DISAGREE),
        (ITBNClassifier, name, lambda rows: rows[:, :1], f"{name} is of shape"),
        (ITBNClassifier, name, lambda rows: rows.astype(float), f"{name} is of type"),
    ]


@pytest.mark.parametrize(("make", "path", "change", "words"), FORGED_ARRAYS)
def test_forged_arrays_are_refused(make, path, change, words, contents, tmp_path):
    forgery = forged(contents[make], f"{TERM[make]}.{path}", change)
    refused(forgery, tmp_path, f"{words}.*damaged or was altered")


FORGED_VALUES = [
    (ALL, "actions", [[], ["a"], [1], "abc", None]),
    (ALL, "classes", [0, -1, {"names": ["a"], "width": 0}, []]),
    (ALL, "activities", [[], {}, None]),
    (ALL, "parameters", [{}, [], {"smoothing": 1.0}]),
    (ALL, "parameters.smoothing", [0, -1.0, "learned", "nan", None, True, [1.0], 10**400]),
    (ALL, "parameters.class_prior", ["even", None, 1, [["a"]], [["a", "b"]], [["a", 1]]]),
    (ALL, "parameters.class_prior", [{"mapping": [["a"]]}, {"mapping": 1}, {"mapping": [[[], 1]]}]),
    (ALL, "parameters.class_prior", [{"mapping": [["a", 1], ["a", 1]]}, {"list": []}, {"x": []}]),
    (ALL, "lengths", [None, -1, 10**9, [1, 2]]),
    (ALL, "pace", [0.0, -1.0, "nan", "inf", 1, None]),
    (ALL, "terms", [None, {}, [], 1]),
    ([IHMMClassifier], "parameters.n_chains", [0, -1, 2.0, True, "all", None, [2]]),
    ([IHMMClassifier], "parameters.beam", [0, -1, 2.0, True, "all", 2**63, 10**400]),
    ([IHMMClassifier], "chains.beam", [0, -1, 2.0, True, "all", 2**63, 10**400]),
    ([IHMMClassifier], "chains.switch", [None, 1.0, "0", -1, 10**9]),
    ([DBNClassifier], "parameters.n_bins", [0, -1, 2.0, True, "all", None]),
    ([DBNClassifier], "steps.edges", [None, [], [1.0], -1, 10**9]),
    ([ITBNClassifier], "parameters.occurrence", ["last", None, 1, ["first"]]),
    ([ITBNClassifier], "parameters.comparison", ["every", None, 1]),
    ([ITBNClassifier], "parameters.consistency", ["loose", None, 1]),
    ([ITBNClassifier], "network.occurrence", ["last", None, 1, ["first"]]),
    ([ITBNClassifier], "network.comparison", ["every", None, 1]),
    ([ITBNClassifier], "network.score", ["nan", "-inf", 1, None, True]),
    ([ITBNClassifier], "network.repeated", [-1, 1.0, True, None]),
    ([ITBNClassifier], "network.links", [None, [], [[0, 1]], -1]),
]


@pytest.mark.parametrize(
    ("make", "path", "values"),
    [(make, path, values) for makes, path, values in FORGED_VALUES for make in makes],
)
def test_forged_values_are_refused(make, path, values, contents, tmp_path):
    for value in values:
        tree, arrays = opened(contents[make])
        node, name = part(tree, path)
        assert json.dumps(node[name]) != json.dumps(value)
        node[name] = value
        refused(closed(tree, arrays), tmp_path)


@pytest.mark.parametrize("make", ALL)
def test_parts_too_few_or_too_many_are_refused(make, contents, tmp_path):
    activity = ["model", "activities", 0]
    term = [*activity, "terms", TERM[make]]
    for place in (["model"], ["model", "parameters"], activity, [*activity, "terms"], term):
        for edit in (lambda node: node.update(random_state=1), lambda node: node.popitem()):
            tree, arrays = opened(contents[make])
            node = tree
            for key in place:
                node = node[key]
            edit(node)
            refused(closed(tree, arrays), tmp_path, "lacks a part, or has an unknown one")


def fewer(axes):
    """Leave out the last entry along some axes, and make probabilities add up again."""

    def change(rows):
        for axis in axes:
            rows = np.delete(rows, -1, axis)
        return rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True))

    return change


@pytest.mark.parametrize(
    ("make", "changes", "words"),
    [
        (IHMMClassifier, {"step": fewer([0, 1])}, "step is of shape"),
        (
            DBNClassifier,
            {
                "next_action": fewer([1]),
                "first_duration": fewer([1]),
                "next_duration": fewer([1, 2]),
            },
            "next_action is of shape",
        ),
        (
            DBNClassifier,
            {
                "first_action": fewer([0]),
                "next_action": fewer([0, 2]),
                "first_duration": fewer([0]),
                "next_duration": fewer([0]),
            },
            "first_action is of shape",
        ),
        (ITBNClassifier, {"links": lambda rows: rows[1:], "relations": fewer([0])}, DISAGREE),
        (
            ITBNClassifier,
            {
                "links": lambda rows: np.vstack([rows, rows[-1:]]),
                "relations": lambda rows: np.vstack([rows, rows[-1:]]),
                "presence": lambda rows: np.vstack([rows, rows[-4:]]),
            },
            DISAGREE,
        ),
    ],
    ids=["an action less", "a bin less", "actions less", "a link less", "a link twice"],
)
def test_forgeries_that_agree_among_themselves_are_refused(
    make, changes, words, contents, tmp_path
):
    content = contents[make]
    for path, change in changes.items():
        content = forged(content, f"{TERM[make]}.{path}", change)
    refused(content, tmp_path, words)


def test_rows_of_many_parents_are_not_counted_by_overflow(tmp_path):
    """2 to the power of 65 would be 0 rows, or take all memory."""
    one_each = [[(f"{action:02}", 0, 1)] for action in range(70)]
    model = ITBNClassifier().fit([[], *one_each], ["a", *["b"] * 70])
    for many in (31, 62, 63, 64, 65):
        content = in_file(model, tmp_path)
        content = forged(content, "network.links", links(*([parent, 69] for parent in range(many))))
        content = forged(
            content, "network.relations", lambda _, n=many: np.full((n, 13), -np.log(13))
        )
        content = forged(content, "network.presence", lambda rows: rows[:69])
        refused(content, tmp_path, "parts of network of activity 'a' do not agree")


def test_no_length_is_negative():
    arrays = container.Arrays([["<f8", [0]], ["<f8", [1]]], zlib.compress(bytes(8)))
    with pytest.raises(container.MisfitError, match="first is of shape"):
        arrays.take(0, "first", container.FLOAT, "n+1")
    assert arrays.take(1, "second", container.FLOAT, "n+1").shape == (1,)
    assert arrays.lengths == {"n": 0}


@pytest.mark.parametrize("make", ALL)
def test_fuzzed_files_are_refused_or_work(make, contents, data, tmp_path, rng):
    """Whatever a forger writes, it is refused or a model that can be used."""
    X, _ = data
    places = list(leaves(opened(contents[make])[0]["model"]))
    used = 0
    for _ in range(200):
        tree, arrays = opened(contents[make])
        fuzz(tree["model"], arrays, places, rng)
        path = tmp_path / "fuzzed.ibgn"
        path.write_bytes(closed(tree, arrays))
        try:
            model = load(path)
        except DataError:
            continue
        used += 1
        assert np.isfinite(model.predict_log_proba(X[:4])).all()
        assert model.explain(X[0]).intervals.shape == (len(X[0]),)
    assert 0 < used < 150
