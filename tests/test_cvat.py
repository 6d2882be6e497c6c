"""CVAT for video: tracks that come and go, attributes, tags, and XML that is wrong."""

import pytest

from ibgn import DataError, DataWarning
from ibgn.errors import Option, OptionError
from ibgn.io import FORMATS, Files, read_cvat
from ibgn.io.registry import load

META = (
    "<meta><task><id>1</id><name>t</name><size>100</size><mode>interpolation</mode>"
    "<start_frame>0</start_frame><stop_frame>99</stop_frame><frame_filter></frame_filter>{}"
    "</task></meta>"
)


def box(frame, outside=0, **attributes):
    inside = "".join(f'<attribute name="{k}">{v}</attribute>' for k, v in attributes.items())
    return (
        f'<box frame="{frame}" outside="{outside}" occluded="0" keyframe="1" xtl="1.5" ytl="2" '
        f'xbr="3" ybr="4" z_order="0">{inside}</box>'
    )


def track(label, *shapes):
    return f'<track id="0" label="{label}" source="manual">{"".join(shapes)}</track>'


def tag(label, frame, **attributes):
    inside = "".join(f'<attribute name="{k}">{v}</attribute>' for k, v in attributes.items())
    return f'<tag label="{label}" source="manual" frame="{frame}">{inside}</tag>'


def document(*entries, meta=""):
    head = f"<version>1.1</version>{META.format(meta)}"
    text = f'<?xml version="1.0" encoding="utf-8"?>\n<annotations>{head}{"".join(entries)}'
    return f"{text}</annotations>"


CUP = track("cup", box(0), box(50), box(75, 1), box(80), box(90, 1))
STATES = track("cup", box(0, state="empty"), box(50, state="full"), box(75, 1, state="full"))
SAMPLES = {
    "cup.xml": document(CUP, track("hand", box(10), box(60, 1))).encode(),
    "states.xml": document(STATES, tag("steam", 5, state="hot"), meta="<fps>25</fps>").encode(),
}
READERS = {
    "cup.xml": lambda path: read_cvat(path, rate=25),
    "states.xml": lambda path: read_cvat(path, attribute="state"),
}


@pytest.fixture
def file(tmp_path):
    def make(*entries, meta="", name="a.xml"):
        (tmp_path / name).write_text(document(*entries, meta=meta))
        return tmp_path / name

    return make


def test_each_task_of_a_project_is_an_instance_with_frames_of_its_own(file):
    tasks = [
        "<task><id>39</id><name>tea</name><size>99</size><stop_frame>98</stop_frame></task>",
        "<task><id>7</id><name>milk</name><frame_filter>step=5</frame_filter>"
        "<stop_frame>44</stop_frame></task>",
    ]
    meta = f"<project><tasks>{''.join(tasks)}</tasks></project>"
    own = [CUP.replace("id=", 'task_id="39" id='), track("hand", box(10), box(40))]
    own[1] = own[1].replace("id=", 'task_id="7" id=', 1)
    X, _ = read_cvat(file(*own, meta=meta), rate=10)
    assert dict(zip(X.ids, X.to_lists(), strict=True)) == {
        "a.xml#tea": [("cup", 0.0, 7.5), ("cup", 8.0, 9.0)],
        "a.xml#milk": [("hand", 1.0, 4.5)],
    }


def test_an_object_is_there_until_it_is_outside(file):
    X, y = read_cvat(file(CUP, track("hand", box(10), box(60, 1))), rate=10)
    assert X.to_lists() == [[("cup", 0.0, 7.5), ("hand", 1.0, 6.0), ("cup", 8.0, 9.0)]]
    assert list(X.ids) == ["a.xml"]
    assert y is None


def test_an_attribute_names_the_action_as_long_as_it_stays(file):
    X, _ = read_cvat(file(STATES), rate=25, attribute="state", action="both")
    assert X.to_lists() == [[("cup: empty", 0.0, 2.0), ("cup: full", 2.0, 3.0)]]


def test_frames_in_any_order_and_of_any_shape_are_understood(file):
    shapes = (box(75, 1), box(50), box(0).replace("box", "polygon"))
    X, _ = read_cvat(file(track("cup", *shapes)), rate=25)
    assert X.to_lists() == [[("cup", 0.0, 3.0)]]


def test_the_frames_a_second_may_stand_in_the_file(file):
    assert read_cvat(file(CUP, meta="<fps>50</fps>"))[0].end.max() == 90 / 50
    assert read_cvat(file(CUP, meta="<fps>50</fps>"), rate=10)[0].end.max() == 9


