"""A stream of an hour with faults planted, and what an undisturbed run on the valid events says.

Run with `python -m benchmarks.stream`. `ibgn listen` is killed ten times with each kind of input,
the broker is restarted, 5 % of the lines are damaged, others come twice or in another order. The
lines that it writes must be those of one run on the valid events alone. It takes a few minutes of
the clock: an hour is the time in the stream.
"""

import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

import ibgn
from benchmarks.brokers import Broker, find_mosquitto
from ibgn.datasets import sample_path
from ibgn.errors import DataError
from ibgn.live.events import Event

HOUR = 3600.0
LATENESS = 5.0
KILLS, RESTARTS = 10, 3
PATIENCE = 600.0  # seconds; only what hangs takes so long
TOPIC = "ibgn/events"

Launch = Callable[[Sequence[str]], Any]  # a command; gives a process as subprocess does


class Planted(NamedTuple):
    """Lines as they arrive, and those of them that are valid, each once and in order."""

    lines: list[bytes]
    valid: list[bytes]


def make_events(X: ibgn.IntervalSequences, length: float, streams: int, seed: int) -> list[Event]:
    """Instances one after the other in several streams, in the order of time."""
    rng = np.random.default_rng(seed)
    instances, events = X.to_lists(), []
    for stream in range(streams):
        now, name = float(rng.uniform(0, 10)), f"room {stream}"
        while now < length:
            rows = instances[rng.integers(len(instances))]
            begin = min(start for _, start, _ in rows)
            for key, (action, start, end) in enumerate(rows):
                for kind, at in (("start", start), ("end", end)):
                    events.append(Event(kind, now + at - begin, action, name, key))
            now += max(end for *_, end in rows) - begin + 1.0
            events.append(Event("finish", now, stream=name))
            now += float(rng.exponential(5.0))
    return sorted(events, key=lambda event: event.place)


def plant_faults(events: list[Event], seed: int, damaged: float = 0.05) -> Planted:
    """Damage some lines, repeat some, and let some come later than others."""
    rng = np.random.default_rng(seed)
    texts = [json.dumps(event.as_json()).encode() for event in events]
    arrival = np.array([event.time for event in events])
    arrival += np.where(rng.random(len(events)) < 0.1, rng.uniform(0, LATENESS / 2, len(events)), 0)
    order = np.argsort(arrival, kind="stable")
    lines: list[bytes] = []
    for n in order:
        hurt = rng.random() < damaged
        lines.append(_damage(texts[n], rng) if hurt else texts[n])
        if not hurt and rng.random() < 0.03:
            lines.append(texts[n])
    valid = dict.fromkeys(line for line in lines if is_valid(line))
    latest = max(Event.parse(line).time for line in valid)  # a damaged one may be far ahead
    last = json.dumps({"kind": "tick", "time": latest + 100}).encode()  # after which none waits
    return Planted([*lines, last], [*valid, last])


