"""The harness finds faults that are planted, of every kind, and nothing where there are none."""

import os
import signal
import time
from dataclasses import replace

import numpy as np
import pytest

from attack import data_files, disks, jobs, kills, names, races
from attack.children import Limits, run_cases
from attack.command_lines import ENDLESS, MUCH, commands, compose
from attack.commands import check_code, check_text, finish, run, start
from attack.documents import damage
from attack.findings import KINDS, Finding, Findings, FoundError
from attack.guard import Guard
from attack.harness import Attack, Harness
from attack.model_files import alter, use
from attack.places import Place, check_unchanged, contents
from attack.round_trips import check_same, round_trip
from ibgn import DataError, IntervalSequences
from ibgn.io import FORMATS, Annotation, Recording, reader
from sample_files import LINES, TABLE

SMALL = Limits(
    memory=100 << 20, per_byte=0, seconds=1.5, per_megabyte=0, patience=60, hardest=1 << 30
)
X = IntervalSequences.from_lists([[("boil", 0.125, 4), ("pour", 3, 5)]], ids=["take"])
Y = np.array(["tea"], object)


@pytest.fixture
def place(tmp_path):
    place, here = Place(tmp_path / "place"), os.getcwd()  # noqa: PTH109
    place.renew()
    yield place
    os.chdir(here)


@pytest.fixture
def attacked(tmp_path):
    """Run a fault as an attack; returns the kinds of what is found, and the harness."""

    def find(fault, cases=1, limits=SMALL):
        harness = Harness([Attack("planted", "", fault)], 7, tmp_path, limits, say=lambda _: None)
        harness.run_cases(harness.attacks[0], range(cases))
        return sorted({finding.kind for finding in harness.findings.first.values()}), harness

    return find


def raise_something(rng, place):
    raise KeyError("planted")


def die(rng, place):
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(rng, place):
    time.sleep(60)


def work_long(rng, place):
    end = time.process_time() + 1.7
    while time.process_time() < end:
        pass


def take_memory(rng, place):
    assert np.ones(15 << 20, dtype=float).sum() > 0


def take_all_memory(rng, place):
    np.ones(1 << 30, dtype=float)


def write_outside(rng, place):
    (place.root / "case" / "stray.csv").write_text("")


def write_elsewhere(rng, place):
    (place.root.parent / "stray.csv").write_text("")


def leave_temporary(rng, place):
    (place.temporary / "tmp123").write_text("")


def open_socket(rng, place):
    import socket

    with socket.socket() as opened, pytest.raises(OSError):
        opened.connect(("127.0.0.1", 9))


def unpickle(rng, place):
    import pickle

    pickle.loads(pickle.dumps(os.mkdir))


PLANTED = {
    raise_something: ["traceback"],
    die: ["signal"],
    work_long: ["time"],
    take_memory: ["memory"],
    take_all_memory: ["memory"],
    write_outside: ["stray file"],
    write_elsewhere: ["side effect"],
    leave_temporary: ["stray file"],
    open_socket: ["side effect"],
    unpickle: ["side effect"],
}


@pytest.mark.parametrize(("fault", "kinds"), PLANTED.items(), ids=[f.__name__ for f in PLANTED])
def test_what_a_process_must_not_do_is_found(attacked, fault, kinds):
    assert attacked(fault)[0] == kinds


def test_a_case_that_does_not_end_is_killed_and_found(attacked):
    before = time.monotonic()
    assert attacked(hang, limits=replace(SMALL, patience=0.2))[0] == ["time"]
    assert time.monotonic() - before < 30


def test_nothing_is_found_where_there_is_nothing(attacked):
    kinds, harness = attacked(lambda rng, place: None, cases=3)
    assert (kinds, harness.cases) == ([], {"planted": 3})


def test_other_cases_are_tried_after_one_that_kills(attacked, tmp_path):
    def die_sometimes(rng, place):
        if rng.random() < 0.5:
            die(rng, place)

    attack = Attack("planted", "", die_sometimes)
    place = Place(tmp_path / "place")
    found = {n: bool(each) for n, each in run_cases(attack, 7, range(8), place, SMALL)}
    assert list(found) == list(range(8))
    assert set(found.values()) == {True, False}
    for number in found:  # the same cases, one by one
        ((_, again),) = run_cases(attack, 7, range(number, number + 1), place, SMALL)
        assert bool(again) is found[number]


