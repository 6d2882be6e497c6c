"""Shared by the readers and writers of all formats: errors that name the file, safe writing."""

import bz2
import codecs
import errno
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from ibgn._inputs import is_changed, open_input, opening_once, size_of
from ibgn._locks import holding
from ibgn._signatures import LONGEST_SIGNATURE, recognise
from ibgn._temporaries import is_temporary, temporary_file, temporary_folder
from ibgn.budgets import Allowance, Budget, MeteredStream, show_bytes
from ibgn.errors import DataError
from ibgn.text import printable, quote

Source = str | os.PathLike[str]

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
COMPRESSIONS = tuple(OPENERS)
# how gzip, bzip2, xz and zstandard files begin
COMPRESSED = re.compile(rb"\x1f\x8b|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd")
UP_TO_THREE = bytes(range(0xF0))  # in UTF-8, of which characters of up to three bytes are made
CHUNK = 1 << 20  # bytes that are read at once
LINE = 500  # bytes that a line takes with what is made of it, beside its text


class Tally(NamedTuple):
    """Bytes of a file, how many a character of its text takes in memory, and counts of marks."""

    size: int
    width: int
    counts: Mapping[str, int]


class InputFile:
    """A file to read: its bytes or text, from their start as often as asked.

    Parameters
    ----------
    path : file; what can be read only once, such as a pipe, is kept in memory
    name : what its recording is called, by default the name of the file; in a folder that is
        read, the path from there
    budget : how much reading may take, where its reader has an option for that

    Notes
    -----
    `prefix` begins every message about the file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tea.notes"
    >>> _ = path.write_text("boil 0 4")
    >>> file = InputFile(path)
    >>> file.name, file.lines()
    ('tea.notes', ['boil 0 4'])
    """

    def __init__(self, path: Source, name: str | None = None, budget: Budget | None = None) -> None:
        self.path = as_path(path)
        self.name = self.path.name if name is None else name
        self.prefix = f"{printable(self.path.name)}: "
        self._budget = budget
        self._content: bytes | None = None
        self._tally: Tally | None = None

    @cached_property
    def allowance(self) -> Allowance:
        """What reading the file may take."""
        self._packed().close()  # so that the size of what comes through a pipe is known
        budget = self._budget or Budget()
        return budget.of(self.size, self.prefix, has_option=self._budget is not None)

    @property
    def size(self) -> int:
        """Bytes of the file as it is, or of what came through a pipe so far."""
        return size_of(self.path) if self.path.is_file() else len(self._content or b"")

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the file, decompressed where its suffix says so; refuses what holds no data."""
        with opening_once(), self._stream() as stream:
            beginning = stream.read(LONGEST_SIGNATURE)
            if not beginning:
                raise DataError(f"{self.prefix}the file is empty; export or download it again")
            other = recognise(beginning)
            if other is not None:
                raise DataError(f"{self.prefix}the file is {other.what}; {other.advice}")
            if COMPRESSED.match(beginning):
                raise DataError(
                    f"{self.prefix}the file is compressed, but its name does not say how; "
                    f"decompress it first, or rename it if it is one of {', '.join(COMPRESSIONS)}"
                )
            stream.seek(0)
            yield stream
            if is_changed(self.path):
                raise DataError(
                    f"{self.prefix}the file was changed while it was read; read it again, or a copy"
                )

    def tally(self, marks: str = "") -> Tally:
        """Count the bytes, decompressed, and marks among them, without keeping the bytes.

        What a reader will make of a file can be estimated by that before anything is made.
        """
        if self._tally is None or not set(marks) <= self._tally.counts.keys():
            self._tally = self._count(marks)
        return self._tally

    def _count(self, marks: str) -> Tally:
        size, width, counts = 0, 1, dict.fromkeys(marks, 0)
        with self.open() as stream:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if width < 4 and not chunk.isascii():
                    width = 4 if chunk.translate(None, UP_TO_THREE) else 2
                for mark in filter(str.isascii, marks) if chunk.isascii() else marks:
                    counts[mark] += chunk.count(mark.encode())
        return Tally(size, width, counts)

    def expect(self, costs: Mapping[str, int], what: str) -> None:
        """Refuse the file before it is parsed, if what is made of it would take too much memory.

        Parameters
        ----------
        costs : bytes that are made of each of these marks, beside copies of the text, about
        what : is made, for the message
        """
        tally = self.tally("".join(costs))
        made = sum(cost * tally.counts[mark] for mark, cost in costs.items())
        self.allowance.need((1 + 3 * tally.width) * tally.size + made, what)

    def content(self) -> bytes:
        """All bytes of the file, within its allowance."""
        self.allowance.need(self.tally().size, "its content")
        return self._read()

    def _read(self) -> bytes:
        with self.open() as stream:
            return stream.read(self.tally().size)

    def text(self) -> str:
        """Whole text of the file: UTF-8 with or without byte order mark, or UTF-16 with one."""
        tally = self.tally()
        self.allowance.need((1 + tally.width) * tally.size, "its text")
        content = self._read()
        try:
            return content.decode(encoding_of(content))
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.prefix}the text is not UTF-8: {printable(error, 200)}; save it as UTF-8"
            ) from error

    def lines(self, each: int = LINE) -> list[str]:
        """Lines of the text, without line ends and without empty lines at the end.

        Parameters
        ----------
        each : bytes that a line takes with what is made of it, about
        """
        self.expect({"\n": each}, "what its lines become")
        text = self.text()
        # by line feeds only: str.splitlines also cuts at marks that labels may hold
        return text.replace("\r\n", "\n").rstrip().split("\n") if text.strip() else []

    def _stream(self) -> io.BufferedReader:
        opener = OPENERS.get(self.path.suffix.lower())
        packed = self._packed()
        if opener is None:
            return io.BufferedReader(MeteredStream(packed, self.allowance), CHUNK >> 4)
        unpacked = opener(packed, "rb")
        return io.BufferedReader(MeteredStream(unpacked, self.allowance, packed), CHUNK >> 4)

    def _packed(self) -> Any:
        if self.path.is_file():
            return open_input(self.path)
        if self._content is None:
            largest = (self._budget or Budget()).limit
            with self.path.open("rb") as stream:
                self._content = stream.read(largest + 1)
            if len(self._content) > largest:
                raise DataError(
                    f"{self.prefix}more than {show_bytes(largest)} come through the pipe; save "
                    "them as a file and read that"
                )
        return io.BytesIO(self._content)


def encoding_of(content: bytes) -> str:
    """UTF-8, or UTF-16 where the byte order mark at the beginning says so."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if wide else "utf-8-sig"


