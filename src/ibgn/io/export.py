"""Instances to files: what must hold so that reading gives them back, and files with tiers.

Tiers, one per action, are what the writers of ELAN and Praat share. Such a file says of itself
which instance it is, and its label and group; the readers believe it.
"""

import datetime
import heapq
import itertools
import json
import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from ibgn._files import COMPRESSIONS, Source, as_path, filling, is_folder, show, writing
from ibgn.columns import as_column
from ibgn.errors import DataError, DataWarning
from ibgn.intervals import Instance, IntervalSequences
from ibgn.io.files import walk
from ibgn.io.longframe import as_objects
from ibgn.io.parsing.json import parse_value
from ibgn.text import count, half_character, printable, quote

__all__ = [
    "Known",
    "Tier",
    "check_known",
    "check_writable",
    "lay_out",
    "parse_known",
    "tier_names",
    "to_json",
    "tracks_of",
    "write_instances",
    "write_texts",
]

Known = Mapping[str, Any]
"""What a file says of itself: instance and, where there are, label and group."""

KNOWN = ("instance", "label", "group")
LONGEST = 40  # characters of an id in the name of its file, of up to four bytes each


# what a cell of each format can hold; bool is an int, a date with a time is a date
IN_JSON = (str, int, float)
IN_TEXT = (*IN_JSON, Decimal, datetime.date, datetime.time, datetime.timedelta)
IN_PARQUET = (*IN_TEXT, bytes)
MAYBE_NAN = (float, Decimal, datetime.datetime)


def check_writable(
    X: IntervalSequences, y: Sequence[Any] | npt.NDArray[Any] | None, held: tuple[type, ...]
) -> dict[str, list[Any]]:
    """Refuse what a reader would refuse, merge or lose.

    Parameters
    ----------
    X, y : instances and labels to write
    held : types that a cell of the format can have

    Returns
    -------
    labels and groups, where there are any, as plain objects by the name of their column
    """
    if not isinstance(X, IntervalSequences):
        raise DataError(f"X must be IntervalSequences, got {type(X).__name__}")
    if len(X) == 0:
        raise DataError("there are no instances, and a file without any cannot be read")
    if X.ids is not None:
        _check_cells("id", list(X.ids), (object,))
        name, times = Counter(map(str, X.ids)).most_common(1)[0]
        if times > 1:
            raise DataError(
                f"{times} instances have the id {quote(name)} and would be read as one; "
                "make ids distinct, as in IntervalSequences.from_lists(X.to_lists(), ids=...)"
            )
    for code in np.unique(X.action):
        _check_text(f"action {code}", X.actions[code])
    for name in set() if X.track is None else set(X.track) - {""}:
        _check_text("a track", name)
    cells = {"label": _plain("y", y, len(X)), "group": _plain("groups", X.groups, len(X))}
    for name, values in cells.items():
        # a label may be missing where others are not, as `unlabelled="keep"` reads them
        some = name == "label" and any(value is not None for value in values or [])
        _check_cells(name, values or [], held, may_miss=some)
        _refuse_merged(name, values or [], held is IN_TEXT)
    return {name: values for name, values in cells.items() if values is not None}


def _plain(name: str, values: Any, instances: int) -> list[Any] | None:
    if values is None:
        return None
    return as_objects(as_column(name, values, instances))


def _check_cells(
    name: str, values: list[Any], held: tuple[type, ...], may_miss: bool = False
) -> None:
    """Refuse values of a column that are missing, blank or of a wrong type; names the instance."""
    for d, value in enumerate(values):
        what = f"the {name} of instance {d}"
        if value is None and may_miss:
            continue
        if value is None or value is pd.NA or (isinstance(value, MAYBE_NAN) and value != value):
            raise DataError(f"{what} is missing; fill it in, or leave all of them out")
        if not isinstance(value, held):
            raise DataError(
                f"{what} is {quote(value)}, of type {type(value).__name__}, which the format "
                "cannot hold; make it text"
            )
        if isinstance(value, str):
            _check_text(what, value)


