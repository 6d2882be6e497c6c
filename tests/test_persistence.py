"""Models as files: they come back to the bit, and no file, however made, does harm."""

import contextlib
import copy
import io
import json
import pickle
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from ibgn import DataError, Structure
from ibgn.classifiers import METHODS, ActivityClassifier
from ibgn.classifiers.ibgn import IBGNClassifier
from ibgn.classifiers.temporal_network import Network
from ibgn.datasets import make_hand_signs
from ibgn.declarations import FLOAT, STORABLE, Stored, is_finite
from ibgn.errors import OptionError
from ibgn.model import activity
from ibgn.persistence import container, load, save
from ibgn.terms import TERMS, Actions, Counts, FittedTerm, LogTerms, Relations, Tables, Term
from model_files import (
    Marker,
    again,
    closed,
    forged,
    fuzz,
    leaves,
    opened,
    part,
    peak,
    put,
    refused,
    same,
    sealed,
    state,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WORDS = ["cloud", "paper", "rain"]
QUICK = {"draws": 20, "budget": 800, "random_state": 5}
TABLES = {"terms": ("tables", "relations"), "weights": "equal", "copy_weight": 0.0}


@pytest.fixture(scope="module")
def data():
    X, y, _ = make_hand_signs(instances_per_style=3, random_state=1)
    chosen = np.isin(y, np.unique(y)[:3])
    return X[chosen], y[chosen]


@pytest.fixture(scope="module")
def model(data):
    return fit(data, "learned", chains=2, penalty=0.1)


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "signs.ibgn"
    save(model, path)
    return path.read_bytes()


def fit(data, structure="full", labels=None, **options):
    X, y = data
    y = y if labels is None else np.asarray(labels)[np.unique(y, return_inverse=True)[1]]
    return IBGNClassifier(structure, **(QUICK | TABLES | options)).fit(X, y)


def rescored(model, node_likelihood, unlinked):
    """The model with terms that score in another manner."""
    other = copy.copy(model)
    other.activities_ = {
        label: replace(
            activity,
            terms={
                "tables": replace(activity["tables"], node_likelihood=node_likelihood),
                "relations": replace(activity["relations"], unlinked=unlinked),
            },
        )
        for label, activity in model.activities_.items()
    }
    return other


def behave_the_same(a, b, X):
    for likelihood in ("sequential", "published"):
        for unlinked in ("constrained", "marginal", "ignore"):
            mine, other = (rescored(model, likelihood, unlinked) for model in (a, b))
            same(mine.predict_proba(X), other.predict_proba(X))
            same(mine.explain(X[0]), other.explain(X[0]))
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
        np.array(["a", "bb", "ü\U0001f600\0c"], object),
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
        "progress": True,
    }
    model = fit(data, "learned", **options)
    loaded = again(model, tmp_path)
    how_it_runs = {"n_jobs": None, "progress": False}
    assert loaded.get_params() == model.get_params() | how_it_runs
    assert type(loaded.penalty) is int
    same(model.activities_, loaded.activities_)


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(1), np.random.RandomState(1)])
def test_a_generator_is_left_out(random_state, data, tmp_path):
    loaded = again(fit(data, random_state=random_state), tmp_path)
    assert loaded.random_state is None


@pytest.mark.parametrize("make", [set, np.array], ids=["set", "array"])
def test_pairs_come_back_as_a_list(make, data, tmp_path):
    model = fit(data, make([(1, 3), (0, 2)]))
    loaded = again(model, tmp_path)
    assert loaded.structure == [(0, 2), (1, 3)]
    same(model.activities_, loaded.activities_)


def test_an_iterator_is_refused_before_it_is_used_up(data):
    pairs = iter([(1, 3), (0, 2)])
    with pytest.raises(OptionError, match="structure=.* must be a list"):
        fit(data, pairs)
    assert list(pairs) == [(1, 3), (0, 2)]


@pytest.mark.usefixtures("unquestioned")
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
    probs = load(tmp_path / "model").activities_[model.classes_[0]]["tables"].action_probs
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


# terms with options of their own


