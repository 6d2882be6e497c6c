"""Where events come from: files, sockets, a broker; and what is repeated after a new start."""

import json
import os
import socket
import threading
import time

import pytest

from ibgn.errors import DataError, OptionError
from ibgn.live.feeds import FileFeed, Lines, MqttFeed, SocketFeed
from ibgn.live.feeds.base import LONGEST
from ibgn.live.feeds.mqtt import parse_broker
from ibgn.live.feeds.sockets import Address, _Connection, parse_address

PATIENCE = 15.0  # seconds


def texts(messages):
    return [message.text for message in messages]


def read_until(feed, number):
    """Texts of so many messages."""
    found, end = [], time.monotonic() + PATIENCE
    while len(found) < number and time.monotonic() < end:
        found += texts(feed.read(0.05))
    return found


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_lines_do_not_depend_on_the_pieces_they_come_in(size):
    text = b"one\r\n\ntwo\n" + b"x" * (LONGEST + 50) + b"\nthree\nrest"
    lines = Lines()
    found = [line for n in range(0, len(text), size) for line in lines.cut(text[n : n + size])]
    assert found == [b"one", b"", b"two", b"x" * (LONGEST + 1), b"three"]
    assert lines.unfinished == 4
    assert lines.rest() == b"rest"
    assert lines.unfinished == 0


@pytest.mark.parametrize("after", range(5))
def test_a_file_is_read_on_from_any_position(tmp_path, monkeypatch, after):
    monkeypatch.setattr("ibgn.live.feeds.files.CHUNK", 5)
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"one\ntwo\nthree\nfour")
    feed = FileFeed(path)
    before = [message for _ in range(after) for message in feed.read(0) or []]
    position = json.loads(json.dumps(feed.position()))
    feed.close()
    feed = FileFeed(path)
    feed.resume(position)
    while (messages := feed.read(0)) is not None:
        before += messages
    feed.close()
    assert texts(before) == [b"one", b"two", b"three", b"four"]
    assert [message.place for message in before] == [f"line {n}" for n in range(1, 5)]


def test_another_file_is_not_taken_for_the_one_before(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"one\ntwo\n")
    feed = FileFeed(path)
    feed.read(0)
    position = feed.position()
    feed.close()
    for other in (b"one\nTWO\n", b"one\n"):
        path.write_bytes(other)
        feed = FileFeed(path)
        with pytest.raises(DataError, match="not the file that was read before: its first 8 bytes"):
            feed.resume(position)
        feed.close()


def test_a_file_that_grows_is_followed_and_one_that_shrinks_is_refused(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"one\ntw")
    feed = FileFeed(path, follow=True)
    assert texts(feed.read(0)) == [b"one"]
    assert feed.read(0) == []
    with path.open("ab") as file:
        file.write(b"o\n")
    assert texts(feed.read(0)) == [b"two"]
    path.write_bytes(b"")
    with pytest.raises(DataError, match="was cut while it was read"):
        feed.read(0)
    feed.close()


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        FileFeed(tmp_path / "absent")
    with pytest.raises(DataError, match="is a folder; name a file"):
        FileFeed(tmp_path)


def test_a_pipe_has_no_position(monkeypatch):
    reader, writer = os.pipe()
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        feed = FileFeed(None)
        assert feed.read(0) == []  # nothing has come
        os.write(writer, b"one\ntwo")
        assert texts(feed.read(1)) == [b"one"]
        assert feed.position() is None
        os.close(writer)
        assert texts(feed.read(1)) == [b"two"]
        assert feed.read(1) is None


@pytest.fixture
def feed():
    opened = SocketFeed(parse_address("0"))
    yield opened
    opened.close()


def connect(feed):
    connection = socket.create_connection((feed.address.host, feed.address.port), PATIENCE)
    feed.read(PATIENCE)  # which accepts it
    return connection


def test_programs_are_told_how_many_lines_are_kept(feed):
    with connect(feed) as first, connect(feed) as second:
        first.sendall(b"one\ntwo\nth")
        assert read_until(feed, 2) == [b"one", b"two"]
        second.sendall(b"three\n")
        assert read_until(feed, 1) == [b"three"]
        feed.acknowledge()
        assert json.loads(first.recv(100)) == {"acknowledged": 2}
        assert json.loads(second.recv(100)) == {"acknowledged": 1}
        first.sendall(b"ree")
        first.shutdown(socket.SHUT_WR)  # the last line lacks its end
        assert read_until(feed, 1) == [b"three"]
        feed.acknowledge()
        assert json.loads(first.recv(100)) == {"acknowledged": 3}
        assert first.recv(100) == b""


