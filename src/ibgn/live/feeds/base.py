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
    place : where it stood, for people
    stream : name of the stream, where the event itself names none

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

    Whoever reads a feed keeps `position` together with what became of the messages so far, says
    so with `acknowledge`, and gives it back to `resume` after a new start. A feed repeats what was
    not acknowledged, so that nothing is lost.

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
        """Messages that are there now, or come within so many seconds; None where no more come."""

    def position(self) -> Any:
        """Where to go on after all messages so far, as JSON; None where a sender remembers."""
        return None

    def resume(self, position: Any) -> None:  # noqa: B027, senders repeat by themselves
        """Go on where `position` was."""

    def acknowledge(self) -> None:  # noqa: B027, files are not asked to forget
        """Say that all messages so far are kept, and need not be repeated."""

    def close(self) -> None:  # noqa: B027, nothing may be open
        """Close what is open."""


class Lines:
    """Cuts bytes that come in pieces into lines.

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
        """Lines that are complete with this piece."""
        first, *others = piece.split(b"\n")
        self._add(first)
        lines = []
        for other in others:
            lines.append(self.rest())
            self._add(other)
        return lines

    def rest(self) -> bytes:
        """The line that is not over, as if it were."""
        line = bytes(self._kept)
        self._kept.clear()
        self.unfinished = 0
        return line.removesuffix(b"\r")

    def _add(self, piece: bytes) -> None:
        self.unfinished += len(piece)
        self._kept += piece[: LONGEST + 1 - len(self._kept)]
