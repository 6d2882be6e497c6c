"""Model files that somebody altered, with a right checksum: refused, or models that can be used.

Files of every method are tried, of an ensemble with members of scikit-learn, of styles, and of a
structure that was given.
"""

import json
import zlib
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ibgn import (
    DataError,
    IBGNClassifier,
    IBGNEnsemble,
    IntervalForest,
    IntervalRidge,
    Structure,
    load,
    read,
    save,
    write,
)
from ibgn.classifiers import DBNClassifier, IHMMClassifier, on_features
from ibgn.evaluation.methods import METHODS
from ibgn.features import Convolutions, IntervalFeatures
from ibgn.persistence import container
from ibgn.plots import plot_structure
from ibgn.text import half_character
from kitchen import make_takes
from model_files import JUNK, again, closed, leaves, opened, peak, refused, sealed

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.usefixtures("unquestioned"),
]

QUICK = {"draws": 20, "budget": 100, "trees": 3}
MEMBERS = {
    "generative": IBGNClassifier(terms=("order", "relations"), n_jobs=2),
    "trees": IntervalForest(trees=3),
    "convolutions": IntervalRidge(Convolutions(9, samples=20, unknown="ignore")),
    "imported linear": make_pipeline(
        IntervalFeatures(sparse=False, unknown="ignore"), StandardScaler(), LogisticRegression()
    ),
    "imported trees": make_pipeline(
        IntervalFeatures(("occupancy",), bins=4, unknown="ignore"),
        ExtraTreesClassifier(3, random_state=0),
    ),
}
OTHERS = {
    "ensemble": lambda: IBGNEnsemble(MEMBERS, random_state=0),
    "styles": lambda: IBGNClassifier(styles=2, terms=("order", "relations"), random_state=0),
    "pairs": lambda: IBGNClassifier(
        Structure({(0, 2)}, size=3, beyond="chain"), terms=("order", "relations"), random_state=0
    ),
    "all terms": lambda: IBGNClassifier(
        terms=("actions", "tables", "chains", "steps", "network", "relations"),
        draws=20,
        budget=100,
        random_state=0,
    ),
}
NAMES = [name for name in {**METHODS, **OTHERS} if name != "MiniRocket"]


@cache
def fitted(name):
    """A model of a method, small and quick."""
    if name in OTHERS:
        model = OTHERS[name]()
    else:
        model = METHODS[name](0)
        known = model.get_params()
        model.set_params(**{option: v for option, v in QUICK.items() if option in known})
    X, y = make_takes()
    if name == "styles":  # of other drinks
        X, y = X[np.tile(np.arange(len(X)), 3)], np.tile(np.where(y == "tea", y, "other"), 3)
    return model.fit(X, y)


@pytest.fixture
def content(name, tmp_path):
    """Its file."""
    save(fitted(name), tmp_path / "model.ibgn")
    return (tmp_path / "model.ibgn").read_bytes()


def every(*names):
    return pytest.mark.parametrize("name", names or NAMES)


def try_out(data, path):
    """Load a file and use the model, unless it is refused; returns whether it was loaded."""
    path.write_bytes(data)
    try:
        model = load(path)
    except DataError:
        return False
    X, _ = make_takes()
    new = [*X.to_lists()[:3], [], [("unheard of", 0, 1)], [("pour", 0, 1e12), ("stir", 1e-9, 1e15)]]
    with np.errstate(all="ignore"):
        logs = model.predict_log_proba(new)
        assert not np.isnan(logs).any()
        np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1, rtol=0, atol=1e-6)
        label = model.classes_.tolist()[0]
        for use in (lambda: model.explain(X[0]), lambda: model.sample(1, label, random_state=0)):
            try:
                use()
            except (DataError, AttributeError):  # not every model gives reasons, or draws
                continue
    repr(model)
    return True


# sizes


@every("pairs")
def test_a_structure_takes_memory_for_its_instances_only(content, tmp_path):
    """2 GiB of masks for a file of 38 KB, before."""
    tree, arrays = opened(content)
    for activity in tree["model"]["activities"]:
        activity["terms"]["relations"]["structure"]["size"] = 46_340
    tree["model"]["parameters"]["structure"]["structure"]["size"] = 46_340
    path = tmp_path / "altered.ibgn"
    path.write_bytes(closed(tree, arrays))
    X, y = make_takes()

    def use():
        model = load(path)
        model.predict(X)
        model.explain(X[0])
        model.sample(2, y[0], random_state=0)
        plot_structure(model.activities_[y[0]])

    use()  # which compiles
    assert peak(use) < 30 << 20


