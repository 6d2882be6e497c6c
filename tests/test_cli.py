"""The command as users run it: its exit code, its two streams."""

import json
import os
import resource
import subprocess
import sys
import warnings

import pandas as pd
import pytest

from ibgn.cli.output import warnings_aloud
from ibgn.errors import DataWarning, Option
from ibgn.text import quote

HEADER = "instance,label,action,start,end\n"
GOOD = HEADER + (
    "s1,tea,boil,0,4\ns1,tea,pour,4,6\ns2,tea,boil,1,2\ns2,tea,pour,2,5\n"
    "s3,milk,pour,0,4\ns4,milk,stir,0,9\n"
)


@pytest.fixture
def takes(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(GOOD)
    return path


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_answers_in_half_a_second(ibgn_process):
    """Processor time, which other tests on the same machine do not add to."""
    ibgn_process("--help")  # the first run may write byte code
    times = []
    for _ in range(3):
        before = processor_seconds()
        assert ibgn_process("--help").returncode == 0
        times.append(processor_seconds() - before)
    assert min(times) < 0.5


def test_help_loads_nothing_heavy():
    program = (
        "import sys, ibgn.cli; heavy = 'numpy scipy pandas numba sklearn matplotlib'.split(); "
        "print([m for m in heavy if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_recognising_loads_no_part_of_other_packages_that_only_learning_needs(ibgn, takes):
    assert ibgn("fit", takes, "-o", takes.with_name("m.ibgn")).returncode == 0
    # what the base of scikit-learn loads by itself, as its older versions do
    of_base = "import sys, sklearn.base; print('scipy.optimize' in sys.modules)"
    by_base = subprocess.run([sys.executable, "-c", of_base], capture_output=True, text=True)
    program = f"OPTIMIZED = {by_base.stdout}" + (
        "import sys; from ibgn.__main__ import main\n"
        "sys.argv.insert(1, 'predict')\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = 'ensemble linear_model metrics model_selection neighbors preprocessing tree'\n"
        "heavy = [f'sklearn.{part}' for part in heavy.split()]\n"
        "heavy += ['matplotlib', 'arviz_stats', 'jinja2', 'pyarrow.parquet', 'scipy.optimize']\n"
        "if OPTIMIZED: heavy.remove('scipy.optimize')\n"
        "heavy += ['scipy.stats._stats_py', 'numpy.f2py.f2py2e', 'numpy.testing._private.utils']\n"
        "print([m for m in heavy if m in sys.modules], 'numba' in sys.modules)"
    )
    paths = (takes.with_name("m.ibgn"), takes)
    result = subprocess.run(
        [sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "[] True"


def test_a_module_that_is_put_off_is_there_when_it_is_used():
    program = (
        "import sys; from ibgn.cli.later import put_off\n"
        "put_off()\n"
        "import sklearn.base, scipy, numpy\n"
        "print('scipy.stats._stats_py' in sys.modules, 'numpy.f2py.rules' in sys.modules)\n"
        "from scipy.stats import norm\n"
        "import scipy.stats._morestats, numpy.testing\n"
        "numpy.testing.assert_equal(norm.cdf(0), 0.5)\n"
        "print(scipy.stats is sys.modules['scipy.stats'], scipy.stats.norm is norm)\n"
        "print(numpy.testing is sys.modules['numpy.testing'], hasattr(scipy.stats, 'nothing'))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False", "True", "True", "True", "False"]


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


def test_a_process_prints_what_a_call_does(ibgn, ibgn_process, takes):
    """Most tests run the command within their own process; here both ways are compared."""
    for arguments in (["inspect", takes], ["inspect"], ["inspect", "absent.csv"]):
        apart, here = ibgn_process(*arguments), ibgn(*arguments)
        assert here.returncode == apart.returncode
        assert here.stdout == apart.stdout.replace("python -m ibgn", "ibgn")
        assert here.stderr == apart.stderr.replace("python -m ibgn", "ibgn")


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


def test_convert_tells_what_it_leaves_out(ibgn, takes, tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("instance,action,mood,start,end,note\ns,a,glad,0,1,x\ns,b,glad,1,1,x\n")
    options = ["--zero-length", "drop"]
    result = ibgn("convert", wide, "out.csv", *options)
    assert "left out columns 'mood', 'note'" in result.stderr
    assert "wrote 1 instance, 1 interval to out.csv" in result.stderr
    report = json.loads(ibgn("convert", wide, "out.csv", "--json", "--force", *options).stdout)
    assert report["left_out"] == ["mood", "note"]
    assert report["warnings"][0].startswith("dropped 1 interval of zero length")
    report = json.loads(ibgn("convert", takes, "out.csv", "--json", "--force").stdout)
    assert (report["left_out"], report["warnings"]) == ([], [])


def test_standard_input(ibgn, takes, tmp_path):
    command = f"cat '{takes}' | '{sys.executable}' -m ibgn"
    for rest in ("inspect - --from csv --json", "inspect /dev/stdin --from csv --json"):
        result = subprocess.run(
            f"{command} {rest}", shell=True, capture_output=True, text=True, check=True
        )
        assert json.loads(result.stdout)["instances"] == 4
    out = tmp_path / "out.parquet"
    subprocess.run(f"{command} convert - '{out}' --from csv", shell=True, check=True)
    assert json.loads(ibgn("inspect", out, "--json").stdout)["intervals"] == 6


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_no_wrong_use(ibgn, takes):
    takes.chmod(0)
    result = ibgn("inspect", takes)
    assert result.returncode == 1
    assert "may not be read" in result.stderr


def test_no_check_of_permissions_before_ours(monkeypatch, takes):
    """What typer checks is wrong use; an unreadable file is not."""
    from typer.testing import CliRunner

    from ibgn.cli import app

    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert CliRunner().invoke(app, ["inspect", str(takes), "--json"]).exit_code == 0


def test_a_closed_standard_error(takes, tmp_path):
    command = f"'{sys.executable}' -m ibgn"
    closed = {"stderr": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    result = subprocess.run(
        f"{command} inspect '{takes}' --json 2>&-", shell=True, check=True, **closed
    )
    assert json.loads(result.stdout)["instances"] == 4
    out = tmp_path / "out.csv"
    result = subprocess.run(
        f"{command} convert '{takes}' '{out}' 2>&-", shell=True, check=True, **closed
    )
    assert result.stdout == ""
    assert out.read_text() == GOOD
    result = subprocess.run(f"{command} inspect absent.csv 2>&-", shell=True, check=False, **closed)
    assert (result.returncode, result.stdout) == (1, "")


def test_a_terminal_that_knows_only_ascii(ibgn_process, tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + f"s1,thé,{'é' * 99},0,4\n", encoding="utf-8")
    result = ibgn_process("inspect", path, PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert "th\\xe9" in result.stdout
    assert result.stdout.isascii()


def test_names_of_files_are_only_text(ibgn, takes, tmp_path):
    odd = tmp_path / "\x1b[31mred.csv"
    odd.write_text(GOOD)
    result = ibgn("convert", odd, "\x1b[31mout.csv")
    assert result.returncode == 0
    assert "to \\x1b[31mout.csv" in result.stderr
    odd.write_text("nothing\n")
    assert "\x1b" not in result.stderr + ibgn("inspect", odd).stderr


def test_suspicions_speak_of_flags(ibgn, tmp_path):
    path = tmp_path / "ticks.csv"
    path.write_text(HEADER + "".join(f"s1,tea,a{i},{4 * i},{4 * i + 3}\n" for i in range(9)))
    result = ibgn("inspect", path)
    assert "if so, read with --closed both" in result.stderr
    assert "closed=" not in result.stderr + ibgn("inspect", path, "--json").stdout


def test_convert_by_format(ibgn, takes):
    assert ibgn("convert", takes, "takes.dat", "--to", "jsonl").returncode == 0
    assert ibgn("inspect", "takes.dat", "--from", "jsonl").returncode == 0


FILES = {
    "half.csv": "instance,action,start,end\ns,a,0,1.5\n",
    "zero.csv": "instance,action,start,end\ns,a,1,1\n",
    "semicolons.csv": "instance;action;start;end\ns;a;0;1\n",
    "header.csv": "wer,wo,from,to\na,x,0,1\na,y,1,2\nb,x,2,3\n",
}
FAILURES = [
    (["inspect", "absent.csv"], 1, "error: there is no file 'absent.csv'"),
    (["inspect", "takes.csv", "--tolerance", "-1"], 2, "error: --tolerance -1.0 must be"),
    (["inspect", "takes.csv", "--min-duration", "-1"], 2, "error: --min-duration -1.0 must be"),
    (["inspect", "takes.csv", "--from", "xlsx"], 2, "--from xlsx is not a choice"),
    (["convert", "takes.csv", "out.csv", "--to", "xlsx"], 2, "--to xlsx is not a choice"),
    (
        ["inspect", "takes.csv", "--column", "actor=who"],
        2,
        "--column actor=who names 'actor', which is not one of",
    ),
    (["inspect", "takes.csv", "--column", "action=a", "--column", "action=b"], 2, "'action' twice"),
    (["inspect", "takes.csv", "--delimiter", ";;"], 2, "--delimiter ';;' must be one character"),
    (["inspect", "takes.csv", "--encoding", "utf-99"], 2, "--encoding utf-99 is not known"),
    (["inspect", "takes.csv", "--delimiter", ";"], 1, "use --delimiter ,"),
    (["convert", "semicolons.csv", "out.csv", "--delimiter", ","], 1, "use --delimiter ';'"),
    (
        ["convert", "header.csv", "out.csv"],
        1,
        "name it with --column start=from --column end=to --column action=...",
    ),
    (
        ["inspect", "zero.csv", "--zero-length", "error"],
        1,
        "use --zero-length drop or a --min-dura",
    ),
    (
        ["convert", "half.csv", "out.csv", "--closed", "both"],
        1,
        "with --tick or use --closed left",
    ),
    (["inspect", "\x1b[31mred.csv"], 1, "there is no file '\\x1b[31mred.csv'"),
    (["inspect", "takes.csv", "--column", "action=what"], 1, "has no column 'what'"),
    (["inspect", "takes.xyz"], 1, "there is no file 'takes.xyz'; check the path"),
    (["inspect", "-"], 1, "stdin: the file is empty"),
    (["inspect", ".", "--from", "elan"], 1, "error: "),
    (["convert", "takes.csv", "no/such/out.csv"], 1, "there is no folder"),
    (["convert", "takes.csv", "out.xyz"], 1, "name it with --to, one of"),
    (["inspect"], 2, "Missing argument"),
    (
        ["inspect", "takes.csv", "--closed", "inclusive"],
        2,
        "'--closed': 'inclusive' is not one of 'left', 'right', 'both'",
    ),
    (["inspect", "takes.csv", "--tolerance", "much"], 2, "'--tolerance'"),
    (["inspect", "takes.csv", "--column", "action"], 2, "ours=theirs"),
    (["inspect", "takes.csv", "--column", "action=x"], 1, "name it with --column action="),
    (["inspect", "takes.jsonl", "--delimiter", ";"], 2, "not an option of the format jsonl"),
    (["inspect", "takes.csv", "--colour"], 2, "No such option"),
    (["dance"], 2, "No such command"),
    (["demo", "--seed", "-1"], 2, "'--seed'"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES)
def test_failures(ibgn, takes, tmp_path, arguments, code, message):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    result = ibgn(*arguments)
    assert result.returncode == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_an_unforeseen_error_is_a_message_too(ibgn, takes, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr(pd, "read_csv", fail)
    result = ibgn("inspect", takes)
    assert result.returncode == 1
    assert result.stderr == "error: ZeroDivisionError: surprise; set IBGN_DEBUG=1 to see where\n"
    monkeypatch.setenv("IBGN_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        ibgn("inspect", takes)


def test_names_from_the_data_are_only_text(ibgn, tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + "s1,[red]x[/red],\x1b[31mboil[/],0,4\ns1,[red]x[/red],[bold]b,1,3\n")
    result = ibgn("inspect", path)
    assert result.returncode == 0
    assert "[red]x[/red]" in result.stdout
    assert "[bold]b" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--jobs", "0"], 2, "error: --jobs 0 must be a whole number other than 0"),
        (["--out", "takes.csv"], 2, "error: --out takes.csv is a file; name a folder"),
        (["-o", "takes.csv"], 2, "error: --out takes.csv is a file; name a folder"),
        (["--out", "takes.csv/below"], 1, "takes.csv' is a file, not a folder; name another"),
    ],
)
def test_demo_refuses(ibgn, takes, options, code, message):
    result = ibgn("demo", *options)
    assert result.returncode == code
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert takes.read_text() == GOOD


def test_a_closed_pipe_is_no_traceback(takes, tmp_path):
    command = f"'{sys.executable}' -m ibgn inspect '{takes}' --json | head -c 1 > /dev/null"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], []),
        (["one", "two"], ["one", "two"]),
        (["one", "one", "one"], ["one (and 2 more of this kind)"]),
        (
            ["dropped 3 rows (first: 'a')", "other", "dropped 12 rows (first: 'b \\' 4')"],
            ["dropped 3 rows (first: 'a') (and 1 more of this kind)", "other"],
        ),
        (
            [f"in {quote(name)} much is odd" for name in ("plain", "it's", 'a "b"', "back\\")],
            ["in 'plain' much is odd (and 3 more of this kind)"],
        ),
        (
            ["up to 3 s", "up to 0.25 s", "up to 1e-05 s"],
            ["up to 3 s (and 2 more of this kind)"],
        ),
        (["lost 'a'", "found 'a'"], ["lost 'a'", "found 'a'"]),
    ],
)
def test_warnings_that_differ_by_names_and_numbers_only_are_said_once(capsys, messages, said):
    with warnings_aloud() as heard:
        for message in messages:
            warnings.warn(message, DataWarning, stacklevel=1)
        warnings.warn("not for users", DeprecationWarning, stacklevel=1)
    assert heard == said
    assert capsys.readouterr().err == "".join(f"warning: {message}\n" for message in said)


def test_warnings_that_propose_other_values_are_of_one_kind():
    with warnings_aloud() as said:
        for name, value in (("a", "both"), ("b", "left"), ("c", None)):
            parts = f"{quote(name)} has ", Option("closed", value)
            warnings.warn(DataWarning(*parts), stacklevel=1)
        warnings.warn(DataWarning("'d' has ", Option("tick", 2)), stacklevel=1)
    assert said == ["'a' has closed='both' (and 2 more of this kind)", "'d' has tick=2"]
