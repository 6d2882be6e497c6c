"""What a newcomer reads: help at any width, with every option, and examples that run."""

import shlex

import pytest
from typer.main import get_command

from ibgn.cli import app
from ibgn.cli.help import EXAMPLE
from ibgn.cli.options import WRITTEN
from ibgn.io import FORMATS
from ibgn.live.feeds import FileFeed
from ibgn.live.listener import Listener
from kitchen import make_kitchen

COMMANDS = get_command(app).commands
EXAMPLES = [
    line.strip().removeprefix(EXAMPLE)
    for command in COMMANDS.values()
    for line in command.help.splitlines()
    if line.strip().startswith(EXAMPLE)
]


@pytest.fixture
def read_help(ibgn_at):
    """Help of a command at a width: its lines, and its words as one text."""

    def read(width, *words):
        result = ibgn_at(width, *words, "--help")
        assert result.returncode == 0
        lines = result.stdout.splitlines()
        return lines, " ".join(result.stdout.replace("│", " ").split())

    return read


@pytest.mark.parametrize("width", [40, 50, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_complete_at_every_width(read_help, name, width):
    lines, text = read_help(width, name)
    framed = [line for line in lines if line and line[0] in "│╭╰"]
    assert framed
    assert {len(line) for line in framed} == {min(width, 100)}
    assert "…" not in text  # nothing is cut off
    for parameter in COMMANDS[name].params:
        assert (parameter.help or "").removesuffix(".") in text
        flags = [*parameter.opts, *parameter.secondary_opts]
        for flag in flags if parameter.param_type_name == "option" else ():
            assert flag in text


def test_own_options_come_first_and_choices_are_listed(read_help):
    lines, text = read_help(80, "evaluate")
    titles = [line.split("─ ")[1].split(" ─")[0] for line in lines if line.startswith("╭")]
    expected = ["Arguments", "Options", "Methods and folds", "Files to write", "Reading the data"]
    assert titles == expected
    assert "are both: left (default), right, both, neither." in text
    assert ": auto (default), stratified, group, leave-one-group-out." in text
    assert "--seed N Seed; the same one gives the same result. Default: 0." in text
    assert "Usage: ibgn evaluate DATA [OPTIONS]" in text
    _, fitting = read_help(80, "fit")
    assert "-o, --output FILE File for the model. Required." in fitting
    _, detecting = read_help(80, "robustness")
    for flag in ("--detected NAME=FILE ", "--sensors FOLDER ", "--detector NAME ", "--track NAME "):
        assert flag in detecting


def test_formats_that_can_be_written_are_listed(read_help):
    list(FORMATS)  # which imports them all
    assert sorted(FORMATS.writers) == list(WRITTEN)
    assert (
        f"--to FORMAT Format of OUT, if its suffix does not tell: {', '.join(WRITTEN)}."
        in (read_help(80, "convert")[1])
    )


@pytest.mark.parametrize(("name", "usage"), [("explore", "[DATA]"), ("listen", "MODEL [EVENTS]")])
def test_arguments_that_may_be_left_out_have_one_pair_of_brackets(read_help, name, usage):
    assert f"Usage: ibgn {name} {usage} [OPTIONS]" in read_help(80, name)[1]


def test_all_commands_are_listed(read_help):
    _, text = read_help(60)
    assert all(f" {name} " in text for name in COMMANDS)


def test_a_line_of_usage_names_arguments(ibgn):
    result = ibgn("predict", "m.ibgn")
    assert result.returncode == 2
    assert "ibgn predict MODEL DATA [OPTIONS]" in result.stderr
    assert "Missing argument 'DATA'" in result.stderr


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"paper", "demo"}))
def test_commands_have_an_example(name):
    assert any(shlex.split(example)[:2] == ["ibgn", name] for example in EXAMPLES)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory):
    """The files that examples speak of."""
    folder = tmp_path_factory.mktemp("kitchen")
    make_kitchen(folder)
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(kitchen, ibgn, tmp_path, monkeypatch, example):
    program, *words = shlex.split(example)
    if {"--socket", "--mqtt"} & set(words):  # which would wait for ever, the second for a broker
        run = Listener.run
        monkeypatch.setattr(Listener, "run", lambda self: (self.stop(), run(self)))
        monkeypatch.setattr("ibgn.live.feeds.MqttFeed", lambda *_: FileFeed(tmp_path / "takes.csv"))
    monkeypatch.setattr("uvicorn.Server.run", lambda *_: None)  # which would serve for ever
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    made = words[words.index("-o") + 1] if "-o" in words else ""
    for file in kitchen.iterdir():
        if file.name != made:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    result = ibgn(*words)
    assert program == "ibgn"
    assert result.returncode == 0, result.stderr