@every("IBGN")
def test_learned_links_are_those_of_their_scores(content, tmp_path):
    for size in (1, 46_340):
        tree, arrays = opened(content)
        relations = tree["model"]["activities"][0]["terms"]["relations"]
        relations["structure"]["size"] = size
        assert relations["link_scores"]["size"] != size
        refused(closed(tree, arrays), tmp_path, "do not agree")


@every("IHMM")
def test_many_actions_take_no_memory_that_the_file_does_not_hold(content, tmp_path):
    """6.6 GiB for a file of 3 MB with 16,000 actions, before: refused before it is unpacked."""
    tree, _ = opened(content)
    tree["model"]["actions"] = [f"{number:05}" for number in range(16_000)]
    tree["arrays"].append(["<f8", [16_001, 16_000]])
    bomb = zlib.compress(bytes(10 << 20)) * 300
    data = sealed(json.dumps(tree).encode() + b"\n" + bomb)
    assert 2 << 20 < len(data) < 4 << 20
    path = tmp_path / "given.ibgn"
    path.write_bytes(data)

    def attempt():
        with pytest.raises(DataError, match="its arrays have .* more than the .* that are allowed"):
            load(path)

    assert peak(attempt) < 40 << 20


def test_arrays_unpack_to_a_multiple_of_what_the_file_holds(tmp_path):
    size = 80 << 20
    table = [["<f8", [size // 8]]]
    packed = zlib.compress(bytes(size))
    with pytest.raises(container.MisfitError, match=f"have {size} bytes, more than the {64 << 20}"):
        container.Arrays(table, packed)
    honest = container.Arrays([["<f8", [1000]]], zlib.compress(bytes(8000)))
    assert honest.take(0, "zeros", container.FLOAT, 1000).shape == (1000,)


def test_a_model_that_compresses_too_well_is_packed_less(tmp_path, monkeypatch):
    """So an honest model of many rare actions, whose tables repeat themselves, can be loaded."""
    monkeypatch.setattr(container, "SMALL_ENOUGH", 1000)
    monkeypatch.setattr(container, "MOST_TIMES", 10)
    rare = [[(f"rare {n}", 0, 1), (f"rare {n + 1}", 2, 3)] for n in range(0, 200, 2)]
    model = IHMMClassifier().fit(rare, ["a", "b"] * 50)
    size = sum(array.nbytes for array in _arrays_of(model, tmp_path))
    assert size > 10 * len(zlib.compress(_raw(model, tmp_path)))  # control
    loaded = again(model, tmp_path)
    assert (loaded.predict_proba(rare) == model.predict_proba(rare)).all()
    assert (tmp_path / "model.ibgn").stat().st_size * 10 > size


def _arrays_of(model, folder):
    save(model, folder / "model.ibgn")
    return opened((folder / "model.ibgn").read_bytes())[1]


def _raw(model, folder):
    return b"".join(array.tobytes() for array in _arrays_of(model, folder))


@every("DBN")
def test_labels_are_no_wider_than_they_need_be(content, tmp_path):
    for width in (1001, 2**20, 2**28):
        tree, arrays = opened(content)
        tree["model"]["classes"]["width"] = width
        data = closed(tree, arrays)
        assert peak(lambda data=data: refused(data, tmp_path, "invalid width")) < 5 << 20


@every("forest", "extra trees without pairs")
def test_columns_are_counted_without_their_names(content, tmp_path, monkeypatch):
    tree, arrays = opened(content)
    features = tree["model"]["features"]["model"]
    features["parameters"] |= {"parts": {"list": ["raster"]}, "samples": 100_000}
    if "pairs" in features:
        arrays[features["pairs"]] = np.zeros((0, 3), np.int64)
    data = closed(tree, arrays)
    monkeypatch.delattr(IntervalFeatures, "get_feature_names_out")
    assert peak(lambda: try_out(data, tmp_path / "altered.ibgn")) < 60 << 20
    features["actions"] = sorted(f"{n}" for n in range(101))
    refused(closed(tree, arrays), tmp_path, "do not agree")  # 10,100,000 columns


def test_instances_are_recognised_in_parts(monkeypatch):
    """What is held at once is bounded, whatever a file says that an instance has."""
    X, y = make_takes()
    features = IntervalFeatures(("raster",), samples=100, unknown="ignore")
    model = IntervalForest(features, trees=3, random_state=0).fit(X, y)
    expected, sizes = model.predict_proba(X), []
    transform = IntervalFeatures.transform
    monkeypatch.setattr(on_features, "CELLS_AT_ONCE", 1000)  # of 400 each
    monkeypatch.setattr(
        IntervalFeatures, "transform", lambda self, X: sizes.append(len(X)) or transform(self, X)
    )
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    assert sizes == [2] * 6


@every("IBGN-T")
def test_an_instance_of_a_million_intervals_is_not_drawn(content, tmp_path):
    tree, arrays = opened(content)
    lengths = arrays[tree["model"]["activities"][0]["lengths"]]
    lengths[...] = 1_000_000
    path = tmp_path / "altered.ibgn"
    path.write_bytes(closed(tree, arrays))
    model = load(path)
    with pytest.raises(DataError, match="intervals, and the relations of more than 10000 are not"):
        model.sample(1, model.classes_[0], random_state=0)
    with pytest.raises(DataError, match="pairs of more than 5000 positions are not drawn"):
        plot_structure(model.activities_[model.classes_[0]])


# how a model runs is not for a file to say


def settings_of(model):
    """Values of all options that say how it runs, of the model and all its parts."""
    options = model.get_params() if hasattr(model, "get_params") else {}
    own = {n: v for n, v in options.items() if n.rpartition("__")[2] in ("n_jobs", "progress")}
    parts = [
        part
        for members in (getattr(model, "members_", None), getattr(model, "members", None))
        for part in (members or {}).values()
    ]
    return [*own.values(), *(value for part in parts for value in settings_of(part))]


def put_everywhere(node, settings):
    """Set options wherever a file has them; returns how often it does."""
    times = 0
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key in settings:
            node[key] = settings[key]
            times += 1
        elif isinstance(value, dict | list):
            times += put_everywhere(value, settings)
    return times


@every()
def test_a_file_does_not_say_how_many_threads_run(content, tmp_path):
    for settings in ({"n_jobs": 1024, "progress": True, "verbose": 99}, {"n_jobs": -1}):
        tree, arrays = opened(content)
        times = put_everywhere(tree["model"], settings)
        (tmp_path / "altered.ibgn").write_bytes(closed(tree, arrays))
        loaded = load(tmp_path / "altered.ibgn")
        assert {*settings_of(loaded)} <= {None, False}
        assert len(settings_of(loaded)) >= times > 0 or "n_jobs" not in loaded.get_params()
    if "n_jobs" in loaded.get_params():
        loaded.set_params(n_jobs=3)
    save(loaded, tmp_path / "again.ibgn")
    assert (tmp_path / "again.ibgn").read_bytes() == content  # nor does it depend on it


# values

HOSTILE = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e59, -1e59, 1e-59, -1, 0, 2**62]


@every()
def test_no_number_in_an_array_gives_nan(name, content, tmp_path, rng):
    """Whatever stands in an array, the model is refused, or its probabilities are some."""
    tables = opened(content)[0]["arrays"]
    some = [n for n, (_, shape) in enumerate(tables) if np.prod(shape)]
    tried = loaded = 0
    for number in rng.permutation(some)[:12].tolist():
        for value in rng.permutation(HOSTILE)[:4].tolist():
            tree, arrays = opened(content)
            array = arrays[number]
            if array.dtype.kind != "f" and not (np.isfinite(value) and abs(value) < 2**63):
                continue
            chosen = rng.integers(array.size) if rng.random() < 0.5 else slice(None)
            array.flat[chosen] = value
            loaded += try_out(closed(tree, arrays), tmp_path / "altered.ibgn")
            tried += 1
    assert loaded < tried


@every()
def test_no_value_in_the_text_does_harm(name, content, tmp_path, rng):
    places = list(leaves(opened(content)[0]["model"]))
    junk = [
        *JUNK,
        46_340,
        10**5,
        10**9,
        1e-300,
        "ignore",
        [["a", 1]],
        {"list": []},
        {"mapping": []},
    ]
    refusals = 0
    for place in rng.permutation(len(places))[:40].tolist():
        tree, arrays = opened(content)
        node = tree["model"]
        *path, last = places[place]
        for key in path:
            node = node[key]
        node[last] = junk[rng.integers(len(junk))]
        refusals += not try_out(closed(tree, arrays), tmp_path / "altered.ibgn")
    assert refusals > 5


IMPOSSIBLE = -np.inf


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("IBGN-T", "class_log_prior", IMPOSSIBLE),
        ("IBGN-T", "weights", 1e300),
        ("IBGN-F", "tables.action_probs", 0.0),
        ("IBGN-F", "relations.log_probs", IMPOSSIBLE),
        ("IBGN-F", "relations.unknown", IMPOSSIBLE),
        ("IBGN-T", "durations.scale", 1e-300),
        ("IBGN-T", "durations.location", 1e300),
        ("IBGN-T", "gaps.freedom", 1e300),
        ("IBGN-T", "gaps.location", 800.0),
        ("IBGN-T", "length.location", 800.0),
        ("ridge", "coefficients", 1e300),
        ("ridge", "spread", 1e-300),
        ("ensemble", "weights", 1e300),
        ("styles", "pooling", 1e300),
    ],
)
def test_tables_that_give_nan_are_refused(name, path, value, content, tmp_path):
    tree, arrays = opened(content)
    *parts, last = path.split(".")
    holders = [tree["model"]]
    for activity in tree["model"].get("activities", []):
        holders += [activity, *activity["terms"].values()]
        if parts:
            holders = [activity["terms"][parts[0]]]
    holder = next(each for each in reversed(holders) if each.get(last) is not None)
    array = arrays[holder[last]]
    if value == 0.0:  # as rows must add up
        array[:, :-1], array[:, -1] = 0.0, 1.0
    else:
        array[np.isfinite(array)] = value
    words = f"{last} has an invalid value|do not agree"
    refused(closed(tree, arrays), tmp_path, words)


