"""Wrong advice is worse than none: every option that a message proposes is tried."""

import io
import re
import shlex
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command

from conftest import IN_TESTS, run_here
from ibgn.cli import app
from ibgn.cli.flags import Command
from ibgn.errors import MISSING, Option
from proposals import (
    COPIED,
    NAMED,
    SCENARIOS,
    SOURCE,
    UNTRIED,
    find_commands,
    find_proposals,
    find_texts,
)

COMMANDS = get_command(app).commands
PROPOSALS, EARLY = find_proposals()


class Listener:
    """Options that messages of a command show, with the places in the source that made them."""

    def __init__(self, patch):
        self.made, self.shown = [], []
        make, show = Option.__new__, Command.as_flag

        def listen(cls, name, value=MISSING):
            option = make(cls, name, value)
            caller = sys._getframe(1)
            path = Path(caller.f_code.co_filename)
            if value is not MISSING and path.is_relative_to(SOURCE):
                line, _, column, _ = [*caller.f_code.co_positions()][caller.f_lasti // 2]
                place = path.relative_to(SOURCE).as_posix(), line, column
                self.made.append((place, option))
            return option

        def note(command, option):
            self.shown.append(option)
            return show(command, option)

        patch.setattr(Option, "__new__", listen)
        patch.setattr(Command, "as_flag", note)

    def proposals(self):
        """Proposals that were shown, each with the text of its source."""
        found = [(PROPOSALS[place], option) for place, option in self.made if place in PROPOSALS]
        for option in self.shown:
            words = f": Option({option.name!r}, {option.value!r})"
            found += [(text, option) for text in EARLY if text.endswith(words)]
        shown = {
            (text, str(option)): option
            for text, option in found
            if option in self.shown and text not in UNTRIED
        }
        return [(text, option) for (text, _), option in shown.items()]


def run(files, words):
    """Run a command in a folder of these files; returns its result, and what it says."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        for file, content in files.items():
            path = Path(name, file)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        listener = Listener(patch)
        return run_here(name, words, {}, io.StringIO()), listener


def follow(words, option, gaps):
    """Words of the command that does what a message proposes."""
    flags = [COMMANDS[words[0]].as_flag(each) for each in (option, *gaps)]
    given = [tuple(shlex.split(flag)) for flag in flags]
    kept = [*words]
    for flag, *values in given:
        name = values[0].partition("=")[0] if flag == "-O" else None
        for place in reversed(range(len(kept) - 1)):
            if kept[place] == flag and (name is None or kept[place + 1].startswith(f"{name}=")):
                del kept[place : place + (2 if values else 1)]
    return kept + [word for words in given for word in words]


@cache
def try_scenario(number):
    """Result of a scenario, and its proposals, each with the result of following it."""
    scenario, words = SCENARIOS[number], shlex.split(SCENARIOS[number].words)
    result, listener = run(scenario.files, words)
    gaps = [Option(n, v) for n, v in scenario.fill.items() if Option(n) in listener.shown]
    tried = []
    for text, option in listener.proposals():
        value = scenario.fill[option.name] if "..." in str(option.value) else option.value
        with_it = [o for o in listener.shown if {o.name, option.name} <= {*scenario.together}]
        others = [o for o in (*with_it, *gaps) if o.name != option.name]
        again = follow(words, Option(option.name, value), others)
        tried.append((text, option, again, run(scenario.files, again)[0]))
    return result, tried


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=lambda n: SCENARIOS[n].words)
def test_what_a_message_proposes_helps(number):
    scenario = SCENARIOS[number]
    result, tried = try_scenario(number)
    assert tried, result.stderr
    helped = {option.name for _, option, _, outcome in tried if outcome.returncode == 0}
    for _, option, words, outcome in tried:
        assert "Traceback" not in outcome.stderr
        if option.name in scenario.either:
            assert option.name in helped, (words, outcome.stderr)
        elif option.value != "error":  # which is proposed to have something refused
            assert outcome.returncode == 0, (words, outcome.stderr)


def test_every_proposal_is_tried():
    tried = {text for n in range(len(SCENARIOS)) for text, *_ in try_scenario(n)[1]}
    known = set(PROPOSALS.values())
    missing = sorted(known - tried - set(UNTRIED))
    assert not missing, f"add a scenario to tests/proposals.py for {missing}"
    assert set(UNTRIED) <= known, "these are gone: take them off the list"


def test_flags_and_commands_in_texts_exist():
    """Texts with a flag or a command in them, other than options that are parts of messages."""
    options = [option for command in COMMANDS.values() for option in command.params]
    flags = {flag for option in options for flag in (*option.opts, *option.secondary_opts)}
    flags |= {"--help", "--version", "--no-deps"}
    for text in find_texts():
        for flag in re.findall(r"(?<![-\w(])--[a-z][a-z-]*", text):  # "var(--" is of a style
            assert flag in flags, text
        for name in re.findall(r"`ibgn ([a-z]+)", text):
            assert name in COMMANDS, text


def test_every_command_to_copy_is_run():
    written = {text for text in find_commands() if text.rpartition(" ")[2] in COMMANDS}
    assert written == COPIED.keys(), "add it to tests/proposals.py, with the test that runs it"
    for text, by in COPIED.items():
        if by != NAMED:
            file, test = by.split(": ")
            assert f"def {test}" in Path(__file__).with_name(file).read_text("utf-8"), text


def test_where_there_are_no_labels_the_proposed_command_looks_for_them(ibgn, tmp_path):
    (tmp_path / "my takes.csv").write_text("instance,action,start,end\na,nod,0,1\n")
    for words in (["fit", "my takes.csv", "-o", "m.ibgn"], ["evaluate", "my takes.csv"]):
        said = ibgn(*words)
        assert said.returncode == 1
        program, *proposed = shlex.split(said.stderr.split("`")[1])
        assert program == "ibgn"
        assert ibgn(*proposed).returncode == 0


@pytest.mark.parametrize("name", ["takes", "-takes", "-.takes"])
@pytest.mark.parametrize("inside", [False, True])
def test_commands_for_any_name_and_any_folder_can_be_run(tmp_path, name, inside):
    def ibgn(*words):
        return run_here(folder if inside else tmp_path, words, IN_TESTS, io.StringIO())

    folder = tmp_path / name
    folder.mkdir()
    table = "instance,label,action,start,end\na,tea,boil,0,1\nb,milk,pour,0,1\n"
    again = table[32:].replace("a,", "c,").replace("b,", "d,")
    (folder / f"{name}.csv").write_text(table + again)
    sources = (".", f"./{name}.csv") if inside else (f"./{name}", f"./{name}/{name}.csv")
    for source in sources:
        said = ibgn("inspect", source)
        proposed = [line.strip() for line in said.stdout.splitlines() if line.startswith("  ibgn")]
        assert len(proposed) == 2, said.stdout + said.stderr
        for command in proposed:
            result = ibgn(*shlex.split(command)[1:])
            assert result.returncode == 0, (command, result.stderr)
            for look in re.findall(r"(?<=with: )ibgn .*", result.stderr):
                assert ibgn(*shlex.split(look)[1:]).returncode == 0, look
        assert ibgn("inspect", source).returncode == 0
