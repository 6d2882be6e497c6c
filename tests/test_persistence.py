"""Models as files: they come back to the bit, and no file, however made, does harm."""

import contextlib
import copy
import io
import json
import pickle
import tracemalloc
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from forgery import (
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
from ibgn import DataError, Structure
from ibgn.classifiers.base import ActivityClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.datasets import make_hand_signs
from ibgn.model.explanation import Contributions
from ibgn.persistence import container, load, models, parts, save

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WORDS = ["cloud", "paper", "rain"]
QUICK = {"draws": 20, "budget": 800, "random_state": 5}


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_hand_signs(instances_per_style=3, random_state=1)
    chosen = np.isin(y, np.unique(y)[:3])
    return X[chosen], y[chosen]


@pytest.fixture(scope="module")
def model(data):
    return fit(data, "learned", chains=2)


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "signs.ibgn"
    save(model, path)
    return path.read_bytes()


def fit(data, structure="full", labels=None, **options):
    X, y = data
    y = y if labels is None else np.asarray(labels)[np.unique(y, return_inverse=True)[1]]
    return IBGNClassifier(structure, **(QUICK | options)).fit(X, y)


def state(model):
    """All that a model holds, by name; in which order it was set does not matter."""
    return dict(sorted(vars(model).items()))


def behave_the_same(a, b, X):
    for likelihood in ("mixture", "sequential", "published"):
        for unlinked in ("constrained", "marginal", "ignore"):
            options = {"node_likelihood": likelihood, "unlinked": unlinked}
            mine, other = (copy.copy(m).set_params(**options) for m in (a, b))
            same(mine.predict_proba(X), other.predict_proba(X))
            same(mine.explain(X[0]).links, other.explain(X[0]).links)
            same(mine.explain(X[0]).nodes, other.explain(X[0]).nodes)
    same(a.predict(X), b.predict(X))
    for label in a.classes_.tolist():
        assert a.sample(3, label, random_state=0) == b.sample(3, label, random_state=0)


# coming back


@pytest.mark.parametrize(
    "structure",
    [
        "learned",
        "shared",
        "chain",
        "full",
        Structure({(0, 2), (1, 4)}, size=6, beyond="chain"),
        [(0, 1), (0, 3)],
    ],
    ids=str,
)
def test_a_model_comes_back_to_the_bit(structure, data, tmp_path):
    model = fit(data, structure, smoothing="learned", chains=2)
    loaded = again(model, tmp_path)
    same(state(model), state(loaded))
    behave_the_same(model, loaded, data[0])


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "bb", "ü\ud800\0c"], object),
        np.array(["a", "bb", "c"], "U9"),
        [-3, 0, 7],
        np.array([1, 2, 200], np.uint8),
        [0.0, 1.0, 2.0],
        np.array([1, 2, 4], np.float32),
        [False, True, True],
    ],
    ids=lambda labels: str(np.asarray(labels).dtype),
)
def test_labels_keep_their_type(labels, data, tmp_path):
    prior = {label: 0.2 + n for n, label in enumerate(np.unique(labels).tolist())}
    model = fit(data, labels=labels, class_prior=prior)
    loaded = again(model, tmp_path)
    same(state(model), state(loaded))
    behave_the_same(model, loaded, data[0][:2])


def test_options_come_back(data, tmp_path):
    options = {
        "criterion": "bic",
        "penalty": 2,
        "smoothing": 1e-5,
        "node_likelihood": "sequential",
        "unlinked": "marginal",
        "class_prior": "empirical",
        "sampler": "published",
        "concentration": 0.1 + 0.2,
        "action_prior": np.float64(0.7),
        "n_jobs": -1,
    }
    model = fit(data, "learned", **options)
    loaded = again(model, tmp_path)
    assert loaded.get_params() == model.get_params()
    assert type(loaded.penalty) is int
    same(model.activities_, loaded.activities_)


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(1), np.random.RandomState(1)])
def test_a_generator_is_left_out(random_state, data, tmp_path):
    loaded = again(fit(data, random_state=random_state), tmp_path)
    assert loaded.random_state is None


@pytest.mark.parametrize("make", [iter, set, np.array], ids=["iterator", "set", "array"])
def test_pairs_come_back_as_a_list(make, data, tmp_path):
    model = fit(data, make([(1, 3), (0, 2)]))
    loaded = again(model, tmp_path)
    assert loaded.structure == [(0, 2), (1, 3)]
    same(model.activities_, loaded.activities_)