def _refuse_merged(name: str, values: list[Any], as_text: bool) -> None:
    """Refuse values that a reader would take for one another: 1 and "1" as text, True and 1."""
    kinds = {bool if isinstance(v, bool) else int for v in values if isinstance(v, int | float)}
    if len(kinds) > 1:
        raise DataError(f"some {name}s are True or False, others numbers; make all of them text")
    written: dict[str, Any] = {}
    for value in values if as_text else []:
        other = written.setdefault(str(value), value)
        if isinstance(other, str) != isinstance(value, str):
            raise DataError(
                f"a {name} is {value!r} and another {other!r}, which are written alike and would "
                "be read as one; make them different text"
            )


def _check_text(what: str, text: str) -> None:
    if not text.strip():
        raise DataError(f"{what} is blank; give it a name")
    wrong = half_character(text)
    if wrong is not None:
        raise DataError(f"{what} {wrong}")


class Tier(NamedTuple):
    """Annotations of a track or action that do not overlap: their places in the list, by start."""

    name: str
    places: list[int]


def lay_out(rows: Instance, taken: Container[str] = (), tracks: Sequence[str] = ()) -> list[Tier]:
    """Put intervals on as few tiers as possible without overlap, one track or action per tier.

    Parameters
    ----------
    rows : (action, start, end), in any order
    taken : names that no tier may have
    tracks : names of tiers of the rows; where one is empty, or there are none, the action is it

    A tier has the name of its track or action, with a number if that name is taken.

    Examples
    --------
    >>> for tier in lay_out([("nod", 0, 4), ("nod", 1, 2), ("nod", 4, 6), ("wave", 3, 5)]):
    ...     print(tier.name, tier.places)
    nod [0, 2]
    nod (2) [1]
    wave [3]
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(rows)), key=lambda place: rows[place][1:]):
        by_name[(tracks[place] if tracks else "") or rows[place][0]].append(place)
    tiers = []
    for name in sorted(by_name):
        names = tier_names(name, taken, by_name)
        tiers += [Tier(next(names), lane) for lane in _lanes(rows, by_name[name])]
    return tiers


def tier_names(name: str, taken: Container[str], others: Container[str] = ()) -> Iterator[str]:
    """Endless names for tiers that belong together, none of them taken or that of another."""
    if name not in taken:
        yield name
    for number in itertools.count(2):
        numbered = f"{name} ({number})"
        if numbered not in taken and numbered not in others:
            yield numbered


def _lanes(rows: Instance, places: list[int]) -> list[list[int]]:
    """Distribute intervals, sorted by start, over lanes: each goes to the first free one."""
    lanes: list[list[int]] = []
    busy: list[tuple[float, int]] = []  # until when, and which
    free: list[int] = []
    for place in places:
        _, start, end = rows[place]
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if not free:
            free.append(len(lanes))
            lanes.append([])
        lane = heapq.heappop(free)
        lanes[lane].append(place)
        heapq.heappush(busy, (end, lane))
    return lanes


def write_instances(
    X: IntervalSequences,
    path: Source,
    y: Any,
    suffix: str,
    check: Callable[[Instance, Known, Sequence[str]], None],
    render: Callable[[Instance, Known, Sequence[str]], Iterable[str]],
) -> None:
    """Write one file per instance; if one cannot be written, none is.

    Parameters
    ----------
    X, y : instances and labels to write
    path : a file if there is one instance, unless it is a folder; otherwise a folder, which is
        created if needed. Its files are numbered, so that they are read in this order.
    suffix : of these files
    check, render : refuse an instance, and make the lines of its file
    """
    cells = check_writable(X, y, IN_JSON)
    if X.uncertainty is not None:
        unsure = count(int(X.uncertainty.uncertain.sum()), "interval")
        lost = (
            f"what is not certain about {unsure} is left out; CSV, Parquet and JSON Lines hold it"
        )
        warnings.warn(DataWarning(lost), stacklevel=3)
    columns = {"instance": X._names(), **cells}
    named = [{name: values[d] for name, values in columns.items()} for d in range(len(X))]
    known = [{name: v for name, v in each.items() if v is not None} for each in named]
    texts: dict[str, Iterable[str]] = {}
    for d, file in enumerate(_files(columns["instance"], suffix)):
        rows, tracks = X[d].to_lists()[0], tracks_of(X[d])
        check_known(known[d], f"instance {quote(known[d]['instance'])}")
        check(rows, known[d], tracks)
        texts[file] = render(rows, known[d], tracks)
    write_texts(texts, path, suffix)


def tracks_of(instance: IntervalSequences) -> list[str]:
    """Track of each interval, "" where it is not known; none at all where none is known."""
    return [] if instance.track is None else instance.track.tolist()


def write_texts(
    texts: Mapping[str, Iterable[str]], path: Source, suffix: str, in_folder: bool = False
) -> None:
    """Write text files; a single one may go to a path that is no folder."""
    target = as_path(path)
    if len(texts) == 1 and not (in_folder or is_folder(target)):
        _write_files(target.parent, dict(zip([target.name], texts.values(), strict=True)))
        return
    try:
        _check_folder(target, texts, suffix)
    except OSError as error:
        raise DataError(
            f"{show(path)} cannot be written to: {error.strerror or type(error).__name__}; check "
            "the path and its permissions"
        ) from error
    with filling(target) as folder:
        _write_files(folder, texts)


def _write_files(folder: Path, texts: Mapping[str, Iterable[str]]) -> None:
    for name, lines in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with writing(folder / name) as file:
            file.writelines(f"{line}\n" for line in lines)


def to_json(value: Any) -> str:
    """Write a value as JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _files(names: Sequence[str], suffix: str) -> list[str]:
    """Names of files, of characters that every system takes; the id itself stands in the file."""
    digits = len(str(len(names) - 1))
    safe = (
        "".join(c if c.isalnum() or c in "-_" else "_" for c in name[:LONGEST]) for name in names
    )
    return [f"{d:0{digits}d}_{name}{suffix}" for d, name in enumerate(safe)]


