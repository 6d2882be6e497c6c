"""Reading as far as possible: bad files, bad rows and missing labels; what inspect proposes."""

import json
import re
import shlex
import warnings
from pathlib import Path

import pytest

from ibgn import DataError, DataWarning, read, read_csv, read_table
from ibgn.errors import Option, OptionError
from ibgn.io import Annotation, Entry, Recording, reader
from ibgn.io.outline import covering_tracks
from ibgn.io.survey import survey

SAMPLES = Path(__file__).parent / "samples"
EVENTS = "Observation id\tmeal\tSubject\tBehavior\tBehavior type\tStart (s)\tStop (s)\n"
HEADER = "instance,label,action,start,end\n"


def boris(name, *rows, meal="tea"):
    """Text of an export of BORIS: one observation, with rows of behaviour, type, start, stop."""
    return EVENTS + "".join("\t".join((name, meal, "Ann", *row)) + "\n" for row in rows)


STATE = ("boil", "STATE", "0", "2.5")
POINT = ("sneeze", "POINT", "1", "1")


@pytest.fixture
def folder(tmp_path):
    """Three exports, of which the second is none."""
    (tmp_path / "data" / "second").mkdir(parents=True)
    (tmp_path / "data" / "first.tsv").write_text(boris("a", STATE))
    (tmp_path / "data" / "last.tsv").write_text(boris("c", STATE, ("pour", "STATE", "3", "4")))
    (tmp_path / "data" / "second" / "bad.tsv").write_text("Observation id\tSubject\nb\n")
    return tmp_path / "data"


def test_a_bad_file_is_left_out_by_option_and_counted(folder):
    with pytest.raises(DataError, match=r"bad\.tsv: .*; bad_files='drop' leaves the file out$"):
        read(folder, format="boris")
    with pytest.warns(DataWarning, match=r"data: 1 file that cannot be read: left out \(first: b"):
        X, _ = read(folder, format="boris", bad_files="drop")
    assert list(X.ids) == ["a", "c"]
    assert len(X.action) == 3


def test_what_was_counted_in_a_bad_file_does_not_count(folder):
    broken = boris("b", POINT, ("boil", "STATE", "0", "never"))
    (folder / "second" / "bad.tsv").write_text(broken)
    (folder / "last.tsv").write_text(boris("c", STATE, POINT))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(folder, format="boris", bad_files="drop", points="drop")
    messages = [str(warning.message) for warning in caught]
    assert any("1 point event: dropped" in message for message in messages)


def test_where_all_files_are_bad_the_first_error_is_told(folder):
    for path in folder.rglob("*.tsv"):
        path.write_text("Observation id\tSubject\nb\n")
    with pytest.raises(DataError, match=r"data: no file can be read; the first: first\.tsv: "):
        read(folder, format="boris", bad_files="drop")


def test_a_wrong_option_is_no_bad_file(folder):
    with pytest.raises(OptionError, match="points"):
        read(folder, format="boris", points="hide", bad_files="drop")


def test_a_single_bad_file_is_an_error_all_the_same(folder):
    with pytest.raises(DataError) as refused:
        read(folder / "second" / "bad.tsv", format="boris", bad_files="drop")
    assert "bad_files" not in str(refused.value)


ROWS = "a,tea,boil,0,4\na,tea,,4,5\na,tea,pour,5,3\nb,tea,pour,x,1\n,tea,pour,0,1\nb,tea,stir,1,2\n"


def test_bad_rows_are_left_out_by_option_and_counted(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + ROWS + "b,tea,boil,3,4\nb,tea,boil,5,6\na,tea,boil,6,7\na,tea,b,7,8\n")
    with pytest.raises(DataError, match="bad_rows='drop' leaves such rows out"):
        read_csv(path)
    with pytest.warns(DataWarning, match="left out 4 rows that are not intervals .first: row 2"):
        X, y = read_csv(path, bad_rows="drop")
    assert X.to_lists()[0] == [("boil", 0, 4), ("boil", 6, 7), ("b", 7, 8)]
    assert len(X.action) == 6
    assert y.tolist() == ["tea", "tea"]


