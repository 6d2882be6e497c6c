"""Inputs are sacred: never written to, read in one version, and nothing of them unsaid."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path
from typing import get_args

import matplotlib.pyplot as plt
import pytest
from typer.models import ArgumentInfo

import ibgn.io
from ibgn import DBNClassifier, IntervalSequences, read, save, write
from ibgn._files import writing
from ibgn.cli import app
from ibgn.cli.figures import save_figure
from ibgn.datasets import sample_path
from ibgn.errors import DataError, DataWarning
from ibgn.io.survey import survey

SAMPLES = sorted(
    path
    for path in (Path(__file__).parents[1] / "samples").rglob("*")
    if path.is_file() and path.suffix != ".py"
)
OPENED = []  # of files that are watched
WATCHED = set()


def watch(event, arguments):
    if event == "open" and WATCHED and isinstance(arguments[0], str | os.PathLike):
        path = str(Path(arguments[0]).absolute())
        if path in WATCHED:
            OPENED.append(path)


sys.addaudithook(watch)  # which can never be removed


@pytest.fixture
def opened():
    """List of how often files were opened, of those that were added to the set."""
    OPENED.clear()
    yield OPENED
    WATCHED.clear()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_reader_opens_its_input_once(opened, path):
    WATCHED.add(str(path))
    with suppress(DataError):  # some need an option, but they were opened by then
        read(path, bad_rows="drop", unlabelled="all")
    assert opened == [str(path)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["csv", "elan", "textgrid", "boris"])
def test_inspection_opens_its_input_once(opened, ibgn, name):
    path = sample_path(name)
    WATCHED.update(map(str, path.rglob("*") if path.is_dir() else [path]))
    survey(path)
    files = sorted(each for each in WATCHED if Path(each).is_file())
    assert sorted(opened) == files
    opened.clear()
    assert ibgn("inspect", path).returncode == 0
    assert sorted(opened) == files


@pytest.mark.parametrize("words", [["show"], ["predict", "takes.csv"]])
def test_models_are_opened_once(opened, ibgn, tmp_path, words):
    (tmp_path / "takes.csv").write_bytes(sample_path("csv").read_bytes())
    X, y = read(tmp_path / "takes.csv")
    save(DBNClassifier().fit(X, y), tmp_path / "model.ibgn")
    WATCHED.update(map(str, tmp_path.iterdir()))
    assert ibgn(words[0], "model.ibgn", *words[1:]).returncode == 0
    assert sorted(opened) == sorted(set(opened))


def test_leniency_opens_each_file_of_a_folder_once(opened, tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.csv").write_text("instance,action,start,end\ns,a,0,1\n")
    (tmp_path / "bad.csv").write_text("instance,action,start,end\ns,a,late,1\n" * 2)
    WATCHED.update(map(str, tmp_path.iterdir()))
    with pytest.warns(DataWarning):
        read(tmp_path, bad_files="drop", bad_rows="drop")
    assert sorted(opened) == sorted(WATCHED)


def test_a_folder_of_more_files_than_may_be_open(tmp_path):
    for number in range(200):
        (tmp_path / f"{number:03}.csv").write_text("instance,action,start,end\ns,a,0,1\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = len(list(Path("/dev/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 100, hard))
    try:
        assert len(read(tmp_path, bad_files="drop")[0]) == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


VERSIONS = (
    "instance,label,action,start,end\n" + "s,tea,boil,1,2\n" * 50,
    "end,start,action,label,instance\n" + "4,3,pour,milk,t\n" * 50,
)


def test_a_file_that_is_replaced_all_the_time_is_of_one_version(tmp_path):
    path, stop = tmp_path / "takes.csv", threading.Event()
    expected = []
    for version in VERSIONS:
        path.write_text(version)
        X, y = read(path)
        expected.append((X.to_lists(), y.tolist()))

    def replace():
        while not stop.is_set():
            for version in VERSIONS:
                (tmp_path / "next").write_text(version)
                (tmp_path / "next").replace(path)

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        found = [read(path) for _ in range(200)]
    finally:
        stop.set()
        thread.join()
    kinds = [(X.to_lists(), y.tolist()) for X, y in found]
    assert all(kind in expected for kind in kinds)
    assert all(kind in kinds for kind in expected)  # it was replaced indeed


def test_a_file_that_is_overwritten_in_place_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "takes.csv"
    path.write_text(VERSIONS[0])
    parse_head = ibgn.io.formats.csv.own.parse_head

    def overwrite(file, *options):
        header = parse_head(file, *options)
        path.write_text(VERSIONS[1] * 2)
        return header

    monkeypatch.setattr("ibgn.io.formats.csv.own.parse_head", overwrite)
    with pytest.raises(DataError, match="changed while it was read; read it again, or a copy"):
        read(path)


@pytest.fixture
def closed_folders(tmp_path, monkeypatch):
    """A folder of data with subfolders that may not be read, also by those who may read all."""
    for name in ("open", "closed", "shut/inner"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "takes.csv").write_text("instance,action,start,end\ns,a,0,1\n")
    scandir = os.scandir

    def refuse(path="."):
        if not isinstance(path, int) and Path(path).name in ("closed", "shut"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    return tmp_path


def test_folders_that_may_not_be_read_are_counted_and_named(closed_folders):
    with pytest.warns(DataWarning) as said:
        X, _ = read(closed_folders)
    assert len(X) == 1
    text = "skipped 2 folders that may not be read ('closed', 'shut'); check their permissions"
    assert [text in str(each.message) for each in said] == [True]


def test_they_are_said_on_the_command_line(closed_folders, ibgn):
    for command in (("inspect", "."), ("convert", ".", "-")):
        result = ibgn(*command)
        assert result.returncode == 0
        assert "warning: " in result.stderr
        assert "skipped 2 folders that may not be read ('closed', 'shut')" in result.stderr
    refused = ibgn("convert", "closed", "-", "--from", "csv")
    assert refused.returncode == 1
    assert "the folder 'closed' may not be read; check its permissions" in refused.stderr


# what each parameter that names a file is given, by its name; a new one has to be added here
INPUTS = {
    "data": "data/takes.csv",
    "source": "data/takes.csv",
    "events": "data/takes.csv",
    "live": "data/takes.csv",
    "model": "model.ibgn",
    "train": "data/takes.csv",
    "new": "data/takes.csv",
    "into": "talk.eaf",
    "activities": "data/takes.csv",
    "background": "data/takes.csv",
    "sensors": "data/takes.csv",
    "recordings": "data/takes.csv",
    "detected": "mine=data/takes.csv",
    "option": "mapping=data/takes.csv",
}
OTHERS = {"tracks": "action", "instance": "s"}  # what else commands need
COMMANDS = {each.callback.__name__: each.callback for each in app.registered_commands}
WRITERS = {name: command for name, command in COMMANDS.items() if hasattr(command, "outputs")}
OUTPUTS = [(name, output) for name, command in WRITERS.items() for output in command.outputs]
PAIRS = [
    (name, output, parameter)
    for name, output in OUTPUTS
    for parameter in INPUTS
    if parameter in signature(WRITERS[name]).parameters
]
SUFFIXES = {"figure": ".svg", "report": ".html", "predictions": ".csv"}


def flag_of(command, parameter):
    """Flag of an option, or None for an argument."""
    info = get_args(signature(command).parameters[parameter].annotation)[1]
    if isinstance(info, ArgumentInfo):
        return None
    # typer takes the first name for a default where there is one annotation
    names = [name for name in (info.default, *info.param_decls) if str(name).startswith("-")]
    return next(iter(names), f"--{parameter.replace('_', '-')}")


def command_line(name, **values):
    """A command with these values of parameters, and those that it needs."""
    command = WRITERS[name]
    words, options = [name.replace("_", "-")], []
    for parameter, declared in signature(command).parameters.items():
        value = values.get(parameter)
        if value is None and declared.default is declared.empty:
            value = {**INPUTS, **OTHERS, "output": "new.csv", "target": "new.csv"}.get(parameter)
        if value is None and parameter in OTHERS:
            value = OTHERS[parameter]
        if value is not None:
            flag = flag_of(command, parameter)
            words += [value] if flag is None else []
            options += [] if flag is None else [flag, value]
    return [*words, *options]


@pytest.fixture
def place(tmp_path):
    """Inputs of all kinds, and other ways to spell where they are."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "takes.csv").write_text("instance,label,action,start,end\ns,tea,a,0,1\n")
    X = IntervalSequences.from_lists([[("a", 0, 1)]])
    write(X, tmp_path / "talk.eaf")
    (tmp_path / "model.ibgn").write_bytes(b"no model")
    for path in (folder / "takes.csv", tmp_path / "talk.eaf", tmp_path / "model.ibgn"):
        for suffix in {path.suffix, ".svg", ".html", ".csv"}:
            (tmp_path / f"soft-{path.stem}{suffix}").symlink_to(path)
            os.link(path, tmp_path / f"hard-{path.stem}{suffix}")
    (tmp_path / "linked").symlink_to(folder)
    return tmp_path