class Slow:
    """A socket whose other side hardly reads."""

    def __init__(self):
        self.sent, self.room = b"", 0

    def send(self, text):
        if not self.room:
            raise BlockingIOError
        part = text[: self.room]
        self.sent, self.room = self.sent + part, self.room - len(part)
        return len(part)


def test_a_program_that_hardly_reads_is_never_waited_for():
    slow = Slow()
    connection = _Connection(slow, 1)
    for room in (0, 5, 0, 100, 3, 100):
        connection.taken += 10
        slow.room += room
        connection.acknowledge()
    numbers = [json.loads(line)["acknowledged"] for line in slow.sent.splitlines()]
    assert numbers == [10, 50, 60]  # those between are of no use any more


def test_connections_that_break_are_forgotten(feed):
    for _ in range(20):
        connection = connect(feed)
        connection.sendall(b"one\n")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()  # with a reset
        feed.read(0.1)
        feed.acknowledge()
    assert not feed.read(0.01)
    feed.acknowledge()
    assert not feed._connections


def test_programs_that_send_nothing_leave_room_for_others(feed, monkeypatch):
    monkeypatch.setattr("ibgn.live.feeds.sockets.MOST", 3)
    for _ in range(5):  # as a monitor tries whether somebody listens; nothing is ever kept
        connect(feed).close()
        assert feed.read(PATIENCE) == []
    assert not feed._connections
    with connect(feed) as connection:
        connection.sendall(b"one\n")
        assert read_until(feed, 1) == [b"one"]


def test_a_browser_cannot_send_events(feed):
    with connect(feed) as page:
        page.sendall(
            b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n" + b'{"kind": "tick", "time": 1}\n'
        )
        assert read_until(feed, 1) == [b"POST / HTTP/1.1"]
        feed.acknowledge()
        assert feed.read(0.05) == []


def test_a_unix_socket_is_private_and_replaces_one_that_nobody_listens_at(tmp_path):
    path = tmp_path / "ibgn.sock"
    for _ in range(2):
        feed = SocketFeed(Address("", 0, path))
        assert path.stat().st_mode & 0o777 == 0o600
        with pytest.raises(DataError, match="nothing can listen at .*in use"):
            SocketFeed(Address("", 0, path))
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b"one\n")
            assert read_until(feed, 1) == [b"one"]
        path.rename(tmp_path / "left")
        feed.close()
        (tmp_path / "left").rename(path)  # as if it had been killed
    path.unlink()
    path.write_text("precious")
    with pytest.raises(DataError, match="nothing can listen"):
        SocketFeed(Address("", 0, path))
    assert path.read_text() == "precious"


def test_a_port_that_is_taken(feed):
    with pytest.raises(DataError, match=f"nothing can listen at 127.0.0.1:{feed.address.port}"):
        SocketFeed(feed.address)


@pytest.mark.parametrize("text", ["", "70700", "x" * 200])
def test_addresses_that_are_none(text):
    with pytest.raises(OptionError, match="socket="):
        parse_address(text)


@pytest.mark.parametrize(
    "text", ["", "1883", "mqtt://1883", "http://host", "host:port", "mqtt://host/topic", "a:b@host"]
)
def test_brokers_that_are_none(text):
    with pytest.raises(OptionError, match="mqtt=") as refused:
        parse_broker(text)
    assert "a:b" not in str(refused.value)


def publish(broker, *payloads, qos=1):
    from paho.mqtt import publish

    messages = [{"topic": "home/kitchen", "payload": text, "qos": qos} for text in payloads]
    publish.multiple(messages, "127.0.0.1", broker.port)


def subscribe(broker, said, session="listener"):
    return MqttFeed(parse_broker(f"127.0.0.1:{broker.port}"), ["home/#"], session, said.append)


def test_a_broker_repeats_what_was_not_acknowledged(broker):
    said = []
    feed = subscribe(broker, said)
    publish(broker, b"one", b"two\nthree\n")
    assert read_until(feed, 3) == [b"one", b"two", b"three"]
    feed.acknowledge()
    publish(broker, b"four", b"five")
    assert read_until(feed, 2) == [b"four", b"five"]
    feed.close()
    publish(broker, b"six")
    feed = subscribe(broker, said)
    assert read_until(feed, 3) == [b"four", b"five", b"six"]
    feed.acknowledge()
    feed.close()
    feed = subscribe(broker, said)
    assert read_until(feed, 0) == []
    assert feed.read(0.2) == []
    feed.close()
    assert said == []


