"""The benchmark that remembers: what it writes, and that a slowdown does not pass."""

import json
import re
import sys
import time

import pytest
from benchmarks import __main__ as bench
from benchmarks.children import in_child
from benchmarks.page import PAGE, fill
from benchmarks.record import RESULTS, Measured, as_plain, find_falls, slope, write


def work(n):
    return sum(i * i for i in range(n))


def measure(slowdown=1):
    """Work against a yardstick of the same kind, as parts measure it; slowdown is planted."""
    taken = []
    for repeats in (slowdown, 1):
        begun = time.process_time()
        for _ in range(repeats):
            work(200_000)
        taken.append(time.process_time() - begun)
    return Measured({"work, against itself": taken[1] / taken[0]})


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.json"
    write("quick", {"work": Measured({"work, against itself": 1.0})}, path)
    return path


def test_a_planted_slowdown_fails_the_check_and_equal_speed_passes(results, capsys):
    falls = bench.check({"work": lambda folder: measure(slowdown=4)}, "", results)
    assert len(falls) == 1
    assert falls[0].startswith("work: work, against itself fell to ")
    assert "1 recorded" in falls[0]
    assert bench.check({"work": lambda folder: measure()}, "", results) == []


def test_the_command_ends_with_an_error_where_a_ratio_fell(results, monkeypatch, capsys):
    monkeypatch.setattr(bench, "QUICK", {"startup": lambda folder: Measured({"help": 1.0})})
    write("quick", {"startup": Measured({"help": 2.0})}, results)
    words = ["bench", "--check", "--only", "startup", "--results", str(results)]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="help fell to 50%"):
        bench.main()
    write("quick", {"startup": Measured({"help": 1.4})}, results)
    bench.main()
    assert "no ratio that was compared fell by more than a third" in capsys.readouterr().out


@pytest.mark.parametrize(("now", "falls"), [(0.65, 1), (0.68, 0), (1.0, 0), (5.0, 0)])
def test_more_than_a_third_is_a_fall(now, falls):
    recorded = as_plain({"part": Measured({"a": 1.0, "gone": 1.0})})
    measured = {"part": Measured({"a": now, "new": 0.0}), "other": Measured({"a": 0.0})}
    assert len(find_falls(recorded, measured)) == falls


def test_what_is_not_compared_is_said(results, capsys):
    """A part that measures nothing, as recordings or a package are missing, passes aloud."""
    part = {"work": lambda folder: Measured({"other": 1.0}, notes=["there are no recordings"])}
    assert bench.check(part, "", results) == []
    shown = capsys.readouterr().out
    assert "work: work, against itself was not measured" in shown
    assert "work: other has no record" in shown
    bench.check({"work": lambda folder: Measured({"work, against itself": 1.0})}, "", results)
    assert "not compared" not in capsys.readouterr().out  # the control


def test_a_disturbance_in_one_measurement_is_no_fall(results, capsys):
    ratios = iter([0.1, 0.9])
    part = {"work": lambda folder: Measured({"work, against itself": next(ratios)})}
    assert bench.check(part, "", results) == []


def test_there_must_be_a_record(tmp_path):
    (message,) = bench.check({}, "", tmp_path / "none.json")
    assert "`make bench` writes it" in message


def test_parts_that_were_not_measured_stay_recorded(results):
    points = [{"size": n, "seconds": n / 10, "peak_mb": 1.0} for n in (10, 100)]
    write("quick", {"more": Measured({"a": 2.0}, {"fit": points}, ["a note"])}, results)
    write("full", {"more": Measured({"a": 3.0})}, results)
    whole = json.loads(results.read_text())
    assert whole["quick"]["parts"].keys() == {"work", "more"}
    assert whole["quick"]["parts"]["more"]["curves"]["fit"]["slope"] == 1.0
    assert whole["full"]["parts"]["more"]["ratios"] == {"a": 3.0}
    assert whole["quick"]["machine"]["cores"] >= 1
    assert {"python", "ibgn", "numba"} <= whole["quick"]["versions"].keys()


def test_slopes():
    cubes = [{"size": n, "seconds": n**3.0, "peak_mb": 0.0} for n in (2, 4, 8)]
    assert slope(cubes) == pytest.approx(3, abs=1e-9)


def test_children_return_plain_values():
    assert in_child("benchmarks.record", "versions")["python"].startswith("3.")


def test_the_documentation_shows_what_is_recorded():
    """Each block of the page is of a part that is measured, and as the record has it."""
    page = PAGE.read_text()
    named = re.findall(r"<!-- recorded: (\w+) -->", page)
    assert named
    assert set(named) <= bench.FULL.keys()
    changed = fill(page, dict.fromkeys(named, as_plain({"a": Measured({"b": 2.0})})["a"]))
    assert changed.count("\nb: 2\n") == len(named)  # control: every block is filled
    if not RESULTS.exists():
        pytest.skip("nothing is recorded yet; `make bench` does that")
    assert fill(page, json.loads(RESULTS.read_text())["full"]["parts"]) == page
