"""What was corrected, as a file: a copy in the format of the data, or the changes alone."""

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibgn._files import is_inside, is_same_file, replacing, show
from ibgn.errors import DataError
from ibgn.explore.collection import Collection
from ibgn.io import write
from ibgn.io.registry import FORMATS
from ibgn.io.tiers import Correction, write_corrections
from ibgn.text import count, half_character, quote

__all__ = ["Place"]


@dataclass(frozen=True)
class Place:
    """Where data came from, and so where copies go.

    Parameters
    ----------
    source : the file or folder that was read
    format : its format
    tier : the one whose annotations are the instances, where files are cut into these
    others : other files that are read, such as the model, which are never overwritten either
    """

    source: Path
    format: str
    tier: str | None = None
    others: tuple[Path, ...] = ()

    @property
    def copied_as(self) -> str:
        """Format of copies: that of the data, or CSV where it can only be read."""
        return self.format if self.format in FORMATS.writers else "csv"

    @property
    def journal(self) -> Path:
        """File beside the source that has all changes."""
        return self._named.with_name(f"{self._named.name}.changes")

    @property
    def folder(self) -> Path:
        """Where copies are written: beside the source."""
        return self._named.absolute().parent

    @property
    def _named(self) -> Path:
        """The source by a name beside which others can be, as those of . and .. are not."""
        named = self.source if self.source.name not in ("", os.pardir) else self.source.resolve()
        if not named.name:
            raise DataError(
                f"{show(self.source)} has nothing beside it, where changes could be kept; name a "
                "folder within it"
            )
        return named

    def propose(self) -> str:
        """A name for the copy that is free."""
        stem, suffix = self._named.stem, self._named.suffix
        if self.copied_as != self.format:
            suffix = FORMATS[self.copied_as].suffixes[0]
        names = (f"{stem}-corrected{n}{suffix}" for n in ("", *(f"-{k}" for k in range(2, 1000))))
        return next((name for name in names if not (self.folder / name).exists()), "")

    def save(self, collection: Collection, given: Mapping[str, Any]) -> dict[str, Any]:
        """Write a copy, or the changes alone; it is complete or absent.

        An existing file is replaced only if the page says so, and what is read never is.
        """
        name, kind = given.get("name") or self.propose(), given.get("kind", "copy")
        target = self._target(name, bool(given.get("replace")))
        if kind == "changes":
            self._save_changes(collection, target)
        else:
            self._save_copy(collection, target)
        changed = count(len(collection.differing), "changed instance")
        return {"path": str(target), "message": f"wrote {target.name}, with {changed}"}

    def _target(self, name: object, replace: bool) -> Path:
        is_name = isinstance(name, str) and Path(name).name == name and name != os.pardir
        if not isinstance(name, str) or not name or not is_name or "\0" in name:
            raise DataError("name a file, without folders; it is written beside the data")
        wrong = half_character(name)
        if wrong is not None:
            raise DataError(f"the name {wrong}")
        target = self.folder / name
        try:
            exists = os.path.lexists(target)
            used = [path for path in (self.journal, *self.others) if is_same_file(target, path)]
            is_source = is_same_file(target, self.source) or is_inside(target, self.source)
        except OSError as error:  # a name that is too long, a loop of links
            reason = f"{quote(name)} cannot be written ({error.strerror}); take another name"
            raise DataError(reason) from error
        if is_source:
            raise DataError(f"{quote(name)} is the data itself, which is never overwritten")
        if used:
            raise DataError(f"{quote(name)} is read by this page, and is never overwritten")
        if exists and not replace:
            raise DataError(f"{quote(name)} exists; allow to replace it, or take another name")
        return target

    def _save_copy(self, collection: Collection, target: Path) -> None:
        if self.tier is not None and self.format in FORMATS.documents:
            corrections = [_correction(collection, number) for number in collection.differing]
            write_corrections(corrections, target, self.source, self.format, self.tier)
            return
        labels = collection.labels
        y = None if all(label is None for label in labels) else labels
        options: dict[str, Any] = {}
        if self.format in FORMATS.documents:
            options["into"] = self.source  # what is not read stays as it is
        write(collection.sequences, target, y, format=self.copied_as, **options)

    def _save_changes(self, collection: Collection, target: Path) -> None:
        changes = []
        for number in collection.differing:
            before, now = collection.first(number), _correction(collection, number)
            changes.append(
                {
                    "instance": number if collection.original.ids is None else now.part,
                    "label": {"before": before.label, "after": now.label},
                    "removed": [row[:3] for row in now.removed],
                    "added": [row[:3] for row in now.added],
                }
            )
        with replacing(target) as path:
            text = json.dumps(changes, indent=1, ensure_ascii=False, default=str)
            path.write_text(text + "\n", encoding="utf-8")


def _correction(collection: Collection, number: int) -> Correction:
    """How an instance differs from what was read; of equal intervals, as many as there are."""
    before, after = collection.first(number), collection[number]
    old, new = Counter(before.intervals), Counter(after.intervals)
    name = collection.original._names()[number]
    return Correction(name, [*(old - new).elements()], [*(new - old).elements()], after.label)
