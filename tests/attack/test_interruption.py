"""Ctrl-C, kill -9 and several processes at once: nothing half done, nothing left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ibgn._files import filling, writing
from ibgn._temporaries import PREFIX, SUFFIX, temporary_folder
from ibgn.cli.interruption import Interruption
from ibgn.datasets import sample_path
from ibgn.errors import DataError, DataWarning
from ibgn.evaluation.journal import Journal

SECONDS = 60  # that anything may take on a busy machine
STOPPED = "stopped; the same command begins again\n"


def interrupt(*_, **__):
    raise KeyboardInterrupt


def interrupt_in_compiled_code(*_, **__):
    """As numba has it where a signal came while a kernel ran."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise SystemError("returned a result with an exception set") from error


def interrupt_with_a_note(*_, **__):
    """As Python has it, from version 3.12, where a signal came while a class was made."""
    error = KeyboardInterrupt()
    error.add_note("Error calling __set_name__ on 'Field' instance 'handles' in 'Handles'")
    raise error


@pytest.fixture
def takes(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_bytes(sample_path("csv").read_bytes())
    return path


PHASES = {
    "recognising the format": "ibgn.io.registry.find_by_content",
    "parsing": "pandas.read_csv",
    "cleaning": "ibgn.io.longframe.LongFrame.read",
    "counting": "ibgn.cli.learn.warn_of_few",
    "learning": "ibgn.classifiers.dbn.DBNClassifier.fit",
    "saving": "ibgn.cli.learn.describe_learned",
}


@pytest.mark.parametrize("how", [interrupt, interrupt_in_compiled_code, interrupt_with_a_note])
@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_says_that_it_was_stopped(ibgn, takes, monkeypatch, phase, how):
    monkeypatch.setattr(PHASES[phase], how)
    result = ibgn("fit", takes, "-o", "model.ibgn", "--method", "DBN")
    assert (result.returncode, result.stdout, result.stderr) == (130, "", STOPPED)


def test_what_is_half_written_is_removed(ibgn, takes, tmp_path, monkeypatch):
    def half(frame, file, **_):
        file.write("half")
        raise KeyboardInterrupt

    monkeypatch.setattr("pandas.DataFrame.to_csv", half)
    assert ibgn("convert", takes, "out.csv").stderr == STOPPED
    assert [path.name for path in tmp_path.iterdir()] == ["takes.csv"]


def test_a_comparison_says_that_it_resumes_and_does(ibgn, takes, tmp_path, monkeypatch):
    from ibgn.classifiers.dbn import DBNClassifier

    fit, fitted = DBNClassifier.fit, []

    def stop_at_the_third(self, X, y, **options):
        fitted.append(len(X))
        return interrupt() if len(fitted) == 3 else fit(self, X, y, **options)

    monkeypatch.setattr(DBNClassifier, "fit", stop_at_the_third)
    command = ["evaluate", takes, "-m", "DBN", "-o", "scores.csv"]
    stopped = ibgn(*command)
    assert stopped.returncode == 130
    assert stopped.stderr == "stopped; the same command resumes from scores.csv.journal\n"
    result = ibgn(*command)
    assert (result.returncode, len(fitted)) == (0, 4)  # two were there already
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.csv", "takes.csv"]


def test_a_comparison_without_a_journal_promises_nothing(ibgn, takes, monkeypatch):
    monkeypatch.setattr("ibgn.classifiers.dbn.DBNClassifier.fit", interrupt)
    assert ibgn("evaluate", takes, "-m", "DBN").stderr == STOPPED
    assert ibgn("evaluate", takes, "-m", "DBN", "-o", "none.csv").stderr == STOPPED


def test_what_is_written_already_needs_force(ibgn, takes, monkeypatch):
    command = ["evaluate", takes, "-m", "DBN", "-o", "scores.csv", "--report", "page.html"]
    with monkeypatch.context() as patch:
        patch.setattr("ibgn.report.find", interrupt)
        result = ibgn(*command)
    assert "stopped; the same command with --force resumes from scores.csv.journal" in result.stderr
    assert ibgn(*command).returncode == 2
    monkeypatch.setattr("ibgn.classifiers.dbn.DBNClassifier.fit", interrupt)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibgn.report.find", lambda *_, **__: sys.exit(3))  # no fold is learned again
        assert ibgn(*command, "--force").returncode == 3


LOST = """
import os, signal, time
from ibgn.cli.interruption import Interruption

class Careless:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

interruption = Interruption()
try:
    with interruption:
        Careless()
        time.sleep(60)
except KeyboardInterrupt:
    assert interruption.happened
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    time.sleep(0.2)  # in which nothing more comes
    print("interrupted once")
"""


def test_an_interruption_that_python_would_lose_is_repeated():
    run = subprocess.run(
        [sys.executable, "-c", LOST], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (run.returncode, run.stdout) == (0, "interrupted once\n"), run.stderr


def test_a_complete_command_is_not_called_stopped():
    interruption = Interruption()
    interruption.happened = True
    assert interruption.ended(ValueError())
    assert interruption.ended(SystemExit(1))
    assert not interruption.ended(SystemExit(0))
    interruption.happened = False
    assert not interruption.ended(SystemExit(1))


# interrupts itself after some time of computing, which does not depend on how busy the machine is
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), signal.SIGINT))
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))
sys.argv[1:] = sys.argv[2:]
from ibgn.__main__ import main
try:
    main()
