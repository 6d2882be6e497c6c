"""BORIS: states paired from events, in projects and both kinds of tables, and what is wrong."""

import copy
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibgn import DataError, DataWarning
from ibgn.errors import OptionError
from ibgn.io import read_boris
from ibgn.io.registry import load

ETHOGRAM = {
    "0": {"type": "State event", "key": "b", "code": "boil", "modifiers": {}},
    "1": {"type": "State event with coding map", "key": "p", "code": "pour", "modifiers": {}},
    "2": {"type": "Point event", "key": "x", "code": "beep", "modifiers": {}},
}


def observation(*events, length=None, **variables):
    rows = [[time, who, what, *(more or ["", ""])] for time, who, what, *more in events]
    media = {} if length is None else {"length": {"m.mp4": length}, "fps": {"m.mp4": 25.0}}
    return {
        "file": {"1": ["m.mp4"], "2": []},
        "type": "MEDIA",
        "date": "2020-01-01T00:00:00",
        "description": "",
        "time offset": 0.0,
        "events": rows,
        "independent_variables": variables,
        "media_info": media,
    }


def project(**observations):
    return {
        "time_format": "hh:mm:ss",
        "project_name": "kitchen",
        "subjects_conf": {"0": {"key": "1", "name": "Ann"}},
        "behaviors_conf": ETHOGRAM,
        "observations": observations,
    }


KITCHEN = project(
    morning=observation(
        (0, "Ann", "boil"),
        (1, "", "pour"),
        (2.5, "Ann", "boil"),
        (3, "", "pour"),
        meal="tea",
        cook="A",
    ),
    evening=observation((1, "Bob", "pour"), (2, "Bob", "pour"), meal="milk", cook="B"),
)
INTERVALS = [[("boil", 0.0, 2.5), ("pour", 1.0, 3.0)], [("pour", 1.0, 2.0)]]
AGGREGATED = (
    "Observation id\tObservation date\tTotal length\tmeal\tSubject\tBehavior\t"
    "Behavioral category\tModifiers\tBehavior type\tStart (s)\tStop (s)\tComment start\n"
    "morning\t2020-01-01\t9\ttea\tAnn\tboil\t\t\tSTATE\t0\t2.5\t\n"
    "morning\t2020-01-01\t9\ttea\tNo focal subject\tpour\t\tred|big\tSTATE\t1.000\t3\t\n"
    "evening\t2020-01-02\tNA\tmilk\tBob\tpour\t\tNone\tSTATE\t1\t2\t\n"
)
TABULAR = (
    "Observation id,Observation duration,meal,Subject,Behavior,Modifier #1,Modifier #2,"
    "Behavior type,Time,Comment\n"
    'morning,9,tea,Ann,boil,,,START,0,"hot, so"\n'
    "morning,9,tea,,pour,red,big,START,1,\n"
    "morning,9,tea,Ann,boil,,,STOP,2.5,\n"
    "morning,9,tea,,pour,red,big,STOP,3,\n"
    "evening,5,milk,Bob,pour,,,START,1,\n"
    "evening,5,milk,Bob,pour,,,STOP,2,\n"
)
OLD = (
    "Observation id\tmorning\t\t\t\n\t\t\t\t\nPlayer #1\tm.mp4\t\t\t\n"
    "independent variables\t\t\t\t\nvariable\tvalue\t\t\t\nmeal\ttea\t\t\t\n\t\t\t\t\n"
    "Time\tTotal length\tSubject\tBehavior\tStatus\n"
    "0\t9\tAnn\tboil\tSTART\n2.5\t9\tAnn\tboil\tSTOP\n"
)
SAMPLES = {
    "kitchen.boris": json.dumps(KITCHEN, indent=1).encode(),
    "aggregated.tsv": AGGREGATED.encode(),
    "tabular.csv": TABULAR.encode(),
    "old.tsv": OLD.encode(),
}
READERS = dict.fromkeys(SAMPLES, lambda path: read_boris(path, activity="variable:meal"))


@pytest.fixture
def file(tmp_path):
    def make(content, name="a.boris"):
        text = json.dumps(content) if isinstance(content, dict) else content
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return make


@pytest.mark.parametrize("content", [KITCHEN, AGGREGATED, TABULAR])
def test_projects_and_tables_give_the_same_instances(file, content):
    X, y = read_boris(file(content), activity="variable:meal")
    assert list(X.ids) == ["morning", "evening"]
    assert X.to_lists() == INTERVALS
    assert y.tolist() == ["tea", "milk"]


