"""The registry of formats: what comes from a registration, and a format that is not ours."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ibgn
from ibgn import DataError, read_csv
from ibgn.cli.options import FORMATS as NAMED
from ibgn.cli.options import parse_options
from ibgn.errors import OptionError
from ibgn.io import FORMATS, Annotation, Recording, plugins, reader, registry
from ibgn.names import factorize

DOCS = Path(__file__).parents[1] / "docs"
SECTION = (
    (DOCS / "extending.md").read_text().partition("## A new format\n")[2].partition("\n## ")[0]
)


def block(kind):
    """Text of the first code block of a kind in the section on formats."""
    return re.search(rf"^```{kind}\n(.*?)^```", SECTION, re.DOTALL | re.MULTILINE)[1]


@pytest.fixture
def own_formats(tmp_path, monkeypatch, extensions):
    """A folder with the module of the page, and a file of its format."""
    (tmp_path / "my_formats.py").write_text(block("python"))
    (tmp_path / "tea.notes").write_text("boil;0;4\npour;3.5;5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("my_formats", None)


def test_the_format_of_the_page_is_a_format_like_others(own_formats):
    import my_formats

    X, y = ibgn.read("tea.notes", activity="file", closed="left")
    assert X.to_lists() == [[("boil", 0, 4), ("pour", 3.5, 5)]]
    assert y.tolist() == ["tea"]
    assert my_formats.read_notes(own_formats, group="(t)ea")[0].groups.tolist() == ["t"]
    assert "separator" in inspect.signature(my_formats.read_notes).parameters
    (own_formats / "bad.notes").write_text("boil;0\n")
    with pytest.raises(DataError, match=r"bad\.notes: line 1: not enough values"):
        ibgn.read("bad.notes")
    with pytest.raises(
        OptionError, match="colour=1 is not an option of the format notes; there are s"
    ):
        ibgn.read("tea.notes", colour=1)


def test_the_format_of_the_page_takes_about_twenty_lines():
    assert len([line for line in block("python").splitlines() if line.strip()]) <= 22


def run(arguments, **environment):
    return subprocess.run(
        arguments,
        env={name: value for name, value in (os.environ | environment).items() if value},
        shell=isinstance(arguments, str),
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_of_the_page_converts_it(own_formats):
    path = os.pathsep.join([str(own_formats), *sys.path])
    command = block("console").replace(" ibgn ", f" '{sys.executable}' -m ibgn ")
    done = run(command, PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "wrote 1 instance, 2 intervals to tea.csv" in done.stderr
    X, y = read_csv(own_formats / "tea.csv")
    assert (len(X.action), y.tolist()) == (2, ["tea"])
    (own_formats / "tea.csv").unlink()
    unknown = run(command.partition(" ")[2], PYTHONPATH=path, IBGN_PLUGINS="")
    assert unknown.returncode == 2  # without it, the file is a table, which has no such option
    assert "separator=';' is not an option of the format csv" in unknown.stderr


def test_a_plugin_that_is_not_there_is_named(own_formats):
    arguments = [sys.executable, "-m", "ibgn", "inspect", "tea.notes"]
    done = run(arguments, PYTHONPATH=os.pathsep.join(sys.path), IBGN_PLUGINS="nowhere")
    assert done.returncode == 1
    assert "the environment variable IBGN_PLUGINS names 'nowhere', which cannot" in done.stderr


def test_entry_points_of_packages_are_loaded(own_formats):
    info = own_formats / "my_formats-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-formats\nVersion: 1.0\n")
    group = re.search(r'entry-points\."(.*?)"', block("toml"))[1]
    points = f"[{group}]\nnotes = my_formats\nbroken = no_such_module\n"
    (info / "entry_points.txt").write_text(points)
    program = "import ibgn; print(ibgn.read('tea.notes')[0].to_lists())"
    path = os.pathsep.join([str(own_formats), *sys.path])
    done = run([sys.executable, "-c", program], PYTHONPATH=path)
    assert done.stdout.strip() == "[[('boil', 0.0, 4.0), ('pour', 3.5, 5.0)]]"
    assert "formats of 'no_such_module' are not available" in done.stderr


def test_a_module_of_formats_registers_the_format_of_its_name():
    assert plugins.builtin_names() == NAMED == sorted(FORMATS)
    for name in FORMATS:
        assert getattr(ibgn.io, f"read_{name}").__name__ == f"read_{name}"
        assert f"read_{name}" in dir(ibgn.io)
    for name in FORMATS.writers:
        assert getattr(ibgn.io, f"write_{name}") is FORMATS.writers[name]
    with pytest.raises(AttributeError, match="read_xlsx"):
        _ = ibgn.io.read_xlsx


def test_the_table_of_formats_in_the_docs_is_that_of_the_registry():
    page = (DOCS / "data.md").read_text()
    table = page.partition("<!-- formats -->\n")[2].partition("\n<!-- end of formats -->")[0]
    assert table == registry.describe_formats()


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_reader_says_all_its_options(name):
    read = getattr(ibgn.io, f"read_{name}")
    parameters = inspect.signature(read).parameters
    listed = set(re.findall(r"^([a-z_]+(?:, [a-z_]+)*) :", read.__doc__, re.MULTILINE))
    described = {option for names in listed for option in names.split(", ")} - {"X", "y"}
    assert described == set(parameters)
    assert next(iter(parameters)) == "path"
    assert {"closed", "tick", "tolerance", "zero_length"} <= set(parameters)


def test_one_default_for_what_all_readers_decide_alike():
    for option, default in {"unknown": "error", "points": "error", "overlaps": "keep"}.items():
        found = {f.options[option].default for f in FORMATS.values() if option in f.options}
        assert found == {default}
    every = {option for format in FORMATS.values() for option in format.options}
    assert every.isdisjoint({"fps", "label", "labels", "label_variable", "attributes"})


def test_a_name_and_a_suffix_belong_to_one_format(own_formats):
    def read(files):
        """Read nothing."""
        yield Recording("a", [Annotation("t", "x", 0.0, 1.0, "here")])

    with pytest.raises(ValueError, match="there is a format 'csv' already"):
        reader("csv")(read)
    with pytest.raises(ValueError, match=r"files \.eaf are of the format 'elan'"):
        reader("mine", (".EAF",))(read)
    for _ in range(2):  # as a cell of a notebook that is run again
        public = reader("mine", (".mine",))(read)
    (own_formats / "a.mine").write_text("")
    assert public(own_formats / "a.mine")[0].to_lists() == [[("x", 0, 1)]]


def test_options_of_a_reader_are_keywords_of_their_own_names():
    def positional(files, rate):
        yield from ()

    def shared(files, *, closed="left"):
        yield from ()

    with pytest.raises(TypeError, match="keyword arguments with defaults; got rate"):
        reader("mine")(positional)
    with pytest.raises(TypeError, match="closed is an option that all readers share"):
        reader("mine")(shared)
    assert "tracks" in FORMATS["opportunity"].own_options  # rows have no choice of tracks


@pytest.mark.parametrize(
    ("format", "given", "options"),
    [
        ("elan", ["tracks=left"], {"tracks": ["left"]}),
        ("elan", ["tracks=1", "tracks=2"], {"tracks": ["1", "2"]}),
        ("elan", ['tracks=["a", "b"]'], {"tracks": ["a", "b"]}),
        ("elan", ["activity=1"], {"activity": "1"}),
        ("elan", ['activity="1"'], {"activity": "1"}),
        ("opportunity", ["null=true", "runs=null"], {"null": True, "runs": None}),
        ("tracks", ["null=0"], {"null": [0]}),
        ("tracks", ["columns=2", "rate=25"], {"columns": [2], "rate": 25}),
        ("tracks", ['columns={"posture": 2}'], {"columns": {"posture": 2}}),
        ("events", ["start-values=on"], {"start_values": ["on"]}),
        ("labelstudio", ["annotator=7"], {"annotator": 7}),
        ("cvat", ["colour=1"], {"colour": 1}),
    ],
)
def test_options_of_the_shell_have_the_types_of_the_reader(format, given, options):
    assert parse_options(given, FORMATS[format].options) == options


def test_an_option_with_a_flag_of_its_own_is_refused():
    import typer

    with pytest.raises(typer.BadParameter, match="has a flag of its own, --zero-length"):
        parse_options(["zero-length=drop"], FORMATS["elan"].options)


def test_each_column_is_factorised_once(tmp_path, monkeypatch):
    path = tmp_path / "takes.csv"
    path.write_text(
        "instance,label,action,start,end,group\n"
        "a,tea,boil,0,1,x\na,tea,pour,1,2,x\nb,milk,pour,0,1,y\n"
    )
    columns, factorize = [], pd.factorize

    def count(values, *args, **options):
        columns.append(list(values))
        return factorize(values, *args, **options)

    monkeypatch.setattr(pd, "factorize", count)
    X, _ = read_csv(path)
    assert X.actions == ("boil", "pour")
    assert sorted(map(tuple, columns)) == [
        ("a", "a", "b"),
        ("boil", "pour", "pour"),
        ("tea", "tea", "milk"),
        ("x", "x", "y"),
    ]


def test_columns_of_arrow_are_not_looked_at_row_by_row(tmp_path, monkeypatch):
    """Each row would be a call into Arrow, and reading CSV several times as slow."""
    pytest.importorskip("pyarrow", reason="pandas holds text as objects without Arrow")
    frame = pd.DataFrame({"instance": np.arange(500) // 5, "label": "tea", "action": "boil"})
    frame = frame.assign(start=np.arange(500.0), end=np.arange(500) + 0.5)
    frame.to_csv(tmp_path / "takes.csv", index=False)
    kind, rows = pd.arrays.ArrowExtensionArray, []

    def count(values):
        rows.append(len(values))
        return iter(values.to_numpy())

    monkeypatch.setattr(kind, "__iter__", count)
    X, _ = read_csv(tmp_path / "takes.csv")
    assert len(X) == 100
    assert max(rows, default=0) < 10  # the header may be looked at
    list(pd.Series(["a"] * 10, dtype="string[pyarrow]").array)
    assert max(rows) == 10  # the control


@pytest.mark.parametrize("kind", [object, "string[python]", "string[pyarrow]"])
def test_names_that_differ_after_a_nul_are_two(kind):
    if kind == "string[pyarrow]":
        pytest.importorskip("pyarrow", reason="pandas holds text as objects without Arrow")
    codes, names = factorize(pd.Series(["a", "a\0b", None, "a"], dtype=kind).values)
    assert codes.tolist() == [0, 1, -1, 0]
    assert names.tolist() == ["a", "a\0b"]


UNNAMED = {
    "take.txt": ("frames", "boil\nboil\npour\n"),
    "take.json": ("activitynet", '{"v": {"annotations": [{"segment": [0, 2], "label": "boil"}]}}'),
    "take.srt": ("subtitles", "1\n00:00:00,000 --> 00:00:01,000\nboil\n"),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_a_track_that_no_file_names_is_no_column(tmp_path, name):
    format, text = UNNAMED[name]
    (tmp_path / name).write_text(text)
    X, _ = ibgn.read(tmp_path / name, format=format)
    assert X.track is None
    assert "track" not in X.to_frame()


def test_a_track_that_a_file_names_is_kept_beside_those_without_a_name(tmp_path):
    voices = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Mary>hey\n\n00:01.000 --> 00:02.000\ngo\n"
    (tmp_path / "talk.vtt").write_text(voices)
    X, _ = ibgn.read(tmp_path / "talk.vtt")
    assert X.track.tolist() == ["Mary", "subtitles"]
