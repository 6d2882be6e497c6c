"""ActivityNet: videos with segments, and JSON that is wrong in every way."""

import gzip
import json

import pytest

import ibgn
from ibgn import DataError, DataWarning
from ibgn.errors import Option, OptionError
from ibgn.io import FORMATS, Files, read_activitynet
from ibgn.io.registry import load


def video(*segments, **fields):
    found = [{"segment": [start, end], "label": label} for label, start, end in segments]
    return {"annotations": found} | fields


def document(**videos):
    return {"version": "1.3", "taxonomy": [], "database": videos}


TWO = document(
    tea_01=video(("boil", 0, 2.5), ("pour", 2.5, 4), subset="training", duration=9.0),
    milk_02=video(("pour", 1, 2), subset="validation", duration=5.5),
)
LABELLED = document(
    a=video(("reach", 0, 1), ("grasp", 0.5, 3), **{"class": "take"}, subset="training"),
    b=video(("wave", 0, 1), label="greet", subset="training"),
    c=video(label="rest", subset="testing"),
)
SAMPLES = {
    "two.json": json.dumps(TWO, indent=1).encode(),
    "labelled.json": json.dumps(LABELLED).encode(),
}
READERS = {
    "two.json": lambda path: read_activitynet(path, activity="([a-z]+)_"),
    "labelled.json": read_activitynet,
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="a.json"):
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        (tmp_path / name).write_bytes(text)
        return tmp_path / name

    return make


def test_a_video_is_an_instance_with_its_segments(file):
    X, y = read_activitynet(file(TWO))
    assert list(X.ids) == ["tea_01", "milk_02"]
    assert X.to_lists() == [[("boil", 0.0, 2.5), ("pour", 2.5, 4.0)], [("pour", 1.0, 2.0)]]
    assert y is None


def test_the_label_is_found_in_the_name_of_the_video(file):
    X, y = read_activitynet(file(TWO), activity="([a-z]+)_", group="_([0-9]+)")
    assert y.tolist() == ["tea", "milk"]
    assert list(X.groups) == ["01", "02"]


def test_a_video_may_name_its_own_label(file):
    X, y = read_activitynet(file(LABELLED))
    assert y.tolist() == ["take", "greet", "rest"]
    assert X.lengths.tolist() == [2, 1, 0]


def test_an_expression_for_the_label_goes_before_the_label_of_the_video(file):
    _, y = read_activitynet(file(LABELLED), activity="(.)")
    assert y.tolist() == ["a", "b", "c"]


def test_only_videos_of_the_subset_are_read(file):
    X, _ = read_activitynet(file(TWO), subset="validation")
    assert list(X.ids) == ["milk_02"]


def test_a_missing_subset_is_refused_with_those_that_are_there(file):
    with pytest.raises(DataError, match="no subset 'test'; there are 'training', 'validation'"):
        read_activitynet(file(TWO), subset="test")


