"""Changes on disk: each is there before it holds, so that a crash loses nothing."""

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ibgn._files import show
from ibgn.errors import DataError
from ibgn.evaluation.journal import Journal
from ibgn.explore.collection import Change, Collection, Interval, Look
from ibgn.intervals import IntervalSequences
from ibgn.text import quote

__all__ = ["History"]

DATA = "data"  # key of the entry that says which data were changed


class History:
    """All changes of a collection, in a file beside its data.

    Parameters
    ----------
    path : the file; absent until the first change
    collection : what is changed; it gets the changes that the file has

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "takes.csv.changes"
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4)]])
    >>> first = Collection(X, [None])
    >>> History(path, first).resumed, first.change(0, 0, label="tea").after.label
    (0, 'tea')
    >>> after_a_crash = Collection(X, [None])
    >>> History(path, after_a_crash).resumed, after_a_crash[0].label
    (1, 'tea')
    """

    def __init__(self, path: Path, collection: Collection) -> None:
        self.path = path
        self._journal = Journal(path)
        self._data = fingerprint(collection)
        self.number = 0
        if self._journal.results:
            self._check()
            while (entry := self._journal.get(str(self.number))) is not None:
                collection.repeat(_read_change(entry))
                self.number += 1
        self.resumed = self.number
        collection.note = self.add

    def _check(self) -> None:
        known = self._journal.get(DATA)
        if known is None or known.get("sha256") != self._data:
            raise DataError(
                f"{show(self.path)} has changes of other data, or of this file before it was "
                "changed elsewhere; move it away, or take the data that it belongs to"
            )

    def add(self, change: Change) -> None:
        """Store a change; it is on disk when this returns."""
        if not self.number:
            self._journal.add(DATA, {"sha256": self._data})
        self._journal.add(str(self.number), asdict(change))
        self.number += 1

    def forget(self) -> None:
        """Remove the file, as what it has is saved elsewhere or not needed."""
        self._journal.forget()
        self.number = 0


def fingerprint(collection: Collection) -> str:
    """What tells data from other data: every interval, label and name."""
    X: IntervalSequences = collection.original
    digest = hashlib.sha256()
    for part in (X.offsets, X.action, X.start, X.end):
        digest.update(part.tobytes())
    ids = None if X.ids is None else X.ids.tolist()
    digest.update(repr((X.actions, ids, collection.first_labels.tolist())).encode(errors="replace"))
    return digest.hexdigest()


def _read_change(entry: dict[str, Any]) -> Change:
    try:
        before, after = (_read_look(entry[side]) for side in ("before", "after"))
        return Change(entry["number"], before, after, entry["page"], entry["undoes"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"a change in the file cannot be read: {quote(str(error))}") from error


def _read_look(entry: dict[str, Any]) -> Look:
    intervals = tuple(Interval(*row) for row in entry["intervals"])
    return Look(intervals, entry["label"], entry["version"])