def test_older_tables_name_observation_and_variables_before_the_header(file):
    X, y = read_boris(file(OLD, "a.tsv"), activity="variable:meal")
    assert list(X.ids) == ["morning"]
    assert X.to_lists() == [[("boil", 0.0, 2.5)]]
    assert y.tolist() == ["tea"]


@pytest.mark.parametrize("content", [KITCHEN, AGGREGATED, TABULAR])
def test_a_subject_is_a_track(file, content):
    X, _ = read_boris(file(content), tracks=["Ann", "No focal subject"], action="both")
    assert X.actions == ("Ann: boil", "No focal subject: pour")


def test_a_variable_can_be_the_group(file):
    X, y = read_boris(file(KITCHEN), group="variable:cook")
    assert list(X.groups) == ["A", "B"]
    assert y is None


@pytest.mark.parametrize("content", [AGGREGATED, TABULAR])
def test_modifiers_can_be_part_of_the_action(file, content):
    assert read_boris(file(content))[0].actions == ("boil", "pour")
    X, _ = read_boris(file(content), modifiers=True)
    assert X.actions == ("boil", "pour", "pour (red, big)")


def test_states_of_different_subjects_are_different_states(file):
    events = [(0, "A", "boil"), (1, "B", "boil"), (2, "A", "boil"), (3, "B", "boil")]
    X, _ = read_boris(file(project(o=observation(*events))))
    assert X.to_lists() == [[("boil", 0.0, 2.0), ("boil", 1.0, 3.0)]]


def test_states_with_different_modifiers_are_different_states(file):
    events = [(0, "A", "boil", "m1"), (1, "A", "boil", "m2"), (2, "A", "boil", "m1")]
    path = file(project(o=observation(*events, (3, "A", "boil", "m2"))))
    X, _ = read_boris(path, modifiers=True)
    assert X.to_lists() == [[("boil (m1)", 0.0, 2.0), ("boil (m2)", 1.0, 3.0)]]
    with pytest.warns(DataWarning, match="1 overlapping annotation"):
        X, _ = read_boris(path, overlaps="merge")
    assert X.to_lists() == [[("boil", 0.0, 3.0)]]


def test_names_of_columns_are_matched_whatever_their_case(file):
    text = AGGREGATED.replace("Behavior\t", "BEHAVIOUR\t").replace("Start (s)", "start (seconds)")
    assert read_boris(file(text, "a.tsv"))[0].to_lists() == INTERVALS


def test_semicolons_separate_columns_too(file):
    assert read_boris(file(AGGREGATED.replace("\t", ";"), "a.csv"))[0].to_lists() == INTERVALS


def test_a_table_without_ids_is_one_observation_named_by_the_file(file):
    text = "Subject,Behavior,Start (s),Stop (s)\nAnn,boil,0,1\n"
    X, _ = read_boris(file(text, "a.csv"))
    assert list(X.ids) == ["a.csv"]