@pytest.mark.parametrize("meta", ["", "<fps>x</fps>", "<fps>0</fps>", "<fps>inf</fps>"])
def test_times_are_frames_unless_the_frames_a_second_are_known(file, meta):
    with pytest.warns(
        DataWarning, match="a.xml: 1 file without the frames per second.*rate= makes"
    ):
        X, _ = read_cvat(file(CUP, meta=meta))
    assert X.to_lists() == [[("cup", 0, 75), ("cup", 80, 90)]]


def test_the_outline_has_the_attributes(file):
    (found,) = FORMATS["cvat"].outline(Files(file(STATES), (".xml",)))
    assert (found.kind, found.name, found.number) == ("attribute", "state", 3)
    assert (found.values, found.chosen_by) == (("full", "empty"), Option("attribute", "state"))


def test_tags_of_frames_that_follow_each_other_are_one_stretch(file):
    tags = [tag("steam", frame) for frame in (3, 4, 5, 9)] + [tag("noise", 4)]
    X, _ = read_cvat(file(*tags), rate=1)
    assert X.to_lists() == [[("steam", 3.0, 6.0), ("noise", 4.0, 5.0), ("steam", 9.0, 10.0)]]


def test_tags_are_told_apart_by_their_attribute(file):
    tags = [tag("act", 1, kind="walk"), tag("act", 2, kind="walk"), tag("act", 2, kind="talk")]
    X, _ = read_cvat(file(*tags), rate=1, attribute="kind")
    assert X.to_lists() == [[("walk", 1.0, 3.0), ("talk", 2.0, 3.0)]]


def test_every_nth_frame_is_a_step(file):
    path = file(tag("a", 0), tag("a", 5), tag("a", 15), name="b.xml")
    path.write_text(path.read_text().replace("<frame_filter>", "<frame_filter>step=5"))
    X, _ = read_cvat(path, rate=1)
    assert X.to_lists() == [[("a", 0.0, 10.0), ("a", 15.0, 20.0)]]


@pytest.mark.parametrize(("unclosed", "end"), [("last", 51), ("end", 100)])
def test_an_object_that_is_never_outside_is_counted(file, unclosed, end):
    with pytest.warns(DataWarning, match="1 object: never outside; taken to"):
        X, _ = read_cvat(file(track("cup", box(0), box(50))), rate=1, unclosed=unclosed)
    assert X.to_lists() == [[("cup", 0.0, end)]]


def test_an_object_that_is_never_outside_can_be_dropped_or_refused(file):
    path = file(track("cup", box(0), box(5, 1), box(10), box(50)))
    with pytest.warns(DataWarning, match="1 object: never outside; dropped"):
        X, _ = read_cvat(path, rate=1, unclosed="drop")
    assert X.to_lists() == [[("cup", 0.0, 5.0)]]
    with pytest.raises(DataError, match=r"a\.xml: track 2 \('cup'\): the object is never outside"):
        read_cvat(path, rate=1, unclosed="error")


def test_an_object_may_last_to_the_end_of_the_video(file):
    path = file(track("cup", box(0), box(99)))
    X, _ = read_cvat(path, rate=1, unclosed="error")
    assert X.to_lists() == [[("cup", 0.0, 100.0)]]
    with pytest.raises(DataError, match="never outside"):
        read_cvat(file(track("cup", box(0), box(98))), rate=1, unclosed="error")


def test_the_end_of_the_video_must_be_known(file):
    path = file(track("cup", box(0)))
    path.write_text(path.read_text().replace("stop_frame", "x").replace("size", "y"))
    with pytest.raises(DataError, match="has no known end"):
        read_cvat(path, rate=1, unclosed="end")


def test_the_last_frame_is_counted_from_the_size_where_it_does_not_stand_there(file):
    path = file(track("cup", box(0), box(99)))
    path.write_text(path.read_text().replace("stop_frame", "x"))
    assert read_cvat(path, rate=1, unclosed="error")[0].end.tolist() == [100]


def test_objects_without_the_attribute_are_counted_or_refused(file):
    path = file(STATES, track("hand", box(0), box(9, 1)))
    with pytest.warns(DataWarning, match="1 frame: of an object without 'state'"):
        X, _ = read_cvat(path, rate=1, attribute="state", unknown="drop")
    assert X.actions == ("empty", "full")
    with pytest.raises(DataError, match=r"track 3 \('hand'\), frame 0: a frame of an object"):
        read_cvat(path, rate=1, attribute="state")


