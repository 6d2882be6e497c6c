"""The command as users run it: a process, its exit code, its two streams."""

import json
import os
import subprocess
import sys
import time

import pytest

HEADER = "instance,label,action,start,end\n"
GOOD = HEADER + (
    "s1,tea,boil,0,4\ns1,tea,pour,4,6\ns2,tea,boil,1,2\ns2,tea,pour,2,5\n"
    "s3,milk,pour,0,4\ns4,milk,stir,0,9\n"
)


@pytest.fixture
def ibgn(tmp_path):
    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "ibgn", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def takes(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(GOOD)
    return path


def test_help_answers_in_half_a_second(ibgn):
    ibgn("--help")  # the first run may write byte code
    times = []
    for _ in range(5):
        before = time.perf_counter()
        assert ibgn("--help").returncode == 0
        times.append(time.perf_counter() - before)
    assert min(times) < 0.5


def test_help_loads_nothing_heavy(ibgn):
    program = (
        "import sys, ibgn.cli; heavy = 'numpy pandas numba sklearn matplotlib'.split(); "
        "print([m for m in heavy if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_version(ibgn):
    import ibgn as package

    assert ibgn("--version").stdout.strip() == package.__version__


def test_inspect_as_json(ibgn, takes):
    result = ibgn("inspect", takes, "--json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    kept = {name: found[name] for name in ("instances", "activities", "actions", "intervals")}
    assert kept == {"instances": 4, "activities": 2, "actions": 3, "intervals": 6}
    assert found["relations"] == {"b": 0, "m": 2, "o": 0, "s": 0, "c": 0, "f": 0, "e": 0}
    assert found["warnings"] == []


def test_inspect_in_words(ibgn, takes):
    result = ibgn("inspect", takes)
    assert result.returncode == 0
    assert "meets 2" in result.stdout
    assert "pour" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["AUSLAN2", "BLOCKS", "BIMACS", "CAD120"])
def test_inspect_reproduces_the_golden_counts(ibgn, shared, name):
    closed = "both" if name in ("AUSLAN2", "BLOCKS") else "left"
    result = ibgn("inspect", shared / "data" / f"{name}.csv", "--closed", closed, "--json")
    found = json.loads(result.stdout)
    golden = json.loads((shared / "golden" / f"{name}.json").read_text())
    for key in ("instances", "activities", "actions"):
        assert found[key] == golden[key]
    assert {r: n for r, n in found["relations"].items() if n} == golden["relations"]


def test_inspect_tells_of_zero_length_and_goes_on(ibgn, tmp_path):
    path = tmp_path / "ticks.csv"
    path.write_text(HEADER + "s1,tea,boil,0,3\ns1,tea,pour,4,4\ns1,tea,stir,5,9\n")
    result = ibgn("inspect", path, "--json")
    assert result.returncode == 0
    assert "warning: dropped 1 interval of zero length" in result.stderr
    assert any("zero length" in warning for warning in json.loads(result.stdout)["warnings"])
    assert ibgn("inspect", path, "--zero-length", "error").returncode == 1
    whole = ibgn("inspect", path, "--closed", "both", "--json")
    assert json.loads(whole.stdout)["relations"]["m"] == 2


def test_inspect_takes_reading_options(ibgn, tmp_path):
    path = tmp_path / "takes.txt"
    path.write_bytes("take\twhat\tfrom\tto\nä\tnod\t0\t1\n".encode("latin-1"))
    names = ["instance=take", "action=what", "start=from", "end=to"]
    columns = [word for name in names for word in ("--column", name)]
    options = ["--from", "csv", "--delimiter", "tab", "--encoding", "latin-1", "--json"]
    result = ibgn("inspect", path, *columns, *options)
    assert json.loads(result.stdout)["instances"] == 1


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz"])
def test_convert_there_and_back(ibgn, takes, tmp_path, suffix):
    result = ibgn("convert", takes, f"out.{suffix}", "--json")
    assert result.returncode == 0
    report = json.loads(result.stdout)
    assert (report["instances"], report["intervals"], report["output"]) == (4, 6, f"out.{suffix}")
    back = ibgn("convert", f"out.{suffix}", "back.csv")
    assert back.returncode == 0
    assert back.stdout == ""
    assert "wrote 4 instances, 6 intervals to back.csv" in back.stderr
    assert (tmp_path / "back.csv").read_text() == GOOD


def test_convert_in_place_and_by_format(ibgn, takes):
    assert ibgn("convert", takes, takes).returncode == 0
    assert takes.read_text() == GOOD
    assert ibgn("convert", takes, "takes.dat", "--to", "jsonl").returncode == 0
    assert ibgn("inspect", "takes.dat", "--from", "jsonl").returncode == 0


FAILURES = [
    (["inspect", "absent.csv"], 1, "error: there is no file 'absent.csv'"),
    (["inspect", "takes.csv", "--tolerance", "-1"], 1, "error: tolerance is a finite number"),
    (["inspect", "takes.csv", "--column", "action=what"], 1, "has no column 'what'"),
    (["inspect", "takes.xyz"], 1, "not known by its suffix"),
    (["inspect", "."], 1, "error: "),
    (["convert", "takes.csv", "no/such/out.csv"], 1, "there is no folder"),
    (["convert", "takes.csv", "out.xyz"], 1, "not known by its suffix"),
    (["inspect"], 2, "Missing argument"),
    (["inspect", "takes.csv", "--closed", "inclusive"], 2, "'left', 'right', 'both'"),
    (["inspect", "takes.csv", "--tolerance", "much"], 2, "'--tolerance'"),
    (["inspect", "takes.csv", "--column", "action"], 2, "ours=theirs"),
    (["inspect", "takes.jsonl", "--delimiter", ";"], 2, "CSV files only"),
    (["inspect", "takes.csv", "--colour"], 2, "No such option"),
    (["dance"], 2, "No such command"),
    (["demo", "--seed", "-1"], 2, "'--seed'"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES)
def test_failures(ibgn, takes, arguments, code, message):
    result = ibgn(*arguments)
    assert result.returncode == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_an_unforeseen_error_is_a_message_too(ibgn, takes, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import pandas\n"
        "def oops(*a, **k): raise ZeroDivisionError('surprise')\n"
        "pandas.read_csv = oops\n"
    )
    result = ibgn("inspect", takes, PYTHONPATH=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr == "error: ZeroDivisionError: surprise; set IBGN_DEBUG=1 to see where\n"
    assert "Traceback" in ibgn("inspect", takes, PYTHONPATH=str(tmp_path), IBGN_DEBUG="1").stderr


def test_names_from_the_data_are_only_text(ibgn, tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "s1,[red]x[/red],\x1b[31mboil[/],0,4\ns1,[red]x[/red],[bold]b,1,3\n")
    result = ibgn("inspect", path)
    assert result.returncode == 0
    assert "[red]x[/red]" in result.stdout
    assert "[bold]b" in result.stdout
    assert "\x1b" not in result.stdout


def test_demo(ibgn, tmp_path):
    result = ibgn("demo", "--json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert (found["instances"], found["activities"], found["actions"]) == (3480, 19, 20)
    for name in found["files"]:
        assert (tmp_path / name).stat().st_size > 1000
    assert {name.rsplit(".")[-1] for name in found["files"]} == {"csv", "png"}
    again = ibgn("demo", "--out", "second", "--json")
    first, second = (tmp_path / d / "hand-signs.csv" for d in ("ibgn-demo", "second"))
    assert first.read_bytes() == second.read_bytes()
    assert again.returncode == 0


def test_a_closed_pipe_is_no_traceback(ibgn, takes, tmp_path):
    command = f"'{sys.executable}' -m ibgn inspect '{takes}' --json | head -c 1 > /dev/null"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr
