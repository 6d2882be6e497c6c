"""Real recordings to compare on, in addition to the simulations."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ibgn._files import is_folder
from ibgn.errors import DataError, Option
from ibgn.intervals import IntervalSequences
from ibgn.text import printable, quote

__all__ = ["read_recordings"]

Labelled = tuple[IntervalSequences, Any]


def read_recordings(paths: Sequence[Path], read: Callable[[Path], Labelled]) -> dict[str, Labelled]:
    """Read data sets by the name of their file.

    Parameters
    ----------
    paths : files, or folders of CSV files; each file is a data set
    read : from a file to instances and labels, or None in place of labels
    """
    files: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.csv")) if is_folder(path) else [path]
        if not inside:
            raise DataError(f"there is no .csv file in {quote(path)}; name files")
        files += inside
    recordings: dict[str, Labelled] = {}
    for file in files:
        name = printable(file.stem, longest=300)  # also if it is not Unicode
        if name in recordings:
            raise DataError(f"two recordings are called {quote(name)}; rename one")
        X, y = read(file)
        if y is None:
            raise DataError(
                f"{quote(file)} has no labels; name their column with ", Option("columns")
            )
        recordings[name] = (X, y)
    return recordings
