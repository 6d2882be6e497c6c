"""Events from a broker of MQTT."""

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from ibgn.errors import DataError, OptionError
from ibgn.live.feeds.base import LONGEST, Feed, Message
from ibgn.text import printable, quote

if TYPE_CHECKING:
    from paho.mqtt.client import Client

__all__ = ["Broker", "MqttFeed", "check_topics", "parse_broker"]

PASSWORD = "IBGN_MQTT_PASSWORD"  # noqa: S105, the name of a variable
PORTS = {"mqtt": 1883, "mqtts": 8883}
AT_ONCE = 1000  # messages that are read together
WAITING = 10_000  # messages that are read from the network before they are asked for
UNACKNOWLEDGED = 65_535  # messages that a broker sends ahead, the most that MQTT can count
FOR_EVER = 0xFFFF_FFFF  # seconds that a broker keeps a session, which MQTT takes for no end
LONGEST_WAIT = 5  # seconds until a connection is tried again
PATIENCE = 30  # seconds within which a broker must answer first
STARTING = 10  # seconds for which a broker may refuse connections because it is just starting
SILENCE = 30  # seconds after which a broker is asked whether it is there


class Broker(NamedTuple):
    """Where a broker is, and who asks."""

    host: str
    port: int
    user: str | None = None
    encrypted: bool = False


