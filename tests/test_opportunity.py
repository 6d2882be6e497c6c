"""The Opportunity recordings: made to the published layout, and checked by hand."""

import gzip
import re
import warnings
from itertools import pairwise

import numpy as np
import pytest

from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import read_opportunity, read_opportunity_frames
from ibgn.io.formats.opportunity.legend import CHANNELS, LEGEND, TRACKS, WIDTH
from ibgn.io.registry import load

# Locomotion, activity, left arm, its object, right arm, its object, both arms: ten frames
FRAMES = [
    (0, 0, 0, 0, 0, 0, 0),
    (1, 0, 0, 0, 0, 0, 0),
    (1, 102, 0, 0, 405, 520, 0),
    (1, 102, 0, 0, 406, 520, 406520),
    (1, 102, 0, 0, 406, 520, 406520),
    (2, 102, 0, 321, 406, 507, 0),
    (2, 102, 207, 321, 0, 0, 0),
    (2, 0, 207, 321, 0, 0, 0),
    (2, 104, 207, 321, 0, 0, 0),
    (0, 104, 0, 0, 413, 0, 0),
]


def write(frames, step=100, channels=None):
    """A file with these labels, a frame each step milliseconds."""
    lines = []
    for number, labels in enumerate(frames):
        values = channels[number] if channels is not None else ["NaN"] * 242
        lines.append(" ".join(map(str, [number * step, *values, *labels])))
    return ("\n".join(lines) + "\n").encode()


SAMPLES = {
    "S1-ADL1.dat": write(FRAMES),
    "S2-ADL5.dat": write(FRAMES[3:], 33, np.arange(7 * 242).reshape(7, 242) - 900),
    "S3-Drill.dat": write([(1, 0, 0, 0, 406, 516, 406516), (1, 0, 0, 0, 404, 516, 404516)]),
}
READERS = {
    "S1-ADL1.dat": lambda path: read_opportunity(path),
    "S2-ADL5.dat": lambda path: read_opportunity_frames(path),
    "S3-Drill.dat": lambda path: read_opportunity(
        path, null=True, merge_objects=True, runs=None, unknown="drop"
    ),
}


@pytest.fixture
def folder(tmp_path):
    for name, content in SAMPLES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def written(folder, content, name="S1-ADL1.dat"):
    path = folder / name
    path.write_bytes(content)
    return path


def rows(X, instance):
    return [
        (action, pytest.approx(start), pytest.approx(end))
        for action, start, end in X.to_lists()[instance]
    ]


def read_quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_opportunity(*args, **options)


def test_layout_is_the_published_one(shared):
    folder = shared / "data" / "opportunity"
    if not folder.is_dir():
        pytest.skip("no folder data/opportunity")
    published = re.findall(
        r"^Column: (\d+) ([^;\n]+)", (folder / "column_names.txt").read_text(), re.M
    )
    assert [int(number) for number, _ in published] == list(range(1, WIDTH + 1))
    ours = ["MILLISEC", *CHANNELS, *LEGEND]
    for name, (number, theirs) in zip(ours, published, strict=True):
        # the layout names three axes of objects X, X and X
        same = theirs.replace("accX", "acc") == re.sub("acc[XYZ]", "acc", name)
        assert name == theirs or (135 <= int(number) <= 194 and same), (name, theirs)
    assert len(set(CHANNELS)) == 242
    legend = re.findall(
        r"^(\d+)\s+-\s+(\S+)\s+-\s+(.+?)\s*$", (folder / "label_legend.txt").read_text(), re.M
    )
    assert {(int(code), track, name) for code, track, name in legend} == {
        (code, track, name) for track, names in LEGEND.items() for code, name in names.items()
    }