def test_an_observation_without_events_is_an_instance(file):
    X, _ = read_boris(
        file(project(o=observation(), p=observation((0, "", "boil"), (1, "", "boil"))))
    )
    assert X.lengths.tolist() == [0, 1]


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=12, unique=True), st.randoms())
def test_events_alternate_between_start_and_stop_in_any_order(tmp_path_factory, times, random):
    times = sorted(times)[: len(times) // 2 * 2]
    events = [(time, "A", "boil") for time in times]
    random.shuffle(events)
    path = tmp_path_factory.mktemp("b") / "a.boris"
    path.write_text(json.dumps(project(o=observation(*events))))
    X, _ = read_boris(path)
    assert X.start.tolist() == times[::2]
    assert X.end.tolist() == times[1::2]


POINTS = [
    project(o=observation((0, "", "boil"), (1, "", "beep"), (1.5, "", "beep"), (2, "", "boil"))),
    "Behavior,Behavior type,Start (s),Stop (s)\nboil,STATE,0,2\nbeep,POINT,1,1\nbeep,POINT,1.5,\n",
    "Behavior,Start (s),Stop (s)\nboil,0,2\nbeep,1,1\nbeep,1.5,1.5\n",
    "Behavior,Time,Status\nboil,0,START\nbeep,1,POINT\nbeep,1.5,point\nboil,2,STOP\n",
]


@pytest.mark.parametrize("content", POINTS)
def test_point_events_are_counted_kept_or_refused(file, content):
    path = file(content)
    with pytest.warns(DataWarning, match="2 point events: dropped; points='keep'"):
        X, _ = read_boris(path, points="drop")
    assert X.to_lists() == [[("boil", 0.0, 2.0)]]
    X, _ = read_boris(path, points="keep", min_duration=0.25)
    assert X.to_lists() == [[("boil", 0.0, 2.0), ("beep", 1.0, 1.25), ("beep", 1.5, 1.75)]]
    with pytest.raises(DataError, match=r"(row|events).*'beep' is a point event"):
        read_boris(path)
    with pytest.raises(DataError, match="zero length"):
        read_boris(path, points="keep")


UNPAIRED = [
    (project(o=observation((0, "", "boil"), (1, "", "pour"), (2, "", "boil"))), 2),
    (project(o=observation((0, "", "boil"), (1, "", "pour"), (2, "", "boil"), length=7)), 7),
    ("Behavior,Total length,Start (s),Stop (s)\nboil,7,0,2\npour,7,1,\n", 7),
    ("Behavior,Total length,Time,Status\nboil,NA,0,START\npour,NA,1,START\nboil,NA,2,STOP\n", 2),
]


@pytest.mark.parametrize(("content", "end"), UNPAIRED)
def test_states_that_are_not_stopped_are_refused_dropped_or_closed(file, content, end):
    path = file(content)
    with pytest.raises(
        DataError, match=r"(row 3|events\[1\]): 'pour' starts, but there is no stop"
    ):
        read_boris(path)
    with pytest.warns(DataWarning, match=r"1 event without a partner left out \(unpaired='drop'\)"):
        X, _ = read_boris(path, unpaired="drop")
    assert X.to_lists() == [[("boil", 0.0, 2.0)]]
    with pytest.warns(
        DataWarning, match=r"1 event without a partner closed at the edge.*\(unpaired='close'\)"
    ):
        X, _ = read_boris(path, unpaired="close")
    assert X.to_lists() == [[("boil", 0.0, 2.0), ("pour", 1.0, end)]]


def test_a_state_that_is_started_twice_is_closed_where_it_starts_again(file):
    path = file("Behavior,Time,Status\nboil,0,START\nboil,1,START\nboil,3,STOP\n")
    with pytest.raises(DataError, match="row 2: 'boil' starts, but there is no stop"):
        read_boris(path)
    with pytest.warns(
        DataWarning, match="1 event without a partner closed .* where it starts again"
    ):
        X, _ = read_boris(path, unpaired="close")
    assert X.to_lists() == [[("boil", 0.0, 1.0), ("boil", 1.0, 3.0)]]


@pytest.mark.parametrize("unpaired", ["drop", "close"])
def test_a_stop_without_a_start_is_dropped_and_counted(file, unpaired):
    path = file("Behavior,Time,Status\nboil,0,STOP\nboil,1,START\nboil,3,STOP\n")
    with pytest.raises(DataError, match="row 2: 'boil' stops, but there is no start"):
        read_boris(path)
    with pytest.warns(DataWarning, match="1 event without a partner left out"):
        X, _ = read_boris(path, unpaired=unpaired)
    assert X.to_lists() == [[("boil", 1.0, 3.0)]]


@pytest.mark.parametrize(
    "content",
    [
        project(o=observation((0, "", "boil"), (1, "", "fry"), (2, "", "boil"))),
        "Behavior,Behavior type,Start (s),Stop (s)\nboil,STATE,0,2\nfry,START,1,2\n",
        "Behavior,Status,Time\nboil,START,0\nfry,,1\nboil,STOP,2\n",
    ],
)
def test_what_is_neither_state_nor_point_is_refused_or_counted(file, content):
    path = file(content)
    with pytest.raises(DataError, match="'fry' is neither state nor point"):
        read_boris(path)
    with pytest.warns(DataWarning, match="1 event: neither state nor point; dropped"):
        X, _ = read_boris(path, unknown="drop")
    assert X.to_lists() == [[("boil", 0.0, 2.0)]]


def test_overlapping_rows_are_counted_or_refused(file):
    path = file("Behavior,Start (s),Stop (s)\nboil,0,2\nboil,1,3\n")
    with pytest.warns(DataWarning, match="1 overlapping annotation: .*; kept"):
        assert read_boris(path)[0].lengths.tolist() == [2]
    with pytest.raises(DataError, match="row 3: overlaps another of 'boil'"):
        read_boris(path, overlaps="error")


def test_a_folder_of_exports_is_read_with_the_names_of_its_folders(file, tmp_path):
    file(OLD, "tea/one.tsv")
    file(OLD.replace("morning", "noon"), "tea/two.tsv")
    file(KITCHEN, "milk/three.boris")
    X, y = read_boris(tmp_path, activity="folder")
    assert list(X.ids) == ["milk/morning", "milk/evening", "tea/morning", "tea/noon"]
    assert y.tolist() == ["milk", "milk", "tea", "tea"]


def test_an_observation_in_two_files_is_refused(file, tmp_path):
    file(OLD, "one.tsv")
    file(OLD, "two.tsv")
    with pytest.raises(DataError, match="two recordings are the instance 'morning'"):
        read_boris(tmp_path)


def test_compressed_projects_are_read(tmp_path):
    (tmp_path / "a.boris.gz").write_bytes(gzip.compress(SAMPLES["kitchen.boris"]))
    assert read_boris(tmp_path / "a.boris.gz")[0].to_lists() == INTERVALS


def broken(change):
    content = copy.deepcopy(KITCHEN)
    change(content, content["observations"]["morning"])
    return content


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p, o: p.pop("behaviors_conf"), "there is no 'behaviors_conf'"),
        (lambda p, o: p.update(observations=[]), "observations: an object"),
        (lambda p, o: o.update(events=None), r"observations\.morning\.events: a list"),
        (lambda p, o: o["events"].append([1, ""]), r"events\[4\]: a list of 3 values or more"),
        (
            lambda p, o: o["events"].append(["one", "", "boil"]),
            r"\[4\]\[0\]: the time is 'one', not",
        ),
        (lambda p, o: o["events"].append([float("nan"), "", "boil"]), "the time is NaN"),
        (lambda p, o: o["events"].append([1, [], "boil"]), r"\[4\]\[1\]: text is needed, got a l"),
        (lambda p, o: o["events"].append([1, "", {}]), r"\[4\]\[2\]: text is needed, got an obj"),
        (lambda p, o: p["behaviors_conf"].update({"0": {"type": "x", "code": "c"}}), "'State even"),
        (
            lambda p, o: p["behaviors_conf"].update({"9": {"type": "Point event", "code": "boil"}}),
            "'boil' is a state and a point",
        ),
    ],
)
def test_a_wrong_project_is_refused_with_the_place(file, change, told):
    with pytest.raises(DataError, match=told):
        read_boris(file(broken(change)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ("\n", r"neither a project of BORIS nor a table"),
        ("a,b\n1,2\n", r"needs the columns Behavior, Start \(s\) and Stop \(s\) of aggregated"),
        ("Behavior,Start (s),Stop (s)\n", "no instances"),
        ("Behavior,Start (s),Stop (s)\nboil,x,2\n", "row 2: the start is 'x', not a number"),
        ("Behavior,Start (s),Stop (s)\nboil,0:1x,2\n", "row 2: the start is '0:1x', not a number"),
        ("Behavior,Start (s),Stop (s)\nboil,1e999,2\n", "row 2: the start is '1e999'"),
        ("Behavior,Start (s),Stop (s)\nboil,NA,2\n", "row 2: there is no time"),
        ("Behavior,Start (s),Stop (s)\nboil,3,2\n", "ends before it starts"),
        ("Behavior,Start (s),Stop (s)\nboil,0,2,7\n", "row 2: there are more cells"),
        ("Behavior,Behavior,Start (s),Stop (s)\n", "the column 'behavior' appears twice"),
        ("Behavior,Start (s),Stop (s)\n" + "x" * 200_000, "field larger than field limit"),
    ],
)
def test_a_wrong_table_is_refused_with_the_row(file, text, told):
    with pytest.raises(DataError, match=told):
        read_boris(file(text, "a.csv"))


def test_a_variable_must_be_there_and_stay_the_same(file):
    with pytest.raises(
        DataError, match=r"observations\.morning: there is no variable 'x'; .*'meal'"
    ):
        read_boris(file(KITCHEN), activity="variable:x")
    text = "Behavior,meal,Start (s),Stop (s)\nboil,tea,0,2\nboil,milk,2,3\n"
    with pytest.raises(DataError, match="row 2: 'meal' changes within the observation"):
        read_boris(file(text), activity="variable:meal")


@pytest.mark.parametrize(
    "options",
    [
        {"points": "x"},
        {"unpaired": None},
        {"unknown": "close"},
        {"overlaps": "drop"},
        {"modifiers": "yes"},
        {"activity": []},
        {"repeated": "x"},
        {"group": "track:Ann"},
    ],
)
def test_wrong_options_are_refused(file, options):
    with pytest.raises(OptionError):
        load(file(KITCHEN), **options, format="boris")


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read_without_a_warning(name, tmp_path):
    (tmp_path / name).write_bytes(SAMPLES[name])
    assert len(READERS[name](tmp_path / name)[0]) > 0
