"""JSON of other tools: what is found wherever it stands, and documents without intervals."""

import json

import pytest

import ibgn
from ibgn import DataError, DataWarning
from ibgn.io import read_json
from ibgn.io.registry import find_format

ROWS = [("boil", 0.0, 2.5), ("pour", 2.5, 4.0)]


def rows(start="start", end="end", action="label", scale=1, **more):
    return [{start: s * scale, end: e * scale, action: a, **more} for a, s, e in ROWS]


SPOKEN = {
    "text": "boil pour",
    "segments": [{"id": 0, "start": 0, "end": 4, "text": " boil pour", "words": [
        {"word": " boil", "start": 0.0, "end": 2.5, "probability": 0.9},
        {"word": " pour", "start": 2.5, "end": 4.0, "probability": 0.8}]}],
    "language": "en",
}  # fmt: skip
DOCUMENTS = {
    "a list": (rows(), "a.json"),
    "a list with videos": (rows(video="v.mp4"), "v.mp4"),
    "by video": ({"v.mp4": rows()}, "v.mp4"),
    "in an object": ({"version": "1", "events": rows("startTime", "endTime", "name")}, "a.json"),
    "within videos": ([{"video_id": "v.mp4", "duration": 9, "clips": [{"id": 3, "annotations":
                       rows("start_sec", "end_sec", "action")}]}], "v.mp4"),
    "by id": ([{"id": 7, "regions": rows()}], "7"),
    "milliseconds": ({"v.mp4": rows("start_ms", "end_ms", "behaviour", 1000)}, "v.mp4"),
    "milliseconds with a hump": (rows("startMs", "endMs", "tag", 1000), "a.json"),
    "pairs": ([{"interval": [s, e], "class": a} for a, s, e in ROWS], "a.json"),
    "lengths": ([{"time": s, "duration": e - s, "value": a} for a, s, e in ROWS], "a.json"),
    "clocks": ([{"from": f"00:00:0{s}", "to": f"00:00:0{e}", "text": a} for a, s, e in ROWS],
               "a.json"),
    "lists of labels": ([{"start": s, "end": e, "labels": [a]} for a, s, e in ROWS], "a.json"),
    "frames beside times": (rows(start_frame=3, end_frame=9), "a.json"),
}  # fmt: skip
SAMPLES = {
    "spoken.json": json.dumps(SPOKEN).encode(),
    "videos.json": json.dumps(DOCUMENTS["within videos"][0], indent=1).encode(),
    "clocks.json": json.dumps(DOCUMENTS["clocks"][0]).encode(),
}
READERS = dict.fromkeys(SAMPLES, read_json)


@pytest.fixture
def file(tmp_path):
    def make(content, name="a.json"):
        (tmp_path / name).write_text(json.dumps(content))
        return tmp_path / name

    return make


@pytest.mark.parametrize("name", DOCUMENTS)
def test_objects_with_a_start_and_an_end_are_intervals(file, name):
    content, instance = DOCUMENTS[name]
    path = file(content)
    assert find_format(path, None) in ("json", "activitynet")
    X, y = read_json(path)
    assert (X.ids.tolist(), X.to_lists(), y) == ([instance], [ROWS], None)


def test_lists_within_objects_are_tracks_of_their_own(file):
    X, _ = ibgn.read(file(SPOKEN), action="both")
    assert X.to_lists() == [
        [("words: boil", 0, 2.5), ("segments: boil pour", 0, 4), ("words: pour", 2.5, 4)]
    ]


def test_frames_are_times_where_there_are_no_others(file):
    row = {"start_frame": 3, "end_frame": 9, "label_id": 2, "label": "nod"}
    with pytest.warns(DataWarning, match="1 span: of frames"):
        assert ibgn.read(file([row]))[0].to_lists() == [[("nod", 3, 9)]]
    assert ibgn.read(file([{**row, "fps": 30}]))[0].to_lists() == [[("nod", 0.1, 0.3)]]


def test_times_have_the_unit_that_is_given_or_that_the_length_tells(file):
    X, _ = ibgn.read(file(rows()), unit=0.001)
    assert X.to_lists() == [[(name, start / 1000, end / 1000) for name, start, end in ROWS]]
    words = [{"text": "tea", "start": 0, "end": 500}, {"text": "cup", "start": 500, "end": 2000}]
    expected = [[("tea", 0, 0.5), ("cup", 0.5, 2)]]
    with pytest.warns(DataWarning, match="2 spans: times are milliseconds"):
        assert ibgn.read(file({"duration": 2, "words": words}))[0].to_lists() == expected
    # what lasts long enough, or does not say how long it lasts, is left as it is
    for about in ({"duration": 2000}, {}):
        assert ibgn.read(file({**about, "words": words}))[0].to_lists()[0][0] == ("tea", 0, 500)


