"""The page's server: who may ask, what is answered, and what happens to changes."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import numpy as np
import pytest
import uvicorn
from starlette.testclient import TestClient

from exploring import PATIENCE, served
from ibgn import IBGNClassifier
from ibgn._files import InputFile
from ibgn.datasets import make_relations, sample_path
from ibgn.errors import DataError
from ibgn.explore import Collection, ConflictError, portraits
from ibgn.explore.collection import Interval
from ibgn.explore.desk import Desk
from ibgn.explore.history import History
from ibgn.explore.learning import Learning
from ibgn.explore.opinions import Opinions
from ibgn.explore.saving import Place
from ibgn.explore.server import Answers, make_app
from ibgn.inspection.counterfactuals import find_counterfactual, moved
from ibgn.intervals import IntervalSequences
from ibgn.io import read, write
from ibgn.io.registry import FORMATS

HOST = "127.0.0.1:8000"
ORIGIN = {"origin": f"http://{HOST}"}


@pytest.fixture(scope="module")
def data():
    return make_relations(instances_per_activity=6, random_state=0)


@pytest.fixture(scope="module")
def model(data):
    return IBGNClassifier(random_state=0).fit(*data)


@pytest.fixture
def desk(data, model):
    return Desk(Collection(*data), model, "takes.csv")


@pytest.fixture
def client(desk, model):
    app = make_app(Answers(desk, Learning(desk, model), None), "secret", (HOST,))
    return TestClient(app, base_url=f"http://{HOST}/secret", headers=ORIGIN)


# -- who may ask -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        ({}, "/secret/api/overview", 200),
        ({}, "/secret/", 200),
        ({}, "/secret/main.js", 200),
        ({"sec-fetch-site": "none"}, "/secret/", 200),
        ({}, "/", 403),
        ({}, "/secreT/api/overview", 403),
        ({}, "/secret2/api/overview", 403),
        ({}, "/api/overview", 403),
        ({"host": "evil.example:8000"}, "/secret/api/overview", 421),
        ({"host": "127.0.0.1:9"}, "/secret/api/overview", 421),
        ({"host": "evil.example"}, "/secret/", 421),
        ({"origin": "http://evil.example"}, "/secret/api/overview", 403),
        ({"origin": "null"}, "/secret/api/overview", 403),
        ({"origin": "http://127.0.0.1:8001"}, "/secret/api/overview", 403),
        ({"sec-fetch-site": "cross-site"}, "/secret/api/overview", 403),
        ({"sec-fetch-site": "same-site"}, "/secret/api/overview", 403),
        ({"content-length": "99999999"}, "/secret/api/overview", 413),
        ({}, "/secret/../guard.py", 403),  # as the client resolves it
        ({}, "/secret/..%2fguard.py", 404),
        ({}, "/secret/nothing.js", 404),
        ({}, "/secret/__init__.py", 404),
    ],
)
def test_only_the_page_itself_is_answered(client, headers, path, status):
    bare = TestClient(client.app, base_url=f"http://{HOST}")
    answer = bare.get(path, headers=headers)
    assert answer.status_code == status
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_what_changes_something_says_where_it_comes_from(client):
    bare = TestClient(client.app, base_url=f"http://{HOST}/secret")
    assert bare.post("/api/learn", json={}).status_code == 403
    assert client.post("/api/undo", json={}).status_code == 400  # nothing to take back
    assert client.get("/api/undo").status_code == 405
    assert client.post("/api/undo", content="page=1").status_code == 415
    assert client.post("/api/undo", content="{", headers={"content-type": "application/json"})
    assert client.put("/api/overview", json={}).status_code == 405


@pytest.mark.parametrize("body", ["{", "[]", "[" * 10_000, '"text"', "\xff"])
def test_bad_json_is_refused(client, body):
    answer = client.post("/api/what-if", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "interval",
    [
        None,
        3,
        {},
        {"action": "", "start": 0, "end": 1},
        {"action": 3, "start": 0, "end": 1},
        {"action": "x" * 2000, "start": 0, "end": 1},
        {"action": "x", "start": "0", "end": 1},
        {"action": "x", "start": True, "end": 1},
        {"action": "x", "start": 1, "end": 1},
        {"action": "x", "start": 0, "end": 1e300},
        {"action": "x", "start": 0, "end": 10**400},
        {"action": "\ud800", "start": 0, "end": 1},
        {"action": "x", "start": 0, "end": 1, "track": 7},
    ],
)
def test_what_is_no_interval_is_refused(client, interval):
    content = json.dumps({"intervals": [interval]})
    answer = client.post(
        "/api/what-if", content=content, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]


# -- what is answered ------------------------------------------------------------------------------


def test_answers_are_those_of_the_model(client, data, model):
    X, y = data
    rows = client.get("/api/instances").json()
    assert rows["labels"] == list(y)
    proba = model.predict_proba(X)
    assert rows["predicted"] == model.classes_[proba.argmax(axis=1)].tolist()
    np.testing.assert_allclose(rows["probability"], proba.max(axis=1), rtol=1e-9)
    codes = np.searchsorted(model.classes_, y)
    np.testing.assert_allclose(rows["loss"], -np.log(proba[np.arange(len(y)), codes]), atol=1e-3)
    one = client.get("/api/instances/3").json()
    said = {each["label"]: each["probability"] for each in one["posterior"]}
    np.testing.assert_allclose([said[label] for label in model.classes_], proba[3])
    why = model.explain(X[3])
    assert [reason["text"] for reason in one["why"]["reasons"]] == [
        reason.text for reason in why.reasons(8)
    ]
    other = client.get("/api/instances/3", params={"against": str(model.classes_[-1])}).json()
    assert other["why"]["against"] in (model.classes_[-1], why.against)


def test_what_if_is_the_answer_about_the_changed_instance(client, data, model):
    rows = data[0].to_lists()[0]
    changed = [*rows[1:], ("hold", 0.5, 2.25)]
    plain = [dict(zip(("action", "start", "end"), row, strict=True)) for row in changed]
    answer = client.post("/api/what-if", json={"intervals": plain}).json()
    expected = dict(zip(model.classes_.tolist(), model.predict_proba([changed])[0], strict=True))
    for each in answer["posterior"]:
        assert each["probability"] == pytest.approx(expected[each["label"]])


def test_the_rest_is_answered(client, data, model):
    first, second = model.classes_[:2].tolist()
    confusion = client.get("/api/confusion").json()
    assert np.sum(confusion["counts"]) == len(data[1])
    assert client.get("/api/model").json()["weights"].keys() == set(model.terms_)
    described = client.get("/api/activity", params={"name": first}).json()
    assert [term["name"] for term in described["terms"]] == list(model.terms_)
    sides = client.get("/api/contrast", params={"first": first, "second": second}).json()["sides"]
    assert [side["activity"] for side in sides] == [first, second]
    drawn = client.get("/api/sample", params={"name": first, "seed": 3}).json()["instances"]
    again = client.get("/api/sample", params={"name": first, "seed": 3}).json()["instances"]
    assert drawn == again
    assert len(client.get("/api/instances/0/nearest").json()["instances"]) == 6
    assert client.get("/api/suggestions").json()["unlabelled"] == 0


@pytest.mark.parametrize(
    "path",
    [
        "/api/instances/999",
        "/api/activity?name=nobody",
        "/api/activity",
        "/api/contrast?first=x&second=y",
        "/api/sample?name=x&seed=x",
    ],
)
def test_questions_without_an_answer_say_why(client, path):
    answer = client.get(path)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_without_instances_generated_ones_are_compared(data, model):
    desk = Desk(Collection(data[0][:0]), model)
    first, second = map(str, model.classes_[:2])
    for side in portraits.contrast(desk, first, second)["sides"]:
        assert side["generated"]
        assert side["instances"] == 25
        assert side["rows"]


def test_without_a_model_instances_can_be_looked_at(data):
    desk = Desk(Collection(data[0]))
    assert desk.look(0)["posterior"] is None
    assert "predicted" not in desk.rows()
    with pytest.raises(DataError, match="no model yet"):
        desk.confusion()


def test_contradictory_duplicates_are_found():
    same = [("boil", 0, 4), ("pour", 4, 6)]
    X = IntervalSequences.from_lists([same, same, same, [("boil", 0, 5)]])
    desk = Desk(Collection(X, ["tea", "coffee", None, "tea"]))
    assert desk.rows()["contradicts"] == [0, 1]


# -- what happens to changes -----------------------------------------------------------------------


def test_a_change_of_what_was_not_seen_is_refused(client):
    path = "/api/instances/2/change"
    one = client.post(path, json={"version": 0, "page": "a", "label": "other"}).json()
    assert (one["label"], one["version"]) == ("other", 1)
    answer = client.post(path, json={"version": 0, "page": "b", "label": None})
    assert answer.status_code == 409
    assert client.get("/api/instances/2").json()["label"] == "other"
    assert client.post("/api/undo", json={"page": "b"}).status_code == 400  # it changed nothing
    back = client.post("/api/undo", json={"page": "a"}).json()
    assert (back["label"], back["version"]) == (back["first"]["label"], 2)


def test_undo_never_takes_back_what_others_did_since(data):
    collection = Collection(*data)
    collection.change(0, 0, "a", label="x")
    collection.change(0, 1, "b", label="y")
    with pytest.raises(ConflictError):
        collection.undo("a")
    collection.undo("b")
    assert collection.undo("a").after.label == data[1][0]
    assert collection.differing == []


def test_redo_does_again_what_was_taken_back(tmp_path, data):
    path = tmp_path / "takes.csv.changes"
    collection = Collection(*data)
    History(path, collection)
    collection.change(0, 0, "a", label="x")
    collection.change(1, 0, "a", label="y")
    collection.undo("a")
    collection.undo("a")
    again = Collection(*data)
    History(path, again)  # after a crash, it can be done again too
    for each in (collection, again):
        assert each.redo("a").after.label == "x"
    assert (collection[0].label, collection[1].label) == ("x", data[1][1])
    assert collection.redo("a").after.label == "y"
    with pytest.raises(DataError, match="nothing to do again"):
        collection.redo("a")
    collection.undo("a")
    with pytest.raises(DataError, match="nothing to do again"):
        collection.redo("b")
    collection.change(1, collection[1].version, "b", label="theirs")
    with pytest.raises(ConflictError):
        collection.redo("a")
    collection.change(2, 0, "a", label="z")
    with pytest.raises(DataError, match="nothing to do again"):
        collection.redo("a")


def test_changed_instances_keep_their_names_groups_and_tracks():
    X = IntervalSequences.from_lists(
        [[("a", 0, 2)], [("b", 0, 1), ("a", 1, 3)]], ["first", "second"], ["x", "y"]
    )
    flat = X.flat._replace(track=np.array(["t", "u", "v"], object))
    X = IntervalSequences.from_flat(flat, X.actions, X.ids, X.groups)
    collection = Collection(X, ["p", "q"])
    collection.change(1, 0, intervals=[Interval("c", 5, 6, "w"), Interval("a", 1, 4, "v")])
    now = collection.sequences
    assert now.ids.tolist() == ["first", "second"]
    assert now.groups.tolist() == ["x", "y"]
    assert now.to_lists()[1] == [("a", 1.0, 4.0), ("c", 5.0, 6.0)]
    assert now.track.tolist() == ["t", "v", "w"]
    assert now.to_lists()[0] == X.to_lists()[0]


def test_numbers_as_labels_stay_numbers():
    desk = Desk(Collection(IntervalSequences.from_lists([[("a", 0, 1)]] * 2), [1, None]))
    desk.change(1, {"version": 0, "label": "1"})
    assert desk.collection.labels.tolist() == [1, 1]


def test_changes_come_back_after_a_crash(tmp_path, data):
    path = tmp_path / "takes.csv.changes"
    first = Collection(*data)
    History(path, first)
    first.change(0, 0, "a", label="x")
    first.change(1, 0, "a", intervals=[Interval("new", 0.25, 1.75)])
    first.undo("a")
    first.change(2, 0, "b", label=None)
    with path.open("ab") as file:
        file.write(b'{"key": "4", "result": {"num')  # cut by the crash
    again = Collection(*data)
    assert History(path, again).resumed == 4
    assert again.changed == first.changed
    assert again.differing == [0, 2]
    assert again.undo("a").number == 0
    with pytest.raises(DataError, match="changes of other data"):
        History(path, Collection(data[0][:5], data[1][:5]))


@pytest.mark.parametrize("format", ["csv", "jsonl", "eaf", "textgrid"])
def test_copies_are_in_the_format_of_the_data(tmp_path, data, format):
    suffix = {"eaf": ".eaf", "textgrid": ".TextGrid"}.get(format, f".{format}")
    source = tmp_path / f"takes{suffix}"
    names = {"eaf": "elan"}
    X, y = data
    one = format in ("eaf", "textgrid")
    X, y = (X[:1], y[:1]) if one else (X, y)
    write(X, source, y, format=names.get(format, format))
    X, y = read(source)
    before = source.read_bytes()
    collection = Collection(X, y)
    collection.change(0, 0, label="corrected")
    place = Place(source, names.get(format, format))
    done = place.save(collection, {})
    again, labels = read(done["path"])
    assert labels[0] == "corrected"
    assert again.to_lists() == X.to_lists()
    assert source.read_bytes() == before
    with pytest.raises(DataError, match="exists"):
        place.save(collection, {"name": done["path"].rsplit("/", 1)[1]})
    for name in (source.name, "../x.csv", "/x.csv", "", ".", "a/b"):
        if name:
            with pytest.raises(DataError):
                place.save(collection, {"name": name, "replace": True})
    changes = json.loads(
        (
            tmp_path / place.save(collection, {"kind": "changes", "name": "c.json"})["path"]
        ).read_text()
    )
    assert [each["label"]["after"] for each in changes] == ["corrected"]


def test_labels_of_some_files_are_saved_though_others_have_none(tmp_path):
    source = tmp_path / "takes"
    shutil.copytree(sample_path("elan"), source)
    X, y = read(source)
    collection = Collection(X, y)
    collection.change(1, 0, label="day")
    done = Place(source, "elan").save(collection, {})
    again, labels = read(done["path"], unlabelled="keep")
    assert labels.tolist() == [None, "day", None, None]
    assert again.to_lists() == X.to_lists()


@pytest.mark.parametrize(
    ("sample", "format", "tier"),
    [("elan", "elan", "task"), ("elan/ann.eaf", "elan", "task"), ("talk", "textgrid", "phase")],
)
def test_parts_of_files_are_corrected_where_they_are(tmp_path, sample, format, tier):
    given = sample_path("elan") / sample[5:] if format == "elan" else sample_path("textgrid")
    source = tmp_path / given.name
    (shutil.copytree if given.is_dir() else shutil.copy)(given, source)
    X, y = read(source, activity=f"track:{tier}")
    collection = Collection(X, y)
    first, *others = collection[1].intervals
    longer = first._replace(end=first.end + 0.125)
    new = Interval("new", first.start, first.end, others[-1].track)
    place = Place(source, format, tier)
    before = all_entries(source, format)
    collection.change(1, 0, intervals=[longer, *others[:-1], new], label="corrected")
    collection.change(0, 0, label="corrected too")
    copy = place.save(collection, {})["path"]
    again, labels = read(copy, activity=f"track:{tier}")
    assert labels.tolist() == collection.labels.tolist()
    assert again.to_lists() == collection.sequences.to_lists()
    after = all_entries(copy, format)
    assert (len(before - after), len(after - before)) == (4, 4)  # nothing else differs
    collection.change(2, 0, label=None)
    with pytest.raises(DataError, match="has no label"):
        place.save(collection, {})


def all_entries(source, format):
    """Annotations of all files, on all tiers."""
    files = sorted(Path(source).iterdir()) if Path(source).is_dir() else [Path(source)]
    documents = [FORMATS.documents[format](InputFile(file)) for file in files]
    return {(n, *e[1:]) for n, document in enumerate(documents) for e in document.entries()}


def test_of_an_annotation_of_two_parts_only_the_piece_of_one_is_corrected(tmp_path):
    source = tmp_path / "day.eaf"
    X = IntervalSequences.from_lists([[("tea", 0, 5), ("hold", 3, 7), ("soup", 5, 9)]])
    flat = X.flat._replace(track=np.array(["task", "hand", "task"], object))
    write(IntervalSequences.from_flat(flat, X.actions), source)
    X, y = read(source, activity="track:task", crossing="clip")
    assert X.to_lists() == [[("hold", 3, 5)], [("hold", 5, 7)]]
    collection = Collection(X, y)
    collection.change(0, 0, intervals=[Interval("hold", 4, 5, "hand")])
    copy = Place(source, "elan", "task").save(collection, {})["path"]
    again, _ = read(copy, activity="track:task", crossing="clip")
    assert again.to_lists() == [[("hold", 4, 5)], [("hold", 5, 7)]]


def test_what_can_only_be_read_is_saved_as_csv(tmp_path):
    source = tmp_path / "repairs.xes"
    shutil.copy(sample_path("xes"), source)
    X, y = read(source)
    collection = Collection(X, y)
    collection.change(0, 0, label="quick")
    place = Place(source, "xes")
    assert (place.copied_as, place.propose()) == ("csv", "repairs-corrected.csv")
    again, labels = read(place.save(collection, {})["path"], unlabelled="keep")
    assert labels.tolist()[:2] == ["quick", None]
    assert again.to_lists() == X.to_lists()


def test_what_the_page_reads_is_never_overwritten(tmp_path, data):
    source, model, live = (tmp_path / name for name in ("a.csv", "a.ibgn", "live.jsonl"))
    write(data[0], source, data[1])
    X, y = read(source)
    place = Place(source, "csv", others=(model, live))
    collection = Collection(X, y)
    History(place.journal, collection)
    collection.change(0, 0, label="corrected")
    for path in (model, live):
        path.write_text("precious")
    (tmp_path / "soft.ibgn").symlink_to(model)
    os.link(live, tmp_path / "hard.jsonl")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name in before.keys() - {source.name}:
        for kind in ("copy", "changes"):
            with pytest.raises(DataError, match="is read by this page, and is never overwritten"):
                place.save(collection, {"name": name, "kind": kind, "replace": True})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (tmp_path / "other.csv").write_text("old")  # the control
    place.save(collection, {"name": "other.csv", "replace": True})
    assert read(tmp_path / "other.csv")[1][0] == "corrected"


def test_links_into_a_folder_of_data_are_never_written_through(tmp_path, data):
    folder = tmp_path / "talks"
    write(data[0][:2], folder, format="elan")
    first = min(folder.iterdir())
    (tmp_path / "soft.eaf").symlink_to(first)
    os.link(first, tmp_path / "hard.eaf")
    (folder / "inner").mkdir()
    (tmp_path / "inner").symlink_to(folder / "inner")
    before = {path: path.read_bytes() for path in folder.rglob("*.eaf")}
    X, _ = read(folder)
    place, collection = Place(folder, "elan"), Collection(X, None)
    for name in ("soft.eaf", "hard.eaf", "inner"):
        for kind in ("copy", "changes"):
            with pytest.raises(DataError, match="is the data itself, which is never overwritten"):
                place.save(collection, {"name": name, "kind": kind, "replace": True})
    assert {path: path.read_bytes() for path in folder.rglob("*.eaf")} == before


def test_changes_of_the_current_folder_are_kept_beside_it(tmp_path, data, monkeypatch):
    """`ibgn explore .` ended in a ValueError, and .. wrote into the folder that it read."""
    inner = tmp_path / "talks" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    for source, named in ((Path(), inner), (Path(".."), inner.parent)):
        place = Place(source, "elan")
        assert place.journal == named.with_name(f"{named.name}.changes")
        assert place.folder / place.propose() == named.with_name(f"{named.name}-corrected")
    with pytest.raises(DataError, match="'/' has nothing beside it"):
        _ = Place(Path("/"), "elan").journal


def test_names_that_lead_elsewhere_are_refused(tmp_path, data):
    folder = tmp_path / "data"
    folder.mkdir()
    write(data[0], folder / "a.csv", data[1])
    (folder / "link.csv").symlink_to(tmp_path / "elsewhere.csv")
    place, collection = Place(folder / "a.csv", "csv"), Collection(*data)
    for name, reason in (
        ("link.csv", "exists"),
        ("..", "without folders"),
        ("\ud800.csv", "half a character"),
        ("x" * 300 + ".csv", "cannot be written .File name too long.; take another name"),
    ):
        with pytest.raises(DataError, match=reason):
            place.save(collection, {"name": name})
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_model_learns_in_the_background(data):
    X, y = data
    labels = [None if n % 3 == 0 else label for n, label in enumerate(y)]
    desk = Desk(Collection(X, labels))
    news = []
    desk.tell = lambda kind, told: news.append(kind)
    learning = Learning(desk, IBGNClassifier(random_state=0))
    learning.begin()
    learning.wait()
    assert not learning.error
    assert desk.opinions.held_out.tolist() == [n % 3 != 0 for n in range(len(y))]
    assert desk.suggestions(3)["unlabelled"] == sum(label is None for label in labels)
    assert "model" in news
    alone = Desk(Collection(X[:3], ["x", "x", None]))
    learning = Learning(alone, IBGNClassifier())
    learning.begin()
    learning.wait()
    assert "two activities" in learning.error


def test_what_is_labelled_next_is_uncertain_and_diverse():
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(4), 5, axis=0) + 0.01 * rng.normal(size=(20, 4))
    logs = np.log(np.full((20, 2), 0.5))
    logs[15:] = np.log([0.999, 0.001])
    chosen = Opinions(["a", "b"], logs, points, np.zeros(20, bool)).suggest(np.arange(20), 3)
    assert {number // 5 for number in chosen} == {0, 1, 2}  # one of each uncertain cluster


# -- counterfactuals -------------------------------------------------------------------------------


def test_a_counterfactual_is_what_it_says(data, model):
    X, y = data
    for number in (0, 7, 13):
        for label in set(y.tolist()) - {model.predict(X[[number]])[0]}:
            found = find_counterfactual(model, X[number], label)
            if not found.found:
                continue
            assert model.predict(found.instance)[0] == label
            assert 1 <= len(found.edits) <= 3
            rows = X[number].to_lists()[0]
            for edit in found.edits:
                if edit.before is not None:
                    rows.remove(edit.before)
                if edit.after is not None:
                    rows.append(edit.after)
            assert sorted(rows) == sorted(found.instance.to_lists()[0])


def test_a_counterfactual_of_one_edit_is_found_where_one_is_enough():
    tea, coffee = [("boil", 0, 4), ("pour", 4, 6)], [("grind", 0, 4), ("pour", 4, 6)]
    model = IBGNClassifier(random_state=0).fit([tea, coffee] * 5, ["tea", "coffee"] * 5)
    found = find_counterfactual(model, tea, "coffee")
    assert len(found.edits) == 1
    assert find_counterfactual(model, tea, "tea").edits == ()
    with pytest.raises(DataError, match="does not know"):
        find_counterfactual(model, tea, "cocoa")


def test_moves_leave_no_remainders_of_sums():
    assert 0.4 - 0.5 * (1.2 - 0.4) > 0  # the remainder
    rows = list(moved(("a", 0.4, 1.2), np.array([0.4, 1.2, 3.0])))
    assert ("a", 0.0, 1.2) in rows
    assert all(each in (0, 3) or abs(each) > 0.1 for row in rows for each in row[1:])
    late = 1.7e9  # seconds since 1970
    rows = list(moved(("a", late, late + 0.5), np.array([late])))
    assert ("a", late + 0.125, late + 0.5) in rows


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize("presses", [1, 2])
def test_the_command_prints_an_address_and_ends_with_ctrl_c(tmp_path, data, presses):
    source = tmp_path / "takes.csv"
    write(*data[:1], source, data[1])
    command = [sys.executable, "-m", "ibgn", "explore", str(source), "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        address = next(line for line in server.stderr if line.startswith("http")).strip()
        assert address.startswith("http://127.0.0.1:")
        _, _, host, token, _ = address.split("/")
        with (
            httpx.stream("GET", f"{address}api/events", timeout=PATIENCE) as news,
            socket.create_connection(("127.0.0.1", int(host.partition(":")[2]))) as half,
        ):
            assert next(news.iter_text()).startswith("retry")  # as of a page that is open
            half.sendall(
                f"POST /{token}/api/what-if HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n"
                "content-type: application/json\r\ncontent-length: 9\r\n\r\n".encode()
            )
            time.sleep(0.5)  # by which the server waits for the rest of it
            for _ in range(presses):
                server.send_signal(signal.SIGINT)
                time.sleep(0.05)
            said = server.communicate(timeout=PATIENCE)[1]
    assert said.splitlines()[-1] == "stopped; the same command begins again"
    assert not {"Traceback", "Error", "ERROR"} & set(re.findall(r"\w+", said))
    assert server.returncode == 130


def test_a_question_that_is_cut_off_by_the_end_is_no_news(desk, model, capfd):
    asked, go_on = threading.Event(), threading.Event()
    desk.confusion = lambda: asked.set() or (go_on.wait(PATIENCE) and {})
    with served(desk, Learning(desk, model)) as address:
        client = threading.Thread(target=ask, args=(f"{address}api/confusion",))
        client.start()
        assert asked.wait(PATIENCE)
        threading.Timer(3, go_on.set).start()  # later than the server waits
    client.join(PATIENCE)
    assert capfd.readouterr() == ("", "")


def ask(address):
    """Ask something that the server may not answer."""
    with contextlib.suppress(httpx.HTTPError):
        httpx.get(address, timeout=PATIENCE)


def test_what_goes_wrong_unexpectedly_is_an_answer_too(client, desk, capfd):
    desk.confusion = lambda: [][1]
    answer = client.get("/api/confusion")
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("IndexError: list index out of range; ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are copied by fork")
def test_killed_while_saving_files_are_old_or_new_and_nothing_typed_is_lost(tmp_path, data):
    source = tmp_path / "takes.csv"
    X, y = make_relations(instances_per_activity=100, random_state=1)
    write(X, source, y)
    X, y = read(source)
    original = source.read_bytes()
    journal, copy = tmp_path / "takes.csv.changes", tmp_path / "copy.csv"
    rng = np.random.default_rng(3)
    typed, saved, usual = {}, 0, 0.0
    for run in range(50):
        child, address = serve_in_copy(X, y, source, journal)
        number = int(rng.integers(len(X)))
        version = typed.get(number, (0, ""))[0]
        label = f"label {run}"
        change = {"version": version, "label": label, "page": "a"}
        post(address, f"instances/{number}/change", change)
        typed[number] = (version + 1, label)
        before = copy.read_bytes() if copy.exists() else None
        saving = threading.Thread(
            target=post, args=(address, "save", {"name": copy.name, "replace": True}, True)
        )
        begin = time.perf_counter()
        saving.start()
        saving.join(float(rng.uniform(0, 2 * usual)) if run else None)
        if saving.is_alive():
            usual *= 1.1  # the machine may be slower by now
        else:
            usual = time.perf_counter() - begin  # how long one takes that is not killed
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        saving.join()
        if copy.exists() and copy.read_bytes() != before:
            labels = read(copy)[1]
            assert {n: labels[n] for n in typed} == {n: label for n, (_, label) in typed.items()}
            saved += 1
    assert 1 < saved < 50, "kills came too early or too late to show anything"
    again = Collection(X, y)
    History(journal, again)
    assert {n: (look.version, look.label) for n, look in again.changed.items()} == typed
    assert source.read_bytes() == original


def serve_in_copy(X, y, source, journal):
    """The page's server in a copy of this process: its id, and its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        child = os.fork()
        if child:
            return child, f"http://{host}"
        try:
            collection = Collection(X, y)
            History(journal, collection)
            desk = Desk(collection)
            answers = Answers(desk, Learning(desk, IBGNClassifier()), Place(source, "csv"))
            app = make_app(answers, "token", (host,))
            config = uvicorn.Config(app, log_level="critical", lifespan="off")
            uvicorn.Server(config).run([listening])
        finally:
            os._exit(1)


def post(address, path, given, killed=False):
    """Send something; a server that is killed answers nothing."""
    try:
        sent = httpx.post(
            f"{address}/token/api/{path}", json=given, headers={"origin": address}, timeout=PATIENCE
        )
    except httpx.HTTPError:
        assert killed
    else:
        assert sent.status_code == 200, sent.text
