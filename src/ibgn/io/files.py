"""Files that a reader takes: one or a folder of them, opened one after the other."""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from ibgn._files import (
    COMPRESSIONS,
    InputFile,
    Source,
    as_path,
    is_folder,
    naming_errors,
    show,
)
from ibgn._inputs import opening_once
from ibgn.budgets import Allowance, Budget
from ibgn.errors import DataError, DataWarning, Option, OptionError, Part
from ibgn.io.choices import Choices
from ibgn.text import count, printable, quote

__all__ = ["ANNOTATION", "Files", "Sources", "find_files", "walk"]

Sources = Source | list[Any] | tuple[Source, ...]

MOST_FILES = 1_000_000
ANNOTATION = 1000  # bytes that one takes on its way to a row
SHOWN = 5  # files or folders that a message lists


class Files:
    """Files of a format, to be read one after the other, and what was chosen for them.

    Parameters
    ----------
    path : file, folder, or a list of these
    suffixes : of the files that are looked for in folders
    choices : how annotations become instances, for readers that need it
    budget : how much reading may take, for readers that have an option for it

    Notes
    -----
    `prefix` begins messages about all of them, and `current` is the file that is being read.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "tea.notes").write_text("boil 0 4")
    >>> [file.name for file in Files(folder, [".notes"])]
    ['tea.notes']
    """

    def __init__(
        self,
        path: Sources,
        suffixes: Sequence[str],
        choices: Choices | None = None,
        budget: Budget | None = None,
    ) -> None:
        many = isinstance(path, list | tuple)
        self.paths: list[Source] = list(path) if isinstance(path, list | tuple) else [path]
        self.choices = Choices() if choices is None else choices
        self.prefix = "" if many else f"{printable(as_path(self.paths[0]).name)}: "
        self._suffixes, self._budget = suffixes, budget
        self.current = InputFile(self.paths[0] if self.paths else ".", budget=budget)
        self._counts: Counter[tuple[Part, ...]] = Counter()
        self._is_inside = False  # a file, and not before the first or behind the last
        self._size = 0  # of the files so far, in bytes

    def __len__(self) -> int:
        return len(self._named_paths)

    def __iter__(self) -> Iterator[InputFile]:
        for name, path in self._named_paths:
            self.current, self._is_inside = InputFile(path, name, self._budget), True
            yield self.current
            self._size += self.current.size
        self._is_inside = False

    @cached_property
    def _named_paths(self) -> list[tuple[str, Path]]:
        return [pair for path in self.paths for pair in find_files(path, self._suffixes)]

    @property
    def allowance(self) -> Allowance:
        """What all files may take that were read so far, and the current one."""
        size = self._size + (self.current.size if self._is_inside else 0)
        return (self._budget or Budget()).of(size, self.prefix, self._budget is not None)

    def collect(self, recordings: Iterable[Any]) -> list[Any]:
        """All recordings, as long as their annotations fit into the memory that is allowed."""
        collected, number = [], 0
        for recording in recordings:
            collected.append(recording)
            number += len(recording.annotations)
            self.allowance.need(ANNOTATION * number, count(number, "annotation"))
        return collected

    def only(self) -> InputFile:
        """The only file, for formats that have all instances in one."""
        if len(self.paths) != 1 or is_folder(self.paths[0]):
            shown = show(self.paths[0]) if len(self.paths) == 1 else f"{len(self.paths)} files"
            raise DataError(f"{shown} is a folder; name a file")
        return self.current

    def leave_out(self, *what: Part, noun: str = "event", number: int = 1) -> None:
        """Count what was left out, changed or suspect, for a warning such as "3 events: dropped".

        `what` follows the number and noun.
        """
        if number:
            self._counts[(noun, *what)] += number

    def parse(self, parse: Callable[["Files"], Any], bad_files: str) -> Any:
        """What a function makes of all files, or of those that it can parse.

        Parameters
        ----------
        parse : takes files
        bad_files : "drop" leaves out those that cannot be parsed on their own, with a count
        """
        if bad_files == "drop" and len(self) > 1:
            self._leave_out_bad_files(parse)
        try:
            with naming_errors(lambda: self.current):
                return parse(self)
        except OptionError:
            raise
        except DataError as error:
            if not self._is_inside or len(self) == 1:
                raise
            advice = (Option("bad_files", "drop"), " leaves the file out")
            raise type(error)(*error.parts, "; ", *advice) from error

    def _leave_out_bad_files(self, parse: Callable[["Files"], Any]) -> None:
        every, bad = self._named_paths, {}
        for named in every:
            self._named_paths = [named]
            try:
                with naming_errors(lambda: self.current):
                    parse(self)
            except OptionError:
                raise
            except DataError as error:
                bad[named] = error
        first = next(iter(bad.values()), DataError())
        if len(bad) == len(every):
            raise DataError(f"{self.prefix}no file can be read; the first: ", *first.parts)
        self._named_paths = [named for named in every if named not in bad]
        self._counts.clear()
        what = (" that cannot be read: left out (first: ", *first.parts, ")")
        self.leave_out(*what, noun="file", number=len(bad))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let errors name the current file, and warn at the end of what was counted."""
        with naming_errors(lambda: self.current), opening_once():
            yield
        for (noun, *what), number in self._counts.items():
            counted = f"{self.prefix}{count(number, str(noun))}"
            warnings.warn(DataWarning(counted, *what), stacklevel=5)


def find_files(path: Source, suffixes: Sequence[str]) -> list[tuple[str, Path]]:
    """Files to read, each with the name of its recording, sorted by name.

    A file is read whatever its suffix. A folder stands for all its files with one of these
    suffixes, including those in subfolders, which become part of their names; hidden files are left
    out. Links to folders, which may be circular, broken links and folders that may not be read are
    skipped with a warning.
    """
    root = as_path(path)
    if not is_folder(root):
        return [(root.name, root)]
    visible, unreadable = walk(root)
    if root in unreadable:
        raise DataError(f"the folder {show(path)} may not be read; check its permissions")
    _warn_of_skipped(root, unreadable, "folder", "that may not be read", "check their permissions")
    links = [path for path in visible if path.is_symlink() and not path.is_file()]
    advice = "copy the files there, or read them separately"
    _warn_of_skipped(root, links, "link", "to folders or to nothing", advice)
    files = []
    for file in visible:
        bare = file.stem if file.suffix.lower() in COMPRESSIONS else file.name
        if bare.lower().endswith(tuple(suffixes)) and file.is_file():
            files.append((file.relative_to(root).as_posix(), file))
    if not files:
        raise DataError(
            f"there are no files {' or '.join('*' + suffix for suffix in suffixes)} in "
            f"{show(path)}; check the folder, or name a file"
        )
    if len(files) > MOST_FILES:
        raise DataError(f"{show(path)} holds more than {MOST_FILES} files; read it in parts")
    return sorted(files)


def walk(root: Path) -> tuple[list[Path], list[Path]]:
    """All in a folder and its subfolders that is not hidden, and the folders that are not readable.

    Links to folders are not followed.
    """
    visible: list[Path] = []
    unreadable: list[Path] = []

    def note(error: OSError) -> None:
        unreadable.append(Path(error.filename))

    for folder, folders, files in os.walk(root, onerror=note):
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = [name for name in files if not name.startswith(".")]
        visible += [Path(folder) / name for name in (*folders, *shown)]
    return visible, unreadable


def _warn_of_skipped(
    root: Path, skipped: Sequence[Path], noun: str, which: str, advice: str
) -> None:
    if skipped:
        names = [quote(each.relative_to(root).as_posix()) for each in sorted(skipped)]
        named = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
        warnings.warn(
            DataWarning(
                f"{printable(root.name)}: skipped {count(len(skipped), noun)} {which} "
                f"({named}); {advice}"
            ),
            stacklevel=3,
        )
