"""TextGrids: what Praat and other programs write is read right, and what is written comes back."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from ibgn import DataError, DataWarning, IntervalSequences
from ibgn.errors import OptionError
from ibgn.io import read_textgrid, write_textgrid
from ibgn.io.survey import survey
from tiered import labelled, names, same

SLOW_FOLDERS = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

LONG = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0 
xmax = 2.3 
tiers? <exists> 
size = 2 
item []: 
    item [1]:
        class = "IntervalTier" 
        name = "hands" 
        xmin = 0 
        xmax = 2.3 
        intervals: size = 3 
        intervals [1]:
            xmin = 0 
            xmax = 0.7 
            text = "réach ""it""" 
        intervals [2]:
            xmin = 0.7 
            xmax = 1.5 
            text = "" 
        intervals [3]:
            xmin = 1.5 
            xmax = 2.3 
            text = "grasp
again! 5" 
    item [2]:
        class = "IntervalTier" 
        name = "feet" 
        xmin = 0 
        xmax = 2.3 
        intervals: size = 1 
        intervals [1]:
            xmin = 0 
            xmax = 2.3 
            text = "stand" 
'''  # noqa: W291
SHORT = '''File type = "ooTextFile"
Object class = "TextGrid"

0
2.3
<exists>
2
"IntervalTier"
"hands"
0
2.3
3
0
0.7
"réach ""it"""
0.7
1.5
""
1.5
2.3
"grasp
again! 5"
"IntervalTier"
"feet"
0
2.3
1
0
2.3
"stand"
'''
FREE = '''File type = "ooTextFile short"  ! as Praat took it long ago
"TextGrid"
from 0s to 2.3 seconds ! not 5, nor "six"
<exists> and there are 2 tiers:
"IntervalTier" named "hands" 0 2.3 with 3 parts
0 0.7 "réach ""it""" 0.7 1.5 "" 1.5 2.3 "grasp
again! 5"
"IntervalTier" named "feet" 0 2.3 with 1 part 0 2.3 "stand" ! done
'''
CHRONOLOGICAL = """"Praat chronological TextGrid text file"
0 2.3   ! Time domain.
2   ! Number of tiers.
"IntervalTier" "Mary" 0 2.3
"TextTier" "bell" 0 2.3

1 0 1.2 ! Mary:
"say ""ah"" now"

2 0.5 ! bell:
"ding"

1 1.2 2.3
"go"
"""
POINTS = """File type = "ooTextFile"
Object class = "TextGrid"

0 2.3 <exists> 2
"IntervalTier" "hands" 0 2.3 1 0 2.3 "reach"
"TextTier" "bell" 0 2.3 2 0.5 "ding" 1.5 "dong"
"""
ROWS = [('réach "it"', 0, 0.7), ("stand", 0, 2.3), ("grasp\nagain! 5", 1.5, 2.3)]

SAMPLES = {
    "long.TextGrid": LONG.encode(),
    "short.TextGrid": SHORT.encode("utf-16"),
    "free.TextGrid": FREE.encode(),
    "points.TextGrid": POINTS.encode(),
}
READERS = {
    "long.TextGrid": read_textgrid,
    "short.TextGrid": read_textgrid,
    "free.TextGrid": read_textgrid,
    "points.TextGrid": lambda path: read_textgrid(path, points="keep", min_duration=0.1),
}


@pytest.fixture
def file(tmp_path):
    def make(content, name="talk.TextGrid"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def rows(path, **options):
    return read_textgrid(path, **options)[0].to_lists()[0]


@pytest.mark.parametrize("text", [LONG, SHORT, FREE], ids=["long", "short", "free"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_all_formats_and_encodings_of_text_say_the_same(file, text, encoding, newline):
    X, y = read_textgrid(file(text.replace("\n", newline).encode(encoding)))
    assert list(X.ids) == ["talk.TextGrid"]
    assert y is None
    assert X.to_lists()[0] == ROWS


def test_the_order_of_time_says_the_same_as_that_of_tiers(file):
    assert rows(file(CHRONOLOGICAL), tracks=["Mary"]) == [
        ('say "ah" now', 0, 1.2),
        ("go", 1.2, 2.3),
    ]


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le"])
def test_both_orders_of_bytes_are_known_by_their_mark(file, encoding):
    assert rows(file(f"\ufeff{LONG}".encode(encoding))) == ROWS
    assert rows(file(LONG.encode(encoding))) == ROWS
    assert rows(file(LONG.encode(encoding)), encoding=encoding) == ROWS
    with pytest.raises(DataError, match="NUL characters.*give encoding='utf-16-le'"):
        read_textgrid(file(LONG.replace("hands", "\0")))


def test_what_is_not_utf8_is_latin1_with_a_warning_unless_told(file):
    with pytest.warns(DataWarning, match="read as Latin-1.*'mac-roman'"):
        assert rows(file(LONG.encode("latin-1"))) == ROWS
    assert rows(file(LONG.encode("latin-1")), encoding="latin-1") == ROWS
    assert rows(file(LONG.encode("mac-roman")), encoding="mac-roman") == ROWS
    with pytest.raises(DataError, match="the text is not utf-8"):
        read_textgrid(file(LONG.encode("latin-1")), encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-9", "rot13", "base64", 7, "\0"])
def test_encodings_that_are_not_there_are_refused(file, encoding):
    with pytest.raises(OptionError, match="is not known; try"):
        read_textgrid(file(LONG), encoding=encoding)


def test_tiers_are_tracks(file):
    assert rows(file(LONG), tracks=["feet"]) == [("stand", 0, 2.3)]
    X, y = read_textgrid(file(LONG), activity="track:feet")
    assert y.tolist() == ["stand"]
    assert X.to_lists()[0] == [ROWS[0], ROWS[2]]


def test_points_are_refused_dropped_or_kept(file):
    with pytest.raises(DataError, match="tier 2 'bell', point 1 has no length.*points='drop'"):
        read_textgrid(file(POINTS))
    with pytest.warns(DataWarning, match="2 points left out, as they have no length"):
        assert rows(file(POINTS), points="drop") == [("reach", 0, 2.3)]
    with pytest.raises(DataError, match="tier 2 'bell', point 1.*zero length.*min_duration"):
        read_textgrid(file(POINTS), points="keep")
    kept = rows(file(POINTS), points="keep", min_duration=0.25)
    assert kept == [("reach", 0, 2.3), ("ding", 0.5, 0.75), ("dong", 1.5, 1.75)]
    with pytest.raises(OptionError, match="'error', 'drop', 'keep'"):
        read_textgrid(file(POINTS), points="no")


def test_points_on_tiers_that_were_not_chosen_do_not_matter(file):
    for points in ("error", "drop", "keep"):
        assert rows(file(POINTS), tracks=["hands"], points=points) == [("reach", 0, 2.3)]
    assert rows(file(POINTS.replace("2 0.5", "0 !"))) == [("reach", 0, 2.3)]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"ooBinaryFile\x08TextGrid", "the file is binary; .*'Save as text file...'"),
        ('"Praat chronological TextGrid text file"\n0 2.3', "ends where the number of tiers"),
        (CHRONOLOGICAL.replace("\n1 1.2", "\n3 1.2"), "there is no tier 3; it has 2"),
        ('File type = "ooTextFile"\nObject class = "Pitch 1"', "holds a 'Pitch 1', not a"),
        ("", "the file is empty"),
        ("\n", "the file ends where the type of the file should be"),
        ("one 2 three", "line 1: the type of the file, a text, is needed, got the number '2.0'"),
        ("action,start\nnod,1", "the file ends"),
        ('"a"', "the type of the file is 'a', not 'ooTextFile'"),
        (LONG[:-30], "the file ends where the text should be; is it all there"),
        (LONG[:-5], "line 37: the quote here is never closed"),
        (LONG.replace("size = 3", "size = 4"), "line 29: the time, a number, is needed, got"),
        (LONG.replace("size = 3", "size = 2"), "line 24: the class of the tier, a text, is"),
        (LONG.replace("size = 2", "size = 1"), "line 29: after the last tier comes"),
        (LONG.replace("size = 3", "size = 1e300"), "line 29: the time, a number, is needed"),
        (LONG.replace("size = 3", "size = -3"), "line 14: the size of the tier is '-3.0', not"),
        (LONG.replace("size = 3", "size = 2.5"), "not a whole number"),
        (LONG.replace("xmax = 0.7", "xmax = 0,7"), "line 17: '0,7' is not a finite number"),
        (LONG.replace("xmax = 0.7", "xmax = 1e999"), "line 17: '1e999' is not a finite"),
        (LONG.replace("xmax = 0.7", "xmax = 9" + "9" * 5000), "is not a finite number"),
        (LONG.replace("xmax = 0.7", "xmax = -1"), "interval 1 .*ends before it starts"),
        (LONG.replace("IntervalTier", "PitchTier", 1), "tier 1 'hands' is of class 'PitchTier'"),
        (LONG.replace("<exists>", "<exists"), "line 6: the < here is never closed"),
        (LONG.replace("<exists>", ""), "line 7: the flag <exists>, a flag, is needed"),
    ],
)
def test_an_error_says_what_is_wrong_and_where(file, content, why):
    with pytest.raises(DataError, match=f"talk.TextGrid: .*{why}"):
        read_textgrid(file(content))


def test_a_grid_without_tiers_is_an_instance_without_intervals(file):
    X, _ = read_textgrid(file('"ooTextFile" "TextGrid" 0 1 <absent>'))
    assert X.lengths.tolist() == [0]


def test_tiers_of_the_same_name_are_one_track(file):
    assert rows(file(LONG.replace("feet", "hands")), tracks=["hands"]) == ROWS


@pytest.mark.parametrize("text", ["hello", '{""instance"": 3}', '{""label"": [1]}', "{"])
def test_a_tier_that_only_looks_like_ours_is_a_tier_or_an_error(file, text):
    content = LONG.replace("feet", "ibgn").replace("stand", text)
    if text == "hello":
        assert ("hello", 0, 2.3) in rows(file(content))
    else:
        with pytest.raises(DataError, match="talk.TextGrid: the text on tier 'ibgn'"):
            read_textgrid(file(content))


@pytest.mark.parametrize("piece", ['""', '"', "!", "<", "<a", "1", "-", "a ", "=", '"a" ', "e1"])
def test_hostile_text_is_refused_quickly(file, piece):
    begin = time.monotonic()
    head = 'File type = "ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "'
    with pytest.raises(DataError):
        read_textgrid(file(head + piece * 300_000))
    assert time.monotonic() - begin < 10


def test_a_folder_is_read_by_the_names_of_its_files(file):
    file(LONG, "takes/b.TextGrid")
    X, y = read_textgrid(file(SHORT, "takes/a.textgrid").parent, activity="file")
    assert list(X.ids) == ["a.textgrid", "b.TextGrid"]
    assert y.tolist() == ["a", "b"]


@SLOW_FOLDERS
@given(labelled(names("\0\r")))
def test_everything_comes_back(tmp_path_factory, drawn):
    X, y = drawn
    path = tmp_path_factory.mktemp("written") / "x"
    write_textgrid(X, path, y)
    assert same(X, y, *read_textgrid(path))


@SLOW_FOLDERS
@given(labelled(names("\0\r"), most=1))
def test_tiers_are_filled_as_praat_wants_them(tmp_path_factory, drawn):
    from ibgn._files import InputFile
    from ibgn.io.formats.textgrid.grid import read_grid

    X, y = drawn
    path = tmp_path_factory.mktemp("written") / "x.TextGrid"
    write_textgrid(X, path, y)
    tiers = read_grid(InputFile(path)).tiers
    spans = {(tier.stretches[0][0], tier.stretches[-1][1]) for tier in tiers}
    assert len(spans) == 1
    for tier in tiers:
        assert all(start < end for start, end, _ in tier.stretches)
        ends = [end for _, end, _ in tier.stretches[:-1]]
        assert ends == [start for start, _, _ in tier.stretches[1:]]
    assert len({tier.name for tier in tiers}) == len(tiers)
    assert "e-" not in path.read_text().split("name = ")[0]


def test_the_tier_of_the_instance_can_be_read_by_people(tmp_path):
    path = tmp_path / "x.TextGrid"
    X = IntervalSequences.from_lists([[("nod", 0, 0.00001)]], ids=["čaj"], groups=[7])
    write_textgrid(X, path, ["tea"])
    text = path.read_text(encoding="utf-8")
    assert '"{""instance"": ""čaj"", ""label"": ""tea"", ""group"": 7}"' in text
    assert "xmax = 0.00001 \n" in text
    write_textgrid(X, tmp_path / "again.TextGrid", ["tea"])
    assert (tmp_path / "again.TextGrid").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("bad", ["\0", "\r"])
def test_actions_that_praat_does_not_keep_are_refused_before_anything_is_written(tmp_path, bad):
    X = IntervalSequences.from_lists([[("nod", 0, 1)], [(f"a{bad}b", 0, 1)]])
    with pytest.raises(DataError, match="replace it"):
        write_textgrid(X, tmp_path / "takes")
    assert list(tmp_path.iterdir()) == []


def test_one_instance_without_intervals_comes_back(tmp_path):
    X = IntervalSequences.from_lists([[]], ids=["none"])
    write_textgrid(X, tmp_path / "x.TextGrid")
    assert read_textgrid(tmp_path / "x.TextGrid")[0] == X


def test_two_files_of_one_instance_are_refused(tmp_path):
    X = IntervalSequences.from_lists([[("nod", 0, 1)]], ids=["monday"])
    write_textgrid(X, tmp_path / "a.TextGrid")
    write_textgrid(X, tmp_path / "b.TextGrid")
    with pytest.raises(DataError, match="'a.TextGrid' and 'b.TextGrid' both are.*'monday'"):
        read_textgrid(tmp_path)


@pytest.mark.parametrize("form", ["long_textgrid", "short_textgrid"])
def test_what_praatio_writes_is_read(tmp_path, form):
    textgrid = pytest.importorskip("praatio.textgrid")
    made = textgrid.Textgrid()
    stretches = [(0.25, 1.5, 'say "réach"'), (1.5, 2.0, "grasp"), (2.5, 3, "two\nlines")]
    made.addTier(textgrid.IntervalTier("hands", stretches, 0, 4))
    made.addTier(textgrid.PointTier("bell", [(0.5, "ding")], 0, 4))
    path = tmp_path / "x.TextGrid"
    made.save(str(path), format=form, includeBlankSpaces=True)
    assert rows(path, tracks=["hands"]) == [(text, a, b) for a, b, text in stretches]
    assert ("ding", 0.5, 0.6) in rows(path, points="keep", min_duration=0.1)


def test_praatio_reads_what_is_written(tmp_path):
    textgrid = pytest.importorskip("praatio.textgrid")
    path = tmp_path / "x.TextGrid"
    X = IntervalSequences.from_lists(
        [[("nod", 0, 2), ("nod", 1, 3), ('say "ah", <b>', 0.123456789, 1.25)]], ids=["a"]
    )
    write_textgrid(X, path)
    made = textgrid.openTextgrid(str(path), includeEmptyIntervals=False)
    found = {name: [tuple(e) for e in made.getTier(name).entries] for name in made.tierNames}
    assert found == {
        "nod": [(0, 2, "nod")],
        "nod (2)": [(1, 3, "nod")],
        'say "ah", <b>': [(0.123456789, 1.25, 'say "ah", <b>')],
        "ibgn": [(0, 3, '{"instance": "a"}')],
    }


@pytest.mark.filterwarnings("ignore:.*point left out")
def test_inspect_lists_tiers_of_points_and_empty_ones(ibgn):
    path = Path(__file__).parent / "samples" / "textgrid" / "short.TextGrid"
    entries = survey(path).entries
    assert [(e.kind, e.name, e.number, e.about) for e in entries] == [
        ("tier", "hand", 3, ""),
        ("tier", "tones", 1, "points"),
        ("tier", "empty", 0, "empty"),
    ]
    printed = ibgn("inspect", path).stdout
    assert re.search(r"^tones +1 +1 +H\* +points$", printed, re.M)
    assert re.search(r"^empty +0 +empty$", printed, re.M)
