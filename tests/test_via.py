"""VIA 3: segments of views, attributes by their names, and projects that are wrong."""

import copy
import json

import pytest

import ibgn
from ibgn import DataError, DataWarning
from ibgn.errors import Option, OptionError
from ibgn.io import FORMATS, Files, read_via
from ibgn.io.registry import load


def entry(view, times, values, xy=()):
    return {"vid": view, "flg": 0, "z": times, "xy": list(xy), "av": values}


PROJECT = {
    "project": {"pid": "__VIA_PROJECT_ID__", "pname": "kitchen", "vid_list": ["1", "2"]},
    "config": {"ui": {}},
    "attribute": {
        "1": {
            "aname": "hand",
            "anchor_id": "FILE1_Z2_XY0",
            "type": 4,
            "options": {"0": "boil", "1": "pour"},
            "default_option_id": "",
        },
        "2": {"aname": "speech", "anchor_id": "FILE1_Z2_XY0", "type": 1, "options": {}},
        "3": {"aname": "meal", "anchor_id": "FILE1_Z0_XY0", "type": 3, "options": {"t": "tea"}},
    },
    "file": {
        "1": {"fid": "1", "fname": "tea_01.mp4", "type": 4, "loc": 1, "src": ""},
        "2": {"fid": "2", "fname": "milk_02.mp4", "type": 4, "loc": 1, "src": ""},
    },
    "view": {"1": {"fid_list": ["1"]}, "2": {"fid_list": ["2"]}},
    "metadata": {
        "1_aa": entry("1", [0, 2.5], {"1": "0"}),
        "1_bb": entry("1", [2.5, 4], {"1": "1", "2": "hot"}),
        "2_cc": entry("2", [1, 2], {"1": "1"}),
    },
}


def changed(**metadata):
    project = copy.deepcopy(PROJECT)
    project["metadata"] |= metadata
    return project


LABELLED = changed(l=entry("1", [], {"3": "t"}), m=entry("2", [], {"3": "t"}))
SAMPLES = {
    "kitchen.json": json.dumps(PROJECT, indent=1).encode(),
    "labelled.json": json.dumps(LABELLED).encode(),
}
READERS = {
    "kitchen.json": read_via,
    "labelled.json": lambda path: read_via(path, activity="attribute:meal", action="both"),
}


@pytest.fixture
def file(tmp_path):
    def make(content):
        (tmp_path / "a.json").write_text(json.dumps(content))
        return tmp_path / "a.json"

    return make


def test_a_view_is_an_instance_and_options_are_actions_by_name(file):
    X, y = read_via(file(PROJECT))
    assert list(X.ids) == ["tea_01.mp4", "milk_02.mp4"]
    first = [("boil", 0.0, 2.5), ("hot", 2.5, 4.0), ("pour", 2.5, 4.0)]
    assert X.to_lists() == [first, [("pour", 1.0, 2.0)]]
    assert y is None


def test_an_attribute_is_a_track(file):
    X, y = read_via(file(PROJECT), tracks=["speech"], action="both", activity="([a-z]+)_")
    assert X.to_lists() == [[("speech: hot", 2.5, 4.0)], []]
    assert y.tolist() == ["tea", "milk"]


def test_an_attribute_can_be_the_activity(file):
    with pytest.warns(DataWarning, match="left out 2 annotations outside of every activity"):
        X, y = read_via(file(PROJECT), tracks=["hand"], activity="track:speech")
    assert X.to_lists() == [[("pour", 2.5, 4.0)]]
    assert y.tolist() == ["hot"]


def test_an_attribute_of_whole_files_can_be_the_label(file):
    _, y = read_via(file(LABELLED), activity="attribute:meal")
    assert y.tolist() == ["tea", "tea"]


def test_a_checkbox_gives_an_action_for_each_option(file):
    project = changed(d=entry("2", [5, 6], {"1": "0,1"}))
    project["attribute"]["1"]["type"] = 2
    X, _ = read_via(file(project), tracks=["hand"])
    assert X.to_lists()[1] == [("pour", 1.0, 2.0), ("boil", 5.0, 6.0), ("pour", 5.0, 6.0)]


def test_an_option_may_have_a_comma_in_its_id(file):
    project = changed(d=entry("2", [5, 6], {"1": "0,1"}))
    project["attribute"]["1"] |= {"type": 2, "options": {"0": "boil", "1": "pour", "0,1": "both"}}
    X, _ = read_via(file(project), tracks=["hand"])
    assert X.to_lists()[1] == [("pour", 1.0, 2.0), ("both", 5.0, 6.0)]


