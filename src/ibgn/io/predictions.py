"""What was recognised as a tier in a copy of the recording that it is about."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

from ibgn._files import InputFile, Source, is_folder, show
from ibgn._inputs import opening_once
from ibgn.errors import DataError, DataWarning
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.export import write_texts
from ibgn.io.files import find_files
from ibgn.io.registry import FORMATS
from ibgn.io.tiers import TierDocument, check_copy, format_with_tiers, suffix_of, with_tier
from ibgn.text import count, quote

__all__ = ["add_activities", "add_predictions"]

TRACK = "track:"

Rows = dict[str, list[tuple[str, float, float]]]  # of each file, by its name


@opening_once()
def add_predictions(
    into: Source,
    path: Source,
    X: IntervalSequences,
    labels: Sequence[Any] | npt.NDArray[Any],
    *,
    tier: str = "predicted",
    replace: bool = False,
    activity: str | None = None,
) -> int:
    """Write predictions as a tier into a copy of a file of ELAN or Praat, or of a folder of them.

    Parameters
    ----------
    into : file, or folder, that has the recordings; it stays as it is
    path : file, or folder, to write
    X : instances. Those of a recording have its name, or that and a number, as readers name them;
        instances of other names go into a single file if they do not overlap.
    labels : (n,) what was predicted
    tier : name of the tier; where predictions overlap there are more, "name (2)"
    replace : whether a tier of this name is replaced; otherwise it is refused
    activity : as X was read, "track:phase": predictions then last as long as the annotations of
        that tier. Otherwise one lasts from the first start to the last end of its instance.

    Returns
    -------
    number : how many predictions were written

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn.io import read_elan, write_elan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> take = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 3, 5)]])
    >>> write_elan(take, folder / "take.eaf")
    >>> X, _ = read_elan(folder / "take.eaf")
    >>> add_predictions(folder / "take.eaf", folder / "copy.eaf", X, ["tea"])
    1
    >>> X, _ = read_elan(folder / "copy.eaf", tracks=["predicted"])
    >>> X.to_lists()
    [[('tea', 0.0, 5.0)]]
    """
    format, files = _files(into, path)
    track = activity.removeprefix(TRACK) if activity and activity.startswith(TRACK) else None
    rows: Rows = {name: [] for name in files}
    spans = {name: _spans(file, format, track) for name, file in files.items()}
    owner = {instance: name for name in files for instance in spans[name]}
    empty = 0
    for instance, each, label in zip(X._names(), X, labels, strict=True):
        name = owner.get(instance) or _only(files, into, instance)
        start, end = spans[name].get(instance) or (None, None)
        if start is None and len(each.action):
            start, end = float(each.start.min()), float(each.end.max())
        if start is None or end is None:
            empty += 1
            continue
        rows[name].append((str(label), start, end))
    if empty:
        text = f"{count(empty, 'instance')} without intervals have no place on a tier"
        warnings.warn(DataWarning(text), stacklevel=2)
    if not set(owner) & set(X._names()):
        _refuse_overlaps(next(iter(rows.values())), into)
    return _write(into, path, format, files, rows, tier, replace)


@opening_once()
def add_activities(
    into: Source,
    path: Source,
    activities: IntervalSequences,
    *,
    tier: str = "activities",
    replace: bool = False,
) -> int:
    """Write activities as a tier into a copy of a file of ELAN or Praat, or of a folder of them.

    Parameters
    ----------
    into : file, or folder, that has the recordings; it stays as it is
    path : file, or folder, to write
    activities : of each recording, as `ibgn.Segmenter.segment` returns them, by its name
    tier : name of the tier
    replace : whether a tier of this name is replaced; otherwise it is refused

    Returns
    -------
    number : how many activities were written

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from ibgn.io import read_elan, write_elan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> day = IntervalSequences.from_lists([[("boil", 0, 4), ("pour", 3, 5)]], ids=["day"])
    >>> write_elan(day, folder / "day.eaf")
    >>> tea = IntervalSequences.from_lists([[("tea", 0, 5)]], ids=["day"])
    >>> add_activities(folder / "day.eaf", folder / "copy.eaf", tea)
    1
    >>> X, _ = read_elan(folder / "copy.eaf", tracks=["activities"])
    >>> X.to_lists()
    [[('tea', 0.0, 5.0)]]
    """
    format, files = _files(into, path)
    owner = {stream: name for name, file in files.items() for stream in _spans(file, format, None)}
    rows: Rows = {name: [] for name in files}
    lists = activities.to_lists()
    for stream, own in zip(activities._names(), lists, strict=True):
        name = owner.get(stream) or _only(files, into, stream)
        rows[name] += own
    if not set(owner) & set(activities._names()):
        _refuse_overlaps(next(iter(rows.values())), into)
    return _write(into, path, format, files, rows, tier, replace)


def _files(into: Source, path: Source) -> tuple[str, dict[str, InputFile]]:
    """Format and files of recordings that can be copied to a path."""
    format = format_with_tiers(into)
    check_copy(into, path)
    found = find_files(into, (suffix_of(format),))
    return format, {name: InputFile(file, name) for name, file in found}


def _write(
    into: Source,
    path: Source,
    format: str,
    files: dict[str, InputFile],
    rows: Rows,
    tier: str,
    replace: bool,
) -> int:
    """Write a copy of all files, each with one more tier; returns how many rows there are."""
    texts: dict[str, Iterable[str]] = {
        name: with_tier(file, format, tier, rows[name], replace) for name, file in files.items()
    }
    write_texts(texts, path, suffix_of(format), in_folder=is_folder(into))
    return sum(map(len, rows.values()))


Spans = dict[str, tuple[float, float] | None]


def _spans(file: InputFile, format: str, track: str | None) -> Spans:
    """Instances of a file by name, with when they are, where the file itself says so."""
    document: TierDocument = FORMATS.documents[format](file)
    spans: Spans = {str(document.known.get("instance", file.name)): None}
    if track is not None:
        named = [(each.start, each.end) for each in document.entries() if each.tier == track]
        spans |= {f"{file.name}#{n}": span for n, span in enumerate(sorted(named), 1)}
    return spans


def _only(files: Iterable[str], into: Source, instance: str) -> str:
    names = list(files)
    if is_folder(into):
        raise DataError(
            f"there is no file of instance {quote(instance)} in {show(into)}, which has "
            f"{', '.join(map(quote, names[:20]))}; read the instances from there"
        )
    return names[0]


def _refuse_overlaps(rows: Instance, into: Source) -> None:
    """Refuse instances that can hardly be of one recording."""
    latest = -float("inf")
    for label, start, end in sorted(rows, key=lambda row: row[1]):
        if start < latest:
            raise DataError(
                f"instances overlap at {start:g} (one of them is {quote(label)}), so they are not "
                f"all of {show(into)}; read the instances from there"
            )
        latest = end
