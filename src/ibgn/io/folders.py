"""One file or a folder of them: which files, by which names."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ibgn.io.files import COMPRESSIONS, Source, as_path, is_folder, show
from ibgn.messages import DataError

__all__ = ["find_files"]

MOST_FILES = 1_000_000


def find_files(path: Source, suffixes: Sequence[str]) -> list[tuple[str, Path]]:
    """Files to read, each with the name that its recording goes by, in the order of names.

    A file is taken whatever its suffix. Of a folder, all files with one of these suffixes are,
    also in folders within, whose names are part of theirs; hidden ones are left out.
    """
    root = as_path(path)
    if not is_folder(root):
        return [(root.name, root)]
    found = sorted(_matching(root, suffixes))
    if not found:
        raise DataError(
            f"there are no files {' or '.join('*' + suffix for suffix in suffixes)} in "
            f"{show(path)}; check the folder, or name a file"
        )
    if len(found) > MOST_FILES:
        raise DataError(f"{show(path)} holds more than {MOST_FILES} files; read it in parts")
    return found


def _matching(root: Path, suffixes: Sequence[str]) -> Iterable[tuple[str, Path]]:
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if any(part.startswith(".") for part in name.parts) or not path.is_file():
            continue
        bare = path.stem if path.suffix.lower() in COMPRESSIONS else path.name
        if bare.lower().endswith(tuple(suffixes)):
            yield name.as_posix(), path