@pytest.mark.filterwarnings("ignore::ibgn.DataWarning")
def test_an_attribute_that_nothing_has_is_refused_with_those_there_are(file):
    with pytest.raises(DataError, match="no attribute 'colour'; there are 'state'"):
        read_cvat(file(STATES), rate=1, attribute="colour", unknown="drop")
    with pytest.raises(DataError, match="an object without 'colour'; it has 'state'; correct it"):
        read_cvat(file(STATES), rate=1, attribute="colour")


def test_other_entries_are_counted_or_refused(file):
    path = file(CUP, "<ground_truth/>")
    with pytest.warns(DataWarning, match="1 entry: <ground_truth> and no track or tag"):
        read_cvat(path, rate=1, unknown="drop")
    with pytest.raises(DataError, match="<ground_truth>"):
        read_cvat(path, rate=1)


def test_two_objects_of_one_label_overlap(file):
    path = file(track("cup", box(0), box(9, 1)), track("cup", box(5), box(20, 1)))
    with pytest.warns(DataWarning, match="1 overlapping annotation"):
        X, _ = read_cvat(path, rate=1, overlaps="merge")
    assert X.to_lists() == [[("cup", 0.0, 20.0)]]
    with pytest.raises(DataError, match="overlaps another of 'cup'"):
        read_cvat(path, rate=1, overlaps="error")


def test_a_folder_of_files_has_an_instance_for_each(file, tmp_path):
    for folder in ("tea", "milk"):
        (tmp_path / folder).mkdir()
        file(CUP, name=f"{folder}/take.xml")
    X, y = read_cvat(tmp_path, rate=25, activity="folder")
    assert list(X.ids) == ["milk/take.xml", "tea/take.xml"]
    assert y.tolist() == ["milk", "tea"]


def test_a_file_without_tracks_is_an_instance_without_intervals(file):
    assert read_cvat(file(), rate=1)[0].lengths.tolist() == [0]


def images(*labels):
    frames = [f'<image id="{n}" name="f">{entry}</image>' for n, entry in enumerate(labels)]
    return "".join(frames)


def test_images_that_are_frames_of_a_video_have_times(file):
    jump, land = '<tag label="jump"/>', '<box label="land" xtl="1"/>'
    path = file(images("", jump, jump + land, land, "", land))
    assert read_cvat(path, rate=1)[0].to_lists() == [
        [("jump", 1.0, 3.0), ("land", 2.0, 4.0), ("land", 5.0, 6.0)]
    ]


def test_images_of_no_video_are_refused(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(document(images("")).replace("interpolation", "annotation"))
    with pytest.raises(DataError, match="'CVAT for images', and its pictures are of no video"):
        read_cvat(path, rate=1)


def test_a_skeleton_is_outside_where_all_its_points_are(file):
    def skeleton(frame, *outside):
        points = "".join(f'<points label="{n}" outside="{o}"/>' for n, o in enumerate(outside))
        return f'<skeleton frame="{frame}" keyframe="1">{points}</skeleton>'

    path = file(track("driver", skeleton(0, 0, 0), skeleton(4, 0, 1), skeleton(9, 1, 1)))
    assert read_cvat(path, rate=1)[0].to_lists() == [[("driver", 0.0, 9.0)]]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (['<image id="x" name="f"><tag label="a"/></image>'], "image 2: the frame is 'x'"),
        ([track("a", box("x"))], r"track 2 \('a'\): the frame is 'x'"),
        ([track("a", box(-1))], "the frame is '-1'"),
        ([track("a", box("9" * 400))], "it must be a whole number"),
        ([track("a", box(1), box(1, 1))], "frame 1 appears twice"),
        (["<track>"], "not XML"),
        (["</annotations><x/>"], "not XML"),
    ],
)
def test_wrong_entries_are_refused(file, entries, told):
    with pytest.raises(DataError, match=told):
        read_cvat(file(*entries), rate=1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<eaf/>", "the root is <eaf>, not <annotations>"),
        ("", "the file is empty"),
        (" ", "not XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><annotations>&b;</annotations>', "document type"),
        ("<annotations>" + "<a>" * 200, "deep"),
    ],
)
def test_other_xml_is_refused(tmp_path, text, told):
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(DataError, match=told):
        read_cvat(tmp_path / "a.xml", rate=1)


@pytest.mark.parametrize(
    "options",
    [
        {"attribute": []},
        {"rate": -1},
        {"rate": "25"},
        {"unclosed": "x"},
        {"unknown": "x"},
        {"overlaps": "x"},
    ],
)
def test_wrong_options_are_refused(file, options):
    with pytest.raises(OptionError):
        load(file(CUP), **{"rate": 25} | options, format="cvat")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0