def test_views_of_the_same_file_are_told_apart(file):
    project = copy.deepcopy(PROJECT)
    project["file"]["2"]["fname"] = "tea_01.mp4"
    X, _ = read_via(file(project))
    assert list(X.ids) == ["tea_01.mp4 (view 1)", "tea_01.mp4 (view 2)"]


@pytest.mark.parametrize(
    ("strange", "told"),
    [
        (entry("1", [3.2], {"1": "0"}, [2, 1, 1, 9, 9]), "1 entry: of single frames"),
        (entry("1", [], {"3": "t"}), "1 entry: of whole files"),
        (entry("7", [0, 1], {"1": "0"}), "1 entry: of a view that the project does not define"),
        (entry("1", [0, 1], {"9": "0"}), "1 value: that the project does not define"),
        (entry("1", [0, 1], {"1": "0,1"}), "1 value: that the project does not define"),
        (entry("1", [0, 1], {"1": "9"}), "1 value: that the project does not define"),
    ],
)
def test_what_is_no_segment_is_counted_or_refused(file, strange, told):
    path = file(changed(x=strange))
    with pytest.warns(DataWarning, match=told):
        X, _ = read_via(path, unknown="drop")
    assert X.lengths.tolist() == [3, 1]
    with pytest.raises(DataError, match=r"a\.json: metadata\.x.*: an? .*; correct it"):
        read_via(path)


def test_segments_without_a_value_are_counted_or_named_by_their_track(file):
    path = file(changed(x=entry("1", [0, 1], {}), y=entry("2", [5, 6], {"1": "_DEFAULT"})))
    with pytest.warns(DataWarning, match="left out 2 annotations without a value"):
        X, _ = read_via(path)
    assert X.lengths.tolist() == [3, 1]
    X, _ = read_via(path, action="track")
    assert X.to_lists()[0][:2] == [("segment", 0, 1), ("hand", 0, 2.5)]
    assert X.to_lists()[1] == [("hand", 1, 2), ("hand", 5, 6)]


def test_a_project_in_which_nothing_has_a_value_is_read_by_its_attribute(file):
    project = PROJECT | {"metadata": {"a": entry("1", [0, 1], {}), "b": entry("2", [1, 3], {})}}
    project["attribute"] = {"1": PROJECT["attribute"]["1"]}
    with pytest.raises(DataError, match="a.json: none of 2 segments has a value.*action='track'"):
        read_via(file(project))
    X, _ = read_via(file(project), action="track")
    assert X.to_lists() == [[("hand", 0, 1)], [("hand", 1, 3)]]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def rows():
    for name, one in PROJECT["metadata"].items():
        files = [PROJECT["file"][one["vid"]]["fname"]]
        cells = (files, one["z"], one["xy"], one["av"])
        listed, times, region, values = (quoted(json.dumps(cell)) for cell in cells)
        yield f"{quoted(name)},{listed},0,{times},{region},{values}"


NOTES = "# Exported using VGG Image Annotator (http://www.robots.ox.ac.uk/~vgg/software/via)\n"
HEADER = (
    "# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata\n"
)
ATTRIBUTES = json.dumps(PROJECT["attribute"])
NAMES = json.dumps({key: value["aname"] for key, value in PROJECT["attribute"].items()})
ROWS = "\n".join(rows())
TABLES = {
    "as exported": f"{NOTES}# ATTRIBUTE = {ATTRIBUTES}\n{HEADER}{ROWS}",
    "from a spreadsheet": f"{NOTES}{quoted(f'# ATTRIBUTE = {ATTRIBUTES}')},,\n{HEADER}{ROWS}",
}


@pytest.mark.parametrize("table", TABLES)
def test_exported_annotations_are_read_as_the_project(file, tmp_path, table):
    (tmp_path / "a.csv").write_text(TABLES[table])
    X, _ = ibgn.read(tmp_path / "a.csv")
    wanted, _ = read_via(file(PROJECT))
    assert (X.ids.tolist(), X.to_lists()) == (wanted.ids.tolist(), wanted.to_lists())


