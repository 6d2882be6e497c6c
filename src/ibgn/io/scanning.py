"""Files that are read piece by piece, in memory that does not grow with them."""

import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ibgn._files import naming_errors
from ibgn._inputs import in_own_context, opening_once
from ibgn.budgets import PieceBudget
from ibgn.cleaning import Cleaning
from ibgn.errors import DataError, DataWarning, Option, OptionError
from ibgn.intervals import IntervalSequences
from ibgn.io.files import Files, Sources
from ibgn.io.format import BUDGET, CLEANING, LENIENCY
from ibgn.io.leniency import Leniency
from ibgn.io.longframe import Labels, LongFrame
from ibgn.io.options import refuse_unknown
from ibgn.io.registry import FORMATS, Stream, find_format
from ibgn.io.together import keep_together
from ibgn.pieces import Part
from ibgn.provenance import Provenance
from ibgn.sources import InstanceSource
from ibgn.text import count, without_values

__all__ = ["Scan", "scan"]

ROWS = 100_000  # that are read at a time


@dataclass(frozen=True)
class Scan(InstanceSource):
    """Instances of files, which are read from the start whenever they are asked for.

    Parameters
    ----------
    files : what is read
    stream : reads it, so many rows at a time
    options : of the format
    cleaning, leniency, provenance : as for `LongFrame`

    Examples
    --------
    >>> from ibgn.datasets import sample_path
    >>> source = scan(sample_path("csv"))
    >>> sum(len(X) for X, y in source.parts())
    27
    """

    files: Files
    stream: Stream
    options: dict[str, Any]
    cleaning: Cleaning
    leniency: Leniency
    provenance: Provenance
    _versions: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    _said: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._check_versions()

    def __repr__(self) -> str:
        return f"Scan of {self.files.prefix.removesuffix(': ')}"

    def parts(self) -> Iterator[Part]:
        """Instances and their labels, as many as a few rows have."""
        self._check_versions()
        expected = _Expected(self.leniency)
        saying = _Saying(self._said)
        frames = keep_together(in_own_context(self._frames()))
        while True:
            with saying.collecting():
                frame = next(frames, None)
                part = None if frame is None else frame.read(self.cleaning)
                if frame is not None and part is not None:
                    part = expected.check(frame, *part)
            if frame is None:
                break
            if part is not None and len(part[0]):
                yield part
        if not expected.instances:
            raise DataError(f"{self.files.prefix}there are no instances; a row is one interval")
        self._check_versions()
        saying.finish()

    def _frames(self) -> Generator[LongFrame, None, None]:
        with self.files.reading():
            for frame in self.stream(self.files, ROWS, **self.options):
                if len(frame.series["instance"]):
                    yield replace(frame, leniency=self.leniency, provenance=self.provenance)

    def _check_versions(self) -> None:
        """Refuse files that changed since they were read first."""
        for file in self.files:
            with naming_errors(lambda: self.files.current):
                status = file.path.stat()
            if not file.path.is_file():
                raise DataError(
                    f"{file.prefix}it is read several times, so it must be a file; save it as one"
                )
            version = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._versions.setdefault(file.name, version) != version:
                raise DataError(
                    f"{file.prefix}the file was changed between two readings; scan it again"
                )


