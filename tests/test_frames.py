"""Labels of frames, ranges and segments, as data sets of video have them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from ibgn.errors import DataError, DataWarning, OptionError
from ibgn.io import read_frames
from ibgn.io.registry import load
from strategies import one_track

# tests of background ask for this warning; others use background as data sets do
pytestmark = pytest.mark.filterwarnings("ignore:.*left out as no action")

SAMPLES = {
    "P03_milk.txt": b"SIL\ntake_cup\ntake_cup\npour_milk\n\npour_milk\nSIL\n",
    "P04_tea.txt": b"1-30 SIL  \n31-150 take_cup  \n151-428 pour_water  \n429-575 SIL  \n",
    "S1_tea.txt": b"0 12.5 open bag\n12.5 14 pour water\n15 20 stir\n",
}
READERS = {
    "P03_milk.txt": lambda path: read_frames(path, rate=15, background=["SIL"]),
    "P04_tea.txt": lambda path: read_frames(
        path, rate=15, background=["SIL"], activity=r"([a-z]+)\.txt"
    ),
    "S1_tea.txt": lambda path: read_frames(path),
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="take.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@given(one_track())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_frames_made_from_intervals_give_them_back(tmp_path, rows):
    length = int(max([end for *_, end in rows], default=0)) + 1
    frames = ["SIL"] * length
    for action, start, end in rows:
        frames[int(start) : int(end)] = [action] * int(end - start)
    path = tmp_path / "take.txt"
    path.write_text("\n".join(frames) + "\n")
    assert read_frames(path)[0].to_lists() == [rows]
    halves = [(action, start / 2, end / 2) for action, start, end in rows]
    assert read_frames(path, rate=2)[0].to_lists() == [halves]


@given(one_track().filter(len))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ranges_and_segments_made_from_intervals_give_them_back(tmp_path, rows):
    path = tmp_path / "take.txt"
    path.write_text("".join(f"{s:.0f}-{e - 1:.0f} {action}  \n" for action, s, e in rows))
    assert read_frames(path)[0].to_lists() == [rows]
    path.write_text("".join(f"{s} {e} {action}\n" for action, s, e in rows))
    assert read_frames(path)[0].to_lists() == [rows]


def test_a_folder_gives_labels_and_groups_by_path(file):
    first = file("stir\nSIL\n", "milk/P03_cam01.txt")
    file("wash\n", "tea/P04_cam01.txt")
    X, y = read_frames(first.parent.parent, activity="folder", group=r"(P\d+)_")
    assert X.ids.tolist() == ["milk/P03_cam01.txt", "tea/P04_cam01.txt"]
    assert y.tolist() == ["milk", "tea"]
    assert X.groups.tolist() == ["P03", "P04"]


def test_background_is_no_action(file):
    path = file("action_start\nSIL\nbackground\nstir\nidle\naction_end\n")
    with pytest.warns(
        DataWarning, match="4 segments of SIL.* left out as no action; background= names"
    ):
        X, _ = read_frames(path)
    assert X.to_lists() == [[("stir", 3, 4), ("idle", 4, 5)]]
    assert read_frames(path, background=["idle"])[0].actions == (
        *("SIL", "action_end", "action_start", "background", "stir"),
    )


def test_an_empty_line_is_a_frame_without_action(file):
    assert read_frames(file("stir\n\nstir\n\n\n"))[0].to_lists() == [
        [("stir", 0, 1), ("stir", 2, 3)]
    ]


def test_a_file_of_background_is_an_instance_without_intervals(file):
    assert read_frames(file("SIL\nSIL\n"))[0].to_lists() == [[]]


def test_a_mapping_names_codes_and_may_lie_beside_the_files(file):
    path = file("0\n1\n1\nstir\n2\n", "takes/take.txt")
    mapping = file("0 SIL\n1 pour milk\n2 stir\n", "takes/mapping.txt")
    X, _ = read_frames(path.parent, mapping=mapping)
    assert X.ids.tolist() == ["take.txt"]
    assert X.to_lists() == [[("pour milk", 1, 3), ("stir", 3, 5)]]


def test_a_label_that_the_mapping_lacks_is_named(file):
    mapping = file("0 SIL\n", "mapping.txt")
    with pytest.raises(DataError, match="take.txt: line 2: the label '7' is neither a code"):
        read_frames(file("0\n7\n"), mapping=mapping)


@pytest.mark.parametrize("content", ["0 SIL\n0 stir\n", "stir\n"])
def test_a_mapping_has_a_code_and_a_name_on_each_line(file, content):
    with pytest.raises(DataError, match="mapping.txt: line"):
        read_frames(file("0\n"), mapping=file(content, "mapping.txt"))


@pytest.mark.parametrize("content", ["1-30 SIL\nstir\n", "stir\n0 4 stir\n", "1-2 a\n3 4 a\n"])
def test_mixed_forms_are_refused_with_both_lines(file, content):
    with pytest.raises(DataError, match="line 1 is .*, and line 2 is .* not mixed"):
        read_frames(file(content))


def test_form_overrules_how_lines_look(file):
    path = file("1 2 step\n1 2 step\n")
    assert read_frames(path, form="frames")[0].to_lists() == [[("1 2 step", 0, 2)]]
    with pytest.raises(DataError, match="line 1 is '1 2 step'; form='ranges' needs"):
        read_frames(path, form="ranges")


def test_a_byte_order_mark_and_returns_are_passed_over(file):
    assert read_frames(file(b"\xef\xbb\xbfstir\r\nstir\r\n"))[0].to_lists() == [[("stir", 0, 2)]]


def test_compressed_files_are_read(tmp_path):
    import gzip

    (tmp_path / "take.txt.gz").write_bytes(gzip.compress(b"stir\n"))
    assert read_frames(tmp_path)[0].ids.tolist() == ["take.txt.gz"]


def test_cleaning_options_are_passed_on(file):
    assert read_frames(file("0 4 stir\n"), closed="both")[0].to_lists() == [[("stir", 0, 5)]]
    with pytest.raises(DataError, match="line 1 .*zero length"):
        read_frames(file("4 4 stir\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"\xff\xfa", "UTF-8"),
        (b"\xff\xfe", "empty"),
        (b"9-1 stir\n", "ends before"),
    ],
)
def test_files_that_cannot_be_read_say_why(file, content, message):
    with pytest.raises(DataError, match=f"take.txt.*{message}"):
        read_frames(file(content))


@pytest.mark.parametrize(
    "options",
    [
        {"rate": 0},
        {"rate": "15"},
        {"background": "SIL"},
        {"background": 5},
        {"rate": 1e-310},
        {"form": "lines"},
        {"colour": 1},
    ],
)
def test_options_are_checked(file, options):
    with pytest.raises(OptionError):
        read_frames(file("stir\n"), **options)


def test_loading_tells_the_lines(file):
    table = load(file("SIL\nstir\nstir\n"), format="frames")
    assert table.place(0) == "take.txt, line 2"


def test_a_million_frames_are_read(file, rng):
    codes = np.repeat(rng.integers(0, 9, 10_000), 100)
    names = np.array([f"action_{code}" for code in range(9)])[codes]
    X, _ = read_frames(file("\n".join(names.tolist())), rate=30)
    assert X.lengths.tolist() == [1 + int((np.diff(codes) != 0).sum())]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 2950000 sil\n2950000 3600000 m\n", "1 file: times look like ticks of 100 ns"),
        ("0 9640 h#\n9640 11240 sh\n", "1 file: times are large whole numbers, as samples"),
    ],
)
def test_times_of_speech_are_said_to_be_no_seconds(tmp_path, text, said):
    path = tmp_path / "SA1.PHN"
    path.write_text(text)
    with pytest.warns(DataWarning, match=said):
        read_frames(path)
    X, _ = read_frames(path, rate=16000)
    assert X.start[1] == float(text.split()[1]) / 16000
