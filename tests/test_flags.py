"""Options as flags: what a message proposes can be pasted into a shell."""

import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from ibgn.cli import app
from ibgn.cli.flags import in_flags, in_shell, methods, read_value, write_value
from ibgn.cli.options import Reading, parse_columns, parse_options
from ibgn.errors import MISSING, DataError, DataWarning, Option, OptionError
from ibgn.io.options import is_text
from ibgn.io.registry import FORMATS

BASH = shutil.which("bash")

COMMANDS = typer.main.get_command(app).commands
VALUES = [True, 3, 2.5, "track", "3", "true", "a b", "it's", "", "tab\there", ["a", "b c"], None]


def parse(command, words, *arguments):
    """Parameters of a command as a shell would give them."""
    return COMMANDS[command].make_context(command, [*arguments, *shlex.split(words)]).params


def reader_options(words, known):
    return parse_options(parse("inspect", words, "data.csv")["option"], known)


OWN = {field.name for field in fields(Reading)} - {"option"}
OF_READERS = sorted({name for format in FORMATS.values() for name in format.options} - OWN)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", OF_READERS)
def test_every_option_of_every_format_is_written_as_the_command_reads_it(name, value):
    words = COMMANDS["inspect"].as_flag(Option(name, value))
    assert words.startswith("-O ")
    for format in (format for format in FORMATS.values() if name in format.options):
        read = reader_options(words, format.options)[name]
        if is_text(format.options[name]) and isinstance(value, bool | int | float):
            value = write_value(value)  # which no message proposes
        assert read in (value, [value])  # options that are lists always are


def value_of(annotation):
    """A value that a field of `Reading` can take, and not its default."""
    plain = get_args(annotation)[0]
    if get_origin(plain) is Literal:
        return get_args(plain)[-1]
    return 0.5 if plain is float else "some text"


@pytest.mark.parametrize("command", ["inspect", "fit", "evaluate"])
@pytest.mark.parametrize("name", sorted(OWN - {"columns"}))
def test_every_field_of_reading_is_a_flag_that_the_command_reads(command, name):
    value = value_of(get_type_hints(Reading, include_extras=True)[name])
    words = COMMANDS[command].as_flag(Option(name, value))
    needed = ["-o", "out.csv"] if command == "fit" else []
    assert parse(command, words, "data.csv", *needed)[name] == value


def test_columns_are_named_one_by_one():
    names = {"instance": "Take", "end": " end", "action": "it's"}
    words = COMMANDS["inspect"].as_flag(Option("columns", names))
    assert words == """--column instance=Take --column 'end= end' --column 'action=it'"'"'s'"""
    assert parse_columns(parse("inspect", words, "data.csv")["columns"]) == names


@pytest.mark.parametrize("value", VALUES)
def test_every_option_of_a_method_is_written_as_fit_reads_it(value):
    for method in methods().values():
        for name in method().get_params().keys() - {"tolerance", "n_jobs"}:
            words = COMMANDS["fit"].as_flag(Option(name, value))
            if words.startswith("--set"):
                (pair,) = parse("fit", words, "data.csv", "-o", "out.ibgn")["settings"]
                assert (pair.partition("=")[0], read_value(pair.partition("=")[2])) == (name, value)
            else:
                assert words.split()[0] in ("--structure", "--draws", "--budget", "--horizon")


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_read_as_it_was_written(value):
    assert read_value(write_value(value)) == value
    assert "\t" not in write_value(value)


@pytest.mark.parametrize(
    ("command", "option", "words"),
    [
        ("inspect", Option("format", "csv"), "--from csv"),
        ("inspect", Option("closed"), "--closed"),
        ("inspect", Option("points"), "-O points="),
        ("inspect", Option("min_duration", 0.5), "--min-duration 0.5"),
        ("inspect", Option("tracks", ["a"]), """-O 'tracks=["a"]'"""),
        ("inspect", Option("columns", ["a"]), """-O 'columns=["a"]'"""),
        ("inspect", Option("activity", r"q(\d)_"), r"-O 'activity=q(\d)_'"),
        ("inspect", Option("rate", 25), "-O rate=25"),
        ("inspect", Option("unit", 0.001), "-O unit=0.001"),
        ("detect", Option("rate", 30), "--rate 30"),
        ("detect", Option("unit", 0.001), "--unit 0.001"),
        ("detect", Option("tracks", ["hand", "arm"]), "--label hand --label arm"),
        ("detect", Option("n_jobs", 0), "--jobs 0"),
        ("fit", Option("n_jobs", 0), "--jobs 0"),
        ("fit", Option("learn_tolerance", True), "--learn-tolerance"),
        ("evaluate", Option("n_splits", 3), "--folds 3"),
        ("fit", Option("n_bins", 4), "--set n_bins=4"),
        ("convert", Option("to", "xlsx"), "--to xlsx"),
        ("sample", Option("model", "m.ibgn"), "MODEL m.ibgn"),
        ("sample", Option("number", 3), "-n 3"),
        ("predict", Option("n_bins", 4), "n_bins=4"),  # which this command does not take
        ("inspect", Option("training_step", 1), "training_step=1"),
        ("detect", Option("crossing", "cut"), "crossing='cut'"),
    ],
)
def test_an_option_is_named_by_the_command_that_runs(command, option, words):
    assert COMMANDS[command].as_flag(option) == words


@pytest.fixture
def fails(monkeypatch):
    """Message of `ibgn inspect` where reading raises an error."""

    def run(error):
        def load(*_, **__):
            raise error

        monkeypatch.setattr("ibgn.io.registry.Format.load", load)
        result = CliRunner().invoke(app, ["inspect", "data.csv"])
        assert result.exception is error
        return str(result.exception)

    return run


def test_errors_speak_of_flags(fails):
    assert fails(OptionError("closed", "up", "is not a choice")) == "--closed up is not a choice"
    needed = DataError("f.txt: no rate; give ", Option("rate", MISSING))
    assert fails(needed.within("a.zip: ")) == "a.zip: f.txt: no rate; give -O rate="


def test_what_is_quoted_from_the_data_is_no_flag(fails):
    text = "column label='x' not found; there are 'closed', 'rate=3' and tick=2"
    assert fails(DataError(text)) == text


def test_without_a_command_options_are_python():
    assert in_flags(DataWarning("try ", Option("closed", "both"))) == "try closed='both'"


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(
    "word",
    [
        *("plain", "two words", "it's", "$HOME `ls`", "", "--flag", "a=\\ 'b'", "é 漢字"),
        *("a\x1b[31m", "it's\n\\n", "\u202egnp.exe", "\x9b", "\x04", "\udce9.csv", "a\u3000b"),
    ],
)
def test_words_are_read_by_a_shell_and_obeyed_by_no_terminal(word):
    shown = in_shell("printf", "%s", word)
    assert shown.isprintable() or "\u3000" in word
    program = f"{shlex.quote(sys.executable)} -c 'import os, sys; print(os.fsencode(sys.argv[1]))'"
    asked = shown.replace("printf %s", program)
    said = subprocess.run([BASH, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout == f"{word.encode('utf-8', 'surrogateescape')}\n"