@opening_once()
def scan(path: Sources, *, format: str | None = None, **options: Any) -> Scan:
    """Read files piece by piece: a source of instances, for data that memory does not hold.

    `IBGNClassifier.fit` takes it in place of X and y, `predict`, `predict_proba` and `score` of all
    classifiers in place of X. Models and predictions are those of `ibgn.read`, to the last bit.

    Parameters
    ----------
    path : Parquet or CSV file, or a folder of such files
    format : "parquet" or "csv", if the files do not tell
    **options : as for `ibgn.read`: `columns`, `closed`, `tolerance`, `bad_rows`, `unlabelled`, ...

    Notes
    -----
    All rows of an instance stand together; one that returns after others is refused. CSV files have
    a header, and times that are numbers. The files of a folder of Parquet are parts of one, in the
    order of their names: an instance may go on in the next file. In a folder of CSV files, the name
    of the file is part of the names of its instances.

    Examples
    --------
    >>> from ibgn import IBGNClassifier
    >>> from ibgn.datasets import sample_path
    >>> source = scan(sample_path("csv"))
    >>> model = IBGNClassifier(random_state=0).fit(source)
    >>> model.predict(source)[:3].tolist()
    ['sandwich', 'sandwich', 'tea']
    """
    known = FORMATS[find_format(path, format)]
    if known.name not in FORMATS.streams:
        readable = " or ".join(map(repr, FORMATS.streams))
        raise OptionError(
            "format",
            known.name,
            f"is read as a whole; only {readable} is read piece by piece: convert the files, or "
            "use read",
        )
    cleaning = Cleaning(**{name: options.pop(name) for name in CLEANING if name in options})
    leniency = Leniency(**{name: options.pop(name) for name in LENIENCY if name in options})
    budget = PieceBudget(**{name: options.pop(name) for name in BUDGET if name in options})
    if leniency.bad_files != "error":
        reason = "is not possible where files are read piece by piece; leave bad files out yourself"
        raise OptionError("bad_files", leniency.bad_files, reason)
    refuse_unknown(options, list(known.options), known.name)
    provenance = Provenance(known.name, cleaning, options)
    files = Files(path, known.suffixes + known.also, budget=budget)
    stream = FORMATS.streams[known.name]
    return Scan(files, stream, options, cleaning, leniency, provenance)


class _Expected:
    """What parts have in common: labels and groups, of one type."""

    def __init__(self, leniency: Leniency) -> None:
        self.unlabelled = leniency.unlabelled
        self.instances = 0
        self.kinds: dict[str, tuple[str, str]] = {}  # of values, and where these began

    def check(self, frame: LongFrame, X: IntervalSequences, y: Labels) -> Part | None:
        """The part as it is, or None if all of it is left out."""
        where = f"{frame.source}{frame.place(0)}"
        if y is None and "label" in frame.series and self.unlabelled in ("drop", "keep"):
            if self.unlabelled == "drop":
                left_out = f"left out {count(len(X), 'instance')} without a label"
                warnings.warn(DataWarning(f"{frame.source}{left_out}"), stacklevel=3)
                return None
            y = np.full(len(X), None, object)
        if self.unlabelled != "keep":
            self._compare("label", y, where)
        self._compare("group", X.groups, where)
        self.instances += len(X)
        return X, y

    def _compare(self, name: str, values: Labels, where: str) -> None:
        kind = _kind(values)
        known, first = self.kinds.setdefault(name, (kind, where))
        if known == kind:
            return
        advice = (
            ("; ", Option("unlabelled", "drop"), " leaves instances without one out")
            if name == "label" and "none" in (known, kind)
            else ()
        )
        raise DataError(
            f"{where}: from here on each {name} is {kind}, but {known} from {first} on; make them "
            "one type in all files",
            *advice,
        )


def _kind(values: Labels) -> str:
    if values is None:
        return "none"
    return {"b": "true or false", "i": "a number", "u": "a number", "f": "a number"}.get(
        values.dtype.kind, "text"
    )


class _Saying:
    """Warnings about parts: the first of each kind is said, and how many were like it.

    said : the first of each kind, and how many more; those of earlier readings are not repeated
    """

    def __init__(self, said: dict[str, list[Any]]) -> None:
        self.said = said
        self.before = set(said)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect the warnings about a part."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            kind = without_values(str(warning.message))
            if kind in self.before:
                continue
            if kind in self.said:
                self.said[kind][1] += 1
            else:
                self.said[kind] = [str(warning.message), 0]
                warnings.warn(warning.message, stacklevel=4)

    def finish(self) -> None:
        """Say how many more there were of each kind."""
        for kind, (first, more) in self.said.items():
            if more and kind not in self.before:
                counted = f"{count(more, 'more warning')} like this one: {first}"
                warnings.warn(DataWarning(counted), stacklevel=3)