def test_one_bad_row_of_two_is_counted(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text("start,end,action\n0,5,walk\n5,,sit\n")
    with pytest.warns(DataWarning, match="left out 1 row that is not an interval"):
        found = survey(path)
    assert found.X.to_lists() == [[("walk", 0, 5)]]


def test_bad_rows_do_not_excuse_wrong_columns(tmp_path):
    """Where most rows are bad, the error does not propose to read without them."""
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + ROWS)
    with pytest.raises(DataError) as refused:
        read_csv(path)
    assert "bad_rows" not in str(refused.value)


def test_an_instance_without_intervals_is_no_bad_row(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "a,tea,boil,0,4\nb,tea,,,\n")
    X, _ = read_csv(path, bad_rows="drop")
    assert X.lengths.tolist() == [1, 0]


LABELLED = {
    "instance": ["a", "b", "a", "c"],
    "label": ["tea", None, None, "soup"],
    "action": ["boil", "cut", "pour", "cut"],
    "start": [0, 0, 1, 0],
    "end": [1, 1, 2, 1],
}


def test_unlabelled_instances():
    with pytest.raises(DataError, match="unlabelled='drop' leaves such .* unlabelled='keep' reads"):
        read_table(LABELLED)
    X, y = read_table(LABELLED, unlabelled="keep")
    assert (list(X.ids), y.tolist()) == (["a", "b", "c"], ["tea", None, "soup"])
    with pytest.warns(DataWarning, match="left out 1 instance without a label"):
        X, y = read_table(LABELLED, unlabelled="drop")
    assert (list(X.ids), X.lengths.tolist()) == (["a", "c"], [2, 1])
    assert y.tolist() == ["tea", "soup"]
    assert read_table(LABELLED, unlabelled="all")[1] is None


def test_contradicting_labels_can_be_ignored():
    rows = LABELLED | {"label": ["tea", "soup", "milk", "soup"]}
    for unlabelled in ("error", "keep", "drop"):
        with pytest.raises(DataError, match="'milk', but 'tea' .*unlabelled='all' reads no"):
            read_table(rows, unlabelled=unlabelled)
    X, y = read_table(rows, unlabelled="all")
    assert (len(X), y) == (3, None)


def test_a_survey_reads_on_with_what_errors_propose(tmp_path):
    path = tmp_path / "events.tsv"
    path.write_text(boris("a", STATE, POINT, ("pour", "STATE", "2", "2")))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = survey(path)
    assert "1 point event: dropped" in str(caught[0].message)
    assert "dropped 1 interval of zero length" in str(caught[1].message)
    assert len(caught) == 2  # and nothing of earlier attempts
    assert found.needed == {"points": "drop", "zero_length": "drop"}
    assert found.X.to_lists() == [[("boil", 0, 2.5)]]
    assert found.format == "boris"


def test_a_survey_leaves_given_options_as_they_are(tmp_path):
    path = tmp_path / "events.tsv"
    path.write_text(boris("a", STATE, POINT))
    with pytest.raises(DataError, match="is a point event"):
        survey(path, points="error")


def test_a_survey_of_points_alone_shows_them_as_short_intervals(tmp_path):
    path = tmp_path / "events.tsv"
    path.write_text(boris("a", POINT))
    with pytest.warns(DataWarning, match="min_duration=1 is assumed"):
        found = survey(path)
    assert found.needed == {"points": "keep", "min_duration": 1}
    assert found.X.to_lists() == [[("sneeze", 1, 2)]]


def test_options_that_leave_nothing_are_not_proposed(tmp_path):
    """A table of points alone is not read without them, but with an assumed length."""
    path = tmp_path / "takes.csv"
    path.write_text("instance,action,start,end\na,boil,1,1\n")
    with pytest.warns(DataWarning, match="min_duration=1 is assumed"):
        found = survey(path)
    assert found.needed == {"min_duration": 1}
    assert found.X.to_lists() == [[("boil", 1, 2)]]


