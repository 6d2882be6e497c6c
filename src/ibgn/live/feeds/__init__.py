"""Where events come from, line by line: files and pipes, sockets, an MQTT broker."""

from ibgn.live.feeds.base import Feed, Lines, Message
from ibgn.live.feeds.files import FileFeed
from ibgn.live.feeds.mqtt import MqttFeed
from ibgn.live.feeds.sockets import SocketFeed

__all__ = ["Feed", "FileFeed", "Lines", "Message", "MqttFeed", "SocketFeed"]
