"""Events from programs that connect to a socket."""

import os
import selectors
import socket
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ibgn.errors import DataError, OptionError
from ibgn.live.feeds.base import Feed, Lines, Message
from ibgn.text import printable, quote

__all__ = ["Address", "SocketFeed", "parse_address"]

CHUNK = 1 << 16  # bytes that are read at once from a connection
MOST = 1000  # connections at a time
LOOPBACK = "127.0.0.1"
HTTP = b" HTTP/1."  # in the first line of a browser, which any page could send events with
LONGEST_PATH = 100  # bytes of the path of a Unix socket; systems allow 104 or 108


class Address(NamedTuple):
    """Where to listen: a host and a port, or the path of a Unix socket."""

    host: str
    port: int
    path: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine can connect."""
        return self.path is not None or self.host in (LOOPBACK, "localhost", "::1")


def parse_address(text: str) -> Address:
    """Read PORT, HOST:PORT or a path.

    Examples
    --------
    >>> parse_address("7070"), parse_address("0.0.0.0:7070").is_local
    (Address(host='127.0.0.1', port=7070, path=None), False)
    >>> parse_address("run/ibgn.sock").path.name
    'ibgn.sock'
    """
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdecimal():
        if not hasattr(socket, "AF_UNIX") or not 0 < len(os.fsencode(text)) <= LONGEST_PATH:
            reason = "must be a port, a host and a port as 127.0.0.1:7070, or a short path"
            raise OptionError("socket", text, reason)
        return Address("", 0, Path(text))
    if not int(port) < 1 << 16:
        raise OptionError("socket", text, "has a port beyond 65535")
    return Address(host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port))


class SocketFeed(Feed):
    """Lines of all programs that connect to a socket.

    Each is sent a line ``{"acknowledged": n}`` whenever its first n lines are kept. Lines beyond
    that it must send again after it has lost its connection; whatever had arrived before is
    recognised by its id or its content.

    Parameters
    ----------
    address : see `parse_address`; port 0 is any that is free

    Attributes
    ----------
    address : where it listens
    """

    def __init__(self, address: Address) -> None:
        try:
            self._socket = _listen(address)
        except OSError as error:
            reason = printable(error.strerror or error, 200)
            where = quote(address.path) if address.path else f"{address.host}:{address.port}"
            raise DataError(
                f"nothing can listen at {where}: {reason}; name another socket, or end what "
                "listens there"
            ) from error
        host, port = ("", 0) if address.path else self._socket.getsockname()[:2]
        self.address = Address(host, port, address.path)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._connections: dict[int, _Connection] = {}
        self._number = 0

    def read(self, timeout: float) -> list[Message]:
        """Lines that are complete."""
        messages = []
        for key, _ in self._selector.select(timeout):
            connection = self._connections.get(key.fd)
            if connection is None:
                self._accept()
            else:
                messages += connection.read()
                if connection.is_over:
                    self._selector.unregister(connection.socket)
                    self._forget_if_done(connection)
        return messages

    def acknowledge(self) -> None:
        """Tell each program how many of its lines are kept."""
        for connection in list(self._connections.values()):
            connection.acknowledge()
            self._forget_if_done(connection)

    def close(self) -> None:
        """Close all connections, and remove the file of a Unix socket."""
        self._selector.close()
        for connection in self._connections.values():
            connection.socket.close()
        self._socket.close()
        if self.address.path is not None:
            self.address.path.unlink(missing_ok=True)

    def _forget_if_done(self, connection: "_Connection") -> None:
        """Close a connection from which nothing more comes, once it was told about all its lines.

        Programs that only try whether somebody listens would otherwise leave no room for others.
        """
        if connection.is_done:
            del self._connections[connection.socket.fileno()]
            connection.socket.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it may be gone by now
            accepted, _ = self._socket.accept()
            if len(self._connections) >= MOST:
                accepted.close()
                return
            accepted.setblocking(False)
            self._number += 1
            self._connections[accepted.fileno()] = _Connection(accepted, self._number)
            self._selector.register(accepted, selectors.EVENT_READ)


class _Connection:
    """A program that sends lines."""

    def __init__(self, accepted: socket.socket, number: int) -> None:
        self.socket, self.number = accepted, number
        self.lines = Lines()
        self.taken = self.said = 0  # lines that were taken, and the last number it was told
        self.unsent = b""
        self.is_over = False

    @property
    def is_done(self) -> bool:
        """Whether nothing more comes from it, and it was told how many of its lines are kept."""
        return self.is_over and not self.unsent and self.said == self.taken

    def read(self) -> list[Message]:
        try:
            piece = self.socket.recv(CHUNK)
        except BlockingIOError:
            return []
        except OSError:  # the other side is gone
            piece = b""
        lines = self.lines.cut(piece)
        if not piece:
            self.is_over = True
            lines = [self.lines.rest()] if self.lines.unfinished else []
        if not self.taken and lines and HTTP in lines[0]:
            self.is_over, lines = True, lines[:1]
        first = self.taken + 1
        self.taken += len(lines)
        where = f"connection {self.number}"
        return [Message(line, f"{where}, line {n}") for n, line in enumerate(lines, first)]

    def acknowledge(self) -> None:
        """Send the number of lines, or what is left of it; never waits for a slow reader."""
        if not self.unsent and self.said < self.taken:
            self.said = self.taken
            self.unsent = b'{"acknowledged": %d}\n' % self.taken
        try:
            self.unsent = self.unsent[self.socket.send(self.unsent) :] if self.unsent else b""
        except BlockingIOError:
            pass
        except OSError:  # the other side is gone, which reading will tell
            self.unsent, self.said = b"", self.taken


def _listen(address: Address) -> socket.socket:
    """Open the socket; removes the file of one that nobody listens at any more."""
    if address.path is None:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        return socket.create_server((address.host, address.port), family=family)
    opened = socket.socket(socket.AF_UNIX)
    try:
        if address.path.exists() and stat.S_ISSOCK(address.path.stat().st_mode):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(address.path)):
                    address.path.unlink()
        mask = os.umask(0o177)  # only this user may connect
        try:
            opened.bind(str(address.path))
        finally:
            os.umask(mask)
        opened.listen()
    except OSError:
        opened.close()
        raise
    return opened
