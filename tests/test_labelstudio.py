"""Label Studio: whose annotation, which stretches, and exports that are wrong."""

import copy
import json

import pytest

import ibgn
from ibgn import DataError, DataWarning
from ibgn.errors import Option, OptionError
from ibgn.io import FORMATS, Files, read_labelstudio
from ibgn.io.registry import load


def stretch(kind, label, start, end, tag="hand"):
    value = {"start": start, "end": end, kind: [label]}
    return {"id": "x1", "type": kind, "from_name": tag, "to_name": "ts", "value": value}


def frames(label, start, end):
    value = {"ranges": [{"start": start, "end": end}], "timelinelabels": [label]}
    return {"type": "timelinelabels", "from_name": "line", "to_name": "video", "value": value}


def choice(*names, tag="meal"):
    return {"type": "choices", "from_name": tag, "to_name": "ts", "value": {"choices": names}}


def task(number, *annotations, **data):
    return {"id": number, "data": data, "annotations": list(annotations), "predictions": []}


def annotation(*results, user=1, cancelled=False):
    return {"id": 5, "completed_by": user, "was_cancelled": cancelled, "result": list(results)}


SERIES = [
    task(
        1,
        annotation(
            stretch("timeserieslabels", "boil", 0, 2.5),
            stretch("labels", "hiss", 1, 2, tag="sound"),
            choice("tea"),
        ),
        csv="tea/a.csv",
    ),
    task(2, annotation(stretch("labels", "pour", 1, 2), choice("milk")), csv="milk/b.csv"),
]
VIDEO = [task(7, annotation(frames("boil", 1, 50), frames("pour", 51, 75)), video="v.mp4")]
SAMPLES = {
    "series.json": json.dumps(SERIES, indent=1).encode(),
    "video.json": json.dumps(VIDEO).encode(),
}
READERS = {
    "series.json": lambda path: read_labelstudio(path, activity="choice:meal", instance="csv"),
    "video.json": lambda path: read_labelstudio(path, rate=25),
}


@pytest.fixture
def file(tmp_path):
    def make(content):
        (tmp_path / "a.json").write_text(json.dumps(content))
        return tmp_path / "a.json"

    return make


def test_a_task_is_an_instance_and_a_choice_its_label(file):
    X, y = read_labelstudio(file(SERIES), activity="choice:meal")
    assert list(X.ids) == ["1", "2"]
    assert X.to_lists() == [[("boil", 0.0, 2.5), ("hiss", 1.0, 2.0)], [("pour", 1.0, 2.0)]]
    assert y.tolist() == ["tea", "milk"]


def test_a_tag_is_a_track(file):
    X, _ = read_labelstudio(file(SERIES), activity="choice:meal", tracks=["sound"], action="both")
    assert X.to_lists() == [[("sound: hiss", 1.0, 2.0)], []]


def test_a_field_of_the_data_can_name_the_task(file):
    with pytest.warns(DataWarning, match="2 results: of type 'choices', left out; activity="):
        X, y = read_labelstudio(file(SERIES), instance="csv", activity="folder", unknown="drop")
    assert list(X.ids) == ["tea/a.csv", "milk/b.csv"]
    assert y.tolist() == ["tea", "milk"]


def test_frames_count_from_one_and_the_last_belongs_to_the_range(file):
    X, _ = read_labelstudio(file(VIDEO), rate=25)
    assert X.to_lists() == [[("boil", 0.0, 2.0), ("pour", 2.0, 3.0)]]


def test_times_are_frames_unless_the_frames_a_second_are_known(file):
    with pytest.warns(DataWarning, match=r"a.json: 2 ranges: of frames, .*; rate=, the frames per"):
        X, _ = read_labelstudio(file(VIDEO))
    assert X.to_lists() == [[("boil", 0.0, 50.0), ("pour", 50.0, 75.0)]]