def test_models_of_next_to_nothing_come_back(tmp_path):
    for X in ([[], []], [[("nod", 0, 1)], []]):
        model = IBGNClassifier("learned", **QUICK).fit(X, ["a", "b"])
        loaded = again(model, tmp_path)
        same(state(model), state(loaded))
        same(model.predict_proba([[("x", 0, 1)], *X]), loaded.predict_proba([[("x", 0, 1)], *X]))
    one = IBGNClassifier(**QUICK).fit([[("nod", 0, 1)]], ["a"])
    same(state(one), state(again(one, tmp_path)))


def test_loaded_arrays_are_the_owners_own(model, content, tmp_path):
    (tmp_path / "model").write_bytes(content)
    probs = load(tmp_path / "model").activities_[model.classes_[0]].nodes.action_probs
    assert probs.flags.writeable
    assert probs.flags.aligned
    assert probs.flags.owndata


def test_the_same_model_gives_the_same_bytes(model, content, data, tmp_path):
    for path in (tmp_path / "a", str(tmp_path / "b")):
        save(model, path)
        assert Path(path).read_bytes() == content
    save(load(tmp_path / "a"), tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == content
    save(fit(data, "learned", chains=2, random_state=6), tmp_path / "a")
    assert (tmp_path / "a").read_bytes() != content


@dataclass(frozen=True)
class Mean:
    name: object
    actions: tuple
    mean: np.ndarray


class MeanClassifier(ActivityClassifier):
    def __init__(self, power=1, class_prior="uniform", n_jobs=None, progress=False):
        self.power, self.class_prior = power, class_prior
        self.n_jobs, self.progress = n_jobs, progress

    def _fit_activities(self, parts_of_classes):
        self.scale_ = np.array([1.5, np.nan])
        return [
            Mean(name, X.actions, np.full(len(X.actions) + 1, float(n)))
            for n, (name, X) in enumerate(zip(self.classes_, parts_of_classes, strict=True))
        ]

    def _log_likelihood(self, X):
        return np.zeros((len(X), len(self.classes_)))

    def _contributions(self, X, label):
        return Contributions(np.zeros(len(X.action)), np.zeros((len(X.action),) * 2), {})


def test_other_estimators_can_be_registered(data, monkeypatch, tmp_path):
    model = MeanClassifier(2).fit(*data)
    with pytest.raises(DataError, match="MeanClassifier cannot be saved; choose among IBGNClass"):
        save(model, tmp_path / "model.ibgn")
    scale = ("scale_", (container.FLOAT, lambda value: value[0] > 0, "scale"))
    row = {"mean": (container.FLOAT, parts.finite, "actions+1")}
    with monkeypatch.context() as patch:
        kind = models.Kind(MeanClassifier, Mean, attributes=(scale,))
        patch.setitem(models.KINDS, "Mean", kind)
        patch.setitem(parts.PARTS, Mean, row)
        same(state(model), state(again(model, tmp_path)))
        content = (tmp_path / "model.ibgn").read_bytes()
        forgeries = [
            ("scale", put(0, 0)),
            ("mean", put(0, np.nan)),
            ("mean", lambda mean: mean[1:]),
        ]
        for place, change in forgeries:
            refused(forged(content, place, change), tmp_path, f"{place} .*damaged or was altered")
    with pytest.raises(DataError, match="model.ibgn: it holds a model of class 'Mean'; update"):
        load(tmp_path / "model.ibgn")


# saving


def test_what_cannot_be_saved_is_refused(model, data, tmp_path):
    class Derived(IBGNClassifier):
        pass

    with pytest.raises(NotFittedError, match="not fitted"):
        save(IBGNClassifier(), tmp_path / "model.ibgn")
    for other in (None, "model", Derived(), IBGNClassifier):
        with pytest.raises(DataError, match="cannot be saved; choose among IBGNClassifier"):
            save(other, tmp_path / "model.ibgn")
    broken = copy.copy(model)
    broken.class_log_prior_ = broken.class_log_prior_[1:]
    with pytest.raises(DataError, match="cannot be saved: class_log_prior is of shape .2,."):
        save(broken, tmp_path / "model.ibgn")
    broken.seed_ = object()
    with pytest.raises(DataError, match="cannot be saved"):
        save(broken, tmp_path / "model.ibgn")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "no space")])
