"""Inputs are sacred: never written to, read in one version, and nothing of them unsaid."""

import errno
import os
import random
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ibgn.io
from ibgn import read, write
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
        path = os.path.abspath(arguments[0])
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
    try:
        read(path, bad_rows="drop", unlabelled="all")
    except DataError:
        pass  # some need an option, but they were opened by then
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
    in_use = len(os.listdir("/dev/fd"))
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
                os.replace(tmp_path / "next", path)

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