@pytest.mark.parametrize(
    "terms",
    [
        (Relations("chain", smoothing=0.5), "actions"),
        ("actions", Relations([(0, 1), (0, 3)], unlinked="ignore")),
        (Relations(Structure({(0, 2)}, size=3, beyond="chain")), Tables(draws=10, budget=700)),
        (Actions(np.float64(0.25)), Relations("learned", "aic", 2, "learned", "marginal")),
        ("relations",),
        (Actions(),),
        ("chains", "steps", Network("first", smoothing=2.0)),
    ],
    ids=str,
)
def test_terms_come_back_with_their_options(terms, data, tmp_path):
    X, y = data
    model = IBGNClassifier(terms=list(terms), **QUICK).fit(X, y)
    loaded = again(model, tmp_path)
    assert loaded.terms == terms
    assert loaded.terms_ == model.terms_
    same(model.activities_, loaded.activities_)
    same(model.scores(X), loaded.scores(X))
    same(model.explain(X[0]), loaded.explain(X[0]))
    again_fitted = loaded.fit(X, y)
    same(model.activities_, again_fitted.activities_)


@pytest.mark.parametrize(
    "change",
    [
        lambda node: node.update(object="Tables"),  # which has other options
        lambda node: node.update(object="IBGNClassifier"),
        lambda node: node.update(object="OrderedDict"),
        lambda node: node.update(object="os.system"),
        lambda node: node.update(object=None),
        lambda node: node.update(object=["Relations"]),
        lambda node: node.update(more=1),
        lambda node: node.update(options={}),
        lambda node: node.update(options=None),
        lambda node: node.pop("options"),
        lambda node: node["options"].update(smoothing=-1.0),
        lambda node: node["options"].update(structure="best"),
        lambda node: node["options"].update(_link_scores=None),
        lambda node: node["options"].update(structure={"object": "Actions", "options": {}}),
    ],
)
def test_forged_terms_are_refused(change, data, tmp_path):
    terms = [Relations("chain", smoothing=0.5), "actions"]
    save(IBGNClassifier(terms=terms, **QUICK).fit(*data), tmp_path / "model.ibgn")
    tree, arrays = opened((tmp_path / "model.ibgn").read_bytes())
    change(tree["model"]["parameters"]["terms"]["list"][0])
    refused(closed(tree, arrays), tmp_path)


def test_terms_of_a_file_are_those_of_its_options(data, tmp_path):
    save(fit(data), tmp_path / "model.ibgn")
    content = (tmp_path / "model.ibgn").read_bytes()
    for terms in (["tables"], ["tables", "relations", "actions"], ["tables", "actions"]):
        tree, arrays = opened(content)
        tree["model"]["parameters"]["terms"] = {"list": terms}
        expected = (
            "lacks a part, or has an unknown one" if len(terms) == 2 else "weights is of shape"
        )
        refused(closed(tree, arrays), tmp_path, expected)
    for terms in ([], ["tables", "tables"], ["relations", "unheard of"], [1], [["tables"]]):
        tree, arrays = opened(content)
        tree["model"]["parameters"]["terms"] = {"list": terms}
        refused(closed(tree, arrays), tmp_path, "terms")


# terms and estimators of others


@pytest.fixture
def _registries():
    """Classes that a test defines are forgotten after it."""
    before = [(registry, dict(registry)) for registry in (STORABLE, TERMS, METHODS)]
    yield
    for registry, known in before:
        registry.clear()
        registry.update(known)


def define_term(**declared):
    """Return a term as somebody else might write it, whose learned field is declared so."""
    declared = declared or {"metadata": {"stored": Stored(FLOAT, ("actions+1",), is_finite)}}

    @dataclass(frozen=True)
    class MeanCounts(Counts):
        sums: np.ndarray

    @dataclass(frozen=True)
    class FittedMeans(FittedTerm):
        means: np.ndarray = field(**declared)

        def log_terms(self, X):
            return LogTerms(interval=-np.abs(X.end - X.start - self.means[X.action]))

        def describe(self):
            return pd.DataFrame({"mean": self.means})

    @dataclass(frozen=True)
    class Means(Term):
        name = "means"
        fitted = FittedMeans

        shift: float = 0.0

        def count(self, X):
            sums = np.zeros((len(X.actions) + 1, 2))
            np.add.at(sums, X.action, np.column_stack([X.end - X.start, np.ones(len(X.action))]))
            return MeanCounts(sums)

        def fit(self, counts, pooled, context):
            total, many = counts.sums.T
            return self.fitted(context.actions, self.shift + total / np.maximum(many, 1))

    return Means