def test_numbers_of_actions_that_are_possible():
    """211 published actions: more than the labels of all tracks, fewer than all pairs."""
    labels = sum(len(LEGEND[track]) for track in TRACKS)
    alone = len(LEGEND["Locomotion"]) + len(LEGEND["ML_Both_Arms"])
    pairs = len(LEGEND["LL_Left_Arm"]) * len(LEGEND["LL_Left_Arm_Object"])
    assert (labels, alone, pairs) == (93, 21, 299)
    assert labels < 211 < alone + 2 * pairs
    assert (211 - alone) / 2 == 95


def test_a_stretch_of_an_activity_is_an_instance(folder):
    X, y = read_opportunity(folder / "S1-ADL1.dat")
    assert y.tolist() == ["Coffee time", "Cleanup"]
    assert X.ids.tolist() == ["S1-ADL1.dat#1", "S1-ADL1.dat#2"]
    assert X.groups.tolist() == ["S1", "S1"]


def test_actions_are_clipped_to_their_activity(folder):
    X, _ = read_opportunity(folder / "S1-ADL1.dat")
    assert rows(X, 0) == [
        ("LL_Right_Arm: reach", 0.2, 0.3),
        ("LL_Right_Arm_Object: Fridge", 0.2, 0.5),
        ("Locomotion: Stand", 0.2, 0.5),
        ("ML_Both_Arms: Open Fridge", 0.3, 0.5),
        ("LL_Right_Arm: open", 0.3, 0.6),
        ("LL_Right_Arm_Object: Milk", 0.5, 0.6),
        ("LL_Left_Arm_Object: Cup", 0.5, 0.7),
        ("Locomotion: Walk", 0.5, 0.7),
        ("LL_Left_Arm: sip", 0.6, 0.7),
    ]
    assert rows(X, 1) == [
        ("LL_Left_Arm: sip", 0.8, 0.9),
        ("LL_Left_Arm_Object: Cup", 0.8, 0.9),
        ("Locomotion: Walk", 0.8, 0.9),
        ("LL_Right_Arm: move", 0.9, 0.9 + 1 / 30),
    ]


def test_an_arm_and_its_object_are_merged(folder):
    X, _ = read_opportunity(
        folder / "S1-ADL1.dat", merge_objects=True, tracks=[t for t in TRACKS if t[:2] == "LL"]
    )
    assert rows(X, 0) == [
        ("LL_Right_Arm: reach Fridge", 0.2, 0.3),
        ("LL_Right_Arm: open Fridge", 0.3, 0.5),
        ("LL_Left_Arm_Object: Cup", 0.5, 0.6),
        ("LL_Right_Arm: open Milk", 0.5, 0.6),
        ("LL_Left_Arm: sip Cup", 0.6, 0.7),
    ]
    assert rows(X, 1) == [
        ("LL_Left_Arm: sip Cup", 0.8, 0.9),
        ("LL_Right_Arm: move", 0.9, 0.9 + 1 / 30),
    ]


def test_merging_needs_both_tracks(folder):
    X, _ = read_opportunity(folder / "S1-ADL1.dat", merge_objects=True, tracks=["LL_Right_Arm"])
    assert X.actions == ("LL_Right_Arm: move", "LL_Right_Arm: open", "LL_Right_Arm: reach")
    X, _ = read_opportunity(
        folder / "S1-ADL1.dat", merge_objects=True, tracks=["LL_Right_Arm_Object"]
    )
    assert X.actions == ("LL_Right_Arm_Object: Fridge", "LL_Right_Arm_Object: Milk")


def test_null_stretches_are_an_activity_by_option(folder):
    X, y = read_opportunity(folder / "S1-ADL1.dat", null=True)
    assert y.tolist() == ["null", "Coffee time", "null", "Cleanup"]
    assert rows(X, 0) == [("Locomotion: Stand", 0.1, 0.2)]
    assert X.lengths.tolist() == [1, 9, 3, 4]


def test_what_lies_outside_of_all_activities_is_counted(tmp_path):
    path = written(tmp_path, write([(4, 0, 0, 0, 0, 0, 0), (1, 101, 0, 0, 0, 0, 0)]))
    with pytest.warns(DataWarning, match="1 annotation outside of every activity"):
        X, y = read_opportunity(path)
    assert (X.actions, y.tolist()) == (("Locomotion: Stand",), ["Relaxing"])


