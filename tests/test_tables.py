"""Tables and logs that others wrote: their dialects, and what is said of them."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import ibgn
import independent_behaviour
from ibgn import DataError, DataWarning, read_csv
from ibgn.errors import Option
from ibgn.io import read_boris, read_events
from ibgn.io.registry import find_format, load
from independent_tables import PARSERS

SAMPLES = Path(__file__).parent / "samples"
LENIENT = {"boris": {"points": "drop"}, "events": {"unknown": "drop"}}


NEEDED = {
    "csv/point_labels.txt": {"min_duration": 1},
    "csv/two_that_may_be_actions.csv": {"columns": {"action": "time"}},
    "xml/words.xml": {"zero_length": "drop"},
    "events/lifecycle.csv": {"unpaired": "drop"},
}


def rows_of(X, one_instance=False):
    return sorted(
        (None if one_instance else str(name), *row)
        for name, rows in zip(X.ids, X.to_lists(), strict=True)
        for row in rows
    )


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return ibgn.read(path, **options)


@pytest.fixture
def file(tmp_path):
    def make(content, name="table.csv"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return make


@pytest.mark.parametrize("name", PARSERS)
def test_a_sample_is_read_as_an_independent_parser_reads_it(name):
    path = SAMPLES / name
    format = find_format(path, None)
    assert format == Path(name).parts[0]
    X, _ = read(path, **LENIENT.get(format, {}), **NEEDED.get(name, {}))
    expected = list(PARSERS[name](path))
    one_instance = all(instance is None for instance, *_ in expected)
    assert len(X) == 1 or not one_instance
    got = rows_of(X, one_instance)
    assert [row[:2] for row in got] == [row[:2] for row in sorted(expected)]
    np.testing.assert_allclose(
        [row[2:] for row in got], [row[2:] for row in sorted(expected)], rtol=0, atol=1e-9
    )


def test_every_sample_has_an_independent_parser():
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    named = {path.relative_to(SAMPLES).as_posix() for path in files}
    folders = tuple(f"{name}/" for name in PARSERS)
    ours = {name for name in named if name.split("/")[0] in ("csv", "events", "boris", "frames")}
    parsed = PARSERS.keys() | independent_behaviour.PARSERS.keys()
    assert {name for name in ours if not name.startswith(folders)} <= parsed


def test_what_was_made_of_the_columns_is_said_and_can_be_given(file):
    path = file("clip;onset;offset;mark\na;0,5;1;x\na;1;2,5;y\nb;0;1;x\n")
    with pytest.warns(DataWarning, match="recognised by their names") as said:
        X, _ = read_csv(path)
    option = next(part for part in said[0].message.parts if not isinstance(part, str))
    assert option.value == {"instance": "clip", "action": "mark", "start": "onset", "end": "offset"}
    again, _ = read_csv(path, **dict([option]))  # nothing is guessed, and nothing said
    assert again.to_lists() == X.to_lists() == [[("x", 0.5, 1), ("y", 1, 2.5)], [("x", 0, 1)]]


def test_columns_of_a_table_without_names_are_given_by_number(file):
    path = file("0 2 walk ann\n2 3 sit ann\n5 1 walk bob\n", "log.txt")
    columns = {"start": 1, "length": 2, "action": 3, "instance": "4"}  # as --column instance=4
    X, _ = read_csv(path, columns=columns)
    assert X.to_lists() == [[("walk", 0, 2), ("sit", 2, 5)], [("walk", 5, 6)]]
    X, _ = read_csv(path, columns={**columns, "action": "3+4", "instance": 4}, header=False)
    assert X.actions == ("sit ann", "walk ann", "walk bob")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "who,wo,from,to\na,x,0,1\na,y,1,2\nb,x,2,3\n",
            "no column could be recognised as the action .found: 'who', 'wo'",
        ),
        ("what,x,y\na,0,1\nb,1,2\n", "no column could be recognised as the start or the end"),
        ("a,b,c\nx,y,z\n", "no line has a time or a number in a column"),
        (
            "start,end,action\n0,1,a\n1:x,2,b\n2,3,c\n",
            r"line 3 .*: the start is '1:x', not a number",
        ),
        ("start,end,action\n0,1,a\n1,2,b\n2\n3,4,c\n", r"line 4 .*: the action is missing"),
        ("start,end,action\n1/1/2001 9:00,1/1/2001 25:00,a\n", "line 2: there is no date and time"),
    ],
)
def test_what_cannot_be_told_is_asked(file, content, message):
    with pytest.raises(DataError, match=f"table.csv: {message}"):
        read_csv(file(content))


LISTS = {
    "classes": "id,key,category\n0,take,get\n1,put,leave\n2,wash,clean\n",
    "numbered actions": "index,action,verb\n0,take cup,take\n1,put cup,put\n2,fill cup,fill\n",
    "codes of classes": "7 Boil\n9 Pour\n12 Stir\n21 Cut\n22 Mix\n",
    "boxes": "0 0.5 0.5 0.2 0.1\n3 0.2 0.5 0.2 0.3\n1 0.1 0.2 0.3 0.4\n",
    "codes of clips": "".join(f"clip-{n} {c}\n" for n, c in enumerate(["1 1 2", "3 2 5"] * 4)),
}


@pytest.mark.parametrize("name", LISTS)
def test_ids_and_codes_are_no_times(file, name):
    with pytest.raises(DataError):
        ibgn.read(file(LISTS[name], "list.csv" if "," in LISTS[name] else "list.txt"))


def test_paths_name_recordings(file):
    X, _ = read(file("tea/a 0 12 3\ntea/b 5 9 12\ntea/c 1 25 3\n", "clips.txt"))
    assert list(X.ids) == ["tea/a", "tea/b", "tea/c"]
    assert X.to_lists() == [[("3", 0, 12)], [("12", 5, 9)], [("3", 1, 25)]]


def test_frames_after_seconds_need_their_rate(file):
    path = file("Onset\tOffset\tCode\n00:00:01:12\t00:00:02:24\tlook\n", "codes.txt")
    with pytest.raises(DataError, match=r"line 2: .*'00:00:01:12' counts frames .* rate=25"):
        read(path)
    with pytest.raises(DataError, match=r"up to 24, which is too many .* rate=25"):
        read(path, rate=24)
    assert read(path, rate=30)[0].to_lists() == [[("look", 1.4, 2.8)]]
    path = file("Onset\tOffset\tCode\n0:0:1:50\t0:0:2:125\tlook\n", "codes.txt")
    assert read(path)[0].to_lists() == [[("look", 1.05, 2.125)]]  # thousandths


def test_the_third_number_of_a_list_of_files_is_an_end_or_a_length(file):
    path = file("a/v1 5 127 0\na/v2 11 86 3\nb/v3 0 64 3\n", "list.txt")
    with pytest.warns(DataWarning, match="if column 3 is a number of frames, call it 'length'"):
        X, _ = ibgn.read(path)
    assert X.to_lists()[1] == [("3", 11, 86)]
    path = file("a/v1 5 127 0\na/v2 111 86 3\nb/v3 0 64 3\n", "list.txt")
    assert read(path)[0].to_lists()[1] == [("3", 111, 197)]


def test_levels_and_speakers_are_tracks(file):
    rows = "0,2,good,words,ann\n0,1,g,phones,ann\n1,2,d,phones,ann\n1,3,no,words,bob\n"
    path = file("Begin,End,Label,Type,Speaker\n" + rows, "aligned.csv")
    with pytest.warns(DataWarning, match="'track': 'Type.Speaker'"):
        tracks = load(path).series["track"].tolist()
    assert tracks == ["words ann", "phones ann", "phones ann", "words bob"]


def test_rows_of_numbers_above_a_table_are_counted(file):
    path = file("7 15 16\n7 20 21\n7 0.9 0.9 15 17\n7 0.5 0.5 16 18\n0 0.1 0.2 1 2\n", "found.txt")
    with pytest.warns(DataWarning) as said:
        read_csv(path)
    assert "left out 2 lines before the first row" in str(said[0].message)


def test_numbers_in_pairs_are_spans_only_where_their_number_differs(file):
    boxes = "a.jpg 1 2 3 4\nb.jpg 2 3 4 5\nc.jpg 5 6 7 8\n"
    X, _ = read(file(boxes, "boxes.txt"))
    assert X.action.size == 3  # as before: a start, an end and other numbers
    X, _ = read(file(boxes + "d.jpg 1 2\n", "spans.txt"))
    assert X.to_lists()[0] == [("spans", 1, 2), ("spans", 3, 4)]


def test_a_line_that_is_no_row_can_be_left_out(file):
    path = file("start,end,action\n0,1,a\n1,2,b\n2\n3,4,c\n")
    X, _ = read(path, bad_rows="drop")
    assert X.to_lists() == [[("a", 0, 1), ("b", 1, 2), ("c", 3, 4)]]


def test_numbers_under_other_names_are_no_times(file):
    """A recording of sensors must not be taken for intervals from one channel to the next."""
    path = file("time,x,y,legs\n0,1,2,step\n1,2,3,step\n2,3,4,rest\n")
    with pytest.warns(DataWarning, match="rows without an end are samples 1 apart"):
        X, _ = read_csv(path)
    assert X.to_lists() == [[("step", 0, 2), ("rest", 2, 3)]]
    with pytest.raises(DataError, match="the start or the end"):
        read_csv(file("x,y,legs\n1,2,step\n2,3,step\n3,4,rest\n"))


def test_rows_without_an_end_last_until_the_next(file):
    path = file("time,behavior\n0.5,walk\n2.5,sit\n9,walk\n9.5,EOF\n")
    with pytest.warns(DataWarning, match=r"until the next row .*; left out 1 row with none after"):
        X, _ = read_csv(path)
    assert X.to_lists() == [[("walk", 0.5, 2.5), ("sit", 2.5, 9), ("walk", 9, 9.5)]]
    X, _ = read(path, columns={"start": "time", "action": "behavior"})
    assert len(X.action) == 3


@pytest.mark.parametrize(
    "text",
    [
        "time,behavior\n9,walk\n2.5,sit\n7,walk\n1,sit\n",  # which goes back
        "start,true_end,label\n0,1,a\n2,5,b\n6,7,a\n",  # which has an end of an unknown kind
        "time,left,right\n0,a,b\n1.5,b,c\n6,d,a\n",  # which could be either
    ],
)
def test_rows_whose_ends_cannot_be_guessed_are_refused(file, text):
    with pytest.raises(DataError, match="no column could be recognised as the end"):
        read_csv(file(text))


def test_the_options_for_several_columns_of_labels_are_named_and_read_them(file):
    path = file("time,hand,gaze\n0,reach,cup\n1,reach,cup\n2,grasp,away\n")
    with pytest.raises(DataError) as refused:
        read_csv(path)
    needed = {p.name: p.value for p in refused.value.parts[2:] if isinstance(p, Option)}
    assert needed == {"format": "tracks", "time": "time", "columns": ["hand", "gaze"]}
    X, _ = ibgn.read(path, **needed)
    assert X.to_lists() == [[("cup", 0, 2), ("reach", 0, 2), ("away", 2, 3), ("grasp", 2, 3)]]


def test_samples_that_are_missing_end_an_interval(file):
    """Several labels at a time, of several people, each go on for themselves."""
    rows = [
        "v,1,0.1,0.2,0.3,0.4,walk,7",
        "v,1,0.5,0.2,0.8,0.4,walk,8",
        "v,2,0.1,0.2,0.3,0.4,walk,7",
    ]
    rows += [
        "v,2,0.1,0.2,0.3,0.4,talk,7",
        "v,3,0.1,0.2,0.3,0.4,walk,7",
        "v,6,0.1,0.2,0.3,0.4,walk,7",
    ]
    rows += ["v,7,0.1,0.2,0.3,0.4,walk,7", "v,8,0.1,0.2,0.3,0.4,sit,7", "v,9,0.1,0.2,0.3,0.4,sit,7"]
    with pytest.warns(DataWarning, match="track"):
        X, _ = read_csv(file("\n".join(rows)))
    found = sorted(zip(X.track, *zip(*X.to_lists()[0], strict=True), strict=True))
    assert found == [
        ("7", "sit", 8, 10),
        ("7", "talk", 2, 3),
        ("7", "walk", 1, 4),
        ("7", "walk", 6, 8),
        ("8", "walk", 1, 2),
    ]


def test_a_column_of_weak_labels_does_not_hide_the_header(file):
    path = file("filename\tonset\toffset\tevent_label\na\t0\t1.5\tdog\nb\t\t\t\nc\t3\t4\tcat\n")
    X, _ = read(path)
    assert dict(zip(X.ids, X.to_lists(), strict=True)) == {
        "a": [("dog", 0, 1.5)],
        "b": [],
        "c": [("cat", 3, 4)],
    }


def test_numbered_names_are_no_events(file):
    with pytest.raises(DataError, match="is not known by its suffix"):
        ibgn.read(file("1 pour\n2 stir\n3 drink\n", "mapping.txt"))


def test_day_and_month_that_cannot_be_told_apart_are_announced(file):
    path = file(
        "start,end,what\n2/3/2019 9:00,2/3/2019 9:30,nap\n4/3/2019 9:00,4/3/2019 9:30,nap\n"
    )
    with pytest.warns(DataWarning, match=r"do not tell the day from the month; .*day_first=True"):
        X, _ = read_csv(path, columns={"action": "what", "start": "start", "end": "end"})
    assert X.to_lists()[0][1][1] == 61 * 86400 - 2 * 86400
    X, _ = read(path, day_first=True)
    assert X.to_lists()[0][1][1] == 2 * 86400
    only = file(
        "start,end,what\n4.3.2019 9:00,4.3.2019 9:30,nap\n5.3.2019 9:00,5.3.2019 9:30,nap\n"
    )
    assert read(only)[0].to_lists()[0][1][1] == 86400  # a full stop says that days come first


def test_our_own_columns_may_hold_times_of_day_and_dates(file):
    head = "instance,label,action,start,end\n"
    X, y = read_csv(file(head + "a,tea,boil,0:00:05,0:01:10.5\n"))
    assert (X.to_lists(), y.tolist()) == ([[("boil", 5, 70.5)]], ["tea"])
    X, _ = read_csv(file(head + "a,tea,boil,2020-01-01T10:00:00Z,2020-01-01T10:00:09Z\n"))
    assert X.to_lists() == [[("boil", 0, 9)]]


def test_a_folder_of_tables_names_instances_by_file(tmp_path):
    for name, video in (("tea/ann.csv", "v1"), ("milk/bob.csv", "v1"), ("milk/eve.tsv", "v2")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        mark = "\t" if name.endswith("tsv") else ","
        rows = [["video", "action", "start", "end"], [video, "pour", "0", "1"]]
        path.write_text("\n".join(mark.join(row) for row in rows))
    (tmp_path / "notes.txt").write_text("0 1 nothing\n")
    with pytest.warns(DataWarning, match="1 file that is not named as a table passed over"):
        X, y = ibgn.read(
            tmp_path, columns={"instance": "video"}, activity="folder", group=r"/([a-z]+)\."
        )
    assert X.ids.tolist() == ["milk/bob.csv#v1", "milk/eve.tsv#v2", "tea/ann.csv#v1"]
    assert (y.tolist(), X.groups.tolist()) == (["milk", "milk", "tea"], ["bob", "eve", "ann"])


def test_another_column_gives_the_activity(file):
    path = file("video,meal,event,start,end\na,tea,boil,0,1\na,tea,pour,1,2\nb,milk,pour,0,1\n")
    assert read(path, activity="column:meal")[1].tolist() == ["tea", "milk"]
    with pytest.raises(DataError, match="the header has no column 'mood'"):
        read_csv(path, activity="column:mood")


def test_a_subject_may_be_an_instance_of_its_own():
    path = SAMPLES / "boris/two_subjects.csv"
    with pytest.raises(DataError, match="'role' changes within .* subjects='instances'"):
        read_boris(path, activity="variable:role", points="drop")
    X, y = read(path, activity="variable:role", points="drop", subjects="instances")
    assert X.ids.tolist() == ["o1#Ann", "o1#Bob", "o2#Ann", "o2#Bob"]
    assert y.tolist() == ["cook", "guest", "cook", "guest"]
    assert X.lengths.tolist() == [1, 1, 1, 1]


def test_files_of_one_observation_with_other_subjects_belong_together(tmp_path):
    head = "Observation id,Subject,Behavior,Behavior type,Start (s),Stop (s)\n"
    for who in ("ann", "bob"):
        (tmp_path / f"{who}.csv").write_text(f"{head}o1,{who},nap,STATE,0,{len(who)}\n")
    X, _ = ibgn.read(tmp_path, action="both")
    assert X.to_lists() == [[("ann: nap", 0, 3), ("bob: nap", 0, 3)]]
    (tmp_path / "copy.csv").write_text(f"{head}o1,bob,nap,STATE,0,3\n")
    with pytest.raises(DataError, match="two recordings are the instance 'o1'"):
        ibgn.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("casas_begin_end.txt", ["Sleeping", "Leave_Home", "Leave_Home"]),
        ("casas_places.txt", ["Cook", "Leave", "Leave"]),
        ("casas_labels.txt", ["Drink", "Other_Activity", "Watch_TV", "Drink"]),
        ("casas_places_labels.csv", ["Drink", "Other_Activity", "Watch_TV"]),
    ],
)
def test_activities_of_every_kind_of_log_become_instances(name, labels):
    X, y = read(SAMPLES / "events" / name, activity="track:activity")
    assert y.tolist() == labels
    assert not {*labels} & {*X.actions}


def test_words_after_the_state_that_are_no_activity_can_be_left_out(file):
    path = file("0 M1 ON\n1 M1 OFF odd\n2 M1 ON\n3 M1 OFF\n", "home.log")
    with pytest.raises(DataError, match="line 2: after the state comes 'odd'; .*unknown='drop'"):
        read_events(path)
    with pytest.warns(DataWarning, match="1 event with words after the state"):
        X, _ = read_events(path, unknown="drop")
    assert X.to_lists() == [[("M1", 0, 1), ("M1", 2, 3)]]


def test_prose_is_no_table(file):
    path = file("These are my notes.\nThey say nothing of 12 intervals, or 3.\n", "notes.txt")
    with pytest.raises(DataError, match="is not known by its suffix"):
        ibgn.read(path)


def test_rows_with_an_end_alone_last_since_the_row_before(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("who,did,at\nann,a,10\nann,c,15\nbob,a,3\nann,b,12\nbob,b,7\n")
    columns = {"instance": "who", "action": "did", "end": "at"}
    with pytest.warns(DataWarning, match="since the row before.*; left out 2 rows with none"):
        X, _ = ibgn.read(path, columns=columns)
    assert X.to_lists() == [[("b", 10, 12), ("c", 12, 15)], [("b", 3, 7)]]


def test_tiers_of_tables_are_tracks(file):
    rows = "hands\tann\t0.5\t1.25\t0.75\tpick\ngaze\tann\t0.25\t2\t1.75\tcup\n"
    X, _ = read(file(rows, "elan.txt"))
    assert len(X) == 1
    assert X.track.tolist() == ["gaze", "hands"]
    unlike = rows.replace("0.75", "0.7")  # no length, so the first column may name instances
    assert len(read(file(unlike, "other.txt"))[0]) == 2


def test_named_channels_are_tracks(file):
    rows = "channel,start,end,label\nF7-T3,0,1,quiet\nFP1-F7,0,2,quiet\n"
    X, _ = read(file(rows, "montage.csv"))
    assert X.track.tolist() == ["F7-T3", "FP1-F7"]
    numbered = rows.replace("F7-T3", "1").replace("FP1-F7", "2")
    assert read(file(numbered, "numbers.csv"))[0].track is None


def test_rows_that_no_column_speaks_of_are_counted(file):
    path = file("file,starttime,endtime,dog,cat\na,0,1,POS,NEG\na,1,2,UNK,NEG\na,2,3,POS,POS\n")
    with pytest.warns(DataWarning, match="'dog', 'cat' that says so; left out 1 row where none"):
        X, _ = read_csv(path)
    assert X.to_lists() == [[("dog", 0, 1), ("cat", 2, 3), ("dog", 2, 3)]]