def test_findings_are_saved_with_their_input_and_how_to_repeat_them(attacked, tmp_path):
    def refuse(rng, place):
        (place.inside / "input.csv").write_text("made by the case")
        raise FoundError("half output", f"number {rng.integers(100)}")

    _, harness = attacked(refuse, cases=3)
    assert list(harness.findings.counts.values()) == [3]  # alike, as only a number differs
    folder = harness.findings.folder / "planted-7-0"
    assert (folder / "inside" / "input.csv").read_text() == "made by the case"
    said = (folder / "finding.txt").read_text()
    assert "half output: number" in said
    assert "python -m tests.attack --only planted --seed 7 --case 0" in said


def test_every_kind_of_finding_has_a_name():
    with pytest.raises(AssertionError):
        FoundError("what nobody knows")
    assert Finding("a", 0, 1, "time", "").signature == ("a", "time", "")
    assert all(KINDS.values())


# data files


def find_by(attack, place, numbers=range(40)):
    """Kinds of what an attack finds in cases, here in this process."""
    found = set()
    for number in numbers:
        place.renew()
        try:
            attack(np.random.default_rng([7, number]), place)
        except FoundError as error:
            found.add(error.kind)
        except Exception as error:
            found.add(type(error).__name__)
    return found


@pytest.fixture
def planted(monkeypatch, extensions):
    """Register a reader, whose samples are then the only ones."""

    def plant(read):
        reader("planted", (".planted",))(read)
        sample = ("one.planted", b"boil;0;1\npour;1;2\n", None)
        monkeypatch.setattr(data_files, "all_samples", lambda: (sample,))

    return plant


def parse(files):
    """Annotations of a simple format."""
    for file in files:
        rows = [line.split(";") for line in file.lines()]
        try:
            made = [Annotation("t", a, float(s), float(e), "here") for a, s, e in rows]
        except ValueError as error:
            raise DataError("planted: no intervals; correct them") from error
        yield Recording(file.name, made)


def test_a_reader_that_raises_is_found(place, planted):
    def careless(files):
        yield from parse(files)
        raise ZeroDivisionError

    planted(careless)
    assert "ZeroDivisionError" in find_by(data_files.try_data, place)


def test_a_reader_that_writes_to_its_input_is_found(place, planted):
    def tidying(files):
        for file in files:
            file.path.write_text("tidied")
        yield from parse(files)

    planted(tidying)
    assert "changed input" in find_by(data_files.try_data, place)


def test_a_writer_that_rounds_is_found(place, extensions, monkeypatch):
    exact = FORMATS.writers["jsonl"]

    def rounded(X, path, y=None):
        rows = [[(a, round(s), round(e) + 1) for a, s, e in rows] for rows in X.to_lists()]
        exact(IntervalSequences.from_lists(rows, ids=list(X.ids)), path, y)

    monkeypatch.setattr(FORMATS, "writers", {"jsonl": rounded})
    with pytest.raises(FoundError, match="changed value: intervals in jsonl"):
        round_trip(X, Y, place.inside, np.random.default_rng(0))


def test_a_writer_that_leaves_half_a_file_is_found(place, monkeypatch):
    def half(X, path, y=None):
        path.write_text("half")
        raise DataError("no more; stop")

    monkeypatch.setattr(FORMATS, "writers", {"jsonl": half})
    with pytest.raises(FoundError, match="half output"):
        round_trip(X, Y, place.inside, np.random.default_rng(0))


@pytest.mark.parametrize("labels", [["1"], None])
def test_labels_that_change_are_found(labels):
    check_same((X, [1]), (X, [1]), "jsonl")
    with pytest.raises(FoundError, match="changed value: labels"):
        check_same((X, [1]), (X, labels), "jsonl")


@pytest.mark.parametrize(
    "content", [TABLE.encode(), LINES.encode(), b"<a b='1'><c d=\"2\">e</c></a>"]
)
def test_damage_is_real_and_depends_on_the_seed_only(content):
    def variants():
        return [damage("a.txt", content, np.random.default_rng(n)) for n in range(50)]

    assert variants() == variants()
    assert len({made for _, made in variants()}) > 25


