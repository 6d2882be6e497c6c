"""Samples of every dialect: inspect understands them, and the commands that it proposes run.

A sample is a file in tests/samples/<format>, or a folder there of several files; what is in it
comes from a parser of its own in tests/independent.py.
"""

import copy
import json
import shlex
import warnings
from collections import Counter
from pathlib import Path

import pytest

from ibgn import DataError, read, read_csv
from ibgn.cli import learn
from ibgn.io.registry import FORMATS
from ibgn.io.survey import survey
from independent import PARSERS

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*"))


def documents_in(path):
    """The documents of JSON in a file, one or one in each line; none if it is something else."""
    try:
        text = path.read_text("utf-8-sig")
        return [json.loads(text)]
    except UnicodeDecodeError:
        return []
    except ValueError:
        try:
            return [json.loads(line) for line in text.splitlines()]
        except ValueError:
            return []


DOCUMENTS = {
    path.relative_to(SAMPLES).as_posix(): documents
    for path in sorted(SAMPLES.rglob("*"))
    if path.is_file() and (documents := documents_in(path))
}
# values where others are expected, of every kind that JSON has
JUNK = (None, True, 3, -1.5, "x", [], {}, [{}], {"a": 1}, float("inf"), float("nan"), 10**400)
MOST_PLACES = 40  # of a document that are tried


def test_every_sample_is_parsed_independently():
    assert set(NAMES) == set(PARSERS)


@pytest.fixture(params=NAMES)
def sample(request):
    return request.param


@pytest.fixture
def found(sample, ibgn):
    result = ibgn("inspect", SAMPLES / sample, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_inspect_understands_it_and_its_command_converts_it(sample, found, ibgn, tmp_path):
    words = shlex.split(found["commands"]["convert"])
    assert words[:3] == ["ibgn", "convert", str(SAMPLES / sample)]
    result = ibgn(*words[1:])
    assert result.returncode == 0, result.stderr
    X, y = read_csv(tmp_path / words[3], unlabelled="keep")
    read = [row for rows in X.to_lists() for row in rows]
    parsed = list(PARSERS[sample](SAMPLES / sample))
    assert found["intervals"] == len(read) == len(parsed) > 0
    assert Counter(action for action, _, _ in read) == Counter(action for action, _, _ in parsed)
    lengths = sorted(end - start for _, start, end in read)
    assert lengths == pytest.approx(sorted(end - start for _, start, end in parsed), abs=1e-6)
    labelled = 0 if y is None else sum(label is not None for label in y)
    assert labelled == found["instances"] - found["unlabelled"]


class Learned:
    """A model that only says what it would have learned from."""

    def __init__(self):
        self.labels = []

    def get_params(self):
        return {}

    def set_params(self):
        return self

    def fit(self, X, y):
        self.labels = y.tolist()
        self.classes_ = sorted(set(self.labels), key=str)


def test_the_command_that_learns_from_it_finds_labels(sample, found, ibgn, monkeypatch):
    if "fit" not in found["commands"]:
        pytest.skip("the sample says nothing of activities")
    learned = Learned()
    monkeypatch.setattr(learn, "new_model", lambda *_: ("stub", learned))
    monkeypatch.setattr(learn, "describe_learned", lambda _: {"weights": {}})
    monkeypatch.setattr(learn, "say_weights", lambda _: "")
    monkeypatch.setattr("ibgn.classifiers.save", lambda *_: None)
    ibgn(*shlex.split(found["commands"]["fit"])[1:])
    assert len(set(learned.labels)) > 1
    assert None not in learned.labels


def places_of(node, path=()):
    """Paths to all values in a document, or in each of several."""
    if path:
        yield path
    listed = node if isinstance(node, list) else ()
    for key, value in node.items() if isinstance(node, dict) else enumerate(listed):
        yield from places_of(value, (*path, key))


def with_junk(documents, path, junk):
    """The documents with another value at a place."""
    changed = node = copy.deepcopy(documents)
    *around, last = path
    for key in around:
        node = node[key]
    node[last] = copy.deepcopy(junk)
    return changed


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_any_value_at_any_place_of_a_document_is_read_or_refused(name, tmp_path):
    path, places = tmp_path / Path(name).name, list(places_of(DOCUMENTS[name]))
    kind = name.partition("/")[0]
    for place in places[:: max(1, len(places) // MOST_PLACES)]:
        for junk in JUNK:
            written = map(json.dumps, with_junk(DOCUMENTS[name], place, junk))
            path.write_text("\n".join(written))
            for do in (lambda: survey(path), lambda: read(path, format=FORMATS[kind].name)):
                with warnings.catch_warnings(action="ignore"):
                    try:
                        do()
                    except DataError:
                        pass
                    except Exception as error:
                        raise AssertionError(f"{junk!r} at {place}") from error
