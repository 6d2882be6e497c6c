"""Attack: hostile names in data, through everything that is printed, written and drawn."""

import csv
import io
import json
from xml.etree import ElementTree

import numpy as np

from attack.commands import HIDDEN, run
from attack.findings import FoundError
from attack.harness import Attack
from attack.jobs import warm
from attack.round_trips import check_same, round_trip
from attack.words import name, pick
from ibgn import DataError, IntervalSequences, read, save, write
from ibgn.classifiers import IBGNClassifier
from ibgn.text import number_repeats
from outlines import Outline

WRITTEN = ("takes.csv", "takes.jsonl", "takes.parquet")


def try_names(rng, place):
    """Give instances hostile names, and take them through one of the outputs."""
    try:
        X, y = _instances(rng)
    except DataError:  # a blank name
        return
    do = pick(rng, (_files, _terminal, _terminal, _models, _models, _drawing, _file_names, _report))
    if do is _report and rng.random() < 0.6:  # takes long
        do = _files
    do(rng, place, X, y)


def _instances(rng):
    """A few instances of two activities, with names that differ."""
    drawn = number_repeats([name(rng) for _ in range(14)])
    ids, labels, actions, groups = drawn[:6], drawn[6:8], drawn[8:11], drawn[11:14]
    rows = [
        [(action, float(n + k), float(n + k + 1 + k * (d % 2))) for k, action in enumerate(actions)]
        for d, n in enumerate(range(len(ids)))
    ]
    X = IntervalSequences.from_lists(
        rows, ids=ids, groups=[groups[d % 3] for d in range(6)] if rng.random() < 0.5 else None
    )
    return X, np.array([labels[d % 2] for d in range(len(ids))], object)


def _files(rng, place, X, y):
    round_trip(X, y, place.inside, rng)


def _written(rng, place, X, y):
    """Name of a file of the instances; None where names are refused."""
    path = place.inside / pick(rng, WRITTEN)
    try:
        write(X, path, y)
    except DataError:
        return None
    check_same((X, y), read(path), "jsonl" if path.suffix == ".jsonl" else "csv")
    return path.name


def _terminal(rng, place, X, y):
    path = _written(rng, place, X, y)
    if path is not None:
        run(place, "inspect", path, terminal=True)
        run(place, "convert", path, "-", terminal=True)
        text = run(place, "inspect", path, "--json").stdout
        _parse_json(text)


def _models(rng, place, X, y):
    path = _written(rng, place, X, y)
    if path is None:
        return
    made = run(place, "fit", path, "-o", "m.ibgn", "-m", "DBN", terminal=True)
    if made.returncode:
        return
    run(place, "show", "m.ibgn", terminal=True)
    run(place, "predict", "m.ibgn", path, terminal=True)
    printed = run(place, "predict", "m.ibgn", path)
    if printed.returncode == 0:
        rows = list(csv.reader(io.StringIO(printed.stdout, newline="")))
        if [row[0] for row in rows[1:]] != list(map(str, X.ids)):
            raise FoundError("changed value", f"names in predictions: {rows[1:]!r}"[:500])
    found = _parse_json(run(place, "predict", "m.ibgn", path, "--json").stdout)
    if found and [row["instance"] for row in found["rows"]] != list(map(str, X.ids)):
        raise FoundError("changed value", "names in predictions as JSON")


def _parse_json(text):
    try:
        return json.loads(text) if text else None
    except ValueError as error:
        raise FoundError("changed value", f"JSON that is none: {error}") from error


def _drawing(rng, place, X, y):
    path = _written(rng, place, X, y)
    if path is None:
        return
    model = IBGNClassifier(draws=5, budget=20, random_state=0)
    save(model.fit(X, y), place.inside / "m.ibgn")
    target = pick(rng, ("why.svg", "why.png", "why.pdf"))
    words = ("explain", "m.ibgn", path, "--figure", target, "-o", "why.csv")
    run(place, *words, f"--instance={X.ids[0]}".replace("\0", ""), terminal=True)
    if (place.inside / "why.svg").exists():
        check_drawing((place.inside / "why.svg").read_text())


def _file_names(rng, place, X, y):
    """A folder whose files have the names; inspected, and read as a whole."""
    folder = place.inside / "talks"
    folder.mkdir()
    for number, given in enumerate(X.ids[:3]):
        usable = given.replace("/", "_").replace("\0", "").encode()[:200].decode("utf-8", "ignore")
        (folder / f"{usable}{number}.csv").write_text(
            "instance,label,action,start,end\na,b,c,0,1\n"
        )
    run(place, "inspect", "talks", terminal=True)
    run(place, "convert", "talks", "all.jsonl", "-O", "activity=file", terminal=True)


def _report(rng, place, X, y):
    path = _written(rng, place, X, y)
    if path is None:
        return
    words = ("evaluate", path, "-m", "DBN", "--folds", "2", "--report", "page.html")
    run(place, *words, terminal=True)
    if (place.inside / "page.html").exists():
        check_page((place.inside / "page.html").read_text())


def check_page(text):
    """Refuse a page that runs or loads something, or whose tags names have broken."""
    outline = Outline(text)
    for tag, attributes in outline.active():
        raise FoundError("script", f"<{tag}> with {attributes}")
    if outline.wrong or outline.open:
        raise FoundError("script", f"tags that do not match: {outline.wrong[:3]}")
    hidden = HIDDEN.search(text)
    if hidden:
        raise FoundError("escape sequence", f"{hidden[0]!r} in the page")


def check_drawing(text):
    """Refuse a drawing that runs or loads something, or is no XML."""
    try:
        ElementTree.fromstring(text)  # noqa: S314, drawn by ourselves
    except ElementTree.ParseError as error:
        raise FoundError("script", f"the drawing is no XML: {error}") from error
    for tag, attributes in Outline(text).active():
        raise FoundError("script", f"<{tag}> with {attributes}")


NAMES = Attack(
    "names",
    "hostile names through terminal, files, models, drawings and pages",
    try_names,
    share=2,
    warm=warm,
)
