"""Sensor recordings from files: what is read, and what is said of files that cannot be."""

import gzip
from functools import partial

import numpy as np
import pytest

from ibgn import DataError, DataWarning
from ibgn.errors import OptionError
from ibgn.io import read_sensors

SAMPLES = {
    "walk.csv": b"time,x,y,legs\n0,1.5,2,step\n0.1,,3,step\n0.2,1.0,4,\n0.3,1,5,hop\n",
    "arm.csv": b"t;acc;grip\n0;-1e3;0\n33;NaN;406\n67;2;406\n",
}
READERS = {
    "walk.csv": partial(read_sensors, tracks=["legs"]),
    "arm.csv": partial(
        read_sensors, time="t", tracks=["grip"], null=["0"], unit=0.001, delimiter=";"
    ),
}


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "one.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_sensors(path, **options)

    return read


def test_time_channels_and_labels_are_read(tmp_path):
    for name, content in SAMPLES.items():
        (tmp_path / name).write_bytes(content)
    [walk] = READERS["walk.csv"](tmp_path / "walk.csv")
    assert (walk.id, walk.names, walk.group) == ("walk.csv", ("x", "y"), None)
    np.testing.assert_array_equal(walk.channels, [[1.5, 2], [np.nan, 3], [1, 4], [1, 5]])
    assert walk.labels["legs"].tolist() == ["step", "step", None, "hop"]
    [arm] = READERS["arm.csv"](tmp_path / "arm.csv")
    np.testing.assert_allclose(arm.time, [0, 0.033, 0.067])
    assert arm.labels["grip"].tolist() == [None, "406", "406"]
    assert np.isnan(arm.channels[1, 0])


def test_a_folder_is_one_recording_a_file(tmp_path):
    for name in ("anna/1.csv", "anna/2.csv.gz", "ben/1.csv", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        content = SAMPLES["walk.csv"]
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    found = read_sensors(tmp_path, tracks=["legs"], group="folder")
    assert [one.id for one in found] == ["anna/1.csv", "anna/2.csv.gz", "ben/1.csv"]
    assert [one.group for one in found] == ["anna", "anna", "ben"]
    by_name = read_sensors(tmp_path, tracks=["legs"], group=r"(\d)\.csv")
    assert [one.group for one in by_name] == ["1", "2", "1"]


def test_columns_are_chosen_or_ignored(read):
    content = "time,x,note,y\n0,1,hello,2\n1,3,there,4\n"
    assert read(content, channels=["y", "x"])[0].channels.tolist() == [[2, 1], [4, 3]]
    assert read(content, ignore=["note", "absent"])[0].names == ("x", "y")
    with pytest.raises(DataError, match="row 2: column 'note' is 'hello', not a number"):
        read(content)


@pytest.mark.parametrize(("content", "words"), [
    ("", "the file is empty"),
    ("t,x\n0,1\n", "no column 'time' \\(found: 't', 'x'\\)"),
    ("time;x\n0;1\n", "another delimiter"),
    ("time\n0\n", "no channels"),
    ("time,x,x\n0,1,2\n", "the column 'x' 2 times"),
    ("time,x\n0,1\n1,2,3\n", "number of columns"),
    ("time,x\n0,1\n0,2\n", "frame 1, 0, is not later"),
    ("time,x\n0,1\n,2\n", "is missing"),
    ("time,x\n2024-01-01,1\n", "total_seconds"),
    ("time,x\n0,1e999\n", "channel 'x' is inf in frame 0"),
    ('time,x\n0,"1\n', "not readable as CSV"),
    (b"time,x\n0,\xff\n", "the text is not utf-8"),
])  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(read, content, words):
    with pytest.raises(DataError, match=words):
        read(content)


@pytest.mark.parametrize(("options", "words"), [
    ({"tracks": "legs"}, "tracks=.* must be a list of names"),
    ({"channels": [1]}, "channels=.* must be a list of names"),
    ({"ignore": 3}, "ignore=.* must be a list of names"),
    ({"tracks": ["x"], "channels": ["x"]}, "'x', which is named twice"),
    ({"unit": 0}, "unit=.* must be positive"),
    ({"group": "("}, "neither one of 'folder', 'file' nor a regular expression"),
    ({"delimiter": ",,"}, "delimiter=.* must be one character"),
    ({"encoding": "nonsense"}, "encoding=.* is not known"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(read, options, words):
    with pytest.raises(OptionError, match=words):
        read("time,x\n0,1\n", **options)


def test_columns_without_a_name_are_told_unless_they_are_empty(read):
    assert read("time,x,\n0,1,\n1,2,\n")[0].names == ("x",)
    with pytest.warns(DataWarning, match="left out 1 column without a name"):
        assert read(",time,x\n0,0,1\n1,1,2\n")[0].names == ("x",)


def test_a_file_with_a_header_only_is_a_recording_without_frames(read):
    [one] = read("time,x,legs\n", tracks=["legs"])
    assert len(one) == 0
    assert one.labels["legs"].tolist() == []


def test_numbers_with_spaces_and_missing_ones_are_read_whatever_pandas_makes_of_them(read):
    [one] = read("time,x,y\n0, 1.5 ,NA\n1, ,nan\n2,+2e0,3\n")
    np.testing.assert_array_equal(one.channels, [[1.5, np.nan], [np.nan, np.nan], [2, 3]])
