"""Files: round trips, and an error that helps for whatever is wrong with one."""

import datetime
import errno
import gzip
import os
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibgn import DataError, DataWarning, IntervalSequences, read, read_csv, read_table, write
from ibgn._files import replacing
from ibgn.errors import BudgetError, OptionError
from ibgn.io.parsing.columns import find_columns
from ibgn.io.registry import load

HEADER = "instance,label,action,start,end\n"
GOOD = HEADER + "s1,tea,boil,0,4\ns1,tea,pour,4,6.5\ns2,milk,pour,1,2\n"
SUFFIXES = [".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".parquet", ".jsonl", ".jsonl.gz"]


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
    for options in ({}, {"encoding": "utf-16"}):  # the mark says it, too
        assert read_csv(wide, **options)[0].ids.tolist() == ["s1", "s2"]


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
    "unclear column": (
        "take,wer,wo,start,end\na,ann,hall,0,1\na,bob,hall,1,2\na,ann,room,2,3\n",
        {},
        "no column could be recognised as the action .found: 'take', 'wer', 'wo'.*"
        "columns={'instance': 'take', 'start': 'start', 'end': 'end', 'action': '...'}",
    ),
    "no times": (
        "instance,action,x,y\na,boil,0,1\n",
        {},
        "no column could be recognised as the start or the end .*'start': '...', 'end': '...'}",
    ),
    "mapped column missing": (GOOD, {"columns": {"label": "mood"}}, "no column 'mood'"),
    "columns of no mapping": (GOOD, {"columns": ["action"]}, "columns=.* must map names"),
    "columns of no text": (GOOD, {"columns": {"action": None}}, "columns=.* must map names"),
    "column number 0": (GOOD, {"columns": {"action": 0}}, "columns=.* numbers from 1 on"),
    "column beyond the last": (GOOD, {"columns": {"action": 9}}, "the header has no column '9'"),
    "unknown name in columns": (GOOD, {"columns": {"actor": "who"}}, "not one of 'instance'"),
    "duplicate columns": (GOOD.replace("label", "start"), {}, "the column 'start' 2 times"),
    "wrong delimiter": (GOOD, {"delimiter": ";"}, "no row has a time or a number in it"),
    "delimiter of two characters": (
        GOOD,
        {"delimiter": "::"},
        "delimiter=.* must be one char",
    ),
    "delimiter of no text": (GOOD, {"delimiter": 5}, "delimiter=.* must be one char"),
    "header of no kind": (GOOD, {"header": "yes"}, "header='yes' must be true or false"),
    "line break as delimiter": (GOOD, {"delimiter": "\n"}, "delimiter=.* must be one char"),
    "delimiter beyond ASCII": (GOOD, {"delimiter": "é"}, "delimiter=.* must be one char"),
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
    "underscores": (GOOD + "s2,milk,stir,1_0,80\n", {}, "the start is '1_0', not a number"),
    "other digits": (GOOD + "s2,milk,stir,٣,80\n", {}, "the start is '٣', not a number"),
    "booleans": (HEADER + "s,milk,stir,False,True\n", {}, "the start is 'False', not a number"),
    "dates": (
        GOOD + "s2,milk,stir,2020-01-01 10:00,9\n",
        {},
        r"row 4 .*the start is a date or time span \(2020-01-01 10:00\).*total_seconds",
    ),
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
    "unknown encoding": (GOOD, {"encoding": "utf-99"}, "encoding='utf-99' is not known"),
    "no encoding": (GOOD, {"encoding": None}, "encoding=None is not known"),
    "empty encoding": (GOOD, {"encoding": ""}, "encoding='' is not known"),
    "encoding of bytes": (GOOD, {"encoding": "base64"}, "encoding='base64' is not known"),
    "compressed unannounced": (gzip.compress(GOOD.encode()), {}, "takes.csv: .* is compressed"),
    "UTF-16 cut off": (GOOD.encode("utf-16")[:-1], {}, "the text is not utf-16"),
    "binary": (b"\x89\xff\r\n\x1a\n\x00\x00\x00", {}, "the text is not utf-8"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00", {}, "the file is a picture"),
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
    with pytest.raises(OptionError, match=r"format csv; did you mean tolerance=\? there are "):
        read_csv(file(GOOD), tolerence=1)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="there are no files"):
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
    "bad time": (
        '{"instance": 1, "intervals": []}\n\n{"instance": 2, "intervals": [["a", 0, "x"]]}\n',
        r"line 3, interval 1 \(instance '2'\): the end is 'x'",
    ),
    "bad time in rows": (
        '\n{"instance": 1, "action": "a", "start": 0, "end": "1_0"}\n',
        r"line 2 \(instance '1'\): the end is '1_0'",
    ),
    "no name": ('{"intervals": [["a", 0, 1]]}\n', "the lines have no column 'instance'"),
    "a row, then an instance": (
        '{"instance": 1, "action": "a", "start": 0, "end": 1}\n'
        '{"instance": 2, "intervals": [["a", 0, 1]]}\n',
        "line 2 is an instance with its intervals, while the first line is one interval",
    ),
    "an instance twice": (
        '{"instance": 1, "intervals": []}\n{"instance": 2, "intervals": []}\n'
        '{"instance": "1", "intervals": []}\n',
        "line 1 and line 3 are the same instance, '1'",
    ),
    "two labels": (
        '{"instance": 1, "label": "x", "action": "a", "start": 0, "end": 1}\n'
        '{"instance": 1, "label": "y", "action": "a", "start": 0, "end": 1}\n',
        "line 2 .*the label is 'y', but 'x' in line 1 of the same instance",
    ),
    "compressed unannounced": (gzip.compress(b"{}"), "takes.jsonl: the file is compressed"),
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
    for content in (b"PAR1", b"PAR1 nothing PAR1", b"\x00" * 100):
        with pytest.raises(DataError, match=r"takes.parquet: not readable as Parquet"):
            read(file(content, "takes.parquet"))
    with pytest.raises(DataError, match=r"takes.parquet: the file is empty"):
        read(file(b"", "takes.parquet"))
    with pytest.raises(DataError, match="there is no file"):
        read(tmp_path / "absent.parquet")
    pd.DataFrame({"instance": ["a"], "start": [0]}).to_parquet(tmp_path / "short.parquet")
    with pytest.raises(DataError, match=r"short.parquet: the file has no columns 'action', 'end'"):
        read(tmp_path / "short.parquet")


def test_parquet_without_pyarrow_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ibgn\[parquet\]'"):
        read(tmp_path / "takes.parquet")


def test_format_by_name_by_suffix_and_by_content(file):
    assert len(read(file(GOOD, "takes.txt"), format="csv")[0]) == 2
    assert len(read(file(GOOD, "TAKES.CSV"))[0]) == 2
    assert len(read(file(GOOD, "takes.txt"))[0]) == 2
    unknown = r"'takes.doc' is not known by its suffix or by its content; .*format="
    with pytest.raises(DataError, match=unknown):
        read(file("Dear all,\n", "takes.doc"))
    with pytest.raises(OptionError, match="choose among 'activitynet', 'anvil', 'bento', "):
        read(file(GOOD), format="xlsx")
    with pytest.raises(
        OptionError, match="delimiter=.* is not an option of the format jsonl; there are columns=, "
    ):
        read("takes.jsonl", delimiter=",")


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


COLUMNS = {
    "instance": ["a", "b", "c"],
    "label": ["x", "y", "z"],
    "action": ["p", "q", "r"],
    "start": [0, 1, 2],
    "end": [1, 2, 3],
}


@pytest.mark.parametrize("name", ["instance", "label", "action"])
@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas", "parquet"])
def test_a_missing_category_is_missing(tmp_path, name, kind):
    values = [COLUMNS[name][0], None, COLUMNS[name][2]]
    columns = {
        "arrow": lambda: pa.array(values).dictionary_encode(),
        "polars": lambda: pl.Series(values, dtype=pl.Categorical),
        "pandas": lambda: pd.Categorical(values),
        "parquet": lambda: pa.array(values).dictionary_encode(),
    }[kind]()
    make = {"polars": pl.DataFrame, "pandas": pd.DataFrame}.get(kind, pa.table)
    table = make(COLUMNS | {name: columns})
    wanted = "row 2.*no label" if name == "label" else f"row 2.*the {name} is missing"
    if kind == "parquet":
        pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match=wanted):
        _ = read(tmp_path / "a.parquet") if kind == "parquet" else read_table(table)