def as_path(path: Source) -> Path:
    """Path of a file; refuses anything that cannot be one."""
    if not isinstance(path, str | os.PathLike):
        raise DataError(f"the name of a file is needed, got {type(path).__name__}")
    if "\0" in str(path):
        raise DataError(f"{show(path)} holds a NUL character, which no name of a file can")
    return Path(path)


def is_folder(path: Source) -> bool:
    """Whether it is a folder; a path that is too long to check is not."""
    try:
        return as_path(path).is_dir()
    except OSError:  # a name that is too long
        return False


def show(path: Source) -> str:
    """Show a path in a message, whole where that is possible."""
    return quote(path, longest=300)


def is_same_file(path: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, by name, by link, or in another spelling."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder, by name or by link, or to a file that is linked there."""
    if not folder.is_dir():
        return False
    files = (file for file in folder.rglob("*") if file.is_file())
    inside = folder.resolve() in path.resolve().parents
    return inside or (path.is_file() and any(is_same_file(path, file) for file in files))


@contextmanager
def reading(path: Source) -> Iterator[InputFile]:
    """Turn errors of a file into ones that name it."""
    file = InputFile(path)
    with naming_errors(lambda: file):
        yield file


@contextmanager
def naming_errors(current: Callable[[], InputFile]) -> Iterator[None]:
    """Turn errors of files into ones that name the current file."""
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"there is no file {show(current().path)}; check the path") from error
    except IsADirectoryError as error:
        raise DataError(f"{show(current().path)} is a folder; name a file") from error
    except PermissionError as error:
        raise DataError(f"{show(current().path)} may not be read; check its permissions") from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:  # a damaged compressed file
        reason = printable(error, longest=300)
        raise DataError(f"{current().prefix}could not be read: {reason}") from error