@pytest.mark.parametrize(
    ("header", "actions"),
    [(f"# ATTRIBUTES = {NAMES}\n", ("0", "1", "hot")), ("", ("0", "1", "hot"))],
)
def test_older_exports_have_only_names_of_attributes_or_none(tmp_path, header, actions):
    (tmp_path / "a.csv").write_text(f"{header}{HEADER}{ROWS}")
    X, _ = ibgn.read(tmp_path / "a.csv")
    assert X.actions == actions
    X, _ = ibgn.read(tmp_path / "a.csv", action="track")
    assert X.actions == (("hand", "speech") if header else ("attribute 1", "attribute 2"))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1_a,[],0", "line 2: a row of VIA 3 has six columns, got 3"),
        ("1_a,3,0,[],[],{}", "line 2: the files, times, .* are not as VIA 3 has them"),
        ('1_a,"[""v""]",0,[0 1],[],{}', "line 2: the file is not JSON"),
        ("1_a\r2_a", "line 2: not readable as a row of VIA 3: new-line character"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(tmp_path, row, told):
    (tmp_path / "a.csv").write_text(f"{HEADER}{row}\n")
    with pytest.raises(DataError, match=told):
        ibgn.read(tmp_path / "a.csv")


def test_regions_of_pictures_have_no_time(tmp_path):
    (tmp_path / "a.csv").write_text("filename,file_size,region_shape_attributes\na.jpg,3,{}\n")
    with pytest.raises(DataError, match="VIA 2, of regions in pictures, which have no time"):
        ibgn.read(tmp_path / "a.csv")


def test_the_outline_has_the_values_of_whole_files(file):
    (found,) = FORMATS["via"].outline(Files(file(LABELLED), (".json",)))
    assert (found.kind, found.name, found.number, found.values) == (
        "attribute",
        "meal",
        2,
        ("tea",),
    )
    assert found.chosen_by == Option("activity", "attribute:meal")


def test_a_file_value_that_is_not_the_label_is_counted(file):
    project = copy.deepcopy(LABELLED)
    project["metadata"]["l"]["av"]["2"] = "loud"
    with pytest.warns(DataWarning, match="1 value: of whole files and not the label"):
        read_via(file(project), activity="attribute:meal", unknown="drop")


def test_overlapping_segments_of_one_option_are_counted_and_merged(file):
    with pytest.warns(DataWarning, match="1 overlapping annotation"):
        X, _ = read_via(file(changed(x=entry("2", [1.5, 3], {"1": "1"}))), overlaps="merge")
    assert X.to_lists()[1] == [("pour", 1.0, 3.0)]


def test_text_left_empty_is_counted(file):
    with pytest.warns(DataWarning, match="left out 1 annotation without a value"):
        read_via(file(changed(x=entry("2", [4, 5], {"2": ""}))))


def test_two_labels_of_a_view_are_refused(file):
    project = copy.deepcopy(LABELLED)
    project["attribute"]["3"]["options"]["m"] = "milk"
    project["metadata"]["n"] = entry("1", [], {"3": "m"})
    with pytest.raises(DataError, match=r"metadata\.n: the label is 'milk', but 'tea' elsewhere"):
        read_via(file(project), activity="attribute:meal")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], "an object"),
        ({"_via_img_metadata": {"a": 1}}, "VIA 2"),
        (PROJECT | {"attribute": 3}, "attribute: an object"),
        (PROJECT | {"attribute": {"1": {}}}, r"attribute\['1'\]: there is no 'aname'"),
        (PROJECT | {"file": {}}, "there is no file '1' in the project"),
        (PROJECT | {"view": {"1": {"fid_list": []}}}, "a list of 1 values or more"),
        (PROJECT | {"metadata": [1]}, "metadata: an object"),
        (changed(x=entry("1", ["a", 2], {})), r"metadata\.x\.z\[0\]: the time is 'a'"),
        (changed(x=entry("1", [0, float("inf")], {})), r"z\[1\]: the time is Infinity"),
        (changed(x=entry("1", [0, 2], {"1": {}})), r"metadata\.x\.av\['1'\]: text is needed"),
        (changed(x=entry("1", [2, 1], {"1": "0"})), "ends before it starts"),
        (changed(x=entry("1", [2, 2], {"1": "0"})), "zero length"),
    ],
)
def test_a_wrong_project_is_refused_with_the_place(file, content, told):
    with pytest.raises(DataError, match=told):
        read_via(file(content))


def test_a_label_attribute_that_is_not_there_is_refused(file):
    with pytest.raises(DataError, match="no attribute 'x'; there are 'hand', 'meal', 'speech'"):
        read_via(file(PROJECT), activity="attribute:x")
    with pytest.raises(DataError, match="no file as a whole has a value of 'meal'"):
        read_via(file(PROJECT), activity="attribute:meal")


@pytest.mark.parametrize(
    "options",
    [
        {"unknown": "keep"},
        {"overlaps": 1},
        {"activity": []},
        {"activity": "attribute:"},
        {"activity": "choice:meal"},
    ],
)
def test_wrong_options_are_refused(file, options):
    with pytest.raises(OptionError):
        load(file(PROJECT), **options, format="via")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0
