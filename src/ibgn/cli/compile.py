"""The command compile: what other commands would compile on first use, ahead of it."""

import os
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibgn.cli.flags import in_flags
from ibgn.cli.options import Json
from ibgn.cli.output import busy, print_json, say
from ibgn.cli.targets import check_folder
from ibgn.errors import DataError, Option, OptionError
from ibgn.text import count, quote

if TYPE_CHECKING:
    from ibgn.intervals import IntervalSequences

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder for compiled kernels, by default beside the installed package or, where that "
        "cannot be written to, in your cache; name it in NUMBA_CACHE_DIR for later runs.",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method", "-m", metavar="NAME", help="Method to compile for, all by default; repeatable."
    ),
]

WORDS = ("air", "bus", "leg")  # that methods learn


def compile(folder: Folder = None, method: Methods = None, as_json: Json = False) -> None:
    """Compile what methods need ahead of the first use, for images and read-only installations.

    Each method learns from a few simulated instances and recognises them, so that all that it
    calls is compiled for the types that it is called with. What is compiled already is left as it
    is. Kernels are compiled for the processor of this machine; for an image that runs on others,
    set NUMBA_CPU_NAME=generic here and there.

    $ ibgn compile
    $ ibgn compile --method IBGN-T --folder /opt/ibgn-kernels
    """
    if folder is not None:
        check_folder(folder, "folder")
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["NUMBA_CACHE_DIR"] = str(folder.resolve())  # numba reads it when it is imported
    from numba.core import event

    from ibgn._kernels.compile import NOTICE, Compilations, cache_folder

    usual = "about 20 seconds for each method" if method else "one to two minutes"
    NOTICE.message = f"compiling kernels, which takes {usual}"
    begun = time.perf_counter()
    compilations = Compilations()
    with event.install_listener("numba:compile", compilations):
        left_out = _rehearse(method)
    seconds = time.perf_counter() - begun
    kept = cache_folder()
    if kept is None:
        raise DataError(
            "compiled kernels could not be kept, so later runs will compile them again; name a "
            "folder with room that can be written to: ",
            Option("folder", "FOLDER"),
        )
    result = {
        "compiled": compilations.number,
        "seconds": round(seconds, 1),
        "folder": kept,
        "left_out": left_out,
    }
    for name, reason in left_out.items():
        say(f"left out {quote(name)}: {reason}")
    if as_json:
        print_json(result)
    elif compilations.number:
        print(f"compiled {count(compilations.number, 'kernel')} in {seconds:.0f} s, kept in {kept}")
    else:
        print(f"everything was compiled already, in {kept}")
    if folder is not None:
        say(f"use them with: export NUMBA_CACHE_DIR={os.environ['NUMBA_CACHE_DIR']}")


def _rehearse(methods: list[str] | None) -> dict[str, str]:
    """Let each method do all that it can with a few instances; methods left out, and why."""
    import numpy as np

    from ibgn._temporaries import temporary_folder
    from ibgn.evaluation.methods import DEFAULT, METHODS, find_method
    from ibgn.pieces import SAMPLE

    names = [find_method(name) for name in methods or METHODS]
    left_out: dict[str, str] = {}
    with temporary_folder() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few instances and short chains, which are meant
        X, y = _simulate(folder)
        if not methods:
            _use_the_rest(X, y)
        for name in names:
            with busy(f"compiling for {name}"):
                try:
                    model = METHODS[name](0)
                except OptionError as error:  # what it needs is not installed
                    left_out[name] = in_flags(error)
                    continue
                if "budget" in model.get_params():
                    model.set_params(draws=5, budget=20)
                _use(model.fit(X, y), X, folder / "model.ibgn")
                if name == DEFAULT:  # which counts many instances in another way than few
                    many = X[np.resize(np.arange(len(X)), SAMPLE + 1)]
                    model.fit(many, np.resize(y, len(many))).predict(many)
    return left_out


def _use_the_rest(X: "IntervalSequences", y: Any) -> None:
    """What no method does: inspection, consistency, features, soft detection, streams and more."""
    import numpy as np

    from ibgn import IBGNClassifier, Segmenter, count_pairs, inspect
    from ibgn.cleaning import snap
    from ibgn.consistency import is_possible
    from ibgn.detection.soft import trace_states
    from ibgn.features import IntervalFeatures

    inspect(X, y)
    count_pairs(X, [(0, 2)])
    snap(X.owner.astype(np.int64), X.start, X.end, 1e-3)
    is_possible({(0, 1): "b", (1, 2): "bm"})
    IntervalFeatures(("occupancy",)).fit_transform(X)
    trace_states(np.full((3, 2), 0.5), np.linspace(0, 3, 4), ("up", "down"), 1.0)
    segmenter = Segmenter(IBGNClassifier(terms=("order",), random_state=0), random_state=0)
    segmenter.fit_instances(X, y).segment(X[:1])


def _simulate(folder: Path) -> tuple["IntervalSequences", Any]:
    """A few instances of three activities, read from a file as most are."""
    import numpy as np

    from ibgn.datasets import make_hand_signs
    from ibgn.io import read, write

    X, y, _ = make_hand_signs(instances_per_style=10, n_signers=5, random_state=0)
    few = np.isin(y, WORDS)
    write(X[few], folder / "takes.csv", y[few])
    return read(folder / "takes.csv")


def _use(model: Any, X: "IntervalSequences", path: Path) -> None:
    """Recognise, follow, explain and draw instances, as learned and as loaded from a file."""
    import numpy as np

    from ibgn.classifiers import load, save
    from ibgn.live import LiveRecogniser

    save(model, path)
    for each in (model, load(path)):
        each.predict_proba(X)
        each.predict(X[:1])
        live = LiveRecogniser(each)
        live.start(X.actions[0], 0.0)
        live.tick(1.0)
        live.finish()
        if getattr(each, "activities_", None):
            each.explain(X[:1])
        if hasattr(each, "sample"):
            each.sample(2, each.classes_[0], np.random.default_rng(0))