NO_TABLES = {
    "lists": (pd.DataFrame(COLUMNS | {"label": [[1], [1], [2]]}), "row 1: .*of type list"),
    "dictionaries": (pd.DataFrame(COLUMNS | {"action": [{}, {}, {}]}), "row 1: .*of type dict"),
    "structures": (pl.DataFrame(COLUMNS | {"label": [{"a": 1}] * 3}), "'label' holds Struct"),
    "lists of Arrow": (pa.table(COLUMNS | {"label": [[1]] * 3}), "'label' holds List"),
    "duplicates": (pa.table([[1], [2], [3]], names=["instance", "end", "end"]), "'end' 2 times"),
    "ragged": (COLUMNS | {"end": [1]}, "do not make a table: .*same length"),
    "scalars": ({"instance": 1, "action": 2, "start": 0, "end": 1}, "do not make a table"),
    "complex": (pd.DataFrame(COLUMNS | {"start": [1j] * 3}), "the start is '1j', not a number"),
    "dates": (
        pd.DataFrame(COLUMNS | {"start": [datetime.date(2020, 1, 1)] * 3}),
        r"the start is a date or time span \(2020-01-01\).*total_seconds.*2 more rows",
    ),
    "bad UTF-8": (
        pa.table(
            COLUMNS
            | {"label": pa.Array.from_buffers(pa.string(), 3, pa.array([b"\xff"] * 3).buffers())}
        ),
        "the column 'label' cannot be read",
    ),
}


