"""Attack: altered model files, loaded and used."""

import numpy as np

from attack.commands import run
from attack.documents import damage_json
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import warm
from attack.places import check_unchanged, contents
from attack.words import pick
from ibgn import (
    DataError,
    IntervalForest,
    LiveRecogniser,
    Segmenter,
    learn_decisions,
    load,
    read,
    save,
)
from ibgn.classifiers import (
    DBNClassifier,
    IBGNClassifier,
    IHMMClassifier,
    IntervalRidge,
    ITBNClassifier,
    NearestRaster,
)
from kitchen import make_kitchen, make_takes
from model_files import closed, fuzz, leaves, opened, sealed
from mutations import mutate

QUICK = {"draws": 20, "budget": 100, "random_state": 0}
MODELS = {
    "tables": lambda: IBGNClassifier(**QUICK),
    "learned": lambda: IBGNClassifier("learned", **QUICK),
    "styled": lambda: IBGNClassifier(styles=2, random_state=0),
    "chain": lambda: IBGNClassifier("chain", terms=("tables", "relations"), **QUICK),
    "ihmm": IHMMClassifier,
    "dbn": DBNClassifier,
    "itbn": ITBNClassifier,
    "forest": lambda: IntervalForest(random_state=0),
    "ridge": IntervalRidge,
    "nearest": NearestRaster,
}
SETTINGS = {"n_jobs": 1000, "progress": True, "random_state": 2**62, "verbose": 10**6}
KINDS = (
    "<f8",
    "<i8",
    "<f4",
    "<i4",
    "|b1",
    "|u1",
    "<u8",
    ">f8",
    "<f2",
    "|S8",
    "|O",
    "<U4",
    "<M8[s]",
)
LARGE = (2, 50, 1_000, 16_000, 46_340)
MOST_VALUES = 2_000_000  # of an array that is made large, as cases are to be made quickly
MOST_THREADS = 64
LIVE = 0.2  # share of the models that are tried live


def prepare(place):
    """A file of each kind of model, and instances for them."""
    make_kitchen(place.stock)
    X, y = make_takes()
    for name, make in MODELS.items():
        save(make().fit(X, y), place.stock / f"{name}.model")
    early = MODELS["tables"]().fit(X, y)
    learn_decisions(early, X, y)
    save(early, place.stock / "early.model")
    (place.stock / "days.ibgn").rename(place.stock / "segmenter.model")


def try_model(rng, place):
    """Alter a file, and use whatever can be loaded."""
    source = pick(rng, sorted(place.stock.glob("*.model")))
    path, data = place.inside / "altered.ibgn", place.inside / "takes.csv"
    path.write_bytes(alter(source.read_bytes(), rng))
    data.write_bytes((place.stock / "takes.csv").read_bytes())
    before = contents(place.inside)
    try:
        model = load(path)
        use(model, read(data)[0], rng)
        _save_again(model, place.inside / "again.ibgn")
    except DataError:
        return
    used = ("segment", path, data) if isinstance(model, Segmenter) else ("predict", path, data)
    words = pick(rng, (("show", path), used, ("sample", path, "-n", 1)))
    run(place, *words, terminal=rng.random() < 0.5)
    check_unchanged(before, contents(place.inside))


def alter(content, rng):
    """Another file with a right checksum, mostly."""
    kind = int(rng.integers(10))
    body = content.split(b"\n", 1)[1]
    if kind == 0:
        return mutate(content, rng)
    if kind == 1:
        return sealed(mutate(body, rng))
    if kind == 2:
        text, packed = body.split(b"\n", 1)
        damaged = damage_json(text.decode(), rng).encode("utf-8", "replace")
        return sealed(damaged + b"\n" + packed)
    tree, arrays = opened(content)
    if kind == 3:
        _enlarge(tree, arrays, rng)
    elif kind == 4:
        _retype(arrays, rng)
    elif kind == 5:
        for name in SETTINGS.keys() & tree["model"]["parameters"].keys():
            tree["model"]["parameters"][name] = SETTINGS[name]
    else:
        places = list(leaves(tree))
        for _ in range(int(rng.integers(1, 4))):
            fuzz(tree, arrays, places, rng)
    return closed(tree, arrays)


def _enlarge(tree, arrays, rng):
    """Let every axis, and every number, of one length be longer."""
    lengths = sorted({length for array in arrays for length in array.shape if length})
    if not lengths:
        return
    old = pick(rng, lengths)
    new = max(pick(rng, LARGE), old + 1)
    for number, array in enumerate(arrays):
        shape = tuple(new if length == old else length for length in array.shape)
        if shape != array.shape and np.prod(shape, dtype=float) < MOST_VALUES:
            arrays[number] = np.resize(array, shape)
    _replace_numbers(tree, old, new)


def _replace_numbers(node, old, new):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if type(value) is int and value == old:
            node[key] = new
        elif isinstance(value, dict | list):
            _replace_numbers(value, old, new)


def _retype(arrays, rng):
    number = int(rng.integers(len(arrays)))
    kind = np.dtype(pick(rng, KINDS))
    if kind.hasobject:
        return
    size = arrays[number].size * kind.itemsize
    raw = (arrays[number].tobytes() + b"\0" * size)[:size]
    arrays[number] = np.frombuffer(raw, kind).reshape(arrays[number].shape)


def use(model, X, rng):
    """Refuse probabilities that are none, and threads beyond number."""
    if isinstance(model, Segmenter):
        model.segment(X)
        model = model.model_
    given = model.predict_proba(X)
    sums = given.sum(axis=1)
    if not (np.isfinite(given).all() and np.allclose(sums, 1, rtol=0, atol=1e-6)):
        raise FoundError("invalid value", f"probabilities {given[0]} of {type(model).__name__}")
    if rng.random() < LIVE:
        _use_live(model, X)
    with open("/proc/self/status") as file:  # noqa: PTH123
        (threads,) = [int(line.split()[1]) for line in file if line.startswith("Threads")]
    if threads > MOST_THREADS:
        raise FoundError("side effect", f"{threads} threads")


def _use_live(model, X):
    """Refuse a posterior that is none, or that becomes another one in the end."""
    live = LiveRecogniser(model)
    (intervals,) = X[:1].to_lists()
    starts = [(start, 1, n) for n, (_, start, _) in enumerate(intervals)]
    ends = [(end, 0, n) for n, (_, _, end) in enumerate(intervals)]
    for time, begins, n in sorted(starts + ends):
        (live.start if begins else live.end)(intervals[n][0], time, n)
        if not np.isclose(sum(live.posterior().values()), 1, rtol=0, atol=1e-6):
            raise FoundError("invalid value", f"posterior {live.posterior()} at {time}")
    if getattr(model, "decisions_", None) is not None:
        live.decide()
    given, last = model.predict_proba(X[:1])[0], np.array(list(live.finish().values()))
    if not np.allclose(given, last, rtol=0, atol=1e-6):
        raise FoundError("changed value", f"{given} became {last} live, {type(model).__name__}")


def _save_again(model, path):
    """Refuse that a model that was loaded cannot be saved, or becomes another."""
    save(model, path)
    first = path.read_bytes()
    save(load(path), path)
    if path.read_bytes() != first:
        raise FoundError("changed value", f"{type(model).__name__} saved, loaded and saved again")


MODEL_FILES = Attack(
    "model_files",
    "altered model files: loaded, used, saved again",
    try_model,
    share=2,
    warm=warm,
    prepare=prepare,
)
