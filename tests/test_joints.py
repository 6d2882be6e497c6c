"""Recordings of hand joints: layouts, labels, errors that say where, and damaged files."""

import gzip

import numpy as np
import pytest

from ibgn.datasets import make_hand_signs
from ibgn.detection.fingers import FingerDetector
from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import read_joints

POINTS = ",".join(
    f"right index {point} {axis}" for point in ("mcp", "pip", "dip", "tip") for axis in "xyz"
)
STRAIGHT = "0,0,0,4,0,0,7,0,0,9,0,0"
BENT = "0,0,0,4,0,0,4,3,0,2,3,0"

SAMPLES = {
    "angles.csv": b"time,Right_Index,right thumb\n0.0,3,80\n0.04,5.5,\n0.08,NaN,-1e1\n",
    "positions.csv": f"{POINTS}\n{STRAIGHT}\n{BENT}\n{BENT}\n".encode(),
}
READERS = {
    "angles.csv": lambda path: read_joints(path, activity=None),
    "positions.csv": lambda path: read_joints(path, activity="file", rate=25),
}


def read_text(folder, text, **options):
    path = folder / "take.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_joints(path, **{"activity": None, "rate": 10} | options)


def test_angles_are_read(tmp_path):
    [one], y = read_text(tmp_path, SAMPLES["angles.csv"], rate=None)
    assert y is None
    assert one.names == ("right index", "right thumb")
    assert one.time.tolist() == [0, 0.04, 0.08]
    assert np.array_equal(one.channels, [[3, 80], [5.5, np.nan], [np.nan, -10]], equal_nan=True)


def test_positions_are_read_and_bent_where_the_finger_is(tmp_path):
    recordings, _ = read_text(tmp_path, SAMPLES["positions.csv"], rate=8)
    X = FingerDetector().transform(recordings)
    assert X.to_lists() == [
        [("right index straight", 0.0, 0.125), ("right index bent", 0.125, 0.375)]
    ]


def test_the_rate_gives_the_times(tmp_path):
    [one], _ = read_text(tmp_path, "left ring\n1\n2\n\n3\n", rate=50)
    assert one.time.tolist() == [0, 0.02, 0.04]


def test_folders_name_labels_and_patterns_name_groups(tmp_path):
    for name in ("quiz/s1_a.csv", "quiz/s2_a.csv", "air/s1_b.csv.gz"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        text = b"left ring\n1\n"
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    recordings, y = read_joints(tmp_path, group="(s[0-9])_", rate=30)
    assert [one.id for one in recordings] == ["air/s1_b.csv.gz", "quiz/s1_a.csv", "quiz/s2_a.csv"]
    assert y.tolist() == ["air", "quiz", "quiz"]
    assert [one.group for one in recordings] == ["s1", "s1", "s2"]


def test_recordings_that_were_written_give_the_same_intervals(tmp_path, seed):
    _, y, _, made = make_hand_signs(instances_per_style=1, joint_angles=True, random_state=seed)
    for word, one in zip(y, made, strict=True):
        (tmp_path / word).mkdir(exist_ok=True)
        table = np.column_stack([one.time, one.channels])
        header = ",".join(["time", *one.names])
        path = tmp_path / word / f"{one.group}_{one.id}.csv"
        np.savetxt(path, table, "%.17g", ",", header=header, comments="")
    read, labels = read_joints(tmp_path, group="(signer [0-9]+)_")
    found = {one.id: part for one, part in zip(read, FingerDetector().transform(read), strict=True)}
    for word, one in zip(y, made, strict=True):
        name = f"{word}/{one.group}_{one.id}.csv"
        assert found[name].to_lists() == FingerDetector().transform([one]).to_lists()
    assert sorted(labels) == sorted(y)


def test_columns_that_name_no_finger_are_counted(tmp_path):
    with pytest.warns(DataWarning, match=r"left out 2 columns that name no finger \(first: 'wrist"):
        [one], _ = read_text(tmp_path, "wrist x,left ring,nose\n1,2,x\n")
    assert one.names == ("left ring",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        ("\n\n", ["empty"]),
        ("a,b\n1,2\n", ["names a finger", "'a, b'"]),
        ("time\n1\n", ["names a finger"]),
        ("left ring,Left_Ring\n1,2\n", ["two columns", "'left ring'"]),
        ("left ring\n1\nbent\n", ["line 3", "'left ring'", "'bent'"]),
        ("left ring,left index\n1,2\n3\n", ["line 3", "1 cell", "header 2"]),
        ("time,left ring\n0,1\n0,2\n", ["not later"]),
        ("time,left ring\n0,1\n,2\n", ["missing"]),
        ("left ring\ninf\n", ["inf"]),
        (b"left ring\n\xff\n", ["UTF-8"]),
        ('left ring\n"1\n', ["CSV"]),
    ],
)
def test_errors_say_where_and_what(tmp_path, text, words):
    with pytest.raises(DataError) as caught:
        read_text(tmp_path, text)
    assert "take.csv" in str(caught.value)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_files_without_times_need_a_rate(tmp_path):
    with pytest.raises(DataError, match="rate="):
        read_text(tmp_path, "left ring\n1\n", rate=None)
    with pytest.raises(OptionError, match="rate"):
        read_text(tmp_path, "left ring\n1\n", rate=0)


def test_labels_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match="in no folder"):
        read_text(tmp_path, "left ring\n1\n", activity="folder")
    with pytest.raises(OptionError, match="activity"):
        read_text(tmp_path, "left ring\n1\n", activity="(")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"\*\.csv"):
        read_joints(tmp_path / "empty")