def _damage(text: bytes, rng: np.random.Generator) -> bytes:
    """Cut a line, change a byte, or put noise in its place; never two lines."""
    place, kind = int(rng.integers(len(text))), rng.integers(3)
    noise = rng.bytes(1 + len(text) // 2)
    hurt = (text[:place], text[:place] + noise[:1] + text[place + 1 :], noise)[kind]
    return hurt.replace(b"\n", b"?").replace(b"\r", b"?")


def is_valid(line: bytes) -> bool:
    """Whether a line is an event."""
    try:
        Event.parse(line)
    except DataError:
        return False
    return True


def command(folder: Path, *words: str) -> list[str]:
    """`ibgn listen` with a checkpoint that is written often; every event is worth a line."""
    options = f"--checkpoint kept --output out.jsonl --lateness {LATENESS} --every 0.02".split()
    return ["listen", str(folder / "model.ibgn"), *words, *options, "--report", "event"]


def undisturbed(folder: Path, planted: Planted, launch: Launch) -> bytes:
    """What one run writes of the valid events."""
    (folder / "valid.jsonl").write_bytes(b"".join(line + b"\n" for line in planted.valid))
    process = launch(command(folder, "valid.jsonl"))
    if process.wait() != 0:
        raise RuntimeError("the undisturbed run failed")
    written = without_tick((folder / "out.jsonl").read_bytes(), planted)
    clear(folder)
    return written


def without_tick(written: bytes, planted: Planted) -> bytes:
    """Lines about all but the last tick, which goes on only where the input ends.

    Events that lost the name of their stream have that of the topic, where there is one.
    """
    last = Event.parse(planted.valid[-1]).time
    lines = written.replace(f'"stream": "{TOPIC}", '.encode(), b"").splitlines(keepends=True)
    return b"".join(line for line in lines if json.loads(line)["time"] < last)


def clear(folder: Path) -> None:
    """Forget a run."""
    for name in ("kept", "out.jsonl"):
        (folder / name).unlink(missing_ok=True)


class Listener:
    """`ibgn listen`, which is killed and started again."""

    def __init__(self, folder: Path, words: Sequence[str], launch: Launch) -> None:
        self.folder, self.words, self.launch = folder, words, launch
        self.output = folder / "out.jsonl"
        self.kills = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def start(self) -> None:
        """Start it; it goes on with its checkpoint, if there is one."""
        self.process = self.launch(command(self.folder, *self.words))

    def kill(self) -> None:
        """Kill it, unless it was done, and start it again."""
        self.process.kill()
        code = self.process.wait()
        if code not in (0, -signal.SIGKILL):
            raise RuntimeError(f"ended with {code}")
        self.kills += code != 0
        self.start()

    def wait_for(self, size: float) -> None:
        """Wait until the output is so large, or the process is done."""
        end = time.monotonic() + PATIENCE
        while not self.output.exists() or self.output.stat().st_size < size:
            if self.process.poll() is not None:
                return
            if time.monotonic() > end:
                raise TimeoutError("the output does not grow")
            time.sleep(0.001)

    def end(self, expected: bytes) -> bytes:
        """Wait for the whole output, end the process as users do, and read what it wrote.

        A process that was just started may still have to cut off what the one before it wrote and
        did not keep; so it is started again as long as it ends with fewer lines than expected.
        """
        pause, end = 0.1, time.monotonic() + PATIENCE
        while True:
            self.wait_for(len(expected))
            time.sleep(pause)  # in which it could write more than it should
            was_running = self.process.poll() is None
            self.process.terminate()
            code = self.process.wait()
            if code not in (0, -signal.SIGTERM):  # which may come while it is started
                raise RuntimeError(f"ended with {code}")
            written = self.output.read_bytes()
            is_whole = written.count(b"\n") >= expected.count(b"\n")
            if is_whole or not was_running or time.monotonic() > end:
                return written
            pause *= 2
            self.start()


class Trial(NamedTuple):
    """A run with faults: where, on what, and what it should write."""

    folder: Path
    planted: Planted
    expected: bytes
    launch: Launch
    kills: int = KILLS
    seed: int = 0

    def disturb(self, listener: Listener, restart: Callable[[], None] | None = None) -> None:
        """Kill the listener and restart what it listens to, as its output grows."""
        number = self.kills + (RESTARTS if restart else 0)
        rng = np.random.default_rng(self.seed)
        sizes = np.sort(rng.uniform(0.02, 0.95, number)) * len(self.expected)
        restarts = set(rng.permutation(number)[: number - self.kills].tolist())
        for n, size in enumerate(sizes.tolist()):
            listener.wait_for(size)
            if restart is not None and n in restarts:
                restart()
            else:
                listener.kill()

    def verdict(self, listener: Listener) -> dict[str, Any]:
        """Whether the output is what it should be."""
        written = without_tick(listener.end(self.expected), self.planted)
        clear(self.folder)
        return {"kills": listener.kills, "same": written == self.expected}


def run_file(trial: Trial) -> dict[str, Any]:
    """Events in a file."""
    path = trial.folder / "events.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in trial.planted.lines))
    with Listener(trial.folder, [path.name], trial.launch) as listener:
        trial.disturb(listener)
        return trial.verdict(listener)


def run_socket(trial: Trial) -> dict[str, Any]:
    """Events through a Unix socket, sent again as long as they are not acknowledged."""
    path = trial.folder / "events.sock"
    sender = threading.Thread(target=send, args=(str(path), trial.planted.lines), daemon=True)
    with Listener(trial.folder, ["--socket", path.name], trial.launch) as listener:
        sender.start()
        trial.disturb(listener)
        sender.join(PATIENCE)
        return trial.verdict(listener)


def send(path: str, lines: Sequence[bytes]) -> None:
    """Send lines until all are acknowledged, with as many connections as that takes."""
    kept = 0
    while kept < len(lines):
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                first, answers = kept, connection.makefile("rb")
                threading.Thread(
                    target=write, args=(connection, lines[first:]), daemon=True
                ).start()
                while kept < len(lines) and (answer := answers.readline()):
                    kept = first + json.loads(answer)["acknowledged"]
        except (OSError, ValueError):  # it was killed, perhaps in the middle of an answer
            pass
        time.sleep(0.02)


def write(connection: socket.socket, lines: Sequence[bytes]) -> None:
    """Send lines as fast as they are taken, until the other side is gone."""
    with suppress(OSError):
        for line in lines:
            connection.sendall(line + b"\n")


def run_mqtt(trial: Trial, broker: Broker) -> dict[str, Any]:
    """Events through a broker, which is restarted too."""
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    words = ["--mqtt", f"127.0.0.1:{broker.port}", "--topic", TOPIC]
    publisher = Client(CallbackAPIVersion.VERSION2, "publisher", clean_session=False)
    publisher.reconnect_delay_set(1, 1)

    def restart() -> None:
        broker.stop()
        broker.start()

    with Listener(trial.folder, words, trial.launch) as listener:
        listener.wait_for(0)  # it exists as soon as it has subscribed
        publisher.connect("127.0.0.1", broker.port)
        publisher.loop_start()
        for line in trial.planted.lines:
            publisher.publish(TOPIC, line, qos=1)
        try:
            trial.disturb(listener, restart)
            found = trial.verdict(listener)
        finally:
            publisher.disconnect()
            publisher.loop_stop()
    return found | {"restarts": RESTARTS}


def in_processes(folder: Path) -> Launch:
    """Start the command as users do; what it says goes to a file."""

    def launch(words: Sequence[str]) -> subprocess.Popen[bytes]:
        with (folder / "said.txt").open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "ibgn", *words], cwd=folder, stdout=said, stderr=said
            )

    return launch


def main() -> None:
    X, y = ibgn.read(sample_path("csv"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ibgn.IBGNClassifier(random_state=0).fit(X, y).save(folder / "model.ibgn")
        events = make_events(X, HOUR, streams=5, seed=0)
        planted = plant_faults(events, seed=1)
        launch = in_processes(folder)
        expected = undisturbed(folder, planted, launch)
        damaged = sum(not is_valid(line) for line in planted.lines)
        print(
            f"{len(planted.lines)} lines of {len(events)} events within {HOUR:.0f} s in 5 streams, "
            f"{damaged} of them damaged; {len(expected.splitlines())} lines to write"
        )
        trial = Trial(folder, planted, expected, launch)
        print("file", run_file(trial))
        print("socket", run_socket(trial))
        if find_mosquitto() is None:
            print("mqtt: mosquitto is not installed")
            return
        broker = Broker(folder)
        broker.start()
        try:
            print("mqtt", run_mqtt(trial, broker))
        finally:
            broker.stop()


if __name__ == "__main__":
    main()