@pytest.mark.parametrize(("table", "message"), NO_TABLES.values(), ids=NO_TABLES.keys())
def test_bad_tables(tmp_path, table, message):
    with pytest.raises(DataError, match=message):
        read_table(table)
    if isinstance(table, pa.Table):
        pq.write_table(table, tmp_path / "takes.parquet")
        with pytest.raises(DataError, match=f"takes.parquet: .*{message}"):
            read(tmp_path / "takes.parquet")


def test_maps_and_far_dates_of_parquet(tmp_path):
    maps = pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table(COLUMNS | {"label": maps}), tmp_path / "maps.parquet")
    with pytest.raises(DataError, match="row 1: the label is .*of type list"):
        read(tmp_path / "maps.parquet")
    far = pa.array([2**30] * 3, pa.date32())
    pq.write_table(pa.table(COLUMNS | {"label": far}), tmp_path / "far.parquet")
    assert [str(label)[:7] for label in read(tmp_path / "far.parquet")[1]] == ["2941775"] * 3


def test_dates_as_labels_stay_dates():
    table = pd.DataFrame(COLUMNS | {"label": pd.to_datetime(["2020"] * 3).astype("M8[ns]")})
    assert read_table(table)[1].tolist() == [pd.Timestamp("2020")] * 3


def test_other_columns_may_repeat_or_have_no_name(file):
    content = "instance,action,start,end,note,note,,\na,b,1,2,x,y,,\n"
    assert len(read_csv(file(content))[0]) == 1
    wide = pd.DataFrame([["a", "b", 0, 1, 7, 8]], columns=[*COLUMNS, "n"]).set_axis(
        ["instance", "action", "start", "end", "n", "n"], axis=1
    )
    assert read_table(wide)[0].to_lists() == [[("b", 0, 1)]]
    assert (
        read_table(pa.table([["a"], ["b"], [0], [1], [1], [2]], names=[*wide.columns]))[1] is None
    )
    unnamed = ",action,start,end\na,b,0,1\n"
    assert read_csv(file(unnamed), columns={"instance": ""})[0].ids.tolist() == ["a"]
    numbered = pd.DataFrame([["a", "b", 0, 1]], columns=[7, "action", "start", "end"])
    assert read_table(numbered, columns={"instance": "7"})[0].ids.tolist() == ["a"]


def test_many_columns_are_found_fast():
    found = [*COLUMNS, *(f"c{i}" for i in range(200_000))]
    before = time.perf_counter()
    assert find_columns(found, None, "the table has")["end"] == 4
    with pytest.raises(DataError, match="no column 'who'.* and 199985 more"):
        find_columns(found, {"group": "who"}, "the table has")
    assert time.perf_counter() - before < 5


def test_columns_left_out_are_told(file):
    csv = file("instance,action,start,end,mood,,\na,b,0,1,glad,,\n")
    assert load(csv).left_out == ["mood"]
    nested = (
        '{"instance": 1, "who": 2, "intervals": [{"action": "a", "start": 0, "end": 1, "n": 3}]}'
    )
    assert load(file(nested, "takes.jsonl")).left_out == ["who", "n"]
    pd.DataFrame(COLUMNS | {"mood": 1}).to_parquet(csv.with_suffix(".parquet"))
    assert load(csv.with_suffix(".parquet")).left_out == ["mood"]