ROWS = [("boil", 0.0, 2.5), ("7", 2.5, 4.0)]
DIALECTS = {
    "numbers as text": document(v=video(("boil", "0", "2.5"), ("7", "2.5", "4.0"))),
    "no database": {"v": video(("boil", 0, 2.5), (7, 2.5, 4), duration_second=9), "version": "1"},
    "annotation": document(v={"annotation": video(*ROWS)["annotations"], "recipe_type": 8}),
    "lists": {"v": video(*ROWS)["annotations"]},
    "actions": {"v": {"subset": "training", "actions": [["boil", 0, 2.5], [7, "2.5", 4]]}},
    "captions": {"v": {"timestamps": [[0, 2.5], [2.5, 4]], "sentences": ["boil", "7"]}},
    "sentence": document(
        v={"annotations": [{"segment": [s, e], "sentence": a, "id": 0} for a, s, e in ROWS]}
    ),
    "start and end": document(v={"annotations": [{"start": 0, "end": 2.5, "label": "boil"},
                                                 {"start": 2.5, "end": 4, "label": 7}]}),
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_are_read_alike_and_known_by_content(file, dialect):
    X, y = ibgn.read(file(DIALECTS[dialect]))
    assert (X.ids.tolist(), X.to_lists(), y) == (["v"], [ROWS], None)


def found(*rows):
    return [{"score": score, "segment": [s, e], "label": label} for label, s, e, score in rows]


def test_what_a_detector_found_is_read_above_a_score(file):
    results = {"v": found(("boil", 0, 2, 0.9), ("boil", 5, 6, 0.1), ("pour", 1, 3, "0.5")), "w": []}
    path = file({"version": "VERSION 1.3", "results": results, "external_data": {}})
    with pytest.warns(DataWarning, match="3 segments: found by a detector .* min_score=0.5"):
        X, _ = ibgn.read(path)
    assert X.lengths.tolist() == [3, 0]
    with pytest.warns(DataWarning, match=r"1 segment: with a lower score, left out"):
        X, _ = ibgn.read(path, min_score=0.5)
    assert X.to_lists() == [[("boil", 0, 2), ("pour", 1, 3)], []]


def test_proposals_without_labels_are_one_action(file):
    path = file({"results": {"v": [{"segment": [0, 2], "score": 1}]}})
    X, _ = ibgn.read(path, action="track", min_score=0)
    assert X.to_lists() == [[("segment", 0, 2)]]


def test_the_outline_has_the_subsets(file):
    subsets = FORMATS["activitynet"].outline(Files(file(TWO), (".json",)))
    assert [(e.kind, e.name, e.number, e.chosen_by) for e in subsets] == [
        ("subset", "training", 1, Option("subset", "training")),
        ("subset", "validation", 1, Option("subset", "validation")),
    ]


@pytest.mark.parametrize(
    ("overlaps", "intervals"),
    [("keep", [("a", 0, 3), ("a", 2, 5)]), ("merge", [("a", 0, 5)])],
)
def test_overlapping_segments_of_one_label_are_counted(file, overlaps, intervals):
    path = file(document(v=video(("a", 0, 3), ("a", 2, 5))))
    with pytest.warns(DataWarning, match="1 overlapping annotation: .*same track and name"):
        X, _ = read_activitynet(path, overlaps=overlaps)
    assert X.to_lists() == [intervals]


def test_a_segment_within_another_of_its_label_leaves_the_other_as_it_is(file):
    with pytest.warns(DataWarning, match="merged with it"):
        X, _ = read_activitynet(file(document(v=video(("a", 0, 5), ("a", 1, 2)))), overlaps="merge")
    assert X.to_lists() == [[("a", 0.0, 5.0)]]


def test_overlaps_on_other_tracks_are_not_told(file):
    path = file(document(v=video(("a", 0, 3), ("a", 2, 5))))
    with pytest.raises(DataError, match="there is no track 'x'"):
        read_activitynet(path, tracks=["x"], overlaps="error")


def test_overlapping_segments_of_one_label_can_be_refused(file):
    path = file(document(v=video(("a", 0, 3), ("b", 1, 2), ("a", 2, 5))))
    with pytest.raises(DataError, match=r"v, database\.v\.annotations\[2\]: overlaps another"):
        read_activitynet(path, overlaps="error")


def test_segments_that_meet_do_not_overlap(file):
    X, _ = read_activitynet(file(document(v=video(("a", 0, 3), ("a", 3, 5)))), overlaps="error")
    assert X.lengths.tolist() == [2]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], "annotations of all videos in one list"),
        ({"annotations": [], "videos": []}, "annotations of all videos in one list"),
        ({"results": {}}, "no instances"),
        ({"results": {"v": {}}}, "results.v: there is no 'annotations'"),
        ({"results": {"v": [{"segment": [0, 1]}]}}, "no label; action='track' gives all"),
        ({"results": {"v": [{"score": "high"}]}}, "score: the score is 'high', not a number"),
        ({"video": {}}, 'no "database"'),
        ({"video": "v1"}, 'no "database"'),
        ({"v": {"actions": [[1, 2]]}}, "a list of 3 values or more is needed, got 2"),
        ({"v": {"timestamps": [[1, 2]], "sentences": []}}, "list of 1 values or more is needed"),
        ({"database": []}, "database: an object {...} is needed, got a list"),
        ({"database": {}}, "no instances"),
        (document(v=3), "database.v: an object"),
        (document(v={}), "database.v: there is no 'annotations'"),
        (
            document(v={"annotations": 3}),
            r"database.v.annotations: a list \[...\] is needed, got 3",
        ),
        (document(v={"annotations": [{"label": "a"}]}), r"annotations\[0\]: there is no 'segment'"),
        (document(v=video(("a", 0, "2,5"))), r"segment\[1\]: the time is '2,5', not a number"),
        (
            document(v=video(("a", None, 2))),
            r"segment\[0\]: the time is null; it must be a finite number",
        ),
        (
            document(v=video(("a", True, 2))),
            r"segment\[0\]: the time is true; it must be a finite number",
        ),
        (document(v=video(("a", 0, float("nan")))), r"segment\[1\]: the time is NaN"),
        (document(v=video(("a", 0, 10**400))), r"segment\[1\]: the time is 1000"),
        (document(v=video((True, 0, 1))), "label: text is needed, got true"),
        (document(v=video((["a"], 0, 1))), r"label: text is needed, got a list"),
        (document(v=video(("a", 3, 1))), "ends before it starts"),
        (document(v=video(("a", 1, 1))), "zero length"),
        (document(**{"my video.mp4": 3}), r"database\['my video.mp4'\]: an object"),
    ],
)
def test_a_wrong_document_is_refused_with_the_place(file, content, told):
    with pytest.raises(DataError, match=told):
        read_activitynet(file(content))