def _check_folder(folder: Path, files: Collection[str], suffix: str) -> None:
    """Refuse a folder that is a file, or holds others that would be read with these."""
    if folder.exists() and not folder.is_dir():
        raise DataError(
            f"{show(folder)} is a file, but {count(len(files), 'instance')} go into a folder, one "
            "file each; name a folder"
        )
    if not folder.parent.is_dir():
        raise DataError(f"there is no folder {show(folder.parent)}; make it first")
    # other files of the format would be read together with these
    endings = tuple(suffix.lower() + more for more in ("", *COMPRESSIONS))
    there = (path.relative_to(folder).as_posix() for path in walk(folder)[0] if path.is_file())
    others = sorted(n for n in there if n.lower().endswith(endings) and n not in files)
    if others:
        raise DataError(
            f"{show(folder)} holds {count(len(others), 'other file')} of this format, such as "
            f"{quote(others[0])}, which would be read with these; name an empty folder, or "
            "remove them"
        )


def parse_known(text: str, what: str) -> Any:
    """Parse a piece of JSON that a file holds; `what` begins every message."""
    try:
        return parse_value(text, f"{what}: ")
    except DataError:
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{what} is not JSON: {printable(error, 100)}; restore it, or remove it"
        ) from error


def check_known(known: Known, what: str) -> dict[str, Any]:
    """Take instance, label and group as text or numbers; `what` begins every message."""
    for name in KNOWN:
        value = known.get(name, "")
        good = isinstance(value, str if name == "instance" else IN_JSON)
        if not good or (isinstance(value, float) and not math.isfinite(value)):
            raise DataError(
                f"{what}: the {name} is {quote(value)}; make it text"
                f"{'' if name == 'instance' else ' or a finite number'}"
            )
    return {name: known[name] for name in KNOWN if name in known}