def test_names_of_columns_within_intervals(file):
    content = '{"take": 1, "intervals": [{"what": "nod", "start": 0, "end": 1}]}'
    columns = {"instance": "take", "action": "what"}
    assert read(file(content, "a.jsonl"), columns=columns)[0].to_lists() == [[("nod", 0, 1)]]


def test_true_and_one_are_two_instances(file):
    rows = '{{"instance": {}, "intervals": [["a", 0, 1]]}}\n'
    content = rows.format("1") + rows.format("true")
    assert read(file(content, "a.jsonl"))[0].ids.tolist() == ["1", "True"]


def test_what_can_be_read_only_once(tmp_path):
    """A pipe has no second beginning, for the header and for the rows."""
    for name, content in (("pipe.csv", GOOD.encode()), ("p.csv.gz", gzip.compress(GOOD.encode()))):
        pipe = tmp_path / name
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=[content])
        writer.start()
        assert read(pipe)[0].ids.tolist() == ["s1", "s2"]
        writer.join()


@pytest.mark.parametrize("path", ["a\0.csv", None, 5])
def test_what_is_no_path(path):
    with pytest.raises(DataError, match="NUL|the name of a file is needed"):
        read_csv(path)


def test_parquet_is_not_compressed_from_outside(tmp_path, file):
    X = IntervalSequences.from_lists([[("a", 0, 1)]])
    with pytest.raises(DataError, match=r"a.parquet.gz: a Parquet file is compressed within"):
        write(X, tmp_path / "a.parquet.gz")
    with pytest.raises(DataError, match=r"a.parquet.gz: a Parquet file is compressed within"):
        read(file(gzip.compress(b"PAR1"), "a.parquet.gz"))
    with pytest.raises(DataError, match=r"a.parquet: the file is compressed"):
        read(file(gzip.compress(b"PAR1"), "a.parquet"))


def test_compressed_files_do_not_tell_when_they_were_written(tmp_path):
    X = IntervalSequences.from_lists([[("a", 0, 1)]])
    write(X, tmp_path / "a.jsonl.gz")
    content = (tmp_path / "a.jsonl.gz").read_bytes()
    assert content[3:8] == bytes(5)  # no name, no time
    assert gzip.decompress(content).startswith(b'{"instance"')


def nameless(*instances, **names):
    lists = [[("a", 0, 1)] for _ in instances]
    return IntervalSequences(
        np.arange(len(lists) + 1),
        [0] * len(lists),
        [0] * len(lists),
        [1] * len(lists),
        ["a"],
        **names,
    )