def test_an_activity_without_actions_is_an_instance(tmp_path):
    path = written(tmp_path, write([(0, 101, 0, 0, 0, 0, 0), (1, 102, 0, 0, 0, 0, 0)]))
    X, y = read_opportunity(path)
    assert X.lengths.tolist() == [0, 1]
    assert y.tolist() == ["Relaxing", "Coffee time"]


def test_a_folder_gives_all_subjects_and_runs_are_chosen(folder):
    X, _ = read_opportunity(folder)
    assert X.groups.tolist() == ["S1", "S1", "S2", "S2"]
    X, _ = read_opportunity(folder, runs=["ADL5"])
    assert X.groups.tolist() == ["S2", "S2"]
    X, y = read_opportunity(folder, runs=None, null=True)
    assert (X.groups[-1], y[-1]) == ("S3", "null")
    files = [folder / "S2-ADL5.dat", folder / "S1-ADL1.dat"]
    assert read_opportunity(files)[0].groups.tolist() == ["S2", "S2", "S1", "S1"]


def test_compressed_files_are_read(folder):
    packed = written(folder, gzip.compress(SAMPLES["S1-ADL1.dat"]), "S1-ADL1.dat.gz")
    assert read_opportunity(packed)[0].to_lists() == (
        read_opportunity(folder / "S1-ADL1.dat")[0].to_lists()
    )


def test_every_frame_is_in_the_interval_of_its_label(tmp_path, rng):
    frames = [
        (rng.choice([0, 1, 2]), rng.choice([0, 101, 102]), *[0] * 4, rng.choice([0, 406516]))
        for _ in range(200)
    ]
    X, y = read_quietly(written(tmp_path, write(frames)), null=True)
    names = {"Locomotion": 0, "ML_Both_Arms": 6}
    seen = {(number, track): [] for number in range(200) for track in names}
    for instance, label in zip(X.to_lists(), y, strict=True):
        for action, start, end in instance:
            track, value = action.split(": ")
            for frame in range(round(start * 10), round(min(end, 20) * 10 + 0.2)):
                seen[frame, track].append((value, label))
    for (frame, track), found in seen.items():
        code, activity = frames[frame][names[track]], frames[frame][1]
        expected = (LEGEND[track].get(code), LEGEND["HL_Activity"].get(activity, "null"))
        assert found == ([expected] if code else [])
    assert all(before != after for before, after in pairwise(y))


def test_frames_have_names_and_missing_values(folder):
    frames = read_opportunity_frames(
        folder, columns=["LOCATION TAG4 Z", "Accelerometer HIP"], runs=["ADL"]
    )
    assert [(part.id, part.group) for part in frames] == [
        ("S1-ADL1.dat", "S1"),
        ("S2-ADL5.dat", "S2"),
    ]
    first, second = frames
    assert second.names == (
        "Accelerometer HIP accX",
        "Accelerometer HIP accY",
        "Accelerometer HIP accZ",
        "LOCATION TAG4 Z",
    )
    assert second.channels[1].tolist() == [242 - 897, 242 - 896, 242 - 895, 242 - 659]
    assert np.isnan(first.channels).all()
    assert first.time == pytest.approx(np.arange(10) / 10)
    assert set(first.labels) == set(LEGEND)
    assert first.labels["HL_Activity"].tolist() == (
        [None] * 2 + ["Coffee time"] * 5 + [None] + ["Cleanup"] * 2
    )


def test_all_channels_are_read_by_default(folder):
    [frames] = read_opportunity_frames(folder / "S2-ADL5.dat")
    assert frames.names == CHANNELS
    assert (frames.channels == np.arange(7 * 242).reshape(7, 242) - 900).all()