finally:
    signal.setitimer(signal.ITIMER_PROF, 0)
"""


def check_stopped(folder, seconds):
    """Stop a command after so many seconds; True if it was complete before."""
    command = [sys.executable, "-c", INTERRUPTED, str(seconds), "convert", "many.csv", "out.csv"]
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if run.returncode == 0:
        (folder / "out.csv").unlink()
        return True
    assert run.returncode == 130, run.stderr
    assert run.stderr in ("stopped\n", STOPPED)
    assert [path.name for path in folder.iterdir()] == ["many.csv"]
    return False


@pytest.fixture
def many(tmp_path):
    rows = (f"{n // 50},tea,a{n % 7},{n % 50},{n % 50 + 3}\n" for n in range(300_000))
    (tmp_path / "many.csv").write_text("instance,label,action,start,end\n" + "".join(rows))
    return tmp_path


@pytest.mark.parametrize("seconds", [0.05, 0.4])
def test_a_real_signal_at_the_begin_and_in_the_work(many, seconds):
    assert not check_stopped(many, seconds)


@pytest.mark.slow
def test_real_signals_at_any_moment(many, rng):
    complete = [check_stopped(many, seconds) for seconds in rng.uniform(0.03, 1.5, 12)]
    assert not all(complete)


HOLDING = """
import sys, time
from pathlib import Path
from ibgn._files import filling, replacing
with replacing(Path(sys.argv[1]) / "a.csv") as one, filling(Path(sys.argv[1]) / "b") as many:
    one.write_text("half")
    (many / "0.eaf").write_text("half")
    print("ready", flush=True)
    time.sleep(600)
"""


def temporaries(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def test_what_a_killed_run_leaves_is_removed_by_the_next(tmp_path):
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    others = [f"{PREFIX}a", f"a{SUFFIX}", ".abcdefgh"]  # not called like ours
    for name in others:
        (tmp_path / name).write_text("of others")
    (tmp_path / f"{PREFIX}link{SUFFIX}").symlink_to(tmp_path / ".abcdefgh")
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for process in processes:
            assert process.stdout.readline() == b"ready\n"
        assert len(temporaries(tmp_path)) == 3 + 4  # of two runs
        processes[0].kill()
        processes[0].wait()
        assert len(temporaries(tmp_path)) == 3 + 4  # which nobody removed yet
        with writing(tmp_path / "c.csv") as file:
            file.write("whole")
        assert len(temporaries(tmp_path)) == 3 + 2  # those of the other run, which lives
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert all((tmp_path / name).read_text() == "of others" for name in others if name[0] == ".")


def test_a_temporary_of_this_process_is_not_taken_for_abandoned(tmp_path):
    code = (
        "import sys, pathlib\nfrom ibgn._temporaries import temporary_file\n"
        "with temporary_file(pathlib.Path(sys.argv[1])): pass"
    )
    with temporary_folder(tmp_path) as folder:
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=SECONDS)
        assert folder.is_dir()
    assert not any(tmp_path.iterdir())


PARENT = """
import os, sys, time
from ibgn.datasets import make_relations
from ibgn.evaluation.evaluate import evaluate
from ibgn.evaluation.folds import make_folds
from ibgn.classifiers import DBNClassifier

class Slow(DBNClassifier):
    def fit(self, X, y):
        open(f"{sys.argv[1]}/{os.getpid()}", "w").close()
        time.sleep(600)

if __name__ == "__main__":
    X, y = make_relations(instances_per_activity=4, random_state=0)
    evaluate(X, y, {"slow": lambda seed: Slow()}, make_folds(X, y, n_splits=2), n_jobs=3)