SHAPES = {
    "one task": SERIES[1],
    "completions": [{"completions" if key == "annotations" else key: value
                     for key, value in SERIES[1].items()}],
    "one annotation": SERIES[1]["annotations"][0] | {"task": {"id": 2, "data": {}}},
    "JSON-MIN": [{"id": 2, "csv": "milk/b.csv", "meal": "milk", "annotator": 1, "lead_time": 3.5,
                  "hand": [{"start": 1, "end": "2", "labels": ["pour"]}]}],
    "JSON-MIN of one stretch": [{"id": 2, "csv": "milk/b.csv", "meal": "milk", "annotator": 1,
                                 "hand": {"start": 1, "end": 2, "timeserieslabels": ["pour"]}}],
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_all_shapes_of_exports_are_read_alike_and_known_by_content(file, shape):
    X, y = ibgn.read(file(SHAPES[shape]), activity="choice:meal")
    assert (X.ids.tolist(), X.to_lists(), y.tolist()) == (["2"], [[("pour", 1, 2)]], ["milk"])


def test_tasks_without_an_id_have_the_name_of_what_they_are_about(file):
    tasks = [{key: value for key, value in one.items() if key != "id"} for one in SERIES]
    tasks += [tasks[1] | {"data": {}}, tasks[1] | {"file_upload": "up/c.csv"}, tasks[1]]
    with pytest.warns(DataWarning) as told:
        X, _ = read_labelstudio(file(tasks), unknown="drop")
    assert X.ids.tolist() == ["a.csv", "b.csv", "task 3", "c.csv", "b.csv (2)"]
    assert "a.json: 1 task: of a name that another has; numbered" in str(told[-1].message)


@pytest.mark.filterwarnings("ignore:.*of type 'choices'")
def test_files_of_a_folder_keep_their_tasks_apart(tmp_path):
    for name in ("mon", "tue"):
        (tmp_path / f"{name}.json").write_text(json.dumps(SHAPES["one annotation"]))
    X, y = ibgn.read(tmp_path, activity="([a-z]+)[.]json", unknown="drop")
    assert X.ids.tolist() == ["mon.json#2", "tue.json#2"]
    assert y.tolist() == ["mon", "tue"]


def test_results_without_a_tag_have_their_type_as_track(file):
    one = stretch("labels", "a", 0, 1)
    del one["from_name"]
    X, _ = read_labelstudio(file([task(1, annotation(one))]), action="both")
    assert X.to_lists() == [[("labels: a", 0.0, 1.0)]]


def test_date_times_become_seconds_since_the_first_of_the_task(file):
    stretches = [
        stretch("timeserieslabels", "a", "2023-01-10T10:15:00.000Z", "2023-01-10T10:15:01.500Z"),
        stretch("timeserieslabels", "b", "2023-01-10 10:14:00", "2023-01-10T11:15:00+01:00"),
    ]
    X, _ = read_labelstudio(file([task(1, annotation(*stretches))]))
    assert X.to_lists() == [[("b", 0, 60), ("a", 60, 61.5)]]


THREE = [
    task(
        1,
        annotation(stretch("labels", "no", 0, 1), cancelled=True),
        annotation(stretch("labels", "a", 0, 1), user=4),
        annotation(stretch("labels", "b", 0, 1), user={"id": 9, "email": "b@x.org"}),
        annotation(stretch("labels", "c", 0, 1), user=6),
    )
]


def test_the_outline_has_choices_and_annotators(file):
    entries = list(FORMATS["labelstudio"].outline(Files(file([*SERIES, *THREE]), (".json",))))
    assert [(e.kind, e.name, e.number, e.chosen_by) for e in entries] == [
        ("choice", "meal", 2, Option("activity", "choice:meal")),
        ("annotator", "1", 3, Option("annotator", "1")),
        ("annotator", "4", 1, Option("annotator", "4")),
        ("annotator", "9", 1, Option("annotator", "9")),
        ("annotator", "6", 1, Option("annotator", "6")),
    ]
    assert entries[0].values == ("tea", "milk")


@pytest.mark.parametrize(
    ("annotator", "action"),
    [("first", "a"), ("last", "c"), (4, "a"), ("9", "b"), ("b@x.org", "b"), (6, "c")],
)
def test_the_annotator_is_chosen_and_the_others_are_counted(file, annotator, action):
    with pytest.warns(DataWarning) as told:
        X, _ = read_labelstudio(file(THREE), annotator=annotator)
    assert X.actions == (action,)
    assert [str(one.message) for one in told] == [
        "a.json: 1 cancelled annotation: left out",
        "a.json: 2 annotations: left out for another one; annotator= chooses",
    ]


def test_a_task_without_an_annotation_is_counted(file):
    with pytest.warns(DataWarning, match="1 task: left out, without an annotation to take"):
        X, _ = read_labelstudio(file([*VIDEO, task(8)]), rate=25)
    assert len(X) == 1


@pytest.mark.filterwarnings("ignore::ibgn.DataWarning")
def test_an_annotator_who_did_nothing_is_refused(file):
    with pytest.raises(DataError, match="there are no instances"):
        read_labelstudio(file(THREE), annotator=77)


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ({"type": "relation", "from_id": "a", "to_id": "b"}, "relation"),
        ({"type": "rectanglelabels", "value": {"x": 1}}, "rectanglelabels"),
        (
            stretch("labels", "word", 3, 9) | {"value": {"start": 3, "end": 9, "text": "t"}},
            "labels",
        ),
        (choice("loud") | {"value": {"start": 0, "end": 1, "choices": ["loud"]}}, "choices"),
    ],
)
def test_other_results_are_counted_or_refused(file, result, kind):
    tasks = copy.deepcopy(VIDEO)
    tasks[0]["annotations"][0]["result"].append(result)
    with pytest.warns(DataWarning, match=f"1 result: of type '{kind}', left out"):
        X, _ = read_labelstudio(file(tasks), rate=25, unknown="drop")
    assert X.lengths.tolist() == [2]
    with pytest.raises(DataError, match=rf"result\[2\]: a result of type '{kind}'"):
        read_labelstudio(file(tasks), rate=25)


