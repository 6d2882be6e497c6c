"""Whether a command reads data as a whole or piece by piece."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ibgn.cli.flags import in_flags
from ibgn.cli.options import Reading
from ibgn.cli.output import say
from ibgn.errors import BudgetError, Option, OptionError
from ibgn.text import printable

if TYPE_CHECKING:
    from ibgn.io.scanning import Engine
    from ibgn.sources import InstanceSource

__all__ = ["PieceReading", "read_whole"]

T = TypeVar("T")

TIMES = 4  # the size of files, that reading them as a whole takes at the least

Scanned = Annotated[
    bool | None,
    typer.Option(
        "--scan/--no-scan",
        help="Read Parquet or CSV piece by piece, or as a whole; by default as a whole if memory "
        "holds it. The result is the same.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Leave Parquet to the workers of a Dask cluster, piece by piece: the address of its "
        "scheduler, as tcp://host:8786.",
    ),
]


@dataclass(frozen=True)
class PieceReading(Reading):
    """How a file of intervals is read, by commands that can also read it piece by piece."""

    scanned: Scanned = None
    cluster: Cluster = None

    @property
    def pieces(self) -> bool:
        """Whether flags ask for pieces."""
        return bool(self.scanned) or self.cluster is not None

    def scan(self, path: Path, engine: "Engine" = "local") -> "InstanceSource":
        """A file or folder that is read piece by piece, by the workers if there is a cluster."""
        return super().scan(path, engine if self.cluster is None else "dask")

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Workers of the cluster, if one is given, do what is done piece by piece meanwhile."""
        if self.cluster is None:
            yield
            return
        from ibgn.io.cluster import connected

        with connected(self.cluster):
            yield


def read_whole(
    read: Callable[[], T],
    data: Path,
    reading: PieceReading,
    unfit: Mapping[str, Any],
) -> T | None:
    """What `read` returns, or None if data are to be read piece by piece.

    Parameters
    ----------
    reading : flags; without --scan it depends on the memory that reading as a whole takes
    unfit : options that need all instances at once, with what was given for them
    """
    given = [(name, value) for name, value in unfit.items() if value]
    if reading.pieces:
        by = Option("scanned", True)
        if reading.cluster is not None:
            by = Option("cluster", reading.cluster)
            given += [("scanned", False)] if reading.scanned is False else []
        for name, value in given:
            raise OptionError(name, value, "needs all at once, but ", by, " reads pieces")
        return None
    size, limit = _sizes(data, reading)
    if reading.scanned is False or not size:
        return read()
    try:
        if TIMES * size > limit and not given:
            raise _too_large(data, size, limit)
        return read()
    except BudgetError as error:
        if given:
            parts = "; all of it is needed at once because of ", Option(*given[0])
            raise BudgetError(*error.parts, *parts) from error
        say(f"{in_flags(BudgetError(*error.parts[:1]))}; reading it piece by piece")
        return None


def _sizes(data: Path, reading: Reading) -> tuple[int, int]:
    """Bytes of files that may be read piece by piece, 0 if they may not, and bytes to read into.

    Small files that take very much memory are refused, as few of them are meant to be so.
    """
    from ibgn._files import COMPRESSIONS
    from ibgn.budgets import MOST_TIMES, Budget
    from ibgn.io.registry import FORMATS

    limit = Budget(reading.max_memory).limit
    path, format = reading.find(data)
    files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    packed = any(each.suffix.lower() in COMPRESSIONS for each in files)
    if format.name not in FORMATS.streams or packed or not all(map(Path.is_file, files)):
        return 0, limit
    size = sum(each.stat().st_size for each in files)
    return (size if MOST_TIMES * size >= limit else 0), limit


def _too_large(data: Path, size: int, limit: int) -> BudgetError:
    from ibgn.budgets import show_bytes

    needs = f"needs at least {show_bytes(TIMES * size)} of memory, and {show_bytes(limit)} are"
    return BudgetError(f"{printable(data.name)}: reading it as a whole {needs} allowed")