def define_estimator(term, **declared):
    """Return an estimator as somebody else might write it, that declares what it learned."""

    class MeanClassifier(ActivityClassifier):
        short_name = "mean"
        learned = declared

        def __init__(self, shift, class_prior="uniform", n_jobs=None, progress=False):
            self.shift, self.class_prior = shift, class_prior
            self.n_jobs, self.progress = n_jobs, progress

        def _make_terms(self):
            return [term(self.shift)]

        def _prepare_training(self, data):
            self.scale_ = np.array([1.5, np.nan])
            return data

    return MeanClassifier


@pytest.mark.usefixtures("_registries")
def test_a_term_of_others_comes_back(data, tmp_path, monkeypatch):
    means = define_term()
    for terms in (("means", "relations"), (means(0.5), "actions"), (means(np.float32(2)),)):
        model = IBGNClassifier(terms=list(terms), **QUICK).fit(*data)
        loaded = again(model, tmp_path)
        assert loaded.terms == terms
        same(model.activities_, loaded.activities_)
        same(model.explain(data[0][0]), loaded.explain(data[0][0]))
    content = (tmp_path / "model.ibgn").read_bytes()
    refused(forged(content, "means.means", put(0, np.nan)), tmp_path, "means has an invalid value")
    refused(forged(content, "means.means", lambda rows: rows[1:]), tmp_path, "means is of shape")
    monkeypatch.delitem(STORABLE, "Means")
    unknown = "its option terms is of the unknown class 'Means'; import the module that defines it"
    refused(content, tmp_path, unknown)
    save(IBGNClassifier(terms=["actions"], **QUICK).fit(*data), tmp_path / "model.ibgn")
    tree, arrays = opened((tmp_path / "model.ibgn").read_bytes())
    tree["model"]["parameters"]["terms"]["list"] = ["means"]
    monkeypatch.delitem(TERMS, "means")
    refused(closed(tree, arrays), tmp_path, "has no term 'means'; choose among")


@pytest.mark.usefixtures("_registries")
def test_an_estimator_of_others_comes_back(data, tmp_path, monkeypatch):
    define = partial(define_estimator, scale_=Stored(FLOAT, ("scale",)))
    model = define(define_term())(2.5).fit(*data)
    loaded = again(model, tmp_path)
    same(state(model), state(loaded))
    same(model.predict_log_proba(data[0]), loaded.predict_log_proba(data[0]))
    content = (tmp_path / "model.ibgn").read_bytes()
    for place, change in (
        ("scale", lambda scale: scale[None]),
        ("means.means", put(0, np.nan)),
        ("means.means", lambda means: means[1:]),
    ):
        words = f"{place.split('.')[-1]} .*damaged or was altered"
        refused(forged(content, place, change), tmp_path, words)
    monkeypatch.delitem(STORABLE, "MeanClassifier")
    unknown = "it holds a model of the unknown class 'MeanClassifier'; import the module that"
    refused(content, tmp_path, unknown)
    with pytest.raises(DataError, match="MeanClassifier cannot be saved; choose among DBNClass"):
        save(model, tmp_path / "other.ibgn")