def test_a_survey_finds_where_labels_are(tmp_path):
    path = tmp_path / "events.tsv"
    others = (boris("b", STATE, meal="soup"), boris("c", STATE))
    path.write_text(boris("a", STATE) + "".join(each.removeprefix(EVENTS) for each in others))
    found = survey(path)
    assert found.y is None
    assert found.activity == {"activity": "variable:meal"}
    (subject,) = [entry for entry in found.entries if entry.name == "Ann"]
    assert (subject.number, subject.values, subject.distinct) == (3, ("boil",), 1)


def test_a_folder_may_name_the_activity(folder):
    (folder / "second" / "bad.tsv").unlink()
    (folder / "tea").mkdir()
    (folder / "soup").mkdir()
    (folder / "first.tsv").rename(folder / "tea" / "first.tsv")
    (folder / "last.tsv").rename(folder / "soup" / "last.tsv")
    (folder / "soup" / "more.tsv").write_text(boris("d", STATE))
    for path in folder.rglob("*.tsv"):
        path.write_text(path.read_text().replace("\ttea\t", "\t\t"))
    assert survey(folder).activity == {"activity": "folder"}


def tracks(*rows):
    return [Recording("r", [Annotation(*row, "") for row in rows])]


def test_a_track_that_covers_the_others_may_name_the_activity():
    phases = [("phase", "tea", 0, 9), ("phase", "soup", 9, 20)]
    hands = [("hands", "pour", 1, 3), ("hands", "stir", 3, 8), ("hands", "cut", 10, 12)]
    assert covering_tracks(tracks(*phases, *hands)) == ["phase"]
    outside = [("hands", "go", start, start + 1) for start in (20, 22, 24)]
    assert covering_tracks(tracks(*phases, *hands, *outside)) == []
    assert covering_tracks(tracks(*phases[:1], *hands)) == []  # one stretch is no choice
    assert covering_tracks([]) == []


@pytest.fixture
def notes(extensions):
    """A format of our own whose files know the weather, and which cannot be read if it rains."""

    def outline(files, *, separator=";"):
        for file in files:
            weather = file.lines()[0].split(separator)
            yield Entry.of("weather", "sky", weather, Option("activity", "weather:sky"))

    @reader("notes", (".notes",), outline=outline)
    def read_notes(files, *, separator: str = ";", rain: bool = False):
        for file in files:
            sky, *lines = file.lines()
            if sky == "rain" and not rain:
                raise DataError(f"{file.prefix}it rains; use ", Option("rain", True))
            if sky == "fog":
                raise DataError(f"{file.prefix}nothing can be seen")
            rows = [line.split(separator) for line in lines]
            notes = [Annotation("n", action, float(a), float(b), "") for action, a, b in rows]
            yield Recording(file.name, notes)


def test_the_outline_and_the_errors_of_any_format_guide(notes, ibgn, tmp_path):
    path = tmp_path / "a day.notes"
    path.write_text("rain\nboil;0;3\npour;3;4\n")
    result = ibgn("inspect", path, "--json")
    found = json.loads(result.stdout)
    assert found["options"] == {"rain": True}
    assert [entry["kind"] for entry in found["entries"]] == ["track", "weather"]
    assert found["entries"][1]["chosen_by"] == "-O activity=weather:sky"
    words = shlex.split(found["commands"]["convert"])
    assert words == ["ibgn", "convert", str(path), "a day.csv", "-O", "rain=true"]
    assert ibgn(*words[1:]).returncode == 0
    assert len(read_csv(tmp_path / "a day.csv")[0].action) == 2


def test_a_file_that_cannot_be_read_is_outlined_before_the_error(notes, ibgn, tmp_path):
    path = tmp_path / "day.notes"
    path.write_text("fog\nboil;0;1\n")
    result = ibgn("inspect", path)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.index("weather") < result.stderr.index("error:")


SWAPPED = (
    "id,label,action,start,end\n1,tea,boil,5,2\n1,tea,pour,9,6\n2,soup,cut,8,1\n2,soup,stir,20,9\n"
)
UNNAMED = "a,b,c,d\nv1,boil,0,5\nv1,pour,5,9\nv2,cut,0,4\nv2,stir,4,20\n"


