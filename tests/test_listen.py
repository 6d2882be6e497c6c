"""`ibgn listen`: what it writes, and that nothing is lost or repeated, whatever happens."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from benchmarks import stream

import ibgn
from forked import PATIENCE, Forked
from ibgn.datasets import sample_path
from ibgn.live.checkpoint import Checkpoint
from ibgn.live.output import Output
from model_files import leaves
from terminals import IN_TESTS


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    X, y = ibgn.read(sample_path("csv"))
    path = tmp_path_factory.mktemp("models") / "model.ibgn"
    model = ibgn.IBGNClassifier(random_state=0).fit(X, y)
    model.save(path)
    live = ibgn.LiveRecogniser(model)  # compiles what copies of this process use
    for start, action in enumerate(X.actions):
        live.start(action, start)
        live.end(action, start + 0.5)
    live.restore(live.state())
    live.finish()
    return path


@pytest.fixture
def launch(tmp_path, model_file):
    """Run the command in a copy of this process."""
    place = SimpleNamespace(inside=tmp_path)
    (tmp_path / "model.ibgn").write_bytes(model_file.read_bytes())
    running = []

    def run(words):
        running.append(Forked(place, words))
        return running[-1]

    yield run
    for process in running:
        process.kill()


@pytest.fixture
def trial(tmp_path, launch, monkeypatch):
    """Two minutes of three streams, read in small pieces, with faults."""
    for module in ("files", "sockets"):
        monkeypatch.setattr(f"ibgn.live.feeds.{module}.CHUNK", 300)
    monkeypatch.setattr("ibgn.live.feeds.mqtt.AT_ONCE", 5)
    flush = Output.flush

    def flush_slowly(self):
        flush(self)
        time.sleep(0.005)  # so that kills come half-way, however fast the machine

    monkeypatch.setattr(Output, "flush", flush_slowly)
    X, _ = ibgn.read(sample_path("csv"))
    planted = stream.plant_faults(stream.make_events(X, 120.0, 3, seed=0), seed=1)
    expected = stream.undisturbed(tmp_path, planted, launch)
    assert expected.count(b"\n") > 100
    return stream.Trial(tmp_path, planted, expected, launch, kills=4)


def test_a_file_with_damaged_lines_and_kills(trial):
    found = stream.run_file(trial)
    assert found["same"]
    assert found["kills"]


def test_a_socket_with_damaged_lines_and_kills(trial):
    found = stream.run_socket(trial)
    assert found["same"]
    assert found["kills"]


def test_a_broker_with_damaged_lines_kills_and_restarts(trial, broker):
    found = stream.run_mqtt(trial, broker)
    assert found["same"]
    assert found["kills"]


def test_control_a_run_that_forgets_is_noticed(trial, monkeypatch):
    monkeypatch.setattr("ibgn.live.service.Service.restore", lambda *_: None)
    # a kill may come when all is done, or before anything is kept; hardly twenty times
    seeds = range(20)
    assert any(not stream.run_file(trial._replace(seed=seed))["same"] for seed in seeds)


def test_a_stream_that_is_restored_after_any_event_says_the_same(model_file):
    """Also where one action starts when another ends, and ends when a checkpoint is made."""
    X, _ = ibgn.read(sample_path("csv"))
    live, copies = ibgn.LiveRecogniser(ibgn.load(model_file)), []
    for event in stream.make_events(X, 120.0, 1, seed=0):
        copies = [copy for copy in [live, *copies] if copy.take(event) is None]
        if event.kind == "finish":
            copies = []
            continue
        expected, *others = [copy.posterior() for copy in copies]
        assert all(other == expected for other in others)
        copies = [*copies[1:], live.another()]
        copies[-1].restore(json.loads(json.dumps(live.state())))


BOIL = [
    {"kind": "start", "time": 0, "action": "fill kettle"},
    {"kind": "end", "time": 4, "action": "fill kettle"},
    {"kind": "finish", "time": 5},
]


def lines_of(*events):
    return "".join(
        f"{event if isinstance(event, str) else json.dumps(event)}\n" for event in events
    )


@pytest.fixture
def listen(ibgn, launch, tmp_path):
    """Run the command on a file of events; returns what it did, and the lines it wrote."""

    def run(*words, events=None):
        if events is not None:
            (tmp_path / "events.jsonl").write_text(lines_of(*events))
        done = ibgn("listen", "model.ibgn", "events.jsonl", *words)
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_what_a_line_says(listen, model_file):
    done, lines = listen(events=BOIL)
    assert done.returncode == 0
    assert done.stderr == "took 3 events of 1 stream; wrote 2 lines\n"
    assert [line["kind"] for line in lines] == ["change", "end"]
    assert [line["line"] for line in lines] == [1, 2]
    last = lines[-1]
    assert list(last) == [
        "line",
        "instance",
        "kind",
        "time",
        "activity",
        "probability",
        "posterior",
    ]
    model = ibgn.load(model_file)
    expected = model.predict_proba([[("fill kettle", 0, 4)]])[0]
    assert list(last["posterior"].values()) == pytest.approx(expected, rel=1e-9)
    assert last["probability"] == last["posterior"][last["activity"]]


@pytest.mark.parametrize(("report", "kinds"), [("event", "event event end"), ("end", "end")])
def test_how_much_is_reported(listen, report, kinds):
    done, lines = listen("--report", report, events=BOIL)
    assert done.returncode == 0
    assert [line["kind"] for line in lines] == kinds.split()


def test_bad_events_are_counted_with_a_reason_and_stop_nothing(listen):
    bad = ["damaged", '{"kind": "start"}', *BOIL[1:2], "", "\x00" * 10, "[" * 10_000]
    events = [BOIL[0], BOIL[0], *bad, {"kind": "start", "time": -1, "action": "pour"}, *BOIL[1:]]
    done, lines = listen(events=events)
    assert lines == listen(events=BOIL)[1]
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert said[0].startswith("duplicate: line 2: the start of 'fill kettle' at 0 has come before")
    assert "malformed: line 3: the line is not valid JSON: 'damaged'" in said
    assert "malformed: line 4: the event has no 'action', which 'start' needs" in said
    assert said[-1] == (
        "took 3 events of 1 stream, 2 duplicate, 1 late, 4 malformed; wrote 2 lines"
    )


def test_random_lines_stop_nothing(listen, tmp_path, rng):
    good = lines_of(*BOIL).encode().splitlines()
    noise = [rng.bytes(int(size)) for size in rng.integers(0, 200, 300)]
    noise += [line[: rng.integers(len(line))] for line in good * 20]
    (tmp_path / "events.jsonl").write_bytes(b"\n".join([*noise, *good]))
    done, lines = listen()
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) < 10
    assert lines == listen(events=BOIL)[1]


def test_what_cannot_be_is_counted_too(listen):
    done, lines = listen(
        events=[{"kind": "end", "time": 1, "action": "pour", "stream": "a\x1b[0m"}]
    )
    assert lines == []
    assert done.stderr.splitlines() == [
        "impossible: stream 'a\\x1b[0m': 'pour' ends at 1, but has not started",
        "took 1 event of 1 stream, 1 impossible; wrote 0 lines",
    ]


def test_actions_that_the_model_does_not_know_are_named_once_and_counted(listen):
    strange = [{**event, "action": "Fill_Kettle"} for event in BOIL[:2]]
    again = [{**event, "time": event["time"] + 10} for event in strange]
    done, _ = listen(events=[*strange, BOIL[2], *again])
    assert done.stderr.splitlines()[:2] == [
        "unknown: the model does not know the action 'Fill_Kettle' and ignores it; it knows "
        "'fill kettle'",
        "took 5 events of 1 stream, 2 unknown; wrote 3 lines",
    ]


@pytest.mark.parametrize("finished", [True, False])
def test_times_in_another_unit_are_noticed(listen, finished):
    actions = ["fill kettle", "hold kettle", "pour"] * 4
    events = [
        {"kind": kind, "time": 4000 * n + late, "action": action}
        for n, action in enumerate(actions)
        for kind, late in (("start", 0), ("end", 3500))
    ]
    end = [{"kind": "finish", "time": 1e5}] * finished
    done, _ = listen(events=[*events, *end])
    assert done.stderr.startswith("rescaled: intervals are about ")
    assert "times longer than those of the same actions in training; give times in" in done.stderr
    seconds = [{**event, "time": event["time"] / 1000} for event in events]
    assert "rescaled" not in listen(events=[*seconds, *end])[0].stderr


def test_what_is_no_list_of_events_is_noticed(listen):
    done, _ = listen(events=["instance,label,action,start,end", "ann 1,tea,pour,0,4"])
    assert done.stderr.splitlines() == [
        "malformed: line 1: the line is not valid JSON: 'instance,label,action,start,end'; "
        'an event looks like {"kind": "start", "time": 3.5, "action": "pour"}',
        "malformed: line 2: the line is not valid JSON: 'ann 1,tea,pour,0,4'",
        "took 0 events of 0 streams, 2 malformed; wrote 0 lines",
        "warning: no line is an event; `ibgn predict` recognises recordings, such as CSV files",
    ]


def test_instances_that_did_not_end_are_noticed(listen):
    said = "1 instance did not end; send a finish event after each, or set --pause"
    assert said in listen(events=BOIL[:2])[0].stderr
    assert said not in listen(events=BOIL)[0].stderr
    assert said not in listen("--checkpoint", "kept", events=BOIL[:2])[0].stderr


def test_unknown_activities_are_rejected_at_the_end(listen, model_file):
    words = ("--report", "end", "--unknown", "reject", "--false-alarm")
    _, [line] = listen(*words, "0.9", events=BOIL)
    model = ibgn.load(model_file)
    assert line["p_value"] == model.p_values([[("fill kettle", 0, 4)]])[0]
    assert line["activity"] is line["probability"] is None
    assert sum(line["posterior"].values()) == pytest.approx(1, rel=1e-9)
    _, [line] = listen(*words, "0.01", events=BOIL)
    assert line["activity"] == max(line["posterior"], key=line["posterior"].get)
    assert "p_value" not in listen(events=BOIL)[1][-1]


def test_a_clock_that_leaps_does_not_make_all_others_late(listen):
    wrong = {"kind": "start", "time": 1e6, "action": "pour"}
    done, lines = listen("--leap", "60", events=[BOIL[0], wrong, *BOIL[1:]])
    assert "late" not in done.stderr
    assert lines[:2] == listen(events=BOIL)[1]  # it comes last, as nothing says that it is wrong
    assert [line["time"] for line in lines[2:]] == [1e6]


def test_a_decision_is_said_once_per_instance(listen, monkeypatch):
    """Also if the run was interrupted after it."""
    monkeypatch.setattr(
        ibgn.LiveRecogniser,
        "decide",
        lambda live, error: "tea" if live.timeline.number and live.timeline.now >= 4 else None,
    )
    words = ("--error", "0.1", "--report", "end", "--checkpoint", "kept")
    kinds = []
    later = [{**event, "time": event["time"] + 10} for event in BOIL]
    for number in (2, 3, 6):
        kinds += [line["kind"] for line in listen(*words, events=[*BOIL, *later][:number])[1]]
    assert kinds == ["decision", "end", "decision", "end"]


def test_only_starts_and_ends_lead_to_decisions(listen, monkeypatch):
    """They are what thresholds were learned from: asking more often means more mistakes."""
    asked = []
    monkeypatch.setattr(
        ibgn.LiveRecogniser, "decide", lambda live, error: asked.append(live.timeline.now)
    )
    ticks = [{"kind": "tick", "time": time} for time in (1, 2, 3)]
    rename = {"kind": "rename", "time": 3.5, "action": "fill kettle", "to": "pour"}
    end = {"kind": "end", "time": 4, "action": "pour"}
    listen("--error", "0.1", events=[BOIL[0], *ticks, rename, end, BOIL[2]])
    assert asked[1:] == [0, 4]  # the first is whether the model can decide at all


def test_a_model_that_cannot_decide(listen):
    done, _ = listen("--error", "0.1", events=BOIL)
    assert done.returncode in (1, 2)
    assert "ibgn fit --early" in done.stderr or "learn_decisions" in done.stderr


def test_streams_do_not_disturb_each_other(listen):
    rooms = [{**event, "stream": name} for event in BOIL for name in ("kitchen", "bath")]
    _, lines = listen(events=rooms)
    _, alone = listen(events=BOIL)
    for name in ("kitchen", "bath"):
        own = [line for line in lines if line["stream"] == name]
        strip = [{k: v for k, v in line.items() if k not in ("line", "stream")} for line in own]
        assert strip == [{k: v for k, v in line.items() if k != "line"} for line in alone]


def test_an_instance_ends_after_a_pause(listen):
    more = {"kind": "start", "time": 20, "action": "pour"}
    _, lines = listen("--pause", "10", events=[*BOIL[:2], more])
    assert [(line["kind"], line["instance"], line["time"]) for line in lines] == [
        ("change", 1, 0),
        ("end", 1, 4),
        ("change", 2, 20),
    ]
    assert len(listen("--pause", "17", events=[*BOIL[:2], more])[1]) < 3


def test_a_tick_without_a_stream_is_for_all(listen):
    rooms = [{**event, "stream": name} for event in BOIL[:2] for name in ("kitchen", "bath")]
    words = ("--pause", "10", "--lateness", "3")
    _, lines = listen(*words, events=[*rooms, {"kind": "tick", "time": 40}])
    assert [line["kind"] for line in lines] == ["change", "change", "end", "end"]


def test_it_goes_on_where_it_was(listen, tmp_path):
    kept = ("--checkpoint", "kept", "-o", "out.jsonl", "--report", "event")
    events = [*BOIL, *({**event, "time": event["time"] + 10} for event in BOIL)]
    whole = listen("-o", "whole.jsonl", "--report", "event", events=events)[0]
    assert whole.returncode == 0
    for number in range(len(events) + 1):
        done, _ = listen(*kept, events=events[:number])
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not (tmp_path / "kept.lock").exists()


def test_what_is_written_after_the_checkpoint_is_cut(listen, tmp_path):
    kept = ("--checkpoint", "kept", "-o", "out.jsonl")
    listen(*kept, events=BOIL)
    before = (tmp_path / "out.jsonl").read_bytes()
    (tmp_path / "out.jsonl").write_bytes(before + b'{"line": 3}\n{"li')
    done, _ = listen(*kept)
    assert "resuming after 2 lines of output" in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--checkpoint kept", "was made with output"),
        ("--checkpoint kept -o out.jsonl --lateness 2", "was made with lateness 0.0, not 2.0"),
        ("--checkpoint kept -o out.jsonl --report end", "was made with report"),
        ("--checkpoint kept -o other.jsonl", "does not hold the 2 lines that were written"),
        ("--checkpoint model2.ibgn", "is not a checkpoint of `ibgn listen`; name another file"),
        ("--checkpoint other.jsonl", "is not a checkpoint of `ibgn listen`; name another file"),
        ("--checkpoint damaged -o out.jsonl", "'damaged' is damaged; begin with another"),
        ("--checkpoint newer -o out.jsonl", "is a checkpoint of version 2, and this is 1"),
        ("-o out.jsonl", "exists already; name another, or replace it with --force"),
    ],
)
def test_checkpoints_that_do_not_fit_are_refused(listen, tmp_path, words, message):
    assert listen("--checkpoint", "kept", "-o", "out.jsonl", events=BOIL)[0].returncode == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    kept = (tmp_path / "kept").read_bytes()
    (tmp_path / "other.jsonl").write_bytes(before.replace(b'"line": 2', b'"line": 7'))
    (tmp_path / "model2.ibgn").write_bytes((tmp_path / "model.ibgn").read_bytes())
    (tmp_path / "damaged").write_bytes(kept.replace(b'"clock": 5', b'"clock": 6'))
    (tmp_path / "newer").write_bytes(kept.replace(b'"version": 1', b'"version": 2'))
    done, _ = listen(*words.split())
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert (tmp_path / "kept").read_bytes() == kept


def test_a_file_of_others_is_not_emptied_where_nothing_was_written_before(
    listen, tmp_path, monkeypatch
):
    """A run that is killed before its first line leaves a checkpoint of an empty output."""
    kept = ("--checkpoint", "kept", "-o")
    with monkeypatch.context() as patch:
        patch.setattr("ibgn.live.output.Output.open", Mock(side_effect=KeyboardInterrupt))
        listen(*kept, "out.jsonl", events=BOIL)
    assert (tmp_path / "kept").exists()
    for content in ("precious", '{"line": 2, "x": 1}', "\n"):
        (tmp_path / "precious.csv").write_text(content)
        done, _ = listen(*kept, "precious.csv", events=BOIL)
        assert done.returncode == 1
        assert "does not hold the 0 lines that were written" in done.stderr
        assert (tmp_path / "precious.csv").read_text() == content
    for cut in ("", '{"li', '{"line": 1, "kind": "x"}\n{"lin'):  # the control: it is ours
        (tmp_path / "out.jsonl").write_text(cut)
        (tmp_path / "again").write_bytes((tmp_path / "kept").read_bytes())
        done, _ = listen("--checkpoint", "again", "-o", "out.jsonl", events=BOIL)
        assert done.returncode == 0, done.stderr


def test_checkpoints_with_anything_in_them_are_refused_or_work(listen, tmp_path, rng):
    """Also where the checksum is right, as anyone can make one."""
    kept = ("--checkpoint", "kept", "-o", "out.jsonl")
    assert listen(*kept, events=BOIL)[0].returncode == 0
    good, written = ((tmp_path / name).read_bytes() for name in ("kept", "out.jsonl"))
    bodies = [*forge_head(good), *(forge_any(good, rng) for _ in range(60))]
    refused = 0
    for body in bodies:
        checksum = json.dumps({"sha256": hashlib.sha256(body).hexdigest()}).encode()
        (tmp_path / "kept").write_bytes(body + checksum)
        (tmp_path / "out.jsonl").write_bytes(written)
        done, _ = listen(*kept, events=BOIL)
        assert done.returncode in (0, 1, 2)
        assert "IBGN_DEBUG" not in done.stderr, (done.stderr, body)
        refused += done.returncode != 0
    assert 20 < refused < len(bodies)


ODD = [None, [], {}, "", "5", 0, -5, 0.5, 10**19, [[0, 1]], {"a": 1}, "x" * 3000]


def forge_head(content):
    """Every part of the first line in turn, replaced by everything odd, or missing."""
    head, rest = content.rpartition(b"\n")[0].split(b"\n", 1)
    for part in ("version", "options", "output", "input", "counts"):
        tree = json.loads(head)
        del tree[part]
        yield json.dumps(tree).encode() + b"\n" + rest + b"\n"
        inner = [part] if part == "version" else [part, *tree.get(part, json.loads(head)[part])]
        for name, odd in product(inner, ODD):
            tree = json.loads(head)
            if name == part:
                tree[part] = odd
            else:
                tree[part][name] = odd
            yield json.dumps(tree).encode() + b"\n" + rest + b"\n"


def forge_any(content, rng):
    """One value of any line, replaced by something odd."""
    lines = content.rpartition(b"\n")[0].split(b"\n")
    number = int(rng.integers(len(lines)))
    tree = json.loads(lines[number])
    places = list(leaves(tree))
    *path, last = places[int(rng.integers(len(places)))]
    node = tree
    for key in path:
        node = node[key]
    node[last] = ODD[int(rng.integers(len(ODD)))]
    lines[number] = json.dumps(tree).encode()
    return b"\n".join(lines) + b"\n"


def test_another_model_and_another_file_are_refused(listen, tmp_path):
    kept = ("--checkpoint", "kept", "-o", "out.jsonl")
    assert listen(*kept, events=BOIL)[0].returncode == 0
    assert "not the file that was read before" in listen(*kept, events=BOIL[1:])[0].stderr
    X, y = ibgn.read(sample_path("csv"))
    ibgn.IBGNClassifier(terms=("actions",), random_state=0).fit(X, y).save(tmp_path / "model.ibgn")
    assert "was made with model" in listen(*kept, events=BOIL)[0].stderr


def test_by_force_it_begins_again(listen, tmp_path):
    kept = ("--checkpoint", "kept", "-o", "out.jsonl")
    assert listen(*kept, events=BOIL)[0].returncode == 0
    before = (tmp_path / "out.jsonl").read_bytes()
    done, _ = listen(*kept, "--force", events=[*BOIL[:2], {"kind": "tick", "time": 4.5}, BOIL[2]])
    assert done.returncode == 0
    assert "took 4 events" in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before


def test_every_damage_of_a_checkpoint_is_noticed(listen, tmp_path, rng):
    kept = ("--checkpoint", "kept", "-o", "out.jsonl")
    assert listen(*kept, events=BOIL[:2])[0].returncode == 0
    content = (tmp_path / "kept").read_bytes()
    for n in rng.integers(len(content), size=15).tolist():
        for damaged in (content[:n], content[:n] + b"\x00" + content[n + 1 :]):
            (tmp_path / "kept").write_bytes(damaged)
            done, _ = listen(*kept)
            assert done.returncode in (1, 2), done.stderr
            assert "checkpoint" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--socket 7070", "--socket 7070 is a second source of events; run one command for each"),
        ("--mqtt localhost", "--mqtt localhost is a second source of events"),
        ("--topic home", "--topic home is of a broker, which --mqtt names"),
        ("--every 0", "--every 0.0 must be a positive number of seconds"),
        ("--summary nan", "--summary nan must be a positive number of seconds"),
        ("--lateness -1", "--lateness -1.0 must be 0 or more"),
        ("--leap 0", "--leap 0.0 must be positive"),
        ("--pause 0", "--pause 0.0 must be positive"),
        ("--false-alarm 0.1", "--false-alarm 0.1 is the rate of --unknown reject; give both"),
    ],
)
def test_wrong_use(listen, words, message):
    done, _ = listen(*words.split(), events=BOIL)
    assert done.returncode == 2
    assert message in done.stderr


def test_two_cannot_share_a_checkpoint(listen, launch, tmp_path):
    words = ["listen", "model.ibgn", "--socket", "s", "--checkpoint", "kept", "-o", "out.jsonl"]
    first = launch(words)
    wait_until((tmp_path / "out.jsonl").exists)
    done, _ = listen("--checkpoint", "kept", "-o", "out.jsonl", events=BOIL)
    assert "another process uses" in done.stderr
    first.terminate()
    assert first.wait() == 0


def test_a_file_of_others_is_not_taken_for_a_lock(listen, tmp_path):
    (tmp_path / "kept.lock").write_text("precious")
    done, _ = listen("--checkpoint", "kept", events=BOIL)
    assert "would be used as a lock, but it holds something" in done.stderr
    assert (tmp_path / "kept.lock").read_text() == "precious"


def test_a_file_of_others_that_was_empty_is_not_removed_as_a_lock(tmp_path):
    """Such as one that is followed, to which events are added meanwhile."""
    events = tmp_path / "kept.lock"
    events.touch()
    checkpoint = Checkpoint(tmp_path / "kept", {})
    events.write_text("an event")
    checkpoint.close()
    assert events.read_text() == "an event"


@pytest.mark.parametrize(("host", "warned"), [("", False), ("0.0.0.0:", True)])
def test_who_can_connect_is_said(launch, tmp_path, capfd, host, warned):
    process = launch(["listen", "model.ibgn", "--socket", f"{host}0", "-o", "out.jsonl"])
    wait_until((tmp_path / "out.jsonl").exists)
    process.terminate()
    assert process.wait() == 0
    said = capfd.readouterr().err
    assert f"listening at {host or '127.0.0.1:'}" in said
    assert ("whoever reaches this address can send events" in said) == warned


def wait_until(is_so, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_through_a_pipe(model_file, tmp_path, number):
    process = subprocess.Popen(
        [sys.executable, "-m", "ibgn", "listen", model_file, "--lateness", "1"],
        cwd=tmp_path,
        env=os.environ | IN_TESTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        process.stdin.write(lines_of(*BOIL))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["line"] == 1  # although the pipe is open
        process.send_signal(signal.SIGUSR1)
        asked = "took 3 events of 1 stream, 2 of which wait for others; wrote 1 line\n"
        said = process.stderr.readline()
        while said.startswith("ibgn: compiling"):
            said = process.stderr.readline()
        assert said == asked
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == asked  # what waits is not told, as more could have come
    finally:
        process.kill()
        process.communicate()