@pytest.mark.parametrize(
    ("more", "action"),
    [
        ({"label": 7, "text": "tea"}, "tea"),  # a number stands for the text beside it
        ({"label": 7, "score": "tea"}, "7"),  # which is no name
        ({"id": 3, "pairs": [["cup", 0.2], ["tea", 0.8]]}, "tea"),
        ({"type": "text", "value": "tea"}, "tea"),
        ({"type": "tea", "value": 3}, "tea"),
    ],
)
def test_the_action_is_a_name_and_no_number_of_it(file, more, action):
    X, _ = ibgn.read(file([{"start": 1, "end": 2, **more}]))
    assert X.to_lists() == [[(action, 1, 2)]]


def test_boxes_in_pictures_are_no_times(file):
    box = {"xmin": 3, "xmax": 9, "ymin": 1, "ymax": 5, "label": "cup"}
    with pytest.raises(DataError, match="no object in the document has a start and an end"):
        ibgn.read(file([box]))
    X, _ = ibgn.read(file([{**box, "start": 0, "end": 2}]))
    assert X.to_lists() == [[("cup", 0, 2)]]


def test_ids_of_objects_are_no_actions(file):
    spans = [{"id": number, "start": number, "end": number + 1} for number in range(3)]
    with pytest.raises(DataError, match="says what went on"):
        ibgn.read(file({"spans": spans}))


def test_parts_of_a_text_are_no_times_even_where_one_is_beyond_its_end(file):
    rows = [["Ann pours tea", {"entities": [[0, 3, "PER"], [10, 14, "DRINK"]]}]]
    with pytest.raises(DataError, match="count the characters of a text"):
        ibgn.read(file(rows), format="json")


def test_what_has_no_name_is_counted(file):
    with pytest.warns(DataWarning, match="left out 1 annotation without a value"):
        X, _ = ibgn.read(file([*rows(), {"start": 5, "end": 6}]))
    assert X.to_lists() == [ROWS]


def test_files_of_a_folder_keep_their_instances_apart(file, tmp_path):
    for name in ("a.json", "b.json"):
        file({"v.mp4": rows()}, name)
    assert ibgn.read(tmp_path)[0].ids.tolist() == ["a.json#v.mp4", "b.json#v.mp4"]


@pytest.mark.parametrize(
    "content",
    [{}, [], {"images": [{"id": 1}], "annotations": [{"bbox": [0, 0, 2, 2], "category_id": 1}]}],
)
def test_a_document_without_times_is_refused(file, content):
    with pytest.raises(DataError, match="a.json: no object in the document has a start and an end"):
        ibgn.read(file(content))


def test_a_time_that_is_none_is_named(file):
    with pytest.raises(DataError, match=r"a.json: \[1\].start: the time is '5x'"):
        ibgn.read(file([*rows()[:1], {"start": "5x", "end": 7, "label": "a"}]))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0


def test_each_line_may_be_a_document(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps({'video': 'v', **row})}\n" for row in rows()))
    assert find_format(path, None) == "json"
    assert read_json(path)[0].to_lists() == [ROWS]


@pytest.mark.parametrize("texts", [{"captions": ["boil", "pour"]}, {"sentences": ["boil", "pour"]}])
def test_a_list_of_pairs_goes_with_a_list_of_texts(tmp_path, texts):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"vid": "v", "timestamps": [[0, 2.5], [2.5, 4]], **texts}]))
    assert read_json(path)[0].to_lists() == [ROWS]


def test_several_windows_share_a_query(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"vid": "v", "windows": [[0, 2], [3, 4]], "query": "boil"}]))
    assert read_json(path)[0].to_lists() == [[("boil", 0, 2), ("boil", 3, 4)]]


def test_windows_of_a_detector_are_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    line = {"vid": "v", "query": "boil", "pred_windows": [[0, 2, 0.9], [3, 4, 0.1]]}
    path.write_text(f"{json.dumps(line)}\n{json.dumps({**line, 'vid': 'w'})}\n")
    with pytest.warns(DataWarning, match="4 spans: found by a detector and read, whatever"):
        X, _ = ibgn.read(path)
    assert X.to_lists() == [[("boil", 0, 2), ("boil", 3, 4)]] * 2


@pytest.mark.parametrize(
    "content",
    [
        {"a": ["x", "y", "z"], "b": ["x", "z"]},  # lists of names, which do not repeat
        {"0": "boil", "1": "pour"},  # names of classes
        {"v1": "train", "v2": "train", "v3": "test"},
        [["v", 1, 2, 3, "boil"], ["w", 2, 3, 4, "pour"]],
        [["boil", 5, 2], ["pour", 3, 1]],  # would end before they start
    ],
)
def test_lists_without_times_are_refused(file, content):
    with pytest.raises(DataError, match="a.json: no object in the document has a start and an end"):
        ibgn.read(file(content))