def parse_broker(text: str) -> Broker:
    """Read HOST, HOST:PORT, or an address as mqtts://user@host:port.

    Examples
    --------
    >>> parse_broker("localhost")
    Broker(host='localhost', port=1883, user=None, encrypted=False)
    >>> parse_broker("mqtts://me@example.org").port
    8883
    """
    try:
        parts = urlsplit(text if "://" in text else f"mqtt://{text}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise OptionError("mqtt", text, f"is no address: {printable(error)}") from error
    if parts.password is not None:
        hidden = text.replace(f":{parts.password}@", ":...@")
        reason = f"shows a password to everyone; set the variable {PASSWORD} instead"
        raise OptionError("mqtt", hidden, reason)
    if parts.scheme not in PORTS or not host or _has_more(parts):
        raise OptionError("mqtt", text, "must be HOST, HOST:PORT, mqtt://HOST or mqtts://HOST")
    if host.isdecimal():  # which systems take for the address of some machine
        raise OptionError("mqtt", text, "is a number; name the host too, as in localhost:1883")
    return Broker(host, port or PORTS[parts.scheme], parts.username, parts.scheme == "mqtts")


def _has_more(parts: SplitResult) -> bool:
    return bool(parts.path.strip("/") or parts.query or parts.fragment)


def check_topics(topics: Sequence[str]) -> None:
    """Refuse what no broker takes for a topic to subscribe to."""
    for topic in topics:
        levels = topic.split("/")
        is_one = 0 < len(topic.encode("utf-8", "replace")) <= LONGEST and topic.isprintable()
        alone = all(level in ("+", "#") or not {"+", "#"} & set(level) for level in levels)
        if not is_one or not alone or "#" in levels[:-1]:
            reason = "is no topic; + stands for one level of names between /, and # for the rest"
            raise OptionError("topic", topic, reason)


class MqttFeed(Feed):
    """Messages of topics, each of which is one event or several lines of them.

    Events that name no stream belong to the stream that is called like their topic. A message is
    acknowledged to the broker when it is kept, not when it comes; the broker repeats the others
    after either side was started again. While the broker is away, it is tried again and again.

    Parameters
    ----------
    broker : see `parse_broker`; the password of a user is in the variable IBGN_MQTT_PASSWORD
    topics : to subscribe to, with + and # for any
    session : name by which the broker knows us again; None for a session that is forgotten
    say : is given messages for people
    starting : seconds for which to try again if no broker accepts the first connection
    """

    def __init__(
        self,
        broker: Broker,
        topics: Sequence[str],
        session: str | None,
        say: Callable[[str], None],
        starting: float = STARTING,
    ) -> None:
        check_topics(topics)
        self.broker, self.topics, self.session, self.say = broker, list(topics), session, say
        self.where = f"{printable(broker.host)}:{broker.port}"
        self._arrived: queue.Queue[tuple[int, Any]] = queue.Queue(WAITING)
        self._to_acknowledge: list[tuple[int, int]] = []  # connections and numbers of messages
        self._connection = 0  # each has numbers of its own
        self._is_closing = self._is_away = self._said_refused = self._said_unreliable = False
        self._failure: DataError | None = None
        self._has_answered = threading.Event()
        self._client = self._connect(starting)
        if not self._has_answered.wait(PATIENCE):
            self._failure = DataError(f"the broker at {self.where} does not answer; check it")
        if self._failure is not None:
            self.close()
            raise self._failure

    def read(self, timeout: float) -> list[Message]:
        """Messages that have come."""
        messages: list[Message] = []
        if self._failure is not None:
            raise self._failure
        try:
            self._take(self._arrived.get(timeout=timeout), messages)
            while len(messages) < AT_ONCE:
                self._take(self._arrived.get_nowait(), messages)
        except queue.Empty:
            pass
        return messages

    def acknowledge(self) -> None:
        """Let the broker forget what was read."""
        for connection, number in self._to_acknowledge:
            if connection == self._connection:  # others come again, and are acknowledged then
                self._client.ack(number, 1)
        self._to_acknowledge.clear()

    def close(self) -> None:
        """Leave the broker, which keeps the session."""
        self._is_closing = True
        self._client.disconnect()
        self._client.loop_stop()

    def _take(self, arrived: tuple[int, Any], messages: list[Message]) -> None:
        connection, message = arrived
        if message.qos:
            self._to_acknowledge.append((connection, message.mid))
        elif not self._said_unreliable:
            self._said_unreliable = True
            self.say(
                "warning: messages come with a quality of service of 0, so that some may get lost; "
                "publish with 1"
            )
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = "?"
        place = f"topic {quote(topic)}"
        lines = message.payload.split(b"\n")
        messages += [Message(line[: LONGEST + 1], place, topic) for line in lines if line.strip()]

    def _connect(self, starting: float) -> "Client":
        try:
            from paho.mqtt import client as paho
            from paho.mqtt.enums import CallbackAPIVersion
            from paho.mqtt.packettypes import PacketTypes
            from paho.mqtt.properties import Properties
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "MQTT needs paho-mqtt; install it with: pip install 'ibgn[mqtt]'"
            ) from error
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            self.session or "",
            protocol=paho.MQTTv5,
            manual_ack=True,
        )
        if self.broker.user is not None:
            client.username_pw_set(self.broker.user, os.environ.get(PASSWORD))
        if self.broker.encrypted:
            client.tls_set()
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_message, client.on_subscribe = self._on_message, self._on_subscribe
        client.reconnect_delay_set(1, LONGEST_WAIT)
        wishes = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wishes.ReceiveMaximum = UNACKNOWLEDGED
        wishes.SessionExpiryInterval = 0 if self.session is None else FOR_EVER
        self._reach(client, wishes, starting)
        client.loop_start()
        return client

    def _reach(self, client: "Client", wishes: Any, starting: float) -> None:
        """Connect for the first time; a broker that is just starting is tried again."""
        host, port, is_new = self.broker.host, self.broker.port, self.session is None
        end, has_said = time.monotonic() + starting, False
        while True:
            try:
                client.connect(host, port, SILENCE, clean_start=is_new, properties=wishes)
                return
            except (OSError, ValueError) as error:
                if not isinstance(error, ConnectionRefusedError) or time.monotonic() >= end:
                    raise DataError(
                        f"no broker answers at {self.where}: {printable(error, 200)}; start it, or "
                        "check the address"
                    ) from error
            if not has_said:
                self.say(f"no broker answers at {self.where} yet; trying for {starting:g} seconds")
                has_said = True
            time.sleep(0.2)

    # what follows is called by the thread of the network

    def _on_connect(self, client: Any, _: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._refused(client, f"refuses the connection: {printable(reason, 200)}")
            return
        self._connection += 1
        if self._is_away:
            self._is_away = self._said_refused = False
            self.say(f"connected again with the broker at {self.where}")
            if self.session is not None and not flags.session_present:
                self.say(
                    "warning: the broker has forgotten the session, so that events of the time "
                    "between may be missing; let it keep sessions on disk"
                )
        client.subscribe([(topic, 1) for topic in self.topics])

    def _refused(self, client: Any, what: str) -> None:
        """Give up at first; later the broker may just not be ready, and is asked again."""
        advice = f"check the user in its address, and the variable {PASSWORD}"
        if not self._is_away:
            self._fail(f"the broker at {self.where} {what}; {advice}")
            client.disconnect()
        elif not self._said_refused:
            self._said_refused = True
            self.say(f"the broker at {self.where} {what}; trying again; if this goes on, {advice}")

    def _on_subscribe(self, _: Any, __: Any, ___: Any, reasons: Any, properties: Any) -> None:
        for topic, reason in zip(self.topics, reasons, strict=False):
            if reason.is_failure:
                self._fail(
                    f"the broker at {self.where} refuses the topic {quote(topic)}: "
                    f"{printable(reason, 200)}; name another, or let it allow this one"
                )
        self._has_answered.set()

    def _fail(self, sentence: str) -> None:
        self._failure = DataError(sentence)
        self._has_answered.set()

    def _on_disconnect(self, client: Any, _: Any, flags: Any, reason: Any, properties: Any) -> None:
        if not self._is_closing and not self._is_away:
            self._is_away = True
            why = printable(reason, 200)
            self.say(
                f"the connection with the broker at {self.where} is lost ({why}); trying again"
            )

    def _on_message(self, _: Any, __: Any, message: Any) -> None:
        # messages of a session come before the answer, and may be more than are read without us
        self._has_answered.set()
        while not self._is_closing:
            try:
                self._arrived.put((self._connection, message), timeout=1)
                return
            except queue.Full:  # the network waits meanwhile
                continue