def test_a_stretch_with_two_labels_is_two_intervals(file):
    one = stretch("labels", "a", 0, 1)
    one["value"]["labels"] = ["a", "b"]
    X, _ = read_labelstudio(file([task(1, annotation(one))]))
    assert X.to_lists() == [[("a", 0.0, 1.0), ("b", 0.0, 1.0)]]


def test_a_stretch_without_label_is_counted(file):
    one = stretch("labels", "a", 0, 1)
    one["value"]["labels"] = []
    with pytest.warns(DataWarning, match="left out 1 annotation without a value"):
        read_labelstudio(file([task(1, annotation(one))]))


def test_overlapping_stretches_of_one_label_are_counted(file):
    tasks = [task(1, annotation(stretch("labels", "a", 0, 2), stretch("labels", "a", 1, 3)))]
    with pytest.warns(DataWarning, match="1 overlapping annotation: .*; kept"):
        X, _ = read_labelstudio(file(tasks))
    assert X.lengths.tolist() == [2]
    with pytest.raises(DataError, match="overlaps another of 'a'"):
        read_labelstudio(file(tasks), overlaps="error")


def test_instants_have_no_length(file):
    tasks = [task(1, annotation(stretch("timeserieslabels", "a", 2, 2)))]
    with pytest.raises(DataError, match="zero length"):
        read_labelstudio(file(tasks))
    X, _ = read_labelstudio(file(tasks), min_duration=0.5)
    assert X.to_lists() == [[("a", 2.0, 2.5)]]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({}, r"the document: there are no \"annotations\""),
        (3, r"the document: there are no \"annotations\""),
        ([3], r"\[0\]: there are no \"annotations\""),
        ([{"id": 1, "video": "v", "line": []}], 'export the project of Label Studio as "JSON"'),
        ([{"id": 1, "annotations": 3}], r"\[0\]\.annotations: a list"),
        ([task(1, annotation({}))], r"result\[0\]: there is no 'type'"),
        ([task([], annotation())], r"\[0\]\.id: text is needed, got a list"),
        (
            [task(1, annotation(stretch("timeserieslabels", "a", "2020-01-01 00:00", 3)))],
            "the start is a date or time span",
        ),
        (
            [task(1, annotation(stretch("timeserieslabels", "a", "1.1.2020 noon", 3)))],
            "the start is",
        ),
        ([task(1, annotation(stretch("labels", "a", 0, "3s")))], "the end is '3s', not a number"),
        ([task(1, annotation(stretch("labels", "a", 3, 0)))], "ends before it starts"),
    ],
)
def test_a_wrong_export_is_refused_with_the_place(file, content, told):
    with pytest.raises(DataError, match=told):
        read_labelstudio(file(content))