def content_of(folder):
    return {
        path: (path.lstat().st_ino, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def spellings(path, suffix):
    """Other ways to write the path of a file, and links to it."""
    inside = [f"linked/{path.name}", f"{path.parent}/../data/{path.name}"]
    plain = [str(path), f"./{path}", *(inside if path.parent.name else [f"data/../{path}"])]
    return [*plain, f"soft-{path.stem}{suffix}", f"hard-{path.stem}{suffix}"]


def test_the_table_of_inputs_has_every_parameter_that_names_a_file():
    # numba adds to the folder of kernels, and replaces nothing of others; explore writes when its
    # page says so, see test_explore.py
    assert set(WRITERS) == set(COMMANDS) - {"inspect", "show", "compile", "explore"}
    for name, command in COMMANDS.items() - {("compile", COMMANDS["compile"])}:
        for parameter, declared in signature(command).parameters.items():
            kinds = get_args(declared.annotation)[:1]
            kinds = {*kinds, *(each for kind in kinds for each in get_args(kind))}
            written = getattr(command, "outputs", {})
            if {Path, list[Path]} & kinds:
                assert parameter in INPUTS or parameter in written, (name, parameter)


FOLDERS = ("data", "linked", "./data", "data/../data")


@pytest.mark.parametrize(("name", "output", "parameter"), PAIRS)
@pytest.mark.parametrize("force", [False, True])
def test_no_output_is_an_input(place, ibgn, name, output, parameter, force):
    before = content_of(place)
    given = INPUTS[parameter]
    file = Path(given.rpartition("=")[2])
    if WRITERS[name].outputs[output] == "folder":
        targets, inside = FOLDERS, (*FOLDERS, "data/new", "linked/a/b")
    else:
        targets = inside = spellings(file, SUFFIXES.get(output, file.suffix))
    tried = [(given, target) for target in targets]
    if file.parent.name and "=" not in given:
        tried += [(str(file.parent), target) for target in inside]
    for read_from, target in tried:
        words = command_line(name, **{parameter: read_from, output: target})
        result = ibgn(*words, *(["--force"] if force else []))
        assert result.returncode == 2, (words, result.stderr)
        reasons = ("is also an input", "which is read as data", "which is read; name another")
        assert any(reason in result.stderr for reason in reasons), (words, result.stderr)
    assert content_of(place) == before


def test_what_comes_through_standard_input_is_read_too(place):
    path = place / "data" / "takes.csv"
    before = path.read_bytes()
    command = [sys.executable, "-m", "ibgn", "convert", "-", "hard-takes.csv", "--force"]
    with path.open("rb") as file:
        run = subprocess.run(
            [*command, "--from", "csv"], cwd=place, stdin=file, capture_output=True, check=False
        )
    assert run.returncode == 2
    assert b"is also an input" in run.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "target", ["new.csv.gz", "new.TSV", "new.txt", "new", "new.jsonl", "below/new.csv"]
)
def test_nothing_is_added_that_would_be_data_the_next_time(place, ibgn, target):
    (place / "data" / "below").mkdir()
    result = ibgn("convert", "data", f"data/{target}", "--to", "elan")
    assert result.returncode == 2
    assert "is in the folder 'data', which is read as data; write it elsewhere" in result.stderr


@pytest.mark.parametrize(("name", "output"), OUTPUTS)
def test_outputs_are_checked_before_the_work(place, ibgn, monkeypatch, name, output):
    for work in (
        "ibgn.cli.options.Reading.load",
        "ibgn.classifiers.load",
        "ibgn.io.sensors.read_sensors",
        "ibgn.datasets.make_hand_signs",
        "ibgn.reproduction.protocol.run_paper",
    ):
        monkeypatch.setattr(work, lambda *_, **__: pytest.fail("the work began"))
    suffix = SUFFIXES.get(output, ".csv")
    folder = WRITERS[name].outputs[output] == "folder"
    there = "already; name another, or replace it with --force|is not a checkpoint of `ibgn listen`"
    refused = {f"taken{suffix}": there}
    refused[f"data/takes.csv/new{suffix}"] = "not a folder; name another|Not a directory"
    if not folder:
        refused |= {
            f"missing/new{suffix}": "there is no folder",
            f"empty{suffix}": "name a file|with --to",
        }
    (place / f"empty{suffix}").mkdir()
    taken = place / f"taken{suffix}"
    if folder:
        taken.mkdir()
        taken /= "x"
    taken.write_text("precious")
    others = {"model": "model.ibgn", "recordings": None}
    for target, message in refused.items():
        result = ibgn(*command_line(name, **others, **{output: target}))
        assert result.returncode in (1, 2), result.stderr
        assert any(part in result.stderr for part in message.split("|")), (target, result.stderr)
    assert taken.read_text() == "precious"
    monkeypatch.setattr("ibgn.cli.targets.check_folder", refuse_all)
    assert "may not" in ibgn(*command_line(name, **others, **{output: f"new{suffix}"})).stderr


def refuse_all(*_):
    raise DataError("may not")


MANY = IntervalSequences.from_lists([[("a", 0, 1), ("b", 1, 2)]] * 210)


@pytest.mark.parametrize("format", ["elan", "textgrid"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_disk_that_fills_at_file_201_leaves_nothing(tmp_path, monkeypatch, format, exists):
    out = tmp_path / "out"
    if exists:
        out.mkdir()
        (out / "notes.md").write_text("notes")
    written = []

    @contextmanager
    def fill_up(path):
        written.append(path)
        if len(written) == 201:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with writing(path) as file:
            yield file

    monkeypatch.setattr("ibgn.io.export.writing", fill_up)
    with pytest.raises(DataError, match="No space left on device"):
        write(MANY, out, format=format)
    assert len(written) == 201
    assert [path.name for path in tmp_path.rglob("*")] == (["out", "notes.md"] if exists else [])


@contextmanager
def small_files(size):
    """Let no file grow beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "name", ["out.csv", "out.csv.gz", "out.csv.xz", "out.jsonl", "out.parquet", "out.eaf", "out"]
)
def test_what_does_not_fit_is_not_there(tmp_path, name):
    X = MANY if "." in name else MANY[:2]
    if name == "out.eaf":
        X = IntervalSequences.from_lists([[("a", n, n + 1) for n in range(50)]])
    options = {} if "." in name else {"format": "textgrid"}
    (tmp_path / "other.csv").write_text("old")
    with small_files(100), pytest.raises(DataError, match="could not be written: File too large"):
        write(X, tmp_path / name, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["other.csv"]
    with small_files(100), pytest.raises(DataError, match="could not be written"):
        write(MANY, tmp_path / "other.csv")
    assert (tmp_path / "other.csv").read_text() == "old"


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_a_figure_that_does_not_fit_is_not_there(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("ibgn.plots.plot_explanation", lambda _: plt.figure().add_subplot())
    with small_files(100), pytest.raises(DataError, match="could not be written: File too large"):
        save_figure(None, tmp_path / f"why{suffix}")
    plt.close("all")
    assert not any(tmp_path.iterdir())


def test_a_small_disk_that_is_full(tmp_path, ibgn):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = [shutil.which("mount"), "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)]
    if not mount[0] or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        write(MANY, tmp_path / "many.csv")
        result = ibgn("convert", "many.csv", "disk/out", "--to", "elan")
        assert result.returncode == 1
        assert "No space left on device" in result.stderr
        assert not list(disk.iterdir())
        assert ibgn("convert", "many.csv", "disk/out.csv").returncode == 0
    finally:
        subprocess.run([shutil.which("umount"), str(disk)], check=True)
