"""Files with tiers that are changed, not made: what is not touched stays as it is.

A format whose files people edit in a tool of their own has a `TierDocument`: ELAN and Praat.
Writing instances `into` such a file changes only the annotations that differ; `add_tier` adds one
tier. Both write a copy.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy.typing as npt

from ibgn._files import InputFile, Source, as_path, is_folder, show
from ibgn._inputs import opening_once
from ibgn.errors import DataError, Option, OptionError
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.export import (
    IN_JSON,
    Known,
    check_known,
    check_writable,
    lay_out,
    tier_names,
    tracks_of,
    write_texts,
)
from ibgn.io.files import find_files
from ibgn.io.head import last_suffix
from ibgn.io.registry import FORMATS, find_format
from ibgn.text import quote

__all__ = [
    "Correction",
    "TierDocument",
    "TierEntry",
    "add_tier",
    "check_copy",
    "document",
    "format_with_tiers",
    "suffix_of",
    "with_tier",
    "write_corrections",
    "write_into",
]


class TierEntry(NamedTuple):
    """An annotation of a document; `key` finds it there again. Times are in seconds."""

    key: Hashable
    tier: str
    value: str
    start: float
    end: float


class TierDocument(Protocol):
    """A file with tiers that can be changed and written; made from an `InputFile`."""

    known: Mapping[str, Any]
    """Instance, label and group, where the file names them."""

    @property
    def tiers(self) -> Sequence[str]:
        """Names of all tiers."""

    def entries(self) -> Iterable[TierEntry]:
        """All annotations that a reader reads, those that others depend on first."""

    def change(self, entry: TierEntry, value: str, start: float, end: float) -> bool:
        """Change an annotation where it is; False where its tier cannot hold that."""

    def delete(self, entry: TierEntry) -> Sequence[Hashable]:
        """Delete an annotation; returns the keys of others that go with it."""

    def accepts(self, tier: str, start: float, end: float) -> bool:
        """Whether there is room on a tier, or no such tier yet."""

    def insert(self, tier: str, value: str, start: float, end: float) -> None:
        """Add an annotation to a tier, which is made if needed."""

    def make(self, tier: str) -> None:
        """Make an empty tier."""

    def remove(self, tier: str) -> None:
        """Remove a tier and its annotations."""

    def describe(self, known: Known) -> None:
        """Let the file name its instance, label and group."""

    def lines(self) -> Iterator[str]:
        """Lines of the changed file."""


Kind = TypeVar("Kind", bound=Callable[..., Any])


def document(format: str) -> Callable[[Kind], Kind]:
    """Register the class of documents of a format."""

    def register(kind: Kind) -> Kind:
        FORMATS.documents[format] = kind
        return kind

    return register


@opening_once()
def add_tier(
    into: Source,
    path: Source,
    tier: str,
    rows: Instance,
    *,
    replace: bool = False,
    format: str | None = None,
) -> None:
    """Write a copy of a file with one more tier; everything else in it stays as it is.

    Parameters
    ----------
    into : file of ELAN or Praat
    path : file to write, another one
    tier : name of the tier; where rows overlap there are more, "name (2)"
    rows : (value, start, end), such as predictions, in seconds
    replace : whether a tier of this name is replaced; otherwise it is refused
    format : of the file, where its content does not tell

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn.io import read_elan, write_elan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> X = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 3, 5)]])
    >>> write_elan(X, folder / "take.eaf")
    >>> add_tier(folder / "take.eaf", folder / "copy.eaf", "predicted", [("tea", 0, 5)])
    >>> read_elan(folder / "copy.eaf")[0].to_lists()
    [[('boil', 0.0, 4.0), ('tea', 0.0, 5.0), ('pour', 3.0, 5.0)]]
    """
    name = format_with_tiers(into, format)
    check_copy(into, path)
    lines = with_tier(InputFile(into), name, tier, rows, replace)
    write_texts({as_path(path).name: lines}, path, suffix_of(name))


def with_tier(
    file: InputFile, format: str, tier: str, rows: Instance, replace: bool
) -> Iterator[str]:
    """Lines of a file with one more tier; options as for `add_tier`."""
    changed: TierDocument = FORMATS.documents[format](file)
    old = list(itertools.takewhile(changed.tiers.__contains__, tier_names(tier, ())))
    if old and not replace:
        raise OptionError(
            "tier",
            tier,
            f"is a tier of {quote(file.name)} already; name another, or replace it with ",
            Option("replace", True),
        )
    for name in old:
        changed.remove(name)
    changed.make(tier)
    for lane in lay_out(rows, set(changed.tiers) - {tier}, [tier] * len(rows)):
        for value, start, end in map(rows.__getitem__, lane.places):
            changed.insert(lane.name, value, start, end)
    return changed.lines()


def format_with_tiers(path: Source, format: str | None = None) -> str:
    """Format of a file or folder, which must be one that has documents."""
    name = find_format(path, format)
    if name not in FORMATS.documents:
        raise DataError(
            f"{show(path)} is of the format {quote(name)}, which has no tiers to write into; "
            f"those that have are {', '.join(map(repr, sorted(FORMATS.documents)))}"
        )
    return name


def check_copy(into: Source, path: Source, is_file: bool = True) -> None:
    """Refuse a copy that is the file itself, or is called like one of another format."""
    source, target = as_path(into), as_path(path)
    if target.exists() and target.samefile(source):
        raise DataError(f"{show(path)} is the file that is copied; name another")
    suffix = last_suffix(source)
    alike = is_folder(source) or is_folder(target) or last_suffix(target) == suffix
    if is_file and not alike:
        raise DataError(f"{show(path)} is a copy of {quote(source.name)}; let it end in {suffix}")


def suffix_of(format: str) -> str:
    """Suffix of the files of a format."""
    return FORMATS[format].suffixes[0]


@opening_once()
def write_into(
    X: IntervalSequences,
    path: Source,
    y: Sequence[Any] | npt.NDArray[Any] | None,
    into: Source,
    format: str,
) -> None:
    """Write instances into copies of the files that they were read from.

    Parameters
    ----------
    X, y : instances and labels; ids are the names of files, or of parts of them, as readers give
        them
    path : a file if `into` is one, otherwise a folder; files have the same names there
    into : file or folder that X was read from
    format : one that has documents

    Of a file that is one instance, annotations that differ are changed, added and deleted on the
    tiers that X has; other tiers stay. A part of a file has no other annotations.
    """
    check_copy(into, path, is_file=len(X) == 1)
    columns = {"instance": X._names()} | check_writable(X, y, IN_JSON)
    files = {name: InputFile(file, name) for name, file in find_files(into, (suffix_of(format),))}
    documents = {name: FORMATS.documents[format](file) for name, file in files.items()}
    names = {str(each.known.get("instance", name)): name for name, each in documents.items()}
    texts: dict[str, Iterable[str]] = {}
    for d, instance in enumerate(columns["instance"]):
        whole, _, part = instance.rpartition("#")
        source = names.get(instance, whole if instance not in names else "")
        if source not in files:
            raise DataError(
                f"instance {quote(instance)} is not one of {show(into)}, which has "
                f"{', '.join(map(quote, sorted(names)[:20]))}; read X from there"
            )
        target = PurePath(source)
        changed = documents[source]
        if instance not in names:  # another part may follow, of the same file
            changed = FORMATS.documents[format](files[source])
            target = target.with_name(f"{target.stem}_{part}{target.suffix}")
        known = {name: values[d] for name, values in columns.items() if values[d] is not None}
        changed.describe(check_known(known, f"instance {quote(instance)}"))
        tracks = tracks_of(X[d]) or [""] * len(X[d].action)
        rows = [
            TierEntry(None, track or value, value, start, end)
            for track, (value, start, end) in zip(tracks, X[d].to_lists()[0], strict=True)
        ]
        _update(changed, rows, whole=instance in names)
        texts[target.as_posix()] = changed.lines()
    write_texts(texts, path, suffix_of(format), in_folder=is_folder(into))


class Correction(NamedTuple):
    """How a part of a file was, as "talk.eaf#2", and how it is to be.

    Rows are (action, start, end, track).
    """

    part: str
    removed: Sequence[tuple[str, float, float, str | None]]
    added: Sequence[tuple[str, float, float, str | None]]
    label: Any


@opening_once()
def write_corrections(
    corrections: Iterable[Correction], path: Source, into: Source, format: str, tier: str
) -> None:
    """Write copies of files of which parts were instances, with these corrected, and nothing else.

    Parameters
    ----------
    corrections : of parts, by the names that readers give them
    path : a file if `into` is one, otherwise a folder; files have the same names there
    into : file or folder that the parts were read from
    format : one that has documents
    tier : the one whose annotations are the parts, and name their activities
    """
    check_copy(into, path)
    by_file: dict[str, list[Correction]] = defaultdict(list)
    for correction in corrections:
        by_file[correction.part.rpartition("#")[0]].append(correction)
    texts: dict[str, Iterable[str]] = {}
    for name, file in find_files(into, (suffix_of(format),)):
        changed: TierDocument = FORMATS.documents[format](InputFile(file, name))
        rows = entries = list(changed.entries())
        parts = sorted(
            (each.start, each.end, n) for n, each in enumerate(entries) if each.tier == tier
        )
        for correction in by_file[name]:
            part = entries[parts[int(correction.part.rpartition("#")[2]) - 1][2]]
            rows = _corrected(rows, part, correction)
        if rows is not entries:
            _update(changed, rows, whole=False)
        texts[name] = changed.lines()
    write_texts(texts, path, suffix_of(format), in_folder=is_folder(into))


def _corrected(rows: list[TierEntry], part: TierEntry, correction: Correction) -> list[TierEntry]:
    """Rows of a file after one of its parts was corrected."""
    if correction.label is None:
        raise DataError(
            f"{quote(correction.part)} has no label, but an annotation on {quote(part.tier)} is "
            "one; give it a label, or save the changes alone"
        )
    place = rows.index(part)
    rows = [*rows[:place], part._replace(value=str(correction.label)), *rows[place + 1 :]]
    for action, start, end, track in correction.removed:
        # of an annotation that reaches beyond the part, the part has a piece
        fits = [
            each
            for each in rows
            if (each.tier, each.value) == (track, action)
            and (max(each.start, part.start), min(each.end, part.end)) == (start, end)
        ]
        if not fits:
            raise DataError(
                f"{quote(correction.part)}: {quote(action)} from {start:g} to {end:g} is no "
                "annotation as it was read; save the changes alone"
            )
        rows.remove(fits[0])
        ends = [(fits[0].start, part.start), (part.end, fits[0].end)]
        rows += [fits[0]._replace(key=None, start=a, end=b) for a, b in ends if a < b]
    added = [
        TierEntry(None, track or value, value, *times) for value, *times, track in correction.added
    ]
    return rows + added


def _update(changed: TierDocument, rows: list[TierEntry], whole: bool) -> None:
    """Change a document so that reading gives these rows, with as few changes as possible."""
    tiers = {row.tier for row in rows}
    old = [
        entry
        for entry in changed.entries()
        # blank and empty annotations are no intervals, and stay
        if not whole or (entry.tier in tiers and entry.value.strip() and entry.start < entry.end)
    ]
    new, settled = rows, []
    for shared in (("tier", "value", "start", "end"), ("tier", "start", "end"), ("tier", "value")):
        pairs, old, new = _match(old, new, shared)
        kept = [changed.change(one, *two[2:]) if len(shared) < 4 else True for one, two in pairs]
        settled += [pair for pair, done in zip(pairs, kept, strict=True) if done]
        old += [one for (one, _), done in zip(pairs, kept, strict=True) if not done]
        new += [two for (_, two), done in zip(pairs, kept, strict=True) if not done]
    lost = {key for entry in old for key in changed.delete(entry)}
    for row in [*new, *(row for entry, row in settled if entry.key in lost)]:
        names = tier_names(row.tier, ())
        tier = next(name for name in names if changed.accepts(name, row.start, row.end))
        changed.insert(tier, *row[2:])


def _match(
    old: list[TierEntry], new: list[TierEntry], shared: tuple[str, ...]
) -> tuple[list[tuple[TierEntry, TierEntry]], list[TierEntry], list[TierEntry]]:
    """Pairs that have these fields in common, in order, and those that are left over."""
    waiting: dict[tuple[Any, ...], list[TierEntry]] = defaultdict(list)
    for row in reversed(new):
        waiting[tuple(getattr(row, name) for name in shared)].append(row)
    pairs, rest = [], []
    for entry in old:
        same = waiting[tuple(getattr(entry, name) for name in shared)]
        if same:
            pairs.append((entry, same.pop()))
        else:
            rest.append(entry)
    return pairs, rest, [row for rows in waiting.values() for row in reversed(rows)]
