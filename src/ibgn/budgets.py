"""How much memory, and time, reading a file or comparing intervals may take.

What is needed is estimated before it is allocated, and refused where it is more than the machine
should give, or out of all proportion to the size of the file. One number raises the limits: the
option `max_memory` of readers, `--max-memory` of commands, or the environment variable
IBGN_MAX_MEMORY, which also holds for whatever has no option of its own.
"""

import io
import os
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ibgn.errors import BudgetError, Option, OptionError, Part

__all__ = [
    "VARIABLE",
    "Allowance",
    "Budget",
    "MeteredStream",
    "PieceBudget",
    "as_bytes",
    "check_memory",
    "show_bytes",
]

VARIABLE = "IBGN_MAX_MEMORY"
SHARE = 4  # one part of so many of the memory of the machine
SMALL = 1 << 29  # bytes that any file may take, however small
MOST_TIMES = 500  # its own size: XML unpacks to thirty times that, and a tree takes ten times more
UNKNOWN_MACHINE = 8 << 30  # bytes of a machine that does not say
SECONDS = 60.0  # that any file may take
SPEED = 4 << 20  # bytes of memory that a reader fills in a second, on a slow machine
SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
AMOUNT = re.compile(r"\s*+([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*+([KMGT]?)(?:i?B)?\s*+", re.IGNORECASE)
LIMITS = (  # that a container sets, by either version of control groups
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


@dataclass(frozen=True)
class Budget:
    """How much reading files may take.

    Parameters
    ----------
    max_memory : memory that reading may take, in bytes or as text such as "8G"; by default a
        quarter of what the machine has, and for a small file 512 MB or 500 times its size. Time is
        limited in proportion: a minute, and a second for each 4 MB

    Examples
    --------
    >>> Budget("2G").limit
    2147483648
    >>> Budget("2G").of(4000, "tea.csv: ").need(1 << 20, "its text")
    >>> Budget("1M").of(4000, "tea.csv: ").need(1 << 21, "its text")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ibgn.errors.BudgetError: tea.csv: its text needs about 2 MB of memory, and 1 MB are allowed; ...
    """

    max_memory: int | str | None = None

    def __post_init__(self) -> None:
        as_bytes("max_memory", self.max_memory)

    @property
    def limit(self) -> int:
        """Bytes that may be taken in all."""
        given = as_bytes("max_memory", self.max_memory)
        return _default() if given is None else given

    def of(self, size: int, prefix: str = "", has_option: bool = True) -> "Allowance":
        """What a file of this size may take; `prefix` begins messages."""
        limit, is_raised = self.limit, self.max_memory is not None or VARIABLE in os.environ
        most = limit if is_raised else min(limit, max(SMALL, MOST_TIMES * size))
        return Allowance(most, most < limit, size, prefix, has_option)


class Allowance:
    """What reading a file may take, from now on.

    Parameters
    ----------
    memory : bytes
    is_for_size : whether the size of the file sets this limit
    size : of the file, in bytes
    prefix : begins messages
    has_option : whether the reader has the option `max_memory`
    """

    def __init__(
        self, memory: int, is_for_size: bool, size: int, prefix: str, has_option: bool
    ) -> None:
        self.memory, self.size, self.prefix = memory, size, prefix
        self.seconds = SECONDS + memory / SPEED
        self._allowed = f"and {show_bytes(memory)} are allowed"
        if is_for_size:
            self._allowed += f" for a file of {show_bytes(size)}"
        self._has_option = has_option
        self._begin = time.monotonic()

    def need(self, memory: float, what: str) -> None:
        """Refuse what needs more than is allowed.

        Parameters
        ----------
        memory : bytes that are needed, about
        what : needs them, such as "the text"
        """
        if memory > self.memory:
            needs = f"{what} needs about {show_bytes(memory)} of memory, {self._allowed}"
            raise BudgetError(f"{self.prefix}{needs}", *self._advice(memory))

    def check_time(self) -> None:
        """Refuse to go on when the time is over."""
        if time.monotonic() - self._begin > self.seconds:
            took = f"reading takes longer than {self.seconds:.0f} seconds, which are allowed"
            raise BudgetError(f"{self.prefix}{took}", *self._advice(2 * self.memory))

    def unpack(self, size: int) -> None:
        """Refuse content of more than so many bytes."""
        self.need(size, "its content, unpacked,")

    def _advice(self, memory: float) -> tuple[Part, ...]:
        enough = propose(memory)
        option = Option("max_memory", enough) if self._has_option else f"{VARIABLE}={enough}"
        return "; cut it into parts, or if it is meant to be so allow more with ", option


@dataclass(frozen=True)
class PieceBudget(Budget):
    """How much each piece of files may take that are read piece by piece, however long they are.

    Examples
    --------
    >>> allowance = PieceBudget("1M").of(4000)
    >>> allowance.unpack(1 << 40)  # is not kept
    """

    def of(self, size: int, prefix: str = "", has_option: bool = True) -> "Allowance":
        """What a piece of a file may take."""
        return PieceAllowance(self.limit, False, size, prefix, has_option)


class PieceAllowance(Allowance):
    """What reading a piece may take: the whole may take as long as it does."""

    def check_time(self) -> None:
        """Go on."""

    def unpack(self, size: int) -> None:
        """Go on, as only a piece of it is kept."""


class MeteredStream(io.RawIOBase):
    """A stream that ends in an error where reading takes too long, or unpacks too much.

    Parameters
    ----------
    stream : the bytes
    allowance : what reading them may take
    packed : the file that the stream unpacks, if it does
    """

    def __init__(self, stream: Any, allowance: Allowance, packed: Any = None) -> None:
        self._stream, self._allowance, self._packed = stream, allowance, packed

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, while memory and time last."""
        self._allowance.check_time()
        number: int = self._stream.readinto(buffer)
        if self._packed is not None:
            self._allowance.unpack(self._stream.tell())
        return number

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        place: int = self._stream.seek(offset, whence)
        return place

    def close(self) -> None:
        """Close the stream, and the file that it unpacks."""
        super().close()
        self._stream.close()
        if self._packed is not None:
            self._packed.close()


def check_memory(memory: float, what: str, *advice: Part) -> None:
    """Refuse what needs more memory than is allowed, before it is allocated.

    Parameters
    ----------
    memory : bytes that are needed, about
    what : needs them, such as "comparing all pairs of intervals of instance 'a'"
    advice : what to do, such as "cut it into shorter instances"
    """
    limit = _default()
    if memory > limit:
        raise BudgetError(
            f"{what} needs about {show_bytes(memory)} of memory, and {show_bytes(limit)} are "
            f"allowed of {show_bytes(_machine())} that there are; ",
            *advice,
            f", or allow more with {VARIABLE}={propose(memory)} in the environment",
        )


def as_bytes(option: str, value: Any) -> int | None:
    """Number of bytes of an option; None where it is None.

    Examples
    --------
    >>> as_bytes("max_memory", "1.5G"), as_bytes("max_memory", 4096)
    (1610612736, 4096)
    """
    if value is None:
        return None
    match = AMOUNT.fullmatch(str(value))
    if isinstance(value, bool) or not isinstance(value, int | str) or match is None:
        raise OptionError(option, value, "must be a number of bytes, or text such as '8G'")
    amount = round(float(match[1]) * SIZES[match[2].upper()])
    if amount <= 0:
        raise OptionError(option, value, "must be positive")
    return amount


def show_bytes(number: float) -> str:
    """Number of bytes for people, such as "1.5 GB".

    Examples
    --------
    >>> show_bytes(4000), show_bytes(3 << 29)
    ('3.91 KB', '1.5 GB')
    """
    unit = next((unit for unit in "TGMK" if number >= SIZES[unit]), "")
    return f"{number / SIZES[unit]:.3g} {unit}B" if unit else f"{number:.0f} bytes"


def propose(memory: float) -> str:
    """An amount that is enough, as an option takes it."""
    unit = "G" if memory >= SIZES["G"] else "M"
    return f"{int(1.1 * memory / SIZES[unit]) + 1}{unit}"


def _default() -> int:
    given = os.environ.get(VARIABLE)
    return as_bytes(VARIABLE, given) or _machine() // SHARE


@cache
def _machine() -> int:
    """Memory of the machine, or of the container, in bytes."""
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, OSError, ValueError):  # not on Windows
        sizes = [UNKNOWN_MACHINE]
    for path in LIMITS:
        try:
            sizes.append(int(path.read_text()))
        except (OSError, ValueError):  # there is none, or "max"
            continue
    return max(min(size for size in sizes if size > 0), SMALL)