@every("IBGN-T")
def test_a_model_without_finite_scores_says_so(content, tmp_path):
    """A last line of defence, also for models that were learned with extreme options."""
    model = fitted("IBGN-T")
    (tmp_path / "copy.ibgn").write_bytes(content)
    broken = load(tmp_path / "copy.ibgn")
    broken.class_log_prior_ = np.full(len(model.classes_), np.nan)
    X, _ = make_takes()
    for use in (broken.predict, broken.predict_proba, broken.predict_log_proba):
        with pytest.raises(DataError, match="no activity has a finite score for instance 'tea-1'"):
            use(X)


@every("forest", "ensemble")
def test_leaves_that_vote_for_nothing_are_refused(content, tmp_path):
    tree, arrays = opened(content)
    node = tree["model"]
    if "members" in node:
        node = dict(node["members"])["imported trees"]["model"]
    arrays[node["forest"]["share"]][...] = 0.0
    refused(closed(tree, arrays), tmp_path, "do not agree")


@every("IBGN-T", "ridge")
def test_half_characters_in_names_are_refused(content, tmp_path):
    for place in ("classes", "actions"):
        tree, arrays = opened(content)
        node = tree["model"]
        if place == "actions" and "actions" not in node:
            node = node["features"]["model"]
        names = node[place]["names"] if place == "classes" else node[place]
        names[-1] += "\ud800"
        assert half_character(names[-1])
        refused(closed(tree, arrays), tmp_path, "half a character")