def test_a_broker_that_is_started_again_goes_on(broker):
    said = []
    feed = subscribe(broker, said)
    publish(broker, b"one")
    assert read_until(feed, 1) == [b"one"]
    broker.stop()
    broker.start()
    publish(broker, b"two")
    found = read_until(feed, 2)
    assert set(found) == {b"one", b"two"}  # the first was not acknowledged, and comes again
    feed.acknowledge()
    feed.close()
    assert [text.split(" with the broker")[0] for text in said] == [
        "the connection",
        "connected again",
    ]


def test_more_than_a_broker_sends_ahead(broker, monkeypatch):
    monkeypatch.setattr("ibgn.live.feeds.mqtt.WAITING", 5)
    feed = subscribe(broker, [], None)
    sent = [b"%d" % number for number in range(300)]
    thread = threading.Thread(target=publish, args=(broker, *sent))
    thread.start()
    assert read_until(feed, 300) == sent
    thread.join()
    feed.close()


def test_more_came_while_we_were_away_than_are_read_without_us(broker, monkeypatch):
    monkeypatch.setattr("ibgn.live.feeds.mqtt.WAITING", 10)
    monkeypatch.setattr("ibgn.live.feeds.mqtt.PATIENCE", 3)
    subscribe(broker, []).close()
    sent = [b"%d" % n for n in range(50)]
    publish(broker, *sent)
    feed = subscribe(broker, [])
    assert read_until(feed, 50) == sent
    feed.close()


def test_unreliable_messages_are_said_once(broker):
    said = []
    feed = subscribe(broker, said)
    publish(broker, b"one", b"two", qos=0)
    assert read_until(feed, 2) == [b"one", b"two"]
    feed.close()
    assert len(said) == 1
    assert "publish with 1" in said[0]


def test_a_broker_that_is_not_there():
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is not installed")
    with pytest.raises(DataError, match="no broker answers at 127.0.0.1:9"):
        MqttFeed(parse_broker("127.0.0.1:9"), ["#"], None, print, starting=0)


def test_a_broker_that_is_just_starting_is_waited_for(broker):
    broker.stop()
    said, later = [], threading.Timer(0.5, broker.start)
    later.start()
    feed = subscribe(broker, said)
    later.join()
    publish(broker, b"one")
    assert read_until(feed, 1) == [b"one"]
    feed.close()
    assert said == [f"no broker answers at 127.0.0.1:{broker.port} yet; trying for 10 seconds"]


@pytest.mark.parametrize("topic", ["a#b", "#/a"])
def test_a_topic_that_is_none(broker, topic):
    with pytest.raises(OptionError, match="topic="):
        MqttFeed(parse_broker(f"127.0.0.1:{broker.port}"), [topic], None, print)


def restart(broker, **changes):
    """Start a broker again with another configuration."""
    broker.stop()
    config = broker._config.read_text()
    for old, new in changes.items():
        config = config.replace(f"anonymous {old}", f"anonymous {new}")
    broker._config.write_text(config)
    broker.start()


def test_a_broker_that_refuses_for_a_while_is_asked_again(broker):
    said = []
    feed = subscribe(broker, said)
    restart(broker, true="false")
    end = time.monotonic() + 30
    while len(said) < 2 and time.monotonic() < end:
        assert feed.read(0.1) == []
    time.sleep(2.5)  # in which it is refused again, and says nothing
    restart(broker, false="true")
    publish(broker, b"one")
    assert read_until(feed, 1) == [b"one"]
    feed.close()
    assert [text.split("127.0.0.1")[0] for text in said] == [
        "the connection with the broker at ",
        "the broker at ",
        "connected again with the broker at ",
    ]
    assert "refuses the connection" in said[1]


def test_a_broker_that_lets_nobody_in(broker):
    restart(broker, true="false")
    with pytest.raises(DataError, match=r"refuses the connection.*IBGN_MQTT_PASSWORD"):
        MqttFeed(parse_broker(f"me@127.0.0.1:{broker.port}"), ["a"], None, print)


def test_without_paho_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "paho.mqtt", None)
    with pytest.raises(ModuleNotFoundError, match=r"ibgn\[mqtt\]"):
        MqttFeed(parse_broker("localhost"), ["#"], None, print)
