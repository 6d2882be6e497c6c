"""Where commands may write: never over what they read, nor over what exists without --force."""

import os
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest
from typer.models import OptionInfo

from ibgn._files import filling, writing
from ibgn.cli import app
from ibgn.cli.targets import check_targets
from ibgn.errors import DataError, OptionError

GOOD = "instance,label,action,start,end\ns,tea,a,0,1\nt,tea,a,0,1\n"


@pytest.fixture
def takes(tmp_path):
    """A folder of data with one file, which is also there in two other spellings."""
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "takes.csv"
    path.write_text(GOOD)
    (tmp_path / "symbolic.csv").symlink_to(path)
    os.link(path, tmp_path / "hard.csv")
    (tmp_path / "linked").symlink_to(folder)
    (tmp_path / "model.ibgn").write_bytes(b"not a model")
    return path


SPELLINGS = (
    "data/takes.csv",
    "data/../data/takes.csv",
    "linked/takes.csv",
    "symbolic.csv",
    "hard.csv",
)
COMMANDS = {  # each with what it reads from, and where what it writes is put
    "convert": ("convert", "{}", "{}"),
    "fit": ("fit", "{}", "-o", "{}"),
    "predict": ("predict", "model.ibgn", "{}", "-o", "{}"),
    "fit-segments": ("fit-segments", "{}", "-o", "{}"),
    "background": ("fit-segments", "absent.csv", "--background", "{}", "-o", "{}"),
    "segment": ("segment", "model.ibgn", "{}", "-o", "{}"),
    "activities": ("segment", "model.ibgn", "absent.csv", "--activities", "{}", "-o", "{}"),
    "listen": ("listen", "model.ibgn", "{}", "-o", "{}"),
    "checkpoint": ("listen", "model.ibgn", "{}", "--checkpoint", "{}"),
    "explain": ("explain", "model.ibgn", "{}", "--instance", "s", "-o", "{}"),
    "figure": ("explain", "model.ibgn", "{}", "--instance", "s", "--figure", "{}"),
    "train": ("detect", "{}", "new.csv", "--label", "a", "-o", "{}"),
    "new": ("detect", "train.csv", "{}", "--label", "a", "-o", "{}"),
    "evaluate": ("evaluate", "{}", "-o", "{}"),
    "predictions": ("evaluate", "{}", "--predictions", "{}"),
    "robustness": ("robustness", "{}", "-o", "{}"),
    "detected": ("robustness", "absent.csv", "--detected", "mine={}", "-o", "{}"),
    "sensors": ("robustness", "absent.csv", "--sensors", "{}", "-o", "{}"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("read", ["data/takes.csv", "data", "linked"])
def test_no_command_writes_over_what_it_reads(ibgn, takes, command, read):
    for target in SPELLINGS:
        arguments = [*COMMANDS[command]]
        for value in (read, target):
            place = next(n for n, each in enumerate(arguments) if "{}" in each)
            arguments[place] = arguments[place].format(value)
        for force in ([], ["--force"]):
            result = ibgn(*arguments, *force)
            assert result.returncode == 2, result.stderr
            assert "is also an input" in result.stderr or "read as data" in result.stderr
            assert takes.read_text() == GOOD


@pytest.mark.parametrize("read", ["data/takes.csv", "data", "symbolic.csv", "-"])
def test_no_command_prints_to_what_it_reads(takes, tmp_path, read):
    """As with `ibgn convert takes.csv - >> takes.csv`, which would double it."""
    command = [sys.executable, "-m", "ibgn", "convert", read, "-"]
    with takes.open() as source, takes.open("a") as target:
        result = subprocess.run(
            command, cwd=tmp_path, stdin=source, stdout=target, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == 1, result.stderr
    assert "standard output goes to" in result.stderr
    assert takes.read_text() == GOOD
    with (tmp_path / "other.csv").open("w") as other, takes.open() as source:
        subprocess.run(command, cwd=tmp_path, stdin=source, stdout=other, check=True)
    assert (tmp_path / "other.csv").stat().st_size >= len(GOOD)


@pytest.mark.parametrize("option", ["-o", "--figure"])
def test_a_model_is_read_too(ibgn, takes, tmp_path, option):
    (tmp_path / "model.png").symlink_to("model.ibgn")
    arguments = ["explain", "model.ibgn", takes, "--instance", "s", option, "model.png"]
    assert "is also an input" in ibgn(*arguments, "--force").stderr
    assert "is also an input" in ibgn("sample", "model.ibgn", "-o", "model.ibgn").stderr
    assert (tmp_path / "model.ibgn").read_bytes() == b"not a model"


def test_a_new_file_in_a_folder_of_data_would_be_data(ibgn, takes, tmp_path):
    result = ibgn("evaluate", "data", "-o", "data/scores.csv")
    assert result.returncode == 2
    assert "is in the folder 'data', which is read as data; write it elsewhere" in result.stderr
    assert not (tmp_path / "data/scores.csv").exists()
    assert ibgn("convert", "data/takes.csv", "talks", "--to", "elan").returncode == 0
    assert ibgn("convert", "talks", "talks/all.csv", "--from", "elan").returncode == 0
    again = ibgn("convert", "talks", "talks/all.csv", "--from", "elan", "--force")
    assert "is in the folder 'talks', which is read as data" in again.stderr


def test_what_exists_is_replaced_only_by_force(ibgn, takes, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    result = ibgn("convert", takes, out)
    assert result.returncode == 2
    assert "out.jsonl exists already; name another, or replace it with --force" in result.stderr
    assert out.read_text() == "precious"
    assert ibgn("convert", takes, out, "--force").returncode == 0
    assert out.read_text().count("\n") == 2


def test_a_folder_that_exists_is_replaced_only_by_force(ibgn, takes, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    assert ibgn("convert", takes, "out", "--to", "elan").returncode == 0
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["0_s.eaf", "1_t.eaf"]
    result = ibgn("convert", takes, "out", "--to", "elan")
    assert result.returncode == 2
    assert "out is a folder that holds '0_s.eaf' already" in result.stderr
    assert ibgn("convert", takes, "out", "--to", "elan", "--force").returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == written
    inside = ibgn("convert", takes, "data", "--to", "elan", "--force")
    assert "is the folder of 'takes.csv', which is read" in inside.stderr


@pytest.mark.parametrize("command", ["fit {} -o no/m.ibgn", "convert {} no/out.csv"])
def test_a_folder_that_is_missing_is_known_before_the_work(ibgn, takes, monkeypatch, command):
    monkeypatch.setattr("ibgn.cli.options.Reading.read", lambda *_: pytest.fail("the work began"))
    monkeypatch.setattr("ibgn.cli.options.Reading.load", lambda *_: pytest.fail("the work began"))
    result = ibgn(*command.format(takes).split())
    assert result.returncode == 1
    assert "there is no folder" in result.stderr


@pytest.mark.parametrize(
    ("written", "kind", "message"),
    [
        ("data", "file", "is a folder; name a file"),
        ("data/takes.csv", "folder", "is a file; name a folder"),
        ("-", "file", "must be a file; name one"),
        ("-", "folder", "must be a folder; name one"),
        ("x" * 300, "file", "cannot be written to: File name too long; name another"),
        ("loop", "file", "cannot be written to|exists already"),
        ("/dev/null", "file", "is a device or a pipe, which is not replaced; name a file"),
    ],
)
def test_targets_of_the_wrong_kind(takes, tmp_path, monkeypatch, written, kind, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OptionError, match=message):
        check_targets({"output": Path(written)}, {"output": kind}, [], force=False)


def test_a_loop_of_links_is_refused_before_the_work(tmp_path):
    """Python 3.13 resolves a loop to itself, where earlier ones raise an error."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OptionError, match="cannot be written to"):
        check_targets({"output": loop}, {"output": "file"}, [], force=True)


def test_two_outputs_are_two_files(ibgn, takes):
    arguments = ("explain", "model.ibgn", takes, "--instance", "s", "--figure", "a.png")
    result = ibgn(*arguments, "-o", "linked/../a.png")
    assert "is written twice" in result.stderr or "is in the folder" in result.stderr


def test_every_command_that_takes_a_path_to_write_is_checked():
    """A path among the options is read, or declared with `writes`, which gives --force."""
    # the folder of kernels is added to, by numba
    read = {"sensors", "into", "folder", "model", "live"}
    for command in app.registered_commands:
        parameters = signature(command.callback).parameters
        hints = {name: get_args(each.annotation) for name, each in parameters.items()}
        paths = {
            name
            for name, (kind, info) in ((n, h[:2]) for n, h in hints.items() if h)
            if isinstance(info, OptionInfo) and Path in (kind, *get_args(kind))
        }
        assert "force" in parameters or not paths - read, command.callback.__name__


def _fail_half_way(folder):
    with filling(folder) as temporary:
        (temporary / "half.txt").write_text("half")
        raise ZeroDivisionError


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_is_filled_at_once_or_not_at_all(tmp_path, exists):
    folder = tmp_path / "new" / "out"
    if exists:
        folder.mkdir(parents=True)
        (folder / "old.txt").write_text("old")
    with pytest.raises(ZeroDivisionError):
        _fail_half_way(folder)
    assert sorted(tmp_path.rglob("*.txt")) == ([folder / "old.txt"] if exists else [])
    with filling(folder) as temporary:
        (temporary / "below").mkdir()
        with writing(temporary / "below" / "a.txt") as file:
            file.write("a")
        assert not (folder / "below").exists()
    assert (folder / "below" / "a.txt").read_text() == "a"
    assert (folder / "old.txt").exists() == exists
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_folder_that_cannot_be_filled(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="could not be written"), filling(tmp_path / "file" / "out"):
        pass


def test_convert_to_standard_output(ibgn, ibgn_process, takes):
    result = ibgn("convert", takes, "-")
    assert (result.returncode, result.stdout, result.stderr) == (0, GOOD, "")
    lines = ibgn("convert", takes, "-", "--to", "jsonl").stdout.splitlines()
    assert len(lines) == 2
    assert ibgn_process("convert", takes, "-").stdout == GOOD


def test_what_cannot_go_to_standard_output(ibgn, takes):
    both = ibgn("convert", takes, "-", "--json")
    assert both.returncode == 2
    assert "--json is printed where OUT - prints the intervals; give one" in both.stderr
    many = ibgn("convert", takes, "-", "--to", "elan")
    assert many.returncode == 1
    assert "name a folder, or a format that holds all in one" in many.stderr
    model = ibgn("fit", takes, "-o", "-")
    assert model.returncode == 2
    assert "--output - must be a file; name one" in model.stderr