@contextmanager
def replacing(path: Source) -> Iterator[Path]:
    """Yield a temporary path beside the file, which replaces the file if all goes well."""
    try:
        target = _find_target(path)
        with temporary_file(target.parent) as temporary:
            yield temporary
            temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
            temporary.replace(target)
    except OSError as error:  # its own text names the temporary file
        raise DataError(
            f"{show(path)} could not be written: {error.strerror or type(error).__name__}; "
            "check the path, the permissions of its folder and the space on the disk"
        ) from error


@contextmanager
def filling(folder: Source) -> Iterator[Path]:
    """Yield a temporary folder, whose files go to the folder once all of them are written.

    The folder is made with its parents if needed, and files of the same names are replaced. If
    anything goes wrong on the way, the folder stays as it was, or absent; so it does where another
    process wrote to it meanwhile, as files of both would be mixed.
    """
    target = as_path(folder)
    try:
        there = next(each for each in (target, *target.resolve().parents) if each.is_dir())
        before = _names_in(target)
        with temporary_folder(there) as outer:
            temporary = outer / "files"
            temporary.mkdir()
            yield temporary
            _move(temporary, target, before)
    except OSError as error:  # its own text names the temporary folder
        raise DataError(
            f"the folder {show(folder)} could not be written: "
            f"{error.strerror or type(error).__name__}; check the path, its permissions and the "
            "space on the disk"
        ) from error


def _names_in(folder: Path) -> set[str] | None:
    """Names of all files and folders in a folder, without temporary ones; None where it is not."""
    if not folder.is_dir():
        return None
    return {path.name for path in folder.iterdir() if not is_temporary(path)}


def _move(temporary: Path, target: Path, before: set[str] | None) -> None:
    """Move all files of a folder to another, at once where that does not exist yet."""
    if before is None:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.rename(target)
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
                raise _written_meanwhile(target) from error
            raise
        return
    with holding(target):
        if _names_in(target) != before:
            raise _written_meanwhile(target)
        for file in sorted(temporary.rglob("*")):
            place = target / file.relative_to(temporary)
            if file.is_dir():
                place.mkdir(exist_ok=True)
            else:
                file.replace(place)


def _written_meanwhile(folder: Path) -> DataError:
    return DataError(
        f"another process wrote to the folder {show(folder)} meanwhile, and nothing was changed "
        "there; name another folder"
    )


@contextmanager
def writing(path: Source) -> Iterator[IO[str]]:
    """Open a text file that appears whole or not at all; compressed where its suffix says so."""
    suffix = as_path(path).suffix.lower()
    with replacing(path) as temporary, temporary.open("wb") as raw:
        packed: Any = raw
        if suffix == ".gz":  # no temporary name and no time, so that equal data give equal files
            packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
        elif suffix in OPENERS:
            packed = OPENERS[suffix](raw, "wb")
        with io.TextIOWrapper(packed, encoding="utf-8", newline="") as file:
            yield file


def follow(path: Path) -> Path:
    """Where links lead; a loop of links is an OSError, whatever the version of Python."""
    try:
        target = path.resolve()
        looped = target.is_symlink()  # Python 3.13 leaves a loop as it is
    except RuntimeError:  # and earlier ones raise this
        looped = True
    if looped:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def _find_target(path: Source) -> Path:
    """The file to replace, with links resolved; only a regular file can be replaced."""
    target = follow(as_path(path))
    unresolved = Path(path)  # a pipe behind a link has no path that could be resolved
    if unresolved.is_dir():
        raise DataError(f"{show(path)} is a folder; name a file")
    if unresolved.exists() and not unresolved.is_file():
        raise DataError(f"{show(path)} is a device or a pipe, which is not replaced; name a file")
    if not target.parent.is_dir():
        raise DataError(f"there is no folder {show(target.parent)}; make it first")
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
