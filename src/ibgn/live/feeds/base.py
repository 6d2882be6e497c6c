"""What all feeds of events have in common."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

__all__ = ["LONGEST", "Feed", "Lines", "Message"]

LONGEST = 1 << 16  # bytes of a message; the rest of a longer one is not kept


class Message(NamedTuple):
    """One line, and where it came from.

    Parameters
    ----------
    text : its bytes, without the end of the line; at most one more than `LONGEST`
    place : where it came from, for messages to people
    stream : name of the stream, if the event itself names none

    Examples
    --------
    >>> Message(b'{"kind": "tick", "time": 1}', "line 7").place
    'line 7'
    """

    text: bytes
    place: str
    stream: str = ""


class Feed(ABC):
    """Messages in the order of their arrival.

    The reader of a feed saves `position` together with the effect of the messages so far, calls
    `acknowledge`, and passes the position to `resume` after a restart. A feed repeats everything
    that was not acknowledged, so that nothing is lost.

    Examples
    --------
    >>> class Ticks(Feed):
    ...     def read(self, timeout):
    ...         return [Message(b'{"kind": "tick", "time": 1}', "the clock")]
    >>> Ticks().read(0)[0].place, Ticks().position()
    ('the clock', None)
    """

    @abstractmethod
    def read(self, timeout: float) -> list[Message] | None:
        """Messages that are there now or arrive within so many seconds; None if no more will."""

    def position(self) -> Any:
        """Where to resume after all messages so far, as JSON; None if the sender remembers."""
        return None

    def resume(self, position: Any) -> None:  # noqa: B027, senders repeat by themselves
        """Resume from a saved `position`."""

    def acknowledge(self) -> None:  # noqa: B027, files are not asked to forget
        """Confirm that all messages so far are safe, and need not be repeated."""

    def close(self) -> None:  # noqa: B027, nothing may be open
        """Close files and connections."""


class Lines:
    """Cuts bytes that arrive in pieces into lines.

    Examples
    --------
    >>> lines = Lines()
    >>> lines.cut(b'{"a": 1}' + bytes([10]) + b'{"b"'), lines.unfinished
    ([b'{"a": 1}'], 4)
    >>> lines.cut(b": 2}"), lines.rest()
    ([], b'{"b": 2}')
    """

    def __init__(self) -> None:
        self._kept = bytearray()  # of the line that is not over, as far as it is kept
        self.unfinished = 0  # how many bytes that line has by now

    def cut(self, piece: bytes) -> list[bytes]:
        """Lines that this piece completes."""
        first, *others = piece.split(b"\n")
        self._add(first)
        lines = []
        for other in others:
            lines.append(self.rest())
            self._add(other)
        return lines

    def rest(self) -> bytes:
        """The unfinished line, as if it were complete."""
        line = bytes(self._kept)
        self._kept.clear()
        self.unfinished = 0
        return line.removesuffix(b"\r")

    def _add(self, piece: bytes) -> None:
        self.unfinished += len(piece)
        self._kept += piece[: LONGEST + 1 - len(self._kept)]