def test_starts_and_ends_that_are_swapped_are_swapped_back(ibgn, tmp_path):
    path = tmp_path / "swapped.csv"
    path.write_text(SWAPPED)
    with pytest.raises(
        DataError, match="all 4 rows end before they start; if start and end are sw"
    ):
        read_csv(path)
    with pytest.warns(DataWarning, match="read as with columns={'start': 'end', 'end': 'start'}"):
        found = survey(path)
    assert found.X.to_lists()[0][0] == ("cut", 1, 8)
    first = ibgn("inspect", path).stdout  # each step is the command that the one before proposes
    again = shlex.split(re.search(r"ibgn (inspect .*--column instance=id)$", first, re.M)[1])
    second = ibgn(*again).stdout
    fit = shlex.split(re.search(r"ibgn (fit .*)$", second, re.M)[1])
    assert ibgn(*fit, "-m", "dbn").returncode == 0
    path.write_text(
        SWAPPED.replace("20,9", "9,20")
    )  # one of them is right, so the others are wrong
    with pytest.raises(DataError, match="the interval ends before it starts"):
        read_csv(path)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (UNNAMED, {"instance": "a", "action": "b", "start": "c", "end": "d"}),
        (
            "Nr,los,fertig,getan\n1,0,5,boil\n1,5,9,pour\n2,0,4,cut\n2,4,10,stir\n",
            {"instance": "Nr", "action": "getan", "start": "los", "end": "fertig"},
        ),
        (
            "b,c,d\nboil,0,5\npour,5,9\ncut,7,9\nboil,8,9\n",
            {"action": "b", "start": "c", "end": "d"},
        ),
    ],
)
def test_columns_whose_names_say_nothing_are_told_by_what_is_in_them(tmp_path, text, columns):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    with pytest.raises(DataError, match="by what is in them, they may be read with columns="):
        read_csv(path)
    with pytest.warns(DataWarning, match="check that this is right"):
        found = survey(path)
    assert found.needed == {"columns": columns}


@pytest.mark.parametrize(
    "text",
    [
        "a,b,x,c,d\nv1,boil,hot,0,5\nv1,pour,cold,5,9\nv2,cut,hot,0,4\nv2,mix,cold,4,9\n",
        "what,x,y\ncup,0,1\npan,1,2\ncup,3,4\n",  # too few to say
        "what,x,y\ncup,5,8\npan,1,2\ncup,3,4\npan,2,6\n",  # places, not times
        "what,x,y,z\ncup,1,2,4\npan,3,4,5\ncup,5,6,7\npan,7,8,9\n",
    ],
)
def test_columns_that_could_be_several_things_are_asked_for(tmp_path, text):
    path = tmp_path / "odd.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=r"name them with columns=.*'start': '\.\.\.'"):
        survey(path)


def test_a_column_where_time_goes_back_may_name_the_instances(tmp_path):
    path = tmp_path / "log.csv"
    rows = ["a,boil,0,5", "a,pour,5,9", "b,cut,0,4", "b,mix,4,9"]
    path.write_text("\n".join(["who,action,start,end", *rows]))
    (advice,) = survey(path).advice
    assert Option("columns", {"instance": "who"}) in advice.parts
    path.write_text("\n".join(["who,action,start,end", *rows[:2], "b,cut,9,12", "b,mix,12,14"]))
    assert survey(path).advice == ()  # time goes on, so they may be two people in one recording
    path.write_text("\n".join(["who,action,start,end", rows[0], rows[2], rows[1], rows[3]]))
    assert survey(path).advice == ()


ODD_CELLS = {
    "numbers": ("Begin,Finish,What\n0,2,boil\n2,4,pour\n4,x,stir\n", "line 4", "not a number"),
    "several": (
        "start,end,action\n0,2,boil\n2,?,pour\nlate,5,stir\n5,6,boil\n6,7,pour\n7,9,boil\n",
        "line 4",
        "not a number",
    ),
    "clocks": (
        "Begin,Finish,What\n0:00,0:02,boil\n0:02,0:04,pour\n0:05,5,stir\n",
        "line 4",
        "not a time of day",
    ),
    "date-times": (
        "Begin,Finish,What\n2020-01-01 10:00,2020-01-01 10:02,boil\n"
        "2020-01-01 10:02,unknown,pour\n2020-01-01 10:03,2020-01-01 10:05,boil\n",
        "line 3",
        "not a date and time",
    ),
    "our own columns": (
        "instance,action,start,end\n1,boil,0:00,0:02\n1,pour,0:02,0:04\n1,stir,0:05,x\n",
        "row 3",
        "not a time of day",
    ),
    "starts alone": ("time,activity\n0,boil\n2,pour\nx,stir\n5,boil\n", "line 4", "not a number"),
}