"""


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="children are read from /proc")
def test_workers_end_soon_after_a_killed_parent(tmp_path):
    """Also the third one, which had nothing to do."""
    program, folder = tmp_path / "slow_parent.py", tmp_path / "workers"
    program.write_text(PARENT)
    folder.mkdir()
    # workers find out by themselves what fails to be pickled here, so the class has a module
    with subprocess.Popen([sys.executable, program, folder]) as parent:
        limit = time.monotonic() + 2 * SECONDS
        while len(list(folder.iterdir())) < 2 and time.monotonic() < limit:
            time.sleep(0.1)
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text()
        workers = [int(number) for number in children.split()]
        assert {int(path.name) for path in folder.iterdir()} < set(workers)
        assert len(workers) >= 3
        assert all(map(is_running, workers))
        parent.kill()
    limit = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < limit:
        time.sleep(0.1)
    left = [worker for worker in workers if is_running(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    assert not left


@pytest.mark.parametrize("entries", [1, 3])
def test_a_damaged_entry_of_a_journal_is_never_believed(tmp_path, rng, entries):
    path = tmp_path / "journal"
    results = {f"key {n}": {"accuracy": n / 7, "labels": ["tea"] * n} for n in range(entries)}
    for key, result in results.items():
        Journal(path).add(key, result)
    whole = path.read_bytes()
    assert Journal(path).results == results
    for place in rng.choice(len(whole) - 1, 100):  # a missing last line end is no damage
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.warns(DataWarning, match="damaged, and computed again"):
            kept = Journal(path).results
        assert len(kept) < entries
        assert kept.items() <= results.items()


def test_a_damaged_journal_is_said_on_the_command_line(ibgn, takes, tmp_path, monkeypatch):
    command = ["evaluate", takes, "-m", "DBN", "-o", "scores.csv"]
    with monkeypatch.context() as patch:
        patch.setattr("ibgn.cli.results.keep", interrupt)
        assert "resumes" in ibgn(*command).stderr
    journal = tmp_path / "scores.csv.journal"
    journal.write_bytes(journal.read_bytes().replace(b'"accuracy": ', b'"accuracy": 1', 1))
    result = ibgn(*command)
    assert result.returncode == 0
    assert "warning: 'scores.csv.journal': 1 result damaged, and computed again" in result.stderr


def test_a_file_that_is_no_journal_is_not_touched(ibgn, takes, tmp_path):
    notes = tmp_path / "scores.csv.journal"
    notes.write_text("dear diary\n")
    result = ibgn("evaluate", takes, "-m", "DBN", "-o", "scores.csv", "--force")
    assert result.returncode == 1
    assert "is no journal, but results in progress would be written there" in result.stderr
    assert notes.read_text() == "dear diary\n"


def test_nothing_is_lost_where_one_run_forgets_and_another_adds(tmp_path):
    path = tmp_path / "journal"

    def add_and_forget():
        for number in range(50):
            journal = Journal(path)
            journal.add(f"brief {number}", {})
            journal.forget()

    forgetful = [threading.Thread(target=add_and_forget) for _ in range(2)]
    for thread in forgetful:
        thread.start()
    journal = Journal(path)
    for number in range(100):
        journal.add(f"kept {number}", {"x": number})
    for thread in forgetful:
        thread.join()
    assert Journal(path).results == {f"kept {n}": {"x": n} for n in range(100)}


@pytest.mark.parametrize("exists", [False, True])
def test_of_two_that_fill_a_folder_one_wins_wholly(tmp_path, exists):
    folder = tmp_path / "out"
    if exists:
        folder.mkdir()

    def fill_both():
        with filling(folder) as late:
            (late / "0_late.eaf").write_text("late")
            with filling(folder) as early:
                (early / "0_early.eaf").write_text("early")
                (early / "1_early.eaf").write_text("early")

    with pytest.raises(DataError, match="another process wrote to the folder .* meanwhile"):
        fill_both()
    assert sorted(path.name for path in folder.iterdir()) == ["0_early.eaf", "1_early.eaf"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


WRITING = """
import sys
from ibgn._files import writing
for number in range(200):
    with writing(sys.argv[1]) as file:
        for line in range(100):
            file.write(f"{sys.argv[2]} {number}\\n")
"""


def test_of_two_that_write_a_file_one_wins_wholly(tmp_path):
    path = tmp_path / "out.csv"
    command = [sys.executable, "-c", WRITING, str(path)]
    processes = [subprocess.Popen([*command, name]) for name in "ab"]
    versions = set()
    while any(process.poll() is None for process in processes):
        if path.exists():
            lines = path.read_text().splitlines()
            assert len(lines) == 100
            assert len(set(lines)) == 1
            versions.add(lines[0])
    assert [process.wait() for process in processes] == [0, 0]
    assert len(versions) > 1
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