PAIR = IntervalSequences.from_lists([[("a", 0, 1)], [("b", 0, 1)]], ids=["u", "v"])
UNWRITABLE = {
    "repeated": (PAIR[[0, 0, 1]], None, "2 instances have the id 'u'.*make ids distinct"),
    "concatenated": (IntervalSequences.concatenate([PAIR, PAIR]), None, "have the id 'u'"),
    "blank id": (nameless(0, 1, ids=["x", " "]), None, "the id of instance 1 is blank"),
    "no id": (nameless(0, 1, ids=["x", None]), None, "the id of instance 1 is missing"),
    "no instance": (PAIR[:0], None, "there are no instances"),
    "all None": (PAIR, [None, None], "the label of instance 0 is missing"),
    "NaN": (PAIR, [1.0, np.nan], "the label of instance 1 is missing"),
    "blank": (PAIR, ["x", "\t"], "the label of instance 1 is blank"),
    "surrogate": (PAIR, ["x", "\ud800"], r"label of instance 1 is '\\ud800', which holds half"),
    "surrogate id": (nameless(0, ids=["\udfff"]), None, "the id of instance 0 is .* holds half"),
    "no group": (nameless(0, 1, groups=["x", ""]), None, "the group of instance 1 is blank"),
    "object": (PAIR, [object(), "x"], "of type object, which the format cannot hold"),
    "tuples": (PAIR, [("x", 1), ("y", 2)], r"y has one value per instance, got shape \(2, 2\)"),
    "ragged": (PAIR, [["x"], ["y", "z"]], "y has one value per instance, got lists"),
    "too few": (PAIR, ["x"], "y has one value per instance"),
}


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize(("X", "y", "message"), UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_what_could_not_be_read_is_not_written(tmp_path, suffix, X, y, message):
    with pytest.raises(DataError, match=message):
        write(X, tmp_path / f"a{suffix}", y)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", ".eaf", ".TextGrid"])
def test_instances_without_a_label_stay_without(tmp_path, suffix):
    y = np.array([None, "x"], object)
    write(PAIR, tmp_path / f"a{suffix}", y)
    assert read(tmp_path / f"a{suffix}", unlabelled="keep")[1].tolist() == [None, "x"]
    with pytest.raises(DataError, match="no label, while other rows have one"):
        read(tmp_path / f"a{suffix}")


def test_labels_that_one_format_cannot_hold(tmp_path):
    dates = np.array([datetime.date(2020, 1, 1)] * 2)
    write(PAIR, tmp_path / "a.parquet", dates)
    for labels, name in (
        (dates, "a.jsonl"),
        (np.array(["2020"] * 2, "M8[ns]"), "a.jsonl"),
        ([np.inf, 1.0], "a.jsonl"),
        (np.array([b"x", b"y"], object), "a.csv"),
        (np.array([1, "x"], object), "a.parquet"),
        (np.array([10**30, 1], object), "a.parquet"),
    ):
        with pytest.raises(DataError, match="make (it|them) text"):
            write(PAIR, tmp_path / name, labels)


def test_delimiters_of_written_files(tmp_path):
    for delimiter in ("", "ab", "\r", None, "é"):
        with pytest.raises(OptionError, match="delimiter=.* must be one char"):
            write(PAIR, tmp_path / "a.csv", delimiter=delimiter)


def test_writing_goes_through_links(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "a.csv", tmp_path / "there" / "b.csv"
    link.symlink_to(target)
    write(PAIR, link)
    write(PAIR, link)
    assert link.is_symlink()
    assert target.read_text().startswith("instance")
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(DataError, match=r"loop.csv' could not be written"):
        write(PAIR, loop)


def test_only_files_are_replaced(tmp_path):
    with pytest.raises(DataError, match="'/dev/null' is a device or a pipe"):
        write(PAIR, "/dev/null", format="csv")
    reader, writer = os.pipe()
    with pytest.raises(DataError, match="is a device or a pipe"):
        write(PAIR, f"/dev/fd/{writer}", format="csv")
    os.close(reader)
    os.close(writer)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match=r"pipe.csv' is a device or a pipe"):
        write(PAIR, tmp_path / "pipe.csv")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_errors_of_the_system_name_the_target(tmp_path, monkeypatch, suffix):
    with pytest.raises(DataError, match="could not be written: File name too long"):
        write(PAIR, tmp_path / f"{'x' * 300}{suffix}")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), ".temporary")

    for name in ("tempfile.mkstemp", "pathlib.Path.replace"):
        monkeypatch.setattr(name, full)
        with pytest.raises(DataError, match=f"a{suffix}' could not be written: No space") as raised:
            write(PAIR, tmp_path / f"a{suffix}")
        assert "temporary" not in str(raised.value)
        monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_file_name_in_a_message_is_made_harmless(file):
    with pytest.raises(DataError) as raised:
        read_csv(file("x\n", "\x1b[31mred.csv"))
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize("name", ["takes.csv.gz", "takes.jsonl.gz", "takes.eaf.gz"])
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("ibgn.budgets.SMALL", 1 << 16)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"\n" * (1 << 22)))
    said = r"takes.*its content, unpacked, needs .* allowed for a file of 4.* KB; .*max_memory="
    with pytest.raises(BudgetError, match=said):
        read(path)


def test_a_file_that_repeats_itself_is_read_up_to_a_size(file, monkeypatch):
    content = gzip.compress((HEADER + "s1,tea,boil,0,4\n" * 4096).encode())
    assert len(read(file(content, "takes.csv.gz"))[0].action) == 4096
    monkeypatch.setattr("ibgn.budgets.SMALL", 0)
    monkeypatch.setattr("ibgn.budgets.MOST_TIMES", 3)
    with pytest.raises(BudgetError, match="its content, unpacked, needs"):
        read(file(content, "takes.csv.gz"))


def test_a_pipe_without_end_is_refused(monkeypatch):
    monkeypatch.setenv("IBGN_MAX_MEMORY", "64K")
    with pytest.raises(DataError, match="more than 64 KB come through the pipe; save them as a"):
        read("/dev/zero", format="csv")