@pytest.mark.parametrize("case", list(ODD_CELLS))
def test_a_cell_that_is_no_time_is_a_bad_row(tmp_path, case):
    table, where, what = ODD_CELLS[case]
    path = tmp_path / "takes.csv"
    path.write_text(table)
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(DataError, match=f"{where}.*{what} as others are.*bad_rows='drop'"),
    ):
        read_csv(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = survey(path)
    assert any(re.search(r"left out \d rows? that", str(each.message)) for each in caught)
    assert found.needed == {"bad_rows": "drop"}
    assert len(found.X.action) >= 2


def test_a_column_without_times_is_no_bad_row(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text("Begin,Finish,What\n0,2,boil\nlate,4,pour\nlater,5,stir\nnever,6,stir\n")
    with pytest.raises(DataError, match="the start is 'late', which is no time; name another"):
        survey(path, columns={"start": "Begin", "end": "Finish"})
    path.write_text("Begin,Finish,What\n0,early,boil\n1,late,pour\n2,6,stir\n")
    with pytest.raises(DataError, match="line 2: the end is 'early', not a number as others are"):
        survey(path, columns={"start": "Begin", "end": "Finish"})


def test_what_stays_the_same_in_an_instance_is_no_action(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(
        "a,tea,boil,0,2,ann\na,tea,pour,2,3,ann\nb,tea,boil,0,2,bob\nb,tea,pour,1,3,bob\n"
        "c,soup,boil,0,2,bob\nc,soup,cut,2,5,bob\n"
    )
    with pytest.warns(DataWarning, match="columns were recognised by what is in them"):
        found = survey(path)
    assert found.X.actions == ("boil", "cut", "pour")
    assert found.activity == {"activity": "column:2"}


@pytest.mark.parametrize("group", ["bob", ""])
def test_groups_that_cannot_be_used_do_not_stop_a_survey(tmp_path, group):
    path = tmp_path / "takes.csv"
    table = "instance,label,action,start,end,group\na,tea,boil,0,2,ann\na,tea,pour,2,3,{}\n"
    path.write_text(table.format("ann"))
    assert read_csv(path)[0].groups.tolist() == ["ann"]
    path.write_text(table.format(group))
    with pytest.raises(DataError, match="ungrouped='all' reads no groups"):
        read_csv(path)
    with pytest.warns(DataWarning, match="groups are not read, as with ungrouped='all', because"):
        found = survey(path)
    assert found.needed == {"ungrouped": "all"}
    assert found.X.groups is None
    assert found.y.tolist() == ["tea"]
    with pytest.raises(OptionError, match="ungrouped"):
        read_csv(path, ungrouped="drop")


def test_labels_that_cannot_be_used_are_left_out_with_a_warning(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "a,tea,boil,0,2\na,soup,pour,2,3\nb,tea,boil,0,2\n")
    why = "takes.csv: row 2 (instance 'a'): the label is 'soup', but 'tea' in row 1"
    told = f"labels are not read, as with unlabelled='all', because {why}"
    with pytest.warns(DataWarning, match=re.escape(told)):
        assert survey(path).y is None


def test_trials_of_the_same_number_belong_to_different_people():
    with pytest.warns(DataWarning, match=r"participant\+trial"):
        found = survey(SAMPLES / "csv" / "trials_of_people.csv")
    assert found.X.ids.tolist() == ["p1 1", "p1 2", "p2 1", "p2 2"]


def test_sounds_in_one_file_of_xml_are_instances():
    found = survey(SAMPLES / "xml" / "notes_of_songs.xml")
    assert [len(rows) for rows in found.X.to_lists()] == [2, 2]
    assert found.X.ids.tolist() == ["dawn.wav", "dusk.wav"]