def test_load_gives_the_table_that_read_reads(folder):
    table = load(folder, format="opportunity")
    assert {"instance", "label", "group", "action", "start", "end", "track"} == set(table.series)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["empty"]),
        (b"\n\n", ["empty"]),
        (write(FRAMES)[:-8], ["frame 10", "not 250"]),
        (write(FRAMES).replace(b"\n", b" 1\n", 1), ["frame 1", "251 columns"]),
        (write(FRAMES).replace(b" 405 ", b" reach ", 1), ["frame 3", "column 248", "'reach'"]),
        (write(FRAMES).replace(b" 405 ", b" 499 ", 1), ["frame 3", "LL_Right_Arm", "499"]),
        (write(FRAMES).replace(b" 405 ", b" 405.5 ", 1), ["frame 3", "LL_Right_Arm", "405.5"]),
        (write(FRAMES).replace(b" 405 ", b" NaN ", 1), ["frame 3", "LL_Right_Arm", "nan"]),
        (write(FRAMES).replace(b"\n500 ", b"\n400 ", 1), ["frame 6", "400 ms", "increase"]),
        (write(FRAMES).replace(b"\n500 ", b"\nNaN ", 1), ["frame 6", "nan ms"]),
        (write(FRAMES).replace(b"\n500 ", b"\n1e999 ", 1), ["frame 6", "inf ms"]),
        (write(FRAMES[:2]), ["high-level", "null=True"]),
    ],
)
def test_errors_say_where_and_what(tmp_path, content, words):
    with pytest.raises(DataError) as caught:
        read_opportunity(written(tmp_path, content))
    assert "S1-ADL1.dat" in str(caught.value)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_unknown_codes_are_dropped_by_option_and_counted(tmp_path):
    content = write(FRAMES).replace(b" 406 520 406520", b" 499 520 406520")
    with pytest.warns(DataWarning, match=r"LL_Right_Arm has no code 499 \(1 more frame likewise\)"):
        X, _ = read_opportunity(written(tmp_path, content), unknown="drop")
    assert ("LL_Right_Arm: open", pytest.approx(0.5), pytest.approx(0.6)) in rows(X, 0)


def test_gaps_between_frames_are_counted(tmp_path):
    with pytest.warns(DataWarning, match="9 gaps of more than 1 s"):
        read_opportunity(written(tmp_path, write(FRAMES, step=1500)))


def test_names_of_files_must_tell_the_subject(tmp_path):
    with pytest.raises(DataError, match="S1-ADL3.dat"):
        read_opportunity(written(tmp_path, SAMPLES["S1-ADL1.dat"], "other.dat"))


def test_files_and_runs_that_are_not_there(folder):
    with pytest.raises(DataError, match="no file"):
        read_opportunity(folder / "S9-ADL1.dat")
    with pytest.raises(DataError, match="runs=None"):
        read_opportunity(folder / "S3-Drill.dat")
    with pytest.raises(DataError, match="2 times"):
        read_opportunity([folder / "S1-ADL1.dat", folder / "S1-ADL1.dat"])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"tracks": "Locomotion"}, "tracks"),
        ({"tracks": ["HL_Activity"]}, "tracks"),
        ({"runs": "ADL"}, "runs"),
        ({"unknown": "keep"}, "unknown"),
    ],
)
def test_options_are_checked(folder, options, word):
    with pytest.raises(OptionError, match=word):
        read_opportunity(folder / "S1-ADL1.dat", **options)


def test_channels_are_checked(folder):
    with pytest.raises(OptionError, match="'KNEE', with which no channel begins"):
        read_opportunity_frames(folder, columns=["KNEE"])
    with pytest.raises(OptionError, match="columns"):
        read_opportunity_frames(folder, columns="LOCATION")


@pytest.mark.parametrize("name", ["null", "merge_objects"])
def test_text_is_neither_true_nor_false(folder, name):
    with pytest.raises(OptionError, match=f"{name}='False' must be true or false"):
        read_opportunity(folder, **{name: "False"})
