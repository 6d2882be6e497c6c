"""One file or a folder of them: which files, by which names."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from ibgn._files import COMPRESSIONS, Source, as_path, is_folder, show
from ibgn.errors import DataError, DataWarning
from ibgn.text import count, printable, quote

__all__ = ["find_files"]

MOST_FILES = 1_000_000


def find_files(path: Source, suffixes: Sequence[str]) -> list[tuple[str, Path]]:
    """Files to read, each with the name that its recording goes by, in the order of names.

    A file is taken whatever its suffix. Of a folder, all files with one of these suffixes are,
    also in folders within, whose names are part of theirs; hidden ones are left out. Links to
    folders, which may lead in circles, and to nothing are passed over, with a count.
    """
    root = as_path(path)
    if not is_folder(root):
        return [(root.name, root)]
    visible = [p for p in root.rglob("*") if not _is_hidden(p.relative_to(root))]
    _tell_links(root, [path for path in visible if path.is_symlink() and not path.is_file()])
    found = sorted(_matching(root, visible, suffixes))
    if not found:
        raise DataError(
            f"there are no files {' or '.join('*' + suffix for suffix in suffixes)} in "
            f"{show(path)}; check the folder, or name a file"
        )
    if len(found) > MOST_FILES:
        raise DataError(f"{show(path)} holds more than {MOST_FILES} files; read it in parts")
    return found


def _is_hidden(name: PurePath) -> bool:
    return any(part.startswith(".") for part in name.parts)


def _tell_links(root: Path, links: Sequence[Path]) -> None:
    if links:
        first = quote(min(links).relative_to(root).as_posix())
        warnings.warn(
            f"{printable(root.name)}: passed over {count(len(links), 'link')} to folders or to "
            f"nothing (first: {first}); put there what is to be read, or read it on its own",
            DataWarning,
            stacklevel=3,
        )


def _matching(
    root: Path, paths: Iterable[Path], suffixes: Sequence[str]
) -> Iterable[tuple[str, Path]]:
    for path in paths:
        bare = path.stem if path.suffix.lower() in COMPRESSIONS else path.name
        if bare.lower().endswith(tuple(suffixes)) and path.is_file():
            yield path.relative_to(root).as_posix(), path
