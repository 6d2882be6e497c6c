"""Files: round trips, and an error that helps for whatever is wrong with one."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibgn import DataError, DataWarning, IntervalSequences, read, read_csv, read_table, write
from ibgn.io.files import replacing

HEADER = "instance,label,action,start,end\n"
GOOD = HEADER + "s1,tea,boil,0,4\ns1,tea,pour,4,6.5\ns2,milk,pour,1,2\n"
SUFFIXES = [".csv", ".csv.gz", ".parquet", ".jsonl"]


@pytest.fixture
def file(tmp_path):
    def make(content, name="takes.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


# text that a file can hold: no lone surrogates, no NUL, and not blank, which is "missing"
text = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=12
).filter(str.strip)
times = st.floats(-1e6, 1e6, allow_nan=False)


@st.composite
def labelled(draw):
    ids = draw(st.lists(text, min_size=1, max_size=4, unique=True))
    rows = st.tuples(text, times, st.floats(1e-3, 1e3)).map(lambda r: (r[0], r[1], r[1] + r[2]))
    instances = [draw(st.lists(rows, max_size=4)) for _ in ids]
    groups = draw(st.none() | st.lists(text, min_size=len(ids), max_size=len(ids)))
    X = IntervalSequences.from_lists(instances, ids=ids, groups=groups)
    labels = st.lists(text, min_size=len(ids), max_size=len(ids))
    return X, draw(st.none() | labels)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(labelled())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_what_was_written_gives_it_back(tmp_path, suffix, drawn):
    X, y = drawn
    path = tmp_path / f"data{suffix}"
    write(X, path, y)
    again, labels = read(path)
    assert again.to_lists() == X.to_lists()
    assert again.ids.tolist() == X.ids.tolist()
    assert (again.groups is None) == (X.groups is None)
    assert X.groups is None or again.groups.tolist() == X.groups.tolist()
    assert (None if labels is None else labels.tolist()) == y


def test_csv(file):
    X, y = read_csv(file(GOOD))
    assert X.ids.tolist() == ["s1", "s2"]
    assert y.tolist() == ["tea", "milk"]
    assert X.groups is None
    assert X.to_lists() == [[("boil", 0, 4), ("pour", 4, 6.5)], [("pour", 1, 2)]]


def test_names_are_text_as_written(file):
    """Leading zeros stay, and words that pandas takes for missing values are words."""
    X, y = read_csv(file(HEADER + "007,null,NA,0,1\n08,nan,None,0,1\n"))
    assert X.ids.tolist() == ["007", "08"]
    assert y.tolist() == ["null", "nan"]
    assert X.actions == ("NA", "None")


def test_rows_of_an_instance_may_be_scattered(file):
    X, y = read_csv(file(HEADER + "b,x,p,3,4\na,y,p,0,1\nb,x,q,0,2\n"))
    assert X.ids.tolist() == ["b", "a"]
    assert y.tolist() == ["x", "y"]
    assert X.to_lists()[0] == [("q", 0, 2), ("p", 3, 4)]


def test_labels_may_be_absent_and_groups_present(file):
    X, y = read_csv(file("instance,action,start,end,group\ns1,boil,0,4,ann\n"))
    assert y is None
    assert X.groups.tolist() == ["ann"]
    assert read_csv(file(HEADER + "s1,,boil,0,4\n"))[1] is None


def test_an_instance_may_have_no_intervals(file):
    X, y = read_csv(file(HEADER + "s1,tea,,,\ns2,milk,pour,1,2\n"))
    assert X.lengths.tolist() == [0, 1]
    assert y.tolist() == ["tea", "milk"]
    with pytest.raises(DataError, match=r"row 1 \(instance 's1'\): the action is missing"):
        read_csv(file(HEADER + "s1,tea,,,\ns1,tea,pour,1,2\n"))


def test_columns_can_be_mapped(file):
    path = file("take;what;from;to;mood\n1;nod;0;1;glad\n")
    names = {"instance": "take", "action": "what", "start": "from", "end": "to", "label": "mood"}
    X, y = read_csv(path, columns=names, delimiter=";")
    assert X.to_lists() == [[("nod", 0, 1)]]
    assert y.tolist() == ["glad"]


def test_a_byte_order_mark_and_other_encodings(file):
    assert read_csv(file(b"\xef\xbb\xbf" + GOOD.encode()))[0].ids.tolist() == ["s1", "s2"]
    latin = file((HEADER + "s1,café,boil,0,1\n").encode("latin-1"))
    assert read_csv(latin, encoding="latin-1")[1].tolist() == ["café"]
    wide = file(GOOD.encode("utf-16"))
    assert read_csv(wide, encoding="utf-16")[0].ids.tolist() == ["s1", "s2"]


def test_closed_and_duplicates_reach_the_cleaning(file):
    path = file(HEADER + "s1,tea,boil,0,3\ns1,tea,pour,4,4\ns1,tea,pour,4,4\n")
    with pytest.warns(DataWarning, match=r"dropped 1 row .*takes.csv: row 3 \(instance 's1'\)"):
        X, _ = read_csv(path, closed="both", duplicates="drop")
    assert X.to_lists() == [[("boil", 0, 4), ("pour", 4, 5)]]


BAD = {
    "no file": (None, {}, "there is no file"),
    "empty file": ("", {}, "takes.csv: the file is empty"),
    "header only": (HEADER, {}, "takes.csv: there are no rows"),
    "blank lines only": ("\n\n\n", {}, "the file is empty"),
    "missing column": (
        GOOD.replace("action", "Aktion"),
        {},
        "no column 'action' .found: 'instance', 'label', 'Aktion'.*columns={'action': 'Aktion'}",
    ),
    "mapped column missing": (GOOD, {"columns": {"label": "mood"}}, "no column 'mood'"),
    "unknown name in columns": (GOOD, {"columns": {"actor": "who"}}, "not one of 'instance'"),
    "duplicate columns": (GOOD.replace("label", "start"), {}, "the column 'start' 2 times"),
    "wrong delimiter": (GOOD.replace(",", ";"), {}, "semicolon seems .*use delimiter=';'"),
    "delimiter of two characters": (GOOD, {"delimiter": "::"}, "delimiter is one character"),
    "end before start": (
        GOOD + "s2,milk,stir,9,8\n",
        {},
        r"takes.csv: row 4 \(instance 's2'\): the interval ends before it starts; .*start=9, end=8",
    ),
    "NaN": (GOOD + "s2,milk,stir,NaN,8\n", {}, r"row 4 \(instance 's2'\): the start is missing"),
    "blank time": (GOOD + "s2,milk,stir,1,\n", {}, r"row 4 \(instance 's2'\): the end is missing"),
    "infinite time": (GOOD + "s2,milk,stir,0,inf\n", {}, r"row 4 .*the end is infinite"),
    "gigantic time": (GOOD + "s2,milk,stir,0,1e400\n", {}, r"row 4 .*the end is infinite"),
    "text for a time": (
        GOOD + "s2,milk,stir,0:12,8\n",
        {},
        r"row 4 \(instance 's2'\): the start is '0:12', not a number; write times as numbers",
    ),
    "decimal commas": (GOOD + 's2,milk,stir,"1,5",8\n', {}, "the start is '1,5', not a number"),
    "hexadecimal": (GOOD + "s2,milk,stir,0x10,80\n", {}, "the start is '0x10', not a number"),
    "two labels": (
        GOOD + "s2,tea,stir,3,8\n",
        {},
        r"row 4 \(instance 's2'\): the label is 'tea', but 'milk' in row 3 of the same instance",
    ),
    "two groups": (
        "instance,action,start,end,group\na,x,0,1,g\na,x,1,2,h\n",
        {},
        r"row 2 \(instance 'a'\): the group is 'h', but 'g' in row 1",
    ),
    "label missing": (GOOD + "s3,,stir,3,8\n", {}, r"row 4 \(instance 's3'\): no label, while"),
    "instance missing": (GOOD + ",tea,stir,3,8\n", {}, "row 4: the instance is missing"),
    "action missing": (GOOD + "s2,milk,,3,8\n", {}, r"row 4 \(instance 's2'\): the action is mis"),
    "short row": (GOOD + "s2,milk\n", {}, r"row 4 \(instance 's2'\): the action is missing"),
    "long row": (GOOD + "s2,milk,stir,3,8,9,9\n", {}, "not readable as CSV: .*line 5, saw 7"),
    "all rows long": (
        HEADER + "s1,tea,boil,0,4,9\ns1,tea,pour,4,6,9\n",
        {},
        "not readable as CSV: .*more columns than the header",
    ),
    "open quote": (GOOD + 's2,milk,"stir,3,8\n', {}, "not readable as CSV: EOF inside string"),
    "wrong encoding": (
        (HEADER + "s1,café,boil,0,1\n").encode("latin-1"),
        {},
        "takes.csv: the text is not utf-8: .*0xe9.* encoding='latin-1'",
    ),
    "unknown encoding": (GOOD, {"encoding": "utf-99"}, "there is no encoding 'utf-99'"),
    "UTF-16 unannounced": (GOOD.encode("utf-16"), {}, "the text is not utf-8"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x00", {}, "the text is not utf-8"),
    "unknown option value": (GOOD, {"closed": "inclusive"}, "choose among 'left', 'right', 'both'"),
    "corrupt compression": (b"no gzip at all", {"name": "takes.csv.gz"}, "takes.csv.gz: "),
}


@pytest.mark.parametrize(("content", "options", "message"), BAD.values(), ids=BAD.keys())
def test_bad_csv(tmp_path, file, content, options, message):
    options = dict(options)
    name = options.pop("name", "takes.csv")
    path = tmp_path / "absent.csv" if content is None else file(content, name)
    with pytest.raises(DataError, match=message):
        read_csv(path, **options)


def test_unknown_option_name(file):
    with pytest.raises(TypeError, match="tolerence"):
        read_csv(file(GOOD), tolerence=1)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        read_csv(tmp_path)


def test_times_of_pandas_are_refused_with_the_way_out():
    table = pd.DataFrame(
        {"instance": ["a"], "action": ["x"], "start": pd.to_datetime(["2020"]), "end": [1.0]}
    )
    with pytest.raises(DataError, match="the start is a date or time span .*total_seconds"):
        read_table(table)


def test_duplicate_columns_of_pandas():
    table = pd.DataFrame([[1, 2, 3]], columns=["instance", "start", "start"])
    with pytest.raises(DataError, match="the table has the column 'start' 2 times"):
        read_table(table)


def test_missing_values_in_typed_tables():
    table = pd.DataFrame(
        {"instance": [1, 1], "action": ["x", None], "start": [0, 1], "end": [1.0, 2.0]}
    )
    with pytest.raises(DataError, match=r"row 2 \(instance '1'\): the action is missing"):
        read_table(table)
    with pytest.raises(DataError, match=r"row 1 \(instance '1'\): the end is missing"):
        read_table(table.assign(action="x", end=pd.array([None, 2], dtype="Int64")))


BAD_JSON = {
    "empty": ("", "the file is empty"),
    "not JSON": ('{"instance": 1, "intervals": []}\n{oops\n', "line 2 is not JSON"),
    "not an object": ("[1, 2]\n", r"line 1 is '\[1, 2\]'; an object"),
    "too deep": ("[" * 100_000 + "\n", "line 1 is not JSON"),
    "no intervals": ('{"instance": 1, "intervals": []}\n{"instance": 2}\n', "line 2 has no list"),
    "short interval": ('{"instance": 1, "intervals": [["a", 0]]}\n', r"an interval is \[action"),
    "bad time": ('{"instance": 1, "intervals": [["a", 0, "x"]]}\n', "row 1 .*the end is 'x'"),
    "nested time": ('{"instance": 1, "intervals": [["a", 0, [1]]]}\n', r"the end is '\[1\]'"),
    "true as time": ('{"instance": 1, "intervals": [["a", 0, true]]}\n', "the end is 'True'"),
    "NaN": ('{"instance": 1, "intervals": [["a", 0, NaN]]}\n', "the end is missing"),
    "huge integer": ('{"instance": 1, "intervals": [["a", 0, 1' + "0" * 400 + "]]}\n", "the end"),
    "wrong encoding": (b'{"instance": "caf\xe9"}\n', "not UTF-8"),
}


@pytest.mark.parametrize(("content", "message"), BAD_JSON.values(), ids=BAD_JSON.keys())
def test_bad_json_lines(file, content, message):
    with pytest.raises(DataError, match=message):
        read(file(content, "takes.jsonl"))


def test_json_lines_of_rows_and_of_objects(file):
    rows = '{"instance": 1, "action": "nod", "start": 0, "end": 1, "label": "yes"}\n\n'
    X, y = read(file(rows, "rows.jsonl"))
    assert (X.to_lists(), y.tolist()) == ([[("nod", 0, 1)]], ["yes"])
    named = '{"instance": 1, "intervals": [{"action": "nod", "start": 0, "end": 1}]}\n'
    assert read(file(named, "named.ndjson"))[0].to_lists() == [[("nod", 0, 1)]]


def test_bad_parquet(tmp_path, file):
    for content in (b"", b"PAR1", b"PAR1 nothing PAR1", b"\x00" * 100):
        with pytest.raises(DataError, match=r"takes.parquet: not readable as Parquet"):
            read(file(content, "takes.parquet"))
    with pytest.raises(DataError, match="there is no file"):
        read(tmp_path / "absent.parquet")
    pd.DataFrame({"instance": ["a"], "start": [0]}).to_parquet(tmp_path / "short.parquet")
    with pytest.raises(DataError, match=r"short.parquet: the file has no column 'action'"):
        read(tmp_path / "short.parquet")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ibgn\[parquet\]'"):
        read(tmp_path / "takes.parquet")


def test_format_by_name_and_by_suffix(file):
    assert len(read(file(GOOD, "takes.txt"), format="csv")[0]) == 2
    assert len(read(file(GOOD, "TAKES.CSV"))[0]) == 2
    with pytest.raises(DataError, match=r"'takes.txt' is not known by its suffix .*format="):
        read(file(GOOD, "takes.txt"))
    with pytest.raises(DataError, match="choose among 'csv', 'parquet', 'jsonl'"):
        read(file(GOOD), format="xlsx")


def test_whole_times_are_written_as_such(tmp_path):
    write(IntervalSequences.from_lists([[("a", 0, 3)]]), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "instance,action,start,end\n0,a,0,3\n"


def test_writing_is_all_or_nothing(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    path.chmod(0o640)

    def write_half(temporary):
        temporary.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), replacing(path) as temporary:
        write_half(temporary)
    assert path.read_text() == "old"
    with replacing(path) as temporary:
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]
    with pytest.raises(DataError, match="there is no folder"), replacing(tmp_path / "no" / "x"):
        pass
    with pytest.raises(DataError, match="is a folder"), replacing(tmp_path):
        pass


def test_many_decimals_survive(tmp_path):
    start = np.random.default_rng(0).random(500)
    X = IntervalSequences.from_lists([[("a", s, s + 1 / 3) for s in start]], ids=["one"])
    write(X, tmp_path / "a.csv")
    assert read_csv(tmp_path / "a.csv")[0] == X