def test_a_label_is_one_choice_of_a_tag_that_is_there(file):
    with pytest.raises(DataError, match="no choices of a tag 'x'; there are 'meal'"):
        read_labelstudio(file(SERIES), activity="choice:x", unknown="drop")
    for results in ([choice("tea", "milk")], [choice("tea"), choice("milk")]):
        with pytest.raises(DataError, match="one choice per task is needed"):
            read_labelstudio(file([task(1, annotation(*results))]), activity="choice:meal")


def test_a_choice_for_one_stretch_is_not_the_label(file):
    part = choice("loud") | {"value": {"start": 0, "end": 1, "choices": ["loud"]}}
    with pytest.warns(DataWarning, match="1 result: of type 'choices'"):
        _, y = read_labelstudio(
            file([task(1, annotation(part, choice("tea")))]),
            activity="choice:meal",
            unknown="drop",
        )
    assert y.tolist() == ["tea"]


def test_some_tasks_without_a_label_are_refused(file):
    tasks = [*SERIES, task(3, annotation(stretch("labels", "a", 0, 1)))]
    with pytest.raises(DataError, match="no label, while other rows have one"):
        read_labelstudio(file(tasks), activity="choice:meal")


@pytest.mark.parametrize(
    "options",
    [
        {"rate": 0},
        {"annotator": True},
        {"annotator": None},
        {"unknown": "keep"},
        {"overlaps": ""},
        {"instance": []},
        {"activity": {}},
        {"activity": "choice:"},
        {"activity": "variable:meal"},
    ],
)
def test_wrong_options_are_refused(file, options):
    with pytest.raises(OptionError):
        load(file(SERIES), **options, format="labelstudio")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0


def boxes(*sequence, **value):
    shown = [{"frame": frame, "enabled": enabled, "x": 1} for frame, enabled in sequence]
    return {"type": "videorectangle", "from_name": "box", "value": {"sequence": shown, **value}}


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        (boxes((1, True), (50, False), labels=["cup"]), [("cup", 0.0, 2.0)]),
        (
            boxes((26, True), (30, True), (50, False), (60, False), (76, True), labels=["cup"]),
            [("cup", 1.0, 2.0), ("cup", 3.0, 3.04)],
        ),
        (boxes((26, True), labels=["cup"], framesCount=100), [("cup", 1.0, 4.0)]),
        (boxes((26, True), (50, False), labels=["cup", "blue"]), [("blue", 1, 2), ("cup", 1, 2)]),
    ],
)
def test_an_object_lasts_as_long_as_its_boxes_are_shown(file, result, rows):
    X, _ = read_labelstudio(file([task(1, annotation(result))]), rate=25)
    assert X.to_lists() == [rows]


def test_boxes_of_a_short_export_are_read(file):
    short = {"id": 3, "video": "v.mp4", "box": [boxes((26, True), (50, False))["value"]]}
    short["box"][0]["labels"] = ["cup"]
    X, _ = read_labelstudio(file([short]), rate=25)
    assert X.to_lists() == [[("cup", 1.0, 2.0)]]


def test_an_export_of_images_says_that_it_has_no_times(file):
    image = {"type": "polygonlabels", "from_name": "a", "value": {"polygonlabels": ["cat"]}}
    path = file([task(1, annotation(image))])
    with pytest.raises(DataError, match=r"no result is .* time \(.* of type 'polygonlabels'\)"):
        read_labelstudio(path, unknown="drop")


def test_what_a_model_found_is_read_where_nobody_labelled(file):
    found = {"model_version": "m", "result": [stretch("labels", "hiss", 0, 1)]}
    tasks = [task(1) | {"predictions": [found]}, task(2, annotation(stretch("labels", "a", 0, 1)))]
    with pytest.warns(DataWarning, match="1 task without an annotation: the prediction of a model"):
        X, _ = read_labelstudio(file(tasks))
    assert X.to_lists() == [[("hiss", 0.0, 1.0)], [("a", 0.0, 1.0)]]


def test_milliseconds_since_1970_become_seconds(file):
    run = stretch("timeserieslabels", "run", 1_592_250_751_000, 1_592_250_753_500)
    with pytest.warns(DataWarning, match="1 result: times are milliseconds since 1970"):
        X, _ = read_labelstudio(file([task(1, annotation(run))]))
    assert (X.end - X.start).tolist() == [2.5]