def test_an_interruption_leaves_the_old_file(error, model, content, tmp_path, monkeypatch):
    path = tmp_path / "model.ibgn"
    path.write_bytes(b"old")
    write = Path.write_bytes

    def interrupted(self, data):
        write(self, data[: len(data) // 2])
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", interrupted)
        with pytest.raises((KeyboardInterrupt, OSError, DataError)):
            save(model, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    save(model, path)
    assert path.read_bytes() == content


def test_a_missing_folder_and_a_missing_file_are_named(model, tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        save(model, tmp_path / "nowhere" / "model.ibgn")
    with pytest.raises(DataError, match="there is no file .*nothing.ibgn"):
        load(tmp_path / "nothing.ibgn")
    with pytest.raises(DataError, match="is a folder"):
        load(tmp_path)


# damage


def test_every_truncation_is_noticed(content, tmp_path):
    for length in np.linspace(1, len(content) - 1, 50).astype(int).tolist():
        refused(content[:length], tmp_path)
    refused(b"", tmp_path, "is empty")
    refused(content[: len(content) // 2], tmp_path, "cut short")


def test_every_altered_byte_is_noticed(content, tmp_path, rng):
    places = {*range(100), *rng.integers(len(content), size=150).tolist()}
    for place in places:
        altered = bytearray(content)
        altered[place] ^= int(rng.integers(1, 256))
        refused(bytes(altered), tmp_path)
    for altered in (content + b"\0", b"\0" + content, content * 2):
        refused(altered, tmp_path)


def test_foreign_files_are_refused_and_nothing_is_run(content, tmp_path):
    marker = tmp_path / "marker"
    evil = pickle.dumps(Marker(marker))
    archive, npz, npy = io.BytesIO(), io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("../../model.json", content)
    np.savez(npz, a=np.array([Marker(marker)], object), allow_pickle=True)
    np.save(npy, np.array([Marker(marker)], object), allow_pickle=True)
    png = b"\x89PNG\r\n\x1a\n" + bytes(100)
    csv = b"instance,label,action,start,end\n1,a,b,0,1\n"
    for foreign in (evil, archive.getvalue(), npz.getvalue(), npy.getvalue(), png, csv, b"ibgn"):
        refused(foreign, tmp_path, "is no model; name one that was written by save")
    for body in (evil, evil + b"\n" + evil, b"{}\n" + evil, npy.getvalue()):
        refused(sealed(body), tmp_path, "damaged or was altered")
    assert not marker.exists()
    pickle.loads(evil)
    assert marker.exists()


# forged files, with the right SHA-256


def test_what_is_opened_and_closed_is_a_model(model, content, tmp_path):
    """So that the forgeries below are refused for what was forged."""
    (tmp_path / "model").write_bytes(closed(*opened(content)))
    same(state(model), state(load(tmp_path / "model")))


FORGED_ARRAYS = [
    ("links.keys", put(0, -1)),
    ("links.keys", put(-1, 2**62)),
    ("links.keys", lambda keys: keys[::-1]),
    ("links.keys", put(1, 0)),
    ("links.keys", lambda keys: keys[:-1]),
    ("links.keys", lambda keys: keys.astype("<i4")),
    ("links.keys", lambda keys: keys.astype(">i8")),
    ("links.keys", lambda keys: keys[:, None]),
    ("links.log_probs", lambda probs: probs[:, :6]),
    ("links.log_probs", lambda probs: probs[1:]),
    ("links.log_probs", lambda probs: probs.T),
    ("links.log_probs", put((0, 0), np.nan)),
    ("links.log_probs", put(0, -np.log(7))),
    ("links.log_probs", lambda probs: probs - 1),
    ("links.log_probs", lambda probs: probs.astype("<f4")),
    ("links.unknown", lambda probs: probs[:127]),
    ("links.unknown", put(0, 0.0)),
    ("links.unknown", put((127, 0), 800.0)),
    ("links.positions", lambda probs: probs[1:]),
    ("links.positions", lambda probs: probs[:, 1:]),
    ("links.positions", lambda probs: probs[:0, :0]),
    ("links.positions", lambda probs: probs[..., :6]),
    ("links.positions", put((0, 1, 2), np.inf)),
    ("links.elsewhere", lambda probs: probs[:3]),
    ("links.elsewhere", put(0, np.nan)),
    ("links.structure.links", lambda links: np.array([[3, 1]])),
    ("links.structure.links", lambda links: np.array([[-1, 1]])),
    ("links.structure.links", lambda links: np.array([[0, 10**9]])),
    ("links.structure.links", lambda links: np.array([[0, 1, 2]])),
    ("nodes.action_probs", lambda probs: probs[:, 1:]),
    ("nodes.action_probs", lambda probs: np.vstack([probs, probs])),
    ("nodes.action_probs", put((0, 0), -1.0)),
    ("nodes.action_probs", put((0, 0), 1e308)),
    ("nodes.shares", lambda shares: shares * 2),
    ("nodes.shares", lambda shares: shares[:0]),
    ("nodes.action_prior", put(0, 0.0)),
    ("nodes.action_prior", lambda prior: prior[1:]),
    ("nodes.convergence.trace", lambda trace: trace[0]),
    ("link_scores.gain", lambda gain: gain[1:]),
    ("link_scores.gain", put(0, np.nan)),
    ("link_scores.penalty", put(0, np.inf)),
    ("lengths", put(0, -1)),
    ("lengths", put(0, 2**40)),
    ("lengths", lambda lengths: lengths.astype(float)),
    ("class_log_prior", lambda prior: prior[1:]),
    ("class_log_prior", put(0, 1.0)),
]


@pytest.mark.parametrize(("path", "change"), FORGED_ARRAYS)
def test_forged_arrays_are_refused(path, change, content, tmp_path):
    message = refused(forged(content, path, change), tmp_path, "damaged or was altered")
    assert "NumPy" not in message


FORGED_VALUES = [
    ("seed", [-1, 2**32, 1.0, None, True]),
    ("actions", [[], ["a"], [1], "abc", None]),
    ("classes", [0, -1, 10**6, {"names": ["a"], "width": 0}, {"names": WORDS, "width": 1}, []]),
    ("classes", [{"names": WORDS, "width": 10**12}, {"names": WORDS[::-1], "width": 0}]),
    ("activities", [[], {}, None]),
    ("links.actions", [0, 3, 10**30, "4"]),
    ("links.keys", [1.0, "0", None, {}, -1, 10**9]),
    ("links.structure.size", [-1, 0, 10**6, 1e3, None]),
    ("links.structure.beyond", ["all", None, ["full"]]),
    ("links.structure", [None, "full", {}]),
    ("nodes.concentration", [0.0, -1.0, "nan", "1", True, 1]),
    ("nodes.convergence.rhat", ["not", None, []]),
    ("nodes.convergence.converged", [1, "yes"]),
    ("nodes.convergence.burn_in", [-1, 1.5]),
    ("nodes.convergence.thin", [-1, None]),
    ("nodes.convergence.draws", [-1, 1.5]),
    ("pace", [0.0, -1.0, "nan", "inf", 1]),
    ("link_scores.size", [-1, 1, 10**30]),
    ("parameters.structure", ["best", 3, None, {"pairs": 10**6}, [[0, 1]]]),
    ("parameters.class_prior", ["even", None, [["a"]], [["a", "b"]], [["a", 1.0], ["a", 1.0]]]),
    ("parameters.draws", [0, "many", None]),
    ("parameters.sampler", ["other", ["exact"]]),
    ("parameters.smoothing", [0, "none", None, 10**400]),
    ("parameters.penalty", ["learned", -1.0]),
    ("parameters.node_likelihood", ["other", 1]),
    ("parameters.n_jobs", [10**6, 0, 1.0, "2"]),
    ("parameters.random_state", [-1, "x"]),
    ("parameters.progress", [1, None]),
    ("parameters", [{}, [], {"structure": "full"}]),
]


@pytest.mark.parametrize(("path", "values"), FORGED_VALUES)
def test_forged_values_are_refused(path, values, content, tmp_path):
    for value in values:
        tree, arrays = opened(content)
        node, name = part(tree, path)
        assert json.dumps(node[name]) != json.dumps(value)
        node[name] = value
        refused(closed(tree, arrays), tmp_path, "; ")


def normal(probs):
    return probs / probs.sum(axis=-1, keepdims=True)


def twice(rows):
    rows[1] = rows[0]
    return rows


@pytest.mark.parametrize(
    "changes",
    [
        {"links.keys": lambda keys: keys[::-1], "links.log_probs": lambda probs: probs[::-1]},
        {"links.keys": twice, "links.log_probs": twice},
        {
            "nodes.action_probs": lambda probs: normal(probs[:, 1:]),
            "nodes.action_prior": lambda prior: prior[1:],
        },
        {"nodes.action_probs": lambda probs: probs[:0], "nodes.shares": lambda shares: shares[:0]},
    ],
    ids=["keys unsorted", "a key twice", "an action less", "no tables"],
)
def test_forgeries_that_agree_among_themselves_are_refused(changes, content, tmp_path):
    for path, change in changes.items():
        content = forged(content, path, change)
    refused(content, tmp_path, "damaged or was altered")


def test_lengths_without_actions_are_refused(tmp_path):
    """Sampling would draw from no actions, and the kernel beyond its array."""
    save(IBGNClassifier(**QUICK).fit([[], []], ["a", "b"]), tmp_path / "model.ibgn")
    content = (tmp_path / "model.ibgn").read_bytes()
    refused(forged(content, "lengths", put(0, 3)), tmp_path, "parts of activity 'a' do not agree")


def test_forged_pairs_are_refused(data, tmp_path):
    save(fit(data, [(0, 1)]), tmp_path / "model.ibgn")
    content = (tmp_path / "model.ibgn").read_bytes()
    for pairs in ([[3, 1]], [[-1, 2]]):
        forge = forged(content, "parameters.structure.pairs", lambda _, rows=pairs: np.array(rows))
        refused(forge, tmp_path, "a link is two positions")


def test_refusals_say_what_is_wrong(content, tmp_path):
    size = opened(content)[0]["model"]["activities"][0]["link_scores"]["size"]
    for path, value, words in (
        ("parameters", [], "the parameters is not made of named parts"),
        ("classes", {"names": WORDS, "width": 10**12}, "the width of classes cannot be"),
        ("activities", [], "activities are missing"),
        ("link_scores.size", 1 - size, "size cannot be what it is"),
    ):
        tree, arrays = opened(content)
        node, name = part(tree, path)
        node[name] = value
        refused(closed(tree, arrays), tmp_path, words)


@pytest.mark.parametrize(
    ("labels", "forgery"),
    [
        ([1, 2, 3], [1, 3, 2]),
        ([1, 2, 3], [1, 1, 2]),
        ([1.0, 2.0, 3.0], [1.0, 2.0, np.nan]),
        ([1.0, 2.0, 3.0], [1.0, 2.0, np.inf]),
        ([1, 2, 3], [1, 2]),
        ([1, 2, 3], [[1, 2, 3]]),
        ([1, 2, 3], np.zeros(0, int)),
        ([False, True, True], np.array([1, 2], np.uint8).view(bool)),
    ],
)
def test_forged_labels_are_refused(labels, forgery, data, tmp_path):
    save(fit(data, labels=labels), tmp_path / "model.ibgn")
    forge = forged((tmp_path / "model.ibgn").read_bytes(), "classes", lambda _: np.array(forgery))
    refused(forge, tmp_path, "damaged or was altered")


def test_parts_too_few_or_too_many_are_refused(content, tmp_path):
    for place in (["model"], ["model", "parameters"], ["model", "activities", 0, "nodes"], []):
        for edit in (lambda node: node.update(more=1), lambda node: node.popitem()):
            tree, arrays = opened(content)
            node = tree
            for key in place:
                node = node[key]
            edit(node)
            if place:
                refused(closed(tree, arrays), tmp_path, "lacks a part, or has one too many")


def test_an_array_belongs_to_one_part(content, tmp_path):
    tree, arrays = opened(content)
    refused(closed(tree, [*arrays, arrays[0]]), tmp_path, "arrays that no part of the model uses")
    first, second, _ = tree["model"]["activities"]
    second["links"]["unknown"] = first["links"]["unknown"]
    refused(closed(tree, arrays), tmp_path, "unknown has no array of its own")


def test_a_newer_version_says_so(content, tmp_path):
    newer = content.replace(b"ibgn model 1 ", b"ibgn model 2 ", 1)
    refused(newer, tmp_path, "written by a newer version of ibgn; update ibgn")
    refused(b"ibgn model 13\nwhatever", tmp_path, "written by a newer version of ibgn")
    for version in (b"0", b"-1", b"x", b"", b"1.5", b"9" * 100):
        refused(b"ibgn model " + version + content[12:], tmp_path, "damaged or was altered")


def test_json_is_strict(content, tmp_path):
    tree, arrays = opened(content)
    whole = closed(tree, arrays).split(b"\n", 2)[1]
    packed = content.split(b"\n", 2)[2]
    double = whole.replace(b'"seed": ', b'"seed": 1, "seed": ')
    refused(sealed(double + b"\n" + packed), tmp_path, "two values for one name")
    constant = whole.replace(b'"penalty": 1.0', b'"penalty": Infinity')
    refused(sealed(constant + b"\n" + packed), tmp_path, "Infinity")
    huge = whole.replace(b'"penalty": 1.0', b'"penalty": 1e999')
    refused(sealed(huge + b"\n" + packed), tmp_path, "penalty")
    for text in (b"[" * 10**6, b"9" * 10**5, b'"\xff"', b"{", b"[]", b"null", b""):
        refused(sealed(text + b"\n" + packed), tmp_path, "damaged or was altered")


def peak(action):
    tracemalloc.start()
    action()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_bombs_take_no_memory(content, tmp_path):
    text = content.split(b"\n", 2)[1] + b"\n"
    bomb = zlib.compress(bytes(100 << 20))
    longer = sealed(text + bomb)
    assert peak(lambda: refused(longer, tmp_path, "not as long as it says")) < 20 << 20
    for shape in ([2**31], [2**20, 2**20, 2**20], [10**30], [-1], [1.0], [1] * 40, [True], 7):
        claimed = json.loads(text)
        claimed["arrays"][0] = ["<f8", shape]
        large = sealed(json.dumps(claimed).encode() + b"\n" + bomb)
        words = "more than|no table" if isinstance(shape, list) and max(shape) > 1 else "no table"
        assert peak(lambda data=large, words=words: refused(data, tmp_path, words)) < 20 << 20
    for wrong in (content[:-1], content + b"x"):
        refused(sealed(wrong.split(b"\n", 1)[1]), tmp_path, "not as long as it says")
    for kind in ("O", "|O8", "<M8[s]", "V1000000000", "<U99999999", "i4,i4", None, [], {}):
        claimed = json.loads(text)
        claimed["arrays"][0][0] = kind
        other = sealed(json.dumps(claimed).encode() + b"\n" + content.split(b"\n", 2)[2])
        refused(other, tmp_path, "no table of arrays")


def test_limits_hold(content, tmp_path, monkeypatch, model):
    limits = [
        (container, "LARGEST", 5000, "longer than 5000 bytes"),
        (container, "LARGEST_JSON", 500, "second line is too long"),
        (container, "MOST_LINKS", 3, "more than 3 links"),
        (parts, "LONGEST", 2, "lengths cannot be what it is"),
    ]
    for module, name, limit, words in limits:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, limit)
            refused(content, tmp_path, words)
            with pytest.raises(DataError, match="cannot be saved"):
                save(model, tmp_path / "large.ibgn")


def test_fuzzed_files_are_refused_or_work(content, data, tmp_path, rng):
    """Whatever a forger writes, it is refused or a model that can be used."""
    X, _ = data
    places = list(leaves(opened(content)[0]["model"]))
    used = 0
    for _ in range(300):
        tree, arrays = opened(content)
        for _ in range(rng.integers(1, 3)):
            fuzz(tree["model"], arrays, places, rng)
        path = tmp_path / "fuzzed.ibgn"
        path.write_bytes(closed(tree, arrays))
        try:
            model = load(path)
        except DataError:
            continue
        used += 1
        with np.errstate(all="ignore"):
            assert model.predict_proba(X[:2]).shape == (2, len(model.classes_))
            with contextlib.suppress(DataError):  # a pace of 1e308 leads to infinite times
                model.sample(1, model.classes_[0], random_state=0)
    assert 0 < used < 150


def test_random_bytes_after_a_good_head_are_refused(tmp_path, rng):
    for _ in range(100):
        body = rng.bytes(int(rng.integers(200)))
        refused(sealed(body), tmp_path)
        refused(b"ibgn model 1 " + body, tmp_path)