def test_lists_of_an_action_and_its_times_are_intervals(file):
    X, _ = ibgn.read(file({"v.mp4": [list(row) for row in ROWS]}))
    assert X.to_lists() == [ROWS]
    X, _ = ibgn.read(file({"v.mp4": [[s, e, a] for a, s, e in ROWS]}))
    assert X.to_lists() == [ROWS]
    assert list(X.ids) == ["v.mp4"]


def test_objects_that_do_not_say_what_went_on_are_named_by_their_list(tmp_path):
    numbered = {str(n): {"timestamps": [s, e]} for n, (_, s, e) in enumerate(ROWS)}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"videos": {"v_a": {"fps": 30, "segments": numbered}}}))
    with pytest.raises(DataError, match="says what went on; action='track' names"):
        read_json(path)
    X, _ = read_json(path, action="track")
    assert X.to_lists() == [[("segments", s, e) for _, s, e in ROWS]]
    assert list(X.ids) == ["v_a"]


TEXT = "Ann moved from Leeds to York"
SPANS = [[0, 3, "PER"], [15, 20, "LOC"], [24, 28, "LOC"]]


@pytest.mark.parametrize(
    "content",
    [
        [{"text": TEXT, "label": SPANS}],
        [[TEXT, {"entities": SPANS}], ["Bob ran", {"entities": SPANS[:1]}]],
        [{"text": TEXT, "entities": [{"start": s, "end": e, "label": v} for s, e, v in SPANS]}],
        [{"entity_group": v, "word": TEXT[s:e], "start": s, "end": e} for s, e, v in SPANS],
        {"content": TEXT, "annotation": [{"points": [{"start": 0, "end": 2, "text": "Ann"}]}]},
        {"text": "\u4f60\u597d\u5417", "entities": [{"start": 0, "end": 2, "label": "x"}]},
    ],
)
def test_places_in_a_text_are_refused(file, content):
    with pytest.raises(DataError, match="a.json: .* count the characters of a text"):
        ibgn.read(file(content))


def test_places_in_a_text_are_left_out_beside_times(file):
    spoken = {"start": 0, "end": 4, "text": TEXT}
    places = [{"start": s, "end": e, "label": v} for s, e, v in SPANS]
    with pytest.warns(DataWarning, match="3 spans: places in a text and no times, left out"):
        X, _ = ibgn.read(file({"text": TEXT, "segments": [spoken], "entities": places}))
    assert X.to_lists() == [[(TEXT, 0, 4)]]


@pytest.mark.parametrize(
    "content",
    [
        {"train_start": 0, "train_end": 100, "name": "first"},
        {"data_name": "kitchen", "time_range": [0, 10], "seed": 1},
        {
            "data": {"start_date": "2020-01-01", "end_date": "2020-02-01"},
            "test": {"start": 1, "end": 2},
        },
    ],
)
def test_settings_are_refused(file, content):
    with pytest.raises(DataError, match="a.json: the only times are .* as in a file of settings"):
        ibgn.read(file(content))


def test_ranges_of_something_else_are_no_times(file):
    steps = [{"type": "Resize", "ratio_range": [0.1, 2]}, {"type": "Clip", "value_range": [0, 9]}]
    with pytest.raises(DataError, match="no object in the document has a start and an end"):
        ibgn.read(file({"pipeline": steps}))


def test_one_object_that_says_what_went_on_is_an_interval(file):
    X, _ = ibgn.read(file({"video": "v.mp4", "label": "boil", "start": 0, "end": 3}))
    assert X.to_lists() == [[("boil", 0, 3)]]


def test_numbers_of_chunks_are_said_to_be_no_seconds(file):
    each = {"video": "v", "description": "boil", "times": [[0, 1], [1, 2]], "num_segments": 6}
    with pytest.warns(DataWarning, match="2 spans: times are numbers of the chunks"):
        ibgn.read(file([each]))


def test_points_are_refused_with_the_field_of_their_time(file):
    rows = [{"gameTime": "1 - 00:17", "label": "foul", "position": "17440"}] * 2
    with pytest.raises(DataError, match="2 objects have one time each, 'position', and would be"):
        ibgn.read(file({"annotations": rows}))


def test_stretches_of_paragraphs_are_refused(file):
    place = {"start": "0", "end": "0", "startOffset": 0, "endOffset": 3, "paragraphlabels": ["x"]}
    with pytest.raises(DataError, match="no object in the document has a start and an end"):
        ibgn.read(file([{"id": 1, "dialogue": [{"text": "hello"}], "label": [place]}]))
