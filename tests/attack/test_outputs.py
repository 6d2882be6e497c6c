"""Names in data on the terminal: text, wherever they are printed."""

import csv
import io
import json
import re
import time

import numpy as np
import pytest

from ibgn import DataError, IntervalSequences, read, read_csv, write
from ibgn.io import write_textgrid
from ibgn.io.parsing.lasting import Lasting

HARMFUL = "a\x1b[31m\x9b\x7f\u202eb\r"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


@pytest.fixture
def odd(tmp_path):
    X = IntervalSequences.from_lists([[(HARMFUL, 0, 1)], [("pour", 0, 2)]], ids=[HARMFUL, "x"])
    write(X, tmp_path / "odd.jsonl", [f"tea{HARMFUL}", "milk"])
    return "odd.jsonl"


@pytest.mark.parametrize("to", ["csv", "jsonl"])
def test_rows_on_a_terminal_are_shown_and_in_a_pipe_exact(ibgn, ibgn_at, odd, to):
    shown = ibgn_at(80, "convert", odd, "-", "--to", to)
    assert shown.returncode == 0
    assert not CONTROL.search(shown.stdout)
    piped = ibgn("convert", odd, "-", "--to", to).stdout
    assert HARMFUL in (piped if to == "csv" else json.loads(piped.splitlines()[0])["instance"])


def test_drawn_instances_on_a_terminal_are_shown(ibgn, ibgn_at, odd):
    quick = ["--draws", "5", "--budget", "10"]
    assert ibgn("fit", odd, "-o", "odd.ibgn", *quick).returncode == 0
    for more in ([], ["--json"]):
        shown = ibgn_at(80, "sample", "odd.ibgn", "-n", "1", *more)
        assert shown.returncode == 0
        assert "tea" in shown.stdout
        assert not CONTROL.search(shown.stdout)


def test_what_is_not_text_does_not_go_to_a_terminal(ibgn_at, odd):
    shown = ibgn_at(80, "convert", odd, "-", "--to", "parquet")
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "name a file, or send it through a pipe" in shown.stderr


def test_a_table_that_is_not_utf_8_and_holds_no_intervals_is_refused(ibgn, tmp_path):
    (tmp_path / "old.csv").write_bytes("Wort;Gruß\nTüte;Öl\n".encode("latin-1"))
    result = ibgn("inspect", "old.csv")
    assert result.returncode == 1
    assert "IBGN_DEBUG" not in result.stderr


@pytest.mark.parametrize("name", ["a\0", "a\0b", "\0a"])
def test_names_are_not_cut_at_nul(tmp_path, name):
    X = IntervalSequences.from_lists([[("boil", 0, 1)], [(name, 0, 2)]], ids=["x", "y"])
    with pytest.raises(DataError, match="holds a NUL character.*JSON Lines"):
        write(X, tmp_path / "nul.csv")
    write(X, tmp_path / "nul.jsonl")
    assert read(tmp_path / "nul.jsonl")[0].to_lists() == X.to_lists()
    rows = f"instance,action,start,end\nx,boil,0,1\ny,{name},0,2\n"
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "nul.csv").write_text(rows, encoding=encoding)
        with pytest.raises(DataError, match="line 3: there is a NUL character"):
            read_csv(tmp_path / "nul.csv", encoding=encoding)


def test_carriage_returns_in_names_end_no_row(ibgn, tmp_path):
    X = IntervalSequences.from_lists([[("a", 0, 1)], [("b", 0, 2)]] * 2, ids=[*"wx", "y\rz", "z"])
    write(X, tmp_path / "takes.jsonl", ["tea", "m\rilk"] * 2)
    assert ibgn("fit", "takes.jsonl", "-o", "m.ibgn", "-m", "DBN").returncode == 0
    assert ibgn("predict", "m.ibgn", "takes.jsonl", "-o", "each.csv").returncode == 0
    quick = ("-m", "DBN", "--folds", "2", "--predictions", "all.csv")
    assert ibgn("evaluate", "takes.jsonl", *quick).returncode == 0
    printed = ibgn("predict", "m.ibgn", "takes.jsonl").stdout
    texts = [
        printed,
        *((tmp_path / name).read_bytes().decode() for name in ("each.csv", "all.csv")),
    ]
    for text in texts:
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        assert sorted(row[header.index("instance")] for row in rows) == ["w", "x", "y\rz", "z"]


def test_columns_that_are_no_names_are_refused_without_a_traceback(ibgn, tmp_path):
    (tmp_path / "takes.csv").write_text("instance,action,start,end\nx,boil,0,1\n")
    result = ibgn("inspect", "takes.csv", "-O", "columns=red")
    assert result.returncode == 2
    assert "IBGN_DEBUG" not in result.stderr


# what attacks found later


def test_an_infinite_number_is_no_time(ibgn, tmp_path):
    (tmp_path / "codes.csv").write_text("1,56.3,1e999,c\n2,60,1e999,c\n3,70,1e999,d\n", "utf-8")
    result = ibgn("inspect", "codes.csv")
    assert result.returncode == 1
    assert result.stderr.startswith("error: ")


def test_an_infinite_start_has_no_step_to_the_next():
    with np.errstate(all="raise"):
        lasting = Lasting(["s"] * 3, ["a", "b", "a"], np.array([np.inf, 3.0, 4.5]))
    assert lasting.end.tolist() == [4.5]


def test_very_many_columns_are_not_told_apart_by_their_cells(tmp_path):
    (tmp_path / "wide.csv").write_text(f"{','.join(['0.5'] * 6000)}\n" * 3, "utf-8")
    begin = time.thread_time()
    with pytest.raises(DataError, match="no column could be recognised as the start"):
        read(tmp_path / "wide.csv")
    assert time.thread_time() - begin < 5  # it took 30 seconds


def test_what_a_killed_run_left_does_not_count_as_data(tmp_path):
    X = IntervalSequences.from_lists([[("pour", 0, 2)], [("stir", 0, 2)]])
    out = tmp_path / "out"
    write_textgrid(X, out)
    left = out / ".ibgn-a1b2c3d4.tmp" / "files"
    left.mkdir(parents=True)
    (left / "00_x.TextGrid").write_text("", "utf-8")
    write_textgrid(X, out)
    (out / "00_x.TextGrid").write_text("", "utf-8")  # the control
    with pytest.raises(DataError, match="holds 1 other file"):
        write_textgrid(X, out)