def test_a_segment_has_two_times(file):
    content = document(v={"annotations": [{"label": "a", "segment": [0, 1, 2]}]})
    with pytest.raises(DataError, match="got 3 values"):
        read_activitynet(file(content))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b" ", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"database": {"v": {}, "v": {}}}', "the key 'v' appears twice"),
        (b"\xff\xfa{}", "not UTF-8"),
        (b"\xff\xfe{}", "not JSON"),
        (b"1" * 10_000, "not JSON: Exceeds the limit"),
        (gzip.compress(b"{}", mtime=0), "compressed"),
    ],
)
def test_what_is_not_json_is_refused(file, content, told):
    with pytest.raises(DataError, match=told):
        read_activitynet(file(content))


def test_a_document_as_deep_as_can_be_parsed_is_refused_without_showing_it(file):
    deep = b'{"database": {"v": {"annotations": ' + b"[" * 800 + b"]" * 800 + b"}}}"
    with pytest.raises(DataError, match="an object {...} is needed, got a list"):
        read_activitynet(file(deep))


def test_a_file_that_is_too_large_is_refused_also_when_compressed(file, monkeypatch):
    monkeypatch.setattr("ibgn.budgets.SMALL", 1 << 20)
    with pytest.raises(DataError, match="its document needs about .* and 1 MB are allowed"):
        read_activitynet(file(gzip.compress(b" " * 10**6), "a.json.gz"))


def test_a_byte_order_mark_and_compression_are_passed_over(file):
    text = b"\xef\xbb\xbf" + json.dumps(TWO).encode()
    assert len(read_activitynet(file(gzip.compress(text), "a.json.gz"))[0]) == 2


def test_a_folder_or_no_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"there are no files \*\.json in"):
        read_activitynet(tmp_path)
    with pytest.raises(DataError, match="there is no file"):
        read_activitynet(tmp_path / "none.json")


@pytest.mark.parametrize(
    "options", [{"subset": 3}, {"min_score": "x"}, {"overlaps": "drop"}, {"labels": "x"}]
)
def test_wrong_options_are_refused(file, options):
    with pytest.raises(OptionError):
        read_activitynet(file(TWO), **options)


def test_loading_leaves_times_as_they_are(file):
    table = load(file(document(v=video(("a", 1, 1)))), format="activitynet")
    assert table.series["start"].tolist() == table.series["end"].tolist() == [1.0]


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0