@pytest.mark.usefixtures("_registries")
def test_nothing_that_was_learned_is_left_out_silently(data, tmp_path):
    path = tmp_path / "model.ibgn"
    define_term(metadata={})
    with pytest.raises(DataError, match="field means of FittedMeans .*; declare it with .*stored$"):
        save(IBGNClassifier(terms=["means"], **QUICK).fit(*data), path)
    means = define_term()
    with pytest.raises(DataError, match="scale_ of MeanClassifier .*; declare it in `learned`"):
        save(define_estimator(means)(1.0).fit(*data), path)
    other = type("Other", (means.fitted,), {})
    model = IBGNClassifier(terms=["means"], **QUICK).fit(*data)
    for activity_model in model.activities_.values():
        learned = activity_model["means"]
        activity_model.terms["means"] = other(learned.actions, learned.means)
    with pytest.raises(DataError, match="term 'means' is of class Other, .*; fit the model again"):
        save(model, path)
    nameless = type("Nameless", (Actions,), {})
    with pytest.raises(DataError, match="option of class Nameless cannot be saved; give the class"):
        save(IBGNClassifier(terms=[nameless()], **QUICK).fit(*data), path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["Relations", "Tables", "object", "", None, ["IBGNClassifier"], 1])
def test_the_class_of_a_file_is_an_estimator(name, content, tmp_path):
    tree, arrays = opened(content)
    tree["class"] = name
    refused(closed(tree, arrays), tmp_path, "it holds a model of the unknown class")


# saving


def test_what_cannot_be_saved_is_refused(model, data, tmp_path):
    class Derived(IBGNClassifier):
        pass

    with pytest.raises(NotFittedError, match="not fitted"):
        save(IBGNClassifier(), tmp_path / "model.ibgn")
    for other in (None, "model", Derived(), IBGNClassifier):
        with pytest.raises(
            DataError, match="cannot be saved; choose among DBNClassifier, IBGNClassi"
        ):
            save(other, tmp_path / "model.ibgn")
    broken = copy.copy(model)
    broken.class_log_prior_ = broken.class_log_prior_[1:]
    with pytest.raises(DataError, match="cannot be saved: class_log_prior is of shape .2,."):
        save(broken, tmp_path / "model.ibgn")
    broken.class_log_prior_ = object()
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
        refused(foreign, tmp_path, "is not a model; name one that `ibgn fit` or save\\(\\) wrote")
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
    ("relations.keys", put(0, -1)),
    ("relations.keys", put(-1, 2**62)),
    ("relations.keys", lambda keys: keys[::-1]),
    ("relations.keys", put(1, 0)),
    ("relations.keys", lambda keys: keys[:-1]),
    ("relations.keys", lambda keys: keys.astype("<i4")),
    ("relations.keys", lambda keys: keys.astype(">i8")),
    ("relations.keys", lambda keys: keys[:, None]),
    ("relations.log_probs", lambda probs: probs[:, :6]),
    ("relations.log_probs", lambda probs: probs[1:]),
    ("relations.log_probs", lambda probs: probs.T),
    ("relations.log_probs", put((0, 0), np.nan)),
    ("relations.log_probs", put(slice(None), -np.log(7))),  # within no constraint
    ("relations.log_probs", lambda probs: probs - 1),
    ("relations.log_probs", lambda probs: probs.astype("<f4")),
    ("relations.unknown", lambda probs: probs[:, :127]),
    ("relations.unknown", lambda probs: probs[:1]),
    ("relations.unknown", lambda probs: probs[..., :6]),
    ("relations.unknown", lambda probs: probs[0]),
    ("relations.unknown", put((0, 0), 0.0)),
    ("relations.unknown", put((1, 5), 0.0)),
    ("relations.unknown", put((1, 127, 0), 800.0)),
    ("relations.unknown", put((1, 127, 2), np.nan)),
    ("relations.structure.links", lambda links: np.array([[3, 1]])),
    ("relations.structure.links", lambda links: np.array([[-1, 1]])),
    ("relations.structure.links", lambda links: np.array([[0, 10**9]])),
    ("relations.structure.links", lambda links: np.array([[0, 1, 2]])),
    ("tables.action_probs", lambda probs: probs[:, 1:]),
    ("tables.action_probs", lambda probs: np.vstack([probs, probs])),
    ("tables.action_probs", put((0, 0), -1.0)),
    ("tables.action_probs", put((0, 0), 1e308)),
    ("tables.shares", lambda shares: shares * 2),
    ("tables.shares", lambda shares: shares[:0]),
    ("tables.action_prior", put(0, 0.0)),
    ("tables.action_prior", lambda prior: prior[1:]),
    ("tables.convergence.traces", lambda traces: traces[0]),
    ("tables.convergence.traces", lambda traces: traces[1:]),
    ("relations.link_scores.gain", lambda gain: gain[1:]),
    ("relations.link_scores.gain", put(0, np.nan)),
    ("relations.link_scores.penalty", put(0, np.inf)),
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


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("order.keys", put(0, -1)),
        ("order.keys", put(-1, 2**40)),
        ("order.keys", lambda keys: keys[::-1]),
        ("order.keys", lambda keys: keys[1:]),
        ("order.log_probs", put(0, 1e-3)),
        ("order.log_probs", put(0, np.nan)),
        ("order.log_probs", lambda logs: logs - 0.1),
        ("order.usual", lambda logs: logs[1:]),
        ("order.usual", lambda logs: logs + np.log(2)),
        ("order.left", lambda logs: logs[1:]),
        ("order.left", put(0, 0.0)),
        ("order.left", put(0, -np.inf)),
    ],
)
def test_forged_steps_are_refused(path, change, data, tmp_path):
    model = IBGNClassifier(terms=("order",), copy_weight=0).fit(*data)
    model.save(tmp_path / "steps.ibgn")
    content = (tmp_path / "steps.ibgn").read_bytes()
    refused(forged(content, path, change), tmp_path, "damaged or was altered")