READER = {"bad_rows": "drop", "bad_files": "drop", "unlabelled": "drop", "max_memory": "1T"}


def put_options(content, options):
    tree, arrays = opened(content)
    node = tree["model"]["trained_on"]["provenance"]
    node["options"] = options
    return closed(tree, arrays)


@pytest.fixture
def learned(tmp_path):
    """A model of a table, which remembers how it was read."""
    X, y = make_takes()
    write(X, tmp_path / "takes.csv", y)
    save(DBNClassifier().fit(*read(tmp_path / "takes.csv")), tmp_path / "learned.ibgn")
    return (tmp_path / "learned.ibgn").read_bytes()


def test_a_file_does_not_say_what_reading_may_leave_out(learned, tmp_path, ibgn):
    (tmp_path / "model.ibgn").write_bytes(put_options(learned, READER))
    with (tmp_path / "takes.csv").open("a") as file:
        file.write("tea-1,tea,pour,7,x\n")
    result = ibgn("predict", "model.ibgn", "takes.csv")
    assert result.returncode
    assert "not a number" in result.stderr
    assert "read like the training data" not in result.stderr
    allowed = ibgn("predict", "model.ibgn", "takes.csv", "--bad-rows", "drop")
    assert allowed.returncode == 0, allowed.stderr


@pytest.mark.parametrize("name", ["columns", "delimiter", "encoding", "header", "activity", "x"])
def test_options_of_readers_in_a_file_are_refused_or_said(name, learned, tmp_path, ibgn):
    for value in (None, True, -1, 1e300, "x", "", [], [[]], {}, {"action": []}, {"x": 1}, ["a"]):
        (tmp_path / "model.ibgn").write_bytes(put_options(learned, {name: value}))
        result = ibgn("predict", "model.ibgn", "takes.csv")
        assert "Traceback" not in result.stderr
        assert result.returncode in (0, 1, 2)