# commands


@pytest.fixture
def says(monkeypatch):
    """Let the command do something else."""

    def replace_main(do):
        monkeypatch.setattr("ibgn.cli.main", do)

    return replace_main


def test_an_exit_code_that_is_not_documented_is_found(place, says):
    def leave():
        raise SystemExit(3)

    says(leave)
    with pytest.raises(FoundError, match="exit code: 3"):
        run(place, "inspect")
    with pytest.raises(FoundError, match="exit code: 3"):
        check_code(finish(start(place, "inspect")), "inspect")


def test_an_unexpected_error_of_a_command_is_found(place, monkeypatch):
    def careless(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("ibgn.cli.options.Reading.load", careless)
    (place.inside / "takes.csv").write_text(TABLE)
    with pytest.raises(FoundError, match="traceback"):
        run(place, "convert", "takes.csv", "out.csv")
    with pytest.raises(FoundError, match="traceback"):
        check_code(finish(start(place, "convert", "takes.csv", "out.csv")), "convert")


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\x9bm", "\u202etxt.exe", "a\rb"])
def test_an_escape_sequence_is_found(text):
    check_text("plain text\n\twith é, 漢字 and — dashes")
    with pytest.raises(FoundError, match="escape sequence"):
        check_text(text)


def test_an_input_that_changes_or_goes_is_found(place):
    path = place.inside / "takes.csv"
    path.write_text(TABLE)
    before = contents(place.inside)
    check_unchanged(before, contents(place.inside))
    path.write_text("x")
    with pytest.raises(FoundError, match="changed input"):
        check_unchanged(before, contents(place.inside))
    with pytest.raises(FoundError, match="changed input"):
        check_unchanged(before, {})


def test_command_lines_vary_and_repeat():
    made = [compose(np.random.default_rng(n)) for n in range(60)]
    assert made == [compose(np.random.default_rng(n)) for n in range(60)]
    assert len({tuple(words) for words in made}) > 50
    assert len({words[0] for words in made}) >= 8


def test_what_takes_long_is_named_as_commands_name_it():
    known = {parameter.name for parameters, _ in commands().values() for parameter in parameters}
    assert known >= MUCH | {*ENDLESS}


# models


class Vague:
    """A model whose probabilities are none."""

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


def test_probabilities_that_are_none_are_found():
    with pytest.raises(FoundError, match="invalid value"):
        use(Vague(), X, np.random.default_rng(0))


def test_altered_models_have_a_right_checksum_mostly(tmp_path):
    from ibgn import DBNClassifier, load, save

    save(DBNClassifier().fit([*X.to_lists(), [("stir", 0, 1)]], ["tea", "milk"]), tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    reasons = []
    for number in range(40):
        (tmp_path / "m").write_bytes(alter(content, np.random.default_rng(number)))
        try:
            load(tmp_path / "m")
        except DataError as error:
            reasons.append("SHA-256" in str(error))
    assert len(reasons) > 15  # most are refused
    assert sum(reasons) < len(reasons) / 2  # for what is in them


# pages and drawings


@pytest.mark.parametrize(
    "text",
    [
        "<p><script>alert(1)</script></p>",
        "<p onclick='x'>a</p>",
        "<a href='javascript:x'>a</a>",
        "<img src='http://example.org/x.png'>",
        "<p><b>a</p>",
        "<p>a\u202eb</p>",
    ],
)
def test_a_page_that_is_not_at_rest_is_found(text):
    names.check_page("<p>a <a href='#b'>b</a></p>")
    with pytest.raises(FoundError):
        names.check_page(text)


@pytest.mark.parametrize(
    "inner", ["<script/>", "<a xlink:href='http://x'/>", "<g onload='x'/>", "<"]
)
def test_a_drawing_that_is_not_at_rest_is_found(inner):
    frame = "<svg xmlns:xlink='x'>{}</svg>"
    names.check_drawing(frame.format("<g/>"))
    with pytest.raises(FoundError, match="script"):
        names.check_drawing(frame.format(inner))


# kills, races, full disks


@pytest.fixture
def hasty(place, monkeypatch):
    """A job that writes its output in two steps, right where it is to be."""
    right = "whole" * 2000

    def write_slowly():
        with open("out.txt", "w") as file:  # noqa: PTH123
            file.write(right[:5000])
            file.flush()
            os.stat("in.txt")  # noqa: PTH116
            with open("in.txt"):  # noqa: PTH123
                time.sleep(0.01)
            file.write(right[5000:])
        raise SystemExit(0)

    def write_at_once():
        with open(".hidden", "w") as file:  # noqa: PTH123
            file.write(right)
        os.replace(".hidden", "out.txt")  # noqa: PTH105
        raise SystemExit(0)

    monkeypatch.setattr("ibgn.cli.main", write_slowly)
    monkeypatch.setattr(jobs, "JOBS", {"planted": jobs.Job(("x",), ("out.txt",), ("in.txt",))})
    for module in (kills, races, disks):
        monkeypatch.setattr(module, "JOBS", jobs.JOBS)
    for number in (0, 1):
        folder = place.stock / f"planted-{number}"
        folder.mkdir()
        (folder / "in.txt").write_text("in")
        (folder / "out.txt").write_text(right)
    return write_at_once


def test_half_a_file_after_a_kill_is_found(place, hasty, monkeypatch):
    monkeypatch.setattr(kills, "MOST_EVENTS", 3)
    monkeypatch.setattr(kills, "LONGEST", 0.01)
    assert "half output" in find_by(kills.try_kill, place, range(8))


def test_a_temporary_file_that_a_killed_run_leaves_is_found(place, hasty, monkeypatch):
    def forgetful():
        (place.inside / f".{os.getpid()}").write_text("")
        hasty()

    monkeypatch.setattr("ibgn.cli.main", forgetful)
    assert "stray file" in find_by(kills.try_kill, place, range(3))


def test_a_result_that_a_kill_changes_is_found(place, hasty, monkeypatch):
    def continuing():
        with open("out.txt", "a") as file:  # noqa: PTH123
            file.write("one more")
        raise SystemExit(0)

    monkeypatch.setattr("ibgn.cli.main", continuing)
    found = find_by(kills.try_kill, place, range(3))
    assert found
    assert found <= {"half output", "other result"}


def test_two_processes_that_mix_are_found(place, hasty, monkeypatch):
    def take_turns():
        with open("out.txt", "a") as file:  # noqa: PTH123
            file.write("half")
        raise SystemExit(0)

    monkeypatch.setattr("ibgn.cli.main", take_turns)
    assert find_by(races.try_race, place, range(2)) == {"half output"}


@pytest.mark.parametrize("mounted", [True, False])
def test_half_a_file_on_a_full_disk_is_found(place, hasty, monkeypatch, mounted):
    if mounted and not disks.can_mount():
        pytest.skip("no tmpfs can be mounted here")

    def careless():
        try:
            with open("out.txt", "w") as file:  # noqa: PTH123
                for _ in range(100):
                    file.write("half" * 1000)
                    file.flush()
        except OSError:
            raise SystemExit(1) from None
        raise SystemExit(0)

    monkeypatch.setattr("ibgn.cli.main", careless)
    monkeypatch.setattr(disks, "can_mount", lambda: mounted)
    assert "half output" in find_by(disks.try_disk, place, range(2))


def test_nothing_is_found_in_a_job_that_writes_at_once(place, hasty, monkeypatch):
    def tidy():
        for path in place.inside.glob(".hidden"):
            path.unlink()
        hasty()

    monkeypatch.setattr("ibgn.cli.main", tidy)
    monkeypatch.setattr(kills, "MOST_EVENTS", 6)
    monkeypatch.setattr(kills, "LONGEST", 0.01)
    assert find_by(kills.try_kill, place, range(8)) == set()


def test_what_a_guard_allows(tmp_path):
    child = os.fork()
    if child == 0:  # a guard cannot be taken back
        code = 1
        try:
            guard = Guard(tmp_path)
            (tmp_path / "a").write_text("")
            (tmp_path / "a").read_text()
            code = len(guard.noted)
        finally:
            os._exit(code)
    assert finish(child) == 0


def test_findings_that_are_alike_are_counted(tmp_path):
    findings, place = Findings(tmp_path / "found"), Place(tmp_path / "place")
    for number in range(2):
        place.renew()
        new = findings.add(Finding("a", 0, number, "time", f"{number} s"), place)
        assert new is (number == 0)