FORGED_VALUES = [
    ("tables.seed", [-1, 2**32, 1.0, None, True]),
    ("actions", [[], ["a"], [1], "abc", None]),
    ("classes", [0, -1, 10**6, {"names": ["a"], "width": 0}, {"names": WORDS, "width": 1}, []]),
    ("classes", [{"names": WORDS, "width": 10**12}, {"names": WORDS[::-1], "width": 0}]),
    ("activities", [[], {}, None]),
    ("relations.unlinked", ["linked", None, 1, ["ignore"]]),
    ("relations.ties", ["twice", None, 1, ["sorted"]]),
    ("tables.node_likelihood", ["mixture", None, 1, ["published"]]),
    ("relations.keys", [1.0, "0", None, {}, -1, 10**9]),
    ("relations.structure.size", [-1, 0, 10**6, 1e3, None]),
    ("relations.structure.beyond", ["all", None, ["full"]]),
    ("relations.structure", [None, "full", {}]),
    ("tables.concentration", [0.0, -1.0, "nan", "1", True, 1]),
    ("tables.convergence.rhat", ["not", None, []]),
    ("tables.convergence.converged", [1, "yes"]),
    ("tables.convergence.burn_in", [-1, 1.5]),
    ("tables.convergence.thin", [-1, None]),
    ("tables.convergence.draws", [-1, 1.5]),
    ("pace", [0.0, -1.0, "nan", "inf", 1]),
    ("relations.link_scores.size", [-1, 1, 10**30]),
    ("parameters.structure", ["best", 3, None, {"pairs": 10**6}, [[0, 1]]]),
    ("parameters.class_prior", ["even", None, [["a"]], [["a", "b"]], [["a", 1.0], ["a", 1.0]]]),
    ("parameters.draws", [0, "many", None]),
    ("parameters.sampler", ["other", ["exact"]]),
    ("parameters.smoothing", [0, "none", None, 10**400]),
    ("parameters.penalty", ["learned", -1.0]),
    ("parameters.node_likelihood", ["other", 1]),
    ("parameters.random_state", [-1, "x"]),
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
        {
            "relations.keys": lambda keys: keys[::-1],
            "relations.log_probs": lambda probs: probs[::-1],
        },
        {"relations.keys": twice, "relations.log_probs": twice},
        {
            "tables.action_probs": lambda probs: normal(probs[:, 1:]),
            "tables.action_prior": lambda prior: prior[1:],
        },
        {
            "tables.action_probs": lambda probs: probs[:0],
            "tables.shares": lambda shares: shares[:0],
        },
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
    size = opened(content)[0]["model"]["activities"][0]["terms"]["relations"]["link_scores"]["size"]
    for path, value, words in (
        ("parameters", [], "the parameters is not made of named parts"),
        ("classes", {"names": WORDS, "width": 10**12}, "the classes have an invalid width"),
        ("activities", [], "activities are missing"),
        ("relations.link_scores.size", 1 - size, "size has an invalid value"),
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
    activity = ["model", "activities", 0]
    tables = [*activity, "terms", "tables"]
    for place in (["model"], ["model", "parameters"], activity, tables, tables[:-1], []):
        for edit in (lambda node: node.update(more=1), lambda node: node.popitem()):
            tree, arrays = opened(content)
            node = tree
            for key in place:
                node = node[key]
            edit(node)
            if place:
                refused(closed(tree, arrays), tmp_path, "lacks a part, or has an unknown one")


def test_an_array_belongs_to_one_part(content, tmp_path):
    tree, arrays = opened(content)
    refused(closed(tree, [*arrays, arrays[0]]), tmp_path, "arrays that no part of the model uses")
    first, second, _ = tree["model"]["activities"]
    second["terms"]["relations"]["unknown"] = first["terms"]["relations"]["unknown"]
    refused(closed(tree, arrays), tmp_path, "unknown has no array of its own")


def test_a_newer_version_says_so(content, tmp_path):
    newer = content.replace(b"ibgn model 5 ", b"ibgn model 6 ", 1)
    refused(newer, tmp_path, "written by a newer version of ibgn; update ibgn")
    refused(b"ibgn model 13\nwhatever", tmp_path, "written by a newer version of ibgn")
    for version in (b"0", b"-1", b"x", b"", b"1.5", b"9" * 100):
        refused(b"ibgn model " + version + content[12:], tmp_path, "damaged or was altered")


def test_an_older_version_says_so(content, tmp_path):
    older = content.replace(b"ibgn model 5 ", b"ibgn model 4 ", 1)
    refused(older, tmp_path, "an older version of ibgn, and can no longer be read; fit the model")


def test_json_is_strict(content, tmp_path):
    tree, arrays = opened(content)
    whole = closed(tree, arrays).split(b"\n", 2)[1]
    packed = content.split(b"\n", 2)[2]
    double = whole.replace(b'"seed": ', b'"seed": 1, "seed": ')
    refused(sealed(double + b"\n" + packed), tmp_path, "two values for one name")
    constant = whole.replace(b'"penalty": 0.1', b'"penalty": Infinity')
    refused(sealed(constant + b"\n" + packed), tmp_path, "Infinity")
    huge = whole.replace(b'"penalty": 0.1', b'"penalty": 1e999')
    refused(sealed(huge + b"\n" + packed), tmp_path, "penalty")
    for text in (b"[" * 10**6, b"9" * 10**5, b'"\xff"', b"{", b"[]", b"null", b""):
        refused(sealed(text + b"\n" + packed), tmp_path, "damaged or was altered")


def test_bombs_take_no_memory(content, tmp_path):
    text = content.split(b"\n", 2)[1] + b"\n"
    bomb = zlib.compress(bytes(100 << 20))
    longer = sealed(text + bomb)
    assert (
        peak(lambda: refused(longer, tmp_path, "do not have the length that it declares"))
        < 20 << 20
    )
    for shape in ([2**31], [2**20, 2**20, 2**20], [10**30], [-1], [1.0], [1] * 40, [True], 7):
        claimed = json.loads(text)
        claimed["arrays"][0] = ["<f8", shape]
        large = sealed(json.dumps(claimed).encode() + b"\n" + bomb)
        words = "more than|no table" if isinstance(shape, list) and max(shape) > 1 else "no table"
        assert peak(lambda data=large, words=words: refused(data, tmp_path, words)) < 20 << 20
    for wrong in (content[:-1], content + b"x"):
        refused(
            sealed(wrong.split(b"\n", 1)[1]), tmp_path, "do not have the length that it declares"
        )
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
        (activity, "LONGEST", 2, "lengths has an invalid value"),
    ]
    for module, name, limit, words in limits:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, limit)
            refused(content, tmp_path, words)
            with pytest.raises(DataError, match="cannot be saved"):
                save(model, tmp_path / "large.ibgn")


@pytest.mark.usefixtures("unquestioned")  # an altered name is an action that is not known
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
        refused(b"ibgn model 2 " + body, tmp_path)
