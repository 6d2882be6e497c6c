"""Small files that would take gigabytes or minutes are refused; large honest ones are read."""

import gzip
import importlib
import json
import pkgutil
import re
import sys
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import ibgn
from attack.measured import read_measured
from ibgn import DataError, IBGNClassifier, IntervalSequences
from ibgn.budgets import VARIABLE, Budget, as_bytes
from ibgn.cli import app
from ibgn.datasets import make_styles
from ibgn.errors import BudgetError, OptionError
from ibgn.io import FORMATS, survey
from ibgn.io.files import Files
from ibgn.io.patterns import search_names
from ibgn.model.generation import sample_instances
from ibgn.networks import count_pairs, read_networks
from model_files import peak

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
HEADER = "instance,action,start,end\n"
MB = 1 << 20


def write_parquet(path, length):
    """Eight rows, with one long name in each, which is stored once."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    action = pyarrow.DictionaryArray.from_arrays(np.zeros(8, np.int32), ["x" * length])
    columns = {"instance": ["a"] * 8, "action": action, "start": range(8), "end": range(1, 9)}
    parquet.write_table(pyarrow.table(columns), path, compression="zstd")


def write_elan(path, elements):
    document = b"<ANNOTATION_DOCUMENT><TIME_ORDER/>%b</ANNOTATION_DOCUMENT>"
    path.write_bytes(gzip.compress(document % (b"<a/>" * elements)))


def write_value(path, length):
    """One annotation with a long value, of which one character takes four bytes, and so do all."""
    value = "\U0001f600" + "a" * length
    ends = (
        '<TIME_SLOT TIME_SLOT_ID="0" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="1" TIME_VALUE="1"/>'
    )
    slots = 'ANNOTATION_ID="a" TIME_SLOT_REF1="0" TIME_SLOT_REF2="1"'
    text = (
        f'<ANNOTATION_DOCUMENT><TIME_ORDER>{ends}</TIME_ORDER><TIER TIER_ID="t"><ANNOTATION>'
        f"<ALIGNABLE_ANNOTATION {slots}><ANNOTATION_VALUE>{value}</ANNOTATION_VALUE>"
        "</ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
    )
    path.write_bytes(gzip.compress(text.encode()))


def write_attribute(path, length):
    path.write_bytes(b'<ANNOTATION_DOCUMENT a="%b"></ANNOTATION_DOCUMENT>' % (b"a" * length))


def write_columns(path, number):
    path.write_text(f"instance,action,start,end{',c' * number}\na,b,0,1{',x' * number}\n")


def write_hidden_columns(path, number):
    """A header that goes on behind line feeds within quotes."""
    path.write_text('instance,action,start,end,"\n"' + f'{",c" * 1000},"\n"' * (number // 1000))


def write_repeated(text):
    def write(path, number):
        path.write_bytes(gzip.compress((text * number).encode()))

    return write


def write_number(path, digits):
    path.write_text(f"{HEADER}a,b,{'1' * digits}x,5\n")


def write_lists(path, number):
    path.write_bytes(gzip.compress(b"[%b[]]" % (b"[]," * number)))


def write_many_labels(path, number):
    """Each of so many times has each of almost as many actions."""
    times, labels = [[n, n + 1] for n in range(number)], ["a"] * (number - 1)
    path.write_text(json.dumps({"segments": times, "labels": labels}))


def write_segments(path, number):
    path.write_text(json.dumps({"label": "a", "segments": [[n, n + 1] for n in range(number)]}))


def write_lines(path, number):
    path.write_bytes(gzip.compress(b"\n" * number))


def write_grid(path, rows):
    """Intervals in the order of time, any of which may be the last."""
    head = '"Praat chronological TextGrid text file"\n0 1e6\n1\n"IntervalTier" "Mary" 0 1e6\n'
    path.write_text(head + "".join(f'1 {n} {n + 1}\n"hey"\n' for n in range(rows)))


def write_annotators(path, number):
    """As many tracks, each of which could be the activity."""
    chords = [{"time": n, "duration": 1, "value": value} for n, value in enumerate("CD")]
    one = {"data": chords, "namespace": "chord"}
    several = [
        one | {"annotation_metadata": {"annotator": {"name": f"a{n}"}}} for n in range(number)
    ]
    path.write_text(json.dumps({"annotations": several, "file_metadata": {}, "sandbox": {}}))


# name, how it is written, how large, what is said of it, and how large as a control is
BOMBS = [
    ("name.parquet", write_parquet, 100_000_000, "needs about|characters", 2_000_000),
    ("lists.json.gz", write_lists, 30_000_000, "document needs about [0-9.]+ GB", 20_000),
    ("elan.eaf.gz", write_elan, 8_000_000, "tree of its elements needs about [0-9.]+ GB", 20_000),
    ("attribute.eaf", write_attribute, 40_000_000, "a tag or a comment is longer than", 1_000_000),
    ("columns.csv", write_columns, 200_000, "a row of [0-9]+ columns or more needs", 500),
    ("columns10.csv", write_columns, 10_000_000, "a row of [0-9]+ columns or more needs", 500),
    ("hidden.csv", write_hidden_columns, 2_000_000, "a row of [0-9]+ columns or more needs", 1000),
    ("value.eaf.gz", write_value, 150_000_000, "tree of its elements needs about", 900_000),
    ("quotes.csv.gz", write_repeated('"'), 30_000_000, "rows and cells needs about", 1000),
    ("spaces.csv.gz", write_repeated("a\x0b"), 20_000_000, "rows and cells needs about", 1000),
    ("wide.csv.gz", write_repeated("ab\u2003"), 30_000_000, "its first row needs about", 1000),
    ("blank.csv.gz", write_repeated(" \n"), 40_000_000, "the file is empty", 1000),
    ("number.csv", write_number, 40_000, "the start is '1111", 4_000),
    ("labels.json", write_many_labels, 20_000, "actions of its objects needs", 20),
    ("segments.json", write_segments, 20_000, None, 1000),
    ("lines.srt.gz", write_lines, 50_000_000, "what its lines become needs", 1000),
    ("order.TextGrid", write_grid, 60_000, None, 1000),
]


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for name, write, size, *_ in BOMBS:
        write(folder / name, size)
    found = read_measured([(folder / name, {}) for name, *_ in BOMBS])
    return dict(zip([name for name, *_ in BOMBS], found, strict=True))


@LINUX
@pytest.mark.parametrize(("name", "said"), [(bomb[0], bomb[3]) for bomb in BOMBS])
def test_what_would_exhaust_the_machine_is_refused_first(bombs, name, said):
    found = bombs[name]
    assert re.search(said, found["error"]) if said else found["error"] is None
    assert found["memory"] < (700 if name == "name.parquet" else 250) * MB
    assert found["seconds"] < 15  # of the processor; most take less than one


@LINUX
def test_the_measure_sees_what_is_taken(tmp_path):
    """The control: a tenth of what is refused takes more than the refusal, and is measured."""
    write_elan(tmp_path / "elan.eaf.gz", 400_000)
    write_lists(tmp_path / "lists.json.gz", 300_000)
    allowed = {"max_memory": "4G"}
    cases = [(tmp_path / name, allowed) for name in ("elan.eaf.gz", "lists.json.gz")]
    elan, lists = read_measured(cases)
    assert min(elan["memory"], lists["memory"]) > 20 * MB
    assert lists["memory"] < lists["expected"]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb[0])
def test_less_of_the_same_is_read_or_refused_for_what_it_is(tmp_path, bomb):
    name, write, _, _, small = bomb
    write(tmp_path / name, small)
    refused = None
    with warnings.catch_warnings(action="ignore"):
        try:
            ibgn.read(tmp_path / name)
        except DataError as error:
            refused = error
    assert not isinstance(refused, BudgetError)


def test_the_error_says_what_is_needed_what_is_allowed_and_how_to_raise_it(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "a,b,0,1\n" * 3000)
    with pytest.raises(
        BudgetError,
        match=r"takes.csv: its cells needs about .* of memory, and 200 KB are allowed; cut it "
        r"into parts, or if it is meant to be so allow more with max_memory='1M'",
    ):
        ibgn.read(path, max_memory="200K")
    assert len(ibgn.read(path, max_memory="1M")[0].action) == 3000
    said = CliRunner().invoke(app, ["convert", str(path), "-", "--max-memory", "200K"])
    assert isinstance(said.exception, BudgetError)
    assert str(said.exception).endswith("--max-memory 1M")


@pytest.fixture(autouse=True)
def variable(monkeypatch):
    """The flag of a command sets the variable, which tests after it must not see."""
    monkeypatch.setenv(VARIABLE, "1M")
    monkeypatch.delenv(VARIABLE)


def test_the_environment_raises_and_lowers_what_has_no_option(tmp_path, monkeypatch):
    path = tmp_path / "walk.csv"
    path.write_text("time,x\n" + "".join(f"{n},1\n" for n in range(1000)))
    assert len(ibgn.io.read_sensors(path)) == 1
    monkeypatch.setenv(VARIABLE, "50K")
    with pytest.raises(BudgetError, match=f"{VARIABLE}=1M$"):
        ibgn.io.read_sensors(path)


@pytest.mark.parametrize("value", ["", "8X", "-1", "0", -5, 1.5, True, "9" * 50])
def test_amounts_of_memory_that_are_none(value, file_of_rows):
    with pytest.raises(OptionError, match="max_memory=.* must be"):
        ibgn.read(file_of_rows, max_memory=value)
    with pytest.raises(OptionError, match="max_memory"):
        Budget(value)


def test_amounts_of_memory():
    amounts = ["1K", "1.5 G", "2gb", "3MiB", 4096, "5T", None]
    found = [as_bytes("max_memory", amount) for amount in amounts]
    assert found == [1024, 3 << 29, 2 << 30, 3 << 20, 4096, 5 << 40, None]


@pytest.fixture
def file_of_rows(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "a,b,0,1\n" * 1000)
    return path


def test_a_file_may_take_more_than_a_smaller_one():
    small, large = Budget().of(1000), Budget().of(1 << 40)
    assert small.memory < large.memory == Budget().limit
    assert Budget("3G").of(1000).memory == 3 << 30  # whatever its size, if it is said to be so
    assert small.seconds < large.seconds


def test_inspection_never_raises_a_budget_by_itself(tmp_path):
    write_lists(tmp_path / "lists.json.gz", 30_000_000)
    with pytest.raises(BudgetError):
        survey(tmp_path / "lists.json.gz")


def test_inspection_tries_only_some_tracks_as_the_activity(tmp_path, monkeypatch):
    """Each trial reads the files again, which would take the square of the number of tracks."""
    write_annotators(tmp_path / "many.jams", 300)
    reading = importlib.import_module("ibgn.io.survey")._Reading
    read, number = reading._read, []

    def counted(self):
        number.append(1)
        return read(self)

    monkeypatch.setattr(reading, "_read", counted)
    found = survey(tmp_path / "many.jams")
    assert len(found.entries) >= 300
    assert 10 < len(number) < 100


def test_a_bad_file_of_a_folder_can_be_left_out_and_the_error_stays_one_of_memory(tmp_path):
    write_columns(tmp_path / "a.csv", 200_000)
    (tmp_path / "b.csv").write_text(HEADER + "a,b,0,1\n")
    with pytest.raises(BudgetError, match="bad_files='drop' leaves the file out"):
        ibgn.read(tmp_path)
    with pytest.warns(ibgn.DataWarning, match="1 file that cannot be read: left out"):
        assert len(ibgn.read(tmp_path, bad_files="drop")[0]) == 1


def test_time_runs_out_while_a_file_is_read(tmp_path, monkeypatch):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "a,b,0,1\n" * 100)
    monkeypatch.setattr("ibgn.budgets.SECONDS", 0.0)
    monkeypatch.setattr("ibgn.budgets.SPEED", 1 << 60)
    with pytest.raises(BudgetError, match="reading takes longer than 0 seconds"):
        ibgn.read(path)


def test_annotations_that_cross_many_activities_are_counted(tmp_path):
    """Each of many long annotations would become an interval of each of many activities."""
    path, number = tmp_path / "a.notes", 400

    @ibgn.io.reader("crossing", (".notes",))
    def read_crossing(files):
        """Read annotations that cross all activities."""
        for file in files:
            phases = [ibgn.io.Annotation("p", "x", n, n + 1, "") for n in range(number)]
            long = [ibgn.io.Annotation("t", "y", 0, number, "") for _ in range(number)]
            yield ibgn.io.Recording(file.name, phases + long)

    path.write_text("notes")
    try:
        assert len(read_crossing(path, activity="track:p")[0].action) == number**2
        with pytest.raises(BudgetError, match="more than 40000 intervals of activities needs"):
            read_crossing(path, activity="track:p", max_memory="19M")
    finally:
        FORMATS.remove("crossing")


def test_many_small_files_add_up(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.notes").write_text("notes")
    files = Files(tmp_path, [".notes"], budget=Budget("1M"))
    notes = [ibgn.io.Annotation("t", "y", 0, 1, "")] * 400
    recordings = (ibgn.io.Recording(file.name, notes) for file in files)
    with pytest.raises(BudgetError, match="1200 annotations needs about"):
        files.collect(recordings)


# expressions of users


def test_an_expression_of_the_user_that_goes_back_and_forth_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("ibgn.io.patterns.SECONDS", 1.0)
    path = tmp_path / f"{'a' * 40}!.csv"
    path.write_text(HEADER + "a,b,0,1\n")
    for option in ("activity", "group"):
        with pytest.raises(
            OptionError,
            match=rf"{option}=.* takes longer than 1 seconds .* such as 'aaa.*\(a\+\)\+",
        ):
            ibgn.read(path, **{option: r"((?:a+)+)$"})
    _, y = ibgn.read(path, activity="(a+)!")  # the control
    assert y.tolist() == ["a" * 40]


def test_expressions_find_what_re_finds():
    names = ["tea_01/s1.eaf", "tea", "\ud800\n_x", "é_2", ""]
    for pattern in ("([a-z]+)_", "(.)$", "(?s)(.*)", r"(\w)_(?=\d)", "(x)?"):
        found = [re.search(pattern, name) for name in names]
        assert search_names("group", pattern, names) == [match and match[1] for match in found]


# our own expressions

LENGTH = 4000
SHORTER = {"ibgn._signatures": 512, "ibgn.text": 2000}  # what these look at is cut to that length
UNITS = (
    *"1aA \t\n\"'\\<([{.-_=:;,!é#\x15",
    *("1.", "1 ", "a ", "1,", "a1", "0:", "<a", "</", "{\\", "'a", "\\'", '""', "1:1", "e1", "=a"),
    *("a=", "a\n", "- ", "1.1;", "a 1 1;", "\x150_", " \t", "<!--", "--> ", "<v ", "(1-2)", "a #"),
)
HEADS = ("", "1", "<v", '"', "2010-01-01 ", "rotate(-0 ")
TAILS = ("x", "!")


def own_patterns():
    """Patterns of all modules, each with its module and the methods that are called."""
    for module in pkgutil.walk_packages(ibgn.__path__, "ibgn."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        source = Path(loaded.__file__).read_text()
        for name, value in vars(loaded).items():
            within = value if isinstance(value, tuple) else (value,)
            for each in (each[0] if isinstance(each, tuple) and each else each for each in within):
                if isinstance(each, re.Pattern):
                    methods = set(re.findall(rf"\b{name}\.(\w+)\(", source))
                    yield module.name, each, methods & {"match", "search", "sub", "finditer"}


def slowest(module, pattern, methods, share=1):
    """Longest time that one of many texts takes, and that text."""
    length, worst = SHORTER.get(module, LENGTH) // share, (0.0, "")
    for head, unit, tail in product(HEADS, UNITS, TAILS):
        text = head + unit * (length // len(unit)) + tail
        text = text.encode() if isinstance(pattern.pattern, bytes) else text
        for method in methods or {"fullmatch"}:
            more = ("" if isinstance(text, str) else b"",) if method == "sub" else ()
            begin = time.process_time()
            result = getattr(pattern, method)(*more, text)
            _ = list(result) if method == "finditer" else result
            worst = max(worst, (time.process_time() - begin, str(text[:40])))
    return worst


def test_no_pattern_of_the_package_takes_the_square_of_the_length():
    seen = {(pattern, module): methods for module, pattern, methods in own_patterns()}
    assert len(seen) > 30
    slow = {}
    for (pattern, module), methods in seen.items():
        seconds, text = slowest(module, pattern, methods)
        if seconds > 0.2:  # perhaps the machine was busy
            seconds = min(seconds, slowest(module, pattern, methods)[0])
        # on a slow machine, what takes twice as long for twice the length may take this long too
        if seconds > 0.2 and seconds > 3 * slowest(module, pattern, methods, share=2)[0]:
            slow[module, pattern.pattern] = seconds, text
    assert slow == {}


def test_a_pattern_that_takes_the_square_is_found():
    assert slowest("", re.compile(r"(\d+\.?\d*)?(e\d+)?"), {"fullmatch"})[0] > 0.2


# honest files


def test_five_million_intervals_would_fit_a_small_machine(tmp_path):
    """What readers expect of a row, times five million, is less than a quarter of 8 GB."""
    rows = [(f"v{n // 100}", f"action {n % 7}", n, n + 0.5) for n in range(20_000)]
    frame = pd.DataFrame(rows, columns=HEADER.strip().split(","))
    frame.to_csv(tmp_path / "takes.csv", index=False)
    frame.to_parquet(tmp_path / "takes.parquet")
    most = int((8 << 30) / 4 * len(rows) / 5_000_000)
    for name in ("takes.csv", "takes.parquet"):
        assert len(ibgn.read(tmp_path / name, max_memory=most)[0].action) == len(rows)
        with pytest.raises(BudgetError):  # the control
            ibgn.read(tmp_path / name, max_memory=most // 10)


@LINUX
@pytest.mark.slow
def test_five_million_intervals_are_read_with_the_default_budget(tmp_path):
    number = np.arange(5_000_000)
    start = number * 0.25
    actions = np.array([f"action {n}" for n in range(7)])[number % 7]
    names = np.array([f"v{n}" for n in range(50_000)])[number // 100]
    frame = pd.DataFrame({"instance": names, "action": actions, "start": start, "end": start + 1})
    frame.to_csv(tmp_path / "takes.csv", index=False)
    frame.to_parquet(tmp_path / "takes.parquet")
    cases = [(tmp_path / name, {}) for name in ("takes.csv", "takes.parquet")]
    for found in read_measured(cases, timeout=900):
        assert found["error"] is None
        assert found["intervals"] == 5_000_000
        assert found["memory"] < 1.2 * found["expected"]


# long instances


def make_long(intervals):
    start = np.arange(intervals, dtype=float)
    rows = [(f"a{n % 4}", s, s + 1.5 + n % 3) for n, s in enumerate(start.tolist())]
    return IntervalSequences.from_lists([rows])


@pytest.fixture(scope="module")
def model():
    X = 6 * [[("a0", 0, 2), ("a1", 1, 3), ("a2", 4, 6)], [("a0", 0, 2), ("a3", 3, 5)]]
    return IBGNClassifier(random_state=0).fit(X, 6 * ["x", "y"])


@pytest.fixture(scope="module")
def long():
    return make_long(100_000)


def test_a_long_instance_is_recognised_without_all_its_pairs(model, long):
    assert model.predict(long)[0] in ("x", "y")


def test_what_needs_all_pairs_of_a_long_instance_is_refused_before_it_begins(
    model, long, monkeypatch
):
    monkeypatch.setenv(VARIABLE, "8G")
    said = (
        r"pairs of intervals, as an instance has 100000 intervals, needs about [0-9.]+ [GT]B of "
        r"memory, and 8 GB are allowed of .* that there are; cut long recordings into instances.* "
        rf"{VARIABLE}=[0-9]+G in the environment"
    )
    for work in (
        lambda: model.explain(long[0]),
        lambda: read_networks(long),
        lambda: ibgn.plot_network(long[0]),
        lambda: IBGNClassifier(structure="chain", random_state=0).fit(
            IntervalSequences.concatenate([long, long]), ["x", "y"]
        ),
    ):
        begin = time.process_time()
        with pytest.raises(BudgetError, match=said):
            work()
        assert time.process_time() - begin < 20


def test_styles_explain_a_long_instance_within_a_horizon():
    """All its pairs were counted for terms that say nothing about pairs: 37 GB for 100,000."""
    X, y, _ = make_styles(random_state=0)
    several = IBGNClassifier(terms=("length", "relations"), styles=2, horizon=3, random_state=0)
    several.set_params(unknown_actions="ignore")
    styled, long = several.fit(X, y), make_long(5000)
    styled.explain(make_long(100)[0])
    assert peak(lambda: styled.explain(long[0])) < 50 * MB


def test_a_long_instance_is_not_drawn(model, monkeypatch):
    activity, generator = model.activities_["x"], np.random.default_rng(0)
    with pytest.raises(DataError, match="would have 100000 intervals"):
        sample_instances(activity, 1, generator, lengths=100_000)
    monkeypatch.setenv(VARIABLE, "1G")
    with pytest.raises(BudgetError, match="an instance has 9999 intervals, needs about"):
        sample_instances(activity, 1, generator, lengths=9999)


def test_the_limit_of_pairs_is_raised_by_the_environment(model, monkeypatch):
    long = make_long(500)
    assert model.explain(long[0]).relations.shape == (500, 500)
    monkeypatch.setenv(VARIABLE, "1M")
    with pytest.raises(BudgetError, match=f"{VARIABLE}="):
        model.explain(long[0])


def test_pairs_are_counted_in_pieces_whatever_their_number(monkeypatch):
    monkeypatch.setenv(VARIABLE, "1M")
    counts = count_pairs(make_long(2000))
    assert sum(counts.relations.values()) == 2000 * 1999 // 2


def test_inspection_of_a_long_instance_says_that_it_is_left_out(long):
    found = ibgn.inspect(long)
    assert any("left out of the counts of relations" in str(each) for each in found.warnings)
